/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_advice.h"
#include "analyse/an_dimension.h"
#include "analyse/an_select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AN_IPS_MAX = 8192, AN_STRIDES_MIN = 20, AN_LINE_BYTES = 64 };
enum { AN_JUMPS_MIN = 10, AN_NEAR_BYTES = 4 * AN_LINE_BYTES }; /* a longer stride is a jump */
#define AN_REGULAR_PART 0.5 /* share of equal distances from which accesses are strided */
#define AN_SORTED_PART 0.95 /* share of the strides in one direction from which accesses are sorted */
#define AN_FIRST_PART 0.5   /* share of the stall after jumps from which first lines are the cost */

struct an_ip {
    uint64_t ip, sample, samples;
    uint32_t line;
    double stall_ns;
};

static struct an_ip *an_ip_slot(struct an_ip *table, uint64_t ip)
{
    size_t at = (size_t)((ip * UINT64_C(0x9e3779b97f4a7c15)) >> 40) % AN_IPS_MAX;
    for (size_t tries = 0; tries < AN_IPS_MAX; tries++, at = (at + 1) % AN_IPS_MAX)
        if (table[at].samples == 0 || table[at].ip == ip) return &table[at];
    return NULL; /* largest number of distinct instructions that are examined */
}

static bool an_costs_more(const struct an_ip *a, const struct an_ip *b)
{
    return a->stall_ns > b->stall_ns || (a->stall_ns == b->stall_ns && a->samples > b->samples);
}

static int an_compare_lines(const void *a, const void *b)
{
    const uint32_t x = ((const struct an_ip *)a)->line, y = ((const struct an_ip *)b)->line;
    return (x > y) - (x < y);
}

/* The costliest instruction of the costliest line; *out_line: the sum of this line. Reorders the table. */
static struct an_ip an_top_of_lines(struct an_ip *table, struct an_ip *out_line)
{
    struct an_ip top = {0};
    *out_line = top;
    qsort(table, AN_IPS_MAX, sizeof(*table), an_compare_lines);
    for (size_t i = 0, end; i < AN_IPS_MAX; i = end) {
        struct an_ip line = table[i], first = table[i];
        for (end = i + 1; end < AN_IPS_MAX && table[i].line != AN_NO_KEY && table[end].line == table[i].line;
             end++) {
            line.stall_ns += table[end].stall_ns;
            line.samples += table[end].samples;
            if (an_costs_more(&table[end], &first)) first = table[end];
        }
        if (!an_costs_more(&line, out_line)) continue;
        *out_line = line;
        top = first;
    }
    return top;
}

static struct an_ip an_top_ip(const struct an_input *in, const struct an_costs *costs,
                              const uint8_t *in_group, const uint32_t *lines, struct an_ip *table,
                              struct an_finding *out)
{
    double stall = 0, memory = 0;
    uint64_t samples = 0, measured = 0, dram = 0;
    for (uint64_t i = 0; i < in->samples.len; i++) {
        struct an_ip *slot = in_group[i] ? an_ip_slot(table, in->samples.ip[i]) : NULL;
        if (!slot) continue;
        slot->ip = in->samples.ip[i];
        slot->line = lines[i];
        slot->sample = i;
        slot->samples++;
        slot->stall_ns += (double)costs->stall_ns[i];
        stall += (double)costs->stall_ns[i];
        /* an access with stall but without a latency belongs to a sweep, which waits for its lines */
        if (in->samples.level[i] == PROF_LEVEL_DRAM || !an_is_measured(&in->samples, i))
            memory += (double)costs->stall_ns[i];
        samples++;
        measured += (uint64_t)an_is_measured(&in->samples, i);
        dram += an_is_measured(&in->samples, i) && in->samples.level[i] == PROF_LEVEL_DRAM;
    }
    struct an_ip line;
    const struct an_ip top = an_top_of_lines(table, &line);
    out->memory_part = stall > 0 ? memory / stall : NAN;
    out->dram_part = measured ? (double)dram / (double)measured : NAN;
    out->stall_part = stall > 0 ? line.stall_ns / stall
                      : samples ? (double)line.samples / (double)samples
                                : NAN;
    return top;
}

