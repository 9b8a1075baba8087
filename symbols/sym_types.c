/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_types.h"

#include "common/ls_checked.h"
#include "common/ls_hash.h"
#include "common/ls_vector.h"
#include "symbols/sym_names.h"
#include "symbols/sym_operand.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest number of entries that the searches of one question, and of all, visit; types beyond it are lost. */
enum { SYM_QUESTION_VISITS_MAX = 4 << 20, SYM_VISITS_MAX = 128 << 20 };
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
    struct sym_units units;
    struct sym_scopes scopes; /* the last address's */
    struct sym_names names;
    uint32_t visits, question_visits;
    bool is_cut; /* the question reached a limit */
};

static bool sym_may_visit(struct sym_typist *t)
{
    if (++t->visits < SYM_VISITS_MAX && ++t->question_visits < SYM_QUESTION_VISITS_MAX) return true;
    t->is_cut = true;
    return false;
}

/* --- scopes --- */

static void sym_scopes_enter(struct sym_typist *t, Dwarf_Die *parent, int depth)
{
    struct sym_scopes *s = &t->scopes;
    Dwarf_Die die;
    if (depth > SYM_DIE_DEPTH_MAX || !sym_die_child(parent, &die)) return;
    do {
        const int tag = dwarf_tag(&die);
        if (!sym_may_visit(t)) return;
        if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block)
            continue;
        if (dwarf_haspc(&die, s->at) <= 0 || s->len == SYM_SCOPES_MAX) continue;
        s->rows[s->len++] = die;
        sym_scopes_enter(t, &die, depth + 1);
        return;
    } while (sym_die_next(&die));
}

/* at is an address in the DWARF. */
static void sym_scopes_find(struct sym_typist *t, uint64_t at)
{
    struct sym_scopes *s = &t->scopes;
    if (s->unit && s->at == at) return;
    s->at = at;
    s->len = 0;
    s->unit = sym_units_find(&t->units, at);
    if (!s->unit || !sym_names_function(&t->names, s->unit, at, &s->rows[0])) return;
    Dwarf_Die function = s->rows[0];
    s->len = 1;
    sym_scopes_enter(t, &function, 0);
}

/* The entry that a concrete function was made from: its declaration in a class, or the abstract one. */
static bool sym_origin_of(Dwarf_Die *function, Dwarf_Die *out)
{
    Dwarf_Attribute found;
    *out = *function;
    for (int depth = 0; depth < SYM_STARS_MAX; depth++) {
        Dwarf_Die next;
        if (!dwarf_formref_die(dwarf_attr(out, DW_AT_abstract_origin, &found), &next) &&
            !dwarf_formref_die(dwarf_attr(out, DW_AT_specification, &found), &next))
            return depth > 0;
        *out = next;
    }
    return true;
}

static bool sym_class_of(Dwarf_Die *function, Dwarf_Die *out)
{
    Dwarf_Die origin, *scopes = NULL;
    sym_origin_of(function, &origin);
    const int len = dwarf_getscopes_die(&origin, &scopes);
    const bool is_found = len > 1 && sym_type_is_record(&scopes[1]) && sym_type_peel(&scopes[1], out, NULL);
    free(scopes);
    return is_found;
}

/* --- variables by name --- */

static bool sym_is_named(Dwarf_Die *die, const char *name)
{
    const char *own = dwarf_diename(die);
    return own && strcmp(own, name) == 0;
}

/* Find a variable of this name below parent. */
static bool sym_variable_below(struct sym_typist *t, Dwarf_Die *parent, const char *name, int depth,
                               Dwarf_Die *out)
{
    Dwarf_Die die;
    if (depth > SYM_STARS_MAX || !sym_die_child(parent, &die)) return false;
    do {
        const int tag = dwarf_tag(&die);
        if (!sym_may_visit(t)) return false;
        if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter || tag == DW_TAG_member) &&
            sym_is_named(&die, name)) {
            *out = die;
            return true;
        }
        if ((tag == DW_TAG_namespace || tag == DW_TAG_lexical_block || tag == DW_TAG_module ||
             tag == DW_TAG_common_block) &&
            sym_variable_below(t, &die, name, depth + 1, out))
            return true;
    } while (sym_die_next(&die));
    return false;
}

/* Find a member of the record, of its bases, or of its structs and unions without names. */
static bool sym_member_named(struct sym_typist *t, Dwarf_Die *record, const char *name, int depth,
                             Dwarf_Die *out)
{
    Dwarf_Die die, type, inner;
    if (depth > SYM_STARS_MAX || !sym_die_child(record, &die)) return false;
    do {
        const int tag = dwarf_tag(&die);
        if (!sym_may_visit(t)) return false;
        const bool is_member = tag == DW_TAG_member || tag == DW_TAG_variable;
        if (is_member && sym_is_named(&die, name)) {
            *out = die;
            return true;
        }
        const bool is_open = tag == DW_TAG_inheritance || (tag == DW_TAG_member && !dwarf_diename(&die));
        if (is_open && sym_type_next(&die, &type) && sym_type_peel(&type, &inner, NULL) &&
            sym_type_is_record(&inner) && sym_member_named(t, &inner, name, depth + 1, out))
            return true;
    } while (sym_die_next(&die));
    return false;
}

