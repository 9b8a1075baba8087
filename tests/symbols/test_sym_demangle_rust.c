/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of Rust are readable; damaged ones end soon. */
#include "symbols/sym_demangle.h"
#include "symbols/sym_demangle_rust.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct row {
    const char *name, *readable;
} rows[] = {
    {"_RNvC6_123foo3bar", "123foo::bar"},
    {"_RINvCskpqLfml7JtR_10rust_names6gatherdEB2_", "rust_names::gather::<f64>"},
    {"_RINvMNtCskpqLfml7JtR_10rust_names9loadstoneNtB3_4Tree8registerfEB5_",
     "<rust_names::loadstone::Tree>::register::<f32>"},
    {"_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_", "cc::spawn::{closure#0}::{closure#0}"},
    {"_RNCINkXs25_NgCsbmNqQUJIY6D_4core5sliceINyB9_4IterhENuNgNoBb_4iter8iterator8Iterator9rpositionNCNgNpB9_6memchr7memrchrs_0E0Bb_",
     "<core::slice::Iter<u8> as core::iter::iterator::Iterator>::rposition::<core::slice::memchr::memrchr::{closure#1}>::{closure#0}"},
    {"_RINbNbCskIICzLVDPPb_5alloc5alloc8box_freeDINbNiB4_5boxed5FnBoxuEp6OutputuEL_ECs1iopQbuBiw2_3std",
     "alloc::alloc::box_free::<dyn alloc::boxed::FnBox<(), Output = ()>>"},
    {"_RNvMC0INtC8arrayvec8ArrayVechKj7b_E3new", "<arrayvec::ArrayVec<u8, 123>>::new"},
    {"_RINvC1a1fAhj3_RShTlEFUKCmEyE", "a::f::<[u8; 3], &[u8], (i32,), unsafe extern \"C\" fn(u32) -> u64>"},
    {"_RINvC1a1fKb1_Kin2a_E", "a::f::<true, -42>"},
    {"_RNvC1a1f.llvm.7891231997746524798", "a::f"},
    {"_ZN4core3ptr13drop_in_place17h0123456789abcdefE", "core::ptr::drop_in_place"},
    {"_ZN63_$LT$alloc..alloc..Global$u20$as$u20$core..alloc..Allocator$GT$10deallocate17h0123456789abcdefE",
     "<alloc::alloc::Global as core::alloc::Allocator>::deallocate"},
    {"_ZN3foo3barEv", "foo::bar()"},
    /* others stay */
    {"_RNvC6_123foo", "_RNvC6_123foo"},
    {"_R", "_R"},
    {"_Range", "_Range"},
    {"_RNvC99foo3bar", "_RNvC99foo3bar"},
    {"_RNvBa_3bar", "_RNvBa_3bar"},
    {"_RNvB_3bar", "_RNvB_3bar"},
    {"_ZN3foo3bar", "_ZN3foo3bar"},
};

static void names_are_as_in_the_source(void **state)
{
    struct sym_demangler d = {0};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_string_equal(sym_demangle(&d, rows[i].name), rows[i].readable);
    sym_demangle_fini(&d);
}

static void names_that_do_not_fit_are_left_alone(void **state)
{
    char out[32];
    (void)state;
    assert_true(sym_demangle_rust("_RNvC6_123foo3bar", out, 12));
    assert_string_equal(out, "123foo::bar");
    assert_false(sym_demangle_rust("_RNvC6_123foo3bar", out, 11));
}

/* Each type has the one before twice: a short name of many letters. */
static void names_that_grow_without_end_are_refused(void **state)
{
    static const char name[] =
        "_RINvC1a1fTuuETB7_B7_ETBb_Bb_ETBj_Bj_ETBr_Br_ETBz_Bz_ETBH_BH_ETBP_BP_ETBX_BX_EE";
    char out[8192];
    (void)state;
    assert_true(sym_demangle_rust(name, out, sizeof(out)));
    assert_true(strlen(out) > 2000);
    assert_false(sym_demangle_rust(name, out, 2000));
}

static void damaged_names_are_survived(void **state)
{
    static const char letters[] = "CMXYNIBAESTRQPOFDKLGUsuvphj_0123456789aEE__";
    char name[80], out[256];
    (void)state;
    srand(1);
    for (int round = 0; round < 200000; round++) {
        const size_t len = (size_t)rand() % 60;
        memcpy(name, "_R", 2);
        for (size_t i = 0; i < len; i++)
            name[2 + i] = letters[(size_t)rand() % (sizeof(letters) - 1)];
        name[2 + len] = '\0';
        if (sym_demangle_rust(name, out, sizeof(out))) assert_true(strlen(out) < sizeof(out));
    }
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (size_t len = 0; len < strlen(rows[i].name) && len < sizeof(name); len++) {
            memcpy(name, rows[i].name, len);
            name[len] = '\0';
            sym_demangle_rust(name, out, sizeof(out));
        }
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_as_in_the_source),
        cmocka_unit_test(names_that_do_not_fit_are_left_alone),
        cmocka_unit_test(names_that_grow_without_end_are_refused),
        cmocka_unit_test(damaged_names_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
