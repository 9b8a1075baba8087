/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/patterns/naive_extract.h"

#include <stdlib.h>

enum { NAIVE_POOL_SWITCHES = 64, NAIVE_POOL_VISIT = 8, NAIVE_FAR = 513 };

struct naive_access {
    uint64_t addr;
    uint32_t site, thread, home, range;
    size_t breaks; /* accesses of the thread so far */
    uint64_t weight;
};
struct naive {
    const struct memory_source *m;
    struct naive_access *all;
    size_t len;
    struct naive_access *of; /* accesses of one row, in order */
    size_t of_len;
    bool is_pool;
    uint64_t usual; /* weight; 1: the source has no weights */
};

/* The smallest living range, of equal ones the youngest. */
static uint32_t naive_innermost(const struct pat_tables *t, const uint32_t *living, size_t len, uint64_t addr)
{
    uint32_t best = PAT_NONE;
    for (size_t i = 0; i < len; i++) {
        const struct pat_range *r = &t->ranges[living[i]];
        if (addr < r->start || addr >= r->end) continue;
        if (best == PAT_NONE || r->end - r->start <= t->ranges[best].end - t->ranges[best].start)
            best = living[i];
    }
    return best;
}

static size_t naive_die(uint32_t *living, size_t len, uint32_t what)
{
    for (size_t i = 0; i < len; i++)
        if (living[i] == what) {
            for (size_t k = i; k + 1 < len; k++)
                living[k] = living[k + 1];
            return len - 1;
        }
    return len;
}

static void naive_read(struct naive *n)
{
    const struct pat_tables *t = &n->m->tables;
    uint32_t *living = malloc((n->m->steps_len + 1) * sizeof(*living));
    size_t *breaks = calloc(t->threads_len, sizeof(*breaks));
    n->all = malloc((n->m->steps_len + 1) * sizeof(*n->all));
    n->of = malloc((n->m->steps_len + 1) * sizeof(*n->of));
    assert_true(living && breaks && n->all && n->of);
    size_t len = 0;
    uint64_t weight = 1;
    n->usual = 1;
    for (size_t i = 0; i < n->m->steps_len; i++) {
        const struct memory_step *s = &n->m->steps[i];
        if (!s->is_event) {
            const uint32_t range = naive_innermost(t, living, len, s->access.addr);
            n->all[n->len++] = (struct naive_access){s->access.addr,
                                                     s->access.site,
                                                     s->access.thread,
                                                     range == PAT_NONE ? PAT_NONE : t->ranges[range].home,
                                                     range,
                                                     breaks[s->access.thread],
                                                     weight};
        } else if (s->event.kind == PAT_EVENT_RANGE_BORN) {
            living[len++] = s->event.what;
        } else if (s->event.kind == PAT_EVENT_RANGE_DIED) {
            len = naive_die(living, len, s->event.what);
        } else if (s->event.kind == PAT_EVENT_BREAK) {
            if (s->event.what) n->usual = PAT_WEIGHT_USUAL;
            if (s->event.what) weight = s->event.what;
            for (size_t k = 0; k < t->threads_len; k++)
                breaks[k] += s->event.thread == PAT_NONE || s->event.thread == k;
        }
    }
    free(living);
    free(breaks);
}

static bool naive_is_broken(const struct naive *n, size_t i)
{
    return n->of[i].breaks != n->of[i - 1].breaks;
}

static bool naive_is_switched(const struct naive *n, size_t i)
{
    return n->of[i].range != n->of[i - 1].range;
}

static bool naive_is_break(const struct naive *n, size_t i)
{
    return naive_is_broken(n, i) || (!n->is_pool && naive_is_switched(n, i));
}

/* The accesses of one row. */
static void naive_pick(struct naive *n, const struct pat_sequence *s)
{
    size_t switches = 0;
    n->of_len = 0;
    n->is_pool = false;
    for (size_t i = 0; i < n->len; i++) {
        const struct naive_access *a = &n->all[i];
        if (a->site != s->site || a->thread != s->thread || a->home != s->home) continue;
        n->of[n->of_len++] = *a;
        if (n->of_len == 1 || naive_is_broken(n, n->of_len - 1) || !naive_is_switched(n, n->of_len - 1))
            continue;
        if (++switches == NAIVE_POOL_SWITCHES)
            n->is_pool = n->of_len < NAIVE_POOL_SWITCHES * NAIVE_POOL_VISIT;
    }
}

static uint64_t naive_gcd(uint64_t a, uint64_t b)
{
    return b ? naive_gcd(b, a % b) : a;
}

/* Return the address from which the indices of this access count. */
static uint64_t naive_base(const struct naive *n, size_t i)
{
    if (n->of[i].range != PAT_NONE && !n->is_pool) return n->m->tables.ranges[n->of[i].range].start;
    uint64_t lowest = UINT64_MAX;
    for (size_t k = 0; k < n->of_len; k++)
        if (n->of[k].addr < lowest) lowest = n->of[k].addr;
    return lowest;
}

static uint64_t naive_unit(const struct naive *n, uint64_t lowest)
{
    const uint32_t home = n->of[0].home;
    const struct pat_tables *t = &n->m->tables;
    uint64_t all = 0;
    for (size_t i = 0; i < n->of_len; i++)
        all = naive_gcd(all, n->of[i].addr - (home == PAT_NONE || n->is_pool ? lowest : naive_base(n, i)));
    const uint64_t elem = home == PAT_NONE ? 0 : t->homes[home].elem_size_bytes;
    const uint64_t size = t->sites[n->of[0].site].size_bytes;
    if (elem && all % elem == 0) return elem;
    if (size == 0) return all % 8 == 0 ? 8 : all % 4 == 0 ? 4 : all % 2 == 0 ? 2 : 1;
    if (all % size == 0) return size;
    return all ? all : 1;
}

