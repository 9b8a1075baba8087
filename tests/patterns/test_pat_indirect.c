/* SPDX-License-Identifier: BSD-3-Clause */
/* B[A[i]]: the load that gives the index, found in this program's own code: functions that are never run,
 * with labels at the accesses and at the loads that are meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "patterns/extract/pat_indirect.h"
#include "tests/patterns/memory_source.h"
#include "patterns/extract/pat_extract.h"
#include "tests/unit.h"

#include <link.h>
#include <stdlib.h>

/* Code without optimisation: all variables are on the stack. */
#define FRAME "push %rbp\nmov %rsp, %rbp\n1: "
#define FRAME_NEXT "addl $1, -20(%rbp)\ncmpl $9, -20(%rbp)\njle 1b\npop %rbp\nret\n"
/* X(function, assembler text with labels function_load and function_access) */
#define CODE_LIST(X)                                                               \
    X(csr, "xor %ecx, %ecx\n"                                                      \
           "1: movslq (%rdi,%rcx,4), %rax\n"                                       \
           "addsd 8(%rdx), %xmm1\n"                                                \
           "csr_access: movsd (%rsi,%rax,8), %xmm0\n"                              \
           "add $1, %rcx\ncmp %r8, %rcx\njne 1b\nret\n"                            \
           ".set csr_load, csr + 2\n")                                             \
    X(chase, "1: test %rax, %rax\n"                                                \
             "je 2f\n"                                                             \
             "chase_load: chase_access: mov 8(%rax), %rax\n"                       \
             "jmp 1b\n2: ret\n")                                                   \
    X(rotated, "mov (%rdi), %eax\n"                                                \
               "1: rotated_access: mov (%rsi,%rax,4), %edx\n"                      \
               "add %edx, %ecx\nadd $4, %rdi\n"                                    \
               "rotated_load: mov (%rdi), %eax\n"                                  \
               "cmp %r8, %rdi\njne 1b\nret\n")                                     \
    X(scaled, "1: scaled_load: movzwl (%rdi), %eax\n"                              \
              "lea (%rax,%rax,2), %rdx\nshl $3, %rdx\nadd %rsi, %rdx\n"            \
              "scaled_access: mov 16(%rdx), %r9\n"                                 \
              "add $2, %rdi\ncmp %r8, %rdi\njne 1b\nret\n")                        \
    X(vector, "1: vector_load: vmovdqu (%rdi), %xmm1\n"                            \
              "vpmovsxdq %xmm1, %ymm2\nvpcmpeqd %ymm3, %ymm3, %ymm3\n"             \
              "vector_access: vgatherqpd %ymm3, (%rsi,%ymm2,8), %ymm0\n"           \
              "add $16, %rdi\ncmp %r8, %rdi\njne 1b\nret\n")                       \
    X(lanes, "1: lanes_load: movdqu (%rdi), %xmm1\n"                               \
             "movhlps %xmm1, %xmm4\npextrq $1, %xmm1, %rax\n"                      \
             "lanes_access: movsd (%rsi,%rax,8), %xmm0\n"                          \
             "add $16, %rdi\ncmp %r8, %rdi\njne 1b\nret\n")                        \
    X(scatter, "1: scatter_load: mov (%rdi), %rax\n"                               \
               "add $8, %rdi\n"                                                    \
               "scatter_access: addl $1, (%rsi,%rax,4)\n"                          \
               "cmp %r8, %rdi\njne 1b\nret\n")                                     \
    X(straight, "straight_load: movslq (%rdi,%rdx,4), %rax\n"                      \
                "straight_access: movsd (%rsi,%rax,8), %xmm0\nret\n")              \
    X(chosen, "1: mov (%rdi), %rdx\n"                                              \
              "chosen_load: cmovle 8(%rdi), %rdx\nmov %rdx, %rdi\n"                \
              "test %rdi, %rdi\nje 2f\n"                                           \
              "chosen_access: cmp %rsi, 16(%rdi)\njne 1b\n2: ret\n")               \
    X(frame_csr, FRAME "mov -20(%rbp), %eax\ncltq\n"                               \
                       "lea 0(,%rax,4), %rdx\nmov -56(%rbp), %rax\n"               \
                       "add %rdx, %rax\n"                                          \
                       "frame_csr_load: mov (%rax), %eax\ncltq\n"                  \
                       "lea 0(,%rax,8), %rdx\nmov -72(%rbp), %rax\n"               \
                       "add %rdx, %rax\n"                                          \
                       "frame_csr_access: movsd (%rax), %xmm0\n" FRAME_NEXT)       \
    X(frame_chase, FRAME "mov -8(%rbp), %rax\n"                                    \
                         "frame_chase_load: frame_chase_access:\n"                 \
                         "mov 8(%rax), %rax\nmov %rax, -8(%rbp)\n" FRAME_NEXT)     \
    X(frame_kept, FRAME "frame_kept_load: mov (%rdi), %eax\n"                      \
                        "mov %eax, -8(%rbp)\ncall frame_kept\n"                    \
                        "mov -8(%rbp), %eax\n"                                     \
                        "frame_kept_access: mov (%rbx,%rax,4), %ecx\n" FRAME_NEXT) \
    X(on_stack, "1: on_stack_load: mov 16(%rsp,%rcx,4), %eax\n"                    \
                "on_stack_access: mov (%rdi,%rax,8), %rdx\n"                       \
                "inc %rcx\ncmp %r8, %rcx\njne 1b\nret\n")
