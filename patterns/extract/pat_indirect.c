/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_indirect.h"

#include "common/ls_owner.h"
#include "common/ls_sorted.h"

#include <Zydis/Zydis.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CODE_TABLE_MAX = 1 << 28, CODE_BEHIND = 64 };

struct code_function {
    uint64_t start, end;
};
struct pat_code {
    int fd;
    Elf64_Phdr *segments;
    size_t segments_len;
    struct code_function *functions; /* by start */
    size_t functions_len;
};

/* Read len_bytes of the file; NULL if they are not all there. */
static void *code_read(int fd, uint64_t offset, uint64_t len_bytes)
{
    if (len_bytes == 0 || len_bytes > CODE_TABLE_MAX || offset > INT64_MAX - len_bytes) return NULL;
    uint8_t *bytes = malloc(len_bytes);
    uint64_t got = 0;
    while (bytes && got < len_bytes) {
        const ssize_t n = pread(fd, bytes + got, len_bytes - got, (off_t)(offset + got));
        if (n <= 0) break;
        got += (uint64_t)n;
    }
    if (got == len_bytes) return bytes;
    free(bytes);
    return NULL;
}

static int code_by_start(const void *a, const void *b)
{
    const struct code_function *x = a, *y = b;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static bool code_take_symbols(struct pat_code *c, const Elf64_Shdr *table)
{
    Elf64_Sym *symbols = code_read(c->fd, table->sh_offset, table->sh_size);
    const size_t len = symbols ? table->sh_size / sizeof(*symbols) : 0;
    c->functions = calloc(len + 1, sizeof(*c->functions));
    c->functions_len = 0;
    for (size_t i = 0; c->functions && i < len; i++) {
        const Elf64_Sym *s = &symbols[i];
        if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || s->st_shndx == SHN_UNDEF || s->st_size == 0) continue;
        c->functions[c->functions_len++] = (struct code_function){s->st_value, s->st_value + s->st_size};
    }
    free(symbols);
    if (c->functions_len) qsort(c->functions, c->functions_len, sizeof(*c->functions), code_by_start);
    return c->functions_len > 0;
}

/* Read the table of all symbols, or else that of the exported ones. */
static void code_read_symbols(struct pat_code *c, const Elf64_Ehdr *head)
{
    static const uint32_t kinds[] = {SHT_SYMTAB, SHT_DYNSYM};
    if (head->e_shentsize != sizeof(Elf64_Shdr)) return;
    Elf64_Shdr *sections = code_read(c->fd, head->e_shoff, (uint64_t)head->e_shnum * sizeof(*sections));
    for (size_t kind = 0; sections && kind < sizeof(kinds) / sizeof(kinds[0]); kind++)
        for (size_t i = 0; i < head->e_shnum && !c->functions_len; i++)
            if (sections[i].sh_type == kinds[kind]) {
                free(c->functions);
                code_take_symbols(c, &sections[i]);
            }
    free(sections);
}

static bool code_read_head(struct pat_code *c)
{
    Elf64_Ehdr *head = code_read(c->fd, 0, sizeof(*head));
    const bool is_ours = head && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
                         head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_ident[EI_DATA] == ELFDATA2LSB &&
                         head->e_machine == EM_X86_64 && head->e_phentsize == sizeof(Elf64_Phdr);
    if (is_ours) {
        c->segments = code_read(c->fd, head->e_phoff, (uint64_t)head->e_phnum * sizeof(*c->segments));
        c->segments_len = c->segments ? head->e_phnum : 0;
        code_read_symbols(c, head);
    }
    free(head);
    return c->segments_len > 0;
}

static void code_free(pat_code *c)
{
    if (!c) return;
    if (c->fd >= 0) close(c->fd);
    free(c->segments);
    free(c->functions);
    free(c);
}

pat_code *pat_code_open(const char *path)
{
    struct pat_code *c = calloc(1, sizeof(*c));
    if (!c) return NULL;
    c->fd = ls_open_regular(path);
    if (c->fd >= 0 && code_read_head(c)) return c;
    code_free(c);
    return NULL;
}

