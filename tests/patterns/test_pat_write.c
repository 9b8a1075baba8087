/* SPDX-License-Identifier: BSD-3-Clause */
/* A written file reads back as the same accesses: compared one by one, by a naive walk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "patterns/pat_json.h"
#include "patterns/pat_builder.h"
#include "patterns/write/pat_writers.h"
#include "tests/patterns/found_fixture.h"
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/test_pat_write.XXXXXX";
static char notes[4096];

static void note(void *user, const char *text)
{
    (void)user;
    snprintf(notes + strlen(notes), sizeof(notes) - strlen(notes), "%s\n", text);
}

static const struct pat_writer *writer(const char *name)
{
    for (size_t i = 0; pat_writer_at(i); i++)
        if (strcmp(pat_writer_at(i)->name, name) == 0) return pat_writer_at(i);
    fail_msg("no writer %s", name);
    return NULL;
}

static void remove_all(const struct pat_writer *w, const char *path)
{
    char name[PATH_MAX];
    struct pat_findings f;
    found_fixture(&f);
    for (size_t i = 0; pat_write_path(w, path, i, &f, name); i++)
        assert_int_equal(unlink(name), 0);
    pat_findings_fini(&f);
}

/* Written as w does, and the main file read back without a note. */
static void write_and_read(const struct pat_writer *w, uint64_t accesses_max, struct pat_suite *s)
{
    char path[PATH_MAX];
    struct pat_findings f;
    const struct pat_json_options read = {.note = note};
    const struct pat_write_options o = {.source = "run.h5", .accesses_max = accesses_max, .note = note};
    found_fixture(&f);
    notes[0] = '\0';
    snprintf(path, sizeof(path), "%s/P.json", dir);
    if (pat_write(w, &f, &o, path) != LS_OK) fail_msg("%s", ls_last_error());
    char said[sizeof(notes)];
    strcpy(said, notes);
    memset(s, 0, sizeof(*s));
    if (pat_json_read_file(path, &read, s) != LS_OK) fail_msg("%s", ls_last_error());
    assert_string_equal(notes, said); /* every key is known */
    assert_int_equal(s->len, FOUND_LEN);
    pat_findings_fini(&f);
    remove_all(w, path);
}

static void assert_same_list(const struct pat_indices *a, const struct pat_indices *b)
{
    assert_int_equal(a->len, b->len);
    if (a->len) assert_memory_equal(a->data, b->data, a->len * sizeof(*a->data));
}

static void configurations_read_back_equal(void **state)
{
    struct pat_suite s;
    struct pat_findings f;
    (void)state;
    write_and_read(writer("json"), 0, &s);
    found_fixture(&f);
    for (size_t i = 0; i < FOUND_LEN; i++) {
        const struct pat_config *a = &f.rows[i].config, *b = &s.rows[i];
        assert_string_equal(a->name, b->name);
        assert_int_equal(a->kernel, b->kernel);
        assert_int_equal(a->count, b->count);
        assert_same_list(&a->deltas, &b->deltas);
        if (i == FOUND_FIELD || i == FOUND_BACK) continue; /* scaled, moved: below */
        assert_same_list(&a->pattern, &b->pattern);
        if (!a->deltas.len) assert_int_equal(a->delta, b->delta);
    }
    static const int64_t field[] = {0, 3, 6, 9}, back[] = {3, 2, 0};
    assert_same_list(&s.rows[FOUND_FIELD].pattern, &(struct pat_indices){(int64_t *)field, 4});
    assert_int_equal(s.rows[FOUND_FIELD].delta, 12);
    assert_same_list(&s.rows[FOUND_BACK].pattern, &(struct pat_indices){(int64_t *)back, 3});
    assert_int_equal(s.rows[FOUND_BACK].delta, -8);
    assert_non_null(strstr(notes, "patterns 1, 2: deltas that are lists or below 0"));
    assert_int_equal(s.rows[FOUND_FIELD].element_bytes, 8);
    assert_int_equal(s.rows[FOUND_FIELD].object_bytes, 24);
    assert_int_equal(s.rows[FOUND_SCATTER].element_bytes, 4);
    assert_int_equal(s.rows[FOUND_SCATTER].object_bytes, 0);
    assert_int_equal(s.rows[FOUND_SCATTER].threads, 1);
    assert_int_equal(s.rows[FOUND_SCATTER].accesses, 5);
    pat_findings_fini(&f);
    pat_suite_fini(&s);
}

