/* SPDX-License-Identifier: BSD-3-Clause */
/* Choose the instructions of a block, and collect the facts that the translation needs of each. A block is
 * entered at its first instruction only. It follows the code past forward branches that are not taken; a loop
 * back to its begin is unrolled, so that one check of the counter serves some 48 instructions. */
#include "runtime/translate/rt_tr_internal.h"

#include <string.h>

enum { PAGE_BYTES = 4096, STRAIGHT_MOST = 5, JOIN_LEAST = 12 };

static uint8_t status_flags(ZydisAccessedFlagsMask mask)
{
    return (uint8_t)((mask & ZYDIS_CPUFLAG_CF ? RT_TR_CF : 0) | (mask & ZYDIS_CPUFLAG_PF ? RT_TR_PF : 0) |
                     (mask & ZYDIS_CPUFLAG_AF ? RT_TR_AF : 0) | (mask & ZYDIS_CPUFLAG_ZF ? RT_TR_ZF : 0) |
                     (mask & ZYDIS_CPUFLAG_SF ? RT_TR_SF : 0) | (mask & ZYDIS_CPUFLAG_OF ? RT_TR_OF : 0));
}

/* Flags that are certainly overwritten. Undefined ones count as kept, but for AF after and, or, xor, test,
 * which all processors clear. A shift by 0 changes nothing, nor does a repeated comparison that does not
 * begin. */
static uint8_t flags_written(const struct rt_burst_scratch *s)
{
    const ZydisDecodedInstruction *in = &s->insn;
    if (!in->cpu_flags) return 0;
    const ZydisAccessedFlags *f = in->cpu_flags;
    uint8_t written = status_flags(f->modified | f->set_0 | f->set_1);
    switch (in->mnemonic) {
    case ZYDIS_MNEMONIC_AND:
    case ZYDIS_MNEMONIC_OR:
    case ZYDIS_MNEMONIC_XOR:
    case ZYDIS_MNEMONIC_TEST:
        return RT_TR_ALL_FLAGS;
    default:
        break;
    }
    if (in->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) return 0;
    if (in->meta.category == ZYDIS_CATEGORY_ROTATE) return 0;
    if (in->meta.category == ZYDIS_CATEGORY_SHIFT) {
        bool shifts = false;
        for (unsigned i = 0; i < in->operand_count; i++)
            shifts |= s->operands[i].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && s->operands[i].imm.value.u & 31;
        if (!shifts) return 0;
    }
    return written & (uint8_t)~status_flags(f->undefined);
}

static uint8_t flags_read(const struct rt_burst_scratch *s)
{
    switch (s->insn.mnemonic) {
    case ZYDIS_MNEMONIC_PUSHF:
    case ZYDIS_MNEMONIC_PUSHFQ:
    case ZYDIS_MNEMONIC_LAHF:
        return RT_TR_ALL_FLAGS;
    default:
        return s->insn.cpu_flags ? status_flags(s->insn.cpu_flags->tested) : 0;
    }
}

/* True if the instruction may fault. Instructions that compute on general registers cannot. */
static bool may_fault(const struct rt_burst_scratch *s, const struct rt_burst_plan *p)
{
    static const uint8_t safe[] = {
        ZYDIS_CATEGORY_BINARY,  ZYDIS_CATEGORY_LOGICAL, ZYDIS_CATEGORY_SHIFT,
        ZYDIS_CATEGORY_ROTATE,  ZYDIS_CATEGORY_CMOV,    ZYDIS_CATEGORY_SETCC,
        ZYDIS_CATEGORY_BITBYTE, ZYDIS_CATEGORY_BMI1,    ZYDIS_CATEGORY_BMI2,
    };
    /* nop and endbr64; other instructions that Zydis calls nop are prefetches of registers, which AMD's processors refuse */
    const bool is_nop = s->insn.opcode == 0x90 || s->insn.opcode == 0x1f || s->insn.opcode == 0x1e;
    const bool does_nothing = is_nop && (s->insn.meta.category == ZYDIS_CATEGORY_NOP ||
                                         s->insn.meta.category == ZYDIS_CATEGORY_WIDENOP);
    const bool moves = s->insn.mnemonic == ZYDIS_MNEMONIC_MOV || s->insn.mnemonic == ZYDIS_MNEMONIC_LEA ||
                       s->insn.mnemonic == ZYDIS_MNEMONIC_MOVZX || s->insn.mnemonic == ZYDIS_MNEMONIC_MOVSX ||
                       s->insn.mnemonic == ZYDIS_MNEMONIC_MOVSXD;
    if (p->mem_count || p->flow == RT_BURST_FLOW_DIVIDE) return true;
    return !moves && !does_nothing && !memchr(safe, (int)s->insn.meta.category, sizeof safe);
}

