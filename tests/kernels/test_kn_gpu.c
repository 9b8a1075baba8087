/* SPDX-License-Identifier: BSD-3-Clause */
/* Variants of device kernels have distinct names and macros, and the PTX texts are whole: every variant of the matrix is an entry with the
 * parameters that a launch passes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/gpu/kn_gpu.h"
#include "tests/unit.h"

#include <stdio.h>
#include <string.h>

static size_t count(const char *text, const char *word)
{
    size_t found = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        found++;
    return found;
}

/* The part of a text from an entry to its closing brace. */
static const char *entry_of(const char *text, const char *name, char *out, size_t room)
{
    char head[KN_GPU_NAME_BYTES + 32];
    snprintf(head, sizeof(head), ".visible .entry %s(", name);
    const char *begin = strstr(text, head);
    const char *end = begin ? strstr(begin, "\n}") : NULL;
    if (!end || (size_t)(end - begin) >= room) return NULL;
    memcpy(out, begin, (size_t)(end - begin));
    out[end - begin] = '\0';
    return out;
}

static void macros_and_names_differ_by_variant(void **state)
{
    (void)state;
    char name[KN_GPU_NAME_BYTES], defines[KN_GPU_DEFINES_BYTES];
    struct kn_gpu_variant v = {.kind = PAT_GS,
                               .element_bytes = 4,
                               .index_bits = 64,
                               .memory = KN_GPU_MEMORY_LOCAL,
                               .work = 8,
                               .vector = 2,
                               .stores = KN_STORES_EXCHANGE,
                               .near_len = 512,
                               .shared_bytes = 96};
    kn_gpu_variant_name(&v, name);
    kn_gpu_variant_defines(&v, defines);
    assert_string_equal(name, "gs_local_w8_v2_exchange");
    assert_string_equal(
        defines,
        "-D NAME=gs_local_w8_v2_exchange -D KIND=2 -D BYTES=4 -D INDEX_BITS=64 -D MEMORY=2 -D WORK=8 "
        "-D VECTOR=2 -D STORES=1 -D LAST=0 -D NEAR_LEN=512 -D SHARED_BYTES=96 -D OPERATION=0");
    v.kind = PAT_SCATTER;
    v.operation = PAT_OPERATION_UPDATE;
    kn_gpu_variant_name(&v, name);
    kn_gpu_variant_defines(&v, defines);
    assert_string_equal(name, "scatter_update_local_w8_v2_exchange");
    assert_non_null(strstr(defines, " -D OPERATION=4"));
    v = (struct kn_gpu_variant){.kind = KN_GPU_STREAM,
                                .element_bytes = 8,
                                .index_bits = 32,
                                .work = 4,
                                .vector = 1,
                                .stores = KN_STORES_REGULAR,
                                .stream = kn_kernel_find("sg-triad")};
    kn_gpu_variant_name(&v, name);
    kn_gpu_variant_defines(&v, defines);
    assert_string_equal(name, "sg_triad_global_w4_v1_regular");
    assert_non_null(strstr(defines, "-D OPERATION=3 -D TO_AT=2 -D FROM_AT=2 -D FROM2_AT=2"));
}

static void devices_are_wished_by_number_or_name(void **state)
{
    (void)state;
    assert_true(kn_gpu_is_wished(NULL, "NVIDIA H200", 3));
    assert_true(kn_gpu_is_wished("3", "NVIDIA H200", 3));
    assert_false(kn_gpu_is_wished("2", "NVIDIA H200", 3)); /* a number does not match a part of a name */
    assert_true(kn_gpu_is_wished("h200", "NVIDIA H200", 3));
    assert_false(kn_gpu_is_wished("H100", "NVIDIA H200", 3));
}

static void ptx_texts_are_whole(void **state)
{
    (void)state;
    if (!kn_gpu_ptx[0].part) skip();
    unsigned texts = 0;
    for (const struct kn_gpu_ptx *p = kn_gpu_ptx; p->part; p++, texts++) {
        const size_t entries = count(p->text, ".visible .entry ");
        assert_int_equal(entries, strcmp(p->part, "stream") == 0 ? 29 : 75);
        assert_int_equal(count(p->text, "\n}"), entries);
        assert_int_equal(count(p->text, "{"), count(p->text, "}"));
        assert_int_equal(count(p->text, ".target sm_60"), 1);
        assert_int_equal(count(p->text, ".address_size 64"), 1);
        /* the text calls no library function and uses no local memory of threads */
        assert_int_equal(count(p->text, ".extern"), 0);
        assert_int_equal(count(p->text, "call"), 0);
        assert_int_equal(count(p->text, ".local"), 0);
    }
    assert_int_equal(texts, 8);
}

