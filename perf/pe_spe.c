/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_spe.h"

/* Arm Architecture Reference Manual (DDI 0487), chapter "Statistical Profiling Extension Sample Record
 * Specification". */
enum spe_kind {
    SPE_PAD,
    SPE_END,
    SPE_TIMESTAMP,
    SPE_EVENTS,
    SPE_SOURCE,
    SPE_CONTEXT,
    SPE_OP,
    SPE_ADDRESS,
    SPE_COUNTER,
    SPE_BAD
};

static const struct spe_header_row {
    uint8_t mask, value, kind;
    uint8_t index_mask; /* which one of its kind */
} spe_headers[] = {
    {0xff, 0x00, SPE_PAD, 0},    {0xff, 0x01, SPE_END, 0},       {0xff, 0x71, SPE_TIMESTAMP, 0},
    {0xcf, 0x42, SPE_EVENTS, 0}, {0xcf, 0x43, SPE_SOURCE, 0},    {0xfc, 0x64, SPE_CONTEXT, 0x3},
    {0xfc, 0x48, SPE_OP, 0x3},   {0xf8, 0xb0, SPE_ADDRESS, 0x7}, {0xf8, 0x98, SPE_COUNTER, 0x7},
};
enum {
    SPE_EXTENDED_MASK = 0xfc,
    SPE_EXTENDED = 0x20,
    SPE_OP_LOAD_STORE = 1,
    SPE_OP_STORE_BIT = 1,
    SPE_OP_EXTENDED_MASK = 0xe2, /* atomic, exclusive, acquire and release have separate bits: */
    SPE_OP_EXTENDED = 0x02,
    SPE_OP_ATOMIC = 0x0c, /* AT, EXCL */
    SPE_ADDRESS_PC = 0,
    SPE_ADDRESS_VIRTUAL = 2,
    SPE_ADDRESS_PHYSICAL = 3,
    SPE_COUNTER_TOTAL = 0,
    SPE_COUNTER_TRANSLATION = 2,
    SPE_PC_LEVEL_SHIFT = 61, /* bits 62:61 of an instruction's address: exception level, 0 user */
};

enum spe_event {
    SPE_L1_ACCESS = 1u << 2,
    SPE_L1_REFILL = 1u << 3,
    SPE_TLB_ACCESS = 1u << 4,
    SPE_TLB_WALK = 1u << 5,
    SPE_LLC_ACCESS = 1u << 8,
    SPE_LLC_MISS = 1u << 9,
    SPE_REMOTE = 1u << 10,
};

/* tools/perf/util/arm-spe.c: enum arm_spe_common_data_source, arm_spe_ampereone_data_source */
static const struct spe_source {
    uint8_t number, source;
} spe_common[] =
    {
        {0x0, LS_SOURCE_L1},           {0x8, LS_SOURCE_L2},
        {0x9, LS_SOURCE_PEER_CACHE}, /* core of the same cluster */
        {0xa, LS_SOURCE_L3},         /* cluster */
        {0xb, LS_SOURCE_L3},         /* system */
        {0xc, LS_SOURCE_PEER_CACHE}, /* another cluster */
        {0xd, LS_SOURCE_REMOTE_CACHE}, {0xe, LS_SOURCE_DRAM},
},
  spe_ampereone[] = {
      {0x0, LS_SOURCE_PEER_CACHE}, /* cache of the chip, or a device */
      {0x3, LS_SOURCE_L3},         /* system */
      {0x5, LS_SOURCE_REMOTE_CACHE}, {0x7, LS_SOURCE_DRAM}, {0x8, LS_SOURCE_L1}, {0x9, LS_SOURCE_L2},
};
#define LEN(rows) (sizeof(rows) / sizeof((rows)[0]))

static const struct {
    const struct spe_source *rows;
    size_t len;
} spe_encodings[PE_SPE_SOURCES_COUNT] = {
    [PE_SPE_SOURCES_COMMON] = {spe_common, LEN(spe_common)},
    [PE_SPE_SOURCES_AMPEREONE] = {spe_ampereone, LEN(spe_ampereone)},
};

/* Cores by implementer and part: common_ds_encoding_cpus and ampereone_ds_encoding_cpus ibid., numbers of
 * arch/arm64/include/asm/cputype.h. */
