/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths: shared where they begin alike, named by their innermost frame, on disk and back. */
#include "resolve/prof_frames.h"
#include "run_h5/prof_writer.h"
#include "tests/spool/spool_fixture.h"
#include "tests/unit.h"

#include <hdf5.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t intern(struct prof_frames *f, uint32_t process, const uint64_t *ips, size_t len)
{
    uint32_t row;
    assert_int_equal(prof_frames_intern(f, process, ips, len, &row), LS_OK);
    return row;
}

static void paths_share_their_outer_frames(void **state)
{
    static const uint64_t in_a[] = {0x30, 0x20, 0x10}, in_b[] = {0x31, 0x20, 0x10},
                          short_one[] = {0x20, 0x10};
    struct prof_frames f = {0};
    (void)state;
    const uint32_t a = intern(&f, 0, in_a, 3), b = intern(&f, 0, in_b, 3);
    assert_int_equal(f.rows.len, 4);
    assert_int_not_equal(a, b);
    assert_int_equal(f.rows.rows[a].ip, 0x30);
    assert_int_equal(f.rows.rows[a].parent, f.rows.rows[b].parent);
    assert_int_equal(intern(&f, 0, short_one, 2), f.rows.rows[a].parent);
    assert_int_equal(intern(&f, 0, in_a, 3), a);
    assert_int_equal(f.rows.len, 4);
    const struct prof_frame *outer = &f.rows.rows[f.rows.rows[f.rows.rows[a].parent].parent];
    assert_int_equal(outer->ip, 0x10);
    assert_int_equal(outer->parent, UINT32_MAX);
    prof_frames_fini(&f);
}

static void processes_share_nothing(void **state)
{
    static const uint64_t ips[] = {0x30, 0x20};
    struct prof_frames f = {0};
    (void)state;
    const uint32_t a = intern(&f, 0, ips, 2), b = intern(&f, 1, ips, 2);
    assert_int_equal(f.rows.len, 4);
    assert_int_equal(f.rows.rows[a].process, 0);
    assert_int_equal(f.rows.rows[b].process, 1);
    prof_frames_fini(&f);
}

static void empty_and_deep_paths(void **state)
{
    uint64_t ips[PROF_PATH_FRAMES_MAX + 10];
    struct prof_frames f = {0};
    (void)state;
    assert_int_equal(intern(&f, 0, NULL, 0), PROF_NO_FRAME);
    for (size_t i = 0; i < PROF_PATH_FRAMES_MAX + 10; i++)
        ips[i] = 0x1000 + i;
    const uint32_t row = intern(&f, 0, ips, PROF_PATH_FRAMES_MAX + 10);
    assert_int_equal(f.rows.len, PROF_PATH_FRAMES_MAX);
    assert_int_equal(f.rows.rows[row].ip, 0x1000); /* the inner ones are kept */
    prof_frames_fini(&f);
}

static void many_paths_stay_distinct(void **state)
{
    enum { N = 20000 };
    struct prof_frames f = {0};
    uint32_t *rows = calloc(N, sizeof(*rows));
    (void)state;
    for (uint64_t i = 0; i < N; i++)
        rows[i] = intern(&f, 0, (const uint64_t[]){i % 100, i / 100, 7}, 3);
    assert_int_equal(f.rows.len, 1 + N / 100 + N);
    for (uint64_t i = 0; i < N; i++) {
        assert_int_equal(intern(&f, 0, (const uint64_t[]){i % 100, i / 100, 7}, 3), rows[i]);
        assert_int_equal(f.rows.rows[rows[i]].ip, i % 100);
    }
    free(rows);
    prof_frames_fini(&f);
}

static void return_addresses_become_calls(void **state)
{
    static const uint64_t sample[] = {0x100, 0x205, 0x305};
    uint64_t ips[3];
    (void)state;
    assert_int_equal(prof_frames_of_returns(sample, 3, 1, ips), 3);
    assert_int_equal(ips[0], 0x100);
    assert_int_equal(ips[1], 0x204);
    assert_int_equal(ips[2], 0x304);
    assert_int_equal(prof_frames_of_returns(sample, 3, 0, ips), 3);
    assert_int_equal(ips[0], 0xff);
}

