/* SPDX-License-Identifier: BSD-3-Clause */
/* A written trace reads back identically, whatever the accesses, rows and events; damage is reported with its
 * position; regular accesses take almost no room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "patterns/source/pat_codec.h"
#include "patterns/source/pat_source.h"
#include "patterns/source/pat_tables.h"
#include "patterns/source/pat_trace_format.h"
#include "patterns/source/pat_trace_writer.h"
#include "tests/unit.h"
#include "tests/xorshift.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[] = "test_pat_trace.XXXXXX";

static uint64_t random_state;

static uint64_t random_u64(void)
{
    return xorshift(&random_state);
}

static uint64_t below(uint64_t n)
{
    return random_u64() % n;
}

#define ok(call)                                              \
    do {                                                      \
        if ((call) != LS_OK) fail_msg("%s", ls_last_error()); \
    } while (0)

/* --- a stream: accesses and events in one order --- */

struct item {
    bool is_event;
    struct pat_event event;
    struct pat_access access;
};
struct stream {
    struct item *items;
    size_t len, room;
};

static void push(struct stream *s, const struct item *i)
{
    if (s->len == s->room) {
        s->room = s->room ? 2 * s->room : 1024;
        s->items = realloc(s->items, s->room * sizeof(*s->items));
        assert_non_null(s->items);
    }
    s->items[s->len++] = *i;
}

static void push_batch(struct stream *s, const struct pat_batch *b)
{
    for (size_t i = 0; i < b->events_len; i++)
        push(s, &(struct item){.is_event = true, .event = b->events[i]});
    for (size_t i = 0; i < b->accesses_len; i++)
        push(s, &(struct item){.access = b->accesses[i]});
}

static void assert_same_streams(const struct stream *a, const struct stream *b)
{
    assert_int_equal(a->len, b->len);
    for (size_t i = 0; i < a->len; i++) {
        const struct item *x = &a->items[i], *y = &b->items[i];
        assert_int_equal(x->is_event, y->is_event);
        assert_int_equal(x->event.kind, y->event.kind);
        assert_int_equal(x->event.thread, y->event.thread);
        assert_int_equal(x->event.what, y->event.what);
        assert_int_equal(x->access.addr, y->access.addr);
        assert_int_equal(x->access.site, y->access.site);
        assert_int_equal(x->access.thread, y->access.thread);
    }
}

static void assert_same_text(const char *a, const char *b)
{
    if (!a || !b)
        assert_ptr_equal(a, b);
    else
        assert_string_equal(a, b);
}

static void assert_same_tables(const struct pat_tables *a, const struct pat_tables *b)
{
    assert_int_equal(a->sites_len, b->sites_len);
    for (size_t i = 0; i < a->sites_len; i++) {
        assert_int_equal(a->sites[i].ip, b->sites[i].ip);
        assert_int_equal(a->sites[i].module, b->sites[i].module);
        assert_int_equal(a->sites[i].size_bytes, b->sites[i].size_bytes);
        assert_int_equal(a->sites[i].operand, b->sites[i].operand);
        assert_int_equal(a->sites[i].op, b->sites[i].op);
    }
    assert_int_equal(a->modules_len, b->modules_len);
    for (size_t i = 0; i < a->modules_len; i++) {
        assert_string_equal(a->modules[i].path, b->modules[i].path);
        assert_int_equal(a->modules[i].start, b->modules[i].start);
        assert_int_equal(a->modules[i].end, b->modules[i].end);
        assert_int_equal(a->modules[i].bias, b->modules[i].bias);
    }
    assert_int_equal(a->homes_len, b->homes_len);
    for (size_t i = 0; i < a->homes_len; i++) {
        assert_same_text(a->homes[i].label, b->homes[i].label);
        assert_int_equal(a->homes[i].elem_size_bytes, b->homes[i].elem_size_bytes);
        assert_int_equal(a->homes[i].kind, b->homes[i].kind);
    }
    assert_int_equal(a->ranges_len, b->ranges_len);
    for (size_t i = 0; i < a->ranges_len; i++) {
        assert_int_equal(a->ranges[i].start, b->ranges[i].start);
        assert_int_equal(a->ranges[i].end, b->ranges[i].end);
        assert_int_equal(a->ranges[i].home, b->ranges[i].home);
    }
    assert_int_equal(a->threads_len, b->threads_len);
    for (size_t i = 0; i < a->threads_len; i++)
        assert_string_equal(a->threads[i].label, b->threads[i].label);
    assert_int_equal(a->phases_len, b->phases_len);
    for (size_t i = 0; i < a->phases_len; i++)
        assert_string_equal(a->phases[i], b->phases[i]);
}

