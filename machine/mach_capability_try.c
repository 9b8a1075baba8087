/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "machine/mach_capability_try.h"
#include "common/ls_clock.h"
#include "machine/mach_step_try.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MACH_TRY_SIGNALS = 3, MACH_TRY_PERIOD_NS = 2000000, MACH_TRY_LIMIT_NS = 300000000 };

static volatile sig_atomic_t mach_signals;

static void mach_on_signal(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    mach_signals = mach_signals + 1;
    if (mach_signals >= MACH_TRY_SIGNALS) mach_step_end(context);
}

static void mach_handle(int number)
{
    struct sigaction action = {.sa_sigaction = mach_on_signal, .sa_flags = SA_SIGINFO};
    sigset_t one;
    sigaction(number, &action, NULL);
    sigemptyset(&one);
    sigaddset(&one, number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
}

/* Use CPU time until enough signals came or the limit is reached. */
static void mach_spin(void)
{
    const uint64_t end_ns = ls_clock_mono_ns() + MACH_TRY_LIMIT_NS;
    while (mach_signals < MACH_TRY_SIGNALS && ls_clock_mono_ns() < end_ns)
        for (volatile int i = 0; i < 10000; i++)
            ;
}

static int mach_perf_open(struct perf_event_attr *attr)
{
    attr->size = sizeof(*attr);
    return (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int mach_try_single_step(void)
{
    mach_handle(SIGTRAP);
    mach_step_try();
    return mach_signals ? 0 : ENOTSUP;
}

static int mach_try_trigger_perf(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .config = PERF_COUNT_SW_TASK_CLOCK,
                                   .sample_period = MACH_TRY_PERIOD_NS,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1,
                                   .sigtrap = 1,
                                   .remove_on_exec = 1};
    mach_handle(SIGTRAP);
    if (mach_perf_open(&attr) < 0) return errno;
    mach_spin();
    return 0;
}

static int mach_try_trigger_timer(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    const struct itimerspec period = {{0, MACH_TRY_PERIOD_NS}, {0, MACH_TRY_PERIOD_NS}};
    timer_t timer;
    mach_handle(SIGRTMIN);
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0 ||
        timer_settime(timer, 0, &period, NULL) != 0)
        return errno;
    mach_spin();
    return 0;
}

static int mach_try_pmu_cycles(void)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .exclude_kernel = 1, .exclude_hv = 1};
    return mach_perf_open(&attr) < 0 ? errno : 0;
}

static int (*const mach_try_functions[MACH_TRY_COUNT])(void) = {
    [MACH_TRY_SINGLE_STEP] = mach_try_single_step,
    [MACH_TRY_TRIGGER_PERF] = mach_try_trigger_perf,
    [MACH_TRY_TRIGGER_TIMER] = mach_try_trigger_timer,
    [MACH_TRY_PMU_CYCLES] = mach_try_pmu_cycles,
};

static void mach_try_in_child(enum mach_try_id id, int report_fd)
{
    alarm(5); /* ends the child even if signals go wrong */
    struct mach_seen seen = {.error = mach_try_functions[id]()};
    seen.signals = mach_signals;
    if (write(report_fd, &seen, sizeof(seen)) < 0) _exit(1);
    _exit(0);
}

struct mach_seen mach_try_run(enum mach_try_id id)
{
    struct mach_seen seen = {.error = EIO};
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) return seen;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) mach_try_in_child(id, report[1]);
    close(report[1]);
    struct mach_seen told;
    if (child > 0 && read(report[0], &told, sizeof(told)) == (ssize_t)sizeof(told)) seen = told;
    close(report[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    return seen;
}
