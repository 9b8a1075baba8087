/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_scopes.h"

#include "common/ls_vector.h"
#include "symbols/sym_dies.h"
#include "symbols/sym_facts.h"

#include <dwarf.h>
#include <stdlib.h>

static bool sym_add_function(struct sym_scopes *s, Dwarf_Die *die)
{
    ptrdiff_t at = 0;
    Dwarf_Addr ignored, base, end;
    while ((at = dwarf_ranges(die, at, &ignored, &base, &end)) > 0) {
        if (base >= end) continue;
        if (LS_GROW(s->functions, s->functions_room, s->functions_len + 1) != LS_OK) return false;
        s->functions[s->functions_len++] = (struct sym_subprogram){base, end, *die};
    }
    return true;
}

/* Functions are in units, name spaces, Fortran modules, types, and (nested ones) in functions. */
static bool sym_holds_functions(int tag)
{
    switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_subprogram:
        return true;
    default:
        return false;
    }
}

/* Only Fortran and a few others nest functions: the bodies of all functions need not be read for them. */
static void sym_walk_functions(struct sym_scopes *s, Dwarf_Die *parent, bool nests, int depth)
{
    Dwarf_Die die;
    if (depth > SYM_DIE_DEPTH_MAX || !sym_die_child(parent, &die)) return;
    do {
        const int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram && !sym_add_function(s, &die)) return;
        if (sym_holds_functions(tag) && (tag != DW_TAG_subprogram || nests))
            sym_walk_functions(s, &die, nests, depth + 1);
    } while (sym_die_next(&die));
}

static int sym_compare_subprograms(const void *a, const void *b)
{
    const struct sym_subprogram *x = a, *y = b;
    return (x->base > y->base) - (x->base < y->base);
}

static void sym_scopes_enter(struct sym_scopes *s, struct sym_unit *unit)
{
    if (s->unit == unit) return;
    s->unit = unit;
    s->functions_len = 0;
    s->walked = 0;
    sym_walk_functions(s, &unit->body, sym_die_is_fortran(&unit->body), 0);
    if (s->functions_len > 0)
        qsort(s->functions, s->functions_len, sizeof(*s->functions), sym_compare_subprograms);
}

static struct sym_subprogram *sym_function_at(const struct sym_scopes *s, uint64_t at)
{
    size_t from = 0, to = s->functions_len; /* rows before from begin at or before at */
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (s->functions[middle].base <= at)
            from = middle + 1;
        else
            to = middle;
    }
    return from > 0 && at < s->functions[from - 1].end ? &s->functions[from - 1] : NULL;
}

/* State of a walk through a function's calls. */
struct sym_call_walk {
    struct sym_scopes *s;
    uint32_t around, calls;
};

static uint32_t sym_add_call(struct sym_call_walk *w, Dwarf_Die *die)
{
    ptrdiff_t at = 0;
    Dwarf_Addr ignored, base, end;
    struct sym_scopes *s = w->s;
    const uint32_t first = (uint32_t)s->calls_len;
    const uint32_t depth = w->around == SYM_NONE ? 1 : s->calls[w->around].depth + 1;
    while ((at = dwarf_ranges(die, at, &ignored, &base, &end)) > 0) {
        if (base >= end) continue;
        if (LS_GROW(s->calls, s->calls_room, s->calls_len + 1) != LS_OK) break;
        s->calls[s->calls_len++] = (struct sym_call){base, end, depth, w->around, w->calls, *die};
    }
    w->calls++;
    return s->calls_len > first ? first : w->around;
}

static void sym_walk_calls(struct sym_call_walk w, Dwarf_Die *parent, int depth, uint32_t *calls)
{
    Dwarf_Die die;
    if (depth > SYM_DIE_DEPTH_MAX || !sym_die_child(parent, &die)) return;
    do {
        const int tag = dwarf_tag(&die);
        struct sym_call_walk inner = w;
        inner.calls = *calls;
        if (tag == DW_TAG_inlined_subroutine) inner.around = sym_add_call(&inner, &die);
        *calls = inner.calls;
        if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
            tag == DW_TAG_catch_block)
            sym_walk_calls(inner, &die, depth + 1, calls);
    } while (sym_die_next(&die));
}

static void sym_scopes_walk(struct sym_scopes *s, struct sym_subprogram *function)
{
    const Dwarf_Off offset = dwarf_dieoffset(&function->die);
    uint32_t calls = 0;
    if (s->walked == offset) return;
    s->walked = offset;
    s->calls_len = 0;
    sym_walk_calls((struct sym_call_walk){s, SYM_NONE, 0}, &function->die, 0, &calls);
}

struct sym_subprogram *sym_scopes_find(struct sym_scopes *s, struct sym_unit *unit, uint64_t at,
                                       uint32_t *out_call)
{
    *out_call = SYM_NONE;
    sym_scopes_enter(s, unit);
    struct sym_subprogram *function = sym_function_at(s, at);
    if (!function) return NULL;
    sym_scopes_walk(s, function);
    for (size_t i = 0; i < s->calls_len; i++) {
        const struct sym_call *c = &s->calls[i];
        if (at < c->base || at >= c->end) continue;
        if (*out_call == SYM_NONE || c->depth > s->calls[*out_call].depth) *out_call = (uint32_t)i;
    }
    return function;
}

void sym_scopes_fini(struct sym_scopes *s)
{
    free(s->functions);
    free(s->calls);
    *s = (struct sym_scopes){0};
}
