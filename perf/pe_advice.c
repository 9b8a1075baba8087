/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_advice.h"

#include <errno.h>
#include <linux/version.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PE_DEBIAN_PARANOID = 3, PE_IBS_PERIOD_MIN = 0x90 };

static void pe_text(char *out, size_t bytes, const char *format, va_list args)
{
    vsnprintf(out, bytes, format, args);
}

__attribute__((format(printf, 2, 3))) static void pe_cause(struct pe_advice *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    pe_text(a->cause, sizeof(a->cause), format, args);
    va_end(args);
}

__attribute__((format(printf, 2, 3))) static void pe_remedy(struct pe_advice *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    pe_text(a->remedy, sizeof(a->remedy), format, args);
    va_end(args);
}

static const char *pe_pmu(const struct pe_facts *f)
{
    return f->pmu && *f->pmu ? f->pmu : "the event";
}

static bool pe_pmu_begins(const struct pe_facts *f, const char *prefix)
{
    return f->pmu && strncmp(f->pmu, prefix, strlen(prefix)) == 0;
}

/* The highest perf_event_paranoid that allows such an event: 0 for whole CPUs, 1 with the kernel, 2 for the
 * user part of own threads. */
static int pe_paranoid_needed(const struct pe_facts *f)
{
    if (f->cpu_wide) return 0;
    return f->attr && !f->attr->exclude_kernel ? 1 : 2;
}

/* --- permissions ---------------------------------------------------------------------------------------- */

/* Steps that grant the capability to a container. */
static const struct pe_container {
    const char *name, *remedy;
} pe_containers[] = {
    {"docker", "start the container with docker run --cap-add PERFMON "
               "(before Docker 20.10 also --security-opt seccomp=unconfined)"},
    {"podman", "start the container with podman run --cap-add PERFMON"},
    {"kubernetes",
     "give the pod's container securityContext: {capabilities: {add: [PERFMON]}}, and seccompProfile: "
     "{type: Unconfined} where that is not enough"},
    {"lxc",
     "allow perf_event_open in the container's lxc.seccomp.profile and keep CAP_PERFMON (lxc.cap.keep)"},
    {"systemd-nspawn",
     "start the container with --system-call-filter=perf_event_open --capability=CAP_PERFMON"},
    {"apptainer", "on the host: sudo sysctl kernel.perf_event_paranoid=1"},
};

static const char *pe_container_remedy(const char *container)
{
    for (size_t i = 0; i < sizeof(pe_containers) / sizeof(pe_containers[0]); i++)
        if (strcmp(pe_containers[i].name, container) == 0) return pe_containers[i].remedy;
    return "give the container the capability CAP_PERFMON and allow the system call perf_event_open";
}

static void pe_eacces(const struct pe_facts *f, struct pe_advice *a)
{
    const int64_t level = f->machine->perf_event_paranoid;
    const int needed = pe_paranoid_needed(f);
    const char *where = *f->machine->container ? "on the host: " : "";
    if (level >= PE_DEBIAN_PARANOID && !f->machine->cap_sys_admin) {
        pe_cause(a,
                 "kernel.perf_event_paranoid is %lld: this kernel (Debian, Ubuntu) then refuses every perf "
                 "event without CAP_SYS_ADMIN; CAP_PERFMON is not enough",
                 (long long)level);
        pe_remedy(a, "%ssudo sysctl kernel.perf_event_paranoid=%d", where, needed);
    } else if (level > needed && !f->machine->cap_perfmon && !f->machine->cap_sys_admin) {
        pe_cause(a, "kernel.perf_event_paranoid is %lld, %s needs %d or lower, or CAP_PERFMON",
                 (long long)level,
                 needed == 0   ? "sampling whole CPUs"
                 : needed == 1 ? "sampling that cannot leave the kernel out"
                               : "sampling",
                 needed);
        pe_remedy(a, "%ssudo sysctl kernel.perf_event_paranoid=%d", where, needed);
    } else if (f->attr && pe_pmu_begins(f, "arm_spe") && f->attr->config & 2) {
        pe_cause(a, "physical addresses (pa_enable) need CAP_PERFMON");
        pe_remedy(a, "leave pa_enable out of the event");
    } else {
        pe_cause(
            a,
            "a security module or lockdown forbids perf events, although kernel.perf_event_paranoid is %lld",
            (long long)level);
        pe_remedy(a, "look into dmesg and /sys/kernel/security/lockdown; "
                     "SELinux: setsebool or a policy for perf_event");
    }
}

