/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_thread_life.h"

#include "runtime/core/rt_collector.h"
#include "runtime/core/rt_fds_sigsafe.h"
#include "runtime/core/rt_fork.h"
#include "runtime/core/rt_marker_sigsafe.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/core/rt_sampler.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum {
    RT_PAGE_BYTES = 4096,
    RT_CPU_WORTH_A_DIRECTORY_NS = 1000000, /* a fork child that recorded nothing and used less leaves none */
    RT_KEY_ROUNDS = PTHREAD_DESTRUCTOR_ITERATIONS
};

_Thread_local struct rt_tls rt_tls LS_TLS_INITIAL_EXEC;
static pthread_key_t rt_thread_key;

static size_t rt_thread_block_bytes(void)
{
    const size_t engine_bytes = rt_state.engine ? rt_state.engine->thread_bytes : 0;
    const size_t all = sizeof(struct rt_thread) + engine_bytes + 64;
    return (all + RT_PAGE_BYTES - 1) & ~(size_t)(RT_PAGE_BYTES - 1);
}

static struct rt_thread *rt_thread_map(void)
{
    const long at = ls_syscall(SYS_mmap, NULL, rt_thread_block_bytes(), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at < 0 && at > -RT_PAGE_BYTES) return NULL;
    struct rt_thread *t = (struct rt_thread *)at;
    t->in_use = 1;
    t->writer = (struct spool_writer)SPOOL_WRITER_CLOSED;
    t->engine = (void *)(((uintptr_t)(t + 1) + 63) & ~(uintptr_t)63);
    t->next = __atomic_load_n(&rt_state.threads, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&rt_state.threads, &t->next, t, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
    return t;
}

static struct rt_thread *rt_thread_reuse(void)
{
    for (struct rt_thread *t = __atomic_load_n(&rt_state.threads, __ATOMIC_ACQUIRE); t; t = t->next) {
        uint32_t is_free = 0;
        if (__atomic_load_n(&t->in_use, __ATOMIC_RELAXED) == 0 &&
            __atomic_compare_exchange_n(&t->in_use, &is_free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return t;
    }
    return NULL;
}

/* Reset all but the links of the block and the parts that its next thread reuses. The writer is closed. */
static void rt_thread_reset(struct rt_thread *t)
{
    t->streams = 0;
    t->paths.stream = t->lines.stream = t->sites.stream = 0; /* streams count from 1 */
    t->tid = 0;
    t->key_rounds = 0;
    t->own = false;
    t->epoch = rt_state.epoch;
    t->opening = t->open_failed = t->engine_open = false;
    t->begin_ns = t->spent_ns = 0;
    memset(t->timed_means, 0, sizeof t->timed_means);
    rt_budget_draw_untimed(t);
    t->hook_bytes = t->allocs = t->large_allocs = 0;
    t->stack_base = t->stack_end = 0;
    t->tls_seen = 0;
    t->writer.cap = &rt_state.cap;
}

struct rt_thread *rt_thread_acquire(void)
{
    struct rt_thread *t = rt_thread_reuse();
    if (t && rt_state.engine && rt_state.engine->thread_bytes)
        memset(t->engine, 0, rt_state.engine->thread_bytes);
    if (!t) t = rt_thread_map();
    if (t) rt_thread_reset(t);
    return t;
}

void rt_thread_release(struct rt_thread *t)
{
    __atomic_store_n(&t->in_use, 0, __ATOMIC_RELEASE);
}

void rt_thread_begin(struct rt_thread *t)
{
    const uint64_t began_cpu_ns = rt_cpu_now();
    t->tid = (pid_t)ls_syscall(SYS_gettid);
    if (t->begin_ns == 0) t->begin_ns = ls_clock_mono_ns();
    rt_tls.thread = t;
    rt_tls.stack_end = t->stack_end;
    rt_tls.stack_bytes = t->stack_end - t->stack_base;
    pthread_setspecific(rt_thread_key, t);
    if (t->stack_base < t->stack_end)
        rt_mark(LS_MARKER_STACK_BORN, t->stack_base, t->stack_end - t->stack_base, 0);
    rt_collector_thread_began(t);
    __atomic_fetch_add(&rt_state.budget.live_threads, 1, __ATOMIC_RELAXED);
    if (rt_state.engine->thread_open && rt_is_recording()) {
        rt_state.engine->thread_open(t);
        t->engine_open = true;
    }
    rt_budget_charge(began_cpu_ns);
}

static bool rt_thread_needs_stream(void)
{
    return __atomic_load_n(&rt_state.image_open, __ATOMIC_ACQUIRE) == RT_IMAGE_OPEN ||
           ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) >= RT_CPU_WORTH_A_DIRECTORY_NS;
}

void rt_thread_end(struct rt_thread *t)
{
    const uint64_t began_cpu_ns = rt_cpu_now();
    rt_stream_refresh(t);
    if (t->engine_open && rt_state.engine->thread_close) rt_state.engine->thread_close(t);
    t->engine_open = false;
    if (rt_is_recording() && rt_thread_needs_stream()) rt_spool_writer(t);
    if (rt_is_recording())
        rt_stream_close(t);
    else
        rt_stream_disown(t);
    rt_mark(LS_MARKER_STACK_DIED, t->stack_base, t->stack_end - t->stack_base, 0);
    rt_budget_charge(began_cpu_ns);
    if (!t->own) __atomic_fetch_sub(&rt_state.budget.live_threads, 1, __ATOMIC_RELAXED);
    rt_tls.thread = NULL;
    rt_tls.dead = 1;
    rt_thread_release(t);
    rt_collector_thread_ended();
}

/* The last of all destructors: it asks to be called again until the C library's last round. */
static LS_ALIGNED void rt_thread_on_exit(void *block)
{
    struct rt_thread *t = block;
    if (rt_tls.thread != t || !rt_is_own_process()) return;
    const uint32_t phase = __atomic_load_n(&rt_state.phase, __ATOMIC_RELAXED);
    if (phase != RT_RECORDING && phase != RT_IDLE) return; /* sealed: no system call */
    rt_quiet_begin();
    if (++t->key_rounds < RT_KEY_ROUNDS)
        pthread_setspecific(rt_thread_key, t);
    else
        rt_thread_end(t);
    rt_quiet_end();
}

int rt_thread_key_init(void)
{
    return pthread_key_create(&rt_thread_key, rt_thread_on_exit);
}

struct rt_thread *rt_thread_adopt(void)
{
    const int saved = errno;
    if (!rt_is_own_process()) rt_fork_take_over();
    struct rt_thread *t = rt_tls.thread;
    if (!t && rt_is_recording()) {
        t = rt_thread_acquire();
        if (t)
            rt_thread_begin(t);
        else
            rt_tls.dead = 1;
    }
    if (t) rt_stream_refresh(t);
    errno = saved;
    return t;
}

static void rt_thread_disown(struct rt_thread *t)
{
    rt_fds_unguard(&t->writer.fd);
    spool_writer_disown(&t->writer);
}

void rt_thread_after_fork_child(void)
{
    struct rt_thread *const own = rt_tls.thread;
    for (struct rt_thread *t = rt_state.threads; t; t = t->next) {
        rt_thread_disown(t);
        if (t != own) t->in_use = 0;
    }
    if (!own) return;
    const uint64_t stack_base = own->stack_base, stack_end = own->stack_end;
    const bool engine_open = own->engine_open;
    rt_thread_reset(own);
    own->stack_base = stack_base;
    own->stack_end = stack_end;
    own->engine_open = engine_open;
    own->tid = (pid_t)ls_syscall(SYS_gettid);
    own->begin_ns = ls_clock_mono_ns();
}