/* Accesses without a loaded index: strides, a base of the outer loop, values that a call may have changed. */
#define PLAIN_LIST(X)                                                                 \
    X(stride, "mov (%rdi), %rsi\nxor %ecx, %ecx\n"                                    \
              "1: stride_access: movsd (%rsi,%rcx,8), %xmm0\n"                        \
              "add $2, %rcx\ncmp %r8, %rcx\njne 1b\nret\n")                           \
    X(rows, "2: mov (%rdi,%r9,8), %rsi\nxor %ecx, %ecx\n"                             \
            "1: rows_access: movsd (%rsi,%rcx,8), %xmm0\n"                            \
            "inc %rcx\ncmp %r8, %rcx\njne 1b\ninc %r9\ncmp %r10, %r9\njne 2b\nret\n") \
    X(called, "1: movslq (%rdi,%rcx,4), %rax\ncall called\n"                          \
              "called_access: movsd (%rbx,%rax,8), %xmm0\n"                           \
              "inc %rcx\ncmp %r8, %rcx\njne 1b\nret\n")                               \
    X(spilled, "1: mov 24(%rsp), %rax\n"                                              \
               "spilled_access: mov (%rbx,%rax,8), %rdx\n"                            \
               "inc %rcx\ncmp %r8, %rcx\njne 1b\nret\n")                              \
    X(frame_stride, FRAME "mov -20(%rbp), %eax\ncltq\n"                               \
                          "lea 0(,%rax,8), %rdx\nmov -72(%rbp), %rax\n"               \
                          "add %rdx, %rax\n"                                          \
                          "frame_stride_access: movsd (%rax), %xmm0\n" FRAME_NEXT)

