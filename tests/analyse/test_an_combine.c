/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analyse/an_calls.h"
#include "analyse/an_combine.h"
#include "analyse/an_filter.h"
#include "analyse/an_diff.h"
#include "analyse/an_table.h"
#include "run_h5/prof_tables.h"
#include "tests/analyse/an_fixture.h"
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

static const struct prof_thread threads[] = {{.process = 0, .tid = 7, .name = "main"},
                                             {.process = 1, .tid = 8, .name = "main"}};
static const struct prof_process processes[] = {{.pid = 7, .exe = "/bin/one", .rank = 3},
                                                {.pid = 8, .exe = "/bin/two", .rank = -1}};
/* ips 1 and 2 share a line, 2 and 3 a function; process 1 has the same function at another ip */
static const struct prof_line lines[] = {
    {.process = 0, .ip = 1, .module = "/m", .function = "f", .file = "/src/a.c", .line = 10},
    {.process = 0, .ip = 2, .module = "/m", .function = "f", .file = "/src/a.c", .line = 10},
    {.process = 0, .ip = 3, .module = "/m", .function = "f", .file = "/src/a.c", .line = 11},
    {.process = 1, .ip = 1, .module = "/m", .function = "g", .file = "", .line = 0},
};
static const struct prof_node nodes[] = {
    {.id = 0, .parent = UINT32_MAX, .kind = PROF_NODE_ROOT, .label = "all memory"},
    {.id = 1, .parent = 0, .kind = PROF_NODE_UNREGISTERED, .label = "unregistered"},
    {.id = 2, .parent = 1, .kind = PROF_NODE_HEAP, .label = "heap blocks"},
    {.id = 3, .parent = 2, .kind = PROF_NODE_SITE, .label = "A"},
    {.id = 4, .parent = 3, .kind = PROF_NODE_BLOCK, .label = "A #1"},
    {.id = 5, .parent = 3, .kind = PROF_NODE_BLOCK, .label = "A #2"},
    {.id = 6, .parent = 1, .kind = PROF_NODE_STATIC, .label = "m"},
    {.id = 7, .parent = 6, .kind = PROF_NODE_SYMBOL, .label = "table"},
};
static const struct prof_phase phases[] = {{.id = 0, .parent = UINT32_MAX, .name = "solve"},
                                           {.id = 1, .parent = 0, .name = "smooth"}};

enum { NONE = UINT32_MAX, ACCESSES = 6 };
static const struct access {
    uint32_t thread, node, phase, burst, cpu;
    uint64_t ip;
    uint32_t latency_cycles;
} accesses[ACCESSES] = {
    {0, 4, NONE, 0, 3, 1, 300},
    {0, 5, 0, 0, 3, 2, FIX_NOT_MEASURED},
    {0, 3, 1, 0, 3, 3, 5},
    {1, 7, 1, 1, 0, 1, FIX_NOT_MEASURED},
    {1, 2, 1, 1, 0, 9, FIX_NOT_MEASURED},
    {5, NONE, 0, 1, 0, 1, FIX_NOT_MEASURED},
};

struct run {
    struct an_fixture *f;
    struct an_tables t;
    uint32_t thread[ACCESSES], phase[ACCESSES], burst[ACCESSES], cpu[ACCESSES];
};

/* The first burst interrupted f, called by main; the second has no call stack. */
static uint32_t call_of_burst[] = {1, NONE};
static struct an_call down_rows[] = {{NONE, "main", "m"}, {0, "f", "m"}};
static struct an_call up_rows[] = {{NONE, "f", "m"}, {0, "main", "m"}};
static const struct an_call_tree calls = {down_rows, 2, call_of_burst}, callers = {up_rows, 2, call_of_burst};

/* A type of two files, with a hole, and a plain one. */
static const struct prof_type_row types[] = {{.id = 0, .kind = PROF_TYPE_STRUCT, .name = "pair"},
                                             {.id = 1, .kind = PROF_TYPE_STRUCT, .name = "pair"},
                                             {.id = 2, .kind = PROF_TYPE_SCALAR, .name = "double"}};
