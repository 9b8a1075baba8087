/* SPDX-License-Identifier: BSD-3-Clause */
/* The public tree and its registry: calls of the sink, ends by freed memory, refusals. */
#include "loadstone/loadstone.h"
#include "smrtree/smr_registry.h"
#include "tests/unit.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define AT(a) ((const volatile void *)(uintptr_t)(a))
#define PAGE UINT64_C(0x10000000)

static char heard[4096]; /* calls of the sink, as text */

static void hear(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const size_t len = strlen(heard);
    vsnprintf(heard + len, sizeof(heard) - len, format, args);
    va_end(args);
}

static void hear_add(void *user, const struct smr_event_node *e)
{
    (void)user;
    hear("+%s<%u ", e->label, e->parent);
}

static void hear_range(void *user, const struct smr_event_node *e)
{
    (void)user;
    hear("~%u:%llu ", e->node, (unsigned long long)(e->end - e->base));
}

static void hear_remove(void *user, uint64_t time_ns, uint32_t node, bool freed)
{
    (void)user, (void)time_ns, (void)node;
    hear(freed ? "free " : "- ");
}

static void hear_member(void *user, uint64_t time_ns, uint32_t group, uint32_t member)
{
    (void)user, (void)time_ns;
    hear("%u>%u ", member, group);
}

static void hear_phase(void *user, uint64_t time_ns, const char *name, bool begin)
{
    (void)user, (void)time_ns;
    hear("%s%s ", begin ? "{" : "}", name);
}

static void hear_control(void *user, bool start)
{
    (void)user;
    hear(start ? "start " : "stop ");
}

static const struct smr_sink ear = {hear_add,   hear_range,   hear_remove, hear_member,
                                    hear_phase, hear_control, NULL};

static smr_tree *tree_made(void)
{
    smr_tree *t = NULL;
    assert_int_equal(smr_tree_new(&t), LS_OK);
    return t;
}

static ls_err add(smr_tree *t, const char *label, uint64_t base, uint64_t len_bytes, smr_node **out)
{
    const struct smr_spec spec = {label, AT(base), AT(base + len_bytes), 8, 1};
    return smr_tree_insert(t, &spec, out);
}

static smr_node *added(smr_tree *t, const char *label, uint64_t base, uint64_t len_bytes)
{
    smr_node *n = NULL;
    assert_int_equal(add(t, label, base, len_bytes, &n), LS_OK);
    return n;
}

static void an_overlap_names_both_labels_across_trees(void **state)
{
    (void)state;
    smr_tree *t = tree_made(), *u = tree_made();
    smr_node *n = NULL;
    added(t, "mesh", PAGE, 100);
    assert_int_equal(add(u, "halo", PAGE + 50, 100, &n), LS_ERR_OVERLAP);
    assert_non_null(strstr(ls_last_error(), "\"mesh\""));
    assert_non_null(strstr(ls_last_error(), "\"halo\""));
    assert_null(n);
    assert_int_equal(smr_registry_len(), 1);
    assert_true(smr_tree_is_valid(t) && smr_tree_is_valid(u));
    smr_tree_free(t);
    assert_int_equal(add(u, "halo", PAGE + 50, 100, &n), LS_OK);
    smr_tree_free(u);
    assert_int_equal(smr_registry_len(), 0);
}

static void indices_are_64_bit_and_count_components(void **state)
{
    (void)state;
    smr_tree *t = tree_made();
    const struct smr_spec spec = {"huge", AT(PAGE), AT(PAGE + (UINT64_C(1) << 44)), 8, 3};
    smr_node *n = NULL;
    uint64_t element = 0, component = 0;
    assert_int_equal(smr_tree_insert(t, &spec, &n), LS_OK);
    const uint64_t addr = PAGE + UINT64_C(5000000000) * 24 + 17;
    assert_ptr_equal(smr_tree_find(t, addr), n);
    assert_int_equal(smr_node_index_of(n, addr, &element, &component), LS_OK);
    assert_true(element == UINT64_C(5000000000) && component == 2);
    assert_int_equal(smr_node_index_of(n, PAGE - 1, &element, NULL), LS_ERR_RANGE);
    assert_true(smr_node_elements(n) == ((UINT64_C(1) << 44) + 23) / 24);
    smr_tree_free(t);
}