static int naive_by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static size_t naive_distinct(int64_t *v, size_t len)
{
    size_t n = 0;
    qsort(v, len, sizeof(*v), naive_by_value);
    for (size_t i = 0; i < len; i++)
        n += i == 0 || v[i] != v[i - 1];
    return n;
}

static uint64_t naive_unweigh(const struct naive *n, uint64_t weighted)
{
    const uint64_t rounded = (weighted + n->usual / 2) / n->usual;
    return rounded || !weighted ? rounded : 1;
}

/* Return how often the distance comes, by weight. */
static uint64_t naive_count(const struct naive *n, const struct pat_sequence *s, int64_t distance)
{
    uint64_t sum = 0;
    for (size_t i = 1; i < n->of_len; i++)
        if (!naive_is_break(n, i) &&
            (int64_t)(n->of[i].addr - n->of[i - 1].addr) / (int64_t)s->elem_size_bytes == distance)
            sum += n->of[i].weight;
    return naive_unweigh(n, sum);
}

static void naive_compare_distances(const struct naive *n, const struct pat_sequence *s)
{
    int64_t *d = malloc((n->of_len + 1) * sizeof(*d));
    assert_non_null(d);
    size_t len = 0;
    uint64_t far = 0;
    for (size_t i = 1; i < n->of_len; i++)
        if (!naive_is_break(n, i)) {
            d[len] = (int64_t)(n->of[i].addr - n->of[i - 1].addr) / (int64_t)s->elem_size_bytes;
            far += llabs(d[len]) >= NAIVE_FAR ? n->of[i].weight : 0;
            len++;
        }
    const size_t unique = naive_distinct(d, len);
    assert_int_equal(s->distances_unique, unique);
    assert_int_equal(s->distances_far, naive_unweigh(n, far));
    assert_int_equal(s->distances_len, unique < 64 ? unique : 64);
    for (size_t i = 0; i < s->distances_len; i++) {
        assert_int_equal(s->distances[i].count, naive_count(n, s, s->distances[i].distance));
        if (i == 0) continue;
        const struct pat_distance *x = &s->distances[i - 1], *y = &s->distances[i];
        assert_true(x->count > y->count ||
                    (x->count == y->count && (n->usual > 1 || x->distance < y->distance)));
    }
    for (size_t i = 0; unique > 64 && i < len; i++) /* none that was left out is more frequent */
        assert_true(naive_count(n, s, d[i]) <= s->distances[0].count);
    free(d);
}

static void naive_compare_lines(const struct naive *n, const struct pat_sequence *s)
{
    const uint64_t size = n->m->tables.sites[s->site].size_bytes;
    int64_t *v = malloc((n->of_len + 1) * 3 * sizeof(*v));
    assert_non_null(v);
    for (int shift = 6; shift <= 12; shift += 6) {
        size_t len = 0;
        for (size_t i = 0; i < n->of_len; i++)
            for (uint64_t x = n->of[i].addr >> shift; x <= (n->of[i].addr + size - 1) >> shift; x++)
                v[len++] = (int64_t)x;
        assert_int_equal(shift == 6 ? s->lines : s->pages, naive_distinct(v, len));
    }
    free(v);
}

static void naive_compare_row(struct naive *n, const struct pat_sequence *s)
{
    naive_pick(n, s);
    uint64_t weighted = 0;
    for (size_t i = 0; i < n->of_len; i++)
        weighted += n->of[i].weight;
    assert_int_equal(s->accesses, naive_unweigh(n, weighted));
    assert_int_equal(s->is_pool, n->is_pool);
    assert_true(s->is_whole);
    const uint64_t lowest = s->home == PAT_NONE || n->is_pool ? naive_base(n, 0) : 0;
    assert_int_equal(s->elem_size_bytes, naive_unit(n, lowest));
    assert_int_equal(s->indices.len, n->of_len);
    size_t breaks = 0;
    for (size_t i = 0; i < n->of_len; i++) {
        const uint64_t base = s->home == PAT_NONE || n->is_pool ? lowest : naive_base(n, i);
        assert_int_equal(s->indices.data[i], (n->of[i].addr - base) / s->elem_size_bytes);
        if (i == 0 || !naive_is_break(n, i)) continue;
        assert_true(breaks < s->breaks_len);
        assert_int_equal(s->breaks[breaks++], i);
    }
    assert_int_equal(s->breaks_len, breaks);
    naive_compare_distances(n, s);
    naive_compare_lines(n, s);
}

void naive_compare(const struct memory_source *m, const struct pat_sequences *s)
{
    struct naive n = {.m = m};
    uint64_t accesses = 0;
    naive_read(&n);
    for (size_t i = 0; i < s->len; i++) {
        naive_compare_row(&n, &s->rows[i]);
        accesses += s->rows[i].accesses;
        for (size_t k = 0; k < i; k++)
            assert_false(s->rows[k].site == s->rows[i].site && s->rows[k].home == s->rows[i].home &&
                         s->rows[k].thread == s->rows[i].thread);
    }
    if (n.usual == 1) assert_int_equal(accesses, n.len); /* so no row is missing */
    assert_int_equal(s->accesses, n.len);
    assert_int_equal(s->accesses_filtered, 0);
    free(n.all);
    free(n.of);
}
