/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes files to a fuzz target, each unchanged, cut at many positions and with single bits flipped: the
 * files of its corpus, or the named ones. Empty in a build for libFuzzer (tests/fuzz/README.md), which has a
 * main function. */
#include "tests/fuzz/fuzz.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef LS_LIBFUZZER
/* An allocation of the exact size: reading beyond it is a fault under valgrind and ASan. */
static void replay_bytes(const uint8_t *bytes, size_t len)
{
    uint8_t *copy = malloc(len ? len : 1);
    if (!copy) abort();
    memcpy(copy, bytes, len);
    LLVMFuzzerTestOneInput(copy, len);
    free(copy);
}

static void replay_variants(uint8_t *bytes, size_t len)
{
    const size_t step = 1 + len / 500;
    replay_bytes(bytes, len);
    for (size_t cut = 0; cut < len; cut += step)
        replay_bytes(bytes, cut);
    for (size_t at = 0; at < len; at += step)
        for (unsigned bit = 0; bit < 8; bit++) {
            bytes[at] ^= (uint8_t)(1u << bit);
            replay_bytes(bytes, len);
            bytes[at] ^= (uint8_t)(1u << bit);
        }
}

static int replay_file(const char *path)
{
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "rbe");
    if (!file) {
        perror(path);
        return 1;
    }
    const size_t len = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    replay_variants(bytes, len);
    return 0;
}

static int replay_files(char **paths, size_t len)
{
    int failed = len == 0;
    for (size_t i = 0; i < len; i++)
        failed |= replay_file(paths[i]);
    printf("%zu files replayed\n", len);
    return failed;
}

int main(int argc, char **argv)
{
    const char *top = getenv("top_srcdir");
    char pattern[4096];
    glob_t corpus;
    if (argc > 1) return replay_files(argv + 1, (size_t)argc - 1);
    snprintf(pattern, sizeof(pattern), "%s/%s", top ? top : ".", fuzz_corpus);
    if (glob(pattern, 0, NULL, &corpus) != 0) {
        fprintf(stderr, "no files %s\n", pattern);
        return 1;
    }
    const int failed = replay_files(corpus.gl_pathv, corpus.gl_pathc);
    globfree(&corpus);
    return failed;
}
#endif
