/* SPDX-License-Identifier: BSD-3-Clause */
/* Dependent loads become a list in memory where each element has one successor, and are walked in the
 * pattern's order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/replay/kn_arrays.h"
#include "kernels/replay/kn_replay.h"
#include "kernels/replay/kn_trial.h"
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

/* A configuration with its arrays, as kn_replay_run has them. */
struct chain {
    struct pat_config config;
    struct kn_plan plan;
    struct kn_arrays arena;
};

static struct chain *chain_of(const int64_t *pattern, size_t len, uint64_t count, int64_t delta,
                              unsigned threads)
{
    struct chain *c = calloc(1, sizeof(*c));
    const struct kn_options o = {0};
    assert_non_null(c);
    assert_int_equal(pat_config_init(&c->config), LS_OK);
    c->config.operation = PAT_OPERATION_CHASE;
    c->config.count = count;
    c->config.delta = delta;
    c->config.pattern.data = malloc(len * sizeof(*pattern));
    assert_non_null(c->config.pattern.data);
    memcpy(c->config.pattern.data, pattern, len * sizeof(*pattern));
    c->config.pattern.len = len;
    assert_int_equal(kn_plan_init(&c->plan, &c->config, &o, threads), LS_OK);
    assert_int_equal(kn_arrays_init(&c->arena, &c->plan, &kn_backend_serial, KN_PAGES_DEFAULT), LS_OK);
    assert_true(kn_chain_fits(&c->plan));
    kn_chain_link(&c->arena);
    return c;
}

static void end(struct chain *c)
{
    kn_arrays_fini(&c->arena);
    pat_config_fini(&c->config);
    free(c);
}

static const uint64_t *element_address(const struct chain *c, int64_t element)
{
    return (const uint64_t *)c->arena.from.base + (element - c->plan.from.extent.low);
}

/* The list leads through the pattern's elements, row by row, and back. */
static void leads_through(const struct chain *c, const int64_t *pattern, size_t len, uint64_t count,
                          int64_t delta)
{
    const uint64_t *at = element_address(c, pattern[0]);
    for (uint64_t i = 0; i < count; i++)
        for (size_t j = 0; j < len; j++) {
            assert_ptr_equal(at, element_address(c, pattern[j] + (int64_t)i * delta));
            at = (const uint64_t *)(uintptr_t)*at;
        }
    assert_ptr_equal(at, element_address(c, pattern[0]));
}

static const struct kn_variant *walker(void)
{
    const struct kn_wish w = {
        .kernel = PAT_GATHER, .operation = PAT_OPERATION_CHASE, .element_bytes = 8, .linked = true};
    const struct kn_variant *found;
    size_t len;
    kn_variant_find(&w, &found, 1, &len);
    assert_int_equal(len, 1);
    return found;
}

static bool is_valid_after(const struct chain *c, const struct kn_variant *v)
{
    struct kn_result r = {0};
    struct kn_runner runner = kn_runner_of(&c->arena, v, false);
    kn_runner_time(&runner, (struct kn_turn){.repeats = 1});
    kn_validate(&c->arena, &r);
    return r.valid;
}

static const int64_t nodes[] = {9,  8,  1,  0,  33,
                                32, 17, 16, 25, 24}; /* two loads each of nodes out of order */
enum { NODES = sizeof(nodes) / sizeof(nodes[0]) };

static void a_list_is_linked_in_the_patterns_order(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++)
        for (int64_t delta = -40; delta <= 40; delta += 40) {
            struct chain *c = chain_of(nodes, NODES, 7, delta, threads);
            assert_true(c->arena.linked);
            leads_through(c, nodes, NODES, 7, delta);
            assert_true(is_valid_after(c, walker()));
            end(c);
        }
}

/* One wrong link changes the loaded values. */
static void a_wrong_link_is_detected(void **state)
{
    (void)state;
    struct chain *c = chain_of(nodes, NODES, 7, 40, 2);
    uint64_t *link = (uint64_t *)(uintptr_t)element_address(c, nodes[3]);
    *link = (uintptr_t)element_address(c, nodes[6]);
    assert_false(is_valid_after(c, walker()));
    end(c);
}

static void an_element_with_two_successors_is_not_linked(void **state)
{
    (void)state;
    const int64_t twice[] = {0, 5, 0, 7}, stairs[] = {3, 0};
    struct chain *c = chain_of(twice, 4, 1, 0, 1);
    assert_false(c->arena.linked);
    for (size_t j = 0; j < 4; j++)
        assert_int_equal(*element_address(c, twice[j]), kn_value_bits(c->plan.from.salt, twice[j], 8));
    end(c);
    c = chain_of(stairs, 2, 5, 3, 1); /* 3 leads to 0, then to 3 */
    assert_false(c->arena.linked);
    end(c);
}

static void what_is_linked(struct chain *c, unsigned index_bits, unsigned threads, bool linked)
{
    const struct kn_options o = {.runs = 2, .threads = threads, .index_bits = index_bits};
    struct kn_result r;
    assert_int_equal(kn_replay_run(&c->config, &o, &r), LS_OK);
    assert_true(r.valid);
    assert_int_equal(strstr(r.variant, "linked elements") != NULL, linked);
    assert_int_equal(r.index_bits == 0, linked);
    if (linked) assert_int_equal(r.bytes_with_indices, r.bytes);
    kn_result_fini(&r);
}

/* A requested width of indices is used. */
static void a_replay_links_unless_indices_are_asked_for(void **state)
{
    (void)state;
    struct chain *c = chain_of(nodes, NODES, 7, 40, 1);
    for (unsigned threads = 1; threads <= 2; threads++) {
        what_is_linked(c, 0, threads, true);
        what_is_linked(c, 32, threads, false);
        what_is_linked(c, 64, threads, false);
    }
    c->config.pattern.data[2] = nodes[0];
    what_is_linked(c, 0, 1, false);
    end(c);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_is_linked_in_the_patterns_order),
        cmocka_unit_test(a_wrong_link_is_detected),
        cmocka_unit_test(an_element_with_two_successors_is_not_linked),
        cmocka_unit_test(a_replay_links_unless_indices_are_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
