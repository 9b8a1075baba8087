/* SPDX-License-Identifier: BSD-3-Clause */
/* Geometry, maps, their bytes, the finder and gathering, as plain data. */
#include "common/ls_random.h"
#include "common/ls_span.h"
#include "loadstone/error.h"
#include "ndm/ndm_shape.h"
#include "ndm/ndm_gather.h"
#include "ndm/ndm_mix.h"
#include "ndm/ndm_map.h"
#include "ndm/ndm_wire.h"
#include "tests/unit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint64_t rng_state;

static uint64_t rng_below(uint64_t n)
{
    return ls_random_below(&rng_state, n);
}

static bool says(const char *word)
{
    if (strstr(ls_last_error(), word)) return true;
    printf("\"%s\" does not say \"%s\"\n", ls_last_error(), word);
    return false;
}

/* Two triangles and a quad on six points, numbered as Fortran does. */
static double xs[6] = {0, 1, 2, 0, 1, 2}, ys[6] = {0, 0, 0, 1, 1, 1};
static const uint8_t shapes[3] = {NDM_TRIANGLE, NDM_TRIANGLE, NDM_QUAD};
static int32_t corners[10] = {1, 2, 5, 1, 5, 4, 2, 3, 6, 5};

static struct ndm_mesh plain_mesh(void)
{
    return (struct ndm_mesh){.label = "m",
                             .points_len = 6,
                             .coords = {xs, ys},
                             .cells_len = 3,
                             .shapes = shapes,
                             .connectivity = corners,
                             .index_size_bytes = 4,
                             .index_base = 1,
                             .unit = "cm"};
}

static struct ndm_geometry mesh_made(void)
{
    const struct ndm_mesh m = plain_mesh();
    struct ndm_geometry g;
    if (ndm_make_mesh(&m, &g) != LS_OK) fail_msg("refused: %s", ls_last_error());
    return g;
}

static void a_mesh_is_copied_with_indices_from_0(void **state)
{
    (void)state;
    struct ndm_geometry g = mesh_made();
    static const uint64_t want[10] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 4}, offsets[4] = {0, 3, 6, 10};
    assert_int_equal(g.dims, 2);
    assert_memory_equal(g.connectivity, want, sizeof(want));
    assert_memory_equal(g.offsets, offsets, sizeof(offsets));
    assert_true(g.points[3 * 5] == 2 && g.points[3 * 5 + 1] == 1 && g.points[3 * 5 + 2] == 0);
    assert_string_equal(g.unit, "cm");
    assert_int_equal(ndm_geometry_values(&g, NDM_CELLS), 3);
    assert_int_equal(ndm_geometry_values(&g, NDM_POINTS), 6);
    ndm_geometry_fini(&g);
    /* the same from an array of structures, with 8-byte indices from 0 */
    struct node {
        float mass;
        double at[3];
    } nodes[6] = {{0}};
    int64_t wide[10];
    for (unsigned i = 0; i < 6; i++)
        nodes[i] = (struct node){1, {xs[i], ys[i], 3}};
    for (unsigned i = 0; i < 10; i++)
        wide[i] = (int64_t)want[i];
    struct ndm_mesh m = plain_mesh();
    for (unsigned k = 0; k < 3; k++)
        m.coords[k] = &nodes[0].at[k];
    m.coord_stride_bytes = sizeof(nodes[0]);
    m.connectivity = wide;
    m.index_size_bytes = 8;
    m.index_base = 0;
    assert_int_equal(ndm_make_mesh(&m, &g), LS_OK);
    assert_memory_equal(g.connectivity, want, sizeof(want));
    assert_true(g.points[3 * 5] == 2 && g.points[3 * 5 + 1] == 1 && g.points[3 * 5 + 2] == 3);
    assert_int_equal(g.dims, 2);
    ndm_geometry_fini(&g);
}

static void mesh_refused(struct ndm_mesh m, ls_err e, const char *word, const char *also)
{
    struct ndm_geometry g;
    assert_int_equal(ndm_make_mesh(&m, &g), e);
    assert_true(says(word) && says(also));
    assert_null(g.label);
    assert_null(g.points);
}