/* Look a variable up as code in these scopes does: innermost scope first, then members of the function's
 * class, then the unit. */
static bool sym_variable_named(struct sym_typist *t, const char *name, Dwarf_Die *out)
{
    struct sym_scopes *s = &t->scopes;
    Dwarf_Die origin, class;
    for (size_t i = s->len; i-- > 0;) {
        if (sym_variable_below(t, &s->rows[i], name, SYM_STARS_MAX, out)) return true;
        if (dwarf_tag(&s->rows[i]) == DW_TAG_lexical_block) continue;
        if (sym_origin_of(&s->rows[i], &origin) && sym_variable_below(t, &origin, name, 0, out)) return true;
        if (sym_variable_below(t, &s->rows[i], name, 0, out)) return true;
        if (sym_class_of(&s->rows[i], &class) && sym_member_named(t, &class, name, 0, out)) return true;
    }
    return s->unit && sym_names_variable(&t->names, s->unit, name, out);
}

/* --- types by name --- */

static bool sym_is_type_tag(int tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
           tag == DW_TAG_typedef || tag == DW_TAG_base_type || tag == DW_TAG_enumeration_type;
}

/* Find a defined type of this name below parent; dwz and partial units are followed. */
static bool sym_type_below(struct sym_typist *t, Dwarf_Die *parent, const char *name, int depth,
                           Dwarf_Die *out)
{
    Dwarf_Attribute found;
    Dwarf_Die die, unit;
    if (depth > SYM_STARS_MAX || !sym_die_child(parent, &die)) return false;
    do {
        const int tag = dwarf_tag(&die);
        if (!sym_may_visit(t)) return false;
        if (sym_is_type_tag(tag) && sym_is_spelled(&die, name) &&
            (!dwarf_hasattr(&die, DW_AT_declaration) || dwarf_hasattr(&die, DW_AT_signature))) {
            *out = die;
            return true;
        }
        if (tag == DW_TAG_template_type_parameter && sym_is_spelled(&die, name))
            return sym_type_next(&die, out);
        if (tag == DW_TAG_imported_unit && dwarf_formref_die(dwarf_attr(&die, DW_AT_import, &found), &unit) &&
            sym_type_below(t, &unit, name, depth + 1, out))
            return true;
        if ((tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_structure_type ||
             tag == DW_TAG_class_type || tag == DW_TAG_lexical_block) &&
            sym_type_below(t, &die, name, depth + 1, out))
            return true;
    } while (sym_die_next(&die));
    return false;
}

static bool sym_type_in_scopes(struct sym_typist *t, const char *name, Dwarf_Die *out)
{
    struct sym_scopes *s = &t->scopes;
    Dwarf_Die origin, class;
    for (size_t i = s->len; i-- > 0;) {
        if (sym_type_below(t, &s->rows[i], name, 0, out)) return true;
        if (dwarf_tag(&s->rows[i]) == DW_TAG_lexical_block) continue;
        if (sym_origin_of(&s->rows[i], &origin) && sym_type_below(t, &origin, name, 0, out)) return true;
        if (sym_class_of(&s->rows[i], &class) && sym_type_below(t, &class, name, 0, out)) return true;
    }
    return s->unit && sym_names_type(&t->names, s->unit, name, out);
}

/* Look a type up in all units: in definitions that the unit of the code only declares, and in type units. */
static bool sym_type_anywhere(struct sym_typist *t, const char *name, Dwarf_Die *out)
{
    return sym_names_type_anywhere(&t->names, name, out);
}

/* C's short names of types that have longer names in DWARF. */
static const char *sym_base_name(const char *name)
{
    static const char *const names[][2] = {
        {"unsigned", "unsigned int"},
        {"signed", "int"},
        {"short", "short int"},
        {"unsigned short", "short unsigned int"},
        {"unsigned short int", "short unsigned int"},
        {"long", "long int"},
        {"unsigned long", "long unsigned int"},
        {"unsigned long int", "long unsigned int"},
        {"long long", "long long int"},
        {"unsigned long long", "long long unsigned int"},
        {"unsigned long long int", "long long unsigned int"},
        {"std::size_t", "size_t"},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(name, names[i][0]) == 0) return names[i][1];
    return name;
}

/* Return the name after the last :: outside of template arguments. */
static const char *sym_last_part(const char *name)
{
    const char *last = name;
    int depth = 0;
    for (const char *at = name; *at; at++) {
        depth += *at == '<';
        depth -= *at == '>';
        if (depth == 0 && at[0] == ':' && at[1] == ':') last = at + 2;
    }
    return last;
}

