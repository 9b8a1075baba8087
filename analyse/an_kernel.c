/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "analyse/an_kernel.h"

#include "analyse/an_dimension.h"
#include "common/ls_index.h"
#include "common/ls_vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct an_dimension *an_named(const char *name)
{
    return an_dimension_named(name, strlen(name));
}

struct an_kernel_order {
    const struct an_tables *tables;
    const struct an_dimension *code; /* function or line */
};

static int an_compare_code(const struct an_kernel_order *o, uint32_t a, uint32_t b)
{
    if (a == AN_NO_KEY || b == AN_NO_KEY) return (a > b) - (a < b);
    return o->code->compare(o->tables, a, b);
}

static int an_compare_kernel(const void *a, const void *b, void *user)
{
    const struct an_kernel_row *x = a, *y = b;
    if (x->cause != y->cause) return x->cause < y->cause ? -1 : 1;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    return an_compare_code(user, x->line, y->line);
}

static int an_compare_cost(const void *a, const void *b)
{
    const struct an_kernel_row *x = a, *y = b;
    if (x->time_ns != y->time_ns) return x->time_ns < y->time_ns ? 1 : -1;
    return (x->cause > y->cause) - (x->cause < y->cause);
}

static bool an_is_below(const struct an_tables *t, uint32_t node, uint32_t above)
{
    const struct an_dimension *tree = an_named("block");
    for (uint32_t n = node; n < t->nodes_len; n = tree->parent(t, n))
        if (n == above) return true;
    return false;
}

/* The row as it is grouped. */
static struct an_kernel_row an_kernel_row_of(const struct an_kernel_input *in, const struct prof_kernel *k)
{
    const struct an_tables *t = in->tables;
    const bool by_data = in->by == AN_KERNEL_BY_DATA;
    struct an_kernel_row row = {.cause = k->cause,
                                .node = AN_NO_KEY,
                                .line = k->line < t->lines_len ? k->line : AN_NO_KEY,
                                .calls = k->calls == UINT64_MAX ? 0 : k->calls,
                                .bytes = k->bytes == UINT64_MAX ? 0 : k->bytes,
                                .time_ns = k->time_ns > 0 ? k->time_ns : 0,
                                .error_ns = k->error_ns > 0 ? k->error_ns : 0};
    if (k->node < t->nodes_len) row.node = an_named("object")->key_of_row(t, k->node);
    if (by_data && row.node != AN_NO_KEY) row.line = AN_NO_KEY;
    if (in->by == AN_KERNEL_BY_FUNCTION && row.line != AN_NO_KEY) row.node = AN_NO_KEY;
    return row;
}

static void an_kernel_merge(struct an_kernel *k, struct an_kernel_order *order)
{
    size_t kept = 0;
    qsort_r(k->rows, k->len, sizeof(*k->rows), an_compare_kernel, order);
    for (size_t i = 0; i < k->len; i++) {
        struct an_kernel_row *last = kept ? &k->rows[kept - 1] : NULL;
        if (!last || an_compare_kernel(last, &k->rows[i], order) != 0) {
            k->rows[kept++] = k->rows[i];
            continue;
        }
        last->calls += k->rows[i].calls;
        last->bytes += k->rows[i].bytes;
        last->time_ns += k->rows[i].time_ns;
        last->error_ns = hypot(last->error_ns, k->rows[i].error_ns);
    }
    k->len = kept;
    qsort(k->rows, k->len, sizeof(*k->rows), an_compare_cost);
}

ls_err an_kernel_init(struct an_kernel *out, const struct an_kernel_input *in)
{
    struct an_kernel_order order = {in->tables,
                                    an_named(in->by == AN_KERNEL_BY_FUNCTION ? "function" : "line")};
    *out = (struct an_kernel){.rows = calloc(in->len + 1, sizeof(*out->rows))};
    if (!out->rows) return ls_nomem("%zu rows of kernel time", in->len);
    for (size_t i = 0; i < in->len; i++) {
        if (in->below && !an_is_below(in->tables, in->rows[i].node, in->below)) continue;
        out->rows[out->len++] = an_kernel_row_of(in, &in->rows[i]);
    }
    an_kernel_merge(out, &order);
    return LS_OK;
}

void an_kernel_fini(struct an_kernel *k)
{
    free(k->rows);
    *k = (struct an_kernel){0};
}

static bool an_is_fault(uint32_t cause)
{
    return cause == PROF_KERNEL_FAULT || cause == PROF_KERNEL_HUGE_FAULT;
}

/* Sum the kernel time of one site, from its first row on; false: its blocks are not mapped and unmapped
 * repeatedly. */
static bool an_churn_of(const struct an_kernel *k, uint32_t node, struct an_churn *out)
{
    double faults_ns = 0;
    *out = (struct an_churn){.node = node};
    for (size_t i = 0; i < k->len; i++) {
        const struct an_kernel_row *r = &k->rows[i];
        if (r->node != node) continue;
        const bool is_unmap = r->cause == PROF_KERNEL_UNMAP || r->cause == PROF_KERNEL_BREAK;
        if (!is_unmap && !an_is_fault(r->cause) && r->cause != PROF_KERNEL_MAP) continue;
        out->time_ns += r->time_ns;
        out->error_ns = hypot(out->error_ns, r->error_ns);
        if (an_is_fault(r->cause)) faults_ns += r->time_ns;
        if (!is_unmap) continue;
        out->unmaps += r->calls;
        out->bytes += r->bytes;
    }
    return faults_ns > 0 && out->unmaps >= AN_CHURN_UNMAPS && out->time_ns > out->error_ns;
}

static int an_compare_churn(const void *a, const void *b)
{
    const struct an_churn *x = a, *y = b;
    return (x->time_ns < y->time_ns) - (x->time_ns > y->time_ns);
}

size_t an_kernel_churn(const struct an_kernel *k, const struct an_tables *t, double cpu_ns,
                       struct an_churn *out, size_t room)
{
    size_t len = 0;
    for (size_t i = 0; i < k->len && len < room; i++) { /* the costliest first */
        const uint32_t node = k->rows[i].node;
        bool is_known = node >= t->nodes_len || t->nodes[node].kind != PROF_NODE_SITE;
        for (size_t j = 0; j < len; j++)
            is_known |= out[j].node == node;
        if (is_known || !an_churn_of(k, node, &out[len])) continue;
        if (out[len].time_ns >= AN_CHURN_SHARE * cpu_ns) len++;
    }
    if (len) qsort(out, len, sizeof(*out), an_compare_churn);
    return len;
}

/* --- page faults --- */

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
