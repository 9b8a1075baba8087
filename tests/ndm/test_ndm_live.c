/* SPDX-License-Identifier: BSD-3-Clause */
/* Domains and maps of a program, as a sink receives them, and calls of natural-domain functions. */
#include "loadstone/loadstone.h"
#include "loadstone/ndm.h"
#include "ndm/ndm_registry.h"
#include "smrtree/smr_registry.h"
#include "tests/unit.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

bool ndm_keeps_unreported = true; /* as in the preloaded runtime */

#define BASE UINT64_C(0x100000)
#define AT(address) ((const void *)(uintptr_t)(address))

static char heard[4096];

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...)
{
    const size_t len = strlen(heard);
    va_list args;
    va_start(args, format);
    vsnprintf(heard + len, sizeof(heard) - len, format, args);
    va_end(args);
}

static void on_domain_add(void *user, uint32_t domain, const struct ndm_geometry *g)
{
    (void)user;
    note("+%s=%u:%llu,%llu ", g->label, domain, (unsigned long long)g->cells_len,
         (unsigned long long)g->points_len);
    if (g->kind == NDM_MESH) assert_true(g->points && g->offsets && g->shapes);
}

static void on_domain_change(void *user, uint32_t domain, const struct ndm_geometry *g)
{
    (void)user;
    note("~%u:x0=%g ", domain, g->points[0]);
}

static void on_domain_remove(void *user, uint32_t domain)
{
    (void)user;
    note("-%u ", domain);
}

static void on_map_add(void *user, uint32_t map, uint32_t domain, const struct ndm_map *m)
{
    (void)user;
    note("map%u>%u kind%u ", map, domain, (unsigned)m->kind);
    if (m->kind == NDM_MAP_TARGETS) note("t0=%llu ", (unsigned long long)m->targets[0]);
}

static void on_node_map(void *user, uint32_t node, uint32_t map)
{
    (void)user;
    note("%u>map%u ", node, map);
}

static void on_settle(void *user)
{
    (void)user;
    note("settle ");
}

static const struct ndm_sink ear = {.domain_add = on_domain_add,
                                    .domain_change = on_domain_change,
                                    .domain_remove = on_domain_remove,
                                    .map_add = on_map_add,
                                    .node_map = on_node_map,
                                    .settle = on_settle};

static int setup(void **state)
{
    (void)state;
    heard[0] = 0;
    ndm_registry_set_sink(&ear);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    ndm_registry_set_sink(NULL);
    return 0;
}

static smr_tree *tree_made(void)
{
    smr_tree *t = NULL;
    assert_int_equal(smr_tree_new(&t), LS_OK);
    return t;
}

/* A range of 8-byte elements. */
static smr_node *range(smr_tree *t, const char *label, uint64_t base, uint64_t elements)
{
    const struct smr_spec spec = {label, AT(base), AT(base + 8 * elements), 8, 1};
    smr_node *n = NULL;
    assert_int_equal(smr_tree_insert(t, &spec, &n), LS_OK);
    return n;
}

static smr_node *group(smr_tree *t, const char *label)
{
    smr_node *n = NULL;
    assert_int_equal(smr_tree_insert_group(t, label, &n), LS_OK);
    return n;
}

static ndm_domain *grid(const char *label, uint64_t nx, uint64_t ny)
{
    const struct ndm_grid g = {.label = label, .dims = 2, .extents = {nx, ny}};
    ndm_domain *d = NULL;
    if (ndm_domain_new_grid(&g, &d) != LS_OK) fail_msg("refused: %s", ls_last_error());
    return d;
}

static void hears(const char *want)
{
    assert_string_equal(heard, want);
    heard[0] = 0;
}

static void says(const char *word)
{
    if (!strstr(ls_last_error(), word)) fail_msg("\"%s\" does not say \"%s\"", ls_last_error(), word);
}

