/* SPDX-License-Identifier: BSD-3-Clause */
/* The allocator. Small blocks cost two comparisons; large ones are recorded: the allocation after it was
 * made, the free before it is done, because the address may be reused at once. */
#include "runtime/core/rt_alloc_limit_sigsafe.h"
#include "runtime/core/rt_arena.h"
#include "runtime/core/rt_blocks_sigsafe.h"
#include "runtime/core/rt_real.h"
#include "runtime/core/rt_registry.h"
#include "runtime/core/rt_spool_sigsafe.h"

#include "common/ls_checked.h"

#include <errno.h>
#include <string.h>

enum { RT_PAGE_BYTES = 4096 };

/* What alloc hooks tell about a block. */
struct rt_block {
    void *base;
    size_t len_bytes;
    enum spool_alloc_call call;
    void *caller;
};

enum { RT_LIMIT_LOOK_EVERY = 256 };

static void rt_put_alloc(struct rt_thread *t, const struct rt_block *b)
{
    const uint64_t base = (uint64_t)(uintptr_t)b->base;
    const uint64_t caller = (uint64_t)(uintptr_t)b->caller;
    const struct spool_alloc rec = {.time_ns = ls_clock_mono_ns(),
                                    .base = base,
                                    .len_bytes = b->len_bytes,
                                    .frames_len = 1,
                                    .sample_rate = 1};
    if (rt_blocks_add(base)) spool_put_alloc(rt_spool_writer(t), rec, b->call, &caller);
    if (++t->allocs % RT_LIMIT_LOOK_EVERY == 0) rt_alloc_limit_adjust(rec.time_ns);
}

/* The program allocates too fast to record each block. */
static void rt_skip_alloc(void)
{
    const uint64_t skipped =
        __atomic_add_fetch(&rt_state.pending_events[SPOOL_EVENT_ALLOCS_SKIPPED], 1, __ATOMIC_RELAXED);
    if (skipped % RT_LIMIT_LOOK_EVERY == 0) rt_alloc_limit_adjust(ls_clock_mono_ns());
}

static __attribute__((noinline)) void rt_note_alloc(const struct rt_block *b)
{
    if (b->len_bytes < __atomic_load_n(&rt_state.alloc_record_bytes, __ATOMIC_RELAXED)) {
        rt_skip_alloc();
        return;
    }
    const int saved = errno;
    struct rt_thread *t = b->base ? rt_enter() : NULL;
    if (t) {
        rt_put_alloc(t, b);
        rt_leave();
    }
    errno = saved;
}

/* Was it recorded? Then its end is. */
static __attribute__((noinline)) bool rt_note_free(void *p)
{
    if (!rt_is_recording() || rt_tls.depth || rt_tls.dead || !rt_blocks_remove((uint64_t)(uintptr_t)p))
        return false;
    const int saved = errno;
    struct rt_thread *t = rt_enter();
    if (t) {
        spool_put_free(rt_spool_writer(t), ls_clock_mono_ns(), (uint64_t)(uintptr_t)p);
        rt_leave();
    }
    errno = saved;
    return true;
}

static inline bool rt_is_large(size_t len_bytes)
{
    if (__builtin_expect(len_bytes >= rt_state.config.alloc_min_bytes, 0)) return true;
    rt_tls.small_calls++;
    return false;
}