static void each_frame_finds_its_line(void **state)
{
    static struct prof_line rows[] = {{.process = 0, .ip = 0x10},
                                      {.process = 0, .ip = 0x30},
                                      {.process = 1, .ip = 0x10},
                                      {.process = 1, .ip = 0x20}};
    const prof_line_list lines = {rows, 4, 4};
    static const uint64_t ips[] = {0x20, 0x10};
    struct prof_frames f = {0};
    struct prof_ip_set set = {0};
    (void)state;
    intern(&f, 0, (const uint64_t[]){0x30}, 1);
    const size_t first = f.rows.len;
    const uint32_t row = intern(&f, 1, ips, 2);
    assert_int_equal(prof_frames_add_ips(&f, first, &set), LS_OK);
    assert_int_equal(set.ips.len, 2); /* not the ones of the other process */
    prof_frames_set_lines(&f, first, &lines);
    assert_int_equal(f.rows.rows[row].line, 3);
    assert_int_equal(f.rows.rows[f.rows.rows[row].parent].line, 2);
    assert_int_equal(f.rows.rows[0].line, UINT32_MAX);
    prof_frames_set_lines(&f, 0, &(const prof_line_list){rows, 1, 1});
    assert_int_equal(f.rows.rows[0].line, UINT32_MAX);
    prof_ip_fini(&set);
    prof_frames_fini(&f);
}

/* A file with these frames; the path is returned. */
static const char *write_file(const struct spool_fixture *fixture, const struct prof_frame *frames,
                              size_t len)
{
    static char path[400];
    static const struct prof_node root = {.parent = UINT32_MAX, .label = "all memory"};
    static const struct prof_process process = {.parent = UINT32_MAX, .exe = "/bin/x", .cmdline = "x"};
    static const struct prof_line line = {.module = "x", .function = "main", .file = ""};
    const struct prof_run run = {.schema = PROF_SCHEMA};
    prof_writer *w;
    snprintf(path, sizeof(path), "%s/run.h5", fixture->root);
    assert_int_equal(prof_writer_new(path, 1, &w), LS_OK);
    for (int id = 0; id < PROF_TABLE_COUNT; id++) {
        const void *rows = id == PROF_TABLE_nodes       ? (const void *)&root
                           : id == PROF_TABLE_processes ? (const void *)&process
                           : id == PROF_TABLE_lines     ? (const void *)&line
                           : id == PROF_TABLE_frames    ? (const void *)frames
                                                        : NULL;
        assert_int_equal(
            prof_writer_table(w, (enum prof_table_id)id, rows, id == PROF_TABLE_frames ? len : rows != NULL),
            LS_OK);
    }
    assert_int_equal(prof_writer_run(w, &run), LS_OK);
    assert_int_equal(prof_writer_finish(w), LS_OK);
    prof_writer_free(w);
    return path;
}

static void frames_are_read_back_from_the_file(void **state)
{
    static const struct prof_frame frames[] = {{.parent = UINT32_MAX, .ip = 0x10, .line = 0},
                                               {.parent = 0, .ip = 0x20, .line = UINT32_MAX}};
    struct spool_fixture fixture;
    prof_profile *p;
    size_t len;
    (void)state;
    spool_fixture_init(&fixture);
    assert_int_equal(prof_open(write_file(&fixture, frames, 2), &p), LS_OK);
    const struct prof_frame *rows = prof_frames(p, &len);
    assert_int_equal(len, 2);
    assert_int_equal(rows[1].parent, 0);
    assert_int_equal(rows[1].ip, 0x20);
    assert_int_equal(rows[1].line, UINT32_MAX);
    assert_int_equal(rows[0].line, 0);
    prof_close(p);
    spool_fixture_fini(&fixture);
}

static void invalid_frames_are_refused(void **state)
{
    static const struct {
        struct prof_frame frame;
        const char *says;
    } rows[] = {
        {{.parent = 0, .line = 0}, "/frames: row 0: parent"},
        {{.parent = UINT32_MAX, .process = 1, .line = 0}, "/frames: row 0: process"},
        {{.parent = UINT32_MAX, .line = 1}, "/frames: row 0: line"},
    };
    struct spool_fixture fixture;
    (void)state;
    spool_fixture_init(&fixture);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        prof_profile *p;
        assert_int_equal(prof_open(write_file(&fixture, &rows[i].frame, 1), &p), LS_ERR_FORMAT);
        assert_non_null(strstr(ls_last_error(), rows[i].says));
    }
    spool_fixture_fini(&fixture);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_share_their_outer_frames),
        cmocka_unit_test(processes_share_nothing),
        cmocka_unit_test(empty_and_deep_paths),
        cmocka_unit_test(many_paths_stay_distinct),
        cmocka_unit_test(return_addresses_become_calls),
        cmocka_unit_test(each_frame_finds_its_line),
        cmocka_unit_test(frames_are_read_back_from_the_file),
        cmocka_unit_test(invalid_frames_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
