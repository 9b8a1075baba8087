/* SPDX-License-Identifier: BSD-3-Clause */
/* All time has a row: where bursts began, and in the data that they accessed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analyse/an_bootstrap.h"
#include "analyse/an_combine.h"
#include "tests/analyse/an_fixture.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

/* Three functions: `walk` loads from A, `chase` waits for B, `divide` accesses nothing. A burst that began in
 * divide in thread 1 ran into chase; one burst was of weight 0. */
static const struct prof_thread threads[] = {{.tid = 1, .name = "one"}, {.tid = 2, .name = "two"}};
static const struct prof_process process = {.pid = 1, .exe = "/bin/p", .rank = -1};
static const struct prof_line lines[] = {
    {.ip = 10, .module = "/m", .function = "walk", .file = "/a.c", .line = 1, .until_ns = UINT64_MAX},
    {.ip = 20, .module = "/m", .function = "chase", .file = "/a.c", .line = 2, .until_ns = UINT64_MAX},
    {.ip = 30, .module = "/m", .function = "divide", .file = "/a.c", .line = 3, .until_ns = UINT64_MAX}};
static const struct prof_node nodes[] = {
    {.id = 0, .parent = UINT32_MAX, .kind = PROF_NODE_ROOT, .label = "all"},
    {.id = 1, .parent = 0, .kind = PROF_NODE_SITE, .label = "A"},
    {.id = 2, .parent = 0, .kind = PROF_NODE_SITE, .label = "B"}};
static const struct prof_phase phases[] = {{.id = 0, .parent = UINT32_MAX, .name = "first"},
                                           {.id = 1, .parent = UINT32_MAX, .name = "last"}};

enum { NONE = UINT32_MAX, BURSTS = 80, WALKS = 20, CHASES = 40, DIVIDES = 60, CROSSED = 79, SAMPLES = 10000 };
#define WEIGHT_NS 1000000

struct run {
    struct an_fixture *f;
    struct an_tables t;
    struct an_costs costs;
    struct an_by by;
    struct an_combination groups;
    uint8_t keep_samples[SAMPLES], keep_bursts[BURSTS];
    struct an_keep keep;
    an_table *table;
    an_bootstrap *bootstrap;
    uint32_t thread[SAMPLES], phase[SAMPLES], burst[SAMPLES], cpu[SAMPLES];
    uint64_t time_ns[SAMPLES];
};

static void loads(struct run *r, uint32_t node, uint64_t ip, uint32_t latency_cycles)
{
    for (uint32_t i = 0; i < 10; i++) {
        r->f->ip[r->f->samples_len] = ip;
        fix_load(r->f, node, 600 + i, latency_cycles);
    }
}

/* 20 bursts begin in walk, 20 in chase, 40 in divide: the last of the 40 runs into chase. */
static void begin(struct run *r)
{
    memset(r, 0, sizeof(*r));
    r->f = fix_new(5, 4);
    for (uint32_t b = 0; b < BURSTS; b++) {
        fix_burst(r->f, b == 5 ? 0 : WEIGHT_NS, 1000);
        struct prof_burst *burst = &r->f->bursts[b];
        burst->ip = b < WALKS ? 10 : b < CHASES ? 20 : 30;
        burst->thread = b >= DIVIDES;
        burst->cpu = b % 2;
        burst->phase = b < CHASES ? 0 : 1;
        burst->time_ns = b * 1000000000ull;
        if (b < WALKS) loads(r, 1, 10, 6);
        if ((b >= WALKS && b < CHASES) || b == CROSSED) loads(r, 2, 20, 500);
        for (uint64_t i = burst->first_sample; i < r->f->samples_len; i++) {
            r->thread[i] = burst->thread;
            r->phase[i] = burst->phase;
            r->burst[i] = b;
            r->cpu[i] = burst->cpu;
            r->time_ns[i] = burst->time_ns;
        }
    }
    fix_input(r->f);
    struct prof_samples *s = &r->f->in.samples;
    s->thread = r->thread;
    s->phase = r->phase;
    s->burst = r->burst;
    s->cpu = r->cpu;
    s->time_ns = r->time_ns;
    r->t = (struct an_tables){.nodes = nodes,
                              .nodes_len = 3,
                              .threads = threads,
                              .threads_len = 2,
                              .processes = &process,
                              .processes_len = 1,
                              .bursts = r->f->bursts,
                              .bursts_len = BURSTS,
                              .phases = phases,
                              .phases_len = 2,
                              .lines = lines,
                              .lines_len = 3,
                              .duration_ns = BURSTS * 1000000000ull,
                              .slices = 4};
    r->keep = (struct an_keep){r->keep_samples, r->keep_bursts};
    memset(r->keep_samples, 1, sizeof(r->keep_samples));
    memset(r->keep_bursts, 1, sizeof(r->keep_bursts));
    assert_int_equal(an_costs_init(&r->costs, &r->f->in), LS_OK);
    assert_int_equal(an_bootstrap_new(&r->f->in, &r->costs, 1, &r->bootstrap), LS_OK);
}

