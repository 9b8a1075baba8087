/* SPDX-License-Identifier: BSD-3-Clause */
/* Measure the speed of compaction: indices a second for sequences of each kind, and the time for the names of
 * 10,000 instructions of a file. usage: compact [FILE [INDICES]]; FILE is a position-independent program or library. */
#include "common/ls_clock.h"
#include "patterns/compact/pat_compact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BENCH_INDICES = 4000000, BENCH_NAMES = 10000, BENCH_SIDE = 200 };

static uint64_t bench_random(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static int64_t bench_stream(uint64_t i)
{
    return (int64_t)i;
}

static int64_t bench_columns(uint64_t i)
{
    return (int64_t)(i % BENCH_SIDE * BENCH_SIDE + i / BENCH_SIDE % BENCH_SIDE);
}

static int64_t bench_box(uint64_t i)
{
    const uint64_t plane = BENCH_SIDE * BENCH_SIDE;
    return (int64_t)(i % BENCH_SIDE + i / BENCH_SIDE % BENCH_SIDE * 400 + i / plane * 400 * 400);
}

static int64_t bench_anywhere(uint64_t i)
{
    (void)i;
    return (int64_t)(bench_random() % 10000000);
}

static const struct {
    const char *name;
    int64_t (*index)(uint64_t i);
} bench_kinds[] = {{"stride 1", bench_stream},
                   {"columns of a matrix", bench_columns},
                   {"box of three levels", bench_box},
                   {"random", bench_anywhere}};

static int bench_fail(const char *what)
{
    fprintf(stderr, "compact: %s: %s\n", what, ls_last_error());
    return 1;
}

static int bench_kind(size_t kind, size_t len)
{
    struct pat_site site = {.ip = 1, .module = PAT_NONE, .size_bytes = 8};
    const struct pat_tables t = {.sites = &site, .sites_len = 1};
    const struct pat_compact_options o = {.no_symbols = true};
    struct pat_sequence s = {.home = PAT_NONE,
                             .elem_size_bytes = 8,
                             .accesses = len,
                             .is_whole = true,
                             .indices = {malloc(len * sizeof(int64_t)), len},
                             .index_site = PAT_NONE,
                             .index_home = PAT_NONE};
    const struct pat_sequences all = {.rows = &s, .len = 1, .accesses = len};
    struct pat_findings found;
    if (!s.indices.data) return bench_fail("no memory");
    for (size_t i = 0; i < len; i++)
        s.indices.data[i] = bench_kinds[kind].index(i);
    const uint64_t begin_ns = ls_clock_mono_ns();
    if (pat_compact(&all, &t, &o, &found) != LS_OK) return bench_fail(bench_kinds[kind].name);
    const double took_s = (double)(ls_clock_mono_ns() - begin_ns) / 1e9;
    const struct pat_found *f = &found.rows[0];
    printf("%-20s %9zu indices in %5.2f s, %5.1f million/s: %s, %s, %zu indices, %zu deltas, count %llu\n",
           bench_kinds[kind].name, len, took_s, (double)len / took_s / 1e6, pat_class_name(f->class),
           pat_form_name(f->form), f->config.pattern.len, f->config.deltas.len,
           (unsigned long long)f->config.count);
    pat_findings_fini(&found);
    free(s.indices.data);
    return 0;
}

/* Instructions evenly over the file's bytes, as if it had been loaded at an odd place. */
static int bench_names(char *path)
{
    static struct pat_site sites[BENCH_NAMES];
    static struct pat_sequence rows[BENCH_NAMES];
    static int64_t index;
    const uint64_t bias = UINT64_C(0x7f1234567000);
    struct stat st;
    struct pat_findings found;
    size_t functions = 0, lines = 0;
    if (stat(path, &st) != 0) return bench_fail(path);
    struct pat_module module = {path, bias, bias + (uint64_t)st.st_size, bias};
    const struct pat_tables t = {
        .sites = sites, .modules = &module, .sites_len = BENCH_NAMES, .modules_len = 1};
    const struct pat_sequences all = {.rows = rows, .len = BENCH_NAMES, .accesses = BENCH_NAMES};
    for (uint32_t i = 0; i < BENCH_NAMES; i++) {
        const uint64_t text_bytes = (uint64_t)st.st_size < 8000000 ? (uint64_t)st.st_size : 8000000;
        sites[i] = (struct pat_site){.ip = bias + 0x1000 + text_bytes / BENCH_NAMES * i, .size_bytes = 8};
        rows[i] = (struct pat_sequence){.site = i,
                                        .home = PAT_NONE,
                                        .accesses = 1,
                                        .is_whole = true,
                                        .elem_size_bytes = 8,
                                        .indices = {&index, 1},
                                        .index_site = PAT_NONE,
                                        .index_home = PAT_NONE};
    }
    const uint64_t begin_ns = ls_clock_mono_ns();
    if (pat_compact(&all, &t, NULL, &found) != LS_OK) return bench_fail(path);
    const double took_s = (double)(ls_clock_mono_ns() - begin_ns) / 1e9;
    for (size_t i = 0; i < found.len; i++) {
        functions += found.rows[i].function[0] != 0;
        lines += found.rows[i].line != 0;
    }
    printf("%s, %.0f MB: %d instructions in %.2f s; %zu have a function, %zu a line\n", path,
           (double)st.st_size / 1e6, BENCH_NAMES, took_s, functions, lines);
    pat_findings_fini(&found);
    return 0;
}

int main(int argc, char **argv)
{
    const size_t len = argc > 2 ? strtoul(argv[2], NULL, 10) : BENCH_INDICES;
    for (size_t kind = 0; kind < sizeof(bench_kinds) / sizeof(bench_kinds[0]); kind++)
        if (bench_kind(kind, len) != 0) return 1;
    return argc > 1 ? bench_names(argv[1]) : 0;
}