static bool names_segment(const struct rt_burst_scratch *s)
{
    for (unsigned i = 0; i < s->insn.operand_count; i++) {
        const ZydisDecodedOperand *op = &s->operands[i];
        if (op->type == ZYDIS_OPERAND_TYPE_REGISTER && op->reg.value >= ZYDIS_REGISTER_ES &&
            op->reg.value <= ZYDIS_REGISTER_GS)
            return true;
    }
    return false;
}

static bool is_rip_relative(const struct rt_burst_scratch *s)
{
    const ZydisDecodedInstruction *in = &s->insn;
    return in->attributes & ZYDIS_ATTRIB_HAS_MODRM && in->raw.modrm.offset && in->raw.disp.size == 32 &&
           in->raw.modrm.mod == 0 && in->raw.modrm.rm == 5;
}

/* The descriptor of a restartable sequence (struct rseq_cs of linux/rseq.h), whose abort handler follows the
 * signature that the C library registers. A thread that is preempted in a sequence must be found there by the
 * kernel, so a burst ends before the instruction that fetches the descriptor to store its address. */
static bool is_sequence(uint64_t at)
{
    enum {
        SIGNATURE = 0x53053053,
        SIGNATURE_BYTES = 4,
        FLAGS_MOST = 7,
        ALIGN_BYTES = 32,
        LEN_MOST = 1 << 20,
        LOWEST = 1 << 16
    };
    struct {
        uint32_t version, flags;
        uint64_t start_ip, len_bytes, abort_ip;
    } d;
    uint32_t signature;
    if (at % ALIGN_BYTES || at < LOWEST || rt_tr_copy(&d, (const void *)(uintptr_t)at, sizeof d) != sizeof d)
        return false;
    if (d.version || d.flags > FLAGS_MOST || !d.len_bytes || d.len_bytes > LEN_MOST) return false;
    const void *before_abort = (const void *)(uintptr_t)(d.abort_ip - SIGNATURE_BYTES);
    return rt_tr_copy(&signature, before_abort, sizeof signature) == sizeof signature &&
           signature == SIGNATURE;
}

/* Return the address that the instruction of scratch and n may name, or 0: lea, or a constant that is moved. */
static uint64_t named_by(const struct rt_burst_scratch *s, const struct rt_tr_insn *n)
{
    if (s->insn.mnemonic == ZYDIS_MNEMONIC_LEA)
        return n->disp_offset ? n->ip + n->plan.len_bytes + (uint64_t)n->plan.rip_disp : 0;
    const bool moves_constant =
        s->insn.mnemonic == ZYDIS_MNEMONIC_MOV && s->operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
    return moves_constant ? s->operands[1].imm.value.u : 0;
}

bool rt_tr_is_before_sequence(uint64_t ip)
{
    enum { LEA_BYTES = 7, REX_W = 0x48, REX_R = 4, LEA = 0x8d, RIP_RELATIVE = 5 };
    uint8_t code[LEA_BYTES];
    int32_t displacement;
    if (rt_tr_copy(code, (const void *)(uintptr_t)(ip - LEA_BYTES), LEA_BYTES) != LEA_BYTES) return false;
    if ((code[0] & ~REX_R) != REX_W || code[1] != LEA || (code[2] & 0xc7) != RIP_RELATIVE) return false;
    memcpy(&displacement, code + 3, sizeof displacement);
    return is_sequence(ip + (uint64_t)(int64_t)displacement);
}

