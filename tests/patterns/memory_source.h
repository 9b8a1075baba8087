/* SPDX-License-Identifier: BSD-3-Clause */
/* A source of accesses made by a test: tables and a list of events, delivered in batches. */
#ifndef TESTS_PATTERNS_MEMORY_SOURCE_H
#define TESTS_PATTERNS_MEMORY_SOURCE_H

#include "patterns/extract/pat_extract.h"
#include "patterns/source/pat_source.h"

struct memory_step {
    bool is_event;
    struct pat_event event;
    struct pat_access access;
};

/* Zeroed is empty; texts are literals. */
struct memory_source {
    struct pat_tables tables;
    struct memory_step *steps;
    size_t steps_len, steps_cap, at;
    size_t batch_max; /* accesses in one batch, 0: 1000 */
    struct pat_event *events;
    struct pat_access *accesses;
};

/* Rows and steps; a lack of memory aborts the test. Each returns the row's number. */
uint32_t memory_site(struct memory_source *m, uint64_t ip, uint16_t size_bytes, enum pat_op op);
uint32_t memory_home(struct memory_source *m, const char *label, uint64_t elem_size_bytes);
uint32_t memory_range(struct memory_source *m, uint64_t start, uint64_t end, uint32_t home);
uint32_t memory_thread(struct memory_source *m);
void memory_event(struct memory_source *m, enum pat_event_kind kind, uint32_t thread, uint32_t what);
void memory_access(struct memory_source *m, uint32_t site, uint32_t thread, uint64_t addr);

/* A source that reads m from its first step on; m must outlive it. */
pat_source *memory_open(struct memory_source *m);
/* The result of extraction on m; a failure aborts the test. */
void memory_extract(struct memory_source *m, const struct pat_extract_options *o, struct pat_sequences *out);
void memory_fini(struct memory_source *m);

#endif