/* Find the function that holds the address in the symbol table. */
static bool code_find(const pat_code *c, uint64_t linked, struct code_function *out)
{
    size_t from;
    LS_COUNT_FIRST(from, c->functions_len, i, c->functions[i].start <= linked);
    if (from == 0 || linked >= c->functions[from - 1].end) return false;
    *out = c->functions[from - 1];
    return true;
}

/* Read the function around a linked address: its start, and its bytes. If the file has no symbol for it, read
 * the code from `known` on, the address of an earlier instruction.
 * The caller frees *out. Returns 0 when there is no code, or the function is longer than
 * PAT_CODE_FUNCTION_MAX. */
static size_t code_function(const pat_code *c, uint64_t linked, uint64_t known, uint64_t *out_start,
                            uint8_t **out)
{
    struct code_function f = {known, linked + CODE_BEHIND};
    code_find(c, linked, &f);
    if (f.start > linked || f.end <= f.start || f.end - f.start > PAT_CODE_FUNCTION_MAX) return 0;
    for (size_t i = 0; i < c->segments_len; i++) {
        const Elf64_Phdr *s = &c->segments[i];
        if (s->p_type != PT_LOAD || f.start < s->p_vaddr || f.start - s->p_vaddr >= s->p_filesz) continue;
        const uint64_t offset = f.start - s->p_vaddr, left = s->p_filesz - offset;
        const uint64_t len_bytes = f.end - f.start < left ? f.end - f.start : left;
        if (s->p_offset > INT64_MAX - offset) return 0;
        *out = code_read(c->fd, s->p_offset + offset, len_bytes);
        *out_start = f.start;
        return *out ? len_bytes : 0;
    }
    return 0;
}

/* ---- backwards through the code ---- */

enum { BACKWARD_STEPS = 48 };

struct backward_insn {
    uint32_t at;
    uint32_t target; /* a jump inside the function: offset of its target, else UINT32_MAX */
};

struct backward {
    ZydisDecoder decoder;
    const uint8_t *code;
    size_t len_bytes;
    struct backward_insn *insns;
    size_t len;
    size_t loop_first, loop_last; /* rows of the innermost loop around the access; first > last: no loop */
    unsigned steps;               /* steps left */
    bool has_frame;               /* rbp is the function's frame pointer */
};