static const struct prof_member members[] = {
    {.type = 0, .parent = NONE, .kind = PROF_MEMBER_WHOLE, .path = ""},
    {.type = 0, .parent = 0, .kind = PROF_MEMBER_FIELD, .path = "x[]"},
    {.type = 1, .parent = NONE, .kind = PROF_MEMBER_WHOLE, .path = ""},
    {.type = 1, .parent = 2, .kind = PROF_MEMBER_FIELD, .path = "x[]"},
    {.type = 2, .parent = NONE, .kind = PROF_MEMBER_WHOLE, .path = ""},
};

static struct run run_new(void)
{
    struct run r = {.f = fix_new(5, 4)};
    for (uint32_t i = 0; i < ACCESSES; i++) {
        const struct access *a = &accesses[i];
        if (i == 0 || a->burst != a[-1].burst) fix_burst(r.f, 1000, 1000);
        fix_load(r.f, a->node, 600 + i, a->latency_cycles);
        r.f->ip[i] = a->ip;
    }
    r.f->bursts[0].time_ns = 0;
    r.f->bursts[0].mpi = LS_MPI_CALL_BARRIER;
    r.f->bursts[0].mpi_ip = 2;
    r.f->bursts[1].time_ns = 1500000000;
    return r;
}

/* The columns point into r, so it must not move any more. */
static void run_connect(struct run *r)
{
    struct prof_samples *s = &r->f->in.samples;
    fix_input(r->f);
    for (uint32_t i = 0; i < ACCESSES; i++) {
        r->thread[i] = accesses[i].thread;
        r->phase[i] = accesses[i].phase;
        r->burst[i] = accesses[i].burst;
        r->cpu[i] = accesses[i].cpu;
    }
    s->thread = r->thread;
    s->phase = r->phase;
    s->burst = r->burst;
    static const uint8_t numa[ACCESSES] = {1, 0, UINT8_MAX, UINT8_MAX, UINT8_MAX, UINT8_MAX};
    static const uint8_t locked[ACCESSES] = {0, 1, UINT8_MAX, 0, 1, UINT8_MAX};
    s->cpu = r->cpu;
    s->locked = locked;
    static const uint32_t member[ACCESSES] = {1, 3, 2, 4, NONE, 1};
    s->member = member;
    s->numa = numa;
    r->t = (struct an_tables){.nodes = nodes,
                              .nodes_len = 8,
                              .threads = threads,
                              .threads_len = 2,
                              .processes = processes,
                              .processes_len = 2,
                              .bursts = r->f->bursts,
                              .bursts_len = 2,
                              .phases = phases,
                              .phases_len = 2,
                              .lines = lines,
                              .lines_len = 4,
                              .types = types,
                              .types_len = 3,
                              .members = members,
                              .members_len = 5,
                              .calls = &calls,
                              .callers = &callers,
                              .duration_ns = 2000000000,
                              .slices = 4};
}

/* The group of each sample: the paths joined by |; "-" for the ones left out. */
static const char *name_of(struct run *r, const struct an_combination *c, uint64_t sample, char *out)
{
    const uint32_t g = c->group_of_sample[sample];
    char path[AN_LABEL_BYTES];
    strcpy(out, g == NONE ? "-" : "");
    for (uint32_t d = 0; g != NONE && d < c->len; d++) {
        if (d) strcat(out, "|");
        strcat(out, an_combination_path(c, &r->t, g, d, path));
    }
    return out;
}

static void check(const char *by_text, const char *const wanted[ACCESSES])
{
    struct run r = run_new();
    run_connect(&r);
    struct an_by by;
    struct an_combination c;
    char name[4 * AN_LABEL_BYTES];
    assert_int_equal(an_by_parse(&by, by_text), LS_OK);
    const struct an_grouped of = {
        .tables = &r.t, .samples = &r.f->in.samples, .by_origin = an_by_is_origin(&by)};
    assert_int_equal(an_combination_init(&c, &by, &of), LS_OK);
    for (uint64_t i = 0; i < ACCESSES; i++)
        if (strcmp(name_of(&r, &c, i, name), wanted[i]) != 0)
            fail_msg("by %s: sample %zu is '%s', not '%s'", by_text, (size_t)i, name, wanted[i]);
    for (uint32_t g = 0; g < c.groups_len; g++)
        assert_true(c.parents[g] == NONE || c.parents[g] < g);
    an_combination_fini(&c);
    fix_free(r.f);
}
#define NOT_KNOWN "(not known)"
#define NO_NUMA "(not known: a machine with one NUMA node, or a page without memory)"
#define NO_CALLS "(no call stack: record with --callstack)"
#define NO_MPI "(outside of MPI)"
#define CHECK(by, ...) check(by, (const char *const[ACCESSES]){__VA_ARGS__})

