/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of interpreted programs (Python) in call paths: their lines, and the names that these give to allocation sites. */
#ifndef PROF_SCRIPTS_H
#define PROF_SCRIPTS_H

#include "common/ls_error.h"
#include "common/ls_index.h"
#include "common/ls_vector.h"
#include "resolve/prof_lines.h"
#include "run_h5/prof_names.h"
#include "spool/spool_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- lines, from their records --- */

/* The expression that a frame evaluates. Columns are bytes, from 1; 0: not known. */
struct prof_script {
    uint64_t ip; /* as in /frames */
    uint32_t process;
    const char *file, *function;
    uint32_t line, end_line;
    uint16_t column, end_column;
};
/* Zeroed is empty. */
struct prof_scripts {
    LS_VECTOR(struct prof_script) rows;
    struct ls_index by_ip; /* the last row of an address and process wins */
};

/* Errors: LS_ERR_NOMEM. */
ls_err prof_scripts_add(struct prof_scripts *s, uint32_t process, const struct spool_script *r,
                        prof_names *names);
/* NULL: not an address of a script, or its record was lost. */
const struct prof_script *prof_scripts_find(const struct prof_scripts *s, uint32_t process, uint64_t ip);
/* Fill the rows whose address is one of a script: their module is "[script]". */
void prof_scripts_set_lines(const struct prof_scripts *s, struct prof_line *rows, size_t len,
                            prof_names *names);
/* The same for equal expressions in all processes. */
uint64_t prof_script_identity(const struct prof_script *s);
void prof_scripts_fini(struct prof_scripts *s);

/* Cut a path of ips, innermost first, in place: memory of loading modules belongs to the import statement outside of the
 * libraries. Returns the new length. */
size_t prof_scripts_cut(const struct prof_scripts *s, uint32_t process, uint64_t *ips, size_t len);

/* --- names of sites --- */

struct prof_caller_tables;
struct prof_caller;

/* The script's line of a caller, NULL: it is no frame of a script. */
const struct prof_script *prof_script_of(const struct prof_caller_tables *t,
                                         const struct prof_caller *caller);

/* Describe a caller in a script: file.py:12 function. */
void prof_script_text(const struct prof_caller *caller, char *out, size_t out_bytes);

/* The innermost caller of a path that is a frame of a script; it has one. */
void prof_script_innermost(const struct prof_caller_tables *t, uint32_t frame, struct prof_caller *out);

/* The caller of a path that has frames of scripts after which its site is named: the innermost one outside of the packages that
 * make memory for others (numpy), or a function of a compiled module that has source lines. False: it has no frames of scripts. */
bool prof_script_caller_of_site(const struct prof_caller_tables *t, uint32_t frame, struct prof_caller *out);

/* Advance as prof_caller_next; from a frame of a script to the next one of a script. */
bool prof_script_caller_next(const struct prof_caller_tables *t, struct prof_caller *caller);

/* --- the variable that a statement of Python assigns to ---
 *
 * `x = np.zeros(n)` is x, `self.rows[i] = ...` is self.rows, `a, b = f(), g()` is a or b, `rows.append(np.zeros(n))` is rows.
 * Only the value of the whole expression is the variable's: in `x = f(n).sum()`, the result of f(n) is not. */

enum prof_python_use {
    PROF_PYTHON_OTHER,
    PROF_PYTHON_NAMED,  /* it has a name */
    PROF_PYTHON_RETURN, /* the value is returned: the caller may name it */
};

/* lines[0..len): source lines, the last one is s->line; out has PROF_LABEL_BYTES. after: the rest of the expression's last line from
 * its end, NULL: it ends in the last of lines. */
enum prof_python_use prof_python_label(const char *const *lines, size_t len, const struct prof_script *s,
                                       const char *after, char *out);

#endif
