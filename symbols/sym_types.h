/* SPDX-License-Identifier: BSD-3-Clause */
/* Types of objects, from DWARF: which type an object has, and its members with their places. The DWARF may be
 * damaged or made to harm: walks go forwards, and members, depth and visited entries have limits. Parts that are left
 * out are counted (lost of struct sym_type), and answers that are missing for this reason are marked (is_lost of struct
 * sym_typing).
 *
 * A question is an address of the file and a text, whose first character is the kind:
 *   v        the global or static variable that begins at the address
 *   t        the thread-local variable at that offset
 *   f        the functions at the address, inlined ones too: the class of an allocator whose allocate is among
 *            them, else the type that the pointer returned by the innermost function points to
 *   nNAME    the type NAME, as the code at the address would find it
 *   pEXPR    the type that the expression, a pointer, points to; a name with members and subscripts: a->b[].c
 *   s        the frame of the function at the address: its variables that are in memory there, as slots
 *   a        the object that the instruction at the address accesses: a variable of its frame, or the target of a
 *            pointer in a register, by the variables' location lists; one slot, whose offset is that of the access
 *   eEXPR    the type of the expression itself, or the type of that name */
#ifndef SYM_TYPES_H
#define SYM_TYPES_H

#include "symbols/sym_dies.h"
#include "symbols/sym_elf.h"
#include "symbols/sym_worker.h"

#include <stdbool.h>

/* Answer the questions of r: rows of d's typings, types, members and slots.  Errors: LS_ERR_NOMEM. */
ls_err sym_types_read(const struct sym_elf *e, const struct sym_request *r, struct sym_draft *d);

/* --- layouts ---
 *
 * Types as rows of types and members. */

enum { SYM_TYPE_MEMBERS_MAX = 4096, SYM_TYPE_DEPTH_MAX = 16, SYM_TYPE_TEXT_BYTES = 512 };
/* All members of one answer. */
#define SYM_ALL_MEMBERS_MAX (1u << 20)

/* Zeroed but for draft and walk is empty. */
struct sym_layouts {
    struct sym_draft *draft;
    struct sym_walk *walk;
    struct ls_index by_die; /* rows of types, by the address of their entry */
};
/* Return the row of the type, which is added if it is new. SYM_NONE: it has no size.  A class that is only
 * declared here has no row. */
uint32_t sym_layout_add(struct sym_layouts *l, Dwarf_Die *type);
/* The question names a type; the object is a pointer to it. */
uint32_t sym_layout_add_pointer(struct sym_layouts *l, const char *name);
void sym_layouts_fini(struct sym_layouts *l);

/* The type of a variable, member, pointer or array. */
bool sym_type_next(Dwarf_Die *die, Dwarf_Die *out);
/* Remove typedefs and qualifiers, and follow a signature to the type that has it. *name_out (may be NULL) is
 * set to the last typedef's name where the type itself has none. */
bool sym_type_peel(Dwarf_Die *type, Dwarf_Die *out, const char **name_out);
bool sym_type_is_record(Dwarf_Die *type);  /* struct, class or union */
bool sym_type_is_pointer(Dwarf_Die *type); /* or reference */
/* The offset in bytes of a member or a base from the begin of its record. False: known only at run time (a virtual base). */
bool sym_member_offset(Dwarf_Die *member, uint64_t *out);
/* The first type argument of a template: a class or function. */
bool sym_type_argument(Dwarf_Die *die, Dwarf_Die *out);

#endif
