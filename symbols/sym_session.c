/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "symbols/sym_session.h"

#include "symbols/sym_units.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What belongs to a row of modules. */
struct sym_backing {
    Dwfl_Module *module; /* NULL: its file could not be read */
    struct sym_units units;
    bool has_units; /* units were asked for */
};

struct sym_session {
    Dwfl *dwfl;
    struct sym_module *modules;
    struct sym_backing *backings; /* beside modules */
    size_t len, room;
    bool is_reported;
    char file[4096];
};

static const Dwfl_Callbacks sym_callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
};

ls_err sym_session_new(sym_session **out)
{
    sym_session *s = calloc(1, sizeof(*s));
    if (!s) return ls_fail(LS_ERR_NOMEM, "out of memory for symbols");
    elf_version(EV_CURRENT);
    s->dwfl = dwfl_begin(&sym_callbacks);
    if (!s->dwfl) {
        free(s);
        return ls_fail(LS_ERR_NOMEM, "out of memory for symbols: %s", dwfl_errmsg(-1));
    }
    dwfl_report_begin(s->dwfl);
    *out = s;
    return LS_OK;
}

void sym_session_free(sym_session *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->len; i++) {
        free((char *)s->modules[i].path);
        if (s->modules[i].build_id[0] != '\0') free((char *)s->modules[i].build_id);
    }
    for (size_t i = 0; i < s->len; i++)
        sym_units_fini(&s->backings[i].units);
    dwfl_end(s->dwfl);
    free(s->modules);
    free(s->backings);
    free(s);
}

/* The segment that holds the byte at offset_bytes of the file says which address that byte was linked at. */
static bool sym_linked_address(Elf *elf, uint64_t offset_bytes, uint64_t *out)
{
    size_t len;
    if (elf_getphdrnum(elf, &len) != 0) return false;
    for (size_t i = 0; i < len; i++) {
        GElf_Phdr ph;
        if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD) continue;
        const uint64_t page = ph.p_align > 1 && (ph.p_align & (ph.p_align - 1)) == 0 ? ph.p_align : 1;
        const uint64_t first = ph.p_offset & ~(page - 1);
        if (offset_bytes >= first && offset_bytes < ph.p_offset + ph.p_filesz) {
            *out = ph.p_vaddr - (ph.p_offset - offset_bytes);
            return true;
        }
    }
    return false;
}

static bool sym_read_bias(int fd, uint64_t base, uint64_t offset_bytes, uint64_t *out_bias)
{
    uint64_t linked = 0;
    GElf_Ehdr head;
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    bool is_found = elf && elf_kind(elf) == ELF_K_ELF && sym_linked_address(elf, offset_bytes, &linked);
    *out_bias = base - linked;
    /* a program that is not position-independent can only lie where it was linked */
    if (is_found && gelf_getehdr(elf, &head) && head.e_type == ET_EXEC) is_found = *out_bias == 0;
    if (elf) elf_end(elf);
    return is_found;
}

