/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/pat_describe.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Distances are taken modulo 2^64: indices are not negative, so that no two differ by more than 63 bits. */
static int64_t pat_distance(const struct pat_indices *p, size_t i)
{
    return p->data[i + 1] - p->data[i];
}

static bool pat_is_uniform(const struct pat_indices *p)
{
    for (size_t i = 1; i + 1 < p->len; i++)
        if (pat_distance(p, i) != pat_distance(p, 0)) return false;
    return true;
}

/* Runs of equal length; the index steps by the same from run to run. */
static bool pat_is_broadcast(const struct pat_indices *p)
{
    size_t run = 1;
    while (run < p->len && p->data[run] == p->data[0])
        run++;
    if (run < 2 || p->len % run) return false;
    for (size_t i = 0; i < p->len; i++) {
        const int64_t step = run < p->len ? p->data[run] - p->data[0] : 0;
        if (p->data[i] != p->data[0] + (__int128)step * (int64_t)(i / run)) return false;
    }
    return true;
}

static int pat_order(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool pat_is_mostly_stride1(const struct pat_indices *p)
{
    const size_t n = p->len - 1;
    int64_t *sorted = malloc(n * sizeof(*sorted));
    size_t ones = 0, most = 0, run = 0;
    if (!sorted) return false;
    for (size_t i = 0; i < n; i++)
        sorted[i] = pat_distance(p, i);
    qsort(sorted, n, sizeof(*sorted), pat_order);
    for (size_t i = 0; i < n; i++) {
        run = i > 0 && sorted[i] == sorted[i - 1] ? run + 1 : 1;
        if (run > most) most = run;
        ones += sorted[i] == 1;
    }
    free(sorted);
    return ones == most && 3 * ones >= n;
}

enum pat_shape pat_shape_of(const struct pat_indices *p, int64_t *out_stride)
{
    *out_stride = 0;
    if (p->len == 1) return PAT_SHAPE_SINGLE;
    if (pat_is_uniform(p)) {
        *out_stride = pat_distance(p, 0);
        return PAT_SHAPE_UNIFORM;
    }
    if (pat_is_broadcast(p)) return PAT_SHAPE_BROADCAST;
    return pat_is_mostly_stride1(p) ? PAT_SHAPE_MOSTLY_STRIDE1 : PAT_SHAPE_COMPLEX;
}

static int pat_describe_list(const struct pat_indices *p, char *out, size_t room)
{
    int64_t stride;
    const enum pat_shape shape = pat_shape_of(p, &stride);
    switch (shape) {
    case PAT_SHAPE_UNIFORM:
        return snprintf(out, room, "%zu x stride %lld", p->len, (long long)stride);
    case PAT_SHAPE_SINGLE:
        return snprintf(out, room, "1 index");
    case PAT_SHAPE_BROADCAST:
        return snprintf(out, room, "%zu, broadcast", p->len);
    case PAT_SHAPE_MOSTLY_STRIDE1:
        return snprintf(out, room, "%zu, mostly stride 1", p->len);
    case PAT_SHAPE_COMPLEX:
        break;
    }
    return snprintf(out, room, "%zu, complex", p->len);
}

const char *pat_describe(const struct pat_config *c, char out[PAT_TEXT_BYTES])
{
    const struct pat_indices *first = c->kernel == PAT_GS ? &c->gather : &c->pattern;
    const struct pat_indices *second = c->kernel == PAT_MULTIGATHER                          ? &c->gather
                                       : c->kernel == PAT_GATHER || c->kernel == PAT_SCATTER ? NULL
                                                                                             : &c->scatter;
    if (first->len == 0 || (second && second->len == 0)) return strcpy(out, "empty");
    size_t n = (size_t)pat_describe_list(first, out, PAT_TEXT_BYTES);
    if (!second || n >= PAT_TEXT_BYTES - 4) return out;
    n += (size_t)snprintf(out + n, PAT_TEXT_BYTES - n, c->kernel == PAT_GS ? " > " : " by ");
    if (n < PAT_TEXT_BYTES) pat_describe_list(second, out + n, PAT_TEXT_BYTES - n);
    return out;
}

static int pat_describe_one_delta(int64_t delta, const struct pat_indices *deltas, char *out, size_t room)
{
    if (deltas->len == 0) return snprintf(out, room, "%lld", (long long)delta);
    return snprintf(out, room, "%lld,%lld%s", (long long)deltas->data[0], (long long)deltas->data[1],
                    deltas->len > 2 ? ",..." : "");
}

const char *pat_describe_delta(const struct pat_config *c, char out[PAT_TEXT_BYTES])
{
    if (c->kernel != PAT_GS) {
        pat_describe_one_delta(c->delta, &c->deltas, out, PAT_TEXT_BYTES);
        return out;
    }
    const int n = pat_describe_one_delta(c->delta_gather, &c->deltas_gather, out, PAT_TEXT_BYTES / 2);
    const size_t at = n < PAT_TEXT_BYTES / 2 ? (size_t)n : PAT_TEXT_BYTES / 2 - 1;
    out[at] = '/';
    pat_describe_one_delta(c->delta_scatter, &c->deltas_scatter, out + at + 1, PAT_TEXT_BYTES - at - 1);
    return out;
}