static const struct {
    uint8_t implementer;
    uint16_t part;
    uint8_t sources;
} spe_cores[] = {
    {0x41, 0xd0c, PE_SPE_SOURCES_COMMON},    /* Neoverse N1 */
    {0x41, 0xd49, PE_SPE_SOURCES_COMMON},    /* Neoverse N2 */
    {0x41, 0xd40, PE_SPE_SOURCES_COMMON},    /* Neoverse V1 */
    {0x41, 0xd4f, PE_SPE_SOURCES_COMMON},    /* Neoverse V2 */
    {0x41, 0xd81, PE_SPE_SOURCES_COMMON},    /* Cortex-A720 */
    {0x41, 0xd87, PE_SPE_SOURCES_COMMON},    /* Cortex-A725 */
    {0x41, 0xd4c, PE_SPE_SOURCES_COMMON},    /* Cortex-X1C */
    {0x41, 0xd4e, PE_SPE_SOURCES_COMMON},    /* Cortex-X3 */
    {0x41, 0xd85, PE_SPE_SOURCES_COMMON},    /* Cortex-X925 */
    {0xc0, 0xac4, PE_SPE_SOURCES_AMPEREONE}, /* Ampere-1A */
};

enum pe_spe_sources pe_spe_sources_of(uint64_t midr)
{
    const unsigned implementer = midr >> 24 & 0xff, part = midr >> 4 & 0xfff;
    for (size_t i = 0; i < LEN(spe_cores); i++)
        if (spe_cores[i].implementer == implementer && spe_cores[i].part == part)
            return (enum pe_spe_sources)spe_cores[i].sources;
    return PE_SPE_SOURCES_NONE;
}

struct spe_packet {
    enum spe_kind kind;
    unsigned index;
    uint64_t payload;
};

/* Fields from the packets of the operation so far. */
struct spe_record {
    struct pe_sample s;
    uint64_t events;
    unsigned data_source;
    bool any, is_load_store, is_store, is_atomic, has_events, has_data_source;
};

static bool spe_header(uint8_t byte, struct spe_packet *p)
{
    for (size_t i = 0; i < sizeof(spe_headers) / sizeof(spe_headers[0]); i++) {
        if ((byte & spe_headers[i].mask) != spe_headers[i].value) continue;
        p->kind = spe_headers[i].kind;
        p->index = byte & spe_headers[i].index_mask;
        return true;
    }
    p->kind = SPE_BAD;
    return false;
}

/* Bits 5:4 of the last header byte give the length of the payload. */
static bool spe_payload(struct ls_cursor *c, uint8_t header, uint64_t *out)
{
    *out = 0;
    return ls_cursor_read(c, out, (size_t)1 << (header >> 4 & 3)); /* little-endian, like the host */
}

/* Skip a packet that pads up to an alignment of the area; the cursor's span begins at such an alignment. */
static bool spe_skip_alignment(struct ls_cursor *c, uint8_t header)
{
    const size_t alignment = (size_t)1 << ((header & 0xf) + 1);
    const size_t past = c->pos_bytes & (alignment - 1);
    return past == 0 || ls_cursor_take(c, alignment - past);
}

/* Read a packet. False at the end of the bytes; the cursor is then at the unfinished packet. */
static bool spe_packet(struct ls_cursor *c, struct spe_packet *p)
{
    const size_t begin = c->pos_bytes;
    uint8_t first, header;
    bool is_whole = ls_cursor_read(c, &first, 1);
    header = first;
    *p = (struct spe_packet){.kind = SPE_PAD};
    const bool is_extended = is_whole && (first & SPE_EXTENDED_MASK) == SPE_EXTENDED;
    if (is_extended) is_whole = ls_cursor_read(c, &header, 1);
    if (is_whole && is_extended && header == 0) {
        is_whole = spe_skip_alignment(c, first);
    } else if (is_whole && spe_header(header, p) && p->kind != SPE_PAD && p->kind != SPE_END) {
        if (is_extended) p->index |= (first & 3u) << 3;
        is_whole = spe_payload(c, header, &p->payload);
    }
    if (!is_whole) c->pos_bytes = begin;
    return is_whole;
}

/* Bits 55:0, the upper half of the address space where bit 55 is set; the bits above are tags. */
static uint64_t spe_address(uint64_t payload)
{
    const uint64_t low = payload & (UINT64_MAX >> 8);
    return low >> 55 & 1 ? low | UINT64_C(0xff) << 56 : low;
}

