/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AN_TRAFFIC_PART_MIN 0.01

struct an_moved {
    const struct an_input *in;
    const struct an_costs *costs;
    const an_bootstrap *bootstrap;
    const uint32_t *group_of_sample;
};

/* Return the number of bursts with bytes of a group. */
static size_t an_bursts_of(const struct an_moved *m, uint32_t group)
{
    size_t bursts = 0;
    for (size_t b = 0; b < m->in->bursts_len; b++) {
        const struct prof_burst *burst = &m->in->bursts[b];
        uint64_t i = burst->first_sample;
        const uint64_t end = i + burst->samples_len;
        while (i < end && (m->group_of_sample[i] != group || m->costs->moved_bytes[i] <= 0))
            i++;
        bursts += i < end;
    }
    return bursts;
}

static bool an_is_rough(const struct an_moved *m, uint32_t group)
{
    double all = 0, rough = 0;
    for (uint64_t i = 0; i < m->in->samples.len; i++) {
        if (m->group_of_sample[i] != group) continue;
        all += (double)m->costs->moved_bytes[i];
        if (m->costs->moved_roughly[i]) rough += (double)m->costs->moved_bytes[i];
    }
    return rough > all / 2;
}

/* The resampled sums of a group, or of all samples (AN_NO_GROUP). */
static void an_moved_resample(const struct an_moved *m, uint32_t group, double sums[AN_RESAMPLES])
{
    memset(sums, 0, AN_RESAMPLES * sizeof(*sums));
    for (size_t b = 0; b < m->in->bursts_len; b++) {
        const struct prof_burst *burst = &m->in->bursts[b];
        const uint32_t block = an_bootstrap_block(m->bootstrap, (uint32_t)b);
        double bytes = 0;
        for (uint64_t i = burst->first_sample; i < burst->first_sample + burst->samples_len; i++)
            if (group == AN_NO_GROUP || m->group_of_sample[i] == group)
                bytes += (double)m->costs->moved_bytes[i];
        if (bytes <= 0 || block == UINT32_MAX) continue;
        const uint8_t *counts = an_bootstrap_counts(m->bootstrap, block);
        for (size_t r = 0; r < AN_RESAMPLES; r++)
            sums[r] += bytes * (double)counts[r];
    }
}

/* The group with the most bytes, whose sum becomes 0. */
static uint32_t an_take_most(double *bytes, uint32_t groups_len, double *out_bytes)
{
    uint32_t most = 0;
    for (uint32_t g = 1; g < groups_len; g++)
        if (bytes[g] > bytes[most]) most = g;
    *out_bytes = bytes[most];
    bytes[most] = 0;
    return most;
}

static void an_traffic_rank(struct an_traffic *out, const struct an_moved *m, double *bytes,
                            uint32_t groups_len, const double wholes[AN_RESAMPLES])
{
    double sums[AN_RESAMPLES], of_group;
    while (out->rows_len < AN_TRAFFIC_ROWS) {
        const uint32_t group = an_take_most(bytes, groups_len, &of_group);
        if (of_group < AN_TRAFFIC_PART_MIN * out->bytes) return;
        struct an_traffic_row *row = &out->rows[out->rows_len++];
        *row = (struct an_traffic_row){group, {NAN, NAN, NAN}, an_bursts_of(m, group), an_is_rough(m, group)};
        if (row->bursts < AN_TRAFFIC_BURSTS_MIN) continue;
        row->part.share = of_group / out->bytes;
        if (!isfinite(out->low)) continue;
        an_moved_resample(m, group, sums);
        for (size_t r = 0; r < AN_RESAMPLES; r++)
            sums[r] = wholes[r] > 0 ? sums[r] / wholes[r] : NAN;
        an_bootstrap_limits(sums, &row->part.low, &row->part.high);
    }
}

ls_err an_traffic_init(struct an_traffic *out, const struct an_input *in, const struct an_costs *costs,
                       const an_bootstrap *b, const uint32_t *group_of_sample, uint32_t groups_len)
{
    const struct an_moved m = {in, costs, b, group_of_sample};
    double wholes[AN_RESAMPLES], sorted[AN_RESAMPLES];
    *out = (struct an_traffic){.low = NAN, .high = NAN};
    if (!costs->moved_bytes || groups_len == 0) return LS_OK;
    double *bytes = calloc(groups_len, sizeof(*bytes));
    if (!bytes) return ls_nomem("the traffic of %u groups", groups_len);
    for (uint64_t i = 0; i < in->samples.len; i++) {
        out->bytes += (double)costs->moved_bytes[i];
        if (group_of_sample[i] < groups_len) bytes[group_of_sample[i]] += (double)costs->moved_bytes[i];
    }
    if (out->bytes > 0) {
        an_moved_resample(&m, AN_NO_GROUP, wholes);
        memcpy(sorted, wholes, sizeof(sorted));
        if (an_bootstrap_bursts(b, AN_TIME) >= AN_BURSTS_MIN)
            an_bootstrap_limits(sorted, &out->low, &out->high);
        an_traffic_rank(out, &m, bytes, groups_len, wholes);
    }
    free(bytes);
    return LS_OK;
}
