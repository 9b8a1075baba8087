/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_run_ranges.h"
#include "common/ls_hash.h"
#include "common/ls_vector.h"
#include "patterns/source/pat_tables.h"

#include <stdlib.h>
#include <string.h>

/* The addresses at which the samples of a process hit a node. */
struct shown {
    uint64_t low, high; /* bounds of the addresses, high exclusive; low > high: none */
    uint64_t base;      /* lowest start that elements give, UINT64_MAX: none */
    bool is_hit;
};

/* --- homes --- */

static uint8_t home_kind(uint32_t kind)
{
    static const uint8_t kinds[PROF_NODE_KIND_COUNT] = {
        [PROF_NODE_RANGE] = PAT_HOME_REGISTERED, [PROF_NODE_STATIC] = PAT_HOME_GLOBAL,
        [PROF_NODE_SYMBOL] = PAT_HOME_GLOBAL,    [PROF_NODE_SECTION] = PAT_HOME_GLOBAL,
        [PROF_NODE_TLS] = PAT_HOME_GLOBAL,       [PROF_NODE_CODE] = PAT_HOME_GLOBAL,
        [PROF_NODE_HEAP] = PAT_HOME_HEAP,        [PROF_NODE_HEAP_SMALL] = PAT_HOME_HEAP,
        [PROF_NODE_SITE] = PAT_HOME_HEAP,        [PROF_NODE_BLOCK] = PAT_HOME_HEAP,
        [PROF_NODE_STACK] = PAT_HOME_STACK,      [PROF_NODE_FRAME] = PAT_HOME_STACK};
    return kind < PROF_NODE_KIND_COUNT && kinds[kind] ? kinds[kind] : PAT_HOME_OTHER;
}

/* Return the node whose home node belongs to: for a block its allocation site. */
static uint32_t home_node(const struct pat_run_part *p, uint32_t node)
{
    const struct prof_node *n = &p->nodes[node];
    const bool is_block = n->kind == PROF_NODE_BLOCK && n->parent < p->nodes_len;
    return is_block && p->nodes[n->parent].kind == PROF_NODE_SITE ? n->parent : node;
}

/* Find or add the home of a node. Nodes with the same label, kind and parent share one. */
static ls_err home_of(struct pat_run_ranges *r, const struct pat_run_part *p, uint32_t node,
                      struct pat_collect *c, uint32_t *out)
{
    const struct prof_node *n = &p->nodes[home_node(p, node)];
    uint32_t *row;
    LS_TRY(pat_intern(&r->homes, (uint64_t)n->parent << 32 | n->kind, ls_hash_text(LS_HASH_BEGIN, n->label),
                      &row));
    if (*row == PAT_NONE) {
        const struct pat_home home = {
            .label = (char *)n->label, .kind = home_kind(n->kind), .elem_size_bytes = n->elem_size_bytes};
        LS_TRY(pat_tables_add_home(&c->tables, &home, row));
    }
    *out = *row;
    return LS_OK;
}

/* --- addresses seen in samples --- */

static void show(struct shown *s, uint64_t addr, uint64_t len_bytes)
{
    const uint64_t end = addr + (len_bytes ? len_bytes : 1);
    if (end < addr) return;
    if (addr < s->low) s->low = addr;
    if (end > s->high) s->high = end;
}

/* Extend node and all its parents: an area includes the data inside it. */
static void show_around(const struct pat_run_part *p, struct shown *all, uint32_t node, uint64_t addr,
                        uint64_t len_bytes)
{
    for (uint32_t at = node, before = UINT32_MAX; at < before && at < p->nodes_len; /* upwards only */) {
        show(&all[at], addr, len_bytes);
        before = at;
        at = p->nodes[at].parent;
    }
}

static void show_sample(const struct pat_run_part *p, struct shown *all, uint64_t i)
{
    const struct prof_samples *s = p->samples;
    const uint32_t node = s->node[i];
    if (node >= p->nodes_len || s->addr[i] == UINT64_MAX) return;
    all[node].is_hit = true;
    const uint64_t elem = p->nodes[node].elem_size_bytes, element = s->element[i];
    uint64_t offset;
    if (elem && element != UINT64_MAX && !__builtin_mul_overflow(elem, element, &offset) &&
        offset <= s->addr[i] && s->addr[i] - offset < all[node].base)
        all[node].base = s->addr[i] - offset;
    show_around(p, all, node, s->addr[i], s->size[i]);
}

static bool is_burst_inside(const struct pat_run_part *p, const struct prof_burst *b)
{
    return b->first_sample <= p->samples->len && b->samples_len <= p->samples->len - b->first_sample;
}

static void show_all(const struct pat_run_part *p, struct shown *all)
{
    for (size_t i = 0; i < p->nodes_len; i++)
        all[i] = (struct shown){.low = UINT64_MAX, .base = UINT64_MAX};
    for (size_t i = 0; i < p->order_len; i++) {
        const struct prof_burst *b = &p->bursts[p->order[i]];
        for (uint64_t j = 0; is_burst_inside(p, b) && j < b->samples_len; j++)
            show_sample(p, all, b->first_sample + j);
    }
}

/* --- ranges --- */

