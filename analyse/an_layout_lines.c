/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_layout_lines.h"

#include "common/ls_checked.h"
#include "common/ls_hash.h"
#include "common/ls_sorted.h"

#include <stdlib.h>
#include <string.h>

enum {
    AN_STEP_MAX = 8,      /* objects from one to the next in a run */
    AN_RUN_ENDLESS = 32,  /* longer runs count as endless */
    AN_PHASES = 8,        /* places in a line at which runs begin */
    AN_WHOLE_MIN = 3,     /* visits of a burst, from which those at its ends are left out */
    AN_MALLOC_LEAST = 32, /* least distance of heap blocks (glibc): a multiple of smaller sizes */
    AN_PIECES_MAX = 64,   /* most pieces of a visit in a run */
    AN_WALK_FEW = 8,      /* objects after the first one, below which a burst does not show how it walks */
    AN_SWEPT_BYTES_MAX = 4096,
    AN_SWEPT_MAX = 512 /* kinds of visits in runs that are kept apart */
};
#define AN_RUN_MIN 1.5    /* objects of a run on average, for visits whose neighbours a burst does not show */
#define AN_ARRAY_PART 0.9 /* share of distances that are multiples of the object's size */

/* --- runs --- */

/* Neighbouring objects among the touches from `first` to `end`, visited from `begin_at` to `end_at`. */
struct an_run {
    size_t first, end;
    uint64_t begin_at, end_at;
    uint32_t step, objects;
};

static size_t an_object_end(const struct an_touches *t, size_t from)
{
    size_t to = from + 1;
    while (to < t->len && t->rows[to].object == t->rows[from].object)
        to++;
    return to;
}

/* Objects from one address to the next; 0: they are no neighbours. */
static uint32_t an_step(const struct an_visits *v, uint64_t from, uint64_t to)
{
    const uint64_t gap = to - from;
    if (v->len_bytes == 0 || gap % v->len_bytes != 0 || gap / v->len_bytes > AN_STEP_MAX) return 0;
    return (uint32_t)(gap / v->len_bytes);
}

static struct an_run an_run_at(const struct an_visits *v, const struct an_touches *t, size_t from)
{
    struct an_run r = {.first = from, .end = from, .begin_at = UINT64_MAX};
    uint32_t steps = 0;
    for (size_t to; r.end < t->len; r.end = to) {
        const uint32_t step = r.objects ? an_step(v, t->rows[r.end - 1].object, t->rows[r.end].object) : 1;
        if (step == 0) break;
        if (r.objects) steps += step;
        r.objects++;
        to = an_object_end(t, r.end);
        for (size_t i = r.end; i < to; i++) {
            if (t->rows[i].at < r.begin_at) r.begin_at = t->rows[i].at;
            if (t->rows[i].at > r.end_at) r.end_at = t->rows[i].at;
        }
    }
    r.step = r.objects > 1 ? (steps + (r.objects - 1) / 2) / (r.objects - 1) : 0;
    return r;
}

/* The time at which the first run of the burst ends: runs that begin later are reached by a jump. */
static uint64_t an_first_end(const struct an_visits *v, const struct an_touches *t)
{
    uint64_t first = UINT64_MAX;
    for (size_t from = 0; from < t->len;) {
        const struct an_run r = an_run_at(v, t, from);
        if (r.end_at < first) first = r.end_at;
        from = r.end;
    }
    return first;
}

/* Add up the steps and jumps of a burst. */
static struct an_walk an_walk_in(const struct an_visits *v, const struct an_touches *t)
{
    const uint64_t first_end = an_first_end(v, t);
    struct an_walk w = {0};
    uint64_t longest = 0;
    for (size_t from = 0; from < t->len;) {
        const struct an_run r = an_run_at(v, t, from);
        w.steps += r.objects - 1;
        w.jumps += r.begin_at > first_end;
        if (r.objects > longest) {
            longest = r.objects;
            w.step = r.step;
        }
        from = r.end;
    }
    return w;
}

/* Find the walk of all bursts like this one: in the same function, and with few objects, sweeping or not. */
static ls_err an_walk_of(struct an_visits *v, const struct an_touches *t, const struct an_walk *w,
                         uint32_t *out)
{
    const bool are_few = w->steps + w->jumps<AN_WALK_FEW, sweeps = w->steps> 4 * w->jumps;
    const uint64_t key = ls_index_key(t->code, are_few ? 0 : sweeps ? 1 : 2);
    *out = ls_index_find(&v->walk_by_key, key);
    if (*out != LS_INDEX_NONE) return LS_OK;
    *out = (uint32_t)v->walks.len;
    LS_TRY(LS_VECTOR_ADD(&v->walks, (struct an_walk){0}));
    return ls_index_put(&v->walk_by_key, key, *out);
}