static void maps_are_reported_in_order_and_end(void **state)
{
    (void)state;
    char want[256];
    smr_tree *t = tree_made();
    smr_node *a = range(t, "a", BASE, 12), *b = range(t, "b", BASE + 4096, 24);
    const unsigned ai = smr_node_id(a), bi = smr_node_id(b);
    ndm_domain *g = grid("plate", 4, 3);
    hears("+plate=1:12,0 ");
    assert_string_equal(ndm_domain_label(g), "plate");
    assert_int_equal(ndm_map_grid(a, g, NULL), LS_OK);
    assert_int_equal(ndm_map_grid(b, g, &(struct ndm_layout){.elements_per_cell = 2}), LS_OK);
    snprintf(want, sizeof(want), "map1>1 kind0 %u>map1 map2>1 kind0 %u>map2 ", ai, bi);
    hears(want);
    assert_int_equal(ndm_map_mesh(a, g, NDM_CELLS, 1), LS_OK); /* another one in its place */
    snprintf(want, sizeof(want), "map3>1 kind1 %u>map3 ", ai);
    hears(want);
    smr_registry_end_inside(BASE, 4096);
    hears("");
    assert_int_equal(ndm_map_grid(a, g, NULL), LS_ERR_ARG);
    says("\"a\" was freed");
    assert_int_equal(smr_node_resize(a, AT(BASE), AT(BASE + 96)), LS_OK); /* a new life */
    snprintf(want, sizeof(want), "%u>map3 ", smr_node_id(a));
    hears(want);
    assert_int_equal(smr_node_remove(a), LS_OK);
    hears("");
    ndm_domain_free(g);
    snprintf(want, sizeof(want), "%u>map0 -1 ", bi);
    hears(want);
    smr_tree_free(t);
    ndm_domain_free(NULL);
}

static void groups_map_all_their_ranges_or_none(void **state)
{
    (void)state;
    char want[256];
    smr_tree *t = tree_made();
    smr_node *a = range(t, "a", BASE, 12), *b = range(t, "b", BASE + 4096, 12),
             *odd = range(t, "odd", BASE + 8192, 13);
    smr_node *all = group(t, "all"), *some = group(t, "some");
    const unsigned ai = smr_node_id(a), bi = smr_node_id(b);
    range(t, "inside a", BASE, 3); /* no member */
    ndm_domain *g = grid("plate", 4, 3);
    assert_int_equal(ndm_map_grid(all, g, NULL), LS_ERR_ARG);
    says("no living ranges");
    smr_node_add_member(all, a);
    smr_node_add_member(all, some);
    smr_node_add_member(some, b);
    smr_node_add_member(some, odd);
    heard[0] = 0;
    assert_int_equal(ndm_map_grid(all, g, NULL), LS_ERR_RANGE);
    says("\"odd\": element 12 is not covered");
    hears("");
    smr_node_remove(odd);
    assert_int_equal(ndm_map_grid(all, g, NULL), LS_OK);
    const unsigned map = (unsigned)strtoul(heard + 3, NULL, 10);
    snprintf(want, sizeof(want), "map%u>2 kind0 %u>map%u %u>map%u ", map, ai, map, bi, map);
    hears(want);
    assert_int_equal(ndm_unmap(all), LS_OK);
    snprintf(want, sizeof(want), "%u>map0 %u>map0 ", ai, bi);
    hears(want);
    assert_int_equal(ndm_unmap(a), LS_OK);
    hears("");
    smr_tree_free(t);
    ndm_domain_free(g);
}

