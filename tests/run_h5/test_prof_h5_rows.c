/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of data sets come back however they are stored. */
#include "config.h"

#include "run_h5/prof_h5.h"
#include "tests/spool/spool_fixture.h"
#include "tests/unit.h"

#include <hdf5.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { PLANES = 5, ROWS = 9, COLUMNS = 14, FILL = 77 };

static struct spool_fixture fixture;
static char path[400];

static int set_up(void **state)
{
    (void)state;
    spool_fixture_init(&fixture);
    snprintf(path, sizeof(path), "%s/rows.h5", fixture.root);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    spool_fixture_fini(&fixture);
    return 0;
}

/* How a data set of PLANES x ROWS x COLUMNS values is stored. */
struct storage {
    const char *name;
    hid_t type;
    hsize_t chunk[3];     /* 0: none */
    unsigned is_shuffled; /* before it is packed */
    unsigned is_packed;
    int written_planes; /* the others have the fill value */
};

static void make_set(hid_t file, const struct storage *s)
{
    const hsize_t extents[] = {PLANES, ROWS, COLUMNS}, start[3] = {0};
    const hsize_t written[] = {(hsize_t)s->written_planes, ROWS, COLUMNS};
    const hid_t space = H5Screate_simple(3, extents, NULL), memory_space = H5Screate_simple(3, written, NULL);
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    uint16_t values[PLANES * ROWS * COLUMNS];
    const uint16_t fill = FILL;
    for (uint16_t i = 0; i < PLANES * ROWS * COLUMNS; i++)
        values[i] = (uint16_t)(i * 7);
    H5Pset_fill_value(properties, H5T_NATIVE_UINT16, &fill);
    if (s->chunk[0]) H5Pset_chunk(properties, 3, s->chunk);
    if (s->is_shuffled) H5Pset_shuffle(properties);
    if (s->is_packed) H5Pset_deflate(properties, 1);
    const hid_t set = H5Dcreate2(file, s->name, s->type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, written, NULL);
    if (s->written_planes)
        assert_true(H5Dwrite(set, H5T_NATIVE_UINT16, memory_space, space, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Pclose(properties);
    H5Sclose(memory_space);
    H5Sclose(space);
}

/* Values of the planes first to first + len; the other ones are not touched. */
static void check_planes(hid_t file, const struct storage *s, uint64_t first, uint64_t len)
{
    enum { PLANE = ROWS * COLUMNS };
    uint64_t values[PLANES * PLANE + 1];
    for (size_t i = 0; i < PLANES * PLANE + 1; i++)
        values[i] = UINT64_MAX;
    const hid_t set = H5Dopen2(file, s->name, H5P_DEFAULT);
    const char *problem = prof_h5_read_rows(set, H5T_NATIVE_UINT64, first, len, values);
    if (problem) fail_msg("%s: %s", s->name, problem);
    for (uint64_t i = 0; i < len * PLANE; i++) {
        const uint64_t at = first * PLANE + i;
        const uint64_t want = at < (uint64_t)s->written_planes * PLANE ? at * 7 : FILL;
        if (values[i] != want)
            fail_msg("%s: planes from %d: value %d is %d", s->name, (int)first, (int)i, (int)values[i]);
    }
    assert_true(values[len * PLANE] == UINT64_MAX);
    H5Dclose(set);
}

static void rows_are_read_back_from_all_storage_forms(void **state)
{
    const struct storage sets[] = {
        {"contiguous", H5T_STD_U16LE, {0}, 0, 0, PLANES},
        {"chunked", H5T_STD_U16LE, {2, 4, 5}, 0, 0, PLANES},
        {"chunked, partly written", H5T_STD_U16BE, {2, 4, 5}, 0, 0, 2},
        {"packed", H5T_STD_U16LE, {2, 4, 5}, 0, 1, PLANES},
        {"shuffled", H5T_STD_U16LE, {2, 4, 5}, 1, 0, PLANES},
        {"shuffled and packed", H5T_STD_U64LE, {2, 4, 5}, 1, 1, PLANES},
        {"other byte order", H5T_STD_U32BE, {3, 9, 14}, 1, 1, PLANES},
        {"one chunk", H5T_STD_U16LE, {5, 9, 14}, 1, 1, PLANES},
        {"a chunk a value", H5T_STD_I32LE, {1, 1, 1}, 0, 1, PLANES},
        {"partly written", H5T_STD_U16BE, {2, 4, 5}, 1, 1, 2},
        {"never written", H5T_STD_U16LE, {2, 4, 5}, 1, 1, 0},
    };
    struct prof_h5_input in;
    (void)state;
    const hid_t file = H5Fcreate(path, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
        make_set(file, &sets[i]);
    H5Fclose(file);
    assert_int_equal(prof_h5_open(path, "test", &in), LS_OK);
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
        for (uint64_t first = 0; first < PLANES; first++)
            for (uint64_t len = 0; len <= PLANES - first; len++)
                check_planes(in.id, &sets[i], first, len);
    prof_h5_close(&in);
}

static void single_value_is_read_back(void **state)
{
    const uint32_t value = 5;
    uint64_t read[2] = {0, 9};
    struct prof_h5_input in;
    (void)state;
    const hid_t file = H5Fcreate(path, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    hid_t set = H5Dcreate2(file, "set", H5T_STD_U32BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
    assert_int_equal(prof_h5_open(path, "test", &in), LS_OK);
    set = H5Dopen2(in.id, "set", H5P_DEFAULT);
    assert_null(prof_h5_read_rows(set, H5T_NATIVE_UINT64, 0, 1, read));
    assert_int_equal(read[0], 5);
    assert_int_equal(read[1], 9);
    H5Dclose(set);
    prof_h5_close(&in);
}

/* libhdf5 allocates the length that the file gives for a chunk, and reads its rows from there. */
static void short_chunk_without_filter_does_no_harm(void **state)
{
    enum { LEN = 4096 };
    const hsize_t len = LEN, first = 0;
    const hid_t file = H5Fcreate(path, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, &len, NULL), properties = H5Pcreate(H5P_DATASET_CREATE);
    uint64_t *const values = malloc(LEN * sizeof(*values));
    struct prof_h5_input in;
    (void)state;
    H5Pset_chunk(properties, 1, &len);
    const hid_t set = H5Dcreate2(file, "set", H5T_STD_U64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    assert_true(H5Dwrite_chunk(set, H5P_DEFAULT, 0, &first, 8, "\1\0\0\0\0\0\0\0") >= 0);
    H5Dclose(set);
    H5Pclose(properties);
    H5Sclose(space);
    H5Fclose(file);
    assert_int_equal(prof_h5_open(path, "test", &in), LS_OK);
    const hid_t read = H5Dopen2(in.id, "set", H5P_DEFAULT);
    if (!prof_h5_read_rows(read, H5T_NATIVE_UINT64, 0, LEN, values)) assert_true(values[0] == 1);
    H5Dclose(read);
    prof_h5_close(&in);
    free(values);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_are_read_back_from_all_storage_forms, set_up, tear_down),
        cmocka_unit_test_setup_teardown(single_value_is_read_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(short_chunk_without_filter_does_no_harm, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
