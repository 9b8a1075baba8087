/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "symbols/sym_typist.h"

#include "common/ls_checked.h"
#include "symbols/sym_operand.h"

#include <dwarf.h>
#include <stdlib.h>

/* --- variables of a frame --- */

enum { SYM_FRAME_VARIABLES_MAX = 512, SYM_FOLLOWED_MAX_BYTES = 32 << 10, SYM_X86_RBP = 6, SYM_X86_RSP = 7 };

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
           sym_type_next(&peeled, &next) && sym_visit(w->t)) {
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
        struct sym_entry e;
        if (!sym_entry_of(&w->t->units->walk, &s->rows[i], &e) || !sym_entry_child(&e, &e)) continue;
        do {
            const int tag = sym_entry_tag(&e);
            if (!sym_visit(w->t)) return;
            if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) ||
                !sym_entry_may_have(&e, SYM_ATTRIBUTE_BIT(DW_AT_location)))
                continue;
            Dwarf_Die die = sym_entry_die(&e);
            take(w, &die);
        } while (sym_entry_next(&e));
    }
}

static bool sym_is_x86(const struct sym_typist *t)
{
    GElf_Ehdr head;
    return gelf_getehdr(t->elf->elf, &head) && head.e_machine == EM_X86_64;
}

struct sym_typing sym_frame_variables(struct sym_typist *t, uint32_t question)
{
    struct sym_frame_walk w = {.t = t, .question = question, .at = t->scopes.at};
    if (!sym_is_x86(t)) return (struct sym_typing){.type = SYM_NONE, .how = SYM_HOW_NOT};
    sym_frame_base(&w);
    sym_frame_each(&w, sym_frame_take);
    return (struct sym_typing){.type = SYM_NONE, .how = w.slots_len > 0 ? SYM_HOW_VARIABLE : SYM_HOW_NOT};
}

/* --- the object of an access --- */

/* The code at a linked address: up to len_max bytes. NULL: the file has none there. */
static Elf_Data *sym_code_at(const struct sym_typist *t, uint64_t linked, uint64_t len_max)
{
    size_t segments_len;
    if (elf_getphdrnum(t->elf->elf, &segments_len) != 0) return NULL;
    for (size_t i = 0; i < segments_len; i++) {
        GElf_Phdr s;
        if (!gelf_getphdr(t->elf->elf, (int)i, &s) || s.p_type != PT_LOAD || linked < s.p_vaddr ||
            linked - s.p_vaddr >= s.p_filesz)
            continue;
        const uint64_t left = s.p_filesz - (linked - s.p_vaddr);
        Elf_Data *code = elf_getdata_rawchunk(t->elf->elf, (int64_t)(s.p_offset + (linked - s.p_vaddr)),
                                              left < len_max ? (size_t)left : (size_t)len_max, ELF_T_BYTE);
        return code && code->d_buf ? code : NULL;
    }
    return NULL;
}

/* Read the instruction at the linked address. */
static bool sym_operand_at(const struct sym_typist *t, uint64_t linked, struct sym_operand *out)
{
    const Elf_Data *code = sym_code_at(t, linked, SYM_INSTRUCTION_BYTES);
    return code && sym_operand_decode(code->d_buf, code->d_size, out);
}

static struct sym_source (*const sym_find_source)(const uint8_t *code, size_t len, unsigned reg) =
#ifdef HAVE_ZYDIS
    sym_source_find;
#else
    NULL;
#endif

/* Where the value of a register before the instruction at the linked address comes from, by the code of the function at t->scopes. *out_at is
 * the linked address of a copy or load. */
static struct sym_source sym_source_before(const struct sym_typist *t, uint64_t linked, unsigned reg,
                                           uint64_t *out_at)
{
    struct sym_source out = {.kind = SYM_SOURCE_UNKNOWN, .step = 1};
    struct sym_entry function;
    struct sym_pieces pieces = {0};
    Dwarf_Die die = t->scopes.rows[0];
    const uint64_t at = linked - t->elf->dwarf_bias;
    Dwarf_Addr base, end;
    if (t->scopes.len == 0 || !sym_entry_of(&t->units->walk, &die, &function)) return out;
    while (sym_entry_piece(&function, &pieces, &base, &end)) {
        if (at < base || at >= end) continue;
        const uint64_t len = at - base, begin = base + t->elf->dwarf_bias;
        const Elf_Data *code = len <= SYM_FOLLOWED_MAX_BYTES ? sym_code_at(t, begin, len) : NULL;
        if (len == 0) out.kind = SYM_SOURCE_CALLER;
        if (sym_find_source && code && code->d_size == len) out = sym_find_source(code->d_buf, len, reg);
        *out_at = begin + out.at_bytes;
        break;
    }
    return out;
}

/* A walk that looks for a pointer in a register. */
struct sym_pointer_walk {
    struct sym_frame_walk frame; /* first */
    unsigned reg;
    bool is_unchanged; /* the register still has the caller's value */
    int64_t place;     /* or in the frame */
    bool is_found;
    Dwarf_Die pointee;
};

