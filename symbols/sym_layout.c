/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_types.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- from type to type --- */

bool sym_type_next(Dwarf_Die *die, Dwarf_Die *out)
{
    Dwarf_Attribute found;
    return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &found), out) != NULL;
}

static bool sym_is_declaration(Dwarf_Die *die)
{
    return dwarf_hasattr(die, DW_AT_declaration);
}

/* An entry that replaces a type unit names it by its signature. */
static void sym_follow_signature(Dwarf_Die *type)
{
    Dwarf_Attribute found;
    Dwarf_Die whole;
    if (dwarf_formref_die(dwarf_attr(type, DW_AT_signature, &found), &whole)) *type = whole;
}

bool sym_type_peel(Dwarf_Die *type, Dwarf_Die *out, const char **name_out)
{
    Dwarf_Die at = *type;
    if (name_out) *name_out = NULL;
    for (int depth = 0; depth < SYM_DIE_DEPTH_MAX; depth++) {
        switch (dwarf_tag(&at)) {
        case DW_TAG_typedef:
            if (name_out) *name_out = dwarf_diename(&at);
            break;
        case DW_TAG_const_type:
        case DW_TAG_volatile_type:
        case DW_TAG_restrict_type:
        case DW_TAG_atomic_type:
            break;
        case DW_TAG_invalid:
            return false;
        default:
            *out = at;
            sym_follow_signature(out);
            return true;
        }
        Dwarf_Die next;
        if (!sym_type_next(&at, &next)) return false;
        at = next;
    }
    return false;
}

