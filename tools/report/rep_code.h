/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of sampled instructions, from the files that ran as far as they are still there. */
#ifndef REP_CODE_H
#define REP_CODE_H

#include "symbols/sym_code.h"
#include "tools/report/rep_disassemble.h"
#include "tools/report/rep_view.h"

struct rep_code {
    const struct prof_module *modules;
    size_t modules_len;
    struct rep_code_file {
        sym_code *code; /* NULL: could not be opened, or not opened yet */
        bool is_tried;
    } * files;     /* beside modules */
    char why[512]; /* the first reason for which instructions have no text, "" when there is none */
};

/* Owns:   the caller ends c with rep_code_fini, also after a failure; v must outlive c.
 * Errors: LS_ERR_NOMEM. */
ls_err rep_code_init(struct rep_code *c, const struct rep_view *v);
/* Owns:   frees the members of c. */
void rep_code_fini(struct rep_code *c);
/* Return the instruction at that line's address; "" if it is not known, with the reason in c->why.
 * Owns:   nothing; the text is in out. */
const char *rep_code_text(struct rep_code *c, const struct prof_line *l, char out[REP_INSTRUCTION_TEXT]);

#endif