static void pe_eperm_open(const struct pe_facts *f, struct pe_advice *a)
{
    const struct mach_privilege *m = f->machine;
    if (*m->container) {
        pe_cause(a, "the container (%s)%s forbids perf_event_open", m->container,
                 m->seccomp ? " filters system calls (seccomp) and" : "");
        pe_remedy(a, "%s", pe_container_remedy(m->container));
    } else if (m->seccomp) {
        pe_cause(a, "a filter of system calls (seccomp) forbids perf_event_open");
        pe_remedy(a, "start the program outside of the sandbox, or allow perf_event_open in its filter");
    } else {
        pe_eacces(f, a);
    }
}

static void pe_eperm_mmap(const struct pe_facts *f, struct pe_advice *a)
{
    const long long allowed = f->machine->mlock_kib == MACH_UNKNOWN ? 516 : (long long)f->machine->mlock_kib;
    pe_cause(a,
             "the ring of %llu KiB is more locked memory than the user may have (perf_event_mlock_kb is %lld "
             "for each CPU, then ulimit -l)",
             (unsigned long long)f->ring_kib, allowed);
    pe_remedy(a, "sudo sysctl kernel.perf_event_mlock_kb=%llu, or raise ulimit -l; a smaller ring is tried",
              (unsigned long long)(f->ring_kib > 1024 ? f->ring_kib * 2 : 2048));
}

/* --- not available on this machine
 * --------------------------------------------------------------------------------- */

static void pe_no_pmu(const struct pe_facts *f, struct pe_advice *a)
{
    if (*f->machine->hypervisor) {
        pe_cause(a, "no hardware PMU visible in this %s", f->machine->hypervisor);
        pe_remedy(a, "on the host: give the virtual machine a PMU (QEMU: "
                     "-cpu host,pmu=on; clouds: a bare-metal instance)");
    } else {
        pe_cause(a, "the kernel has no driver for %s, or the CPU is not of that PMU", pe_pmu(f));
        pe_remedy(a, "boot a kernel with CONFIG_PERF_EVENTS and the driver of this processor (Arm SPE: "
                     "CONFIG_ARM_SPE_PMU, and kpti=off where the kernel log asks for it)");
    }
}

static void pe_not_supported(const struct pe_facts *f, struct pe_advice *a)
{
    const bool precise = f->attr && f->attr->precise_ip;
    if (pe_pmu_begins(f, "arm_spe")) {
        pe_cause(a, "this SPE lacks a filter that was asked for (event_filter, min_latency or load_filter)");
        pe_remedy(a, "leave out --ldlat, or give an --event without filters");
    } else if (precise && *f->machine->hypervisor) {
        pe_cause(a, "%s takes no precise events in this %s: PEBS is not exposed", pe_pmu(f),
                 f->machine->hypervisor);
        pe_remedy(a, "enable PEBS in the virtual PMU (QEMU: -cpu host,pmu=on on Linux 6.0 with Ice Lake or "
                     "later), or run on the host");
    } else if (precise) {
        pe_cause(a, "%s is not as precise as asked (precise_ip %u, see caps/max_precise)", pe_pmu(f),
                 (unsigned)f->attr->precise_ip);
        pe_remedy(a, "write fewer p after the event, or P for the highest level");
    } else {
        pe_no_pmu(f, a);
    }
}

/* --- EINVAL: which field -------------------------------------------------------------------------------- */

static bool pe_is_ibs(const struct pe_facts *f)
{
    return pe_pmu_begins(f, "ibs_");
}

static bool pe_older(const struct pe_facts *f, uint32_t version)
{
    return f->machine->kernel && f->machine->kernel < version;
}

static bool pe_ibs_step(const struct pe_facts *f)
{
    return pe_is_ibs(f) && !f->attr->freq && f->attr->sample_period & 15;
}

static bool pe_ibs_short(const struct pe_facts *f)
{
    return pe_is_ibs(f) && !f->attr->freq && f->attr->sample_period < PE_IBS_PERIOD_MIN;
}

static bool pe_ibs_exclude(const struct pe_facts *f)
{
    const bool any = f->attr->exclude_user || f->attr->exclude_kernel || f->attr->exclude_hv;
    return pe_is_ibs(f) && any && !(f->ibs_filters && f->attr->config2 & 1);
}

