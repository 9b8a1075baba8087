/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_h5/prof_reuse.h"

#include "common/ls_sorted.h"
#include "run_h5/prof_reuse_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SEGMENT_BURSTS = 64, /* in a part of the run with its own T: rates of 64 bursts are known to an eighth */
    SEGMENTS_MOST = 256,
    HALVINGS = 48, /* steps that halve the interval around T, in its logarithm */
};
#define SPEED_ERRORS 4.0         /* least speed in standard errors: exceeded by chance in 1 of 16,000 loops */
#define LINE_VARIANCE (1 / 12.0) /* variance of a position rounded to a line */
#define STREAM_LINES 2.0         /* streams of one walk that are nearer share their lines */

/* --- bursts and their points --- */

static int compare_points(const void *a, const void *b)
{
    const struct prof_reuse_point *x = a, *y = b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    if (x->ip != y->ip) return x->ip < y->ip ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

size_t prof_reuse_points(const struct prof_reuse_burst *b, struct prof_reuse_point *out)
{
    size_t len = 0;
    for (uint64_t i = 0; i < b->samples.len; i++)
        if (b->samples.node[i] != UINT32_MAX)
            out[len++] = (struct prof_reuse_point){.ip = b->samples.ip[i],
                                                   .addr = b->samples.addr[i],
                                                   .line = b->samples.addr[i] / PROF_COST_LINE_BYTES,
                                                   .node = b->samples.node[i],
                                                   .position = b->samples.position[i],
                                                   .is_listed = i < b->listed};
    qsort(out, len, sizeof(*out), compare_points);
    return len;
}

size_t prof_reuse_group(const struct prof_reuse_point *p, size_t len)
{
    size_t n = 1;
    while (n < len && p[n].ip == p[0].ip && p[n].node == p[0].node)
        n++;
    return n;
}

static bool has_node(const struct prof_cost_samples *s)
{
    for (uint64_t i = 0; i < s->len; i++)
        if (s->node[i] != UINT32_MAX) return true;
    return false;
}

static struct prof_cost_samples samples_of(const struct prof_cost_samples *s, const struct prof_burst *b)
{
    const uint64_t at = b->first_sample;
    return (struct prof_cost_samples){.op = s->op + at,
                                      .latency_valid = s->latency_valid + at,
                                      .level = s->level + at,
                                      .latency_cycles = s->latency_cycles + at,
                                      .position = s->position + at,
                                      .node = s->node + at,
                                      .addr = s->addr + at,
                                      .ip = s->ip + at,
                                      .len = b->samples_len};
}

static int compare_bursts(const void *a, const void *b)
{
    const struct prof_reuse_burst *x = a, *y = b;
    if (x->burst->time_ns != y->burst->time_ns) return x->burst->time_ns < y->burst->time_ns ? -1 : 1;
    return (x->burst > y->burst) - (x->burst < y->burst);
}

/* Take the bursts with listed accesses, and compute the instructions that those with a pace represent. */
static ls_err take_bursts(struct prof_reuse *r, const struct prof_cost_model *m,
                          const struct prof_burst *bursts, size_t bursts_len,
                          const struct prof_cost_samples *all)
{
    for (size_t i = 0; i < bursts_len; i++) {
        const struct prof_burst *b = &bursts[i];
        if (!b->probe_loads || !b->samples_len) continue;
        struct prof_reuse_burst row = {.burst = b,
                                       .samples = samples_of(all, b),
                                       .cycles = prof_cost_data_weight_ns(m, b) * 1e-9 * m->tsc_hz};
        row.listed = prof_cost_listed(&row.samples, 0, row.samples.len);
        if (row.listed < 2 || !has_node(&row.samples)) continue;
        row.instructions = prof_cost_listed_instructions(&row.samples, row.listed);
        if (b->pace_instructions && b->pace_cycles)
            row.represented = row.cycles * b->pace_instructions / (double)b->pace_cycles;
        LS_TRY(LS_VECTOR_ADD(&r->bursts, row));
    }
    if (r->bursts.len) qsort(r->bursts.rows, r->bursts.len, sizeof(r->bursts.rows[0]), compare_bursts);
    return LS_OK;
}

/* --- the instructions of loops, up to any burst --- */

/* By address, which is mostly the order in which a program comes to the loops of a function. */
static void sort_loops(struct prof_reuse *r)
{
    for (uint32_t i = 0; i < r->loops_len; i++) {
        uint32_t at = i;
        for (; at > 0 && r->loops[r->order[at - 1]].ip > r->loops[i].ip; at--)
            r->order[at] = r->order[at - 1];
        r->order[at] = i;
    }
}

static ls_err sum_instructions(struct prof_reuse *r)
{
    const size_t len = r->bursts.len;
    uint64_t *order = malloc((len + 1) * sizeof(*order));
    r->until = calloc(len + 1, sizeof(*r->until));
    r->by_loop = calloc(len + 1, sizeof(*r->by_loop));
    r->loop_until = calloc(len + 1, sizeof(*r->loop_until));
    r->order = calloc(r->loops_len + 1, sizeof(*r->order));
    if (!order || !r->until || !r->by_loop || !r->loop_until || !r->order) {
        free(order);
        return ls_nomem("the loops of %zu bursts", len);
    }
    for (size_t i = 0; i < len; i++) {
        r->until[i + 1] = r->until[i] + r->bursts.rows[i].represented;
        order[i] = (uint64_t)r->bursts.rows[i].loop << 32 | i;
    }
    qsort(order, len, sizeof(*order), ls_compare_u64);
    for (size_t i = 0; i < len; i++) {
        struct prof_reuse_loop *l = &r->loops[order[i] >> 32];
        r->by_loop[i] = (uint32_t)order[i];
        if (l->len++ == 0) l->first = i;
        l->represented += r->bursts.rows[r->by_loop[i]].represented;
        r->loop_until[i] = l->represented;
    }
    sort_loops(r);
    free(order);
    return LS_OK;
}

/* Instructions of a loop before burst `end`. */
static double loop_before(const struct prof_reuse *r, const struct prof_reuse_loop *l, size_t end)
{
    size_t low = l->first, high = l->first + l->len;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (r->by_loop[mid] < end)
            low = mid + 1;
        else
            high = mid;
    }
    return low > l->first ? r->loop_until[low - 1] : 0;
}

