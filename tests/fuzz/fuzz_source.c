/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a source of accesses of the format FUZZ_FORMAT: all rows that it names exist. The checksums of
 * Loadstone's traces are corrected first, so that the code after the check is reached as well. */
#include "patterns/source/pat_trace_format.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_check_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

const char fuzz_corpus[] = "tests/fuzz/corpus-" FUZZ_FORMAT "/*";

static void mend_checksums(uint8_t *data, size_t len)
{
    size_t at = sizeof(struct pat_trace_header);
    struct pat_trace_chunk c;
    while (at <= len && len - at >= sizeof(c)) {
        memcpy(&c, data + at, sizeof(c));
        const size_t left = len - at - sizeof(c);
        if (c.packed_bytes > left) break;
        c.crc = (uint32_t)crc32(crc32(0, data + at, offsetof(struct pat_trace_chunk, crc)),
                                data + at + sizeof(c), c.packed_bytes);
        memcpy(data + at, &c, sizeof(c));
        at += sizeof(c) + c.packed_bytes;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len_bytes)
{
    const struct pat_source_options o = {.format = FUZZ_FORMAT, .warps_as_published = len_bytes % 2};
    char name[64];
    pat_source *s;
    uint8_t *copy = malloc(len_bytes + 1);
    const int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || !copy) abort();
    memcpy(copy, data, len_bytes);
    if (strcmp(FUZZ_FORMAT, "trace") == 0) mend_checksums(copy, len_bytes);
    if (write(fd, copy, len_bytes) != (ssize_t)len_bytes) abort();
    free(copy);
    snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
    if (pat_source_open(name, &o, &s) == LS_OK) {
        fuzz_check_source(s);
        pat_source_close(s);
    }
    for (size_t i = 0; pat_source_format_at(i); i++)
        pat_source_format_at(i)->recognise(data, len_bytes < 4096 ? len_bytes : 4096, name);
    close(fd);
    return 0;
}