static void an_samples_group_by_every_dimension(void **state)
{
    (void)state;
    CHECK("ip", "0x1 f a.c:10", "0x2 f a.c:10", "0x3 f a.c:11", "0x1 g (m)", "(not known)", "(not known)");
    CHECK("function", "f (m)", "f (m)", "f (m)", "g (m)", "(not known)", "(not known)");
    CHECK("line", "a.c:10 f", "a.c:10 f", "a.c:11 f", "g (m, no line)", "(not known)", "(not known)");
    CHECK("file", "/src/a.c", "/src/a.c", "/src/a.c", "(not known)", "(not known)", "(not known)");
    CHECK("module", "/m", "/m", "/m", "/m", "(not known)", "(not known)");
    CHECK("thread", "7 main", "7 main", "7 main", "8 main", "8 main", "(not known)");
    CHECK("process", "7 one", "7 one", "7 one", "8 two", "8 two", "(not known)");
    CHECK("node", "unregistered/heap blocks/A", "unregistered/heap blocks/A", "unregistered/heap blocks/A",
          "unregistered/m/table", "unregistered/heap blocks", "(no node)");
    CHECK("block", "unregistered/heap blocks/A/A #1", "unregistered/heap blocks/A/A #2",
          "unregistered/heap blocks/A", "unregistered/m/table", "unregistered/heap blocks", "(no node)");
    CHECK("object", "A", "A", "A", "table", "heap blocks", "(no node)");
    CHECK("site", "A", "A", "A", "(not at a known allocation site)", "(not at a known allocation site)",
          "(not at a known allocation site)");
    CHECK("symbol", "(in no variable)", "(in no variable)", "(in no variable)", "table", "(in no variable)",
          "(in no variable)");
    CHECK("kind", "block", "block", "site", "symbol", "heap", "(no node)");
    CHECK("rank", "rank 3", "rank 3", "rank 3", "(no rank)", "(no rank)", "(no rank)");
    CHECK("phase", "(outside all phases)", "solve", "solve/smooth", "solve/smooth", "solve/smooth", "solve");
    CHECK("slice", "0.000..0.500 s", "0.000..0.500 s", "0.000..0.500 s", "1.500..2.000 s", "1.500..2.000 s",
          "1.500..2.000 s");
    CHECK("level", "DRAM", "stores, and loads without a latency", "L1", "stores, and loads without a latency",
          "stores, and loads without a latency", "stores, and loads without a latency");
    CHECK("op", "load", "load", "load", "load", "load", "load");
    CHECK("calls", "main/f", "main/f", "main/f", NO_CALLS, NO_CALLS, NO_CALLS);
    CHECK("callers", "f/main", "f/main", "f/main", NO_CALLS, NO_CALLS, NO_CALLS);
    CHECK("numa", "NUMA node 1", "NUMA node 0", NO_NUMA, NO_NUMA, NO_NUMA, NO_NUMA);
    CHECK("cpu", "CPU 3", "CPU 3", "CPU 3", "CPU 0", "CPU 0", "CPU 0");
    CHECK("locked", "no", "yes", NOT_KNOWN, "no", "yes", NOT_KNOWN);
    CHECK("type", "pair", "pair", "pair", "double", "(type not known)", "pair");
    CHECK("field", "pair.x[]", "pair.x[]", "pair (no member)", "double", "(type not known)", "pair.x[]");
    CHECK("mpi", "MPI_Barrier (waits)", "MPI_Barrier (waits)", "MPI_Barrier (waits)", NO_MPI, NO_MPI, NO_MPI);
    CHECK("mpi-line", "a.c:10 f", "a.c:10 f", "a.c:10 f", NO_MPI, NO_MPI, NO_MPI);
    for (const struct an_dimension *d = an_dimensions; d->name; d++) /* one above for each: add yours */
        assert_non_null(strstr(
            " ip function line file module thread process node block object site symbol kind phase slice "
            "level op locked cpu calls callers numa rank type field mpi mpi-line ",
            d->name));
}