static void bad_meshes_are_refused_by_cell_and_point(void **state)
{
    (void)state;
    struct ndm_mesh m = plain_mesh();
    xs[4] = NAN;
    mesh_refused(m, LS_ERR_ARG, "coordinate x of point 4", "\"m\"");
    xs[4] = 1;
    ys[5] = -INFINITY;
    mesh_refused(m, LS_ERR_ARG, "coordinate y of point 5", "\"m\"");
    ys[5] = 1;
    corners[7] = 7;
    mesh_refused(m, LS_ERR_RANGE, "cell 2 names as its point 1 the point 6", "there are 6");
    corners[7] = 0;
    mesh_refused(m, LS_ERR_RANGE, "the point -1", "index_base");
    corners[7] = INT32_MIN;
    mesh_refused(m, LS_ERR_RANGE, "cell 2", "index_base");
    corners[7] = 3;
    const uint8_t odd[3] = {NDM_TRIANGLE, 77, NDM_QUAD};
    m.shapes = odd;
    mesh_refused(m, LS_ERR_ARG, "cell 1 has the unknown shape 77", "\"m\"");
    m = plain_mesh();
    m.index_size_bytes = 2;
    mesh_refused(m, LS_ERR_ARG, "4 or 8 bytes", "not 2");
    m = plain_mesh();
    m.points_len = (uint64_t)-6;
    mesh_refused(m, LS_ERR_RANGE, "2^40", "\"m\"");
    m = plain_mesh();
    m.coords_len[1] = 5;
    mesh_refused(m, LS_ERR_ARG, "5 values of y for 6 points", "\"m\"");
    m = plain_mesh();
    m.connectivity_len = 11;
    mesh_refused(m, LS_ERR_ARG, "11 indices", "need 10");
    m = plain_mesh();
    m.coords[0] = NULL;
    mesh_refused(m, LS_ERR_ARG, "no points", "\"m\"");
    m = plain_mesh();
    m.label = NULL;
    mesh_refused(m, LS_ERR_ARG, "label", "domain");
    m = plain_mesh();
    m.shapes = NULL;
    m.shape = (enum ndm_shape)2;
    mesh_refused(m, LS_ERR_ARG, "unknown shape 2", "\"m\"");
}

static void grid_refused(struct ndm_grid made, ls_err e, const char *word)
{
    struct ndm_geometry g;
    assert_int_equal(ndm_make_grid(&made, &g), e);
    assert_true(says(word));
    assert_null(g.label);
}

static void bad_grids_are_refused_with_the_axis(void **state)
{
    (void)state;
    const uint64_t big = UINT64_C(1) << 31;
    grid_refused((struct ndm_grid){.dims = 1, .extents = {4}}, LS_ERR_ARG, "label");
    grid_refused((struct ndm_grid){.label = "", .dims = 1, .extents = {4}}, LS_ERR_ARG, "label");
    grid_refused((struct ndm_grid){.label = "g", .dims = 4, .extents = {4, 4, 4}}, LS_ERR_ARG, "4 axes");
    grid_refused((struct ndm_grid){.label = "g", .dims = 0, .extents = {4}}, LS_ERR_ARG, "0 axes");
    grid_refused((struct ndm_grid){.label = "g", .dims = 2, .extents = {4, 0}}, LS_ERR_ARG,
                 "0 cells along y");
    grid_refused((struct ndm_grid){.label = "g", .dims = 2, .extents = {(uint64_t)-4, 4}}, LS_ERR_ARG,
                 "along x");
    grid_refused((struct ndm_grid){.label = "g", .dims = 3, .extents = {big, big, big}}, LS_ERR_RANGE,
                 "2^40");
    grid_refused((struct ndm_grid){.label = "g", .dims = 2, .extents = {4, 4}, .spacing = {1, -1}},
                 LS_ERR_ARG, "spacing along y");
    grid_refused((struct ndm_grid){.label = "g", .dims = 2, .extents = {4, 4}, .origin = {0, NAN}},
                 LS_ERR_ARG, "origin's y");
}

