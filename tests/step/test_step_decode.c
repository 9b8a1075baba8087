/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/bursts/rt_burst_access_sigsafe.h"
#include "spool/spool_format.h"
#include "tests/unit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <cmocka.h>

/* One world for all cases: registers hold recognisable numbers. */
enum { FS = 0x700000, GS = 0x800000, IP = 0x400000 };
static const long long gregs[NGREG] = {
    [REG_RAX] = 0x10000, [REG_RCX] = 3,       [REG_RDX] = 0x30000, [REG_RBX] = 0x40000, [REG_RSP] = 0x50000,
    [REG_RBP] = 0x60000, [REG_RSI] = 0x70000, [REG_RDI] = 0x80000, [REG_R8] = 0x90000,  [REG_R9] = -70,
};

/* An XSAVE area in the standard format, with a different layout. */
static const struct rt_burst_xlayout layout = {
    .ymm_high = 576, .k = 832, .zmm_high = 896, .zmm_16_31 = 1408, .tile_config = 2432};
enum { AREA_BYTES = 2496 };
static uint8_t area[AREA_BYTES];
static struct rt_burst_zydis zydis;

static void put(size_t offset, const void *bytes, size_t len_bytes)
{
    memcpy(area + offset, bytes, len_bytes);
}

static int build_world(void **state)
{
    (void)state;
    ZydisDecoderInit(&zydis.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    zydis.decode_full = ZydisDecoderDecodeFull;
    const uint32_t magic = 0x46505853, size = AREA_BYTES;
    const uint64_t present = 0x200e7;
    put(464, &magic, 4);
    put(464 + 16, &size, 4);
    put(512, &present, 8);
    /* vector 1: indices 0 -1 2 3 | 4 5 6 7 | 8.. as 32-bit; its upper parts are elsewhere */
    for (int32_t i = 0; i < 16; i++) {
        const int32_t v = i == 1 ? -1 : i;
        put(i < 4   ? 160 + 16 + (size_t)i * 4
            : i < 8 ? 576 + 16 + (size_t)(i - 4) * 4
                    : 896 + 32 + (size_t)(i - 8) * 4,
            &v, 4);
    }
    /* vector 2: sign bits in 32-bit elements 0, 1 and 7 */
    const uint32_t sign = 0x80000000u;
    put(160 + 32, &sign, 4);
    put(160 + 32 + 4, &sign, 4);
    put(576 + 32 + 12, &sign, 4);
    /* vector 17 (Hi16): 64-bit indices 10, 20, ... */
    for (uint64_t i = 0; i < 8; i++) {
        const uint64_t v = (i + 1) * 10;
        put(1408 + 64 + i * 8, &v, 8);
    }
    const uint64_t k1 = 0x8103; /* lanes 0 1 8 15 */
    put(832 + 8, &k1, 8);
    /* tile 3: 3 rows of 24 bytes, the first of them done */
    const uint8_t start_row = 1, rows = 3;
    const uint16_t row_bytes = 24;
    put(2432 + 1, &start_row, 1);
    put(2432 + 16 + 3 * 2, &row_bytes, 2);
    put(2432 + 48 + 3, &rows, 1);
    const uint64_t mm1 = UINT64_C(0x80000000000000ff);
    put(32 + 16, &mm1, 8);
    return 0;
}

struct expected {
    uint64_t addr;
    uint16_t size_bytes, lane;
    uint8_t op;
};
#define L SPOOL_OP_LOAD
#define S SPOOL_OP_STORE
#define P SPOOL_OP_PREFETCH
struct decode_case {
    const char *text;
    uint8_t code[15];
    unsigned count;
    struct expected want[18];
};

static const struct decode_case cases[] = {
    {"mov rax,[rax]", {0x48, 0x8b, 0x00}, 1, {{0x10000, 8, 0, L}}},
    {"mov [rdx+rcx*8-8],eax", {0x89, 0x44, 0xca, 0xf8}, 1, {{0x30000 + 24 - 8, 4, 0, S}}},
    {"add [rbx],al reads and writes", {0x00, 0x03}, 2, {{0x40000, 1, 0, L}, {0x40000, 1, 0, S}}},
    {"mov eax,[rip+16]", {0x8b, 0x05, 16, 0, 0, 0}, 1, {{IP + 6 + 16, 4, 0, L}}},
    {"mov rax,fs:[0x28]", {0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0}, 1, {{FS + 0x28, 8, 0, L}}},
    {"mov eax,gs:[rax]", {0x65, 0x8b, 0x00}, 1, {{GS + 0x10000, 4, 0, L}}},
    {"mov eax,[r9d] wraps at 4 GiB", {0x67, 0x41, 0x8b, 0x01}, 1, {{0xffffffba, 4, 0, L}}},
    {"mov eax,fs:[r9] negative offset", {0x64, 0x41, 0x8b, 0x01}, 1, {{FS - 70, 4, 0, L}}},
    {"mov eax,moffs64", {0xa1, 0x10, 0x32, 0x54, 0x76, 0, 0, 0, 0}, 1, {{0x76543210, 4, 0, L}}},
    {"push rax", {0x50}, 1, {{0x50000 - 8, 8, 0, S}}},
    {"push word", {0x66, 0x50}, 1, {{0x50000 - 2, 2, 0, S}}},
    {"pop rax", {0x58}, 1, {{0x50000, 8, 0, L}}},
    {"push [rax]", {0xff, 0x30}, 2, {{0x10000, 8, 0, L}, {0x50000 - 8, 8, 0, S}}},
    {"pop [rsp+8] addresses after the pop",
     {0x8f, 0x44, 0x24, 8},
     2,
     {{0x50000 + 16, 8, 0, S}, {0x50000, 8, 0, L}}},
    {"call", {0xe8, 0, 0, 0, 0}, 1, {{0x50000 - 8, 8, 0, S}}},
    {"call [rax]", {0xff, 0x10}, 2, {{0x10000, 8, 0, L}, {0x50000 - 8, 8, 0, S}}},
    {"jmp [rip]", {0xff, 0x25, 0, 0, 0, 0}, 1, {{IP + 6, 8, 0, L}}},
    {"ret", {0xc3}, 1, {{0x50000, 8, 0, L}}},
    {"leave", {0xc9}, 1, {{0x60000, 8, 0, L}}},
    {"enter 16,0", {0xc8, 16, 0, 0}, 1, {{0x50000 - 8, 8, 0, S}}},
    {"enter 16,2",
     {0xc8, 16, 0, 2},
     4,
     {{0x50000 - 8, 8, 0, S}, {0x60000 - 8, 8, 0, L}, {0x50000 - 16, 8, 0, S}, {0x50000 - 24, 8, 0, S}}},
    {"lea rax,[rax]", {0x48, 0x8d, 0x00}, 0, {{0}}},
    {"nop [rax]", {0x0f, 0x1f, 0x00}, 0, {{0}}},
    {"clflush [rax]", {0x0f, 0xae, 0x38}, 0, {{0}}},
    {"prefetcht0 [rax]", {0x0f, 0x18, 0x08}, 1, {{0x10000, 1, 0, P}}},
    {"prefetchw [rax]", {0x0f, 0x0d, 0x08}, 1, {{0x10000, 1, 0, P}}},
    {"xlat", {0xd7}, 1, {{0x40000 + 0, 1, 0, L}}},
    {"bt [rax],r9d reaches back", {0x44, 0x0f, 0xa3, 0x08}, 1, {{0x10000 - 12, 4, 0, L}}},
    {"bts [rax],5 stays", {0x0f, 0xba, 0x28, 5}, 2, {{0x10000, 4, 0, L}, {0x10000, 4, 0, S}}},
    {"cmpxchg16b [rax]", {0x48, 0x0f, 0xc7, 0x08}, 2, {{0x10000, 16, 0, L}, {0x10000, 16, 0, S}}},
    {"lock cmpxchg16b [rax]", {0xf0, 0x48, 0x0f, 0xc7, 0x08}, 2, {{0x10000, 16, 0, L}, {0x10000, 16, 0, S}}},
    {"lock inc [rbx]", {0xf0, 0xff, 0x03}, 2, {{0x40000, 4, 0, L}, {0x40000, 4, 0, S}}},
    {"xchg [rbx],eax locks by itself", {0x87, 0x03}, 2, {{0x40000, 4, 0, L}, {0x40000, 4, 0, S}}},
    {"xchg eax,ebx touches nothing", {0x87, 0xc3}, 0, {{0}}},
    {"fxsave [rax]", {0x0f, 0xae, 0x00}, 1, {{0x10000, 512, 0, S}}},
    {"rep movsq", {0xf3, 0x48, 0xa5}, 2, {{0x80000, 8, 0, S}, {0x70000, 8, 0, L}}},
    {"lodsd", {0xad}, 1, {{0x70000, 4, 0, L}}},
    {"repe cmpsb", {0xf3, 0xa6}, 2, {{0x70000, 1, 0, L}, {0x80000, 1, 0, L}}},
    {"movsd xmm0,[rax] is no string", {0xf2, 0x0f, 0x10, 0x00}, 1, {{0x10000, 8, 0, L}}},
    {"vpgatherdd ymm0,[rax+ymm1*4],ymm2",
     {0xc4, 0xe2, 0x6d, 0x90, 0x04, 0x88},
     3,
     {{0x10000, 4, 0, L}, {0x10000 - 4, 4, 1, L}, {0x10000 + 28, 4, 7, L}}},
    {"vpgatherdd zmm0{k1},[rax+zmm1*4]",
     {0x62, 0xf2, 0x7d, 0x49, 0x90, 0x04, 0x88},
     4,
     {{0x10000, 4, 0, L}, {0x10000 - 4, 4, 1, L}, {0x10000 + 32, 4, 8, L}, {0x10000 + 60, 4, 15, L}}},
    {"vpscatterdq [rax+ymm1*8]{k1},zmm0",
     {0x62, 0xf2, 0xfd, 0x49, 0xa0, 0x04, 0xc8},
     2,
     {{0x10000, 8, 0, S}, {0x10000 - 8, 8, 1, S}}},
    {"vpgatherqq zmm0{k1},[rax+zmm17*8]",
     {0x62, 0xf2, 0xfd, 0x41, 0x91, 0x04, 0xc8},
     2,
     {{0x10000 + 80, 8, 0, L}, {0x10000 + 160, 8, 1, L}}},
    {"vmaskmovps ymm0,ymm2,[rax]",
     {0xc4, 0xe2, 0x6d, 0x2c, 0x00},
     2,
     {{0x10000, 8, 0, L}, {0x10000 + 28, 4, 7, L}}},
    {"vmaskmovps [rax],ymm2,ymm0",
     {0xc4, 0xe2, 0x6d, 0x2e, 0x00},
     2,
     {{0x10000, 8, 0, S}, {0x10000 + 28, 4, 7, S}}},
    {"maskmovdqu xmm1,xmm2", {0x66, 0x0f, 0xf7, 0xca}, 2, {{0x80000 + 3, 1, 3, S}, {0x80000 + 7, 1, 7, S}}},
    {"maskmovq mm0,mm1", {0x0f, 0xf7, 0xc1}, 2, {{0x80000, 1, 0, S}, {0x80000 + 7, 1, 7, S}}},
    {"vmovups zmm0{k1},[rax]",
     {0x62, 0xf1, 0x7c, 0x49, 0x10, 0x00},
     3,
     {{0x10000, 8, 0, L}, {0x10000 + 32, 4, 8, L}, {0x10000 + 60, 4, 15, L}}},
    {"vmovups [rax],zmm0", {0x62, 0xf1, 0x7c, 0x48, 0x11, 0x00}, 1, {{0x10000, 64, 0, S}}},
    {"vpcompressd [rax]{k1},zmm0", {0x62, 0xf2, 0x7d, 0x49, 0x8b, 0x00}, 1, {{0x10000, 16, 0, S}}},
    {"vpexpandd zmm0{k1},[rax]", {0x62, 0xf2, 0x7d, 0x49, 0x89, 0x00}, 1, {{0x10000, 16, 0, L}}},
    {"vaddps zmm0{k1},zmm0,[rax]{1to16}", {0x62, 0xf1, 0x7c, 0x59, 0x58, 0x00}, 1, {{0x10000, 4, 0, L}}},
    {"vaddps zmm0{k2},.. no lane set", {0x62, 0xf1, 0x7c, 0x5a, 0x58, 0x00}, 0, {{0}}},
    {"vmovss xmm0{k1},[rax]", {0x62, 0xf1, 0x7e, 0x09, 0x10, 0x00}, 1, {{0x10000, 4, 0, L}}},
    {"tileloadd tmm3,[rax+rcx*8+16] a row a lane",
     {0xc4, 0xe2, 0x7b, 0x4b, 0x5c, 0xc8, 0x10},
     2,
     {{0x10000 + 16 + 24, 24, 1, L}, {0x10000 + 16 + 48, 24, 2, L}}},
    {"tilestored [rax+r9],tmm3 walks back",
     {0xc4, 0xa2, 0x7a, 0x4b, 0x1c, 0x08},
     2,
     {{0x10000 - 70, 24, 1, S}, {0x10000 - 140, 24, 2, S}}},
    {"tileloaddt1 tmm0,[rax+rcx] of a tile that is not configured",
     {0xc4, 0xe2, 0x79, 0x4b, 0x04, 0x08},
     0,
     {{0}}},
    {"ldtilecfg [rax]", {0xc4, 0xe2, 0x78, 0x49, 0x00}, 1, {{0x10000, 64, 0, L}}},
    {"movdir64b rax,[rbx+8]",
     {0x66, 0x0f, 0x38, 0xf8, 0x43, 0x08},
     2,
     {{0x40000 + 8, 64, 0, L}, {0x10000, 64, 0, S}}},
    {"vpmovqb [rax]{k1},zmm0", {0x62, 0xf2, 0x7e, 0x49, 0x32, 0x00}, 1, {{0x10000, 2, 0, S}}},
};

static struct rt_burst_regs world(void)
{
    return (struct rt_burst_regs){
        .gregs = gregs, .fs_base = FS, .gs_base = GS, .xstate = rt_burst_xstate_view(area, layout)};
}

static struct rt_burst_plan plan_of(const uint8_t *code)
{
    struct rt_burst_scratch scratch;
    struct rt_burst_plan plan;
    assert_int_equal(rt_burst_decode_slot(&zydis, &scratch, &plan, code, 15, IP), RT_BURST_DECODED);
    return plan;
}

static void step_decode_finds_every_access(void **state)
{
    (void)state;
    const struct rt_burst_regs regs = world();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct decode_case *c = &cases[i];
        const struct rt_burst_plan plan = plan_of(c->code);
        struct rt_burst_access got[RT_BURST_ACCESS_MAX];
        const unsigned count = rt_burst_accesses(&plan, &regs, got);
        if (count != c->count) fail_msg("%s: %u accesses, not %u", c->text, count, c->count);
        const bool locks = strncmp(c->text, "lock ", 5) == 0 || strncmp(c->text, "xchg [", 6) == 0;
        if (plan.is_locked != locks) fail_msg("%s: locked %u", c->text, plan.is_locked);
        for (unsigned k = 0; k < count; k++) {
            const struct expected *w = &c->want[k];
            if (got[k].addr != w->addr || got[k].size_bytes != w->size_bytes || got[k].lane != w->lane ||
                got[k].op != w->op)
                fail_msg("%s: access %u is %#lx size %u lane %u op %u", c->text, k,
                         (unsigned long)got[k].addr, got[k].size_bytes, got[k].lane, got[k].op);
        }
    }
}

