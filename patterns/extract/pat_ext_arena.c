/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext.h"
#include "common/ls_vector.h"
#include "smrtree/smr_array.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { ARENA_CHUNK_LOG2_MIN = 16, ARENA_MEMORY_PART_LOG2 = 7, ARENA_LINE_LOG2 = 6 };

/* A free block begins with links to its neighbours in the list of its size. */
struct pat_ext_arena_free {
    struct pat_ext_arena_free *next, *before;
};

struct pat_ext_arena_chunk {
    char *base;    /* a multiple of a chunk's size */
    uint8_t *free; /* by units of the least block: size of the free block that begins there, 0: none */
};

void pat_ext_arena_init(struct pat_ext_arena *a, uint64_t memory_bytes)
{
    *a = (struct pat_ext_arena){.log2_chunk = PAT_EXT_ARENA_LOG2_MAX};
    while (a->log2_chunk > ARENA_CHUNK_LOG2_MIN &&
           UINT64_C(1) << (a->log2_chunk + ARENA_MEMORY_PART_LOG2) > memory_bytes)
        a->log2_chunk--;
}

/* Map a huge page; NULL without memory. It is unmapped when freed, so the system can reuse its memory at
 * once, also for the next allocation. */
static void *arena_huge_page(size_t len_bytes)
{
    char *p = mmap(NULL, 2 * len_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return NULL;
    const size_t before = -(uintptr_t)p & (len_bytes - 1);
    if (before) munmap(p, before);
    munmap(p + before + len_bytes, len_bytes - before);
    madvise(p + before, len_bytes, MADV_HUGEPAGE); /* a hint: failure costs only speed */
    return p + before;
}

static void *arena_chunk_memory(uint8_t log2_bytes)
{
    const size_t len_bytes = (size_t)1 << log2_bytes;
    return log2_bytes == PAT_EXT_ARENA_LOG2_MAX ? arena_huge_page(len_bytes)
                                                : aligned_alloc(len_bytes, len_bytes);
}

static void arena_chunk_release(void *base, uint8_t log2_bytes)
{
    if (log2_bytes == PAT_EXT_ARENA_LOG2_MAX && base)
        munmap(base, (size_t)1 << log2_bytes);
    else
        free(base);
}

void pat_ext_arena_fini(struct pat_ext_arena *a)
{
    for (size_t i = 0; i < a->chunks_len; i++) {
        arena_chunk_release(a->chunks[i].base, a->log2_chunk);
        free(a->chunks[i].free);
    }
    free(a->chunks);
    *a = (struct pat_ext_arena){0};
}

/* ---- free blocks ---- */

static void arena_put(struct pat_ext_arena *a, struct pat_ext_arena_chunk *c, size_t at, uint8_t log2_bytes)
{
    struct pat_ext_arena_free *f = (struct pat_ext_arena_free *)(c->base + at);
    *f = (struct pat_ext_arena_free){.next = a->free[log2_bytes]};
    if (f->next) f->next->before = f;
    a->free[log2_bytes] = f;
    c->free[at >> PAT_EXT_ARENA_LOG2_MIN] = log2_bytes;
}

static void arena_remove(struct pat_ext_arena *a, struct pat_ext_arena_chunk *c, size_t at,
                         uint8_t log2_bytes)
{
    struct pat_ext_arena_free *f = (struct pat_ext_arena_free *)(c->base + at);
    if (f->before)
        f->before->next = f->next;
    else
        a->free[log2_bytes] = f->next;
    if (f->next) f->next->before = f->before;
    c->free[at >> PAT_EXT_ARENA_LOG2_MIN] = 0;
}

/* ---- chunks ---- */

static struct pat_ext_arena_chunk *arena_chunk_of(const struct pat_ext_arena *a, const void *block)
{
    const uintptr_t base = (uintptr_t)block >> a->log2_chunk << a->log2_chunk;
    struct pat_ext_arena_chunk *c = a->chunks;
    while ((uintptr_t)c->base != base)
        c++;
    return c;
}

static struct pat_ext_arena_chunk *arena_chunk_add(struct pat_ext_arena *a)
{
    if (LS_GROW(a->chunks, a->chunks_cap, a->chunks_len + 1) != LS_OK) return NULL;
    struct pat_ext_arena_chunk c = {.base = arena_chunk_memory(a->log2_chunk),
                                    .free = calloc((size_t)1 << (a->log2_chunk - PAT_EXT_ARENA_LOG2_MIN), 1)};
    if (!c.base || !c.free) {
        arena_chunk_release(c.base, a->log2_chunk);
        free(c.free);
        return NULL;
    }
    a->chunks[a->chunks_len] = c;
    a->empty++;
    arena_put(a, &a->chunks[a->chunks_len], 0, a->log2_chunk);
    return &a->chunks[a->chunks_len++];
}

/* Release a chunk without blocks. The caller keeps one such chunk for the next allocation. */
static void arena_chunk_drop(struct pat_ext_arena *a, struct pat_ext_arena_chunk *c)
{
    arena_remove(a, c, 0, a->log2_chunk);
    arena_chunk_release(c->base, a->log2_chunk);
    free(c->free);
    *c = a->chunks[--a->chunks_len];
    a->empty--;
}

/* ---- blocks ---- */

static int arena_has(const struct pat_ext_arena *a, uint8_t log2_bytes)
{
    return a && log2_bytes >= PAT_EXT_ARENA_LOG2_MIN && log2_bytes <= a->log2_chunk;
}

void *pat_ext_arena_take(struct pat_ext_arena *a, uint8_t log2_bytes)
{
    if (!arena_has(a, log2_bytes))
        return log2_bytes < ARENA_LINE_LOG2 ? malloc((size_t)1 << log2_bytes)
                                            : aligned_alloc(SMR_ARRAY_LINE_BYTES, (size_t)1 << log2_bytes);
    uint8_t from = log2_bytes;
    while (from < a->log2_chunk && !a->free[from])
        from++;
    if (!a->free[from] && !arena_chunk_add(a)) return NULL;
    struct pat_ext_arena_free *f = a->free[from];
    struct pat_ext_arena_chunk *c = arena_chunk_of(a, f);
    const size_t at = (size_t)((char *)f - c->base);
    arena_remove(a, c, at, from);
    a->empty -= from == a->log2_chunk;
    while (from > log2_bytes) { /* the upper half remains free */
        from--;
        arena_put(a, c, at + ((size_t)1 << from), from);
    }
    return f;
}

void pat_ext_arena_give(struct pat_ext_arena *a, void *block, uint8_t log2_bytes)
{
    if (!block) return;
    if (!arena_has(a, log2_bytes)) {
        free(block);
        return;
    }
    struct pat_ext_arena_chunk *c = arena_chunk_of(a, block);
    size_t at = (size_t)((char *)block - c->base);
    for (; log2_bytes < a->log2_chunk; log2_bytes++) {
        const size_t buddy = at ^ (size_t)1 << log2_bytes;
        if (c->free[buddy >> PAT_EXT_ARENA_LOG2_MIN] != log2_bytes) break;
        arena_remove(a, c, buddy, log2_bytes);
        if (buddy < at) at = buddy;
    }
    arena_put(a, c, at, log2_bytes);
    if (log2_bytes < a->log2_chunk) return;
    if (++a->empty > 1) arena_chunk_drop(a, c);
}