static void rename_home(struct pat_found *r, const char *home, uint64_t ranges_print, int64_t first_element)
{
    free(r->home);
    r->home = strdup(home);
    assert_non_null(r->home);
    r->ranges_print = ranges_print;
    r->first_element = first_element;
}

/* Which patterns are of one array, and where in it, in units of the replay. */
static void arrays_are_reported(void **state)
{
    struct pat_suite s = {NULL, 0};
    struct pat_findings f;
    const struct pat_json_options read = {.note = note};
    const struct pat_write_options o = {.source = "run.h5", .note = note};
    (void)state;
    found_fixture(&f);
    rename_home(&f.rows[FOUND_GATHER], "x", 7, 12);
    rename_home(&f.rows[FOUND_TURNS], "x", 8, 0);
    rename_home(&f.rows[FOUND_BACK], "x", 7, 0); /* has indices below 0 */
    rename_home(&f.rows[FOUND_FIELD], "x", 7, 5);
    rename_home(&f.rows[FOUND_RANDOM], "x", 0, 3);  /* many ranges */
    rename_home(&f.rows[FOUND_SCATTER], "x", 7, 1); /* elements of 4 bytes */
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/P.json", dir);
    assert_int_equal(pat_write(writer("json"), &f, &o, path), LS_OK);
    assert_int_equal(pat_json_read_file(path, &read, &s), LS_OK);
    assert_string_equal(s.rows[FOUND_GATHER].array, "x");
    assert_int_equal(s.rows[FOUND_GATHER].first, 12);
    assert_string_equal(s.rows[FOUND_TURNS].array, "x, of pattern 1");
    assert_null(s.rows[FOUND_BACK].array);
    assert_string_equal(s.rows[FOUND_FIELD].array, "x");
    assert_int_equal(s.rows[FOUND_FIELD].first, 15); /* 24 bytes are three elements */
    assert_null(s.rows[FOUND_RANDOM].array);
    assert_string_equal(s.rows[FOUND_SCATTER].array, "x");
    assert_int_equal(s.rows[FOUND_SCATTER].first, 1);
    pat_findings_fini(&f);
    pat_suite_fini(&s);
    remove_all(writer("json"), path);
}

static void set_apart(struct pat_found *r, int64_t second)
{
    int64_t *apart = malloc(2 * sizeof(*apart));
    assert_non_null(apart);
    apart[0] = 0;
    apart[1] = second;
    r->threads_apart = (struct pat_indices){apart, 2};
    r->threads = 2;
}

/* Where threads use different places, the file has the accesses of all of them, and where each begins. */
static void threads_begin_where_they_did(void **state)
{
    struct pat_suite s = {NULL, 0};
    struct pat_findings f;
    const struct pat_json_options read = {.note = note};
    const struct pat_write_options o = {.source = "run.h5", .note = note};
    static const int64_t up[] = {0, 300}, down[] = {15, 0};
    char path[PATH_MAX];
    (void)state;
    found_fixture(&f);
    set_apart(&f.rows[FOUND_GATHER], 300);
    set_apart(&f.rows[FOUND_FIELD], -5); /* 24 bytes are three elements */
    rename_home(&f.rows[FOUND_FIELD], "x", 7, 5);
    snprintf(path, sizeof(path), "%s/P.json", dir);
    notes[0] = '\0';
    assert_int_equal(pat_write(writer("json"), &f, &o, path), LS_OK);
    assert_int_equal(pat_json_read_file(path, &read, &s), LS_OK);
    assert_null(strstr(notes, "unknown key"));
    assert_same_list(&s.rows[FOUND_GATHER].thread_firsts, &(struct pat_indices){(int64_t *)up, 2});
    assert_int_equal(s.rows[FOUND_GATHER].count, 2 * f.rows[FOUND_GATHER].config.count);
    assert_same_list(&s.rows[FOUND_FIELD].thread_firsts, &(struct pat_indices){(int64_t *)down, 2});
    assert_int_equal(s.rows[FOUND_FIELD].first, 0);
    assert_int_equal(s.rows[FOUND_SCATTER].thread_firsts.len, 0);
    pat_findings_fini(&f);
    pat_suite_fini(&s);
    remove_all(writer("json"), path);
}

/* Access k of c, counted from its first: no writer may change it. */
static int64_t distance_from_first(const struct pat_config *c, size_t k)
{
    const size_t len = c->pattern.len;
    return pat_base(c->delta, &c->deltas, k / len) + c->pattern.data[k % len] - c->pattern.data[0];
}