static void spe_take_address(const struct spe_packet *p, struct pe_sample *s)
{
    if (p->index == SPE_ADDRESS_PC) {
        s->ip = spe_address(p->payload);
        s->has |= PERF_SAMPLE_IP;
        s->misc = PERF_RECORD_MISC_EXACT_IP |
                  (p->payload >> SPE_PC_LEVEL_SHIFT & 3 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
    } else if (p->index == SPE_ADDRESS_VIRTUAL) {
        s->addr = spe_address(p->payload);
        s->has |= PERF_SAMPLE_ADDR;
    } else if (p->index == SPE_ADDRESS_PHYSICAL) {
        s->phys_addr = p->payload & (UINT64_MAX >> 8);
        s->has |= PERF_SAMPLE_PHYS_ADDR;
    }
}

static void spe_take_counter(const struct spe_packet *p, struct pe_sample *s)
{
    if (p->index == SPE_COUNTER_TRANSLATION) s->other_cycles = (uint32_t)p->payload;
    if (p->index != SPE_COUNTER_TOTAL) return;
    s->latency_kind = LS_LATENCY_TOTAL;
    s->latency_cycles = (uint32_t)p->payload;
}

static void spe_take(const struct spe_packet *p, struct spe_record *r)
{
    r->any |= p->kind != SPE_PAD;
    switch (p->kind) {
    case SPE_EVENTS:
        r->events = p->payload;
        r->has_events = true;
        break;
    case SPE_SOURCE:
        r->data_source = (unsigned)(p->payload & 0xff);
        r->has_data_source = true;
        break;
    case SPE_CONTEXT:
        r->s.pid = r->s.tid = (uint32_t)p->payload;
        r->s.has |= PERF_SAMPLE_TID;
        break;
    case SPE_OP:
        r->is_load_store = p->index == SPE_OP_LOAD_STORE;
        r->is_store = p->payload & SPE_OP_STORE_BIT;
        r->is_atomic = (p->payload & SPE_OP_EXTENDED_MASK) == SPE_OP_EXTENDED && (p->payload & SPE_OP_ATOMIC);
        break;
    case SPE_ADDRESS:
        spe_take_address(p, &r->s);
        break;
    case SPE_COUNTER:
        spe_take_counter(p, &r->s);
        break;
    case SPE_TIMESTAMP:
        r->s.time = p->payload;
        r->s.has |= PERF_SAMPLE_TIME;
        break;
    default:
        break;
    }
}

static uint8_t spe_source_of_events(uint64_t e)
{
    if (e & SPE_LLC_MISS) return e & SPE_REMOTE ? LS_SOURCE_REMOTE_DRAM : LS_SOURCE_DRAM;
    if (e & SPE_REMOTE) return LS_SOURCE_REMOTE_CACHE;
    if (e & SPE_LLC_ACCESS) return LS_SOURCE_L3;
    if (e & SPE_L1_REFILL) return LS_SOURCE_L2;
    return e & SPE_L1_ACCESS ? LS_SOURCE_L1 : LS_NOT_REPORTED;
}

static uint8_t spe_source_named(enum pe_spe_sources sources, unsigned number)
{
    for (size_t i = 0; i < spe_encodings[sources].len; i++)
        if (spe_encodings[sources].rows[i].number == number) return spe_encodings[sources].rows[i].source;
    return LS_NOT_REPORTED;
}

static void spe_finish(struct spe_record *r, enum pe_spe_sources sources)
{
    struct pe_sample *s = &r->s;
    s->op = r->is_store ? PE_OP_STORE : PE_OP_LOAD;
    s->locked = r->is_atomic;
    if (r->has_data_source) s->source = spe_source_named(sources, r->data_source);
    if (s->source == LS_NOT_REPORTED && r->has_events) s->source = spe_source_of_events(r->events);
    s->level = ls_source_level(s->source);
    if (r->events & SPE_TLB_WALK) s->tlb = PE_TLB_MISS;
}

static bool spe_is_end(enum spe_kind kind)
{
    return kind == SPE_END || kind == SPE_TIMESTAMP;
}

bool pe_spe_next(struct ls_cursor *c, enum pe_spe_sources sources, struct pe_sample *out,
                 struct pe_spe_counts *counts)
{
    struct spe_record r = {.s = pe_sample_missing()};
    size_t begin = c->pos_bytes;
    for (struct spe_packet p; spe_packet(c, &p);) {
        counts->broken += p.kind == SPE_BAD;
        if (p.kind == SPE_BAD) continue;
        spe_take(&p, &r);
        if (!spe_is_end(p.kind) || !r.any) continue;
        counts->records++;
        if (r.is_load_store) {
            spe_finish(&r, sources);
            *out = r.s;
            return true;
        }
        counts->others++;
        r = (struct spe_record){.s = pe_sample_missing()};
        begin = c->pos_bytes;
    }
    c->pos_bytes = begin; /* the rest of the operation may still come */
    return false;
}