#define CODE_ASM(name, text) \
    __asm__(".text\n.type " #name ", @function\n" #name ":\n" text ".size " #name ", . - " #name "\n");
CODE_LIST(CODE_ASM)
PLAIN_LIST(CODE_ASM)
#define CODE_LABELS(name, text) extern const char name[], name##_access[], name##_load[];
#define PLAIN_LABELS(name, text) extern const char name[], name##_access[];
CODE_LIST(CODE_LABELS)
PLAIN_LIST(PLAIN_LABELS)

struct code_row {
    const char *name, *access, *load;
    const char *start; /* for code without an index: every load before the access could be mistaken for one */
};
#define CODE_ROW(name, text) {#name, name##_access, name##_load, NULL},
#define PLAIN_ROW(name, text) {#name, name##_access, NULL, name},
static const struct code_row code_rows[] = {CODE_LIST(CODE_ROW) PLAIN_LIST(PLAIN_ROW)};

static int first_bias(struct dl_phdr_info *info, size_t size, void *out)
{
    (void)size;
    *(uint64_t *)out = info->dlpi_addr;
    return 1;
}

static uint64_t load_step = 8; /* 0: always from one address */

/* This program as a module, with the accesses of a row: n by the load, times n by the access. Another module
 * was at the same address before, with a load at the same address. */
static uint32_t index_site(const struct code_row *row, uint64_t n, uint64_t times, uint32_t *out_load)
{
    static char path[] = "/proc/self/exe";
    struct memory_source m = {0};
    struct pat_sequences s;
    static char gone[] = "/nonexistent/libgone.so";
    struct pat_module modules[] = {{.path = gone, .end = UINT64_MAX}, {.path = path, .end = UINT64_MAX}};
    dl_iterate_phdr(first_bias, &modules[1].bias);
    m.tables.modules = modules;
    m.tables.modules_len = 2;
    memory_thread(&m);
    const uint32_t other = memory_site(&m, (uintptr_t)(row->load ? row->load : row->access), 8, PAT_OP_LOAD);
    const uint32_t load = row->load && row->load != row->access
                              ? memory_site(&m, (uintptr_t)row->load, 8, PAT_OP_LOAD)
                              : PAT_NONE;
    const uint32_t access = memory_site(&m, (uintptr_t)row->access, 8, PAT_OP_LOAD);
    const uint32_t tempting = (uint32_t)m.tables.sites_len;
    for (const char *at = row->start; at && at < row->access; at++)
        memory_site(&m, (uintptr_t)at, 8, PAT_OP_LOAD);
    for (size_t i = 0; i < m.tables.sites_len; i++)
        m.tables.sites[i].module = i == other ? 0 : 1;
    for (uint64_t i = 0; i < n; i++) {
        memory_access(&m, other, 0, 0x30000000 + i * 8);
        for (uint32_t k = tempting; k < m.tables.sites_len; k++)
            memory_access(&m, k, 0, 0x40000000 + (uint64_t)k * 0x100000 + i * 8);
        if (load != PAT_NONE) memory_access(&m, load, 0, 0x10000000 + i * load_step);
        for (uint64_t k = 0; k < times; k++)
            memory_access(&m, access, 0, 0x20000000 + (i * 7919 + k * 31) % 5003 * 8);
    }
    pat_source *source = memory_open(&m);
    const struct pat_extract_options o = {.keep_trivial = true, .top = 100};
    if (pat_extract(source, &o, &s) != LS_OK) fail_msg("%s", ls_last_error());
    pat_source_close(source);
    uint32_t found = PAT_NONE;
    for (size_t i = 0; i < s.len; i++)
        if (s.rows[i].site == access) found = s.rows[i].index_site;
    *out_load = row->load == row->access ? access : load;
    pat_sequences_fini(&s);
    m.tables.modules = NULL; /* it is not of the heap */
    memory_fini(&m);
    return found;
}

static void pat_index_load_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(code_rows) / sizeof(code_rows[0]); i++) {
        uint32_t load;
        const uint32_t found = index_site(&code_rows[i], 200, 1, &load);
        if (found != load) fail_msg("%s: site %u, not %u", code_rows[i].name, found, load);
    }
}

static void pat_index_load_must_agree_in_number(void **state)
{
    (void)state;
    uint32_t load;
    const uint32_t found = index_site(&code_rows[0], 100, 8, &load); /* for example a vector of indices */
    assert_int_equal(found, load);
    assert_int_equal(index_site(&code_rows[0], 20, 100, &load), PAT_NONE);
}

/* The base of an array, which is in memory. */
static void pat_load_from_one_address_is_no_index(void **state)
{
    (void)state;
    uint32_t load;
    load_step = 0;
    assert_int_equal(index_site(&code_rows[0], 200, 1, &load), PAT_NONE);
    load_step = 8;
}

