/* SPDX-License-Identifier: BSD-3-Clause */
/* A profile as a source: bursts in order, separate processes, ranges with the lifetime of nodes, operands,
 * phases, and extents from samples where nodes have none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "patterns/source/pat_source.h"
#include "run_h5/prof_writer.h"
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "test_pat_run_h5.XXXXXX";
static char path[64];

#define ok(call)                                              \
    do {                                                      \
        if ((call) != LS_OK) fail_msg("%s", ls_last_error()); \
    } while (0)

enum { ROOT, UNREGISTERED, A_FIRST, A_AGAIN, APP, TABLE, LIST, BLOCK, STACK, NODES };
static const struct prof_node nodes[NODES] = {
    {.id = ROOT, .parent = UINT32_MAX, .kind = PROF_NODE_ROOT, .process = UINT32_MAX, .died_ns = UINT64_MAX},
    {.id = UNREGISTERED, .kind = PROF_NODE_UNREGISTERED, .process = UINT32_MAX, .died_ns = UINT64_MAX},
    {.id = A_FIRST,
     .kind = PROF_NODE_RANGE,
     .label = "A",
     .base = 0x1000,
     .end = 0x2000,
     .elem_size_bytes = 8,
     .born_ns = 100,
     .died_ns = 500},
    {.id = A_AGAIN,
     .kind = PROF_NODE_RANGE,
     .label = "A",
     .base = 0x1000,
     .end = 0x3000,
     .elem_size_bytes = 8,
     .born_ns = 600,
     .died_ns = UINT64_MAX},
    {.id = APP, .parent = UNREGISTERED, .kind = PROF_NODE_STATIC, .label = "app", .died_ns = UINT64_MAX},
    {.id = TABLE,
     .parent = APP,
     .kind = PROF_NODE_SYMBOL,
     .label = "table",
     .elem_size_bytes = 16,
     .died_ns = UINT64_MAX}, /* at different addresses in the processes: base 0 */
    {.id = LIST, .parent = UNREGISTERED, .kind = PROF_NODE_SITE, .label = "list", .died_ns = UINT64_MAX},
    {.id = BLOCK,
     .parent = LIST,
     .kind = PROF_NODE_BLOCK,
     .label = "block 1",
     .base = 0x9000,
     .end = 0x9040,
     .born_ns = 50,
     .died_ns = UINT64_MAX},
    {.id = STACK,
     .parent = UNREGISTERED,
     .kind = PROF_NODE_STACK,
     .label = "stack of main thread",
     .died_ns = UINT64_MAX},
};
static const struct prof_process processes[] = {
    {.pid = 10, .parent = PROF_NO_PROCESS, .rank = -1, .exe = "/bin/app"},
    {.pid = 20, .parent = PROF_NO_PROCESS, .rank = 3, .exe = "/bin/app"}};
static const struct prof_thread threads[] = {{.process = 0, .tid = 10}, {.process = 1, .tid = 20}};
static const struct prof_module modules[] = {
    {.process = 0, .path = "/bin/app", .base = 0x400000, .end = 0x500000, .bias = 0x400000},
    {.process = 1, .path = "/bin/app", .base = 0x600000, .end = 0x700000, .bias = 0x600000},
    /* one was loaded where the other had been */
    {.process = 0, .path = "/lib/then.so", .base = 0x800000, .end = 0x900000, .bias = 0x800000},
    {.process = 0, .path = "/lib/now.so", .base = 0x800000, .end = 0x880000, .bias = 0x800000},
    /* where process 0 has its program */
    {.process = 1, .path = "/lib/other.so", .base = 0x400000, .end = 0x500000, .bias = 0x400000}};
static const struct prof_line lines[] = {
    {.process = 0, .ip = 0x800010, .module = "/lib/then.so", .until_ns = 500},
    {.process = 0, .ip = 0x800010, .module = "/lib/now.so", .until_ns = UINT64_MAX}};
static const struct prof_phase phases[] = {{.id = 0, .parent = UINT32_MAX, .name = "solve"},
                                           {.id = 1, .parent = 0, .name = "sweep"}};