struct backward_decoded {
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

/* Instructions that transport an index: copies, widenings, scalings, sums, lanes of vectors. */
static const uint16_t backward_carriers[] = {
    ZYDIS_MNEMONIC_MOV,        ZYDIS_MNEMONIC_MOVSX,         ZYDIS_MNEMONIC_MOVSXD,
    ZYDIS_MNEMONIC_MOVZX,      ZYDIS_MNEMONIC_CDQE,          ZYDIS_MNEMONIC_CWDE,
    ZYDIS_MNEMONIC_LEA,        ZYDIS_MNEMONIC_SHL,           ZYDIS_MNEMONIC_SHR,
    ZYDIS_MNEMONIC_SAR,        ZYDIS_MNEMONIC_SHLX,          ZYDIS_MNEMONIC_SHRX,
    ZYDIS_MNEMONIC_SARX,       ZYDIS_MNEMONIC_ADD,           ZYDIS_MNEMONIC_SUB,
    ZYDIS_MNEMONIC_INC,        ZYDIS_MNEMONIC_DEC,           ZYDIS_MNEMONIC_NEG,
    ZYDIS_MNEMONIC_NOT,        ZYDIS_MNEMONIC_AND,           ZYDIS_MNEMONIC_OR,
    ZYDIS_MNEMONIC_IMUL,       ZYDIS_MNEMONIC_MOVD,          ZYDIS_MNEMONIC_MOVQ,
    ZYDIS_MNEMONIC_MOVDQU,     ZYDIS_MNEMONIC_MOVDQA,        ZYDIS_MNEMONIC_MOVUPS,
    ZYDIS_MNEMONIC_MOVAPS,     ZYDIS_MNEMONIC_VMOVD,         ZYDIS_MNEMONIC_VMOVQ,
    ZYDIS_MNEMONIC_VMOVDQU,    ZYDIS_MNEMONIC_VMOVDQA,       ZYDIS_MNEMONIC_VMOVDQU32,
    ZYDIS_MNEMONIC_VMOVDQU64,  ZYDIS_MNEMONIC_VMOVDQA32,     ZYDIS_MNEMONIC_VMOVDQA64,
    ZYDIS_MNEMONIC_VMOVUPS,    ZYDIS_MNEMONIC_VMOVAPS,       ZYDIS_MNEMONIC_PMOVSXDQ,
    ZYDIS_MNEMONIC_PMOVZXDQ,   ZYDIS_MNEMONIC_VPMOVSXDQ,     ZYDIS_MNEMONIC_VPMOVZXDQ,
    ZYDIS_MNEMONIC_VPMOVZXWD,  ZYDIS_MNEMONIC_VPMOVSXWD,     ZYDIS_MNEMONIC_PSLLD,
    ZYDIS_MNEMONIC_PSLLQ,      ZYDIS_MNEMONIC_VPSLLD,        ZYDIS_MNEMONIC_VPSLLQ,
    ZYDIS_MNEMONIC_PADDD,      ZYDIS_MNEMONIC_PADDQ,         ZYDIS_MNEMONIC_VPADDD,
    ZYDIS_MNEMONIC_VPADDQ,     ZYDIS_MNEMONIC_VPMULLD,       ZYDIS_MNEMONIC_PSHUFD,
    ZYDIS_MNEMONIC_VPSHUFD,    ZYDIS_MNEMONIC_VEXTRACTI128,  ZYDIS_MNEMONIC_PEXTRD,
    ZYDIS_MNEMONIC_PEXTRQ,     ZYDIS_MNEMONIC_VPEXTRD,       ZYDIS_MNEMONIC_VPEXTRQ,
    ZYDIS_MNEMONIC_PUNPCKHQDQ, ZYDIS_MNEMONIC_VPUNPCKHQDQ,   ZYDIS_MNEMONIC_VPSRLDQ,
    ZYDIS_MNEMONIC_PSRLDQ,     ZYDIS_MNEMONIC_VEXTRACTI32X4, ZYDIS_MNEMONIC_VEXTRACTI64X4,
    ZYDIS_MNEMONIC_VPERMQ,     ZYDIS_MNEMONIC_VPGATHERDD,    ZYDIS_MNEMONIC_VPGATHERDQ,
    ZYDIS_MNEMONIC_VPGATHERQD, ZYDIS_MNEMONIC_VPGATHERQQ,
};

static bool backward_carries(const ZydisDecodedInstruction *insn)
{
    for (size_t i = 0; i < sizeof(backward_carriers) / sizeof(backward_carriers[0]); i++)
        if (backward_carriers[i] == insn->mnemonic) return true;
    return insn->meta.category == ZYDIS_CATEGORY_CMOV;
}

static ZydisRegister backward_whole(ZydisRegister r)
{
    const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
    return whole == ZYDIS_REGISTER_NONE ? r : whole;
}

static bool backward_decode(const struct backward *w, size_t row, struct backward_decoded *d)
{
    const size_t at = w->insns[row].at;
    return ZYAN_SUCCESS(
        ZydisDecoderDecodeFull(&w->decoder, w->code + at, w->len_bytes - at, &d->insn, d->operands));
}

/* Return the target of a relative jump, as an offset; UINT32_MAX: no such jump, or it leaves the function. */
static uint32_t backward_jump(const struct backward *w, const struct backward_decoded *d, size_t at)
{
    if (d->insn.meta.category != ZYDIS_CATEGORY_COND_BR && d->insn.meta.category != ZYDIS_CATEGORY_UNCOND_BR)
        return UINT32_MAX;
    uint64_t to;
    if (d->operands[0].type != ZYDIS_OPERAND_TYPE_IMMEDIATE) return UINT32_MAX;
    if (!ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&d->insn, &d->operands[0], at, &to))) return UINT32_MAX;
    return to < w->len_bytes ? (uint32_t)to : UINT32_MAX;
}

/* Return the row of the instruction at an offset, w->len when none begins there. */
static size_t backward_row(const struct backward *w, uint64_t at)
{
    size_t from;
    LS_COUNT_FIRST(from, w->len, i, w->insns[i].at < at);
    return from < w->len && w->insns[from].at == at ? from : w->len;
}

