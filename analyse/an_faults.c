/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_faults.h"

#include "common/ls_index.h"
#include "common/ls_vector.h"

#include <stdlib.h>

enum { AN_PAGE_BYTES = 4096 }; /* where the kernel did not report it */

struct an_page {
    uint64_t page; /* its address */
    uint32_t process;
};

/* A set of pages. */
struct an_pages {
    LS_VECTOR(struct an_page) seen;
    struct ls_index by_page;
};

static ls_err an_pages_add(struct an_pages *p, struct an_page page, bool *is_new)
{
    const uint64_t key = ls_index_key(page.process, page.page);
    uint32_t row;
    *is_new = false;
    for (size_t step = 0; ls_index_next(&p->by_page, key, &step, &row);)
        if (p->seen.rows[row].page == page.page && p->seen.rows[row].process == page.process) return LS_OK;
    *is_new = true;
    LS_TRY(LS_VECTOR_ADD(&p->seen, page));
    return ls_index_put(&p->by_page, key, (uint32_t)p->seen.len - 1);
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

static ls_err an_faults_count(struct an_faults *f, const struct an_tables *t, const struct prof_samples *s,
                              const uint32_t *group_of_sample, struct an_pages *pages)
{
    for (uint64_t i = 0; i < s->len; i++) {
        if (s->fault[i] == UINT8_MAX) continue;
        const uint64_t page_bytes = s->page_bytes[i] ? s->page_bytes[i] : AN_PAGE_BYTES;
        bool is_first;
        LS_TRY(an_pages_add(
            pages, (struct an_page){s->addr[i] / page_bytes * page_bytes, an_tables_process(t, s->thread[i])},
            &is_first));
        if (group_of_sample[i] < f->rows_len) an_faults_take(f, s, i, group_of_sample[i], is_first);
    }
    return LS_OK;
}

ls_err an_faults_init(struct an_faults *out, const struct an_tables *t, const struct prof_samples *s,
                      const uint32_t *group_of_sample, const uint32_t *parents, uint32_t groups_len)
{
    struct an_pages pages = {0};
    *out = (struct an_faults){.rows_len = groups_len,
                              .rows = calloc((size_t)groups_len + 1, sizeof(*out->rows))};
    if (!out->rows) return ls_nomem("%u rows", groups_len);
    const ls_err err = an_faults_count(out, t, s, group_of_sample, &pages);
    free(pages.seen.rows);
    ls_index_fini(&pages.by_page);
    an_faults_roll_up(out, parents);
    return err;
}

void an_faults_fini(struct an_faults *f)
{
    free(f->rows);
    f->rows = NULL;
}
