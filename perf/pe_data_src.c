/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_sample.h"

#include <stdbool.h>
#include <string.h>

/* Fields of the word, LSB first: union perf_mem_data_src of linux/perf_event.h. */
enum pe_field_id { OP, LVL, SNOOP, LOCK, DTLB, LVL_NUM, REMOTE, SNOOPX, HOPS, REGION, PE_FIELD_COUNT };
static const struct pe_field {
    uint8_t shift, width;
} pe_fields[PE_FIELD_COUNT] = {
    [OP] = {0, 5},       [LVL] = {5, 14},    [SNOOP] = {19, 5},  [LOCK] = {24, 2}, [DTLB] = {26, 7},
    [LVL_NUM] = {33, 4}, [REMOTE] = {37, 1}, [SNOOPX] = {38, 2}, [HOPS] = {43, 3}, [REGION] = {46, 5},
};

static unsigned field(uint64_t word, enum pe_field_id id)
{
    return (unsigned)(word >> pe_fields[id].shift & ((1u << pe_fields[id].width) - 1));
}

/* A bit of a field and its meaning; the first row that matches decides. */
struct pe_bit_row {
    uint16_t bit;
    uint8_t value;
};

static uint8_t first_of(const struct pe_bit_row *rows, size_t len, unsigned bits)
{
    for (size_t i = 0; i < len; i++)
        if (bits & rows[i].bit) return rows[i].value;
    return LS_NOT_REPORTED;
}
#define FIRST_OF(rows, bits) first_of(rows, sizeof(rows) / sizeof((rows)[0]), bits)

static const struct pe_bit_row op_rows[] = {
    {PERF_MEM_OP_LOAD, PE_OP_LOAD}, {PERF_MEM_OP_STORE, PE_OP_STORE}, {PERF_MEM_OP_PFETCH, PE_OP_PREFETCH}};

/* mem_lvl; only meaningful with its HIT bit. */
static const struct pe_bit_row lvl_rows[] = {
    {PERF_MEM_LVL_L1, LS_SOURCE_L1},
    {PERF_MEM_LVL_LFB, LS_SOURCE_LFB},
    {PERF_MEM_LVL_L2, LS_SOURCE_L2},
    {PERF_MEM_LVL_L3, LS_SOURCE_L3},
    {PERF_MEM_LVL_LOC_RAM, LS_SOURCE_DRAM},
    {PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2, LS_SOURCE_REMOTE_DRAM},
    {PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2, LS_SOURCE_REMOTE_CACHE},
    {PERF_MEM_LVL_IO, LS_SOURCE_IO},
    {PERF_MEM_LVL_UNC, LS_SOURCE_UNCACHED},
};

static const struct pe_bit_row snoop_rows[] = {{PERF_MEM_SNOOP_HITM, PE_SNOOP_HITM},
                                               {PERF_MEM_SNOOP_HIT, PE_SNOOP_HIT},
                                               {PERF_MEM_SNOOP_MISS, PE_SNOOP_MISS},
                                               {PERF_MEM_SNOOP_NONE, PE_SNOOP_NONE}};
static const struct pe_bit_row snoopx_rows[] = {{PERF_MEM_SNOOPX_FWD, PE_SNOOP_FORWARD},
                                                {PERF_MEM_SNOOPX_PEER, PE_SNOOP_PEER}};

/* Values of mem_region, which Intel fills from Panther Lake on (parse_omr_data_source of
 * arch/x86/events/intel/ds.c). */
enum { REGION_OTHER_SHARED = 5, REGION_OTHER_OWN = 6, REGION_MMIO = 7 };