static void spatter_gets_the_same_accesses_in_its_own_terms(void **state)
{
    struct pat_suite s;
    struct pat_findings f;
    (void)state;
    write_and_read(writer("spatter"), 0, &s);
    found_fixture(&f);
    assert_string_equal(notes,
                        "pattern 5: the elements are smaller than 8 bytes, Spatter moves 8 bytes for each\n");
    for (size_t i = 0; i < FOUND_LEN; i++) {
        const struct pat_config *a = &f.rows[i].config, *b = &s.rows[i];
        const int64_t unit = i == FOUND_FIELD ? 3 : 1;
        assert_true(b->delta >= 0 && b->deltas.len == 0);
        assert_int_equal(pat_unrolled_len(a, PAT_SIDE_GATHER), pat_unrolled_len(b, PAT_SIDE_GATHER));
        for (size_t k = 0; k < pat_unrolled_len(a, PAT_SIDE_GATHER); k++)
            assert_int_equal(distance_from_first(a, k) * unit, distance_from_first(b, k));
        for (size_t k = 0; k < b->pattern.len; k++)
            assert_in_range(b->pattern.data[k], 0, b->boundary - 1);
    }
    pat_findings_fini(&f);
    pat_suite_fini(&s);
}

/* Six configurations: Spatter takes indices modulo 65 GB / 8 / 6 / 2 without a boundary. */
static void far_indices_stay_where_they_are_in_spatter(void **state)
{
    enum { SPATTERS = 677083333 };
    (void)state;
    for (int64_t highest = SPATTERS - 1; highest <= SPATTERS; highest++) {
        char path[PATH_MAX];
        struct pat_findings f;
        struct pat_suite s = {0};
        found_fixture(&f);
        f.rows[FOUND_RANDOM].config.pattern.data[0] = highest;
        snprintf(path, sizeof(path), "%s/P.json", dir);
        const struct pat_write_options o = {.source = "run.h5", .note = note};
        const struct pat_json_options read = {.note = note};
        assert_int_equal(pat_write(writer("json"), &f, &o, path), LS_OK);
        assert_int_equal(pat_json_read_file(path, &read, &s), LS_OK);
        assert_int_equal(s.rows[FOUND_RANDOM].pattern.data[0], highest);
        assert_int_equal(s.rows[FOUND_RANDOM].boundary, highest < SPATTERS ? 0 : SPATTERS + 1);
        assert_int_equal(s.rows[FOUND_GATHER].boundary, 0);
        pat_suite_fini(&s);
        pat_findings_fini(&f);
        remove_all(writer("json"), path);
    }
}

static void gs_patterns_gets_full_sequences(void **state)
{
    struct pat_suite s;
    struct pat_findings f;
    (void)state;
    write_and_read(writer("gs-patterns"), 0, &s);
    found_fixture(&f);
    for (size_t i = 0; i < FOUND_LEN; i++) {
        const struct pat_config *a = &f.rows[i].config, *b = &s.rows[i];
        int64_t lowest = INT64_MAX;
        assert_int_equal(b->count, 1);
        assert_int_equal(b->pattern.len, pat_unrolled_len(a, PAT_SIDE_GATHER));
        for (size_t k = 0; k < b->pattern.len; k++) {
            assert_int_equal(distance_from_first(a, k), distance_from_first(b, k));
            if (b->pattern.data[k] < lowest) lowest = b->pattern.data[k];
        }
        assert_int_equal(lowest, 0);
    }
    pat_findings_fini(&f);
    pat_suite_fini(&s);
}

static void truncation_is_reported(void **state)
{
    struct pat_suite s;
    (void)state;
    write_and_read(writer("gs-patterns"), 20, &s);
    assert_int_equal(s.rows[FOUND_RANDOM].pattern.len, 20);
    assert_int_equal(s.rows[FOUND_SCATTER].pattern.len, 5);
    assert_string_equal(notes,
                        "patterns 0 (20 of 36 accesses), 1 (20 of 27), 3 (20 of 400), 4 (20 of 3000): only a "
                        "part was written; --longest and --memory allow more\n"
                        "pattern 5: drawn from the distribution of distances, not the program's accesses\n");
    pat_suite_fini(&s);
}

static void set_ends(struct pat_found *r, const int64_t *head, size_t head_len, const int64_t *tail,
                     size_t tail_len)
{
    r->head = (struct pat_indices){malloc(head_len * sizeof(*head)), head_len};
    r->tail = (struct pat_indices){malloc(tail_len * sizeof(*tail)), tail_len};
    assert_true(r->head.data && r->tail.data);
    memcpy(r->head.data, head, head_len * sizeof(*head));
    memcpy(r->tail.data, tail, tail_len * sizeof(*tail));
    r->form = PAT_FORM_PERIODIC;
    r->prologue = head_len;
    r->epilogue = tail_len;
    r->accesses += head_len + tail_len;
}

