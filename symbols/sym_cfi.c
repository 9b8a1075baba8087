/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_cfi.h"

#include "common/ls_span.h"

#include <dwarf.h>
#include <stdlib.h>

enum { SYM_CFI_REGS = 17 }; /* DWARF numbers of x86-64: general registers and the return address */

/* Linux Standard Base, .eh_frame_hdr; the encodings that linkers write: pc-relative and section-relative,
 * signed, four bytes. */
struct sym_cfi_table {
    struct ls_cursor cursor;
    uint64_t section; /* its linked address */
    uint32_t left;
};

static bool sym_cfi_table_open(const struct sym_elf *e, struct sym_cfi_table *out)
{
    enum { SYM_HDR_VERSION = 1, SYM_ENC_POINTER = 0x1b, SYM_ENC_COUNT = 0x03, SYM_ENC_TABLE = 0x3b };
    size_t len;
    uint8_t head[8];
    if (elf_getphdrnum(e->elf, &len) != 0) return false;
    for (size_t i = 0; i < len; i++) {
        GElf_Phdr ph;
        if (!gelf_getphdr(e->elf, (int)i, &ph) || ph.p_type != PT_GNU_EH_FRAME) continue;
        Elf_Data *data = elf_getdata_rawchunk(e->elf, (int64_t)ph.p_offset, ph.p_filesz, ELF_T_BYTE);
        if (!data || !data->d_buf) return false;
        *out = (struct sym_cfi_table){ls_cursor_over(data->d_buf, data->d_size), ph.p_vaddr, 0};
        return ls_cursor_read(&out->cursor, head, sizeof(head)) &&
               ls_cursor_read(&out->cursor, &out->left, sizeof(out->left)) && head[0] == SYM_HDR_VERSION &&
               head[1] == SYM_ENC_POINTER && head[2] == SYM_ENC_COUNT && head[3] == SYM_ENC_TABLE;
    }
    return false;
}

static bool sym_cfi_table_next(struct sym_cfi_table *t, uint64_t *out)
{
    int32_t row[2]; /* first address, its entry */
    if (t->left == 0 || !ls_cursor_read(&t->cursor, row, sizeof(row))) return false;
    t->left--;
    *out = t->section + (uint64_t)(int64_t)row[0];
    return true;
}

/* Expressions with jumps may loop forever. No compiler writes such. */
static bool sym_is_straight(const Dwarf_Op *ops, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (ops[i].atom == DW_OP_skip || ops[i].atom == DW_OP_bra) return false;
    return true;
}

static bool sym_frame_is_straight(Dwarf_Frame *frame)
{
    Dwarf_Op room[3], *ops;
    size_t len;
    if (dwarf_frame_cfa(frame, &ops, &len) == 0 && !sym_is_straight(ops, len)) return false;
    for (int reg = 0; reg < SYM_CFI_REGS; reg++)
        if (dwarf_frame_register(frame, reg, room, &ops, &len) == 0 && ops && ops != room &&
            !sym_is_straight(ops, len))
            return false;
    return true;
}

static bool sym_rule_is_sound(Dwarf_CFI *cfi, uint64_t at)
{
    Dwarf_Frame *frame;
    if (dwarf_cfi_addrframe(cfi, at, &frame) != 0) return true; /* none there: that is an answer */
    const bool is_straight = sym_frame_is_straight(frame);
    free(frame);
    return is_straight;
}

bool sym_cfi_is_sound(const struct sym_elf *e)
{
    struct sym_cfi_table table;
    Dwarf_Addr bias;
    uint64_t at, last = 0;
    Dwarf_CFI *cfi = dwfl_module_eh_cfi(e->module, &bias);
    if (!cfi || !sym_cfi_table_open(e, &table)) return false;
    while (sym_cfi_table_next(&table, &at)) {
        /* the last address of the one before runs all of its program */
        if (last && !sym_rule_is_sound(cfi, at - 1 - bias)) return false;
        if (!sym_rule_is_sound(cfi, at - bias)) return false;
        last = at;
    }
    return true;
}