static void refused_calls_change_nothing(void **state)
{
    (void)state;
    smr_tree *t = tree_made();
    smr_node *a = range(t, "temperature", BASE, 12);
    ndm_domain *g = grid("plate", 4, 3), *other = NULL;
    heard[0] = 0;
    assert_int_equal(
        ndm_domain_new_grid(&(struct ndm_grid){.label = "plate", .dims = 1, .extents = {1}}, &other),
        LS_ERR_EXISTS);
    assert_int_equal(ndm_domain_new_grid(&(struct ndm_grid){.label = "p", .dims = 2, .extents = {1}}, &other),
                     LS_ERR_ARG);
    assert_int_equal(ndm_domain_new_grid(NULL, &other), LS_ERR_ARG);
    assert_int_equal(ndm_domain_new_mesh(NULL, &other), LS_ERR_ARG);
    assert_int_equal(ndm_domain_new_grid(&(struct ndm_grid){.label = "q"}, NULL), LS_ERR_ARG);
    assert_null(other);
    assert_int_equal(ndm_map_grid(a, g, &(struct ndm_layout){.ghost_low = {1}}), LS_ERR_RANGE);
    says("\"temperature\": element 12 is missing");
    says("15");
    assert_int_equal(ndm_map_grid(a, NULL, NULL), LS_ERR_ARG);
    assert_int_equal(ndm_map_grid(NULL, g, NULL), LS_ERR_ARG);
    assert_int_equal(ndm_map_mesh(a, g, NDM_POINTS, 1), LS_ERR_ARG);
    says("cells only");
    assert_int_equal(ndm_map_mesh(a, g, (enum ndm_centering)5, 1), LS_ERR_ARG);
    assert_int_equal(ndm_map_mesh(a, g, NDM_CELLS, UINT64_MAX), LS_ERR_RANGE);
    const int64_t targets[12] = {[7] = 12};
    struct ndm_indirection in = {.target = targets, .targets_len = 12, .index_size_bytes = 8};
    assert_int_equal(ndm_map_indirect(a, g, &in), LS_ERR_RANGE);
    says("\"temperature\": element 7 has the target 12");
    in.targets_len = 5;
    assert_int_equal(ndm_map_indirect(a, g, &in), LS_ERR_RANGE);
    says("element 5 is not covered");
    in.index_size_bytes = 3;
    assert_int_equal(ndm_map_indirect(a, g, &in), LS_ERR_ARG);
    assert_int_equal(ndm_map_indirect(a, g, NULL), LS_ERR_ARG);
    assert_int_equal(ndm_map_callback(a, g, NULL, NULL), LS_ERR_ARG);
    assert_int_equal(ndm_unmap(NULL), LS_ERR_ARG);
    assert_int_equal(ndm_domain_refresh_at_phases(g, 1), LS_ERR_ARG);
    hears("");
    smr_tree_free(t);
    ndm_domain_free(g);
}

static int map_inside_a_walk(void *user, smr_node *n, unsigned depth)
{
    (void)depth;
    return (int)ndm_map_grid(n, user, NULL);
}

static void a_walk_does_not_map(void **state)
{
    (void)state;
    smr_tree *t = tree_made();
    range(t, "a", BASE, 12);
    ndm_domain *g = grid("plate", 4, 3);
    assert_int_equal(smr_tree_walk(t, map_inside_a_walk, g), LS_ERR_BUSY);
    smr_tree_free(t);
    ndm_domain_free(g);
}

static void a_late_sink_receives_existing_nodes(void **state)
{
    (void)state;
    char want[256];
    ndm_registry_set_sink(NULL);
    smr_tree *t = tree_made();
    smr_node *a = range(t, "a", BASE, 2);
    double x[3] = {0, 1, 2};
    const uint32_t lines[4] = {0, 1, 1, 2};
    const struct ndm_mesh mesh = {.label = "rod",
                                  .points_len = 3,
                                  .coords = {x},
                                  .cells_len = 2,
                                  .shape = NDM_LINE,
                                  .connectivity = lines,
                                  .index_size_bytes = 4};
    const int32_t targets[2] = {1, 0};
    const struct ndm_indirection in = {.target = targets, .targets_len = 2, .index_size_bytes = 4};
    ndm_domain *rod = NULL;
    assert_int_equal(ndm_domain_new_mesh(&mesh, &rod), LS_OK);
    assert_int_equal(ndm_map_indirect(a, rod, &in), LS_OK);
    hears("");
    ndm_registry_set_sink(&ear);
    unsigned domain = 0, map = 0;
    assert_int_equal(sscanf(heard, "+rod=%u:2,3 map%u>", &domain, &map), 2);
    snprintf(want, sizeof(want), "+rod=%u:2,3 map%u>%u kind2 t0=1 %u>map%u ", domain, map, domain,
             smr_node_id(a), map);
    hears(want);
    smr_tree_free(t);
    ndm_domain_free(rod);
}