static const char *sym_skip_words(const char *text)
{
    static const char *const words[] = {"struct ", "class ",    "union ",   "enum ",
                                        "const ",  "typename ", "volatile "};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strncmp(text, words[i], strlen(words[i])) == 0) return sym_skip_words(text + strlen(words[i]));
    return text;
}

/* Write "node**" in the form used for DWARF's types: "node * *". */
static uint32_t sym_pointer_named(struct sym_typist *t, char name[SYM_WORD_BYTES])
{
    int stars = 0;
    for (size_t len = strlen(name); len > 0 && (name[len - 1] == '*' || name[len - 1] == ' ');) {
        stars += name[--len] == '*';
        name[len] = '\0';
    }
    for (; stars > 0 && strlen(name) + 3 < SYM_WORD_BYTES; stars--)
        strcat(name, " *");
    return sym_layout_add_pointer(&t->layouts, name);
}

static uint32_t sym_type_named(struct sym_typist *t, const char *text)
{
    char name[SYM_WORD_BYTES];
    Dwarf_Die die;
    snprintf(name, sizeof(name), "%s", sym_skip_words(text));
    size_t len = strlen(name);
    while (len > 0 && name[len - 1] == ' ')
        name[--len] = '\0';
    if (len == 0) return SYM_NONE;
    if (name[len - 1] == '*') return sym_pointer_named(t, name);
    const char *plain = sym_last_part(sym_base_name(name));
    if (!sym_type_in_scopes(t, plain, &die) && !sym_type_anywhere(t, plain, &die)) return SYM_NONE;
    return sym_layout_add(&t->layouts, &die);
}

/* Find the definition of a type that is only declared in the unit of its use. */
static uint32_t sym_type_whole(struct sym_typist *t, Dwarf_Die *type)
{
    Dwarf_Die whole, other;
    if (!sym_type_peel(type, &whole, NULL)) return SYM_NONE;
    if (sym_type_is_record(&whole) && dwarf_hasattr(&whole, DW_AT_declaration)) {
        const char *name = dwarf_diename(&whole);
        return name && sym_type_anywhere(t, name, &other) ? sym_layout_add(&t->layouts, &other) : SYM_NONE;
    }
    return sym_layout_add(&t->layouts, type);
}

/* --- expressions --- */

static size_t sym_word(const char *text, char out[SYM_WORD_BYTES])
{
    size_t len = 0;
    while ((isalnum((unsigned char)text[len]) || text[len] == '_' || text[len] == '$' ||
            (unsigned char)text[len] >= 0x80) &&
           len + 1 < SYM_WORD_BYTES)
        len++;
    memcpy(out, text, len);
    out[len] = '\0';
    return len;
}

