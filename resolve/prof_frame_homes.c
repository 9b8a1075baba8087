/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_frame_homes.h"

#include <stdlib.h>

static ls_err prof_push_edge(struct prof_frame_homes *h, struct prof_frame_edge edge)
{
    return LS_VECTOR_ADD(&h->edges, edge);
}

/* Frames at and below cfa are over. */
static void prof_drop_below(struct prof_frame_homes *h, uint64_t cfa)
{
    while (h->edges.len > 0 && h->edges.rows[h->edges.len - 1].cfa <= cfa)
        h->edges.len--;
}

ls_err prof_frame_homes_begin(struct prof_frame_homes *h, const struct sym_frame *frames, size_t len)
{
    h->edges.len = 0;
    if (len == 0 || frames[0].cfa == 0) return LS_OK; /* even the innermost frame has no known end */
    for (size_t i = len; i-- > 0;) {
        if (frames[i].cfa == 0) continue;
        /* the caller's frame has an end only where its own canonical address is known */
        const bool is_closed = i + 1 < len && frames[i + 1].cfa != 0;
        LS_TRY(prof_push_edge(h, (struct prof_frame_edge){frames[i].cfa, is_closed ? frames[i + 1].ip : 0}));
    }
    return LS_OK;
}

void prof_frame_homes_fini(struct prof_frame_homes *h)
{
    free(h->edges.rows);
    *h = (struct prof_frame_homes){0};
}

ls_err prof_frame_homes_call(struct prof_frame_homes *h, uint64_t slot, uint64_t ip)
{
    const uint64_t cfa = slot + sizeof(uint64_t);
    prof_drop_below(h, cfa);
    /* without any edge above, the caller's frame has no known end */
    return prof_push_edge(h, (struct prof_frame_edge){cfa, h->edges.len > 0 ? ip : 0});
}

void prof_frame_homes_return(struct prof_frame_homes *h, uint64_t slot)
{
    prof_drop_below(h, slot + sizeof(uint64_t));
}

uint64_t prof_frame_homes_find(const struct prof_frame_homes *h, uint64_t addr, uint64_t ip)
{
    size_t from = 0, to = h->edges.len; /* edges before from are above addr */
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (h->edges.rows[middle].cfa > addr)
            from = middle + 1;
        else
            to = middle;
    }
    if (h->edges.len == 0) return 0;
    return from == h->edges.len ? ip : h->edges.rows[from].ip;
}
