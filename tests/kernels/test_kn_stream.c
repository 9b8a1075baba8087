/* SPDX-License-Identifier: BSD-3-Clause */
/* Every STREAM kernel by every method computes its formula; wrong results are detected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/kn_values.h"
#include "kernels/stream/kn_stream_arrays.h"
#include "tests/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 3001, THREADS = 3 };

static void a_permutation_takes_every_value_once(void **state)
{
    (void)state;
    static const uint64_t lengths[] = {1, 2, 3, 5, 64, 65, 1000, 4097};
    for (size_t l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
        const struct kn_sequence s = kn_sequence_permutation(lengths[l], 7);
        uint8_t *seen = calloc(lengths[l], 1);
        uint64_t kept = 0;
        assert_non_null(seen);
        for (uint64_t j = 0; j < lengths[l]; j++) {
            const uint64_t at = kn_sequence_at(&s, j);
            assert_true(at < lengths[l]);
            assert_int_equal(seen[at]++, 0);
            kept += at == j || at == j + 1;
        }
        assert_true(lengths[l] < 64 || kept < lengths[l] / 10); /* it looks like no order */
        free(seen);
    }
    const struct kn_sequence a = kn_sequence_permutation(1000, 1), b = kn_sequence_permutation(1000, 2);
    uint64_t same = 0;
    for (uint64_t j = 0; j < 1000; j++)
        same += kn_sequence_at(&a, j) == kn_sequence_at(&b, j);
    assert_true(same < 100);
}

static void a_hotspot_is_hot(void **state)
{
    (void)state;
    const struct kn_sequence s = kn_sequence_hotspot(100000, 3, 0.9, 100);
    unsigned hot = 0;
    for (uint64_t j = 0; j < 100000; j++) {
        assert_true(kn_sequence_at(&s, j) < 100000);
        hot += kn_sequence_at(&s, j) < 100;
    }
    assert_in_range(hot, 89000, 91500);
}

static void make_with(struct kn_stream_arrays *arrays, const struct kn_kernel *k,
                      const struct kn_stream_options *o)
{
    assert_int_equal(kn_stream_arrays_plan(arrays, &k, 1, o), LS_OK);
    arrays->backend = &kn_backend_serial;
    arrays->threads = THREADS;
    assert_int_equal(kn_stream_arrays_fill(arrays, KN_PAGES_DEFAULT), LS_OK);
}

static void make(struct kn_stream_arrays *arrays, const struct kn_kernel *k, unsigned element_bytes,
                 unsigned index_bits)
{
    const struct kn_stream_options o = {.elements = ELEMENTS,
                                        .run = {.element_bytes = element_bytes, .index_bits = index_bits}};
    make_with(arrays, k, &o);
}

static void arrays_begin_at_different_places_of_a_page(void **state)
{
    (void)state;
    const struct kn_kernel *k = kn_kernel_find("central-triad");
    struct kn_stream_arrays arrays;
    make(&arrays, k, 8, 64);
    const struct kn_loop_job job = kn_stream_arrays_job(&arrays, k);
    const uintptr_t at[] = {(uintptr_t)job.to, (uintptr_t)job.from, (uintptr_t)job.from2};
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(at[i] % 64, 0);
        assert_in_range((at[i] - at[(i + 1) % 3]) % 4096, 1024, 3072);
    }
    kn_stream_arrays_fini(&arrays);
}

static void run(const struct kn_stream_arrays *arrays, const struct kn_kernel *k, kn_loop *loop,
                const struct kn_loop_job *job)
{
    const uint64_t n = kn_stream_arrays_iterations(arrays, k);
    for (unsigned t = 0; t < THREADS; t++)
        loop(job, kn_stream_arrays_begin(arrays, n, t), kn_stream_arrays_begin(arrays, n, t + 1));
}

