/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "symbols/sym_elf.h"

#include "common/ls_owner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const Dwfl_Callbacks sym_callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = sym_debug_find,
};

static int sym_open_for(const char *path, uid_t asker, const char **out_problem)
{
    const int fd = ls_open_regular(path);
    if (fd < 0) {
        *out_problem = errno == EINVAL ? "not a regular file" : strerror(errno);
        return -1;
    }
    const struct ls_readers readers = ls_readers_of(fd);
    if (ls_readers_have(&readers, asker)) return fd;
    *out_problem = "not readable for the user who recorded";
    close(fd);
    return -1;
}

/* Is it a program or library for this kind of machine? */
static const char *sym_problem_of(Elf *elf)
{
    GElf_Ehdr head;
    if (elf && elf_kind(elf) != ELF_K_ELF) return SYM_PROBLEM_NOT_ELF;
    if (!elf || !gelf_getehdr(elf, &head)) return "a damaged ELF file";
    if (head.e_ident[EI_DATA] != ELFDATA2LSB) return "an ELF file of the other byte order";
    return head.e_type == ET_EXEC || head.e_type == ET_DYN ? NULL : "neither a program nor a library";
}

static const char *sym_check_file(int fd)
{
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    const char *problem = sym_problem_of(elf);
    if (elf) elf_end(elf);
    return problem;
}

/* libdwfl takes ownership of the descriptor. */
static bool sym_report_file(struct sym_elf *e, const char *path, int fd)
{
    GElf_Addr bias;
    dwfl_report_begin(e->dwfl);
    e->module = dwfl_report_elf(e->dwfl, path, path, fd, 0, true);
    if (!e->module) close(fd);
    dwfl_report_end(e->dwfl, NULL, NULL);
    e->elf = e->module ? dwfl_module_getelf(e->module, &bias) : NULL;
    return e->elf != NULL;
}

bool sym_elf_open(const char *path, uid_t asker, struct sym_elf *out, const char **out_problem)
{
    struct sym_elf e = {0};
    elf_version(EV_CURRENT);
    const int fd = sym_open_for(path, asker, out_problem);
    if (fd < 0) return false;
    e.author = ls_owner_meet(asker, ls_owner_of(fd));
    *out_problem = sym_check_file(fd);
    e.dwfl = *out_problem ? NULL : dwfl_begin(&sym_callbacks);
    if (!e.dwfl) {
        if (!*out_problem) *out_problem = "out of memory";
        close(fd);
        return false;
    }
    if (!sym_report_file(&e, path, fd)) {
        *out_problem = "a damaged ELF file";
        sym_elf_close(&e);
        return false;
    }
    *out = e;
    return true;
}

void sym_elf_find_dwarf(struct sym_elf *e)
{
    const char *file = NULL, *debug_file = NULL;
    e->dwarf = dwfl_module_getdwarf(e->module, &e->dwarf_bias);
    if (!e->dwarf) return;
    dwfl_module_info(e->module, NULL, NULL, NULL, NULL, NULL, &file, &debug_file);
    e->dwarf_path = debug_file ? debug_file : file ? file : "";
    e->author = ls_owner_meet(e->author, sym_debug_author(e->module));
    e->alt = sym_debug_open_alt(e->dwarf, e->dwarf_path, &e->author);
    e->units = calloc(1, sizeof(*e->units));
    if (e->units)
        sym_units_read(e->units, e->dwarf, e->dwarf_path);
    else
        e->dwarf = NULL;
}

void sym_elf_close(struct sym_elf *e)
{
    if (e->units) sym_units_fini(e->units);
    free(e->units);
    if (e->dwfl) dwfl_end(e->dwfl);
    sym_debug_close_alt(&e->alt);
    *e = (struct sym_elf){0};
}