/* Why the instruction in scratch and n ends a burst, or END_NONE. */
static enum rt_tr_end forbids(const struct rt_burst_scratch *s, const struct rt_tr_insn *n)
{
    const struct rt_burst_plan *p = &n->plan;
    if (p->klass == RT_BURST_SYSCALL) return RT_TR_END_SYSCALL;
    if (s->insn.attributes & ZYDIS_ATTRIB_HAS_SEGMENT_GS) return RT_TR_END_GS;
    const bool pushes_flags =
        s->insn.mnemonic == ZYDIS_MNEMONIC_PUSHFQ || s->insn.mnemonic == ZYDIS_MNEMONIC_PUSHF;
    if (p->klass != RT_BURST_PLAIN && !pushes_flags) return RT_TR_END_UNSUPPORTED;
    if (p->flow == RT_BURST_FLOW_NONE || names_segment(s)) return RT_TR_END_UNSUPPORTED;
    switch (s->insn.mnemonic) {
    case ZYDIS_MNEMONIC_FNSTENV: /* store the address of the last instruction of the x87 */
    case ZYDIS_MNEMONIC_FNSAVE:
        return RT_TR_END_UNSUPPORTED;
    default:
        break;
    }
    if (n->disp_offset && s->insn.address_width != 64) return RT_TR_END_UNSUPPORTED;
    const bool by_memory = p->flow == RT_BURST_FLOW_JUMP_MEM || p->flow == RT_BURST_FLOW_CALL_MEM;
    if (by_memory && (!p->mem_count || !rt_tr_is_plain(&p->mem[0]))) return RT_TR_END_UNSUPPORTED;
    return RT_TR_END_NONE;
}

/* rep movs, stos or lods by 64-bit addresses without a segment: RT_TR_LOAD and RT_TR_STORE. */
static uint8_t repeats_of(const struct rt_burst_plan *p)
{
    uint8_t does = 0;
    if (p->flow != RT_BURST_FLOW_REPEAT || p->flow_code != RT_BURST_REPEAT_ALL) return 0;
    for (unsigned i = 0; i < p->mem_count; i++) {
        const struct rt_burst_mem *m = &p->mem[i];
        if (m->kind != RT_BURST_MEM_STRING || m->segment != RT_BURST_SEG_FLAT || m->addr_width_bytes != 8)
            return 0;
        does |= m->does;
    }
    return does;
}

/* Zydis clears its result by the memset of the process: in memory that threads share, a thread sanitizer would report a race,
 * because it does not see our lock. */
enum rt_burst_decoded rt_tr_decode_any(struct rt_tr_insn *n, const uint8_t *code, size_t len_bytes,
                                       uint64_t ip, uint64_t *named, enum rt_tr_end *forbidden)
{
    struct rt_burst_scratch scratch;
    const struct rt_burst_scratch *s = &scratch;
    const enum rt_burst_decoded d =
        rt_burst_decode(rt_tr_process.options.zydis, &scratch, &n->plan, code, len_bytes, ip);
    if (d != RT_BURST_DECODED) return d;
    n->ip = ip;
    n->may_fault = may_fault(s, &n->plan);
    n->flags_read = flags_read(s);
    n->flags_written = flags_written(s);
    n->disp_offset = is_rip_relative(s) ? s->insn.raw.disp.offset : 0;
    n->copied = s->insn.meta.branch_type == ZYDIS_BRANCH_TYPE_NONE;
    n->repeats = repeats_of(&n->plan);
    n->target = ip + n->plan.len_bytes + (uint64_t)n->plan.displacement;
    *named = named_by(s, n);
    *forbidden = forbids(s, n);
    return d;
}