static bool pe_ibs_idle(const struct pe_facts *f)
{
    return pe_is_ibs(f) && (f->attr->exclude_idle || f->attr->exclude_host || f->attr->exclude_guest);
}

static bool pe_ibs_task(const struct pe_facts *f)
{
    return pe_is_ibs(f) && !f->cpu_wide && pe_older(f, KERNEL_VERSION(6, 2, 0));
}

static bool pe_ibs_ldlat(const struct pe_facts *f)
{
    const uint64_t cycles = f->attr->config1 & 0xfff;
    return pe_is_ibs(f) && cycles && (cycles < 128 || cycles > 2048);
}

static bool pe_spe_freq(const struct pe_facts *f)
{
    return pe_pmu_begins(f, "arm_spe") && f->attr->freq;
}

static bool pe_counting_precise(const struct pe_facts *f)
{
    return f->attr->precise_ip && f->attr->sample_period == 0;
}

static bool pe_fast_freq(const struct pe_facts *f)
{
    return f->attr->freq && f->machine->max_sample_rate_hz > 0 &&
           f->attr->sample_freq > (uint64_t)f->machine->max_sample_rate_hz;
}

static bool pe_weight_struct(const struct pe_facts *f)
{
    return f->attr->sample_type & PERF_SAMPLE_WEIGHT_STRUCT && pe_older(f, KERNEL_VERSION(5, 12, 0));
}

static bool pe_data_page(const struct pe_facts *f)
{
    return f->attr->sample_type & PERF_SAMPLE_DATA_PAGE_SIZE && pe_older(f, KERNEL_VERSION(5, 11, 0));
}

static bool pe_format_lost(const struct pe_facts *f)
{
    return f->attr->read_format & PERF_FORMAT_LOST && pe_older(f, KERNEL_VERSION(6, 0, 0));
}

static bool pe_young_flags(const struct pe_facts *f)
{
    const bool any = f->attr->remove_on_exec || f->attr->inherit_thread || f->attr->sigtrap;
    return any && pe_older(f, KERNEL_VERSION(5, 13, 0));
}

static bool pe_inherit_read(const struct pe_facts *f)
{
    return f->attr->inherit && f->attr->sample_type & PERF_SAMPLE_READ &&
           pe_older(f, KERNEL_VERSION(6, 13, 0));
}

static bool pe_huge_period(const struct pe_facts *f)
{
    return !f->attr->freq && f->attr->sample_period >> 63;
}

static bool pe_clock(const struct pe_facts *f)
{
    return f->attr->use_clockid && f->attr->type != PERF_TYPE_SOFTWARE &&
           f->attr->clockid != 1 /* CLOCK_MONOTONIC */ && f->attr->clockid != 4 /* CLOCK_MONOTONIC_RAW */;
}

/* The first row whose condition holds names the field. */
static const struct pe_field_rule {
    bool (*holds)(const struct pe_facts *f); /* f->attr is set */
    const char *cause, *remedy;
} pe_field_rules[] = {
    {pe_ibs_idle, "exclude_idle, exclude_host and exclude_guest are not taken by IBS",
     "leave out the modifiers I, G, H"},
    {pe_ibs_exclude,
     "exclude_kernel, exclude_user or exclude_hv is set: IBS takes them from Linux 6.14, with swfilt",
     "leave out the modifiers u, k, h and sudo sysctl kernel.perf_event_paranoid=1, or boot Linux 6.14"},
    {pe_ibs_step, "sample_period is no multiple of 16, as IBS needs", "give --period a multiple of 16"},
    {pe_ibs_short, "sample_period is below 144 (0x90), the least of IBS", "give a longer --period"},
    {pe_ibs_ldlat, "config1 (ldlat) is outside of 128 to 2048 cycles", "give --ldlat 128 to 2048"},
    {pe_ibs_task, "pid names a task: before Linux 6.2 IBS samples whole CPUs only",
     "boot Linux 6.2, or sudo sysctl kernel.perf_event_paranoid=0 and record whole CPUs"},
    {pe_spe_freq, "freq is set: SPE samples by a period", "give --period instead of --freq"},
    {pe_counting_precise, "precise_ip is set on an event that only counts (sample_period 0)",
     "write p only after the event that samples"},
    {pe_fast_freq, "sample_freq is above kernel.perf_event_max_sample_rate",
     "give a lower --freq, or sudo sysctl "
     "kernel.perf_event_max_sample_rate=100000"},
    {pe_weight_struct, "sample_type has WEIGHT_STRUCT, which came with Linux 5.12",
     "boot Linux 5.12 or later"},
    {pe_data_page, "sample_type has DATA_PAGE_SIZE, which came with Linux 5.11", "boot Linux 5.11 or later"},
    {pe_format_lost, "read_format has LOST, which came with Linux 6.0", "boot Linux 6.0 or later"},
    {pe_young_flags, "remove_on_exec, inherit_thread or sigtrap is set: they came with Linux 5.13",
     "boot Linux 5.13 or later"},
    {pe_inherit_read, "inherit together with PERF_SAMPLE_READ came with Linux 6.13",
     "boot Linux 6.13 or later"},
    {pe_huge_period, "sample_period has its highest bit set", "give a shorter --period"},
    {pe_clock, "clockid is a clock that cannot be read in an NMI (perf_event_set_clock)",
     "use CLOCK_MONOTONIC"},
};