/* mov %rsp, %rbp */
static bool backward_sets_frame(const struct backward_decoded *d)
{
    return d->insn.mnemonic == ZYDIS_MNEMONIC_MOV && d->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           d->operands[0].reg.value == ZYDIS_REGISTER_RBP &&
           d->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           d->operands[1].reg.value == ZYDIS_REGISTER_RSP;
}

/* Decode all instructions in sequence; skip bytes that do not decode. */
static bool backward_sweep(struct backward *w)
{
    struct backward_decoded d;
    w->insns = malloc((w->len_bytes + 1) * sizeof(*w->insns));
    if (!w->insns) return false;
    for (size_t at = 0; at < w->len_bytes;) {
        w->insns[w->len].at = (uint32_t)at;
        if (backward_decode(w, w->len, &d)) {
            w->insns[w->len++].target = backward_jump(w, &d, at);
            w->has_frame = w->has_frame || backward_sets_frame(&d);
            at += d.insn.length;
        } else {
            at++;
        }
    }
    return true;
}

/* Find the innermost loop: the shortest stretch that a backward jump closes. */
static void backward_find_loop(struct backward *w, size_t access)
{
    w->loop_first = 1;
    w->loop_last = 0;
    size_t shortest = SIZE_MAX;
    for (size_t i = access; i < w->len; i++) {
        if (w->insns[i].target == UINT32_MAX || w->insns[i].target > w->insns[access].at) continue;
        const size_t first = backward_row(w, w->insns[i].target);
        if (first == w->len || i - first >= shortest) continue;
        shortest = i - first;
        w->loop_first = first;
        w->loop_last = i;
    }
}

static bool backward_writes(const struct backward_decoded *d, ZydisRegister whole)
{
    for (size_t i = 0; i < d->insn.operand_count; i++)
        if (d->operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
            d->operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
            backward_whole(d->operands[i].reg.value) == whole)
            return true;
    return false;
}

/* Return whether a called function may change the register (System V AMD64 ABI, figure 3.4). */
static bool backward_is_lost_by_calls(ZydisRegister whole)
{
    static const uint16_t kept[] = {ZYDIS_REGISTER_RBX, ZYDIS_REGISTER_RBP, ZYDIS_REGISTER_RSP,
                                    ZYDIS_REGISTER_R12, ZYDIS_REGISTER_R13, ZYDIS_REGISTER_R14,
                                    ZYDIS_REGISTER_R15};
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        if (kept[i] == whole) return false;
    return true;
}

/* Return the row executed before `row`: in the loop, the first row follows the last one. w->len: none. */
static size_t backward_before(const struct backward *w, size_t row)
{
    const bool in_loop = row >= w->loop_first && row <= w->loop_last;
    if (in_loop && row == w->loop_first) return w->loop_last;
    return row == 0 ? w->len : row - 1;
}

static bool backward_follow(struct backward *w, size_t row, ZydisRegister r, size_t *out);

static const ZydisDecodedOperandMem *backward_memory(const struct backward_decoded *d)
{
    for (size_t i = 0; i < d->insn.operand_count_visible; i++)
        if (d->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY) return &d->operands[i].mem;
    return NULL;
}

/* Return whether the operand is a stack variable: unoptimised code keeps all variables there, other code
 * some. */
static bool backward_is_slot(const struct backward *w, const ZydisDecodedOperandMem *m)
{
    return m->index == ZYDIS_REGISTER_NONE &&
           (m->base == ZYDIS_REGISTER_RSP || (m->base == ZYDIS_REGISTER_RBP && w->has_frame));
}

/* Return whether the operand is a variable with a fixed address. */
static bool backward_is_fixed(const ZydisDecodedOperandMem *m)
{
    return m->base == ZYDIS_REGISTER_RIP ||
           (m->base == ZYDIS_REGISTER_NONE && m->index == ZYDIS_REGISTER_NONE);
}

