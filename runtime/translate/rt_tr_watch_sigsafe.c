/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses that a burst lists, and loads that it times. The vector registers keep the program's values while
 * this runs, and nothing here calls libc or touches errno. */
#include "runtime/translate/rt_tr_run.h"

enum {
    GREG_RCX = 1,
    GREG_RSI = 6,
    GREG_RDI = 7,
    LINE_BYTES = 64,
    DIRECTION_FLAG = 0x400,
};

/* Take the entries that slow versions wrote since the last call, up to instruction before of the block. */
static void take_list(struct rt_tr_run *u, const struct rt_tr_block *b, unsigned before)
{
    struct rt_tr_result *r = u->r;
    for (const struct rt_tr_raw *raw = u->t->raw; raw < u->c->list; raw++) {
        const struct rt_tr_site *s = &u->cache->sites[raw->site];
        if (s->k >= before || r->access_count >= u->accesses) continue;
        struct rt_tr_access *a = &r->accesses[r->access_count++];
        a->ip = rt_tr_ip_of(u->cache, b, s->k);
        a->addr = raw->addr;
        a->position = (uint32_t)(u->position + s->k);
        a->size_bytes = s->size_bytes;
        a->lane = 0;
        a->does = s->does;
    }
    u->c->list = u->c->list_end = u->t->raw;
}

static void open_list(struct rt_tr_run *u)
{
    const uint32_t left = u->part == RT_TR_PART_LIST ? u->accesses - u->r->access_count : 0;
    u->c->list = u->t->raw;
    u->c->list_end = u->t->raw + left;
}

/* Instruction k of b is about to access memory in a way that only C computes. */
static void list_accesses(struct rt_tr_run *u, const struct rt_tr_block *b, unsigned k)
{
    if (u->part != RT_TR_PART_LIST) return;
    struct rt_tr_result *r = u->r;
    take_list(u, b, k);
    const uint32_t room = u->accesses - r->access_count;
    if (room && rt_tr_cache_try_lock(u->cache)) {
        rt_tr_put_aside(u);
        struct rt_tr_access *out = &r->accesses[r->access_count];
        const unsigned count = rt_tr_list_accesses(u->t, rt_tr_ip_of(u->cache, b, k), out, room);
        rt_tr_bring_back(u);
        rt_tr_cache_unlock(u->cache);
        for (unsigned i = 0; i < count; i++)
            out[i].position = (uint32_t)(u->position + k);
        r->access_count += count;
    } else if (room) {
        r->unlisted++;
    }
    open_list(u);
}

/* Report the readings of the probes in b; returns their number. */
static void take_probes(struct rt_tr_run *u, const struct rt_tr_block *b)
{
    struct rt_tr_result *r = u->r;
    const unsigned count = (unsigned)(u->c->timed - u->t->timed);
    for (unsigned i = 0; i < count; i++) {
        const struct rt_tr_timed *timed = &u->t->timed[i];
        const struct rt_tr_site *s = &u->cache->sites[u->t->at[i]];
        struct rt_tr_probe *p = &r->probes[r->probe_count++];
        p->ip = rt_tr_ip_of(u->cache, b, s->k);
        p->addr = timed->addr;
        p->position = (uint32_t)u->t->at_position[i];
        p->cycles = timed->cycles;
        p->drain_cycles = timed->drain_cycles;
        p->size_bytes = s->size_bytes;
        p->state = (uint8_t)timed->state;
    }
}

/* The site of the load of instruction k that can be timed, or 0. */
static uint32_t site_of(const struct rt_tr_run *u, const struct rt_tr_block *b, uint64_t k)
{
    for (uint32_t s = b->sites; s < b->sites + b->sites_len; s++)
        if (u->cache->sites[s].k == k && u->cache->sites[s].does & RT_TR_LOAD) return s;
    return 0;
}

/* Plan the loads of b that are timed, out of the positions that look_for_loads drew; returns their number. */
static unsigned plan_probes(struct rt_tr_run *u, const struct rt_tr_block *b)
{
    const uint32_t left = u->probes - u->r->probe_count;
    unsigned count = 0;
    for (unsigned i = 0; i < u->tried && count < left; i++) {
        const uint32_t site = site_of(u, b, u->t->tried[i] - u->position);
        u->t->at[count] = site;
        u->t->at_position[count] = u->t->tried[i];
        count += site > 0;
    }
    u->t->at[count] = 0;
    return count;
}

/* Where the thread left the block early, the next one is the first that it did not reach: to draw it again would spare
 * the code after the block, because the other blocks, which have none, go on with the one that they have. */
void rt_tr_pass(struct rt_tr_run *u, const struct rt_tr_block *b, uint64_t from)
{
    const uint64_t ran = u->position - from, to = from + (ran < b->len ? ran : b->len);
    int64_t next = u->left[b->counter] - (int64_t)(to - from);
    for (unsigned i = u->tried; i-- > 0 && u->t->tried[i] >= to;)
        next = (int64_t)(u->t->tried[i] - to);
    u->left[b->counter] = next;
}

