/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_trace_guess.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static ls_err no_memory(void)
{
    return ls_nomem("what the threads of a trace did before");
}

ls_err pat_guess_switch(struct pat_guess *g, uint32_t thread)
{
    if (thread >= g->threads_len) {
        const size_t len = (size_t)thread + 1 + thread / 2;
        struct pat_guess_thread *grown = realloc(g->threads, len * sizeof(*grown));
        if (!grown) return no_memory();
        memset(grown + g->threads_len, 0, (len - g->threads_len) * sizeof(*grown));
        g->threads = grown;
        g->threads_len = len;
    }
    g->thread = &g->threads[thread];
    g->thread_row = thread;
    return LS_OK;
}

static bool grow_pages(struct pat_guess_thread *t, size_t page)
{
    const size_t len = page + 1 + page / 2;
    struct pat_track **grown = realloc(t->pages, len * sizeof(struct pat_track *));
    if (!grown) return false;
    memset(grown + t->pages_len, 0, (len - t->pages_len) * sizeof(struct pat_track *));
    t->pages = grown;
    t->pages_len = len;
    return true;
}

struct pat_track *pat_guess_track_new(struct pat_guess_thread *t, uint32_t site)
{
    const size_t page = site >> PAT_GUESS_PAGE_BITS;
    if (page >= t->pages_len && !grow_pages(t, page)) return NULL;
    if (!t->pages[page]) t->pages[page] = calloc(PAT_GUESS_PAGE, sizeof(struct pat_track));
    return t->pages[page] ? &t->pages[page][site & (PAT_GUESS_PAGE - 1)] : NULL;
}

void pat_guess_fini(struct pat_guess *g)
{
    for (size_t i = 0; i < g->threads_len; i++) {
        for (size_t page = 0; page < g->threads[i].pages_len; page++)
            free(g->threads[i].pages[page]);
        free(g->threads[i].pages);
    }
    free(g->threads);
    memset(g, 0, sizeof(*g));
}
