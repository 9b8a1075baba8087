/* SPDX-License-Identifier: BSD-3-Clause */
/* From sequences to patterns: periods, classes, measures, names. */
#ifndef PAT_COMPACT_H
#define PAT_COMPACT_H

#include "patterns/compact/pat_found.h"

struct pat_compact_options {
    size_t
        pattern_max; /* indices of one pattern; 0: 2^20. Longer ones without a period are cut or synthetic */
    bool no_symbols; /* do not read the modules' files */
    bool is_sampled; /* the source's pieces are bursts (struct pat_source_counts): accesses between them are
                      * unknown. Else a break only means that the thread left the traced region. */
    bool no_join;    /* no joining of instructions that alternate on the same data */
    bool by_kind;    /* order: gathers before scatters, as GS Patterns has them; else by cost alone */
    uint64_t seed;   /* seed of synthetic patterns, the same seed gives the same pattern; 0: 1 */
};

/* Convert all sequences of a source to patterns; s stays the caller's.
 * Owns:   the caller ends out with pat_findings_fini.
 * Errors: LS_ERR_NOMEM; then out is empty. A file whose symbols cannot be read leaves names empty. */
ls_err pat_compact(const struct pat_sequences *s, const struct pat_tables *t,
                   const struct pat_compact_options *o, struct pat_findings *out);

/* Set known[i] where sites[i], of t, has a source line: for pat_extract_options. Errors: LS_ERR_NOMEM. */
ls_err pat_names_known(const struct pat_tables *t, const uint32_t *sites, size_t len, bool *known);

#endif
