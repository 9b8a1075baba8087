/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_debug.h"

#include "common/ls_owner.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* Length of the folder in path, with its slash. */
static int debug_folder_len(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

/* The checksum of .gnu_debuglink is zlib's (GDB manual, Separate Debug Files). */
static bool debug_has_crc(int fd, GElf_Word crc)
{
    unsigned char bytes[1 << 14];
    uLong sum = crc32(0, NULL, 0);
    ssize_t got;
    while ((got = read(fd, bytes, sizeof(bytes))) > 0)
        sum = crc32(sum, bytes, (uInt)got);
    return got == 0 && sum == crc && lseek(fd, 0, SEEK_SET) == 0;
}

static int debug_find_link(const char *path, const char *link, GElf_Word crc, char **out_path)
{
    static const char *const patterns[] = {"%.*s%s", "%.*s.debug/%s", "/usr/lib/debug%.*s%s"};
    char found[PATH_MAX];
    if (!path || !link || !*link || strchr(link, '/')) return -1;
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        const int len = snprintf(found, sizeof(found), patterns[i], debug_folder_len(path), path, link);
        const int fd = len < (int)sizeof(found) ? ls_open_regular(found) : -1;
        if (fd < 0) continue;
        if (debug_has_crc(fd, crc) && (*out_path = strdup(found)) != NULL) return fd;
        close(fd);
    }
    return -1;
}

int sym_debug_find(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, const char *path,
                   const char *link, GElf_Word crc, char **out_path)
{
    int fd = dwfl_build_id_find_debuginfo(module, user, name, base, NULL, NULL, 0, out_path);
    if (fd < 0) fd = debug_find_link(path, link, crc, out_path);
    /* a file name that cannot exist, so that only debuginfod is tried */
    if (fd < 0 && getenv("DEBUGINFOD_URLS"))
        fd = dwfl_standard_find_debuginfo(module, user, name, base, NULL, "/dev/null/none", 0, out_path);
    if (fd >= 0) *user = (void *)(uintptr_t)ls_owner_of(fd);
    return fd;
}

uid_t sym_debug_author(Dwfl_Module *module)
{
    void **user = NULL;
    dwfl_module_info(module, &user, NULL, NULL, NULL, NULL, NULL, NULL);
    return user ? (uid_t)(uintptr_t)*user : LS_OWNER_OURS;
}

/* Let libdw find nothing: it looks once. */
static void debug_refuse_alt(Dwarf *dwarf)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    const struct rlimit none = {0, limit.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    dwarf_getalt(dwarf);
    setrlimit(RLIMIT_NOFILE, &limit);
}

static int debug_open_by_id(const uint8_t *id, size_t len)
{
    static const char folder[] = "/usr/lib/debug/.build-id/";
    char path[sizeof(folder) + 3 * 64];
    if (len < 2 || len > 64) return -1;
    int at = snprintf(path, sizeof(path), "%s%02x/", folder, id[0]);
    for (size_t i = 1; i < len; i++)
        at += snprintf(path + at, sizeof(path) - (size_t)at, "%02x", id[i]);
    snprintf(path + at, sizeof(path) - (size_t)at, ".debug");
    return ls_open_regular(path);
}

/* Resolve a name in the file at path, relative to the folder of that file. */
static bool debug_join(const char *path, const char *name, char out[PATH_MAX])
{
    return snprintf(out, PATH_MAX, "%.*s%s", *name == '/' ? 0 : debug_folder_len(path), path, name) <
           PATH_MAX;
}

struct sym_debug_alt sym_debug_open_alt(Dwarf *dwarf, const char *path, uid_t *author)
{
    const char *name;
    const void *id;
    char found[PATH_MAX];
    struct sym_debug_alt alt = {NULL, -1};
    const ssize_t len = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id);
    if (len <= 0) return (struct sym_debug_alt){0};
    alt.fd = debug_open_by_id(id, (size_t)len);
    if (alt.fd < 0 && debug_join(path, name, found)) alt.fd = ls_open_regular(found);
    if (alt.fd >= 0) alt.dwarf = dwarf_begin(alt.fd, DWARF_C_READ);
    if (!alt.dwarf) {
        if (alt.fd >= 0) close(alt.fd);
        debug_refuse_alt(dwarf);
        return (struct sym_debug_alt){0};
    }
    *author = ls_owner_meet(*author, ls_owner_of(alt.fd));
    dwarf_setalt(dwarf, alt.dwarf);
    return alt;
}

void sym_debug_close_alt(struct sym_debug_alt *alt)
{
    if (!alt->dwarf) return;
    dwarf_end(alt->dwarf);
    close(alt->fd);
    *alt = (struct sym_debug_alt){0};
}

static const char *debug_text_of(Dwarf_Die *unit, unsigned attribute)
{
    Dwarf_Attribute a;
    const char *text = dwarf_formstring(dwarf_attr(unit, attribute, &a));
    return text ? text : "";
}

static bool debug_is_absent_or_regular(const char *path)
{
    struct stat st;
    return stat(path, &st) != 0 || S_ISREG(st.st_mode);
}

bool sym_debug_may_split(Dwarf_Die *unit, const char *path)
{
    char found[PATH_MAX], folder[PATH_MAX];
    const char *name = debug_text_of(unit, DW_AT_dwo_name);
    if (!*name) name = debug_text_of(unit, DW_AT_GNU_dwo_name);
    if (!*name) return true;
    if (!debug_join(path, name, found) || !debug_is_absent_or_regular(found)) return false;
    /* or relative to the folder of the compilation, which may be a relative path, too */
    if (snprintf(folder, sizeof(folder), "%s/", debug_text_of(unit, DW_AT_comp_dir)) >= PATH_MAX)
        return false;
    if (!debug_join(folder, name, found) || !debug_is_absent_or_regular(found)) return false;
    char beside[PATH_MAX];
    return debug_join(path, found, beside) && debug_is_absent_or_regular(beside);
}
