/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparison of the patterns of several inputs: loadstone patterns diff pairs them, groups finds similar
 * ones. */
#ifndef PTN_COMPARE_H
#define PTN_COMPARE_H

#include "patterns/compare/pat_compare.h"
#include "tools/patterns/ptn_read.h"

#include <stdio.h>

/* ---- inputs ---- */

struct ptn_input {
    const char *path;
    struct pat_items items;
    struct pat_suite suite; /* set if the input is a pattern file */
    struct ptn_found found; /* set for any other input */
};

/* ---- diff: pairs of patterns ---- */

enum { PTN_JSON_SCHEMA = 1 };
#define PTN_SIGNIFICANCE 0.05

/* X(enumerator, text) */
#define PTN_VERDICT_LIST(X)                           \
    X(PTN_SAME, "the same accesses")                  \
    X(PTN_ALIKE, "not told apart")                    \
    X(PTN_DIFFERS, "differs")                         \
    X(PTN_TOO_SHORT, "differs; too short for a test") \
    X(PTN_ONLY_A, "only in A")                        \
    X(PTN_ONLY_B, "only in B")
#define PTN_VERDICT_ENUM(id, text) id,
enum ptn_verdict { PTN_VERDICT_LIST(PTN_VERDICT_ENUM) PTN_VERDICTS };
#undef PTN_VERDICT_ENUM

struct ptn_pair {
    const struct pat_item *a, *b; /* NULL: only in the other input */
    struct pat_match match;
    struct pat_item_comparison comparison; /* of pairs */
    enum ptn_verdict verdict;
};

struct ptn_diff {
    struct ptn_input sides[2];
    struct ptn_pair *rows; /* pairs, the most different first; then patterns in one input only */
    size_t rows_len;
};

struct ptn_options {
    struct pat_match_options match;
    struct ptn_settings settings; /* for inputs that patterns are extracted from */
};

/* "differs"; never NULL. */
const char *ptn_verdict_text(enum ptn_verdict v);
/* Return the term that contributes most to the distance. */
enum pat_term ptn_main_term(const struct pat_distance_terms *d);

void ptn_print_diff(const struct ptn_diff *d, FILE *out);
void ptn_json_diff(const struct ptn_diff *d, FILE *out);

/* ---- groups: patterns that are alike ---- */

struct ptn_groups {
    struct ptn_input *inputs;
    size_t inputs_len;
    struct pat_items items; /* patterns from all inputs */
    struct pat_clusters clusters;
    double within;
    bool with_members;
};

struct ptn_group_options {
    double within;
    struct ptn_settings settings; /* for inputs that patterns are extracted from */
};

void ptn_print_groups(const struct ptn_groups *g, FILE *out);
void ptn_json_groups(const struct ptn_groups *g, FILE *out);

#endif