static void an_count_gaps(struct an_visits *v, const struct an_touches *t)
{
    for (size_t i = 1; i < t->len; i++) {
        const uint64_t gap = t->rows[i].object - t->rows[i - 1].object;
        if (gap == 0) continue;
        v->gaps++;
        v->whole_gaps += v->len_bytes > 0 && gap % v->len_bytes == 0;
        v->next_gaps += gap == v->len_bytes;
    }
}

ls_err an_visits_learn(struct an_visits *v, const struct an_touches *t)
{
    const struct an_walk here = an_walk_in(v, t);
    uint32_t row;
    LS_TRY(an_walk_of(v, t, &here, &row));
    struct an_walk *w = &v->walks.rows[row];
    const uint32_t votes = here.step > 0 ? (uint32_t)here.steps : 0;
    w->steps += here.steps;
    w->jumps += here.jumps;
    if (votes > 0 && (w->step == here.step || w->votes < votes)) {
        w->votes = w->step == here.step ? w->votes + votes : votes;
        w->step = here.step;
    } else {
        w->votes -= votes;
    }
    an_count_gaps(v, t);
    return LS_OK;
}

/* Objects of a run of this walk. Without a jump that was seen, runs are longer than bursts show. */
static double an_walk_run_len(const struct an_walk *w)
{
    if (w->steps == 0) return 1;
    return w->jumps ? 1 + (double)w->steps / (double)w->jumps : AN_RUN_ENDLESS + 1;
}

bool an_visits_are_in_arrays(const struct an_visits *v)
{
    if (v->len_bytes <= AN_MALLOC_LEAST / 2 && v->next_gaps == 0) return false;
    return v->gaps > 0 && (double)v->whole_gaps >= AN_ARRAY_PART * (double)v->gaps;
}

double an_visits_run_len(const struct an_visits *v)
{
    double sum = 0, visits = 0;
    for (size_t i = 0; i < v->swept.len; i++) {
        const struct an_swept *s = &v->swept.rows[i];
        sum += (double)s->visits / an_walk_run_len(&v->walks.rows[s->walk]);
        visits += (double)s->visits;
    }
    return sum > 0 ? visits / sum : 1;
}

/* --- visits --- */

/* Append the pieces of a visit. */
static ls_err an_take_pieces(struct an_visits *v, const struct an_touch *touches, size_t len)
{
    const size_t first = v->pieces.len;
    for (size_t i = 0; i < len; i++) {
        const uint64_t from = touches[i].offset_bytes - touches[i].unit_offset_bytes,
                       to = from + touches[i].len_bytes;
        struct an_piece *last = v->pieces.len > first ? &v->pieces.rows[v->pieces.len - 1] : NULL;
        if (last && last->unit == touches[i].unit && from <= last->to) {
            if (to > last->to) last->to = to;
            continue;
        }
        LS_TRY(LS_VECTOR_ADD(&v->pieces, (struct an_piece){from, to, touches[i].unit}));
    }
    return LS_OK;
}

static ls_err an_shape_of(struct an_visits *v, const struct an_touch *touches, size_t len, uint32_t *out)
{
    const size_t first = v->pieces.len;
    LS_TRY(an_take_pieces(v, touches, len));
    struct an_shape shape = {.first = (uint32_t)first, .len = (uint32_t)(v->pieces.len - first)};
    uint64_t hash = LS_HASH_BEGIN;
    for (size_t i = first; i < v->pieces.len; i++) {
        const struct an_piece *p = &v->pieces.rows[i];
        const uint64_t words[] = {p->from, p->to, p->unit};
        hash = ls_hash_bytes(hash, words, sizeof(words));
        shape.bytes += p->to - p->from;
    }
    v->bytes += shape.bytes;
    for (size_t step = 0; ls_index_next(&v->shape_by_hash, hash, &step, out);) {
        const struct an_shape *s = &v->shapes.rows[*out];
        bool is_same = s->len == shape.len;
        for (uint32_t i = 0; is_same && i < s->len; i++) {
            const struct an_piece *a = &v->pieces.rows[s->first + i], *b = &v->pieces.rows[first + i];
            is_same = a->from == b->from && a->to == b->to && a->unit == b->unit;
        }
        if (!is_same) continue;
        v->pieces.len = first;
        return LS_OK;
    }
    *out = (uint32_t)v->shapes.len;
    LS_TRY(LS_VECTOR_ADD(&v->shapes, shape));
    return ls_index_put(&v->shape_by_hash, hash, *out);
}