static bool sym_is_pointer(Dwarf_Die *type)
{
    const int tag = dwarf_tag(type);
    return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

/* Replace the type of `x` by that of `x[i]` and `*x`; containers have the type of their elements as first
 * argument. False: void, or no such type. */
static bool sym_element_of(Dwarf_Die *type)
{
    Dwarf_Die peeled, next;
    if (!sym_type_peel(type, &peeled, NULL)) return false;
    const bool is_found = sym_is_pointer(&peeled) || dwarf_tag(&peeled) == DW_TAG_array_type
                              ? sym_type_next(&peeled, &next)
                              : sym_type_is_record(&peeled) && sym_type_argument(&peeled, &next);
    if (is_found) *type = next;
    return is_found;
}

/* Replace a reference by the type that it refers to. */
static void sym_skip_reference(Dwarf_Die *type)
{
    Dwarf_Die peeled, next;
    if (!sym_type_peel(type, &peeled, NULL)) return;
    const int tag = dwarf_tag(&peeled);
    if ((tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type) &&
        sym_type_next(&peeled, &next))
        *type = next;
}

/* Set type to that of its member that text names; return the text after the name, NULL: there is none. */
static const char *sym_expression_member(struct sym_typist *t, const char *text, Dwarf_Die *type)
{
    char word[SYM_WORD_BYTES];
    Dwarf_Die record, member, whole;
    const size_t len = sym_word(text, word);
    if (len == 0 || !sym_type_peel(type, &record, NULL)) return NULL;
    if (sym_is_pointer(&record)) {
        if (!sym_type_next(&record, type) || !sym_type_peel(type, &record, NULL)) return NULL;
    }
    if (!sym_type_is_record(&record)) return NULL;
    if (dwarf_hasattr(&record, DW_AT_declaration) && dwarf_diename(&record) &&
        sym_type_anywhere(t, dwarf_diename(&record), &whole))
        record = whole;
    if (!sym_member_named(t, &record, word, 0, &member) || !sym_type_next(&member, type)) return NULL;
    return text + len;
}

/* Find the type of an expression; false: not known. */
static bool sym_expression(struct sym_typist *t, const char *text, Dwarf_Die *out)
{
    char word[SYM_WORD_BYTES];
    Dwarf_Die variable;
    int stars = 0;
    for (; *text == '*' && stars < SYM_STARS_MAX; text++)
        stars++;
    const char *last = text;
    for (size_t len; (len = sym_word(last, word)) > 0 && strncmp(last + len, "::", 2) == 0;)
        last += len + 2;
    text = last + sym_word(last, word);
    if (!*word || !sym_variable_named(t, word, &variable) || !sym_type_next(&variable, out)) return false;
    while (text && *text) {
        sym_skip_reference(out);
        if (strncmp(text, "[]", 2) == 0) {
            if (!sym_element_of(out)) return false;
            text += 2;
        } else if (*text == '.')
            text = sym_expression_member(t, text + 1, out);
        else if (strncmp(text, "->", 2) == 0)
            text = sym_expression_member(t, text + 2, out);
        else
            return false;
    }
    for (; text && stars > 0; stars--) {
        sym_skip_reference(out);
        if (!sym_element_of(out)) return false;
    }
    return text != NULL;
}

static struct sym_typing sym_pointed_to(struct sym_typist *t, Dwarf_Die *type, enum sym_how how)
{
    Dwarf_Die peeled, next, target;
    struct sym_typing none = {.type = SYM_NONE, .how = SYM_HOW_NOT};
    sym_skip_reference(type);
    if (!sym_type_peel(type, &peeled, NULL) || dwarf_tag(&peeled) != DW_TAG_pointer_type) return none;
    if (!sym_type_next(&peeled, &next) || !sym_type_peel(&next, &target, NULL))
        return (struct sym_typing){.type = SYM_NONE, .how = SYM_HOW_VOID};
    const uint32_t row = sym_type_whole(t, &next);
    return row == SYM_NONE ? none : (struct sym_typing){.type = row, .how = how};
}

/* --- functions --- */

/* The functions `allocate` of libstdc++'s and libc++'s allocators, whose template argument is the allocated
 * type. */
static bool sym_is_allocate(Dwarf_Die *function, Dwarf_Die *class)
{
    static const char *const classes[] = {"allocator<",        "new_allocator<", "__new_allocator<",
                                          "malloc_allocator<", "__pool_alloc<",  "polymorphic_allocator<"};
    const char *name = dwarf_diename(function);
    if (!name || strcmp(name, "allocate") != 0 || !sym_class_of(function, class)) return false;
    const char *own = dwarf_diename(class);
    for (size_t i = 0; own && i < sizeof(classes) / sizeof(classes[0]); i++)
        if (strncmp(own, classes[i], strlen(classes[i])) == 0) return true;
    return false;
}

static struct sym_typing sym_function_type(struct sym_typist *t)
{
    struct sym_scopes *s = &t->scopes;
    Dwarf_Die class, type;
    for (size_t i = s->len; i-- > 0;) {
        if (dwarf_tag(&s->rows[i]) == DW_TAG_lexical_block || !sym_is_allocate(&s->rows[i], &class) ||
            !sym_type_argument(&class, &type))
            continue;
        const uint32_t row = sym_type_whole(t, &type);
        if (row != SYM_NONE) return (struct sym_typing){.type = row, .how = SYM_HOW_CONTAINER};
    }
    for (size_t i = s->len; i-- > 0;)
        if (dwarf_tag(&s->rows[i]) != DW_TAG_lexical_block && sym_type_next(&s->rows[i], &type))
            return sym_pointed_to(t, &type, SYM_HOW_RETURN);
    return (struct sym_typing){.type = SYM_NONE, .how = SYM_HOW_NOT};
}

/* --- variables of a frame --- */

enum { SYM_FRAME_VARIABLES_MAX = 512, SYM_X86_RBP = 6, SYM_X86_RSP = 7 };

/* The canonical frame address as a register plus a number, by the call frame information. */
struct sym_cfa {
    unsigned reg; /* DWARF number */
    int64_t distance;
};

/* State of the walk through the variables of a frame. */
struct sym_frame_walk {
    struct sym_typist *t;
    uint32_t question, slots_len;
    uint64_t at; /* in the DWARF */
    bool has_base, is_asked, has_cfa;
    int64_t base; /* begin of the frame, from the canonical frame address */
    struct sym_cfa cfa;
};

static bool sym_cfa_at(const struct sym_typist *t, uint64_t linked, struct sym_cfa *out)
{
    Dwarf_Addr bias;
    Dwarf_CFI *tables[2] = {dwfl_module_eh_cfi(t->elf->module, &bias),
                            dwfl_module_dwarf_cfi(t->elf->module, &bias)};
    for (int i = 0; i < 2; i++) {
        Dwarf_Frame *frame;
        Dwarf_Op *ops;
        size_t len;
        if (!tables[i] || dwarf_cfi_addrframe(tables[i], linked, &frame) != 0) continue;
        const bool is_found =
            dwarf_frame_cfa(frame, &ops, &len) == 0 && len == 1 && ops[0].atom == DW_OP_bregx;
        if (is_found) *out = (struct sym_cfa){(unsigned)ops[0].number, (int64_t)ops[0].number2};
        free(frame);
        if (is_found) return true;
    }
    return false;
}

/* A register as distance from the canonical frame address. */
static bool sym_frame_register(struct sym_frame_walk *w, unsigned number, int64_t *out)
{
    if (!w->is_asked) w->has_cfa = sym_cfa_at(w->t, w->at + w->t->elf->dwarf_bias, &w->cfa);
    w->is_asked = true;
    *out = -w->cfa.distance;
    return w->has_cfa && w->cfa.reg == number;
}

static void sym_frame_base(struct sym_frame_walk *w)
{
    struct sym_scopes *s = &w->t->scopes;
    Dwarf_Attribute found;
    for (size_t i = 0; i < s->len; i++) {
        Dwarf_Op *ops;
        size_t len;
        if (!dwarf_attr(&s->rows[i], DW_AT_frame_base, &found) ||
            dwarf_getlocation_addr(&found, w->at, &ops, &len, 1) != 1 || len != 1)
            continue;
        w->base = 0;
        w->has_base = ops[0].atom == DW_OP_call_frame_cfa;
        if (ops[0].atom == DW_OP_reg6 || ops[0].atom == DW_OP_reg7)
            w->has_base = sym_frame_register(w, ops[0].atom - DW_OP_reg0, &w->base);
        return;
    }
}

/* One simple location at the address. */
static bool sym_frame_op(struct sym_frame_walk *w, Dwarf_Die *variable, Dwarf_Op *out)
{
    Dwarf_Attribute found;
    Dwarf_Op *ops;
    size_t len;
    if (!dwarf_attr(variable, DW_AT_location, &found) ||
        dwarf_getlocation_addr(&found, w->at, &ops, &len, 1) != 1 || len != 1)
        return false;
    *out = ops[0];
    return true;
}

/* The place of a variable in the frame. False: it is in no memory of the frame, or not whole. */
static bool sym_frame_place(struct sym_frame_walk *w, Dwarf_Die *variable, int64_t *out)
{
    Dwarf_Op op;
    if (!sym_frame_op(w, variable, &op)) return false;
    if (op.atom == DW_OP_fbreg) {
        *out = w->base + (int64_t)op.number;
        return w->has_base;
    }
    if (op.atom != DW_OP_breg7 || !sym_frame_register(w, SYM_X86_RSP, out)) return false;
    *out += (int64_t)op.number;
    return true;
}

static bool sym_variable_type(Dwarf_Die *variable, Dwarf_Die *out)
{
    Dwarf_Die origin;
    if (sym_type_next(variable, out)) return true;
    sym_origin_of(variable, &origin); /* the entry from which an inlined copy was made has the type */
    return sym_type_next(&origin, out);
}

/* 0: memory ran out. */
static uint64_t sym_type_len_bytes(const struct sym_typist *t, uint32_t row)
{
    const struct sym_rows *types = &t->draft->rows[SYM_ROW_types];
    return row < types->len ? ((const struct sym_type *)types->rows)[row].len_bytes : 0;
}

/* Number of elements of an array; 0: not known, or not constant. */
static uint64_t sym_array_elements(Dwarf_Die *array)
{
    Dwarf_Die child;
    uint64_t all = 1, one;
    if (!sym_die_child(array, &child)) return 0;
    do {
        if (dwarf_tag(&child) != DW_TAG_subrange_type) continue;
        if (!sym_die_number(&child, DW_AT_count, &one)) {
            if (!sym_die_number(&child, DW_AT_upper_bound, &one) || one == UINT64_MAX) return 0;
            one++;
        }
        if (!ls_mul_u64(all, one, &all)) return 0;
    } while (sym_die_next(&child));
    return all;
}

static void sym_frame_take(struct sym_frame_walk *w, Dwarf_Die *variable)
{
    Dwarf_Die type, peeled, next;
    uint64_t elements = 1, len_bytes;
    int64_t place;
    if (w->slots_len >= SYM_FRAME_VARIABLES_MAX || !sym_frame_place(w, variable, &place) ||
        !sym_variable_type(variable, &type))
        return;
    while (sym_type_peel(&type, &peeled, NULL) && dwarf_tag(&peeled) == DW_TAG_array_type &&
           sym_type_next(&peeled, &next) && sym_may_visit(w->t)) {
        if (!ls_mul_u64(elements, sym_array_elements(&peeled), &elements)) return;
        type = next; /* the type of its elements */
    }
    const uint32_t row = elements > 0 ? sym_type_whole(w->t, &type) : SYM_NONE;
    if (row == SYM_NONE) return;
    const uint64_t one = sym_type_len_bytes(w->t, row);
    if (!ls_mul_u64(one, elements, &len_bytes) || len_bytes == 0) return;
    *SYM_DRAFT_ROW(w->t->draft, slots) = (struct sym_slot){place, len_bytes, row, w->question};
    w->slots_len++;
}

/* Apply take to the variables of the functions and blocks around the address, the innermost first. */
static void sym_frame_each(struct sym_frame_walk *w,
                           void (*take)(struct sym_frame_walk *w, Dwarf_Die *variable))
{
    struct sym_scopes *s = &w->t->scopes;
    for (size_t i = s->len; i-- > 0;) {
        Dwarf_Die die;
        if (!sym_die_child(&s->rows[i], &die)) continue;
        do {
            const int tag = dwarf_tag(&die);
            if (!sym_may_visit(w->t)) return;
            if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) take(w, &die);
        } while (sym_die_next(&die));
    }
}

