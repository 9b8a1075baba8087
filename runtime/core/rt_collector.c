/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_collector.h"

#include "runtime/core/rt_calls.h"
#include "runtime/core/rt_bell_sigsafe.h"
#include "runtime/core/rt_real.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/core/rt_tap_sigsafe.h"
#include "runtime/core/rt_text_sigsafe.h"
#include "runtime/core/rt_thread_life.h"
#include "runtime/core/rt_sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define RT_COLLECTOR_IDLE_NS LS_NS_PER_S
#define RT_COLLECTOR_LOOK_NS UINT64_C(20000000) /* between two looks of a waiting thread */
#define RT_COLLECTOR_LAST_NS UINT64_C(10000000) /* the last thread is about to end */

/* The words are changed by atomics. */
static struct {
    uint32_t needed, has_callbacks;
    uint32_t runs; /* a thread exists, or is being made */
    uint32_t tid;
    uint32_t asked, done; /* drains; done is waited for */
    uint32_t pauses, working;
    uint32_t closing, closed; /* its file; closed is waited for */
    uint32_t sealed;
    uint32_t leaving;
    bool watches_exit;
    struct rt_thread *thread;
    uint64_t spent_ns; /* CPU time of the thread that is in the budget already */
    cpu_set_t cpus;    /* the process's at its start */
    pthread_key_t key;
} collector;

