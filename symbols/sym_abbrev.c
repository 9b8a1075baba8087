/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_abbrev.h"

#include "common/ls_sorted.h"
#include "common/ls_vector.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* Results of sym_form_bytes. */
enum { SYM_OPEN_SIZE = -1, SYM_UNKNOWN_SIZE = -2 };

bool sym_bytes_long_uleb(struct sym_bytes *b, uint64_t *out)
{
    uint64_t value = 0;
    for (unsigned shift = 0; b->at < b->end && shift < 70; shift += 7) {
        const uint8_t byte = *b->at++;
        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte & 0x80) continue;
        *out = value;
        return true;
    }
    return false;
}

/* Sizes of values (DWARF 5, 7.5.5 and 7.5.6); 0: it is not in this table. */
static const int8_t sym_fixed_bytes[] = {
    [DW_FORM_data1] = 1,   [DW_FORM_ref1] = 1,  [DW_FORM_flag] = 1,     [DW_FORM_strx1] = 1,
    [DW_FORM_addrx1] = 1,  [DW_FORM_data2] = 2, [DW_FORM_ref2] = 2,     [DW_FORM_strx2] = 2,
    [DW_FORM_addrx2] = 2,  [DW_FORM_strx3] = 3, [DW_FORM_addrx3] = 3,   [DW_FORM_data4] = 4,
    [DW_FORM_ref4] = 4,    [DW_FORM_strx4] = 4, [DW_FORM_addrx4] = 4,   [DW_FORM_ref_sup4] = 4,
    [DW_FORM_data8] = 8,   [DW_FORM_ref8] = 8,  [DW_FORM_ref_sig8] = 8, [DW_FORM_ref_sup8] = 8,
    [DW_FORM_data16] = 16,
};

/* SYM_OPEN_SIZE: the size depends on the value. */
static int sym_form_bytes(unsigned form, struct sym_form_sizes sizes)
{
    if (form < sizeof(sym_fixed_bytes) && sym_fixed_bytes[form]) return sym_fixed_bytes[form];
    switch (form) {
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const:
        return 0;
    case DW_FORM_addr:
        return sizes.address_bytes;
    case DW_FORM_ref_addr:
        return sizes.version == 2 ? sizes.address_bytes : sizes.offset_bytes;
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_strp_sup:
    case DW_FORM_sec_offset:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt:
        return sizes.offset_bytes;
    case DW_FORM_block:
    case DW_FORM_block1:
    case DW_FORM_block2:
    case DW_FORM_block4:
    case DW_FORM_exprloc:
    case DW_FORM_string:
    case DW_FORM_sdata:
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
    case DW_FORM_indirect:
        return SYM_OPEN_SIZE;
    default:
        return SYM_UNKNOWN_SIZE;
    }
}

static bool sym_skip_leb(struct sym_bytes *b)
{
    while (b->at < b->end)
        if (!(*b->at++ & 0x80)) return true;
    return false;
}

/* Move past a length, itself len_bytes bytes long, and past that many bytes. */
static bool sym_skip_block(struct sym_bytes *b, size_t len_bytes)
{
    uint32_t len = 0;
    if ((size_t)(b->end - b->at) < len_bytes) return false;
    memcpy(&len, b->at, len_bytes);
    return sym_bytes_skip(b, len_bytes) && sym_bytes_skip(b, len);
}

static bool sym_skip_open(struct sym_bytes *b, unsigned form, struct sym_form_sizes sizes)
{
    uint64_t len;
    const uint8_t *zero;
    switch (form) {
    case DW_FORM_string:
        zero = memchr(b->at, 0, (size_t)(b->end - b->at));
        if (zero) b->at = zero + 1;
        return zero != NULL;
    case DW_FORM_block:
    case DW_FORM_exprloc:
        return sym_bytes_uleb(b, &len) && sym_bytes_skip(b, len);
    case DW_FORM_block1:
        return sym_skip_block(b, 1);
    case DW_FORM_block2:
        return sym_skip_block(b, 2);
    case DW_FORM_block4:
        return sym_skip_block(b, 4);
    case DW_FORM_indirect: /* the form precedes the value; no compiler nests them */
        return sym_bytes_uleb(b, &len) && len <= UINT16_MAX && len != DW_FORM_indirect &&
               len != DW_FORM_implicit_const && sym_form_skip(b, (unsigned)len, sizes);
    default:
        return sym_skip_leb(b);
    }
}

bool sym_form_skip(struct sym_bytes *b, unsigned form, struct sym_form_sizes sizes)
{
    const int bytes = sym_form_bytes(form, sizes);
    if (bytes == SYM_UNKNOWN_SIZE) return false;
    return bytes >= 0 ? sym_bytes_skip(b, (uint64_t)bytes) : sym_skip_open(b, form, sizes);
}

/* --- tables --- */

