/* SPDX-License-Identifier: BSD-3-Clause */
/* Translation of a block into machine code.
 *
 * The fast version: a check of the counter of instructions, then verbatim copies. Direct branches go to a
 * stub until they are linked; one out of the middle of the block first returns the instructions that the
 * check counted but that did not run. The slow version: no check, each memory operand goes through the
 * routine of the template, and each branch out leaves to the dispatcher. Calls push the original return
 * address. Each change to the program's registers and flags is undone at once. */
#include "runtime/translate/rt_tr_emit.h"

enum { STUBS_MOST = 4 * RT_TR_BLOCK_MOST };
/* Operations that the translation adds: a check of the counter, one that may change the flags, the return of instructions
 * to the counter, a jump, a jump by the quick table with the arrival. */
enum { ADDED_CHECK = 9, ADDED_SHORT_CHECK = 3, ADDED_GIVE_BACK = 6, ADDED_JUMP = 1, ADDED_INDIRECT = 16 };

/* Code out of the way, written after the block: rel is the displacement that leads there. */
struct stub {
    uint8_t *rel;
    uint64_t constant; /* is_constant: the value that rel addresses */
    uint32_t exit;
    uint8_t give_back; /* instructions */
    bool is_constant, reload_rcx;
};

struct build {
    struct rt_tr_cache *c;
    struct rt_tr_trace *t;
    struct rt_tr_arena *a;
    struct rt_tr_block *b;
    struct emit body;
    uint64_t begin;               /* entry of this version */
    uint32_t marks, exits, sites; /* next ones */
    unsigned stub_count;
    bool slow, out_of_reach;
    struct stub stubs[STUBS_MOST];
};

/* A displacement of 4 bytes, the last ones of the instruction, to where. */
static void put_rel(struct build *u, struct emit *e, uint64_t where)
{
    const uint64_t next = runs_at(e) + 4;
    if (!reaches(next, where)) u->out_of_reach = true;
    put4(e, (uint32_t)(where - next));
}

static void template_jump(struct build *u, struct emit *e, const char *label)
{
    put1(e, 0xe9);
    put_rel(u, e, u->a->base + rt_tr_template_at(label));
}

/* movl exit, gs:EXIT */
static void store_exit(struct emit *e, uint32_t exit)
{
    put1(e, 0x65);
    put1(e, 0xc7);
    put1(e, 0x04);
    put1(e, 0x25);
    put4(e, RT_TR_O_EXIT);
    put4(e, exit);
}

/* By one of the routines of the template. */
static void leave(struct build *u, struct emit *e, uint32_t exit, const char *label)
{
    store_exit(e, exit);
    template_jump(u, e, label);
}

static uint32_t offset_of(const struct build *u, const struct emit *e)
{
    return (uint32_t)(runs_at(e) - u->a->base);
}

static void mark(struct build *u, unsigned k, bool rcx_spilled)
{
    const struct rt_tr_insn *n = &u->t->insns[u->t->order[k]];
    u->c->marks[u->marks++] = (struct rt_tr_mark){.offset = (uint16_t)(runs_at(&u->body) - u->begin),
                                                  .ip_rel = (uint16_t)(n->ip - u->t->ip),
                                                  .k = (uint8_t)k,
                                                  .rcx_spilled = rcx_spilled};
}

static uint32_t add_exit(struct build *u, struct rt_tr_exit x)
{
    x.block = (uint32_t)(u->b - u->c->blocks);
    u->c->exits[u->exits] = x;
    return u->exits++;
}

/* A displacement to a stub that is written later. */
static struct stub *put_stub(struct build *u)
{
    struct stub *s = &u->stubs[u->stub_count++];
    *s = (struct stub){.rel = u->body.at};
    put4(&u->body, 0);
    return s;
}

static void set_rel(struct build *u, uint8_t *rel, uint64_t where)
{
    struct emit e = {.at = rel, .delta = u->body.delta};
    put_rel(u, &e, where);
}

