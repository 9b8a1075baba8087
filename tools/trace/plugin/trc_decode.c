/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/trace/plugin/trc_decode.h"

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>
#endif
#include <string.h>

#ifdef HAVE_ZYDIS
const bool trc_decode_sees_gathers = true;

/* Zydis reports a memory operand, but the instruction does not access it. */
static const uint16_t trc_no_access[] = {
    ZYDIS_MNEMONIC_NOP,         ZYDIS_MNEMONIC_CLFLUSH,     ZYDIS_MNEMONIC_CLFLUSHOPT,
    ZYDIS_MNEMONIC_CLWB,        ZYDIS_MNEMONIC_CLDEMOTE,    ZYDIS_MNEMONIC_INVLPG,
    ZYDIS_MNEMONIC_PREFETCH,    ZYDIS_MNEMONIC_PREFETCHNTA, ZYDIS_MNEMONIC_PREFETCHT0,
    ZYDIS_MNEMONIC_PREFETCHT1,  ZYDIS_MNEMONIC_PREFETCHT2,  ZYDIS_MNEMONIC_PREFETCHW,
    ZYDIS_MNEMONIC_PREFETCHWT1,
};
/* Do the accessed bytes depend on a mask, or on more than one operand? */
static const uint16_t trc_unknown[] = {
    ZYDIS_MNEMONIC_ENTER,       ZYDIS_MNEMONIC_VMASKMOVPS, ZYDIS_MNEMONIC_VMASKMOVPD,
    ZYDIS_MNEMONIC_VPMASKMOVD,  ZYDIS_MNEMONIC_VPMASKMOVQ, ZYDIS_MNEMONIC_MASKMOVDQU,
    ZYDIS_MNEMONIC_VMASKMOVDQU, ZYDIS_MNEMONIC_MASKMOVQ,
};

static bool trc_is_among(uint16_t mnemonic, const uint16_t *list, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (list[i] == mnemonic) return true;
    return false;
}
#define TRC_AMONG(mnemonic, list) trc_is_among((uint16_t)(mnemonic), list, sizeof(list) / sizeof((list)[0]))

/* Lengths that one access of a plain instruction has; others are saved state. */
static bool trc_is_plain_len(unsigned bits)
{
    static const unsigned lens[] = {8, 16, 32, 64, 80, 128, 256};
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++)
        if (lens[i] == bits) return true;
    return false;
}

/* Index register 4 reads as "no index" there (REX.X or VEX.X not set). */
static bool trc_is_broken_index(ZydisRegister r)
{
    return r == ZYDIS_REGISTER_XMM4 || r == ZYDIS_REGISTER_YMM4;
}

struct trc_count {
    unsigned loads, stores;
    bool is_unknown;
};

static void trc_decode_operand(const ZydisDecodedOperand *op, struct trc_shape_of *s, struct trc_count *n)
{
    if (op->type != ZYDIS_OPERAND_TYPE_MEMORY || op->mem.type == ZYDIS_MEMOP_TYPE_AGEN) return;
    if (op->mem.type != ZYDIS_MEMOP_TYPE_MEM || !trc_is_plain_len(op->size)) n->is_unknown = true;
    const uint16_t bytes = (uint16_t)(op->size / 8);
    if (op->actions & ZYDIS_OPERAND_ACTION_MASK_READ) {
        n->is_unknown |= n->loads > 0 && s->load_bytes != bytes;
        n->loads++;
        s->load_bytes = bytes;
    }
    if (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) {
        n->stores++;
        s->store_bytes = bytes;
    }
    if (op->mem.type == ZYDIS_MEMOP_TYPE_VSIB) s->is_broken_gather = trc_is_broken_index(op->mem.index);
}

