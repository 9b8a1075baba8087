/* SPDX-License-Identifier: BSD-3-Clause */
/* Stubs through which a program calls functions of other files (the procedure linkage table): symbol tables do not name
 * them, so each has the name of the function whose address its slot gets by a relocation. The formats are
 * in the System V ABI, AMD64 supplement, section 5.2. binutils and lld write other stubs, with endbr64, for -z ibtplt. */
#include "common/ls_vector.h"
#include "symbols/sym_lines.h"

#include <stdlib.h>
#include <string.h>

enum { SYM_STUB_BYTES = 16, SYM_STUB_BYTES_MIN = 8 };

/* A slot that the dynamic linker fills with the address of a function. */
struct sym_slot_name {
    uint64_t at;
    const char *name;
};
struct sym_plt {
    const struct sym_elf *elf;
    const struct sym_functions *functions; /* sorted */
    LS_VECTOR(struct sym_slot_name) slots; /* by address */
    LS_VECTOR(uint64_t) pushed;            /* the address of each slot of .rela.plt, in its order */
    LS_VECTOR(struct sym_function) stubs;
};

static int sym_compare_slots(const void *a, const void *b)
{
    const struct sym_slot_name *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static const char *sym_slot_name_at(const struct sym_plt *p, uint64_t at)
{
    const struct sym_slot_name key = {.at = at};
    const struct sym_slot_name *found =
        p->slots.len ? bsearch(&key, p->slots.rows, p->slots.len, sizeof(key), sym_compare_slots) : NULL;
    return found ? found->name : NULL;
}

/* The name of a function that chooses the address of another one (STT_GNU_IFUNC), which has the same name. */
static const char *sym_chooser_name(const struct sym_plt *p, uint64_t linked)
{
    const struct sym_function *f = sym_functions_find(p->functions, linked);
    while (f && f > p->functions->rows && f[-1].base == linked)
        f--; /* the best name of several */
    return f && f->base == linked ? f->name : NULL;
}

/* The section of symbols that a section of relocations refers to, and that of their names. */
struct sym_slot_symbols {
    Elf_Data *data;
    GElf_Word strings;
};

static const char *sym_slot_symbol_name(const struct sym_plt *p, const struct sym_slot_symbols *s,
                                        const GElf_Rela *rela)
{
    GElf_Sym sym;
    switch (GELF_R_TYPE(rela->r_info)) {
    case R_X86_64_JUMP_SLOT:
    case R_X86_64_GLOB_DAT:
        if (!s->data || !gelf_getsym(s->data, (int)GELF_R_SYM(rela->r_info), &sym)) return NULL;
        return elf_strptr(p->elf->elf, s->strings, sym.st_name);
    case R_X86_64_IRELATIVE:
        return sym_chooser_name(p, (uint64_t)rela->r_addend);
    default:
        return NULL;
    }
}

static ls_err sym_slots_read(struct sym_plt *p, Elf_Scn *scn, const GElf_Shdr *sh, bool is_plt)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    Elf_Scn *symbols = elf_getscn(p->elf->elf, sh->sh_link);
    GElf_Shdr symbols_sh;
    struct sym_slot_symbols s = {0};
    if (sh->sh_link && symbols && gelf_getshdr(symbols, &symbols_sh))
        s = (struct sym_slot_symbols){elf_getdata(symbols, NULL), symbols_sh.sh_link};
    GElf_Rela rela;
    for (int i = 0; data && gelf_getrela(data, i, &rela); i++) {
        const char *name = sym_slot_symbol_name(p, &s, &rela);
        if (is_plt) LS_TRY(LS_VECTOR_ADD(&p->pushed, rela.r_offset));
        if (name && *name) LS_TRY(LS_VECTOR_ADD(&p->slots, (struct sym_slot_name){rela.r_offset, name}));
    }
    return LS_OK;
}

static int32_t sym_stub_i32(const uint8_t *at)
{
    return (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24);
}