/* Compute the kernel again in plain code, from the index arrays, whereas kn_prove uses the sequences. */
static void compare(const struct kn_stream_arrays *arrays, const struct kn_kernel *k,
                    const struct kn_loop_job *job)
{
    if (arrays->element_bytes != 8 || arrays->index_bits != 64) return;
    const double *from = job->from, *from2 = job->from2, *to = job->to;
    const int64_t *ti = job->to_index, *fi = job->from_index, *gi = job->from2_index;
    const bool central = k->group == KN_GROUP_CENTRAL, stride = k->group == KN_GROUP_STRIDE;
    for (uint64_t j = 0; j < kn_stream_arrays_iterations(arrays, k); j++) {
        const uint64_t plain = central ? 0 : stride ? 8 * j : j;
        const double x = from[fi ? (uint64_t)fi[j] : plain],
                     y = from2 ? from2[gi ? (uint64_t)gi[j] : plain] : 0;
        const double want[] = {x, 3 * x, x + y, x + 3 * y};
        assert_float_equal(to[ti ? (uint64_t)ti[j] : plain], want[k->op], 1e-14);
    }
}

static unsigned run_variants(const struct kn_kernel *k, unsigned element_bytes, unsigned index_bits)
{
    unsigned ran = 0;
    for (int m = KN_METHOD_AUTO + 1; m < KN_METHOD_COUNT; m++) {
        const struct kn_loop_wish w = {k, (enum kn_method)m, KN_STORES_AUTO, element_bytes, index_bits};
        const struct kn_loop_variant *found[KN_TRIALS_MAX];
        size_t len;
        kn_loop_find(&w, found, KN_TRIALS_MAX, &len);
        for (size_t v = 0; v < len; v++, ran++) {
            struct kn_stream_arrays arrays;
            struct kn_result r = {0};
            make(&arrays, k, element_bytes, index_bits);
            const struct kn_loop_job job = kn_stream_arrays_job(&arrays, k);
            run(&arrays, k, kn_loop_of(found[v], k), &job);
            kn_prove(&arrays, k, &r);
            if (!r.valid) fail_msg("%s, %s: %s", k->name, kn_method_name((enum kn_method)m), r.invalid);
            compare(&arrays, k, &job);
            kn_stream_arrays_fini(&arrays);
        }
    }
    return ran;
}

static void each_variant_computes_the_operation_of_its_row(void **state)
{
    (void)state;
    unsigned ran = 0;
    for (unsigned i = 0; i < kn_kernels_len; i++) {
        if (kn_kernels[i].family != KN_FAMILY_STREAM) continue;
        for (unsigned bytes = 4; bytes <= 8; bytes += 4)
            for (unsigned bits = 32; bits <= 64; bits += 32)
                ran += run_variants(&kn_kernels[i], bytes, bits);
    }
    print_message("%u variants\n", ran);
    assert_true(ran >= 28 * 4 * 2);
}

static void wrong_indices_are_detected(void **state)
{
    (void)state;
    static const char *const names[] = {"gather-copy", "scatter-sum", "sg-triad", "hotspot-copy"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct kn_kernel *k = kn_kernel_find(names[i]);
        struct kn_stream_arrays arrays;
        struct kn_result r = {0};
        make(&arrays, k, 8, 64);
        const struct kn_loop_job job = kn_stream_arrays_job(&arrays, k);
        int64_t *index = (int64_t *)(job.from_index ? job.from_index : job.to_index);
        index[10] = index[11]; /* one of thousands */
        const struct kn_loop_wish w = {k, KN_METHOD_UNROLLED, KN_STORES_REGULAR, 8, 64};
        const struct kn_loop_variant *v;
        size_t len;
        kn_loop_find(&w, &v, 1, &len);
        assert_int_equal(len, 1);
        run(&arrays, k, kn_loop_of(v, k), &job);
        kn_prove(&arrays, k, &r);
        assert_false(r.valid);
        assert_true(*r.invalid);
        kn_stream_arrays_fini(&arrays);
    }
}

