/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts: each is a one-to-one map of its cells onto elements, and equals a naive walk over the array. */
#include "common/ls_random.h"
#include "ndm/ndm_map.h"
#include "loadstone/error.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define NOBODY UINT64_MAX

static uint64_t rng_state;

static uint64_t rng_below(uint64_t n)
{
    return ls_random_below(&rng_state, n);
}

static struct ndm_geometry grid(uint32_t dims, uint64_t nx, uint64_t ny, uint64_t nz)
{
    const struct ndm_grid g = {.label = "g", .dims = dims, .extents = {nx, ny, nz}};
    struct ndm_geometry out;
    assert_int_equal(ndm_make_grid(&g, &out), LS_OK);
    return out;
}

static void accept(const struct ndm_layout *l, const struct ndm_geometry *g)
{
    if (ndm_layout_check(l, g, "a") != LS_OK) fail_msg("refused: %s", ls_last_error());
}

/* Every cell has per_cell elements, which no other cell has, and the inverse agrees. */
static void is_one_to_one(const struct ndm_layout *l, const struct ndm_geometry *g)
{
    const uint64_t per_cell = l->elements_per_cell ? l->elements_per_cell : 1;
    const uint64_t len = ndm_layout_elements(l, g);
    uint64_t *seen = calloc(g->cells_len, sizeof(*seen)), cell = 0, mapped = 0;
    assert_non_null(seen);
    accept(l, g);
    for (uint64_t e = 0; e < len; e++) {
        if (!ndm_layout_cell(l, g, e, &cell)) continue;
        assert_true(cell < g->cells_len);
        assert_true(e - ndm_layout_element(l, g, cell) < per_cell);
        seen[cell]++;
        mapped++;
    }
    for (uint64_t c = 0; c < g->cells_len; c++)
        assert_int_equal(seen[c], per_cell);
    assert_int_equal(mapped, g->cells_len * per_cell);
    assert_false(ndm_layout_cell(l, g, len, &cell));
    assert_false(ndm_layout_cell(l, g, UINT64_MAX, &cell));
    free(seen);
}

static uint64_t alloc_of(const struct ndm_layout *l, const struct ndm_geometry *g, unsigned k)
{
    return l->padded[k] ? l->padded[k] : l->ghost_low[k] + g->extents[k] + l->ghost_high[k];
}

/* The array is written in storage order by loops over tiles and over their cells. */
struct model {
    uint64_t *cells; /* owner of each element group, or NOBODY */
    uint64_t len;
};

static void model_write(struct model *m, const struct ndm_layout *l, const struct ndm_geometry *g,
                        const uint64_t cell[3])
{
    uint64_t at[3];
    bool inside = true;
    for (unsigned k = 0; k < 3; k++) {
        at[k] = cell[k] - l->ghost_low[k];
        inside = inside && cell[k] >= l->ghost_low[k] && at[k] < g->extents[k];
    }
    m->cells[m->len++] = inside ? at[0] + g->extents[0] * (at[1] + g->extents[1] * at[2]) : NOBODY;
}

/* Slow, middle, fast: numbers of axes; size: extents of the tile whose first cell is from. */
static void model_tile(struct model *m, const struct ndm_layout *l, const struct ndm_geometry *g,
                       const unsigned axes[3], const uint64_t from[3], const uint64_t size[3])
{
    uint64_t p[3];
    for (uint64_t s = 0; s < size[axes[0]]; s++)
        for (uint64_t t = 0; t < size[axes[1]]; t++)
            for (uint64_t f = 0; f < size[axes[2]]; f++) {
                p[axes[0]] = from[axes[0]] + s;
                p[axes[1]] = from[axes[1]] + t;
                p[axes[2]] = from[axes[2]] + f;
                model_write(m, l, g, p);
            }
}