static void ragged_ends_are_written_where_each_access_is(void **state)
{
    static const int64_t head[] = {-7, -9}, tail[] = {500, 501, 2};
    static const int64_t begin[] = {2, 0, 9, 10, 13, 11}, cut[] = {2, 0, 9, 10};
    struct pat_findings f;
    struct pat_indices all;
    const struct pat_write_options o = {.source = "t", .accesses_max = 1 << 20, .note = note};
    (void)state;
    found_fixture(&f);
    struct pat_found *r = &f.rows[FOUND_GATHER];
    set_ends(r, head, 2, tail, 3);
    assert_int_equal(pat_whole(r, 1 << 20, &all), LS_OK);
    assert_int_equal(all.len, 2 + 36 + 3);
    assert_memory_equal(all.data, begin, sizeof(begin));
    assert_int_equal(all.data[38], 509);
    assert_int_equal(all.data[40], 11);
    free(all.data);
    for (size_t most = 1; most < 41; most++) {
        assert_int_equal(pat_whole(r, most, &all), LS_OK);
        assert_int_equal(all.len, most);
        if (most >= 4) assert_memory_equal(all.data, cut, sizeof(cut));
        free(all.data);
    }
    f.len = 1;
    notes[0] = '\0';
    pat_whole_note(&f, &o);
    assert_string_equal(notes, "");
    r->accesses = 5000; /* the file keeps only this number of accesses */
    pat_whole_note(&f, &o);
    assert_string_equal(
        notes,
        "pattern 0 (41 of 5000 accesses): only a part was written; --longest and --memory allow more\n");
    f.len = FOUND_LEN;
    pat_findings_fini(&f);
}

static void files_that_cannot_be_written_leave_nothing(void **state)
{
    char path[PATH_MAX], name[PATH_MAX];
    struct stat st;
    struct pat_findings f;
    const struct pat_write_options o = {.source = "run.h5"};
    (void)state;
    found_fixture(&f);
    for (size_t i = 0; pat_writer_at(i); i++) {
        const struct pat_writer *w = pat_writer_at(i);
        snprintf(path, sizeof(path), "%s/none/P%s", dir, w->end);
        assert_int_equal(pat_write(w, &f, &o, path), LS_ERR_NOT_FOUND);
        assert_non_null(strstr(ls_last_error(), "cannot be written"));
        /* a directory has the name of the last file */
        snprintf(path, sizeof(path), "%s/P%s", dir, w->end);
        size_t files = 0;
        while (pat_write_path(w, path, files, &f, name))
            files++;
        assert_true(pat_write_path(w, path, files - 1, &f, name));
        assert_int_equal(mkdir(name, 0700), 0);
        assert_int_not_equal(pat_write(w, &f, &o, path), LS_OK);
        assert_int_equal(rmdir(name), 0);
        for (size_t k = 0; pat_write_path(w, path, k, &f, name); k++)
            assert_int_not_equal(stat(name, &st), 0);
    }
    f.len = 0;
    assert_int_equal(pat_write(writer("json"), &f, &o, path), LS_ERR_ARG);
    f.len = FOUND_LEN;
    pat_findings_fini(&f);
}

static void names_of_files_follow_the_users_name(void **state)
{
    char name[PATH_MAX];
    struct pat_findings f;
    const struct pat_writer *w = writer("gs-patterns");
    (void)state;
    found_fixture(&f);
    assert_true(pat_write_path(w, "a.b/P.json", 1, NULL, name));
    assert_string_equal(name, "a.b/P.txt");
    assert_false(pat_write_path(w, "a.b/P", 2, NULL, name));
    assert_true(pat_write_path(w, "a.b/P", 3, &f, name));
    assert_string_equal(name, "a.b/P.1.sbin");
    assert_true(pat_write_path(w, "a/.hidden", 1, &f, name));
    assert_string_equal(name, "a/.hidden.txt");
    f.rows[FOUND_FIELD].rank = 7;
    assert_true(pat_write_path(&pat_writer_gs2, "a.b/P.json", 2 + FOUND_FIELD, &f, name));
    assert_string_equal(name, "a.b/P.g.007.24B.sbin");
    assert_true(pat_write_path(&pat_writer_gs2, "P.json", 2 + FOUND_TURNS, &f, name));
    assert_string_equal(name, "P.g.000.08B.1.sbin");
    assert_true(pat_write_path(&pat_writer_gs2, "P.json", 2 + FOUND_SCATTER, &f, name));
    assert_string_equal(name, "P.s.000.04B.sbin");
    assert_false(pat_write_path(&pat_writer_gs2, "P.json", 2 + FOUND_LEN, &f, name));
    pat_findings_fini(&f);
}