/* Is this the value that the register had at the begin of the function? */
static bool sym_is_callers(Dwarf_Attribute *location, const Dwarf_Op *op, unsigned reg)
{
    Dwarf_Attribute inner;
    Dwarf_Op *ops;
    size_t len;
    return (op->atom == DW_OP_entry_value || op->atom == DW_OP_GNU_entry_value) &&
           dwarf_getlocation_attr(location, op, &inner) == 0 && dwarf_getlocation(&inner, &ops, &len) == 0 &&
           len == 1 && ops[0].atom == DW_OP_reg0 + reg;
}

/* The offset of the part of a variable that the register of the walk holds: 0 if it holds the whole. */
static bool sym_part_in_register(struct sym_pointer_walk *p, Dwarf_Die *variable, uint64_t *out_bytes)
{
    Dwarf_Attribute found;
    Dwarf_Op *ops;
    size_t len;
    *out_bytes = 0;
    if (!dwarf_attr(variable, DW_AT_location, &found) ||
        dwarf_getlocation_addr(&found, p->frame.at, &ops, &len, 1) != 1)
        return false;
    if (len == 2 && ops[1].atom == DW_OP_stack_value)
        return p->is_unchanged && sym_is_callers(&found, &ops[0], p->reg);
    for (size_t i = 0; i < len; i++) {
        const bool is_whole = len == 1 || (i + 1 < len && ops[i + 1].atom == DW_OP_piece);
        if (ops[i].atom == DW_OP_reg0 + p->reg && is_whole) return true;
        if (ops[i].atom == DW_OP_piece && !ls_add_u64(*out_bytes, ops[i].number, out_bytes)) return false;
    }
    return false;
}

/* The target of the pointer that is at an offset of a type: the type itself, or a member, as in iterators, smart pointers and
 * handles. */
static bool sym_pointee_at(struct sym_typist *t, Dwarf_Die *type, uint64_t at_bytes, int depth,
                           Dwarf_Die *out)
{
    Dwarf_Die peeled, target, member, next;
    if (depth > SYM_DIE_DEPTH_MAX || !sym_visit(t) || !sym_type_peel(type, &peeled, NULL)) return false;
    if (sym_type_is_pointer(&peeled))
        return at_bytes == 0 && sym_type_next(&peeled, out) && sym_type_peel(out, &target, NULL);
    if (!sym_type_is_record(&peeled) || !sym_die_child(&peeled, &member)) return false;
    do {
        uint64_t begin_bytes;
        const int tag = dwarf_tag(&member);
        if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) && !dwarf_hasattr(&member, DW_AT_external) &&
            sym_member_offset(&member, &begin_bytes) && begin_bytes <= at_bytes &&
            sym_type_next(&member, &next) && sym_pointee_at(t, &next, at_bytes - begin_bytes, depth + 1, out))
            return true;
    } while (sym_die_next(&member));
    return false;
}

static void sym_pointer_take(struct sym_frame_walk *w, Dwarf_Die *variable)
{
    struct sym_pointer_walk *p = (struct sym_pointer_walk *)w;
    uint64_t at_bytes;
    Dwarf_Die type;
    if (p->is_found || !sym_part_in_register(p, variable, &at_bytes)) return;
    p->is_found = sym_variable_type(variable, &type) && sym_pointee_at(w->t, &type, at_bytes, 0, &p->pointee);
}

static void sym_stacked_pointer_take(struct sym_frame_walk *w, Dwarf_Die *variable)
{
    struct sym_pointer_walk *p = (struct sym_pointer_walk *)w;
    int64_t place;
    Dwarf_Die type;
    if (p->is_found || !sym_frame_place(w, variable, &place) || p->place < place) return;
    p->is_found = sym_variable_type(variable, &type) &&
                  sym_pointee_at(w->t, &type, (uint64_t)(p->place - place), 0, &p->pointee);
}

static bool sym_pointee_of_register(struct sym_typist *t, uint64_t linked, unsigned reg, int depth,
                                    Dwarf_Die *out);

/* Bytes from one element of an array to the next, 0: not known. */
static uint64_t sym_element_bytes(struct sym_typist *t, Dwarf_Die *type)
{
    Dwarf_Die whole;
    Dwarf_Word bytes;
    if (!sym_type_defined(t, type, &whole)) return 0;
    if (dwarf_aggregate_size(&whole, &bytes) == 0) return bytes;
    return sym_type_is_pointer(&whole) ? sizeof(uint64_t) : 0;
}

/* Is a multiple of step the distance of two elements of an array of this type? */
static bool sym_is_distance(struct sym_typist *t, Dwarf_Die *type, uint64_t step)
{
    const uint64_t bytes = step ? sym_element_bytes(t, type) : 1;
    return bytes > 0 && step % bytes == 0;
}

