/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of the natural domain: written records are read back, contradictory ones are refused. */
#include "config.h"

#include "spool/spool_put_domains_sigsafe.h"
#include "spool/spool_reader.h"
#include "spool/spool_record.h"
#include "tests/spool/spool_fixture.h"
#include "tests/unit.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PID = 77 };

struct bed {
    struct spool_fixture f;
    struct spool_writer w;
    spool_reader *r;
};

static int set_up(void **state)
{
    struct bed *b = calloc(1, sizeof(*b));
    assert_non_null(b);
    b->w = (struct spool_writer)SPOOL_WRITER_CLOSED;
    spool_fixture_init(&b->f);
    spool_fixture_open(&b->f, &b->w, PID, 0, PID);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bed *b = *state;
    spool_reader_free(b->r);
    spool_writer_close(&b->w);
    spool_fixture_fini(&b->f);
    free(b);
    return 0;
}

static const void *next(struct bed *b)
{
    const struct spool_rec_header *rec;
    struct spool_stream stream;
    if (!b->r) {
        spool_writer_close(&b->w);
        assert_int_equal(spool_stream_of_file(spool_fixture_path(&b->f, PID, 0, PID), &stream), LS_OK);
        assert_int_equal(spool_reader_open(&stream, &b->r), LS_OK);
    }
    if (spool_reader_next(b->r, &rec) != LS_OK) fail_msg("%s", ls_last_error());
    return rec;
}

static const struct spool_domain domain = {.time_ns = 1, .domain = 3, .data = 1};
static const struct spool_map map = {.time_ns = 2, .map = 4, .domain = 3, .data = 2};

static void fields_strings_and_rows_are_read_back(void **state)
{
    struct bed *b = *state;
    const struct spool_point_row rows[] = {{.access = 1, .at = {0.5, -1, 1e300}}, {.access = 9}};
    const struct spool_point point = {.time_ns = 4, .burst_ns = 3, .tid = 8, .node = 5, .points_len = 2};
    const struct spool_callback news = {.time_ns = 5, .node = 5, .calls = 17};
    assert_true(spool_put_domain(&b->w, domain));
    assert_true(spool_put_map(&b->w, map));
    assert_true(spool_put_node_map(&b->w, 3, 5, 4));
    assert_true(spool_put_points(&b->w, point, rows));
    assert_true(spool_put_callback(&b->w, SPOOL_CALLBACK_SLOW, news, "B", "matrixNDMfunc"));
    assert_true(spool_put_domain_end(&b->w, 6, 3));
    const struct spool_domain *d = next(b);
    assert_int_equal(d->rec.type, SPOOL_REC_DOMAIN);
    assert_int_equal(d->domain, 3);
    assert_int_equal(d->data, 1);
    const struct spool_map *m = next(b);
    assert_int_equal(m->rec.type, SPOOL_REC_MAP);
    assert_int_equal(m->map, 4);
    assert_int_equal(m->domain, 3);
    assert_int_equal(m->data, 2);
    const struct spool_node_map *n = next(b);
    assert_int_equal(n->node, 5);
    assert_int_equal(n->map, 4);
    const struct spool_point *p = next(b);
    assert_int_equal(p->points_len, 2);
    assert_memory_equal(SPOOL_REC_TAIL(p), rows, sizeof(rows));
    const struct spool_callback *c = next(b);
    assert_int_equal(c->rec.flags, SPOOL_CALLBACK_SLOW);
    assert_memory_equal(SPOOL_REC_TAIL(c), "BmatrixNDMfunc", c->label_len + c->name_len);
    assert_int_equal(((const struct spool_domain_end *)next(b))->domain, 3);
    assert_null(next(b));
}

