/* SPDX-License-Identifier: BSD-3-Clause */
/* The views of a report, on the terminal and as JSON. */
#ifndef REP_PRINT_H
#define REP_PRINT_H

#include "analyse/an_layout.h"
#include "tools/cli/cli_term.h"
#include "common/ls_json.h"
#include "tools/report/rep_view.h"
#include "common/ls_error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { REP_JSON_SCHEMA = 1 };

enum { REP_KEY_WIDTH = 11 };

/* Print all of a report that is not a table: what waits most and what helps, how far to trust the figures, and
 * between them the table or the tree, with as many rows as the terminal has lines for.
 * Errors: LS_ERR_NOMEM. */
ls_err rep_print_text(struct rep_view *v, bool as_tree, FILE *out);
/* Print the program and the account of its CPU time. */
void rep_print_program(const struct rep_view *v, FILE *out);
/* Print the conclusion: the data that waits most, the place, the remedy. An item begins with a key in the first columns or with two blanks;
 * other lines continue the item above.  Errors: LS_ERR_NOMEM. */
ls_err rep_print_conclusion(const struct rep_view *v, FILE *out);
/* Print engine, bursts, loads timed, overhead and losses, with remedies. */
void rep_print_trust(const struct rep_view *v, FILE *out);
/* The full head, and how its numbers came about. */
void rep_print_how(const struct rep_view *v, FILE *out);
/* Print the same unfolded: each line has a key in its first 11 columns (blank: continues the line above). */
void rep_print_header_lines(const struct rep_view *v, FILE *out);
void rep_print_how_lines(const struct rep_view *v, FILE *out);
/* Print such lines, folded to the width of the terminal. */
void rep_print_lines(const struct rep_view *v, void (*lines)(const struct rep_view *v, FILE *out), FILE *out);
void rep_key(FILE *out, const char *key);
void rep_key_warning(FILE *out);

/* Return whether the terminal has too few lines for more than the most important. */
bool rep_is_low(void);

/* Parts of the head. */
void rep_print_cpu_parts(const struct prof_run *r, FILE *out);
void rep_print_unrepresented(const struct prof_run *r, FILE *out);
void rep_print_overhead(const struct prof_run *r, FILE *out);
void rep_print_lost(const struct prof_run *r, FILE *out);
void rep_print_traffic(const struct rep_view *v, FILE *out);
void rep_print_events(const struct rep_view *v, size_t most, FILE *out);

/* Bandwidth of sweeps that take line_cycles for a line, on each of cpus CPUs. */
double rep_gb_s(const struct prof_run *r, double line_cycles, double cpus);
/* 0 where a number is missing. */
uint64_t rep_known(uint64_t n);
/* Return whether no row has an access or time. */
bool rep_is_empty(const struct rep_view *v);
/* Return whether rows have time: not those of page faults. */
bool rep_has_time(const struct rep_view *v);
void rep_print_table(const struct rep_view *v, const struct rep_row *rows, size_t len, FILE *out);
/* Print for each of the costliest nodes where it stalls and the remedy that its samples suggest; *out_len is
 * their number.  Errors: LS_ERR_NOMEM. */
ls_err rep_print_advice(const struct rep_view *v, FILE *out, size_t *out_len);
/* Does the file belong to a library in which threads wait for others? Print the share of the time there, if it is large. */
bool rep_is_thread_library(const char *module);
void rep_print_spinning(const struct rep_view *v, FILE *out);
/* Return the group that stalls most by its own samples; AN_NO_GROUP if there is none. */
uint32_t rep_top_stall(const struct rep_view *v);
/* Print kernel time by cause, in views of data or code; the remedies; the same as JSON.
 * Errors: LS_ERR_NOMEM. */
ls_err rep_print_kernel(const struct rep_view *v, FILE *out);
ls_err rep_print_kernel_advice(const struct rep_view *v, FILE *out);
ls_err rep_json_kernel(const struct rep_view *v, struct ls_json *j);
ls_err rep_print_json(const struct rep_view *v, const struct rep_row *rows, size_t len, FILE *out);
/* The innermost groups by their own samples, the costliest first, as comma-separated values.
 * Errors: LS_ERR_NOMEM. */
ls_err rep_print_csv(const struct rep_view *v, FILE *out);
/* Write to out why there are too few bursts, and the remedy; false if there are enough. */
bool rep_explain_too_few(const struct rep_view *v, char *out, size_t out_len_bytes);

/* The members that every row of numbers has in JSON. */
void rep_json_numbers(const struct an_row *r, const struct an_interval *time, const struct an_interval *stall,
                      struct ls_json *j);

/* ---- report --tree ---- */

/* Print the rows of v, whose first dimension is a tree of nodes: bar, share of time, stall, mean latency,
 * levels. The numbers are the same as in the table. */