static void step_decode_rep_with_zero_count_touches_nothing(void **state)
{
    (void)state;
    static const uint8_t rep_stosb[15] = {0xf3, 0xaa};
    long long zero_count[NGREG];
    memcpy(zero_count, gregs, sizeof zero_count);
    zero_count[REG_RCX] = 0;
    struct rt_burst_regs regs = world();
    regs.gregs = zero_count;
    struct rt_burst_access got[RT_BURST_ACCESS_MAX];
    const struct rt_burst_plan plan = plan_of(rep_stosb);
    assert_int_equal(rt_burst_accesses(&plan, &regs, got), 0);
}

static void step_decode_absent_state_is_zero(void **state)
{
    (void)state;
    static const uint8_t gather[15] = {0x62, 0xf2, 0x7d, 0x49, 0x90, 0x04, 0x88};
    struct rt_burst_regs regs = world();
    struct rt_burst_access got[RT_BURST_ACCESS_MAX];
    const struct rt_burst_plan plan = plan_of(gather);
    regs.xstate.present = 0x3;
    assert_int_equal(rt_burst_accesses(&plan, &regs, got), 0);
    regs.xstate = rt_burst_xstate_view(NULL, layout);
    assert_int_equal(rt_burst_accesses(&plan, &regs, got), 0);
}