/* The target of the pointer that a sum of registers is: one of them is the pointer, and the rest goes to another element. */
static bool sym_pointee_of_sum(struct sym_typist *t, uint64_t linked, const struct sym_source *sum, int depth,
                               Dwarf_Die *out)
{
    enum { DEPTH_OF_INDEX = 4 }; /* both ways twice at most */
    const struct sym_operand *from = &sum->from;
    if (sym_pointee_of_register(t, linked, from->base, depth, out) &&
        sym_is_distance(t, out, sum->index_step))
        return true;
    return from->has_index && from->scale == 1 &&
           sym_pointee_of_register(t, linked, from->index, depth + DEPTH_OF_INDEX, out) &&
           sym_is_distance(t, out, sum->base_step);
}

/* The target of the pointer that an instruction loaded: a variable of the frame, or a member of the object that another pointer shows. */
static bool sym_pointee_of_load(struct sym_typist *t, uint64_t linked, const struct sym_source *load,
                                int depth, Dwarf_Die *out)
{
    const struct sym_operand *from = &load->from;
    sym_scopes_find(t, linked - t->elf->dwarf_bias);
    struct sym_pointer_walk p = {.frame = {.t = t, .at = t->scopes.at}};
    Dwarf_Die object, whole;
    if (sym_frame_register(&p.frame, from->base, &p.place)) {
        if (from->has_index) return false;
        p.place += from->distance;
        sym_frame_base(&p.frame);
        sym_frame_each(&p.frame, sym_stacked_pointer_take);
        *out = p.pointee;
        return p.is_found;
    }
    if (from->distance < 0 || !sym_pointee_of_sum(t, linked, load, depth, &object) ||
        !sym_type_defined(t, &object, &whole))
        return false;
    const uint64_t bytes = from->has_index ? sym_element_bytes(t, &whole) : 0,
                   place = (uint64_t)from->distance;
    return sym_pointee_at(t, &whole, bytes ? place % bytes : place, 0, out);
}

/* The target of the pointer in a register at a linked address: that of a variable or of a part of it, or else, where the pointer came
 * from. Changes t->scopes. */
static bool sym_pointee_of_register(struct sym_typist *t, uint64_t linked, unsigned reg, int depth,
                                    Dwarf_Die *out)
{
    enum { DEPTH_MAX = 8 };
    uint64_t at = 0;
    sym_scopes_find(t, linked - t->elf->dwarf_bias);
    struct sym_pointer_walk p = {.frame = {.t = t, .at = t->scopes.at}, .reg = reg};
    sym_frame_each(&p.frame, sym_pointer_take);
    const struct sym_source source = p.is_found || depth >= DEPTH_MAX
                                         ? (struct sym_source){.kind = SYM_SOURCE_UNKNOWN}
                                         : sym_source_before(t, linked, reg, &at);
    if (source.kind == SYM_SOURCE_LOAD)
        return sym_pointee_of_load(t, at, &source, depth + 1, out) &&
               sym_is_distance(t, out, source.added_step);
    if (source.kind == SYM_SOURCE_SUM)
        return sym_pointee_of_sum(t, at, &source, depth + 1, out) &&
               sym_is_distance(t, out, (uint64_t)llabs(source.from.distance));
    p.is_unchanged = source.kind == SYM_SOURCE_CALLER;
    if (p.is_unchanged) sym_frame_each(&p.frame, sym_pointer_take);
    *out = p.pointee;
    return p.is_found;
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

static uint64_t sym_step_before(struct sym_typist *t, uint64_t linked, unsigned reg)
{
    uint64_t at;
    sym_scopes_find(t, linked - t->elf->dwarf_bias);
    return sym_source_before(t, linked, reg, &at).step;
}

/* The target of the pointer in a memory operand: its base, or its index, and the other one goes to another element. The code is
 * followed only if the factor of the index does not show that. */
static bool sym_pointee_of_operand(struct sym_typist *t, uint64_t linked, const struct sym_operand *o,
                                   Dwarf_Die *out)
{
    if (sym_pointee_of_register(t, linked, o->base, 0, out)) {
        if (!o->has_index || sym_is_distance(t, out, o->scale)) return true;
        const uint64_t step = sym_step_before(t, linked, o->index);
        if (step <= UINT32_MAX && sym_is_distance(t, out, step * o->scale)) return true;
    }
    return o->has_index && o->scale == 1 && sym_pointee_of_register(t, linked, o->index, 0, out) &&
           sym_is_distance(t, out, sym_step_before(t, linked, o->base));
}

struct sym_typing sym_object_of_access(struct sym_typist *t, uint64_t linked, uint32_t question)
{
    const struct sym_typing none = {.type = SYM_NONE, .how = SYM_HOW_NOT};
    struct sym_operand o;
    sym_scopes_find(t, linked - t->elf->dwarf_bias);
    if (t->scopes.len == 0 || !sym_is_x86(t) || !sym_operand_at(t, linked, &o)) return none;
    struct sym_frame_walk walk = {.t = t, .question = question, .at = t->scopes.at}, *const w = &walk;
    Dwarf_Die object;
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
    const uint32_t row =
        sym_pointee_of_operand(t, linked, &o, &object) ? sym_type_whole(t, &object) : SYM_NONE;
    if (row == SYM_NONE) return none;
    return sym_object_add(w, (struct sym_slot){o.distance, 1, row, question});
}
