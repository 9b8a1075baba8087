/* SPDX-License-Identifier: BSD-3-Clause */
/* Export formats of a recording: one file and one row in vx_export.c per format. Nothing is computed here:
 * values are copied from the recording. */
#ifndef VX_EXPORT_H
#define VX_EXPORT_H

#include "analyse/an_table.h"
#include "analyse/an_tables.h"
#include "common/ls_outputs.h"
#include "viz-export/export/vx_select.h"

/* Members of struct vx_source that a format needs. */
enum vx_needs {
    VX_NEEDS_FIELDS = 1,   /* a selection with its values */
    VX_NEEDS_TREE = 2,     /* tables, and samples summed by node */
    VX_NEEDS_SAMPLES = 4,  /* tables, all columns of the samples, costs */
    VX_NEEDS_TIMELINE = 8, /* tables, spans, counters */
};

/* A time series of the processes. */
struct vx_counter {
    const char *name, *unit;
    const struct prof_point *points;
    size_t len;
};
enum { VX_COUNTERS_MAX = 8 };

/* A recording, borrowed; members that no chosen format needs are NULL. */
struct vx_source {
    const char *path; /* path of run.h5, as the user wrote it */
    const struct prof_run *run;
    const struct an_tables *tables;
    const struct an_input *in;
    const struct an_costs *costs;
    const an_table *nodes; /* group = node */
    const struct prof_phase_span *spans;
    size_t spans_len;
    struct vx_counter counters[VX_COUNTERS_MAX];
    size_t counters_len;
    const struct vx_selection *selection;
    const struct ndm_atlas *atlas; /* domains, and fields whose values may not be there */
};

struct vx_request {
    const char *path;   /* the output; "-": standard output */
    const char *metric; /* metric of the tree's nodes, NULL: the usual one */
    const char *table;  /* for formats that hold tables, NULL: the usual one */
    double min_share;   /* nodes with less of the time are left out of the tree */
    bool force;         /* overwrite */
};

struct vx_exporter {
    const char *name;
    const char *ends;    /* file name endings: ".xdmf|.xmf"; the first is given to files that are not named */
    const char *words;   /* description, and programs that open it */
    unsigned needs;      /* enum vx_needs */
    const char *metrics; /* default of fields, NULL: all */
    bool one_file;       /* may go to standard output */
    bool has_steps;      /* can hold a time series */
    bool steps_only;     /* and nothing else */
    ls_err (*write)(const struct vx_source *s, const struct vx_request *r, ls_outputs *files);
};

/* Every format; ends with NULL. */
extern const struct vx_exporter *const vx_exporters[];

/* The format of that name; the format for a file of that name, by its longest matching end. NULL: none. */
const struct vx_exporter *vx_exporter_named(const char *name);
const struct vx_exporter *vx_exporter_for(const char *path);

/* Store the needs of x for this request: for tables, the table's needs.
 * Errors: LS_ERR_USAGE: there is no such table, or metric of nodes. */
ls_err vx_export_needs(const struct vx_exporter *x, const struct vx_request *r, unsigned *out_needs);

/* Write r->path and the files that belong to it: all of them, or none.
 * Errors: LS_ERR_EXISTS without force, LS_ERR_RANGE (exceeds the format), LS_ERR_USAGE, LS_ERR_IO and other
 *         errors of files, LS_ERR_NOMEM, LS_ERR_UNSUPPORTED (built without a library). */
ls_err vx_export(const struct vx_exporter *x, const struct vx_source *s, const struct vx_request *r);

#endif