/* The slot of the function that a stub calls: `jmp *slot(%rip)`, or `push number` before the jump to the dynamic linker. */
static uint64_t sym_stub_slot(const struct sym_plt *p, const uint8_t *stub, size_t len, uint64_t linked)
{
    for (size_t i = 0; i + 6 <= len; i++)
        if (stub[i] == 0xff && stub[i + 1] == 0x25)
            return linked + i + 6 + (uint64_t)(int64_t)sym_stub_i32(stub + i + 2);
    for (size_t i = 0; i + 5 <= len && i <= 4; i += 4) { /* in front or after endbr64 */
        const uint32_t number = stub[i] == 0x68 ? (uint32_t)sym_stub_i32(stub + i + 1) : UINT32_MAX;
        if (number < p->pushed.len) return p->pushed.rows[number];
    }
    return 0;
}

/* A stub has 16 bytes; in .plt.got and in static programs it may have 8. Code of the section that is no stub, such as the
 * call of the dynamic linker, gets the name of the section. */
static ls_err sym_stubs_read(struct sym_plt *p, Elf_Scn *scn, const GElf_Shdr *sh, const char *section)
{
    const Elf_Data *data = elf_getdata(scn, NULL);
    const bool is_short = sh->sh_entsize == SYM_STUB_BYTES_MIN || sh->sh_addralign == SYM_STUB_BYTES_MIN;
    const size_t step = is_short ? SYM_STUB_BYTES_MIN : SYM_STUB_BYTES;
    for (size_t i = 0; data && data->d_buf && i + step <= data->d_size; i += step) {
        const char *name =
            sym_slot_name_at(p, sym_stub_slot(p, (const uint8_t *)data->d_buf + i, step, sh->sh_addr + i));
        LS_TRY(LS_VECTOR_ADD(&p->stubs, (struct sym_function){.base = sh->sh_addr + i,
                                                              .end = sh->sh_addr + i + step,
                                                              .name = name ? name : section,
                                                              .rank = SYM_RANK_STUB,
                                                              .is_stub = name != NULL}));
    }
    return LS_OK;
}

static ls_err sym_plt_section(struct sym_plt *p, Elf_Scn *scn, size_t names, bool wants_stubs)
{
    GElf_Shdr sh;
    const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(p->elf->elf, names, sh.sh_name) : NULL;
    if (!name || !(sh.sh_flags & SHF_ALLOC)) return LS_OK;
    if (!wants_stubs)
        return sh.sh_type == SHT_RELA ? sym_slots_read(p, scn, &sh, strcmp(name, ".rela.plt") == 0) : LS_OK;
    const bool is_plt = sh.sh_type == SHT_PROGBITS && (sh.sh_flags & SHF_EXECINSTR) &&
                        (strncmp(name, ".plt", 4) == 0 || strcmp(name, ".iplt") == 0);
    return is_plt && sh.sh_addr + sh.sh_size > sh.sh_addr ? sym_stubs_read(p, scn, &sh, name) : LS_OK;
}

static ls_err sym_plt_sections(struct sym_plt *p, bool wants_stubs)
{
    size_t names;
    if (elf_getshdrstrndx(p->elf->elf, &names) != 0) return LS_OK;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(p->elf->elf, scn)) != NULL;)
        LS_TRY(sym_plt_section(p, scn, names, wants_stubs));
    return LS_OK;
}

static ls_err sym_plt_append(const struct sym_plt *p, struct sym_functions *f)
{
    if (p->stubs.len == 0) return LS_OK;
    struct sym_function *rows = realloc(f->rows, (f->len + p->stubs.len + 1) * sizeof(*rows));
    if (!rows) return ls_nomem("%zu stubs", p->stubs.len);
    memcpy(rows + f->len, p->stubs.rows, p->stubs.len * sizeof(*rows));
    f->rows = rows;
    f->len += p->stubs.len;
    return LS_OK;
}

ls_err sym_plt_add(const struct sym_elf *e, struct sym_functions *f)
{
    struct sym_plt p = {.elf = e, .functions = f};
    GElf_Ehdr head;
    if (!gelf_getehdr(e->elf, &head) || head.e_machine != EM_X86_64) return LS_OK;
    ls_err err = sym_plt_sections(&p, false);
    if (err == LS_OK && p.slots.len > 0) {
        qsort(p.slots.rows, p.slots.len, sizeof(*p.slots.rows), sym_compare_slots);
        err = sym_plt_sections(&p, true);
    }
    if (err == LS_OK) err = sym_plt_append(&p, f);
    free(p.slots.rows);
    free(p.pushed.rows);
    free(p.stubs.rows);
    return err;
}