static void an_dimensions_combine(void **state)
{
    (void)state;
    CHECK("site,line", "A|a.c:10 f", "A|a.c:10 f", "A|a.c:11 f",
          "(not at a known allocation site)|g (m, no line)", "(not at a known allocation site)|(not known)",
          "(not at a known allocation site)|(not known)");
    CHECK("process,function,phase", "7 one|f (m)|(outside all phases)", "7 one|f (m)|solve",
          "7 one|f (m)|solve/smooth", "8 two|g (m)|solve/smooth", "8 two|(not known)|solve/smooth",
          "(not known)|(not known)|solve");
    struct an_by by;
    assert_int_equal(an_by_parse(&by, "site,"), LS_ERR_USAGE);
    assert_int_equal(an_by_parse(&by, "lines"), LS_ERR_USAGE);
    assert_int_equal(an_by_parse(&by, "line,site,line"), LS_ERR_USAGE);
    assert_int_equal(an_by_parse(&by, "line,site,node,op,cpu"), LS_ERR_USAGE);
}

/* Totals of a group are the sums of its members, in a tree and over dimensions. */
static void an_combined_groups_roll_up(void **state)
{
    (void)state;
    struct run r = run_new();
    run_connect(&r);
    struct an_by by;
    struct an_combination c;
    struct an_costs costs;
    an_table *table = NULL;
    assert_int_equal(an_by_parse(&by, "block,function"), LS_OK);
    const struct an_grouped of = {
        .tables = &r.t, .samples = &r.f->in.samples, .by_origin = an_by_is_origin(&by)};
    assert_int_equal(an_combination_init(&c, &by, &of), LS_OK);
    const struct an_grouping grouping = {.group_of_sample = c.group_of_sample,
                                         .group_of_burst = c.group_of_burst,
                                         .parent = c.parents,
                                         .groups_len = c.groups_len};
    assert_int_equal(an_costs_init(&costs, &r.f->in), LS_OK);
    assert_int_equal(an_table_new(&r.f->in, &costs, &grouping, &table), LS_OK);
    assert_int_equal(an_table_total(table, 0)->samples, 5); /* all but the one without a node */
    assert_int_equal(an_table_total(table, 2)->samples, 4); /* heap */
    assert_int_equal(an_table_total(table, 3)->samples, 3); /* the site with its blocks */
    assert_int_equal(an_table_total(table, 4)->samples, 1);
    assert_int_equal(an_table_total(table, 8)->samples, 1); /* no node */
    assert_int_equal(an_table_total(table, 3)->bursts, 1);
    an_table_free(table);
    an_costs_fini(&costs);
    an_combination_fini(&c);
    fix_free(r.f);
}

/* kept: a letter a sample, x where it stays. */
static void check_filter_of(const struct prof_line *of, const char *text, const char *kept)
{
    struct run r = run_new();
    run_connect(&r);
    r.t.lines = of;
    struct an_filter filter;
    uint8_t samples[ACCESSES], bursts[2];
    const struct an_keep keep = {samples, bursts};
    const char *value = NULL;
    memset(samples, 1, sizeof(samples));
    memset(bursts, 1, sizeof(bursts));
    assert_int_equal(an_filter_parse(&filter, text), LS_OK);
    assert_int_equal(an_filter_apply(&filter, &r.t, &r.f->in.samples, &keep, &value), LS_OK);
    for (uint64_t i = 0; i < ACCESSES; i++)
        if (samples[i] != (kept[i] == 'x')) fail_msg("%s: sample %zu", text, (size_t)i);
    fix_free(r.f);
}

