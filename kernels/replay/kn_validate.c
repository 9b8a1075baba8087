/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/replay/kn_trial.h"

#include "kernels/replay/kn_arrays.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Comparisons that a validation may cost. Comparing all elements takes some hundredths of a second. Random elements are fewer, because
 * each may miss all caches. */
static const uint64_t effort_max = UINT64_C(1) << 20, effort_random_max = UINT64_C(1) << 17;
enum { ELEMENTS_MIN = 256 };
/* all rows are replayed at once if that is as cheap, or if checking an element costs at least
 * element_cost_large and at most model_max elements are involved */
static const uint64_t element_cost_large = 4096, model_max = UINT64_C(1) << 27;

static bool updates(const struct kn_plan *p)
{
    return p->config->operation == PAT_OPERATION_UPDATE;
}

/* Return the bits that row i of a kernel without a sparse source stores by its element j; an update ORs them
 * into the present ones. */
static uint64_t stored_bits(const struct kn_arrays *a, uint64_t i, size_t j)
{
    const struct kn_plan *p = a->plan;
    if (p->config->operation == PAT_OPERATION_FILL) return kn_value_filled(i, p->element_bytes);
    if (updates(p)) return kn_value_tag(i, p->element_bytes);
    return kn_value_bits(KN_SALT_DENSE, (int64_t)(j + p->len * (i % p->wrap)), p->element_bytes);
}

/* Return the bits that row i stores there by its element j. */
static uint64_t moved_bits(const struct kn_arrays *a, uint64_t i, size_t j)
{
    const struct kn_plan *p = a->plan;
    if (p->to.used && !p->from.used) return stored_bits(a, i, j);
    return kn_value_bits(p->from.salt, kn_plan_base(&p->from, i) + kn_plan_index(&p->from, j),
                         p->element_bytes);
}

static bool fail(struct kn_result *r, const char *array, int64_t element, uint64_t bits)
{
    r->valid = false;
    snprintf(r->invalid, sizeof(r->invalid),
             "%s element %" PRId64 " holds bits %#" PRIx64 ", which no iteration leaves there", array,
             element, bits);
    return false;
}

/* The last row of thread t that uses dense row w, or false. */
static bool last_row(const struct kn_plan *p, unsigned t, uint64_t w, uint64_t *out)
{
    const uint64_t begin = kn_plan_begin(p, t), end = kn_plan_begin(p, t + 1);
    if (begin == end) return false;
    const uint64_t back = ((end - 1) % p->wrap + p->wrap - w) % p->wrap;
    if (back > end - 1 - begin) return false;
    *out = end - 1 - back;
    return true;
}

static bool check_dense_element(const struct kn_arrays *a, unsigned copy, uint64_t w, size_t j,
                                struct kn_result *r)
{
    const struct kn_plan *p = a->plan;
    const uint64_t element = j + p->len * w;
    const char *base = (const char *)a->dense.base + copy * a->dense_stride_bytes;
    const uint64_t bits = kn_value_get(base, element, p->element_bytes);
    bool used = false;
    for (unsigned t = 0; t < p->threads; t++) {
        uint64_t i = 0;
        if ((p->dense_copies > 1 && t != copy) || !last_row(p, t, w, &i)) continue;
        if (bits == moved_bits(a, i, j)) return true;
        used = true;
    }
    if (!used && bits == kn_value_bits(KN_SALT_DENSE, (int64_t)element, p->element_bytes))
        return true; /* no row stored to it */
    return fail(r, "dense", (int64_t)element, bits);
}

/* Return the largest row in [span[0], span[1]) of the form turn * turns_len + k that reaches offset off: each
 * turn advances by sum, and k steps of a turn by prefix. */
static bool last_row_at(__int128 off, __int128 sum, const uint64_t walk[2], const uint64_t span[2],
                        uint64_t *out)
{
    const uint64_t len = walk[0], k = walk[1];
    if (sum == 0) {
        if (off != 0 || span[1] <= k) return false;
        *out = (span[1] - 1 - k) / len * len + k;
        return *out >= span[0];
    }
    if (off % sum != 0 || off / sum < 0) return false;
    const __int128 i = off / sum * (__int128)len + (__int128)k;
    if (i < (__int128)span[0] || i >= (__int128)span[1]) return false;
    *out = (uint64_t)i;
    return true;
}