/* The average error of so many elements is tiny. */
static void one_wrong_element_of_millions_is_detected(void **state)
{
    (void)state;
    const struct kn_kernel *k = kn_kernel_find("copy");
    for (unsigned bytes = 4; bytes <= 8; bytes += 4) {
        const struct kn_stream_options o = {.elements = 4000000, .run = {.element_bytes = bytes}};
        const struct kn_loop_wish w = {k, KN_METHOD_UNROLLED, KN_STORES_REGULAR, bytes, 64};
        const struct kn_loop_variant *v;
        struct kn_stream_arrays arrays;
        size_t len;
        make_with(&arrays, k, &o);
        const struct kn_loop_job job = kn_stream_arrays_job(&arrays, k);
        kn_loop_find(&w, &v, 1, &len);
        run(&arrays, k, kn_loop_of(v, k), &job);
        const uint64_t nan = kn_value_number(NAN, bytes);
        const uint64_t wrong[] = {kn_value_get(job.to, 1001, bytes), nan};
        for (size_t i = 0; i < 2; i++) {
            struct kn_result r = {0};
            kn_value_put(job.to, 1000, wrong[i], bytes);
            kn_prove(&arrays, k, &r);
            assert_false(r.valid);
            assert_int_equal(isnan(r.worst_error), wrong[i] == nan);
            if (!strstr(r.invalid, "iteration 1000 ")) fail_msg("%s", r.invalid);
        }
        kn_stream_arrays_fini(&arrays);
    }
}

static void a_whole_run_counts_bytes_both_ways(void **state)
{
    (void)state;
    const struct kn_kernel *kernels[] = {kn_kernel_find("copy"), kn_kernel_find("gather-triad"),
                                         kn_kernel_find("chase"), kn_kernel_find("stride-sum")};
    static const uint64_t paper[] = {16 * 1000, 24 * 1000, 8 * 1000, 24 * 125};
    static const uint64_t code[] = {16 * 1000, 40 * 1000, 8 * 1000, 24 * 125};
    const struct kn_stream_options o = {.elements = 1000, .run = {.runs = 2, .warmups_max = 2}};
    struct kn_result r[4];
    assert_int_equal(kn_stream_run(kernels, 4, &o, r), LS_OK);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(r[i].bytes, paper[i]);
        assert_int_equal(r[i].bytes_with_indices, code[i]);
        if (!r[i].valid) fail_msg("%s: %s", r[i].kernel->name, r[i].invalid);
        assert_int_equal(r[i].seconds.len, 2);
        assert_true(isfinite(r[i].mb_per_s));
        assert_true(r[i].warmups <= 2);
        kn_result_fini(&r[i]);
    }
}

static void the_run_rule_is_four_times_the_caches(void **state)
{
    (void)state;
    const struct kn_kernel *copy = kn_kernel_find("copy");
    const struct kn_stream_options o = {.elements = 10};
    struct kn_stream_need need;
    assert_int_equal(kn_stream_need(&copy, 1, &o, &need), LS_OK);
    assert_int_equal(need.elements, 10);
    assert_int_equal(need.memory_bytes, 2 * 8 * 10); /* only the arrays that are used */
    assert_true(need.rule_elements >= 1000000 && need.rule_elements * 8 >= 4 * need.last_level_bytes);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_permutation_takes_every_value_once),
        cmocka_unit_test(a_hotspot_is_hot),
        cmocka_unit_test(arrays_begin_at_different_places_of_a_page),
        cmocka_unit_test(each_variant_computes_the_operation_of_its_row),
        cmocka_unit_test(wrong_indices_are_detected),
        cmocka_unit_test(one_wrong_element_of_millions_is_detected),
        cmocka_unit_test(a_whole_run_counts_bytes_both_ways),
        cmocka_unit_test(the_run_rule_is_four_times_the_caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