static bool backward_follow_registers(struct backward *w, size_t row, const struct backward_decoded *d,
                                      size_t *out)
{
    for (size_t i = 0; i < d->insn.operand_count; i++)
        if (d->operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
            d->operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ &&
            d->operands[i].reg.value != ZYDIS_REGISTER_RFLAGS &&
            backward_follow(w, row, d->operands[i].reg.value, out))
            return true;
    return false;
}

/* Find the load that the value of a stack slot before row comes from, through the stores to it in the
 * loop. */
static bool backward_follow_slot(struct backward *w, size_t row, const ZydisDecodedOperandMem *slot,
                                 size_t *out)
{
    struct backward_decoded d;
    const size_t start = row;
    if (w->steps == 0) return false;
    w->steps--;
    for (size_t at = backward_before(w, row); at < w->len; at = backward_before(w, at)) {
        if (!backward_decode(w, at, &d)) return false;
        const ZydisDecodedOperandMem *m = backward_memory(&d);
        if (m && m->base == slot->base && m->index == slot->index && m->disp.value == slot->disp.value &&
            d.operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            d.operands[0].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
            return backward_carries(&d.insn) && backward_follow_registers(w, at, &d, out);
        if (at == start || backward_writes(&d, slot->base)) return false;
    }
    return false;
}

/* Find the load from the instruction that gives a register its value: the instruction itself, or a source of
 * it. */
static bool backward_through(struct backward *w, size_t row, const struct backward_decoded *d, size_t *out)
{
    if (!backward_carries(&d->insn)) return false;
    const ZydisDecodedOperandMem *memory = backward_memory(d);
    if (!memory) return backward_follow_registers(w, row, d, out);
    if (memory->type == ZYDIS_MEMOP_TYPE_AGEN) /* lea */
        return (memory->index != ZYDIS_REGISTER_NONE && backward_follow(w, row, memory->index, out)) ||
               (memory->base != ZYDIS_REGISTER_NONE && backward_follow(w, row, memory->base, out));
    if (backward_is_fixed(memory)) return false;
    if (backward_is_slot(w, memory)) return backward_follow_slot(w, row, memory, out);
    *out = w->insns[row].at;
    return true;
}

/* Find the load that the value of r before row comes from. */
static bool backward_follow(struct backward *w, size_t row, ZydisRegister r, size_t *out)
{
    const ZydisRegister whole = backward_whole(r);
    struct backward_decoded d;
    if (whole == ZYDIS_REGISTER_RSP || whole == ZYDIS_REGISTER_RIP || w->steps == 0) return false;
    w->steps--;
    const size_t start = row;
    for (size_t at = backward_before(w, row); at < w->len; at = backward_before(w, at)) {
        if (!backward_decode(w, at, &d)) return false;
        if (backward_writes(&d, whole)) return backward_through(w, at, &d, out);
        if (d.insn.meta.category == ZYDIS_CATEGORY_CALL && backward_is_lost_by_calls(whole)) return false;
        if (at == start) return false; /* unchanged in the whole loop */
    }
    return false;
}

/* Follow the explicit memory operand: an index first, then a base. */
static bool backward_of_access(struct backward *w, size_t row, size_t *out)
{
    struct backward_decoded d;
    if (!backward_decode(w, row, &d)) return false;
    for (size_t i = 0; i < d.insn.operand_count_visible; i++) {
        const ZydisDecodedOperandMem *m = &d.operands[i].mem;
        if (d.operands[i].type != ZYDIS_OPERAND_TYPE_MEMORY) continue;
        const ZydisRegister registers[] = {m->index, m->base};
        for (int k = 0; k < 2; k++) {
            w->steps = BACKWARD_STEPS;
            if (registers[k] != ZYDIS_REGISTER_NONE && backward_follow(w, row, registers[k], out))
                return true;
        }
    }
    return false;
}

bool pat_backward(const uint8_t *code, size_t len_bytes, size_t at, size_t *out)
{
    struct backward w = {.code = code, .len_bytes = len_bytes};
    ZydisDecoderInit(&w.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    bool found = false;
    if (backward_sweep(&w)) {
        const size_t row = backward_row(&w, at);
        if (row < w.len) {
            backward_find_loop(&w, row);
            found = backward_of_access(&w, row, out);
        }
    }
    free(w.insns);
    return found;
}

/* ---- forwards through the code ---- */

enum { FORWARD_STEPS = 12 };

static bool forward_is_move(const struct backward_decoded *d)
{
    static const ZydisMnemonic moves[] = {ZYDIS_MNEMONIC_MOV, ZYDIS_MNEMONIC_MOVZX, ZYDIS_MNEMONIC_MOVSX,
                                          ZYDIS_MNEMONIC_MOVSXD};
    for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++)
        if (moves[i] == d->insn.mnemonic) return d->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER;
    return false;
}

static bool forward_is_comparison(const struct backward_decoded *d)
{
    return d->insn.mnemonic == ZYDIS_MNEMONIC_CMP || d->insn.mnemonic == ZYDIS_MNEMONIC_TEST;
}

static bool forward_leaves(const struct backward_decoded *d)
{
    const ZydisInstructionCategory c = d->insn.meta.category;
    return c == ZYDIS_CATEGORY_COND_BR || c == ZYDIS_CATEGORY_UNCOND_BR || c == ZYDIS_CATEGORY_CALL ||
           c == ZYDIS_CATEGORY_RET;
}

static bool forward_reads(const struct backward_decoded *d, ZydisRegister whole)
{
    for (size_t i = 0; i < d->insn.operand_count_visible; i++)
        if (d->operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
            backward_whole(d->operands[i].reg.value) == whole)
            return true;
    return false;
}

/* Is a branch the first of the next instructions that uses the flags? */
static bool forward_branches(const struct backward *w, size_t at)
{
    struct backward_decoded d;
    for (int n = 0; n < FORWARD_STEPS && at < w->len_bytes; n++, at += d.insn.length) {
        if (!ZYAN_SUCCESS(
                ZydisDecoderDecodeFull(&w->decoder, w->code + at, w->len_bytes - at, &d.insn, d.operands)))
            return false;
        if (d.insn.meta.category == ZYDIS_CATEGORY_COND_BR) return true;
        if (d.insn.cpu_flags && (d.insn.cpu_flags->modified || d.insn.cpu_flags->tested)) return false;
        if (forward_leaves(&d)) return false;
    }
    return false;
}

bool pat_decides(const uint8_t *code, size_t len_bytes, size_t at)
{
    struct backward w = {.code = code, .len_bytes = len_bytes};
    struct backward_decoded d;
    ZydisRegister loaded = ZYDIS_REGISTER_NONE;
    ZydisDecoderInit(&w.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (int n = 0; n < FORWARD_STEPS && at < len_bytes; n++, at += d.insn.length) {
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&w.decoder, code + at, len_bytes - at, &d.insn, d.operands)))
            return false;
        const bool is_load = n == 0 && backward_memory(&d);
        if (n == 0 && !is_load) return false;
        if (forward_is_comparison(&d) && (is_load || forward_reads(&d, loaded)) &&
            forward_branches(&w, at + d.insn.length))
            return true;
        if (n == 0 && !forward_is_move(&d)) return false;
        if (n == 0)
            loaded = backward_whole(d.operands[0].reg.value);
        else if (backward_writes(&d, loaded) || forward_leaves(&d))
            return false;
    }
    return false;
}

