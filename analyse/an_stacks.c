/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_tiles.h"
#include "common/ls_vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AN_CALL_SHARE_MIN 1e-4 /* share of the time; calls with less are merged into their callers */

static uint32_t an_call_of(const struct an_stacks_sum *s, size_t burst)
{
    return burst < s->tables->bursts_len ? s->tables->calls->call_of_burst[burst] : UINT32_MAX;
}

/* Compute the time of each call with its callees; return the total time. */
static double an_call_times(const struct an_stacks_sum *s, const struct an_input *in, double *time_ns)
{
    const struct an_call_tree *tree = s->tables->calls;
    double all = 0;
    for (size_t b = 0; b < in->bursts_len; b++) {
        const uint32_t call = an_call_of(s, b);
        const double weight_ns = an_weight_ns(s->costs, &in->bursts[b]);
        if (weight_ns > 0 && call < tree->len) time_ns[call] += weight_ns;
        all += fmax(weight_ns, 0);
    }
    for (uint32_t c = tree->len; c-- > 0;)
        if (tree->rows[c].parent < c) time_ns[tree->rows[c].parent] += time_ns[c];
    return all;
}

static void an_choose_calls(struct an_stacks_sum *s, const double *time_ns, double least_ns)
{
    const struct an_call_tree *tree = s->tables->calls;
    struct an_stacks *out = s->out;
    for (uint32_t c = 0; c < tree->len; c++) {
        const uint32_t parent = tree->rows[c].parent < c ? s->to[tree->rows[c].parent] : UINT32_MAX;
        s->to[c] = parent;
        if (time_ns[c] <= 0 || time_ns[c] < least_ns) continue;
        out->calls[out->calls_len] = tree->rows[c];
        out->calls[out->calls_len].parent = parent;
        s->to[c] = out->calls_len++;
    }
}

ls_err an_stacks_sum_init(struct an_stacks_sum *s, const struct an_input *in)
{
    const uint32_t len = s->tables->calls->len;
    double *time_ns = calloc(len + 1u, sizeof(*time_ns));
    s->to = malloc((len + 1u) * sizeof(*s->to));
    s->stall_ns = calloc(in->bursts_len + 1, sizeof(*s->stall_ns));
    s->out->calls = malloc((len + 1u) * sizeof(*s->out->calls));
    const bool fits = time_ns && s->to && s->stall_ns && s->out->calls;
    if (fits) an_choose_calls(s, time_ns, an_call_times(s, in, time_ns) * AN_CALL_SHARE_MIN);
    free(time_ns);
    return fits ? LS_OK : ls_nomem("the sums of %u calls", len);
}

void an_stacks_sum_fini(struct an_stacks_sum *s)
{
    ls_index_fini(&s->by_key);
    free(s->to);
    free(s->stall_ns);
}

static int an_stack_order(const void *a, const void *b)
{
    const struct an_stack *x = a, *y = b;
    const uint32_t of_x[] = {x->call, x->is_origin, x->node, x->line, x->thread, x->slice};
    const uint32_t of_y[] = {y->call, y->is_origin, y->node, y->line, y->thread, y->slice};
    for (size_t i = 0; i < sizeof(of_x) / sizeof(of_x[0]); i++)
        if (of_x[i] != of_y[i]) return of_x[i] < of_y[i] ? -1 : 1;
    return 0;
}

static ls_err an_stack_put(struct an_stacks_sum *s, const struct an_stack *row)
{
    const uint64_t code = ls_index_key((uint64_t)row->node << 32 | row->line, row->thread);
    const uint64_t key =
        ls_index_key(ls_index_key(code, (uint64_t)row->slice << 1 | row->is_origin), row->call);
    struct an_stacks *out = s->out;
    uint32_t at;
    for (size_t step = 0; ls_index_next(&s->by_key, key, &step, &at);)
        if (an_stack_order(&out->rows[at], row) == 0) {
            out->rows[at].time_ns += row->time_ns;
            out->rows[at].stall_ns += row->stall_ns;
            return LS_OK;
        }
    if (out->len > s->len_max) return LS_OK; /* an_stacks_end starts again */
    LS_TRY(LS_GROW(out->rows, s->room, out->len + 1));
    out->rows[out->len++] = *row;
    return ls_index_put(&s->by_key, key, (uint32_t)out->len - 1);
}

ls_err an_stacks_add(struct an_stacks_sum *s, const struct an_tile *t, uint32_t burst)
{
    const uint32_t call = an_call_of(s, burst);
    const uint32_t to = call < s->tables->calls->len ? s->to[call] : UINT32_MAX;
    struct an_stack row = {.call = to == UINT32_MAX ? s->out->calls_len : to,
                           .node = t->node,
                           .line = t->line,
                           .thread = t->thread,
                           .slice = t->slice,
                           .is_origin = t->access == AN_CLASS_ORIGIN,
                           .time_ns = t->time_ns,
                           .stall_ns = t->stall_ns};
    const bool is_known = burst < s->tables->bursts_len;
    if (row.is_origin && is_known) row.stall_ns = fmin(s->stall_ns[burst], row.time_ns);
    if (!row.is_origin && is_known) s->stall_ns[burst] += t->stall_ns;
    if (s->out->level >= AN_STACKS_NO_SLICE) row.slice = UINT32_MAX;
    if (s->out->level >= AN_STACKS_NO_LINE) row.line = UINT32_MAX;
    if (s->out->level >= AN_STACKS_NO_THREAD) row.thread = UINT32_MAX;
    return an_stack_put(s, &row);
}

bool an_stacks_end(struct an_stacks_sum *s)
{
    struct an_stacks *out = s->out;
    if (out->len <= s->len_max || out->level == AN_STACKS_NO_THREAD) {
        if (out->len > 0) qsort(out->rows, out->len, sizeof(*out->rows), an_stack_order);
        return true;
    }
    out->level++;
    out->len = 0;
    ls_index_fini(&s->by_key);
    memset(s->stall_ns, 0, s->tables->bursts_len * sizeof(*s->stall_ns));
    return false;
}