static void pe_einval_open(const struct pe_facts *f, struct pe_advice *a)
{
    for (size_t i = 0; f->attr && i < sizeof(pe_field_rules) / sizeof(pe_field_rules[0]); i++) {
        if (!pe_field_rules[i].holds(f)) continue;
        pe_cause(a, "%s", pe_field_rules[i].cause);
        pe_remedy(a, "%s", pe_field_rules[i].remedy);
        return;
    }
    if (f->attr)
        pe_cause(a,
                 "%s does not take config 0x%llx, config1 0x%llx, config2 0x%llx, period %llu, precise_ip %u",
                 pe_pmu(f), (unsigned long long)f->attr->config, (unsigned long long)f->attr->config1,
                 (unsigned long long)f->attr->config2, (unsigned long long)f->attr->sample_period,
                 (unsigned)f->attr->precise_ip);
    else
        pe_cause(a, "the kernel does not take the event");
    pe_remedy(a, "compare with /sys/bus/event_source/devices/%s/format, or leave out --event",
              f->pmu && *f->pmu ? f->pmu : "*");
}

static void pe_einval_mmap(const struct pe_facts *f, struct pe_advice *a)
{
    if (f->attr && f->attr->inherit && f->per_thread)
        pe_cause(a, "inherit is set on an event of all CPUs (cpu -1): such events have no ring");
    else
        pe_cause(a, "the ring of %llu KiB is not a power of two of pages and one",
                 (unsigned long long)f->ring_kib);
    pe_remedy(a, "open the event on each CPU, with rings of 2^n + 1 pages");
}

static void pe_einval_aux(const struct pe_facts *f, struct pe_advice *a)
{
    (void)f;
    pe_cause(a, "the kernel refuses aux_offset or aux_size: it must be a power of two of pages (SPE: two or "
                "more) after the ring");
    pe_remedy(a, "write aux_offset and aux_size into the ring's first page before the area is mapped");
}

/* --- the rest ------------------------------------------------------------------------------------------- */

static void pe_too_many_files(const struct pe_facts *f, struct pe_advice *a)
{
    pe_cause(a,
             "the process has used up its %llu file descriptors: "
             "sampling takes one for each CPU and kind of event",
             (unsigned long long)f->machine->files_max);
    pe_remedy(a, "ulimit -n %llu",
              (unsigned long long)(f->machine->files_max < 4096 ? 4096 : f->machine->files_max * 2));
}

static void pe_system_files(const struct pe_facts *f, struct pe_advice *a)
{
    (void)f;
    pe_cause(a, "the system has used up its file descriptors");
    pe_remedy(a, "sudo sysctl fs.file-max=1000000");
}

static void pe_busy(const struct pe_facts *f, struct pe_advice *a)
{
    if (pe_pmu_begins(f, "arm_spe"))
        pe_cause(a, "another session uses SPE: it takes one at a time");
    else
        pe_cause(a, "the counter is taken by another program%s",
                 f->machine->nmi_watchdog ? " or by the NMI watchdog" : "");
    pe_remedy(a, "%s",
              f->machine->nmi_watchdog && !pe_pmu_begins(f, "arm_spe")
                  ? "end other profilers (perf, VTune), or sudo sysctl kernel.nmi_watchdog=0"
                  : "end other profilers (perf, VTune, another loadstone)");
}

static void pe_needs_aux(const struct pe_facts *f, struct pe_advice *a)
{
    pe_cause(
        a, "loads of %s have a data source only in a group after mem-loads-aux (Sapphire Rapids, Alder Lake)",
        pe_pmu(f));
    pe_remedy(a, "leave out --event, or give --event '{%s/mem-loads-aux/,%s/mem-loads,ldlat=30/}:P'",
              f->pmu && *f->pmu ? f->pmu : "cpu", f->pmu && *f->pmu ? f->pmu : "cpu");
}

