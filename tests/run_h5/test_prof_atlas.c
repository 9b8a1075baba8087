/* SPDX-License-Identifier: BSD-3-Clause */
/* Domains and fields are read back from run.h5 as they were written; contradictory files are refused. */
#include "run_h5/prof_atlas.h"
#include "run_h5/prof_writer.h"
#include "tests/spool/spool_fixture.h"
#include "tests/unit.h"

#include <hdf5.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct spool_fixture fixture;
static char path[400];

static int set_up(void **state)
{
    (void)state;
    spool_fixture_init(&fixture);
    snprintf(path, sizeof(path), "%s/run.h5", fixture.root);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    spool_fixture_fini(&fixture);
    return 0;
}

/* Two grids, a mesh and points only; fields on three of them. */
enum { NX = 300, NY = 400, HALVES = 2, GRID_VALUES = NX * NY };
static double grid_values[NDM_METRICS_LEN][GRID_VALUES], line_values[NDM_METRICS_LEN][4],
    line_steps[NDM_METRICS_LEN][HALVES * 4], mesh_values[NDM_METRICS_LEN][2];
static double mesh_points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0.5}, step_begins[] = {0.25, 1.5};
static uint64_t mesh_offsets[] = {0, 3, 6}, mesh_corners[] = {0, 1, 2, 1, 3, 2};
static uint8_t mesh_shapes[] = {NDM_TRIANGLE, NDM_TRIANGLE};
static char *step_labels[] = {"solve", "output / last"};
static struct ndm_geometry domains[] = {
    {.kind = NDM_GRID,
     .label = "Matrix a/b",
     .unit = "m",
     .dims = 2,
     .axes = {"col", "row", NULL},
     .extents = {NX, NY, 1},
     .origin = {-1, 0.5, 0},
     .spacing = {0.25, 2, 1},
     .cells_len = GRID_VALUES},
    {.kind = NDM_GRID,
     .label = "..",
     .unit = "",
     .dims = 1,
     .axes = {"x", NULL, NULL},
     .extents = {4, 1, 1},
     .spacing = {1, 1, 1},
     .cells_len = 4},
    {.kind = NDM_MESH,
     .label = "triangles",
     .unit = "",
     .dims = 3,
     .axes = {"x", "y", "z"},
     .points_len = 4,
     .points = mesh_points,
     .cells_len = 2,
     .offsets = mesh_offsets,
     .connectivity = mesh_corners,
     .shapes = mesh_shapes},
    {.kind = NDM_MESH,
     .label = "100% points",
     .unit = "",
     .dims = 3,
     .axes = {"x", "y", "z"},
     .points_len = 2,
     .points = mesh_points},
};
static struct ndm_field fields[] = {
    {.name = "Matrix a/b",
     .label = "Matrix a/b",
     .domain = 0,
     .node = UINT32_MAX,
     .mapped_len = 12,
     .outside_len = 3,
     .values_len = GRID_VALUES},
    {.name = "..",
     .label = "line",
     .domain = 1,
     .node = 1,
     .values_len = 4,
     .steps_len = HALVES,
     .step_labels = step_labels,
     .step_begin_s = step_begins},
    {.name = "triangles.n", .label = "n", .domain = 2, .node = 1, .values_len = 2},
};
static struct ndm_atlas atlas = {.domains = domains, .domains_len = 4, .fields = fields, .fields_len = 3};

static void fill(double *values, size_t len, int metric, int more)
{
    for (size_t i = 0; i < len; i++)
        values[i] = i % 3 == 0                                     ? 7.5 * (double)i + metric + more
                    : prof_atlas_may_miss((enum ndm_metric)metric) ? NAN
                                                                   : 0;
}

static void make_values(void)
{
    for (int m = 0; m < NDM_METRICS_LEN; m++) {
        fill(grid_values[m], GRID_VALUES / 2, m, 0); /* nothing in the far half */
        for (size_t i = GRID_VALUES / 2; i < GRID_VALUES; i++)
            grid_values[m][i] = prof_atlas_may_miss((enum ndm_metric)m) ? NAN : 0;
        fill(line_values[m], 4, m, 0);
        fill(line_steps[m], HALVES * 4, m, 1);
        fill(mesh_values[m], 2, m, 2);
        fields[0].values[m] = grid_values[m];
        fields[1].values[m] = line_values[m];
        fields[1].step_values[m] = line_steps[m];
        fields[2].values[m] = mesh_values[m];
    }
}

static void write_file(const struct ndm_atlas *a)
{
    static const struct prof_node nodes[] = {
        {.id = 0, .parent = UINT32_MAX, .process = UINT32_MAX, .label = "all memory"},
        {.id = 1, .parent = 0, .kind = PROF_NODE_RANGE, .process = UINT32_MAX, .label = "n"}};
    const struct prof_run run = {.schema = PROF_SCHEMA};
    prof_writer *w;
    assert_int_equal(prof_writer_new(path, 0, &w), LS_OK);
    for (int id = 0; id < PROF_TABLE_COUNT; id++)
        assert_int_equal(prof_writer_table(w, (enum prof_table_id)id, id == PROF_TABLE_nodes ? nodes : NULL,
                                           id == PROF_TABLE_nodes ? 2 : 0),
                         LS_OK);
    if (a) assert_int_equal(prof_atlas_write(w, a), LS_OK);
    assert_int_equal(prof_writer_run(w, &run), LS_OK);
    assert_int_equal(prof_writer_finish(w), LS_OK);
    prof_writer_free(w);
}