struct row {
    uint32_t burst, position;
    uint64_t ip, addr;
    uint8_t op;
    uint32_t node;
    uint64_t element;
    uint32_t phase;
};
#define NO UINT32_MAX
static const struct row rows[] = {
    /* process 1, before all others in time */
    {0, 3, 0x600010, 0x7020, 0, TABLE, 2, NO},
    {0, 9, 0x600010, 0x7044, 0, TABLE, 4, NO},
    {0, 10, 0x600018, 0x7080, 0, APP, UINT64_MAX, NO},
    {0, 11, 0x400010, 0x7020, 0, TABLE, 2, NO},
    /* process 0: a gather of three lanes, a copy from the list, a prefetch */
    {1, 5, 0x400010, 0x1008, 0, A_FIRST, 1, NO},
    {1, 5, 0x400010, 0x1800, 0, A_FIRST, 256, NO},
    {1, 5, 0x400010, 0x1010, 0, A_FIRST, 2, NO},
    {1, 6, 0x400020, 0x9000, 0, BLOCK, UINT64_MAX, NO},
    {1, 6, 0x400020, 0x1020, 1, A_FIRST, 4, NO},
    {1, 7, 0x400030, 0x1040, 2, A_FIRST, 8, NO},
    /* the last in time, in a phase */
    {2, 1, 0x400010, 0x2ff8, 0, A_AGAIN, 1023, 1},
    {2, 2, 0x400040, 0x5010, 0, TABLE, 1, 1},
    {2, 3, 0x400048, 0x5018, 0, APP, UINT64_MAX, 1},
    {2, 4, 0x800010, 0x1040, 0, A_AGAIN, 8, 1},
    /* between them */
    {3, 1, 0x400050, 0xff08, 1, STACK, UINT64_MAX, 0},
    {3, 2, 0x400050, 0xff00, 1, STACK, UINT64_MAX, 0},
    {3, 3, 0x800010, 0x1040, 0, A_FIRST, 8, 0},
};
static const struct prof_burst bursts[] = {
    {.thread = 1,
     .time_ns = 50,
     .weight_ns = 1000,
     .data_weight_ns = 1000,
     .instructions = 1000,
     .samples_len = 4,
     .frame = NO,
     .phase = NO},
    {.thread = 0,
     .time_ns = 200,
     .weight_ns = 1000,
     .data_weight_ns = 1000,
     .instructions = 1000,
     .first_sample = 4,
     .samples_len = 6,
     .frame = NO,
     .phase = NO},
    {.thread = 0,
     .time_ns = 700,
     .weight_ns = 1000,
     .data_weight_ns = 1000,
     .instructions = 1000,
     .first_sample = 10,
     .samples_len = 4,
     .frame = NO,
     .phase = NO},
    {.thread = 0,
     .time_ns = 300,
     .weight_ns = 1000,
     .data_weight_ns = 1000,
     .instructions = 1000,
     .first_sample = 14,
     .samples_len = 3,
     .frame = NO,
     .phase = NO},
};

static const struct {
    const void *rows;
    size_t len;
} tables[PROF_TABLE_COUNT] = {
    [PROF_TABLE_nodes] = {nodes, NODES},     [PROF_TABLE_threads] = {threads, 2},
    [PROF_TABLE_processes] = {processes, 2}, [PROF_TABLE_bursts] = {bursts, 4},
    [PROF_TABLE_modules] = {modules, 5},     [PROF_TABLE_phases] = {phases, 2},
    [PROF_TABLE_lines] = {lines, 2},
};

/* The third burst, translated: its last two loads were drawn and timed, its pace is 2 cycles an instruction. */
static bool is_translated;
enum { TRANSLATED = 2, TIMED_FROM = 3 };

static void translate(struct prof_burst *b)
{
    b->probe_loads = 64;
    b->pace_instructions = 4000;
    b->pace_cycles = 8000;
}

