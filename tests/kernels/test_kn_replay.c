/* SPDX-License-Identifier: BSD-3-Clause */
/* Every kernel, method, index width and kind of store moves the same data as a naive model; wrong moves are
 * detected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/kn_options.h"
#include "kernels/kn_kernel.h"
#include "kernels/replay/kn_replay.h"
#include "kernels/replay/kn_trial.h"
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A small generator, the same everywhere. */
static uint64_t draw(uint64_t *state, uint64_t below)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return ls_random_mix(*state) % below;
}

static void set_indices(struct pat_indices *p, size_t len, uint64_t below, uint64_t *state)
{
    free(p->data);
    p->data = calloc(len, sizeof(*p->data));
    assert_non_null(p->data);
    p->len = len;
    for (size_t j = 0; j < len; j++)
        p->data[j] = (int64_t)draw(state, below);
}

enum { THREADS = 3 };

/* A random configuration: short and long rows, deltas of all signs, wraps, sometimes lists of deltas. */
static void make(struct pat_config *c, enum pat_kernel kernel, uint64_t *state)
{
    assert_int_equal(pat_config_init(c), LS_OK);
    c->kernel = kernel;
    const size_t len = 1 + draw(state, 37);
    c->count = 1 + draw(state, 60);
    c->wrap = 1 + draw(state, 5);
    c->delta = (int64_t)draw(state, 21) - 7;
    c->delta_gather = (int64_t)draw(state, 9);
    c->delta_scatter = (int64_t)draw(state, 21) - 7;
    set_indices(&c->pattern, kernel == PAT_MULTIGATHER || kernel == PAT_MULTISCATTER ? 11 : len, 300, state);
    const uint64_t below = kernel == PAT_GS ? 300 : 11;
    set_indices(&c->gather, len, below, state);
    set_indices(&c->scatter, len, below, state);
    if (draw(state, 4) == 0) {
        set_indices(&c->deltas, 1 + draw(state, 4), 15, state);
        set_indices(&c->deltas_gather, 1 + draw(state, 4), 15, state);
        set_indices(&c->deltas_scatter, 1 + draw(state, 4), 15, state);
    }
}

/* Let threads begin at places of their own, also ones that others use. */
static void set_apart(struct pat_config *c, uint64_t *state)
{
    const uint64_t turn = c->deltas.len ? c->deltas.len : 1;
    set_indices(&c->thread_firsts, THREADS, 90, state);
    c->count = THREADS * turn * (1 + draw(state, 20));
}

/* The contents of the destination after the serial loops of the published kernels: bits by element from low
 * on. */
struct model {
    uint64_t *to, *dense;
    uint64_t to_len, dense_len;
    uint64_t sum; /* sum over all elements' bits */
};

/* Bits that row i puts at element e by its element j. */
static uint64_t model_bits(const struct kn_plan *p, const struct model *m, uint64_t i, size_t j)
{
    const int64_t to = p->to.used ? kn_plan_base(&p->to, i) + kn_plan_index(&p->to, j) : 0;
    const unsigned halfs_bits = 4 * p->element_bytes;
    if (p->adds) { /* element j adds j % 8 + 1 as a double, 1 as a float */
        const uint64_t before = m->to[to - p->to.extent.low];
        double sum;
        float narrow;
        memcpy(&sum, &before, sizeof(sum));
        memcpy(&narrow, &before, sizeof(narrow));
        sum += (double)(j % 8 + 1);
        narrow += 1;
        uint64_t after = 0;
        memcpy(&after, p->element_bytes == 8 ? (void *)&sum : (void *)&narrow, p->element_bytes);
        return after;
    }
    switch (p->config->operation) {
    case PAT_OPERATION_FILL:
        return i + 1;
    case PAT_OPERATION_UPDATE:
        return m->to[to - p->to.extent.low] | kn_value_bits(p->to.salt, to, p->element_bytes) |
               UINT64_C(1) << i % halfs_bits;
    default:
        break;
    }
    return p->from.used ? kn_value_bits(p->from.salt, kn_plan_base(&p->from, i) + kn_plan_index(&p->from, j),
                                        p->element_bytes)
                        : m->dense[j + p->len * (i % p->wrap)];
}