/* Find the last row in span whose element j is e; false if there is none. */
static bool last_hit(const struct kn_plan_side *s, size_t j, __int128 e, const uint64_t span[2],
                     uint64_t *out)
{
    __int128 sum = 0, prefix = 0;
    bool found = false;
    for (size_t k = 0; k < s->steps_len; k++)
        sum += s->steps[k];
    for (size_t k = 0; k < s->steps_len; prefix += s->steps[k++]) {
        const __int128 off = e - kn_plan_index(s, j) - prefix;
        uint64_t i = 0;
        if (!last_row_at(off, sum, (const uint64_t[2]){s->steps_len, k}, span, &i) || (found && i < *out))
            continue;
        *out = i;
        found = true;
    }
    return found;
}

/* Store the value that thread t leaves at e: later rows win, then later elements of a row. */
static bool left_by(const struct kn_arrays *a, unsigned t, int64_t e, uint64_t *out_bits)
{
    const struct kn_plan *p = a->plan;
    const uint64_t span[2] = {kn_plan_begin(p, t), kn_plan_begin(p, t + 1)};
    const __int128 at = (__int128)e - kn_plan_shift(p, t);
    uint64_t row = 0;
    size_t element = p->len;
    for (size_t j = 0; j < p->len && span[0] < span[1]; j++) {
        uint64_t i = 0;
        if (!last_hit(&p->to, j, at, span, &i) || (element < p->len && i < row)) continue;
        row = i;
        element = j;
    }
    if (element == p->len) return false;
    *out_bits = moved_bits(a, row, element);
    return true;
}

/* ---- updates: each row leaves its tag in the elements that it updates ---- */

/* Return the tags of the rows in span of the form turn * turns_len + k that hit, like last_row_at. */
static uint64_t tags_at(__int128 off, __int128 sum, const uint64_t walk[2], const uint64_t span[2],
                        unsigned element_bytes)
{
    uint64_t last, tags = 0;
    if (!last_row_at(off, sum, walk, span, &last)) return 0;
    tags = kn_value_tag(last, element_bytes);
    /* if the sum of the steps is 0, rows return to the same elements every turn: add the tags of earlier
     * turns, at most all tags */
    for (unsigned back = 1; sum == 0 && back < 4 * element_bytes && last - span[0] >= walk[0]; back++)
        tags |= kn_value_tag(last -= walk[0], element_bytes);
    return tags;
}

/* Return the tags that thread t sets at e. */
static uint64_t tags_by(const struct kn_arrays *a, unsigned t, int64_t e)
{
    const struct kn_plan *p = a->plan;
    const struct kn_plan_side *s = &p->to;
    const uint64_t span[2] = {kn_plan_begin(p, t), kn_plan_begin(p, t + 1)};
    const __int128 at = (__int128)e - kn_plan_shift(p, t);
    __int128 sum = 0;
    uint64_t tags = 0;
    for (size_t k = 0; k < s->steps_len; k++)
        sum += s->steps[k];
    for (size_t j = 0; j < p->len && span[0] < span[1]; j++) {
        __int128 prefix = 0;
        for (size_t k = 0; k < s->steps_len; prefix += s->steps[k++])
            tags |= tags_at(at - kn_plan_index(s, j) - prefix, sum, (const uint64_t[2]){s->steps_len, k},
                            span, p->element_bytes);
    }
    return tags;
}

/* When several threads update an element, some tags may be lost, but not all. */
static bool updated_right(uint64_t bits, uint64_t first, uint64_t tags, bool shared)
{
    const uint64_t some = bits & ~first;
    if ((bits & first) != first || (some & ~tags)) return false;
    return some == tags || (shared && some);
}

static bool check_updated(const struct kn_arrays *a, int64_t e, struct kn_result *r)
{
    const struct kn_plan *p = a->plan;
    const uint64_t bits = kn_arrays_get(a, &p->to, e);
    uint64_t all = 0;
    unsigned threads = 0;
    for (unsigned t = 0; t < p->threads; t++) {
        const uint64_t tags = tags_by(a, t, e);
        all |= tags;
        threads += tags != 0;
    }
    const uint64_t first = kn_value_bits(p->to.salt, e, p->element_bytes);
    return updated_right(bits, first, all, threads > 1) || fail(r, "sparse", e, bits);
}

/* ---- sums: each row adds to the elements that it uses; no addition of any thread may be lost ---- */

/* Count the rows in span of the form turn * turns_len + k that hit, like last_row_at. */
static uint64_t hits_at(__int128 off, __int128 sum, const uint64_t walk[2], const uint64_t span[2])
{
    uint64_t last;
    if (!last_row_at(off, sum, walk, span, &last)) return 0;
    return sum == 0 ? (last - span[0]) / walk[0] + 1 : 1;
}