void rep_tree_print(const struct rep_view *v, const struct rep_row *rows, size_t len, FILE *out);

enum { REP_BAR_MAX = 24, REP_BAR_BYTES = 4 * REP_BAR_MAX + 1 };

/* ---- report --annotate ---- */

struct rep_annotate_options {
    const char *function;
    bool by_instruction; /* also where there is source */
    bool json;
};

/* Print every function of that name; o->by is ignored.
 * Errors: as rep_view_init; LS_ERR_USAGE when there is no such function, with the
 *         nearest names. */
ls_err rep_annotate(const struct rep_options *o, const struct rep_annotate_options *a, FILE *out);

/* ---- report --heatmap ---- */

struct rep_heatmap_options {
    const char *path;
    const char *what; /* NODE[:METRIC] */
    uint64_t width;   /* columns of the terminal, 0: as it is */
    bool one_layer, json;
    uint64_t layer;
};
/* Errors: as prof_open and prof_atlas_list; LS_ERR_USAGE when there is no such field
 * or layer. */
ls_err rep_heatmap(const struct rep_heatmap_options *o, FILE *out);

/* ---- report --sharing ---- */

/* Print the cache lines, the costliest first; o->by is ignored.
 * Errors: as rep_view_init. */
ls_err rep_sharing(const struct rep_options *o, bool json, FILE *out);

/* ---- report --layout ---- */

enum rep_layout_form { REP_LAYOUT_TEXT, REP_LAYOUT_JSON, REP_LAYOUT_CSV };

/* Print the members of the type, which is named as in a row of --by type or by a pattern; o->by is ignored.
 * Errors: as rep_view_init; LS_ERR_USAGE when no accessed type, or several, have that name. */
ls_err rep_layout(const struct rep_options *o, const char *type, enum rep_layout_form form, FILE *out);
/* Write the same as an array of JSON for the types whose members were accessed most, at most `most`. Columns of v needed:
 * REP_LAYOUT_COLUMNS.  Errors: LS_ERR_NOMEM. */
#define REP_LAYOUT_COLUMNS AN_LAYOUT_COLUMNS
ls_err rep_json_layouts(const struct rep_view *v, size_t most, struct ls_json *j);

/* Do the members of types cost much? *out: the costliest type, for REP_TYPES_ONE. Columns needed: member, otherwise the
 * answer is REP_TYPES_NONE. */
enum rep_types_next { REP_TYPES_NONE, REP_TYPES_ONE, REP_TYPES_SEVERAL };
enum rep_types_next rep_costliest_type(const struct rep_view *v, const char **out);
/* Is it a struct or class of the program with several members? first: its first row of members. */
bool rep_has_members(const struct rep_view *v, uint32_t type, uint32_t first);

/* ---- report --processes ---- */

/* o: file, filters, limit; its grouping is ignored.
 * Errors: as rep_view_init, LS_ERR_NOMEM. */
ls_err rep_processes(const struct rep_options *o, bool json, FILE *out);

/* ---- report --allocations ---- */

/* Use only file and limit of o.
 * Errors: as prof_open, LS_ERR_NOMEM. */
ls_err rep_allocations(const struct rep_options *o, bool json, FILE *out);

/* ---- report --devices ---- */

/* Print one line about the memory of devices, if there is any. */
void rep_print_devices(const struct rep_view *v, FILE *out);
/* Use only file and limit of o.
 * Errors: as prof_open, LS_ERR_USAGE if there is no memory of devices, LS_ERR_NOMEM. */
ls_err rep_devices(const struct rep_options *o, bool json, FILE *out);

/* ---- report --first-touch ---- */

/* Page faults by node and thread. The thread that touched a page first decided on which
 * NUMA node the page was placed. */

/* Rows by o->by.  Errors: as rep_view_init; LS_ERR_USAGE when the recording has no page faults. */
ls_err rep_first_touch(const struct rep_options *o, bool json, FILE *out);

/* ---- report --watch ---- */

/* Errors: as rep_view_init; LS_ERR_USAGE if nothing was watched. */
ls_err rep_watch(const struct rep_options *o, bool json, FILE *out);

/* ---- report --by rank, of a job ---- */

/* Does the profile sum up the ranks of a job? False where it cannot be read. */
bool rep_ranks_has(const char *path);
/* Use only file and limit of o.
 * Errors: as prof_open, LS_ERR_NOMEM. */
ls_err rep_ranks(const struct rep_options *o, bool json, FILE *out);

/* ---- report --series ---- */

/* Counters of the machine by phase. Use only the file of o.
 * Errors: as prof_open; LS_ERR_USAGE if no counter was sampled; LS_ERR_NOMEM. */
ls_err rep_series(const struct rep_options *o, bool json, FILE *out);

#endif