static void on_phase(void *user, uint64_t time_ns, const char *name, bool begin)
{
    (void)user, (void)time_ns, (void)name, (void)begin;
}

static void meshes_that_move_are_copied_at_phases(void **state)
{
    (void)state;
    char want[256];
    smr_tree *t = tree_made();
    smr_node *a = range(t, "a", BASE, 2);
    double x[3] = {0, 1, 2};
    const int64_t lines[4] = {1, 2, 2, 3};
    int64_t targets[2] = {1, 2};
    const struct ndm_mesh mesh = {.label = "rod",
                                  .points_len = 3,
                                  .coords = {x},
                                  .cells_len = 2,
                                  .shape = NDM_LINE,
                                  .connectivity = lines,
                                  .index_size_bytes = 8,
                                  .index_base = 1};
    const struct ndm_indirection in = {
        .target = targets, .targets_len = 2, .index_size_bytes = 8, .index_base = 1};
    ndm_domain *rod = NULL;
    static const struct smr_sink phases = {.phase = on_phase};
    smr_registry_set_sink(&phases);
    assert_int_equal(ndm_domain_new_mesh(&mesh, &rod), LS_OK);
    assert_int_equal(ndm_map_indirect(a, rod, &in), LS_OK);
    unsigned domain = 0, map = 0;
    assert_int_equal(sscanf(heard, "+rod=%u:2,3 map%u>", &domain, &map), 2);
    heard[0] = 0;
    x[0] = -3;
    loadstone_phase_begin("not asked for");
    hears("");
    assert_int_equal(ndm_domain_refresh_at_phases(rod, 1), LS_OK);
    targets[0] = 2;
    loadstone_phase_begin("step");
    snprintf(want, sizeof(want), "~%u:x0=-3 map%u>%u kind2 t0=1 ", domain, map, domain);
    hears(want);
    x[1] = NAN;
    targets[1] = 3;
    loadstone_phase_begin("bad");
    hears("");
    assert_int_equal(ndm_domain_refresh_at_phases(rod, 0), LS_OK);
    x[1] = 0;
    loadstone_phase_begin("no more");
    hears("");
    loadstone_phase_end("step");
    smr_registry_set_sink(NULL);
    smr_tree_free(t);
    ndm_domain_free(rod);
}

/* ---- callbacks ---- */

static double cost[4];
static struct loadstone_point point;

static void *record(smr_node *n, struct mem_sample *sample, void *user)
{
    uint64_t element;
    if (smr_node_index_of(n, sample->daddr, &element, NULL) != LS_OK) return NULL;
    cost[element] += (double)sample->cost;
    point.at[0] = (double)element;
    return user ? &point : NULL;
}

