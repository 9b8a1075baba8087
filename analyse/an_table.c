/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_table.h"
#include "analyse/an_select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Groups are laid out in depth-first order ("positions"), so that a subtree is one interval of positions, and
 * of everything sorted by position: measured latencies and parts. */
struct an_table {
    uint32_t groups_len; /* the group "nowhere" follows them */
    uint32_t *position;  /* group to position */
    uint32_t *end;       /* group to the position after its subtree */
    struct an_row *self, *total;
    struct an_part *parts;
    size_t *parts_begin; /* by position, one more than positions */
    int32_t *latencies;
    double step_cycles;
    bool by_origin;
    size_t *latencies_begin; /* by position, one more than positions */
};

static uint32_t an_positions_len(const an_table *t)
{
    return t->groups_len + 1;
}

static uint32_t an_group_of(const an_table *t, const struct an_grouping *by, uint64_t sample)
{
    const uint32_t g = by->group_of_sample[sample];
    return g < t->groups_len ? g : t->groups_len;
}

/* Group that has the weight of the burst as a whole; false: its samples have it. */
static bool an_group_of_whole(const an_table *t, const struct an_input *in, const struct an_grouping *by,
                              size_t burst, uint32_t *out)
{
    if (!by->group_of_burst || (!by->by_origin && in->bursts[burst].samples_len > 0)) return false;
    const uint32_t g = by->group_of_burst[burst];
    *out = g < t->groups_len ? g : t->groups_len;
    return true;
}

/* Parents come before children: subtree sizes add up backwards, positions follow forwards. */
static ls_err an_lay_out(an_table *t, const struct an_grouping *by)
{
    const uint32_t n = an_positions_len(t);
    uint32_t *next = malloc(n * sizeof(*next)); /* next free position inside the group's subtree */
    if (!next) return ls_nomem("a table of %u groups", n);
    for (uint32_t g = 0; g < n; g++)
        t->end[g] = 1;
    for (uint32_t g = n - 1; g-- > 0;) {
        const uint32_t p = by->parent ? by->parent[g] : AN_NO_GROUP;
        if (p != AN_NO_GROUP && p < g) t->end[p] += t->end[g];
    }
    uint32_t top = 0;
    ls_err err = LS_OK;
    for (uint32_t g = 0; g < n && err == LS_OK; g++) {
        const uint32_t p = by->parent && g < t->groups_len ? by->parent[g] : AN_NO_GROUP;
        if (p != AN_NO_GROUP && p >= g)
            err = ls_fail(
                LS_ERR_FORMAT,
                "node %u names node %u as its parent, which does not come before it: the file is damaged", g,
                p);
        uint32_t *slot = p == AN_NO_GROUP || p >= g ? &top : &next[p];
        t->position[g] = *slot;
        *slot += t->end[g];
        next[g] = t->position[g] + 1;
        t->end[g] += t->position[g];
    }
    free(next);
    return err;
}

/* Time that a burst as a whole adds to the group in which it began, or to the group of no data. */
static double an_whole_ns(const struct an_costs *costs, bool by_origin, const struct prof_burst *b)
{
    return by_origin ? an_weight_ns(costs, b) : an_data_weight_ns(costs, b);
}

static void an_count(an_table *t, const struct an_input *in, const struct an_costs *costs,
                     const struct an_grouping *by)
{
    const struct prof_samples *s = &in->samples;
    for (uint64_t i = 0; i < s->len; i++) {
        struct an_row *row = &t->self[an_group_of(t, by, i)];
        const uint64_t n = an_accesses(s, i);
        row->samples += n;
        row->loads += s->op[i] == 0 ? n : 0;
        row->stores += s->op[i] == 1 ? n : 0;
        row->prefetches += s->op[i] == 2 ? n : 0;
        if (!by->by_origin) row->time_ns += (double)costs->time_ns[i];
        row->stall_ns += (double)costs->stall_ns[i];
        if (!an_is_measured(s, i)) continue;
        row->measured += n;
        row->latency_sum_cycles +=
            fmin((double)s->latency_cycles[i], costs->model.latency_max_cycles) * (double)n;
        if (s->level && s->level[i] < PROF_LEVEL_COUNT)
            row->levels[s->level[i]] += n;
        else
            row->level_unknown += n;
    }
    uint32_t g;
    for (size_t b = 0; b < in->bursts_len; b++)
        if (an_group_of_whole(t, in, by, b, &g))
            t->self[g].time_ns += an_whole_ns(costs, by->by_origin, &in->bursts[b]);
}

/* Does a row of samples have the latency of one load? In a profile of a job it may be the mean of many. */
static bool an_is_latency(const struct an_input *in, uint64_t i)
{
    return !in->is_of_job && an_is_measured(&in->samples, i);
}