/* Return the sum that the rows of share t add to element e. */
static double sum_by(const struct kn_arrays *a, unsigned t, int64_t e)
{
    const struct kn_plan *p = a->plan;
    const struct kn_plan_side *s = &p->to;
    const uint64_t span[2] = {kn_plan_begin(p, t), kn_plan_begin(p, t + 1)};
    const __int128 at = (__int128)e - kn_plan_shift(p, t);
    __int128 turn = 0;
    double sum = 0;
    for (size_t k = 0; k < s->steps_len; k++)
        turn += s->steps[k];
    for (size_t j = 0; j < p->len; j++) {
        __int128 prefix = 0;
        for (size_t k = 0; k < s->steps_len; prefix += s->steps[k++])
            sum += kn_value_addend(j, p->element_bytes) *
                   (double)hits_at(at - kn_plan_index(s, j) - prefix, turn,
                                   (const uint64_t[2]){s->steps_len, k}, span);
    }
    return sum;
}

static double sum_at(const struct kn_arrays *a, int64_t e)
{
    double sum = 0;
    for (unsigned t = 0; t < a->plan->threads; t++)
        sum += sum_by(a, t, e);
    return sum;
}

/* The bits of a sum that was added up in any order. */
static uint64_t sum_bits(const struct kn_plan *p, double sum)
{
    return kn_value_number(p->element_bytes == 8 ? sum : fmin(sum, KN_VALUE_SUM_MAX), p->element_bytes);
}

static bool check_added(const struct kn_arrays *a, int64_t e, struct kn_result *r)
{
    const uint64_t bits = kn_arrays_get(a, &a->plan->to, e);
    return bits == sum_bits(a->plan, sum_at(a, e)) || fail(r, "sparse", e, bits);
}

static bool check_sparse_element(const struct kn_arrays *a, int64_t e, struct kn_result *r)
{
    if (updates(a->plan)) return check_updated(a, e, r);
    if (a->plan->adds) return check_added(a, e, r);
    const uint64_t bits = kn_arrays_get(a, &a->plan->to, e);
    uint64_t want;
    bool written = false;
    for (unsigned t = 0; t < a->plan->threads; t++) {
        if (!left_by(a, t, e, &want)) continue;
        if (want == bits) return true;
        written = true;
    }
    if (!written && bits == kn_value_bits(a->plan->to.salt, e, a->plan->element_bytes)) return true;
    return fail(r, "sparse", e, bits);
}

/* Return the cost of checking one element. */
static uint64_t element_cost(const struct kn_plan *p)
{
    if (!p->to.used) return p->threads;
    return (uint64_t)p->len * p->threads * p->to.steps_len;
}

static bool check_dense(const struct kn_arrays *a, uint64_t elements_max, struct kn_result *r)
{
    const struct kn_plan *p = a->plan;
    const bool all = p->dense_elements * p->dense_copies <= elements_max;
    for (unsigned c = 0; c < p->dense_copies; c++)
        for (uint64_t n = 0; n < (all ? p->dense_elements : elements_max / p->dense_copies); n++) {
            const uint64_t at = all ? n : ls_random_mix(n) % p->dense_elements;
            if (!check_dense_element(a, c, at / p->len, at % p->len, r)) return false;
        }
    return true;
}

static bool check_element(const struct kn_arrays *a, uint64_t i, size_t j, struct kn_result *r)
{
    const struct kn_plan_side *s = &a->plan->to;
    return check_sparse_element(a, kn_plan_base(s, i) + kn_plan_index(s, j), r);
}

/* Every element that is written. */
static bool check_written(const struct kn_arrays *a, struct kn_result *r)
{
    for (uint64_t i = 0; i < a->plan->count; i++)
        for (size_t j = 0; j < a->plan->len; j++)
            if (!check_element(a, i, j, r)) return false;
    return true;
}

/* The first and last row of each thread, and random elements. */
static bool check_some(const struct kn_arrays *a, uint64_t elements_max, struct kn_result *r)
{
    const struct kn_plan *p = a->plan;
    for (unsigned t = 0; t < p->threads; t++) {
        const uint64_t begin = kn_plan_begin(p, t), end = kn_plan_begin(p, t + 1);
        for (size_t j = 0; j < p->len && j < ELEMENTS_MIN && begin < end; j++)
            if (!check_element(a, begin, j, r) || !check_element(a, end - 1, j, r)) return false;
    }
    for (uint64_t n = 0; n < elements_max; n++)
        if (!check_element(a, ls_random_mix(2 * n) % p->count, (size_t)(ls_random_mix(2 * n + 1) % p->len),
                           r))
            return false;
    return true;
}

