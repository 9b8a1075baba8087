/* SPDX-License-Identifier: BSD-3-Clause */
/* The walk through entries agrees with libdw's functions, entry by entry, in DWARF of several kinds; in damaged DWARF it ends, and
 * reads no byte outside of its sections. */
#include "symbols/sym_elf.h"
#include "tests/unit.h"
#include "tests/xorshift.h"

#include <dwarf.h>
#include <errno.h>
#include <libgen.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[4096];

struct file {
    struct sym_elf elf;
    char path[4400];
};

static void open_file(struct file *f, const char *name)
{
    const char *problem = "";
    snprintf(f->path, sizeof(f->path), "%s/%s", folder, name);
    if (!sym_elf_open(f->path, getuid(), &f->elf, &problem)) fail_msg("%s: %s", f->path, problem);
    sym_elf_find_dwarf(&f->elf);
    assert_non_null(f->elf.dwarf);
    assert_non_null(f->elf.units);
}

/* --- comparison with libdw --- */

struct comparison {
    struct sym_walk *walk;
    const struct sym_entry *entry;
    size_t entries, attributes, pieces, locations, around, type_units, split_units;
};

static int compare_attribute(Dwarf_Attribute *theirs, void *arg)
{
    struct comparison *c = arg;
    Dwarf_Attribute ours;
    assert_ptr_equal(sym_entry_attribute(c->entry, theirs->code, &ours), &ours);
    assert_int_equal(ours.code, theirs->code);
    assert_int_equal(ours.form, theirs->form);
    assert_ptr_equal(ours.valp, theirs->valp);
    assert_ptr_equal(ours.cu, theirs->cu);
    assert_true(sym_entry_may_have(c->entry, SYM_ATTRIBUTE_BIT(theirs->code)));
    c->attributes++;
    return DWARF_CB_OK;
}

static void compare_pieces(struct comparison *c, Dwarf_Die *die)
{
    ptrdiff_t theirs_at = 0;
    struct sym_pieces ours = {0};
    Dwarf_Addr ignored, base, end, our_base, our_end;
    while ((theirs_at = dwarf_ranges(die, theirs_at, &ignored, &base, &end)) > 0) {
        assert_true(sym_entry_piece(c->entry, &ours, &our_base, &our_end));
        assert_int_equal(our_base, base);
        assert_int_equal(our_end, end);
        c->pieces++;
    }
    assert_false(sym_entry_piece(c->entry, &ours, &our_base, &our_end));
}

static void compare_location(struct comparison *c, Dwarf_Die *die)
{
    struct sym_location theirs = {0}, ours = {0};
    const bool has = sym_die_location(die, 0x1000, &theirs);
    assert_int_equal(sym_entry_location(c->entry, 0x1000, &ours), has);
    if (!has) return;
    assert_int_equal(ours.at, theirs.at);
    assert_int_equal(ours.is_tls, theirs.is_tls);
    c->locations++;
}

/* libdw's search takes long, so only some of the entries are compared; it finds nothing below arrays and enumerations. */
static void compare_around(struct comparison *c, Dwarf_Die *die)
{
    struct sym_entry around[SYM_DIE_DEPTH_MAX];
    Dwarf_Die *scopes = NULL;
    if (c->entries % 53 != 1) return;
    const int scopes_len = dwarf_getscopes_die(die, &scopes);
    const size_t len = sym_entry_around(c->walk, die, around, SYM_DIE_DEPTH_MAX);
    assert_true(len > 0);
    if (scopes_len > 0) assert_int_equal(len + 1, scopes_len);
    for (size_t i = 0; scopes_len > 0 && i < len; i++)
        assert_ptr_equal(around[i].at, scopes[len - i].addr);
    free(scopes);
    c->around += scopes_len > 2;
}

static void compare_entry(struct comparison *c, Dwarf_Die *die, const struct sym_entry *e, bool is_unit)
{
    const char *name = dwarf_diename(die), *our_name = sym_entry_name(e);
    assert_ptr_equal(e->at, die->addr);
    assert_int_equal(sym_entry_tag(e), dwarf_tag(die));
    c->entry = e;
    c->entries++;
    dwarf_getattrs(die, compare_attribute, c, 0);
    assert_false(sym_entry_has(e, DW_AT_hi_user));
    assert_ptr_equal(our_name, name);
    compare_pieces(c, die);
    compare_location(c, die);
    if (!is_unit) compare_around(c, die);
}