static void check_filter(const char *text, const char *kept)
{
    check_filter_of(lines, text, kept);
}

static void an_filters_choose_by_label_word_or_pattern(void **state)
{
    (void)state;
    check_filter("function=f", "xxx...");
    check_filter("function=f (m)", "xxx...");
    check_filter("function!=f", "...xxx");
    check_filter("function=f,g", "xxxx..");
    check_filter("line=a.c:1?", "xxx...");
    check_filter("line=a.c:10,a.c:11", "xxx...");
    check_filter("thread=7", "xxx...");
    check_filter("thread=* main", "xxxxx.");
    check_filter("node=A", "xxx..."); /* with the blocks inside */
    check_filter("node=unregistered/heap blocks", "xxx.x.");
    check_filter("phase=solve", ".xxxxx");
    check_filter("phase=solve/smooth", "..xxx.");
    check_filter("level=DRAM", "x.....");
    check_filter("level!=L1,DRAM", ".x.xxx");
    check_filter("site=(not at a known allocation site)", "...xxx");
}

/* Two static functions f, and one in a name space. */
static void an_filters_choose_functions_as_annotate_does(void **state)
{
    struct prof_line own[sizeof(lines) / sizeof(lines[0])];
    (void)state;
    memcpy(own, lines, sizeof(lines));
    own[2].file = "/src/b.c";
    own[3].function = "ns::g(int)";
    check_filter_of(own, "function=f", "xxx...");
    check_filter_of(own, "function=a.c:f", "xx....");
    check_filter_of(own, "function=b.c:f", "..x...");
    check_filter_of(own, "function!=b.c:f", "xx.xxx");
    check_filter_of(own, "function=b.c:f,g", "..xx..");
    check_filter_of(own, "function=m:f", "xxx...");
    check_filter_of(own, "function=ns::g", "...x..");
    check_filter_of(own, "function=m:g", "...x..");
}

static void an_filter_that_names_nothing_is_an_error(void **state)
{
    (void)state;
    struct run r = run_new();
    run_connect(&r);
    struct an_filter filter;
    uint8_t samples[ACCESSES], bursts[2];
    const struct an_keep keep = {samples, bursts};
    const char *value = NULL;
    memset(samples, 1, sizeof(samples));
    memset(bursts, 1, sizeof(bursts));
    assert_int_equal(an_filter_parse(&filter, "function=f,h,g"), LS_OK);
    assert_int_equal(an_filter_apply(&filter, &r.t, &r.f->in.samples, &keep, &value), LS_ERR_NOT_FOUND);
    assert_string_equal(value, "h,g");
    for (uint64_t i = 0; i < ACCESSES; i++)
        assert_int_equal(samples[i], 1);
    static const char *const wrong[] = {"",           "function", "function=", "=f",
                                        "function!f", "func=f",   "function!="};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(an_filter_parse(&filter, wrong[i]), LS_ERR_USAGE);
    fix_free(r.f);
}

static const char *identity(const struct an_tables *t, const char *dimension, uint32_t key)
{
    static char out[AN_LABEL_BYTES];
    return an_identity(an_dimension_named(dimension, strlen(dimension)), t, key, out);
}