static ls_err an_add_swept(struct an_visits *v, uint32_t shape, uint32_t step, uint32_t walk, bool *out_added)
{
    const uint64_t key = ls_index_key((uint64_t)shape << 8 | step, walk);
    uint32_t row;
    *out_added = true;
    for (size_t at = 0; ls_index_next(&v->swept_by_key, key, &at, &row);) {
        struct an_swept *s = &v->swept.rows[row];
        if (s->shape != shape || s->step != step || s->walk != walk) continue;
        s->visits++;
        return LS_OK;
    }
    *out_added = v->swept.len < AN_SWEPT_MAX && v->shapes.rows[shape].len <= AN_PIECES_MAX &&
                 v->shapes.rows[shape].bytes <= AN_SWEPT_BYTES_MAX;
    if (!*out_added) return LS_OK;
    row = (uint32_t)v->swept.len;
    LS_TRY(LS_VECTOR_ADD(&v->swept, (struct an_swept){shape, step, walk, 1}));
    return ls_index_put(&v->swept_by_key, key, row);
}

/* The step of a run: that between its objects, or of a single object the step that is typical for the
 * instruction; 0: it belongs to no run. */
static uint32_t an_run_step(const struct an_run *r, const struct an_walk *w)
{
    if (an_walk_run_len(w) < AN_RUN_MIN) return 0;
    return r->objects > 1 ? r->step : w->step;
}

/* The objects that are visited first and last. */
struct an_ends {
    uint64_t first, last;
    bool are_left_out;
};

static struct an_ends an_ends_of(const struct an_touches *t)
{
    size_t first = 0, last = 0, objects = 0;
    for (size_t i = 0; i < t->len; i++) {
        objects += i == 0 || t->rows[i].object != t->rows[i - 1].object;
        if (t->rows[i].at < t->rows[first].at) first = i;
        if (t->rows[i].at > t->rows[last].at) last = i;
    }
    return (struct an_ends){t->rows[first].object, t->rows[last].object, objects >= AN_WHOLE_MIN};
}

ls_err an_visits_add(struct an_visits *v, const struct an_touches *t)
{
    const struct an_ends ends = an_ends_of(t);
    const struct an_walk here = an_walk_in(v, t);
    uint32_t walk;
    LS_TRY(an_walk_of(v, t, &here, &walk));
    if (v->len == 0 && t->len > 0)
        v->base = t->rows[0].object % ls_gcd_u64(AN_LAYOUT_LINE_BYTES, v->len_bytes);
    for (size_t from = 0; from < t->len;) {
        const struct an_run r = an_run_at(v, t, from);
        const uint32_t step = an_run_step(&r, &v->walks.rows[walk]);
        for (size_t to; from < r.end; from = to) {
            uint32_t shape;
            bool is_swept = false;
            to = an_object_end(t, from);
            const uint64_t object = t->rows[from].object;
            if (ends.are_left_out && (object == ends.first || object == ends.last)) continue;
            LS_TRY(an_shape_of(v, &t->rows[from], to - from, &shape));
            if (step > 0) LS_TRY(an_add_swept(v, shape, step, walk, &is_swept));
            if (!is_swept) LS_TRY(LS_VECTOR_ADD(&v->singles, (struct an_single){object, shape, t->burst}));
            v->in_runs += is_swept;
            v->accesses += to - from;
            v->len++;
        }
    }
    return LS_OK;
}

void an_visits_fini(struct an_visits *v)
{
    free(v->pieces.rows);
    free(v->shapes.rows);
    free(v->swept.rows);
    free(v->singles.rows);
    free(v->walks.rows);
    free(v->lines.rows);
    ls_index_fini(&v->shape_by_hash);
    ls_index_fini(&v->swept_by_key);
    ls_index_fini(&v->walk_by_key);
    *v = (struct an_visits){0};
}

/* --- lines --- */

