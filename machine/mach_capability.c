/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "machine/mach_capability.h"

#include "common/ls_clock.h"
#include "machine/mach_privilege.h"
#include "machine/mach_isa.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- tries --- */

/* Result of a try: the first errno, and the number of signals (steps, triggers) that arrived. */
struct mach_seen {
    int error;
    int signals;
};

enum { MACH_TRY_SIGNALS = 3, MACH_TRY_PERIOD_NS = 2000000, MACH_TRY_LIMIT_NS = 300000000 };

static volatile sig_atomic_t mach_signals;

static void mach_on_signal(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    mach_signals = mach_signals + 1;
    if (mach_signals >= MACH_TRY_SIGNALS) mach_isa->step_end(context);
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
    if (!mach_isa) return ENOTSUP;
    mach_isa->step_try();
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

/* Try id in a child process, which ends after 5 s at the latest.
 * Owns:   nothing; the child is waited for.  Errors: in the result: EIO when there was no child or it sent no
 *         result, otherwise the try's own errno, 0 for none.
 * Thread: one at a time, and none that holds a lock which a fork child needs.  Signal: not safe. */
static struct mach_seen mach_try_run(enum mach_try_id id)
{
    struct mach_seen seen = {.error = EIO};
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) return seen;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) mach_try_in_child(id, report[1]);
    close(report[1]);
    struct mach_seen result;
    if (child > 0 && read(report[0], &result, sizeof(result)) == (ssize_t)sizeof(result)) seen = result;
    close(report[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    return seen;
}

static void mach_take_privilege(struct mach_capability *c)
{
    struct mach_privilege p;
    mach_privilege_read("", getenv, &p);
    c->perf_event_paranoid =
        p.perf_event_paranoid == MACH_UNKNOWN ? MACH_PARANOID_UNKNOWN : (int)p.perf_event_paranoid;
    c->is_root = p.is_root;
    c->cap_perfmon = p.cap_perfmon;
    c->cap_sys_admin = p.cap_sys_admin;
    c->seccomp = p.seccomp;
    strcpy(c->container, p.container);
    strcpy(c->hypervisor, p.hypervisor);
}

static void mach_list_pmus(struct mach_capability *c)
{
    static const char *const known[] = {"cpu",       "cpu_core",  "cpu_atom",     "ibs_op",
                                        "ibs_fetch", "arm_spe_0", "armv8_pmuv3_0"};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        char path[128];
        snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s", known[i]);
        if (access(path, F_OK) != 0) continue;
        strcat(c->pmus, *c->pmus ? " " : ""); /* the names together are shorter than the field */
        strcat(c->pmus, known[i]);
    }
}

const char *mach_capability_why_no_hw(void)
{
    struct mach_capability c = {.pmus = ""};
    mach_list_pmus(&c);
    return *c.pmus ? "hw: not tried" : "hw: no PMU visible";
}

static bool mach_needs_signals(enum mach_try_id id)
{
    return id == MACH_TRY_SINGLE_STEP || id == MACH_TRY_TRIGGER_PERF || id == MACH_TRY_TRIGGER_TIMER;
}

/* Find the command that would help against this errno. */
static void mach_remedy(const struct mach_capability *c, enum mach_try_id id, struct mach_try *t)
{
    const char *remedy = "";
    const bool is_pmu = id == MACH_TRY_PMU_CYCLES;
    if (id == MACH_TRY_SINGLE_STEP)
        remedy = "";
    else if (is_pmu && (t->error == ENOENT || t->error == EOPNOTSUPP || t->error == ENODEV))
        remedy = *c->hypervisor ? "on the host: give the virtual machine a PMU (QEMU: -cpu host,pmu=on; "
                                  "clouds: a bare-metal instance)"
                                : "";
    else if ((t->error == EACCES || t->error == EPERM) && *c->container && c->seccomp)
        remedy =
            "start the container with: docker run --cap-add PERFMON --security-opt seccomp=unconfined ...";
    else if (t->error == EACCES || t->error == EPERM)
        remedy = "sudo sysctl kernel.perf_event_paranoid=2";
    else if (t->error == EINVAL && id == MACH_TRY_TRIGGER_PERF)
        remedy = "upgrade to Linux 5.13 or newer";
    else if (t->error == ENOSYS)
        remedy = "boot a kernel with CONFIG_PERF_EVENTS and CONFIG_POSIX_TIMERS";
    snprintf(t->remedy, sizeof(t->remedy), "%s", remedy);
}

static void mach_try_one(struct mach_capability *c, enum mach_try_id id)
{
    struct mach_try *t = &c->tries[id];
    const struct mach_seen seen = mach_try_run(id);
    t->error = seen.error;
    t->works = seen.error == 0 && (!mach_needs_signals(id) || seen.signals > 0);
    if (t->works && mach_needs_signals(id))
        snprintf(t->detail, sizeof(t->detail), "%d signals arrived", seen.signals);
    else if (t->works)
        snprintf(t->detail, sizeof(t->detail), "opens");
    else if (id == MACH_TRY_SINGLE_STEP && seen.error == ENOTSUP)
        snprintf(t->detail, sizeof(t->detail), "no trap arrived: not an x86-64 machine, or an emulated one");
    else if (seen.error == 0)
        snprintf(t->detail, sizeof(t->detail), "opens, but no signal arrives");
    else
        snprintf(t->detail, sizeof(t->detail), "%s (%s)",
                 strerrorname_np(seen.error) ? strerrorname_np(seen.error) : "errno", strerror(seen.error));
    if (!t->works) mach_remedy(c, id, t);
}

void mach_capability_get(struct mach_capability *out)
{
#define MACH_TRY_ROW(id, label, text) {.name = label, .purpose = text},
    static const struct mach_try rows[] = {MACH_TRY_LIST(MACH_TRY_ROW)};
#undef MACH_TRY_ROW
    struct utsname uts;
    memset(out, 0, sizeof(*out));
    if (uname(&uts) == 0) {
        snprintf(out->kernel, sizeof(out->kernel), "%s", uts.release);
        snprintf(out->arch, sizeof(out->arch), "%s", uts.machine);
    }
    mach_take_privilege(out);
    mach_list_pmus(out);
    memcpy(out->tries, rows, sizeof(rows));
    for (int id = 0; id < MACH_TRY_COUNT; id++)
        mach_try_one(out, (enum mach_try_id)id);
}