static bool sym_is_x86(const struct sym_typist *t)
{
    GElf_Ehdr head;
    return gelf_getehdr(t->elf->elf, &head) && head.e_machine == EM_X86_64;
}

static struct sym_typing sym_frame_variables(struct sym_typist *t, uint32_t question)
{
    struct sym_frame_walk w = {.t = t, .question = question, .at = t->scopes.at};
    if (!sym_is_x86(t)) return (struct sym_typing){.type = SYM_NONE, .how = SYM_HOW_NOT};
    sym_frame_base(&w);
    sym_frame_each(&w, sym_frame_take);
    return (struct sym_typing){.type = SYM_NONE, .how = w.slots_len > 0 ? SYM_HOW_VARIABLE : SYM_HOW_NOT};
}

/* --- the object of an access --- */

/* Read the instruction at the linked address. */
static bool sym_operand_at(const struct sym_typist *t, uint64_t linked, struct sym_operand *out)
{
    size_t segments_len;
    if (elf_getphdrnum(t->elf->elf, &segments_len) != 0) return false;
    for (size_t i = 0; i < segments_len; i++) {
        GElf_Phdr s;
        if (!gelf_getphdr(t->elf->elf, (int)i, &s) || s.p_type != PT_LOAD || linked < s.p_vaddr ||
            linked - s.p_vaddr >= s.p_filesz)
            continue;
        const uint64_t left = s.p_filesz - (linked - s.p_vaddr);
        Elf_Data *code = elf_getdata_rawchunk(
            t->elf->elf, (int64_t)(s.p_offset + (linked - s.p_vaddr)),
            left < SYM_INSTRUCTION_BYTES ? (size_t)left : SYM_INSTRUCTION_BYTES, ELF_T_BYTE);
        return code && code->d_buf && sym_operand_decode(code->d_buf, code->d_size, out);
    }
    return false;
}

