/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_typist.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

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

/* Replace the type of `x` by that of `x[i]` and `*x`; containers have the type of their elements as first
 * argument. False: void, or no such type. */
static bool sym_element_of(Dwarf_Die *type)
{
    Dwarf_Die peeled, next;
    if (!sym_type_peel(type, &peeled, NULL)) return false;
    const bool is_found = sym_type_is_pointer(&peeled) || dwarf_tag(&peeled) == DW_TAG_array_type
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
    Dwarf_Die record, member;
    const size_t len = sym_word(text, word);
    if (len == 0 || !sym_type_peel(type, &record, NULL)) return NULL;
    if (sym_type_is_pointer(&record) && !sym_type_next(&record, type)) return NULL;
    if (!sym_type_defined(t, type, &record) || !sym_type_is_record(&record)) return NULL;
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
static bool sym_is_allocate(struct sym_typist *t, Dwarf_Die *function, Dwarf_Die *class)
{
    static const char *const classes[] = {"allocator<",        "new_allocator<", "__new_allocator<",
                                          "malloc_allocator<", "__pool_alloc<",  "polymorphic_allocator<"};
    const char *name = dwarf_diename(function);
    if (!name || strcmp(name, "allocate") != 0 || !sym_class_of(t, function, class)) return false;
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
        if (dwarf_tag(&s->rows[i]) == DW_TAG_lexical_block || !sym_is_allocate(t, &s->rows[i], &class) ||
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
           sym_type_next(&peeled, &next) && sym_visit(t))
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

static void sym_take_wanted(struct sym_typist *t, const struct sym_wanted_list *w, const struct sym_entry *e)
{
    struct sym_location location;
    if (!sym_entry_location(e, t->elf->dwarf_bias, &location)) return;
    struct sym_wanted *wanted = sym_wanted_at(w, location);
    Dwarf_Die die = sym_entry_die(e);
    if (wanted) sym_set_wanted(t, w, wanted, &die);
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

static void sym_walk_variables(struct sym_typist *t, const struct sym_wanted_list *w,
                               const struct sym_entry *parent, int depth)
{
    struct sym_entry e;
    if (depth > SYM_DIE_DEPTH_MAX || !sym_entry_child(parent, &e)) return;
    do {
        const int tag = sym_entry_tag(&e);
        if (!sym_visit(t)) return;
        if (tag == DW_TAG_variable) sym_take_wanted(t, w, &e);
        if (tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_subprogram ||
            tag == DW_TAG_lexical_block || tag == DW_TAG_common_block)
            sym_walk_variables(t, w, &e, depth + 1);
    } while (sym_entry_next(&e));
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
    found.is_lost = found.type == SYM_NONE && (t->is_cut || t->names.is_cut || t->units->walk.is_cut);
    return found;
}

/* The variables of one unit count as a question. */
static void sym_answer_variables(struct sym_typist *t, struct sym_wanted_list *w)
{
    bool is_cut = false;
    struct sym_entry body;
    qsort(w->rows, w->len, sizeof(*w->rows), sym_compare_wanted);
    for (size_t i = 0; i < t->units->units_len; i++) {
        t->question_visits = 0;
        t->is_cut = false;
        if (sym_entry_of(&t->units->walk, &t->units->units[i].body, &body))
            sym_walk_variables(t, w, &body, 0);
        is_cut |= t->is_cut || t->units->walk.is_cut;
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
        t->units = t->names.units = e->units;
        t->layouts.walk = &e->units->walk;
        sym_answer_all(t, r, &w);
    }
    for (size_t i = 0; has_memory && i < r->linked_len; i++)
        *SYM_DRAFT_ROW(d, typings) = w.typings[i];
    if (t) sym_typist_fini(t);
    free(w.rows);
    free(w.typings);
    return has_memory ? LS_OK : ls_nomem("%zu types", r->linked_len);
}
