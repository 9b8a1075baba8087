/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_tables.h"

#include <string.h>

/* Return the run's wall time; if the file has none, the time up to the last burst. */
static uint64_t an_duration_ns(const struct an_tables *t, const struct prof_run *run)
{
    uint64_t end_ns = run->duration_ns == UINT64_MAX ? 0 : run->duration_ns;
    for (size_t i = 0; i < t->bursts_len; i++)
        if (t->bursts[i].time_ns != UINT64_MAX && t->bursts[i].time_ns >= end_ns)
            end_ns = t->bursts[i].time_ns + 1;
    return end_ns;
}

void an_tables_init(struct an_tables *t, const prof_profile *p)
{
    memset(t, 0, sizeof(*t));
    t->nodes = prof_nodes(p, &t->nodes_len);
    t->threads = prof_threads(p, &t->threads_len);
    t->processes = prof_processes(p, &t->processes_len);
    t->bursts = prof_bursts(p, &t->bursts_len);
    t->phases = prof_phases(p, &t->phases_len);
    t->lines = prof_lines(p, &t->lines_len);
    t->frames = prof_frames(p, &t->frames_len);
    t->inlines = prof_inlines(p, &t->inlines_len);
    t->modules = prof_modules(p, &t->modules_len);
    t->types = prof_types(p, &t->types_len);
    t->members = prof_members(p, &t->members_len);
    t->run = prof_run_of(p);
    t->duration_ns = an_duration_ns(t, t->run);
    t->slices = AN_SLICES;
}

void an_tables_slice(struct an_tables *t, uint64_t slices, uint64_t slice_ns)
{
    if (slice_ns) slices = t->duration_ns / slice_ns + (t->duration_ns % slice_ns != 0);
    if (slices > AN_SLICES_MAX) slices = AN_SLICES_MAX;
    t->slices = slices ? (uint32_t)slices : 1;
    if (slice_ns && t->duration_ns < t->slices * slice_ns) t->duration_ns = t->slices * slice_ns;
}

static int an_compare_address(const struct prof_line *l, uint32_t process, uint64_t ip)
{
    if (l->process != process) return l->process < process ? -1 : 1;
    return (l->ip > ip) - (l->ip < ip);
}

uint32_t an_tables_line(const struct an_tables *t, uint32_t process, uint64_t ip)
{
    size_t lo = 0, hi = t->lines_len;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        const int c = an_compare_address(&t->lines[mid], process, ip);
        if (c == 0) return (uint32_t)mid;
        *(c < 0 ? &lo : &hi) = c < 0 ? mid + 1 : mid;
    }
    return UINT32_MAX;
}

static bool an_is_same_address(const struct prof_line *a, const struct prof_line *b)
{
    return a->process == b->process && a->ip == b->ip;
}

bool an_tables_line_changes(const struct an_tables *t, uint32_t row)
{
    if (row >= t->lines_len) return false;
    const struct prof_line *l = &t->lines[row];
    return (row > 0 && an_is_same_address(l, l - 1)) ||
           (row + 1 < t->lines_len && an_is_same_address(l, l + 1));
}

uint32_t an_tables_line_then(const struct an_tables *t, uint32_t row, uint64_t time_ns)
{
    while (row > 0 && an_is_same_address(&t->lines[row], &t->lines[row - 1]))
        row--;
    while (row + 1 < t->lines_len && time_ns >= t->lines[row].until_ns &&
           an_is_same_address(&t->lines[row], &t->lines[row + 1]))
        row++;
    return row;
}

uint32_t an_tables_process(const struct an_tables *t, uint32_t thread)
{
    return thread < t->threads_len ? t->threads[thread].process : UINT32_MAX;
}
