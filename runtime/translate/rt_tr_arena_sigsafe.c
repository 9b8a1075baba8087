/* SPDX-License-Identifier: BSD-3-Clause */
/* The cache of translations: its memory, the rules for its use, its look-up. */
#include "runtime/translate/rt_tr_internal.h"

#include <linux/memfd.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

struct rt_tr_process rt_tr_process;

static const uint64_t no_address =
    UINT64_C(0x8000000000000001); /* not canonical: nothing is executed there */

/* No errno, no hooks, no cancellation. */
static long call6(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
    register uint64_t r10 __asm__("r10") = d;
    register uint64_t r8 __asm__("r8") = e;
    register uint64_t r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static bool is_error(long result)
{
    return result < 0 && result > -4096;
}

static long map(uint64_t at, size_t len_bytes, int protection, int flags, int fd)
{
    return call6(SYS_mmap, at, len_bytes, (uint64_t)protection, (uint64_t)flags, (uint64_t)fd, 0);
}

static void unmap(uint64_t at, size_t len_bytes)
{
    call6(SYS_munmap, at, len_bytes, 0, 0, 0, 0);
}

bool rt_tr_cache_map(struct rt_tr_process *p)
{
    if (p->cache) return true;
    const long at =
        map(0, sizeof *p->cache, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    if (is_error(at)) return false;
    if (is_error(call6(SYS_madvise, (uint64_t)at, sizeof *p->cache, MADV_WIPEONFORK, 0, 0, 0))) {
        unmap((uint64_t)at, sizeof *p->cache);
        return false;
    }
    __atomic_store_n(&p->cache, (struct rt_tr_cache *)at, __ATOMIC_RELEASE);
    return true;
}

bool rt_tr_cache_try_lock(struct rt_tr_cache *c)
{
    return !__atomic_exchange_n(&c->lock, 1, __ATOMIC_ACQUIRE);
}

void rt_tr_cache_unlock(struct rt_tr_cache *c)
{
    __atomic_store_n(&c->lock, 0, __ATOMIC_RELEASE);
}

/* Empty the cache: no thread runs in it, and the caller has the lock. Arenas are kept. */
static void empty(struct rt_tr_cache *c)
{
    if (c->ready) { /* otherwise they are zero, and their pages are not there yet */
        memset(c->hash, 0, sizeof c->hash);
        memset(c->table, 0, sizeof c->table);
    }
    for (uint32_t i = 0; i < c->arena_count; i++) {
        const uint32_t template_bytes = rt_tr_template_at(rt_tr_template_end);
        c->arenas[i].hot = (template_bytes + 63) & ~63u;
        c->arenas[i].cold = RT_TR_HOT_BYTES;
    }
    c->block_count = c->mark_count = c->exit_count = 0;
    c->site_count = 1; /* site 0 is none */
    c->none.ip = no_address;
    c->generation = ++rt_tr_process.generations;
    __atomic_store_n(&c->drop, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&c->ready, 1, __ATOMIC_RELEASE);
}

/* The count of active threads and the request to drop have one order for all threads: a thread that joins
 * either sees the request, or is seen by the thread that would drop. */
static bool is_open(const struct rt_tr_cache *c)
{
    return __atomic_load_n(&c->ready, __ATOMIC_SEQ_CST) && !__atomic_load_n(&c->drop, __ATOMIC_SEQ_CST);
}

bool rt_tr_cache_join(struct rt_tr_cache *c)
{
    for (int attempt = 0; attempt < 2; attempt++) {
        __atomic_add_fetch(&c->active, 1, __ATOMIC_SEQ_CST);
        if (is_open(c)) return true;
        const bool alone = __atomic_sub_fetch(&c->active, 1, __ATOMIC_SEQ_CST) == 0;
        if (!alone || !rt_tr_cache_try_lock(c)) return false;
        if (!is_open(c) && __atomic_load_n(&c->active, __ATOMIC_SEQ_CST) == 0) empty(c);
        rt_tr_cache_unlock(c);
    }
    return false;
}

void rt_tr_cache_leave(struct rt_tr_cache *c)
{
    __atomic_sub_fetch(&c->active, 1, __ATOMIC_SEQ_CST);
}

/* Addresses of one line of code have neighbouring slots: joins() looks for one after the other. */
static uint32_t hash_slot(uint64_t ip)
{
    enum { LINE_BITS = 6, SLOT_BITS = 16 };
    const uint64_t line = (ip >> LINE_BITS) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SLOT_BITS + LINE_BITS);
    return (uint32_t)(line << LINE_BITS | (ip & ((1 << LINE_BITS) - 1)));
}
_Static_assert(RT_TR_HASH_SLOTS == 1 << 16, "hash_slot has as many bits");

struct rt_tr_block *rt_tr_cache_find(struct rt_tr_cache *c, uint64_t ip)
{
    for (uint32_t at = hash_slot(ip);; at = (at + 1) % RT_TR_HASH_SLOTS) {
        const uint32_t number = __atomic_load_n(&c->hash[at], __ATOMIC_ACQUIRE);
        if (!number) return NULL;
        struct rt_tr_block *b = &c->blocks[number - 1];
        if (__atomic_load_n(&b->ip, __ATOMIC_RELAXED) == ip) return b;
    }
}

void rt_tr_cache_publish(struct rt_tr_cache *c, struct rt_tr_block *b)
{
    uint32_t at = hash_slot(b->ip);
    while (c->hash[at])
        at = (at + 1) % RT_TR_HASH_SLOTS;
    __atomic_store_n(&c->hash[at], (uint32_t)(b - c->blocks) + 1, __ATOMIC_RELEASE);
}

void rt_tr_cache_forget(struct rt_tr_block *b)
{
    __atomic_store_n(&b->ip, no_address, __ATOMIC_RELAXED);
}

void rt_tr_invalidate(uint64_t base, uint64_t len_bytes)
{
    struct rt_tr_cache *c = __atomic_load_n(&rt_tr_process.cache, __ATOMIC_ACQUIRE);
    if (!c || !__atomic_load_n(&c->ready, __ATOMIC_ACQUIRE)) return;
    __atomic_add_fetch(&c->invalidations, 1,
                       __ATOMIC_SEQ_CST); /* a translation in progress is not published */
    const uint32_t count = __atomic_load_n(&c->block_count, __ATOMIC_SEQ_CST);
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        struct rt_tr_block *b = &c->blocks[i];
        if (b->low >= base + len_bytes || b->high <= base) continue;
        rt_tr_cache_forget(b); /* running bursts no longer find it */
        found = true;
    }
    if (found) __atomic_store_n(&c->drop, 1, __ATOMIC_SEQ_CST);
}

