/* SPDX-License-Identifier: BSD-3-Clause */
/* The code to trace: functions and source lines, as ranges of a file's bytes. */
#include "tools/trace/host/trc_host.h"

#include "symbols/sym_demangle.h"

#include <ctype.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct trc_file {
    const char *path;
    int fd;
    Elf *elf;
    FILE *out;
    unsigned found;
};

static ls_err trc_file_open(const char *path, FILE *out, struct trc_file *f)
{
    *f = (struct trc_file){.path = path, .out = out, .fd = open(path, O_RDONLY | O_CLOEXEC)};
    elf_version(EV_CURRENT);
    if (f->fd >= 0) f->elf = elf_begin(f->fd, ELF_C_READ_MMAP, NULL);
    if (f->elf && elf_kind(f->elf) == ELF_K_ELF) return LS_OK;
    elf_end(f->elf);
    if (f->fd >= 0) close(f->fd);
    return ls_fail(LS_ERR_FORMAT, "%s cannot be read as a program or library", path);
}

static void trc_file_close(struct trc_file *f)
{
    elf_end(f->elf);
    close(f->fd);
}

/* Linked addresses as offsets in the file. */
static void trc_put_stretch(struct trc_file *f, uint64_t start, uint64_t end)
{
    size_t len = 0;
    elf_getphdrnum(f->elf, &len);
    for (size_t i = 0; i < len; i++) {
        GElf_Phdr p;
        if (!gelf_getphdr(f->elf, (int)i, &p) || p.p_type != PT_LOAD) continue;
        if (start < p.p_vaddr || start - p.p_vaddr >= p.p_filesz) continue;
        fprintf(f->out, "%" PRIx64 " %" PRIx64 " %s\n", start - p.p_vaddr + p.p_offset,
                end - p.p_vaddr + p.p_offset, f->path);
        f->found++;
        return;
    }
}

/* --- functions --- */

/* name, name.constprop.0, and, demangled, name(int) or name<int>(...), module::name. */
static bool trc_is_named(const char *symbol, const char *name, struct sym_demangler *demangler)
{
    const size_t len = strlen(name);
    if (strncmp(symbol, name, len) == 0 && (symbol[len] == '\0' || symbol[len] == '.')) return true;
    if (strncmp(symbol, "_Z", 2) != 0 && strncmp(symbol, "__", 2) != 0) return false; /* C++, Fortran */
    const char *plain = sym_demangle(demangler, symbol);
    return plain && strncmp(plain, name, len) == 0 && strchr("(<[ ", plain[len]);
}

/* Return the offset of the word `set` in symbol, not before its second letter; symbol's length if absent. */
static size_t trc_set_at(const char *symbol, const char *set)
{
    const size_t len = strlen(symbol);
    const char *at = len > 0 ? strstr(symbol + 1, set) : NULL;
    if (!at || isalpha((unsigned char)at[strlen(set)])) return len;
    return (size_t)(at - symbol);
}

/* Return the length of symbol before an instruction set's name: 9 for __memmove_avx512_unaligned_erms. */
static size_t trc_base_len(const char *symbol)
{
    static const char *const sets[] = {"_avx",   "_evex", "_sse",   "_ssse", "_fma",  "_bmi",   "_erms",
                                       "_movbe", "_aes",  "_shani", "_sve",  "_neon", "_asimd", "_mops"};
    size_t len = strlen(symbol);
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        const size_t at = trc_set_at(symbol, sets[i]);
        if (at < len) len = at;
    }
    return len;
}

static bool trc_is_kin(const char *symbol, const char *name, struct sym_demangler *unused)
{
    const size_t len = trc_base_len(name);
    (void)unused;
    if (name[len] == '\0') return strcmp(symbol, name) == 0;
    return trc_base_len(symbol) == len && strncmp(symbol, name, len) == 0;
}

typedef bool (*trc_matches)(const char *symbol, const char *name, struct sym_demangler *demangler);

static void trc_section_functions(struct trc_file *f, Elf_Scn *section, const GElf_Shdr *header,
                                  trc_matches matches, const char *name)
{
    struct sym_demangler demangler = {0};
    Elf_Data *data = elf_getdata(section, NULL);
    const size_t len = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    for (size_t i = 0; i < len; i++) {
        GElf_Sym s;
        if (!gelf_getsym(data, (int)i, &s) || GELF_ST_TYPE(s.st_info) != STT_FUNC || s.st_size == 0) continue;
        const char *symbol = elf_strptr(f->elf, header->sh_link, s.st_name);
        if (symbol && matches(symbol, name, &demangler))
            trc_put_stretch(f, s.st_value, s.st_value + s.st_size);
    }
    sym_demangle_fini(&demangler);
}