/* A table while it is decoded. */
struct sym_decoding {
    struct sym_abbrevs *table;
    struct sym_bytes bytes;
    const uint8_t *begin;
    struct sym_form_sizes sizes;
    bool is_short; /* memory ran out */
};

/* Add an attribute to the abbreviation. *fixed_bytes: size of all values before it, SYM_NO_OFFSET: not fixed. */
static bool sym_add_attribute(struct sym_decoding *d, struct sym_abbrev *row, struct sym_attribute attribute,
                              uint32_t *fixed_bytes)
{
    struct sym_abbrevs *a = d->table;
    const int bytes = sym_form_bytes(attribute.form, d->sizes);
    if (bytes == SYM_UNKNOWN_SIZE) return false;
    attribute.before_bytes = *fixed_bytes;
    d->is_short = LS_GROW(a->attributes, a->attributes_room, a->attributes_len + 1) != LS_OK ||
                  LS_GROW(a->opens, a->opens_room, a->opens_len + 1) != LS_OK;
    if (d->is_short) return false;
    if (attribute.name == DW_AT_sibling) row->sibling = row->attributes_len;
    row->names |= SYM_ATTRIBUTE_BIT(attribute.name);
    a->attributes[a->attributes_len++] = attribute;
    row->attributes_len++;
    if (bytes >= 0) {
        row->tail_bytes += (uint32_t)bytes;
        if (*fixed_bytes != SYM_NO_OFFSET) *fixed_bytes += (uint32_t)bytes;
        return true;
    }
    a->opens[a->opens_len++] = (struct sym_open_value){row->tail_bytes, attribute.form};
    row->opens_len++;
    row->tail_bytes = 0;
    *fixed_bytes = SYM_NO_OFFSET;
    return true;
}

static bool sym_decode_attributes(struct sym_decoding *d, struct sym_abbrev *row)
{
    uint32_t fixed_bytes = 0;
    uint64_t name, form;
    for (;;) {
        if (!sym_bytes_uleb(&d->bytes, &name) || !sym_bytes_uleb(&d->bytes, &form)) return false;
        if (name == 0 && form == 0) return true;
        if (name > UINT16_MAX || form > UINT16_MAX || row->attributes_len > UINT16_MAX) return false;
        struct sym_attribute attribute = {.name = (uint16_t)name, .form = (uint16_t)form};
        if (form == DW_FORM_implicit_const) {
            if (d->bytes.at - d->begin > UINT32_MAX) return false;
            attribute.implicit_at_bytes = (uint32_t)(d->bytes.at - d->begin);
            if (!sym_skip_leb(&d->bytes)) return false;
        }
        if (!sym_add_attribute(d, row, attribute, &fixed_bytes)) return false;
    }
}

/* Decode one more abbreviation. False: the table ends, or is damaged. */
static bool sym_decode_abbrev(struct sym_decoding *d)
{
    struct sym_abbrevs *a = d->table;
    struct sym_abbrev row = {.first_attribute = (uint32_t)a->attributes_len,
                             .first_open = (uint32_t)a->opens_len,
                             .sibling = SYM_NO_ATTRIBUTE};
    uint64_t code, tag;
    if (!sym_bytes_uleb(&d->bytes, &code) || code == 0 || !sym_bytes_uleb(&d->bytes, &tag) ||
        tag > UINT16_MAX || d->bytes.at == d->bytes.end)
        return false;
    row.code = code;
    row.tag = (uint16_t)tag;
    row.has_children = *d->bytes.at++ != 0;
    if (!sym_decode_attributes(d, &row)) return false;
    d->is_short = LS_GROW(a->rows, a->room, a->len + 1) != LS_OK;
    if (d->is_short) return false;
    a->rows[a->len++] = row;
    return true;
}

static int sym_compare_abbrevs(const void *a, const void *b)
{
    const struct sym_abbrev *x = a, *y = b;
    return (x->code > y->code) - (x->code < y->code);
}

bool sym_abbrevs_read(struct sym_abbrevs *a, struct sym_bytes b, struct sym_form_sizes sizes)
{
    struct sym_decoding d = {.table = a, .bytes = b, .begin = b.at, .sizes = sizes};
    bool is_sorted = true;
    while (sym_decode_abbrev(&d))
        is_sorted &= a->len < 2 || a->rows[a->len - 2].code < a->rows[a->len - 1].code;
    if (!is_sorted) qsort(a->rows, a->len, sizeof(*a->rows), sym_compare_abbrevs);
    return !d.is_short;
}

void sym_abbrevs_fini(struct sym_abbrevs *a)
{
    free(a->rows);
    free(a->attributes);
    free(a->opens);
    *a = (struct sym_abbrevs){0};
}

const struct sym_abbrev *sym_abbrevs_search(const struct sym_abbrevs *a, uint64_t code)
{
    size_t from;
    LS_COUNT_FIRST(from, a->len, i, a->rows[i].code < code);
    return from < a->len && a->rows[from].code == code ? &a->rows[from] : NULL;
}