static void array_of_several_chunks_is_read_in_pieces(void **state)
{
    enum { LEN = 100000 };
    static double all[LEN], back[LEN];
    struct bed *b = *state;
    for (size_t i = 0; i < LEN; i++)
        all[i] = (double)i;
    for (uint64_t at = 0; at < sizeof(all); at += SPOOL_DATA_PIECE_BYTES) {
        const uint64_t left = sizeof(all) - at;
        const struct spool_domain_data r = {
            .time_ns = 1, .data = 1, .total_bytes = sizeof(all), .first_byte = at};
        const struct spool_text piece = {
            (const char *)all + at,
            (uint32_t)(left < SPOOL_DATA_PIECE_BYTES ? left : SPOOL_DATA_PIECE_BYTES)};
        assert_true(spool_put_domain_data(&b->w, r, piece));
    }
    for (const struct spool_domain_data *d; (d = next(b)) != NULL;)
        memcpy((char *)back + d->first_byte, SPOOL_REC_TAIL(d), d->bytes_len);
    assert_memory_equal(all, back, sizeof(all));
}

static char piece_bytes[SPOOL_DATA_PIECE_BYTES];

static bool put_piece(struct bed *b, uint64_t number)
{
    const struct spool_domain_data r = {.time_ns = 1,
                                        .data = 1,
                                        .total_bytes = (number + 1) * sizeof(piece_bytes),
                                        .first_byte = number * sizeof(piece_bytes)};
    memset(piece_bytes, (int)number + 1, sizeof(piece_bytes));
    return spool_put_domain_data(&b->w, r, (struct spool_text){piece_bytes, sizeof(piece_bytes)});
}

/* Copying them to the mapping takes a page fault for each page, which is most of the cost. */
static void long_pieces_are_written_without_page_faults(void **state)
{
    enum { PIECES = 100, FAULTS_EACH = 4, PAGE_BYTES = 4096 };
    _Static_assert(SPOOL_DATA_PIECE_BYTES / PAGE_BYTES > 3 * FAULTS_EACH, "a copy has many more");
    struct bed *b = *state;
    struct rusage before, after;
    assert_true(put_piece(b, 0));
    getrusage(RUSAGE_THREAD, &before);
    for (uint64_t i = 1; i < PIECES; i++)
        assert_true(put_piece(b, i));
    getrusage(RUSAGE_THREAD, &after);
    assert_true(after.ru_minflt - before.ru_minflt < PIECES * FAULTS_EACH);
    uint64_t number = 0;
    for (const struct spool_domain_data *d; (d = next(b)) != NULL; number++) {
        memset(piece_bytes, (int)number + 1, sizeof(piece_bytes));
        assert_memory_equal(SPOOL_REC_TAIL(d), piece_bytes, sizeof(piece_bytes));
    }
    assert_int_equal(number, PIECES);
}

/* The chunk is mapped, so that the piece is recorded all the same. */
static void long_pieces_do_not_touch_a_foreign_file(void **state)
{
    struct bed *b = *state;
    char path[400];
    struct stat st;
    snprintf(path, sizeof(path), "%s/theirs", b->f.root);
    fixture_write_file(path, "theirs", 6);
    const int number = spool_writer_fd(&b->w), theirs = open(path, O_RDWR | O_CLOEXEC);
    assert_int_equal(dup2(theirs, number), number); /* close and reuse */
    assert_true(put_piece(b, 0));
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 6);
    const struct spool_domain_data *d = next(b);
    assert_non_null(d);
    assert_memory_equal(SPOOL_REC_TAIL(d), piece_bytes, sizeof(piece_bytes));
    close(number);
    close(theirs);
}

