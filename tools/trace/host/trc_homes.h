/* SPDX-License-Identifier: BSD-3-Clause */
/* Names for the data of a traced program: its modules' variables, the ranges it registers, its allocations,
 * its threads' stacks. Turns events of the ring into the rows and events of patterns/pat_access.h.
 *
 * Unless noted otherwise: Thread: one at a time.  Signal: not safe. */
#ifndef TRC_HOMES_H
#define TRC_HOMES_H

#include "common/ls_error.h"
#include "patterns/pat_access.h"
#include "symbols/sym_files.h"
#include "tools/trace/trc_ring.h"

typedef struct trc_homes trc_homes;

/* ring is borrowed. Starts the process that reads symbols: call it while this one is small.
 * Owns:   the caller frees *out.
 * Errors: LS_ERR_NOMEM. */
ls_err trc_homes_new(const struct trc_ring *ring, trc_homes **out);
void trc_homes_free(trc_homes *h); /* NULL-safe */

/* Take over the sites, modules and threads that the ring has more than before; variables of new modules
 * become ranges.  Errors: LS_ERR_NOMEM, LS_ERR_RANGE. */
ls_err trc_homes_grow(trc_homes *h);
/* Apply an event.  Errors: LS_ERR_NOMEM, LS_ERR_RANGE when a table is full. */
ls_err trc_homes_event(trc_homes *h, const struct trc_event *e);
/* The thread's sequence is broken.  Errors: LS_ERR_NOMEM. */
ls_err trc_homes_break(trc_homes *h, uint32_t thread);

/* Events since the last call of this; they live until the next call of any function here. */
const struct pat_event *trc_homes_take_events(trc_homes *h, size_t *len);

const struct pat_tables *trc_homes_tables(const trc_homes *h);

/* Name the homes of allocations made by call paths with this hash (spool/spool_path.h).
 * Errors: LS_ERR_NOMEM. */
ls_err trc_homes_name_path(trc_homes *h, uint64_t path_hash, const char *label);
/* Give all other homes placeholder names.  Errors: LS_ERR_NOMEM. */
ls_err trc_homes_name_rest(trc_homes *h);

#endif
