/* SPDX-License-Identifier: BSD-3-Clause */
/* Walking the entries of DWARF units. libdw looks the abbreviation of an entry up again for each question about it; here, an
 * entry is passed in one addition if its values have fixed sizes. libdw's functions read the values of attributes. The DWARF may
 * be damaged: walks go forwards only, and never leave their unit. */
#ifndef SYM_WALK_H
#define SYM_WALK_H

#include "common/ls_index.h"
#include "common/ls_vector.h"
#include "symbols/sym_abbrev.h"

#include <elfutils/libdw.h>

struct sym_walk_unit;
struct sym_walk_table;
/* The sections of a file that units are in. */
struct sym_walk_sections {
    Dwarf *dwarf; /* NULL: none was found yet */
    struct sym_bytes info, types, abbrevs;
};
/* Units that have been walked, and their abbreviations. Zeroed is empty. */
struct sym_walk {
    LS_VECTOR(struct sym_walk_unit *) units;
    LS_VECTOR(struct sym_walk_table *) tables;
    struct ls_index by_cu, by_table;
    struct sym_walk_sections sections; /* found last, for a unit of their file */
    size_t attributes_len;             /* sum over tables */
    bool is_cut;                       /* a limit was reached, or memory ran out: units have no entries */
};
void sym_walk_fini(struct sym_walk *w);

struct sym_entry {
    const struct sym_walk_unit *unit;
    const struct sym_abbrev *abbrev;
    const uint8_t *at, *attributes;
};

/* Find an entry that libdw found. False: damage. Entries live as long as w. */
bool sym_entry_of(struct sym_walk *w, const Dwarf_Die *die, struct sym_entry *out);
/* The same entry for libdw. */
Dwarf_Die sym_entry_die(const struct sym_entry *e);
/* Find the first child of parent, or the next sibling of *e. False: there is none. */
bool sym_entry_child(const struct sym_entry *parent, struct sym_entry *out);
bool sym_entry_next(struct sym_entry *e);

/* Find the entries around an entry, outermost first: its unit, then at most `room` - 1 others. Returns their number, 0: damage. */
size_t sym_entry_around(struct sym_walk *w, const Dwarf_Die *die, struct sym_entry *rows, size_t room);

static inline int sym_entry_tag(const struct sym_entry *e)
{
    return e->abbrev->tag;
}
/* May the entry have one of these attributes (SYM_ATTRIBUTE_BIT)? */
static inline bool sym_entry_may_have(const struct sym_entry *e, uint64_t names)
{
    return (e->abbrev->names & names) != 0;
}
/* Find an attribute of the entry itself, for libdw's dwarf_form* functions. NULL: it has none. */
Dwarf_Attribute *sym_entry_attribute(const struct sym_entry *e, unsigned name, Dwarf_Attribute *out);
/* The text of an attribute, NULL: none. */
const char *sym_entry_text(const struct sym_entry *e, unsigned name);

#endif