static struct model model_of(const struct kn_plan *p)
{
    struct model m = {.to_len = p->to.elements, .dense_len = p->dense_elements};
    m.to = calloc(m.to_len + 1, sizeof(*m.to));
    m.dense = calloc(m.dense_len + 1, sizeof(*m.dense));
    assert_true(m.to && m.dense);
    for (uint64_t e = 0; e < m.dense_len; e++)
        m.dense[e] = kn_value_bits(KN_SALT_DENSE, (int64_t)e, p->element_bytes);
    for (uint64_t i = 0; i < p->count; i++)
        for (size_t j = 0; j < p->len; j++) {
            const uint64_t element = j + p->len * (i % p->wrap), bits = model_bits(p, &m, i, j);
            m.sum += bits;
            if (p->to.used)
                m.to[kn_plan_base(&p->to, i) + kn_plan_index(&p->to, j) - p->to.extent.low] = bits;
            else if (m.dense_len)
                m.dense[element] = bits;
        }
    return m;
}

/* Untouched elements of the model are 0. */
static void compare(const struct kn_arrays *a, const struct model *m, const char *what)
{
    for (uint64_t e = 0; e < m->to_len && a->plan->to.used; e++)
        if (m->to[e] && kn_arrays_get(a, &a->plan->to, a->plan->to.extent.low + (int64_t)e) != m->to[e])
            fail_msg("%s: sparse element %ju differs", what, (uintmax_t)e);
    for (uint64_t e = 0; e < m->dense_len && !a->plan->to.used; e++)
        if (kn_value_get(a->dense.base, e, a->plan->element_bytes) != m->dense[e])
            fail_msg("%s: dense element %ju differs", what, (uintmax_t)e);
    if (a->plan->to.used || m->dense_len) return;
    uint64_t sum = 0;
    for (unsigned t = 0; t < a->plan->threads; t++)
        sum += a->sums[t];
    if (a->plan->element_bytes == 4 ? (uint32_t)sum != (uint32_t)m->sum : sum != m->sum)
        fail_msg("%s: the sum differs", what);
}

/* Runs v on c by threads and compares (one thread: the order of stores is that of the model). */
static void run_variant(const struct pat_config *c, const struct kn_variant *v, unsigned threads)
{
    const struct kn_options o = {.element_bytes = v->element_bytes, .stores = v->stores};
    struct kn_plan plan;
    struct kn_arrays arena;
    struct kn_result result = {0};
    char what[96] = "";
    kn_variant_describe(v, what, sizeof(what));
    assert_int_equal(kn_plan_init(&plan, c, &o, threads), LS_OK);
    assert_int_equal(kn_arrays_init(&arena, &plan, &kn_backend_serial, KN_PAGES_DEFAULT), LS_OK);
    assert_int_equal(kn_arrays_narrow(&arena), LS_OK);
    struct kn_runner runner = kn_runner_of(&arena, v, false);
    kn_runner_time(&runner, (struct kn_turn){.repeats = 1});
    struct model m = model_of(&plan);
    compare(&arena, &m, what);
    kn_validate(&arena, &result);
    if (!result.valid) fail_msg("%s: %s", what, result.invalid);
    free(m.to);
    free(m.dense);
    kn_arrays_fini(&arena);
}

enum { CONFIGURATIONS = 40 };

static unsigned run_all(const struct pat_config *c, unsigned element_bytes)
{
    const struct kn_options o = {.element_bytes = element_bytes};
    struct kn_plan plan;
    unsigned ran = 0;
    assert_int_equal(kn_plan_init(&plan, c, &o, 1), LS_OK);
    for (int m = KN_METHOD_AUTO + 1; m < KN_METHOD_COUNT; m++)
        for (int s = KN_STORES_AUTO + 1; s < KN_STORES_COUNT; s++) {
            const struct kn_wish w = {.kernel = c->kernel,
                                      .operation = c->operation,
                                      .method = (enum kn_method)m,
                                      .stores = (enum kn_stores)s,
                                      .element_bytes = element_bytes,
                                      .indices_fit_32_bits = plan.indices_fit_32_bits,
                                      .rows_may_be_jammed = plan.rows_may_be_jammed};
            const struct kn_variant *found[KN_TRIALS_MAX];
            size_t len;
            kn_variant_find(&w, found, KN_TRIALS_MAX, &len);
            for (size_t v = 0; v < len; v++, ran++) {
                run_variant(c, found[v], 1);
                run_variant(c, found[v], THREADS);
            }
        }
    return ran;
}