static void assert_same(const double *found, const double *want, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!(found[i] == want[i] || (isnan(found[i]) && isnan(want[i]))))
            fail_msg("value %zu is %g, not %g", i, found[i], want[i]);
}

static void check_domain(const struct ndm_geometry *found, const struct ndm_geometry *want)
{
    assert_int_equal(found->kind, want->kind);
    assert_string_equal(found->label, want->label);
    assert_string_equal(found->unit, want->unit);
    assert_int_equal(found->dims, want->dims);
    for (uint32_t i = 0; i < want->dims; i++)
        assert_string_equal(found->axes[i], want->axes[i]);
    assert_int_equal(found->cells_len, want->cells_len);
    if (want->kind == NDM_GRID) {
        assert_memory_equal(found->extents, want->extents, sizeof(want->extents));
        assert_memory_equal(found->origin, want->origin, sizeof(want->origin));
        return;
    }
    assert_int_equal(found->points_len, want->points_len);
    assert_same(found->points, want->points, 3 * want->points_len);
    if (want->cells_len == 0) return;
    assert_memory_equal(found->offsets, want->offsets, (want->cells_len + 1) * sizeof(*want->offsets));
    assert_memory_equal(found->connectivity, want->connectivity,
                        want->offsets[want->cells_len] * sizeof(*want->connectivity));
    assert_memory_equal(found->shapes, want->shapes, want->cells_len);
}

static void check_field(const struct ndm_field *found, const struct ndm_field *want)
{
    assert_string_equal(found->name, want->name);
    assert_string_equal(found->label, want->label);
    assert_int_equal(found->domain, want->domain);
    assert_int_equal(found->node, want->node);
    assert_int_equal(found->centering, want->centering);
    assert_int_equal(found->mapped_len, want->mapped_len);
    assert_int_equal(found->outside_len, want->outside_len);
    assert_int_equal(found->values_len, want->values_len);
    assert_int_equal(found->steps_len, want->steps_len);
    for (int m = 0; m < NDM_METRICS_LEN; m++) {
        assert_same(found->values[m], want->values[m], want->values_len);
        if (want->steps_len)
            assert_same(found->step_values[m], want->step_values[m], want->steps_len * want->values_len);
    }
    for (uint32_t s = 0; s < want->steps_len; s++) {
        assert_string_equal(found->step_labels[s], want->step_labels[s]);
        assert_true(found->step_begin_s[s] == want->step_begin_s[s]);
    }
}

static void domains_and_fields_are_read_back_as_written(void **state)
{
    (void)state;
    prof_profile *p;
    struct ndm_atlas found;
    write_file(&atlas);
    assert_int_equal(prof_open(path, &p), LS_OK);
    assert_int_equal(prof_atlas_read(p, &found), LS_OK);
    assert_int_equal(found.domains_len, atlas.domains_len);
    assert_int_equal(found.fields_len, atlas.fields_len);
    for (uint32_t i = 0; i < found.domains_len; i++)
        check_domain(&found.domains[i], &domains[i]);
    for (uint32_t i = 0; i < found.fields_len; i++)
        check_field(&found.fields[i], &fields[i]);
    ndm_atlas_fini(&found);
    prof_close(p);
}

static void one_metric_of_one_field_is_read_alone(void **state)
{
    (void)state;
    prof_profile *p;
    struct ndm_atlas found;
    write_file(&atlas);
    assert_int_equal(prof_open(path, &p), LS_OK);
    assert_int_equal(prof_atlas_list(p, &found), LS_OK);
    assert_null(found.fields[0].values[NDM_STALL]);
    const struct prof_atlas_want want = {.field = 0, .metrics = 1u << NDM_STALL};
    assert_int_equal(prof_atlas_load(p, &found, &want), LS_OK);
    assert_same(found.fields[0].values[NDM_STALL], grid_values[NDM_STALL], GRID_VALUES);
    assert_null(found.fields[0].values[NDM_TIME]);
    ndm_atlas_fini(&found);
    prof_close(p);
}

static void a_recording_without_domains_has_an_empty_atlas(void **state)
{
    (void)state;
    prof_profile *p;
    struct ndm_atlas found;
    write_file(NULL);
    assert_int_equal(prof_open(path, &p), LS_OK);
    assert_int_equal(prof_atlas_read(p, &found), LS_OK);
    assert_int_equal(found.domains_len + found.fields_len, 0);
    ndm_atlas_fini(&found);
    prof_close(p);
}

static void two_domains_of_one_name_are_refused(void **state)
{
    (void)state;
    prof_writer *w;
    struct ndm_geometry twins[] = {domains[1], domains[1]};
    const struct ndm_atlas a = {.domains = twins, .domains_len = 2};
    assert_int_equal(prof_writer_new(path, 0, &w), LS_OK);
    assert_int_equal(prof_atlas_write(w, &a), LS_ERR_EXISTS);
    prof_writer_free(w);
}

