/* SPDX-License-Identifier: BSD-3-Clause */
/* Predicts the next access of a thread. The writer and the reader of a trace keep the same history, so that
 * only differences from the prediction are written.
 *
 * Site: the one that followed this site the last time. Address: the site's last one in this thread plus the
 * step that was seen twice in a row. */
#ifndef PAT_TRACE_GUESS_H
#define PAT_TRACE_GUESS_H

#include "common/ls_error.h"
#include "patterns/pat_access.h"

/* History of a site in one thread; all zero: empty. */
struct pat_track {
    uint64_t addr, step, delta; /* last address, step to add, last difference */
    uint32_t next;              /* 1 + the site that followed */
};

struct pat_guess_thread {
    struct pat_track **pages; /* pages of 256 sites each */
    size_t pages_len;
    struct pat_track *last; /* track of the previous site, NULL at first */
};

struct pat_guess {
    struct pat_guess_thread *threads;
    size_t threads_len;
    struct pat_guess_thread *thread; /* the current one */
    uint32_t thread_row;
};

enum { PAT_GUESS_PAGE_BITS = 8, PAT_GUESS_PAGE = 1 << PAT_GUESS_PAGE_BITS };

/* Make thread the current one.  Errors: LS_ERR_NOMEM. */
ls_err pat_guess_switch(struct pat_guess *g, uint32_t thread);
void pat_guess_fini(struct pat_guess *g);
/* The slow part of pat_guess_track.  Errors: NULL without memory. */
struct pat_track *pat_guess_track_new(struct pat_guess_thread *t, uint32_t site);

/* The track of a site in the current thread.  Errors: NULL without memory. */
static inline struct pat_track *pat_guess_track(struct pat_guess_thread *t, uint32_t site)
{
    const size_t page = site >> PAT_GUESS_PAGE_BITS;
    if (__builtin_expect(page < t->pages_len && t->pages[page], 1))
        return &t->pages[page][site & (PAT_GUESS_PAGE - 1)];
    return pat_guess_track_new(t, site);
}

/* The site that is expected, PAT_NONE: any. */
static inline uint32_t pat_guess_site(const struct pat_guess_thread *t)
{
    return t->last ? t->last->next - 1 : PAT_NONE;
}

/* Update the prediction with an access that was made. */
static inline void pat_guess_learn(struct pat_guess_thread *t, struct pat_track *k, uint32_t site,
                                   uint64_t addr)
{
    const uint64_t delta = addr - k->addr;
    if (t->last) t->last->next = site + 1;
    t->last = k;
    if (delta == k->delta) k->step = delta;
    k->delta = delta;
    k->addr = addr;
}

static inline uint64_t pat_zigzag(uint64_t difference)
{
    return (difference << 1) ^ (uint64_t)((int64_t)difference >> 63);
}

static inline uint64_t pat_unzigzag(uint64_t z)
{
    return (z >> 1) ^ (0 - (z & 1));
}

#endif
