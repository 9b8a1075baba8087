/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h" /* _GNU_SOURCE */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "symbols/sym_code.h"
#include "tools/report/rep_disassemble.h"
#include "tests/unit.h"

#include <link.h>
#include <string.h>

static void rep_instructions_have_text(void **state)
{
    (void)state;
    static const uint8_t load[] = {0x48, 0x8b, 0x44,
                                   0xd8, 0x10, 0x90}; /* objdump: mov 0x10(%rax,%rbx,8),%rax */
    char out[REP_INSTRUCTION_TEXT];
    assert_int_equal(rep_disassemble(0x1000, load, sizeof(load), out), 5);
    assert_string_equal(out, "mov 0x10(%rax,%rbx,8), %rax");
    assert_int_equal(rep_disassemble(0x1000, load, 3, out), 0); /* cut off */
    assert_int_equal(rep_disassemble(0x1000, (const uint8_t[]){0x06}, 1, out), 0);
}

/* The bias of this program: the first module that the loader names. */
static int first_bias(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    *(uint64_t *)user = info->dlpi_addr;
    return 1;
}

static void sym_code_of_this_program_is_what_runs(void **state)
{
    (void)state;
    sym_code *c = NULL;
    uint8_t bytes[32];
    uint64_t bias = 0;
    dl_iterate_phdr(first_bias, &bias);
    assert_int_equal(sym_code_open("/proc/self/exe", "", &c), LS_OK);
    const uint64_t address = (uint64_t)(uintptr_t)rep_instructions_have_text - bias;
    assert_int_equal(sym_code_read(c, address, bytes, sizeof(bytes)), sizeof(bytes));
    assert_memory_equal(bytes, (const void *)(uintptr_t)rep_instructions_have_text, sizeof(bytes));
    assert_int_equal(sym_code_read(c, 1, bytes, sizeof(bytes)), 0); /* headers are no code */
    assert_int_equal(sym_code_read(c, UINT64_MAX - 3, bytes, sizeof(bytes)), 0);
    sym_code_free(c);
}

static void sym_code_of_another_build_is_refused(void **state)
{
    (void)state;
    sym_code *c = NULL;
    assert_int_equal(sym_code_open("/proc/self/exe", "00112233", &c), LS_ERR_VERSION);
    assert_non_null(strstr(ls_last_error(), "00112233"));
    assert_int_equal(sym_code_open("/etc/passwd", "", &c), LS_ERR_FORMAT);
    assert_int_equal(sym_code_open("/nonexistent/file", "", &c), LS_ERR_NOT_FOUND);
    assert_null(c);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rep_instructions_have_text),
        cmocka_unit_test(sym_code_of_this_program_is_what_runs),
        cmocka_unit_test(sym_code_of_another_build_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
