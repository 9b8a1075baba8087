/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_walk.h"

#include "common/ls_hash.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

/* Limit of the attributes of all tables: half a gigabyte. */
enum { SYM_WALK_ATTRIBUTES_MAX = 32 << 20 };

struct sym_walk_table {
    const uint8_t *begin; /* in the abbreviations of the file */
    struct sym_form_sizes sizes;
    struct sym_abbrevs abbrevs;
};
struct sym_walk_unit {
    Dwarf_CU *cu;
    const uint8_t *begin, *end; /* end NULL: damaged, without entries */
    const struct sym_walk_table *table;
};

/* --- sections --- */

/* Find ".debug_info" in ".debug_info", ".zdebug_info" and ".debug_info.dwo". */
static bool sym_is_section(const char *name, const char *wanted)
{
    if (*name++ != '.') return false;
    if (*name == 'z') name++;
    const size_t len = strlen(wanted);
    return strncmp(name, wanted, len) == 0 && (name[len] == '\0' || strcmp(name + len, ".dwo") == 0);
}

static struct sym_bytes sym_section_bytes(Elf_Scn *scn)
{
    const Elf_Data *data = elf_rawdata(scn, NULL);
    if (!data || !data->d_buf) return (struct sym_bytes){NULL, NULL};
    return (struct sym_bytes){data->d_buf, (const uint8_t *)data->d_buf + data->d_size};
}

static bool sym_bytes_contain(struct sym_bytes b, const uint8_t *at)
{
    return b.at && at >= b.at && at < b.end;
}

/* Find the sections of a file, as libdw reads them. */
static void sym_sections_find(struct sym_walk_sections *s, Dwarf *dwarf)
{
    size_t names;
    GElf_Shdr sh;
    Elf *elf = dwarf_getelf(dwarf);
    if (s->dwarf == dwarf) return;
    *s = (struct sym_walk_sections){.dwarf = dwarf};
    if (!elf || elf_getshdrstrndx(elf, &names) != 0) return;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
        const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;
        if (!name || sh.sh_type == SHT_NOBITS) continue;
        if (sym_is_section(name, "debug_info")) s->info = sym_section_bytes(scn);
        if (sym_is_section(name, "debug_types")) s->types = sym_section_bytes(scn);
        if (sym_is_section(name, "debug_abbrev")) s->abbrevs = sym_section_bytes(scn);
    }
}

/* --- units --- */

static uint64_t sym_table_key(const uint8_t *begin, struct sym_form_sizes sizes)
{
    return ls_index_key((uint64_t)(uintptr_t)begin, (uint64_t)sizes.version << 16 |
                                                        (uint64_t)sizes.address_bytes << 8 |
                                                        sizes.offset_bytes);
}

/* Find the table at the begin of b, or read it. NULL: a limit was reached. */
static const struct sym_walk_table *sym_walk_table(struct sym_walk *w, struct sym_bytes b,
                                                   struct sym_form_sizes sizes)
{
    const uint64_t key = sym_table_key(b.at, sizes);
    uint32_t row;
    for (size_t step = 0; ls_index_next(&w->by_table, key, &step, &row);) {
        const struct sym_walk_table *known = w->tables.rows[row];
        if (known->begin == b.at && memcmp(&known->sizes, &sizes, sizeof(sizes)) == 0) return known;
    }
    struct sym_walk_table *t = w->attributes_len < SYM_WALK_ATTRIBUTES_MAX ? calloc(1, sizeof(*t)) : NULL;
    if (!t) return NULL;
    *t = (struct sym_walk_table){.begin = b.at, .sizes = sizes};
    if (!sym_abbrevs_read(&t->abbrevs, b, sizes) || LS_VECTOR_ROOM(&w->tables) != LS_OK ||
        ls_index_put(&w->by_table, key, (uint32_t)w->tables.len) != LS_OK) {
        sym_abbrevs_fini(&t->abbrevs);
        free(t);
        return NULL;
    }
    w->attributes_len += t->abbrevs.attributes_len + 1;
    w->tables.rows[w->tables.len++] = t;
    return t;
}

