/* SPDX-License-Identifier: BSD-3-Clause */
/* Off the transitions the formulas give the traffic that the model counts, within 0.1 %; bounds are the paper's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/ls_error.h"
#include "tests/unit.h"
#include "traffic/trf_model.h"

#include <math.h>
#include <stdio.h>

static const struct trf_size usual = {.cap = 1280, .rows = 2, .cols = 4, .stores_allocate = true};

struct known {
    const char *kernel;
    uint64_t n;
    bool allocate;
    enum trf_regime regime;
    uint64_t batch;
};

static void formulas_equal_the_counts_of_the_model(void **state)
{
    (void)state;
    static const struct known rows[] = {
        {"gemv", 1000, true, TRF_CACHED},   {"gemm", 132, true, TRF_CACHED},
        {"gemm", 316, true, TRF_BEYOND},    {"s1cf-1", 180, true, TRF_CACHED},
        {"s1cf-1", 180, false, TRF_CACHED}, {"s1cf-2", 180, true, TRF_CACHED},
        {"s1cf-2", 260, true, TRF_BEYOND},  {"s1cf", 180, true, TRF_CACHED},
        {"s2cf", 180, true, TRF_CACHED},    {"s2cf", 180, false, TRF_CACHED},
        {"gemm", 60, true, TRF_CACHED, 4},  {"gemm", 152, true, TRF_BEYOND, 4},
    };
    struct trf_geometry g;
    assert_int_equal(trf_geometry_parse("32K/8,512K/16", &g), LS_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct trf_kernel *k = trf_kernel_named(rows[i].kernel);
        struct trf_size s = usual;
        struct trf_traffic t[TRF_ARRAYS_MAX];
        uint64_t read_lines = 0, written_lines = 0;
        assert_non_null(k);
        s.n = rows[i].n;
        s.batch = rows[i].batch;
        s.stores_allocate = rows[i].allocate;
        assert_int_equal(trf_model_kernel(k, &s, &g, t), LS_OK);
        for (unsigned a = 0; a < TRF_ARRAYS_MAX; a++) {
            read_lines += t[a].read_lines;
            written_lines += t[a].written_lines;
        }
        const struct trf_expected e = trf_kernel_expected(k, &s, 512 << 10);
        const double read = (double)read_lines * 64 / e.read_bytes,
                     written = (double)written_lines * 64 / e.written_bytes;
        if (fabs(read - 1) > 0.001 || fabs(written - 1) > 0.001)
            print_message("%s %u: read %.5f, written %.5f of the expected bytes\n", rows[i].kernel,
                          (unsigned)s.n, read, written);
        assert_int_equal(e.regime, rows[i].regime);
        assert_float_equal(read, 1, 0.001);
        assert_float_equal(written, 1, 0.001);
    }
}

/* y is short against A: its last line and its alignment matter. */
static void capped_product_reads_its_matrix_again_only_when_it_does_not_fit(void **state)
{
    (void)state;
    struct trf_geometry g;
    struct trf_traffic t[TRF_ARRAYS_MAX];
    struct trf_size s = usual;
    const struct trf_kernel *k = trf_kernel_named("gemv-capped");
    assert_int_equal(trf_geometry_parse("32K/8,512K/16", &g), LS_OK);
    s.n = 4004;
    s.cap = 100; /* 80 KB */
    assert_int_equal(trf_model_kernel(k, &s, &g, t), LS_OK);
    assert_int_equal(trf_kernel_expected(k, &s, 512 << 10).regime, TRF_CACHED);
    assert_float_equal((double)t[0].read_lines * 64, 100 * 100 * 8, 64);
    assert_float_equal((double)(t[0].read_lines + t[1].read_lines + t[2].read_lines) * 64,
                       trf_kernel_expected(k, &s, 512 << 10).read_bytes, 3 * 64);
    s.cap = 300; /* 720 KB */
    assert_int_equal(trf_model_kernel(k, &s, &g, t), LS_OK);
    const struct trf_expected e = trf_kernel_expected(k, &s, 512 << 10);
    assert_int_equal(e.regime, TRF_BEYOND);
    assert_float_equal((double)(t[0].read_lines + t[1].read_lines + t[2].read_lines) * 64 / e.read_bytes, 1,
                       0.001);
    assert_float_equal((double)t[2].written_lines * 64, 4004 * 8, 64);
}

/* The last size below a bound, by the paper's equations 3, 4 and 7 for 5 MiB. */
static void bounds_equal_the_papers(void **state)
{
    (void)state;
    const double cache = 5 << 20;
    struct trf_size s = usual;
    const struct trf_kernel *gemm = trf_kernel_named("gemm"), *s1cf2 = trf_kernel_named("s1cf-2");
    s.n = 467;
    assert_true(gemm->kept_bytes(&s) <= cache);
    s.n = 468;
    assert_true(gemm->kept_bytes(&s) > cache);
    s.n = 809;
    assert_true(gemm->beyond_bytes(&s) <= cache);
    s.n = 810;
    assert_true(gemm->beyond_bytes(&s) > cache);
    s.n = 724;
    assert_true(s1cf2->kept_bytes(&s) <= cache);
    s.n = 728;
    assert_true(s1cf2->kept_bytes(&s) > cache);
    assert_int_equal(trf_repetitions(100), 489);
    assert_int_equal(trf_repetitions(2047), 10);
    assert_int_equal(trf_repetitions(4096), 10);
}

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    struct trf_size s = usual;
    s.n = 6; /* six planes cannot be shared by four columns */
    assert_int_equal(trf_kernel_check(trf_kernel_named("s2cf"), &s), LS_ERR_USAGE);
    assert_int_equal(trf_kernel_check(trf_kernel_named("gemm"), &s), LS_OK);
    s.n = 0;
    assert_int_equal(trf_kernel_check(trf_kernel_named("gemm"), &s), LS_ERR_RANGE);
    s.n = UINT64_C(1) << 24;
    assert_int_equal(trf_kernel_check(trf_kernel_named("gemm"), &s), LS_ERR_RANGE);
    s.n = UINT64_MAX;
    assert_int_equal(trf_kernel_check(trf_kernel_named("gemv"), &s), LS_ERR_RANGE);
    assert_null(trf_kernel_named("dgemm"));
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_equal_the_counts_of_the_model),
        cmocka_unit_test(capped_product_reads_its_matrix_again_only_when_it_does_not_fit),
        cmocka_unit_test(bounds_equal_the_papers),
        cmocka_unit_test(impossible_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