static void maps_locate_elements(void **state)
{
    (void)state;
    struct ndm_geometry g = mesh_made();
    const struct ndm_map points = {
        .kind = NDM_MAP_ENTITIES, .centering = NDM_POINTS, .elements_per_entity = 3};
    uint64_t value;
    assert_int_equal(ndm_map_check(&points, &g, "a"), LS_OK);
    assert_int_equal(ndm_map_elements(&points, &g), 18);
    assert_true(ndm_map_locate(&points, &g, 17, &value) && value == 5);
    assert_false(ndm_map_locate(&points, &g, 18, &value));
    assert_int_equal(ndm_map_check_elements(&points, &g, 18, "a"), LS_OK);
    assert_int_equal(ndm_map_check_elements(&points, &g, 19, "a"), LS_ERR_RANGE);
    assert_true(says("\"a\"") && says("element 18 is not covered") && says("19"));
    assert_int_equal(ndm_map_check_elements(&points, &g, 12, "a"), LS_ERR_RANGE);
    assert_true(says("element 12 is missing") && says("18"));

    const int32_t targets[4] = {3, 1, 0, 2};
    struct ndm_indirection in = {.target = targets,
                                 .targets_len = 4,
                                 .index_size_bytes = 4,
                                 .index_base = 1,
                                 .elements_per_target = 2};
    struct ndm_map m;
    assert_int_equal(ndm_make_targets(&in, "edges", &m), LS_OK);
    assert_int_equal(ndm_map_check(&m, &g, "edges"), LS_OK);
    assert_true(ndm_map_locate(&m, &g, 1, &value) && value == 2);
    assert_true(ndm_map_locate(&m, &g, 2, &value) && value == 0);
    assert_false(ndm_map_locate(&m, &g, 4, &value)); /* nowhere */
    assert_false(ndm_map_locate(&m, &g, 8, &value));
    assert_int_equal(ndm_map_check_elements(&m, &g, 7, "edges"), LS_OK);
    assert_int_equal(ndm_map_check_elements(&m, &g, 9, "edges"), LS_ERR_RANGE);
    m.targets[3] = 3;
    assert_int_equal(ndm_map_check(&m, &g, "edges"), LS_ERR_RANGE);
    assert_true(says("\"edges\"") && says("element 6") && says("target 3") && says("3 cells"));
    ndm_map_fini(&m);
    ndm_geometry_fini(&g);
}

/* ---- bytes ---- */

struct sheet {
    uint8_t bytes[1024];
    size_t len;
};

static void write_down(void *user, const void *bytes, size_t len)
{
    struct sheet *s = user;
    assert_true(s->len + len <= sizeof(s->bytes));
    memcpy(s->bytes + s->len, bytes, len);
    s->len += len;
}