/* Set *out to the bytes of the unit around the entry, from its header on. False: damage. */
static bool sym_unit_bytes(const struct sym_walk_sections *s, Dwarf_Die *die, struct sym_bytes *out)
{
    const uint8_t *at = die->addr;
    const struct sym_bytes section = sym_bytes_contain(s->info, at) ? s->info : s->types;
    uint32_t short_len;
    uint64_t len;
    if (!sym_bytes_contain(section, at)) return false;
    const uint64_t in_unit = dwarf_cuoffset(die);
    if (in_unit > (uint64_t)(at - section.at)) return false;
    *out = (struct sym_bytes){at - in_unit, section.end};
    struct sym_bytes head = *out;
    if (!sym_bytes_skip(&head, sizeof(short_len))) return false;
    memcpy(&short_len, out->at, sizeof(short_len));
    len = short_len;
    if (short_len == UINT32_MAX) { /* 64-bit DWARF (DWARF 5, 7.4) */
        if (!sym_bytes_skip(&head, sizeof(len))) return false;
        memcpy(&len, head.at - sizeof(len), sizeof(len));
    }
    if (len > (uint64_t)(head.end - head.at)) return false;
    out->end = head.at + len;
    return true;
}

/* Fill in the unit of die. Without its bytes or abbreviations it has no entries. */
static void sym_walk_read_unit(struct sym_walk *w, Dwarf_Die *die, struct sym_walk_unit *unit)
{
    Dwarf_Die cu_die;
    Dwarf_Half version;
    Dwarf_Off table_at;
    uint8_t address_bytes, offset_bytes;
    struct sym_bytes bytes;
    sym_sections_find(&w->sections, dwarf_cu_getdwarf(die->cu));
    struct sym_bytes abbrevs = w->sections.abbrevs;
    if (!dwarf_cu_die(die->cu, &cu_die, &version, &table_at, &address_bytes, &offset_bytes, NULL, NULL) ||
        !sym_unit_bytes(&w->sections, die, &bytes) || !abbrevs.at ||
        table_at >= (uint64_t)(abbrevs.end - abbrevs.at) || version > UINT8_MAX)
        return;
    abbrevs.at += table_at;
    unit->table =
        sym_walk_table(w, abbrevs, (struct sym_form_sizes){(uint8_t)version, address_bytes, offset_bytes});
    if (!unit->table) w->is_cut = true;
    if (!unit->table) return;
    unit->begin = bytes.at;
    unit->end = bytes.end;
}

/* NULL: memory ran out. */
static const struct sym_walk_unit *sym_walk_unit(struct sym_walk *w, Dwarf_Die *die)
{
    const uint64_t key = (uint64_t)(uintptr_t)die->cu;
    const uint32_t known = ls_index_find(&w->by_cu, key);
    if (known != LS_INDEX_NONE) return w->units.rows[known];
    struct sym_walk_unit *unit = calloc(1, sizeof(*unit));
    if (!unit || LS_VECTOR_ROOM(&w->units) != LS_OK ||
        ls_index_put(&w->by_cu, key, (uint32_t)w->units.len) != LS_OK) {
        w->is_cut = true;
        free(unit);
        return NULL;
    }
    unit->cu = die->cu;
    sym_walk_read_unit(w, die, unit);
    w->units.rows[w->units.len++] = unit;
    return unit;
}

void sym_walk_fini(struct sym_walk *w)
{
    for (size_t i = 0; i < w->units.len; i++)
        free(w->units.rows[i]);
    for (size_t i = 0; i < w->tables.len; i++) {
        sym_abbrevs_fini(&w->tables.rows[i]->abbrevs);
        free(w->tables.rows[i]);
    }
    free(w->units.rows);
    free(w->tables.rows);
    ls_index_fini(&w->by_cu);
    ls_index_fini(&w->by_table);
    *w = (struct sym_walk){.is_cut = false};
}