static void write_profile(uint64_t events)
{
    struct prof_burst written[4];
    prof_writer *w;
    ok(prof_writer_new(path, 1, &w));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct prof_sample s = prof_sample_missing;
        const struct row *r = &rows[i];
        s.time_ns = bursts[r->burst].time_ns + r->position;
        s.thread = bursts[r->burst].thread;
        s.burst = r->burst;
        s.position = r->position;
        s.ip = r->ip;
        s.addr = r->addr;
        s.size = 8;
        s.op = r->op;
        s.node = r->node;
        s.element = r->element;
        s.phase = r->phase;
        s.events = events;
        s.latency_valid = is_translated && r->burst == TRANSLATED && r->position >= TIMED_FROM;
        if (s.latency_valid == 1) s.latency_cycles = 40;
        ok(prof_writer_add(w, &s));
    }
    const struct prof_run run = {.schema = PROF_SCHEMA,
                                 .tsc_hz = 2000000000,
                                 .issue_width = 4,
                                 .level_latency_cycles = {5, 15, 60, 500}};
    memcpy(written, bursts, sizeof(written));
    if (is_translated) translate(&written[TRANSLATED]);
    for (unsigned id = 0; id < PROF_TABLE_COUNT; id++) {
        const void *table = tables[id].rows == bursts ? written : tables[id].rows;
        ok(prof_writer_table(w, (enum prof_table_id)id, table, tables[id].len));
    }
    ok(prof_writer_run(w, &run));
    ok(prof_writer_finish(w));
    prof_writer_free(w);
}

static char transcript[1 << 14];

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    const size_t len = strlen(transcript);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(transcript + len, sizeof(transcript) - len, format, arguments);
    va_end(arguments);
}

static void say_event(const struct pat_event *e, const struct pat_tables *t)
{
    static const char *const kinds[] = {"born", "died", "break", "begin", "end"};
    say("%s", kinds[e->kind]);
    if (e->kind <= PAT_EVENT_RANGE_DIED) {
        const struct pat_range *r = &t->ranges[e->what];
        const struct pat_home *h = &t->homes[r->home];
        say(" %s/%u/%llu [%llx, %llx)\n", h->label, h->kind, (unsigned long long)h->elem_size_bytes,
            (unsigned long long)r->start, (unsigned long long)r->end);
    } else if (e->kind == PAT_EVENT_BREAK)
        say(" %s, weight %u\n", t->threads[e->thread].label, e->what);
    else
        say(" %s of %s\n", t->phases[e->what], t->threads[e->thread].label);
}

static void say_access(const struct pat_access *a, const struct pat_tables *t)
{
    const struct pat_site *s = &t->sites[a->site];
    say("%s: %llx.%u %c%u %llx of %s\n", t->threads[a->thread].label, (unsigned long long)s->ip, s->operand,
        s->op ? 'S' : 'L', s->size_bytes, (unsigned long long)a->addr,
        s->module == PAT_NONE ? "none" : t->modules[s->module].path);
}

static struct pat_source_counts read_profile(void)
{
    pat_source *source;
    struct pat_batch b;
    transcript[0] = '\0';
    ok(pat_source_open(path, NULL, &source));
    do {
        ok(pat_source_next(source, &b));
        for (size_t i = 0; i < b.events_len; i++)
            say_event(&b.events[i], pat_source_tables(source));
        for (size_t i = 0; i < b.accesses_len; i++)
            say_access(&b.accesses[i], pat_source_tables(source));
    } while (b.events_len || b.accesses_len);
    const struct pat_source_counts counts = pat_source_counts(source);
    pat_source_close(source);
    return counts;
}

