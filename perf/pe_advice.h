/* SPDX-License-Identifier: BSD-3-Clause */
/* Explain an errno of perf_event_open(2) and its ring on this machine, and find a remedy: a pure function of
 * the error, the call and the facts.
 *
 * Sources: kernel/events/core.c of Linux (permissions, rates, sizes, mlock), perf_event_open(2), Debian's
 * perf_event_paranoid patch
 * (features/all/security-perf-allow-further-restriction-of-perf_event_open.patch). */
#ifndef PE_ADVICE_H
#define PE_ADVICE_H

#include "machine/mach_privilege.h"
#include "perf/pe_kernel.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

struct pe_facts {
    const struct mach_privilege *machine;
    const char *pmu;                    /* "" or NULL: not known */
    const struct perf_event_attr *attr; /* the event that was opened; NULL: not known */
    bool cpu_wide;                      /* pid was -1 */
    bool per_thread;                    /* cpu was -1 */
    bool ibs_filters;                   /* the PMU is IBS and has swfilt */
    uint64_t ring_kib;                  /* size of the mapping that failed */
};

struct pe_advice {
    char cause[256];  /* why, in a few words, without a full stop */
    char remedy[320]; /* the command or step that helps; "" when nothing does */
};

/* Thread: any.  Signal: not safe (formats). */
void pe_advise(int error, enum pe_call call, const struct pe_facts *facts, struct pe_advice *out);

#endif
