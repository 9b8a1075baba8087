/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_cfi_sigsafe.h"

#include <stdbool.h>
#include <string.h>

/* Register numbers of the psABI, figure 3.36. */
enum { CFI_REG_BP = 6, CFI_REG_SP = 7, CFI_REG_RA = 16 };
enum { CFI_STATES_MAX = 8, CFI_RA_OFFSET = -8 };
/* Pointer encodings, LSB 10.5.1. */
enum { CFI_ENC_PCREL = 0x10, CFI_ENC_OMIT = 0xff, CFI_HDR_COUNT = 0x03, CFI_HDR_TABLE = 0x3b };
/* Operators of expressions that compilers write for frames (DWARF 5, 7.7.1). */
enum { CFI_OP_BREG_BP = 0x76, CFI_OP_DEREF = 0x06, CFI_OP_LIT0 = 0x30 };

/* Bounded: a read past the end returns zero and sets is_bad. */
struct cfi_cursor {
    const uint8_t *at, *end;
    bool is_bad;
};

static bool cfi_take(struct cfi_cursor *c, void *out, size_t len_bytes)
{
    if ((size_t)(c->end - c->at) < len_bytes) {
        c->is_bad = true;
        c->at = c->end;
        memset(out, 0, len_bytes);
        return false;
    }
    memcpy(out, c->at, len_bytes);
    c->at += len_bytes;
    return true;
}

static uint8_t cfi_u8(struct cfi_cursor *c)
{
    uint8_t value;
    cfi_take(c, &value, sizeof(value));
    return value;
}

static uint32_t cfi_u32(struct cfi_cursor *c)
{
    uint32_t value;
    cfi_take(c, &value, sizeof(value));
    return value;
}

static uint16_t cfi_u16(struct cfi_cursor *c)
{
    uint16_t value;
    cfi_take(c, &value, sizeof(value));
    return value;
}

static uint64_t cfi_u64(struct cfi_cursor *c)
{
    uint64_t value;
    cfi_take(c, &value, sizeof(value));
    return value;
}

/* Read a LEB128 (DWARF 5, 7.6): return its bits and their number. */
static uint64_t cfi_leb(struct cfi_cursor *c, unsigned *bits, uint8_t *last)
{
    uint64_t value = 0;
    *bits = 0;
    do {
        *last = cfi_u8(c);
        if (*bits < 64) value |= (uint64_t)(*last & 0x7f) << *bits;
        *bits += 7;
    } while ((*last & 0x80) && !c->is_bad);
    return value;
}

static uint64_t cfi_uleb(struct cfi_cursor *c)
{
    unsigned bits;
    uint8_t last;
    return cfi_leb(c, &bits, &last);
}

static int64_t cfi_sleb(struct cfi_cursor *c)
{
    unsigned bits;
    uint8_t last;
    uint64_t value = cfi_leb(c, &bits, &last);
    if ((last & 0x40) && bits < 64) value |= ~UINT64_C(0) << bits;
    return (int64_t)value;
}

static void cfi_skip(struct cfi_cursor *c, uint64_t len_bytes)
{
    if ((uint64_t)(c->end - c->at) < len_bytes) {
        c->is_bad = true;
        len_bytes = (uint64_t)(c->end - c->at);
    }
    c->at += len_bytes;
}

/* Read an encoded pointer, without adding its base. */
static uint64_t cfi_encoded_value(struct cfi_cursor *c, uint8_t encoding)
{
    switch (encoding & 0x0f) {
    case 0x00: /* absptr */
    case 0x04: /* udata8 */
    case 0x0c: /* sdata8 */
        return cfi_u64(c);
    case 0x02:
        return cfi_u16(c);
    case 0x0a:
        return (uint64_t)(int16_t)cfi_u16(c);
    case 0x03:
        return cfi_u32(c);
    case 0x0b:
        return (uint64_t)(int32_t)cfi_u32(c);
    case 0x01:
        return cfi_uleb(c);
    case 0x09:
        return (uint64_t)cfi_sleb(c);
    default:
        c->is_bad = true;
        return 0;
    }
}

static uint64_t cfi_pointer(struct cfi_cursor *c, uint8_t encoding)
{
    const uint64_t here = (uint64_t)(uintptr_t)c->at;
    const uint64_t value = cfi_encoded_value(c, encoding);
    switch (encoding & 0x70) {
    case 0x00:
        return value;
    case CFI_ENC_PCREL:
        return value + here;
    default:
        c->is_bad = true;
        return 0;
    }
}