static uint32_t load(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static void store(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

/* Orders for a thread sanitizer in the program: it does not see our atomics, and would report races on the
 * program's memory that a natural-domain function wrote. */

/* compiler-rt's tsan interface; weak: mostly not there */
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

/* Code before order_before, in this thread, happens before code after order_after of the same word. */
static void order_before(void *word)
{
    if (__tsan_release) __tsan_release(word);
}

static void order_after(void *word)
{
    if (__tsan_acquire) __tsan_acquire(word);
}

/* A process whose threads have all ended (pthread_exit of main too) exits; our thread must not keep it
 * alive. */

/* linux/dirent.h, which is not for programs */
struct dir_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t len_bytes;
    uint8_t type;
    char name[];
};

/* Have all threads ended that the runtime knows? Cheap. Other threads may still run.  Signal: safe. */
static bool have_threads_ended(void)
{
    return __atomic_load_n(&rt_state.budget.live_threads, __ATOMIC_RELAXED) == 0;
}

/* The first thread stays as a zombie until the others are gone: its state is the letter after the name in
 * parentheses (proc(5)). */
static bool is_zombie(const char *tid)
{
    char name[64], text[256];
    struct rt_text path = rt_text_in(name, sizeof(name));
    rt_text_add(&path, "/proc/self/task/");
    rt_text_add(&path, tid);
    rt_text_add(&path, "/stat");
    const long fd = ls_syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return true; /* gone meanwhile */
    const long len = ls_syscall(SYS_read, fd, text, sizeof(text) - 1);
    ls_syscall(SYS_close, fd);
    text[len > 0 ? len : 0] = '\0';
    const char *end = strrchr(text, ')');
    return end && (end[1] == ' ') && (end[2] == 'Z' || end[2] == 'X');
}

/* Other threads of ours do not count either: each of them checks this for itself. */
static bool is_ours(const char *name)
{
    const pid_t tid = (pid_t)rt_text_number(name, NULL);
    for (const struct rt_thread *t = __atomic_load_n(&rt_state.threads, __ATOMIC_ACQUIRE); t; t = t->next)
        if (t->own && __atomic_load_n(&t->in_use, __ATOMIC_RELAXED) && t->tid == tid) return true;
    return false;
}

static bool is_other_life(const char *name, const char *own)
{
    return name[0] >= '0' && name[0] <= '9' && strcmp(name, own) != 0 && !is_ours(name) && !is_zombie(name);
}

static bool any_other(const char *entries, long len, const char *own)
{
    for (long at = 0; at < len;) {
        const struct dir_entry *e = (const void *)(entries + at);
        if (is_other_life(e->name, own)) return true;
        at += e->len_bytes;
    }
    return false;
}

bool rt_collector_is_alone(pid_t tid)
{
    _Alignas(8) char entries[1024];
    char own[24];
    struct rt_text text = rt_text_in(own, sizeof(own));
    if (!have_threads_ended()) return false;
    rt_text_add_number(&text, (uint64_t)tid);
    const long fd = ls_syscall(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return false;
    long len;
    bool others = false;
    while (!others && (len = ls_syscall(SYS_getdents64, fd, entries, sizeof(entries))) > 0)
        others = any_other(entries, len, own);
    ls_syscall(SYS_close, fd);
    return !others;
}

/* Is the calling thread the collector? */
static bool is_self(void)
{
    return rt_tls.thread && rt_tls.thread->own && rt_tls.thread == collector.thread;
}

/* --- the thread --- */

/* Charge its CPU time to the same account as bursts. */
static void add_to_budget(struct rt_thread *t)
{
    const uint64_t now_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    const uint64_t more_ns = now_ns - collector.spent_ns;
    collector.spent_ns = now_ns;
    t->spent_ns += more_ns;
    __atomic_fetch_add(&rt_state.budget.spent_ns, more_ns, __ATOMIC_RELAXED);
}

static bool is_paused(void)
{
    return load(&collector.pauses) > 0;
}

/* Empty all rings; false: another thread asked for a pause. */
static bool empty_rings(void)
{
    struct rt_tap_sample s;
    for (struct rt_thread *t = __atomic_load_n(&rt_state.threads, __ATOMIC_ACQUIRE); t; t = t->next)
        while (rt_tap_take(t, &s)) {
            rt_calls_give(&s);
            if (is_paused()) return false;
        }
    return true;
}

static void report_lost(void)
{
    const uint64_t lost = rt_tap_take_lost();
    if (lost > 0) rt_event_count_sigsafe(SPOOL_EVENT_CALLBACK_LOST, lost, 0);
}

static void work(struct rt_thread *t)
{
    const uint32_t asked = load(&collector.asked);
    order_after(&collector.asked);
    rt_bell_answer(ls_clock_mono_ns());
    store(&collector.working, 1); /* before the look at pauses, which is raised before a look at this */
    rt_calls_awake();
    bool is_whole = !is_paused() && empty_rings();
    if (is_whole && rt_state.engine->collect) rt_state.engine->collect(t);
    rt_calls_settle(t);
    report_lost();
    add_to_budget(t);
    order_before(&collector.done);
    if (is_whole && asked != load(&collector.done)) {
        store(&collector.done, asked);
        rt_futex_wake(&collector.done);
    }
    store(&collector.working, 0);
    rt_futex_wake(&collector.working);
}

static void close_file(struct rt_thread *t)
{
    report_lost();
    rt_calls_say_farewell(t);
    rt_stream_close(t);
    store(&collector.closed, 1);
    rt_futex_wake(&collector.closed);
}

static uint64_t rest_ns(void)
{
    if (have_threads_ended()) return RT_COLLECTOR_LAST_NS;
    return rt_state.engine->collect || rt_calls_are_wanted() ? RT_COLLECTOR_PERIOD_NS : RT_COLLECTOR_IDLE_NS;
}

/* The program's mask must not block signals that the collector itself raises, and glibc needs its own signals
 * in every thread (setuid). */
static uint64_t mask_of_collector(void)
{
    static const int open[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, 32, 33};
    uint64_t mask = ~UINT64_C(0);
    for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++)
        mask &= ~(UINT64_C(1) << (open[i] - 1));
    return mask;
}

static void settle_in(struct rt_thread *t)
{
    const struct sched_param usual = {0};
    t->tid = (pid_t)ls_syscall(SYS_gettid);
    t->begin_ns = ls_clock_mono_ns();
    rt_tls.thread = t;
    store(&collector.tid, (uint32_t)t->tid);
    pthread_setspecific(collector.key, t);
    ls_syscall(SYS_prctl, PR_SET_NAME, "loadstone");
    /* do not inherit these from the thread that happened to create it, which may be bound to one processor */
    ls_syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &usual);
    ls_syscall(SYS_sched_setaffinity, 0, sizeof(collector.cpus), &collector.cpus);
}

/* A fork in a callback: the child's only thread is a copy of this one, in another process. */
static bool is_stranger(const struct rt_thread *t)
{
    return collector.thread != t;
}

/* The block is another thread's afterwards. */
static void leave(struct rt_thread *t)
{
    rt_stream_disown(t);
    rt_tls.thread = NULL;
    rt_tls.dead = 1;
    collector.thread = NULL;
    rt_thread_release(t);
    rt_bell_answer(0);
    store(&collector.runs, 0);
}

