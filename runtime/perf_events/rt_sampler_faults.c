/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine faults: page faults, so which thread touched which page first. */
#include "common/ls_compat.h"
#include "common/ls_file.h"
#include "runtime/perf_events/rt_perf.h"
#include "runtime/core/rt_setting.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>

enum { TAG_MINOR, TAG_MAJOR };
enum {
    SAMPLE_COST_NS = 800, /* order of magnitude, used where the cost cannot be measured */
    FAULTS_TEXT_BYTES = 128,
    PAGES = 16, /* faulted to measure the cost of a sample */
    ROUNDS = 3,
    RING_BYTES = 256 << 10, /* room for the samples of PAGES with copied stacks */
    COST_MIN_NS = 50,       /* less is a clock's error, ... */
    COST_MAX_NS = 50000,    /* ... more a neighbour's work */
};

static struct rt_perf_engine faults = {
    /* primes: programs fault in strides. No longer periods: a thread that ends loses its count, on average
     * half a period for each CPU that it ran on. */
    .periods = {1, 7, 61},
    .gears_len = 3,
    .sample_cost_ns = SAMPLE_COST_NS,
};
static char faults_text[FAULTS_TEXT_BYTES]; /* description of a sample, in words */
static unsigned faults_weak;

static unsigned numa_nodes;

/* How many nodes are there? sysfs_root NULL or "": /sys. */
static void count_numa_nodes(const char *sysfs_root)
{
    char path[512], list[256];
    const char *at = list;
    snprintf(path, sizeof(path), "%s/devices/system/node/has_memory",
             sysfs_root && *sysfs_root ? sysfs_root : "/sys");
    ls_file_read(path, list, sizeof(list));
    numa_nodes = 0;
    for (unsigned first, last; ls_cpus_next(&at, &first, &last);)
        numa_nodes += last - first + 1;
}

/* Ask the kernel for the NUMA node of a page when its sample is read. SPOOL_NOT_REPORTED: one node, the page is
 * gone, or the kernel does not know. */
static uint8_t numa_node_of(uint64_t addr)
{
    uint64_t page = addr & ~(uint64_t)(getauxval(AT_PAGESZ) - 1);
    int node = -1;
    if (numa_nodes < 2 || !addr) return SPOOL_NOT_REPORTED;
    if (ls_syscall(SYS_move_pages, 0, 1, &page, NULL, &node, 0) < 0 || node < 0 || node >= SPOOL_NOT_REPORTED)
        return SPOOL_NOT_REPORTED;
    return (uint8_t)node;
}

/* Time of first touches of PAGES pages; 0: there are none. */
static uint64_t fault_ns(void)
{
    const size_t page_bytes = getauxval(AT_PAGESZ), len = PAGES * page_bytes;
    const long at =
        ls_syscall(SYS_mmap, NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at < 0 && at > -4096) return 0;
    volatile char *pages = (volatile char *)at;
    ls_syscall(SYS_madvise, at, len, MADV_NOHUGEPAGE);
    const uint64_t begin_ns = ls_clock_mono_ns();
    for (size_t p = 0; p < PAGES; p++)
        pages[p * page_bytes] = 1;
    const uint64_t took_ns = ls_clock_mono_ns() - begin_ns;
    ls_syscall(SYS_munmap, at, len);
    return took_ns;
}

static uint64_t best_fault_ns(void)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < ROUNDS; i++) {
        const uint64_t ns = fault_ns();
        if (ns < best) best = ns;
    }
    return best;
}

/* Measure the cost of one sample of page faults, because it depends on the machine (twice as much in many
 * virtual machines) and on the content of a sample. Faults a few pages with and without attr's event, the
 * best of some rounds; a tenth of a millisecond in all. 0: it cannot be measured. attr: page faults, period
 * 1. */
