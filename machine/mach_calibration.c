/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "machine/mach_calibration.h"

#include "common/ls_clock.h"
#include "machine/mach_cpu.h"
#include "machine/mach_isa.h"

#include <math.h>

#ifdef HAVE_TSC
const struct mach_isa *const mach_isa = &mach_isa_x86_64;
#else
const struct mach_isa *const mach_isa = NULL;
#endif

ls_err mach_tsc_hz(uint64_t window_ns, uint64_t *out_hz)
{
    if (!mach_isa) return ls_fail(LS_ERR_UNSUPPORTED, "latencies are measured on x86-64 only");
    return mach_isa->tsc_hz(window_ns, out_hz);
}

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define TSC_WINDOW_NS UINT64_C(20000000)
#define LEAST_ON_CPU 0.95 /* share of the time of an undisturbed measurement */

/* Defaults where the system does not report its caches, as inside some containers; small, so that they fit
 * into the level on any machine. */
static const uint64_t usual_cache_bytes[MACH_CPU_CACHE_LEVELS] = {32 * KIB, 512 * KIB, 8 * MIB};

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Half of L1 and of L2. For L3 the geometric mean of L2 and L3, at most half of L3: a virtual machine shares
 * its L3 with unseen neighbours, so that half of the reported size may not be available. For memory: four
 * times L3, between 64 and 128 MiB, and flushed, for the same reason. */
static void working_sets(const uint64_t *cache_bytes, struct mach_working_set *sets)
{
    const uint64_t l1 = cache_bytes[0] ? cache_bytes[0] : usual_cache_bytes[0];
    const uint64_t l2 = cache_bytes[1] ? cache_bytes[1] : usual_cache_bytes[1];
    const uint64_t l3 = cache_bytes[2] ? cache_bytes[2] : usual_cache_bytes[2];
    const uint64_t between = (uint64_t)sqrt((double)l2 * (double)l3);
    sets[MACH_L1] = (struct mach_working_set){.len_bytes = l1 / 2};
    sets[MACH_L2] = (struct mach_working_set){.len_bytes = l2 / 2};
    sets[MACH_L3] = (struct mach_working_set){.len_bytes = min_u64(between, l3 / 2)};
    sets[MACH_DRAM] = (struct mach_working_set){.len_bytes = max_u64(64 * MIB, min_u64(4 * l3, 128 * MIB)),
                                                .from_memory = true};
}

/* Make latencies increase with the level: if noise or a missing cache contradicts this, both levels get the
 * same latency. */
static void make_monotonic(double *latency_cycles)
{
    latency_cycles[MACH_L1] = fmax(latency_cycles[MACH_L1], 1);
    for (int l = MACH_L2; l < MACH_LEVEL_COUNT; l++)
        latency_cycles[l] = fmax(latency_cycles[l], latency_cycles[l - 1]);
}

void mach_calibration_set_limits(struct mach_calibration *c)
{
    const double step = c->tsc_step_cycles;
    for (int l = MACH_L1; l < MACH_DRAM; l++) {
        const double between = sqrt(c->latency_cycles[l] * c->latency_cycles[l + 1]);
        const double on_gap =
            (floor((between + c->probe_cost_cycles) / step) + 0.5) * step - c->probe_cost_cycles;
        c->limit_cycles[l] = l == MACH_L1 ? on_gap : fmax(on_gap, c->limit_cycles[l - 1] + step);
    }
    if (c->latency_cycles[MACH_L2] - c->latency_cycles[MACH_L1] < step)
        c->limit_cycles[MACH_L1] = c->limit_cycles[MACH_L2];
    c->limit_cycles[MACH_DRAM] = INFINITY;
}

static ls_err measure_levels(struct mach_calibration *c)
{
    struct mach_working_set sets[MACH_LEVEL_COUNT];
    working_sets(c->cache_bytes, sets);
    LS_TRY(mach_latency_chase(sets[MACH_L1].len_bytes, &c->latency_cycles[MACH_L1]));
    LS_TRY(mach_latency_chase(sets[MACH_L2].len_bytes, &c->latency_cycles[MACH_L2]));
    c->probe_cost_cycles = fmax(0, mach_latency_control() - c->latency_cycles[MACH_L1]);
    for (int l = MACH_L3; l < MACH_LEVEL_COUNT; l++) {
        double cycles = 0;
        LS_TRY(mach_latency_measure(&sets[l], c->tsc_step_cycles, &cycles));
        c->latency_cycles[l] = cycles - c->probe_cost_cycles;
    }
    make_monotonic(c->latency_cycles);
    return LS_OK;
}

