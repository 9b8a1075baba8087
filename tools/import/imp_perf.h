/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the import of perf.data: memory maps, and samples in AUX areas. */
#ifndef IMP_PERF_H
#define IMP_PERF_H

#include "common/ls_error.h"
#include "spool/spool_put_sigsafe.h"
#include "perf/pe_file.h"

/* ---- memory maps ---- */

/* The memory map of a process, built from records of mappings and written to a spool in the format of
 * /proc/PID/maps. */

struct imp_mapping {
    uint64_t base, end, offset_bytes, inode;
    uint32_t prot; /* PROT_READ, PROT_WRITE, PROT_EXEC */
    char *path;    /* "": anonymous */
};

/* All zero is an empty map. */
struct imp_maps {
    struct imp_mapping *rows; /* sorted by base, disjoint */
    size_t len, room;
    bool is_unwritten; /* changed since imp_maps_put */
};

/* Add a mapping, which replaces older ones at its addresses; path is copied.  Errors: LS_ERR_NOMEM. */
ls_err imp_maps_add(struct imp_maps *m, const struct imp_mapping *mapping);
/* Errors: LS_ERR_NOMEM. */
ls_err imp_maps_copy(const struct imp_maps *from, struct imp_maps *out);
void imp_maps_fini(struct imp_maps *m);
/* Write the map if it changed since the last call.  Errors: LS_ERR_NOMEM. */
ls_err imp_maps_put(struct imp_maps *m, struct spool_writer *w, uint64_t time_ns);

/* ---- samples in AUX areas ---- */

/* Samples that perf.data holds as packets in AUX areas (Arm SPE), each with its thread. */

typedef struct imp_perf_aux imp_perf_aux;

/* Owns:   imp_perf_aux_free ends *out; f must live as long. A file without AUX areas has no such samples.
 * Errors: as pe_file_spe_new. */
ls_err imp_perf_aux_new(const pe_file *f, imp_perf_aux **out);
void imp_perf_aux_free(imp_perf_aux *a); /* NULL-safe */

/* Update the known threads by a record; records come in the order of time. Errors: LS_ERR_NOMEM. */
ls_err imp_perf_aux_note(imp_perf_aux *a, const struct pe_file_record *r);
/* Return the next sample that is not later than until_ns, with thread, time and period.
 * Errors: LS_ERR_NOMEM. */
ls_err imp_perf_aux_next(imp_perf_aux *a, uint64_t until_ns, struct pe_sample *out, bool *is_any);

/* Warn about data that was left out. */
void imp_perf_aux_warn(const imp_perf_aux *a, const char *path);
/* Fail because no packet of the file is a sample. */
ls_err imp_perf_aux_none(const imp_perf_aux *a, const char *path);

#endif
