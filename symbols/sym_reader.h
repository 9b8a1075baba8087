/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers questions about files, in this process. The files asked about last stay open. */
#ifndef SYM_READER_H
#define SYM_READER_H

#include "symbols/sym_answer.h"

#include <stdbool.h>
#include <stddef.h>

struct sym_request {
    enum sym_question question;
    const char *path;
    bool wants_dwarf;
    const uint64_t *linked; /* SYM_ASK_LINES: addresses, sorted */
    size_t linked_len;
};

typedef struct sym_reader sym_reader;

sym_reader *sym_reader_new(void); /* NULL: out of memory */
void sym_reader_free(sym_reader *r);

/* A file that cannot be read gives an answer, too: its head has the reason.  Errors: LS_ERR_NOMEM. */
ls_err sym_reader_answer(sym_reader *r, const struct sym_request *request, struct sym_draft *d);

#endif
