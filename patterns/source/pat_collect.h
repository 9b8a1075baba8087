/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the readers of foreign traces: they report instructions, accesses and events in order; the
 * collector makes batches and tables of them.
 *
 * An execution of an instruction (pat_collect_begin) has accesses. Operation and width decide which operand
 * an access belongs to: equal ones are the lanes of one operand, but exactly two equal ones are two operands
 * (cmps, a pair of loads).
 *
 * Unless noted otherwise: Errors: LS_ERR_NOMEM, LS_ERR_RANGE (a table is full). */
#ifndef PAT_COLLECT_H
#define PAT_COLLECT_H

#include "patterns/source/pat_intern.h"
#include "patterns/source/pat_source.h"

enum { PAT_COLLECT_PARTS = 64, PAT_COLLECT_BATCH = 1 << 13 };

/* An access of the execution that is being reported. */
struct pat_part {
    uint64_t addr;
    uint16_t size_bytes;
    uint8_t op, operand;
};

/* All zero: empty. */
struct pat_collect {
    struct pat_tables tables;
    struct pat_source_counts counts;
    struct pat_intern sites, threads;
    size_t binaries_len; /* the first modules, from pat_collect_binaries */
    /* the execution */
    uint64_t ip;
    uint32_t thread, module;
    size_t parts_len;
    struct pat_part parts[PAT_COLLECT_PARTS];
    /* the batch, and events that wait for the next one */
    struct pat_access *accesses;
    size_t accesses_len;
    struct pat_event *events, *later;
    size_t events_len, events_room, later_len, later_room;
    /* a failure to return after the batches before it were delivered */
    ls_err deferred;
    char why[256];
};

void pat_collect_fini(struct pat_collect *c);

/* Find or add the row of a thread by its unique number id; label is copied when the row is new. */
ls_err pat_collect_thread(struct pat_collect *c, uint64_t id, const char *label, uint32_t *out);
/* Add modules for instructions whose module the trace does not name; call this before all others.  b may be
 * NULL. */
ls_err pat_collect_binaries(struct pat_collect *c, const struct pat_binaries *b);

/* Complete the execution. */
ls_err pat_collect_end(struct pat_collect *c);

/* A thread executes the instruction at ip. */
static inline ls_err pat_collect_begin(struct pat_collect *c, uint32_t thread, uint64_t ip, uint32_t module)
{
    if (c->parts_len) LS_TRY(pat_collect_end(c));
    c->thread = thread;
    c->ip = ip;
    c->module = module;
    return LS_OK;
}

/* Report an access of the instruction that pat_collect_begin named. */
static inline ls_err pat_collect_access(struct pat_collect *c, uint64_t addr, uint16_t size_bytes, uint8_t op)
{
    if (c->parts_len == PAT_COLLECT_PARTS) LS_TRY(pat_collect_end(c));
    c->parts[c->parts_len++] = (struct pat_part){.addr = addr, .size_bytes = size_bytes, .op = op};
    return LS_OK;
}

/* Report an access whose operand the source names. */
ls_err pat_collect_one(struct pat_collect *c, uint32_t thread, const struct pat_site *site, uint64_t addr);
/* Report an event. If accesses precede it, it begins the next batch; then report nothing more until that
 * batch is delivered (pat_collect_is_ready). */
ls_err pat_collect_event(struct pat_collect *c, const struct pat_event *event);

/* The batch is full, or an event begins the next one. */
static inline bool pat_collect_is_ready(const struct pat_collect *c)
{
    return c->later_len > 0 || c->accesses_len + c->parts_len + PAT_COLLECT_PARTS > PAT_COLLECT_BATCH;
}

/* Implement a source's next: call read until the batch is ready. read reports something or sets *has_ended;
 * when it fails, everything reported before is delivered first.
 * Errors: also the errors of read. */
typedef ls_err pat_collect_read(void *self, bool *has_ended);
ls_err pat_collect_next(struct pat_collect *c, pat_collect_read *read, void *self, struct pat_batch *b);

#endif
