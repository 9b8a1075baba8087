/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns found in a program: configuration, class and measures, origin. pat_compact
 * (patterns/compact/pat_compact.h) makes them from sequences. */
#ifndef PAT_FOUND_H
#define PAT_FOUND_H

#include "patterns/extract/pat_extract.h"
#include "patterns/pat_config.h"

/* X(enumerator, name) the literature's terms; doc/patterns.md gives the measures that decide. */
#define PAT_CLASS_LIST(X)                    \
    X(PAT_CLASS_UNIFORM, "uniform stride")   \
    X(PAT_CLASS_MOSTLY_1, "mostly stride-1") \
    X(PAT_CLASS_BROADCAST, "broadcast")      \
    X(PAT_CLASS_STENCIL, "stencil")          \
    X(PAT_CLASS_COMPLEX, "complex")          \
    X(PAT_CLASS_RANDOM, "random")            \
    X(PAT_CLASS_CHASE, "pointer chase")
#define PAT_CLASS_ENUM(id, name) id,
enum pat_class { PAT_CLASS_LIST(PAT_CLASS_ENUM) PAT_CLASS_COUNT };
#undef PAT_CLASS_ENUM

/* How the configuration represents the program's accesses.
 * X(enumerator, name, text) */
#define PAT_FORM_LIST(X)                                                                       \
    X(PAT_FORM_EXACT, "exact", "pattern, deltas and count give every access")                  \
    X(PAT_FORM_FULL, "full", "the whole sequence, count 1")                                    \
    X(PAT_FORM_PREFIX, "prefix", "the first accesses of a longer sequence that has no period") \
    X(PAT_FORM_SYNTHETIC, "synthetic", "drawn from the distribution of distances and reuse")   \
    X(PAT_FORM_PERIODIC, "periodic", "as exact, for the share of the accesses in `explained`") \
    X(PAT_FORM_PIECES, "pieces", "the pieces that were seen, one after the other; it has no period")
#define PAT_FORM_ENUM(id, name, text) id,
enum pat_form { PAT_FORM_LIST(PAT_FORM_ENUM) PAT_FORM_COUNT };
#undef PAT_FORM_ENUM

#define PAT_REUSE_BINS 40 /* bin i: reuse distances in [2^(i-1), 2^i) lines, bin 0: the same line again */
struct pat_measures {
    double spatial;                       /* spatial locality, 0 to 1 (Weinberg et al., SC'05) */
    double temporal;                      /* temporal locality, 0 to 1 (the same) */
    double delta_entropy_bits;            /* entropy of the distances */
    double line_utilisation;              /* bytes used of each line fetched, 0 to 1 */
    double page_utilisation;              /* the same for 4-KiB pages */
    uint64_t footprint_bytes;             /* lines touched x 64 */
    uint64_t reuse[PAT_REUSE_BINS], cold; /* reuse distances in lines */
    bool reuse_is_sampled;
    uint64_t part; /* kept first accesses that all measures except the footprint cover; 0: all */
};

/* An instruction whose accesses share a pattern with other instructions (struct pat_join). */
struct pat_member {
    uint64_t ip;
    enum pat_op op;
};

struct pat_found {
    struct pat_config config; /* name: label of the home through that of its index, and function */
    enum pat_class class;
    enum pat_form form;
    /* Share of the kept accesses that the configuration gives, 1 when it is exact. For bursts: share of the
     * distances that belong to the period. */
    double explained;
    bool ends_in_row; /* bursts: a row of a loop nest; they are too short for the loop around it */
    /* Accesses before and after the ones that the configuration gives (PAT_FORM_PERIODIC of a whole
     * sequence). */
    uint64_t prologue, epilogue;
    int64_t first_element; /* element of the range that is element 0 of the configuration */
    /* These accesses, as elements of the configuration (also below 0), for formats that list each access.
     * Very long ones are cut; no tail where accesses before it are missing. */
    struct pat_indices head, tail;
    struct pat_measures measures;
    uint64_t elem_size_bytes; /* unit of the indices */
    uint64_t object_bytes;    /* the home's elements, or the structures there; 0: not known */
    bool is_heap;             /* the home is an allocation site */
    int64_t stride;           /* elements; for PAT_CLASS_UNIFORM only */
    /* origin */
    enum pat_op op;
    uint64_t ip, linked_ip; /* in memory, and in the file of its module; the same where none is known */
    uint32_t module_row;    /* row in the source's tables, or PAT_NONE */
    char *module, *function, *file; /* "" where not known */
    uint32_t line;                  /* 0: not known */
    uint32_t source_line;           /* as in struct pat_site */
    char *home, *index_home;        /* labels, "" where there is none */
    uint64_t ranges_print; /* as in pat_sequence; rows of one home with equal values use the same array */
    char *thread;
    uint32_t threads;
    /* Distances from this thread's places, in elements, as in struct pat_sequence. */
    struct pat_indices threads_apart;
    uint64_t accesses;
    double access_share, cost_share; /* shares in the whole source, 0 to 1 */
    double window_share;             /* as in pat_sequence; published modes only, else 0 */
    uint32_t rank;                   /* the same */
    uint32_t sequence;               /* row of the pat_sequences it was made of, the first of several */
    struct pat_member *members;      /* in the order of their accesses; NULL: one instruction's */
    size_t members_len;
};

/* "uniform stride", "exact"; "?" for an invalid value. */
const char *pat_class_name(enum pat_class c);
const char *pat_form_name(enum pat_form f);
/* Return a text for the form: "the whole sequence, count 1". */
const char *pat_form_text(enum pat_form f);

enum { PAT_FOUND_KEY_BYTES = 1024 };
/* Describe operation, data and function: "load x[col] in spmv", "load in spmv" where the data is not known.
 * Addresses and lines are left out, because they differ in another build. Written into out and returned;
 * longer texts are cut. */
const char *pat_found_label(const struct pat_found *f, char out[PAT_FOUND_KEY_BYTES]);
/* The same if it identifies the pattern in another run, "" where neither data nor function is known. */
const char *pat_found_key(const struct pat_found *f, char out[PAT_FOUND_KEY_BYTES]);

struct pat_findings {
    struct pat_found *rows; /* the costliest first; published modes: gathers first, by their rank */
    size_t len;
};

/* Keep the `top` costliest of f, in their order; the accesses of the others are added to *accesses.
 * Errors: LS_ERR_NOMEM; then f is as it was. */
ls_err pat_findings_cut(struct pat_findings *f, size_t top, uint64_t *accesses);

/* Free the contents of f; its fields are then unusable. */
void pat_found_fini(struct pat_found *f);

/* Release all rows; f is zeroed. */
void pat_findings_fini(struct pat_findings *f);

/* Drop from f, which was made from s, loads that only read the indices of another row of f: element by
 * element, and not more often than that row accesses its data. A replay reads an index list instead.
 * *out_dropped: number of dropped rows.
 * Errors: LS_ERR_NOMEM; then f is as it was. */
ls_err pat_feeds_drop(struct pat_findings *f, const struct pat_sequences *s, size_t *out_dropped);

#endif