static void geometry_and_map_survive_as_bytes(void **state)
{
    (void)state;
    struct ndm_geometry g = mesh_made(), back;
    struct sheet s = {.len = 0}, again = {.len = 0};
    ndm_geometry_put(&g, write_down, &s);
    assert_int_equal(s.len, ndm_geometry_wire_bytes(&g));
    assert_int_equal(ndm_geometry_get((struct ls_span){s.bytes, s.len}, &back), LS_OK);
    ndm_geometry_put(&back, write_down, &again);
    assert_int_equal(again.len, s.len);
    assert_memory_equal(again.bytes, s.bytes, s.len);
    assert_string_equal(back.label, "m");
    assert_memory_equal(back.points, g.points, 18 * sizeof(double));
    assert_memory_equal(back.connectivity, g.connectivity, 10 * sizeof(uint64_t));
    ndm_geometry_fini(&back);
    for (size_t cut = 0; cut < s.len; cut++) {
        assert_int_not_equal(ndm_geometry_get((struct ls_span){s.bytes, cut}, &back), LS_OK);
        assert_null(back.points);
    }
    ndm_geometry_fini(&g);

    uint64_t targets[3] = {1, NDM_NOWHERE, 0};
    const struct ndm_map m = {.kind = NDM_MAP_TARGETS,
                              .elements_per_entity = 4,
                              .targets_len = 3,
                              .targets = targets,
                              .layout = {.order = NDM_STRIDED,
                                         .block = {1, 2, 3},
                                         .padded = {4, 5, 6},
                                         .ghost_low = {7, 8, 9},
                                         .ghost_high = {10, 11, 12},
                                         .offset = 13,
                                         .stride = {-14, 15, INT64_MIN},
                                         .elements_per_cell = 16}};
    struct ndm_map copy;
    s.len = 0;
    ndm_map_put(&m, write_down, &s);
    assert_int_equal(s.len, ndm_map_wire_bytes(&m));
    assert_int_equal(ndm_map_get((struct ls_span){s.bytes, s.len}, &copy), LS_OK);
    const size_t behind_order = offsetof(struct ndm_layout, block); /* the compiler's padding is no field */
    assert_memory_equal((char *)&copy.layout + behind_order, (const char *)&m.layout + behind_order,
                        sizeof(m.layout) - behind_order);
    assert_int_equal(copy.layout.order, NDM_STRIDED);
    assert_memory_equal(copy.targets, targets, sizeof(targets));
    assert_true(copy.elements_per_entity == 4 && copy.targets_len == 3);
    ndm_map_fini(&copy);
    s.bytes[7]++; /* the version */
    assert_int_equal(ndm_map_get((struct ls_span){s.bytes, s.len}, &copy), LS_ERR_VERSION);
}

/* ---- from coordinates to values ---- */

static uint64_t nearest_by_force(const struct ndm_geometry *g, const double at[3])
{
    double best = INFINITY;
    uint64_t point = UINT64_MAX;
    for (uint64_t i = 0; i < g->points_len; i++) {
        double d2 = 0;
        for (unsigned k = 0; k < 3; k++)
            d2 += (g->points[3 * i + k] - at[k]) * (g->points[3 * i + k] - at[k]);
        if (d2 < best) {
            best = d2;
            point = i;
        }
    }
    return point;
}

/* spread 1: many equal points; 1000: hardly any. */
static void compare_with_force(uint64_t len, uint32_t dims, uint64_t spread)
{
    double *x[3];
    for (unsigned k = 0; k < 3; k++) {
        x[k] = calloc(len, sizeof(double));
        assert_non_null(x[k]);
        for (uint64_t i = 0; i < len; i++)
            x[k][i] = k < dims ? (double)rng_below(spread) : 0;
    }
    const struct ndm_mesh m = {.label = "cloud", .points_len = len, .coords = {x[0], x[1], x[2]}};
    struct ndm_geometry g;
    ndm_finder *f;
    assert_int_equal(ndm_make_mesh(&m, &g), LS_OK);
    assert_int_equal(ndm_finder_new(&g, &f), LS_OK);
    for (unsigned round = 0; round < 200; round++) {
        double at[3] = {0, 0, 0};
        uint64_t found;
        for (unsigned k = 0; k < 3; k++)
            at[k] = (double)rng_below(3 * spread) - (double)spread + (double)rng_below(4) / 4;
        assert_true(ndm_finder_find(f, at, &found));
        assert_int_equal(found, nearest_by_force(&g, at));
    }
    ndm_finder_free(f);
    ndm_geometry_fini(&g);
    for (unsigned k = 0; k < 3; k++)
        free(x[k]);
}

static void the_nearest_point_is_the_nearest(void **state)
{
    (void)state;
    rng_state = 4711;
    for (uint32_t dims = 1; dims <= 3; dims++) {
        compare_with_force(1, dims, 10);
        compare_with_force(9, dims, 10);
        compare_with_force(500, dims, 1);
        compare_with_force(700, dims, 6);
        compare_with_force(1500, dims, 1000);
    }
}

