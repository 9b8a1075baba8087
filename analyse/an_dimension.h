/* SPDX-License-Identifier: BSD-3-Clause */
/* Dimensions for grouping and filtering samples: one row per dimension. report --by and --where, diff --by
 * and the manual all follow these rows; a new dimension is one more.
 *
 * Most dimensions depend on one table of the profile that a sample points to (its node, the line of its
 * instruction, its thread, ...): then the key is computed once a row of that table, not once a sample.
 *
 * Dimensions of origin (line, thread, phase, ...) are properties of the instruction at which a burst began,
 * so a burst has a key in them as a whole; dimensions of data (node, level, ...) are properties of
 * accesses. */
#ifndef AN_DIMENSION_H
#define AN_DIMENSION_H

#include "analyse/an_tables.h"

#include <stdbool.h>

#define AN_NO_KEY UINT32_MAX
#define AN_NO_DATA (UINT32_MAX - 1) /* key of a burst without accesses in a dimension of data */
enum { AN_LABEL_BYTES = 512, AN_SAMPLE_KEYS_MAX = 65536 };

/* Source of a sample's key: a row of one of the tables, or the sample itself. */
enum an_base {
    AN_BASE_NODE,
    AN_BASE_LINE,
    AN_BASE_THREAD,
    AN_BASE_BURST,
    AN_BASE_PHASE,
    AN_BASE_MEMBER,
    AN_BASE_SAMPLE
};

struct an_dimension {
    const char *name;  /* as written after --by */
    const char *title; /* head of its column */
    const char *text;  /* meaning of a row */
    const char *none;  /* label of samples without a key */
    uint64_t columns;  /* PROF_MASK()s that the base and key_of_sample read */
    enum an_base base;
    /* Key of a row of the base's table: the number of a row of any table, or AN_NO_KEY. NULL: the row. */
    uint32_t (*key_of_row)(const struct an_tables *t, uint32_t row);
    /* AN_BASE_SAMPLE only. key_of_sample: key of sample i, below AN_SAMPLE_KEYS_MAX, or AN_NO_KEY.
     * key_of_burst: key of a burst; NULL in dimensions of data. */
    uint32_t (*key_of_sample)(const struct an_tables *t, const struct prof_samples *s, uint64_t i);
    uint32_t (*key_of_burst)(const struct an_tables *t, uint32_t burst);
    /* Keys that compare 0 are one, and named by the lowest. NULL: every key is its own. */
    int (*compare)(const struct an_tables *t, uint32_t a, uint32_t b);
    /* Key that contains this one, smaller than it, or AN_NO_KEY. NULL: flat. Excludes compare. */
    uint32_t (*parent)(const struct an_tables *t, uint32_t key);
    /* Is the key called name, other than by its label? unqualified: without name spaces, tried last. NULL: no. */
    bool (*is_named)(const struct an_tables *t, uint32_t key, const char *name, bool unqualified);
    /* Name of a key, in out or constant. */
    const char *(*label)(const struct an_tables *t, uint32_t key, char out[AN_LABEL_BYTES]);
    bool is_ordered; /* keys are shown in their natural order (time, distance) */
};

/* Ends with a row without a name. */
extern const struct an_dimension an_dimensions[];

/* The row of that name, NULL: none. */
const struct an_dimension *an_dimension_named(const char *name, size_t name_len);
/* Is it a dimension of origin? */
bool an_dimension_is_origin(const struct an_dimension *d);
/* Name of a key with the keys that contain it, "Input/B"; for AN_NO_KEY the dimension's text, for AN_NO_DATA
 * a text for computing without accesses.
 * Owns:   nothing; the text is in out or constant.  Errors: none, cut where out ends. */
const char *an_dimension_path(const struct an_dimension *d, const struct an_tables *t, uint32_t key,
                              char out[AN_LABEL_BYTES]);

#endif
