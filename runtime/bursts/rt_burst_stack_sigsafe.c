/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/bursts/rt_burst_stack_sigsafe.h"

#include "runtime/bursts/rt_burst_asm_sigsafe.h"
#include "spool/spool_path.h"
#include "spool/spool_put_sigsafe.h"

#include <string.h>
#include <ucontext.h>

enum {
    PIECE_BYTES = 16384, /* most programs' whole stack; perf copies 8 KiB */
    PIECE_LEAF_BYTES =
        SPOOL_STACK_LEAF_BYTES, /* the innermost frames: to find the owner of the top of the stack and the begin
                               of the chain */
    UNKNOWN_BYTES = 65536,      /* how far a stack that nobody described is read */
    PAGE_BYTES = 4096,
};

static const struct rt_burst_stack_mode modes[] = {
    {.name = "off", .piece_bytes = PIECE_LEAF_BYTES},
    {.name = "fp", .piece_bytes = PIECE_LEAF_BYTES, .has_links = true, .has_calls = true},
    {.name = "unwind", .piece_bytes = PIECE_BYTES, .has_links = true, .has_calls = true},
    {.name = "auto", .piece_bytes = PIECE_LEAF_BYTES, .is_in_place = true},
};

/* By DWARF number: place in gregs. */
static const uint8_t greg_of_dwarf[SPOOL_REGS] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                                  REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                                  REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};

const struct rt_burst_stack_mode *rt_burst_stack_mode_named(const char *name)
{
    if (strcmp(name, "auto") == 0 && !(RT_HAVE_UNWIND && rt_unwind_works())) name = "fp";
    for (unsigned i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(modes[i].name, name) == 0) return &modes[i];
    return &modes[0];
}

uint64_t rt_burst_stack_limit(const struct rt_burst_stack_source *s, uint64_t rsp)
{
    if (rsp >= s->base && rsp < s->end) return s->end;
    return rsp + UNKNOWN_BYTES > rsp ? rsp + UNKNOWN_BYTES : rsp;
}

static bool may_read(const struct rt_burst_stack_source *s, uint64_t base, uint64_t end)
{
    for (uint64_t at = base; at < end; at = (at | (PAGE_BYTES - 1)) + 1)
        if (!rt_burst_devices_may_probe(s->devices, at)) return false;
    return true;
}

unsigned rt_burst_stack_links(const struct rt_burst_stack_source *s, uint64_t from, uint64_t limit)
{
    struct spool_link pair; /* as in memory: the caller's rbp, the return address */
    uint64_t frame = (uint64_t)s->gregs[REG_RBP], lowest = (uint64_t)s->gregs[REG_RSP];
    unsigned len = 0;
    while (len < RT_BURST_LINKS_MAX && frame >= lowest && frame % sizeof(uint64_t) == 0 && frame < limit &&
           limit - frame >= sizeof pair && may_read(s, frame, frame + sizeof pair)) {
        if (rt_burst_copy(&pair, (const void *)(uintptr_t)frame, sizeof pair) != sizeof pair || !pair.ip)
            break;
        if (frame >= from) s->links[len++] = (struct spool_link){.frame = frame, .ip = pair.ip};
        lowest = frame + sizeof pair;
        frame = pair.frame;
    }
    return len;
}

/* Bytes of the stack to copy from rsp on. */
static uint32_t piece_bytes(const struct rt_burst_stack_source *s, uint64_t rsp, uint64_t limit)
{
    const uint64_t left = limit - rsp;
    const uint32_t piece = left < s->mode->piece_bytes ? (uint32_t)left : s->mode->piece_bytes;
    return piece && may_read(s, rsp, rsp + piece) ? piece : 0;
}

static void fill_head(struct spool_stack *r, const struct rt_burst_stack_source *s)
{
    r->time_ns = s->time_ns;
    for (unsigned i = 0; i < SPOOL_REGS; i++)
        r->regs[i] = (uint64_t)s->gregs[greg_of_dwarf[i]];
}

/* Only the top of the stack: as its difference from the last one. */
static bool put_leaf(struct spool_writer *w, const struct rt_burst_stack_source *s, uint64_t rsp,
                     uint32_t piece)
{
    uint8_t bytes[PIECE_LEAF_BYTES];
    struct spool_stack head;
    fill_head(&head, s);
    head.bytes_len = (uint32_t)rt_burst_copy_bulk(bytes, (const void *)(uintptr_t)rsp, piece);
    return spool_packer_put_stack(s->packer, w, &head, bytes);
}

/* The callers of the instruction where the burst begins; loops have the same ones again and again. */
static bool put_callers(struct spool_writer *w, const struct rt_burst_stack_source *s)
{
    const struct rt_unwind_limits limits = {s->base, s->end, s->own_base, s->own_end};
    const struct rt_unwind_registers from = {(uint64_t)s->gregs[REG_RIP], (uint64_t)s->gregs[REG_RSP],
                                             (uint64_t)s->gregs[REG_RBP]};
    uint64_t *callers = (uint64_t *)(void *)s->links;
    bool is_whole = false;
    const size_t len =
        RT_HAVE_UNWIND ? rt_unwind_from(&limits, &from, callers, RT_BURST_CALLERS_MAX, &is_whole) : 0;
    const uint64_t hash = spool_path_hash(callers, len);
    const unsigned flags = SPOOL_CHAIN_CALLERS | (is_whole ? SPOOL_CHAIN_WHOLE : 0);
    if (len > 1 && rt_paths_note(s->known, s->stream, hash))
        return spool_put_chain(w, flags | SPOOL_CHAIN_KNOWN, s->time_ns, &hash, 1);
    if (spool_put_chain(w, flags, s->time_ns, callers, (uint32_t)len)) return true;
    rt_paths_forget(s->known, hash);
    return false;
}

bool rt_burst_stack_put(struct spool_writer *w, const struct rt_burst_stack_source *s)
{
    const uint64_t rsp = (uint64_t)s->gregs[REG_RSP], limit = rt_burst_stack_limit(s, rsp);
    const uint32_t piece = piece_bytes(s, rsp, limit);
    if (!s->mode->has_calls)
        return put_leaf(w, s, rsp, piece) && (!s->mode->is_in_place || put_callers(w, s));
    const unsigned links = s->mode->has_links ? rt_burst_stack_links(s, rsp + piece, limit) : 0;
    const size_t links_bytes = links * sizeof(struct spool_link);
    struct spool_stack *r =
        spool_writer_reserve(w, SPOOL_REC_STACK, SPOOL_STACK_CALLS, sizeof *r + links_bytes + piece);
    if (!r) return false;
    uint8_t *tail = (uint8_t *)(r + 1);
    fill_head(r, s);
    r->links_len = links;
    memcpy(tail, s->links, links_bytes);
    /* less where the stack ends before its limit: the record keeps zeros there */
    r->bytes_len = (uint32_t)rt_burst_copy_bulk(tail + links_bytes, (const void *)(uintptr_t)rsp, piece);
    spool_writer_commit(w, r);
    return true;
}