/* Each variant has the instructions that its name promises. */
static void ptx_variants_have_their_instructions(void **state)
{
    (void)state;
    static char body[1 << 20];
    if (!kn_gpu_ptx[0].part) skip();
    for (const struct kn_gpu_ptx *p = kn_gpu_ptx; p->part && strcmp(p->part, "move") == 0; p++) {
        const bool wide = p->element_bytes == 8;
        assert_non_null(entry_of(p->text, "scatter_global_w1_v1_regular", body, sizeof(body)));
        assert_int_equal(count(body, ".param .u64 "), 6);
        assert_int_equal(count(body, ".param .align 8 .b8 scatter_global_w1_v1_regular_param_6[104]"), 1);
        assert_true(count(body, wide ? "st.global.u64" : "st.global.u32") >= 1);
        assert_int_equal(count(body, "atom.") + count(body, "red."), 0);
        assert_non_null(entry_of(p->text, "scatter_global_w1_v1_exchange", body, sizeof(body)));
        assert_true(count(body, wide ? "atom.global.exch.b64" : "atom.global.exch.b32") >= 1);
        assert_non_null(entry_of(p->text, "multiscatter_local_w4_v1_add", body, sizeof(body)));
        assert_true(count(body, wide ? "red.global.add.f64" : "red.global.add.f32") >= 4);
        assert_true(count(body, ".shared") >= 1 && count(body, "bar.sync") == 1);
        assert_non_null(entry_of(p->text, "gather_global_w4_v1_regular", body, sizeof(body)));
        assert_true(count(body, "ld.global.nc") >= 5); /* an index, and an element of each of four rows */
        assert_int_equal(count(body, ".shared"), 0);
        assert_non_null(entry_of(p->text, "gather_global_w8_v1_last", body, sizeof(body)));
        /* an index, the elements of eight rows at a time, the elements of single rows; one store */
        assert_true(
            count(body, wide ? "ld.global.nc.u64" : "ld.global.nc.u32") + count(body, "ld.global.u") >= 10);
        assert_int_equal(count(body, wide ? "st.global.u64" : "st.global.u32"), 1);
        assert_non_null(entry_of(p->text, "gather_reduce_global_w4_v1_regular", body, sizeof(body)));
        assert_true(count(body, "ld.global") >= 5); /* none is left out of a sum that is not kept */
        assert_int_equal(count(body, wide ? "red.global.add.u64" : "red.global.add.u32"), 1);
        assert_int_equal(count(body, "st.global"), 0);
        assert_non_null(entry_of(p->text, "scatter_update_global_w1_v1_exchange", body, sizeof(body)));
        assert_int_equal(count(body, wide ? "red.global.or.b64" : "red.global.or.b32"), 1);
        assert_non_null(entry_of(p->text, "scatter_fill_global_w1_v1_regular", body, sizeof(body)));
        assert_int_equal(count(body, wide ? "st.global.u64" : "st.global.u32"), 1);
    }
    for (const struct kn_gpu_ptx *p = kn_gpu_ptx; p->part; p++) {
        if (strcmp(p->part, "stream") != 0) continue;
        assert_non_null(entry_of(p->text, "stride_sum_global_w4_v1_regular", body, sizeof(body)));
        assert_int_equal(count(body, p->element_bytes == 8 ? "add.rn.f64" : "add.rn.f32"), 4);
        assert_non_null(entry_of(p->text, "copy_global_w4_v1_regular", body, sizeof(body)));
        assert_int_equal(count(body, p->element_bytes == 8 ? "ld.global.f64" : "ld.global.f32"), 4);
        assert_non_null(entry_of(p->text, "chase_global_w1_v1_regular", body, sizeof(body)));
        assert_true(count(body, "ld.global.u64") >= 1 && count(body, "st.global.u64") == 1);
    }
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(macros_and_names_differ_by_variant),
        cmocka_unit_test(devices_are_wished_by_number_or_name),
        cmocka_unit_test(ptx_texts_are_whole),
        cmocka_unit_test(ptx_variants_have_their_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
