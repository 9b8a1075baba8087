/* SPDX-License-Identifier: BSD-3-Clause */
/* Mappings that the program makes itself. Mappings by the loader and the C library are in the snapshots. */
#include "runtime/hooks/rt_hooks_number.h"

#include "runtime/core/rt_alloc_note.h"
#include "runtime/core/rt_fds_sigsafe.h"
#include "runtime/core/rt_maps_sigsafe.h"
#include "runtime/core/rt_real.h"
#include "runtime/core/rt_registry.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/core/rt_text_sigsafe.h"
#include "runtime/core/rt_timed.h"
#include "runtime/core/rt_sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>

enum { RT_PAGE_BYTES = 4096 };

static const char *rt_path_of_fd(struct rt_thread *t, int fd)
{
    char name[32];
    struct rt_text text = rt_text_in(name, sizeof(name));
    rt_text_add(&text, "/proc/self/fd/");
    rt_text_add_number(&text, (uint64_t)fd);
    const long len = ls_syscall(SYS_readlinkat, AT_FDCWD, name, t->scratch, RT_SCRATCH_BYTES - 1);
    t->scratch[len > 0 ? len : 0] = '\0';
    return (const char *)t->scratch;
}

struct rt_mapping {
    void *base;
    size_t len_bytes;
    int prot, flags, fd;
    off_t offset_bytes;
    void *caller;      /* NULL: no call path is taken */
    bool is_by_number; /* by syscall() */
    bool is_from;      /* by mremap, of the mapping at the address offset_bytes */
};

static void rt_put_mapping(struct rt_thread *t, const struct rt_mapping *m)
{
    const bool has_file = !(m->flags & MAP_ANONYMOUS) && m->fd >= 0;
    const struct spool_mmap rec = {.rec.flags = m->is_from ? SPOOL_MMAP_FROM : 0,
                                   .time_ns = ls_clock_mono_ns(),
                                   .base = (uint64_t)(uintptr_t)m->base,
                                   .len_bytes = m->len_bytes,
                                   .offset_bytes = (uint64_t)m->offset_bytes,
                                   .prot = (uint32_t)m->prot,
                                   .map_flags = (uint32_t)m->flags};
    const char *path = has_file ? rt_path_of_fd(t, m->fd) : NULL;
    if (path && rt_state.engine->mapped) rt_state.engine->mapped(rec.base, rec.base + rec.len_bytes, path);
    rt_maps_note_record();
    spool_put_mmap(rt_spool_writer(t), rec, path);
}

/* Record the call site of anonymous mappings only; files are recorded elsewhere. Memory for code alone is not data; heaps of
 * collectors and stacks of their threads may be executable. */
static void rt_put_mapping_site(struct rt_thread *t, const struct rt_mapping *m)
{
    const struct rt_block block = {m->base, m->len_bytes, SPOOL_ALLOC_MMAP, m->caller};
    const bool holds_data = !(m->prot & PROT_EXEC) || (m->prot & PROT_WRITE);
    if (m->caller && (m->flags & MAP_ANONYMOUS) && holds_data) rt_alloc_note_mapping(t, &block);
}

static void rt_put_timed_mapping(struct rt_thread *t, const struct rt_timed_call *c,
                                 const struct rt_mapping *m)
{
    rt_timed_put(t, c,
                 (struct spool_kernel_call){.rec.flags = SPOOL_CALL_MAP,
                                            .time_ns = ls_clock_mono_ns(),
                                            .addr = (uint64_t)(uintptr_t)m->base,
                                            .len_bytes = m->len_bytes});
}

static void rt_note_mapping(const struct rt_mapping *m, const struct rt_timed_call *c)
{
    const int saved = errno;
    struct rt_thread *t = m->base != MAP_FAILED ? rt_enter() : NULL;
    if (t) {
        rt_put_mapping(t, m);
        rt_put_mapping_site(t, m);
        if (c->cpu_ns) rt_put_timed_mapping(t, c, m);
        rt_leave();
    }
    errno = saved;
}

static void *rt_result_pointer(long result)
{
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return MAP_FAILED;
    }
    return (void *)result;
}

