/* SPDX-License-Identifier: BSD-3-Clause */
/* Labels of allocation sites: the variable that the source line assigns to, else function:line, else
 * module+offset; different sites have different labels. */
#ifndef PROF_SITE_NAMES_H
#define PROF_SITE_NAMES_H

#include "common/ls_error.h"
#include "resolve/prof_scripts.h"
#include "resolve/prof_sites.h"
#include "run_h5/prof_names.h"
#include "run_h5/prof_reader.h"
#include "run_h5/prof_tree.h"
#include "symbols/sym_files.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* --- callers of a call path ---
 *
 * The callers of a call path as a reader of the source sees them: inlined functions are frames like others. */

/* Borrowed tables: /frames, /lines (sorted), /inlines (sorted by line, depth), /modules (sorted by process). */
struct prof_caller_tables {
    const struct prof_frame *frames;
    const struct prof_line *lines;
    const struct prof_inline *inlines;
    const struct prof_module *modules;
    size_t frames_len, lines_len, inlines_len, modules_len;
    const uint32_t *columns;        /* source columns beside lines; NULL: not known */
    const uint32_t *inline_columns; /* beside inlines */
    uint8_t *line_kinds; /* parallel to lines: zeroed, for findings about them; NULL: do not note any */
    sym_files *files;    /* knows the authors of modules; NULL: they are our own */
    const struct prof_scripts *scripts; /* NULL: none */
    uid_t author;                       /* names their files */
};

/* A caller in the source. Strings: "" when not known. */
struct prof_caller {
    uint32_t frame; /* row of /frames */
    uint32_t depth; /* 0: the innermost function at this address, else it was inlined there */
    const char *module, *function, *file;
    uint32_t line, column; /* 0: not known */
    const char *callee;    /* the function of the caller before this one, "" for the innermost */
};

/* The innermost caller of the path. False: there is none. */
bool prof_caller_first(const struct prof_caller_tables *t, uint32_t frame, struct prof_caller *out);

/* Advance to the next caller of the path, further out. False: there is none. */
bool prof_caller_next(const struct prof_caller_tables *t, struct prof_caller *caller);

/* Advance to the next caller outside of allocators. False: there is none. */
bool prof_caller_next_outside(const struct prof_caller_tables *t, struct prof_caller *caller);

/* The first caller outside of allocators; the innermost one when there is no other. */
bool prof_caller_of_site(const struct prof_caller_tables *t, uint32_t frame, struct prof_caller *out);

/* The file of a frame, NULL: none. */
const char *prof_frame_module(const struct prof_caller_tables *t, uint32_t frame);
/* Address in the file's own view, which does not depend on where it is mapped. */
uint64_t prof_frame_offset(const struct prof_caller_tables *t, uint32_t frame);

/* For each frame, so that paths of equal code have equal numbers, whatever process ran it and wherever its
 * files were mapped. out has room for all frames. */
void prof_path_identities(const struct prof_caller_tables *t, uint64_t *out);

/* Name all sites, and their nodes of the tree. The frames know their lines.  Errors: LS_ERR_NOMEM. */
ls_err prof_sites_name(struct prof_sites *s, const struct prof_caller_tables *tables, prof_names *names,
                       prof_tree *tree);

/* --- the variable that a source line assigns to ---
 *
 * Find the variable to which a source line assigns memory: `double *A = malloc(n)` is A, `x->field =
 * calloc(...)` is x->field, `std::vector<double> v(n)` and `v.resize(n)` are v, `posix_memalign(&p, ...)` is
 * p, Fortran's `allocate(a(n))` is a. It reads text, not programs: it returns none if several variables could
 * be meant. */

enum { PROF_LABEL_BYTES = 96, PROF_LABEL_LINES_MAX = 6 };

/* A call in the source. */
struct prof_source_place {
    const char *const
        *lines; /* the last one contains the call; earlier ones are read as far as its statement */
    size_t len;
    const char *callee; /* the called function, "": not known */
    uint32_t column;    /* column of the call in the last line, from 1; 0: not known */
    bool is_fortran;
};
struct prof_source_name {
    char text[PROF_LABEL_BYTES];
    unsigned parts; /* more than 1: variables of one Fortran statement, in the order of their allocations */
};
enum prof_source_result {
    PROF_SOURCE_NOTHING,
    PROF_SOURCE_NAMED,
    PROF_SOURCE_RETURNED, /* the statement returns the memory: its caller may have a name for it */
};
enum prof_source_result prof_source_find_name(const struct prof_source_place *p,
                                              struct prof_source_name *out);

/* Parts of the same statement that show the type of the memory: "" is none. Names are joined as in the source,
 * subscripts are []. */
struct prof_source_clues {
    char made[PROF_LABEL_BYTES];     /* T of new T */
    char measured[PROF_LABEL_BYTES]; /* of sizeof */
    char assigned[PROF_LABEL_BYTES]; /* the pointer: *out, p->rows[] */
    bool is_return;
};
void prof_source_find_clues(const struct prof_source_place *p, struct prof_source_clues *out);

/* --- wrappers ---
 *
 * A function around a call, and its use of a variable that gets the memory: does it hand the memory on? */
struct prof_source_file;
struct prof_source_function {
    const struct prof_source_file *file;
    uid_t author;     /* must be able to read the file */
    uint32_t line;    /* of the call */
    const char *name; /* without name spaces, classes and arguments */
    bool is_fortran;
};
struct prof_source_use {
    bool is_returned;
    bool is_behind;      /* the function puts a header into the block and returns an address behind it */
    uint32_t header_len; /* number of objects of the variable's type in the header, 0: not known */
    int parameter;       /* number of the parameter through which the caller gets it, -1: none */
};
/* variable has no members. */
struct prof_source_use prof_source_find_use(const struct prof_source_function *f, const char *variable);
/* The variable that the call at p passes as this argument of p->callee. */
bool prof_source_argument(const struct prof_source_place *p, int number, char out[PROF_LABEL_BYTES]);

/* The last name of a demangled function: operator[] of "std::vector<int>::operator[](unsigned long)". */
void prof_plain_function(const char *function, char out[PROF_LABEL_BYTES]);
/* Is it a member of a template class? */
bool prof_is_of_template(const char *function);

/* By the ending of its name. */
bool prof_is_fortran(const char *path);
bool prof_is_rust(const char *path);
/* The variable of `let table: Vec<f32> = ...` in Rust. False: the statement binds none. */
bool prof_rust_binding(const char *const *lines, size_t len, char out[PROF_LABEL_BYTES]);

/* --- allocators ---
 *
 * Functions that hand out memory for others: malloc's wrappers, operator new, containers, language run times.
 * The caller that an allocation is named after is the first one outside of them. */

/* module and file are paths, function is as in the symbol table or the debug information; "" is not known. */
bool prof_is_allocator(const char *module, const char *function, const char *file);

#endif