static const struct trc_isa_row {
    ZydisISAExt extension;
    enum trc_isa isa;
} trc_isas[] = {
    {ZYDIS_ISA_EXT_AVX2, TRC_ISA_AVX2},
    {ZYDIS_ISA_EXT_AVX2GATHER, TRC_ISA_AVX2},
    {ZYDIS_ISA_EXT_AVX512EVEX, TRC_ISA_AVX512},
    {ZYDIS_ISA_EXT_AVX512VEX, TRC_ISA_AVX512}, /* mask registers */
    {ZYDIS_ISA_EXT_AMX_TILE, TRC_ISA_AMX},
    {ZYDIS_ISA_EXT_AMX_INT8, TRC_ISA_AMX},
    {ZYDIS_ISA_EXT_AMX_BF16, TRC_ISA_AMX},
    {ZYDIS_ISA_EXT_AVX_VNNI, TRC_ISA_AVX_VNNI},
    {ZYDIS_ISA_EXT_GFNI, TRC_ISA_GFNI},
    {ZYDIS_ISA_EXT_SHA, TRC_ISA_SHA},
    {ZYDIS_ISA_EXT_VPCLMULQDQ, TRC_ISA_VPCLMULQDQ},
    {ZYDIS_ISA_EXT_MOVDIR, TRC_ISA_MOVDIR},
    {ZYDIS_ISA_EXT_SERIALIZE, TRC_ISA_SERIALIZE},
    {ZYDIS_ISA_EXT_XSAVEC, TRC_ISA_XSAVEC},
    {ZYDIS_ISA_EXT_RDPID, TRC_ISA_RDPID},
    {ZYDIS_ISA_EXT_PT, TRC_ISA_PTWRITE},
};

static enum trc_isa trc_isa_of(ZydisISAExt extension)
{
    for (size_t i = 0; i < sizeof(trc_isas) / sizeof(trc_isas[0]); i++)
        if (trc_isas[i].extension == extension) return trc_isas[i].isa;
    return TRC_ISA_HAD;
}

static bool trc_category_ends_block(ZydisInstructionCategory category)
{
    switch (category) {
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_UNCOND_BR:
        return true;
    default:
        return false;
    }
}

static struct trc_shape_of trc_decode_x86_64(const void *bytes, size_t len)
{
    struct trc_shape_of s = {0};
    struct trc_count n = {0};
    ZydisDecoder decoder;
    ZydisDecodedInstruction in;
    ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
    /* EVEX: QEMU gives up at its first byte, so there may not be more of it */
    if (len > 0 && *(const uint8_t *)bytes == 0x62) s.isa = TRC_ISA_AVX512;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, len, &in, ops))) return s;
    s.isa = trc_isa_of(in.meta.isa_ext);
    s.len = in.length;
    s.ends_block = trc_category_ends_block(in.meta.category);
    if (TRC_AMONG(in.mnemonic, trc_no_access)) return s;
    for (unsigned i = 0; i < in.operand_count; i++)
        trc_decode_operand(&ops[i], &s, &n);
    s.is_broken_gather &= in.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX;
    if (n.is_unknown || TRC_AMONG(in.mnemonic, trc_unknown) || n.loads > 2 || n.stores > 1) return s;
    if (n.loads == 2 && n.stores > 0) return s;
    s.shape = n.loads == 2 ? TRC_SHAPE_TWO_LOADS : TRC_SHAPE_PLAIN;
    return s;
}

#else
/* Without Zydis vector accesses appear as the 8-byte pieces that QEMU makes of them. */
const bool trc_decode_sees_gathers = false;

static struct trc_shape_of trc_decode_x86_64(const void *bytes, size_t len)
{
    /* EVEX, in programs of 64 bits */
    return (struct trc_shape_of){
        .ends_block = true, .isa = len > 0 && *(const uint8_t *)bytes == 0x62 ? TRC_ISA_AVX512 : TRC_ISA_HAD};
}
#endif

/* Pairs of registers (LDP, STP and their kin), Arm ARM C4.1.88: bits 29..27 are 101, bit 25 is 0; opc is bits
 * 31..30, V bit 26, L bit 22. */
static struct trc_shape_of trc_decode_aarch64(const void *bytes, size_t len)
{
    struct trc_shape_of s = {.ends_block = true};
    uint32_t word = 0;
    if (len != sizeof(word)) return s;
    memcpy(&word, bytes, sizeof(word));
    if ((word & 0x3a000000) != 0x28000000) return s;
    const unsigned opc = word >> 30;
    const bool is_vector = word >> 26 & 1, is_load = word >> 22 & 1;
    const unsigned shift = is_vector ? 2 + opc : 2 + (opc >> 1);
    if (opc == 3) return s;
    s.shape = TRC_SHAPE_PLAIN;
    *(is_load ? &s.load_bytes : &s.store_bytes) = (uint16_t)(2u << shift);
    return s;
}

struct trc_shape_of trc_decode(const char *target, const void *bytes, size_t len)
{
    if (strcmp(target, "x86_64") == 0) return trc_decode_x86_64(bytes, len);
    if (strcmp(target, "aarch64") == 0) return trc_decode_aarch64(bytes, len);
    return (struct trc_shape_of){.ends_block = true};
}