static void nested_ranges_show_as_children_whatever_the_order(void **state)
{
    (void)state;
    smr_tree *t = tree_made();
    smr_node *inner = added(t, "inner", PAGE + 40, 8), *beside = added(t, "beside", PAGE + 80, 8);
    smr_node *outer = added(t, "outer", PAGE, 100);
    smr_node *same = added(t, "same range", PAGE, 100);
    assert_ptr_equal(smr_node_parent(same), outer);
    assert_ptr_equal(smr_node_parent(inner), same); /* where ranges are equal, the later is the inner one */
    assert_ptr_equal(smr_node_next(inner), beside);
    assert_ptr_equal(smr_tree_find(t, PAGE + 40), inner);
    assert_ptr_equal(smr_tree_find(t, PAGE + 50), same);
    assert_true(smr_tree_is_valid(t));
    assert_int_equal(smr_node_remove(same), LS_OK);
    assert_ptr_equal(smr_node_parent(inner), outer);
    assert_int_equal(smr_node_remove(outer), LS_OK);
    assert_null(smr_node_parent(inner));
    assert_true(smr_tree_is_valid(t));
    smr_tree_free(t);
}

static void the_same_label_and_start_is_the_same_node(void **state)
{
    (void)state;
    smr_tree *t = tree_made();
    smr_node *a = added(t, "A", PAGE, 100), *stop = added(t, "stop", PAGE + 300, 100);
    smr_node *again = NULL;
    assert_ptr_equal(added(t, "A", PAGE, 200), a);
    assert_true(smr_node_end(a) == PAGE + 200);
    assert_int_equal(add(t, "A", PAGE, 350, &again), LS_ERR_OVERLAP);
    assert_true(smr_node_end(a) == PAGE + 200 && smr_tree_find(t, PAGE + 199) == a);
    assert_int_equal(smr_node_resize(a, AT(PAGE + 400), AT(PAGE + 500)), LS_OK);
    assert_null(smr_tree_find(t, PAGE));
    assert_ptr_equal(smr_tree_find(t, PAGE + 450), a);
    assert_int_equal(smr_node_resize(a, AT(PAGE + 350), AT(PAGE + 500)), LS_ERR_OVERLAP);
    assert_ptr_equal(smr_tree_find(t, PAGE + 450), a);
    assert_int_equal(smr_node_resize(a, AT(PAGE), AT(PAGE)), LS_ERR_RANGE);
    assert_ptr_equal(smr_tree_find(t, PAGE + 350), stop);
    assert_true(smr_tree_is_valid(t));
    smr_tree_free(t);
}

static int refuse_change(void *user, smr_node *n, unsigned depth)
{
    unsigned *depth_sum = user;
    assert_int_equal(smr_node_remove(n), LS_ERR_BUSY);
    *depth_sum += depth;
    return 0;
}