static uint32_t sym_build_id(const struct sym_elf *e, struct sym_draft *d)
{
    const unsigned char *bits;
    GElf_Addr at;
    char text[129] = "";
    const int len = dwfl_module_build_id(e->module, &bits, &at);
    for (int i = 0; i < len && len <= 64; i++)
        snprintf(text + 2 * i, 3, "%02x", bits[i]);
    return sym_draft_text(d, text);
}

static void sym_describe_segments(const struct sym_elf *e, struct sym_draft *d, struct sym_head *head)
{
    size_t len;
    if (elf_getphdrnum(e->elf, &len) != 0) return;
    for (size_t i = 0; i < len; i++) {
        GElf_Phdr ph;
        if (!gelf_getphdr(e->elf, (int)i, &ph)) break;
        if (ph.p_type == PT_TLS) head->tls_len_bytes = ph.p_memsz;
        if (ph.p_type != PT_LOAD) continue;
        *SYM_DRAFT_ROW(d, segments) =
            (struct sym_segment){ph.p_offset, ph.p_filesz, ph.p_vaddr, ph.p_memsz, ph.p_align, ph.p_flags};
    }
}

static void sym_describe_sections(const struct sym_elf *e, struct sym_draft *d)
{
    size_t names;
    GElf_Shdr sh;
    if (elf_getshdrstrndx(e->elf, &names) != 0) return;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(e->elf, scn)) != NULL;) {
        if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_ALLOC) || sh.sh_size == 0) continue;
        if (sh.sh_addr + sh.sh_size < sh.sh_addr) continue;
        const char *name = elf_strptr(e->elf, names, sh.sh_name);
        *SYM_DRAFT_ROW(d, sections) = (struct sym_section){.base = sh.sh_addr,
                                                           .end = sh.sh_addr + sh.sh_size,
                                                           .name = sym_draft_text(d, name),
                                                           .is_tls = (sh.sh_flags & SHF_TLS) != 0};
    }
}

void sym_elf_describe(const struct sym_elf *e, struct sym_draft *d)
{
    GElf_Ehdr ehdr;
    struct sym_head head = {.build_id = sym_build_id(e, d),
                            .is_fixed = gelf_getehdr(e->elf, &ehdr) && ehdr.e_type == ET_EXEC};
    sym_describe_segments(e, d, &head);
    sym_describe_sections(e, d);
    *SYM_DRAFT_ROW(d, heads) = head;
}

static bool sym_section_needs(const struct sym_elf *e, Elf_Scn *scn, const GElf_Shdr *sh, const char *library)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    GElf_Dyn dyn;
    for (int i = 0; data && gelf_getdyn(data, i, &dyn); i++) {
        if (dyn.d_tag != DT_NEEDED) continue;
        const char *name = elf_strptr(e->elf, sh->sh_link, dyn.d_un.d_val);
        if (name && strncmp(name, library, strlen(library)) == 0) return true;
    }
    return false;
}

bool sym_elf_needs(const struct sym_elf *e, const char *library)
{
    GElf_Shdr sh;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(e->elf, scn)) != NULL;)
        if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_DYNAMIC && sym_section_needs(e, scn, &sh, library))
            return true;
    return false;
}

int sym_elf_symbols_len(const struct sym_elf *e)
{
    const int len = dwfl_module_getsymtab(e->module);
    return len > 0 ? len : 0;
}

bool sym_elf_symbol(const struct sym_elf *e, int i, struct sym_elf_symbol *out)
{
    GElf_Sym sym;
    GElf_Addr addr;
    GElf_Word section;
    const char *name = dwfl_module_getsym_info(e->module, i, &sym, &addr, &section, NULL, NULL);
    if (!name || !*name) return false;
    *out = (struct sym_elf_symbol){.name = name,
                                   .linked = addr,
                                   .len_bytes = sym.st_size,
                                   .type = GELF_ST_TYPE(sym.st_info),
                                   .bind = GELF_ST_BIND(sym.st_info)};
    if (out->type == STT_FILE) return true;
    if (out->type == STT_TLS) out->linked = sym.st_value;
    return section != SHN_UNDEF && section != SHN_ABS;
}
