/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of a grid hold the combined values of their cells, for the whole run and by step. */
#include "viz-export/export/vx_select.h"
#include "tests/unit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { X = 50, Y = 30, Z = 20, CELLS = X * Y * Z, STEPS = 2 };

static double *filled(int steps, double (*value)(uint64_t i))
{
    double *out = malloc((size_t)steps * CELLS * sizeof(*out));
    assert_non_null(out);
    for (uint64_t i = 0; i < (uint64_t)steps * CELLS; i++)
        out[i] = value(i);
    return out;
}

static double timed_of(uint64_t i)
{
    return i % 7 == 3 ? 1 + (double)(i % 5) : 0;
}
static double samples_of(uint64_t i)
{
    return timed_of(i) + (double)(i % 3 == 0);
}
static double latency_of(uint64_t i)
{
    return timed_of(i) > 0 ? 10 + (double)(i % 311) : NAN;
}

static void atlas_init(struct ndm_atlas *a)
{
    a->domains = calloc(1, sizeof(*a->domains));
    a->fields = calloc(1, sizeof(*a->fields));
    a->domains_len = a->fields_len = 1;
    a->domains[0] = (struct ndm_geometry){.kind = NDM_GRID,
                                          .label = strdup("box"),
                                          .unit = strdup(""),
                                          .dims = 3,
                                          .axes = {strdup("x"), strdup("y"), strdup("z")},
                                          .extents = {X, Y, Z},
                                          .spacing = {0.5, 1, 2},
                                          .cells_len = CELLS};
    struct ndm_field *f = &a->fields[0];
    f->name = strdup("box");
    f->label = strdup("box");
    f->mapped_len = CELLS / 10;
    f->values_len = CELLS;
    f->steps_len = STEPS;
    for (int steps = 0; steps < 2; steps++) {
        double **const to = steps ? f->step_values : f->values;
        to[NDM_SAMPLES] = filled(steps ? STEPS : 1, samples_of);
        to[NDM_TIMED] = filled(steps ? STEPS : 1, timed_of);
        to[NDM_LATENCY_MEAN] = filled(steps ? STEPS : 1, latency_of);
    }
}

/* Compare block b with the sums over its cells, which begin at value `first` of the functions above. */
static void check_block(const struct ndm_geometry *g, uint64_t side, uint64_t b, uint64_t first,
                        const double *samples, const double *latency)
{
    const uint64_t bx = b % g->extents[0], by = b / g->extents[0] % g->extents[1],
                   bz = b / g->extents[0] / g->extents[1];
    double all = 0, cycles = 0, loads = 0;
    for (uint64_t z = bz * side; z < (bz + 1) * side && z < Z; z++)
        for (uint64_t y = by * side; y < (by + 1) * side && y < Y; y++)
            for (uint64_t x = bx * side; x < (bx + 1) * side && x < X; x++) {
                const uint64_t i = first + x + X * (y + Y * z);
                all += samples_of(i);
                loads += timed_of(i);
                if (timed_of(i) > 0) cycles += latency_of(i) * timed_of(i);
            }
    assert_true(samples[b] == all);
    assert_true(loads > 0 ? fabs(latency[b] - cycles / loads) < 1e-9 * latency[b] : isnan(latency[b]));
}

static void blocks_combine_their_cells(void **state)
{
    (void)state;
    struct ndm_atlas a = {0};
    struct vx_selection s;
    atlas_init(&a);
    assert_int_equal(vx_select(&a, NULL, NULL, &s), LS_OK);
    const uint64_t side = vx_merge_side(&s);
    assert_int_equal(side, 4); /* 30,000 cells for 3,000 samples: 750 blocks, 40 cells each */
    assert_int_equal(vx_merge_cells(&a, &s, side), LS_OK);
    const struct ndm_geometry *g = s.geometry;
    const struct ndm_field *f = &a.fields[0];
    assert_true(g->extents[0] == 13 && g->extents[1] == 8 && g->extents[2] == 5);
    assert_true(g->spacing[0] == 2 && g->spacing[1] == 4 && g->spacing[2] == 8);
    assert_int_equal(f->values_len, 13 * 8 * 5);
    assert_int_equal(ndm_geometry_values(g, f->centering), f->values_len);
    for (uint64_t b = 0; b < f->values_len; b++) {
        check_block(g, side, b, 0, f->values[NDM_SAMPLES], f->values[NDM_LATENCY_MEAN]);
        check_block(g, side, b, CELLS, f->step_values[NDM_SAMPLES] + f->values_len,
                    f->step_values[NDM_LATENCY_MEAN] + f->values_len);
    }
    vx_selection_fini(&s);
    ndm_atlas_fini(&a);
}

static void cells_with_samples_stay(void **state)
{
    (void)state;
    struct ndm_atlas a = {0};
    struct vx_selection s;
    atlas_init(&a);
    a.fields[0].mapped_len = 4 * CELLS;
    assert_int_equal(vx_select(&a, NULL, NULL, &s), LS_OK);
    assert_int_equal(vx_merge_side(&s), 1);
    assert_int_equal(vx_merge_cells(&a, &s, 1), LS_OK);
    assert_int_equal(a.fields[0].values_len, CELLS);
    vx_selection_fini(&s);
    ndm_atlas_fini(&a);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_combine_their_cells),
                                       cmocka_unit_test(cells_with_samples_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