double prof_reuse_loop_between(const struct prof_reuse *r, uint32_t loop, size_t from, size_t to)
{
    const struct prof_reuse_loop *l = &r->loops[loop];
    return to > from ? loop_before(r, l, to) - loop_before(r, l, from) : 0;
}

/* --- the use that a loop makes of a node --- */

static ls_err use_of(struct prof_reuse *r, uint32_t loop, uint32_t node, struct prof_use **out)
{
    const uint64_t key = (uint64_t)loop << 32 | node;
    uint32_t row = ls_index_find(&r->use_by_key, key);
    if (row == LS_INDEX_NONE) {
        row = (uint32_t)r->uses.len;
        LS_TRY(LS_VECTOR_ADD(&r->uses, (struct prof_use){.loop = loop, .node = node}));
        LS_TRY(ls_index_put(&r->use_by_key, key, row));
    }
    *out = &r->uses.rows[row];
    return LS_OK;
}

/* Add the sums of squares of one instruction's points; the first point is the origin, so that they stay exact. */
static void add_squares(struct prof_use *u, const struct prof_reuse_point *p, size_t n)
{
    double x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    if (n < 2) return;
    for (size_t i = 0; i < n; i++) {
        const double dx = (double)p[i].position - p[0].position,
                     dy = (double)(int64_t)(p[i].line - p[0].line);
        x += dx;
        y += dy;
        xx += dx * dx;
        xy += dx * dy;
        yy += dy * dy;
    }
    u->xx += xx - x * x / (double)n;
    u->xy += xy - x * y / (double)n;
    u->yy += yy - y * y / (double)n;
    u->points += (double)n;
    u->pairs++;
}

/* Add them in parts: a walk that begins anew jumps back by most of the node's range, and would not look like one. */
static void add_sweeps(struct prof_use *u, const struct prof_reuse_point *p, size_t n, double range)
{
    size_t from = 0;
    for (size_t i = 1; i < n; i++) {
        if (2 * fabs((double)(int64_t)(p[i].line - p[i - 1].line)) <= range) continue;
        add_squares(u, p + from, i - from);
        from = i;
    }
    add_squares(u, p + from, n - from);
}

/* Count the listed accesses, and the first access and the first store to each line. */
static ls_err count_listed(struct prof_reuse *r, const struct prof_reuse_burst *b)
{
    const struct prof_cost_samples *s = &b->samples;
    const double each = b->represented / b->instructions;
    struct prof_use *u;
    for (uint64_t i = 0; i < b->listed; i++) {
        if (s->node[i] == UINT32_MAX) continue;
        const bool is_fresh = prof_reuse_is_first(s, i, false),
                   is_dirtied = s->op[i] == 1 && prof_reuse_is_first(s, i, true);
        LS_TRY(use_of(r, b->loop, s->node[i], &u));
        u->accesses += each;
        u->fresh += is_fresh ? each : 0;
        u->stores += is_dirtied ? each : 0;
    }
    return LS_OK;
}