/* ---- sites ---- */

/* A vector of indices feeds up to 16 lanes, and loops end early: counts that differ by more do not agree.
 * Very small counts agree with any other small count. */
enum { INDIRECT_LANES = 32, INDIRECT_SLACK = 2, INDIRECT_FEW = 16, INDIRECT_KNOWN_BYTES = 1024 };

struct indirect_ip {
    uint64_t ip;
    uint32_t module, site;
};
struct indirect {
    const struct pat_tables *t;
    const uint64_t *accesses;
    struct indirect_ip *ips; /* all sites by module, in the order of their instructions */
    pat_code **codes;        /* by module; NULL: not opened yet, or unreadable */
    bool *was_opened;
};

static int indirect_by_ip(const void *a, const void *b)
{
    const struct indirect_ip *x = a, *y = b;
    if (x->module != y->module) return x->module < y->module ? -1 : 1;
    if (x->ip != y->ip) return x->ip < y->ip ? -1 : 1;
    return (x->site > y->site) - (x->site < y->site);
}

/* Return the first of the module's sites at or after ip. Another module may have had the same addresses. */
static size_t indirect_find(const struct indirect *w, uint32_t module, uint64_t ip)
{
    size_t from;
    LS_COUNT_FIRST(from, w->t->sites_len, i,
                   w->ips[i].module < module || (w->ips[i].module == module && w->ips[i].ip < ip));
    return from;
}

