/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/attach/rt_attach_internal.h"

#include "common/ls_attach.h"
#include "common/ls_private.h"
#include "runtime/core/rt_collector.h"
#include "runtime/core/rt_ended_sigsafe.h"
#include "runtime/core/rt_init.h"
#include "runtime/core/rt_process.h"
#include "runtime/core/rt_real.h"
#include "runtime/core/rt_setting.h"
#include "runtime/core/rt_text_sigsafe.h"
#include "runtime/core/rt_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum { FIRST_NAP_NS = 2000000, NAP_NS = 50000000, LOOK_MOST_NS = 1000000000, STACK_BYTES = 512 * 1024 };

static struct {
    uint32_t is_busy; /* atomic */
    pid_t launcher_pid;
    int spool_fd; /* the launcher's */
} serve;

bool rt_attach_is_busy(void)
{
    return __atomic_load_n(&serve.is_busy, __ATOMIC_ACQUIRE);
}

/* Open the spool of the launcher. A descriptor or -errno. */
static int open_spool(void)
{
    char link[64], path[RT_PATH_BYTES];
    struct rt_text l = rt_text_in(link, sizeof(link));
    rt_text_add(&l, "/proc/");
    rt_text_add_number(&l, (uint64_t)serve.launcher_pid);
    rt_text_add(&l, "/fd/");
    rt_text_add_number(&l, (uint64_t)serve.spool_fd);
    const long len = ls_syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof(path) - 1);
    if (len < 0) return (int)len;
    path[len] = '\0';
    return ls_private_open(path);
}

static void report(int dir, const char *what, const char *why, int err)
{
    char line[512];
    struct rt_text text = rt_text_in(line, sizeof(line));
    rt_text_add(&text, what);
    if (why || err) rt_text_add(&text, " ");
    rt_text_add(&text, why ? why : err ? strerror(err) : "");
    rt_text_add(&text, "\n");
    const long fd = ls_syscall(SYS_openat, dir, LS_ATTACH_STATE_FILE,
                               O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return;
    ls_syscall(SYS_write, fd, line, text.len_bytes);
    ls_syscall(SYS_close, fd);
}

static void nap(uint64_t ns)
{
    const struct timespec t = {.tv_nsec = (long)ns};
    ls_syscall(SYS_nanosleep, &t, NULL);
}

static bool is_asked_to_stop(int dir)
{
    return ls_syscall(SYS_faccessat, dir, LS_ATTACH_STOP_FILE, F_OK) == 0;
}

/* Charge our CPU time to the recording. */
static void add_to_budget(struct rt_thread *t, uint64_t *spent_ns)
{
    const uint64_t now_ns = rt_cpu_now(), more_ns = now_ns - *spent_ns;
    *spent_ns = now_ns;
    t->spent_ns += more_ns;
    __atomic_fetch_add(&rt_state.budget.spent_ns, more_ns, __ATOMIC_RELAXED);
}

/* Return whether the program goes on. */
static bool watch(struct rt_thread *t, int dir)
{
    uint64_t nap_ns = FIRST_NAP_NS, look_ns = 0, until_look_ns = 0, spent_ns = rt_cpu_now();
    while (rt_is_recording() && !is_asked_to_stop(dir) && !rt_ended_look()) {
        if (until_look_ns == 0) {
            rt_attach_look_for_threads(t->tid);
            rt_attach_slots_follow();
            add_to_budget(t, &spent_ns);
            /* often at first, when no thread is sampled yet */
            look_ns = look_ns < LOOK_MOST_NS ? 2 * look_ns + nap_ns : LOOK_MOST_NS;
            until_look_ns = look_ns;
        }
        if (rt_collector_is_alone(t->tid)) return false;
        nap(nap_ns);
        until_look_ns -= until_look_ns < nap_ns ? until_look_ns : nap_ns;
        if (nap_ns < NAP_NS) nap_ns += nap_ns / 2;
    }
    return true;
}

/* The recording, from its begin to its end. */
static void record(int dir)
{
    struct rt_thread *t;
    const char *why = NULL;
    rt_attach_slots_turn(true);
    const int err = rt_init_late(&t, &why);
    if (err != 0) {
        rt_attach_slots_turn(false);
        return report(dir, "failed", why, err);
    }
    report(dir, "attached", NULL, 0);
    if (!watch(t, dir)) {
        rt_quiet_end();
        rt_process_end(SPOOL_STATUS_UNKNOWN); /* as the last thread, which this one is */
        rt_quiet_begin();
        return;
    }
    rt_init_end_late(t);
    rt_attach_slots_turn(false);
    report(dir, "detached", NULL, 0);
}

static void *serve_main(void *unused)
{
    (void)unused;
    rt_quiet_begin();
    ls_syscall(SYS_prctl, PR_SET_NAME, "loadstone");
    const int dir = open_spool();
    if (dir >= 0) {
        const int err = rt_setting_take_request(dir);
        if (err != 0)
            report(dir, "failed", NULL, err);
        else
            record(dir);
        ls_syscall(SYS_close, dir);
    }
    rt_tls.dead = 1;
    rt_quiet_end();
    __atomic_store_n(&serve.is_busy, 0, __ATOMIC_RELEASE);
    return NULL;
}

/* Block all signals except for the signals that an instruction raises and that the C library uses. */
static uint64_t mask_of_thread(void)
{
    static const int open[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, 32, 33};
    uint64_t mask = ~UINT64_C(0);
    for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++)
        mask &= ~(UINT64_C(1) << (open[i] - 1));
    return mask;
}

void rt_attach_begin(pid_t launcher_pid, int spool_fd)
{
    pthread_attr_t attr;
    pthread_t ignored;
    uint64_t before;
    uint32_t is_free = 0;
    const uint64_t mask = mask_of_thread();
    if (!__atomic_compare_exchange_n(&serve.is_busy, &is_free, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return;
    serve.launcher_pid = launcher_pid;
    serve.spool_fd = spool_fd;
    int err = pthread_attr_init(&attr);
    if (err == 0) {
        pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
        pthread_attr_setstacksize(&attr, STACK_BYTES);
        ls_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &before, sizeof(mask));
        err = RT_REAL(pthread_create)(&ignored, &attr, serve_main, NULL);
        ls_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(before));
        pthread_attr_destroy(&attr);
    }
    if (err != 0) __atomic_store_n(&serve.is_busy, 0, __ATOMIC_RELEASE);
}