static void compare_below(struct comparison *c, Dwarf_Die *die, const struct sym_entry *e)
{
    Dwarf_Die child;
    struct sym_entry ours;
    const bool has_child = dwarf_child(die, &child) == 0;
    assert_int_equal(sym_entry_child(e, &ours), has_child);
    if (!has_child) return;
    for (;;) {
        Dwarf_Die next;
        compare_entry(c, &child, &ours, false);
        compare_below(c, &child, &ours);
        const bool has_next = dwarf_siblingof(&child, &next) == 0;
        assert_int_equal(sym_entry_next(&ours), has_next);
        if (!has_next) return;
        child = next;
    }
}

static void compare_unit(struct comparison *c, Dwarf_Die *die)
{
    struct sym_entry unit;
    assert_true(sym_entry_of(c->walk, die, &unit));
    compare_entry(c, die, &unit, true);
    compare_below(c, die, &unit);
}

static struct comparison compare_file(const char *name)
{
    struct file f;
    Dwarf_CU *cu = NULL, *next;
    Dwarf_Die die;
    open_file(&f, name);
    struct comparison c = {.walk = &f.elf.units->walk};
    for (size_t i = 0; i < f.elf.units->units_len; i++) {
        compare_unit(&c, &f.elf.units->units[i].body);
        c.split_units += f.elf.units->units[i].body.addr != f.elf.units->units[i].die.addr;
    }
    for (; dwarf_get_units(f.elf.dwarf, cu, &next, NULL, NULL, &die, NULL) == 0; cu = next)
        if (dwarf_tag(&die) == DW_TAG_type_unit) {
            compare_unit(&c, &die);
            c.type_units++;
        }
    assert_false(c.walk->is_cut);
    sym_elf_close(&f.elf);
    return c;
}

static void entries_are_those_of_libdw(void **state)
{
    (void)state;
    const struct comparison own = compare_file(basename(program_invocation_name));
    assert_true(own.entries > 10000 && own.attributes > 40000 && own.around > 50);
    assert_true(own.pieces > 100 && own.locations > 20);
    const struct comparison small = compare_file("sym_small");
    assert_true(small.entries > 50 && small.locations >= 5);
    const struct comparison packed = compare_file("sym_small_gz");
    assert_int_equal(packed.entries, small.entries);
    assert_int_equal(packed.attributes, small.attributes);
}

static void entries_of_type_units_and_split_files(void **state)
{
    (void)state;
    const struct comparison types = compare_file("sym_types");
    assert_true(types.entries > 100 && types.around > 1 && types.type_units > 10);
    const struct comparison split = compare_file("sym_split");
    assert_true(split.entries > 100 && split.split_units == 1);
}

/* --- damage --- */

enum { VISITS_MAX = 1 << 16, ROUNDS = 4000 };

struct section {
    uint8_t *begin;
    size_t len;
};

static struct section section_of(const struct file *f, const char *name)
{
    Elf *elf = dwarf_getelf(f->elf.dwarf);
    size_t names;
    GElf_Shdr sh;
    assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;)
        if (gelf_getshdr(scn, &sh) && strcmp(elf_strptr(elf, names, sh.sh_name), name) == 0)
            return (struct section){elf_rawdata(scn, NULL)->d_buf, elf_rawdata(scn, NULL)->d_size};
    fail_msg("no section %s", name);
    return (struct section){NULL, 0};
}

/* Visit all entries below parent; each one must be inside the section, and after its predecessor. */
static void visit(const struct section *info, const struct sym_entry *parent, int depth, size_t *visits)
{
    struct sym_entry e;
    Dwarf_Attribute found;
    const uint8_t *last = parent->at;
    if (depth > SYM_DIE_DEPTH_MAX || !sym_entry_child(parent, &e)) return;
    do {
        assert_true(e.at > last && e.at < info->begin + info->len);
        last = e.at;
        if (++*visits > VISITS_MAX) return;
        for (unsigned name = DW_AT_sibling; name <= DW_AT_ranges; name++)
            if (sym_entry_attribute(&e, name, &found) && found.form != DW_FORM_implicit_const)
                assert_true(found.valp > e.at && found.valp <= info->begin + info->len);
        visit(info, &e, depth + 1, visits);
    } while (sym_entry_next(&e));
}