static void each_variant_equals_the_naive_model(void **state)
{
    (void)state;
    uint64_t random = 1;
    unsigned ran = 0;
    for (int k = 0; k < PAT_KERNEL_COUNT; k++)
        for (int n = 0; n < CONFIGURATIONS; n++) {
            struct pat_config c;
            make(&c, (enum pat_kernel)k, &random);
            if (n % 5 == 4) set_apart(&c, &random);
            ran += run_all(&c, n % 2 ? 8 : 4);
            for (int o = PAT_OPERATION_COPY + 1; o < PAT_OPERATION_COUNT; o++) {
                c.operation = (enum pat_operation)o;
                if (!pat_operation_fits(c.operation, c.kernel)) continue;
                const unsigned variants = run_all(&c, n % 2 ? 8 : 4);
                assert_int_equal(variants, 2); /* indices of 64 and of 32 bits */
                ran += variants;
            }
            pat_config_fini(&c);
        }
    char here[128];
    kn_isa_list(here, sizeof(here));
    print_message("%u variants of: %s\n", ran, here);
    assert_true(ran > PAT_KERNEL_COUNT * CONFIGURATIONS * 4);
}

/* As many threads as there are first elements begin there; other numbers of threads share the iterations. */
static void threads_begin_at_their_own_elements(void **state)
{
    (void)state;
    static int64_t index[] = {0, 7}, firsts[] = {0, 1, 1000};
    static const struct kn_options o = {.element_bytes = 8};
    struct pat_config c = {.name = "",
                           .kernel = PAT_SCATTER,
                           .operation = PAT_OPERATION_UPDATE,
                           .pattern = {index, 2},
                           .thread_firsts = {firsts, 3},
                           .delta = 2,
                           .count = 30,
                           .wrap = 1};
    struct kn_plan plan;
    assert_int_equal(kn_plan_init(&plan, &c, &o, 3), LS_OK);
    for (unsigned t = 0; t < 3; t++) {
        assert_int_equal(kn_plan_base(&plan.to, kn_plan_begin(&plan, t)), firsts[t]);
        assert_int_equal(kn_plan_base(&plan.to, kn_plan_begin(&plan, t + 1) - 1), firsts[t] + 18);
    }
    assert_int_equal(plan.to.elements, 1000 + 18 + 7 + 1);
    assert_int_equal(kn_plan_init(&plan, &c, &o, 2), LS_OK);
    assert_int_equal(kn_plan_base(&plan.to, 15), 30);
    assert_int_equal(plan.to.elements, 58 + 7 + 1);
    firsts[2] = INT64_MAX;
    assert_int_equal(kn_plan_init(&plan, &c, &o, 3), LS_ERR_RANGE);
}

enum { SHORT_MAX = KN_HELD_MAX + 2, STEPS = 19 };

/* A row of len elements, repeated times; times 1: as drawn. */
static void set_fold(struct pat_indices *p, size_t len, size_t times, uint64_t *state)
{
    const int64_t step = (int64_t)draw(state, 9) - 4;
    set_indices(p, len * times, 40, state);
    for (size_t j = len; j < p->len; j++)
        p->data[j] = p->data[j - len] + step;
}

/* Orders of steps: one; long runs; no two equal in succession; all the same; alternating. */
enum steps { STEPS_ONE, STEPS_RUNS, STEPS_DIFFER, STEPS_EQUAL, STEPS_BACK, STEPS_COUNT };

static int64_t step_of(enum steps kind, size_t i)
{
    switch (kind) {
    case STEPS_RUNS:
        return i < 6 ? 1 : i < 15 ? 5 : -3;
    case STEPS_DIFFER:
        return (int64_t)(i % 7);
    case STEPS_BACK:
        return i < STEPS / 2 ? 2 : i < STEPS / 2 * 2 ? -2 : 0;
    default:
        return 3;
    }
}

static void set_steps(struct pat_config *c, enum steps kind, uint64_t *state)
{
    set_indices(&c->deltas, STEPS, 1, state);
    for (size_t i = 0; i < STEPS; i++)
        c->deltas.data[i] = step_of(kind, i);
    if (kind == STEPS_ONE) c->deltas.len = 0;
}

