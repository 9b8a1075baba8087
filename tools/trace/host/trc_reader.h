/* SPDX-License-Identifier: BSD-3-Clause */
/* The reading end of the tracer's ring: accesses of all threads, and events between them, in one order.
 *
 * Unless noted otherwise: Thread: one at a time.  Signal: not safe. */
#ifndef TRC_READER_H
#define TRC_READER_H

#include "common/ls_error.h"
#include "tools/trace/trc_ring.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct trc_reader trc_reader;

/* A new ring in memory that has no name. fd: its descriptor, for others to open as /proc/PID/fd/N.
 * Owns:   the caller frees *out.
 * Errors: LS_ERR_NOMEM, LS_ERR_IO. */
ls_err trc_reader_new(trc_reader **out, int *fd);
void trc_reader_free(trc_reader *r); /* NULL-safe */

struct trc_ring *trc_reader_ring(const trc_reader *r);

/* Note that the program has ended and adds nothing to the ring.  Thread: any. */
void trc_reader_set_ended(trc_reader *r);
/* Stop reading: the program goes on without being recorded.  Thread: any. */
void trc_reader_close(trc_reader *r);

enum trc_item_kind { TRC_ITEM_ACCESSES, TRC_ITEM_BREAK, TRC_ITEM_EVENT, TRC_ITEM_END };
struct trc_item {
    enum trc_item_kind kind;
    uint32_t thread;
    const struct trc_access *accesses; /* len of them, all of this thread */
    size_t len;
    struct trc_event event;
};

/* Wait for the next item. Its pointers are valid until the next call. */
void trc_reader_next(trc_reader *r, struct trc_item *out);

#endif
