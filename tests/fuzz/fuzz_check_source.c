/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fuzz_check_source.h"

#include <stdlib.h>

enum { ACCESSES_MAX = 1 << 20 };

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

void fuzz_check_source(pat_source *s)
{
    struct pat_batch b = {.accesses_len = 1};
    uint64_t counted = 0;
    while (pat_source_next(s, &b) == LS_OK && (b.accesses_len || b.events_len) && counted < ACCESSES_MAX) {
        const struct pat_tables *t = pat_source_tables(s);
        for (size_t i = 0; i < b.events_len; i++)
            check_event(&b.events[i], t);
        for (size_t i = 0; i < b.accesses_len; i++)
            check_access(&b.accesses[i], t);
        counted += b.accesses_len;
    }
    if (pat_source_counts(s).accesses < counted) abort();
}
