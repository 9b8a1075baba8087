/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of sampling that this machine allows, found by trying them. */
#ifndef MACH_CAPABILITY_H
#define MACH_CAPABILITY_H

#include <stdbool.h>
#include <stdint.h>

/* X(id, name, purpose) */
#define MACH_TRY_LIST(X)                                                                                \
    X(SINGLE_STEP, "single-step", "engine step: stops after each instruction of a burst")               \
    X(TRIGGER_PERF, "trigger-perf",                                                                     \
      "engine step: starts bursts by a perf event, never inside a system call")                         \
    X(TRIGGER_TIMER, "trigger-timer", "engine step: starts bursts by a timer of the thread's CPU time") \
    X(PMU_CYCLES, "pmu-cycles", "hardware counters: there is a PMU")

#define MACH_TRY_ENUM(id, name, text) MACH_TRY_##id,
enum mach_try_id { MACH_TRY_LIST(MACH_TRY_ENUM) MACH_TRY_COUNT };
#undef MACH_TRY_ENUM

struct mach_try {
    const char *name, *purpose;
    bool works;
    int error;        /* errno, 0 where it worked or no call failed */
    char detail[160]; /* the result in words */
    char remedy[320]; /* the command that enables it, "" where it works or nothing helps */
};

#define MACH_PARANOID_UNKNOWN INT32_MIN
struct mach_capability {
    char kernel[80], arch[80], container[48], hypervisor[48]; /* tool and program are "" without a tracer */
    int perf_event_paranoid; /* MACH_PARANOID_UNKNOWN: the kernel has no perf events */
    bool is_root, cap_perfmon, cap_sys_admin, seccomp;
    char pmus[96]; /* core PMUs and load samplers that sysfs names, "" none */
    struct mach_try tries[MACH_TRY_COUNT];
};

/* Tries take about 0.2 s and run in a child process, so that no signal handler or timer of the caller
 * changes. Never fails: an unknown property stays empty, and a kind that cannot be tried does not work.
 * Thread: any.  Signal: not safe. */
void mach_capability_get(struct mach_capability *out);

/* Short reason why the engine hw does not sample here, for a profile: a static text, "hw: ...". Only tests
 * whether the kernel has a PMU; for processes that do not report a reason themselves.
 * Thread: any.  Signal: not safe. */
const char *mach_capability_why_no_hw(void);

#endif