/* Only regular files: opening a device or a pipe may block or act. */
static int sym_open_regular(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return -1;
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

static const char *sym_build_id_text(Dwfl_Module *module)
{
    const unsigned char *bits;
    GElf_Addr at;
    const int len = dwfl_module_build_id(module, &bits, &at);
    char *text = len > 0 && len <= 64 ? malloc(2 * (size_t)len + 1) : NULL;
    for (int i = 0; text && i < len; i++)
        snprintf(text + 2 * i, 3, "%02x", bits[i]);
    return text ? text : "";
}

/* A file mapped in several pieces is one module: libdwfl drops a module that is reported twice. */
static Dwfl_Module *sym_known_module(const sym_session *s, const char *path, uint64_t bias)
{
    for (size_t i = 0; i < s->len; i++)
        if (s->backings[i].module && s->modules[i].bias == bias && strcmp(s->modules[i].path, path) == 0)
            return s->backings[i].module;
    return NULL;
}

static Dwfl_Module *sym_report(sym_session *s, struct sym_module *m, uint64_t offset_bytes)
{
    uint64_t bias;
    Dwfl_Module *module = NULL;
    const int fd = sym_open_regular(m->path);
    if (fd < 0) return NULL;
    if (sym_read_bias(fd, m->base, offset_bytes, &bias)) {
        module = sym_known_module(s, m->path, bias);
        if (module) {
            m->bias = bias;
            close(fd);
            return module;
        }
        module = dwfl_report_elf(s->dwfl, m->path, m->path, fd, bias, true);
    }
    if (!module) {
        close(fd);
        return NULL;
    }
    m->bias = bias; /* the descriptor is libdwfl's now */
    return module;
}

static ls_err sym_grow(sym_session *s)
{
    if (s->len < s->room) return LS_OK;
    const size_t room = s->room ? 2 * s->room : 32;
    struct sym_module *modules = realloc(s->modules, room * sizeof(*modules));
    if (modules) s->modules = modules;
    struct sym_backing *backings = modules ? realloc(s->backings, room * sizeof(*backings)) : NULL;
    if (!backings) return ls_fail(LS_ERR_NOMEM, "out of memory for %zu modules", room);
    s->backings = backings;
    s->room = room;
    return LS_OK;
}

ls_err sym_session_add(sym_session *s, const char *path, uint64_t base, uint64_t end, uint64_t offset_bytes)
{
    if (base >= end) return ls_fail(LS_ERR_RANGE, "%s: empty mapping", path);
    LS_TRY(sym_grow(s));
    struct sym_module *m = &s->modules[s->len];
    char *copy = strdup(path);
    if (!copy) return ls_fail(LS_ERR_NOMEM, "out of memory for a module name");
    *m = (struct sym_module){.path = copy, .build_id = "", .base = base, .end = end};
    struct sym_backing *backing = &s->backings[s->len];
    *backing = (struct sym_backing){.module = sym_report(s, m, offset_bytes)};
    if (backing->module) m->build_id = sym_build_id_text(backing->module);
    s->len++;
    return LS_OK;
}

/* libdwfl reads descriptors. */
static Dwfl_Module *sym_report_image(sym_session *s, const struct sym_image *image)
{
    const int fd = memfd_create(image->name, MFD_CLOEXEC);
    Dwfl_Module *module = NULL;
    if (fd < 0) return NULL;
    if (write(fd, image->bytes, image->len_bytes) == (ssize_t)image->len_bytes)
        module = dwfl_report_elf(s->dwfl, image->name, image->name, fd, image->base, true);
    if (!module) close(fd);
    return module;
}

ls_err sym_session_add_image(sym_session *s, const struct sym_image *image)
{
    LS_TRY(sym_grow(s));
    char *name = strdup(image->name);
    if (!name) return ls_fail(LS_ERR_NOMEM, "out of memory for a module name");
    Dwfl_Module *module = sym_report_image(s, image);
    s->backings[s->len] = (struct sym_backing){.module = module};
    s->modules[s->len++] = (struct sym_module){.path = name,
                                               .build_id = module ? sym_build_id_text(module) : "",
                                               .base = image->base,
                                               .end = image->base + image->len_bytes,
                                               .bias = module ? image->base : 0};
    return LS_OK;
}

Dwfl *sym_session_dwfl(sym_session *s)
{
    if (!s->is_reported) {
        dwfl_report_end(s->dwfl, NULL, NULL);
        s->is_reported = true;
    }
    return s->dwfl;
}

const struct sym_module *sym_session_modules(const sym_session *s, size_t *out_len)
{
    *out_len = s->len;
    return s->modules;
}

/* Relative names are relative to where the compiler ran. */
static void sym_set_line(sym_session *s, struct sym_place *place, const char *dir, const char *name, int line)
{
    if (name[0] == '/') dir = NULL;
    snprintf(s->file, sizeof(s->file), "%s%s%s", dir ? dir : "", dir ? "/" : "", name);
    place->file = s->file;
    place->line = line > 0 ? (uint32_t)line : 0;
}

static void sym_find_line_by_units(sym_session *s, struct sym_backing *b, uint64_t ip,
                                   struct sym_place *place)
{
    int line = 0;
    if (!b->has_units) sym_units_read(&b->units, b->module);
    b->has_units = true;
    Dwarf_Line *row = sym_units_line(&b->units, ip);
    const char *name = row ? dwarf_linesrc(row, NULL, NULL) : NULL; /* absolute but for odd producers */
    if (name && dwarf_lineno(row, &line) == 0) sym_set_line(s, place, NULL, name, line);
}

static void sym_find_line(sym_session *s, struct sym_backing *b, uint64_t ip, struct sym_place *place)
{
    int line = 0;
    Dwfl_Line *row = dwfl_module_getsrc(b->module, ip);
    const char *name = row ? dwfl_lineinfo(row, NULL, &line, NULL, NULL, NULL) : NULL;
    if (name)
        sym_set_line(s, place, dwfl_line_comp_dir(row), name, line);
    else
        sym_find_line_by_units(s, b, ip, place);
}

static size_t sym_module_at(const sym_session *s, uint64_t ip)
{
    size_t i = 0;
    while (i < s->len && (ip < s->modules[i].base || ip >= s->modules[i].end))
        i++;
    return i;
}

const char *sym_session_module(sym_session *s, uint64_t ip)
{
    const size_t at = sym_module_at(s, ip);
    return at < s->len ? s->modules[at].path : "";
}

const char *sym_session_function(sym_session *s, uint64_t ip, const char **out_module)
{
    const size_t at = sym_module_at(s, ip);
    *out_module = at < s->len ? s->modules[at].path : "";
    if (at == s->len || !s->backings[at].module) return "";
    sym_session_dwfl(s);
    const char *function = dwfl_module_addrname(s->backings[at].module, ip);
    return function ? function : "";
}

struct sym_place sym_session_find(sym_session *s, uint64_t ip)
{
    struct sym_place place = {.module = "", .function = "", .file = ""};
    sym_session_dwfl(s);
    for (size_t i = 0; i < s->len; i++) {
        if (ip < s->modules[i].base || ip >= s->modules[i].end) continue;
        place.module = s->modules[i].path;
        struct sym_backing *b = &s->backings[i];
        if (!b->module) break;
        const char *function = dwfl_module_addrname(b->module, ip);
        if (function) place.function = function;
        sym_find_line(s, b, ip, &place);
        break;
    }
    return place;
}
