/* SPDX-License-Identifier: BSD-3-Clause */
/* A running traced program as a source of accesses (patterns/source/pat_source.h).
 *
 * Thread: one at a time; trc_live_set_ended: any.  Signal: not safe. */
#ifndef TRC_SOURCE_H
#define TRC_SOURCE_H

#include "patterns/source/pat_source.h"
#include "tools/trace/trc_ring.h"

typedef struct trc_live trc_live;

/* spool_dir: the spool of the runtime in the program, which names allocations at the end; NULL: none.
 * note: reports a text to the user; called before the source ends. Starts a process (symbols).
 * Owns:   the caller hands it to pat_source_adopt with trc_source_format, or closes it by that row.
 * Errors: LS_ERR_NOMEM, LS_ERR_IO. */
ls_err trc_live_new(const char *spool_dir, void (*note)(void *user, const char *text), void *user,
                    trc_live **out);
extern const struct pat_source_format trc_source_format;

struct trc_ring *trc_live_ring(const trc_live *l);
/* Where others open the ring. */
const char *trc_live_ring_path(const trc_live *l);

/* The program has ended.  Thread: any. */
void trc_live_set_ended(trc_live *l);
/* Nothing more is wanted; the program goes on.  Thread: any. */
void trc_live_close_ring(trc_live *l);

#endif
