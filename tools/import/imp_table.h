/* SPDX-License-Identifier: BSD-3-Clause */
/* A recording of another tool that contains the names of data and code: it is collected row by row and
 * written as a run.h5.
 *
 * Thread: one at a time (HDF5). */
#ifndef IMP_TABLE_H
#define IMP_TABLE_H

#include "common/ls_error.h"
#include "ndm/ndm_field.h"

#include <stddef.h>
#include <stdint.h>

typedef struct imp_table imp_table;

#define IMP_NOWHERE UINT64_MAX

/* An access; in imp_access_missing every value is unknown. */
struct imp_access {
    uint64_t time_ns;
    uint64_t addr;          /* UINT64_MAX: not known */
    uint64_t element;       /* index in node; UINT64_MAX: not known */
    uint64_t events;        /* number of events that it represents; 0: not known */
    uint64_t cell;          /* index in the domain, or IMP_NOWHERE */
    uint32_t pid, tid, cpu; /* cpu UINT32_MAX: not known */
    uint32_t node, line;    /* from imp_table_node, imp_table_line; UINT32_MAX: not known */
    uint32_t phase;         /* from imp_table_phase; UINT32_MAX: none */
    int32_t latency_cycles; /* INT32_MIN: not known */
    uint16_t size_bytes;
    uint8_t op, source, snoop, tlb, numa, locked; /* common/ls_access.h, perf/pe_sample.h; LS_NOT_REPORTED */
};
extern const struct imp_access imp_access_missing;

/* Position of an instruction in the code; texts may be NULL or "". */
struct imp_code {
    uint64_t ip; /* 0: not known; it gets an artificial number */
    const char *module, *function, *file;
    uint32_t line;
};

struct imp_about {
    const char *output_path;
    int force;
    const char *tool; /* "memaxes", shown as the engine */
    const char *command, *events, *latency_meaning;
    const char *host, *cpu, *topology; /* "": not known */
    double clock_hz; /* clock of the latency cycles; 0: not known, then a cycle counts as a nanosecond */
};

/* Errors: LS_ERR_NOMEM. */
ls_err imp_table_new(imp_table **out);
void imp_table_free(imp_table *t); /* NULL-safe */

/* Return the node of the variable `label`; the same name gives the same node. elem_size_bytes: 0 not known.
 * Errors: LS_ERR_NOMEM. */
ls_err imp_table_node(imp_table *t, const char *label, uint64_t elem_size_bytes, uint32_t *out);
/* Return the node of unnamed memory of this kind ("heap", "stack of ..."), which is not a precise home.
 * Owns:   label is copied.  Errors: LS_ERR_NOMEM. */
ls_err imp_table_home(imp_table *t, const char *label, uint32_t *out);
/* Return the row of an instruction: one for each address, or for each function, file and line if the
 * address is not known.
 * Owns:   texts are copied.  Errors: LS_ERR_NOMEM. */
ls_err imp_table_line(imp_table *t, const struct imp_code *code, uint32_t *out);
/* Return the row of the phase `name`; the same name gives the same row.
 * Owns:   name is copied.  Errors: LS_ERR_NOMEM. */
ls_err imp_table_phase(imp_table *t, const char *name, uint32_t *out);
/* Set the grid of the cells, x fastest; at most one, before the first access. Errors: LS_ERR_ARG,
 * LS_ERR_NOMEM. */
ls_err imp_table_grid(imp_table *t, const char *label, const uint64_t extents[NDM_AXES_MAX]);

/* Errors: LS_ERR_NOMEM. */
ls_err imp_table_add(imp_table *t, const struct imp_access *access);
size_t imp_table_len(const imp_table *t);

/* Write everything, in the order of time.  Errors: as prof_writer_new and prof_writer_add; LS_ERR_ARG without
 * an access. */
ls_err imp_table_write(imp_table *t, const struct imp_about *about);

#endif
