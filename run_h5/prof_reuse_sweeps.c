/* SPDX-License-Identifier: BSD-3-Clause */
/* How often a loop goes through its data, from its walks or from its place in successive bursts (run_h5/prof_reuse.h). */
#include "common/ls_sorted.h"
#include "run_h5/prof_reuse_parts.h"

#include <math.h>
#include <stdlib.h>

#define SPARSE_LINES 2.0 /* a walk in longer steps leaves lines out */
#define STRIDE_LINES 2
#define COMB_SWEEPS \
    2.0 /* a walk with as many times the sweeps of its loop goes through other lines each time */
#define COHERENCE_ERRORS 5.0 /* least coherence in standard errors, for the best of some thousand rates */
#define RATE_STEP 1.01

enum { STEPS_LEAST = 16, STEPS_COMPARED = 512 };

/* Where a loop was in a node, in one burst: the position in the range of the node, or between two strides. Later the part of the
 * bursts that were before it, which grows evenly with time. */
struct place {
    uint32_t use, burst;
    double at;
};

struct places {
    LS_VECTOR(struct place) rows;
};

void prof_reuse_sort_lines(const struct prof_reuse *r, const struct prof_reuse_point *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        r->lines[i] = p[i].line;
    qsort(r->lines, len, sizeof(*r->lines), ls_compare_u64);
}

double prof_reuse_quantile(const struct prof_reuse *r, size_t len, double part)
{
    const double at = part * (double)(len - 1), rest = at - floor(at);
    const size_t i = (size_t)at;
    const double low = (double)(r->lines[i] - r->lines[0]);
    return i + 1 < len ? low + rest * (double)(r->lines[i + 1] - r->lines[i]) : low;
}

uint64_t prof_reuse_stride(const struct prof_reuse_point *p, size_t n)
{
    if (n < 3 || !p[2].is_listed || p[1].addr - p[0].addr != p[2].addr - p[1].addr) return 0;
    const int64_t step = (int64_t)(p[1].addr - p[0].addr);
    const uint64_t bytes = step < 0 ? -(uint64_t)step : (uint64_t)step;
    return bytes >= STRIDE_LINES * PROF_COST_LINE_BYTES ? bytes : 0;
}

static double walk_rate(const struct prof_reuse *r, const struct prof_use *u)
{
    const struct prof_reuse_loop *l = &r->loops[u->loop];
    return fmin(fabs(u->speed), u->accesses / l->represented);
}

struct sweep {
    double sweeps, lines;
};

static int compare_sweeps(const void *a, const void *b)
{
    const struct sweep *x = a, *y = b;
    return (x->sweeps > y->sweeps) - (x->sweeps < y->sweeps);
}

static bool is_sparse(const struct prof_reuse *r, const struct prof_use *u)
{
    return fabs(u->speed) * r->loops[u->loop].represented > SPARSE_LINES * u->fresh;
}

/* The median of the sweeps of the loop's walks, by lines: long ones are known best. */
static void find_sweeps(struct prof_reuse *r, uint32_t loop, struct sweep *sweeps, bool also_sparse)
{
    size_t len = 0;
    double half = 0;
    if (r->loops[loop].sweeps > 0) return;
    for (size_t i = 0; i < r->uses.len; i++) {
        const struct prof_use *u = &r->uses.rows[i];
        const double lines = r->nodes[u->node].lines;
        if (u->loop != loop || u->speed == 0 || lines < 1 << PROF_REUSE_PAGE_BITS) continue;
        if (!also_sparse && is_sparse(r, u)) continue;
        sweeps[len++] = (struct sweep){walk_rate(r, u) / lines, lines};
        half += lines / 2;
    }
    qsort(sweeps, len, sizeof(*sweeps), compare_sweeps);
    for (size_t i = 0; i < len && half > 0; half -= sweeps[i++].lines)
        r->loops[loop].sweeps = sweeps[i].sweeps;
}

/* The median position of points in their node, as a part of its range. */
static double place_in_range(const struct prof_reuse *r, const struct prof_reuse_node *n,
                             const struct prof_reuse_point *p, size_t len)
{
    prof_reuse_sort_lines(r, p, len);
    return ((double)(r->lines[0] - n->low) + prof_reuse_quantile(r, len, 0.5)) / n->range;
}

