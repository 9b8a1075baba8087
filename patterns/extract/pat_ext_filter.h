/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of the sequences to keep: windows and filters of the published modes, and the choice of the
 * costliest. */
#ifndef PAT_EXT_FILTER_H
#define PAT_EXT_FILTER_H

#include "patterns/extract/pat_extract.h"

/* ---- published modes ---- */

/* The selection of GS Patterns, as published: the moving windows of its first pass and its filters. (Sheridan
 * et al., "A Workflow for the Synthesis of Irregular Memory Access Microbenchmarks", section 2.1, Table 1;
 * the limits of each version follow its behaviour.) There is one difference: a row of a window is a site,
 * where the tool has one row for all loads, or stores, of an instruction. */
struct pat_ext_windows;

/* State of a site in the windows. */
struct pat_ext_seen {
    uint64_t count; /* windows in which it gathers or scatters */
    uint64_t order; /* 1: the first site that did so; 0: none */
};

struct pat_ext_appearances {
    struct pat_ext_seen *sites;
    size_t len;
    uint64_t orders; /* given so far */
};

/* The windows of one thread, one for loads and one for stores.
 * Owns:   the caller frees them.  Errors: NULL without memory. */
struct pat_ext_windows *pat_ext_windows_new(const struct pat_extract_options *o);
void pat_ext_windows_free(struct pat_ext_windows *w); /* NULL-safe */
uint64_t pat_ext_windows_bytes(const struct pat_extract_options *o);

/* Add one access. When it does not fit, both windows are first analysed into a and emptied. a->sites must
 * have an entry for the site. */
void pat_ext_windows_see(struct pat_ext_windows *w, struct pat_ext_appearances *a, uint32_t site,
                         const struct pat_site *row, uint64_t addr);

/* Properties of a sequence that the filters of the published modes test. */
struct pat_ext_measured {
    uint64_t accesses, unique; /* unique: far distances count once for each direction */
    uint64_t weighted, far; /* accesses, and how many are far, by weight: their sum is that of all accesses */
    bool is_trivial;        /* distances -1, 0, 1 only */
    bool is_one_way;        /* distances are never negative, or never positive */
    bool has_source;        /* in a known module, and has a line where any has one */
};
bool pat_ext_published_keeps(const struct pat_extract_options *o, const struct pat_ext_measured *m);

/* ---- the costliest ---- */

/* A sequence; sequences of one group may be joined into one pattern later. */
struct pat_ext_candidate {
    const void *group;
    double cost;
    bool passes;    /* the filters accept it */
    bool is_chosen; /* result */
};

/* rows are ranked, the best first. Choose two sets of whole groups: the `top` costliest groups with a row
 * that passes, and the groups of the first `top` rows that pass. Whichever sequences are joined later, the
 * `top` costliest patterns are then included, if there are as many.
 * Errors: LS_ERR_NOMEM; then none is chosen. */
ls_err pat_ext_choose(struct pat_ext_candidate *rows, size_t len, uint32_t top);

#endif