/* --- random tables, events and accesses --- */

static void random_rows(struct pat_tables *t)
{
    char name[64];
    uint32_t row;
    snprintf(name, sizeof(name), "name %llx", (unsigned long long)random_u64() >> below(64));
    if (below(4) == 0)
        ok(pat_tables_add_module(
            t,
            &(struct pat_module){
                .path = name, .start = random_u64(), .end = random_u64(), .bias = random_u64()},
            &row));
    for (uint64_t i = below(8); i > 0; i--)
        ok(pat_tables_add_site(t,
                               &(struct pat_site){.ip = random_u64() >> below(64),
                                                  .module = below(2) && t->modules_len
                                                                ? (uint32_t)below(t->modules_len)
                                                                : PAT_NONE,
                                                  .size_bytes = (uint16_t)random_u64(),
                                                  .operand = (uint8_t)random_u64(),
                                                  .op = (uint8_t)below(2)},
                               &row));
    if (below(2))
        ok(pat_tables_add_home(t,
                               &(struct pat_home){.label = below(2) ? name : NULL,
                                                  .kind = (uint8_t)below(PAT_HOME_OTHER + 1),
                                                  .elem_size_bytes = random_u64() >> below(64)},
                               &row));
    if (t->homes_len)
        ok(pat_tables_add_range(t,
                                &(struct pat_range){.start = random_u64(),
                                                    .end = random_u64(),
                                                    .home = (uint32_t)below(t->homes_len)},
                                &row));
    if (below(8) == 0) ok(pat_tables_add_thread(t, name, &row));
    if (below(8) == 0) ok(pat_tables_add_phase(t, name, &row));
}

static struct pat_event random_event(const struct pat_tables *t)
{
    struct pat_event e = {.kind = (uint8_t)below(PAT_EVENT_PHASE_END + 1),
                          .thread = below(2) ? (uint32_t)below(t->threads_len) : PAT_NONE};
    size_t rows = 1;
    if (e.kind == PAT_EVENT_RANGE_BORN || e.kind == PAT_EVENT_RANGE_DIED) rows = t->ranges_len;
    if (e.kind == PAT_EVENT_PHASE_BEGIN || e.kind == PAT_EVENT_PHASE_END) rows = t->phases_len;
    if (rows == 0) e.kind = PAT_EVENT_BREAK;
    e.what = rows ? (uint32_t)below(rows) : 0;
    return e;
}

enum { ACCESSES_MAX = 3000, EVENTS_MAX = 5 };

static void put_random_batch(pat_trace_writer *w, struct pat_tables *t, struct stream *s, unsigned regular)
{
    struct pat_access accesses[ACCESSES_MAX];
    struct pat_event events[EVENTS_MAX];
    struct pat_batch b = {.events = events,
                          .events_len = below(EVENTS_MAX + 1),
                          .accesses = accesses,
                          .accesses_len = below(ACCESSES_MAX + 1)};
    random_rows(t);
    for (size_t i = 0; i < b.events_len; i++)
        events[i] = random_event(t);
    uint32_t thread = (uint32_t)below(t->threads_len);
    for (size_t i = 0; i < b.accesses_len; i++) {
        if (below(50) == 0) thread = (uint32_t)below(t->threads_len);
        const uint32_t site =
            below(100) < regular ? (uint32_t)(i % t->sites_len % 7) : (uint32_t)below(t->sites_len);
        const uint64_t addr =
            below(100) < regular ? UINT64_C(0x7f0000000000) + 8 * i : random_u64() >> below(64);
        accesses[i] = (struct pat_access){.addr = addr, .site = site, .thread = thread};
    }
    push_batch(s, &b);
    ok(pat_trace_writer_put(w, &b, t));
}