static ls_err add_uses(struct prof_reuse *r, const struct prof_reuse_burst *b,
                       struct prof_reuse_point *points)
{
    const size_t len = prof_reuse_points(b, points);
    for (size_t from = 0, to; from < len; from = to) {
        struct prof_use *u;
        bool has_stride = false;
        LS_TRY(use_of(r, b->loop, points[from].node, &u));
        for (to = from; to < len && points[to].node == points[from].node;) {
            const size_t n = prof_reuse_group(points + to, len - to);
            const uint64_t stride = prof_reuse_stride(points + to, n);
            add_sweeps(u, points + to, n, r->nodes[u->node].range);
            if (!u->stride_bytes) u->stride_bytes = stride;
            has_stride |= stride && stride == u->stride_bytes;
            to += n;
        }
        u->bursts++;
        u->strided += has_stride;
        if (to - from < 2) continue;
        prof_reuse_sort_lines(r, points + from, to - from);
        u->span +=
            2 * (prof_reuse_quantile(r, to - from, 0.75) - prof_reuse_quantile(r, to - from, 0.25)) + 1;
        /* the quartiles of n random positions in a range are (n - 1) / (n + 1) of half the range apart */
        u->spans += (double)(to - from - 1) / (double)(to - from + 1);
    }
    return count_listed(r, b);
}

/* Set the speed of a walk, and leave the stride of a use that mostly has it. */
static void judge_walk(struct prof_use *u)
{
    if (2 * u->strided < u->bursts) u->stride_bytes = 0;
    const double freedom = u->points - u->pairs - 1;
    if (freedom < 1 || u->xx <= 0) return;
    const double speed = u->xy / u->xx, explained = speed * u->xy;
    const double rest = fmax(u->yy - explained, LINE_VARIANCE * u->points) / freedom;
    if (fabs(speed) >= SPEED_ERRORS * sqrt(rest / u->xx) && 2 * explained >= u->yy) u->speed = speed;
}

/* Set the lines that a use touches anew, and how often it comes to one of them while the node lives. */
static void find_touched(struct prof_reuse *r, struct prof_use *u)
{
    const struct prof_reuse_node *n = &r->nodes[u->node];
    const struct prof_reuse_loop *l = &r->loops[u->loop];
    const double alive = r->until[n->last + 1] - r->until[n->first];
    const double of_loop = prof_reuse_loop_between(r, u->loop, n->first, n->last + 1u);
    const double span = u->spans > 0 ? u->span / u->spans : 1;
    u->is_random = u->speed == 0 && !u->is_comb && 2 * span >= n->range;
    if (u->is_random)
        u->touched = u->fresh;
    else if (u->speed != 0)
        u->touched = fmin(fabs(u->speed) * of_loop, u->fresh);
    else
        u->touched = fmin(l->sweeps * n->lines * of_loop, u->fresh);
    u->dirty = u->fresh > 0 ? fmin(1, u->stores / u->fresh) : u->stores > 0;
    /* a walk in steps of more than a line leaves lines out */
    const double density = u->speed != 0 ? fmin(1, u->fresh / (fabs(u->speed) * l->represented)) : 1;
    u->sweeps = density > 0 ? u->touched / (density * n->lines) : 0;
    u->frequency = alive > 0 ? u->sweeps / alive : 0;
}

/* --- distinct lines --- */

struct segment {
    size_t from, to; /* bursts */
};

/* The part of a segment in which a node lives. */
static double alive_in(const struct prof_reuse *r, const struct prof_reuse_node *n, const struct segment *s)
{
    const size_t from = n->first > s->from ? n->first : s->from,
                 to = n->last + 1u < s->to ? n->last + 1u : s->to;
    const double all = r->until[s->to] - r->until[s->from];
    return to > from && all > 0 ? (r->until[to] - r->until[from]) / all : 0;
}

static double distinct_lines(const struct prof_reuse *r, const struct segment *s, double t)
{
    double lines = 0;
    for (size_t i = 0; i < r->nodes_len; i++) {
        const struct prof_reuse_node *n = &r->nodes[i];
        const double alive = n->uses_len ? alive_in(r, n, s) : 0;
        if (alive > 0) lines += alive * n->lines * (1 - prof_reuse_untouched(r, n, t));
    }
    return lines;
}

