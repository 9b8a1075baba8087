/* SPDX-License-Identifier: BSD-3-Clause */
/* Which sequences are kept: windows and filters of the published modes, and the choice of the costliest. */
#ifndef PAT_EXT_FILTER_H
#define PAT_EXT_FILTER_H

#include "patterns/extract/pat_extract.h"

/* ---- published modes ---- */

/* What GS Patterns, as published, keeps: the moving windows of its first pass and its filters. (Sheridan et
 * al., "A Workflow for the Synthesis of Irregular Memory Access Microbenchmarks", section 2.1, Table 1; the
 * versions' own limits by their behaviour.) Only one thing differs: a row of a window is a site, where the
 * tool has one for all loads, or stores, of an instruction. */
struct pat_ext_windows;

/* How often sites were found to gather or scatter in a window. */
struct pat_ext_appearances {
    uint64_t *counts; /* by site */
    size_t len;
};

/* The windows of one thread, one for loads and one for stores.
 * Owns:   the caller frees them.  Errors: NULL without memory. */
struct pat_ext_windows *pat_ext_windows_new(const struct pat_extract_options *o);
void pat_ext_windows_free(struct pat_ext_windows *w); /* NULL-safe */
uint64_t pat_ext_windows_bytes(const struct pat_extract_options *o);

/* One access. When it does not fit, both windows are analysed into a and emptied first. a->counts has the
 * site. */
void pat_ext_windows_see(struct pat_ext_windows *w, struct pat_ext_appearances *a, uint32_t site,
                         const struct pat_site *row, uint64_t addr);

/* Whether the filters of the mode keep this sequence, but for the rank by appearances. */
struct pat_ext_measured {
    uint64_t accesses, unique, far; /* unique: distances that are far count once for each direction */
    bool is_trivial;                /* distances -1, 0, 1 only */
    bool is_one_way;                /* distances are never negative, or never positive */
    bool has_module;
};
bool pat_ext_published_keeps(const struct pat_extract_options *o, const struct pat_ext_measured *m);

/* ---- the costliest ---- */

/* A sequence; those of one group may become one pattern later. */
struct pat_ext_candidate {
    const void *group;
    double cost;
    bool passes;    /* the filters */
    bool is_chosen; /* out */
};

/* rows are ranked, the first ones best. Choose all of the `top` groups that cost most, of those that have a
 * row which passes, and of the groups of the first `top` rows that pass: so that, whichever become one, the
 * `top` costliest patterns are among them, if there are as many.
 * Errors: LS_ERR_NOMEM; then none is chosen. */
ls_err pat_ext_choose(struct pat_ext_candidate *rows, size_t len, uint32_t top);

#endif
