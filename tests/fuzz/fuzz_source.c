/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a source of accesses of the format FUZZ_FORMAT: what is told names rows that are there. The
 * checksums of our own traces are put right first, so that what they guard is reached as well. */
#include "patterns/source/pat_source.h"
#include "patterns/source/pat_trace_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len_bytes);

enum { ACCESSES_MAX = 1 << 20 }; /* packed data may unpack to very many */

static void check_access(const struct pat_access *a, const struct pat_tables *t)
{
    if (a->site >= t->sites_len || a->thread >= t->threads_len) abort();
    const struct pat_site *s = &t->sites[a->site];
    if (s->op > PAT_OP_STORE || (s->module != PAT_NONE && s->module >= t->modules_len)) abort();
}

static void check_event(const struct pat_event *e, const struct pat_tables *t)
{
    const bool is_range = e->kind == PAT_EVENT_RANGE_BORN || e->kind == PAT_EVENT_RANGE_DIED;
    const bool is_phase = e->kind == PAT_EVENT_PHASE_BEGIN || e->kind == PAT_EVENT_PHASE_END;
    if (e->kind > PAT_EVENT_PHASE_END || (e->thread != PAT_NONE && e->thread >= t->threads_len)) abort();
    if (is_range && (e->what >= t->ranges_len || t->ranges[e->what].home >= t->homes_len)) abort();
    if (is_phase && e->what >= t->phases_len) abort();
}

static void check_source(pat_source *s)
{
    struct pat_batch b = {.accesses_len = 1};
    uint64_t told = 0;
    while (pat_source_next(s, &b) == LS_OK && (b.accesses_len || b.events_len) && told < ACCESSES_MAX) {
        const struct pat_tables *t = pat_source_tables(s);
        for (size_t i = 0; i < b.events_len; i++)
            check_event(&b.events[i], t);
        for (size_t i = 0; i < b.accesses_len; i++)
            check_access(&b.accesses[i], t);
        told += b.accesses_len;
    }
    if (pat_source_counts(s).accesses < told) abort();
}

static void mend_checksums(uint8_t *data, size_t len)
{
    size_t at = sizeof(struct pat_trace_header);
    struct pat_trace_chunk c;
    while (at <= len && len - at >= sizeof(c)) {
        memcpy(&c, data + at, sizeof(c));
        const size_t behind = len - at - sizeof(c);
        if (c.packed_bytes > behind) break;
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
        check_source(s);
        pat_source_close(s);
    }
    for (size_t i = 0; pat_source_format_at(i); i++)
        pat_source_format_at(i)->recognise(data, len_bytes < 4096 ? len_bytes : 4096, name);
    close(fd);
    return 0;
}