/* Check elements anywhere in the array, also ones that no row may have touched; only if the number of moved
 * elements is at least that of the array. */
static bool check_around(const struct kn_arrays *a, uint64_t elements_max, struct kn_result *r)
{
    const struct kn_plan_side *s = &a->plan->to;
    const bool all = s->elements <= elements_max;
    if (a->plan->need.iterations < s->elements) return true;
    for (uint64_t n = 0; n < (all ? s->elements : elements_max); n++) {
        const uint64_t at = all ? n : ls_random_mix(n) % s->elements;
        if (!check_sparse_element(a, (int64_t)((uint64_t)s->extent.low + at), r)) return false;
    }
    return true;
}

static bool check_sparse(const struct kn_arrays *a, uint64_t elements_max, struct kn_result *r)
{
    const bool all = a->plan->need.iterations <= elements_max;
    return (all ? check_written(a, r) : check_some(a, elements_max, r)) && check_around(a, elements_max, r);
}

/* ---- long rows: replay all elements at once in a naive way ---- */

/* The sparse elements, by element from low on, while the rows of one thread after the other are replayed. */
struct model {
    const struct kn_arrays *arrays;
    uint64_t *bits; /* stored by the last thread; for updates the tags of all threads, for sums the addends */
    uint8_t *seen;  /* SEEN_ */
};

enum {
    SEEN_WRITTEN = 1,
    SEEN_RIGHT = 2,   /* the element holds the last store of this thread */
    SEEN_EARLIER = 4, /* written by a thread that has ended */
    SEEN_SHARED = 8   /* written by several threads */
};

typedef void model_step(struct model *m, uint64_t at, uint64_t row, size_t element);

static void model_write(struct model *m, uint64_t at, uint64_t row, size_t element)
{
    const struct kn_arrays *a = m->arrays;
    if (a->plan->adds) {
        m->bits[at] += (uint64_t)kn_value_addend(element, a->plan->element_bytes);
        m->seen[at] |= SEEN_WRITTEN;
        return;
    }
    m->bits[at] = (updates(a->plan) ? m->bits[at] : 0) | moved_bits(a, row, element);
    m->seen[at] |= SEEN_WRITTEN | (m->seen[at] & SEEN_EARLIER ? SEEN_SHARED : 0);
}

static uint64_t held_at(const struct kn_arrays *a, uint64_t at)
{
    const struct kn_plan_side *s = &a->plan->to;
    return kn_arrays_get(a, s, (int64_t)((uint64_t)s->extent.low + at));
}

static void model_end(struct model *m, uint64_t at, uint64_t row, size_t element)
{
    (void)row, (void)element;
    m->seen[at] |= SEEN_EARLIER | (held_at(m->arrays, at) == m->bits[at] ? SEEN_RIGHT : 0);
}

/* All elements that thread t writes, in its order; inlined, because the step is known at each call. */
static inline __attribute__((always_inline)) void walk_thread(struct model *m, unsigned t, model_step *step)
{
    const struct kn_plan *p = m->arrays->plan;
    const struct kn_plan_side *s = &p->to;
    const uint64_t begin = kn_plan_begin(p, t), end = kn_plan_begin(p, t + 1);
    int64_t base = begin < end ? kn_plan_base(s, begin) : 0;
    for (uint64_t i = begin; i < end; i++) {
        for (size_t j = 0; j < p->len; j++)
            step(m, (uint64_t)(base + kn_plan_index(s, j)) - (uint64_t)s->extent.low, i, j);
        base += s->steps[i % s->steps_len];
    }
}

static bool is_modelled(const struct kn_plan *p)
{
    const uint64_t most = element_cost(p) >= element_cost_large ? model_max : effort_max;
    return p->to.used && p->need.iterations <= most && p->to.elements <= most;
}

/* The last store of one thread is the last one of all. */
static bool is_serial(const struct kn_plan *p)
{
    return p->threads == 1;
}