/* Sweep each cache with a set that fits into it, and memory with one that is larger than L3. */
static ls_err measure_sweeps(struct mach_calibration *c)
{
    struct mach_working_set sets[MACH_LEVEL_COUNT];
    working_sets(c->cache_bytes, sets);
    for (int l = 0; l < MACH_LEVEL_COUNT; l++)
        LS_TRY(mach_sweep_measure(sets[l].len_bytes, &c->line_cycles[l]));
    make_monotonic(c->line_cycles);
    return LS_OK;
}

static ls_err measure_sweeps_together(struct mach_calibration *c)
{
    struct mach_working_set sets[MACH_LEVEL_COUNT];
    working_sets(c->cache_bytes, sets);
    LS_TRY(mach_sweep_measure_all(sets[MACH_DRAM].len_bytes, &c->line_cycles_all, &c->cpus));
    if (!(c->line_cycles_all > c->line_cycles[MACH_DRAM])) c->line_cycles_all = c->line_cycles[MACH_DRAM];
    return LS_OK;
}

static ls_err calibrate(const struct mach_cpu *cpu, struct mach_calibration *out)
{
    struct mach_calibration c = {0};
    for (int l = 0; l < MACH_CPU_CACHE_LEVELS; l++)
        c.cache_bytes[l] = cpu->cache_bytes[l];
    LS_TRY(mach_tsc_hz(TSC_WINDOW_NS, &c.tsc_hz));
    c.tsc_step_cycles = mach_isa->tsc_step_cycles();
    c.issue_width = mach_isa->issue_width();
    c.core_cycle = mach_isa->core_cycle();
    const struct mach_fault_costs faults = mach_fault_measure();
    c.fault_ns = faults.page_ns;
    c.huge_fault_ns = faults.huge_ns;
    c.fault_error = faults.error;
    const uint64_t begin_ns = ls_clock_mono_ns(), begin_cpu_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    LS_TRY(measure_levels(&c));
    LS_TRY(measure_sweeps(&c));
    const double wall_ns = (double)(ls_clock_mono_ns() - begin_ns);
    const double cpu_ns = (double)(ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - begin_cpu_ns);
    c.disturbed = cpu_ns < LEAST_ON_CPU * wall_ns;
    LS_TRY(measure_sweeps_together(&c));
    mach_calibration_set_limits(&c);
    *out = c;
    return LS_OK;
}

static void improve_times(double *kept, const double *again)
{
    for (int l = 0; l < MACH_LEVEL_COUNT; l++)
        kept[l] = fmin(kept[l], again[l]);
}

/* Keep the shorter times in *kept, because other programs only make them longer. again: the later calibration. */
static void improve(struct mach_calibration *kept, const struct mach_calibration *again)
{
    improve_times(kept->latency_cycles, again->latency_cycles);
    improve_times(kept->line_cycles, again->line_cycles);
    kept->line_cycles_all = fmin(kept->line_cycles_all, again->line_cycles_all);
    kept->probe_cost_cycles = fmin(kept->probe_cost_cycles, again->probe_cost_cycles);
    kept->issue_width = fmax(kept->issue_width, again->issue_width);
    kept->core_cycle = fmin(kept->core_cycle, again->core_cycle);
    if (again->fault_error < kept->fault_error) {
        kept->fault_ns = again->fault_ns;
        kept->huge_fault_ns = again->huge_fault_ns;
        kept->fault_error = again->fault_error;
    }
    kept->disturbed = again->disturbed ? kept->disturbed + 1 : 0;
    mach_calibration_set_limits(kept);
}

ls_err mach_calibrate(struct mach_calibration *out)
{
    struct mach_cpu cpu;
    mach_cpu_identify(&cpu);
    return calibrate(&cpu, out);
}

ls_err mach_calibration_get(struct mach_calibration *out)
{
    struct mach_cpu cpu;
    mach_cpu_identify(&cpu);
    struct mach_calibration again;
    const bool is_cached = mach_calibration_cache_load(&cpu, out) == LS_OK;
    if (is_cached && (!out->disturbed || out->disturbed >= MACH_CALIBRATIONS_MOST)) return LS_OK;
    LS_TRY(calibrate(&cpu, &again));
    if (is_cached)
        improve(out, &again);
    else
        *out = again;
    (void)mach_calibration_cache_store(
        &cpu, out); /* without a writable cache the next run takes half a second longer */
    return LS_OK;
}

enum mach_level mach_level_of_latency(const struct mach_calibration *c, double latency_cycles)
{
    int l = MACH_L1;
    while (l < MACH_DRAM && !(latency_cycles < c->limit_cycles[l]))
        l++;
    return (enum mach_level)l;
}