/* Extend areas that hold many objects to their samples, including the samples of the objects. */
static bool is_area(uint32_t kind)
{
    return kind == PROF_NODE_STACK || kind == PROF_NODE_STATIC || kind == PROF_NODE_CODE ||
           kind == PROF_NODE_FILE;
}

/* Set the range of a node in this process; false: unknown. */
static bool set_range(const struct prof_node *n, const struct shown *s, struct pat_run_range *out)
{
    *out = (struct pat_run_range){.node = n->id, .born_ns = n->born_ns, .died_ns = n->died_ns};
    out->is_reported = n->base < n->end;
    if (out->is_reported) {
        out->start = n->base;
        out->end = n->end;
        return s->is_hit;
    }
    out->born_ns = 0;
    out->died_ns = UINT64_MAX;
    out->end = s->high;
    out->start = is_area(n->kind) ? s->low : s->base;
    if (n->kind == PROF_NODE_SYMBOL) return s->is_hit && s->base != UINT64_MAX;
    return is_area(n->kind) && s->low < s->high;
}

/* True for equal ranges, too: then the better-known one represents both. */
static bool are_crossing(const struct pat_run_range *a, const struct pat_run_range *b)
{
    if (a->end <= b->start || b->end <= a->start) return false;
    if (a->start == b->start && a->end == b->end) return true;
    const bool a_holds_b = a->start <= b->start && b->end <= a->end;
    const bool b_holds_a = b->start <= a->start && a->end <= b->end;
    return !a_holds_b && !b_holds_a;
}

/* Drop ranges derived from samples that cross one given by a node, or an earlier derived one. */
static void drop_crossing(struct pat_run_ranges *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->len; i++) {
        bool is_wrong = false;
        for (size_t j = 0; j < r->len && !r->rows[i].is_reported && !is_wrong; j++)
            is_wrong =
                j != i && (r->rows[j].is_reported || j < kept) && are_crossing(&r->rows[i], &r->rows[j]);
        if (!is_wrong) r->rows[kept++] = r->rows[i];
    }
    r->len = kept;
}

static int by_birth(const void *a, const void *b)
{
    const struct pat_run_range *x = a, *y = b;
    if (x->born_ns != y->born_ns) return x->born_ns < y->born_ns ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static ls_err collect_ranges(struct pat_run_ranges *r, const struct pat_run_part *p, struct shown *all)
{
    r->len = r->born = 0;
    for (uint32_t i = (uint32_t)p->nodes_len; i-- > 0;) { /* children before their areas */
        struct pat_run_range range;
        if (!set_range(&p->nodes[i], &all[i], &range)) continue;
        show_around(p, all, i, range.start, range.end - range.start);
        LS_TRY(LS_VECTOR_ROOM(r));
        range.node = i;
        r->rows[r->len++] = range;
    }
    drop_crossing(r);
    if (r->len) qsort(r->rows, r->len, sizeof(*r->rows), by_birth);
    return LS_OK;
}

static ls_err name_ranges(struct pat_run_ranges *r, const struct pat_run_part *p, struct pat_collect *c)
{
    for (size_t i = 0; i < r->len; i++) {
        struct pat_run_range *x = &r->rows[i];
        struct pat_range range = {.start = x->start, .end = x->end};
        LS_TRY(home_of(r, p, x->node, c, &range.home));
        LS_TRY(pat_tables_add_range(&c->tables, &range, &x->row));
    }
    return LS_OK;
}

ls_err pat_run_ranges_of(struct pat_run_ranges *r, const struct pat_run_part *part, struct pat_collect *c)
{
    struct shown *all = malloc((part->nodes_len + 1) * sizeof(*all));
    if (!all) return ls_nomem("the nodes of a profile");
    show_all(part, all);
    ls_err err = collect_ranges(r, part, all);
    free(all);
    return err == LS_OK ? name_ranges(r, part, c) : err;
}

static ls_err pass_event(struct pat_collect *c, struct pat_run_range *x, enum pat_event_kind kind)
{
    x->is_living = kind == PAT_EVENT_RANGE_BORN;
    return pat_collect_event(c,
                             &(struct pat_event){.kind = (uint8_t)kind, .thread = PAT_NONE, .what = x->row});
}

ls_err pat_run_ranges_events(struct pat_run_ranges *r, uint64_t born_ns, uint64_t died_ns,
                             struct pat_collect *c)
{
    /* deaths first, because the memory may have been allocated again */
    for (size_t i = 0; i < r->born; i++)
        if (r->rows[i].is_living && r->rows[i].died_ns <= died_ns)
            LS_TRY(pass_event(c, &r->rows[i], PAT_EVENT_RANGE_DIED));
    for (; r->born < r->len && r->rows[r->born].born_ns <= born_ns; r->born++)
        if (r->rows[r->born].died_ns > died_ns)
            LS_TRY(pass_event(c, &r->rows[r->born], PAT_EVENT_RANGE_BORN));
    return LS_OK;
}

void pat_run_ranges_fini(struct pat_run_ranges *r)
{
    free(r->rows);
    pat_intern_fini(&r->homes);
    memset(r, 0, sizeof(*r));
}