enum rt_tr_look rt_tr_look_for_loads(struct rt_tr_run *u, const struct rt_tr_block *b)
{
    enum rt_tr_look found = RT_TR_LOOK_NONE;
    int64_t k = u->left[b->counter];
    u->tried = 0;
    for (; k < b->len; k += 1 + rt_tr_draw(u)) {
        const bool is_load = b->loads >> k & 1;
        if (!is_load && k < b->sure) continue;
        u->t->tried[u->tried++] = u->position + (uint64_t)k;
        if (found != RT_TR_LOOK_LOAD) found = is_load ? RT_TR_LOOK_LOAD : RT_TR_LOOK_LEAVES;
    }
    u->left[b->counter] = k;
    return u->tried > 1 ? RT_TR_LOOK_LOAD : found;
}

void rt_tr_run_slow(struct rt_tr_run *u, struct rt_tr_block *b)
{
    struct rt_tr_context *c = u->c;
    const unsigned planned = u->part == RT_TR_PART_PROBE ? plan_probes(u, b) : 0;
    c->at = planned ? u->t->at[0] : 0;
    c->at_next = u->t->at + 1;
    c->timed = u->t->timed;
    open_list(u);
    const uint64_t from = u->position;
    uint64_t code = b->slow;
    for (;;) {
        rt_tr_enter(c, code);
        const struct rt_tr_exit *x = c->exit != RT_TR_EXIT_FAULT ? &u->cache->exits[c->exit] : NULL;
        if (!x || x->kind != RT_TR_EXIT_LIST) break;
        list_accesses(u, b, x->k);
        code = x->target;
        u->r->dispatches++;
    }
    c->at = 0;
    take_list(u, b, c->exit == RT_TR_EXIT_FAULT ? u->t->fault_k : RT_TR_BLOCK_MOST);
    take_probes(u, b);
    rt_tr_arrive(u);
    if (u->part == RT_TR_PART_PROBE) rt_tr_pass(u, b, from);
}

/* Bytes that the repeated instruction b goes through. */
static uint64_t repeated_bytes(const struct rt_tr_run *u, const struct rt_tr_block *b)
{
    const uint64_t count = u->c->gregs[GREG_RCX], most = UINT64_C(1) << 40;
    return (count < most ? count : most) << b->elem_log2;
}

/* Add line number `done` of b to the list, at the next position. */
static void list_line(struct rt_tr_run *u, const struct rt_tr_block *b, uint64_t bytes, uint64_t done)
{
    static const struct {
        uint8_t does, greg;
    } sides[] = {{RT_TR_LOAD, GREG_RSI}, {RT_TR_STORE, GREG_RDI}};
    struct rt_tr_result *r = u->r;
    const uint64_t begin = done * LINE_BYTES;
    const uint64_t len_bytes = bytes - begin < LINE_BYTES ? bytes - begin : LINE_BYTES;
    const uint64_t elem_bytes = UINT64_C(1) << b->elem_log2;
    const bool is_down = u->c->eflags & DIRECTION_FLAG;
    for (unsigned i = 0; i < 2 && r->access_count < u->accesses; i++) {
        if (!(b->repeats & sides[i].does)) continue;
        struct rt_tr_access *a = &r->accesses[r->access_count++];
        a->ip = rt_tr_ip_of(u->cache, b, 0);
        a->addr = u->c->gregs[sides[i].greg] + (is_down ? elem_bytes - begin - len_bytes : begin);
        a->position = (uint32_t)u->position;
        a->size_bytes = (uint16_t)len_bytes;
        a->lane = 0;
        a->does = sides[i].does;
    }
}

uint64_t rt_tr_walk_lines(struct rt_tr_run *u, const struct rt_tr_block *b)
{
    const uint64_t bytes = repeated_bytes(u, b), lines = (bytes + LINE_BYTES - 1) / LINE_BYTES;
    if (u->position == 0 && lines > 0) rt_tr_begin_list(u);
    for (uint64_t done = 0; done < lines;) {
        rt_tr_advance(u, b);
        u->due = false;
        if (u->part == RT_TR_PART_LATE) rt_tr_settle(u, u->reason);
        if (u->part == RT_TR_PART_SETTLE) return lines;
        if (u->part == RT_TR_PART_PACE) {
            u->part = RT_TR_PART_WARM_REST;
            u->no_pace = true;
            u->event = u->position + u->plan->pace_instructions;
        }
        uint64_t step = lines - done;
        if (u->part == RT_TR_PART_LIST) {
            list_line(u, b, bytes, done);
            step = 1;
        } else if (u->part != RT_TR_PART_PROBE && u->event - u->position < step) {
            step = u->event - u->position;
        }
        done += step;
        u->position += step;
        u->lines += step;
    }
    return lines;
}
