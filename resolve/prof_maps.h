/* SPDX-License-Identifier: BSD-3-Clause */
/* Parse the text of /proc/PID/maps, and find the coarse home of each mapping. */
#ifndef PROF_MAPS_H
#define PROF_MAPS_H

#include "common/ls_error.h"
#include "common/ls_vector.h"
#include "run_h5/prof_names.h"
#include "run_h5/prof_schema.h"
#include "spool/spool_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROF_MAP_READ = 1, PROF_MAP_WRITE = 2, PROF_MAP_EXEC = 4 };

struct prof_mapping {
    uint64_t base, end, offset_bytes;
    unsigned access;  /* PROF_MAP_* */
    const char *path; /* "" when anonymous */
    enum prof_node_kind kind;
    uint32_t node;    /* its home, UINT32_MAX before the first request */
    uint64_t seen_ns; /* the survey's: first snapshot that shows it */
    uint32_t older;   /* the survey's: row that was at its base before, UINT32_MAX */
};
typedef LS_VECTOR(struct prof_mapping) prof_mapping_list;

/* Append the mappings of text (whole lines; lines that are none are skipped) and set the kind of each. Errors: LS_ERR_NOMEM. */
ls_err prof_maps_parse(const char *text, size_t len_bytes, prof_names *names, prof_mapping_list *out);

/* Classify a mapping whose name is in brackets: the kernel, or the program, names its own memory so. */
enum prof_node_kind prof_maps_kind_of_special(const struct prof_mapping *m);

/* Shared memory that is in no file on a disk: code there was generated, not loaded. */
bool prof_is_memory_file(const char *path);

/* --- snapshots ---
 *
 * Snapshots of /proc/self/maps arrive in pieces, a thread's pieces in order. */

/* Zeroed is empty. */
struct prof_snapshot {
    char *text;
    size_t len, room;
};

/* Take a MAPS record. *out_whole: the text is a whole snapshot now; it stays until the next one begins.
 * Errors: LS_ERR_NOMEM. */
ls_err prof_snapshot_take(struct prof_snapshot *s, const struct spool_maps *piece, bool *out_whole);
void prof_snapshot_fini(struct prof_snapshot *s);

#endif