/* Decode at most 15 bytes of code at ip: bytes of the next page are read only when they are needed. */
static enum rt_tr_end decode(struct rt_tr_insn *n, uint64_t ip, uint64_t end)
{
    uint8_t bytes[RT_BURST_CODE_BYTES] = {0};
    const uint8_t *code = (const uint8_t *)(uintptr_t)ip;
    const size_t most = end - ip < sizeof bytes ? end - ip : sizeof bytes;
    const size_t in_page = PAGE_BYTES - (ip & (PAGE_BYTES - 1));
    size_t have = rt_tr_copy(bytes, code, in_page < most ? in_page : most);
    uint64_t named = 0;
    enum rt_tr_end forbidden = RT_TR_END_NONE;
    if (!rt_tr_decode_common(n, bytes, have, ip, &named)) {
        enum rt_burst_decoded d =
            have ? rt_tr_decode_any(n, bytes, have, ip, &named, &forbidden) : RT_BURST_UNDECODABLE;
        if (d == RT_BURST_NEEDS_MORE && have < most) {
            have += rt_tr_copy(bytes + have, code + have, most - have);
            d = rt_tr_decode_any(n, bytes, have, ip, &named, &forbidden);
        }
        if (d != RT_BURST_DECODED) return RT_TR_END_UNDECODABLE;
    }
    n->fetches_sequence = named && is_sequence(named);
    return forbidden;
}

bool rt_tr_decode_one(struct rt_tr_cache *c, uint64_t ip)
{
    c->traced = NULL;
    return decode(&c->trace.insns[0], ip, ip + RT_BURST_CODE_BYTES) != RT_TR_END_UNDECODABLE;
}

bool rt_tr_is_plain(const struct rt_burst_mem *m)
{
    const bool kind =
        m->kind == RT_BURST_MEM_PLAIN || m->kind == RT_BURST_MEM_PUSH || m->kind == RT_BURST_MEM_POP_DEST;
    return kind && m->segment != RT_BURST_SEG_GS && m->disp == (int32_t)m->disp;
}

static void note_extent(struct rt_tr_trace *t, const struct rt_tr_insn *n)
{
    if (n->ip < t->low) t->low = n->ip;
    if (n->ip + n->plan.len_bytes > t->high) t->high = n->ip + n->plan.len_bytes;
}

static void unroll(struct rt_tr_trace *t, unsigned most)
{
    while (t->len + t->decoded <= (int)most)
        for (unsigned i = 0; i < t->decoded; i++)
            t->order[t->len++] = (uint8_t)i;
}

/* Does the block go on past its last instruction n? */
static bool goes_on(const struct rt_tr_trace *t, const struct rt_tr_insn *n)
{
    if (n->copied) return true;
    if (n->plan.flow != RT_BURST_FLOW_JCC || n->target <= n->ip) return false;
    return t->decoded < STRAIGHT_MOST; /* longer ones would hold the same code many times */
}

int16_t rt_tr_trace_branch_rel(const struct rt_tr_trace *t)
{
    const struct rt_tr_insn *n = &t->insns[t->order[t->len - 1]];
    const int64_t rel = (int64_t)(n->target - t->ip);
    const bool is_direct = n->plan.flow == RT_BURST_FLOW_JCC || n->plan.flow == RT_BURST_FLOW_JUMP;
    return !n->copied && is_direct && rel == (int16_t)rel ? (int16_t)rel : 0;
}

/* Do the translated blocks from b on lead back to the begin of the trace, within one block's length? */
static bool closes_loop(struct rt_tr_cache *c, const struct rt_tr_trace *t, const struct rt_tr_block *b,
                        unsigned most)
{
    for (unsigned len = t->decoded; b && len + b->len <= most; b = rt_tr_cache_find(c, b->high)) {
        if (b->ip + (uint64_t)(int64_t)b->branch_rel == t->ip) return true;
        if (b->branch_rel) return false;
        len += b->len;
    }
    return false;
}

/* May the block end before ip, where one that is translated begins? Bursts begin anywhere: otherwise each of them would
 * translate all of the straight code after it anew. A loop that is one block stays one. */
