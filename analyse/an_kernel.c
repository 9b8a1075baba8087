/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "analyse/an_kernel.h"
#include "analyse/an_dimension.h"

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

/* Kernel time of one site, from its first row on; false: it does not come and go. */
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