static ls_err an_collect_latencies(an_table *t, const struct an_input *in, const struct an_grouping *by)
{
    size_t *begin = t->latencies_begin;
    for (uint64_t i = 0; i < in->samples.len; i++)
        begin[t->position[an_group_of(t, by, i)] + 1] += an_is_latency(in, i);
    for (uint32_t p = 0; p < an_positions_len(t); p++)
        begin[p + 1] += begin[p];
    const size_t len = begin[an_positions_len(t)];
    t->latencies = malloc((len ? len : 1) * sizeof(int32_t));
    size_t *fill = malloc(an_positions_len(t) * sizeof(*fill));
    t->step_cycles = in->calibration.step_cycles;
    if (t->latencies && fill) {
        memcpy(fill, begin, an_positions_len(t) * sizeof(*fill));
        for (uint64_t i = 0; i < in->samples.len; i++)
            if (an_is_latency(in, i))
                t->latencies[fill[t->position[an_group_of(t, by, i)]]++] = in->samples.latency_cycles[i];
    }
    const ls_err err = t->latencies && fill ? LS_OK : ls_nomem("%zu latencies", len);
    free(fill);
    return err;
}

/* Walk the parts in burst order; with sink == NULL only their number per position is counted. */
struct an_part_walk {
    uint32_t *last_burst; /* by position: 1 + the burst its open part belongs to */
    size_t *open;         /* by position: index of the open part */
    size_t *fill;         /* by position: where the next part goes */
};

/* Add to the part of burst b at position p. */
static void an_part_add(struct an_part_walk *w, struct an_part *sink, size_t b, uint32_t p, float time_ns,
                        float stall_ns)
{
    if (w->last_burst[p] != b + 1) {
        w->last_burst[p] = (uint32_t)b + 1;
        w->open[p] = w->fill[p]++;
        if (sink) sink[w->open[p]] = (struct an_part){.burst = (uint32_t)b};
    }
    if (!sink) return;
    sink[w->open[p]].time_ns += time_ns;
    sink[w->open[p]].stall_ns += stall_ns;
}

static void an_walk_parts(an_table *t, const struct an_input *in, const struct an_costs *costs,
                          const struct an_grouping *by, struct an_part_walk *w, struct an_part *sink)
{
    memset(w->last_burst, 0, an_positions_len(t) * sizeof(*w->last_burst));
    for (size_t b = 0; b < in->bursts_len; b++) {
        const struct prof_burst *burst = &in->bursts[b];
        uint32_t whole;
        if (an_group_of_whole(t, in, by, b, &whole))
            an_part_add(w, sink, b, t->position[whole], (float)an_whole_ns(costs, by->by_origin, burst), 0);
        for (uint64_t i = burst->first_sample; i < burst->first_sample + burst->samples_len; i++)
            an_part_add(w, sink, b, t->position[an_group_of(t, by, i)], by->by_origin ? 0 : costs->time_ns[i],
                        costs->stall_ns[i]);
    }
}

static ls_err an_collect_parts(an_table *t, const struct an_input *in, const struct an_costs *costs,
                               const struct an_grouping *by)
{
    const uint32_t n = an_positions_len(t);
    struct an_part_walk w = {.last_burst = calloc(n, sizeof(uint32_t)),
                             .open = calloc(n, sizeof(size_t)),
                             .fill = calloc(n, sizeof(size_t))};
    ls_err err = w.last_burst && w.open && w.fill ? LS_OK : ls_nomem("a table of %u groups", n);
    if (err == LS_OK) {
        an_walk_parts(t, in, costs, by, &w, NULL);
        for (uint32_t p = 0; p < n; p++) {
            t->parts_begin[p + 1] = t->parts_begin[p] + w.fill[p];
            w.fill[p] = t->parts_begin[p];
        }
        t->parts = malloc((t->parts_begin[n] ? t->parts_begin[n] : 1) * sizeof(*t->parts));
        if (t->parts)
            an_walk_parts(t, in, costs, by, &w, t->parts);
        else
            err = ls_nomem("%zu parts of bursts", t->parts_begin[n]);
    }
    free(w.last_burst);
    free(w.open);
    free(w.fill);
    return err;
}

static void an_row_add(struct an_row *to, const struct an_row *from)
{
    to->samples += from->samples;
    to->loads += from->loads;
    to->stores += from->stores;
    to->prefetches += from->prefetches;
    to->measured += from->measured;
    for (int l = 0; l < PROF_LEVEL_COUNT; l++)
        to->levels[l] += from->levels[l];
    to->level_unknown += from->level_unknown;
    to->latency_sum_cycles += from->latency_sum_cycles;
    to->time_ns += from->time_ns;
    to->stall_ns += from->stall_ns;
}

static void an_roll_up(an_table *t, const struct an_grouping *by)
{
    memcpy(t->total, t->self, an_positions_len(t) * sizeof(*t->total));
    for (uint32_t g = t->groups_len; by->parent && g-- > 0;)
        if (by->parent[g] != AN_NO_GROUP) an_row_add(&t->total[by->parent[g]], &t->total[g]);
}

/* Input and scratch memory for finishing the rows. */
struct an_finish {
    const struct an_input *in;
    const struct an_costs *costs;
    bool by_origin;
    int32_t *latencies; /* room for all */
    uint32_t *seen;     /* by burst: the last mark */
    uint32_t mark;
};

