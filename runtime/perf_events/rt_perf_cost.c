/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/perf_events/rt_perf_cost.h"

#include "common/ls_clock.h"
#include "common/ls_compat.h"
#include "runtime/core/rt_text_sigsafe.h"
#include "runtime/perf_events/rt_perf.h"

#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>

enum {
    PAGES = 16,
    ROUNDS = 3,
    RING_BYTES = 256 << 10, /* of so many samples with copied stacks */
    COST_MIN_NS = 50,       /* less is a clock's error, ... */
    COST_MAX_NS = 50000,    /* ... more a neighbour's work */
};

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

uint32_t rt_perf_cost_of_fault(const struct perf_event_attr *attr)
{
    struct pe_open_spec spec = {.events = {{.attr = *attr, .leader = -1, .gear = PE_GEAR_ANY}},
                                .events_len = 1,
                                .ring_bytes = RING_BYTES};
    struct pe_lane lane;
    spec.events[0].attr.inherit = spec.events[0].attr.inherit_thread = 0;
    if (pe_lane_open(&lane, rt_perf_kernel(), &spec, 0, -1) != 0) return 0;
    const uint64_t without_ns = best_fault_ns();
    pe_lane_gear(&lane, rt_perf_kernel(), &spec, 0);
    const uint64_t with_ns = best_fault_ns();
    pe_lane_close(&lane, rt_perf_kernel());
    if (with_ns <= without_ns || without_ns == 0) return 0;
    const uint64_t one_ns = (with_ns - without_ns) / PAGES;
    return one_ns < COST_MIN_NS || one_ns > COST_MAX_NS ? 0 : (uint32_t)one_ns;
}

void rt_perf_cost_text(const char *text, uint32_t cost_ns, const char *how, char *out, size_t out_len)
{
    char number[32];
    struct rt_text t = rt_text_in(out, out_len);
    snprintf(number, sizeof(number), "%u.%02u", cost_ns / 1000, cost_ns % 1000 / 10);
    rt_text_add(&t, text);
    rt_text_add(&t, "; one costs ");
    rt_text_add(&t, number);
    rt_text_add(&t, " us, ");
    rt_text_add(&t, how);
}
