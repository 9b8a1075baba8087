/* SPDX-License-Identifier: BSD-3-Clause */
/* A site for each memory operand of an instruction; pieces of an access are joined. */
#include "tools/trace/plugin/trc_plugin.h"

#include "tools/trace/plugin/trc_slot.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { TRC_LOAD_OP, TRC_STORE_OP }; /* enum pat_op */
enum { TRC_TABLE_BITS = 17 };

static struct {
    pthread_mutex_t lock;
    struct trc_insn *table[1 << TRC_TABLE_BITS];
} trc_sites = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Return the number of a new site, under the lock. When the table is full further sites share the last. */
static uint32_t trc_site_add(const struct trc_insn *i, unsigned op, unsigned operand, unsigned size_bytes)
{
    const uint32_t n = trc_ring->sites_len;
    if (n == TRC_SITES) {
        __atomic_fetch_add(&trc_ring->sites_missed, 1, __ATOMIC_RELAXED);
        return TRC_SITES - 1;
    }
    trc_ring->sites[n] = (struct trc_site){.ip = i->ip,
                                           .module = i->module,
                                           .size_bytes = (uint16_t)size_bytes,
                                           .operand = (uint8_t)operand,
                                           .op = (uint8_t)op};
    TRC_STORE(trc_ring->sites_len, n + 1);
    return n;
}

static void trc_number_plain(struct trc_insn *i)
{
    const struct trc_shape_of *s = &i->shape;
    if (s->shape == TRC_SHAPE_TWO_LOADS) {
        i->plain[0] = trc_site_add(i, TRC_LOAD_OP, 0, s->load_bytes);
        i->plain[1] = trc_site_add(i, TRC_LOAD_OP, 1, s->load_bytes);
    } else if (s->shape == TRC_SHAPE_PLAIN) {
        if (s->load_bytes) i->plain[TRC_LOAD_OP] = trc_site_add(i, TRC_LOAD_OP, 0, s->load_bytes);
        if (s->store_bytes)
            i->plain[TRC_STORE_OP] = trc_site_add(i, TRC_STORE_OP, s->load_bytes != 0, s->store_bytes);
    }
}

static struct trc_insn *trc_insn_new(const char *target, const struct trc_insn *like)
{
    struct trc_insn *i = calloc(1, sizeof(*i));
    if (!i) return NULL;
    *i = *like;
    i->shape = trc_decode(target, like->bytes, like->len);
    trc_number_plain(i);
    return i;
}

struct trc_insn *trc_insn_at(const char *target, struct trc_insn like)
{
    struct trc_insn **at = &trc_sites.table[like.ip * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TRC_TABLE_BITS)];
    pthread_mutex_lock(&trc_sites.lock);
    struct trc_insn *i = *at;
    while (i && (i->ip != like.ip || i->module != like.module || i->len != like.len ||
                 memcmp(i->bytes, like.bytes, like.len) != 0))
        i = i->next;
    if (!i) {
        like.next = *at;
        i = trc_insn_new(target, &like);
        if (i) *at = i;
    }
    pthread_mutex_unlock(&trc_sites.lock);
    return i;
}

static uint32_t trc_site_of_unknown(struct trc_insn *i, unsigned op, unsigned shift)
{
    uint32_t *at = &i->unknown[op][shift < TRC_SIZES ? shift : TRC_SIZES - 1];
    /* in the child of a fork the lock may never be released, and the ring belongs to the parent */
    if (!trc_is_followed()) return 0;
    const uint32_t known = TRC_LOAD(*at);
    if (known) return known - 1;
    pthread_mutex_lock(&trc_sites.lock);
    if (!*at) TRC_STORE(*at, trc_site_add(i, op, op, 1u << shift) + 1);
    pthread_mutex_unlock(&trc_sites.lock);
    return *at - 1;
}

/* An access of total_bytes comes in pieces: record the first one only. */
static void trc_put_pieces(uint64_t addr, uint32_t site, unsigned piece_bytes, unsigned total_bytes)
{
    struct trc_own *own = &trc_own;
    if (own->merged_left >= piece_bytes && own->merged_site == site && own->merged_next == addr) {
        own->merged_left -= piece_bytes;
        own->merged_next += piece_bytes;
        return;
    }
    trc_put(addr, site);
    own->merged_site = site;
    own->merged_left = total_bytes > piece_bytes ? total_bytes - piece_bytes : 0;
    own->merged_next = addr + piece_bytes;
}

/* Record the first load of an execution, then the second. */
static void trc_put_two(struct trc_insn *i, uint64_t addr)
{
    struct trc_own *own = &trc_own;
    const bool is_second = own->merged_left == 1 && own->merged_site == i->plain[0];
    own->merged_site = i->plain[0];
    own->merged_left = !is_second;
    own->merged_next = UINT64_MAX;
    trc_put(addr, i->plain[is_second]);
}

static void trc_put_op(struct trc_insn *i, unsigned op, unsigned shift, uint64_t addr)
{
    const struct trc_shape_of *s = &i->shape;
    const unsigned total = op == TRC_LOAD_OP ? s->load_bytes : s->store_bytes;
    if (s->shape == TRC_SHAPE_TWO_LOADS && op == TRC_LOAD_OP)
        trc_put_two(i, addr);
    else if (s->shape == TRC_SHAPE_PLAIN && total > 0)
        trc_put_pieces(addr, i->plain[op], 1u << shift, total);
    else
        trc_put(addr, trc_site_of_unknown(i, op, shift));
}

static void trc_on_any(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t addr, void *user)
{
    const unsigned rw = qemu_plugin_mem_rw_of(info), shift = qemu_plugin_mem_size_shift(info);
    (void)vcpu;
    if (rw & QEMU_PLUGIN_MEM_R) trc_put_op(user, TRC_LOAD_OP, shift, addr);
    if (rw & QEMU_PLUGIN_MEM_W) trc_put_op(user, TRC_STORE_OP, shift, addr);
}

/* Record one access in one piece, as for most instructions. */
static void trc_on_one(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t addr, void *user)
{
    (void)vcpu;
    (void)info;
    trc_put(addr, (uint32_t)(uintptr_t)user);
}

void trc_insn_watch(struct qemu_plugin_insn *insn, struct trc_insn *i)
{
    const struct trc_shape_of *s = &i->shape;
    const bool is_one = s->shape == TRC_SHAPE_PLAIN && !s->load_bytes != !s->store_bytes &&
                        s->load_bytes + s->store_bytes <= 8;
    if (is_one)
        qemu_plugin_register_vcpu_mem_cb(insn, trc_on_one, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                         (void *)(uintptr_t)i->plain[s->load_bytes == 0]);
    else
        qemu_plugin_register_vcpu_mem_cb(insn, trc_on_any, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, i);
}

static void trc_on_none(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t addr, void *user)
{
    (void)vcpu, (void)info, (void)addr, (void)user;
}

/* Loads and stores in one go, and of vectors, are made by the translated code itself. */
static bool trc_is_without_helper(const struct trc_shape_of *s)
{
    enum { TRC_X87_BYTES = 10 };
    const unsigned bytes = s->load_bytes + s->store_bytes;
    if (s->shape != TRC_SHAPE_PLAIN || bytes == TRC_X87_BYTES) return false;
    return s->load_bytes == 0 || s->store_bytes == 0;
}

void trc_insn_guard(struct qemu_plugin_insn *insn, const struct trc_insn *i)
{
    if (!trc_is_without_helper(&i->shape))
        qemu_plugin_register_vcpu_mem_cb(insn, trc_on_none, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
}