static void step_decode_classifies_dangerous_instructions(void **state)
{
    (void)state;
    static const struct {
        uint8_t code[15];
        enum rt_burst_class klass;
    } rows[] = {
        {{0x0f, 0x05}, RT_BURST_SYSCALL}, {{0x0f, 0x34}, RT_BURST_SYSCALL},
        {{0xcd, 0x80}, RT_BURST_SYSCALL}, {{0xcc}, RT_BURST_FLAGS},
        {{0x9c}, RT_BURST_FLAGS},         {{0x66, 0x9c}, RT_BURST_FLAGS},
        {{0x9d}, RT_BURST_FLAGS},         {{0x48, 0xcf}, RT_BURST_FLAGS},
        {{0x8e, 0xd0}, RT_BURST_FLAGS},   {{0xc7, 0xf8, 0, 0, 0, 0}, RT_BURST_TSX},
        {{0x0f, 0x31}, RT_BURST_PLAIN},   {{0x8e, 0xe0}, RT_BURST_PLAIN},
        {{0x90}, RT_BURST_PLAIN},         {{0xf4}, RT_BURST_FLAGS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(plan_of(rows[i].code).klass, rows[i].klass);
}

static void step_decode_wants_the_rest_of_a_cut_instruction(void **state)
{
    (void)state;
    static const uint8_t mov[15] = {0x48, 0x8b, 0x05, 1, 2, 3, 4};
    struct rt_burst_scratch scratch;
    struct rt_burst_plan plan;
    for (size_t len = 1; len < 7; len++)
        assert_int_equal(rt_burst_decode_slot(&zydis, &scratch, &plan, mov, len, IP), RT_BURST_NEEDS_MORE);
    assert_int_equal(rt_burst_decode_slot(&zydis, &scratch, &plan, mov, 7, IP), RT_BURST_DECODED);
    static const uint8_t bad[15] = {0x0f, 0x04};
    assert_int_equal(rt_burst_decode_slot(&zydis, &scratch, &plan, bad, 15, IP), RT_BURST_UNDECODABLE);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_decode_finds_every_access),
        cmocka_unit_test(step_decode_rep_with_zero_count_touches_nothing),
        cmocka_unit_test(step_decode_absent_state_is_zero),
        cmocka_unit_test(step_decode_classifies_dangerous_instructions),
        cmocka_unit_test(step_decode_wants_the_rest_of_a_cut_instruction),
    };
    return cmocka_run_group_tests(tests, build_world, NULL);
}
