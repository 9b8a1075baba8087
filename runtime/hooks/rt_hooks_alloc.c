/* SPDX-License-Identifier: BSD-3-Clause */
/* The allocator. Most small blocks cost two comparisons and a jump; the others are recorded: the allocation
 * after it was made, the free before it is done, because the address may be reused at once. */
#include "runtime/core/rt_alloc_note.h"
#include "runtime/core/rt_marker_sigsafe.h"
#include "runtime/core/rt_real.h"
#include "runtime/core/rt_registry.h"
#include "runtime/core/rt_timed.h"

#include "common/ls_checked.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { RT_PAGE_BYTES = 4096 };

/* --- Memory for calls that come while the real allocator is still being looked up (dlsym may call calloc).
 * Never given back. --- */

enum { ARENA_BYTES = 64 * 1024, ARENA_ALIGN_BYTES = 16 };
static _Alignas(4096) uint8_t arena[ARENA_BYTES];
static size_t arena_used;

/* The length is stored before the block: these blocks are ours, no layout of the program is changed. */
static bool arena_reserve(size_t len_bytes, size_t align_bytes, size_t *used, size_t *at)
{
    size_t begin = *used + sizeof(size_t);
    if (begin > ARENA_BYTES - align_bytes) return false;
    begin = (begin + align_bytes - 1) & ~(align_bytes - 1);
    if (len_bytes > ARENA_BYTES - begin) return false;
    *at = begin;
    *used = begin + len_bytes;
    return true;
}