/* Change a few bytes of the section, walk, and restore them. Returns the number of entries. */
static size_t walk_damaged(const struct file *f, struct section damaged, const struct section *info,
                           uint64_t *random)
{
    enum { CHANGES = 3 };
    static const uint8_t nasty[] = {0, 1, 0x7f, 0x80, 0xff};
    uint8_t *places[CHANGES], kept[CHANGES];
    struct sym_walk walk = {.is_cut = false};
    size_t visits = 0;
    for (int i = 0; i < CHANGES; i++) {
        places[i] = damaged.begin + xorshift(random) % damaged.len;
        kept[i] = *places[i];
        *places[i] =
            xorshift(random) % 2 ? nasty[xorshift(random) % sizeof(nasty)] : (uint8_t)xorshift(random);
    }
    for (size_t i = 0; i < f->elf.units->units_len; i++) {
        struct sym_entry unit;
        if (sym_entry_of(&walk, &f->elf.units->units[i].body, &unit)) visit(info, &unit, 0, &visits);
    }
    for (int i = CHANGES; i-- > 0;)
        *places[i] = kept[i];
    sym_walk_fini(&walk);
    return visits;
}

static void damaged_entries_stay_in_their_section(void **state)
{
    static const char *const names[] = {".debug_info", ".debug_abbrev"};
    struct file f;
    uint64_t random = XORSHIFT_SEED;
    (void)state;
    open_file(&f, "sym_small_gz"); /* inflated: each section is a separate block, which sanitizers watch */
    const struct section info = section_of(&f, ".debug_info");
    const size_t whole = walk_damaged(&f, (struct section){(uint8_t[8]){0}, 8}, &info, &random);
    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
        size_t fewer = 0;
        const struct section damaged = section_of(&f, names[k]);
        for (int round = 0; round < ROUNDS; round++)
            fewer += walk_damaged(&f, damaged, &info, &random) < whole;
        assert_true(fewer > ROUNDS / 20);
    }
    assert_int_equal(walk_damaged(&f, (struct section){(uint8_t[8]){0}, 8}, &info, &random), whole);
    sym_elf_close(&f.elf);
}

/* A table that lacks its end, and codes with gaps, not in their order. */
static void abbreviations_are_found_by_code(void **state)
{
    static const uint8_t table[] = {9,
                                    DW_TAG_variable,
                                    0,
                                    DW_AT_name,
                                    DW_FORM_string,
                                    DW_AT_type,
                                    DW_FORM_ref4,
                                    0,
                                    0,
                                    0x81,
                                    0x01,
                                    DW_TAG_member,
                                    1,
                                    DW_AT_const_value,
                                    DW_FORM_implicit_const,
                                    0x7f,
                                    DW_AT_name,
                                    DW_FORM_strp,
                                    0,
                                    0,
                                    2,
                                    DW_TAG_compile_unit,
                                    1,
                                    0,
                                    0,
                                    3,
                                    DW_TAG_namespace,
                                    1,
                                    DW_AT_name};
    struct sym_abbrevs a = {.len = 0};
    (void)state;
    assert_true(sym_abbrevs_read(&a, (struct sym_bytes){table, table + sizeof(table)},
                                 (struct sym_form_sizes){5, 8, 4}));
    assert_int_equal(a.len, 3);
    assert_null(sym_abbrevs_find(&a, 0));
    assert_null(sym_abbrevs_find(&a, 1));
    assert_null(sym_abbrevs_find(&a, 3));
    assert_null(sym_abbrevs_find(&a, UINT64_MAX));
    assert_int_equal(sym_abbrevs_find(&a, 2)->tag, DW_TAG_compile_unit);
    const struct sym_abbrev *open = sym_abbrevs_find(&a, 9), *fixed = sym_abbrevs_find(&a, 129);
    assert_int_equal(open->opens_len, 1);
    assert_int_equal(open->tail_bytes, 4);
    assert_int_equal(a.attributes[open->first_attribute + 1].before_bytes, SYM_NO_OFFSET);
    assert_int_equal(fixed->opens_len, 0);
    assert_int_equal(fixed->tail_bytes, 4);
    assert_int_equal(table[a.attributes[fixed->first_attribute].implicit_at_bytes], 0x7f);
    sym_abbrevs_fini(&a);
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_those_of_libdw),
        cmocka_unit_test(entries_of_type_units_and_split_files),
        cmocka_unit_test(damaged_entries_stay_in_their_section),
        cmocka_unit_test(abbreviations_are_found_by_code),
    };
    snprintf(folder, sizeof(folder), "%s", dirname(strdupa(program_invocation_name)));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