static void model_walk(struct model *m, const struct ndm_layout *l, const struct ndm_geometry *g)
{
    static const unsigned x_fastest[3] = {2, 1, 0}, x_slowest[3] = {0, 1, 2};
    const unsigned *axes = l->order == NDM_X_SLOWEST ? x_slowest : x_fastest;
    uint64_t all[3], b[3], from[3], size[3];
    for (unsigned k = 0; k < 3; k++) {
        all[k] = alloc_of(l, g, k);
        b[k] = l->block[k] ? l->block[k] : all[k];
    }
    for (from[axes[0]] = 0; from[axes[0]] < all[axes[0]]; from[axes[0]] += b[axes[0]])
        for (from[axes[1]] = 0; from[axes[1]] < all[axes[1]]; from[axes[1]] += b[axes[1]])
            for (from[axes[2]] = 0; from[axes[2]] < all[axes[2]]; from[axes[2]] += b[axes[2]]) {
                for (unsigned k = 0; k < 3; k++)
                    size[k] = from[k] + b[k] <= all[k] ? b[k] : all[k] - from[k];
                model_tile(m, l, g, axes, from, size);
            }
}

static void agrees_with_the_model(const struct ndm_layout *l, const struct ndm_geometry *g)
{
    const uint64_t per_cell = l->elements_per_cell ? l->elements_per_cell : 1;
    struct model m = {calloc(ndm_layout_elements(l, g) + 1, sizeof(uint64_t)), 0};
    assert_non_null(m.cells);
    model_walk(&m, l, g);
    assert_int_equal(m.len * per_cell, ndm_layout_elements(l, g));
    for (uint64_t e = 0; e < m.len * per_cell; e++) {
        uint64_t cell = NOBODY;
        assert_int_equal(ndm_layout_cell(l, g, e, &cell), m.cells[e / per_cell] != NOBODY);
        if (m.cells[e / per_cell] != NOBODY) assert_int_equal(cell, m.cells[e / per_cell]);
    }
    free(m.cells);
}

static void random_layout(struct ndm_layout *l, const struct ndm_geometry *g)
{
    *l = (struct ndm_layout){.order = rng_below(2) ? NDM_X_FASTEST : NDM_X_SLOWEST,
                             .elements_per_cell = rng_below(4)};
    for (unsigned k = 0; k < g->dims; k++) {
        if (rng_below(2)) l->ghost_low[k] = rng_below(3);
        if (rng_below(2)) l->ghost_high[k] = rng_below(3);
        if (rng_below(3) == 0)
            l->padded[k] = l->ghost_low[k] + g->extents[k] + l->ghost_high[k] + rng_below(4);
        if (rng_below(2)) l->block[k] = 1 + rng_below(5);
    }
}

static void tiles_padding_and_ghosts_in_any_combination(void **state)
{
    (void)state;
    rng_state = 12345;
    for (unsigned round = 0; round < 600; round++) {
        const uint32_t dims = 1 + (uint32_t)rng_below(3);
        struct ndm_geometry g = grid(dims, 1 + rng_below(9), 1 + rng_below(9), 1 + rng_below(6));
        struct ndm_layout l;
        random_layout(&l, &g);
        is_one_to_one(&l, &g);
        agrees_with_the_model(&l, &g);
        ndm_geometry_fini(&g);
    }
}

static void arrays_of_c_and_fortran_read_as_they_are_written(void **state)
{
    (void)state;
    enum { NX = 5, NY = 3, NZ = 2 };
    static double c[NZ][NY][NX], odd[NX][NY][NZ];
    struct ndm_geometry g = grid(3, NX, NY, NZ);
    const struct ndm_layout zeros = {0}, slowest = {.order = NDM_X_SLOWEST};
    for (uint64_t z = 0; z < NZ; z++)
        for (uint64_t y = 0; y < NY; y++)
            for (uint64_t x = 0; x < NX; x++) {
                uint64_t cell;
                const uint64_t want = x + NX * (y + NY * z);
                assert_true(ndm_layout_cell(&zeros, &g, (uint64_t)(&c[z][y][x] - &c[0][0][0]), &cell));
                assert_int_equal(cell, want);
                assert_true(ndm_layout_cell(&slowest, &g, (uint64_t)(&odd[x][y][z] - &odd[0][0][0]), &cell));
                assert_int_equal(cell, want);
            }
    ndm_geometry_fini(&g);
}

static uint64_t steps_apart(const struct ndm_geometry *g, uint64_t a, uint64_t b)
{
    uint64_t apart = 0;
    for (unsigned k = 0; k < 3; k++) {
        const uint64_t x = a % g->extents[k], y = b % g->extents[k];
        apart += x > y ? x - y : y - x;
        a /= g->extents[k];
        b /= g->extents[k];
    }
    return apart;
}

