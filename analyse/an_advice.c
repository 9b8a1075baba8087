/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_advice.h"
#include "analyse/an_select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AN_IPS_MAX = 8192, AN_STRIDES_MIN = 20, AN_LINE_BYTES = 64 };
#define AN_REGULAR_PART 0.5 /* half of the distances alike: strided */

struct an_ip {
    uint64_t ip, sample, samples;
    double stall_ns;
};

static struct an_ip *an_ip_slot(struct an_ip *table, uint64_t ip)
{
    size_t at = (size_t)((ip * UINT64_C(0x9e3779b97f4a7c15)) >> 40) % AN_IPS_MAX;
    for (size_t tries = 0; tries < AN_IPS_MAX; tries++, at = (at + 1) % AN_IPS_MAX)
        if (table[at].samples == 0 || table[at].ip == ip) return &table[at];
    return NULL; /* more distinct instructions than anyone wants advice on */
}

static struct an_ip an_top_ip(const struct an_input *in, const struct an_costs *costs,
                              const uint8_t *in_group, struct an_ip *table, struct an_finding *out)
{
    double stall = 0;
    uint64_t samples = 0, measured = 0, dram = 0;
    for (uint64_t i = 0; i < in->samples.len; i++) {
        struct an_ip *slot = in_group[i] ? an_ip_slot(table, in->samples.ip[i]) : NULL;
        if (!slot) continue;
        slot->ip = in->samples.ip[i];
        slot->sample = i;
        slot->samples++;
        slot->stall_ns += (double)costs->stall_ns[i];
        stall += (double)costs->stall_ns[i];
        samples++;
        measured += (uint64_t)an_is_measured(&in->samples, i);
        dram += an_is_measured(&in->samples, i) && in->samples.level[i] == PROF_LEVEL_DRAM;
    }
    struct an_ip top = {0};
    for (size_t i = 0; i < AN_IPS_MAX; i++) {
        const struct an_ip *t = &table[i];
        if (t->stall_ns > top.stall_ns || (t->stall_ns == top.stall_ns && t->samples > top.samples)) top = *t;
    }
    out->dram_part = measured ? (double)dram / (double)measured : NAN;
    out->stall_part = stall > 0 ? top.stall_ns / stall
                      : samples ? (double)top.samples / (double)samples
                                : NAN;
    return top;
}

/* Distances of consecutive accesses of ip, within bursts only: those are exact. */
static size_t an_collect_strides(const struct an_input *in, const uint8_t *in_group, uint64_t ip,
                                 int64_t *strides)
{
    size_t len = 0;
    for (size_t b = 0; b < in->bursts_len; b++) {
        const struct prof_burst *burst = &in->bursts[b];
        uint64_t last = UINT64_MAX;
        for (uint64_t i = burst->first_sample; i < burst->first_sample + burst->samples_len; i++) {
            if (!in_group[i] || in->samples.ip[i] != ip || in->samples.addr[i] == UINT64_MAX) continue;
            if (last != UINT64_MAX) strides[len++] = (int64_t)(in->samples.addr[i] - last);
            last = in->samples.addr[i];
        }
    }
    return len;
}

static enum an_access an_classify(const struct an_finding *f)
{
    if (f->strides_len < AN_STRIDES_MIN) return AN_ACCESS_UNKNOWN;
    if (f->stride_part < AN_REGULAR_PART) return AN_ACCESS_IRREGULAR;
    if (f->stride_bytes == 0) return AN_ACCESS_REPEATED;
    return llabs(f->stride_bytes) <= AN_LINE_BYTES ? AN_ACCESS_SEQUENTIAL : AN_ACCESS_STRIDED;
}

ls_err an_finding_init(struct an_finding *out, const struct an_input *in, const struct an_costs *costs,
                       const uint8_t *in_group)
{
    memset(out, 0, sizeof(*out));
    struct an_ip *table = calloc(AN_IPS_MAX, sizeof(*table));
    if (!table) return ls_fail(LS_ERR_NOMEM, "no memory for advice");
    const struct an_ip top = an_top_ip(in, costs, in_group, table, out);
    free(table);
    out->ip = top.ip;
    out->sample = top.sample;
    int64_t *strides = malloc((top.samples + 1) * sizeof(*strides));
    if (!strides) return ls_fail(LS_ERR_NOMEM, "no memory for %llu strides", (unsigned long long)top.samples);
    out->strides_len = top.samples ? an_collect_strides(in, in_group, top.ip, strides) : 0;
    if (out->strides_len) {
        out->stride_bytes = (int64_t)an_quantile_i64(strides, out->strides_len, 0.5);
        size_t equal = 0;
        for (size_t i = 0; i < out->strides_len; i++)
            equal += strides[i] == out->stride_bytes;
        out->stride_part = (double)equal / (double)out->strides_len;
    }
    free(strides);
    out->access = an_classify(out);
    return LS_OK;
}