/* Fields of a CIE that apply to its FDEs. */
struct cfi_cie {
    uint64_t code_align;
    int64_t data_align;
    uint8_t pointer_encoding;
    bool has_augmentation_data, is_signal_frame;
    struct cfi_cursor program;
};

/* Return the content of the entry at `at`, after its length and id. */
static struct cfi_cursor cfi_entry(const struct rt_cfi_object *o, const uint8_t *at, const uint8_t **id_at,
                                   uint32_t *id)
{
    struct cfi_cursor c = {at, o->end, at < o->begin || at >= o->end};
    if (c.is_bad) c.at = c.end;
    const uint32_t len = cfi_u32(&c);
    /* 0 ends the section; all ones would be the 64-bit format, which nobody writes here */
    if (len == 0 || len == UINT32_MAX || len > (size_t)(c.end - c.at)) c.is_bad = true;
    if (!c.is_bad) c.end = c.at + len;
    *id_at = c.at;
    *id = cfi_u32(&c);
    return c;
}

static void cfi_read_augmentation(struct cfi_cie *cie, const char *letters, struct cfi_cursor data)
{
    for (; *letters && !data.is_bad; letters++) {
        switch (*letters) {
        case 'R':
            cie->pointer_encoding = cfi_u8(&data);
            break;
        case 'P': {
            const uint8_t encoding = cfi_u8(&data);
            if (encoding != CFI_ENC_OMIT) cfi_encoded_value(&data, encoding);
            break;
        }
        case 'L':
            cfi_u8(&data);
            break;
        case 'S':
            cie->is_signal_frame = true;
            break;
        default:
            break;
        }
    }
}

static bool cfi_read_cie(const struct rt_cfi_object *o, const uint8_t *at, struct cfi_cie *out)
{
    const uint8_t *id_at;
    uint32_t id;
    struct cfi_cursor c = cfi_entry(o, at, &id_at, &id);
    const uint8_t version = cfi_u8(&c);
    if (c.is_bad || id != 0 || (version != 1 && version != 3)) return false;
    const char *letters = (const char *)c.at;
    const uint8_t *nul = memchr(c.at, 0, (size_t)(c.end - c.at));
    if (!nul) return false;
    c.at = nul + 1;
    *out = (struct cfi_cie){.code_align = cfi_uleb(&c)};
    out->data_align = cfi_sleb(&c);
    const uint64_t ra = version == 1 ? cfi_u8(&c) : cfi_uleb(&c);
    if (letters[0] == 'z') {
        const uint64_t len = cfi_uleb(&c);
        struct cfi_cursor data = c;
        cfi_skip(&c, len);
        if (!c.is_bad) data.end = c.at;
        out->has_augmentation_data = true;
        cfi_read_augmentation(out, letters + 1, data);
    } else if (letters[0] != '\0')
        return false;
    out->program = c;
    return !c.is_bad && ra == CFI_REG_RA;
}

/* A row of the table that the instructions build (DWARF 5, 6.4.1), as far as calls need it. */
struct cfi_row {
    struct rt_cfi_rule rule;
    bool is_bad;      /* CFA by another register or an expression not known here */
    bool has_no_call; /* return address undefined: the outermost frame */
};

struct cfi_machine {
    const struct cfi_cie *cie;
    uint64_t at, target; /* addresses */
    struct cfi_row row, initial;
    struct cfi_row states[CFI_STATES_MAX];
    unsigned states_len;
    bool is_done; /* the row of target is complete */
};

static void cfi_advance(struct cfi_machine *m, uint64_t delta)
{
    const uint64_t next = m->at + delta * m->cie->code_align;
    if (next > m->target)
        m->is_done = true;
    else
        m->at = next;
}

static void cfi_set_cfa(struct cfi_row *row, uint64_t reg)
{
    row->is_bad = reg != CFI_REG_SP && reg != CFI_REG_BP;
    row->rule.cfa = reg == CFI_REG_SP ? RT_CFI_SP : RT_CFI_BP;
}

static void cfi_set_cfa_offset(struct cfi_row *row, int64_t offset)
{
    row->rule.cfa_offset_bytes = (int32_t)offset;
    if (offset != row->rule.cfa_offset_bytes) row->is_bad = true;
}

static void cfi_set_bp(struct cfi_row *row, enum rt_cfi_bp how, int64_t offset)
{
    row->rule.bp = (uint8_t)how;
    row->rule.bp_offset_bytes = (int16_t)offset;
    if (offset != row->rule.bp_offset_bytes) row->is_bad = true;
}