/* A walk that looks for a pointer in a register. */
struct sym_pointer_walk {
    struct sym_frame_walk frame; /* first */
    unsigned reg;
    bool is_found;
    Dwarf_Die pointee;
};

static void sym_pointer_take(struct sym_frame_walk *w, Dwarf_Die *variable)
{
    struct sym_pointer_walk *p = (struct sym_pointer_walk *)w;
    Dwarf_Op op;
    Dwarf_Die type, peeled, target;
    if (p->is_found || !sym_frame_op(w, variable, &op) || op.atom < DW_OP_reg0 || op.atom > DW_OP_reg31 ||
        (unsigned)(op.atom - DW_OP_reg0) != p->reg)
        return;
    p->is_found = sym_variable_type(variable, &type) && sym_type_peel(&type, &peeled, NULL) &&
                  sym_is_pointer(&peeled) && sym_type_next(&peeled, &p->pointee) &&
                  sym_type_peel(&p->pointee, &target, NULL);
}

static struct sym_typing sym_object_add(struct sym_frame_walk *w, struct sym_slot slot)
{
    const uint64_t one = sym_type_len_bytes(w->t, slot.type);
    if (one == 0 || one > INT64_MAX) return (struct sym_typing){.type = SYM_NONE, .how = SYM_HOW_NOT};
    slot.offset_bytes %= (int64_t)one;
    if (slot.offset_bytes < 0) slot.offset_bytes += (int64_t)one;
    *SYM_DRAFT_ROW(w->t->draft, slots) = slot;
    return (struct sym_typing){.type = slot.type, .how = SYM_HOW_POINTER};
}

/* The object that the instruction accesses, as a slot whose offset is that of the access in it: a variable of the
 * frame, or the target of a pointer in a register. */
