/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/attach/rt_attach_internal.h"

#include "common/ls_attach.h"
#include "runtime/bursts/rt_burst_signals_sigsafe.h"
#include "runtime/core/rt_sampler.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/core/rt_text_sigsafe.h"
#include "runtime/core/rt_thread.h"
#include "runtime/core/rt_thread_life.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>

/* --- in the thread that is to be sampled --- */

/* The C library reads the bounds of the first thread's stack from a file, and keeps the bounds of other stacks in the
 * descriptor of the thread. */
static void find_stack(struct rt_thread *t)
{
    pthread_attr_t attr;
    void *base;
    size_t len_bytes;
    if (pthread_getattr_np(pthread_self(), &attr) != 0) return;
    if (pthread_attr_getstack(&attr, &base, &len_bytes) == 0) {
        t->stack_base = (uint64_t)(uintptr_t)base;
        t->stack_end = t->stack_base + len_bytes;
    }
    pthread_attr_destroy(&attr);
}

/* What the engine set for the thread holds for the handler only: the kernel restores the mask and the signal
 * stack from uc. */
static void keep_settings(ucontext_t *uc)
{
    const uint64_t needed = rt_burst_signals_needed();
    uint64_t mask;
    memcpy(&mask, &uc->uc_sigmask, sizeof(mask));
    rt_tls.blocked = mask & needed;
    mask &= ~needed;
    memcpy(&uc->uc_sigmask, &mask, sizeof(mask));
    ls_syscall(SYS_sigaltstack, NULL, &uc->uc_stack);
}

static void begin_thread(void)
{
    struct rt_thread *t = rt_thread_acquire();
    if (!t) return;
    find_stack(t);
    rt_tls.sample_left_bytes = 0; /* earlier allocations were not counted */
    rt_thread_begin(t);
}

/* It was there in an earlier recording, which sampled nothing (the engine null). */
static void open_again(struct rt_thread *t)
{
    rt_stream_refresh(t);
    if (t->engine_open || !rt_state.engine->thread_open) return;
    rt_state.engine->thread_open(t);
    t->engine_open = true;
}

void rt_attach_adopt(ucontext_t *uc)
{
    uint64_t handlers;
    if (!rt_is_recording() || rt_tls.dead || !rt_is_own_process()) return;
    ls_syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &handlers, sizeof(handlers));
    rt_quiet_begin();
    if (rt_tls.thread)
        open_again(rt_tls.thread);
    else
        begin_thread();
    ls_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &handlers, NULL, sizeof(handlers));
    keep_settings(uc);
    rt_quiet_end();
}

/* --- in our own thread --- */

/* linux/dirent.h, which is not for programs */
struct dir_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t len_bytes;
    uint8_t type;
    char name[];
};

enum { SEEN_LEN = 1024 };
/* CPU time of threads at the last look, by number; in a collision one of them is looked at again. */
static struct {
    pid_t tid;
    uint64_t cpu_ns;
} seen[SEEN_LEN];

/* Is the thread sampled, or one of ours? */
static bool is_known(pid_t tid)
{
    const bool needs_opening = rt_state.engine->thread_open != NULL;
    for (const struct rt_thread *t = __atomic_load_n(&rt_state.threads, __ATOMIC_ACQUIRE); t; t = t->next)
        if (__atomic_load_n(&t->in_use, __ATOMIC_RELAXED) && t->tid == tid)
            return t->own || t->engine_open || !needs_opening;
    return false;
}

/* The first number of /proc/self/task/TID/schedstat; 0: not known. */
static uint64_t cpu_of(const char *tid)
{
    char path[64], text[64];
    struct rt_text p = rt_text_in(path, sizeof(path));
    rt_text_add(&p, "/proc/self/task/");
    rt_text_add(&p, tid);
    rt_text_add(&p, "/schedstat");
    const long fd = ls_syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    const long len = ls_syscall(SYS_read, fd, text, sizeof(text) - 1);
    ls_syscall(SYS_close, fd);
    text[len > 0 ? len : 0] = '\0';
    return rt_text_number(text, NULL);
}

/* Has the thread used CPU time since the last look? */
static bool take_progress(pid_t tid, const char *name)
{
    const uint64_t cpu_ns = cpu_of(name);
    const unsigned row = (unsigned)tid % SEEN_LEN;
    const bool is_first = seen[row].tid != tid, has_run = cpu_ns != seen[row].cpu_ns;
    seen[row].tid = tid;
    seen[row].cpu_ns = cpu_ns;
    return !is_first && has_run;
}

static void interrupt(pid_t tid)
{
    siginfo_t info;
    memset(&info, 0, sizeof(info));
    info.si_signo = LS_ATTACH_SIGNAL;
    info.si_code = SI_QUEUE;
    info.si_pid = rt_state.pid;
    info.si_value.sival_ptr = (void *)(uintptr_t)(LS_ATTACH_ADOPT << 32);
    ls_syscall(SYS_rt_tgsigqueueinfo, rt_state.pid, tid, LS_ATTACH_SIGNAL, &info);
}

void rt_attach_look_for_threads(pid_t own_tid)
{
    _Alignas(8) char entries[2048];
    const long fd = ls_syscall(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long len;
    if (fd < 0) return;
    while ((len = ls_syscall(SYS_getdents64, fd, entries, sizeof(entries))) > 0)
        for (long at = 0; at < len;) {
            const struct dir_entry *e = (const void *)(entries + at);
            const pid_t tid = (pid_t)rt_text_number(e->name, NULL);
            at += e->len_bytes;
            if (tid && tid != own_tid && !is_known(tid) && take_progress(tid, e->name)) interrupt(tid);
        }
    ls_syscall(SYS_close, fd);
}