static void first_rows(struct pat_tables *t)
{
    uint32_t row;
    ok(pat_tables_add_thread(t, "1", &row));
    ok(pat_tables_add_site(t, &(struct pat_site){.ip = 0x401000, .module = PAT_NONE, .size_bytes = 8}, &row));
}

static void read_all(const char *name, struct stream *s, struct pat_tables *copy, struct pat_source_counts *c)
{
    pat_source *source;
    struct pat_batch b;
    ok(pat_source_open(name, NULL, &source));
    do {
        ok(pat_source_next(source, &b));
        push_batch(s, &b);
    } while (b.events_len || b.accesses_len);
    ok(pat_source_next(source, &b)); /* the end stays the end */
    assert_int_equal(b.events_len + b.accesses_len, 0);
    assert_same_tables(pat_source_tables(source), copy);
    *c = pat_source_counts(source);
    pat_source_close(source);
}

static void random_round(uint64_t seed)
{
    struct pat_tables t = {0};
    struct stream in = {0}, out = {0};
    struct pat_source_counts c;
    pat_trace_writer *w;
    uint64_t accesses = 0;
    random_state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    const unsigned regular = (unsigned)below(101);
    const struct pat_trace_about about = {.is_sampled = below(2), .scale = below(2) ? 12.5 : NAN};
    ok(pat_trace_writer_new(path, &about, &w));
    first_rows(&t);
    for (uint64_t i = below(200); i > 0; i--)
        put_random_batch(w, &t, &in, regular);
    for (uint32_t i = 0; i < t.homes_len; i++)
        if (!t.homes[i].label && below(2)) ok(pat_tables_set_label(&t, i, "named late"));
    ok(pat_trace_writer_finish(w, &t, 17, 4));
    read_all(path, &out, &t, &c);
    assert_same_streams(&in, &out);
    for (size_t i = 0; i < in.len; i++)
        accesses += !in.items[i].is_event;
    assert_int_equal(c.accesses, accesses);
    assert_int_equal(c.skipped, 17);
    assert_int_equal(c.lost, 4);
    assert_int_equal(c.is_sampled, about.is_sampled);
    assert_true(isnan(about.scale) ? isnan(c.scale) : c.scale == about.scale);
    free(in.items);
    free(out.items);
    pat_tables_fini(&t);
}

static void trace_is_read_back_as_written(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++)
        random_round(seed);
}

/* --- sizes --- */

enum { NAIVE_BYTES = 16 }; /* bytes of an access in memory */

/* A loop over y[i] += v[j] * x[col[j]]: three loads, one of them a gather, and rarely a store. */
static double bytes_of_gather(uint64_t elements)
{
    struct pat_tables t = {0};
    pat_trace_writer *w;
    struct pat_access a[4 * 1024];
    uint32_t row;
    uint64_t n = 0;
    struct stat st;
    ok(pat_trace_writer_new(path, &(struct pat_trace_about){0}, &w));
    first_rows(&t);
    for (unsigned i = 1; i < 4; i++)
        ok(pat_tables_add_site(
            &t, &(struct pat_site){.ip = 0x401000 + 4 * i, .module = PAT_NONE, .size_bytes = 8, .op = i == 3},
            &row));
    random_state = 99;
    for (uint64_t j = 0; j < 512 * 1024;) {
        size_t len = 0;
        for (unsigned i = 0; i < 1024; i++, j++) {
            a[len++] = (struct pat_access){.site = 0, .addr = 0x7f0000000000 + 4 * j};
            a[len++] = (struct pat_access){.site = 1, .addr = 0x7f1000000000 + 8 * j};
            a[len++] = (struct pat_access){.site = 2, .addr = 0x7f2000000000 + 8 * below(elements)};
            if (j % 27 == 0) a[len++] = (struct pat_access){.site = 3, .addr = 0x7f3000000000 + 8 * (j / 27)};
        }
        n += len;
        ok(pat_trace_writer_put(w, &(struct pat_batch){.accesses = a, .accesses_len = len}, &t));
    }
    ok(pat_trace_writer_finish(w, &t, 0, 0));
    pat_tables_fini(&t);
    assert_int_equal(stat(path, &st), 0);
    return (double)st.st_size / (double)n;
}