/* The strides of one instruction; `jumps` contains the strides of more than AN_NEAR_BYTES. */
struct an_walk {
    int64_t *strides, *jumps;
    double *alone; /* stalls of loads that were timed alone: whether they follow a jump is not known */
    size_t strides_len, jumps_len, alone_len, new_lines;
    double stall_ns, jump_stall_ns; /* stall of accesses with a known predecessor; stall after a jump */
};

static void an_walk_step(struct an_walk *w, uint64_t from, uint64_t to, double stall_ns)
{
    const int64_t stride = (int64_t)(to - from);
    w->strides[w->strides_len++] = stride;
    w->new_lines += from / AN_LINE_BYTES != to / AN_LINE_BYTES;
    w->stall_ns += stall_ns;
    if (stride >= -AN_NEAR_BYTES && stride <= AN_NEAR_BYTES) return;
    w->jumps[w->jumps_len++] = stride;
    w->jump_stall_ns += stall_ns;
}

/* Is access i the store of an instruction that loaded from the same address just before? */
static bool an_ends_update(const struct an_input *in, uint64_t i, uint64_t last)
{
    return in->samples.op[i] == 1 && in->samples.addr[i] == last;
}

/* Collect the strides between consecutive accesses of ip where none is missing: there they are exact. */
static void an_collect_strides(const struct an_input *in, const struct an_costs *costs,
                               const uint8_t *in_group, uint64_t ip, struct an_walk *w)
{
    const struct prof_cost_samples all = an_cost_samples(&in->samples, 0, in->samples.len);
    for (size_t b = 0; b < in->bursts_len; b++) {
        const struct prof_burst *burst = &in->bursts[b];
        const uint64_t end = burst->first_sample + prof_cost_gapless(burst, &all);
        uint64_t last = UINT64_MAX;
        for (uint64_t i = burst->first_sample; i < end; i++) {
            if (!in_group[i] || in->samples.ip[i] != ip || in->samples.addr[i] == UINT64_MAX) continue;
            if (an_ends_update(in, i, last)) continue;
            if (last != UINT64_MAX)
                an_walk_step(w, last, in->samples.addr[i],
                             burst->probe_loads ? 0 : (double)costs->stall_ns[i]);
            last = in->samples.addr[i];
        }
        for (uint64_t i = end; i < burst->first_sample + burst->samples_len; i++)
            if (in_group[i] && in->samples.ip[i] == ip && an_is_measured(&in->samples, i))
                w->alone[w->alone_len++] = (double)costs->stall_ns[i];
    }
}