/* The position of points between the strides of a walk, as a part of the stride; negative where they do not have it. */
static double place_in_stride(const struct prof_use *u, const struct prof_reuse_point *p, size_t len)
{
    for (size_t at = 0, n; at < len; at += n) {
        n = prof_reuse_group(p + at, len - at);
        if (prof_reuse_stride(p + at, n) == u->stride_bytes)
            return (double)(p[at].addr % u->stride_bytes) / (double)u->stride_bytes;
    }
    return -1;
}

/* Note the places of all uses of a burst. */
static ls_err note_places(const struct prof_reuse *r, uint32_t burst, struct prof_reuse_point *points,
                          struct places *out)
{
    const size_t len = prof_reuse_points(&r->bursts.rows[burst], points);
    for (size_t from = 0, to; from < len; from = to) {
        for (to = from + 1; to < len && points[to].node == points[from].node; to++)
            ;
        const uint32_t row =
            ls_index_find(&r->use_by_key, (uint64_t)r->bursts.rows[burst].loop << 32 | points[from].node);
        if (row == LS_INDEX_NONE || r->loops[r->bursts.rows[burst].loop].sweeps > 0) continue;
        const struct prof_use *u = &r->uses.rows[row];
        const double at = u->stride_bytes ? place_in_stride(u, points + from, to - from)
                                          : place_in_range(r, &r->nodes[u->node], points + from, to - from);
        if (at >= 0) LS_TRY(LS_VECTOR_ADD(&out->rows, (struct place){row, burst, at}));
    }
    return LS_OK;
}

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->use != y->use) return x->use < y->use ? -1 : 1;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return (x->burst > y->burst) - (x->burst < y->burst);
}

static int compare_times(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return (x->burst > y->burst) - (x->burst < y->burst);
}

/* A step of a use from one burst of a thread to its next one. */
struct step {
    double moved;   /* between the two places, in periods; whole periods more cannot be seen */
    double seconds; /* between the two bursts */
};

/* Return how well `rate` periods a second explain the steps: the mean cosine of the phases that remain, less the mean that random
 * places in a part of the period would have. */
static double coherence(const struct step *steps, size_t len, double rate, double part)
{
    const double chance = part > 0 ? sin(M_PI * part) / (M_PI * part) : 1;
    double sum = 0;
    for (size_t i = 0; i < len; i++)
        sum += cos(2 * M_PI * (steps[i].moved - rate * steps[i].seconds)) -
               chance * chance * cos(2 * M_PI * rate * steps[i].seconds);
    return sum / (double)len;
}

/* Return the periods a second that explain the steps best, up to two between bursts, negative for backwards; 0: none does. */
static double best_rate(const struct step *steps, size_t len, double part)
{
    double all = 0, best = 0, most = COHERENCE_ERRORS / sqrt(2 * (double)len);
    for (size_t i = 0; i < len; i++)
        all += steps[i].seconds;
    for (double sweeps = 1; all > 0 && sweeps < 2 * (double)len; sweeps *= RATE_STEP)
        for (int direction = -1; direction <= 1; direction += 2) {
            const double rate = direction * sweeps / all, c = coherence(steps, len, rate, part);
            if (c > most) best = rate;
            if (c > most) most = c;
        }
    return best;
}

/* Return the mean periods a second of all steps, after adding to each the whole periods that fit the rate best. */
static double mean_rate(const struct step *steps, size_t len, double rate)
{
    double sweeps = 0, seconds = 0;
    for (size_t i = 0; i < len; i++) {
        sweeps += steps[i].moved + floor(rate * steps[i].seconds - steps[i].moved + 0.5);
        seconds += steps[i].seconds;
    }
    return seconds > 0 ? sweeps / seconds : 0;
}

/* Follow a use from burst to burst. A period is the time from one sweep to the next; the sweep itself takes the part of it that the
 * loop has of all time, because other loops run in the rest. p: the places of the use, by place. steps: room for as many. */
static void follow(const struct prof_reuse *r, struct prof_use *u, struct place *p, size_t len,
                   struct step *steps)
{
    size_t count = 0;
    const double part = r->loops[u->loop].part;
    for (size_t i = 0; i < len; i++)
        p[i].at = (double)i / (double)len;
    qsort(p, len, sizeof(*p), compare_times);
    for (size_t i = 1; i < len; i++) {
        const struct prof_burst *before = r->bursts.rows[p[i - 1].burst].burst,
                                *b = r->bursts.rows[p[i].burst].burst;
        if (b->thread != before->thread) continue;
        steps[count++] =
            (struct step){(p[i].at - p[i - 1].at) * part, (double)(b->time_ns - before->time_ns) * 1e-9};
    }
    if (count < STEPS_LEAST) return;
    const double rate = best_rate(steps, count < STEPS_COMPARED ? count : STEPS_COMPARED, part);
    if (rate != 0) u->rate = fabs(mean_rate(steps, count, rate));
}

