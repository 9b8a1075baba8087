/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_h5/prof_cost.h"

#include "common/ls_vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WALKS_MOST = 64, /* walks in a burst */
    NEIGHBOURS = 16, /* bursts of the thread, to both sides: a sweep may take a tenth of a second */
    AT_ONCE = 32,    /* bursts of all threads, to both sides */
    SET_SLOTS = 2 * PROF_COST_LISTED_MOST,
};

/* One instruction on one piece of data, in one burst. */
struct prof_walk {
    uint64_t ip, low, high; /* lines that it touched in the burst */
    uint64_t last, up, down;
    uint32_t node;
    uint32_t accesses;      /* after the first one, without gaps */
    uint32_t lines;         /* new ones among them */
    uint32_t dirtied;       /* lines among them that became dirty */
    double density;         /* density of its lines between low and high */
    double footprint, rate; /* lines; new lines an instruction */
    double access_cycles;   /* waiting of an access */
};

struct prof_walks_burst {
    uint64_t first_sample, time_ns, listed; /* listed: accesses without gaps */
    double weight_ns, instructions;         /* instructions that these go over */
    size_t walks;
    uint32_t thread, walks_len;
    double running; /* threads at that time */
};

/* Open addressing; 0 is no line, since the program has no page there. */
struct prof_lines {
    uint64_t slots[SET_SLOTS];
};

/* Return whether the line was not there yet. */
static bool prof_lines_add(struct prof_lines *set, uint64_t line)
{
    size_t at = line * UINT64_C(0x9e3779b97f4a7c15) >> 54 & (SET_SLOTS - 1);
    while (set->slots[at] && set->slots[at] != line)
        at = (at + 1) & (SET_SLOTS - 1);
    const bool is_new = !set->slots[at];
    set->slots[at] = line;
    return is_new;
}

static struct prof_walk *prof_find_walk(struct prof_walk *walks, size_t len, uint64_t ip, uint32_t node)
{
    for (size_t i = 0; i < len; i++)
        if (walks[i].ip == ip && walks[i].node == node) return &walks[i];
    return NULL;
}

static void prof_walk_to(struct prof_walk *w, uint64_t line)
{
    if (line > w->last) w->up += line - w->last;
    if (line < w->last) w->down += w->last - line;
    w->last = line;
    if (line < w->low) w->low = line;
    if (line > w->high) w->high = line;
}

/* Walk both ways over half of the range: the lines come back within the burst. */
static bool prof_walk_returns(const struct prof_walk *w)
{
    const uint64_t half = (w->high - w->low + 1) / 2;
    return w->up && w->down && w->up >= half && w->down >= half;
}

struct prof_lists {
    struct prof_lines touched, dirty;
    struct prof_walk walks[WALKS_MOST];
    uint32_t walks_len;
};

static void prof_list_access(struct prof_lists *l, const struct prof_cost_samples *s, uint64_t i)
{
    enum { OP_STORE = 1 };
    const uint64_t line = s->addr[i] / PROF_COST_LINE_BYTES;
    struct prof_walk *w = prof_find_walk(l->walks, l->walks_len, s->ip[i], s->node[i]);
    const bool is_new = prof_lines_add(&l->touched, line);
    const bool is_dirtied = s->op[i] == OP_STORE && prof_lines_add(&l->dirty, line);
    if (!w && l->walks_len < WALKS_MOST) {
        l->walks[l->walks_len++] =
            (struct prof_walk){.ip = s->ip[i], .node = s->node[i], .low = line, .high = line, .last = line};
    } else if (w) {
        prof_walk_to(w, line);
        w->accesses++;
        w->lines += is_new;
        w->dirtied += is_dirtied;
    }
}

/* --- latencies of one instruction on one node --- */

/* Timed loads, and how far they are beyond L1: all of them, and those alone that are. */
struct prof_pair {
    uint64_t ip;
    uint32_t node;
    uint32_t loads; /* 0: an empty slot */
    double signed_cycles, beyond_cycles;
};