static void neighbours_on_a_hilbert_curve_are_neighbours(void **state)
{
    (void)state;
    for (uint32_t dims = 1; dims <= 3; dims++)
        for (uint64_t n = 1; n <= 16; n *= 2) {
            struct ndm_geometry g = grid(dims, n, n, n);
            const struct ndm_layout l = {.order = NDM_HILBERT};
            uint64_t last = 0, cell = 0;
            is_one_to_one(&l, &g);
            assert_true(ndm_layout_cell(&l, &g, 0, &last) && last == 0); /* begins at the origin */
            for (uint64_t e = 1; e < g.cells_len; e++, last = cell) {
                assert_true(ndm_layout_cell(&l, &g, e, &cell));
                assert_int_equal(steps_apart(&g, last, cell), 1);
            }
            ndm_geometry_fini(&g);
        }
}

static void morton_order_interleaves_bits(void **state)
{
    (void)state;
    struct ndm_geometry g = grid(2, 4, 4, 1), flat = grid(2, 8, 2, 1), cube = grid(3, 4, 2, 8);
    const struct ndm_layout l = {.order = NDM_MORTON};
    static const uint64_t z[16] = {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15};
    for (uint64_t e = 0; e < 16; e++) {
        uint64_t cell;
        assert_true(ndm_layout_cell(&l, &g, e, &cell));
        assert_int_equal(cell, z[e]);
    }
    assert_int_equal(ndm_layout_element(&l, &flat, 8 + 7), 15); /* x 7, y 1: x has two bits more */
    assert_int_equal(ndm_layout_element(&l, &flat, 4), 8);
    is_one_to_one(&l, &flat);
    is_one_to_one(&l, &cube);
    ndm_geometry_fini(&g);
    ndm_geometry_fini(&flat);
    ndm_geometry_fini(&cube);
}

static void curves_of_tiles_padding_and_ghosts(void **state)
{
    (void)state;
    struct ndm_geometry g = grid(2, 11, 9, 1), h = grid(3, 5, 6, 7);
    const struct ndm_layout tiled = {.order = NDM_HILBERT,
                                     .block = {3, 4},
                                     .padded = {12, 16},
                                     .ghost_low = {1, 2},
                                     .elements_per_cell = 2},
                            cube = {.order = NDM_MORTON, .padded = {8, 8, 16}, .ghost_low = {1, 1, 1}};
    is_one_to_one(&tiled, &g);
    is_one_to_one(&cube, &h);
    uint64_t cell;
    assert_false(ndm_layout_cell(&tiled, &g, 0, &cell)); /* a ghost */
    assert_true(ndm_layout_cell(&tiled, &g, 2 * (1 + 2 * 3), &cell) && cell == 0);
    ndm_geometry_fini(&g);
    ndm_geometry_fini(&h);
}

static void parts_of_larger_arrays_by_strides(void **state)
{
    (void)state;
    /* big[20][30][4], the part [2:18:3][25:5:-2], component 1 to 2 */
    struct ndm_geometry g = grid(2, 10, 6, 1);
    const struct ndm_layout l = {.order = NDM_STRIDED,
                                 .offset = (2 * 30 + 25) * 4 + 1,
                                 .stride = {-8, 3 * 30 * 4},
                                 .elements_per_cell = 2};
    is_one_to_one(&l, &g);
    assert_int_equal(ndm_layout_element(&l, &g, 0), (2 * 30 + 25) * 4 + 1);
    assert_int_equal(ndm_layout_element(&l, &g, 10 + 1), (5 * 30 + 23) * 4 + 1);
    assert_int_equal(ndm_layout_elements(&l, &g), (17 * 30 + 25) * 4 + 3);
    struct ndm_geometry line = grid(1, 1, 1, 1);
    const struct ndm_layout one = {.order = NDM_STRIDED, .offset = 7};
    is_one_to_one(&one, &line);
    ndm_geometry_fini(&g);
    ndm_geometry_fini(&line);
}

