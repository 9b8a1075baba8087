/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_sample.h"

#include "common/ls_span.h"
#include "perf/pe_record.h"

/* The words after the capabilities, in order: perf_ibs_handle_irq in arch/x86/events/amd/ibs.c writes the
 * registers from MSR C001_1033 on. */
enum ibs_word {
    IBS_OP_CTL,
    IBS_OP_RIP,
    IBS_OP_DATA,
    IBS_OP_DATA2,
    IBS_OP_DATA3,
    IBS_DC_LIN,
    IBS_DC_PHYS,
    IBS_WORDS
};
enum { IBS_CAPS_ZEN4 = 1u << 11 };

/* AMD64 Architecture Programmer's Manual vol. 2, IBS; names as in arch/x86/include/asm/amd-ibs.h. */
enum ibs_field_id {
    TAG_TO_RETIRE,
    SOURCE_LOW,
    SOURCE_HIGH,
    REMOTE_NODE,
    IS_LOAD,
    IS_STORE,
    L1_TLB_MISS,
    L2_TLB_MISS,
    DC_MISS,
    UNCACHED,
    LOCKED,
    NO_BUFFER,
    LIN_VALID,
    PHYS_VALID,
    L2_MISS,
    IS_PREFETCH,
    WIDTH,
    DC_MISS_LATENCY,
    IBS_FIELD_COUNT
};
static const struct ibs_field {
    uint8_t word, shift, width;
} ibs_fields[IBS_FIELD_COUNT] = {
    [TAG_TO_RETIRE] = {IBS_OP_DATA, 16, 16}, [SOURCE_LOW] = {IBS_OP_DATA2, 0, 3},
    [SOURCE_HIGH] = {IBS_OP_DATA2, 6, 2},    [REMOTE_NODE] = {IBS_OP_DATA2, 4, 1},
    [IS_LOAD] = {IBS_OP_DATA3, 0, 1},        [IS_STORE] = {IBS_OP_DATA3, 1, 1},
    [L1_TLB_MISS] = {IBS_OP_DATA3, 2, 1},    [L2_TLB_MISS] = {IBS_OP_DATA3, 3, 1},
    [DC_MISS] = {IBS_OP_DATA3, 7, 1},        [UNCACHED] = {IBS_OP_DATA3, 14, 1},
    [LOCKED] = {IBS_OP_DATA3, 15, 1},        [NO_BUFFER] = {IBS_OP_DATA3, 16, 1},
    [LIN_VALID] = {IBS_OP_DATA3, 17, 1},     [PHYS_VALID] = {IBS_OP_DATA3, 18, 1},
    [L2_MISS] = {IBS_OP_DATA3, 20, 1},       [IS_PREFETCH] = {IBS_OP_DATA3, 21, 1},
    [WIDTH] = {IBS_OP_DATA3, 22, 4},         [DC_MISS_LATENCY] = {IBS_OP_DATA3, 32, 16},
};

static unsigned get(const uint64_t words[IBS_WORDS], enum ibs_field_id id)
{
    const struct ibs_field *f = &ibs_fields[id];
    return (unsigned)(words[f->word] >> f->shift & ((1u << f->width) - 1));
}

/* Data sources up to Zen 3 (bits 2:0), and with the extension of Zen 4 (bits 7:6 above them); `far` applies
 * when the remote node bit is set. Other numbers are unknown. */
struct ibs_source {
    uint8_t number, near, far;
};
static const struct ibs_source ibs_sources[] = {
    {2, LS_SOURCE_L3, LS_SOURCE_L3},
    {3, LS_SOURCE_DRAM, LS_SOURCE_REMOTE_DRAM},
    {4, LS_SOURCE_PEER_CACHE, LS_SOURCE_REMOTE_CACHE},
    {7, LS_SOURCE_IO, LS_SOURCE_IO},
};
static const struct ibs_source ibs_sources_zen4[] = {
    {1, LS_SOURCE_L3, LS_SOURCE_L3},
    {2, LS_SOURCE_PEER_CACHE, LS_SOURCE_PEER_CACHE},
    {3, LS_SOURCE_DRAM, LS_SOURCE_REMOTE_DRAM},
    {5, LS_SOURCE_REMOTE_CACHE, LS_SOURCE_REMOTE_CACHE},
    {6, LS_SOURCE_PMEM, LS_SOURCE_PMEM},
    {7, LS_SOURCE_IO, LS_SOURCE_IO},
    {8, LS_SOURCE_CXL, LS_SOURCE_CXL},
    {12, LS_SOURCE_CXL, LS_SOURCE_CXL},
};
#define LEN(rows) (sizeof(rows) / sizeof((rows)[0]))