/* Bursts that represent time, among parts[begin, end), each once. */
static uint64_t an_distinct_bursts(const an_table *t, struct an_finish *f, size_t begin, size_t end)
{
    uint64_t n = 0;
    f->mark++;
    for (size_t i = begin; i < end; i++) {
        const struct an_part *p = &t->parts[i];
        if (f->by_origin ? p->time_ns <= 0 : an_data_weight_ns(f->costs, &f->in->bursts[p->burst]) <= 0)
            continue;
        if (f->seen[p->burst] != f->mark) n += an_bursts(&f->in->bursts[p->burst]);
        f->seen[p->burst] = f->mark;
    }
    return n;
}

static void an_fill_row(an_table *t, struct an_finish *f, struct an_row *row, const uint32_t positions[2])
{
    const size_t begin = t->latencies_begin[positions[0]], len = t->latencies_begin[positions[1]] - begin;
    memcpy(f->latencies, t->latencies + begin, len * sizeof(*f->latencies)); /* selection reorders */
    row->p95_cycles = an_quantile_i32(f->latencies, len, 0.95);
    row->median_cycles = an_median_refined(f->latencies, len, t->step_cycles);
    row->stall_ns = fmin(row->stall_ns, row->time_ns);
    row->bursts = an_distinct_bursts(t, f, t->parts_begin[positions[0]], t->parts_begin[positions[1]]);
}

static ls_err an_finish_rows(an_table *t, const struct an_input *in, const struct an_costs *costs,
                             const struct an_grouping *by)
{
    const size_t latencies_len = t->latencies_begin[an_positions_len(t)];
    struct an_finish f = {.in = in,
                          .costs = costs,
                          .by_origin = by->by_origin,
                          .latencies = malloc((latencies_len + 1) * sizeof(*f.latencies)),
                          .seen = calloc(in->bursts_len + 1, sizeof(*f.seen))};
    for (uint32_t g = 0; f.latencies && f.seen && g <= t->groups_len; g++) {
        const uint32_t self[2] = {t->position[g], t->position[g] + 1}, total[2] = {t->position[g], t->end[g]};
        an_fill_row(t, &f, &t->self[g], self);
        if (total[1] == self[1])
            t->total[g] = t->self[g];
        else
            an_fill_row(t, &f, &t->total[g], total);
    }
    const ls_err err = f.latencies && f.seen ? LS_OK : ls_nomem("ranking %zu latencies", latencies_len);
    free(f.latencies);
    free(f.seen);
    return err;
}

static ls_err an_table_build(an_table *t, const struct an_input *in, const struct an_costs *costs,
                             const struct an_grouping *by)
{
    const size_t n = an_positions_len(t);
    t->position = calloc(n, sizeof(*t->position));
    t->end = calloc(n, sizeof(*t->end));
    t->self = calloc(n, sizeof(*t->self));
    t->total = calloc(n, sizeof(*t->total));
    t->parts_begin = calloc(n + 1, sizeof(*t->parts_begin));
    t->latencies_begin = calloc(n + 1, sizeof(*t->latencies_begin));
    if (!t->position || !t->end || !t->self || !t->total || !t->parts_begin || !t->latencies_begin)
        return ls_nomem("a table of %zu groups", n);
    LS_TRY(an_lay_out(t, by));
    an_count(t, in, costs, by);
    LS_TRY(an_collect_latencies(t, in, by));
    LS_TRY(an_collect_parts(t, in, costs, by));
    an_roll_up(t, by);
    return an_finish_rows(t, in, costs, by);
}

ls_err an_table_new(const struct an_input *in, const struct an_costs *costs, const struct an_grouping *by,
                    an_table **out)
{
    if (by->groups_len == UINT32_MAX) return ls_fail(LS_ERR_RANGE, "too many groups: %u", by->groups_len);
    an_table *t = calloc(1, sizeof(*t));
    if (!t) return ls_nomem("a table");
    t->groups_len = by->groups_len;
    t->by_origin = by->by_origin;
    const ls_err err = an_table_build(t, in, costs, by);
    if (err != LS_OK) {
        an_table_free(t);
        return err;
    }
    *out = t;
    return LS_OK;
}

void an_table_free(an_table *t)
{
    if (!t) return;
    free(t->position);
    free(t->end);
    free(t->self);
    free(t->total);
    free(t->parts);
    free(t->parts_begin);
    free(t->latencies);
    free(t->latencies_begin);
    free(t);
}

const struct an_row *an_table_self(const an_table *t, uint32_t group)
{
    return &t->self[group];
}

const struct an_row *an_table_total(const an_table *t, uint32_t group)
{
    return &t->total[group];
}

bool an_table_is_by_origin(const an_table *t)
{
    return t->by_origin;
}

const struct an_part *an_table_parts(const an_table *t, uint32_t group, size_t *out_len)
{
    const size_t begin = t->parts_begin[t->position[group]];
    *out_len = t->parts_begin[t->end[group]] - begin;
    return t->parts + begin;
}

const struct an_part *an_table_parts_self(const an_table *t, uint32_t group, size_t *out_len)
{
    const size_t begin = t->parts_begin[t->position[group]];
    *out_len = t->parts_begin[t->position[group] + 1] - begin;
    return t->parts + begin;
}