static void random_strides(void **state)
{
    (void)state;
    rng_state = 99;
    for (unsigned round = 0; round < 300; round++) {
        const uint32_t dims = 1 + (uint32_t)rng_below(3);
        struct ndm_geometry g = grid(dims, 1 + rng_below(6), 1 + rng_below(6), 1 + rng_below(6));
        struct ndm_layout l = {.order = NDM_STRIDED, .elements_per_cell = 1 + rng_below(3)};
        uint64_t covered = l.elements_per_cell;
        for (unsigned i = 0, first = (unsigned)rng_below(dims); i < dims; i++) {
            const unsigned k = (first + i) % dims;
            const uint64_t stride = covered + rng_below(3);
            covered += stride * (g.extents[k] - 1);
            l.stride[k] = rng_below(2) ? (int64_t)stride : -(int64_t)stride;
            if (l.stride[k] < 0) l.offset += stride * (g.extents[k] - 1);
        }
        l.offset += rng_below(5);
        is_one_to_one(&l, &g);
        ndm_geometry_fini(&g);
    }
}

static void refused(const struct ndm_layout *l, const struct ndm_geometry *g, ls_err e, const char *word)
{
    assert_int_equal(ndm_layout_check(l, g, "pressure"), e);
    if (!strstr(ls_last_error(), word) || !strstr(ls_last_error(), "pressure"))
        fail_msg("\"%s\" does not name %s", ls_last_error(), word);
}

static void mismatched_layouts_are_refused_with_their_axis(void **state)
{
    (void)state;
    struct ndm_geometry g = grid(2, 6, 8, 1);
    refused(&(struct ndm_layout){.order = NDM_MORTON}, &g, LS_ERR_ARG, "along x");
    refused(&(struct ndm_layout){.order = NDM_HILBERT, .padded = {16, 8}}, &g, LS_ERR_ARG, "y differs");
    refused(&(struct ndm_layout){.ghost_low = {0, 0, 1}}, &g, LS_ERR_ARG, "a z");
    refused(&(struct ndm_layout){.padded = {0, 7}}, &g, LS_ERR_ARG, "along y");
    refused(&(struct ndm_layout){.ghost_high = {UINT64_MAX}}, &g, LS_ERR_RANGE, "along x");
    refused(&(struct ndm_layout){.padded = {UINT64_C(1) << 40, UINT64_C(1) << 40}}, &g, LS_ERR_RANGE, "2^60");
    refused(&(struct ndm_layout){.stride = {1}}, &g, LS_ERR_ARG, "NDM_STRIDED");
    refused(&(struct ndm_layout){.order = (enum ndm_order)9}, &g, LS_ERR_ARG, "order 9");
    refused(&(struct ndm_layout){.order = NDM_STRIDED, .stride = {1, 5}}, &g, LS_ERR_ARG, "along y is 5");
    refused(&(struct ndm_layout){.order = NDM_STRIDED, .stride = {0, 6}}, &g, LS_ERR_ARG, "along x is 0");
    refused(&(struct ndm_layout){.order = NDM_STRIDED, .offset = 6, .stride = {1, -6}}, &g, LS_ERR_RANGE,
            "42");
    refused(&(struct ndm_layout){.order = NDM_STRIDED, .stride = {1, INT64_MIN}}, &g, LS_ERR_RANGE, "2^60");
    refused(&(struct ndm_layout){.order = NDM_STRIDED, .stride = {1, 6}, .block = {2}}, &g, LS_ERR_ARG,
            "tiles");
    refused(&(struct ndm_layout){.elements_per_cell = UINT64_MAX}, &g, LS_ERR_RANGE, "per cell");
    ndm_geometry_fini(&g);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_padding_and_ghosts_in_any_combination),
        cmocka_unit_test(arrays_of_c_and_fortran_read_as_they_are_written),
        cmocka_unit_test(neighbours_on_a_hilbert_curve_are_neighbours),
        cmocka_unit_test(morton_order_interleaves_bits),
        cmocka_unit_test(curves_of_tiles_padding_and_ghosts),
        cmocka_unit_test(parts_of_larger_arrays_by_strides),
        cmocka_unit_test(random_strides),
        cmocka_unit_test(mismatched_layouts_are_refused_with_their_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