/* Sources by mem_lvl_num, without and with the remote bit. Numbers 5 to 9 came with Linux 6.1 to 7.0. */
struct pe_lvl_num_row {
    uint8_t source, remote;
};
static const struct pe_lvl_num_row lvl_num_rows[16] = {
    [0x0] = {LS_NOT_REPORTED, LS_NOT_REPORTED},
    [0x1] = {LS_SOURCE_L1, LS_SOURCE_REMOTE_CACHE},
    [0x2] = {LS_SOURCE_L2, LS_SOURCE_REMOTE_CACHE},
    [0x3] = {LS_SOURCE_L3, LS_SOURCE_REMOTE_CACHE},
    [0x4] = {LS_SOURCE_L4, LS_SOURCE_REMOTE_CACHE},
    [0x5] = {LS_SOURCE_LFB, LS_SOURCE_LFB}, /* L2's miss handling buffer: on its way */
    [0x6] = {LS_SOURCE_L4, LS_SOURCE_L4},   /* memory-side cache */
    [0x7] = {LS_SOURCE_L1, LS_SOURCE_L1},   /* L0, in front of a larger L1 */
    [0x8] = {LS_SOURCE_UNCACHED, LS_SOURCE_UNCACHED},
    [0x9] = {LS_SOURCE_CXL, LS_SOURCE_CXL},
    [0xa] = {LS_SOURCE_IO, LS_SOURCE_IO},
    [0xb] = {LS_SOURCE_ANY_CACHE, LS_SOURCE_REMOTE_CACHE},
    [0xc] = {LS_SOURCE_LFB, LS_SOURCE_LFB},
    [0xd] = {LS_SOURCE_DRAM, LS_SOURCE_REMOTE_DRAM},
    [0xe] = {LS_SOURCE_PMEM, LS_SOURCE_PMEM},
    [0xf] = {LS_NOT_REPORTED, LS_NOT_REPORTED},
};

static bool is_cache(uint8_t source)
{
    return source == LS_SOURCE_L1 || source == LS_SOURCE_L2 || source == LS_SOURCE_L3 ||
           source == LS_SOURCE_L4 || source == LS_SOURCE_ANY_CACHE;
}

/* True when the word only names a level that missed ("missed L3"), not the source of the data. */
static bool is_miss(uint64_t word)
{
    return (field(word, LVL) & (PERF_MEM_LVL_HIT | PERF_MEM_LVL_MISS)) == PERF_MEM_LVL_MISS;
}

/* Decode the older field. "Remote, one hop" means a cache of the next socket on Intel; AMD's part of the
 * kernel (before Linux 6.6) and POWER's (before 5.17) use it for a cache of the same node or chip. */
static uint8_t source_of_lvl(unsigned lvl, enum ls_latency kind)
{
    const bool is_near = kind == LS_LATENCY_L1_MISS || kind == LS_LATENCY_THRESHOLD;
    if (!(lvl & PERF_MEM_LVL_HIT)) return LS_NOT_REPORTED;
    const uint8_t source = FIRST_OF(lvl_rows, lvl);
    return source == LS_SOURCE_REMOTE_CACHE && lvl & PERF_MEM_LVL_REM_CCE1 && is_near ? LS_SOURCE_PEER_CACHE
                                                                                      : source;
}

/* Source within the node or chip. AMD processors before Zen 4 report the L3 and the caches of its other cores
 * as one source; it is decoded as the L3. */
static uint8_t source_of_neighbour(uint64_t word)
{
    const bool is_any = lvl_num_rows[field(word, LVL_NUM)].source == LS_SOURCE_ANY_CACHE;
    return is_any && field(word, LVL) & PERF_MEM_LVL_L3 ? LS_SOURCE_L3 : LS_SOURCE_PEER_CACHE;
}

static bool is_neighbour(uint64_t word)
{
    const unsigned region = field(word, REGION);
    if (field(word, HOPS) == PERF_MEM_HOPS_0 || field(word, SNOOPX) & PERF_MEM_SNOOPX_PEER) return true;
    return !field(word, REMOTE) && (region == REGION_OTHER_SHARED || region == REGION_OTHER_OWN);
}

static uint8_t source_of(uint64_t word, enum ls_latency kind)
{
    const struct pe_lvl_num_row *row = &lvl_num_rows[field(word, LVL_NUM)];
    if (field(word, REGION) == REGION_MMIO) return LS_SOURCE_IO;
    if (row->source == LS_NOT_REPORTED) return source_of_lvl(field(word, LVL), kind);
    if (!is_cache(row->source)) return field(word, REMOTE) ? row->remote : row->source;
    if (is_miss(word)) return LS_NOT_REPORTED;
    if (is_neighbour(word)) return source_of_neighbour(word);
    return field(word, REMOTE) || field(word, HOPS) ? LS_SOURCE_REMOTE_CACHE : row->source;
}

