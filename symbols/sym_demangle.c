/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_demangle.h"

#include "common/ls_vector.h"
#include "symbols/sym_demangle_rust.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer names are rare. Even a short hostile name can expand to gigabytes. */
enum { SYM_NAME_MAX_BYTES = 4096 };

static void sym_demangle_find(struct sym_demangler *d)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
    if (d->is_asked) return;
    d->is_asked = true;
    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]) && !d->demangle; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
        void *found = library ? dlsym(library, "__cxa_demangle") : NULL;
        if (found) memcpy(&d->demangle, &found, sizeof(found));
    }
}

static const char *sym_demangle_cxx(struct sym_demangler *d, const char *name)
{
    int status = -1;
    sym_demangle_find(d);
    if (!d->demangle) return NULL;
    char *text = d->demangle(name, d->text, &d->room, &status);
    if (!text || status != 0) return NULL;
    d->text = text;
    sym_tidy_rust(text);
    return text;
}

static const char *sym_demangle_v0(struct sym_demangler *d, const char *name)
{
    if (LS_GROW(d->text, d->room, SYM_NAME_MAX_BYTES) != LS_OK) return NULL;
    return sym_demangle_rust(name, d->text, SYM_NAME_MAX_BYTES) ? d->text : NULL;
}

/* gfortran (trans-decl.c, gfc_sym_mangled_identifier): __<module>_MOD_<name> */
static const char *sym_demangle_fortran(struct sym_demangler *d, const char *name)
{
    const char *const middle = strstr(name, "_MOD_");
    if (strncmp(name, "__", 2) != 0 || !middle || middle == name + 2 || !middle[5]) return NULL;
    const size_t room = strlen(name) + 1;
    if (LS_GROW(d->text, d->room, room) != LS_OK) return NULL;
    snprintf(d->text, room, "%.*s::%s", (int)(middle - name - 2), name + 2, middle + 5);
    return d->text;
}

/* Return the name without its version: stdout@GLIBC_2.2.5 is stdout. */
static const char *sym_demangle_plain(struct sym_demangler *d, const char *name)
{
    const size_t room = strlen(name) + 1;
    if (LS_GROW(d->text, d->room, room) != LS_OK) return NULL;
    memcpy(d->text, name, room);
    return d->text;
}

const char *sym_demangle(struct sym_demangler *d, const char *name)
{
    char plain[SYM_NAME_MAX_BYTES + 1];
    const char *readable = NULL;
    const char *const at = strchr(name + (*name != '\0'), '@');
    const size_t len = at ? (size_t)(at - name) : strlen(name);
    if (len > SYM_NAME_MAX_BYTES) return name;
    memcpy(plain, name, len);
    plain[len] = '\0';
    if (strncmp(plain, "_Z", 2) == 0) readable = sym_demangle_cxx(d, plain);
    if (strncmp(plain, "_R", 2) == 0) readable = sym_demangle_v0(d, plain);
    if (!readable) readable = sym_demangle_fortran(d, plain);
    if (!readable) readable = sym_demangle_plain(d, plain);
    return readable ? readable : name;
}

void sym_demangle_fini(struct sym_demangler *d)
{
    free(d->text);
    d->text = NULL;
    d->room = 0;
}