static void the_range_that_was_hit_is_called_with(void **state)
{
    (void)state;
    smr_tree *t = tree_made();
    smr_node *a = range(t, "a", BASE, 4), *b = range(t, "b", BASE + 4096, 4), *g = group(t, "g");
    smr_node_add_member(g, a);
    smr_node_add_member(g, b);
    assert_int_equal(ndm_map_callback(g, NULL, record, &point), LS_OK);
    assert_int_equal(ndm_calls_len(), 2);
    struct ndm_call c;
    struct mem_sample s = {.daddr = BASE + 4096 + 8, .cost = 7};
    assert_false(ndm_call_begin(BASE - 1, &c));
    assert_true(ndm_call_begin(s.daddr, &c));
    assert_true(c.node == b && c.node_id == smr_node_id(b) && c.domain == 0);
    assert_ptr_equal(c.fn(c.node, &s, c.user), &point);
    assert_true(point.at[0] == 1 && cost[1] == 7);
    ndm_call_end(&c, true); /* for all nodes of the map */
    assert_int_equal(ndm_calls_len(), 0);
    assert_false(ndm_call_begin(BASE, &c));
    ndm_domain *d = grid("plate", 4, 1);
    assert_int_equal(ndm_map_callback(a, d, record, NULL), LS_OK);
    assert_int_equal(ndm_calls_len(), 1);
    assert_true(ndm_call_begin(BASE, &c) && c.domain != 0);
    ndm_call_end(&c, false);
    heard[0] = 0;
    assert_int_equal(smr_node_remove(b), LS_OK); /* its function is not called any more: nothing to settle */
    hears("");
    assert_int_equal(smr_node_remove(a), LS_OK);
    hears("settle ");
    assert_int_equal(ndm_calls_len(), 0);
    smr_tree_free(t);
    ndm_domain_free(d);
}

static void a_function_does_not_replace_a_map_silently(void **state)
{
    (void)state;
    smr_tree *t = tree_made();
    smr_node *a = range(t, "a", BASE, 4), *b = range(t, "b", BASE + 4096, 4), *g = group(t, "g");
    ndm_domain *d = grid("plate", 4, 1);
    smr_node_add_member(g, a);
    smr_node_add_member(g, b);
    assert_int_equal(ndm_map_grid(b, d, NULL), LS_OK);
    assert_int_equal(ndm_map_callback(b, NULL, record, NULL), LS_ERR_EXISTS);
    assert_non_null(strstr(ls_last_error(), "\"b\" is mapped already"));
    assert_int_equal(ndm_map_callback(g, NULL, record, NULL), LS_ERR_EXISTS); /* none of the group */
    assert_int_equal(ndm_calls_len(), 0);
    assert_int_equal(ndm_unmap(b), LS_OK);
    assert_int_equal(ndm_map_callback(g, NULL, record, NULL), LS_OK);
    assert_int_equal(ndm_map_callback(b, NULL, record, NULL), LS_OK); /* another function */
    assert_int_equal(ndm_map_grid(a, d, NULL), LS_OK);
    assert_int_equal(ndm_calls_len(), 1);
    smr_tree_free(t);
    ndm_domain_free(d);
}

static void a_function_may_remove_its_own_node(void **state)
{
    (void)state;
    smr_tree *t = tree_made();
    smr_node *a = range(t, "a", BASE, 4);
    assert_int_equal(ndm_map_callback(a, NULL, record, NULL), LS_OK);
    struct ndm_call c;
    assert_true(ndm_call_begin(BASE, &c));
    assert_int_equal(smr_node_remove(a), LS_OK);
    assert_null(strstr(heard, "settle"));
    ndm_call_end(&c, true);
    smr_tree_free(t);
}

static struct {
    smr_node *node;
    _Atomic int is_calling, has_returned, was_early;
} race;

static void *call_slowly(void *user)
{
    struct ndm_call c;
    const struct timespec pause = {0, 50000000};
    if (!ndm_call_begin(BASE, &c)) return user;
    race.is_calling = 1;
    nanosleep(&pause, NULL);
    if (smr_node_elements(c.node) != 4) race.was_early = 1; /* freed memory, under a checker */
    race.has_returned = 1;
    ndm_call_end(&c, false);
    return NULL;
}

static void removal_waits_for_the_call(smr_tree *t, void (*end)(smr_tree *t))
{
    pthread_t caller;
    void *wrong = NULL;
    race.node = range(t, "a", BASE, 4);
    race.is_calling = race.has_returned = 0;
    assert_int_equal(ndm_map_callback(race.node, NULL, record, NULL), LS_OK);
    assert_int_equal(pthread_create(&caller, NULL, call_slowly, heard), 0);
    while (!race.is_calling)
        sched_yield();
    end(t);
    assert_true(race.has_returned);
    pthread_join(caller, &wrong);
    assert_null(wrong);
    assert_false(race.was_early);
}