/* Map memory at address at that can be executed and written, if need be by two mappings of it. */
static bool map_at(uint64_t at, int64_t *write_delta)
{
    const int fixed = MAP_FIXED_NOREPLACE | MAP_NORESERVE;
    if (at + RT_TR_ARENA_BYTES > rt_tr_process.stack_base && at < rt_tr_process.stack_end) return false;
    if (!rt_tr_process.options.map_twice) {
        const long got = map(at, RT_TR_ARENA_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
                             MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1);
        *write_delta = 0;
        if ((uint64_t)got == at) return true;
        if (!is_error(got)) unmap((uint64_t)got, RT_TR_ARENA_BYTES); /* a kernel that takes at for a hint */
        if (got != -1 /* EPERM */ && got != -13 /* EACCES */) return false;
    }
    const long fd = call6(SYS_memfd_create, (uint64_t)(uintptr_t) "loadstone-code", MFD_CLOEXEC, 0, 0, 0, 0);
    if (is_error(fd)) return false;
    bool good = !is_error(call6(SYS_ftruncate, (uint64_t)fd, RT_TR_ARENA_BYTES, 0, 0, 0, 0));
    const long code =
        good ? map(at, RT_TR_ARENA_BYTES, PROT_READ | PROT_EXEC, MAP_SHARED | fixed, (int)fd) : -1;
    const long data = good ? map(0, RT_TR_ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd) : -1;
    good = (uint64_t)code == at && !is_error(data);
    if (!good && !is_error(code)) unmap((uint64_t)code, RT_TR_ARENA_BYTES);
    if (!good && !is_error(data)) unmap((uint64_t)data, RT_TR_ARENA_BYTES);
    call6(SYS_close, (uint64_t)fd, 0, 0, 0, 0, 0);
    *write_delta = data - code;
    if (good) call6(SYS_madvise, (uint64_t)data, RT_TR_ARENA_BYTES, MADV_DONTFORK, 0, 0, 0);
    return good;
}