/* Indices in registers, rows that fold, steps that run: each with each, also where shares begin inside. */
static void short_rows_and_equal_steps_are_moved_as_listed(void **state)
{
    (void)state;
    static const size_t times[] = {1, 3};
    uint64_t random = 8;
    struct pat_config c;
    assert_int_equal(pat_config_init(&c), LS_OK);
    for (size_t n = 0; n < SHORT_MAX * sizeof(times) / sizeof(*times) * STEPS_COUNT; n++)
        for (int o = PAT_OPERATION_COPY + 1; o < PAT_OPERATION_COUNT; o++) {
            set_fold(&c.pattern, 1 + n % SHORT_MAX, times[n / SHORT_MAX % 2], &random);
            set_steps(&c, (enum steps)(n / SHORT_MAX / 2), &random);
            c.count = 1 + draw(&random, 3 * STEPS);
            c.operation = (enum pat_operation)o;
            c.kernel = pat_operation_fits(c.operation, PAT_GATHER) ? PAT_GATHER : PAT_SCATTER;
            assert_int_equal(run_all(&c, n % 2 ? 8 : 4), 2);
        }
    pat_config_fini(&c);
}

/* Also rows that overwrite each other, and themselves. */
static void rows_of_equal_distances_are_scattered_in_order(void **state)
{
    (void)state;
    static const int64_t distances[] = {1, 2, -3, 0}, steps[] = {8, 1, -2, 5, 0};
    enum { CASES = sizeof(distances) / sizeof(*distances) * (sizeof(steps) / sizeof(*steps)) };
    uint64_t random = 9;
    struct pat_config c;
    assert_int_equal(pat_config_init(&c), LS_OK);
    c.kernel = PAT_SCATTER;
    c.count = 11;
    for (size_t n = 0; n < CASES; n++) {
        set_indices(&c.pattern, KN_HELD_MAX, 1, &random);
        for (size_t j = 0; j < KN_HELD_MAX; j++)
            c.pattern.data[j] = 3 + (int64_t)j * distances[n % 4];
        c.delta = steps[n / 4];
        assert_true(run_all(&c, 4) > 0 && run_all(&c, 8) > 0);
    }
    pat_config_fini(&c);
}

static void a_fold_gives_every_index(void **state)
{
    (void)state;
    static const int64_t seven[] = {9, 3, 4, 10, 4, 5, 11, 5, 6}, uneven[] = {0, 1, 2, 3, 4, 6};
    struct kn_fold f = kn_fold_find(seven, 9);
    assert_true(f.len == 3 && f.times == 3 && f.step == 1);
    f = kn_fold_find(seven, 8);
    assert_true(f.len == 8 && f.times == 1);
    f = kn_fold_find(uneven, 6);
    assert_true(f.len == 6 && f.times == 1);
    f = kn_fold_find(uneven, 5);
    assert_true(f.len == 1 && f.times == 5 && f.step == 1);
    f = kn_fold_find(uneven, 1);
    assert_true(f.len == 1 && f.times == 1);
    f = kn_fold_find(uneven, 2); /* nothing would be left to take turns */
    assert_true(f.len == 1 && f.times == 2 && f.step == 1);
    static const int64_t down[] = {0, -5, -10, -15, -20, -25, -30, -35, -40, -45, -50, -55};
    f = kn_fold_find(down, 12); /* one index, advancing */
    assert_true(f.len == 1 && f.times == 12 && f.step == -5);
    static const int64_t pairs[] = {3, 0, 9, 6, 15, 12, 21, 18};
    f = kn_fold_find(pairs, 8);
    assert_true(f.len == 4 && f.times == 2 && f.step == 12);
}

static void runs_are_the_steps_where_they_are_shorter(void **state)
{
    (void)state;
    static const int64_t steps[] = {1, 1, 1, 1, 1, 7, 7, 7, 7};
    struct kn_runs r;
    assert_int_equal(kn_runs_init(steps, 9, &r), LS_OK);
    assert_int_equal(r.len, 2);
    for (uint64_t i = 0; i < 9; i++) {
        const struct kn_run_at at = kn_runs_find(&r, i);
        assert_int_equal(r.rows[at.run].step, steps[i]);
        assert_int_equal(at.left, (i < 5 ? 5 : 9) - i);
    }
    kn_runs_fini(&r);
    assert_int_equal(kn_runs_init(steps + 3, 4, &r), LS_OK); /* two of four: as long as they are */
    assert_int_equal(r.len, 0);
    kn_runs_fini(&r);
    assert_int_equal(kn_runs_init(steps, 1, &r), LS_OK);
    assert_true(r.len == 1 && r.rows[0].rows == UINT64_MAX);
    kn_runs_fini(&r);
}

/* A wrong permutation, an element too few, a row too few: moved by the unrolled variant of a spoilt job. */
static void spoil_index(const struct kn_job *job, const struct kn_part *part);
static void spoil_row(const struct kn_job *job, const struct kn_part *part);
static const struct kn_variant *honest;

