/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of results: written values are read back, damaged files are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "viz-export/charts/vx_results.h"
#include "tests/unit.h"

#include <hdf5.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static char dir[] = "/tmp/test_vx_results.XXXXXX", path[64];

static int make_dir(void **state)
{
    (void)state;
    if (!mkdtemp(dir)) return -1;
    snprintf(path, sizeof(path), "%s/r.h5", dir);
    return 0;
}

static int drop_dir(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(dir);
}

static ls_err write_of_host(const char *host)
{
    struct vx_result rows[2] = {{.name = "a", .kernel = "gather", .pattern = "8 x stride 1", .delta = "8"},
                                {.name = "\303\244", .kernel = "gs", .pattern = "2 > 2", .delta = "8/4"}};
    rows[0].count = UINT64_MAX;
    rows[0].mb_per_s = 123.5;
    rows[0].stream_share = NAN;
    rows[0].mb_per_s_regular = 99.5;
    rows[1].mb_per_s = 1e9;
    rows[1].valid = 1;
    rows[1].x = -2;
    rows[1].ranks = 2;
    rows[1].nodes = 1;
    struct vx_rank ranks[2] = {{.result = 1, .host = "n0", .processors = "0-3", .variant = "v", .valid = 1},
                               {.result = 1, .rank = 1, .host = "n0", .bytes = 77}};
    const struct vx_results r = {.host = (char *)host,
                                 .cpu = "c",
                                 .command = NULL,
                                 .stream_mb_per_s = 42,
                                 .stream_regular_mb_per_s = 30,
                                 .rows = rows,
                                 .len = 2,
                                 .ranks = ranks,
                                 .ranks_len = 2};
    return vx_results_write(&r, path);
}

static void write_two(void)
{
    assert_int_equal(write_of_host("h"), LS_OK);
}

static void vx_results_are_read_back(void **state)
{
    (void)state;
    struct vx_results r;
    write_two();
    if (vx_results_read(path, &r) != LS_OK) fail_msg("%s", ls_last_error());
    assert_int_equal(r.len, 2);
    assert_string_equal(r.host, "h");
    assert_string_equal(r.command, "");
    assert_float_equal(r.stream_mb_per_s, 42, 0);
    assert_float_equal(r.stream_regular_mb_per_s, 30, 0);
    assert_float_equal(r.rows[0].mb_per_s_regular, 99.5, 0);
    assert_string_equal(r.rows[0].kernel, "gather");
    assert_int_equal(r.rows[0].count, UINT64_MAX);
    assert_float_equal(r.rows[0].mb_per_s, 123.5, 0);
    assert_true(isnan(r.rows[0].stream_share));
    assert_string_equal(r.rows[1].name, "\303\244");
    assert_string_equal(r.rows[1].variant, "");
    assert_int_equal(r.rows[1].valid, 1);
    assert_float_equal(r.rows[1].x, -2, 0);
    assert_int_equal(r.rows[1].ranks, 2);
    assert_int_equal(r.ranks_len, 2);
    assert_string_equal(r.ranks[0].processors, "0-3");
    assert_string_equal(r.ranks[1].processors, "");
    assert_int_equal(r.ranks[1].result, 1);
    assert_int_equal(r.ranks[1].bytes, 77);
    assert_false(vx_results_is_other(path));
    vx_results_fini(&r);
    assert_null(r.rows);
}

/* A limit on the length of files imitates a full disk. No draft is left, or drop_dir would fail. */
static void vx_a_full_disk_keeps_the_old_file(void **state)
{
    (void)state;
    struct rlimit before, full;
    struct vx_results r;
    write_two();
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    full = (struct rlimit){.rlim_cur = 1024, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
    const ls_err err = write_of_host("another");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(err, LS_ERR_IO);
    assert_non_null(strstr(ls_last_error(), "is the disk full?"));
    assert_int_equal(vx_results_read(path, &r), LS_OK);
    assert_string_equal(r.host, "h");
    vx_results_fini(&r);
}

static void alter(const char *attribute, uint64_t value)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), a = H5Aopen(file, attribute, H5P_DEFAULT);
    assert_true(H5Awrite(a, H5T_NATIVE_UINT64, &value) >= 0);
    H5Aclose(a);
    H5Fclose(file);
}

static void unlink_member(const char *member)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Ldelete(file, member, H5P_DEFAULT) >= 0);
    H5Fclose(file);
}

static void replace_column(const char *member, hid_t type, hsize_t len)
{
    unlink_member(member);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate_simple(1, &len, NULL);
    const hid_t set = H5Dcreate2(file, member, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
}

static void refused(ls_err err, const char *says)
{
    struct vx_results r;
    assert_int_equal(vx_results_read(path, &r), err);
    if (!strstr(ls_last_error(), says)) fail_msg("'%s' lacks '%s'", ls_last_error(), says);
    assert_null(r.rows);
}

static hid_t text_of_variable_length(void)
{
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, H5T_VARIABLE);
    return text;
}