static void cfi_set_saved(struct cfi_machine *m, uint64_t reg, int64_t factored)
{
    const int64_t offset = factored * m->cie->data_align;
    if (reg == CFI_REG_BP) cfi_set_bp(&m->row, RT_CFI_BP_AT_CFA, offset);
    if (reg == CFI_REG_RA && offset != CFI_RA_OFFSET) m->row.is_bad = true;
}

/* bp + offset, perhaps dereferenced, and nothing else. */
static bool cfi_read_bp_expression(struct cfi_cursor *c, int64_t *offset, bool *is_deref)
{
    const uint64_t len = cfi_uleb(c);
    struct cfi_cursor e = *c;
    cfi_skip(c, len);
    if (c->is_bad) return false;
    e.end = c->at;
    if (cfi_u8(&e) != CFI_OP_BREG_BP) return false;
    *offset = cfi_sleb(&e);
    *is_deref = e.at < e.end && cfi_u8(&e) == CFI_OP_DEREF;
    return !e.is_bad && e.at == e.end;
}

/* The linkers' expression for entries of a procedure linkage table: sp + 8, and 8 more from the byte of each 16
 * on where the entry's number was pushed. False: another one, c is where it was. */
static bool cfi_read_plt_expression(struct cfi_cursor *c, unsigned *pushed_from)
{
    static const uint8_t head[] = {11, 0x77, 8, 0x80, 0, 0x3f, 0x1a}, tail[] = {0x2a, 0x33, 0x24, 0x22};
    const uint8_t *at = c->at;
    if ((size_t)(c->end - at) < sizeof(head) + 1 + sizeof(tail) || memcmp(at, head, sizeof(head)) != 0 ||
        memcmp(at + sizeof(head) + 1, tail, sizeof(tail)) != 0)
        return false;
    *pushed_from = (unsigned)at[sizeof(head)] - CFI_OP_LIT0;
    c->at += sizeof(head) + 1 + sizeof(tail);
    return *pushed_from < 16;
}

static void cfi_cfa_expression(struct cfi_machine *m, struct cfi_cursor *c)
{
    int64_t offset;
    bool is_deref;
    unsigned pushed_from;
    if (cfi_read_plt_expression(c, &pushed_from)) {
        m->row.rule.cfa = RT_CFI_SP;
        cfi_set_cfa_offset(&m->row, (m->target & 15) >= pushed_from ? 16 : 8);
        return;
    }
    const bool is_known = cfi_read_bp_expression(c, &offset, &is_deref);
    m->row.is_bad = !is_known;
    if (!is_known) return;
    m->row.rule.cfa = is_deref ? RT_CFI_BP_DEREF : RT_CFI_BP;
    cfi_set_cfa_offset(&m->row, offset);
}

static void cfi_expression(struct cfi_machine *m, struct cfi_cursor *c)
{
    int64_t offset;
    bool is_deref;
    const uint64_t reg = cfi_uleb(c);
    const bool is_known = cfi_read_bp_expression(c, &offset, &is_deref) && !is_deref;
    if (reg == CFI_REG_BP && is_known)
        cfi_set_bp(&m->row, RT_CFI_BP_AT_BP, offset);
    else if (reg == CFI_REG_BP || reg == CFI_REG_RA)
        m->row.is_bad = true;
}

static void cfi_value_expression(struct cfi_machine *m, struct cfi_cursor *c)
{
    const uint64_t reg = cfi_uleb(c);
    cfi_skip(c, cfi_uleb(c));
    if (reg == CFI_REG_BP || reg == CFI_REG_RA) m->row.is_bad = true;
}

static void cfi_register(struct cfi_machine *m, struct cfi_cursor *c)
{
    const uint64_t reg = cfi_uleb(c);
    cfi_uleb(c);
    if (reg == CFI_REG_BP || reg == CFI_REG_RA) m->row.is_bad = true;
}

static void cfi_restore(struct cfi_machine *m, uint64_t reg)
{
    if (reg == CFI_REG_RA) m->row.has_no_call = m->initial.has_no_call;
    if (reg != CFI_REG_BP) return;
    m->row.rule.bp = m->initial.rule.bp;
    m->row.rule.bp_offset_bytes = m->initial.rule.bp_offset_bytes;
}

static void cfi_remember(struct cfi_machine *m)
{
    if (m->states_len < CFI_STATES_MAX)
        m->states[m->states_len++] = m->row;
    else
        m->row.is_bad = m->is_done = true;
}