static void regular_accesses_take_no_room(void **state)
{
    (void)state;
    const double small = bytes_of_gather(1 << 12), large = bytes_of_gather(1 << 27);
    print_message("a sparse matrix times a vector: "
                  "%.2f bytes an access with 2^12 elements, %.2f with 2^27; naive %d\n",
                  small, large, NAIVE_BYTES);
    assert_true(small < 1.0);
    assert_true(large < 1.6);
}

/* --- damage --- */

static long file_bytes(const char *name, uint8_t **out)
{
    FILE *f = fopen(name, "rbe");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    const long len = ftell(f);
    rewind(f);
    *out = malloc((size_t)len + 1);
    assert_non_null(*out);
    assert_int_equal(fread(*out, 1, (size_t)len, f), len);
    fclose(f);
    return len;
}

static void write_bytes(const uint8_t *data, size_t len)
{
    FILE *f = fopen(path, "wbe");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, len, f), len);
    fclose(f);
}

/* Reads until it fails; how many accesses came. */
static ls_err read_until_failure(uint64_t *accesses)
{
    pat_source *source;
    struct pat_batch b;
    const struct pat_source_options o = {.format = "trace"};
    *accesses = 0;
    LS_TRY(pat_source_open(path, &o, &source));
    ls_err err;
    do {
        err = pat_source_next(source, &b);
        if (err == LS_OK) *accesses += b.accesses_len;
    } while (err == LS_OK && (b.accesses_len || b.events_len));
    pat_source_close(source);
    return err;
}

static void cut_and_damaged_traces_are_reported(void **state)
{
    (void)state;
    uint8_t *whole;
    uint64_t accesses, before = 0;
    bytes_of_gather(1 << 12);
    const long len = file_bytes(path, &whole);
    for (long cut = 0; cut < len; cut += 1 + len / 40) {
        write_bytes(whole, (size_t)cut);
        assert_int_equal(read_until_failure(&accesses), LS_ERR_TRUNCATED);
        assert_true(accesses >= before);
        before = accesses;
        if (cut > 0) assert_non_null(strstr(ls_last_error(), "byte "));
    }
    assert_true(before > 1000000);
    for (long at = 32; at < len; at += 1 + len / 40) {
        write_bytes(whole, (size_t)len);
        whole[at] ^= 4;
        write_bytes(whole, (size_t)len);
        whole[at] ^= 4;
        const ls_err err = read_until_failure(&accesses);
        assert_true(err == LS_ERR_FORMAT || err == LS_ERR_TRUNCATED);
    }
    whole[8] = 2; /* the version */
    write_bytes(whole, (size_t)len);
    assert_int_equal(read_until_failure(&accesses), LS_ERR_VERSION);
    free(whole);
}

static void unknown_rows_are_refused_when_written(void **state)
{
    (void)state;
    struct pat_tables t = {0};
    pat_trace_writer *w;
    const struct pat_access a = {.site = 1};
    ok(pat_trace_writer_new(path, &(struct pat_trace_about){0}, &w));
    first_rows(&t);
    assert_int_equal(pat_trace_writer_put(w, &(struct pat_batch){.accesses = &a, .accesses_len = 1}, &t),
                     LS_ERR_ARG);
    pat_trace_writer_free(w);
    pat_tables_fini(&t);
    assert_int_equal(pat_trace_writer_new("/nowhere/t", &(struct pat_trace_about){0}, &w), LS_ERR_NOT_FOUND);
}

/* --- the worked example of doc/traces.md --- */

