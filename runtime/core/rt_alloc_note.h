/* SPDX-License-Identifier: BSD-3-Clause */
/* Records that allocator hooks write to the spool. Each block of at least rt_state.alloc_always_bytes is
 * recorded with its call path; shorter blocks are sampled by a Poisson process over their bytes
 * (rt_poisson_sigsafe.h). */
#ifndef RT_ALLOC_NOTE_H
#define RT_ALLOC_NOTE_H

#include "runtime/core/rt_blocks_sigsafe.h"
#include "runtime/core/rt_tags_sigsafe.h"
#include "runtime/core/rt_thread.h"
#include "spool/spool_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A block as a hook describes it. */
struct rt_block {
    void *base; /* NULL: nothing was allocated */
    size_t len_bytes;
    enum spool_alloc_call call;
    void *caller; /* return address of the hook */
    uint64_t cfa; /* the hook's frame: its return address is in the word below; 0: the block gets no tag */
};

/* Count a block of this length. True: it may be recorded, by rt_alloc_note. Almost always false, by two
 * comparisons; hooks count before the real call, so that they can leave the rest to it. */
static inline bool rt_alloc_count(size_t len_bytes)
{
    if (__builtin_expect(len_bytes >= __atomic_load_n(&rt_state.alloc_always_bytes, __ATOMIC_RELAXED), 0))
        return true;
    rt_tls.looked_calls++;
    return __builtin_expect((rt_tls.sample_left_bytes -= (int64_t)len_bytes) < 0, 0);
}

/* Record a notable block after it was allocated, or skip it. errno is kept. The parameters are words, not a
 * struct rt_block, because hooks that have no stack frame call it.
 * Thread: any.  Signal: as for the program's call. */
void rt_alloc_note(void *base, size_t len_bytes, enum spool_alloc_call call, void *caller, uint64_t cfa);
/* Record a block again whose end was recorded although it lives on. */
void rt_alloc_note_kept(const struct rt_block *b);

/* The frame of a hook that asks for it. */
#define RT_FRAME() ((uint64_t)(uintptr_t)__builtin_dwarf_cfa())

RT_TAG_INLINE struct rt_tag_call rt_alloc_tag_call(const void *caller, uint64_t cfa)
{
    const uint64_t depth = rt_tls.stack_end - cfa;
    const bool is_known = __builtin_expect(depth < rt_tls.stack_bytes, 1);
    return (struct rt_tag_call){(uint64_t)(uintptr_t)caller, cfa, is_known ? depth : 0};
}

/* Tag any block that is not tagged quickly; NULL is none. signature: where rt_tag_known ended. Returns it; errno is kept. */
void *rt_alloc_tag_slowly(void *base, size_t len_bytes, void *caller, uint64_t cfa, uint64_t signature);

/* Tag any block, and return it; errno is kept. If its site is known and a few stores are enough, that is all inline. */
RT_TAG_INLINE void *rt_alloc_tagged(void *base, size_t len_bytes, void *caller, uint64_t cfa)
{
    uint64_t signature;
    if (!rt_tags.is_on) return base;
    const struct rt_tag_call call = rt_alloc_tag_call(caller, cfa);
    const uint32_t site = rt_tag_known(&call, &signature);
    if (__builtin_expect(site != 0, 1) &&
        __builtin_expect(rt_tag_put_quickly((uint64_t)(uintptr_t)base, len_bytes, site), 1))
        return base;
    return rt_alloc_tag_slowly(base, len_bytes, caller, cfa, signature);
}
/* The same, not inline. In the section of the quick hooks. */
void rt_alloc_tag(void *base, size_t len_bytes, void *caller, uint64_t cfa);

/* Did our hooks make blocks themselves, before the C library was known? (rt_hooks_alloc.c) */
bool rt_alloc_has_early_blocks(void);

/* Record the end of a block that has a record, before it is freed (its address may be reused at once).
 * Returns whether there was one.  errno is kept. */
bool rt_free_note(void *p);

/* Add the calling thread's skipped allocations to the pending events.  Signal: safe. */
void rt_alloc_put_skipped(void);
/* The same for blocks without tags, and for allocations at sites without a number.  Signal: safe. */
void rt_alloc_put_tag_counts(void);

/* A path as a record has it: all frames, or its hash where the stream has them. */
struct rt_written_path {
    const uint64_t *frames;
    uint32_t len;
    unsigned flags; /* SPOOL_ALLOC_KNOWN_PATH */
    uint64_t hash;
};
/* The path of the calling thread t, whose writer is open; only the caller while the budget is exceeded, after
 * the first 4,096 paths of the process. Where the record is dropped, rt_paths_forget(&t->paths, out->hash) follows. */
void rt_path_to_write(struct rt_thread *t, void *caller, struct rt_written_path *out);

/* Record the call path of an anonymous mapping that is in the spool already. Call it inside rt_enter and
 * rt_leave of t. */
void rt_alloc_note_mapping(struct rt_thread *t, const struct rt_block *b);

#endif