static ls_err follow_all(struct prof_reuse *r, struct prof_reuse_point *points)
{
    struct places places = {0};
    ls_err e = LS_OK;
    for (uint32_t i = 0; e == LS_OK && i < r->bursts.len; i++)
        e = note_places(r, i, points, &places);
    struct place *p = places.rows.rows;
    struct step *steps = malloc((places.rows.len + 1) * sizeof(*steps));
    if (e == LS_OK && !steps) e = ls_nomem("the places of %zu bursts", r->bursts.len);
    const size_t len = e == LS_OK ? places.rows.len : 0;
    if (len) qsort(p, len, sizeof(*p), compare_places);
    for (size_t at = 0, n; at < len; at += n) {
        for (n = 1; at + n < len && p[at + n].use == p[at].use; n++)
            ;
        follow(r, &r->uses.rows[p[at].use], p + at, n, steps);
    }
    free(steps);
    free(p);
    return e;
}

/* A loop without dense walks sweeps as often as the steps through its largest node show. */
static void find_slow_sweeps(struct prof_reuse *r, uint32_t loop)
{
    const size_t len = r->bursts.len;
    const double seconds =
        (double)(r->bursts.rows[len - 1].burst->time_ns - r->bursts.rows[0].burst->time_ns) * 1e-9;
    double most = 1 << PROF_REUSE_PAGE_BITS;
    if (r->loops[loop].sweeps > 0) return;
    for (size_t i = 0; i < r->uses.len; i++) {
        const struct prof_use *u = &r->uses.rows[i];
        const double lines = r->nodes[u->node].lines;
        if (u->loop != loop || lines < most || u->rate <= 0) continue;
        most = lines;
        r->loops[loop].sweeps = u->rate * seconds / r->loops[loop].represented;
    }
}

/* A walk in long steps that sweeps more often than its loop (a matrix by columns) comes back to lines that it has just touched, and goes
 * on to others slowly: it is a band, if these lines stay in the cache. */
static void judge_comb(struct prof_reuse *r, struct prof_use *u, double cache_lines)
{
    const struct prof_reuse_loop *l = &r->loops[u->loop];
    const double speed = u->stride_bytes
                             ? u->fresh / l->represented * (double)u->stride_bytes / PROF_COST_LINE_BYTES
                             : fabs(u->speed);
    const double sweep = r->nodes[u->node].range / speed; /* instructions */
    double lines = 0;
    if (speed <= 0 || (!u->stride_bytes && !is_sparse(r, u)) || l->sweeps <= 0 ||
        sweep * l->sweeps * COMB_SWEEPS > 1)
        return;
    for (size_t i = 0; i < r->uses.len; i++)
        if (r->uses.rows[i].loop == u->loop) lines += r->uses.rows[i].fresh * sweep / l->represented;
    u->is_comb = lines < cache_lines;
    if (u->is_comb) u->speed = 0;
}

static void find_parts(struct prof_reuse *r)
{
    double all = 0;
    for (size_t i = 0; i < r->bursts.len; i++) {
        r->loops[r->bursts.rows[i].loop].part += r->bursts.rows[i].cycles;
        all += r->bursts.rows[i].cycles;
    }
    for (size_t i = 0; all > 0 && i < r->loops_len; i++)
        r->loops[i].part /= all;
}

ls_err prof_reuse_find_sweeps(struct prof_reuse *r, struct prof_reuse_point *points, double cache_lines)
{
    struct sweep *sweeps = malloc((r->uses.len + 1) * sizeof(*sweeps));
    if (!sweeps) return ls_nomem("the sweeps of %zu loops", r->loops_len);
    for (size_t i = 0; i < r->loops_len; i++)
        find_sweeps(r, (uint32_t)i, sweeps, false);
    find_parts(r);
    const ls_err e = follow_all(r, points);
    for (size_t i = 0; e == LS_OK && i < r->loops_len; i++)
        find_slow_sweeps(r, (uint32_t)i);
    for (size_t i = 0; e == LS_OK && i < r->uses.len; i++)
        judge_comb(r, &r->uses.rows[i], cache_lines);
    for (size_t i = 0; e == LS_OK && i < r->loops_len; i++)
        find_sweeps(r, (uint32_t)i, sweeps, true);
    free(sweeps);
    return e;
}