static void pat_loads_that_decide_are_found(void **state)
{
    static const struct {
        const char *text;
        uint8_t code[16];
        size_t len;
        bool decides;
    } rows[] = {
        {"cmp rdx,[rdi+rax*8]; jne", {0x48, 0x3b, 0x14, 0xc7, 0x75, 2}, 6, true},
        {"mov rax,[rdi]; test rax,rax; je", {0x48, 0x8b, 0x07, 0x48, 0x85, 0xc0, 0x74, 2}, 8, true},
        {"mov rax,[rdi]; test rax,rax; mov rdx,rcx; jne",
         {0x48, 0x8b, 0x07, 0x48, 0x85, 0xc0, 0x48, 0x89, 0xca, 0x75, 2},
         11,
         true},
        {"movzx eax,[rdi]; cmp al,5; je", {0x0f, 0xb6, 0x07, 0x3c, 5, 0x74, 2}, 7, true},
        {"mov rax,[rdi]; add rcx,rax; test rsi,rsi; je",
         {0x48, 0x8b, 0x07, 0x48, 0x01, 0xc1, 0x48, 0x85, 0xf6, 0x74, 2},
         11,
         false},
        {"mov rax,[rdi]; mov eax,0; test rax,rax; je",
         {0x48, 0x8b, 0x07, 0xb8, 0, 0, 0, 0, 0x48, 0x85, 0xc0, 0x74, 2},
         13,
         false},
        {"cmp rdx,[rdi]; sete al; jne", {0x48, 0x3b, 0x17, 0x0f, 0x94, 0xc0, 0x75, 2}, 8, false},
        {"mulsd xmm0,[rdi]; jne", {0xf2, 0x0f, 0x59, 0x07, 0x75, 2}, 6, false},
        {"mov rax,[rdi]; call; test rax,rax; je",
         {0x48, 0x8b, 0x07, 0xe8, 0, 0, 0, 0, 0x48, 0x85, 0xc0, 0x74, 2},
         13,
         false},
        {"add rax,[rdi]; test rax,rax; js", {0x48, 0x03, 0x07, 0x48, 0x85, 0xc0, 0x78, 2}, 8, false},
        {"mov rax,[rdi]; cmp rcx,rdx; jne; test rax,rax; je",
         {0x48, 0x8b, 0x07, 0x48, 0x39, 0xd1, 0x75, 2, 0x48, 0x85, 0xc0, 0x74, 2},
         13,
         false},
        {"test rax,rax; je", {0x48, 0x85, 0xc0, 0x74, 2}, 5, false},
        {"mov rax,[rdi]; test; cut", {0x48, 0x8b, 0x07, 0x48, 0x85}, 5, false},
        {"nothing", {0}, 0, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (pat_decides(rows[i].code, rows[i].len, 0) != rows[i].decides) fail_msg("%s", rows[i].text);
}

static void pat_invalid_code_reports_no_load(void **state)
{
    (void)state;
    uint8_t junk[300];
    size_t at;
    uint64_t seed = 12345;
    for (int n = 0; n < 2000; n++) {
        for (size_t i = 0; i < sizeof(junk); i++)
            junk[i] = (uint8_t)((seed = seed * 6364136223846793005u + 1442695040888963407u) >> 56);
        if (pat_backward(junk, sizeof(junk), n % 300, &at)) assert_true(at < sizeof(junk));
        (void)pat_decides(junk, sizeof(junk), n % 300);
    }
    assert_false(pat_backward(junk, 0, 0, &at));
    assert_null(pat_code_open("/nowhere/at/all"));
    assert_null(pat_code_open("/"));
    assert_null(pat_code_open("/proc/self/status"));
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pat_index_load_is_named),
        cmocka_unit_test(pat_index_load_must_agree_in_number),
        cmocka_unit_test(pat_load_from_one_address_is_no_index),
        cmocka_unit_test(pat_loads_that_decide_are_found),
        cmocka_unit_test(pat_invalid_code_reports_no_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