static struct prof_pair *prof_pair_at(struct prof_pair *pairs, size_t room, uint64_t ip, uint32_t node)
{
    size_t at = ((ip ^ (uint64_t)node << 40) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (room - 1);
    while (pairs[at].loads && (pairs[at].ip != ip || pairs[at].node != node))
        at = (at + 1) & (room - 1);
    return &pairs[at];
}

static ls_err prof_pairs_grow(struct prof_cost_walks *w)
{
    const size_t room = w->pairs_room ? 2 * w->pairs_room : 1024;
    struct prof_pair *pairs = calloc(room, sizeof(*pairs));
    if (!pairs) return ls_nomem("the latencies of %zu instructions", room);
    for (size_t i = 0; i < w->pairs_room; i++)
        if (w->pairs[i].loads) *prof_pair_at(pairs, room, w->pairs[i].ip, w->pairs[i].node) = w->pairs[i];
    free(w->pairs);
    w->pairs = pairs;
    w->pairs_room = room;
    return LS_OK;
}

static ls_err prof_pairs_add(struct prof_cost_walks *w, const struct prof_cost_model *m,
                             const struct prof_cost_samples *s, uint64_t i)
{
    if (2 * w->pairs_len >= w->pairs_room) LS_TRY(prof_pairs_grow(w));
    struct prof_pair *p = prof_pair_at(w->pairs, w->pairs_room, s->ip[i], s->node[i]);
    w->pairs_len += p->loads == 0;
    p->ip = s->ip[i];
    p->node = s->node[i];
    p->loads++;
    p->signed_cycles += prof_cost_latency_cycles(m, s, i) - m->l1_cycles;
    p->beyond_cycles += prof_cost_beyond_cycles(m, s, i);
    return LS_OK;
}

double prof_cost_counted(const struct prof_cost_walks *w, const struct prof_cost_samples *s, uint64_t i)
{
    if (!w->pairs_room) return -1;
    const struct prof_pair *p = prof_pair_at(w->pairs, w->pairs_room, s->ip[i], s->node[i]);
    if (p->loads < PROF_COST_PAIR_LOADS) return -1;
    const bool is_beyond = p->signed_cycles >= PROF_COST_PAIR_CYCLES * p->loads && p->beyond_cycles > 0;
    return is_beyond ? fmin(1, p->signed_cycles / p->beyond_cycles) : 0;
}

/* --- bursts --- */

/* The last access takes as many instructions as the others on average. */
double prof_cost_listed_instructions(const struct prof_cost_samples *s, uint64_t listed)
{
    const double between = (double)s->position[listed - 1] - s->position[0];
    return fmax(1, between * (double)listed / (double)(listed - 1));
}

ls_err prof_cost_walks_add(struct prof_cost_walks *w, const struct prof_cost_model *m,
                           const struct prof_burst *b, const struct prof_cost_samples *s)
{
    static const struct prof_lists none;
    if (!b->probe_loads || s->len == 0) return LS_OK;
    for (uint64_t i = 0; i < s->len; i++)
        if (prof_cost_is_measured(s, i)) LS_TRY(prof_pairs_add(w, m, s, i));
    const uint64_t listed = prof_cost_listed(s, 0, s->len);
    struct prof_lists l = none;
    if (listed < 2) return LS_OK;
    for (uint64_t i = 0; i < listed; i++)
        prof_list_access(&l, s, i);
    for (uint32_t k = 0; k < l.walks_len; k++) {
        struct prof_walk *walk = &l.walks[k];
        walk->density = fmin(1, (walk->lines + 1.0) / (double)(walk->high - walk->low + 1));
    }
    for (uint64_t i = listed; i < s->len; i++) {
        struct prof_walk *walk = prof_find_walk(l.walks, l.walks_len, s->ip[i], s->node[i]);
        if (walk) prof_walk_to(walk, s->addr[i] / PROF_COST_LINE_BYTES);
    }
    const struct prof_walks_burst row = {.first_sample = b->first_sample,
                                         .time_ns = b->time_ns,
                                         .weight_ns = b->weight_ns == UINT64_MAX ? 0 : (double)b->weight_ns,
                                         .listed = listed,
                                         .instructions = prof_cost_listed_instructions(s, listed),
                                         .walks = w->walks_len,
                                         .thread = b->thread,
                                         .walks_len = l.walks_len};
    LS_TRY(LS_GROW(w->walks, w->walks_room, w->walks_len + l.walks_len));
    memcpy(&w->walks[w->walks_len], l.walks, l.walks_len * sizeof(l.walks[0]));
    w->walks_len += l.walks_len;
    LS_TRY(LS_GROW(w->bursts, w->bursts_room, w->bursts_len + 1));
    w->bursts[w->bursts_len++] = row;
    return LS_OK;
}

static int prof_by_time(const void *a, const void *b)
{
    const struct prof_walks_burst *x = a, *y = b;
    return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

static int prof_by_thread(const void *a, const void *b)
{
    const struct prof_walks_burst *x = a, *y = b;
    return x->thread != y->thread ? (x->thread > y->thread) - (x->thread < y->thread) : prof_by_time(a, b);
}

static int prof_by_sample(const void *a, const void *b)
{
    const struct prof_walks_burst *x = a, *y = b;
    return (x->first_sample > y->first_sample) - (x->first_sample < y->first_sample);
}

/* CPU time that bursts around it represent, over the wall time that they span. */
static void prof_count_running(struct prof_cost_walks *w)
{
    qsort(w->bursts, w->bursts_len, sizeof(*w->bursts), prof_by_time);
    for (size_t i = 0; i < w->bursts_len; i++) {
        const size_t begin = i > AT_ONCE ? i - AT_ONCE : 0;
        const size_t end = i + AT_ONCE < w->bursts_len ? i + AT_ONCE : w->bursts_len - 1;
        double sum_ns = 0;
        for (size_t k = begin; k < end; k++)
            sum_ns += w->bursts[k].weight_ns;
        const double wall_ns = (double)(w->bursts[end].time_ns - w->bursts[begin].time_ns);
        w->bursts[i].running = wall_ns > 0 ? fmax(1, sum_ns / wall_ns) : 1;
    }
}

/* Lines that the walk of burst at goes through before it comes back: its own ones where it returns within the burst,
 * else all that the instruction touched in bursts before and after. */
static double prof_footprint(const struct prof_cost_walks *w, size_t at, const struct prof_walk *walk)
{
    uint64_t low = walk->low, high = walk->high;
    const size_t begin = at > NEIGHBOURS ? at - NEIGHBOURS : 0;
    for (size_t i = begin; !prof_walk_returns(walk) && i < w->bursts_len && i <= at + NEIGHBOURS; i++) {
        const struct prof_walks_burst *b = &w->bursts[i];
        if (b->thread != w->bursts[at].thread) continue;
        const struct prof_walk *other =
            prof_find_walk(&w->walks[b->walks], b->walks_len, walk->ip, walk->node);
        if (other && other->low < low) low = other->low;
        if (other && other->high > high) high = other->high;
    }
    return (double)(high - low + 1) * walk->density;
}

enum prof_level prof_cost_level_of_lines(const struct prof_cost_model *m, double lines)
{
    int level = PROF_LEVEL_L1;
    while (level < PROF_LEVEL_DRAM && lines * PROF_COST_LINE_BYTES > m->level_bytes[level])
        level++;
    return (enum prof_level)level;
}

static double prof_line_cycles(const struct prof_cost_model *m, enum prof_level level, double running)
{
    if (level == PROF_LEVEL_L1) return 0;
    const double each = level == PROF_LEVEL_DRAM ? m->line_cycles_each * running : PROF_COST_LINE_LEAST;
    return fmax(m->line_cycles[level], each);
}

/* A line comes back after a sweep of its walk. All lines that others touch meanwhile are between. */
static void prof_judge_burst(const struct prof_cost_model *m, const struct prof_walks_burst *b,
                             struct prof_walk *walks)
{
    for (uint32_t p = 0; p < b->walks_len; p++) {
        if (walks[p].lines == 0) continue;
        const double sweep = walks[p].footprint / walks[p].rate; /* in instructions */
        double lines = 0;
        for (uint32_t q = 0; q < b->walks_len; q++)
            lines += fmin(walks[q].footprint, walks[q].rate * sweep);
        const enum prof_level level = prof_cost_level_of_lines(m, lines);
        /* the first access, whose line may have been touched just before, is like the others */
        const double moves = ((double)walks[p].lines + walks[p].dirtied) / walks[p].accesses;
        walks[p].access_cycles = moves * prof_line_cycles(m, level, b->running);
    }
}

void prof_cost_model_walks(struct prof_cost_model *m, struct prof_cost_walks *w)
{
    if (!(m->line_cycles[PROF_LEVEL_DRAM] > 0) || !w->bursts_len) return;
    m->walks = w;
    m->is_timed = true;
    prof_count_running(w);
    qsort(w->bursts, w->bursts_len, sizeof(*w->bursts), prof_by_thread);
    for (size_t i = 0; i < w->bursts_len; i++) {
        struct prof_walks_burst *b = &w->bursts[i];
        struct prof_walk *walks = &w->walks[b->walks];
        for (uint32_t p = 0; p < b->walks_len; p++) {
            walks[p].footprint = prof_footprint(w, i, &walks[p]);
            walks[p].rate = walks[p].lines / b->instructions;
        }
        prof_judge_burst(m, b, walks);
    }
    qsort(w->bursts, w->bursts_len, sizeof(*w->bursts), prof_by_sample);
}

const struct prof_walks_burst *prof_cost_walks_of(const struct prof_cost_walks *w, const struct prof_burst *b)
{
    const struct prof_walks_burst key = {.first_sample = b->first_sample};
    if (!w || !w->bursts_len || !b->probe_loads || !b->samples_len) return NULL;
    return bsearch(&key, w->bursts, w->bursts_len, sizeof(key), prof_by_sample);
}

double prof_cost_transfer_cycles(const struct prof_cost_walks *w, const struct prof_walks_burst *b,
                                 const struct prof_cost_samples *s, uint64_t i)
{
    const struct prof_walk *walk = prof_find_walk(&w->walks[b->walks], b->walks_len, s->ip[i], s->node[i]);
    return walk ? walk->access_cycles : 0;
}

uint64_t prof_cost_walks_listed(const struct prof_walks_burst *b)
{
    return b->listed;
}

double prof_cost_walks_instructions(const struct prof_walks_burst *b)
{
    return b->instructions;
}

void prof_cost_walks_fini(struct prof_cost_walks *w)
{
    free(w->walks);
    free(w->bursts);
    free(w->pairs);
    *w = (struct prof_cost_walks){0};
}