static void spoil_index(const struct kn_job *job, const struct kn_part *part)
{
    struct kn_job wrong = *job;
    int64_t swapped[2] = {((const int64_t *)job->from.index)[1], ((const int64_t *)job->from.index)[0]};
    wrong.from.index = swapped;
    honest->move[PAT_GATHER](&wrong, part);
}

static void spoil_row(const struct kn_job *job, const struct kn_part *part)
{
    struct kn_part less = *part;
    less.end--;
    honest->move[PAT_SCATTER](job, &less);
}

static const struct kn_variant *honest_operation(enum pat_operation o, enum pat_kernel k)
{
    const struct kn_wish w = {.kernel = k, .operation = o, .element_bytes = 8, .index_bits = 64};
    const struct kn_variant *found;
    size_t len;
    kn_variant_find(&w, &found, 1, &len);
    assert_int_equal(len, 1);
    return found;
}

static void spoil_sum(const struct kn_job *job, const struct kn_part *part)
{
    honest_operation(PAT_OPERATION_CHASE, PAT_GATHER)->move[PAT_GATHER](job, part);
    *part->sum ^= 1;
}

/* The last row is missing. */
static void spoil_update(const struct kn_job *job, const struct kn_part *part)
{
    struct kn_part less = *part;
    less.end--;
    honest_operation(PAT_OPERATION_UPDATE, PAT_SCATTER)->move[PAT_SCATTER](job, &less);
}

static void fill_for_update(const struct kn_job *job, const struct kn_part *part)
{
    honest_operation(PAT_OPERATION_FILL, PAT_SCATTER)->move[PAT_SCATTER](job, part);
}

static bool is_found_out_by(struct pat_config *c, kn_move *wrong, unsigned threads)
{
    const struct kn_options o = {0};
    struct kn_plan plan;
    struct kn_arrays arena;
    struct kn_result result = {0};
    assert_int_equal(kn_plan_init(&plan, c, &o, threads), LS_OK);
    assert_int_equal(kn_arrays_init(&arena, &plan, &kn_backend_serial, KN_PAGES_DEFAULT), LS_OK);
    struct kn_runner runner = kn_runner_of(&arena, honest, false);
    runner.move = wrong;
    kn_runner_time(&runner, (struct kn_turn){.repeats = 1});
    kn_validate(&arena, &result);
    kn_arrays_fini(&arena);
    return !result.valid && *result.invalid;
}

static bool is_found_out(struct pat_config *c, kn_move *wrong)
{
    return is_found_out_by(c, wrong, 2);
}

/* All but the last element of a row. */
static void spoil_last(const struct kn_job *job, const struct kn_part *part)
{
    struct kn_job less = *job;
    less.len--;
    honest_operation(PAT_OPERATION_UPDATE, PAT_SCATTER)->move[PAT_SCATTER](&less, part);
}

/* Rows so long that a model of all elements is made. */
static void one_wrong_element_of_a_long_row_is_detected(void **state)
{
    (void)state;
    uint64_t random = 7;
    struct pat_config c;
    assert_int_equal(pat_config_init(&c), LS_OK);
    c.kernel = PAT_SCATTER;
    c.operation = PAT_OPERATION_UPDATE;
    c.count = 3;
    c.delta = 1;
    set_indices(&c.pattern, 5000, 20000, &random);
    c.pattern.data[4999] = 30000; /* nothing else comes here */
    for (unsigned threads = 1; threads <= 3; threads++) {
        c.operation = PAT_OPERATION_UPDATE;
        assert_true(is_found_out_by(&c, spoil_last, threads));
        assert_true(is_found_out_by(&c, fill_for_update, threads));
        assert_false(
            is_found_out_by(&c, honest_operation(c.operation, c.kernel)->move[PAT_SCATTER], threads));
        c.operation = PAT_OPERATION_COPY;
        assert_false(is_found_out_by(&c, honest->move[PAT_SCATTER], threads));
        assert_true(is_found_out_by(&c, spoil_row, threads));
    }
    pat_config_fini(&c);
}

/* Threads that update one element in long rows, by a list of steps: the check of one element would look at
 * all elements of all steps. */
static void long_rows_of_several_threads_are_checked_at_once(void **state)
{
    (void)state;
    uint64_t random = 9;
    struct pat_config c;
    assert_int_equal(pat_config_init(&c), LS_OK);
    c.kernel = PAT_SCATTER;
    c.operation = PAT_OPERATION_UPDATE;
    c.count = 40;
    set_indices(&c.pattern, 100000, 1, &random);
    set_indices(&c.deltas, 20, 1, &random);
    c.deltas.data[19] = 1;
    assert_false(is_found_out_by(&c, honest_operation(c.operation, c.kernel)->move[PAT_SCATTER], 2));
    pat_config_fini(&c);
}