static void end_by_remove(smr_tree *t)
{
    (void)t;
    assert_int_equal(smr_node_remove(race.node), LS_OK);
}

static void end_by_unmap(smr_tree *t)
{
    (void)t;
    assert_int_equal(ndm_unmap(race.node), LS_OK);
}

static void nodes_stay_while_a_function_has_them(void **state)
{
    (void)state;
    smr_tree *t = tree_made();
    removal_waits_for_the_call(t, end_by_unmap);
    removal_waits_for_the_call(t, end_by_remove);
    removal_waits_for_the_call(t, smr_tree_free);
}

static _Atomic int may_return;

static void *call_stubbornly(void *user)
{
    struct ndm_call c;
    if (!ndm_call_begin(BASE, &c)) return user;
    race.is_calling = 1;
    while (!may_return)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    if (strcmp(smr_node_label(c.node), "a") != 0) race.was_early = 1;
    ndm_call_end(&c, false);
    return NULL;
}

/* It may wait for a lock that the program holds while it removes the node: the program continues, the node
 * stays until the call is over. */
static void a_call_that_does_not_return_blocks_no_thread(void **state)
{
    (void)state;
    smr_tree *t = tree_made();
    smr_node *a = range(t, "a", BASE, 4);
    pthread_t caller;
    race.is_calling = race.was_early = 0;
    assert_int_equal(ndm_map_callback(a, NULL, record, NULL), LS_OK);
    assert_int_equal(pthread_create(&caller, NULL, call_stubbornly, heard), 0);
    while (!race.is_calling)
        sched_yield();
    assert_int_equal(smr_node_remove(a), LS_OK);
    assert_null(smr_tree_first(t));
    may_return = 1;
    pthread_join(caller, NULL);
    assert_false(race.was_early);
    smr_tree_free(t);
}

static void a_child_of_fork_does_not_wait(void **state)
{
    (void)state;
    smr_tree *t = tree_made();
    smr_node *a = range(t, "a", BASE, 4);
    pthread_t caller;
    race.is_calling = 0;
    assert_int_equal(ndm_map_callback(a, NULL, record, NULL), LS_OK);
    assert_int_equal(pthread_create(&caller, NULL, call_slowly, heard), 0);
    while (!race.is_calling)
        sched_yield();
    const pid_t child = fork();
    if (child == 0) {
        alarm(20); /* a deadlock must fail, not hang */
        _exit(smr_node_remove(a) == LS_OK ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    pthread_join(caller, NULL);
    smr_tree_free(t);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(maps_are_reported_in_order_and_end, setup, teardown),
        cmocka_unit_test_setup_teardown(groups_map_all_their_ranges_or_none, setup, teardown),
        cmocka_unit_test_setup_teardown(refused_calls_change_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(a_walk_does_not_map, setup, teardown),
        cmocka_unit_test_setup_teardown(a_late_sink_receives_existing_nodes, setup, teardown),
        cmocka_unit_test_setup_teardown(meshes_that_move_are_copied_at_phases, setup, teardown),
        cmocka_unit_test_setup_teardown(the_range_that_was_hit_is_called_with, setup, teardown),
        cmocka_unit_test_setup_teardown(a_function_does_not_replace_a_map_silently, setup, teardown),
        cmocka_unit_test_setup_teardown(a_function_may_remove_its_own_node, setup, teardown),
        cmocka_unit_test_setup_teardown(nodes_stay_while_a_function_has_them, setup, teardown),
        cmocka_unit_test_setup_teardown(a_call_that_does_not_return_blocks_no_thread, setup, teardown),
        cmocka_unit_test_setup_teardown(a_child_of_fork_does_not_wait, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
