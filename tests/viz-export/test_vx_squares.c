/* SPDX-License-Identifier: BSD-3-Clause */
/* Squares of pictures hold the combined values of their cells. */
#include "viz-export/export/vx_select.h"
#include "tests/unit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { WIDE = 100, HIGH = 60, LAYERS = 2, CELLS = WIDE * HIGH * LAYERS };

static double latency[CELLS], timed[CELLS], samples[CELLS];

static void fill(void)
{
    for (int i = 0; i < CELLS; i++) {
        timed[i] = i % 7 == 3 ? 0 : i % 5;
        samples[i] = timed[i] + i % 3;
        latency[i] = timed[i] > 0 ? 10 + i % 311 : NAN;
    }
}

static void means_weigh_by_timed_loads(void **state)
{
    (void)state;
    fill();
    char label[] = "plane";
    const struct ndm_geometry g = {.kind = NDM_GRID,
                                   .label = label,
                                   .dims = 3,
                                   .extents = {WIDE, HIGH, LAYERS},
                                   .spacing = {1, 1, 1},
                                   .cells_len = CELLS};
    const struct ndm_field field = {.mapped_len = 1, .values_len = CELLS};
    const struct vx_array means = {
        .field = &field, .metric = NDM_LATENCY_MEAN, .values = latency, .weights = timed, .len = CELLS};
    const struct vx_array sums = {
        .field = &field, .metric = NDM_SAMPLES, .values = samples, .weights = samples, .len = CELLS};
    struct vx_squares s, counts;
    assert_int_equal(vx_squares_init(&s, &means, &g, 1), LS_OK);
    assert_int_equal(vx_squares_init(&counts, &sums, &g, 1), LS_OK);
    assert_true(s.side > 1 && counts.side == s.side);
    for (uint64_t i = 0; i < s.across * s.up; i++) {
        double cycles = 0, loads = 0, all = 0;
        for (uint64_t y = i / s.across * s.side; y < (i / s.across + 1) * s.side && y < HIGH; y++)
            for (uint64_t x = i % s.across * s.side; x < (i % s.across + 1) * s.side && x < WIDE; x++) {
                const uint64_t at = (HIGH + y) * WIDE + x;
                if (timed[at] > 0) cycles += latency[at] * timed[at];
                loads += timed[at];
                all += samples[at];
            }
        assert_true(loads > 0 ? fabs(s.values[i] - cycles / loads) < 1e-9 * cycles : isnan(s.values[i]));
        assert_true(counts.values[i] == all);
    }
    vx_squares_fini(&s);
    vx_squares_fini(&counts);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(means_weigh_by_timed_loads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