enum { NEAR_MOST = 1 << 30, STEP_BYTES = 32 << 20, LOWEST = 1 << 16 };

/* Below the code, away from where a heap grows; above it only where there is no room below. */
static bool map_near(uint64_t ip, uint64_t *at, int64_t *write_delta)
{
    const uint64_t here = ip & ~(uint64_t)(RT_TR_ARENA_BYTES - 1);
    for (uint64_t distance = STEP_BYTES; distance < NEAR_MOST && here >= distance + LOWEST;
         distance += STEP_BYTES)
        if (map_at(*at = here - distance, write_delta)) return true;
    if (here < STEP_BYTES)
        for (uint64_t low = here; low >= 2 * RT_TR_ARENA_BYTES; low -= RT_TR_ARENA_BYTES)
            if (map_at(*at = low - RT_TR_ARENA_BYTES, write_delta)) return true;
    for (uint64_t distance = NEAR_MOST - STEP_BYTES; distance >= STEP_BYTES; distance -= STEP_BYTES)
        if (map_at(*at = here + distance, write_delta)) return true;
    return false;
}

bool rt_tr_arena_try(uint64_t ip)
{
    uint64_t at;
    int64_t write_delta;
    if (!map_near(ip, &at, &write_delta)) return false;
    unmap(at, RT_TR_ARENA_BYTES);
    if (write_delta) unmap(at + (uint64_t)write_delta, RT_TR_ARENA_BYTES);
    return true;
}

uint32_t rt_tr_active(void)
{
    struct rt_tr_cache *c = __atomic_load_n(&rt_tr_process.cache, __ATOMIC_ACQUIRE);
    return c ? __atomic_load_n(&c->active, __ATOMIC_SEQ_CST) : 0;
}

static bool is_near(const struct rt_tr_arena *a, uint64_t ip)
{
    const uint64_t distance = a->base > ip ? a->base - ip : ip - a->base;
    return distance <= NEAR_MOST;
}

static bool has_room(const struct rt_tr_arena *a)
{
    return a->hot + RT_TR_BLOCK_BYTES_MOST <= RT_TR_HOT_BYTES &&
           a->cold + RT_TR_BLOCK_BYTES_MOST <= RT_TR_ARENA_BYTES;
}

static void copy_template(uint8_t *to, uint32_t len_bytes)
{
    memcpy(to, rt_tr_template, len_bytes);
    if (!rt_tr_process.options.has_rdtscp)
        memcpy(to + rt_tr_template_at(rt_tr_template_stamp), rt_tr_plain_stamp, RT_TR_STAMP_BYTES);
}