static void groups_nest_but_not_in_circles(void **state)
{
    (void)state;
    smr_tree *t = tree_made();
    smr_node *g = NULL, *h = NULL, *a = added(t, "A", PAGE, 100);
    unsigned depth_sum = 0;
    assert_int_equal(smr_tree_insert_group(t, "Input", &g), LS_OK);
    assert_int_equal(smr_tree_insert_group(t, "Matrices", &h), LS_OK);
    assert_int_equal(smr_node_add_member(g, a), LS_OK);
    assert_int_equal(smr_node_add_member(g, h), LS_OK);
    assert_int_equal(smr_node_add_member(h, g), LS_ERR_ARG);
    assert_int_equal(smr_node_add_member(g, g), LS_ERR_ARG);
    assert_int_equal(smr_node_add_member(a, h), LS_ERR_ARG);
    assert_int_equal(smr_node_add_member(h, a), LS_OK); /* moves */
    assert_ptr_equal(smr_node_parent(a), h);
    assert_int_equal(smr_tree_walk(t, refuse_change, &depth_sum), 0);
    assert_int_equal(depth_sum, 0 + 1 + 2);
    added(t, "around", PAGE - 8, 200);
    assert_ptr_equal(smr_node_parent(a), h); /* the program's wish outlives a new neighbour */
    assert_int_equal(smr_node_remove(h), LS_OK);
    assert_string_equal(smr_node_label(smr_node_parent(a)), "around");
    assert_true(smr_tree_is_valid(t));
    smr_tree_free(t);
}

static void freed_memory_ends_the_ranges_inside(void **state)
{
    (void)state;
    smr_tree *t = tree_made();
    smr_node *a = added(t, "a", PAGE, 64), *b = added(t, "b", PAGE + 64, 64),
             *out = added(t, "out", PAGE + 120 + 64, 64);
    smr_registry_end_inside(PAGE, 16); /* shorter than any range */
    smr_registry_end_inside(PAGE - 4096, 4096);
    assert_int_equal(smr_registry_len(), 3);
    smr_registry_end_inside(PAGE, 200); /* reaches into "out" but does not hold it */
    assert_int_equal(smr_registry_len(), 1);
    assert_false(smr_node_is_alive(a) || smr_node_is_alive(b));
    assert_true(smr_node_is_alive(out));
    assert_true(smr_node_born_ns(a) <= smr_node_died_ns(a));
    assert_true(smr_tree_is_valid(t));
    const uint32_t first_life = smr_node_id(a);
    assert_int_equal(smr_node_resize(a, AT(PAGE), AT(PAGE + 32)), LS_OK);
    assert_true(smr_node_is_alive(a) && smr_node_id(a) != first_life);
    smr_registry_end_inside(UINT64_MAX - 10, 100);
    smr_registry_end_inside(0, UINT64_MAX);
    assert_int_equal(smr_registry_len(), 0);
    assert_true(smr_tree_is_valid(t));
    smr_tree_free(t);
}

static void the_sink_receives_everything_in_order(void **state)
{
    (void)state;
    smr_tree *t = tree_made();
    smr_node *g = NULL, *a = NULL;
    char want[256];
    assert_int_equal(smr_tree_insert_group(t, "G", &g), LS_OK);
    a = added(t, "a", PAGE, 64);
    assert_int_equal(smr_node_add_member(g, a), LS_OK);
    heard[0] = 0;
    loadstone_phase_begin("nobody listens");
    smr_registry_set_sink(&ear);
    const unsigned gi = smr_node_id(g), ai = smr_node_id(a);
    snprintf(want, sizeof(want), "+G<0 +a<%u ", gi);
    assert_string_equal(heard, want);
    heard[0] = 0;
    smr_node *b = added(t, "b", PAGE + 1024, 64);
    const unsigned bi = smr_node_id(b);
    added(t, "a", PAGE, 32);
    smr_node *c = added(t, "c", PAGE + 1000, 200);
    const unsigned ci = smr_node_id(c);
    assert_int_equal(smr_node_add_member(g, b), LS_OK);
    loadstone_start();
    loadstone_phase_begin("p");
    loadstone_phase_end("p");
    loadstone_phase_end(NULL);
    loadstone_stop();
    smr_registry_end_inside(PAGE, 64);
    assert_int_equal(smr_node_remove(b), LS_OK);
    snprintf(want, sizeof(want), "+b<0 ~%u:32 +c<0 %u>%u %u>%u start {p }p stop free - ", ai, bi, ci, bi, gi);
    assert_string_equal(heard, want);
    smr_registry_set_sink(NULL);
    smr_tree_free(t);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    smr_tree *t = tree_made();
    smr_node *n = NULL;
    const struct smr_spec no_size = {"x", AT(PAGE), AT(PAGE + 8), 0, 1},
                          no_label = {NULL, AT(PAGE), AT(PAGE + 8), 8, 1};
    char *long_label = malloc(5000);
    memset(long_label, 'x', 4999);
    long_label[4999] = 0;
    assert_int_equal(smr_tree_insert(t, &no_size, &n), LS_ERR_ARG);
    assert_int_equal(smr_tree_insert(t, &no_label, &n), LS_ERR_ARG);
    assert_int_equal(smr_tree_insert(NULL, &no_size, &n), LS_ERR_ARG);
    assert_int_equal(add(t, long_label, PAGE, 8, &n), LS_ERR_ARG);
    assert_int_equal(add(t, "empty", PAGE, 0, &n), LS_ERR_RANGE);
    assert_int_equal(smr_node_remove(NULL), LS_ERR_ARG);
    assert_null(smr_tree_first(t));
    assert_null(n);
    free(long_label);
    smr_tree_free(t);
    smr_tree_free(NULL);
}