static void cfi_recall(struct cfi_machine *m)
{
    if (m->states_len > 0)
        m->row = m->states[--m->states_len];
    else
        m->row.is_bad = m->is_done = true;
}

/* Instructions with an opcode byte without operand bits: DWARF 5, 7.24, and GNU's (LSB 10.6.1.3). */
static void cfi_op_nop(struct cfi_machine *m, struct cfi_cursor *c)
{
    (void)m, (void)c;
}

static void cfi_op_advance1(struct cfi_machine *m, struct cfi_cursor *c)
{
    cfi_advance(m, cfi_u8(c));
}

static void cfi_op_advance2(struct cfi_machine *m, struct cfi_cursor *c)
{
    cfi_advance(m, cfi_u16(c));
}

static void cfi_op_advance4(struct cfi_machine *m, struct cfi_cursor *c)
{
    cfi_advance(m, cfi_u32(c));
}

static void cfi_op_offset_extended(struct cfi_machine *m, struct cfi_cursor *c)
{
    const uint64_t reg = cfi_uleb(c);
    cfi_set_saved(m, reg, (int64_t)cfi_uleb(c));
}

static void cfi_op_offset_extended_sf(struct cfi_machine *m, struct cfi_cursor *c)
{
    const uint64_t reg = cfi_uleb(c);
    cfi_set_saved(m, reg, cfi_sleb(c));
}

static void cfi_op_restore_extended(struct cfi_machine *m, struct cfi_cursor *c)
{
    cfi_restore(m, cfi_uleb(c));
}

static void cfi_op_undefined(struct cfi_machine *m, struct cfi_cursor *c)
{
    if (cfi_uleb(c) == CFI_REG_RA) m->row.has_no_call = true;
}

static void cfi_op_same_value(struct cfi_machine *m, struct cfi_cursor *c)
{
    if (cfi_uleb(c) == CFI_REG_BP) m->row.rule.bp = RT_CFI_BP_SAME;
}

static void cfi_op_remember(struct cfi_machine *m, struct cfi_cursor *c)
{
    (void)c;
    cfi_remember(m);
}

static void cfi_op_recall(struct cfi_machine *m, struct cfi_cursor *c)
{
    (void)c;
    cfi_recall(m);
}

static void cfi_op_def_cfa_register(struct cfi_machine *m, struct cfi_cursor *c)
{
    cfi_set_cfa(&m->row, cfi_uleb(c));
}

static void cfi_op_def_cfa_offset(struct cfi_machine *m, struct cfi_cursor *c)
{
    cfi_set_cfa_offset(&m->row, (int64_t)cfi_uleb(c));
}

static void cfi_op_def_cfa_offset_sf(struct cfi_machine *m, struct cfi_cursor *c)
{
    cfi_set_cfa_offset(&m->row, cfi_sleb(c) * m->cie->data_align);
}

static void cfi_op_def_cfa(struct cfi_machine *m, struct cfi_cursor *c)
{
    cfi_op_def_cfa_register(m, c);
    cfi_op_def_cfa_offset(m, c);
}

static void cfi_op_def_cfa_sf(struct cfi_machine *m, struct cfi_cursor *c)
{
    cfi_op_def_cfa_register(m, c);
    cfi_op_def_cfa_offset_sf(m, c);
}

static void cfi_op_args_size(struct cfi_machine *m, struct cfi_cursor *c)
{
    (void)m;
    cfi_uleb(c);
}

typedef void (*cfi_op)(struct cfi_machine *m, struct cfi_cursor *c);

static const cfi_op cfi_ops[] = {
    [0x00] = cfi_op_nop,
    [0x02] = cfi_op_advance1,
    [0x03] = cfi_op_advance2,
    [0x04] = cfi_op_advance4,
    [0x05] = cfi_op_offset_extended,
    [0x06] = cfi_op_restore_extended,
    [0x07] = cfi_op_undefined,
    [0x08] = cfi_op_same_value,
    [0x09] = cfi_register,
    [0x0a] = cfi_op_remember,
    [0x0b] = cfi_op_recall,
    [0x0c] = cfi_op_def_cfa,
    [0x0d] = cfi_op_def_cfa_register,
    [0x0e] = cfi_op_def_cfa_offset,
    [0x0f] = cfi_cfa_expression,
    [0x10] = cfi_expression,
    [0x11] = cfi_op_offset_extended_sf,
    [0x12] = cfi_op_def_cfa_sf,
    [0x13] = cfi_op_def_cfa_offset_sf,
    [0x16] = cfi_value_expression,
    [0x2e] = cfi_op_args_size,
};

