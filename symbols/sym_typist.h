/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of sym_types_read: the code around an address and the names that it sees (sym_scopes.c), variables in memory
 * of its frame (sym_frames.c), the questions (sym_types.c). */
#ifndef SYM_TYPIST_H
#define SYM_TYPIST_H

#include "symbols/sym_names.h"
#include "symbols/sym_types.h"

enum { SYM_SCOPES_MAX = 128, SYM_WORD_BYTES = 256, SYM_STARS_MAX = 8 };

/* Entries around an address, outermost first: functions, inlined ones, blocks. */
struct sym_scopes {
    Dwarf_Die rows[SYM_SCOPES_MAX];
    size_t len;
    uint64_t at;
    struct sym_unit *unit; /* NULL: no known code at the address */
};

struct sym_typist {
    const struct sym_elf *elf;
    struct sym_draft *draft;
    struct sym_layouts layouts;
    struct sym_units *units;  /* of elf */
    struct sym_scopes scopes; /* the last address's */
    struct sym_names names;
    uint32_t visits, question_visits;
    bool is_cut; /* the question reached a limit */
};

/* Count one more visited entry. False: the limit of the question, or of all, is reached. */
bool sym_visit(struct sym_typist *t);

/* Set t->scopes to the entries around an address in the DWARF. */
void sym_scopes_find(struct sym_typist *t, uint64_t at);
/* The entry that a concrete function was made from: its declaration in a class, or the abstract one. */
bool sym_origin_of(Dwarf_Die *function, Dwarf_Die *out);
/* Find the class of a member function. */
bool sym_class_of(struct sym_typist *t, Dwarf_Die *function, Dwarf_Die *out);
/* Find a member of the record, of its bases, or of its structs and unions without names. */
bool sym_member_named(struct sym_typist *t, Dwarf_Die *record, const char *name, int depth, Dwarf_Die *out);
/* Look a variable up as code in t->scopes does: innermost scope first, then members of the function's class, then
 * the unit. */
bool sym_variable_named(struct sym_typist *t, const char *name, Dwarf_Die *out);
/* Return the layout of the type that the text names in t->scopes, SYM_NONE: not found. */
uint32_t sym_type_named(struct sym_typist *t, const char *text);
/* Remove typedefs and qualifiers, and find the definition if the unit only declares the type. False: there is none. */
bool sym_type_defined(struct sym_typist *t, Dwarf_Die *type, Dwarf_Die *out);
/* Return the layout of a type, also if it is only declared in the unit of its use. */
uint32_t sym_type_whole(struct sym_typist *t, Dwarf_Die *type);
/* Return the name after the last :: outside of template arguments. */
const char *sym_last_part(const char *name);

/* The variables in memory of the frame at t->scopes, as slots of the draft. */
struct sym_typing sym_frame_variables(struct sym_typist *t, uint32_t question);
/* The object that the instruction accesses, as a slot whose offset is that of the access in it: a variable of the
 * frame, or the target of a pointer in a register. */
struct sym_typing sym_object_of_access(struct sym_typist *t, uint64_t linked, uint32_t question);

#endif
