/* SPDX-License-Identifier: BSD-3-Clause */
/* Source text around sampled lines, kept in run.h5 so that reports need nothing but the file. */
#ifndef PROF_SOURCES_H
#define PROF_SOURCES_H

#include "common/ls_error.h"
#include "resolve/prof_lines.h"

enum { PROF_SOURCE_CONTEXT_LINES = 3, PROF_SOURCE_LINES_MAX = 20000 };

typedef LS_VECTOR(struct prof_source) prof_source_list;

/* Files that are missing, or are no regular files, cost their text only.  Errors: LS_ERR_NOMEM. */
ls_err prof_sources_collect(const prof_line_list *lines, prof_names *names, prof_source_list *out);

#endif