/* Code that runs target, when it is there and near, and may run without the dispatcher. */
static uint64_t linked_code(const struct build *u, const struct emit *from, uint64_t target)
{
    if (target == u->t->ip) return u->b->code;
    const struct rt_tr_block *b = rt_tr_cache_find(u->c, target);
    return b && rt_tr_may_link(b) && reaches(runs_at(from) + 4, b->code) ? b->code : 0;
}

/* A branch out of the block after instruction k. prefix: 0xe9, or 0x0f80 + condition. */
static void branch(struct build *u, unsigned prefix, unsigned k, uint64_t target)
{
    struct emit *e = &u->body;
    const unsigned left = u->t->len - (k + 1);
    if (!u->slow && !left) align_patch(e, prefix > 0xff ? 2 : 1);
    if (prefix > 0xff) put1(e, prefix >> 8);
    put1(e, prefix & 0xff);
    if (u->slow) {
        put_stub(u)->exit = add_exit(
            u, (struct rt_tr_exit){.kind = RT_TR_EXIT_STAY, .target = target, .executed = (int16_t)(k + 1)});
        return;
    }
    const uint64_t code = left ? 0 : linked_code(u, e, target);
    if (code) {
        put_rel(u, e, code);
        return;
    }
    const uint32_t patch = left ? 0 : offset_of(u, e);
    struct stub *s = put_stub(u);
    s->exit = add_exit(u, (struct rt_tr_exit){.kind = RT_TR_EXIT_LINK, .target = target, .patch = patch});
    s->give_back = (uint8_t)left;
}

static void write_stub(struct build *u, struct emit *e, const struct stub *s)
{
    if (s->is_constant) {
        while (runs_at(e) & 7)
            put1(e, 0xcc);
        set_rel(u, s->rel, runs_at(e));
        put_bytes(e, &s->constant, sizeof s->constant);
        return;
    }
    set_rel(u, s->rel, runs_at(e));
    if (s->reload_rcx) load(e, RCX, RT_TR_O_SPILL1);
    if (s->give_back) {
        struct rt_tr_exit *x = &u->c->exits[s->exit];
        count(e, u->b, counted_as(-(int)s->give_back, ADDED_GIVE_BACK));
        load(e, RCX, RT_TR_O_SPILL1);
        align_patch(e, 1);
        put1(e, 0xe9);
        const uint64_t code = linked_code(u, e, x->target);
        x->patch = code ? 0 : offset_of(u, e);
        put_rel(u, e, code ? code : runs_at(e) + 4);
    }
    leave(u, e, s->exit, rt_tr_template_exit);
}

/* Emit ModRM, SIB and displacement of m with reg; the opcode is written, next is the address after the
 * original instruction. No immediate follows. */
static void put_operand(struct build *u, unsigned reg, const struct rt_burst_mem *m, int64_t disp,
                        uint64_t next)
{
    enum { DISP32 = 0x80, SIB = 4, NO_BASE = 5, NO_INDEX = 4 };
    struct emit *e = &u->body;
    const unsigned field = (reg & 7) << 3;
    if (disp != (int32_t)disp) u->out_of_reach = true;
    if (m->base == RT_BURST_REG_RIP) {
        put1(e, field | 5);
        put_rel(u, e, next + (uint64_t)disp);
        return;
    }
    const bool has_base = m->base != RT_BURST_REG_NONE, has_index = m->index != RT_BURST_REG_NONE;
    if (has_base && !has_index && (m->base & 7) != SIB) {
        put1(e, DISP32 | field | (m->base & 7));
    } else {
        const unsigned scale = has_index ? (unsigned)__builtin_ctz(m->scale) : 0;
        put1(e, (has_base ? DISP32 : 0) | field | SIB);
        put1(e,
             scale << 6 | (has_index ? m->index & 7u : NO_INDEX) << 3 | (has_base ? m->base & 7u : NO_BASE));
    }
    put4(e, (uint32_t)disp);
}