static struct sym_typing sym_object_of_access(struct sym_typist *t, uint64_t linked, uint32_t question)
{
    const struct sym_typing none = {.type = SYM_NONE, .how = SYM_HOW_NOT};
    struct sym_operand o;
    sym_scopes_find(t, linked - t->elf->dwarf_bias);
    if (t->scopes.len == 0 || !sym_is_x86(t) || !sym_operand_at(t, linked, &o)) return none;
    struct sym_pointer_walk p = {.frame = {.t = t, .question = question, .at = t->scopes.at}, .reg = o.base};
    struct sym_frame_walk *const w = &p.frame;
    int64_t place;
    const size_t first = t->draft->rows[SYM_ROW_slots].len;
    if (sym_frame_register(w, o.base, &place)) { /* slots of all variables, then only that of the access */
        const struct sym_slot *best = NULL;
        sym_frame_base(w);
        sym_frame_each(w, sym_frame_take);
        place += o.distance;
        const struct sym_slot *slots = (const struct sym_slot *)t->draft->rows[SYM_ROW_slots].rows + first;
        const size_t slots_len = t->draft->rows[SYM_ROW_slots].len - first;
        for (size_t i = 0; i < slots_len; i++)
            if ((uint64_t)(place - slots[i].offset_bytes) < slots[i].len_bytes &&
                (!best || slots[i].len_bytes < best->len_bytes))
                best = &slots[i];
        struct sym_slot slot = best ? *best : (struct sym_slot){0};
        if (best) slot.offset_bytes = place - slot.offset_bytes;
        t->draft->rows[SYM_ROW_slots].len = first;
        return best ? sym_object_add(w, slot) : none;
    }
    sym_frame_each(w, sym_pointer_take);
    if (!p.is_found && o.scale == 1) { /* the pointer may be the one or the other */
        p.reg = o.index;
        sym_frame_each(w, sym_pointer_take);
    }
    const uint32_t row = p.is_found ? sym_type_whole(t, &p.pointee) : SYM_NONE;
    if (row == SYM_NONE) return none;
    const uint64_t one = sym_type_len_bytes(t, row);
    if (o.has_index && (one == 0 || o.scale % one != 0))
        return none; /* the place in the object is not known */
    return sym_object_add(w, (struct sym_slot){o.distance, 1, row, question});
}

/* --- variables by address --- */

struct sym_wanted {
    uint64_t at;
    uint32_t row; /* question */
    bool is_tls, is_found;
};
struct sym_wanted_list {
    struct sym_wanted *rows; /* sorted */
    size_t len;
    struct sym_typing *typings;
};

static int sym_compare_wanted(const void *a, const void *b)
{
    const struct sym_wanted *x = a, *y = b;
    if (x->is_tls != y->is_tls) return x->is_tls ? 1 : -1;
    return (x->at > y->at) - (x->at < y->at);
}

static bool sym_variable_len_bytes(Dwarf_Die *variable, Dwarf_Word *out)
{
    Dwarf_Die type;
    return sym_type_next(variable, &type) && dwarf_aggregate_size(&type, out) == 0;
}

/* Give the wanted variable the type of this entry. */
static void sym_set_wanted(struct sym_typist *t, const struct sym_wanted_list *w, struct sym_wanted *wanted,
                           Dwarf_Die *die)
{
    Dwarf_Die type, peeled, next;
    if (!sym_type_next(die, &type)) return;
    while (sym_type_peel(&type, &peeled, NULL) && dwarf_tag(&peeled) == DW_TAG_array_type &&
           sym_type_next(&peeled, &next) && sym_may_visit(t))
        type = next; /* the type of its elements */
    const uint32_t row = sym_type_whole(t, &type);
    if (row == SYM_NONE) return;
    wanted->is_found = true;
    w->typings[wanted->row] = (struct sym_typing){.type = row, .how = SYM_HOW_VARIABLE};
}

static struct sym_wanted *sym_wanted_at(const struct sym_wanted_list *w, struct sym_location location)
{
    const struct sym_wanted key = {.at = location.at, .is_tls = location.is_tls};
    struct sym_wanted *found = bsearch(&key, w->rows, w->len, sizeof(key), sym_compare_wanted);
    return found && !found->is_found ? found : NULL;
}

static void sym_take_wanted(struct sym_typist *t, const struct sym_wanted_list *w, Dwarf_Die *die)
{
    struct sym_location location;
    if (!sym_die_location(die, t->elf->dwarf_bias, &location)) return;
    struct sym_wanted *wanted = sym_wanted_at(w, location);
    if (wanted) sym_set_wanted(t, w, wanted, die);
}

/* Constants of C++ may have a value in place of a location: their symbol names them. */
static void sym_take_symbols(struct sym_typist *t, const struct sym_wanted_list *w)
{
    struct sym_demangler demangler = {0};
    const int len = sym_elf_symbols_len(t->elf);
    for (int i = 0; i < len; i++) {
        struct sym_elf_symbol s;
        Dwarf_Die die;
        Dwarf_Word len_bytes = 0;
        if (!sym_elf_symbol(t->elf, i, &s) || s.type != STT_OBJECT || s.len_bytes == 0) continue;
        struct sym_wanted *wanted = sym_wanted_at(w, (struct sym_location){.at = s.linked});
        if (!wanted) continue;
        const char *name = sym_last_part(sym_demangle(&demangler, s.name));
        if (sym_names_variable_anywhere(&t->names, name, &die) && dwarf_hasattr(&die, DW_AT_const_value) &&
            sym_variable_len_bytes(&die, &len_bytes) && len_bytes == s.len_bytes)
            sym_set_wanted(t, w, wanted, &die);
    }
    sym_demangle_fini(&demangler);
}

