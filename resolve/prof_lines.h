/* SPDX-License-Identifier: BSD-3-Clause */
/* Distinct sampled instructions of a process, and their places in the source. */
#ifndef PROF_LINES_H
#define PROF_LINES_H

#include "common/ls_error.h"
#include "common/ls_index.h"
#include "common/ls_vector.h"
#include "run_h5/prof_names.h"
#include "run_h5/prof_reader.h"

#include <stddef.h>
#include <stdint.h>

/* A set of addresses. Zeroed is empty. */
struct prof_ip_set {
    LS_VECTOR(uint64_t) ips; /* in the order in which they came */
    struct ls_index by_ip;
};
/* Put ip into set; 0 is no address, and left out.
 * Owns:   set.  Errors: LS_ERR_NOMEM. */
ls_err prof_ip_add(struct prof_ip_set *set, uint64_t ip);
/* Owns:   frees the contents of set, which is then empty. */
void prof_ip_fini(struct prof_ip_set *set);

typedef LS_VECTOR(struct prof_line) prof_line_list;
typedef LS_VECTOR(struct prof_inline) prof_inline_list;

struct prof_modules;
/* Source columns beside the rows of lines and inlines, 0: not known. They distinguish calls in one line. */
struct prof_source_columns {
    LS_VECTOR(uint32_t) of_lines;
    LS_VECTOR(uint32_t) of_inlines;
};

struct prof_lines_context {
    const struct prof_modules *modules;
    uint32_t process;
    uint64_t start_ns; /* 0 of the times in the file */
    prof_names *names;
    prof_line_list *lines;
    prof_inline_list *inlines;
    struct prof_source_columns *columns;
};
/* Find ip among rows in the order of process and ip; UINT32_MAX: there is none. */
uint32_t prof_lines_find(const prof_line_list *lines, uint32_t process, uint64_t ip);

/* Append a row for each address of ips, sorted, and the calls inlined there.  Errors: LS_ERR_NOMEM. */
ls_err prof_lines_resolve(const struct prof_lines_context *c, const struct prof_ip_set *ips);

#endif