/* opcode reg, m with 64-bit operands: lea or mov */
static void with_operand(struct build *u, unsigned opcode, unsigned reg, const struct rt_burst_mem *m,
                         int64_t disp, uint64_t next)
{
    struct emit *e = &u->body;
    const bool has_base = m->base != RT_BURST_REG_NONE && m->base != RT_BURST_REG_RIP;
    if (opcode != 0x8d && m->segment == RT_BURST_SEG_FS) put1(e, 0x64);
    if (m->addr_width_bytes == 4) put1(e, 0x67);
    put1(e, 0x48 | (reg >> 3) << 2 | (m->index != RT_BURST_REG_NONE ? m->index >> 3 : 0u) << 1 |
                (has_base ? m->base >> 3 : 0u));
    put1(e, opcode);
    put_operand(u, reg, m, disp, next);
}

static int64_t displacement(const struct rt_burst_mem *m)
{
    if (m->kind == RT_BURST_MEM_PUSH) return m->disp - m->size_bytes;
    return m->kind == RT_BURST_MEM_POP_DEST ? m->disp + m->size_bytes : m->disp;
}

static bool all_plain(const struct rt_burst_plan *p)
{
    for (unsigned i = 0; i < p->mem_count; i++)
        if (!rt_tr_is_plain(&p->mem[i])) return false;
    return true;
}

static bool has_timed_load(const struct rt_burst_plan *p)
{
    for (unsigned i = 0; i < p->mem_count; i++)
        if (p->mem[i].does & RT_BURST_DOES_LOAD) return all_plain(p);
    return false;
}

static uint8_t does_of(const struct rt_burst_plan *p, const struct rt_burst_mem *m)
{
    unsigned does = m->does;
    if (p->is_locked) does |= RT_TR_LOCKED;
    if (p->flow == RT_BURST_FLOW_RET) does |= RT_TR_RETURN;
    if (p->flow >= RT_BURST_FLOW_CALL && m->does & RT_BURST_DOES_STORE) does |= RT_TR_CALL;
    return (uint8_t)does;
}

/* Through the routine of the template with the address of m. */
static void visit(struct build *u, unsigned k, const struct rt_burst_plan *p, const struct rt_burst_mem *m)
{
    struct emit *e = &u->body;
    save(e, RAX, RT_TR_O_SPILL0);
    with_operand(u, 0x8d, RAX, m, displacement(m), p->ip + p->len_bytes);
    save(e, RCX, RT_TR_O_SPILL1);
    save(e, RDX, RT_TR_O_SPILL2);
    if (m->segment == RT_BURST_SEG_FS) {
        static const uint8_t add_rcx_to_rax[] = {0x48, 0x8d, 0x04, 0x08}; /* lea (rax,rcx), rax */
        load(e, RCX, RT_TR_O_FS_BASE);
        put_bytes(e, add_rcx_to_rax, sizeof add_rcx_to_rax);
    }
    put1(e, 0xb9); /* mov site, ecx */
    put4(e, u->sites);
    static const uint8_t lea_rip_rdx[] = {0x48, 0x8d, 0x15};
    put_bytes(e, lea_rip_rdx, sizeof lea_rip_rdx);
    enum { SAVE_BYTES = 9, JUMP_BYTES = 5 };
    put4(e, SAVE_BYTES + JUMP_BYTES);
    save(e, RDX, RT_TR_O_JUMP);
    template_jump(u, e, rt_tr_template_access);
    u->c->sites[u->sites++] = (struct rt_tr_site){.block = (uint32_t)(u->b - u->c->blocks),
                                                  .size_bytes = m->size_bytes,
                                                  .k = (uint8_t)k,
                                                  .does = does_of(p, m)};
}

static void visit_all(struct build *u, unsigned k, const struct rt_burst_plan *p)
{
    if (all_plain(p)) {
        for (unsigned i = 0; i < p->mem_count; i++)
            visit(u, k, p, &p->mem[i]);
        return;
    }
    put1(&u->body, 0xe9);
    const uint32_t exit = add_exit(
        u, (struct rt_tr_exit){.kind = RT_TR_EXIT_LIST, .target = runs_at(&u->body) + 4, .k = (uint8_t)k});
    put_stub(u)->exit = exit;
}