/* Zeroed; align_bytes is a power of two. NULL when full or when the length overflows. */
static void *arena_alloc(size_t count, size_t len_bytes, size_t align_bytes)
{
    size_t len, at, next;
    if (!ls_mul_size(count, len_bytes, &len) || align_bytes > 4096) return NULL;
    if (align_bytes < ARENA_ALIGN_BYTES) align_bytes = ARENA_ALIGN_BYTES;
    size_t used = __atomic_load_n(&arena_used, __ATOMIC_RELAXED);
    do {
        next = used;
        if (!arena_reserve(len, align_bytes, &next, &at)) return NULL;
    } while (
        !__atomic_compare_exchange_n(&arena_used, &used, next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    memcpy(arena + at - sizeof(size_t), &len, sizeof(len));
    return arena + at;
}

bool rt_alloc_has_early_blocks(void)
{
    return __atomic_load_n(&arena_used, __ATOMIC_RELAXED) > 0;
}

/* Usable length of a block of ours. */
static size_t arena_len(const void *p)
{
    size_t len;
    memcpy(&len, (const uint8_t *)p - sizeof(len), sizeof(len));
    return len;
}

static inline bool arena_owns(const void *p)
{
    return (uintptr_t)p - (uintptr_t)arena < ARENA_BYTES;
}

/* --- The hooks. --- */

static void rt_note_block(void *p, size_t n, enum spool_alloc_call call, void *caller, uint64_t cfa)
{
    if (rt_alloc_count(n))
        rt_alloc_note(p, n, call, caller, cfa);
    else
        rt_alloc_tag(p, n, caller, cfa);
}

#define RT_NOTE_ALLOC(p, n, kind) \
    rt_note_block(p, n, SPOOL_ALLOC_##kind, __builtin_return_address(0), RT_FRAME())

/* NULL from the arena is out of memory like any other. */
static LS_ALIGNED __attribute__((cold)) void *rt_early_alloc(size_t count, size_t len_bytes,
                                                             size_t align_bytes)
{
    void *p = arena_alloc(count, len_bytes, align_bytes);
    if (!p) errno = ENOMEM;
    return p;
}

/* The real function is not known yet and cannot be looked up now. */
#define RT_IS_EARLY(name) (__builtin_expect(!rt_real.name, 0) && !RT_REAL(name))

/* Is a system call of the allocator timed for a block of this length? Not in calloc and realloc, which also
 * write the memory. */
static struct rt_timed_call rt_time_block(enum rt_timed_kind kind, size_t len_bytes, void *caller)
{
    const bool is_due = len_bytes >= RT_TIMED_BLOCK_BYTES && rt_timed_count(kind);
    return is_due ? rt_timed_choose(kind, caller) : (struct rt_timed_call){0};
}

static void rt_timed_malloc_end(const struct rt_timed_call *c, void *heap_end, void *p, size_t n)
{
    rt_timed_end_allocator(c, sbrk(0) == heap_end ? SPOOL_CALL_MAP : SPOOL_CALL_BREAK, p, n);
}

static LS_ALIGNED __attribute__((cold)) void *rt_malloc_noted(size_t n, void *caller, uint64_t cfa)
{
    if (RT_IS_EARLY(malloc)) return rt_early_alloc(1, n, 1);
    struct rt_timed_call c = rt_time_block(RT_TIMED_ALLOC, n, caller);
    void *const heap_end = c.represents ? sbrk(0) : NULL;
    rt_timed_start(&c);
    void *p = rt_real.malloc(n);
    rt_timed_stop(&c);
    rt_alloc_note(p, n, SPOOL_ALLOC_MALLOC, caller, cfa);
    if (c.cpu_ns) rt_timed_malloc_end(&c, heap_end, p, n);
    return p;
}

/* While the real function is not known, each call is notable. */
LS_EXPORT_FRAMELESS RT_QUICK_HOOK void *malloc(size_t n)
{
    if (rt_alloc_count(n)) return rt_malloc_noted(n, __builtin_return_address(0), RT_FRAME());
    void *p = rt_real.malloc(n);
    return rt_alloc_tagged(p, n, __builtin_return_address(0), RT_FRAME());
}

static LS_ALIGNED __attribute__((cold)) void *rt_calloc_noted(size_t count, size_t n, void *caller,
                                                              uint64_t cfa)
{
    size_t len;
    if (RT_IS_EARLY(calloc)) return rt_early_alloc(count, n, 1);
    void *p = rt_real.calloc(count, n);
    if (ls_mul_size(count, n, &len)) rt_alloc_note(p, len, SPOOL_ALLOC_CALLOC, caller, cfa);
    return p;
}

LS_EXPORT_FRAMELESS RT_QUICK_HOOK void *calloc(size_t count, size_t n)
{
    size_t len;
    if (!ls_mul_size(count, n, &len) || rt_alloc_count(len))
        return rt_calloc_noted(count, n, __builtin_return_address(0), RT_FRAME());
    void *p = rt_real.calloc(count, n);
    return rt_alloc_tagged(p, len, __builtin_return_address(0), RT_FRAME());
}

/* Weak, not looked up: dlsym allocates its message about a missing name, perhaps inside an allocator that is
 * just starting and asked us for memory. */
extern int __sanitizer_get_ownership(const volatile void *) __attribute__((weak));
extern size_t __sanitizer_get_allocated_size(const volatile void *) __attribute__((weak));

/* A sanitizer's allocator aborts when it is asked for the length of a dead block, and blames us instead of
 * the program's double free. */
static size_t rt_ask_usable_bytes(void *p)
{
    if (__sanitizer_get_ownership && __sanitizer_get_allocated_size)
        return __sanitizer_get_ownership(p) ? __sanitizer_get_allocated_size(p) : 0;
    return rt_real.malloc_usable_size ? rt_real.malloc_usable_size(p) : 0;
}

/* Return the usable length of a block. Before our constructor the next allocator may not be ready for the
 * query. No burst continues during the query: it is not the program's. */
static size_t rt_usable_bytes(void *p)
{
    if (__builtin_expect(!rt_state.pid, 0)) return 0;
    rt_quiet_begin();
    rt_mark(LS_MARKER_PAUSE, 0, 0, 0);
    const size_t len = rt_ask_usable_bytes(p);
    rt_mark(LS_MARKER_RESUME, 0, 0, 0);
    rt_quiet_end();
    return len;
}

/* The block is in the spool, and the real call frees it. */
static void rt_free_timed(void *p, size_t len, void *caller)
{
    struct rt_timed_call c = rt_time_block(RT_TIMED_FREE, len, caller);
    rt_timed_announce(&c, p, len);
    rt_free_note(p);
    void *const heap_end = c.represents ? sbrk(0) : NULL;
    rt_timed_start(&c);
    rt_real.free(p);
    rt_timed_stop(&c);
    if (c.cpu_ns)
        rt_timed_end_allocator(
            &c, SPOOL_CALL_ENDED | (sbrk(0) == heap_end ? SPOOL_CALL_UNMAP : SPOOL_CALL_BREAK), p, len);
}

static LS_ALIGNED __attribute__((cold)) void rt_free_noted(void *p, void *caller)
{
    const uint64_t base = (uint64_t)(uintptr_t)p;
    if (!p || arena_owns(p) || RT_IS_EARLY(free)) return;
    if (rt_registry_may_end_after(base)) rt_registry_end_inside(base, rt_usable_bytes(p));
    if (rt_blocks_has(base))
        rt_free_timed(p, rt_usable_bytes(p), caller);
    else
        rt_real.free(p);
}

/* The body of hooks that end a block of the real malloc. */
static inline __attribute__((always_inline)) void rt_free(void *p, void *caller)
{
    const uint64_t base = (uint64_t)(uintptr_t)p;
    if (__builtin_expect(
            rt_blocks_may_have(base) || arena_owns(p) || !rt_real.free || rt_registry_may_end_after(base), 0))
        rt_free_noted(p, caller);
    else
        rt_real.free(p);
}

LS_EXPORT_FRAMELESS RT_QUICK_HOOK void free(void *p)
{
    rt_free(p, __builtin_return_address(0));
}

static void *rt_realloc_from_arena(void *p, size_t n)
{
    void *q = malloc(n);
    const size_t old = arena_len(p);
    if (q) memcpy(q, p, old < n ? old : n);
    return q;
}

/* A block that moves ends at its old address. Its end is recorded before the call, because the address may be
 * reused at once, and revoked when the call fails. */
static void *rt_realloc_noted(void *p, size_t n, void *caller, uint64_t cfa)
{
    const uint64_t base = (uint64_t)(uintptr_t)p;
    const bool may_hold_ranges = p && rt_registry_may_end_after(base), is_notable = p && rt_blocks_has(base);
    const size_t old = may_hold_ranges || is_notable ? rt_usable_bytes(p) : 0;
    const bool was_noted = is_notable && rt_free_note(p);
    void *q = rt_real.realloc(p, n);
    const struct rt_block kept = {p, old, SPOOL_ALLOC_REALLOC, caller, 0};
    if (q)
        rt_note_block(q, n, SPOOL_ALLOC_REALLOC, caller, cfa);
    else if (!q && n > 0 && was_noted)
        rt_alloc_note_kept(&kept);
    if (may_hold_ranges && q != p && (q || n == 0)) rt_registry_end_inside(base, old);
    return q;
}

LS_EXPORT void *realloc(void *p, size_t n)
{
    if (RT_IS_EARLY(realloc) || RT_IS_EARLY(malloc)) return p ? NULL : rt_early_alloc(1, n, 1);
    if (__builtin_expect(p && arena_owns(p), 0)) return rt_realloc_from_arena(p, n);
    return rt_realloc_noted(p, n, __builtin_return_address(0), RT_FRAME());
}

LS_EXPORT void *reallocarray(void *p, size_t count, size_t n)
{
    size_t len;
    if (!ls_mul_size(count, n, &len)) {
        errno = ENOMEM;
        return NULL;
    }
    if (RT_IS_EARLY(realloc) || RT_IS_EARLY(malloc)) return p ? NULL : rt_early_alloc(1, len, 1);
    if (__builtin_expect(p && arena_owns(p), 0)) return rt_realloc_from_arena(p, len);
    return rt_realloc_noted(p, len, __builtin_return_address(0), RT_FRAME());
}

LS_EXPORT int posix_memalign(void **out, size_t align_bytes, size_t n)
{
    if (RT_IS_EARLY(posix_memalign)) {
        void *p = arena_alloc(1, n, align_bytes);
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
    if (__builtin_expect(arena_owns(p), 0)) return arena_len(p);
    return RT_REAL(malloc_usable_size) ? rt_real.malloc_usable_size(p) : 0;
}

/* --- operator new and delete ---
 *
 * libstdc++'s call malloc and free, so their hooks do the same themselves: the block's caller is the program's then, not
 * libstdc++, and one call is saved. Other allocators bring operators, which are called. */

static struct {
    uint32_t is_found; /* the real operators, and: */
    uint32_t is_malloc;
    uint32_t has_usable_bytes; /* the real malloc is of the same object */
} rt_new;

struct rt_new_row {
    const char *name;
    size_t offset;
};
#define RT_NEW_ROW(result, name, args) {#name, offsetof(struct rt_real, name)},
static const struct rt_new_row rt_new_rows[] = {RT_NEW_LIST(RT_NEW_ROW)};
#undef RT_NEW_ROW

static void rt_new_find_in(void *object)
{
    for (size_t i = 0; i < sizeof(rt_new_rows) / sizeof(rt_new_rows[0]); i++) {
        void *const found = dlsym(object, rt_new_rows[i].name);
        memcpy((char *)&rt_real + rt_new_rows[i].offset, &found, sizeof(found));
    }
}

/* Where C++ came by a dlopen with RTLD_LOCAL only the caller's object shows where its operators are. */
static void rt_new_find_for(void *caller)
{
    Dl_info info;
    void *object = NULL;
    if (dladdr(caller, &info) != 0 && info.dli_fname && rt_real.dlopen)
        object = rt_real.dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!object) return;
    rt_new_find_in(object);
    rt_real.dlclose(object);
}

static const void *rt_object_of(const void *function)
{
    Dl_info info;
    return function && dladdr(function, &info) != 0 ? info.dli_fbase : NULL;
}

/* Are all operators libstdc++'s, and do its calls of malloc and free reach our hooks, not functions of the program? */
static bool rt_new_calls_malloc(void)
{
    for (size_t i = 0; i < sizeof(rt_new_rows) / sizeof(rt_new_rows[0]); i++) {
        Dl_info info;
        void *found;
        memcpy(&found, (const char *)&rt_real + rt_new_rows[i].offset, sizeof(found));
        if (found &&
            (dladdr(found, &info) == 0 || !info.dli_fname || !strstr(info.dli_fname, "/libstdc++.so")))
            return false;
    }
    const void *own = rt_object_of(rt_new_rows);
    return rt_object_of(dlsym(RTLD_DEFAULT, "malloc")) == own &&
           rt_object_of(dlsym(RTLD_DEFAULT, "free")) == own;
}

static LS_ALIGNED __attribute__((cold)) void rt_new_find(void *caller)
{
    const int saved = errno;
    const void *operator_new, *allocator;
    rt_quiet_begin();
    if (RT_REAL(malloc)) rt_new_find_in(RTLD_NEXT);
    if (!rt_real._Znwm) rt_new_find_for(caller);
    memcpy(&operator_new, &rt_real._Znwm, sizeof(operator_new));
    memcpy(&allocator, &rt_real.malloc, sizeof(allocator));
    rt_new.is_malloc = rt_new_calls_malloc();
    rt_new.has_usable_bytes = rt_object_of(operator_new) == rt_object_of(allocator);
    __atomic_store_n(&rt_new.is_found, 1, __ATOMIC_RELEASE);
    rt_quiet_end();
    errno = saved;
}

static inline void rt_new_prepare(void *caller)
{
    if (__builtin_expect(!__atomic_load_n(&rt_new.is_found, __ATOMIC_ACQUIRE), 0)) rt_new_find(caller);
}

/* Bodies of the operators. Where malloc has no memory, the real one calls the program's handler, or throws. */
#define RT_NEW(name, args)                                                                    \
    void *const caller = __builtin_return_address(0);                                         \
    rt_new_prepare(caller);                                                                   \
    const bool is_notable = rt_alloc_count(n), is_malloc = rt_new.is_malloc;                  \
    if (__builtin_expect(is_notable && is_malloc, 0)) {                                       \
        void *const noted = rt_malloc_noted(n + !n, caller, RT_FRAME());                      \
        return noted || !rt_real.name ? noted : rt_real.name args;                            \
    }                                                                                         \
    void *const p = is_malloc ? rt_real.malloc(n + !n) : rt_real.name args;                   \
    if (__builtin_expect(!p, 0)) return is_malloc && rt_real.name ? rt_real.name args : NULL; \
    if (__builtin_expect(!is_notable, 1)) return rt_alloc_tagged(p, n, caller, RT_FRAME());   \
    rt_alloc_note(p, n, SPOOL_ALLOC_OTHER, caller, RT_FRAME());                               \
    return p

/* libstdc++'s call aligned_alloc, whose hook notes the block. */
#define RT_NEW_ALIGNED(name, args)                                  \
    void *const caller = __builtin_return_address(0);               \
    rt_new_prepare(caller);                                         \
    if (rt_new.is_malloc) return rt_real.name args;                 \
    const bool is_notable = rt_alloc_count(n);                      \
    void *const p = rt_real.name args;                              \
    if (is_notable)                                                 \
        rt_alloc_note(p, n, SPOOL_ALLOC_OTHER, caller, RT_FRAME()); \
    else                                                            \
        rt_alloc_tag(p, n, caller, RT_FRAME());                     \
    return p

/* The end of a block that an operator of another allocator frees next. */
static LS_ALIGNED __attribute__((cold)) void rt_delete_noted(void *p)
{
    const uint64_t base = (uint64_t)(uintptr_t)p;
    if (!p) return;
    if (rt_new.has_usable_bytes && rt_registry_may_end_after(base))
        rt_registry_end_inside(base, rt_usable_bytes(p));
    rt_free_note(p);
}

#define RT_DELETE(name, args)                                                             \
    const uint64_t base = (uint64_t)(uintptr_t)p;                                         \
    void *const caller = __builtin_return_address(0);                                     \
    rt_new_prepare(caller);                                                               \
    if (__builtin_expect(rt_new.is_malloc, 1)) {                                          \
        rt_free(p, caller);                                                               \
        return;                                                                           \
    }                                                                                     \
    if (__builtin_expect(rt_blocks_may_have(base) || rt_registry_may_end_after(base), 0)) \
        rt_delete_noted(p);                                                               \
    rt_real.name args

LS_EXPORT_FRAMELESS RT_QUICK_HOOK void *_Znwm(size_t n)
{
    RT_NEW(_Znwm, (n));
}

LS_EXPORT_FRAMELESS RT_QUICK_HOOK void *_Znam(size_t n)
{
    RT_NEW(_Znam, (n));
}

LS_EXPORT_FRAMELESS RT_QUICK_HOOK void *_ZnwmRKSt9nothrow_t(size_t n, const void *tag)
{
    RT_NEW(_ZnwmRKSt9nothrow_t, (n, tag));
}

LS_EXPORT_FRAMELESS RT_QUICK_HOOK void *_ZnamRKSt9nothrow_t(size_t n, const void *tag)
{
    RT_NEW(_ZnamRKSt9nothrow_t, (n, tag));
}

LS_EXPORT_FRAMELESS RT_QUICK_HOOK void *_ZnwmSt11align_val_t(size_t n, size_t align)
{
    RT_NEW_ALIGNED(_ZnwmSt11align_val_t, (n, align));
}

LS_EXPORT_FRAMELESS RT_QUICK_HOOK void *_ZnamSt11align_val_t(size_t n, size_t align)
{
    RT_NEW_ALIGNED(_ZnamSt11align_val_t, (n, align));
}

LS_EXPORT_FRAMELESS RT_QUICK_HOOK void *_ZnwmSt11align_val_tRKSt9nothrow_t(size_t n, size_t align,
                                                                           const void *tag)
{
    RT_NEW_ALIGNED(_ZnwmSt11align_val_tRKSt9nothrow_t, (n, align, tag));
}

LS_EXPORT_FRAMELESS RT_QUICK_HOOK void *_ZnamSt11align_val_tRKSt9nothrow_t(size_t n, size_t align,
                                                                           const void *tag)
{
    RT_NEW_ALIGNED(_ZnamSt11align_val_tRKSt9nothrow_t, (n, align, tag));
}

LS_EXPORT_FRAMELESS RT_QUICK_HOOK void _ZdlPv(void *p)
{
    RT_DELETE(_ZdlPv, (p));
}

LS_EXPORT_FRAMELESS RT_QUICK_HOOK void _ZdaPv(void *p)
{
    RT_DELETE(_ZdaPv, (p));
}

LS_EXPORT_FRAMELESS RT_QUICK_HOOK void _ZdlPvm(void *p, size_t n)
{
    RT_DELETE(_ZdlPvm, (p, n));
}

LS_EXPORT_FRAMELESS RT_QUICK_HOOK void _ZdaPvm(void *p, size_t n)
{
    RT_DELETE(_ZdaPvm, (p, n));
}

LS_EXPORT_FRAMELESS RT_QUICK_HOOK void _ZdlPvRKSt9nothrow_t(void *p, const void *tag)
{
    RT_DELETE(_ZdlPvRKSt9nothrow_t, (p, tag));
}

LS_EXPORT_FRAMELESS RT_QUICK_HOOK void _ZdaPvRKSt9nothrow_t(void *p, const void *tag)
{
    RT_DELETE(_ZdaPvRKSt9nothrow_t, (p, tag));
}

LS_EXPORT_FRAMELESS RT_QUICK_HOOK void _ZdlPvSt11align_val_t(void *p, size_t align)
{
    RT_DELETE(_ZdlPvSt11align_val_t, (p, align));
}

LS_EXPORT_FRAMELESS RT_QUICK_HOOK void _ZdaPvSt11align_val_t(void *p, size_t align)
{
    RT_DELETE(_ZdaPvSt11align_val_t, (p, align));
}

LS_EXPORT_FRAMELESS RT_QUICK_HOOK void _ZdlPvmSt11align_val_t(void *p, size_t n, size_t align)
{
    RT_DELETE(_ZdlPvmSt11align_val_t, (p, n, align));
}

LS_EXPORT_FRAMELESS RT_QUICK_HOOK void _ZdaPvmSt11align_val_t(void *p, size_t n, size_t align)
{
    RT_DELETE(_ZdaPvmSt11align_val_t, (p, n, align));
}

LS_EXPORT_FRAMELESS RT_QUICK_HOOK void _ZdlPvSt11align_val_tRKSt9nothrow_t(void *p, size_t align,
                                                                           const void *tag)
{
    RT_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, (p, align, tag));
}

LS_EXPORT_FRAMELESS RT_QUICK_HOOK void _ZdaPvSt11align_val_tRKSt9nothrow_t(void *p, size_t align,
                                                                           const void *tag)
{
    RT_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, (p, align, tag));
}