static void pe_too_big(const struct pe_facts *f, struct pe_advice *a)
{
    pe_cause(a, "the kernel is older than the event's description (%u bytes of struct perf_event_attr)",
             f->attr ? f->attr->size : 0);
    pe_remedy(a, "boot a newer kernel (5.13 or later)");
}

static void pe_no_call(const struct pe_facts *f, struct pe_advice *a)
{
    (void)f;
    pe_cause(a, "this kernel has no perf events");
    pe_remedy(a, "boot a kernel with CONFIG_PERF_EVENTS");
}

static void pe_gone(const struct pe_facts *f, struct pe_advice *a)
{
    (void)f;
    pe_cause(a, "the thread has ended");
}

static void pe_no_device(const struct pe_facts *f, struct pe_advice *a)
{
    if (f->attr && f->attr->precise_ip == 0 && !pe_is_ibs(f)) {
        pe_no_pmu(f, a);
        return;
    }
    pe_cause(a, "the CPU is offline, or its local APIC takes no interrupts of counters");
    pe_remedy(a, "do not boot with noapic or nolapic; sample CPUs that are online");
}

static void pe_no_memory(const struct pe_facts *f, struct pe_advice *a)
{
    (void)f;
    pe_cause(a, "the kernel has no memory for the event or its ring");
    pe_remedy(a, "give a smaller ring; look at the memory limit of the container or cgroup");
}

static void pe_no_slot(const struct pe_facts *f, struct pe_advice *a)
{
    pe_cause(a, "%s has no room for one more event (breakpoints: four a thread)", pe_pmu(f));
    pe_remedy(a, "watch fewer addresses, or end the debugger");
}

static void pe_deep(const struct pe_facts *f, struct pe_advice *a)
{
    (void)f;
    pe_cause(a, "sample_max_stack is above kernel.perf_event_max_stack");
    pe_remedy(a, "sudo sysctl kernel.perf_event_max_stack=127");
}

#define PE_ANYWHERE (-1)
static const struct pe_errno_row {
    int error, call;
    void (*advise)(const struct pe_facts *f, struct pe_advice *a);
} pe_errno_rows[] = {
    {EACCES, PE_ANYWHERE, pe_eacces},       {EPERM, PE_AT_MMAP, pe_eperm_mmap},
    {EPERM, PE_AT_MMAP_AUX, pe_eperm_mmap}, {EPERM, PE_ANYWHERE, pe_eperm_open},
    {ENOENT, PE_ANYWHERE, pe_no_pmu},       {EOPNOTSUPP, PE_ANYWHERE, pe_not_supported},
    {EINVAL, PE_AT_MMAP, pe_einval_mmap},   {EINVAL, PE_AT_MMAP_AUX, pe_einval_aux},
    {EINVAL, PE_ANYWHERE, pe_einval_open},  {EMFILE, PE_ANYWHERE, pe_too_many_files},
    {ENFILE, PE_ANYWHERE, pe_system_files}, {EBUSY, PE_ANYWHERE, pe_busy},
    {ENODATA, PE_ANYWHERE, pe_needs_aux},   {E2BIG, PE_ANYWHERE, pe_too_big},
    {ENOSYS, PE_ANYWHERE, pe_no_call},      {ESRCH, PE_ANYWHERE, pe_gone},
    {ENODEV, PE_ANYWHERE, pe_no_device},    {ENXIO, PE_ANYWHERE, pe_no_device},
    {ENOMEM, PE_ANYWHERE, pe_no_memory},    {ENOSPC, PE_ANYWHERE, pe_no_slot},
    {EOVERFLOW, PE_ANYWHERE, pe_deep},
};

void pe_advise(int error, enum pe_call call, const struct pe_facts *facts, struct pe_advice *out)
{
    memset(out, 0, sizeof(*out));
    for (size_t i = 0; i < sizeof(pe_errno_rows) / sizeof(pe_errno_rows[0]); i++) {
        const struct pe_errno_row *row = &pe_errno_rows[i];
        if (row->error != error || (row->call != PE_ANYWHERE && row->call != (int)call)) continue;
        row->advise(facts, out);
        return;
    }
    pe_cause(out, "%s", strerror(error));
}
