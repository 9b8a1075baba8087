/* SPDX-License-Identifier: BSD-3-Clause */
/* The data of a report: a profile, and one grouping of its samples. */
#ifndef REP_VIEW_H
#define REP_VIEW_H

#include "analyse/an_bootstrap.h"
#include "analyse/an_calls.h"
#include "analyse/an_combine.h"
#include "tools/cli/cli_term.h"

#include <stdbool.h>

/* ---- a profile and one grouping of its samples ---- */

enum rep_sort { REP_SORT_TIME, REP_SORT_STALL, REP_SORT_SAMPLES, REP_SORT_LATENCY, REP_SORT_LABEL };

struct rep_options {
    const char *path;
    const char *by;           /* dimensions, as in --by */
    const char *node;         /* NULL: all */
    const char *const *where; /* filters, as in --where */
    size_t where_len;
    bool where_may_miss; /* a value that names nothing gives no rows instead of an error */
    uint64_t columns;    /* further columns of the samples that the caller needs, as a mask */
    enum rep_sort sort;
    bool sort_given; /* otherwise ordered dimensions keep their order */
    double min_share;
    uint64_t depth, limit;
    bool all_rows;             /* however many lines the terminal has */
    uint64_t rows_max;         /* rows at most, the costliest; 0: any number */
    uint64_t slices, slice_ns; /* parts of the run; 0 both: as usual */
    uint64_t last_level_bytes; /* cache that the traffic is estimated for; 0: of the machine */
    bool no_unregistered;
    bool is_complete; /* for programs: also rows that only repeat their parent */
};

struct rep_view {
    struct rep_options options;
    prof_profile *profile;
    const struct prof_run *run;
    struct an_tables tables;
    struct an_call_tree calls, callers;
    struct an_input in;
    struct an_costs costs;
    struct an_by by;
    struct an_combination groups;
    struct an_keep keep;  /* samples that pass --node and --where; all where an array is NULL */
    bool accesses_chosen; /* filtered by --node or by data in --where: then no view groups by origin */
    an_table *table;
    an_bootstrap *bootstrap;
    uint32_t root;   /* node the report is about */
    uint64_t loaded; /* columns of the samples, as a mask */
};

/* Rows in the order of printing. */
struct rep_row {
    uint32_t group;
    uint32_t depth;  /* in the tree, 0: top */
    bool last;       /* among its siblings that are shown */
    uint32_t hidden; /* not 0: this row is no group but replaces this many siblings */
    struct an_interval time, stall;
};

/* Owns:   the caller ends v with rep_view_fini, also after a failure; v borrows the texts of options.
 * Errors: as prof_open; LS_ERR_USAGE when --by, --node or --where names nothing, or several nodes. */
ls_err rep_view_init(struct rep_view *v, const struct rep_options *options);
/* Group the same samples by other dimensions; earlier results about groups become invalid.
 * Owns:   v, as before, also after a failure.  Errors: as above. */
ls_err rep_view_regroup(struct rep_view *v, const char *by);
/* Free everything that grows with the samples except the columns in mask: other columns, and the groups of
 * samples and bursts. v must not be regrouped any more.  Errors: as of prof_load_samples, for columns in mask
 * that were not loaded. */
ls_err rep_view_keep_columns(struct rep_view *v, uint64_t mask);
/* Owns:   frees the members of v. */
void rep_view_fini(struct rep_view *v);
/* Return the name of the group, in a static buffer. */
const char *rep_label(const struct rep_view *v, uint32_t group);
/* Cut text in the middle to REP_SHORT_WIDTH columns, for sentences; into out, which is returned. */
enum { REP_SHORT_WIDTH = 48, REP_SHORT_BYTES = 4 * REP_SHORT_WIDTH + 4 };
const char *rep_shorten(const char *text, char out[REP_SHORT_BYTES]);
/* The name of the group for sentences: "file/.bss" for sections and "stack/[library]" for code without a name. */
const char *rep_short_label(const struct rep_view *v, uint32_t group, char out[REP_SHORT_BYTES]);
/* Return the node of a group; the group of a node or of its nearest ancestor with one (UINT32_MAX: none);
 * whether rows are nodes only. */
uint32_t rep_node_of(const struct rep_view *v, uint32_t group);
uint32_t rep_group_of(const struct rep_view *v, uint32_t node);
bool rep_is_by_node(const struct rep_view *v);
/* The rows to print; free(*out).
 * Errors: LS_ERR_NOMEM. */
ls_err rep_rows(const struct rep_view *v, struct rep_row **out, size_t *out_len);
/* Return whether the row has an access or time. */
bool rep_is_seen(const struct an_row *row);
/* Return whether the row is judged by its samples: they represent no time, or the time of bursts belongs to the code in which
 * they began, and none began here. */
bool rep_is_by_samples(const struct rep_view *v, const struct an_row *row);
/* Return the samples of all groups. */
double rep_samples(const struct rep_view *v);
/* Return the share of a group's stall; NAN if no load of it was timed, or too few of all loads. */
struct an_interval rep_stall_share(const struct rep_view *v, const an_table *table, uint32_t group);
/* Return whether node is ancestor or below it. */
bool rep_is_below(const struct rep_view *v, uint32_t node, uint32_t ancestor);

/* ---- texts of rows ---- */

/* Texts of rows, the same in every table of a report: label and branches, shares, levels. */

/* Tree lines and the label of a row. open[d], all false before the first row: the branch at depth d goes on. */
enum { REP_LABEL_BYTES = 1024, REP_OPEN_MAX = 64 };
void rep_label_text(const struct rep_view *v, const struct rep_row *row, bool open[REP_OPEN_MAX],
                    char out[REP_LABEL_BYTES]);
/* Share of the measured loads of a known level in percent, "-" without one. */
/* Heading of a column: head itself, or the heading of the level of that name; "": the column is left out. */
const char *rep_level_head(const struct rep_view *v, const char *head);
const char *rep_format_level(const struct an_row *r, enum prof_level level, char out[CLI_CELL_BYTES]);
/* The heads of all dimensions of the rows. */
const char *rep_titles(const struct rep_view *v, char out[AN_LABEL_BYTES]);
/* A share in percent with half the width of its interval; with too few bursts a whole number and a tilde. */
const char *rep_format_share(const struct an_interval *i, char out[CLI_CELL_BYTES]);

#endif