static void coordinates_fall_into_grid_cells(void **state)
{
    (void)state;
    const struct ndm_grid made = {
        .label = "g", .dims = 2, .extents = {4, 3}, .origin = {-1, 10}, .spacing = {0.5, 2}};
    struct ndm_geometry g;
    ndm_finder *f;
    uint64_t cell;
    assert_int_equal(ndm_make_grid(&made, &g), LS_OK);
    assert_int_equal(ndm_finder_new(&g, &f), LS_OK);
    assert_int_equal(ndm_finder_centering(f), NDM_CELLS);
    assert_true(ndm_finder_find(f, (double[3]){-1, 10, NAN}, &cell) && cell == 0);
    assert_true(ndm_finder_find(f, (double[3]){0.4, 13, 0}, &cell) && cell == 4 + 2);
    assert_true(ndm_finder_find(f, (double[3]){1, 16, 0}, &cell) && cell == 11); /* the far corner */
    assert_false(ndm_finder_find(f, (double[3]){1.01, 12, 0}, &cell));
    assert_false(ndm_finder_find(f, (double[3]){-1.01, 12, 0}, &cell));
    assert_false(ndm_finder_find(f, (double[3]){NAN, 12, 0}, &cell));
    assert_false(ndm_finder_find(f, (double[3]){0, INFINITY, 0}, &cell));
    ndm_finder_free(f);
    ndm_geometry_fini(&g);
}

/* ---- gathering ---- */

static void metrics_of_a_field(void **state)
{
    (void)state;
    ndm_gather *g;
    assert_int_equal(ndm_gather_new(10, &g), LS_OK);
    const struct ndm_touch quick = {10, 1, 4, 0}, slow = {10, 9, 300, 3}, untimed = {10, 0, NAN, -1},
                           below = {0, 0, -2, 0};
    assert_int_equal(ndm_gather_add(g, 2, 3, &quick), LS_OK);
    assert_int_equal(ndm_gather_add(g, 0, 3, &slow), LS_OK);
    assert_int_equal(ndm_gather_add(g, 2, 3, &untimed), LS_OK);
    assert_int_equal(ndm_gather_add(g, NDM_GATHER_WHOLE, 7, &untimed), LS_OK);
    assert_int_equal(ndm_gather_add(g, 2, 9, &below), LS_OK);
    assert_int_equal(ndm_gather_add(g, 0, 10, &quick), LS_ERR_RANGE);
    assert_int_equal(ndm_gather_add(g, NDM_GATHER_STEPS_MAX, 0, &quick), LS_ERR_RANGE);
    ndm_gather_add_outside(g);
    ndm_gather_finish(g);
    assert_int_equal(ndm_gather_add(g, 0, 0, &quick), LS_ERR_ARG);
    assert_int_equal(ndm_gather_mapped(g), 5);
    assert_int_equal(ndm_gather_outside(g), 1);
    assert_int_equal(ndm_gather_steps(g), 3);
    assert_int_equal(ndm_gather_touched(g, NDM_GATHER_WHOLE), 3);
    assert_int_equal(ndm_gather_touched(g, 0), 1);
    assert_int_equal(ndm_gather_touched(g, 1), 0);
    assert_int_equal(ndm_gather_touched(g, 2), 2);
    assert_true(ndm_gather_has(g, 2, 4, 6) && !ndm_gather_has(g, 2, 4, 5) && !ndm_gather_has(g, 1, 0, 10));
    struct ndm_field f = {0};
    assert_int_equal(ndm_gather_field(g, 3, &f), LS_OK);
    assert_true(f.values_len == 10 && f.mapped_len == 5 && f.outside_len == 1 && f.steps_len == 3);
    assert_true(f.values[NDM_SAMPLES][3] == 3 && f.values[NDM_SAMPLES][0] == 0);
    assert_true(f.values[NDM_TIME][3] == 30 && f.values[NDM_STALL][3] == 10 && f.values[NDM_STALL][1] == 0);
    assert_true(f.values[NDM_LATENCY_MEAN][3] == 152 && f.values[NDM_LATENCY_MAX][3] == 300);
    assert_true(f.values[NDM_LATENCY_MAX][9] == -2 && isnan(f.values[NDM_LATENCY_MAX][7]));
    assert_true(f.values[NDM_LEVEL_L1][3] == 0.5 && f.values[NDM_LEVEL_MEMORY][3] == 0.5);
    assert_true(f.values[NDM_LEVEL_L2][3] == 0 && isnan(f.values[NDM_LEVEL_L2][7]));
    assert_true(isnan(f.values[NDM_LATENCY_MEAN][0]));
    assert_true(f.values[NDM_TIMED][3] == 2 && f.values[NDM_TIMED][7] == 0 &&
                f.step_values[NDM_TIMED][3] == 1);
    assert_true(f.step_values[NDM_SAMPLES][3] == 1 && f.step_values[NDM_SAMPLES][20 + 3] == 2);
    assert_true(f.step_values[NDM_LATENCY_MEAN][3] == 300 && f.step_values[NDM_LATENCY_MEAN][20 + 3] == 4);
    double window[4];
    ndm_gather_fill(g, 2, NDM_SAMPLES, 6, 4, window);
    assert_true(window[0] == 0 && window[3] == 1);
    uint64_t index;
    assert_true(ndm_gather_nth(g, 2, NDM_SAMPLES, 1, &index) == 1 && index == 9);
    ndm_field_fini(&f);
    ndm_gather_free(g);
    assert_string_equal(ndm_metric(NDM_STALL)->name, "stall_ns");
}