#define RT_NOTE_ALLOC(p, n, kind)                                                                       \
    do {                                                                                                \
        if (rt_is_large(n)) {                                                                           \
            const struct rt_block note_block = {p, n, SPOOL_ALLOC_##kind, __builtin_return_address(0)}; \
            rt_note_alloc(&note_block);                                                                 \
        }                                                                                               \
    } while (0)

/* NULL from the arena is out of memory like any other. */
static __attribute__((noinline, cold)) void *rt_early_alloc(size_t count, size_t len_bytes,
                                                            size_t align_bytes)
{
    void *p = rt_arena_alloc(count, len_bytes, align_bytes);
    if (!p) errno = ENOMEM;
    return p;
}

/* The real function is not known yet and cannot be looked up now. */
#define RT_IS_EARLY(name) (__builtin_expect(!rt_real.name, 0) && !RT_REAL(name))

LS_EXPORT void *malloc(size_t n)
{
    if (RT_IS_EARLY(malloc)) return rt_early_alloc(1, n, 1);
    void *p = rt_real.malloc(n);
    RT_NOTE_ALLOC(p, n, MALLOC);
    return p;
}

LS_EXPORT void *calloc(size_t count, size_t n)
{
    if (RT_IS_EARLY(calloc)) return rt_early_alloc(count, n, 1);
    void *p = rt_real.calloc(count, n);
    size_t len;
    if (ls_mul_size(count, n, &len)) RT_NOTE_ALLOC(p, len, CALLOC);
    return p;
}

/* Weak, not looked up: dlsym allocates its message about a missing name, perhaps inside an allocator that is
 * just starting and asked us for memory. */
extern int __sanitizer_get_ownership(const volatile void *) __attribute__((weak));
extern size_t __sanitizer_get_allocated_size(const volatile void *) __attribute__((weak));

/* A sanitizer's allocator dies of the question about a block that is not live, and blames us instead of the
 * program's double free. */
static size_t rt_ask_usable_bytes(void *p)
{
    if (__sanitizer_get_ownership && __sanitizer_get_allocated_size)
        return __sanitizer_get_ownership(p) ? __sanitizer_get_allocated_size(p) : 0;
    return rt_real.malloc_usable_size ? rt_real.malloc_usable_size(p) : 0;
}

/* Before our constructor the allocator behind us may not be ready for the question. In the question no burst
 * goes on: it is not the program's. */
static size_t rt_usable_bytes(void *p)
{
    if (__builtin_expect(!rt_state.pid, 0)) return 0;
    rt_quiet_begin();
    const size_t len = rt_ask_usable_bytes(p);
    rt_quiet_end();
    return len;
}

LS_EXPORT void free(void *p)
{
    if (!p || __builtin_expect(rt_arena_owns(p), 0)) return;
    if (RT_IS_EARLY(free)) return;
    const size_t len = rt_usable_bytes(p);
    rt_registry_end_inside((uint64_t)(uintptr_t)p, len);
    if (rt_is_large(len)) rt_note_free(p);
    rt_real.free(p);
}

static void *rt_realloc_from_arena(void *p, size_t n)
{
    void *q = malloc(n);
    const size_t old = rt_arena_len(p);
    if (q) memcpy(q, p, old < n ? old : n);
    return q;
}

/* A block that moves ends where it was; it is told before the call, because the old address may be reused at
 * once, and taken back when the call fails. */
static void *rt_realloc_noted(void *p, size_t n, void *caller)
{
    const size_t old = p ? rt_usable_bytes(p) : 0;
    const bool was_noted = p && rt_is_large(old) && rt_note_free(p);
    void *q = rt_real.realloc(p, n);
    const struct rt_block made = {q, n, SPOOL_ALLOC_REALLOC, caller};
    const struct rt_block kept = {p, old, SPOOL_ALLOC_REALLOC, caller};
    if (q && rt_is_large(n))
        rt_note_alloc(&made);
    else if (!q && n > 0 && was_noted)
        rt_note_alloc(&kept);
    if (p && q != p && (q || n == 0)) rt_registry_end_inside((uint64_t)(uintptr_t)p, old);
    return q;
}

LS_EXPORT void *realloc(void *p, size_t n)
{
    if (RT_IS_EARLY(realloc) || RT_IS_EARLY(malloc)) return p ? NULL : rt_early_alloc(1, n, 1);
    if (__builtin_expect(p && rt_arena_owns(p), 0)) return rt_realloc_from_arena(p, n);
    return rt_realloc_noted(p, n, __builtin_return_address(0));
}

LS_EXPORT void *reallocarray(void *p, size_t count, size_t n)
{
    size_t len;
    if (!ls_mul_size(count, n, &len)) {
        errno = ENOMEM;
        return NULL;
    }
    if (RT_IS_EARLY(realloc) || RT_IS_EARLY(malloc)) return p ? NULL : rt_early_alloc(1, len, 1);
    if (__builtin_expect(p && rt_arena_owns(p), 0)) return rt_realloc_from_arena(p, len);
    return rt_realloc_noted(p, len, __builtin_return_address(0));
}

LS_EXPORT int posix_memalign(void **out, size_t align_bytes, size_t n)
{
    if (RT_IS_EARLY(posix_memalign)) {
        void *p = rt_arena_alloc(1, n, align_bytes);
        if (p) *out = p;
        return p ? 0 : ENOMEM;
    }
    const int err = rt_real.posix_memalign(out, align_bytes, n);
    if (err == 0) RT_NOTE_ALLOC(*out, n, ALIGNED);
    return err;
}

LS_EXPORT void *aligned_alloc(size_t align_bytes, size_t n)
{
    if (RT_IS_EARLY(aligned_alloc)) return rt_early_alloc(1, n, align_bytes);
    void *p = rt_real.aligned_alloc(align_bytes, n);
    RT_NOTE_ALLOC(p, n, ALIGNED);
    return p;
}

LS_EXPORT void *memalign(size_t align_bytes, size_t n)
{
    if (RT_IS_EARLY(memalign)) return rt_early_alloc(1, n, align_bytes);
    void *p = rt_real.memalign(align_bytes, n);
    RT_NOTE_ALLOC(p, n, ALIGNED);
    return p;
}

LS_EXPORT void *valloc(size_t n)
{
    if (RT_IS_EARLY(valloc)) return rt_early_alloc(1, n, RT_PAGE_BYTES);
    void *p = rt_real.valloc(n);
    RT_NOTE_ALLOC(p, n, ALIGNED);
    return p;
}

LS_EXPORT void *pvalloc(size_t n)
{
    if (RT_IS_EARLY(pvalloc)) return rt_early_alloc(1, n, RT_PAGE_BYTES);
    void *p = rt_real.pvalloc(n);
    RT_NOTE_ALLOC(p, n, ALIGNED);
    return p;
}

LS_EXPORT size_t malloc_usable_size(void *p)
{
    if (!p) return 0;
    if (__builtin_expect(rt_arena_owns(p), 0)) return rt_arena_len(p);
    return RT_REAL(malloc_usable_size) ? rt_real.malloc_usable_size(p) : 0;
}