static uint8_t ibs_word_source(const uint64_t words[IBS_WORDS], bool is_zen4)
{
    const struct ibs_source *rows = is_zen4 ? ibs_sources_zen4 : ibs_sources;
    const size_t len = is_zen4 ? LEN(ibs_sources_zen4) : LEN(ibs_sources);
    const unsigned number = get(words, SOURCE_LOW) | (is_zen4 ? get(words, SOURCE_HIGH) << 3 : 0);
    for (size_t i = 0; i < len; i++)
        if (rows[i].number == number) return get(words, REMOTE_NODE) ? rows[i].far : rows[i].near;
    return LS_NOT_REPORTED;
}

/* Same order of tests as the kernel (perf_ibs_get_mem_lvl). The data source is valid for loads only. */
static uint8_t ibs_source_of(const uint64_t words[IBS_WORDS], bool is_zen4)
{
    if (get(words, UNCACHED)) return LS_SOURCE_UNCACHED;
    if (!get(words, DC_MISS)) return LS_SOURCE_L1;
    /* the L2 bit is not valid for a miss whose buffer was already allocated (erratum 1293 of family 19h) */
    if (!get(words, L2_MISS) && !get(words, IS_PREFETCH) && !get(words, NO_BUFFER)) return LS_SOURCE_L2;
    const uint8_t reported = get(words, IS_LOAD) ? ibs_word_source(words, is_zen4) : LS_NOT_REPORTED;
    if (reported != LS_NOT_REPORTED) return reported;
    return get(words, NO_BUFFER) ? LS_SOURCE_LFB : LS_NOT_REPORTED;
}

static uint8_t ibs_op_of(const uint64_t words[IBS_WORDS])
{
    if (get(words, IS_PREFETCH)) return PE_OP_PREFETCH;
    if (get(words, IS_LOAD)) return PE_OP_LOAD;
    return get(words, IS_STORE) ? PE_OP_STORE : LS_NOT_REPORTED;
}

static uint8_t ibs_tlb_of(const uint64_t words[IBS_WORDS])
{
    if (!get(words, L1_TLB_MISS)) return PE_TLB_L1_HIT;
    return get(words, L2_TLB_MISS) ? PE_TLB_MISS : PE_TLB_L2_HIT;
}

static void ibs_latency(const uint64_t words[IBS_WORDS], struct pe_sample *s)
{
    const uint32_t cycles = get(words, DC_MISS_LATENCY);
    const bool is_reported = s->op == PE_OP_LOAD && get(words, DC_MISS) && cycles;
    s->latency_kind = is_reported ? LS_LATENCY_L1_MISS : LS_LATENCY_NONE;
    s->latency_cycles = is_reported ? cycles : 0;
    s->other_cycles = get(words, TAG_TO_RETIRE);
}

static void ibs_addresses(const uint64_t words[IBS_WORDS], struct pe_sample *s)
{
    s->addr = get(words, LIN_VALID) ? words[IBS_DC_LIN] : 0;
    s->phys_addr = get(words, PHYS_VALID) ? words[IBS_DC_PHYS] : 0;
}

bool pe_ibs_decode(struct pe_sample *s, uint32_t *size_bytes)
{
    enum { WIDTH_MAX = 7 }; /* 1: one byte, doubling up to 64 */
    uint64_t words[IBS_WORDS];
    uint32_t caps;
    struct ls_cursor c = ls_cursor_over(s->raw, s->raw ? s->raw_len_bytes : 0);
    if (!ls_cursor_read(&c, &caps, sizeof(caps)) || !ls_cursor_read(&c, words, sizeof(words))) return false;
    const unsigned width = get(words, WIDTH);
    *size_bytes = width >= 1 && width <= WIDTH_MAX ? 1u << (width - 1) : 0;
    s->op = ibs_op_of(words);
    s->source = s->op == LS_NOT_REPORTED ? LS_NOT_REPORTED : ibs_source_of(words, caps & IBS_CAPS_ZEN4);
    s->level = ls_source_level(s->source);
    s->snoop = LS_NOT_REPORTED;
    s->tlb = s->op == LS_NOT_REPORTED ? LS_NOT_REPORTED : ibs_tlb_of(words);
    s->locked = s->op == LS_NOT_REPORTED ? LS_NOT_REPORTED : (uint8_t)get(words, LOCKED);
    ibs_addresses(words, s);
    ibs_latency(words, s);
    return true;
}
