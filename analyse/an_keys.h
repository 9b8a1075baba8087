/* SPDX-License-Identifier: BSD-3-Clause */
/* By what samples are grouped: maps each sample to a group for an_table. */
#ifndef AN_KEYS_H
#define AN_KEYS_H

#include "analyse/an_cost.h"

enum an_by { AN_BY_NODE, AN_BY_THREAD, AN_BY_PROCESS, AN_BY_LEVEL, AN_BY_IP, AN_BY_FUNCTION, AN_BY_LINE };
enum { AN_LEVEL_NOT_MEASURED = PROF_LEVEL_COUNT, AN_LEVEL_GROUPS };

/* The tables that keys refer to; borrowed. */
struct an_names {
    const struct prof_thread *threads;
    size_t threads_len;
    size_t processes_len, nodes_len;
    const struct prof_line *lines; /* sorted by process, ip */
    size_t lines_len;
};

struct an_keys {
    uint32_t *group_of_sample;
    uint32_t groups_len;
    uint32_t *row_of_group; /* ip, function, line: a row of lines that names the group; else NULL */
};

/* Samples that belong nowhere get UINT32_MAX. Columns needed: node, thread, level, or thread and ip.
 * Owns:   the caller ends out with an_keys_fini, also after a failure.
 * Errors: LS_ERR_NOMEM. */
ls_err an_keys_init(struct an_keys *out, enum an_by by, const struct prof_samples *s,
                    const struct an_names *names);
void an_keys_fini(struct an_keys *k);

#endif
