/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that the program makes. */
#include "runtime/core/rt_collector.h"
#include "runtime/core/rt_real.h"
#include "runtime/core/rt_thread_life.h"
#include "runtime/core/rt_timed.h"

#include <errno.h>
#include <pthread.h>
#include <threads.h>

enum { RT_PAGE_BYTES = 4096 };

/* glibc puts the thread's descriptor at the upper end of its stack (nptl/allocatestack.c, TLS_TCB_AT_TP):
 * where it is, is the end, and nothing has to be asked that allocates. */
static void rt_find_stack(struct rt_thread *t)
{
    if (t->stack_base || !t->stack_end) return;
    const uint64_t len = t->stack_end; /* only the length is known so far */
    const uint64_t self = (uint64_t)(uintptr_t)pthread_self();
    t->stack_end = (self + RT_PAGE_BYTES) & ~(uint64_t)(RT_PAGE_BYTES - 1);
    t->stack_base = t->stack_end > len ? t->stack_end - len : 0;
}

static void rt_begin_here(struct rt_thread *t)
{
    rt_tls.blocked = t->start_blocked;
    rt_quiet_begin();
    rt_find_stack(t);
    rt_thread_begin(t);
    rt_quiet_end();
}

static void *rt_thread_main(void *block)
{
    struct rt_thread *t = block;
    void *(*const routine)(void *) = t->start_routine;
    void *const arg = t->start_arg;
    rt_begin_here(t);
    return routine(arg);
}

/* Begins a thread of C11. */
static int rt_c_thread_main(void *block)
{
    struct rt_thread *t = block;
    const thrd_start_t routine = (thrd_start_t)(void (*)(void))t->start_routine;
    void *const arg = t->start_arg;
    rt_begin_here(t);
    return routine(arg);
}

static void rt_note_stack(struct rt_thread *t, const pthread_attr_t *attr)
{
    void *base = NULL;
    size_t len = 0;
    pthread_attr_t usual;
    if (attr) {
        pthread_attr_getstack(attr, &base, &len);
    } else if (pthread_attr_init(&usual) == 0) {
        pthread_attr_getstacksize(&usual, &len);
        pthread_attr_destroy(&usual);
    }
    /* glibc returns the end less the length, and the end is 0 when no stack was given */
    const bool is_given = base && (uintptr_t)base != (uintptr_t)-len && len > 0;
    if (attr && !is_given) pthread_attr_getstacksize(attr, &len);
    t->stack_base = is_given ? (uint64_t)(uintptr_t)base : 0;
    t->stack_end = t->stack_base + len;
}

static struct rt_thread *rt_prepare_thread(const pthread_attr_t *attr, void *(*routine)(void *), void *arg)
{
    if (!rt_is_recording() || rt_tls.depth) return NULL;
    const int saved = errno;
    rt_quiet_begin();
    struct rt_thread *t = rt_is_own_process() ? rt_thread_acquire() : NULL;
    rt_collector_revive();
    if (t) {
        t->start_routine = routine;
        t->start_arg = arg;
        t->start_blocked = rt_tls.blocked;
        rt_note_stack(t, attr);
    }
    rt_quiet_end();
    errno = saved;
    return t;
}

LS_EXPORT int pthread_create(pthread_t *out, const pthread_attr_t *attr, void *(*routine)(void *), void *arg)
{
    struct rt_thread *t = rt_prepare_thread(attr, routine, arg);
    if (!t) return RT_REAL(pthread_create)(out, attr, routine, arg);
    struct rt_timed_call c = {0};
    if (rt_timed_count(RT_TIMED_START)) c = rt_timed_begin(RT_TIMED_START, __builtin_return_address(0));
    const int err = RT_REAL(pthread_create)(out, attr, rt_thread_main, t);
    rt_timed_end(&c, SPOOL_CALL_OTHER, NULL, 0);
    if (err != 0) rt_thread_release(t);
    return err;
}

/* The function of glibc calls glibc's pthread_create directly, not our hook. */
LS_EXPORT int thrd_create(thrd_t *out, thrd_start_t routine, void *arg)
{
    if (!RT_REAL(thrd_create)) return thrd_error;
    struct rt_thread *t = rt_prepare_thread(NULL, (void *(*)(void *))(void (*)(void))routine, arg);
    if (!t) return rt_real.thrd_create(out, routine, arg);
    struct rt_timed_call c = {0};
    if (rt_timed_count(RT_TIMED_START)) c = rt_timed_begin(RT_TIMED_START, __builtin_return_address(0));
    const int result = rt_real.thrd_create(out, rt_c_thread_main, t);
    rt_timed_end(&c, SPOOL_CALL_OTHER, NULL, 0);
    if (result != thrd_success) rt_thread_release(t);
    return result;
}
