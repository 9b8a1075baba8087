/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a file of `loadstone patterns sectors`: warps, the analysis of omniprobe, and names of arrays. */
#include "patterns/source/pat_sectors.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

const char fuzz_corpus[] = "tests/fuzz/corpus-sectors/*";

static void check(const struct pat_sectors *s)
{
    uint64_t warps = 0;
    for (size_t i = 0; i < s->len; i++)
        warps += s->rows[i].sums.warps;
    if (warps != s->all.warps) abort();
    for (size_t i = 1; i < s->uses_len; i++)
        if (s->uses[i].id < s->uses[i - 1].id) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len_bytes)
{
    struct pat_arrays arrays;
    struct pat_sectors s;
    char name[64];
    const int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, len_bytes) != (ssize_t)len_bytes) abort();
    snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
    const bool has_arrays = pat_arrays_read(name, &arrays) == LS_OK;
    for (size_t i = 1; i < arrays.len; i++)
        if (arrays.rows[i].start < arrays.rows[i - 1].end || arrays.rows[i].name >= arrays.names_len) abort();
    if (pat_sectors_read(name, has_arrays ? &arrays : NULL, &s) == LS_OK) check(&s);
    pat_sectors_fini(&s);
    pat_arrays_fini(&arrays);
    close(fd);
    return 0;
}
