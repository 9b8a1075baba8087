/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters by phase, on hand-computed values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/an_series.h"
#include "common/ls_series.h"
#include "tests/unit.h"

#include <math.h>

#define S UINT64_C(1000000000)
enum { SOLVE, INNER, EMPTY, PHASES };

static const struct prof_phase phases[PHASES] = {{.id = SOLVE, .parent = UINT32_MAX, .name = "solve"},
                                                 {.id = INNER, .parent = SOLVE, .name = "inner"},
                                                 {.id = EMPTY, .parent = UINT32_MAX, .name = "empty"}};
/* solve: 1 to 4 s in two threads that overlap; inner: 2 to 3 s, and from 5 s on without an end */
static const struct prof_phase_span spans[] = {{SOLVE, 1, 2 * S, 4 * S},
                                               {SOLVE, 0, 1 * S, 3 * S},
                                               {INNER, 0, 2 * S, 3 * S},
                                               {INNER, 0, 5 * S, UINT64_MAX}};
enum { READ, WRITTEN, POWER };
static const struct prof_counter counters[] = {
    {.source = "perf", .name = "read", .unit = "B", .kind = LS_COUNTER_READ, .roof_per_s = 400},
    {.source = "perf", .name = "written", .unit = "B", .kind = LS_COUNTER_WRITTEN, .roof_per_s = 400},
    {.source = "nvml",
     .name = "power",
     .unit = "W",
     .kind = LS_COUNTER_ENERGY,
     .is_level = 1,
     .roof_per_s = NAN}};
static const struct prof_reading readings[] = {
    {READ, 0, 2 * S, 200, LS_GAP_NONE},     {READ, 2 * S, 4 * S, 600, LS_GAP_NONE},
    {READ, 4 * S, 6 * S, NAN, LS_GAP_GONE}, {WRITTEN, 0, 6 * S, 60, LS_GAP_NONE},
    {POWER, 0, 2 * S, 100, LS_GAP_NONE},    {POWER, 2 * S, 6 * S, 250, LS_GAP_NONE},
};
static const struct an_series_in in = {.phases = phases,
                                       .phases_len = PHASES,
                                       .spans = spans,
                                       .spans_len = sizeof(spans) / sizeof(spans[0]),
                                       .counters = counters,
                                       .counters_len = 3,
                                       .readings = readings,
                                       .readings_len = sizeof(readings) / sizeof(readings[0]),
                                       .duration_ns = 6 * S};

static const struct an_series_row *find(const struct an_series *s, uint32_t phase, uint32_t counter,
                                        bool is_total)
{
    for (size_t i = 0; i < s->len; i++)
        if (s->rows[i].phase == phase && s->rows[i].counter == counter && s->rows[i].is_total == is_total)
            return &s->rows[i];
    fail();
    return NULL;
}

static void amounts_go_to_phases_by_time(void **state)
{
    struct an_series s;
    (void)state;
    assert_int_equal(an_series_init(&s, &in), LS_OK);
    assert_int_equal(s.len, (PHASES + 1) * 4);
    const struct an_series_row *r = find(&s, SOLVE, READ, false);
    assert_true(r->phase_ns == 3 * S && r->known_ns == 3 * S && r->gap_ns == 0);
    assert_true(fabs(r->amount - (100 + 600)) < 1e-6);
    assert_true(fabs(r->mean - 700.0 / 3) < 1e-6 && r->most == 300);
    r = find(&s, INNER, READ, false); /* a second of 300 a second, and a second of a gap */
    assert_true(r->phase_ns == 2 * S && r->known_ns == S && r->gap_ns == S);
    assert_true(fabs(r->amount - 300) < 1e-6 && fabs(r->mean - 300) < 1e-6);
    r = find(&s, AN_SERIES_ALL, WRITTEN, false);
    assert_true(r->phase_ns == 6 * S && fabs(r->amount - 60) < 1e-6 && fabs(r->mean - 10) < 1e-6);
    an_series_fini(&s);
}

static void levels_are_means_by_time(void **state)
{
    struct an_series s;
    (void)state;
    assert_int_equal(an_series_init(&s, &in), LS_OK);
    const struct an_series_row *r = find(&s, SOLVE, POWER, false);
    assert_true(isnan(r->amount) && fabs(r->mean - 200) < 1e-6 && r->most == 250);
    r = find(&s, EMPTY, POWER, false);
    assert_true(r->phase_ns == 0 && isnan(r->mean) && isnan(r->most) && isnan(r->amount));
    an_series_fini(&s);
}

static void memory_counters_have_a_total_with_its_share_of_the_roof(void **state)
{
    struct an_series s;
    (void)state;
    assert_int_equal(an_series_init(&s, &in), LS_OK);
    const struct an_series_row *r = find(&s, SOLVE, READ, true);
    assert_true(fabs(r->amount - 730) < 1e-6 && fabs(r->mean - 730.0 / 3) < 1e-6);
    assert_true(fabs(r->share_of_roof - 730.0 / 3 / 400) < 1e-9);
    assert_true(isnan(find(&s, SOLVE, READ, false)->share_of_roof));
    r = find(&s, AN_SERIES_ALL, READ, true); /* known as long as its shortest counter */
    assert_true(r->known_ns == 4 * S && r->gap_ns == 2 * S);
    an_series_fini(&s);
}

static void slices_have_rates_and_no_value_in_gaps(void **state)
{
    double slices[6];
    (void)state;
    assert_int_equal(an_series_slices(&in, READ, 6, slices), LS_OK);
    assert_true(fabs(slices[0] - 100) < 1e-6 && fabs(slices[1] - 100) < 1e-6 && fabs(slices[3] - 300) < 1e-6);
    assert_true(isnan(slices[4]) && isnan(slices[5]));
    assert_int_equal(an_series_slices(&in, READ, 4, slices),
                     LS_OK); /* 1.5 s each: the second has half of both */
    assert_true(fabs(slices[1] - (100 * 0.5 + 300) / 1.5) < 1e-6 && fabs(slices[2] - 300) < 1e-6);
    assert_true(isnan(slices[3]));
    assert_int_equal(an_series_slices(&in, POWER, 3, slices), LS_OK);
    assert_true(slices[0] == 100 && slices[2] == 250);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amounts_go_to_phases_by_time),
        cmocka_unit_test(levels_are_means_by_time),
        cmocka_unit_test(slices_have_rates_and_no_value_in_gaps),
        cmocka_unit_test(memory_counters_have_a_total_with_its_share_of_the_roof),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
