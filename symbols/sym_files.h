/* SPDX-License-Identifier: BSD-3-Clause */
/* The ELF files of a run: each is queried once, no matter how many processes mapped it. The contents of a
 * file cannot harm this process (sym_worker.h). */
#ifndef SYM_FILES_H
#define SYM_FILES_H

#include "common/ls_error.h"
#include "symbols/sym_answer.h"
#include "symbols/sym_worker.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sym_files sym_files;
typedef struct sym_file sym_file;

/* Start the process that reads files. If it cannot be started, every file reports this problem; it is no
 * failure here.  Errors: LS_ERR_NOMEM. */
ls_err sym_files_new(struct sym_limits limits, sym_files **out);
void sym_files_free(sym_files *f); /* NULL-safe */

/* The process that reads the files now, 0: none. */
int sym_files_reader(const sym_files *f);

/* Return the file at path, after reading its head.  Lives as long as f. Errors: LS_ERR_NOMEM. */
ls_err sym_files_get(sym_files *f, const char *path, sym_file **out);
/* Add an ELF image that is in no file (the vdso); bytes are copied. The first image of a name is used. */
struct sym_image {
    const char *name; /* begins with [ */
    const void *bytes;
    size_t len_bytes;
};
ls_err sym_files_get_image(sym_files *f, const struct sym_image *image, sym_file **out);
/* Row i in the order of the first sym_files_get, NULL after the last. */
const sym_file *sym_files_at(const sym_files *f, size_t i);

const char *sym_file_path(const sym_file *f);
/* Return a path that can be opened now, also for an image that is in no file. */
const char *sym_file_open_path(const sym_file *f);
/* Were its symbols requested or needed? */
bool sym_file_was_asked(const sym_file *f);
/* Note that its symbols are needed, but that the file is not the one that was mapped. */
void sym_file_mark_other(sym_file *f);
/* Are its unwinding tables sound (sym_reader.c)? */
bool sym_file_unwinds(sym_files *all, sym_file *f);
/* The author of the names in the file at path (ls_owner.h): of all files that they were read from. */
uid_t sym_files_author(const sym_files *f, const char *path);
const char *sym_file_build_id(const sym_file *f); /* hexadecimal, "" when there is none */
/* Return the reason why names are missing: the file does not exist, is not ELF, or is damaged. "": no
 * problem. */
const char *sym_file_problem(const sym_file *f);
uint64_t sym_file_tls_len_bytes(const sym_file *f);

/* The linked address of the first byte of the file's lowest mapping, which begins at offset_bytes of the
 * file. False: no segment begins there. */
bool sym_file_linked(const sym_file *f, uint64_t offset_bytes, uint64_t *out_linked);
/* The first linked address after its last segment, rounded up to a page; 0: not known. */
uint64_t sym_file_end(const sym_file *f);
/* Is it loaded where it was linked (a program that is not position-independent)? */
bool sym_file_is_fixed(const sym_file *f);

/* A variable or section of a file. */
struct sym_thing {
    const char *name;
    uint64_t base, end, elem_size_bytes; /* linked; elem_size 0: no array */
    uint32_t row;                        /* row of the variables or sections; SYM_NONE: not found */
    uint32_t around;                     /* row of the variable that contains it, SYM_NONE */
    bool is_leaf;                        /* no other variable begins inside */
    bool is_tls;                         /* base and end are offsets of a thread's block */
};
/* Number of variables, read at the first query (0 after a failure: sym_file_problem). */
size_t sym_file_variables_len(sym_files *all, sym_file *f);
struct sym_thing sym_file_variable(const sym_file *f, uint32_t row);
/* The innermost variable that holds the linked address. */
struct sym_thing sym_file_find_variable(sym_files *all, sym_file *f, uint64_t linked);
/* The thread-local variable at this offset of a block. */
struct sym_thing sym_file_find_tls(sym_files *all, sym_file *f, uint64_t offset_bytes);
/* The section that holds the linked address. */
struct sym_thing sym_file_find_section(const sym_file *f, uint64_t linked);

/* The function whose machine code is at the linked address: as in the symbol table (symbol) and as in the
 * source (function), demangled; "" when not known. Functions are read when first asked for. */
struct sym_function_names {
    const char *symbol, *function;
};
struct sym_function_names sym_file_function(sym_files *all, sym_file *f, uint64_t linked);

/* Functions and lines of the linked addresses (sorted): out->lines is one row for each, or empty when the
 * file cannot be read. Owns:   the caller calls sym_answer_fini.  Errors: LS_ERR_NOMEM. */
ls_err sym_file_lines(sym_files *all, sym_file *f, const uint64_t *linked, size_t len,
                      struct sym_answer *out);

/* Types of objects (sym_types.h): out->typings is one row for each question, or empty when the file cannot be
 * read. Owns:   the caller calls sym_answer_fini.  Errors: LS_ERR_NOMEM. */
struct sym_type_questions {
    const uint64_t *linked;
    size_t len;
    const char *texts;
    size_t texts_len;
};
ls_err sym_file_types(sym_files *all, sym_file *f, const struct sym_type_questions *questions,
                      struct sym_answer *out);

#endif
