/* SPDX-License-Identifier: BSD-3-Clause */
/* Abbreviations of DWARF entries (DWARF 5, 7.5.3), decoded once per unit: the attributes of each and their sizes. */
#ifndef SYM_ABBREV_H
#define SYM_ABBREV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that may be damaged. */
struct sym_bytes {
    const uint8_t *at, *end;
};

/* Read a number in LEB128. False: it does not end within b, or has more than 64 bits. */
bool sym_bytes_long_uleb(struct sym_bytes *b, uint64_t *out);
static inline bool sym_bytes_uleb(struct sym_bytes *b, uint64_t *out)
{
    if (b->at == b->end || *b->at >= 0x80) return sym_bytes_long_uleb(b, out);
    *out = *b->at++;
    return true;
}
/* Move past len bytes. False: there are fewer. */
static inline bool sym_bytes_skip(struct sym_bytes *b, uint64_t len)
{
    if (len > (uint64_t)(b->end - b->at)) return false;
    b->at += len;
    return true;
}

/* The properties of a unit on which the sizes of attributes depend. */
struct sym_form_sizes {
    uint8_t version, address_bytes, offset_bytes;
};
/* Move b past the value of an attribute. False: damage, or an unknown form. */
bool sym_form_skip(struct sym_bytes *b, unsigned form, struct sym_form_sizes sizes);

struct sym_attribute {
    uint16_t name, form;
    uint32_t before_bytes;      /* from the first attribute of the entry; SYM_NO_OFFSET: not fixed */
    uint32_t implicit_at_bytes; /* place of an implicit value in the abbreviations */
};
/* A value without a fixed size. */
struct sym_open_value {
    uint32_t before_bytes; /* fixed values since the previous open one */
    uint16_t form;
};
#define SYM_NO_OFFSET UINT32_MAX
#define SYM_NO_ATTRIBUTE UINT32_MAX

struct sym_abbrev {
    uint64_t code;
    uint16_t tag;
    bool has_children;
    uint32_t first_attribute, attributes_len;
    uint32_t first_open, opens_len;
    uint32_t tail_bytes; /* fixed values after the last open one */
    uint32_t sibling;    /* number of its attribute DW_AT_sibling, SYM_NO_ATTRIBUTE */
    uint64_t names;      /* bits of SYM_ATTRIBUTE_BIT of its attributes */
};
/* A set of names of attributes. Names below 64 have separate bits, larger ones share them. */
#define SYM_ATTRIBUTE_BIT(name) (UINT64_C(1) << ((name) % 64))

/* Zeroed is empty. */
struct sym_abbrevs {
    struct sym_abbrev *rows; /* sorted by code, which most compilers count from 1 */
    struct sym_attribute *attributes;
    struct sym_open_value *opens;
    size_t len, room, attributes_len, attributes_room, opens_len, opens_room;
};

/* Decode the table at b up to its end, or up to the first damage. False: memory ran out. */
bool sym_abbrevs_read(struct sym_abbrevs *a, struct sym_bytes b, struct sym_form_sizes sizes);
void sym_abbrevs_fini(struct sym_abbrevs *a);
/* Find an abbreviation by its code, where codes have gaps. NULL: there is none. */
const struct sym_abbrev *sym_abbrevs_search(const struct sym_abbrevs *a, uint64_t code);
/* Find the abbreviation with this code. NULL: there is none. */
static inline const struct sym_abbrev *sym_abbrevs_find(const struct sym_abbrevs *a, uint64_t code)
{
    if (code - 1 < a->len && a->rows[code - 1].code == code) return &a->rows[code - 1];
    return sym_abbrevs_search(a, code);
}

#endif