static bool model_agrees(const struct model *m, uint64_t at)
{
    const struct kn_plan_side *s = &m->arrays->plan->to;
    if (m->arrays->plan->adds)
        return held_at(m->arrays, at) == sum_bits(m->arrays->plan, (double)m->bits[at]);
    const uint64_t first =
        kn_value_bits(s->salt, (int64_t)((uint64_t)s->extent.low + at), m->arrays->plan->element_bytes);
    if (!(m->seen[at] & SEEN_WRITTEN)) return held_at(m->arrays, at) == first;
    if (updates(m->arrays->plan))
        return updated_right(held_at(m->arrays, at), first, m->bits[at], m->seen[at] & SEEN_SHARED);
    return is_serial(m->arrays->plan) ? held_at(m->arrays, at) == m->bits[at] : m->seen[at] & SEEN_RIGHT;
}

/* Elements that no row touches have a defined value only if all were filled. */
static bool check_model(struct model *m, struct kn_result *r)
{
    const struct kn_plan *p = m->arrays->plan;
    for (unsigned t = 0; t < p->threads; t++) {
        walk_thread(m, t, model_write);
        if (!is_serial(p)) walk_thread(m, t, model_end);
    }
    for (uint64_t at = 0; at < p->to.elements; at++) {
        if (!(m->seen[at] & SEEN_WRITTEN) && p->need.iterations < p->to.elements) continue;
        if (!model_agrees(m, at))
            return fail(r, "sparse", (int64_t)((uint64_t)p->to.extent.low + at), held_at(m->arrays, at));
    }
    return true;
}

/* false without memory: then r is as it was. */
static bool check_by_model(const struct kn_arrays *a, struct kn_result *r)
{
    const uint64_t elements = a->plan->to.elements;
    struct model m = {a, calloc(elements, sizeof(*m.bits)), calloc(elements, sizeof(*m.seen))};
    const bool there = m.bits && m.seen;
    if (there) check_model(&m, r);
    free(m.bits);
    free(m.seen);
    return there;
}

struct sums {
    const struct kn_arrays *arrays;
    uint64_t *naive; /* [threads] */
};

/* Compute the expected result of the share's reduction. */
static void sum_share(void *arg, unsigned share)
{
    const struct sums *sums = arg;
    const struct kn_plan *p = sums->arrays->plan;
    const struct kn_plan_side *s = &p->from;
    const uint64_t begin = kn_plan_begin(p, share), end = kn_plan_begin(p, share + 1);
    int64_t base = kn_plan_base(s, begin);
    uint64_t sum = 0;
    for (uint64_t i = begin; i < end; i++) {
        for (size_t j = 0; j < p->len; j++)
            sum += sums->arrays->linked
                       ? kn_chain_after(sums->arrays, i, j, base)
                       : kn_value_bits(s->salt, base + kn_plan_index(s, j), p->element_bytes);
        base += s->steps[i % s->steps_len];
    }
    sums->naive[share] = p->element_bytes == 8 ? sum : (uint32_t)sum;
}

/* Validate a sum: add all elements up again. */
static bool check_sums(const struct kn_arrays *a, struct kn_result *r)
{
    const unsigned threads = a->plan->threads;
    struct sums sums = {a, calloc(threads, sizeof(*sums.naive))};
    r->valid = sums.naive != NULL;
    if (!r->valid) snprintf(r->invalid, sizeof(r->invalid), "no memory to check the sums");
    if (sums.naive) a->backend->parallel(threads, sum_share, &sums);
    for (unsigned t = 0; r->valid && t < threads; t++) {
        r->valid = sums.naive[t] == a->sums[t];
        if (!r->valid)
            snprintf(r->invalid, sizeof(r->invalid),
                     "thread %u: the sum of the elements is %#" PRIx64 ", not %#" PRIx64, t, a->sums[t],
                     sums.naive[t]);
    }
    free(sums.naive);
    return r->valid;
}

static bool check(const struct kn_arrays *a, uint64_t elements_max, struct kn_result *r)
{
    if (is_modelled(a->plan) && check_by_model(a, r)) return r->valid;
    if (a->plan->to.used) return check_sparse(a, elements_max, r);
    return a->plan->config->operation == PAT_OPERATION_COPY ? check_dense(a, elements_max, r)
                                                            : check_sums(a, r);
}

void kn_validate(const struct kn_arrays *a, struct kn_result *r)
{
    const uint64_t affordable = effort_random_max / element_cost(a->plan);
    const uint64_t elements_max = affordable > ELEMENTS_MIN ? affordable : ELEMENTS_MIN;
    r->valid = true;
    r->worst_error = 0;
    if (check(a, elements_max, r)) return;
    r->worst_error = NAN;
}