static void sym_walk_variables(struct sym_typist *t, const struct sym_wanted_list *w, Dwarf_Die *parent,
                               int depth)
{
    Dwarf_Die die;
    if (depth > SYM_DIE_DEPTH_MAX || !sym_die_child(parent, &die)) return;
    do {
        const int tag = dwarf_tag(&die);
        if (!sym_may_visit(t)) return;
        if (tag == DW_TAG_variable) sym_take_wanted(t, w, &die);
        if (tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_subprogram ||
            tag == DW_TAG_lexical_block || tag == DW_TAG_common_block)
            sym_walk_variables(t, w, &die, depth + 1);
    } while (sym_die_next(&die));
}

/* --- questions --- */

static struct sym_typing sym_type_answer(struct sym_typist *t, uint64_t linked, const char *text)
{
    struct sym_typing found = {.type = SYM_NONE, .how = SYM_HOW_NOT};
    Dwarf_Die type;
    sym_scopes_find(t, linked - t->elf->dwarf_bias);
    switch (*text) {
    case 'f':
        return sym_function_type(t);
    case 'n':
        found.type = sym_type_named(t, text + 1);
        found.how = SYM_HOW_NEW;
        break;
    case 'e':
        found.how = SYM_HOW_SIZEOF;
        if (sym_expression(t, text + 1, &type)) {
            sym_skip_reference(&type);
            found.type = sym_type_whole(t, &type);
        } else
            found.type = sym_type_named(t, text + 1);
        break;
    case 'p':
        if (sym_expression(t, text + 1, &type)) return sym_pointed_to(t, &type, SYM_HOW_POINTER);
        break;
    default:
        break;
    }
    if (found.type == SYM_NONE) found.how = SYM_HOW_NOT;
    return found;
}

static struct sym_typing sym_type_of_frame(struct sym_typist *t, uint64_t linked, uint32_t question)
{
    sym_scopes_find(t, linked - t->elf->dwarf_bias);
    return sym_frame_variables(t, question);
}

static struct sym_typing sym_answer_one(struct sym_typist *t, uint64_t linked, const char *text,
                                        uint32_t question)
{
    struct sym_typing found;
    t->question_visits = 0;
    t->is_cut = false;
    switch (*text) {
    case 's':
        found = sym_type_of_frame(t, linked, question);
        break;
    case 'a':
        found = sym_object_of_access(t, linked, question);
        break;
    default:
        found = sym_type_answer(t, linked, text);
        break;
    }
    found.is_lost = found.type == SYM_NONE && (t->is_cut || t->names.is_cut);
    return found;
}

/* The variables of one unit count as a question. */
static void sym_answer_variables(struct sym_typist *t, struct sym_wanted_list *w)
{
    bool is_cut = false;
    qsort(w->rows, w->len, sizeof(*w->rows), sym_compare_wanted);
    for (size_t i = 0; i < t->units.units_len; i++) {
        t->question_visits = 0;
        t->is_cut = false;
        sym_walk_variables(t, w, &t->units.units[i].body, 0);
        is_cut |= t->is_cut;
    }
    sym_take_symbols(t, w);
    for (size_t i = 0; i < w->len; i++)
        w->typings[w->rows[i].row].is_lost = is_cut && !w->rows[i].is_found;
}

static void sym_answer_all(struct sym_typist *t, const struct sym_request *r, struct sym_wanted_list *w)
{
    const char *text = r->texts, *end = r->texts + r->texts_len;
    for (size_t i = 0; i < r->linked_len && text < end; i++, text += strlen(text) + 1) {
        if (*text == 'v' || *text == 't')
            w->rows[w->len++] =
                (struct sym_wanted){.at = r->linked[i], .row = (uint32_t)i, .is_tls = *text == 't'};
        else
            w->typings[i] = sym_answer_one(t, r->linked[i], text, (uint32_t)i);
    }
    if (w->len > 0) sym_answer_variables(t, w);
}

static void sym_typist_fini(struct sym_typist *t)
{
    sym_names_fini(&t->names);
    sym_layouts_fini(&t->layouts);
    sym_units_fini(&t->units);
    free(t);
}

ls_err sym_types_read(const struct sym_elf *e, const struct sym_request *r, struct sym_draft *d)
{
    struct sym_typist *t = calloc(1, sizeof(*t)); /* large */
    struct sym_wanted_list w = {.rows = calloc(r->linked_len + 1, sizeof(*w.rows)),
                                .typings = calloc(r->linked_len + 1, sizeof(*w.typings))};
    const bool has_memory = t && w.rows && w.typings;
    for (size_t i = 0; has_memory && i < r->linked_len; i++)
        w.typings[i].type = SYM_NONE;
    if (has_memory && e->dwarf) {
        t->elf = e;
        t->draft = t->layouts.draft = d;
        sym_units_read(&t->units, e->dwarf, e->dwarf_path);
        t->names.units = &t->units;
        sym_answer_all(t, r, &w);
    }
    for (size_t i = 0; has_memory && i < r->linked_len; i++)
        *SYM_DRAFT_ROW(d, typings) = w.typings[i];
    if (t) sym_typist_fini(t);
    free(w.rows);
    free(w.typings);
    return has_memory ? LS_OK : ls_nomem("%zu types", r->linked_len);
}
