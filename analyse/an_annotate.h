/* SPDX-License-Identifier: BSD-3-Clause */
/* A function line by line, or instruction by instruction, with the group of each that has samples. */
#ifndef AN_ANNOTATE_H
#define AN_ANNOTATE_H

#include "analyse/an_combine.h"

#define AN_UNSAMPLED UINT32_MAX

struct an_annotated {
    const char *file; /* "" when not known */
    uint32_t line;    /* 0: not known */
    const char *text; /* the line; NULL: the file does not hold it */
    uint32_t row;     /* row of the table of lines, UINT32_MAX for lines without samples */
    uint32_t group;   /* AN_UNSAMPLED: no sample */
    bool follows_gap; /* the line before it is not shown */
};

struct an_source_text {
    const struct prof_source *rows; /* sorted by file, line */
    size_t len;
};

/* Find the functions called name (an_function.h) among the groups of c, whose first dimension is function; if name begins with a file,
 * the tables were by_file. Several functions are found when several modules or files have one of that name.
 * Owns:   nothing; *out gets up to room groups.  Errors: none; returns the number of matches, 0: none. */
size_t an_functions_named(const struct an_combination *c, const struct an_tables *t, const char *name,
                          uint32_t *out, size_t room);
/* The lines of a function with the lines around them, by file and line. c is by function, line.
 * Owns:   free(*out).  Errors: LS_ERR_NOMEM. */
ls_err an_annotate_lines(const struct an_combination *c, const struct an_tables *t,
                         const struct an_source_text *sources, uint32_t function, struct an_annotated **out,
                         size_t *out_len);
/* The sampled instructions of a function, by process and address. c is by function, ip.
 * Owns:   free(*out).  Errors: LS_ERR_NOMEM. */
ls_err an_annotate_instructions(const struct an_combination *c, const struct an_tables *t, uint32_t function,
                                struct an_annotated **out, size_t *out_len);

#endif