/* mmap and mmap64 are one where off_t has 64 bits. */
static void *rt_mmap(const struct rt_mapping *want)
{
    struct rt_mapping m = *want;
    struct rt_timed_call c = {0};
    if (rt_timed_count(RT_TIMED_MAP)) c = rt_timed_begin(RT_TIMED_MAP, m.caller);
    if (!m.is_by_number && RT_REAL(mmap)) {
        rt_tls.maps++;
        m.base = rt_real.mmap(m.base, m.len_bytes, m.prot, m.flags, m.fd, m.offset_bytes);
        rt_tls.maps--;
    } else {
        m.base = rt_result_pointer(
            ls_syscall(SYS_mmap, m.base, m.len_bytes, m.prot, m.flags, m.fd, m.offset_bytes));
    }
    rt_timed_stop(&c);
    if (m.base != MAP_FAILED) {
        if (rt_is_recording()) rt_tags_clear((uint64_t)(uintptr_t)m.base, m.len_bytes);
        rt_sampler_remapped(m.base, m.len_bytes, m.prot);
        if ((m.prot & PROT_EXEC) && !(m.flags & MAP_ANONYMOUS))
            rt_maps_mark_dirty(); /* a loader of its own */
    }
    rt_note_mapping(&m, &c);
    return m.base;
}

LS_EXPORT void *mmap(void *addr, size_t n, int prot, int flags, int fd, off_t offset)
{
    const struct rt_mapping want = {addr, n, prot, flags, fd, offset, __builtin_return_address(0)};
    return rt_mmap(&want);
}

LS_EXPORT void *mmap64(void *addr, size_t n, int prot, int flags, int fd, off_t offset)
{
    const struct rt_mapping want = {addr, n, prot, flags, fd, offset, __builtin_return_address(0)};
    return rt_mmap(&want);
}

long rt_hooks_mmap_call(const long args[6], void *caller)
{
    const struct rt_mapping want = {(void *)args[0], (size_t)args[1], (int)args[2], (int)args[3],
                                    (int)args[4],    (off_t)args[5],  caller,       true};
    return rt_tls.maps ? (long)rt_result_pointer(ls_syscall6(SYS_mmap, args)) : (long)rt_mmap(&want);
}

static int rt_result(long result)
{
    if (result >= 0) return 0;
    errno = (int)-result;
    return -1;
}

static int rt_unmap(void *addr, size_t n, bool is_by_number)
{
    int result;
    rt_budget_call_begin();
    if (!is_by_number && RT_REAL(munmap)) {
        rt_tls.maps++;
        result = rt_real.munmap(addr, n);
        rt_tls.maps--;
    } else {
        result = rt_result(ls_syscall(SYS_munmap, addr, n));
    }
    rt_budget_call_end();
    if (result == 0) rt_sampler_remapped(addr, n, 0);
    return result;
}

LS_EXPORT int mprotect(void *addr, size_t n, int prot)
{
    const int result = RT_REAL(mprotect) ? rt_real.mprotect(addr, n, prot)
                                         : rt_result(ls_syscall(SYS_mprotect, addr, n, prot));
    if (result == 0) rt_sampler_remapped(addr, n, prot);
    return result;
}

LS_EXPORT int pkey_mprotect(void *addr, size_t n, int prot, int key)
{
    const int result = RT_REAL(pkey_mprotect) ? rt_real.pkey_mprotect(addr, n, prot, key)
                                              : rt_result(ls_syscall(SYS_pkey_mprotect, addr, n, prot, key));
    if (result == 0) rt_sampler_remapped(addr, n, prot);
    return result;
}

/* time_ns was taken before the call: after it, the addresses may belong to another mapping. */
static void rt_note_munmap(struct rt_thread *t, uint64_t time_ns, void *addr, size_t n)
{
    const int saved = errno;
    rt_maps_note_record();
    spool_put_munmap(rt_spool_writer(t), time_ns, (uint64_t)(uintptr_t)addr, n);
    errno = saved;
}

/* Write it before the record of the end, and with the same time, while resolve still has the mapping. */
static void rt_put_timed_munmap(struct rt_thread *t, const struct rt_timed_call *c, uint64_t time_ns,
                                void *addr, size_t n)
{
    rt_timed_put(t, c,
                 (struct spool_kernel_call){.rec.flags = SPOOL_CALL_UNMAP,
                                            .time_ns = time_ns,
                                            .addr = (uint64_t)(uintptr_t)addr,
                                            .len_bytes = n});
}