static void copy(struct build *u, const struct rt_tr_insn *n)
{
    struct emit *e = &u->body;
    const struct rt_burst_plan *p = &n->plan;
    uint8_t *at = e->at;
    const uint64_t runs = runs_at(e);
    put_bytes(e, p->code, p->len_bytes);
    if (!n->disp_offset) return;
    int32_t disp;
    memcpy(&disp, at + n->disp_offset, sizeof disp);
    const int64_t moved = (int64_t)disp + (int64_t)(p->ip - runs);
    disp = (int32_t)moved;
    if (disp != moved) u->out_of_reach = true;
    memcpy(at + n->disp_offset, &disp, sizeof disp);
}

static void push_return(struct build *u, const struct rt_burst_plan *p)
{
    put1(&u->body, 0xff);
    put1(&u->body, 0x35);
    struct stub *s = put_stub(u);
    s->is_constant = true;
    s->constant = p->ip + p->len_bytes;
}

/* Jump by the thread's quick table: no instruction on the way changes the flags. */
static void quick_jump(struct emit *e, uint32_t exit)
{
    static const uint8_t hash[] = {0xba, 0,    0,    0,    0,   0xf2,
                                   0x48, 0x0f, 0x38, 0xf1, 0xd1}; /* mov 0, edx; crc32 rcx, rdx */
    static const uint8_t scale[] = {0x65, 0xc4, 0xe2, 0xeb, 0xf6, 0x14, 0x25}; /* mulx gs:, rdx, rdx */
    static const uint8_t jump[] = {0x65, 0xff, 0x24, 0xd5};                    /* jmp gs:(,rdx,8) */
    store_exit(e, exit);
    save(e, RDX, RT_TR_O_SPILL2);
    put_bytes(e, hash, sizeof hash);
    put_bytes(e, scale, sizeof scale);
    put4(e, RT_TR_O_QUICK_SCALE);
    put_bytes(e, jump, sizeof jump);
    put4(e, RT_TR_O_QUICK);
}

/* Where quick_jump() of any block leads to: go on in this one if its address is the target. An address that was taken
 * from the block meanwhile is none. */
static void arrival(struct build *u, struct emit *e)
{
    static const uint8_t load_ip[] = {0x48, 0x8b, 0x92}; /* mov (rdx), rdx */
    static const uint8_t compare[] = {0x48, 0xf7, 0xd2, 0x48, 0x8d,
                                      0x4c, 0x11, 0x01, 0xe3, 5}; /* not; lea; jrcxz */
    struct rt_tr_block *b = u->b;
    if (!rt_tr_process.options.has_bmi2 || !rt_tr_may_link(b)) return;
    while (runs_at(e) & 15)
        put1(e, 0xcc);
    b->arrive = runs_at(e);
    load(e, RDX, RT_TR_O_BLOCKS);
    put_bytes(e, load_ip, sizeof load_ip);
    put4(e, (uint32_t)((const char *)b - (const char *)&u->c->none) + RT_TR_O_BLOCK_IP);
    put_bytes(e, compare, sizeof compare);
    template_jump(u, e, rt_tr_template_astray);
    load(e, RDX, RT_TR_O_SPILL2);
    load(e, RCX, RT_TR_O_SPILL0);
    put1(e, 0xe9);
    put_rel(u, e, b->code);
}

/* rcx holds the target, SPILL0 the program's rcx. */
static void indirect(struct build *u, const struct rt_burst_plan *p)
{
    struct emit *e = &u->body;
    struct rt_tr_exit x = {.kind = RT_TR_EXIT_INDIRECT, .target = p->ip, .executed = u->slow ? u->t->len : 0};
    if (p->flow == RT_BURST_FLOW_RET) x.undo_rsp = -8 - (int32_t)p->displacement;
    if (p->flow >= RT_BURST_FLOW_CALL) x.undo_rsp = 8;
    if (u->slow) {
        save(e, RCX, RT_TR_O_TARGET);
        load(e, RCX, RT_TR_O_SPILL0);
        leave(u, e, add_exit(u, x), rt_tr_template_exit);
    } else if (rt_tr_process.options.has_bmi2) {
        quick_jump(e, add_exit(u, x));
    } else {
        leave(u, e, add_exit(u, x), rt_tr_template_lookup);
    }
}