static void wrong_results_are_detected(void **state)
{
    (void)state;
    const struct kn_wish w = {
        .method = KN_METHOD_UNROLLED, .stores = KN_STORES_REGULAR, .element_bytes = 8, .index_bits = 64};
    size_t len;
    uint64_t random = 2;
    kn_variant_find(&w, &honest, 1, &len);
    assert_int_equal(len, 1);
    /* few rows are all replayed, of many some elements are checked */
    for (uint64_t count = 100; count <= 2000000; count += 1999900) {
        struct pat_config c;
        assert_int_equal(pat_config_init(&c), LS_OK);
        set_indices(&c.pattern, 2, 1, &random);
        c.pattern.data[1] = 5;
        c.count = count;
        assert_true(is_found_out(&c, spoil_index));
        c.kernel = PAT_SCATTER;
        assert_true(is_found_out(&c, spoil_row));
        assert_false(is_found_out(&c, honest->move[PAT_SCATTER]));
        c.operation = PAT_OPERATION_UPDATE;
        assert_true(is_found_out(&c, spoil_update));
        assert_true(is_found_out(&c, fill_for_update));
        assert_false(is_found_out(&c, honest_operation(c.operation, c.kernel)->move[PAT_SCATTER]));
        c.kernel = PAT_GATHER;
        c.operation = PAT_OPERATION_CHASE;
        assert_true(is_found_out(&c, spoil_sum));
        assert_false(is_found_out(&c, honest_operation(c.operation, c.kernel)->move[PAT_GATHER]));
        pat_config_fini(&c);
    }
}

static const struct kn_variant *adding(unsigned element_bytes)
{
    const struct kn_wish w = {.kernel = PAT_SCATTER,
                              .method = KN_METHOD_UNROLLED,
                              .stores = KN_STORES_ADD,
                              .element_bytes = element_bytes,
                              .index_bits = 64};
    const struct kn_variant *found;
    size_t len;
    kn_variant_find(&w, &found, 1, &len);
    assert_int_equal(len, 1);
    return found;
}

/* Run c by threads that add, and leave out the last row of each where loses. */
static bool sums_are_right(struct pat_config *c, unsigned threads, unsigned element_bytes, bool loses)
{
    const struct kn_options o = {.stores = KN_STORES_ADD, .element_bytes = element_bytes};
    struct kn_plan plan;
    struct kn_arrays arena;
    struct kn_result result = {0};
    honest = adding(element_bytes);
    assert_int_equal(kn_plan_init(&plan, c, &o, threads), LS_OK);
    assert_int_equal(kn_arrays_init(&arena, &plan, &kn_backend_scalar, KN_PAGES_DEFAULT), LS_OK);
    struct kn_runner runner = kn_runner_of(&arena, honest, false);
    if (loses) runner.move = spoil_row;
    kn_runner_time(&runner, (struct kn_turn){.repeats = 1});
    kn_validate(&arena, &result);
    kn_arrays_fini(&arena);
    return result.valid;
}

/* All threads add to the same elements: none may be lost, whatever their order. Few rows are all replayed, of
 * many some elements are checked, by steps of one kind and by lists. */
static void every_addition_counts(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (uint64_t count = 100; count <= 500100; count += 500000)
        for (int kind = 0; kind < 3; kind++) {
            struct pat_config c;
            assert_int_equal(pat_config_init(&c), LS_OK);
            c.kernel = PAT_SCATTER;
            c.count = count;
            c.delta = kind; /* 0: all rows at one place */
            set_indices(&c.pattern, 3, 4, &random);
            if (kind == 2) set_indices(&c.deltas, 5, 3, &random);
            for (unsigned bytes = 4; bytes <= 8; bytes += 4) {
                assert_true(sums_are_right(&c, 2, bytes, false));
                assert_false(sums_are_right(&c, 2, bytes, true));
            }
            pat_config_fini(&c);
        }
}

