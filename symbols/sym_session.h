/* SPDX-License-Identifier: BSD-3-Clause */
/* Names for the addresses of one process image: module, function, source line. Built on elfutils libdwfl,
 * which finds separate debug files by build id and .gnu_debuglink. */
#ifndef SYM_SESSION_H
#define SYM_SESSION_H

#include "common/ls_error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct sym_session sym_session;

/* A mapped ELF file. */
struct sym_module {
    const char *path;
    const char *build_id; /* hexadecimal, "" when there is none */
    uint64_t base, end;   /* hull of its mappings */
    uint64_t bias; /* address minus address in the file's own view; 0 when the file could not be read */
};

/* Where an address is. Strings are never NULL, "" when not known. */
struct sym_place {
    const char *module;   /* until the session is freed */
    const char *function; /* symbol, as in the symbol table; until the session is freed */
    const char *file;     /* until the next sym_session_find */
    uint32_t line;        /* 0: not known */
};

/* Errors: LS_ERR_NOMEM. */
ls_err sym_session_new(sym_session **out);
void sym_session_free(sym_session *s);

/* Tell that path is mapped: the file's bytes from offset_bytes on stand at base; [base, end) is the hull of
 * its mappings. A file that is missing or no ELF costs its names, not the call.  Call before the first find.
 * Errors: LS_ERR_NOMEM; LS_ERR_RANGE (empty). */
ls_err sym_session_add(sym_session *s, const char *path, uint64_t base, uint64_t end, uint64_t offset_bytes);
const struct sym_module *sym_session_modules(const sym_session *s, size_t *out_len);

/* The same for an ELF image that is in no file (the vdso): len_bytes bytes, copied, that stand at base.
 * Errors: LS_ERR_NOMEM. */
struct sym_image {
    const char *name;
    const void *bytes;
    size_t len_bytes;
    uint64_t base;
};
ls_err sym_session_add_image(sym_session *s, const struct sym_image *image);

/* The file that ip lies in, and its function: "" when not known. Cheaper than sym_session_find. Valid until
 * the session is freed. */
const char *sym_session_module(sym_session *s, uint64_t ip);
const char *sym_session_function(sym_session *s, uint64_t ip, const char **out_module);

/* For the other files of symbols/: nothing is added any more. */
struct Dwfl *sym_session_dwfl(sym_session *s);

/* Never fails: what is not known is "". Repeated questions about one function are cheap, but ask once per
 * address. Thread: one at a time a session. */
struct sym_place sym_session_find(sym_session *s, uint64_t ip);

#endif