static int falling(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Return the part of the stall that comes after jumps. The longest loads among those timed alone are assumed
 * to follow jumps, in the proportion of jumps among the strides. Reorders them. */
static double an_first_part(struct an_walk *w)
{
    double first = 0, all = 0;
    if (w->stall_ns > 0) return w->jump_stall_ns / w->stall_ns;
    if (w->strides_len == 0 || w->alone_len == 0) return NAN;
    qsort(w->alone, w->alone_len, sizeof(*w->alone), falling);
    const double jumps = (double)w->alone_len * (double)w->jumps_len / (double)w->strides_len;
    for (size_t i = 0; i < w->alone_len; i++) {
        all += w->alone[i];
        if ((double)i < jumps) first += w->alone[i];
    }
    return all > 0 ? first / all : NAN;
}

/* Return the share of the values that equal the median. Reorders them. */
static double an_median_part(int64_t *values, size_t len, int64_t *out_median)
{
    size_t equal = 0;
    *out_median = (int64_t)an_quantile_i64(values, len, 0.5);
    for (size_t i = 0; i < len; i++)
        equal += values[i] == *out_median;
    return (double)equal / (double)len;
}

/* Do nearly all strides go in one direction? Repeated addresses go in both. */
static bool an_are_sorted(const int64_t *strides, size_t len)
{
    size_t up = 0, down = 0;
    for (size_t i = 0; i < len; i++) {
        up += strides[i] >= 0;
        down += strides[i] <= 0;
    }
    return (double)(up > down ? up : down) >= AN_SORTED_PART * (double)len;
}

/* Does it access runs that begin at random addresses, and wait there? Jumps of equal length belong to a loop
 * around another one. */
static bool an_has_runs(const struct an_finding *f, const struct an_walk *w)
{
    int64_t jump;
    if (w->jumps_len < AN_JUMPS_MIN || 2 * w->jumps_len > w->strides_len || f->stride_bytes == 0)
        return false;
    return f->first_part >= AN_FIRST_PART && an_median_part(w->jumps, w->jumps_len, &jump) < AN_REGULAR_PART;
}

static enum an_access an_classify(const struct an_finding *f, const struct an_walk *w)
{
    if (f->strides_len < AN_STRIDES_MIN) return AN_ACCESS_UNKNOWN;
    if (an_has_runs(f, w)) return AN_ACCESS_RUNS;
    if (f->stride_part < AN_REGULAR_PART)
        return an_are_sorted(w->strides, w->strides_len) ? AN_ACCESS_SORTED : AN_ACCESS_IRREGULAR;
    if (f->stride_bytes == 0) return AN_ACCESS_REPEATED;
    return llabs(f->stride_bytes) <= AN_LINE_BYTES ? AN_ACCESS_SEQUENTIAL : AN_ACCESS_STRIDED;
}

static void an_find(struct an_finding *out, struct an_walk *w)
{
    out->strides_len = w->strides_len;
    out->jumps_len = w->jumps_len;
    out->run_len = w->jumps_len ? (double)w->strides_len / (double)w->jumps_len : NAN;
    out->first_part = an_first_part(w);
    out->lines_part = w->strides_len ? (double)w->new_lines / (double)w->strides_len : NAN;
    out->has_sorted_jumps = w->jumps_len >= AN_JUMPS_MIN && an_are_sorted(w->jumps, w->jumps_len);
    if (w->strides_len) out->stride_part = an_median_part(w->strides, w->strides_len, &out->stride_bytes);
    out->access = an_classify(out, w);
}

/* Compute the traffic of the loop around ip, over all its arrays. */
static void an_find_loop(struct an_finding *out, const struct an_input *in, const struct an_costs *costs)
{
    out->loop_bytes = costs->moved_bytes ? 0 : NAN;
    for (size_t b = 0; b < in->bursts_len; b++) {
        const struct prof_burst *burst = &in->bursts[b];
        bool executes = false;
        double bytes = 0;
        for (uint64_t i = burst->first_sample; i < burst->first_sample + burst->samples_len; i++) {
            executes |= in->samples.ip[i] == out->ip;
            if (costs->moved_bytes) bytes += (double)costs->moved_bytes[i];
        }
        if (!executes) continue;
        out->loop_bytes += bytes;
        out->loop_ns += an_data_weight_ns(costs, burst);
    }
}

ls_err an_finding_init(struct an_finding *out, const struct an_input *in, const struct an_costs *costs,
                       const uint8_t *in_group, const uint32_t *lines)
{
    memset(out, 0, sizeof(*out));
    struct an_ip *table = calloc(AN_IPS_MAX, sizeof(*table));
    if (!table) return ls_nomem("advice");
    const struct an_ip top = an_top_ip(in, costs, in_group, lines, table, out);
    free(table);
    out->ip = top.ip;
    out->sample = top.sample;
    an_find_loop(out, in, costs);
    struct an_walk w = {.strides = malloc((top.samples + 1) * sizeof(*w.strides)),
                        .jumps = malloc((top.samples + 1) * sizeof(*w.jumps)),
                        .alone = malloc((top.samples + 1) * sizeof(*w.alone))};
    const ls_err err =
        w.strides && w.jumps && w.alone ? LS_OK : ls_nomem("%llu strides", (unsigned long long)top.samples);
    if (err == LS_OK) {
        if (top.samples) an_collect_strides(in, costs, in_group, top.ip, &w);
        an_find(out, &w);
    }
    free(w.strides);
    free(w.jumps);
    free(w.alone);
    return err;
}