/* where: a filter, NULL for none. */
static void group(struct run *r, const char *by, const char *where)
{
    struct an_filter filter = {0};
    const char *value;
    begin(r);
    if (where) {
        assert_int_equal(an_filter_parse(&filter, where), LS_OK);
        assert_int_equal(an_filter_apply(&filter, &r->t, &r->f->in.samples, &r->keep, &value), LS_OK);
    }
    assert_int_equal(an_by_parse(&r->by, by), LS_OK);
    const struct an_grouped of = {.tables = &r->t,
                                  .samples = &r->f->in.samples,
                                  .keep = &r->keep,
                                  .by_origin = an_by_is_origin(&r->by) &&
                                               (!where || an_dimension_is_origin(filter.dimension))};
    assert_int_equal(an_combination_init(&r->groups, &r->by, &of), LS_OK);
    const struct an_grouping grouping = {.group_of_sample = r->groups.group_of_sample,
                                         .group_of_burst = r->groups.group_of_burst,
                                         .parent = r->groups.parents,
                                         .groups_len = r->groups.groups_len,
                                         .by_origin = of.by_origin};
    assert_int_equal(an_table_new(&r->f->in, &r->costs, &grouping, &r->table), LS_OK);
}

static void end(struct run *r)
{
    an_table_free(r->table);
    an_bootstrap_free(r->bootstrap);
    an_combination_fini(&r->groups);
    an_costs_fini(&r->costs);
    fix_free(r->f);
}

static uint32_t named(struct run *r, const char *path)
{
    for (uint32_t g = 0; g < r->groups.groups_len; g++) {
        char text[AN_COMBINE_MAX * AN_LABEL_BYTES] = "", part[AN_LABEL_BYTES];
        if (r->groups.groups[g].depth + 1 < r->groups.len) continue;
        for (uint32_t d = 0; d < r->groups.len; d++) {
            strcat(text, d ? "|" : "");
            strcat(text, an_combination_path(&r->groups, &r->t, g, d, part));
        }
        if (strcmp(text, path) == 0) return g;
    }
    return NONE;
}

/* Weights of bursts; 0 where there is no such row. */
static double time_of(struct run *r, const char *path)
{
    const uint32_t g = named(r, path);
    return g == NONE ? 0 : an_table_self(r->table, g)->time_ns / WEIGHT_NS;
}

static double sum_of_rows(struct run *r)
{
    double sum = 0;
    for (uint32_t g = 0; g < r->groups.groups_len; g++)
        sum += an_table_self(r->table, g)->time_ns / WEIGHT_NS;
    return sum;
}

static void check_rows(const char *by, const char *where, const char *const paths[], const double times[],
                       size_t len)
{
    struct run r;
    double sum = 0;
    group(&r, by, where);
    for (size_t i = 0; i < len; i++) {
        if (fabs(time_of(&r, paths[i]) - times[i]) > 1e-4)
            fail_msg("by %s where %s: %s is %g, not %g", by, where ? where : "-", paths[i],
                     time_of(&r, paths[i]), times[i]);
        sum += times[i];
    }
    assert_float_equal(sum_of_rows(&r), sum, 1e-3); /* no other row has time */
    end(&r);
}
#define CHECK(by, where, paths, ...)                                                                      \
    do {                                                                                                  \
        static const char *const paths_[] = {LIST paths};                                                 \
        check_rows(by, where, paths_, (const double[]){__VA_ARGS__}, sizeof(paths_) / sizeof(paths_[0])); \
    } while (0)
#define LIST(...) __VA_ARGS__

/* 19 + 20 + 40 weights: functions that access nothing have rows, and all rows are the whole. */
static void an_time_belongs_to_where_bursts_began(void **state)
{
    (void)state;
    CHECK("function", NULL, ("walk (m)", "chase (m)", "divide (m)"), 19, 20, 40);
    CHECK("line", NULL, ("a.c:1 walk", "a.c:2 chase", "a.c:3 divide"), 19, 20, 40);
    CHECK("thread", NULL, ("1 one", "2 two"), 59, 20);
    CHECK("phase", NULL, ("first", "last"), 39, 40);
    CHECK("cpu", NULL, ("CPU 0", "CPU 1"), 40, 39);
    CHECK("slice", NULL, ("0.0..20.0 s", "20.0..40.0 s", "40.0..60.0 s", "60.0..80.0 s"), 19, 20, 20, 20);
    CHECK("process", NULL, ("1 p"), 79);
    CHECK("thread,function", NULL,
          ("1 one|walk (m)", "1 one|chase (m)", "1 one|divide (m)", "2 two|divide (m)"), 19, 20, 20, 20);
}