static uint32_t measure_cost_ns(const struct perf_event_attr *attr)
{
    struct pe_open_spec spec = {.events = {{.attr = *attr, .leader = -1, .gear = PE_GEAR_ANY}},
                                .events_len = 1,
                                .ring_bytes = RING_BYTES};
    struct pe_channel channel;
    spec.events[0].attr.inherit = spec.events[0].attr.inherit_thread = 0;
    if (pe_channel_open(&channel, rt_perf_kernel(), &spec, 0, -1) != 0) return 0;
    const uint64_t without_ns = best_fault_ns();
    pe_channel_gear(&channel, rt_perf_kernel(), &spec, 0);
    const uint64_t with_ns = best_fault_ns();
    pe_channel_close(&channel, rt_perf_kernel());
    if (with_ns <= without_ns || without_ns == 0) return 0;
    const uint64_t one_ns = (with_ns - without_ns) / PAGES;
    return one_ns < COST_MIN_NS || one_ns > COST_MAX_NS ? 0 : (uint32_t)one_ns;
}

static struct perf_event_attr faults_attr(uint64_t config, uint64_t period_events)
{
    struct perf_event_attr a = rt_perf_attr(PERF_TYPE_SOFTWARE, config, period_events);
    /* with it in the records the kernel takes every software event, whatever the period (perf_swevent_event) */
    a.sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
    return a;
}

/* Events of handled faults: the size of the page is known then, and which kind it was. */
static void faults_specify(struct pe_open_spec *spec)
{
    *spec = (struct pe_open_spec){.events_len = 0};
    for (unsigned gear = 0; gear < faults.gears_len; gear++)
        spec->events[spec->events_len++] =
            (struct pe_open_event){.attr = faults_attr(PERF_COUNT_SW_PAGE_FAULTS_MIN, faults.periods[gear]),
                                   .leader = -1,
                                   .gear = (uint8_t)gear,
                                   .tag = TAG_MINOR};
    spec->events[spec->events_len++] =
        (struct pe_open_event){.attr = faults_attr(PERF_COUNT_SW_PAGE_FAULTS_MAJ, 1),
                               .leader = -1,
                               .gear = PE_GEAR_ANY,
                               .tag = TAG_MAJOR};
}

static bool faults_sample(const struct pe_channel *channel, const struct pe_sample *s,
                          struct spool_sample *out, unsigned *out_flags)
{
    (void)out_flags;
    const struct pe_open_event *e = rt_perf_event_of(channel, s);
    const bool is_major = e && e->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MAJ;
    out->numa = numa_node_of(s->addr);
    out->kind = is_major ? SPOOL_SAMPLE_FAULT_MAJOR : SPOOL_SAMPLE_FAULT_MINOR;
    return true;
}

static bool faults_probe(char *why, size_t why_len)
{
    faults_specify(&faults.spec);
    faults.sample = faults_sample;
    const int error = rt_perf_probe(&faults, &faults_weak);
    if (error) rt_perf_why(&faults, (struct pe_facts){.pmu = ""}, why, why_len);
    return error == 0;
}

static int faults_process_start(struct rt_engine_facts *facts)
{
    (void)facts;
    const uint32_t measured_ns = measure_cost_ns(&faults.spec.events[0].attr);
    if (measured_ns) faults.sample_cost_ns = measured_ns;
    rt_perf_cost_text("page faults, reported by the kernel after it has handled them", faults.sample_cost_ns,
                      measured_ns ? "measured" : "assumed", faults_text, sizeof(faults_text));
    faults.events = faults_text;
    count_numa_nodes(rt_setting(ls_env_rows[LS_ENV_SYSFS].variable));
    return rt_perf_process_start(&faults, faults_weak);
}

const struct rt_sampler rt_sampler_faults = {
    .name = "faults",
    .probe = faults_probe,
    .process_start = faults_process_start,
    .thread_open = rt_perf_thread_open,
    .thread_close = rt_perf_thread_close,
    .start = rt_perf_start,
    .stop = rt_perf_stop,
    .drain = rt_perf_drain,
    .before_fork = rt_perf_before_fork,
    .after_fork_parent = rt_perf_after_fork_parent,
    .after_fork_child = rt_perf_after_fork_child,
    .seal = rt_perf_seal,
};
