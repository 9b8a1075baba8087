/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/step/step_victim.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ELEMENTS = 65536 };
static int32_t table[ELEMENTS], out[64];
static uint8_t from[1 << 16], to[1 << 16];
static int32_t indices[ELEMENTS];
_Thread_local int64_t step_in_tls[64];
static int64_t global_counter;

extern const char known_gather2[], known_gather512[], known_movs[], known_tls[], known_rip[], known_mask[],
    known_store[], known_tile_load[], known_tile_store[];

static void say(const char *name, const void *ip, int op, const void *base, size_t len_bytes,
                unsigned elem_bytes, unsigned lanes)
{
    printf("%s %lx %d %lx %zu %u %x\n", name, (unsigned long)(uintptr_t)ip, op,
           (unsigned long)(uintptr_t)base, len_bytes, elem_bytes, lanes);
}

/* Lanes 0, 2 and 5. */
static const int32_t mask_of_lanes[8] = {-1, 0, -1, 0, 0, -1, 0, 0};
enum { LANES = 0x25 };

__attribute__((noinline, target("avx2"))) static void gather_avx2(const int32_t *index)
{
    __asm__ volatile("vmovdqu (%0), %%ymm1\n"
                     "vmovdqu (%1), %%ymm2\n"
                     "known_gather2: vpgatherdd %%ymm2, (%2,%%ymm1,4), %%ymm0\n"
                     "vmovdqu (%1), %%ymm2\n"
                     "known_mask: vpmaskmovd (%2), %%ymm2, %%ymm3\n"
                     "vzeroupper\n"
                     :
                     : "r"(index), "r"(mask_of_lanes), "r"(table)
                     : "xmm0", "xmm1", "xmm2", "xmm3", "memory");
}

__attribute__((noinline)) static void gather_avx512(const int32_t *index)
{
    __asm__ volatile("mov $0x25, %%eax\n"
                     "kmovw %%eax, %%k1\n"
                     "vmovdqu32 (%0), %%zmm17\n"
                     "known_gather512: vpgatherdd (%1,%%zmm17,4), %%zmm16 %{%%k1%}\n"
                     "vzeroupper\n"
                     :
                     : "r"(index), "r"(table)
                     : "eax", "memory");
}

enum { TILE_ROWS = 16, TILE_ROW_BYTES = 32, TILE_STRIDE_BYTES = 128, TILE_LANES = 0xffff };
static uint8_t tile_from[TILE_ROWS * TILE_STRIDE_BYTES], tile_to[TILE_ROWS * TILE_STRIDE_BYTES];

/* AMX must be requested (Documentation/arch/x86/xstate.rst). */
static int may_use_tiles(void)
{
    enum { REQ_XCOMP_PERM = 0x1023, TILE_DATA = 18 };
    return syscall(SYS_arch_prctl, REQ_XCOMP_PERM, TILE_DATA) == 0;
}

/* Written as bytes, because assemblers before binutils 2.35 do not support AMX. */
__attribute__((noinline)) static void move_tile(void)
{
    static const uint8_t config[64] = {[0] = 1, [16] = TILE_ROW_BYTES, [48] = TILE_ROWS};
    __asm__ volatile(
        ".byte 0xc4,0xe2,0x78,0x49,0x00\n"                        /* ldtilecfg (%rax) */
        "known_tile_load: .byte 0xc4,0xe2,0x7b,0x4b,0x04,0x0b\n"  /* tileloadd (%rbx,%rcx), %tmm0 */
        "known_tile_store: .byte 0xc4,0xe2,0x7a,0x4b,0x04,0x0a\n" /* tilestored %tmm0, (%rdx,%rcx) */
        ".byte 0xc4,0xe2,0x78,0x49,0xc0"                          /* tilerelease */
        :
        : "a"(config), "b"(tile_from), "c"((long)TILE_STRIDE_BYTES), "d"(tile_to)
        : "memory");
}

__attribute__((noinline)) static void plain(unsigned round)
{
    const uint8_t *source = from + (round * 64) % sizeof from;
    uint8_t *target = to + (round * 64) % sizeof to;
    unsigned long count = 8;
    __asm__ volatile("known_movs: rep movsb" : "+S"(source), "+D"(target), "+c"(count) : : "memory");
    __asm__ volatile("known_rip: incq %0" : "+m"(global_counter));
    __asm__ volatile("mov step_in_tls@GOTTPOFF(%%rip), %%rax\n"
                     "known_tls: movq %%fs:(%%rax,%0,8), %%rcx\n"
                     "known_store: movl %%ecx, (%1,%0,4)"
                     :
                     : "r"((unsigned long)(round % 64)), "r"(out)
                     : "rax", "rcx", "memory");
}

void step_victim_known(void)
{
    const int has_avx2 = __builtin_cpu_supports("avx2"), has_avx512 = __builtin_cpu_supports("avx512f");
    const int has_tiles = may_use_tiles();
    for (int i = 0; i < ELEMENTS; i++)
        indices[i] = (int32_t)((uint32_t)i * 40503u % ELEMENTS);
    if (has_avx2) say("gather-avx2", known_gather2, 0, table, sizeof table, 4, LANES);
    if (has_avx2) say("maskmov", known_mask, 0, table, 8 * 4, 4, LANES);
    if (has_avx512) say("gather-avx512", known_gather512, 0, table, sizeof table, 4, LANES);
    if (has_tiles) {
        say("tile-load", known_tile_load, 0, tile_from, sizeof tile_from, TILE_ROW_BYTES, TILE_LANES);
        say("tile-store", known_tile_store, 1, tile_to, sizeof tile_to, TILE_ROW_BYTES, TILE_LANES);
    }
    say("movs-load", known_movs, 0, from, sizeof from, 1, 0);
    say("movs-store", known_movs, 1, to, sizeof to, 1, 0);
    say("tls", known_tls, 0, step_in_tls, sizeof step_in_tls, 8, 0);
    say("rip-load", known_rip, 0, &global_counter, 8, 8, 0);
    say("rip-store", known_rip, 1, &global_counter, 8, 8, 0);
    say("store", known_store, 1, out, sizeof out, 4, 0);
    fflush(stdout);
    /* CPU time counts the bursts too: the same end with and without them */
    for (unsigned i = 0; i % 64 || clock() < CLOCKS_PER_SEC / 2; i++) {
        plain(i);
        if (has_avx2) gather_avx2(indices + i % (ELEMENTS - 16));
        if (has_avx512) gather_avx512(indices + i % (ELEMENTS - 16));
        if (has_tiles) move_tile();
    }
}