static void an_views_of_data_have_a_row_of_bursts_without_accesses(void **state)
{
    (void)state;
    CHECK("node", NULL, ("A", "B", "no data (computing)"), 19, 21, 39);
    CHECK("object", NULL, ("A", "B", "no data (computing)"), 19, 21, 39);
    CHECK("level", NULL, ("L1", "DRAM", "no data (computing)"), 19, 21, 39);
    CHECK("op", NULL, ("load", "no data (computing)"), 40, 39);
    /* the data dimension rules: lines of accesses, and where bursts without them began */
    CHECK("site,line", NULL, ("A|a.c:1 walk", "B|a.c:2 chase", "no data (computing)|a.c:3 divide"), 19, 21,
          39);
    CHECK("function,node", NULL, ("walk (m)|A", "chase (m)|B", "divide (m)|no data (computing)"), 19, 21, 39);
}

static void an_filters_follow_the_same_rule(void **state)
{
    (void)state;
    CHECK("thread", "function=divide", ("1 one", "2 two"), 20, 20);
    CHECK("node", "function=chase", ("B"), 21); /* also the accesses of a burst that began in divide */
    CHECK("node", "function=divide", ("no data (computing)"), 39);
    CHECK("function", "node=B", ("chase (m)"), 21);
    CHECK("function", "node=no data (computing)", ("divide (m)"), 39);
    CHECK("function", "node!=B", ("walk (m)", "divide (m)"), 19, 39);
    CHECK("node", "thread=2", ("B", "no data (computing)"), 1, 19);
}

static void an_all_contains_bursts_without_accesses(void **state)
{
    (void)state;
    struct run r;
    group(&r, "node", NULL);
    assert_float_equal(an_table_total(r.table, 0)->time_ns, 79.0 * WEIGHT_NS, 1);
    assert_int_equal(r.groups.parents[named(&r, "no data (computing)")], 0);
    assert_int_equal(an_table_self(r.table, named(&r, "no data (computing)"))->samples, 0);
    end(&r);
}

static void an_bursts_are_those_that_represent_time(void **state)
{
    (void)state;
    struct run r;
    group(&r, "function", NULL);
    assert_int_equal(r.costs.bursts, 79);
    assert_int_equal(an_bootstrap_bursts(r.bootstrap, AN_TIME), 79);
    assert_int_equal(an_table_self(r.table, named(&r, "walk (m)"))->bursts, 19);
    assert_int_equal(an_table_self(r.table, named(&r, "walk (m)"))->samples, 200); /* from 20 bursts */
    assert_int_equal(an_table_self(r.table, named(&r, "divide (m)"))->bursts, 40);
    end(&r);
    group(&r, "node", NULL);
    assert_int_equal(an_table_self(r.table, named(&r, "A"))->bursts, 19);
    assert_int_equal(an_table_total(r.table, 0)->bursts, 79);
    end(&r);
}

/* Burst 79 began in divide and waited for B: chase has the stall of 21 bursts and the time of 20. */
static void an_stall_is_at_most_the_time_of_its_row(void **state)
{
    (void)state;
    static const char *const views[] = {"function", "line", "thread,line", "node", "node,line", "phase"};
    for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
        struct run r;
        group(&r, views[i], NULL);
        for (uint32_t g = 0; g < r.groups.groups_len; g++) {
            const struct an_row *row = an_table_total(r.table, g);
            const uint32_t p = r.groups.parents[g];
            const struct an_interval time = an_bootstrap_share(r.bootstrap, r.table, g, AN_TIME),
                                     stall = an_bootstrap_share(r.bootstrap, r.table, g, AN_STALL);
            assert_true(row->stall_ns >= 0 && row->stall_ns <= row->time_ns);
            assert_true(stall.share >= 0 && stall.high <= 1 && time.high <= 1);
            if (p == NONE) continue;
            assert_true(row->time_ns <= an_table_total(r.table, p)->time_ns + 1);
            assert_true(row->stall_ns <= an_table_total(r.table, p)->stall_ns + 1);
        }
        end(&r);
    }
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_time_belongs_to_where_bursts_began),
        cmocka_unit_test(an_views_of_data_have_a_row_of_bursts_without_accesses),
        cmocka_unit_test(an_filters_follow_the_same_rule),
        cmocka_unit_test(an_all_contains_bursts_without_accesses),
        cmocka_unit_test(an_bursts_are_those_that_represent_time),
        cmocka_unit_test(an_stall_is_at_most_the_time_of_its_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