static void target_to_rcx(struct build *u, const struct rt_burst_plan *p)
{
    struct emit *e = &u->body;
    switch ((enum rt_burst_flow)p->flow) {
    case RT_BURST_FLOW_RET:
        put1(e, 0x59); /* pop rcx */
        if (!p->displacement) return;
        put1(e, 0x48); /* lea displacement(rsp), rsp */
        put1(e, 0x8d);
        put1(e, 0xa4);
        put1(e, 0x24);
        put4(e, (uint32_t)p->displacement);
        return;
    case RT_BURST_FLOW_JUMP_REG:
    case RT_BURST_FLOW_CALL_REG:
        put1(e, 0x48 | p->flow_code >> 3);
        put1(e, 0x8b);
        put1(e, 0xc0 | RCX << 3 | (p->flow_code & 7));
        return;
    default:
        with_operand(u, 0x8b, RCX, &p->mem[0], p->mem[0].disp, p->ip + p->len_bytes);
    }
}

/* loop, loope, loopne, jrcxz: the same instruction, jumping over a branch to the next instruction */
static void count_branch(struct build *u, unsigned k, const struct rt_tr_insn *n)
{
    static const uint8_t loops[] = {[RT_BURST_REPEAT_ALL] = 0xe2,
                                    [RT_BURST_REPEAT_WHILE_ZERO] = 0xe1,
                                    [RT_BURST_REPEAT_UNTIL_ZERO] = 0xe0};
    struct emit *e = &u->body;
    put1(e, n->plan.flow == RT_BURST_FLOW_JRCXZ ? 0xe3 : loops[n->plan.flow_code]);
    uint8_t *rel = e->at;
    put1(e, 0);
    branch(u, 0xe9, k, n->ip + n->plan.len_bytes);
    *rel = (uint8_t)(e->at - rel - 1);
    branch(u, 0xe9, k, n->target);
}

static void condition(struct build *u, unsigned k, const struct rt_tr_insn *n)
{
    const uint64_t next = n->ip + n->plan.len_bytes;
    const unsigned jcc = 0x0f80 | n->plan.flow_code;
    if (k + 1u == u->t->len) {
        branch(u, jcc, k, n->target);
        branch(u, 0xe9, k, next);
        return;
    }
    const bool falls_through = u->t->insns[u->t->order[k + 1]].ip == next;
    branch(u, falls_through ? jcc : jcc ^ 1, k, falls_through ? n->target : next);
}

static void flow(struct build *u, unsigned k, const struct rt_tr_insn *n)
{
    const struct rt_burst_plan *p = &n->plan;
    const bool last = k + 1u == u->t->len;
    switch ((enum rt_burst_flow)p->flow) {
    case RT_BURST_FLOW_JCC:
        condition(u, k, n);
        return;
    case RT_BURST_FLOW_JRCXZ:
    case RT_BURST_FLOW_LOOP:
        count_branch(u, k, n);
        return;
    case RT_BURST_FLOW_CALL:
        push_return(u, p);
        branch(u, 0xe9, k, n->target);
        return;
    case RT_BURST_FLOW_JUMP:
        if (last) branch(u, 0xe9, k, n->target);
        return;
    default:
        save(&u->body, RCX, RT_TR_O_SPILL0);
        target_to_rcx(u, p);
        if (p->flow == RT_BURST_FLOW_CALL_REG || p->flow == RT_BURST_FLOW_CALL_MEM) {
            mark(u, k, true);
            push_return(u, p);
        }
        indirect(u, p);
    }
}

