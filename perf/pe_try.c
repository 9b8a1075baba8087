/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_try.h"

#include "common/ls_compat.h"

#include <string.h>

enum { PE_THIS_THREAD = 0, PE_EVERY_CPU = -1, PE_NO_LEADER = -1 };

/* A CPU of the encoding's: one of a hybrid processor's PMU must be named. */
static int pe_first_cpu(const struct pe_encoding *e)
{
    if (!e->cpus[0]) return e->cpu_wide_only ? 0 : PE_EVERY_CPU;
    int cpu = 0;
    while (cpu < 4096 && !pe_encoding_has_cpu(e, (unsigned)cpu))
        cpu++;
    return cpu;
}

/* fd or a negative errno */
static int pe_open_one(const struct perf_event_attr *attr, int pid, int cpu, int leader)
{
    struct perf_event_attr copy = *attr;
    copy.disabled = leader == PE_NO_LEADER;
    return (int)ls_syscall(SYS_perf_event_open, &copy, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

static void pe_explain(const struct perf_event_attr *attr, const struct pe_encoding *e,
                       const struct mach_privilege *machine, struct pe_tried *out)
{
    const struct pe_facts facts = {.machine = machine,
                                   .pmu = e->pmu,
                                   .attr = attr,
                                   .cpu_wide = e->cpu_wide_only,
                                   .per_thread = true,
                                   .ibs_filters = !e->reader_drops_kernel};
    out->opens = false;
    pe_advise(out->error, PE_AT_OPEN, &facts, &out->advice);
}

static void pe_try_group(const struct pe_encoding *e, const struct mach_privilege *machine,
                         struct pe_tried *out)
{
    const int pid = e->cpu_wide_only ? -1 : PE_THIS_THREAD, cpu = pe_first_cpu(e);
    int fds[PE_GROUP_MAX];
    unsigned opened = 0;
    while (opened < e->attrs_len) {
        fds[opened] = pe_open_one(&e->attrs[opened], pid, cpu, opened ? fds[0] : PE_NO_LEADER);
        if (fds[opened] < 0) break;
        opened++;
    }
    if (opened < e->attrs_len) {
        out->error = -fds[opened];
        out->attr = opened;
        pe_explain(&e->attrs[opened], e, machine, out);
    }
    while (opened > 0)
        ls_syscall(SYS_close, fds[--opened]);
}

void pe_try_plan(const struct pe_plan *plan, const struct mach_privilege *machine, struct pe_tried *out)
{
    memset(out, 0, sizeof(*out));
    out->opens = true;
    for (unsigned i = 0; out->opens && i < plan->encodings_len; i++) {
        out->encoding = i;
        pe_try_group(&plan->encodings[i], machine, out);
    }
}

void pe_try_attr(const struct perf_event_attr *attr, const char *pmu, const struct mach_privilege *machine,
                 struct pe_tried *out)
{
    struct pe_encoding e = {.attrs_len = 1};
    memset(out, 0, sizeof(*out));
    out->opens = true;
    e.attrs[0] = *attr;
    strncpy(e.pmu, pmu, sizeof(e.pmu) - 1);
    pe_try_group(&e, machine, out);
}
