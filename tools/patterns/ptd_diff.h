/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone patterns diff: pairs the patterns of A with the patterns of B and compares each pair. */
#ifndef PTD_DIFF_H
#define PTD_DIFF_H

#include "patterns/compare/pat_compare.h"
#include "tools/patterns/ptd_input.h"

#include <stdio.h>

enum { PTD_JSON_SCHEMA = 1 };
#define PTD_SIGNIFICANCE 0.05

/* X(enumerator, text) */
#define PTD_VERDICT_LIST(X)                                    \
    X(PTD_SAME, "the same accesses")                           \
    X(PTD_ALIKE, "not told apart")                             \
    X(PTD_DIFFERS, "differs")                                  \
    X(PTD_TOO_SHORT, "differs; too short to tell from chance") \
    X(PTD_ONLY_A, "only in A")                                 \
    X(PTD_ONLY_B, "only in B")
#define PTD_VERDICT_ENUM(id, text) id,
enum ptd_verdict { PTD_VERDICT_LIST(PTD_VERDICT_ENUM) PTD_VERDICTS };
#undef PTD_VERDICT_ENUM

struct ptd_row {
    const struct pat_item *a, *b; /* NULL: only in the other */
    struct pat_match match;
    struct pat_item_comparison comparison; /* of pairs */
    enum ptd_verdict verdict;
};

struct ptd_diff {
    struct ptd_input sides[2];
    struct ptd_row *rows; /* pairs, the most different first; then patterns in one input only */
    size_t rows_len;
};

struct ptd_options {
    struct pat_match_options match;
    struct ptn_settings settings; /* for inputs that patterns are extracted from */
};

/* Owns:   the caller ends *out with ptd_diff_fini, also after a failure.
 * Errors: as ptd_input_read, LS_ERR_NOMEM. */
ls_err ptd_diff_make(char *const paths[2], const struct ptd_options *o, struct ptd_diff *out);
void ptd_diff_fini(struct ptd_diff *d);

/* "differs"; never NULL. */
const char *ptd_verdict_text(enum ptd_verdict v);
/* The term that adds most to the distance. */
enum pat_term ptd_main_term(const struct pat_distance_terms *d);

void ptd_print_diff(const struct ptd_diff *d, FILE *out);
void ptd_json_diff(const struct ptd_diff *d, FILE *out);

#endif