static void trc_all_functions(struct trc_file *f, unsigned type, trc_matches matches, const char *name)
{
    for (Elf_Scn *s = elf_nextscn(f->elf, NULL); s; s = elf_nextscn(f->elf, s)) {
        GElf_Shdr header;
        if (gelf_getshdr(s, &header) && header.sh_type == type)
            trc_section_functions(f, s, &header, matches, name);
    }
}

/* --- copies of inlined functions --- */

enum { TRC_DEPTH_MAX = 200 }; /* scopes inside each other */

/* Find the declaration of the function that a copy is of, which is in its namespace or class. */
static bool trc_declaration(Dwarf_Die *copy, Dwarf_Die *out)
{
    Dwarf_Attribute attribute;
    if (!dwarf_formref_die(dwarf_attr(copy, DW_AT_abstract_origin, &attribute), out)) return false;
    Dwarf_Die function = *out;
    if (!dwarf_formref_die(dwarf_attr(&function, DW_AT_specification, &attribute), out)) *out = function;
    return true;
}

/* Return whether `name` is the function's, alone or after some of its scopes: fill, grid::fill. */
static bool trc_is_called(Dwarf_Die *declaration, const char *name)
{
    Dwarf_Die *scopes = NULL;
    const int len = dwarf_getscopes_die(declaration, &scopes);
    size_t left = strlen(name);
    for (int i = 0; i < len && left > 0; i++) {
        const char *word = dwarf_diename(&scopes[i]);
        const size_t word_len = word ? strlen(word) : 0;
        if (word_len == 0 || left < word_len || memcmp(name + left - word_len, word, word_len) != 0) break;
        left -= word_len;
        if (left < 3 || memcmp(name + left - 2, "::", 2) != 0) break;
        left -= 2;
    }
    free(scopes);
    return left == 0;
}

static bool trc_is_copy_of(Dwarf_Die *die, const char *name)
{
    Dwarf_Die declaration;
    return dwarf_tag(die) == DW_TAG_inlined_subroutine && trc_declaration(die, &declaration) &&
           trc_is_called(&declaration, name);
}

/* Take a copy as a whole, including the copies that are inlined into it. */
static void trc_put_copies(struct trc_file *f, Dwarf_Die *scope, const char *name, unsigned depth)
{
    Dwarf_Die die;
    if (depth > TRC_DEPTH_MAX || dwarf_child(scope, &die) != 0) return;
    do {
        Dwarf_Addr base = 0, start, end;
        if (!trc_is_copy_of(&die, name)) {
            if (dwarf_haschildren(&die)) trc_put_copies(f, &die, name, depth + 1);
            continue;
        }
        for (ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &start, &end)) > 0;)
            if (start < end) trc_put_stretch(f, start, end);
    } while (dwarf_siblingof(&die, &die) == 0);
}

/* The functions that the compiler copied into others, by the debug information. */
static void trc_all_copies(struct trc_file *f, const char *name)
{
    Dwarf *dwarf = dwarf_begin_elf(f->elf, DWARF_C_READ, NULL);
    Dwarf_Off at = 0, next;
    size_t header_bytes;
    for (; dwarf && dwarf_nextcu(dwarf, at, &next, &header_bytes, NULL, NULL, NULL) == 0; at = next) {
        Dwarf_Die unit;
        if (dwarf_offdie(dwarf, at + header_bytes, &unit)) trc_put_copies(f, &unit, name, 0);
    }
    dwarf_end(dwarf);
}

static void trc_symbols_named(struct trc_file *f, trc_matches matches, const char *name)
{
    trc_all_functions(f, SHT_SYMTAB, matches, name);
    if (f->found == 0) trc_all_functions(f, SHT_DYNSYM, matches, name);
}

ls_err trc_code_function(const char *path, const char *name, FILE *out)
{
    struct trc_file f;
    LS_TRY(trc_file_open(path, out, &f));
    trc_symbols_named(&f, trc_is_named, name);
    trc_all_copies(&f, name);
    trc_file_close(&f);
    if (f.found) return LS_OK;
    return ls_fail(LS_ERR_NOT_FOUND,
                   "--function %s: %s has no function of that name (a function that was inlined is found in "
                   "programs that were compiled with -g; for a function of a library give --module)",
                   name, path);
}