static void scaling_rounds_down_and_refuses_what_does_not_fit(void **state)
{
    struct pat_config c, scaled;
    int64_t values[] = {-1, 0, 1, 2};
    (void)state;
    assert_int_equal(pat_config_init(&c), LS_OK);
    c.pattern = (struct pat_indices){values, 4};
    c.delta = 3;
    assert_int_equal(pat_config_scaled(&c, 12, 8, &scaled), LS_OK);
    static const int64_t rounded[] = {0, 2, 3, 5}; /* -12, 0, 12, 24 bytes: -2, 0, 1, 3 */
    assert_same_list(&scaled.pattern, &(struct pat_indices){(int64_t *)rounded, 4});
    assert_int_equal(scaled.delta, 4);
    pat_config_fini(&scaled);
    assert_int_equal(pat_config_scaled(&c, 12, 4, &scaled), LS_OK);
    static const int64_t exact[] = {0, 3, 6, 9};
    assert_same_list(&scaled.pattern, &(struct pat_indices){(int64_t *)exact, 4});
    assert_int_equal(scaled.delta, 9);
    pat_config_fini(&scaled);
    static const unsigned replayed[][2] = {{1, 4},  {2, 4},  {4, 4},  {5, 8}, {8, 8},
                                           {12, 4}, {16, 8}, {20, 4}, {10, 8}};
    for (size_t i = 0; i < sizeof(replayed) / sizeof(replayed[0]); i++)
        assert_int_equal(pat_replayed_bytes(replayed[i][0]), replayed[i][1]);
    assert_int_equal(pat_config_scaled(&c, 4, 8, &scaled), LS_OK);
    assert_int_equal(scaled.delta, 3);
    pat_config_fini(&scaled);
    values[3] = INT64_MAX / 2;
    assert_int_equal(pat_config_scaled(&c, 64, 8, &scaled), LS_ERR_RANGE);
    pat_config_fini(&scaled);
    c.pattern = (struct pat_indices){0};
    pat_config_fini(&c);
}

static void origins_contain_the_known_parts(void **state)
{
    char text[256], cut[20];
    struct pat_findings f;
    (void)state;
    found_fixture(&f);
    pat_origin_text(&f.rows[FOUND_GATHER], text, sizeof(text));
    assert_string_equal(text, "gather of x through col in multiply (spmv.c:88); complex, exact");
    pat_origin_text(&f.rows[FOUND_FIELD], text, sizeof(text));
    assert_string_equal(text, "gather of particles in drift; uniform stride, exact");
    pat_origin_text(&f.rows[FOUND_SCATTER], text, sizeof(text));
    assert_string_equal(text, "scatter at 0x401234; random, synthetic");
    pat_origin_text(&f.rows[FOUND_GATHER], cut, sizeof(cut));
    assert_string_equal(cut, "gather of x through");
    /* code without symbols: addresses of the library's file, not of this mapping */
    struct pat_found stripped = f.rows[FOUND_GATHER];
    stripped.function = stripped.file = "";
    stripped.module = "/usr/lib/libbz2.so.1";
    stripped.ip = 0x7f0000001234;
    stripped.linked_ip = 0x1234;
    pat_where_text(&stripped, text, sizeof(text));
    assert_string_equal(text, "gather of x through col in libbz2.so.1+0x1234");
    pat_findings_fini(&f);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(configurations_read_back_equal),
        cmocka_unit_test(arrays_are_reported),
        cmocka_unit_test(threads_begin_where_they_did),
        cmocka_unit_test(spatter_gets_the_same_accesses_in_its_own_terms),
        cmocka_unit_test(far_indices_stay_where_they_are_in_spatter),
        cmocka_unit_test(gs_patterns_gets_full_sequences),
        cmocka_unit_test(truncation_is_reported),
        cmocka_unit_test(ragged_ends_are_written_where_each_access_is),
        cmocka_unit_test(files_that_cannot_be_written_leave_nothing),
        cmocka_unit_test(names_of_files_follow_the_users_name),
        cmocka_unit_test(scaling_rounds_down_and_refuses_what_does_not_fit),
        cmocka_unit_test(origins_contain_the_known_parts),
    };
    if (!mkdtemp(dir)) return 99;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(dir);
    return failed;
}