/* Unsupported combinations with an operation are refused, and it moves no dense buffer. */
static void operations_are_of_some_kernels_and_methods(void **state)
{
    (void)state;
    uint64_t random = 6;
    struct pat_config c;
    struct kn_result r;
    assert_int_equal(pat_config_init(&c), LS_OK);
    set_indices(&c.pattern, 8, 64, &random);
    c.operation = PAT_OPERATION_UPDATE;
    const struct kn_options o = {.runs = 2, .threads = 1}, vector = {.method = KN_METHOD_UNROLLED};
    assert_int_equal(kn_replay_run(&c, &o, &r), LS_ERR_ARG);
    assert_non_null(strstr(ls_last_error(), "gather has no operation update"));
    kn_result_fini(&r);
    c.kernel = PAT_SCATTER;
    assert_int_equal(kn_replay_run(&c, &vector, &r), LS_ERR_UNSUPPORTED);
    assert_non_null(strstr(ls_last_error(), "--copy"));
    kn_result_fini(&r);
    assert_int_equal(kn_replay_run(&c, &o, &r), LS_OK);
    assert_true(r.valid);
    assert_int_equal(r.bytes, 2 * 8 * 8 * 1024); /* a load and a store */
    assert_true(r.cpu_seconds_min > 0);
    kn_result_fini(&r);
    pat_config_fini(&c);
}

/* Indices have the width that they have in the program, unless an option sets another. */
static void the_width_of_indices_is_the_programs(void **state)
{
    (void)state;
    uint64_t random = 3;
    struct pat_config c;
    struct kn_result r;
    assert_int_equal(pat_config_init(&c), LS_OK);
    set_indices(&c.pattern, 100, 6400, &random);
    c.operation = PAT_OPERATION_REDUCE;
    for (unsigned own = 32; own <= 64; own += 32)
        for (unsigned asked = 0; asked <= 64; asked += 32) {
            const struct kn_options o = {.runs = 1, .threads = 1, .index_bits = asked};
            c.index_bits = own;
            assert_int_equal(kn_replay_run(&c, &o, &r), LS_OK);
            assert_int_equal(r.index_bits, asked ? asked : own);
            kn_result_fini(&r);
        }
    c.operation = PAT_OPERATION_CHASE; /* linked: nothing but the elements is read */
    set_indices(&c.pattern, 1, 1, &random);
    const struct kn_options any = {.runs = 1, .threads = 1};
    assert_int_equal(kn_replay_run(&c, &any, &r), LS_OK);
    assert_int_equal(r.index_bits, 0);
    kn_result_fini(&r);
    pat_config_fini(&c);
}

static void a_complete_replay_names_its_variant(void **state)
{
    (void)state;
    uint64_t random = 3;
    struct pat_config c;
    struct kn_result r;
    assert_int_equal(pat_config_init(&c), LS_OK);
    set_indices(&c.pattern, 8, 64, &random);
    const struct kn_options o = {.runs = 3, .threads = 1, .pages = KN_PAGES_HUGE};
    assert_int_equal(kn_replay_run(&c, &o, &r), LS_OK);
    assert_true(r.valid);
    assert_string_equal(r.kernel->name, "gather");
    assert_int_equal(r.bytes, 8 * 8 * 1024);
    assert_int_equal(r.seconds.len, 3);
    assert_true(r.mb_per_s > 0 && r.mb_per_s_hmean <= r.mb_per_s);
    assert_non_null(strstr(r.variant, kn_method_name(r.method)));
    assert_true(r.trials_len >= 2);
    kn_result_fini(&r);
    pat_config_fini(&c);
}

/* Memory: the requested amount is allocated, and no more than the live data need. */
static void memory_is_little_more_than_the_live_data(void **state)
{
    (void)state;
    uint64_t random = 4;
    struct pat_config c;
    struct kn_replay_need need;
    assert_int_equal(pat_config_init(&c), LS_OK);
    set_indices(&c.pattern, 1 << 16, 1 << 20, &random);
    c.pattern.data[0] = (1 << 20) - 1;
    c.pattern.data[1] = 0;
    c.count = 1;
    const struct kn_options o = {.threads = 1};
    assert_int_equal(kn_replay_need(&c, &o, &need), LS_OK);
    const uint64_t live = 8 * ((1 << 20) + 2 * (1 << 16)); /* the sparse array, a dense row, the indices */
    assert_true(need.memory_bytes <= live + live / 5);
    assert_int_equal(need.bytes, 8 << 16);
    pat_config_fini(&c);
}

struct refusal {
    struct kn_options options;
    uint64_t count;
    int64_t delta;
    ls_err err;
    const char *text;
};