/* The program under another name, at other addresses, with other process numbers: every name is the same. */
static void an_names_are_the_same_in_another_run(void **state)
{
    static const struct {
        struct prof_process process;
        struct prof_thread thread;
        struct prof_line line;
        struct prof_module module;
        struct prof_node nodes[4];
        uint64_t duration_ns;
    } runs[2] = {{{.pid = 7, .exe = "/opt/app-1"},
                  {.tid = 70, .name = "worker"},
                  {.ip = 0x1010, .module = "/opt/app-1", .function = "f", .file = "/old/a.c", .line = 3},
                  {.path = "/opt/app-1", .base = 0x1000, .end = 0x2000, .bias = 0x1000},
                  {{.id = 0, .parent = NONE},
                   {.id = 1, .kind = PROF_NODE_PROCESS, .label = "process 7"},
                   {.id = 2, .parent = 1, .kind = PROF_NODE_RANGE, .label = "B"},
                   {.id = 3, .parent = 1, .kind = PROF_NODE_CODE, .label = "app-1 (code and constants)"}},
                  1000},
                 {{.pid = 9, .exe = "/tmp/app-2"},
                  {.tid = 91, .name = "worker"},
                  {.ip = 0x7010, .module = "/tmp/app-2", .function = "f", .file = "/new/a.c", .line = 3},
                  {.path = "/tmp/app-2", .base = 0x7000, .end = 0x8000, .bias = 0x7000},
                  {{.id = 0, .parent = NONE},
                   {.id = 1, .kind = PROF_NODE_PROCESS, .label = "process 9"},
                   {.id = 2, .parent = 1, .kind = PROF_NODE_RANGE, .label = "B"},
                   {.id = 3, .parent = 1, .kind = PROF_NODE_CODE, .label = "app-2 (code and constants)"}},
                  5000}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const struct an_tables t = {.processes = &runs[i].process,
                                    .processes_len = 1,
                                    .threads = &runs[i].thread,
                                    .threads_len = 1,
                                    .lines = &runs[i].line,
                                    .lines_len = 1,
                                    .modules = &runs[i].module,
                                    .modules_len = 1,
                                    .nodes = runs[i].nodes,
                                    .nodes_len = 4,
                                    .duration_ns = runs[i].duration_ns,
                                    .slices = 4};
        assert_string_equal(identity(&t, "thread", 0), "worker");
        assert_string_equal(identity(&t, "process", 0), "program");
        assert_string_equal(identity(&t, "function", 0), "f (program)");
        assert_string_equal(identity(&t, "line", 0), "a.c:3 f");
        assert_string_equal(identity(&t, "module", 0), "program");
        assert_string_equal(identity(&t, "file", 0), "a.c");
        assert_string_equal(identity(&t, "ip", 0), "program+0x10 f");
        assert_string_equal(identity(&t, "object", 2), "program/B");
        assert_string_equal(identity(&t, "node", 3), "program/program (code and constants)");
        assert_string_equal(identity(&t, "slice", 1), "25..50 % of the run");
        assert_string_equal(identity(&t, "phase", AN_NO_KEY), "(outside all phases)");
    }
}

static void an_run_without_samples_has_groups_without_samples(void **state)
{
    (void)state;
    const struct an_tables t = {0};
    const struct prof_samples s = {0};
    for (const struct an_dimension *d = an_dimensions; d->name; d++) {
        struct an_keys k;
        char out[AN_LABEL_BYTES];
        assert_int_equal(an_keys_init(&k, d, &t, &s), LS_OK);
        assert_int_equal(k.len, 0);
        assert_string_equal(an_keys_path(&k, &t, 0, out), d->none);
        assert_string_equal(an_keys_path(&k, &t, 1, out), "no data (computing)");
        an_keys_fini(&k);
    }
}

static void an_slices_by_number_or_length(void **state)
{
    (void)state;
    struct an_tables t = {.duration_ns = 2000000001, .slices = AN_SLICES};
    an_tables_slice(&t, 4, 0);
    assert_int_equal(t.slices, 4);
    assert_true(t.duration_ns == 2000000001);
    an_tables_slice(&t, 0, 500000000); /* the last one is begun only */
    assert_int_equal(t.slices, 5);
    assert_true(t.duration_ns == 2500000000);
    an_tables_slice(&t, 0, 1);
    assert_int_equal(t.slices, AN_SLICES_MAX);
    t.duration_ns = 0;
    an_tables_slice(&t, 0, 7);
    assert_int_equal(t.slices, 1);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_samples_group_by_every_dimension),
        cmocka_unit_test(an_dimensions_combine),
        cmocka_unit_test(an_combined_groups_roll_up),
        cmocka_unit_test(an_filters_choose_by_label_word_or_pattern),
        cmocka_unit_test(an_filters_choose_functions_as_annotate_does),
        cmocka_unit_test(an_filter_that_names_nothing_is_an_error),
        cmocka_unit_test(an_slices_by_number_or_length),
        cmocka_unit_test(an_names_are_the_same_in_another_run),
        cmocka_unit_test(an_run_without_samples_has_groups_without_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