/* No reader needs HDF5's global heap, which does not survive damage. */
static void vx_texts_have_fixed_lengths(void **state)
{
    (void)state;
    write_two();
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    for (size_t a = 0; a < vx_attributes_len; a++) {
        const hid_t attribute = H5Aopen(file, vx_attributes[a].name, H5P_DEFAULT);
        const hid_t type = H5Aget_type(attribute);
        assert_int_equal(H5Tis_variable_str(type), 0);
        H5Tclose(type);
        H5Aclose(attribute);
    }
    for (size_t c = 0; c < vx_columns_len; c++) {
        char name[64];
        snprintf(name, sizeof(name), "results/%s", vx_columns[c].name);
        const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(set);
        assert_int_equal(vx_columns[c].type == PROF_TEXT, H5Tget_class(type) == H5T_STRING);
        if (vx_columns[c].type == PROF_TEXT) assert_int_equal(H5Tis_variable_str(type), 0);
        H5Tclose(type);
        H5Dclose(set);
    }
    H5Fclose(file);
}

static void vx_texts_of_variable_length_are_refused(void **state)
{
    (void)state;
    const hid_t text = text_of_variable_length(), scalar = H5Screate(H5S_SCALAR);
    write_two();
    replace_column("results/kernel", text, 2);
    refused(LS_ERR_FORMAT, "kernel: is text of variable length");
    write_two();
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    H5Adelete(file, "host");
    H5Aclose(H5Acreate2(file, "host", text, scalar, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(file);
    refused(LS_ERR_FORMAT, "host: is text of variable length");
    H5Sclose(scalar);
    H5Tclose(text);
    write_two();
    alter("schema", 1);
    refused(LS_ERR_VERSION, "replay again");
}

/* Values that were never written take no room in a file. */
static void vx_rows_that_a_file_cannot_hold_are_refused(void **state)
{
    (void)state;
    write_two();
    replace_column("results/mb_per_s", H5T_NATIVE_DOUBLE, 1 << 24);
    refused(LS_ERR_RANGE, "mb_per_s: more than");
}

static void vx_wrong_files_are_refused(void **state)
{
    (void)state;
    write_two();
    alter("schema", 3);
    refused(LS_ERR_VERSION, "replay again");
    alter("schema", 99);
    refused(LS_ERR_VERSION, "schema 99");
    write_two();
    unlink_member("results/mb_per_s");
    refused(LS_ERR_FORMAT, "mb_per_s: is missing");
    write_two();
    unlink_member("results/variant");
    refused(LS_ERR_FORMAT, "variant: is missing");
    write_two();
    replace_column("results/kernel", H5T_NATIVE_DOUBLE, 2);
    refused(LS_ERR_FORMAT, "/results: kernel: has a type");
    write_two();
    replace_column("results/bytes", H5T_NATIVE_UINT64, 3);
    refused(LS_ERR_FORMAT, "/results: bytes: has a different shape");
    unlink(path);
    refused(LS_ERR_NOT_FOUND, "cannot open");
    const int fd = open(path, O_CREAT | O_WRONLY, 0600);
    assert_int_equal(write(fd, "not HDF5", 8), 8);
    close(fd);
    refused(LS_ERR_FORMAT, "not an HDF5 file");
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    refused(LS_ERR_FORMAT, "not a file of results");
    assert_true(vx_results_is_other(path));
}

static void write_ranks_of(uint64_t result)
{
    write_two();
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT),
                set = H5Dopen2(file, "ranks/result", H5P_DEFAULT);
    const uint64_t values[2] = {1, result};
    assert_true(H5Dwrite(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Fclose(file);
}

static void vx_ranks_of_no_row_are_refused(void **state)
{
    (void)state;
    write_ranks_of(2);
    refused(LS_ERR_FORMAT, "ranks/result: is no row");
    write_ranks_of(0);
    refused(LS_ERR_FORMAT, "not in their order");
    write_two();
    unlink_member("ranks/host");
    refused(LS_ERR_FORMAT, "/ranks: host: is missing");
    write_two();
    replace_column("ranks/rank", H5T_NATIVE_UINT64, 1 << 24);
    refused(LS_ERR_RANGE, "rank: more than");
    /* one process has none */
    struct vx_results r;
    write_two();
    unlink_member("ranks");
    assert_int_equal(vx_results_read(path, &r), LS_OK);
    assert_int_equal(r.ranks_len, 0);
    vx_results_fini(&r);
}

static void vx_cut_files_are_refused(void **state)
{
    (void)state;
    write_two();
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    const long len = ftell(f);
    fclose(f);
    for (long cut = len - 1; cut > 0; cut -= 1 + len / 40) {
        struct vx_results r;
        assert_int_equal(truncate(path, cut), 0);
        assert_int_not_equal(vx_results_read(path, &r), LS_OK);
        assert_null(r.rows);
    }
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vx_results_are_read_back),
        cmocka_unit_test(vx_a_full_disk_keeps_the_old_file),
        cmocka_unit_test(vx_texts_have_fixed_lengths),
        cmocka_unit_test(vx_texts_of_variable_length_are_refused),
        cmocka_unit_test(vx_rows_that_a_file_cannot_hold_are_refused),
        cmocka_unit_test(vx_wrong_files_are_refused),
        cmocka_unit_test(vx_ranks_of_no_row_are_refused),
        cmocka_unit_test(vx_cut_files_are_refused),
    };
    return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