/* Return the instructions in which the program touches as many distinct lines as the cache has. */
static double time_to_fill(const struct prof_reuse *r, const struct segment *s, double cache_lines)
{
    double low = 1, high = r->until[r->bursts.len];
    if (high <= low || distinct_lines(r, s, high) < cache_lines) return fmax(low, high);
    for (int i = 0; i < HALVINGS; i++) {
        const double mid = sqrt(low * high);
        if (distinct_lines(r, s, mid) < cache_lines)
            low = mid;
        else
            high = mid;
    }
    return high;
}

/* --- streams of one walk that follow each other --- */

struct stream {
    double ahead; /* lines, in the direction of the walk */
};

static int compare_streams(const void *a, const void *b)
{
    const struct stream *x = a, *y = b;
    return (x->ahead < y->ahead) - (x->ahead > y->ahead);
}

/* Add the lines of streams that come to a line after the loop touched more lines than the cache has. */
static void add_trailing(const struct prof_reuse *r, struct prof_use *u, const struct prof_reuse_burst *b,
                         const struct prof_reuse_point *p, size_t len, struct stream *streams,
                         double cache_lines)
{
    const double speed = fabs(u->speed), new_lines = r->loops[b->loop].lines;
    size_t count = 0;
    for (size_t at = 0, n; at < len; at += n) {
        double sum = 0;
        n = prof_reuse_group(p + at, len - at);
        for (size_t i = at; i < at + n; i++)
            sum += (double)(int64_t)(p[i].line - p[0].line) - u->speed * p[i].position;
        streams[count++].ahead = (u->speed > 0 ? 1 : -1) * sum / (double)n;
    }
    qsort(streams, count, sizeof(*streams), compare_streams);
    for (size_t i = 1; i < count; i++) {
        const double lag = streams[i - 1].ahead - streams[i].ahead;
        if (lag > STREAM_LINES && lag / speed * new_lines > cache_lines)
            u->trailing += speed * b->represented;
    }
}

static void find_trailing(struct prof_reuse *r, struct prof_reuse_point *points, struct stream *streams,
                          double cache_lines)
{
    for (size_t i = 0; i < r->bursts.len; i++) {
        const struct prof_reuse_burst *b = &r->bursts.rows[i];
        const size_t len = prof_reuse_points(b, points);
        for (size_t from = 0, to; from < len; from = to) {
            for (to = from + 1; to < len && points[to].node == points[from].node; to++)
                ;
            const uint32_t row = ls_index_find(&r->use_by_key, (uint64_t)b->loop << 32 | points[from].node);
            if (row != LS_INDEX_NONE && r->uses.rows[row].speed != 0)
                add_trailing(r, &r->uses.rows[row], b, points + from, to - from, streams, cache_lines);
        }
    }
}

/* --- the whole --- */

static int compare_uses(const void *a, const void *b)
{
    const struct prof_use *x = a, *y = b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    return (x->loop > y->loop) - (x->loop < y->loop);
}

static ls_err index_uses(struct prof_reuse *r)
{
    ls_index_fini(&r->use_by_key);
    if (r->uses.len) qsort(r->uses.rows, r->uses.len, sizeof(r->uses.rows[0]), compare_uses);
    for (size_t i = 0; i < r->uses.len; i++) {
        const struct prof_use *u = &r->uses.rows[i];
        struct prof_reuse_node *n = &r->nodes[u->node];
        if (n->uses_len++ == 0) n->uses = i;
        LS_TRY(ls_index_put(&r->use_by_key, (uint64_t)u->loop << 32 | u->node, (uint32_t)i));
    }
    return LS_OK;
}

static ls_err find_uses(struct prof_reuse *r, struct prof_reuse_point *points, struct stream *streams,
                        double cache_lines)
{
    for (size_t i = 0; i < r->bursts.len; i++)
        LS_TRY(add_uses(r, &r->bursts.rows[i], points));
    LS_TRY(index_uses(r));
    for (size_t i = 0; i < r->uses.len; i++)
        judge_walk(&r->uses.rows[i]);
    LS_TRY(prof_reuse_find_sweeps(r, points, cache_lines));
    for (size_t i = 0; i < r->uses.len; i++) {
        struct prof_use *u = &r->uses.rows[i];
        find_touched(r, u);
        r->loops[u->loop].lines += u->touched / r->loops[u->loop].represented;
    }
    find_trailing(r, points, streams, cache_lines);
    return prof_reuse_find_gaps(r);
}

/* Return the part of a use's visits that miss. The first sweep over a node does, whichever loop it is. */
static double part_missed(const struct prof_reuse *r, const struct prof_use *u, double t, bool only_stores)
{
    const double sweeps = r->nodes[u->node].sweeps, first = sweeps > 1 ? 1 / sweeps : 1;
    return first + (1 - first) * prof_reuse_part_after(r, u, t, only_stores);
}