/* --- entries --- */

/* Decode the code of the entry at b. False: the end of a list of siblings, or damage. */
static bool sym_entry_at(const struct sym_walk_unit *unit, const uint8_t *at, struct sym_entry *out)
{
    struct sym_bytes b = {at, unit->end};
    uint64_t code;
    if (at >= b.end) return false;
    if (*at < 0x80) {
        code = *at;
        b.at++;
    } else if (!sym_bytes_uleb(&b, &code))
        return false;
    const struct sym_abbrev *abbrev = code ? sym_abbrevs_find(&unit->table->abbrevs, code) : NULL;
    *out = (struct sym_entry){unit, abbrev, at, b.at};
    return abbrev != NULL;
}

bool sym_entry_of(struct sym_walk *w, const Dwarf_Die *die, struct sym_entry *out)
{
    Dwarf_Die copy = *die;
    const struct sym_walk_unit *unit = die->addr && die->cu ? sym_walk_unit(w, &copy) : NULL;
    const uint8_t *at = die->addr;
    return unit && unit->end && at >= unit->begin && sym_entry_at(unit, at, out);
}

Dwarf_Die sym_entry_die(const struct sym_entry *e)
{
    return (Dwarf_Die){.addr = (void *)(uintptr_t)e->at, .cu = e->unit->cu};
}

/* Move b, at the first attribute of an entry, past its last one. */
static inline bool sym_skip_attributes(struct sym_bytes *b, const struct sym_walk_unit *unit,
                                       const struct sym_abbrev *abbrev)
{
    const struct sym_open_value *opens = unit->table->abbrevs.opens + abbrev->first_open;
    for (uint32_t i = 0; i < abbrev->opens_len; i++)
        if (!sym_bytes_skip(b, opens[i].before_bytes) || !sym_form_skip(b, opens[i].form, unit->table->sizes))
            return false;
    return sym_bytes_skip(b, abbrev->tail_bytes);
}

/* Find the place of attribute number i of the entry. */
static bool sym_attribute_place(const struct sym_entry *e, uint32_t i, struct sym_bytes *out)
{
    const struct sym_attribute *all = e->unit->table->abbrevs.attributes + e->abbrev->first_attribute;
    *out = (struct sym_bytes){e->attributes, e->unit->end};
    uint32_t from = i;
    while (all[from].before_bytes == SYM_NO_OFFSET) /* the first one is at 0 */
        from--;
    if (!sym_bytes_skip(out, all[from].before_bytes)) return false;
    for (; from < i; from++)
        if (!sym_form_skip(out, all[from].form, e->unit->table->sizes)) return false;
    return true;
}

/* Read the reference to the next sibling of the entry. False: it has none, or damage. */
static bool sym_sibling_of(const struct sym_entry *e, const uint8_t **out)
{
    struct sym_bytes b;
    uint64_t distance = 0;
    if (e->abbrev->sibling == SYM_NO_ATTRIBUTE || !sym_attribute_place(e, e->abbrev->sibling, &b))
        return false;
    const unsigned form =
        e->unit->table->abbrevs.attributes[e->abbrev->first_attribute + e->abbrev->sibling].form;
    const struct sym_bytes value = b;
    switch (form) {
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
        if (!sym_form_skip(&b, form, e->unit->table->sizes)) return false;
        memcpy(&distance, value.at, (size_t)(b.at - value.at));
        break;
    case DW_FORM_ref_udata:
        if (!sym_bytes_uleb(&b, &distance)) return false;
        break;
    default:
        return false;
    }
    if (distance >= (uint64_t)(e->unit->end - e->unit->begin)) return false;
    *out = e->unit->begin + distance;
    return *out > e->attributes;
}