/* Append the lines of a visit to an object whose parts begin at `here` and `there`. */
static ls_err an_put_lines(struct an_visits *v, const struct an_places *p, const struct an_shape *s,
                           uint64_t here, uint64_t there)
{
    bool follows = false;
    for (uint32_t i = 0; i < s->len; i++) {
        const struct an_piece *piece = &v->pieces.rows[s->first + i];
        const bool is_far = p->is_elsewhere[piece->unit];
        const uint64_t base = (is_far ? there : here) + p->of_unit[piece->unit];
        const uint64_t first = (base + piece->from) / AN_LAYOUT_LINE_BYTES,
                       last = (base + piece->to - 1) / AN_LAYOUT_LINE_BYTES;
        follows |= is_far;
        for (uint64_t line = first; line <= last; line++)
            LS_TRY(LS_VECTOR_ADD(&v->lines, line));
    }
    if (follows && p->has_pointer)
        LS_TRY(LS_VECTOR_ADD(&v->lines, (here + p->len_bytes - AN_POINTER_BYTES) / AN_LAYOUT_LINE_BYTES));
    return LS_OK;
}

/* Return the number of distinct lines among the first len. */
static size_t an_distinct(struct an_visits *v, size_t len)
{
    size_t distinct = 0;
    if (len > 1) qsort(v->lines.rows, len, sizeof(*v->lines.rows), ls_compare_u64);
    for (size_t i = 0; i < len; i++)
        distinct += i == 0 || v->lines.rows[i] != v->lines.rows[i - 1];
    return distinct;
}

/* Address of the other part, far away. */
#define AN_ELSEWHERE (UINT64_C(1) << 62)

/* Lines of a visit in a run, on average over the places where a run can begin. */
static ls_err an_swept_lines(struct an_visits *v, const struct an_places *p, const struct an_swept *s,
                             double *out)
{
    const double run_len = an_walk_run_len(&v->walks.rows[s->walk]);
    const bool is_endless = run_len > AN_RUN_ENDLESS;
    const uint32_t objects = is_endless ? 2 * AN_RUN_ENDLESS : (uint32_t)(run_len + 0.5);
    const uint64_t base = p->len_bytes == v->len_bytes ? v->base : 0; /* a new array begins with a line */
    size_t lines = 0;
    for (uint64_t phase = 0; phase < AN_PHASES; phase++) {
        size_t half = 0;
        v->lines.len = 0;
        for (uint32_t i = 0; i < objects; i++) {
            const uint64_t index = phase + (uint64_t)i * s->step;
            if (is_endless && i == AN_RUN_ENDLESS) half = v->lines.len;
            LS_TRY(an_put_lines(v, p, &v->shapes.rows[s->shape], base + index * p->len_bytes,
                                AN_ELSEWHERE + index * p->elsewhere_bytes));
        }
        const size_t before = an_distinct(v, half); /* lines that the first half has touched */
        lines += an_distinct(v, v->lines.len) - before;
    }
    *out = (double)lines / AN_PHASES / (is_endless ? AN_RUN_ENDLESS : objects);
    return LS_OK;
}

/* The address of an object that has another size. Objects of an array stay neighbours, and the new array begins with
 * a line; without a change of size nothing moves. */
static uint64_t an_moved(const struct an_visits *v, uint64_t object, uint64_t len_bytes)
{
    if (len_bytes == v->len_bytes) return object;
    if (an_visits_are_in_arrays(v)) return object / v->len_bytes * len_bytes;
    return (uint64_t)((unsigned __int128)object * len_bytes / v->len_bytes) / AN_POINTER_BYTES *
           AN_POINTER_BYTES;
}

ls_err an_visits_lines(struct an_visits *v, const struct an_places *p, double *out)
{
    *out = 0;
    for (size_t i = 0; i < v->swept.len; i++) {
        double lines;
        LS_TRY(an_swept_lines(v, p, &v->swept.rows[i], &lines));
        *out += lines * (double)v->swept.rows[i].visits;
    }
    for (size_t from = 0, to; from < v->singles.len; from = to) {
        v->lines.len = 0;
        for (to = from; to < v->singles.len && v->singles.rows[to].burst == v->singles.rows[from].burst;
             to++) {
            const struct an_single *s = &v->singles.rows[to];
            LS_TRY(an_put_lines(v, p, &v->shapes.rows[s->shape], an_moved(v, s->object, p->len_bytes),
                                AN_ELSEWHERE + an_moved(v, s->object, p->elsewhere_bytes)));
        }
        *out += (double)an_distinct(v, v->lines.len);
    }
    return LS_OK;
}