static void *collector_main(void *block)
{
    struct rt_thread *const t = block;
    rt_quiet_begin();
    settle_in(t);
    for (;;) {
        const uint32_t bell = load(rt_bell_word());
        work(t);
        if (is_stranger(t)) break;
        if (load(&collector.closing) && !load(&collector.closed)) close_file(t);
        if (load(&collector.leaving)) {
            leave(t);
            break;
        }
        if (load(&collector.closed) || load(&collector.sealed)) rt_bell_answer(0);
        const bool for_good = load(&collector.closed) || load(&collector.sealed);
        if (!for_good && rt_collector_is_alone(t->tid)) {
            close_file(t); /* the thread that ends the process, perhaps this one, need not wait for it */
            rt_bell_answer(0);
            store(&collector.runs, 0);
            break;
        }
        rt_futex_wait(rt_bell_word(), bell, for_good ? RT_FUTEX_FOREVER : rest_ns());
    }
    pthread_setspecific(collector.key, NULL);
    rt_quiet_end();
    return NULL; /* the last thread: the C library exits the process with 0, as without us */
}

/* A callback ended the thread: another one is made when it is needed. */
static LS_ALIGNED void on_thread_exit(void *block)
{
    struct rt_thread *const t = block;
    if (is_stranger(t) || !rt_is_own_process()) return;
    rt_tls.depth = 1;
    rt_calls_abandoned(t);
    rt_stream_close(t);
    rt_tls.thread = NULL;
    rt_tls.dead = 1;
    collector.thread = NULL;
    store(&collector.working, 0);
    rt_thread_release(t);
    rt_bell_answer(0);
    store(&collector.runs, 0);
    rt_futex_wake(&collector.working);
}

/* 0 or an errno. */
static int make_thread(struct rt_thread *t)
{
    pthread_attr_t attr;
    pthread_t ignored;
    int err = pthread_attr_init(&attr);
    if (err != 0) return err;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    const uint64_t mask = mask_of_collector();
    uint64_t before;
    ls_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &before, sizeof(mask));
    err = RT_REAL(pthread_create)(&ignored, &attr, collector_main, t);
    ls_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(before));
    pthread_attr_destroy(&attr);
    return err;
}