/* Find the end of the entry and of all its children. NULL: damage. */
static const uint8_t *sym_entry_end(const struct sym_entry *e)
{
    struct sym_entry inner = *e;
    const uint8_t *end;
    uint64_t depth = 0;
    do {
        struct sym_bytes b = {inner.attributes, inner.unit->end};
        if (inner.abbrev && inner.abbrev->has_children && sym_sibling_of(&inner, &end))
            b.at = end;
        else if (inner.abbrev) {
            if (!sym_skip_attributes(&b, inner.unit, inner.abbrev)) return NULL;
            depth += inner.abbrev->has_children;
        } else
            depth--; /* the end of a list */
        if (depth == 0) return b.at;
        if (!sym_entry_at(e->unit, b.at, &inner) && (b.at >= b.end || *b.at != 0)) return NULL;
    } while (true);
}

bool sym_entry_child(const struct sym_entry *parent, struct sym_entry *out)
{
    struct sym_bytes b = {parent->attributes, parent->unit->end};
    return parent->abbrev->has_children && sym_skip_attributes(&b, parent->unit, parent->abbrev) &&
           sym_entry_at(parent->unit, b.at, out);
}

bool sym_entry_next(struct sym_entry *e)
{
    struct sym_bytes b = {e->attributes, e->unit->end};
    if (!e->abbrev->has_children)
        return sym_skip_attributes(&b, e->unit, e->abbrev) && sym_entry_at(e->unit, b.at, e);
    const uint8_t *end = sym_entry_end(e);
    return end && sym_entry_at(e->unit, end, e);
}

/* Entries are in the order of their bytes: the last one that begins before an entry is around it, if it has children. */
size_t sym_entry_around(struct sym_walk *w, const Dwarf_Die *die, struct sym_entry *rows, size_t room)
{
    Dwarf_Die copy = *die, unit;
    const uint8_t *at = die->addr;
    size_t len = 1;
    if (!at || !dwarf_diecu(&copy, &unit, NULL, NULL) || !sym_entry_of(w, &unit, &rows[0])) return 0;
    if (rows[0].at == at) return 0;
    while (len < room) {
        struct sym_entry child;
        if (!sym_entry_child(&rows[len - 1], &child) || child.at > at) return 0;
        do {
            if (child.at == at) return len;
            rows[len] = child;
        } while (sym_entry_next(&child) && child.at <= at);
        len++;
    }
    return 0;
}

Dwarf_Attribute *sym_entry_attribute(const struct sym_entry *e, unsigned name, Dwarf_Attribute *out)
{
    const struct sym_attribute *all = e->unit->table->abbrevs.attributes + e->abbrev->first_attribute;
    struct sym_bytes b;
    uint32_t i = 0;
    if (!sym_entry_may_have(e, SYM_ATTRIBUTE_BIT(name))) return NULL;
    while (i < e->abbrev->attributes_len && all[i].name != name)
        i++;
    if (i == e->abbrev->attributes_len || !sym_attribute_place(e, i, &b)) return NULL;
    uint64_t form = all[i].form;
    if (form == DW_FORM_indirect && !sym_bytes_uleb(&b, &form)) return NULL;
    const struct sym_bytes value = b;
    if (!sym_form_skip(&b, (unsigned)form, e->unit->table->sizes)) return NULL; /* values end in the unit */
    const uint8_t *at =
        form == DW_FORM_implicit_const ? e->unit->table->begin + all[i].implicit_at_bytes : value.at;
    *out = (Dwarf_Attribute){
        .code = name, .form = (unsigned)form, .valp = (unsigned char *)(uintptr_t)at, .cu = e->unit->cu};
    return out;
}

const char *sym_entry_text(const struct sym_entry *e, unsigned name)
{
    Dwarf_Attribute found;
    return dwarf_formstring(sym_entry_attribute(e, name, &found));
}