static bool joins(struct rt_tr_cache *c, const struct rt_tr_trace *t, uint64_t ip, unsigned most)
{
    if (t->decoded < JOIN_LEAST) return false;
    const struct rt_tr_block *b = rt_tr_cache_find(c, ip);
    return b && !closes_loop(c, t, b, most);
}

enum rt_tr_end rt_tr_trace_build(struct rt_tr_cache *c, uint64_t ip)
{
    const struct rt_tr_options *o = &rt_tr_process.options;
    const unsigned most = o->trace_most ? o->trace_most : RT_TR_BLOCK_MOST;
    struct rt_tr_trace *t = &c->trace;
    c->traced = NULL;
    t->ip = t->low = ip;
    t->high = ip + 1;
    t->stop = RT_TR_END_NONE;
    t->decoded = t->len = 0;
    t->is_loop = t->is_generated = false;
    uint64_t end = ip;
    const enum rt_tr_end refused = o->may_translate(o->may_translate_arg, ip, &end, &t->is_generated);
    if (refused) return refused;
    while (t->decoded < most && ip < end && !joins(c, t, ip, most)) {
        struct rt_tr_insn *n = &t->insns[t->decoded];
        t->stop = decode(n, ip, end);
        if (!t->stop && n->fetches_sequence) t->stop = RT_TR_END_CODE;
        if (t->stop || (n->repeats && t->decoded)) break;
        note_extent(t, n);
        t->order[t->len++] = t->decoded++;
        if (n->repeats) break;
        if (!goes_on(t, n)) {
            const bool loops = n->plan.flow == RT_BURST_FLOW_JCC || n->plan.flow == RT_BURST_FLOW_JUMP;
            t->is_loop = loops && n->target == t->ip;
            if (t->is_loop) unroll(t, most);
            break;
        }
        ip += n->plan.len_bytes;
    }
    if (t->len) return RT_TR_END_NONE;
    return t->stop ? t->stop : RT_TR_END_UNDECODABLE;
}

bool rt_tr_trace_rebuild(struct rt_tr_cache *c, const struct rt_tr_block *b)
{
    struct rt_tr_trace *t = &c->trace;
    c->traced = NULL;
    t->ip = b->low; /* ip may have been invalidated */
    t->stop = (enum rt_tr_end)b->stop;
    t->low = b->low;
    t->high = b->high;
    t->decoded = t->len = 0;
    const struct rt_tr_mark *m = &c->marks[b->marks];
    for (unsigned i = 0; i < b->marks_len; i++) {
        if (m[i].k != t->len) continue; /* one of several marks of an instruction */
        const uint64_t ip = t->ip + m[i].ip_rel;
        unsigned at = 0;
        while (at < t->decoded && t->insns[at].ip != ip)
            at++;
        if (at == t->decoded) {
            if (decode(&t->insns[at], ip, b->high)) return false;
            t->decoded++;
        }
        t->order[t->len++] = (uint8_t)at;
    }
    return t->len == b->len && (!b->sum || rt_tr_trace_sum(t) == b->sum);
}

uint64_t rt_tr_trace_sum(const struct rt_tr_trace *t)
{
    uint8_t bytes[RT_TR_BLOCK_MOST * RT_BURST_CODE_BYTES];
    size_t len = 0;
    for (unsigned i = 0; i < t->decoded; i++) { /* in the order of their addresses, without gaps */
        const struct rt_burst_plan *p = &t->insns[i].plan;
        memcpy(bytes + len, p->code, p->len_bytes);
        len += p->len_bytes;
    }
    return rt_tr_sum(bytes, len);
}

bool rt_tr_trace_flags_dead(const struct rt_tr_trace *t)
{
    uint8_t alive = RT_TR_ALL_FLAGS;
    for (unsigned i = 0; i < t->len; i++) {
        const struct rt_tr_insn *n = &t->insns[t->order[i]];
        const bool may_leave = !n->copied && n->plan.flow != RT_BURST_FLOW_JUMP;
        if (n->flags_read & alive || may_leave || n->may_fault) return false;
        alive &= (uint8_t)~n->flags_written;
        if (!alive) return true;
    }
    return false;
}