/* y[i] = x[col[i]], i = 0 to 3, with x a block of four doubles. */
static void write_example(void)
{
    static const unsigned col[] = {2, 0, 3, 1};
    struct pat_tables t = {0};
    struct pat_access a[12];
    const struct pat_event born = {.kind = PAT_EVENT_RANGE_BORN, .thread = PAT_NONE};
    pat_trace_writer *w;
    uint32_t row;
    ok(pat_tables_add_module(&t, &(struct pat_module){.path = "/bin/app", .start = 0x401000, .end = 0x402000},
                             &row));
    ok(pat_tables_add_site(&t, &(struct pat_site){.ip = 0x401010, .size_bytes = 4}, &row));
    ok(pat_tables_add_site(&t, &(struct pat_site){.ip = 0x401013, .size_bytes = 8}, &row));
    ok(pat_tables_add_site(&t, &(struct pat_site){.ip = 0x401018, .size_bytes = 8, .op = PAT_OP_STORE},
                           &row));
    ok(pat_tables_add_home(&t, &(struct pat_home){.label = "x", .kind = PAT_HOME_HEAP, .elem_size_bytes = 8},
                           &row));
    ok(pat_tables_add_range(&t, &(struct pat_range){.start = 0x5000, .end = 0x5020}, &row));
    ok(pat_tables_add_thread(&t, "4711", &row));
    for (unsigned i = 0; i < 4; i++) {
        a[3 * i] = (struct pat_access){.site = 0, .addr = 0x4000 + 4 * i};
        a[3 * i + 1] = (struct pat_access){.site = 1, .addr = 0x5000 + 8 * col[i]};
        a[3 * i + 2] = (struct pat_access){.site = 2, .addr = 0x6000 + 8 * i};
    }
    const struct pat_batch b = {.events = &born, .events_len = 1, .accesses = a, .accesses_len = 12};
    ok(pat_trace_writer_new(path, &(struct pat_trace_about){0}, &w));
    ok(pat_trace_writer_put(w, &b, &t));
    ok(pat_trace_writer_finish(w, &t, 0, 0));
    pat_tables_fini(&t);
}

/* The bytes at the beginnings of the lines between the example's marks: pairs of digits, a blank between
 * them, two after the last. */
static size_t documented_bytes(uint8_t *out, size_t room)
{
    char name[4096], line[512];
    bool is_inside = false;
    size_t len = 0;
    snprintf(name, sizeof(name), "%s/doc/traces.md", getenv("top_srcdir") ? getenv("top_srcdir") : ".");
    FILE *f = fopen(name, "re");
    if (!f) fail_msg("%s cannot be read", name);
    while (fgets(line, sizeof(line), f)) {
        if (strstr(line, "<!-- example:")) is_inside = strstr(line, "begin") != NULL;
        unsigned value;
        for (const char *p = line; is_inside && sscanf(p, "%2x", &value) == 1 && p[2] == ' ' && len < room;
             p += 3) {
            out[len++] = (uint8_t)value;
            if (p[3] == ' ') break;
        }
    }
    fclose(f);
    return len;
}

static void written_file_equals_the_example_of_the_page(void **state)
{
    (void)state;
    uint8_t *written, documented[1024];
    if (pat_codec_best != PAT_CODEC_ZSTD) skip(); /* the page's is packed by it */
    write_example();
    const size_t len = (size_t)file_bytes(path, &written);
    const size_t documented_len = documented_bytes(documented, sizeof(documented));
    if (documented_len != len || memcmp(documented, written, len) != 0)
        for (size_t i = 0; i < len; i++)
            print_message("%02x%c", written[i], i % 16 == 15 || i + 1 == len ? '\n' : ' ');
    assert_int_equal(documented_len, len);
    assert_memory_equal(documented, written, len);
    free(written);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trace_is_read_back_as_written),
        cmocka_unit_test(regular_accesses_take_no_room),
        cmocka_unit_test(cut_and_damaged_traces_are_reported),
        cmocka_unit_test(unknown_rows_are_refused_when_written),
        cmocka_unit_test(written_file_equals_the_example_of_the_page),
    };
    const int fd = mkstemp(path);
    if (fd < 0) return 99;
    close(fd);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