enum { THREADS = 4, ROUNDS = 3000 };

static void *register_and_free(void *user)
{
    const uint64_t lane = (uint64_t)(uintptr_t)user * PAGE;
    smr_tree *t = NULL;
    if (smr_tree_new(&t) != LS_OK) return "no tree";
    for (uint64_t i = 1; i <= ROUNDS; i++) {
        const struct smr_spec spec = {"x", AT(lane + i * 64), AT(lane + i * 64 + 64), 8, 1};
        smr_node *n = NULL;
        if (smr_tree_insert(t, &spec, &n) != LS_OK) return "insert";
        if (smr_tree_find(t, lane + i * 64 + 8) != n) return "find";
        if (i % 3 == 0) smr_registry_end_inside(lane + i * 64, 64);
        if (i % 3 == 0 && smr_node_is_alive(n)) return "alive";
        if (i % 3 == 1 && smr_node_remove(n) != LS_OK) return "remove";
    }
    smr_tree_free(t);
    return NULL;
}

static void threads_share_the_registry(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, register_and_free, (void *)(i + 1)), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong = NULL;
        pthread_join(threads[i], &wrong);
        if (wrong) fail_msg("thread %d: %s", i, (const char *)wrong);
    }
    assert_int_equal(smr_registry_len(), 0);
}

static _Atomic int churn_on = 1;

static void *churn(void *user)
{
    while (churn_on)
        if (register_and_free((void *)(uintptr_t)7)) return user;
    return NULL;
}

static void a_child_of_fork_finds_the_registry_unlocked(void **state)
{
    (void)state;
    pthread_t busy;
    void *wrong = NULL;
    assert_int_equal(pthread_create(&busy, NULL, churn, heard), 0);
    for (int i = 0; i < 50; i++) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(20); /* a deadlock must fail, not hang */
            smr_registry_end_inside(PAGE, 1 << 20);
            smr_tree *t = NULL;
            _exit(smr_tree_new(&t) == LS_OK && smr_tree_is_valid(t) ? 0 : 1);
        }
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    churn_on = 0;
    pthread_join(busy, &wrong);
    assert_null(wrong);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_overlap_names_both_labels_across_trees),
        cmocka_unit_test(indices_are_64_bit_and_count_components),
        cmocka_unit_test(nested_ranges_show_as_children_whatever_the_order),
        cmocka_unit_test(the_same_label_and_start_is_the_same_node),
        cmocka_unit_test(groups_nest_but_not_in_circles),
        cmocka_unit_test(freed_memory_ends_the_ranges_inside),
        cmocka_unit_test(the_sink_receives_everything_in_order),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(threads_share_the_registry),
        cmocka_unit_test(a_child_of_fork_finds_the_registry_unlocked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
