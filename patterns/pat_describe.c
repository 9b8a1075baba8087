/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/pat_describe.h"
#include "patterns/compact/pat_class.h"

#include <stdbool.h>
#include <stdio.h>
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

enum pat_shape {
    PAT_SHAPE_SINGLE,    /* one index */
    PAT_SHAPE_UNIFORM,   /* equal distances: stride-N */
    PAT_SHAPE_BROADCAST, /* runs of the same index, at a constant distance from each other */
    PAT_SHAPE_IRREGULAR
};

/* Return the shape of p, and the stride of a uniform one. p is not empty. */
static enum pat_shape pat_shape_of(const struct pat_indices *p, int64_t *out_stride)
{
    *out_stride = 0;
    if (p->len == 1) return PAT_SHAPE_SINGLE;
    if (pat_is_uniform(p)) {
        *out_stride = pat_distance(p, 0);
        return PAT_SHAPE_UNIFORM;
    }
    return pat_is_broadcast(p) ? PAT_SHAPE_BROADCAST : PAT_SHAPE_IRREGULAR;
}

/* Classify by the thresholds of extraction; only the beginning of a long list is used. */
static enum pat_class pat_class_of_list(const struct pat_indices *p, bool has_period)
{
    const struct pat_indices begin = {p->data, p->len < PAT_MEASURE_LIMIT ? p->len : PAT_MEASURE_LIMIT};
    const struct pat_stream stream = {.pieces = {.sequence = &begin},
                                      .elem_size_bytes = 1,
                                      .access_size_bytes = 1,
                                      .limit = PAT_MEASURE_LIMIT};
    struct pat_shares shares;
    if (pat_measure_shares(&stream, &shares) != LS_OK) return PAT_CLASS_COMPLEX;
    return pat_classify_list(&shares, has_period ? p : NULL);
}

/* found: the class given in the file, NULL or "" for none. */
static int pat_describe_list(const struct pat_indices *p, bool has_period, const char *found, char *out,
                             size_t room)
{
    int64_t stride;
    const bool is_reported = found && *found;
    char class[PAT_TEXT_BYTES] = "";
    switch (pat_shape_of(p, &stride)) {
    case PAT_SHAPE_UNIFORM:
        if (is_reported && strcmp(found, pat_class_name(PAT_CLASS_UNIFORM)) != 0)
            snprintf(class, sizeof(class), ", %s", found);
        return snprintf(out, room, "%zu x stride %lld%s", p->len, (long long)stride, class);
    case PAT_SHAPE_SINGLE:
        return snprintf(out, room, "1 index%s%s", is_reported ? ", " : "", is_reported ? found : "");
    case PAT_SHAPE_BROADCAST:
        return snprintf(out, room, "%zu, %s", p->len,
                        is_reported ? found : pat_class_name(PAT_CLASS_BROADCAST));
    case PAT_SHAPE_IRREGULAR:
        break;
    }
    return snprintf(out, room, "%zu, %s", p->len,
                    is_reported ? found : pat_class_name(pat_class_of_list(p, has_period)));
}

const char *pat_describe(const struct pat_config *c, char out[PAT_TEXT_BYTES])
{
    const struct pat_indices *first = c->kernel == PAT_GS ? &c->gather : &c->pattern;
    const struct pat_indices *second = c->kernel == PAT_MULTIGATHER                          ? &c->gather
                                       : c->kernel == PAT_GATHER || c->kernel == PAT_SCATTER ? NULL
                                                                                             : &c->scatter;
    const bool has_period = c->count > 1;
    if (first->len == 0 || (second && second->len == 0)) return strcpy(out, "empty");
    size_t n =
        (size_t)pat_describe_list(first, has_period, second ? NULL : c->found_class, out, PAT_TEXT_BYTES);
    if (!second || n >= PAT_TEXT_BYTES - 4) return out;
    n += (size_t)snprintf(out + n, PAT_TEXT_BYTES - n, c->kernel == PAT_GS ? " > " : " by ");
    if (n < PAT_TEXT_BYTES)
        pat_describe_list(second, has_period, c->found_class, out + n, PAT_TEXT_BYTES - n);
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
