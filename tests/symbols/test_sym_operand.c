/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory operands of instructions, and where the values of registers come from. */
#include "config.h"

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

#ifdef HAVE_ZYDIS
static void sources_of_registers_are_found(void **state)
{
    enum { RAX, RDX, RCX, RBX, RSI, RDI };
    static const struct {
        const char *text;
        uint8_t code[16];
        size_t len;
        unsigned reg;
        enum sym_source_kind kind;
        size_t at_bytes;
        unsigned base;
        int64_t distance;
        uint64_t index_step, added_step;
    } rows[] = {
        {"mov rdx,[rdi]; test rdx,rdx; je",
         {0x48, 0x8b, 0x17, 0x48, 0x85, 0xd2, 0x74, 4},
         8,
         RDX,
         SYM_SOURCE_LOAD,
         0,
         RDI,
         0},
        {"nop; mov rax,[rax+0x30]", {0x90, 0x48, 0x8b, 0x40, 0x30}, 5, RAX, SYM_SOURCE_LOAD, 1, RAX, 0x30},
        {"mov rbx,rdi", {0x48, 0x89, 0xfb}, 3, RBX, SYM_SOURCE_SUM, 0, RDI, 0},
        {"mov rax,[rsi-8]; mov rcx,rax",
         {0x48, 0x8b, 0x46, 0xf8, 0x48, 0x89, 0xc1},
         7,
         RCX,
         SYM_SOURCE_LOAD,
         0,
         RSI,
         -8},
        {"mov rbx,[rdi]; call", {0x48, 0x8b, 0x1f, 0xe8, 0, 0, 0, 0}, 8, RBX, SYM_SOURCE_LOAD, 0, RDI, 0},
        {"mov rax,[rdi]; call", {0x48, 0x8b, 0x07, 0xe8, 0, 0, 0, 0}, 8, RAX, SYM_SOURCE_UNKNOWN},
        {"mov rbx,[rdi]; jmp", {0x48, 0x8b, 0x1f, 0xeb, 0x10}, 5, RBX, SYM_SOURCE_UNKNOWN},
        {"mov rax,[rdi]; add rax,8",
         {0x48, 0x8b, 0x07, 0x48, 0x83, 0xc0, 0x08},
         7,
         RAX,
         SYM_SOURCE_SUM,
         3,
         RAX,
         8},
        {"mov rax,[rdi]; sub rax,rcx", {0x48, 0x8b, 0x07, 0x48, 0x29, 0xc8}, 6, RAX, SYM_SOURCE_UNKNOWN},
        {"mov rax,[rdi]; mov al,1", {0x48, 0x8b, 0x07, 0xb0, 0x01}, 5, RAX, SYM_SOURCE_UNKNOWN},
        {"mov eax,[rdi]", {0x8b, 0x07}, 2, RAX, SYM_SOURCE_UNKNOWN},
        {"mov rax,[rdi+rsi*8]", {0x48, 0x8b, 0x04, 0xf7}, 4, RAX, SYM_SOURCE_LOAD, 0, RDI, 0, 8},
        {"mov rax,fs:[rdi]", {0x64, 0x48, 0x8b, 0x07}, 4, RAX, SYM_SOURCE_UNKNOWN},
        {"mov rax,[rip+8]", {0x48, 0x8b, 0x05, 8, 0, 0, 0}, 7, RAX, SYM_SOURCE_UNKNOWN},
        {"mov rax,[rdi]; cut", {0x48, 0x8b, 0x07, 0x48, 0x8b}, 5, RAX, SYM_SOURCE_UNKNOWN},
        {"push rbx; nothing of rdi", {0x53}, 1, RDI, SYM_SOURCE_CALLER},
        {"mov rbx,rdi; mov rax,[rbx]; mov rdi,rbx",
         {0x48, 0x89, 0xfb, 0x48, 0x8b, 0x03, 0x48, 0x89, 0xdf},
         9,
         RDI,
         SYM_SOURCE_SUM,
         0,
         RDI,
         0},
        {"shl rcx,4; mov rax,[rdi+rcx+8]",
         {0x48, 0xc1, 0xe1, 0x04, 0x48, 0x8b, 0x44, 0x0f, 0x08},
         9,
         RAX,
         SYM_SOURCE_LOAD,
         4,
         RDI,
         8,
         16},
        {"lea rcx,[rcx+rcx*2]; lea rax,[rdi+rcx*8]",
         {0x48, 0x8d, 0x0c, 0x49, 0x48, 0x8d, 0x04, 0xcf},
         8,
         RAX,
         SYM_SOURCE_SUM,
         4,
         RDI,
         0,
         24},
        {"imul rax,rsi,56; add rax,[rdi]",
         {0x48, 0x6b, 0xc6, 0x38, 0x48, 0x03, 0x07},
         7,
         RAX,
         SYM_SOURCE_LOAD,
         4,
         RDI,
         0,
         0,
         56},
        {"xor ecx,ecx; add rdi,rcx", {0x31, 0xc9, 0x48, 0x01, 0xcf}, 5, RDI, SYM_SOURCE_SUM, 2, RDI, 0, 0},
        {"nothing", {0}, 0, RAX, SYM_SOURCE_CALLER},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct sym_source s = sym_source_find(rows[i].code, rows[i].len, rows[i].reg);
        const bool has_place = s.kind == SYM_SOURCE_LOAD || s.kind == SYM_SOURCE_SUM;
        if (s.kind != rows[i].kind ||
            (has_place && (s.at_bytes != rows[i].at_bytes || s.from.base != rows[i].base ||
                           s.from.distance != rows[i].distance || s.index_step != rows[i].index_step ||
                           s.added_step != rows[i].added_step)))
            fail_msg("%s: kind %d at %zu base %u distance %ld, steps %lu and %lu", rows[i].text, (int)s.kind,
                     s.at_bytes, s.from.base, (long)s.from.distance, (unsigned long)s.index_step,
                     (unsigned long)s.added_step);
    }
    assert_int_equal(sym_source_find(rows[0].code, rows[0].len, 16).kind, SYM_SOURCE_UNKNOWN);
}
#endif

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_are_decoded),
        cmocka_unit_test(any_bytes_are_survived),
#ifdef HAVE_ZYDIS
        cmocka_unit_test(sources_of_registers_are_found),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
