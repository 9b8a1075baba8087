/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_faults.h"

#include <stdlib.h>

enum { AN_PAGE_BYTES = 4096 }; /* where the kernel did not tell */

/* Pages seen, as a hash set with open addressing; address 0 stands for an empty slot. */
struct an_page {
    uint64_t page; /* its address + 1 */
    uint32_t process;
};
struct an_pages {
    struct an_page *slots;
    size_t mask;
};

static ls_err an_pages_init(struct an_pages *p, uint64_t len)
{
    size_t room = 64;
    while (room < 2 * len)
        room *= 2;
    p->mask = room - 1;
    p->slots = calloc(room, sizeof(*p->slots));
    return p->slots
               ? LS_OK
               : ls_fail(LS_ERR_NOMEM, "no memory for the pages of %llu faults", (unsigned long long)len);
}

/* False: it was there. */
static bool an_pages_add(struct an_pages *p, uint32_t process, uint64_t page)
{
    uint64_t hash = (page ^ (uint64_t)process << 32) * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t at = hash >> 20 & p->mask;; at = (at + 1) & p->mask) {
        struct an_page *slot = &p->slots[at];
        if (slot->page == page + 1 && slot->process == process) return false;
        if (slot->page != 0) continue;
        *slot = (struct an_page){page + 1, process};
        return true;
    }
}

static uint64_t an_events_of(const struct prof_samples *s, uint64_t i)
{
    return s->events[i] == UINT64_MAX || s->events[i] == 0 ? 1 : s->events[i];
}

static void an_faults_take(struct an_faults *f, const struct prof_samples *s, uint64_t i, uint32_t group,
                           bool is_first)
{
    const uint64_t events = an_events_of(s, i);
    const uint64_t page_bytes = s->page_bytes[i] ? s->page_bytes[i] : AN_PAGE_BYTES;
    struct an_faults_row *row = &f->rows[group];
    f->is_sampled |= events > 1;
    row->faults += events;
    if (s->fault[i] == 1) row->major += events;
    if (!is_first) return;
    row->pages += events;
    row->bytes += events * page_bytes;
}

static void an_faults_roll_up(struct an_faults *f, const uint32_t *parents)
{
    for (uint32_t g = f->rows_len; g-- > 0;) {
        if (parents[g] >= g) continue;
        struct an_faults_row *above = &f->rows[parents[g]];
        above->faults += f->rows[g].faults;
        above->major += f->rows[g].major;
        above->pages += f->rows[g].pages;
        above->bytes += f->rows[g].bytes;
    }
}

ls_err an_faults_init(struct an_faults *out, const struct an_tables *t, const struct prof_samples *s,
                      const uint32_t *group_of_sample, const uint32_t *parents, uint32_t groups_len)
{
    struct an_pages pages;
    *out = (struct an_faults){.rows_len = groups_len,
                              .rows = calloc((size_t)groups_len + 1, sizeof(*out->rows))};
    if (!out->rows) return ls_fail(LS_ERR_NOMEM, "no memory for %u rows", groups_len);
    LS_TRY(an_pages_init(&pages, s->len));
    for (uint64_t i = 0; i < s->len; i++) {
        if (s->fault[i] == UINT8_MAX) continue;
        const uint64_t page_bytes = s->page_bytes[i] ? s->page_bytes[i] : AN_PAGE_BYTES;
        const uint32_t process = an_tables_process(t, s->thread[i]);
        const bool is_first = an_pages_add(&pages, process, s->addr[i] / page_bytes * page_bytes);
        if (group_of_sample[i] < groups_len) an_faults_take(out, s, i, group_of_sample[i], is_first);
    }
    free(pages.slots);
    an_faults_roll_up(out, parents);
    return LS_OK;
}

void an_faults_fini(struct an_faults *f)
{
    free(f->rows);
    f->rows = NULL;
}
