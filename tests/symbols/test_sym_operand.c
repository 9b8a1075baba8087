/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory operands of instructions. */
#include "symbols/sym_operand.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void operands_are_decoded(void **state)
{
    /* bytes and their meaning by objdump */
    static const struct {
        const char *text;
        uint8_t bytes[SYM_INSTRUCTION_BYTES], len;
        bool is_found;
        unsigned base; /* 0 rax, 1 rdx, 2 rcx, 3 rbx, 4 rsi, 5 rdi, 6 rbp, 7 rsp, 8 r8 */
        int64_t distance;
        bool has_index;
        unsigned index, scale;
    } rows[] = {
        {"mov rax,[rsp-0x70]", {0x48, 0x8b, 0x44, 0x24, 0x90}, 5, true, 7, -0x70, false},
        {"mov rcx,[rsp+rax-0x60]", {0x48, 0x8b, 0x4c, 0x04, 0xa0}, 5, true, 7, -0x60, true, 0, 1},
        {"mov eax,[r10+r13*4+8]", {0x43, 0x8b, 0x44, 0xaa, 0x08}, 5, true, 10, 8, true, 13, 4},
        {"mov eax,[rdi]", {0x8b, 0x07}, 2, true, 5, 0, false},
        {"mov eax,[rbx+0x12345]", {0x8b, 0x83, 0x45, 0x23, 0x01, 0x00}, 6, true, 3, 0x12345, false},
        {"mov [rbp-8],edi", {0x89, 0x7d, 0xf8}, 3, true, 6, -8, false},
        {"mov r9,[r8+0x10]", {0x4d, 0x8b, 0x48, 0x10}, 4, true, 8, 0x10, false},
        {"mov rax,[r12]", {0x49, 0x8b, 0x04, 0x24}, 4, true, 12, 0, false},
        {"movsd xmm0,[rcx+8]", {0xf2, 0x0f, 0x10, 0x41, 0x08}, 5, true, 2, 8, false},
        {"movdqa xmm0,[rip+0x1591]", {0x66, 0x0f, 0x6f, 0x05, 0x91, 0x15, 0, 0}, 8, false, 0, 0, false},
        {"vmovapd ymm1,[rdx+rsi*8]", {0xc5, 0xfd, 0x28, 0x0c, 0xf2}, 5, true, 1, 0, true, 4, 8},
        {"vfmadd231pd ymm0,ymm1,[r9+32]", {0xc4, 0xc2, 0xf5, 0xb8, 0x41, 0x20}, 6, true, 9, 32, false},
        {"movzx eax,word [rsi+2]", {0x0f, 0xb7, 0x46, 0x02}, 4, true, 4, 2, false},
        {"lock cmpxchg [rdi],esi", {0xf0, 0x0f, 0xb1, 0x37}, 4, true, 5, 0, false},
        {"mov eax,ecx", {0x89, 0xc8}, 2, false, 0, 0, false},
        {"push [rax+8]", {0xff, 0x70, 0x08}, 3, false, 0, 0, false},
        {"call [rax]", {0xff, 0x10}, 2, false, 0, 0, false},
        {"inc dword [rax]", {0xff, 0x00}, 2, true, 0, 0, false},
        {"ret", {0xc3}, 1, false, 0, 0, false},
        {"mov rax,fs:[rbx]", {0x64, 0x48, 0x8b, 0x03}, 4, false, 0, 0, false},
        {"syscall", {0x0f, 0x05}, 2, false, 0, 0, false},
        {"cut", {0x48, 0x8b, 0x44}, 3, false, 0, 0, false},
        {"cut in the distance", {0x8b, 0x83, 0x45, 0x23}, 4, false, 0, 0, false},
        {"nothing", {0}, 0, false, 0, 0, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sym_operand o = {0};
        const bool is_found = sym_operand_decode(rows[i].bytes, rows[i].len, &o);
        if (is_found != rows[i].is_found ||
            (is_found &&
             (o.base != rows[i].base || o.distance != rows[i].distance || o.has_index != rows[i].has_index ||
              o.index != rows[i].index || o.scale != rows[i].scale)))
            fail_msg("%s: %d base %u distance %ld index %d", rows[i].text, is_found, o.base, (long)o.distance,
                     o.has_index);
    }
}

/* All beginnings of random bytes. */
static void any_bytes_are_survived(void **state)
{
    uint64_t random = 5;
    (void)state;
    for (int round = 0; round < 200000; round++) {
        uint8_t bytes[SYM_INSTRUCTION_BYTES];
        struct sym_operand o;
        for (size_t i = 0; i < sizeof(bytes); i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            bytes[i] = (uint8_t)(random >> 40);
        }
        if (sym_operand_decode(bytes, (size_t)round % (sizeof(bytes) + 1), &o)) assert_true(o.base < 16);
    }
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_are_decoded),
        cmocka_unit_test(any_bytes_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