/* Return how many operations the translation adds at the end of the block. */
static unsigned added_at_end(const struct rt_tr_trace *t)
{
    const struct rt_tr_insn *n = &t->insns[t->order[t->len - 1]];
    if (n->copied) return ADDED_JUMP;
    switch ((enum rt_burst_flow)n->plan.flow) {
    case RT_BURST_FLOW_JUMP:
        return 0;
    case RT_BURST_FLOW_JCC:
    case RT_BURST_FLOW_JRCXZ:
    case RT_BURST_FLOW_LOOP:
    case RT_BURST_FLOW_CALL:
        return ADDED_JUMP;
    default:
        return ADDED_INDIRECT;
    }
}

/* Emit the check of the counter. The counter is negative while this block may run without the dispatcher; its upper
 * byte is then 0xff, and 0 otherwise, so jrcxz can test it without changing flags. */
static void check(struct build *u, uint32_t trigger)
{
    struct emit *e = &u->body;
    struct rt_tr_block *b = u->b;
    enum { JUMP_BYTES = 5 };
    if (!b->flags_dead) e->at += JUMP_BYTES;
    while (runs_at(e) & 15)
        put1(e, 0x90);
    b->code = u->begin = runs_at(e);
    if (b->flags_dead) {
        put1(e, 0x65); /* addq len, gs:COUNTS */
        put1(e, 0x48);
        put1(e, 0x81);
        put1(e, 0x04);
        put1(e, 0x25);
        put4(e, counter_of(b));
        put4(e, counted_as(b->len, ADDED_SHORT_CHECK + added_at_end(u->t)));
        put1(e, 0x0f); /* jns */
        put1(e, 0x89);
        put_stub(u)->exit = trigger;
        b->check_bytes = (uint8_t)(runs_at(e) - b->code);
        return;
    }
    struct emit far = {.at = e->at - JUMP_BYTES, .delta = e->delta};
    put1(&far, 0xe9);
    u->stubs[u->stub_count++] = (struct stub){.rel = far.at, .exit = trigger, .reload_rcx = true};
    static const uint8_t upper_byte[] = {0x48, 0x0f, 0xc9, 0x0f, 0xb6, 0xc9}; /* bswap rcx; movzx ecx, cl */
    count(e, b, counted_as(b->len, ADDED_CHECK + added_at_end(u->t)));
    put_bytes(e, upper_byte, sizeof upper_byte);
    put1(e, 0xe3);
    put1(e, (unsigned)(far.at - 1 - (e->at + 1)) & 0xff);
    load(e, RCX, RT_TR_O_SPILL1);
    b->check_bytes = (uint8_t)(runs_at(e) - b->code);
}

static void body(struct build *u)
{
    const struct rt_tr_trace *t = u->t;
    for (unsigned k = 0; k < t->len; k++) {
        const struct rt_tr_insn *n = &t->insns[t->order[k]];
        mark(u, k, false);
        if (u->slow) visit_all(u, k, &n->plan);
        if (n->copied)
            copy(u, n);
        else
            flow(u, k, n);
    }
    const struct rt_tr_insn *n = &t->insns[t->order[t->len - 1]];
    if (!n->copied) return;
    const uint64_t next = n->ip + n->plan.len_bytes;
    if (!t->stop) {
        branch(u, 0xe9, t->len - 1u, next);
        return;
    }
    const struct rt_tr_exit x = {.kind = RT_TR_EXIT_STOP,
                                 .target = next,
                                 .k = (uint8_t)t->stop,
                                 .executed = (int16_t)(u->slow ? t->len : 0)};
    leave(u, &u->body, add_exit(u, x), rt_tr_template_exit);
}

static bool has_room(const struct rt_tr_cache *c)
{
    enum { SPARE = 4 * RT_TR_BLOCK_MOST };
    return c->block_count < RT_TR_BLOCKS_MOST - 1 && c->mark_count + SPARE < RT_TR_MARKS_MOST &&
           c->exit_count + SPARE < RT_TR_EXITS_MOST && c->site_count + SPARE < RT_TR_SITES_MOST;
}

