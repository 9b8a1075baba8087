/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_code.h"

#include "common/ls_owner.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sym_code {
    int fd;
    Elf *elf;
};

enum { SYM_BUILD_ID_MAX = 64 };

/* Hexadecimal, "" when there is none. */
static void sym_code_build_id(Elf *elf, char out[2 * SYM_BUILD_ID_MAX + 1])
{
    const void *bits = NULL;
    const ssize_t len = dwelf_elf_gnu_build_id(elf, &bits);
    out[0] = '\0';
    for (ssize_t i = 0; i < len && i < SYM_BUILD_ID_MAX; i++)
        snprintf(out + 2 * i, 3, "%02x", ((const uint8_t *)bits)[i]);
}

static ls_err sym_code_check(const sym_code *c, const char *path, const char *build_id)
{
    char found[2 * SYM_BUILD_ID_MAX + 1];
    if (!c->elf || elf_kind(c->elf) != ELF_K_ELF) return ls_fail(LS_ERR_FORMAT, "%s is no ELF file", path);
    sym_code_build_id(c->elf, found);
    if (*build_id && strcmp(found, build_id) != 0)
        return ls_fail(LS_ERR_VERSION, "%s is not the file that ran: its build id is %s, then it was %s",
                       path, *found ? found : "missing", build_id);
    return LS_OK;
}

ls_err sym_code_open(const char *path, const char *build_id, sym_code **out)
{
    sym_code *c = calloc(1, sizeof(*c));
    if (!c) return ls_nomem("the code of %s", path);
    elf_version(EV_CURRENT);
    c->fd = ls_open_regular(path);
    if (c->fd < 0) {
        const int error = errno;
        free(c);
        return ls_fail_errno(error, "cannot open %s", path);
    }
    c->elf = elf_begin(c->fd, ELF_C_READ_MMAP, NULL);
    const ls_err err = sym_code_check(c, path, build_id);
    if (err != LS_OK) {
        sym_code_free(c);
        return err;
    }
    *out = c;
    return LS_OK;
}

void sym_code_free(sym_code *c)
{
    if (!c) return;
    elf_end(c->elf);
    close(c->fd);
    free(c);
}

size_t sym_code_read(sym_code *c, uint64_t address, uint8_t *out, size_t len_bytes)
{
    size_t headers = 0;
    if (elf_getphdrnum(c->elf, &headers) != 0) return 0;
    for (size_t i = 0; i < headers; i++) {
        GElf_Phdr p;
        if (!gelf_getphdr(c->elf, (int)i, &p) || p.p_type != PT_LOAD || !(p.p_flags & PF_X)) continue;
        if (address < p.p_vaddr || address - p.p_vaddr >= p.p_filesz) continue;
        const uint64_t at = address - p.p_vaddr, left = p.p_filesz - at;
        if (p.p_offset > INT64_MAX - at) return 0; /* a damaged header */
        const ssize_t got =
            pread(c->fd, out, left < len_bytes ? (size_t)left : len_bytes, (off_t)(p.p_offset + at));
        return got > 0 ? (size_t)got : 0;
    }
    return 0;
}
