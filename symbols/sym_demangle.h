/* SPDX-License-Identifier: BSD-3-Clause */
/* Names as in the source: C++ by the C++ library that every machine with a C++ program has (loaded at the
 * first such name, so that nothing here depends on it), Fortran module entities by rule. */
#ifndef SYM_DEMANGLE_H
#define SYM_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed is empty. */
struct sym_demangler {
    char *(*demangle)(const char *, char *, size_t *, int *); /* __cxa_demangle */
    bool is_asked;                                            /* for the library */
    char *text;                                               /* the last name, grown by the library */
    size_t room;
};

/* The readable form of an ELF name: without its version, C++ and Rust demangled, __mod_MOD_x as mod::x. Other names
 * are returned unchanged. Valid until the next call. */
const char *sym_demangle(struct sym_demangler *d, const char *name);
void sym_demangle_fini(struct sym_demangler *d);

#endif
