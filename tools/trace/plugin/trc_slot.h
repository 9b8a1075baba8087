/* SPDX-License-Identifier: BSD-3-Clause */
/* The writing end of the ring: the open block of each thread, and events.
 *
 * Unless noted otherwise: Thread: any.  Signal: QEMU runs no plugin code in host signal handlers. */
#ifndef TRC_SLOT_H
#define TRC_SLOT_H

#include "tools/trace/trc_ring.h"

#include <stdbool.h>

struct trc_own {
    struct trc_block
        *block;             /* never NULL: takes the next rows; a small sink block when nothing is recorded */
    struct trc_block *open; /* its block of the ring, NULL: none */
    struct trc_slot *slot;
    uint64_t mark;   /* the last written row */
    uint64_t serial; /* serial of its next block */
    uint32_t thread;
    uint32_t off;         /* number of reasons to record nothing */
    uint32_t merged_site; /* site of the access whose further pieces are expected */
    uint32_t merged_left;
    uint64_t merged_next;                /* address of the next piece */
    uint64_t instructions;               /* executed by this thread, when they are counted */
    uint32_t phases_open, phases_wanted; /* phases_wanted: open phases with the requested name */
    bool is_counted_in, is_counted_out;  /* passed its first, its last wanted instruction */
    bool is_met, is_begun, is_missed, is_broken;
};
extern __thread struct trc_own trc_own __attribute__((tls_model("initial-exec"), visibility("hidden")));
extern struct trc_ring *trc_ring __attribute__((visibility("hidden")));

/* Each thread records nothing before starts_off calls of trc_slot_on.  Returns 0 or an errno. */
int trc_slot_init(struct trc_ring *ring, unsigned starts_off);
/* Set a gate before the program starts: it is called whenever a thread checks whether it may record. When its
 * answer changes for other threads an event must be put. */
void trc_slot_set_gate(bool (*gate)(void));
/* False in the child of a fork, which records nothing. */
bool trc_is_followed(void);

/* Slow path: return the block that takes the next row, with room for at least one. */
struct trc_block *trc_slot_look(void);

static inline void trc_put(uint64_t addr, uint32_t site)
{
    struct trc_block *b = trc_own.block;
    uint32_t n = b->len;
    if (__builtin_expect(n >= __atomic_load_n(&b->limit, __ATOMIC_RELAXED), 0)) {
        b = trc_slot_look();
        n = b->len;
    }
    b->rows[n] = (struct trc_access){addr, site, b->thread};
    TRC_STORE(b->len, n + 1);
}

/* Reasons to record nothing come and go in pairs; the sequence is broken meanwhile. */
void trc_slot_off(void);
void trc_slot_on(void);

/* Put an event into the order of all threads.  Waits if the reader is much slower. */
void trc_event_put(enum trc_event_kind kind, const uint64_t words[6]);

/* Store a text; returns its offset, or 0 with *len 0 when there is no room. */
uint32_t trc_text_put(const char *text, uint32_t *len);

#endif