static int rt_munmap(void *addr, size_t n, bool is_by_number, void *caller)
{
    struct rt_timed_call c = {0};
    if (rt_timed_count(RT_TIMED_UNMAP)) c = rt_timed_choose(RT_TIMED_UNMAP, caller);
    struct rt_thread *t = rt_enter();
    if (!t) return rt_unmap(addr, n, is_by_number);
    const uint64_t time_ns = ls_clock_mono_ns();
    rt_timed_start(&c);
    const int result = rt_unmap(addr, n, is_by_number);
    rt_timed_stop(&c);
    if (c.cpu_ns) rt_put_timed_munmap(t, &c, time_ns, addr, n);
    if (result == 0) rt_note_munmap(t, time_ns, addr, n);
    rt_leave();
    if (result == 0) rt_registry_end_inside((uint64_t)(uintptr_t)addr, n);
    return result;
}

LS_EXPORT int munmap(void *addr, size_t n)
{
    return rt_munmap(addr, n, false, __builtin_return_address(0));
}

long rt_hooks_munmap_call(const long args[6], void *caller)
{
    void *const addr = (void *)args[0];
    const size_t n = (size_t)args[1];
    return rt_tls.maps ? rt_unmap(addr, n, true) : rt_munmap(addr, n, true, caller);
}

/* Memory that stays mapped at its address keeps its records. The record of the new part refers to the old mapping: resolve
 * knows whether that is of a file. */
static void rt_note_mremap(struct rt_thread *t, uint64_t time_ns, const struct rt_mapping *old,
                           const struct rt_mapping *new, bool keeps_old)
{
    const int saved = errno;
    const bool has_moved = new->base != old->base;
    const size_t kept = has_moved ? 0 : old->len_bytes;
    struct rt_mapping added = *new;
    added.base = (char *)new->base + kept;
    added.len_bytes = new->len_bytes - kept;
    if (has_moved && !keeps_old) rt_note_munmap(t, time_ns, old->base, old->len_bytes);
    if (new->len_bytes < kept)
        rt_note_munmap(t, time_ns, (char *)new->base + new->len_bytes, kept - new->len_bytes);
    if (new->len_bytes > kept) {
        rt_put_mapping(t, &added);
        rt_put_mapping_site(t, new);
    }
    errno = saved;
}

static size_t rt_whole_pages(size_t len_bytes)
{
    return (len_bytes + RT_PAGE_BYTES - 1) & ~(size_t)(RT_PAGE_BYTES - 1);
}

LS_EXPORT void *mremap(void *addr, size_t old_n, size_t new_n, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    void *const wish = flags & MREMAP_FIXED ? va_arg(args, void *) : NULL;
    va_end(args);
    struct rt_timed_call c = {0};
    if (rt_timed_count(RT_TIMED_MAP)) c = rt_timed_choose(RT_TIMED_MAP, __builtin_return_address(0));
    struct rt_thread *t = rt_enter();
    const uint64_t time_ns = t ? ls_clock_mono_ns() : 0;
    rt_timed_start(&c);
    rt_budget_call_begin();
    void *const p = RT_REAL(mremap)
                        ? rt_real.mremap(addr, old_n, new_n, flags, wish)
                        : rt_result_pointer(ls_syscall(SYS_mremap, addr, old_n, new_n, flags, wish));
    rt_budget_call_end();
    rt_timed_stop(&c);
    if (p != MAP_FAILED) {
        rt_sampler_remapped(addr, old_n, 0);
        rt_sampler_remapped(p, new_n, 0);
    }
    if (!t) return p;
    const struct rt_mapping old = {.base = addr, .len_bytes = rt_whole_pages(old_n)};
    const struct rt_mapping moved = {.base = p,
                                     .len_bytes = rt_whole_pages(new_n),
                                     .offset_bytes = (off_t)(uintptr_t)addr,
                                     .is_from = true,
                                     .prot = PROT_READ | PROT_WRITE,
                                     .flags = MAP_ANONYMOUS,
                                     .fd = -1,
                                     .caller = __builtin_return_address(0)};
    if (p != MAP_FAILED) {
        rt_note_mremap(t, time_ns, &old, &moved, flags & MREMAP_DONTUNMAP);
        if (c.cpu_ns) rt_put_timed_mapping(t, &c, &moved);
    }
    rt_leave();
    if (p != MAP_FAILED && p != addr && !(flags & MREMAP_DONTUNMAP))
        rt_registry_end_inside((uint64_t)(uintptr_t)addr, old.len_bytes);
    if (p == addr && moved.len_bytes < old.len_bytes)
        rt_registry_end_inside((uint64_t)(uintptr_t)addr + moved.len_bytes, old.len_bytes - moved.len_bytes);
    return p;
}