static void start(void)
{
    uint32_t none = 0;
    if (!__atomic_compare_exchange_n(&collector.runs, &none, 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return;
    struct rt_thread *t = rt_thread_acquire();
    int err = t ? 0 : ENOMEM;
    if (t) {
        t->own = true;
        collector.thread = t;
        collector.spent_ns = 0;
        err = make_thread(t);
    }
    if (err == 0) return;
    collector.thread = NULL;
    if (t) rt_thread_release(t);
    store(&collector.closed, 1); /* it would fail again at every drain */
    rt_event_count_sigsafe(SPOOL_EVENT_CALLBACKS_OFF, 1, err);
}

/* --- calls by other threads --- */

static bool can_work(void)
{
    return load(&collector.runs) && !load(&collector.closed) && !load(&collector.sealed) && !is_self() &&
           rt_is_own_process();
}

/* Wait until *word is at least wanted; false: the time is over. */
static bool wait_for(const uint32_t *word, uint32_t wanted)
{
    const uint64_t begin_ns = ls_clock_mono_ns();
    for (;;) {
        const uint32_t now = load(word);
        if ((int32_t)(now - wanted) >= 0) return true;
        const uint64_t now_ns = ls_clock_mono_ns();
        if (!load(&collector.runs) || now_ns - begin_ns > RT_COLLECTOR_DRAIN_NS) return false;
        if (rt_calls_are_stuck(begin_ns, now_ns)) return false;
        rt_futex_wait(word, now, RT_COLLECTOR_LOOK_NS);
    }
}

static void flush_engine(void)
{
    if (!load(&collector.has_callbacks) || !rt_state.engine->flush) return;
    rt_quiet_begin();
    rt_state.engine->flush();
    rt_quiet_end();
}

void rt_collector_drain_running(void)
{
    if (!can_work() || rt_tls.pauses || rt_calls_are_known_stuck()) return;
    flush_engine();
    order_before(&collector.asked);
    const uint32_t mine = __atomic_add_fetch(&collector.asked, 1, __ATOMIC_SEQ_CST);
    rt_bell_ring();
    if (!wait_for(&collector.done, mine)) return rt_calls_report_stuck();
    order_after(&collector.done);
}

static bool rings_hold_something(void)
{
    for (struct rt_thread *t = __atomic_load_n(&rt_state.threads, __ATOMIC_ACQUIRE); t; t = t->next)
        if (rt_tap_room(t) < RT_TAP_ROWS) return true;
    return false;
}

void rt_collector_revive(void)
{
    if (!load(&collector.needed) || load(&collector.runs) || load(&collector.closed)) return;
    if (!rt_is_recording() || !rt_is_own_process() || !rings_hold_something()) return;
    rt_quiet_begin();
    start();
    rt_quiet_end();
}

void rt_collector_drain(void)
{
    const int saved = errno;
    rt_collector_revive();
    rt_collector_drain_running();
    errno = saved;
}

/* Exit handlers that run after this one may destroy the objects that a callback uses: they were registered
 * before the callback was attached. */
static LS_ALIGNED void on_exit_begins(void)
{
    rt_collector_drain();
    rt_calls_close();
}

static void open_rings(void)
{
    store(&collector.has_callbacks, 1); /* first: a thread that begins now looks at it */
    for (struct rt_thread *t = __atomic_load_n(&rt_state.threads, __ATOMIC_SEQ_CST); t; t = t->next)
        rt_tap_open(t);
}

void rt_collector_need(bool callbacks)
{
    if (callbacks && !load(&collector.has_callbacks)) open_rings();
    if (callbacks) rt_tap_want(true);
    if (callbacks && !collector.watches_exit) {
        collector.watches_exit = true;
        atexit(on_exit_begins);
        at_quick_exit(on_exit_begins);
    }
    store(&collector.needed, 1);
    if (!load(&collector.closed) && !load(&collector.sealed)) start();
}

void rt_collector_thread_began(struct rt_thread *t)
{
    if (load(&collector.has_callbacks)) rt_tap_open(t);
}

void rt_collector_thread_ended(void)
{
    if (load(&collector.runs) && have_threads_ended()) rt_bell_ring();
}

bool rt_collector_pause(void)
{
    const uint64_t begin_ns = ls_clock_mono_ns();
    rt_tls.pauses++;
    __atomic_fetch_add(&collector.pauses, 1, __ATOMIC_SEQ_CST);
    if (!can_work()) return true;
    while (load(&collector.working) && load(&collector.runs)) {
        if (rt_calls_are_known_stuck() || rt_calls_are_stuck(begin_ns, ls_clock_mono_ns())) {
            rt_calls_report_stuck();
            return false;
        }
        rt_futex_wait(&collector.working, 1, RT_COLLECTOR_LOOK_NS);
    }
    order_after(&collector.done);
    return true;
}

void rt_collector_resume(void)
{
    rt_tls.pauses--;
    if (__atomic_sub_fetch(&collector.pauses, 1, __ATOMIC_SEQ_CST) == 0 && load(&collector.runs))
        rt_bell_ring();
}

void rt_collector_finish(void)
{
    const int saved = errno;
    if (is_self()) rt_calls_say_farewell(rt_tls.thread);
    if (can_work()) {
        rt_collector_drain_running();
        rt_calls_close();
        store(&collector.closing, 1);
        rt_bell_ring();
        if (!rt_calls_are_known_stuck()) wait_for(&collector.closed, 1);
        rt_calls_give_up();
    } else {
        report_lost();
    }
    errno = saved;
}

void rt_collector_leave(void)
{
    enum { NAPS = 1000 };
    const struct timespec nap = {.tv_nsec = 1000000};
    store(&collector.leaving, 1);
    for (int i = 0; i < NAPS && load(&collector.runs); i++) {
        rt_bell_ring();
        ls_syscall(SYS_nanosleep, &nap, NULL);
    }
    store(&collector.leaving, 0);
}

void rt_collector_seal(void)
{
    rt_collector_drain_running();
    rt_calls_close();
    store(&collector.sealed, 1);
    if (load(&collector.runs)) rt_bell_ring();
}

/* --- forks --- */

static LS_ALIGNED void before_fork(void)
{
    if (rt_is_recording() && rt_is_own_process()) rt_collector_pause();
}

static LS_ALIGNED void after_fork_in_parent(void)
{
    if (rt_tls.pauses) rt_collector_resume();
}

void rt_collector_after_fork_child(void)
{
    for (struct rt_thread *t = rt_state.threads; t; t = t->next)
        rt_tap_forget(t);
    collector.runs = collector.working = collector.pauses = collector.tid = 0;
    collector.done = collector.asked;
    collector.closing = collector.closed = collector.sealed = 0;
    collector.thread = NULL;
    rt_bell_answer(0);
    rt_tls.pauses = 0;
    rt_calls_after_fork_child();
}

void rt_collector_init(void)
{
    ls_syscall(SYS_sched_getaffinity, 0, sizeof(collector.cpus), &collector.cpus);
    pthread_key_create(&collector.key, on_thread_exit);
    pthread_atfork(before_fork, after_fork_in_parent, NULL); /* the child: rt_fork_take_over */
}