/* Execute an extended instruction. False: unknown, so the rest cannot be decoded. */
static bool cfi_step_extended(struct cfi_machine *m, struct cfi_cursor *c, uint8_t op)
{
    if (op >= sizeof(cfi_ops) / sizeof(cfi_ops[0]) || !cfi_ops[op]) return false;
    cfi_ops[op](m, c);
    return true;
}

static bool cfi_step(struct cfi_machine *m, struct cfi_cursor *c)
{
    const uint8_t byte = cfi_u8(c), low = byte & 0x3f;
    switch (byte & 0xc0) {
    case 0x40:
        cfi_advance(m, low);
        return true;
    case 0x80:
        cfi_set_saved(m, low, (int64_t)cfi_uleb(c));
        return true;
    case 0xc0:
        cfi_restore(m, low);
        return true;
    default:
        return cfi_step_extended(m, c, low);
    }
}

static void cfi_run(struct cfi_machine *m, struct cfi_cursor program)
{
    while (!m->is_done && !program.is_bad && program.at < program.end)
        if (!cfi_step(m, &program)) program.is_bad = true;
    if (program.is_bad) m->row.is_bad = m->is_done = true;
}

static const struct rt_cfi_rule cfi_end = {.cfa = RT_CFI_END};

static struct rt_cfi_rule cfi_rule_of_fde(const struct rt_cfi_object *o, const uint8_t *fde, uint64_t ip)
{
    const uint8_t *id_at;
    uint32_t back;
    struct cfi_cie cie;
    struct cfi_cursor c = cfi_entry(o, fde, &id_at, &back);
    if (c.is_bad || back == 0 || back > (size_t)(id_at - o->begin)) return cfi_end;
    if (!cfi_read_cie(o, id_at - back, &cie)) return cfi_end;
    const uint64_t begin = cfi_pointer(&c, cie.pointer_encoding);
    const uint64_t len = cfi_encoded_value(&c, cie.pointer_encoding);
    if (c.is_bad || ip < begin || ip - begin >= len) return cfi_end;
    if (cie.is_signal_frame) return (struct rt_cfi_rule){.cfa = RT_CFI_SIGNAL};
    if (cie.has_augmentation_data) cfi_skip(&c, cfi_uleb(&c));
    struct cfi_machine m = {.cie = &cie, .at = begin, .target = ip};
    cfi_run(&m, cie.program);
    m.initial = m.row;
    cfi_run(&m, c);
    if (m.row.is_bad) return cfi_end;
    return m.row.has_no_call ? (struct rt_cfi_rule){.cfa = RT_CFI_NONE} : m.row.rule;
}

/* A row of the header's search table: both relative to the header. */
struct cfi_hdr_row {
    int32_t begin, fde;
};

/* Find the last FDE that begins at or before ip. */
static const uint8_t *cfi_find_fde(const struct rt_cfi_object *o, uint64_t ip)
{
    struct cfi_cursor c = {o->eh_frame_hdr, o->end, o->eh_frame_hdr < o->begin || o->eh_frame_hdr >= o->end};
    if (c.is_bad) return NULL;
    const uint8_t version = cfi_u8(&c), frame_encoding = cfi_u8(&c), count_encoding = cfi_u8(&c),
                  table_encoding = cfi_u8(&c);
    if (version != 1 || count_encoding != CFI_HDR_COUNT || table_encoding != CFI_HDR_TABLE) return NULL;
    cfi_encoded_value(&c, frame_encoding);
    uint64_t from = 0, to = cfi_u32(&c);
    if (c.is_bad || to > (size_t)(c.end - c.at) / sizeof(struct cfi_hdr_row)) return NULL;
    const int64_t wanted = (int64_t)(ip - (uint64_t)(uintptr_t)o->eh_frame_hdr);
    struct cfi_hdr_row row;
    while (from < to) {
        const uint64_t middle = from + (to - from) / 2;
        memcpy(&row, c.at + middle * sizeof(row), sizeof(row));
        if (row.begin <= wanted)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == 0) return NULL;
    memcpy(&row, c.at + (from - 1) * sizeof(row), sizeof(row));
    return o->eh_frame_hdr + row.fde;
}

struct rt_cfi_rule rt_cfi_find(const struct rt_cfi_object *object, uint64_t ip)
{
    const uint8_t *fde = object->eh_frame_hdr ? cfi_find_fde(object, ip) : NULL;
    return fde ? cfi_rule_of_fde(object, fde, ip) : cfi_end;
}