/* Room for one version of a block, or NULL. A full cache is dropped when nobody runs in it. */
static struct rt_tr_arena *take_room(struct rt_tr_cache *c, uint64_t ip, enum rt_tr_end *why)
{
    struct rt_tr_arena *a = NULL;
    *why = RT_TR_END_FULL;
    if (has_room(c)) a = rt_tr_arena_for(c, ip, why);
    if (a)
        *why = RT_TR_END_NONE;
    else if (*why == RT_TR_END_FULL)
        __atomic_store_n(&c->drop, 1, __ATOMIC_SEQ_CST);
    return a;
}

static struct emit emit_at(const struct rt_tr_arena *a, uint32_t offset)
{
    return (struct emit){.at = (uint8_t *)(uintptr_t)(a->base + (uint64_t)a->write_delta + offset),
                         .delta = a->write_delta};
}

static void begin(struct build *u, struct rt_tr_cache *c)
{
    u->c = c;
    u->t = &c->trace;
    u->marks = c->mark_count;
    u->exits = c->exit_count;
    u->sites = c->site_count;
    u->stub_count = 0;
    u->out_of_reach = false;
}

static void commit(const struct build *u)
{
    u->c->mark_count = u->marks;
    u->c->exit_count = u->exits;
    u->c->site_count = u->sites;
}

static void withdraw(struct rt_tr_cache *c, struct rt_tr_block *b)
{
    rt_tr_cache_forget(b);
    __atomic_store_n(&c->drop, 1, __ATOMIC_SEQ_CST);
}

/* The least time of a loop, for b. */
static void set_least(const struct rt_tr_trace *t, struct rt_tr_block *b)
{
    enum { CHECK_SLOTS = 3, CHECK_SLOTS_WITHOUT_FLAGS = 11 }; /* as check() emits it */
    bool rest_waits;
    unsigned joined;
    const uint32_t least = rt_tr_loop_least(t, &rest_waits, &joined);
    if (!least) return;
    b->least_millicycles = least < UINT16_MAX ? (uint16_t)least : UINT16_MAX;
    b->rest_waits = rest_waits;
    const unsigned check = b->flags_dead ? CHECK_SLOTS : CHECK_SLOTS_WITHOUT_FLAGS;
    b->slots_permille = (uint16_t)((t->len - joined * t->len / t->decoded + check) * 1000 / t->len);
}

/* Return how many instructions of the trace come before one of them can leave it, that one included. */
static uint8_t sure_of(const struct rt_tr_trace *t)
{
    for (unsigned k = 0; k < t->len; k++) {
        const uint8_t flow = t->insns[t->order[k]].plan.flow;
        if (flow == RT_BURST_FLOW_JCC || flow == RT_BURST_FLOW_JRCXZ || flow == RT_BURST_FLOW_LOOP)
            return (uint8_t)(k + 1);
    }
    return t->len;
}

/* Return the binary logarithm of 1, 2, 4 or 8. */
static uint8_t log2_of(unsigned len_bytes)
{
    return (uint8_t)((len_bytes > 1) + (len_bytes > 2) + (len_bytes > 4)) & 3;
}