/* Lines from and to memory per listed access of a use. */
static double lines_each(const struct prof_reuse *r, const struct prof_use *u, double t)
{
    if (u->accesses <= 0) return 0;
    const double read = u->touched * part_missed(r, u, t, false) + u->trailing;
    const double written = u->dirty * (u->touched * part_missed(r, u, t, true) + u->trailing);
    return (read + written) / u->accesses;
}

static void move_burst(const struct prof_reuse *r, const struct prof_reuse_burst *b, double t, float *bytes,
                       bool *rough)
{
    const double each = b->represented / b->instructions;
    for (uint64_t i = 0; i < b->listed; i++) {
        if (b->samples.node[i] == UINT32_MAX) continue;
        const uint32_t row = ls_index_find(&r->use_by_key, (uint64_t)b->loop << 32 | b->samples.node[i]);
        bytes[b->burst->first_sample + i] =
            (float)(PROF_COST_LINE_BYTES * each * lines_each(r, &r->uses.rows[row], t));
        rough[b->burst->first_sample + i] = r->nodes[b->samples.node[i]].is_rough;
    }
}

/* Sum up the sweeps over each node. Data that is swept once misses once, and few lines of data that is larger than the cache
 * are still in it: all other traffic is rough. */
static void judge_nodes(struct prof_reuse *r, double cache_lines)
{
    static const double SWEEPS_OF_ONE = 1.5;
    for (size_t i = 0; i < r->nodes_len; i++) {
        struct prof_reuse_node *n = &r->nodes[i];
        for (size_t u = n->uses; u < n->uses + n->uses_len; u++)
            n->sweeps += r->uses.rows[u].sweeps;
        n->is_rough = n->lines < cache_lines && n->sweeps > SWEEPS_OF_ONE;
    }
}

static void move_all(const struct prof_reuse *r, double cache_lines, float *bytes, bool *rough)
{
    size_t most = r->bursts.len / SEGMENTS_MOST;
    if (most < SEGMENT_BURSTS) most = SEGMENT_BURSTS;
    for (struct segment s = {0, 0}; s.from < r->bursts.len; s.from = s.to) {
        s.to = s.from + most < r->bursts.len ? s.from + most : r->bursts.len;
        const double t = time_to_fill(r, &s, cache_lines);
        for (size_t i = s.from; i < s.to; i++)
            move_burst(r, &r->bursts.rows[i], t, bytes, rough);
    }
}

static ls_err move(struct prof_reuse *r, const struct prof_cost_model *m, double cache_lines, float *bytes,
                   bool *rough)
{
    size_t most = 0;
    for (size_t i = 0; i < r->bursts.len; i++)
        most = r->bursts.rows[i].samples.len > most ? r->bursts.rows[i].samples.len : most;
    struct prof_reuse_point *points = malloc((most + 1) * sizeof(*points));
    struct stream *streams = malloc((most + 1) * sizeof(*streams));
    r->lines = malloc((most + 1) * sizeof(*r->lines));
    ls_err e = points && streams && r->lines ? LS_OK : ls_nomem("the samples of a burst");
    if (e == LS_OK) e = prof_reuse_find_loops(r, points);
    if (e == LS_OK) e = prof_reuse_find_nodes(r);
    if (e == LS_OK) e = prof_reuse_fill_represented(r, m);
    if (e == LS_OK) e = sum_instructions(r);
    if (e == LS_OK) e = find_uses(r, points, streams, cache_lines);
    if (e == LS_OK) judge_nodes(r, cache_lines);
    if (e == LS_OK) move_all(r, cache_lines, bytes, rough);
    free(points);
    free(streams);
    return e;
}

ls_err prof_reuse_moved(const struct prof_cost_model *m, const struct prof_burst *bursts, size_t bursts_len,
                        const struct prof_cost_samples *all, float *bytes, bool *rough)
{
    struct prof_reuse r = {0};
    const double cache_lines = m->last_level_bytes / PROF_COST_LINE_BYTES;
    memset(bytes, 0, all->len * sizeof(*bytes));
    memset(rough, 0, all->len * sizeof(*rough));
    ls_err e = cache_lines > 0 ? take_bursts(&r, m, bursts, bursts_len, all) : LS_OK;
    if (e == LS_OK && r.bursts.len) e = move(&r, m, cache_lines, bytes, rough);
    free(r.bursts.rows);
    free(r.uses.rows);
    free(r.loops);
    free(r.nodes);
    free(r.until);
    free(r.order);
    free(r.lines);
    free(r.gaps.rows);
    free(r.by_loop);
    free(r.loop_until);
    ls_index_fini(&r.use_by_key);
    return e;
}