static void bursts_become_sequences_with_their_data(void **state)
{
    (void)state;
    write_profile(UINT64_MAX);
    const struct pat_source_counts c = read_profile();
    assert_string_equal(transcript, /* symbols and areas without a known extent: from the first sample on */
                        "break 10, weight 256\n"
                        "born app/3/0 [5000, 5020)\n"
                        "born table/3/16 [5000, 5018)\n"
                        "born stack of main thread/4/0 [ff00, ff10)\n"
                        "born list/2/0 [9000, 9040)\n"
                        "born A/1/8 [1000, 2000)\n"
                        "10: 400010.0 L8 1008 of /bin/app\n"
                        "10: 400010.0 L8 1800 of /bin/app\n"
                        "10: 400010.0 L8 1010 of /bin/app\n"
                        "10: 400020.0 L8 9000 of /bin/app\n"
                        "10: 400020.1 S8 1020 of /bin/app\n"
                        "break 10, weight 256\n"
                        "begin solve of 10\n"
                        "10: 400050.0 S8 ff08 of /bin/app\n"
                        "10: 400050.0 S8 ff00 of /bin/app\n"
                        "10: 800010.0 L8 1040 of /lib/then.so\n"
                        "break 10, weight 256\n"
                        "died A/1/8 [1000, 2000)\n"
                        "born A/1/8 [1000, 3000)\n"
                        "begin sweep of 10\n"
                        "10: 400010.0 L8 2ff8 of /bin/app\n"
                        "10: 400040.0 L8 5010 of /bin/app\n"
                        "10: 400048.0 L8 5018 of /bin/app\n"
                        "10: 800010.0 L8 1040 of /lib/now.so\n"
                        /* the end of the process */
                        "died app/3/0 [5000, 5020)\n"
                        "died table/3/16 [5000, 5018)\n"
                        "died stack of main thread/4/0 [ff00, ff10)\n"
                        "died list/2/0 [9000, 9040)\n"
                        "died A/1/8 [1000, 3000)\n"
                        "break rank 3 thread 20, weight 256\n"
                        "born app/3/0 [7000, 7088)\n"
                        "born table/3/16 [7000, 704c)\n"
                        "rank 3 thread 20: 600010.0 L8 7020 of /bin/app\n"
                        "rank 3 thread 20: 600010.0 L8 7044 of /bin/app\n"
                        "rank 3 thread 20: 600018.0 L8 7080 of /bin/app\n"
                        "rank 3 thread 20: 400010.0 L8 7020 of /lib/other.so\n"
                        "died app/3/0 [7000, 7088)\n"
                        "died table/3/16 [7000, 704c)\n");
    assert_int_equal(c.accesses, 16);
    assert_int_equal(c.skipped, 1); /* the prefetch */
    assert_true(c.is_sampled);
    /* 4 bursts of 1000 instructions, 4 in a cycle, represent 1000 ns at 2 GHz each. The usual one of their 17 accesses takes
     * 1000 / 17 cycles. */
    assert_true(fabs(c.scale - 2000 / (250 + 1000.0 / 17)) < 1e-9);
}

static void loads_that_were_drawn_follow_no_pattern(void **state)
{
    (void)state;
    is_translated = true;
    write_profile(UINT64_MAX);
    is_translated = false;
    const struct pat_source_counts c = read_profile();
    assert_non_null(strstr(transcript, "400040.0 L8 5010"));
    assert_null(strstr(transcript, "400048.0 L8 5018"));
    assert_null(strstr(transcript, "/lib/now.so"));
    assert_int_equal(c.accesses, 14);
    /* three bursts of the same code, with 1000, 2 and 1000 instructions in 250, 4 and 250 cycles, have one pace */
    const double pace = 504.0 / 2002, usual = 754.0 / 15;
    const double sum =
        4 * 2000 / (250 + usual) + 9 * 2000 / (1000 * pace + usual) + 2 * 2000 / (2 * pace + usual);
    assert_true(fabs(c.scale - sum / 15) < 1e-9);
}

static void hardware_reports_the_events_that_a_sample_represents(void **state)
{
    (void)state;
    write_profile(5000);
    assert_true(read_profile().scale == 5000);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bursts_become_sequences_with_their_data),
        cmocka_unit_test(loads_that_were_drawn_follow_no_pattern),
        cmocka_unit_test(hardware_reports_the_events_that_a_sample_represents),
    };
    if (!mkdtemp(folder)) return 99;
    snprintf(path, sizeof(path), "%s/run.h5", folder);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    rmdir(folder);
    return failed;
}
