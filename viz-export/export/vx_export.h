/* SPDX-License-Identifier: BSD-3-Clause */
/* Export formats of a recording: one file and one row in vx_export.c per format. Nothing is computed here:
 * values are copied from the recording. */
#ifndef VX_EXPORT_H
#define VX_EXPORT_H

#include "analyse/an_table.h"
#include "analyse/an_tables.h"
#include "common/ls_outputs.h"
#include "viz-export/export/vx_select.h"

/* ---- formats ---- */

/* Members of struct vx_source that a format needs. */
enum vx_needs {
    VX_NEEDS_FIELDS = 1,   /* a selection with its values */
    VX_NEEDS_TREE = 2,     /* tables, and samples summed by node */
    VX_NEEDS_SAMPLES = 4,  /* tables, and the profile, whose samples are read in parts */
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
    prof_profile *profile;
    const struct an_input *in;
    const struct an_costs *costs;
    const an_table *nodes; /* group = node */
    const struct prof_phase_span *spans;
    size_t spans_len;
    struct vx_counter counters[VX_COUNTERS_MAX];
    size_t counters_len;
    const struct prof_counter *machine; /* counters of record --series */
    size_t machine_len;
    const struct prof_reading *readings; /* their values */
    size_t readings_len;
    const struct vx_selection *selection;
    const struct ndm_atlas *atlas; /* domains, and fields whose values may not be loaded */
};

struct vx_request {
    const char *path;   /* the output; "-": standard output */
    const char *metric; /* metric of the tree's nodes; NULL: the default */
    const char *table;  /* for formats that hold tables; NULL: the default */
    double min_share;   /* nodes with a smaller share of the time are left out of the tree */
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
    bool merges;         /* for programs that draw each cell: sparse grids are merged into blocks */
    ls_err (*write)(const struct vx_source *s, const struct vx_request *r, ls_outputs *files);
};

/* Every format; ends with NULL. */
extern const struct vx_exporter *const vx_exporters[];

/* Find a format by its name, or by the longest matching suffix of a file name. NULL: none. */
const struct vx_exporter *vx_exporter_named(const char *name);
const struct vx_exporter *vx_exporter_for(const char *path);

/* Store the needs of x for this request: for tables, the table's needs.
 * Errors: LS_ERR_USAGE: there is no such table, or metric of nodes. */
ls_err vx_export_needs(const struct vx_exporter *x, const struct vx_request *r, unsigned *out_needs);

/* Write r->path and the files that belong to it: all of them, or none.
 * Errors: LS_ERR_EXISTS without force, LS_ERR_RANGE (exceeds the format), LS_ERR_USAGE, LS_ERR_IO and other
 *         errors of files, LS_ERR_NOMEM, LS_ERR_UNSUPPORTED (built without a library). */
ls_err vx_export(const struct vx_exporter *x, const struct vx_source *s, const struct vx_request *r);

/* ---- rows of the table of formats ---- */

/* The rows of the table of formats, each defined in the file of its name.
 *
 * Tables that never change. */

extern const struct vx_exporter vx_exporter_vti, vx_exporter_vtr, vx_exporter_vtu, vx_exporter_pvd,
    vx_exporter_vtkhdf, vx_exporter_xdmf, vx_exporter_memaxes, vx_exporter_csv, vx_exporter_dot,
    vx_exporter_png, vx_exporter_trace, vx_exporter_firefox, vx_exporter_speedscope, vx_exporter_pprof,
    vx_exporter_caliper;

/* ---- tables of CSV ---- */

/* Tables that a CSV file can hold: one row a table in vx_csv.c. */

struct vx_csv_table {
    const char *name, *words;
    unsigned needs; /* enum vx_needs */
    ls_err (*write)(const struct vx_source *s, FILE *out);
};

/* Every table; ends with one without a name. */
extern const struct vx_csv_table vx_csv_tables[];
/* name NULL: the samples.  Errors: LS_ERR_USAGE: there is no such table; the text names those there are. */
ls_err vx_csv_table_of(const char *name, const struct vx_csv_table **out);

/* Is the table of time series requested? */
bool vx_is_series(const struct vx_request *r);
/* Draw the time series and phases of s as a PNG. path is for messages.
 * Errors: LS_ERR_USAGE: there is no series; LS_ERR_NOMEM, LS_ERR_IO. */
ls_err vx_series_png(const struct vx_source *s, const char *path, FILE *out);

/* ---- metrics of nodes ---- */

/* Metrics that colour the nodes of the semantic tree: one row per metric in vx_dot.c. */

struct vx_tree_metric {
    const char *name, *unit, *words;
    double (*value)(const struct an_row *r); /* NAN: missing */
};

/* Every metric; ends with one without a name. */
extern const struct vx_tree_metric vx_tree_metrics[];
/* name NULL: the time.  Errors: LS_ERR_USAGE: there is no such metric; the text names those there are. */
ls_err vx_tree_metric_of(const char *name, const struct vx_tree_metric **out);

/* ---- names of the objects that samples refer to ---- */

enum { VX_PATH_BYTES = 1024 };

/* The command line without the directory of the program. */
const char *vx_command_words(const char *command);

/* "range", "heap", ...; the level's name. */
const char *vx_kind_name(uint32_t kind);
const char *vx_level_name(uint8_t level);
/* Write the labels from below the root down to the node to out, "Input/B"; truncated if out is too small. */
const char *vx_node_path(const struct an_tables *t, uint32_t node, char out[VX_PATH_BYTES]);
const char *vx_node_label(const struct an_tables *t, uint32_t node);
const char *vx_phase_name(const struct an_tables *t, uint32_t phase);
/* Return the source line of an instruction of a thread; NULL: not known. */
const struct prof_line *vx_line_of(const struct an_tables *t, uint32_t thread, uint64_t ip, uint64_t time_ns);

#endif
