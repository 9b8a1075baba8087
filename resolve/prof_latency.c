/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_replay.h"

#include <math.h>

/* Weight of the calibration's cost, in controls: a burst has some hundred. */
#define CALIBRATION_WEIGHT 64.0
/* Without a calibration: four to five cycles of the core in all x86-64 cores since 2008. */
#define USUAL_L1_CYCLES 4.0

static double l1_cycles(const struct prof_latency *l)
{
    return l->calibration ? l->calibration->latency_cycles[MACH_L1] : USUAL_L1_CYCLES;
}

double prof_latency_cost_cycles(const struct prof_latency *l)
{
    const double sum = (double)l->control_cycles - (double)l->control_len * l1_cycles(l);
    if (!l->calibration) return l->control_len ? sum / (double)l->control_len : 0;
    return (sum + CALIBRATION_WEIGHT * l->calibration->probe_cost_cycles) /
           ((double)l->control_len + CALIBRATION_WEIGHT);
}

void prof_latency_learn(struct prof_latency *l, const struct spool_burst_end *end)
{
    l->control_cycles += end->control_cycles;
    l->control_len += end->control_len;
}

static double corrected(const struct prof_latency *l, uint32_t reading_cycles)
{
    if (l->subtracted_cycles && !l->control_len) return reading_cycles;
    return (double)reading_cycles + (double)l->subtracted_cycles - prof_latency_cost_cycles(l);
}

static int32_t rounded(struct prof_latency *l, double cycles)
{
    const double wanted = fmax(1 - INT32_MAX, fmin(cycles, INT32_MAX - 1)) + l->carry_cycles;
    const double whole = nearbyint(wanted);
    l->carry_cycles = wanted - whole;
    return (int32_t)whole;
}

/* A line that the burst touched lately is natively in L1, even if the stepping evicts lines; only a latency
 * of memory shows that it really was evicted. */
static bool is_natively_near(const struct prof_latency *l, const struct spool_access *a, double cycles)
{
    return (a->rec.flags & SPOOL_ACCESS_LINE_SEEN) && l->calibration &&
           cycles < l->calibration->limit_cycles[MACH_L3];
}

void prof_latency_set(struct prof_latency *l, const struct spool_access *a, struct prof_sample *s)
{
    if (!(a->rec.flags & SPOOL_ACCESS_LATENCY_VALID)) return;
    double cycles = corrected(l, a->latency_cycles);
    if (is_natively_near(l, a, cycles)) cycles = l1_cycles(l);
    s->latency_valid = 1;
    s->latency_cycles = rounded(l, cycles);
    if (l->calibration) s->level = (uint8_t)mach_level_of_latency(l->calibration, cycles);
}