static uint8_t snoop_of(uint64_t word)
{
    const uint8_t extended = FIRST_OF(snoopx_rows, field(word, SNOOPX));
    const uint8_t usual = FIRST_OF(snoop_rows, field(word, SNOOP));
    return usual == PE_SNOOP_HITM || extended == LS_NOT_REPORTED ? usual : extended;
}

/* A hit of "L1 or L2" is ambiguous and decodes to LS_NOT_REPORTED; a page walk is a miss. */
static uint8_t tlb_of(uint64_t word)
{
    const unsigned tlb = field(word, DTLB), levels = tlb & (PERF_MEM_TLB_L1 | PERF_MEM_TLB_L2);
    if (tlb & (PERF_MEM_TLB_MISS | PERF_MEM_TLB_WK | PERF_MEM_TLB_OS)) return PE_TLB_MISS;
    if (!(tlb & PERF_MEM_TLB_HIT)) return LS_NOT_REPORTED;
    if (levels == PERF_MEM_TLB_L1) return PE_TLB_L1_HIT;
    return levels == PERF_MEM_TLB_L2 ? PE_TLB_L2_HIT : LS_NOT_REPORTED;
}

/* Whether the access was locked. For an access that was not locked, Intel's part of the kernel leaves the
 * field empty and uses "not available" where the processor does not report it (arch/x86/events/intel/ds.c);
 * AMD's uses "not available" (arch/x86/events/amd/ibs.c). Arm's and POWER's always leave it empty, so that it
 * means nothing. */
static uint8_t locked_of(uint64_t word, enum ls_latency kind, uint8_t op)
{
    static const struct {
        enum ls_latency kind;
        uint8_t not_locked;
    } rows[] = {{LS_LATENCY_USE, 0}, {LS_LATENCY_L1_MISS, PERF_MEM_LOCK_NA}};
    const unsigned lock = field(word, LOCK);
    if (lock & PERF_MEM_LOCK_LOCKED) return 1;
    if (op == LS_NOT_REPORTED || field(word, DTLB) == 0)
        return LS_NOT_REPORTED; /* both also fill the TLB field */
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].kind == kind && rows[i].not_locked == lock) return 0;
    return LS_NOT_REPORTED;
}

void pe_data_src_decode(uint64_t word, enum ls_latency kind, struct pe_sample *s)
{
    s->op = FIRST_OF(op_rows, field(word, OP));
    s->source = source_of(word, kind);
    s->level = ls_source_level(s->source);
    s->snoop = snoop_of(word);
    s->tlb = tlb_of(word);
    s->locked = locked_of(word, kind, s->op);
}

/* union perf_sample_weight: var1_dw in bits 31:0, var2_w in 47:32, var3_w in 63:48. */
void pe_weight_decode(enum ls_latency kind, struct pe_sample *s)
{
    const bool is_struct = s->has & PE_SAMPLE_WEIGHT_STRUCT;
    const uint64_t cycles = is_struct ? s->weight & UINT32_MAX : s->weight;
    s->latency_kind = LS_LATENCY_NONE;
    s->latency_cycles = s->other_cycles = 0;
    if (!(s->has & PE_SAMPLE_WEIGHTS)) return;
    if (is_struct) s->other_cycles = (uint32_t)(s->weight >> 32 & UINT16_MAX);
    if (cycles == 0) return;
    s->latency_kind = (uint8_t)kind;
    s->latency_cycles = cycles < UINT32_MAX ? (uint32_t)cycles : UINT32_MAX;
}

enum ls_latency pe_latency_kind_of(const char *vendor)
{
    static const struct {
        const char *vendor;
        enum ls_latency kind;
    } rows[] = {{"intel", LS_LATENCY_USE},
                {"amd", LS_LATENCY_L1_MISS},
                {"arm", LS_LATENCY_TOTAL},
                {"power", LS_LATENCY_THRESHOLD}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].vendor, vendor) == 0) return rows[i].kind;
    return LS_LATENCY_NONE;
}