static pat_code *indirect_code(struct indirect *w, uint32_t module)
{
    if (!w->was_opened[module]) {
        w->was_opened[module] = true;
        if (w->t->modules[module].path) w->codes[module] = pat_code_open(w->t->modules[module].path);
    }
    return w->codes[module];
}

static bool indirect_agrees(const struct indirect *w, uint32_t index, uint32_t site)
{
    const uint64_t n = w->accesses[index], m = w->accesses[site];
    if (n < INDIRECT_FEW && m < INDIRECT_FEW) return n > 0;
    return n / INDIRECT_SLACK <= m && m / INDIRECT_LANES <= n;
}

/* Return the load at ip whose count agrees. */
static uint32_t indirect_load_at(const struct indirect *w, uint64_t ip, uint32_t site)
{
    const uint32_t module = w->t->sites[site].module;
    for (size_t i = indirect_find(w, module, ip); i < w->t->sites_len; i++) {
        if (w->ips[i].module != module || w->ips[i].ip != ip) break;
        const uint32_t load = w->ips[i].site;
        if (w->t->sites[load].op == PAT_OP_LOAD && indirect_agrees(w, load, site)) return load;
    }
    return PAT_NONE;
}

static void indirect_sequence(struct indirect *w, struct pat_sequence *q)
{
    const struct pat_site *s = &w->t->sites[q->site];
    pat_code *code = s->module < w->t->modules_len ? indirect_code(w, s->module) : NULL;
    q->index_site = PAT_NONE;
    if (!code) return;
    const uint64_t bias = w->t->modules[s->module].bias;
    const uint64_t near = s->ip < INDIRECT_KNOWN_BYTES ? 0 : s->ip - INDIRECT_KNOWN_BYTES;
    uint64_t start, known = w->ips[indirect_find(w, s->module, near)].ip;
    uint8_t *bytes = NULL;
    size_t at;
    const size_t len_bytes = code_function(code, s->ip - bias, known - bias, &start, &bytes);
    if (len_bytes && pat_backward(bytes, len_bytes, s->ip - bias - start, &at))
        q->index_site = indirect_load_at(w, start + at + bias, q->site);
    q->decides = len_bytes && s->op == PAT_OP_LOAD && pat_decides(bytes, len_bytes, s->ip - bias - start);
    free(bytes);
}

static ls_err indirect_init(struct indirect *w)
{
    w->ips = malloc((w->t->sites_len + 1) * sizeof(*w->ips));
    w->codes = calloc(w->t->modules_len + 1, sizeof(pat_code *));
    w->was_opened = calloc(w->t->modules_len + 1, sizeof(*w->was_opened));
    if (!w->ips || !w->codes || !w->was_opened) return ls_nomem("%zu sites", w->t->sites_len);
    for (size_t i = 0; i < w->t->sites_len; i++)
        w->ips[i] = (struct indirect_ip){w->t->sites[i].ip, w->t->sites[i].module, (uint32_t)i};
    qsort(w->ips, w->t->sites_len, sizeof(*w->ips), indirect_by_ip);
    return LS_OK;
}

static void indirect_fini(struct indirect *w)
{
    for (size_t i = 0; w->codes && i < w->t->modules_len; i++)
        code_free(w->codes[i]);
    free(w->ips);
    free(w->codes);
    free(w->was_opened);
}

ls_err pat_indirect(const struct pat_tables *t, const uint64_t *accesses, struct pat_sequence *rows,
                    size_t len)
{
    struct indirect w = {.t = t, .accesses = accesses};
    const ls_err err = indirect_init(&w);
    for (size_t i = 0; err == LS_OK && i < len; i++)
        indirect_sequence(&w, &rows[i]);
    indirect_fini(&w);
    return err;
}