/* Merged cells equal samples gathered on one large cell, for every metric. */
static void merged_cells_equal_the_cell_of_all_accesses(void **state)
{
    (void)state;
    enum { CELLS = 40, SHARING = 4, TOUCHES = 300 };
    ndm_gather *fine, *coarse;
    struct ndm_field f = {0}, want = {0};
    rng_state = 11;
    assert_int_equal(ndm_gather_new(CELLS, &fine), LS_OK);
    assert_int_equal(ndm_gather_new(CELLS / SHARING, &coarse), LS_OK);
    for (unsigned i = 0; i < TOUCHES; i++) {
        const uint64_t at = rng_below(CELLS - SHARING); /* the last large cell stays untouched */
        const bool is_timed = rng_below(3) > 0;
        const struct ndm_touch t = {.time_ns = (double)rng_below(100),
                                    .stall_ns = (double)rng_below(50),
                                    .latency_cycles = is_timed ? (double)rng_below(900) - 5 : NAN,
                                    .level = is_timed ? (int)rng_below(4) : -1};
        assert_int_equal(ndm_gather_add(fine, i % 2, at, &t), LS_OK);
        assert_int_equal(ndm_gather_add(coarse, i % 2, at / SHARING, &t), LS_OK);
    }
    ndm_gather_finish(fine);
    ndm_gather_finish(coarse);
    assert_int_equal(ndm_gather_field(fine, 2, &f), LS_OK);
    assert_int_equal(ndm_gather_field(coarse, 2, &want), LS_OK);
    for (int m = 0; m < NDM_METRICS_LEN; m++)
        for (uint32_t s = 0; s < 3; s++) {
            const uint32_t step = s < 2 ? s : UINT32_MAX;
            const double *values = s < 2 ? f.step_values[m] + s * CELLS : f.values[m];
            const double *wanted = s < 2 ? want.step_values[m] + s * (CELLS / SHARING) : want.values[m];
            for (uint64_t c = 0; c < CELLS / SHARING; c++) {
                struct ndm_mix x;
                ndm_mix_init(&x);
                for (uint64_t i = c * SHARING; i < (c + 1) * SHARING; i++)
                    ndm_mix_add(&x, (enum ndm_metric)m, values[i],
                                ndm_mix_weights(&f, (enum ndm_metric)m, step)[i]);
                const double got = ndm_mix_finish(&x, (enum ndm_metric)m);
                assert_true(isnan(wanted[c]) ? isnan(got) : fabs(got - wanted[c]) < 1e-9 * (1 + fabs(got)));
            }
        }
    ndm_field_fini(&f);
    ndm_field_fini(&want);
    ndm_gather_free(fine);
    ndm_gather_free(coarse);
}