struct rt_tr_block *rt_tr_translate(struct rt_tr_cache *c, uint64_t ip, enum rt_tr_end *why)
{
    const struct rt_tr_range *quiet = &rt_tr_process.options.quiet;
    const uint64_t invalidations = __atomic_load_n(&c->invalidations, __ATOMIC_SEQ_CST);
    struct build u;
    *why = rt_tr_trace_build(c, ip);
    if (*why) return NULL;
    u.a = take_room(c, ip, why);
    if (!u.a) return NULL;
    begin(&u, c);
    u.slow = false;
    const bool flags_dead =
        !u.t->is_generated && rt_tr_trace_flags_dead(u.t); /* other code at its place may need them */
    struct rt_tr_block *b = u.b = &c->blocks[c->block_count];
    *b = (struct rt_tr_block){.ip = ip,
                              .low = u.t->low,
                              .high = u.t->high,
                              .is_generated = u.t->is_generated,
                              .sum = u.t->is_generated ? rt_tr_trace_sum(u.t) : 0,
                              .marks = u.marks,
                              .len = u.t->len,
                              .arena = (u.a - c->arenas) & 15,
                              .counter = c->block_count % RT_TR_COUNTERS,
                              .stop = (uint8_t)u.t->stop,
                              .flags_dead = flags_dead,
                              .sure = sure_of(u.t),
                              .repeats = u.t->insns[0].repeats & 3,
                              .branch_rel = rt_tr_trace_branch_rel(u.t),
                              .elem_log2 = log2_of(u.t->insns[0].plan.mem[0].size_bytes),
                              .is_quiet = ip - quiet->base < quiet->end - quiet->base};
    set_least(u.t, b);
    for (unsigned k = 0; k < u.t->len; k++)
        if (!b->is_quiet && has_timed_load(&u.t->insns[u.t->order[k]].plan)) b->loads |= UINT64_C(1) << k;
    u.body = emit_at(u.a, u.a->hot);
    check(&u, RT_TR_EXIT_TRIGGER + c->block_count);
    body(&u);
    struct emit cold = emit_at(u.a, u.a->cold);
    for (unsigned i = 0; i < u.stub_count; i++)
        write_stub(&u, &cold, &u.stubs[i]);
    arrival(&u, &cold);
    if (u.out_of_reach) {
        *why = RT_TR_END_REACH;
        return NULL;
    }
    b->code_bytes = (uint16_t)(runs_at(&u.body) - b->code);
    b->marks_len = (uint16_t)(u.marks - b->marks);
    u.a->hot = offset_of(&u, &u.body);
    u.a->cold = offset_of(&u, &cold);
    commit(&u);
    __atomic_store_n(&c->block_count, c->block_count + 1, __ATOMIC_SEQ_CST);
    rt_tr_cache_publish(c, b);
    c->traced = b;
    c->traced_invalidations = invalidations;
    if (__atomic_load_n(&c->invalidations, __ATOMIC_SEQ_CST) == invalidations) return b;
    withdraw(c, b); /* the code changed, perhaps while it was read */
    *why = RT_TR_END_CODE;
    return NULL;
}

bool rt_tr_translate_slow(struct rt_tr_cache *c, struct rt_tr_block *b, enum rt_tr_end *why)
{
    const uint64_t invalidations = __atomic_load_n(&c->invalidations, __ATOMIC_SEQ_CST);
    struct build u;
    *why = RT_TR_END_CODE;
    const bool is_traced = c->traced == b && c->traced_invalidations == invalidations;
    if (!is_traced && !rt_tr_trace_rebuild(c, b)) return false;
    u.a = take_room(c, b->low, why);
    if (!u.a) return false;
    begin(&u, c);
    u.slow = true;
    u.b = b;
    b->slow_marks = u.marks;
    b->sites = u.sites;
    u.body = emit_at(u.a, u.a->cold);
    const uint64_t code = u.begin = runs_at(&u.body);
    body(&u);
    struct emit stubs = u.body;
    for (unsigned i = 0; i < u.stub_count; i++)
        write_stub(&u, &stubs, &u.stubs[i]);
    *why = RT_TR_END_REACH;
    if (u.out_of_reach) return false;
    b->slow_bytes = (uint16_t)(runs_at(&u.body) - code);
    b->slow_marks_len = (uint16_t)(u.marks - b->slow_marks);
    b->sites_len = (uint16_t)(u.sites - b->sites);
    u.a->cold = offset_of(&u, &stubs);
    commit(&u);
    *why = RT_TR_END_CODE;
    if (__atomic_load_n(&c->invalidations, __ATOMIC_SEQ_CST) != invalidations) return false;
    __atomic_store_n(&b->slow, code, __ATOMIC_RELEASE);
    return true;
}