struct rt_tr_arena *rt_tr_arena_for(struct rt_tr_cache *c, uint64_t ip, enum rt_tr_end *why)
{
    for (uint32_t i = 0; i < c->arena_count; i++)
        if (is_near(&c->arenas[i], ip) && has_room(&c->arenas[i])) return &c->arenas[i];
    bool any_near = false;
    for (uint32_t i = 0; i < c->arena_count; i++)
        any_near |= is_near(&c->arenas[i], ip);
    *why = any_near ? RT_TR_END_FULL : RT_TR_END_REACH;
    if (c->arena_count == RT_TR_ARENAS_MOST) return NULL;
    struct rt_tr_arena *a = &c->arenas[c->arena_count];
    if (!map_near(ip, &a->base, &a->write_delta)) return NULL;
    call6(SYS_madvise, a->base, RT_TR_ARENA_BYTES, MADV_DONTFORK, 0, 0, 0);
    const uint32_t template_bytes = rt_tr_template_at(rt_tr_template_end);
    copy_template((uint8_t *)(uintptr_t)(a->base + (uint64_t)a->write_delta), template_bytes);
    a->hot = (template_bytes + 63) & ~63u;
    a->cold = RT_TR_HOT_BYTES;
    if (!c->none.code) {
        c->none.code = a->base + rt_tr_template_at(rt_tr_template_miss);
        c->none.arrive = a->base + rt_tr_template_at(rt_tr_template_not_quick);
    }
    __atomic_store_n(&c->arena_count, c->arena_count + 1, __ATOMIC_RELEASE);
    return a;
}

const struct rt_tr_arena *rt_tr_arena_of(const struct rt_tr_cache *c, uint64_t ip)
{
    const uint32_t count = __atomic_load_n(&c->arena_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++)
        if (ip - c->arenas[i].base < RT_TR_ARENA_BYTES) return &c->arenas[i];
    return NULL;
}

const struct rt_tr_mark *rt_tr_mark_of(struct rt_tr_cache *c, uint64_t ip, struct rt_tr_block **block,
                                       bool *slow)
{
    if (!rt_tr_arena_of(c, ip)) return NULL;
    const uint32_t count = __atomic_load_n(&c->block_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++) {
        struct rt_tr_block *b = &c->blocks[i];
        const uint64_t slow_code = __atomic_load_n(&b->slow, __ATOMIC_ACQUIRE);
        *slow = slow_code && ip - slow_code < b->slow_bytes;
        if (!*slow && ip - b->code >= b->code_bytes) continue;
        const uint64_t offset = ip - (*slow ? slow_code : b->code);
        const struct rt_tr_mark *marks = &c->marks[*slow ? b->slow_marks : b->marks];
        unsigned len = *slow ? b->slow_marks_len : b->marks_len;
        while (len && marks[len - 1].offset > offset)
            len--;
        *block = b;
        return len ? &marks[len - 1] : NULL;
    }
    return NULL;
}

uint64_t rt_tr_ip_of(const struct rt_tr_cache *c, const struct rt_tr_block *b, unsigned k)
{
    const struct rt_tr_mark *m = &c->marks[b->marks];
    for (unsigned i = k; i < b->marks_len; i++) /* an instruction has one mark or more */
        if (m[i].k == k) return b->low + m[i].ip_rel;
    return b->low;
}

void rt_tr_memory(uint64_t *all_bytes, uint64_t *code_bytes)
{
    const struct rt_tr_cache *c = __atomic_load_n(&rt_tr_process.cache, __ATOMIC_ACQUIRE);
    *all_bytes = *code_bytes = 0;
    if (!c) return;
    const uint32_t arenas = __atomic_load_n(&c->arena_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < arenas; i++)
        *code_bytes += c->arenas[i].hot + c->arenas[i].cold - RT_TR_HOT_BYTES;
    *all_bytes = *code_bytes + offsetof(struct rt_tr_cache, blocks) + c->block_count * sizeof c->blocks[0] +
                 c->mark_count * sizeof c->marks[0] + c->exit_count * sizeof c->exits[0] +
                 c->site_count * sizeof c->sites[0];
}
_Static_assert(sizeof(struct rt_tr_cache) + RT_TR_ARENAS_MOST * RT_TR_ARENA_BYTES <= 16 << 20,
               "the cache of a process takes at most 16 MiB");