/* --- lies --- */

/* The seal only detects accidents: a file without one is read. */
static hid_t open_unsealed(void)
{
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    assert_int_equal(fwrite("\0\0\0\0\0\0\0\0", 1, 8, f), 8);
    fclose(f);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static void expect_refused(const char *words)
{
    prof_profile *p;
    struct ndm_atlas found;
    assert_int_equal(prof_open(path, &p), LS_OK);
    const ls_err e = prof_atlas_read(p, &found);
    ndm_atlas_fini(&found);
    prof_close(p);
    assert_true(e == LS_ERR_FORMAT || e == LS_ERR_RANGE);
    if (!strstr(ls_last_error(), words)) fail_msg("'%s' does not say '%s'", ls_last_error(), words);
    assert_non_null(strstr(ls_last_error(), path));
}

static void lie_in_array(const char *where, hid_t type, const void *value)
{
    write_file(&atlas);
    const hid_t file = open_unsealed(), dataset = H5Dopen2(file, where, H5P_DEFAULT);
    const hsize_t one = 1;
    const hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(1, &one, NULL);
    hsize_t start[4] = {0}, count[4] = {1, 1, 1, 1};
    start[0] = strstr(where, "offsets") ? 1 : 0; /* its first value is 0 */
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    assert_true(H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, value) >= 0);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(dataset);
    H5Fclose(file);
}

static void lie_in_attribute(const char *group, const char *name, hid_t type, const void *value)
{
    write_file(&atlas);
    const hid_t file = open_unsealed(), at = H5Gopen2(file, group, H5P_DEFAULT);
    const hid_t old = H5Aopen(at, name, H5P_DEFAULT), space = H5Aget_space(old);
    H5Aclose(old);
    assert_true(H5Adelete(at, name) >= 0);
    const hid_t attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, type, value) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Gclose(at);
    H5Fclose(file);
}

static void a_mesh_that_points_outside_is_refused(void **state)
{
    (void)state;
    const uint64_t outside = 4, beyond = UINT64_MAX;
    const double nowhere = NAN;
    lie_in_array("/meshes/triangles/connectivity", H5T_NATIVE_UINT64, &outside);
    expect_refused("connectivity: names a point");
    unlink(path);
    lie_in_array("/meshes/triangles/offsets", H5T_NATIVE_UINT64, &beyond);
    expect_refused("offsets: descend");
    unlink(path);
    lie_in_array("/meshes/triangles/points", H5T_NATIVE_DOUBLE, &nowhere);
    expect_refused("points: has coordinates");
}

static void a_grid_of_impossible_size_is_refused(void **state)
{
    (void)state;
    const uint64_t huge[] = {UINT64_C(1) << 31, UINT64_C(1) << 31}, none[] = {0, 4}, other[] = {NX, NY + 1};
    const uint32_t axes = 200;
    lie_in_attribute("/meshes/Matrix a%2Fb", "extents", H5T_NATIVE_UINT64, huge);
    expect_refused("extents: are impossible");
    unlink(path);
    lie_in_attribute("/meshes/Matrix a%2Fb", "extents", H5T_NATIVE_UINT64, none);
    expect_refused("extents: are impossible");
    unlink(path);
    lie_in_attribute("/meshes/Matrix a%2Fb", "extents", H5T_NATIVE_UINT64, other);
    expect_refused("has a different shape");
    unlink(path);
    lie_in_attribute("/meshes/Matrix a%2Fb", "dims", H5T_NATIVE_UINT32, &axes);
    expect_refused("dims: is not 1, 2 or 3");
}

static void a_field_of_nothing_is_refused(void **state)
{
    (void)state;
    const uint32_t node = 2;
    lie_in_attribute("/fields/%2E%2E", "node", H5T_NATIVE_UINT32, &node);
    expect_refused("node: is out of range");
    unlink(path);
    write_file(&atlas);
    hid_t file = open_unsealed();
    assert_true(H5Ldelete(file, "/meshes/triangles", H5P_DEFAULT) >= 0);
    H5Fclose(file);
    expect_refused("domain: is not one of /meshes");
    unlink(path);
    write_file(&atlas);
    file = open_unsealed();
    assert_true(H5Ldelete(file, "/fields/%2E%2E/steps/begin_s", H5P_DEFAULT) >= 0);
    H5Fclose(file);
    expect_refused("begin_s: is missing");
    unlink(path);
    write_file(&atlas);
    file = open_unsealed();
    assert_true(H5Ldelete(file, "/fields/triangles.n/latency_max_cycles", H5P_DEFAULT) >= 0);
    H5Fclose(file);
    expect_refused("latency_max_cycles: is missing");
}

UNIT_GROUP()
{
    make_values();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(domains_and_fields_are_read_back_as_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_metric_of_one_field_is_read_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_recording_without_domains_has_an_empty_atlas, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_domains_of_one_name_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_mesh_that_points_outside_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_grid_of_impossible_size_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_field_of_nothing_is_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