static void unsupported_variants_are_refused_with_the_available_ones(void **state)
{
    (void)state;
    static const struct refusal refusals[] = {
        {{.threads = 100000}, 10, 8, LS_ERR_UNSUPPORTED, "100000 threads"},
        {{.backend = "serial", .threads = 2}, 10, 8, LS_ERR_UNSUPPORTED, "serial has 1 processor"},
        {{.backend = "abacus"}, 10, 8, LS_ERR_UNSUPPORTED, "'abacus'"},
        {{.backend = "Scalar", .method = KN_METHOD_JAMMED}, 10, 8, LS_ERR_UNSUPPORTED, "backend scalar"},
        {{.index_bits = 16}, 10, 8, LS_ERR_UNSUPPORTED, "16 bits"},
        {{.element_bytes = 2}, 10, 8, LS_ERR_UNSUPPORTED, "2 bytes"},
        {{.method = KN_METHOD_JAMMED}, 10, 0, LS_ERR_UNSUPPORTED, "which of several stores"},
        {{.method = KN_METHOD_PAIRED},
         10,
         8,
         LS_ERR_UNSUPPORTED,
         "no loop for scatter; there are scalar, unrolled"},
        {{.memory_bytes = 1 << 20}, 100000, 100, LS_ERR_NOMEM, "are allowed"},
        {{0}, UINT64_C(1) << 62, 8, LS_ERR_RANGE, "64-bit"},
        {{0}, 2, INT64_C(1) << 61, LS_ERR_RANGE, "63 bits"}, /* few elements, 2^64 bytes apart */
        {{0}, 0, 8, LS_ERR_ARG, "1 at least"},
    };
    uint64_t random = 5;
    struct pat_config c;
    assert_int_equal(pat_config_init(&c), LS_OK);
    c.kernel = PAT_SCATTER;
    set_indices(&c.pattern, 8, 4, &random);
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        struct kn_result r;
        c.count = refusals[i].count;
        c.delta = refusals[i].delta;
        assert_int_equal(kn_replay_run(&c, &refusals[i].options, &r), refusals[i].err);
        if (!strstr(ls_last_error(), refusals[i].text))
            fail_msg("'%s' lacks '%s'", ls_last_error(), refusals[i].text);
        kn_result_fini(&r);
    }
    struct kn_result r;
    const struct kn_options o = {0};
    c.count = 10;
    c.runs = UINT64_C(1) << 32; /* no run where the number is cut to 32 bits */
    assert_int_equal(kn_replay_run(&c, &o, &r), LS_ERR_RANGE);
    assert_non_null(strstr(ls_last_error(), "4294967296 runs"));
    kn_result_fini(&r);
    pat_config_fini(&c);
}

/* On any processor: an unsupported method is not an error of the method. */
static void stores_that_a_method_lacks_are_named_with_those_that_have_them(void **state)
{
    (void)state;
    uint64_t random = 5;
    struct pat_config c;
    struct kn_result r;
    const struct kn_options o = {.method = KN_METHOD_PAIRED, .stores = KN_STORES_ATOMIC};
    assert_int_equal(pat_config_init(&c), LS_OK);
    set_indices(&c.pattern, 8, 4, &random);
    assert_int_equal(kn_replay_run(&c, &o, &r), LS_ERR_UNSUPPORTED);
    assert_string_equal(
        ls_last_error(),
        "method paired has no atomic stores; methods that have them: scalar, unrolled, jammed");
    kn_result_fini(&r);
    pat_config_fini(&c);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_variant_equals_the_naive_model),
        cmocka_unit_test(threads_begin_at_their_own_elements),
        cmocka_unit_test(short_rows_and_equal_steps_are_moved_as_listed),
        cmocka_unit_test(rows_of_equal_distances_are_scattered_in_order),
        cmocka_unit_test(a_fold_gives_every_index),
        cmocka_unit_test(runs_are_the_steps_where_they_are_shorter),
        cmocka_unit_test(wrong_results_are_detected),
        cmocka_unit_test(one_wrong_element_of_a_long_row_is_detected),
        cmocka_unit_test(every_addition_counts),
        cmocka_unit_test(long_rows_of_several_threads_are_checked_at_once),
        cmocka_unit_test(operations_are_of_some_kernels_and_methods),
        cmocka_unit_test(the_width_of_indices_is_the_programs),
        cmocka_unit_test(a_complete_replay_names_its_variant),
        cmocka_unit_test(memory_is_little_more_than_the_live_data),
        cmocka_unit_test(unsupported_variants_are_refused_with_the_available_ones),
        cmocka_unit_test(stores_that_a_method_lacks_are_named_with_those_that_have_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