ls_err trc_code_kin(const char *path, const char *symbol, FILE *out)
{
    struct trc_file f;
    LS_TRY(trc_file_open(path, out, &f));
    trc_symbols_named(&f, trc_is_kin, symbol);
    trc_file_close(&f);
    if (f.found) return LS_OK;
    return ls_fail(LS_ERR_NOT_FOUND, "%s has no function %s", path, symbol);
}

ls_err trc_code_all(const char *path, FILE *out)
{
    struct trc_file f;
    size_t len = 0;
    LS_TRY(trc_file_open(path, out, &f));
    elf_getphdrnum(f.elf, &len);
    for (size_t i = 0; i < len; i++) {
        GElf_Phdr p;
        if (gelf_getphdr(f.elf, (int)i, &p) && p.p_type == PT_LOAD && p.p_flags & PF_X)
            trc_put_stretch(&f, p.p_vaddr, p.p_vaddr + p.p_filesz);
    }
    trc_file_close(&f);
    return f.found ? LS_OK : ls_fail(LS_ERR_NOT_FOUND, "%s has no code", path);
}

/* --- lines --- */

struct trc_lines {
    char file[4096];
    int first, last;
};

static ls_err trc_lines_read(const char *text, struct trc_lines *l)
{
    const char *colon = strrchr(text, ':');
    char *end;
    if (!colon || colon == text || (size_t)(colon - text) >= sizeof(l->file))
        return ls_fail(LS_ERR_USAGE, "--lines %s: give FILE:FIRST-LAST", text);
    snprintf(l->file, sizeof(l->file), "%.*s", (int)(colon - text), text);
    l->first = l->last = (int)strtol(colon + 1, &end, 10);
    if (*end == '-') l->last = (int)strtol(end + 1, &end, 10);
    if (*end || l->first < 1 || l->last < l->first)
        return ls_fail(LS_ERR_USAGE, "--lines %s: give FILE:FIRST-LAST", text);
    return LS_OK;
}

/* Is name the end of a path? "b.c" and "a/b.c" are ends of "/home/a/b.c". */
static bool trc_is_end_of(const char *path, const char *end)
{
    const size_t len = strlen(path), end_len = strlen(end);
    if (len < end_len || strcmp(path + len - end_len, end) != 0) return false;
    return len == end_len || path[len - end_len - 1] == '/';
}

static bool trc_line_is_in(Dwarf_Line *line, const struct trc_lines *l)
{
    int number = 0;
    if (dwarf_lineno(line, &number) != 0 || number < l->first || number > l->last) return false;
    const char *source = dwarf_linesrc(line, NULL, NULL);
    return source && trc_is_end_of(source, l->file);
}

static void trc_unit_lines(struct trc_file *f, Dwarf_Die *unit, const struct trc_lines *l)
{
    Dwarf_Lines *lines;
    size_t len;
    if (dwarf_getsrclines(unit, &lines, &len) != 0) return;
    for (size_t i = 0; i + 1 < len; i++) {
        Dwarf_Line *line = dwarf_onesrcline(lines, i), *next = dwarf_onesrcline(lines, i + 1);
        Dwarf_Addr start, end;
        bool is_end = false;
        dwarf_lineendsequence(line, &is_end);
        if (is_end || !trc_line_is_in(line, l) || dwarf_lineaddr(line, &start) != 0 ||
            dwarf_lineaddr(next, &end) != 0 || end <= start)
            continue;
        trc_put_stretch(f, start, end);
    }
}

ls_err trc_code_lines(const char *path, const char *lines, FILE *out)
{
    struct trc_file f;
    struct trc_lines l;
    LS_TRY(trc_lines_read(lines, &l));
    LS_TRY(trc_file_open(path, out, &f));
    Dwarf *dwarf = dwarf_begin_elf(f.elf, DWARF_C_READ, NULL);
    Dwarf_Off at = 0, next;
    size_t header_bytes;
    for (; dwarf && dwarf_nextcu(dwarf, at, &next, &header_bytes, NULL, NULL, NULL) == 0; at = next) {
        Dwarf_Die unit;
        if (dwarf_offdie(dwarf, at + header_bytes, &unit)) trc_unit_lines(&f, &unit, &l);
    }
    dwarf_end(dwarf);
    trc_file_close(&f);
    if (f.found) return LS_OK;
    return ls_fail(LS_ERR_NOT_FOUND, "--lines %s: %s has no code of these lines%s", lines, path,
                   dwarf ? "; for a library give --module"
                         : ": it has no line information, compile it with -g");
}