/* The program may lower the limit after the file was made. */
static void long_pieces_under_a_file_size_limit_never_kill(void **state)
{
    struct bed *b = *state;
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_FSIZE, &none);
        _exit(put_piece(b, 0) ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* A record as in a file, its fixed part followed by room for a tail. */
struct raw {
    union {
        struct spool_rec_header rec;
        struct spool_domain domain;
        struct spool_domain_data data;
        struct spool_map map;
        struct spool_point point;
        struct spool_callback callback;
    };
    uint8_t tail[64];
};

static const char *fault_of(struct raw *raw, uint16_t type, uint16_t flags, size_t fixed_len_bytes)
{
    raw->rec = (struct spool_rec_header){
        .type = type, .flags = flags, .len_bytes = (uint32_t)fixed_len_bytes + (uint32_t)sizeof(raw->tail)};
    return spool_rec_fault(&raw->rec);
}
#define FAULT(raw, kind, flags, member) fault_of(&(raw), SPOOL_REC_##kind, flags, sizeof((raw).member))

static void pieces_outside_of_their_data_are_refused(void **state)
{
    struct raw r = {.data = {.data = 1, .total_bytes = 64, .first_byte = 0, .bytes_len = 64}};
    (void)state;
    assert_null(FAULT(r, DOMAIN_DATA, 0, data));
    r.data.first_byte = 1;
    assert_non_null(FAULT(r, DOMAIN_DATA, 0, data));
    r.data.first_byte = UINT64_MAX; /* wraps */
    assert_non_null(FAULT(r, DOMAIN_DATA, 0, data));
    r.data = (struct spool_domain_data){.data = 1, .total_bytes = 65, .bytes_len = 65};
    assert_non_null(FAULT(r, DOMAIN_DATA, 0, data)); /* reaches out of its record */
    r.data = (struct spool_domain_data){.data = 0, .total_bytes = 8, .bytes_len = 8};
    assert_non_null(FAULT(r, DOMAIN_DATA, 0, data));
}

static void impossible_domains_maps_points_and_news_are_refused(void **state)
{
    struct raw d = {.domain = domain};
    (void)state;
    assert_null(FAULT(d, DOMAIN, 0, domain));
    d.domain.data = 0;
    assert_non_null(FAULT(d, DOMAIN, 0, domain));
    d.domain = (struct spool_domain){.data = 1};
    assert_non_null(FAULT(d, DOMAIN, 0, domain));
    struct raw r = {.map = map};
    assert_null(FAULT(r, MAP, 0, map));
    r.map.domain = 0;
    assert_null(FAULT(r, MAP, 0, map)); /* its callback returns no point */
    r.map.data = 0;
    assert_non_null(FAULT(r, MAP, 0, map));
    struct raw p = {.point = {.points_len = 2}};
    assert_null(FAULT(p, POINT, 0, point));
    p.point.points_len = UINT32_MAX;
    assert_non_null(FAULT(p, POINT, 0, point));
    struct raw c = {.callback = {.label_len = 60, .name_len = 4}};
    assert_null(FAULT(c, CALLBACK, SPOOL_CALLBACK_LAST, callback));
    assert_non_null(FAULT(c, CALLBACK, SPOOL_CALLBACK_LAST + 1, callback));
    c.callback.name_len = UINT32_MAX;
    assert_non_null(FAULT(c, CALLBACK, 0, callback));
}

static void every_record_type_is_known_to_readers(void **state)
{
    static const uint16_t numbers[] = {
#define NUMBER(name, number) number,
        SPOOL_REC_LIST(NUMBER)
#undef NUMBER
    };
    (void)state;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        struct spool_rec_header rec = {.type = numbers[i], .len_bytes = sizeof(rec)};
        if (strcmp(spool_rec_name(numbers[i]), "unknown") == 0) fail_msg("type %u has no row", numbers[i]);
        if (rec.type != SPOOL_REC_PAD) assert_non_null(spool_rec_fault(&rec)); /* too short for any */
    }
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fields_strings_and_rows_are_read_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(array_of_several_chunks_is_read_in_pieces, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_pieces_are_written_without_page_faults, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_pieces_do_not_touch_a_foreign_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_pieces_under_a_file_size_limit_never_kill, set_up, tear_down),
        cmocka_unit_test(pieces_outside_of_their_data_are_refused),
        cmocka_unit_test(impossible_domains_maps_points_and_news_are_refused),
        cmocka_unit_test(every_record_type_is_known_to_readers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