static void values_have_a_position(void **state)
{
    (void)state;
    double at[NDM_AXES_MAX];
    const struct ndm_geometry grid = {.kind = NDM_GRID,
                                      .dims = 2,
                                      .extents = {4, 3, 1},
                                      .origin = {1, -2, 9},
                                      .spacing = {0.5, 2, 1},
                                      .cells_len = 12};
    ndm_geometry_position(&grid, NDM_CELLS, 6, at); /* column 2, row 1 */
    assert_true(at[0] == 2.25 && at[1] == 1 && at[2] == 0);
    double points[] = {0, 0, 0, 2, 0, 0, 1, 3, 6};
    uint64_t offsets[] = {0, 3}, corners[] = {0, 1, 2};
    const struct ndm_geometry mesh = {.kind = NDM_MESH,
                                      .dims = 3,
                                      .points_len = 3,
                                      .points = points,
                                      .cells_len = 1,
                                      .offsets = offsets,
                                      .connectivity = corners};
    ndm_geometry_position(&mesh, NDM_POINTS, 2, at);
    assert_true(at[0] == 1 && at[1] == 3 && at[2] == 6);
    ndm_geometry_position(&mesh, NDM_CELLS, 0, at);
    assert_true(fabs(at[0] - 1) < 1e-12 && fabs(at[1] - 1) < 1e-12 && fabs(at[2] - 2) < 1e-12);
}

/* 10^12 values in thousands of steps: only touched values take memory. */
static void a_huge_field_takes_memory_for_touched_values_only(void **state)
{
    (void)state;
    enum { TOUCHES = 20000 };
    ndm_gather *g;
    rng_state = 7;
    assert_int_equal(ndm_gather_new(UINT64_C(1) << 40, &g), LS_OK);
    double sum = 0;
    for (unsigned i = 0; i < TOUCHES; i++) {
        const struct ndm_touch t = {1, 0, (double)i, (int)(i % 4)};
        assert_int_equal(ndm_gather_add(g, (uint32_t)rng_below(5000), rng_below(UINT64_C(1) << 40), &t),
                         LS_OK);
    }
    ndm_gather_finish(g);
    uint64_t last = 0, index;
    for (uint64_t k = 0; k < ndm_gather_touched(g, NDM_GATHER_WHOLE); k++) {
        sum += ndm_gather_nth(g, NDM_GATHER_WHOLE, NDM_SAMPLES, k, &index);
        assert_true(k == 0 || index > last);
        last = index;
    }
    assert_true(sum == TOUCHES);
    uint64_t in_steps = 0;
    for (uint32_t s = 0; s < ndm_gather_steps(g); s++)
        in_steps += ndm_gather_touched(g, s);
    assert_true(in_steps <= TOUCHES && in_steps > TOUCHES - 10);
    ndm_gather_free(g);
    assert_int_equal(ndm_gather_new((UINT64_C(1) << 40) + 1, &g), LS_ERR_RANGE);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mesh_is_copied_with_indices_from_0),
        cmocka_unit_test(bad_meshes_are_refused_by_cell_and_point),
        cmocka_unit_test(bad_grids_are_refused_with_the_axis),
        cmocka_unit_test(maps_locate_elements),
        cmocka_unit_test(geometry_and_map_survive_as_bytes),
        cmocka_unit_test(the_nearest_point_is_the_nearest),
        cmocka_unit_test(coordinates_fall_into_grid_cells),
        cmocka_unit_test(metrics_of_a_field),
        cmocka_unit_test(a_huge_field_takes_memory_for_touched_values_only),
        cmocka_unit_test(merged_cells_equal_the_cell_of_all_accesses),
        cmocka_unit_test(values_have_a_position),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
