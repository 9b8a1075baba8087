/* SPDX-License-Identifier: BSD-3-Clause */
/* Describe the subject of a result: one configuration, or all of them if they take turns. */
#ifndef RPL_ROW_H
#define RPL_ROW_H

#include "patterns/pat_describe.h"
#include "tools/replay/rpl_session.h"

struct rpl_row {
    const char *name;             /* name of the configuration, "" if it has none */
    char all[256];                /* in turn: "gather of x in multiply (spmv.c:88) and 3 more" */
    const char *kernel, *word;    /* "scatter"; the same or a more precise word: "update" */
    char pattern[PAT_TEXT_BYTES]; /* "16 x stride 4" */
    char delta[PAT_TEXT_BYTES];   /* "8"; "" if each has another */
    uint64_t count, wrap;
};

/* Fill out from result i of s.  Owns: out points into s and into itself. */
void rpl_row_of(const struct rpl_session *s, size_t i, struct rpl_row *out);

/* Return its name, or its pattern if it has none.  Owns: it is r's. */
const char *rpl_row_name(const struct rpl_row *r);

#endif