bool sym_type_is_pointer(Dwarf_Die *type)
{
    const int tag = dwarf_tag(type);
    return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

static bool sym_is_record_tag(int tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

bool sym_type_is_record(Dwarf_Die *type)
{
    return sym_is_record_tag(dwarf_tag(type));
}

bool sym_type_argument(Dwarf_Die *die, Dwarf_Die *out)
{
    Dwarf_Die child;
    if (!sym_die_child(die, &child)) return false;
    do
        if (dwarf_tag(&child) == DW_TAG_template_type_parameter) return sym_type_next(&child, out);
    while (sym_die_next(&child));
    return false;
}

/* --- names --- */

struct sym_text {
    char at[SYM_TYPE_TEXT_BYTES];
    size_t len;
};

static void sym_text_put(struct sym_text *t, const char *text)
{
    const size_t room = sizeof(t->at) - t->len;
    const size_t len = strnlen(text, room - 1);
    memcpy(t->at + t->len, text, len);
    t->len += len;
    t->at[t->len] = '\0';
}

/* Return the keyword of a type without a name. */
static const char *sym_word_of(int tag)
{
    switch (tag) {
    case DW_TAG_subroutine_type:
        return "function";
    case DW_TAG_structure_type:
        return "struct";
    case DW_TAG_class_type:
        return "class";
    case DW_TAG_union_type:
        return "union";
    case DW_TAG_enumeration_type:
        return "enum";
    default:
        return "(no name)";
    }
}

/* Write the type as in the declaration of a member. */
static void sym_put_type(struct sym_text *out, Dwarf_Die *type, int depth)
{
    static const struct {
        int tag;
        const char *before, *after;
    } parts[] = {
        {DW_TAG_pointer_type, "", " *"},
        {DW_TAG_reference_type, "", " &"},
        {DW_TAG_rvalue_reference_type, "", " &&"},
        {DW_TAG_const_type, "const ", ""},
        {DW_TAG_volatile_type, "volatile ", ""},
        {DW_TAG_atomic_type, "_Atomic ", ""},
        {DW_TAG_restrict_type, "", ""},
        {DW_TAG_array_type, "", "[]"},
    };
    Dwarf_Die inner;
    const int tag = dwarf_tag(type);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (parts[i].tag != tag) continue;
        sym_text_put(out, parts[i].before);
        if (!sym_type_next(type, &inner))
            sym_text_put(out, "void");
        else if (depth < SYM_TYPE_DEPTH_MAX)
            sym_put_type(out, &inner, depth + 1);
        sym_text_put(out, parts[i].after);
        return;
    }
    Dwarf_Die whole = *type;
    sym_follow_signature(&whole);
    const char *name = dwarf_diename(&whole);
    sym_text_put(out, name ? name : sym_word_of(tag));
}

/* The namespaces and classes around a type: "a::b::". */
static void sym_put_scopes(struct sym_layouts *l, struct sym_text *out, Dwarf_Die *type)
{
    Dwarf_Attribute found;
    Dwarf_Die declared;
    struct sym_entry around[SYM_DIE_DEPTH_MAX];
    /* the definition of a type unit is outside of the namespace that declares it */
    if (dwarf_formref_die(dwarf_attr(type, DW_AT_specification, &found), &declared)) type = &declared;
    const size_t len = sym_entry_around(l->walk, type, around, SYM_DIE_DEPTH_MAX);
    for (size_t i = 1; i < len; i++) {
        const int tag = sym_entry_tag(&around[i]);
        if (tag != DW_TAG_namespace && !sym_is_record_tag(tag)) continue;
        const char *name = sym_entry_name(&around[i]);
        sym_text_put(out, name ? name : "(anonymous namespace)");
        sym_text_put(out, "::");
    }
}

static uint32_t sym_name_of(struct sym_layouts *l, Dwarf_Die *type, const char *alias)
{
    struct sym_text text = {.len = 0};
    const char *name = dwarf_diename(type);
    if (name || sym_type_is_record(type)) sym_put_scopes(l, &text, type);
    if (name || !alias)
        sym_put_type(&text, type, 0);
    else
        sym_text_put(&text, alias);
    return sym_draft_text(l->draft, text.at);
}

/* --- members --- */

/* A type while its members are collected. */
struct sym_filling {
    struct sym_layouts *layouts;
    uint32_t first; /* row of its first member */
    uint32_t lost;
};
/* Position of a record inside the type. */
struct sym_inside {
    uint64_t offset_bytes;
    uint32_t parent;
    int depth;
    const char *path; /* the parent's */
};

static struct sym_member *sym_member_at(const struct sym_filling *f, uint32_t row)
{
    return (struct sym_member *)f->layouts->draft->rows[SYM_ROW_members].rows + f->first + row;
}

/* The row of the new member, SYM_NONE: too many. */
static uint32_t sym_member_add(struct sym_filling *f, const struct sym_member *m)
{
    struct sym_draft *d = f->layouts->draft;
    const size_t len = d->rows[SYM_ROW_members].len;
    if (len >= SYM_ALL_MEMBERS_MAX || len - f->first >= SYM_TYPE_MEMBERS_MAX || d->is_short) {
        f->lost++;
        return SYM_NONE;
    }
    *SYM_DRAFT_ROW(d, members) = *m;
    return (uint32_t)(len - f->first);
}

bool sym_member_offset(Dwarf_Die *die, uint64_t *out)
{
    Dwarf_Attribute found;
    Dwarf_Word value;
    Dwarf_Op *ops;
    size_t len;
    *out = 0;
    if (!dwarf_attr(die, DW_AT_data_member_location, &found)) return true;
    if (dwarf_formudata(&found, &value) == 0) {
        *out = value;
        return true;
    }
    if (dwarf_getlocation(&found, &ops, &len) != 0 || len != 1 || ops[0].atom != DW_OP_plus_uconst)
        return false;
    *out = ops[0].number;
    return true;
}

/* Position and size of a bit field, in bits from the begin of the record; false: not a bit field. DWARF
 * before 4 counts from the most significant bit of a storage unit (DWARF 3, 5.5.6). */
static bool sym_bits_of(Dwarf_Die *die, uint64_t *out_first, uint64_t *out_len)
{
    uint64_t offset_bytes, storage_bytes, from_top;
    if (!sym_die_number(die, DW_AT_bit_size, out_len)) return false;
    if (sym_die_number(die, DW_AT_data_bit_offset, out_first)) return *out_len < 4096;
    if (!sym_member_offset(die, &offset_bytes)) return false;
    *out_first = offset_bytes * 8;
    if (sym_die_number(die, DW_AT_bit_offset, &from_top) &&
        sym_die_number(die, DW_AT_byte_size, &storage_bytes) && storage_bytes <= 16 &&
        from_top + *out_len <= storage_bytes * 8)
        *out_first += storage_bytes * 8 - from_top - *out_len;
    return *out_len < 4096;
}

/* Bytes of a type, and of an element if it is an array. */
static uint64_t sym_size_of(Dwarf_Die *type, uint64_t *out_elem, Dwarf_Die *out_element)
{
    Dwarf_Word all = 0, one = 0;
    Dwarf_Die next;
    *out_elem = 0;
    *out_element = *type;
    dwarf_aggregate_size(type, &all);
    for (int depth = 0; dwarf_tag(out_element) == DW_TAG_array_type && depth < SYM_DIE_DEPTH_MAX; depth++) {
        if (!sym_type_next(out_element, &next) || !sym_type_peel(&next, out_element, NULL)) return all;
        dwarf_aggregate_size(out_element, &one);
        *out_elem = one;
    }
    return all;
}

/* Find the type of the value that a node of libstdc++'s containers holds in a buffer. The buffer gets the members of
 * this type. */
static bool sym_is_buffer(Dwarf_Die *type)
{
    const char *name = dwarf_diename(type);
    return name &&
           (strncmp(name, "__aligned_membuf<", 17) == 0 || strncmp(name, "__aligned_buffer<", 17) == 0);
}

static void sym_add_members(struct sym_filling *f, Dwarf_Die *record, const struct sym_inside *in);

/* Add the member and, if it is a record, its members. */
static void sym_add_placed(struct sym_filling *f, struct sym_member m, Dwarf_Die *type,
                           const struct sym_inside *in)
{
    struct sym_text name = {.len = 0};
    Dwarf_Die peeled, element, value;
    char path[SYM_TYPE_TEXT_BYTES], own[SYM_TYPE_TEXT_BYTES];
    if (!sym_type_peel(type, &peeled, NULL)) {
        f->lost++;
        return;
    }
    snprintf(path, sizeof(path), "%s", sym_draft_text_at(f->layouts->draft, m.path));
    sym_put_type(&name, type, 0);
    if (sym_type_is_record(&peeled) && sym_is_buffer(&peeled) && sym_type_argument(&peeled, &value)) {
        /* std::_Rb_tree_node<V>::_M_storage is a V */
        if (!sym_type_peel(&value, &peeled, NULL)) return;
        name.len = 0;
        sym_put_type(&name, &value, 0);
        m.kind = SYM_MEMBER_ANONYMOUS;
        if (sym_type_is_record(&peeled)) snprintf(path, sizeof(path), "%s", in->path);
    }
    m.len_bytes =
        m.bits_len ? (m.first_bit + m.bits_len + 7) / 8 : sym_size_of(&peeled, &m.elem_len_bytes, &element);
    if (m.offset_bytes + m.len_bytes < m.offset_bytes) {
        f->lost++;
        return;
    }
    m.type_name = sym_draft_text(f->layouts->draft, name.at);
    m.parent = in->parent;
    snprintf(own, sizeof(own), "%.500s%s", path, m.elem_len_bytes ? "[]" : "");
    m.path = sym_draft_text(f->layouts->draft, own);
    const uint32_t row = sym_member_add(f, &m);
    if (row == SYM_NONE || m.bits_len || !sym_type_is_record(&element)) return;
    sym_add_members(f, &element, &(struct sym_inside){m.offset_bytes, row, in->depth + 1, own});
}

/* Add one row for the bytes of neighbouring bit fields, above their rows, because an access may touch
 * several. */
static uint32_t sym_bits_group(struct sym_filling *f, const struct sym_member *m, const struct sym_inside *in,
                               uint32_t group)
{
    const uint64_t base = m->offset_bytes + m->first_bit / 8;
    const uint64_t end = m->offset_bytes + (m->first_bit + m->bits_len + 7) / 8;
    char path[SYM_TYPE_TEXT_BYTES];
    const char *own = sym_draft_text_at(f->layouts->draft, m->path);
    if (group != SYM_NONE) {
        struct sym_member *g = sym_member_at(f, group);
        if (base <= g->offset_bytes + g->len_bytes) {
            const char *known = sym_draft_text_at(f->layouts->draft, g->path);
            snprintf(path, sizeof(path), "%.400s|%.100s", known,
                     own + (*in->path ? strlen(in->path) + 1 : 0));
            if (end > g->offset_bytes + g->len_bytes) g->len_bytes = end - g->offset_bytes;
            g->path = sym_draft_text(f->layouts->draft, path);
            return group;
        }
    }
    return sym_member_add(f,
                          &(struct sym_member){.offset_bytes = base,
                                               .len_bytes = end - base,
                                               .path = m->path,
                                               .type_name = sym_draft_text(f->layouts->draft, "bit fields"),
                                               .parent = in->parent,
                                               .kind = SYM_MEMBER_BITS});
}

static void sym_add_member(struct sym_filling *f, Dwarf_Die *die, const struct sym_inside *in,
                           uint32_t *group)
{
    Dwarf_Die type, peeled;
    uint64_t offset, first_bit = 0, bits_len = 0;
    char path[SYM_TYPE_TEXT_BYTES];
    struct sym_inside inside = *in;
    const char *name = dwarf_diename(die);
    const bool is_base = dwarf_tag(die) == DW_TAG_inheritance;
    if (!sym_type_next(die, &type) || dwarf_hasattr(die, DW_AT_external)) return; /* static members */
    const bool is_bits = sym_bits_of(die, &first_bit, &bits_len);
    if (!sym_member_offset(die, &offset) || offset > UINT32_MAX || first_bit / 8 > UINT32_MAX) {
        f->lost++;
        return;
    }
    const bool is_anonymous =
        !is_base && !name && sym_type_peel(&type, &peeled, NULL) && sym_type_is_record(&peeled);
    if (!is_base && !name && !is_anonymous) return; /* an unnamed bit field: a hole */
    snprintf(path, sizeof(path), "%.300s%s%.200s", in->path, *in->path && name && !is_base ? "." : "",
             name && !is_base ? name : "");
    struct sym_member m = {.offset_bytes = in->offset_bytes + offset,
                           .path = sym_draft_text(f->layouts->draft, path),
                           .kind = is_base        ? SYM_MEMBER_BASE
                                   : is_anonymous ? SYM_MEMBER_ANONYMOUS
                                                  : SYM_MEMBER_FIELD};
    if (is_bits) {
        m.offset_bytes = in->offset_bytes + first_bit / 8;
        m.first_bit = (uint32_t)(first_bit % 8);
        m.bits_len = (uint32_t)bits_len;
        *group = sym_bits_group(f, &m, in, *group);
        if (*group == SYM_NONE) return;
        inside.parent = *group;
    } else
        *group = SYM_NONE;
    sym_add_placed(f, m, &type, &inside);
}

static void sym_add_members(struct sym_filling *f, Dwarf_Die *record, const struct sym_inside *in)
{
    Dwarf_Die die;
    uint32_t group = SYM_NONE;
    if (in->depth > SYM_TYPE_DEPTH_MAX || sym_is_declaration(record)) {
        f->lost++;
        return;
    }
    if (!sym_die_child(record, &die)) return;
    do {
        const int tag = dwarf_tag(&die);
        if (tag == DW_TAG_member || tag == DW_TAG_inheritance) sym_add_member(f, &die, in, &group);
    } while (sym_die_next(&die));
}

/* --- types --- */

static uint32_t sym_kind_of(Dwarf_Die *type)
{
    switch (dwarf_tag(type)) {
    case DW_TAG_structure_type:
        return SYM_TYPE_STRUCT;
    case DW_TAG_class_type:
        return SYM_TYPE_CLASS;
    case DW_TAG_union_type:
        return SYM_TYPE_UNION;
    default:
        return SYM_TYPE_SCALAR;
    }
}

static uint32_t sym_type_row(struct sym_layouts *l, const struct sym_type *type, const struct sym_filling *f)
{
    struct sym_type *row = SYM_DRAFT_ROW(l->draft, types);
    *row = *type;
    row->first_member = f->first;
    row->members_len = (uint32_t)(l->draft->rows[SYM_ROW_members].len - f->first);
    row->lost = f->lost;
    return (uint32_t)(l->draft->rows[SYM_ROW_types].len - 1);
}

uint32_t sym_layout_add(struct sym_layouts *l, Dwarf_Die *type)
{
    Dwarf_Die whole;
    const char *alias;
    Dwarf_Word len_bytes = 0;
    if (!sym_type_peel(type, &whole, &alias)) return SYM_NONE;
    const uint64_t key = (uint64_t)(uintptr_t)whole.addr;
    const uint32_t known = ls_index_find(&l->by_die, key);
    if (known != LS_INDEX_NONE) return known;
    if (sym_is_declaration(&whole) || dwarf_tag(&whole) == DW_TAG_unspecified_type) return SYM_NONE;
    if (dwarf_aggregate_size(&whole, &len_bytes) != 0 && dwarf_tag(&whole) == DW_TAG_pointer_type)
        len_bytes = sizeof(void *);
    if (len_bytes == 0 || len_bytes > UINT32_MAX || l->draft->is_short) return SYM_NONE;
    struct sym_filling f = {.layouts = l, .first = (uint32_t)l->draft->rows[SYM_ROW_members].len};
    const struct sym_type row = {
        .len_bytes = len_bytes, .name = sym_name_of(l, &whole, alias), .kind = sym_kind_of(&whole)};
    const struct sym_member all = {
        .len_bytes = len_bytes, .type_name = row.name, .parent = SYM_NONE, .kind = SYM_MEMBER_WHOLE};
    if (sym_member_add(&f, &all) == SYM_NONE) return SYM_NONE;
    if (sym_type_is_record(&whole)) sym_add_members(&f, &whole, &(struct sym_inside){0, 0, 0, ""});
    const uint32_t made = sym_type_row(l, &row, &f);
    if (ls_index_put(&l->by_die, key, made) != LS_OK) l->draft->is_short = true;
    return made;
}

uint32_t sym_layout_add_pointer(struct sym_layouts *l, const char *name)
{
    struct sym_filling f = {.layouts = l, .first = (uint32_t)l->draft->rows[SYM_ROW_members].len};
    const struct sym_type row = {
        .len_bytes = sizeof(void *), .name = sym_draft_text(l->draft, name), .kind = SYM_TYPE_SCALAR};
    const struct sym_member all = {
        .len_bytes = row.len_bytes, .type_name = row.name, .parent = SYM_NONE, .kind = SYM_MEMBER_WHOLE};
    return sym_member_add(&f, &all) == SYM_NONE ? SYM_NONE : sym_type_row(l, &row, &f);
}

void sym_layouts_fini(struct sym_layouts *l)
{
    ls_index_fini(&l->by_die);
}
