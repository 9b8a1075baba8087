/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of kernels agrees with the papers and the published programs; the statistics are their
 * formulas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/kn_kernel.h"
#include "kernels/kn_result.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

struct published {
    const char *group; /* prefix of the name */
    unsigned paper[4]; /* bytes an iteration of copy, scale, sum, triad: RaiderSTREAM, table I */
    unsigned code[4];  /* as its program counts, 8-byte elements and indices */
};

static void bytes_and_flops_equal_raiderstreams(void **state)
{
    (void)state;
    static const struct published groups[] = {
        {"", {16, 16, 24, 24}, {16, 16, 24, 24}},         {"gather-", {16, 16, 24, 24}, {24, 24, 40, 40}},
        {"scatter-", {16, 16, 24, 24}, {24, 24, 32, 32}}, {"sg-", {16, 16, 24, 24}, {32, 32, 48, 48}},
        {"central-", {16, 16, 24, 24}, {16, 16, 24, 24}},
    };
    static const char *const ops[] = {"copy", "scale", "sum", "triad"};
    static const unsigned flops[] = {0, 1, 1, 2};
    for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); g++)
        for (int o = 0; o < 4; o++) {
            char name[32] = "";
            strcat(strcat(name, groups[g].group), ops[o]);
            const struct kn_kernel *k = kn_kernel_find(name);
            assert_non_null(k);
            assert_int_equal(kn_count_bytes(&k->paper, 8, 8), groups[g].paper[o]);
            assert_int_equal(kn_count_bytes(&k->code, 8, 8), groups[g].code[o]);
            assert_int_equal(k->paper.flops, flops[o]);
            assert_int_equal(k->loads + k->stores, k->paper.elements);
        }
}

static void bytes_of_replays_equal_spatters(void **state)
{
    (void)state;
    static const unsigned bytes[PAT_KERNEL_COUNT] = {8, 8, 16, 8, 8};
    static const unsigned indices[PAT_KERNEL_COUNT] = {1, 1, 2, 2, 2};
    for (int k = 0; k < PAT_KERNEL_COUNT; k++) {
        const struct kn_kernel *row = kn_kernel_of_pattern((enum pat_kernel)k);
        assert_non_null(row);
        assert_int_equal(kn_count_bytes(&row->paper, 8, 8), bytes[k]);
        assert_int_equal(row->index_loads, indices[k]);
    }
}

static void names_are_unique(void **state)
{
    (void)state;
    for (unsigned a = 0; a < kn_kernels_len; a++)
        assert_ptr_equal(kn_kernel_find(kn_kernels[a].name), &kn_kernels[a]);
    assert_null(kn_kernel_find("sg"));
}

static void statistics_are_their_formulas(void **state)
{
    (void)state;
    const double v[] = {4, 1, 2, 8};
    const struct kn_stats s = kn_stats_of(v, 4);
    assert_float_equal(s.min, 1, 0);
    assert_float_equal(s.max, 8, 0);
    assert_float_equal(s.median, 3, 1e-12);
    assert_float_equal(s.quartile1, 1.75, 1e-12);
    assert_float_equal(s.quartile3, 5, 1e-12);
    assert_float_equal(kn_harmonic_mean(v, 4), 4 / 1.875, 1e-12);
    /* inverses 1/4 1 1/2 1/8, their deviation 0.38696..., hmean^2 sigma / sqrt(4) */
    const double mean = 1.875 / 4;
    const double sigma = sqrt(((0.25 - mean) * (0.25 - mean) + (1 - mean) * (1 - mean) +
                               (0.5 - mean) * (0.5 - mean) + (0.125 - mean) * (0.125 - mean)) /
                              3);
    assert_float_equal(kn_harmonic_stderr(v, 4), sigma / (mean * mean) / 2, 1e-12);
    assert_true(isnan(kn_stats_of(v, 0).min));
}

/* Table 4 of the Spatter paper: harmonic means of LULESH on three GPUs and a fourth-row STREAM give the R it
 * prints. */
static void pearson_r_is_that_of_the_paper(void **state)
{
    (void)state;
    const double stream[] = {193, 443, 541}, lulesh[] = {88, 175, 165}, amg[] = {108, 496, 703};
    assert_true(kn_pearson_r(lulesh, stream, 3) > 0.9);
    assert_true(kn_pearson_r(amg, stream, 3) > 0.99);
    const double cpu_stream[] = {43, 96, 94, 97, 241, 249}, nekbone[] = {121, 309, 287, 323, 247, 190};
    assert_float_equal(kn_pearson_r(nekbone, cpu_stream, 6), -0.04, 0.12);
    const double constant[] = {1, 1, 1};
    assert_true(isnan(kn_pearson_r(constant, stream, 3)));
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_and_flops_equal_raiderstreams),
        cmocka_unit_test(bytes_of_replays_equal_spatters),
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(statistics_are_their_formulas),
        cmocka_unit_test(pearson_r_is_that_of_the_paper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
