/* SPDX-License-Identifier: BSD-3-Clause */
#include "ndm/ndm_gather.h"
#include "common/ls_checked.h"
#include "common/ls_error.h"
#include "common/ls_sorted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 4, INDEX_BITS = 40, FIRST_SLOTS = 64 };
#define WHOLE_KEY UINT64_C(0xffffff) /* the step in a whole-run key: sorts after all others */

/* Sums for one value in one step. */
struct pile {
    uint64_t key; /* step << INDEX_BITS | index */
    double time_ns, stall_ns, latency_cycles, latency_max_cycles;
    uint32_t accesses; /* 0: an empty slot */
    uint32_t timed;
    uint32_t levels[LEVELS];
};

/* A hash table with open addressing while accesses are added; sorted by key once finished. */
struct ndm_gather {
    struct pile *piles;
    uint64_t slots, used;
    uint64_t values_len, mapped, outside;
    uint32_t steps_len;
    bool is_finished;
};

ls_err ndm_gather_new(uint64_t values_len, ndm_gather **out)
{
    if (values_len > UINT64_C(1) << INDEX_BITS)
        return ls_fail(LS_ERR_RANGE, "a field of %llu values is too large; 2^40 are possible",
                       (unsigned long long)values_len);
    ndm_gather *g = calloc(1, sizeof(*g));
    if (!g) return ls_nomem("a field");
    g->values_len = values_len;
    *out = g;
    return LS_OK;
}

void ndm_gather_free(ndm_gather *g)
{
    if (!g) return;
    free(g->piles);
    free(g);
}

static uint64_t key_of(uint32_t step, uint64_t index)
{
    return (step == NDM_GATHER_WHOLE ? WHOLE_KEY : step) << INDEX_BITS | index;
}

/* Return the slot of key, or the empty slot where it belongs. Multiplicative hashing: Knuth, TAOCP 3, 6.4. */
static struct pile *slot_of(struct pile *piles, uint64_t slots, uint64_t key)
{
    uint64_t at = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 20;
    for (;; at++) {
        struct pile *p = &piles[at & (slots - 1)];
        if (p->accesses == 0 || p->key == key) return p;
    }
}

/* Make room for two more piles. */
static ls_err reserve(ndm_gather *g)
{
    if ((g->used + 2) * 10 <= g->slots * 7) return LS_OK;
    const uint64_t slots = g->slots ? 2 * g->slots : FIRST_SLOTS;
    struct pile *piles = calloc(slots, sizeof(*piles));
    if (!piles) return ls_nomem("a field: %llu values touched", (unsigned long long)g->used);
    for (uint64_t i = 0; i < g->slots; i++)
        if (g->piles[i].accesses > 0) *slot_of(piles, slots, g->piles[i].key) = g->piles[i];
    free(g->piles);
    g->piles = piles;
    g->slots = slots;
    return LS_OK;
}

static void pile_add(ndm_gather *g, uint64_t key, const struct ndm_touch *t)
{
    struct pile *p = slot_of(g->piles, g->slots, key);
    if (p->accesses++ == 0) {
        p->key = key;
        g->used++;
    }
    p->time_ns += t->time_ns;
    p->stall_ns += t->stall_ns;
    if (!isnan(t->latency_cycles)) {
        if (p->timed++ == 0 || t->latency_cycles > p->latency_max_cycles)
            p->latency_max_cycles = t->latency_cycles;
        p->latency_cycles += t->latency_cycles;
    }
    if (t->level >= 0 && t->level < LEVELS) p->levels[t->level]++;
}

ls_err ndm_gather_add(ndm_gather *g, uint32_t step, uint64_t index, const struct ndm_touch *touch)
{
    if (g->is_finished) return ls_fail(LS_ERR_ARG, "the field is finished: nothing can be added");
    if (index >= g->values_len || (step != NDM_GATHER_WHOLE && step >= NDM_GATHER_STEPS_MAX))
        return ls_fail(LS_ERR_RANGE, "step %u, value %llu: the field has %llu values", step,
                       (unsigned long long)index, (unsigned long long)g->values_len);
    LS_TRY(reserve(g));
    g->mapped++;
    pile_add(g, key_of(NDM_GATHER_WHOLE, index), touch);
    if (step == NDM_GATHER_WHOLE) return LS_OK;
    pile_add(g, key_of(step, index), touch);
    if (step >= g->steps_len) g->steps_len = step + 1;
    return LS_OK;
}

void ndm_gather_add_outside(ndm_gather *g)
{
    g->outside++;
}

static int by_key(const void *a, const void *b)
{
    const uint64_t x = ((const struct pile *)a)->key, y = ((const struct pile *)b)->key;
    return (x > y) - (x < y);
}

void ndm_gather_finish(ndm_gather *g)
{
    uint64_t len = 0;
    if (g->is_finished) return;
    g->is_finished = true;
    for (uint64_t i = 0; i < g->slots; i++)
        if (g->piles[i].accesses > 0) g->piles[len++] = g->piles[i];
    if (len > 0) qsort(g->piles, len, sizeof(*g->piles), by_key);
}

uint64_t ndm_gather_mapped(const ndm_gather *g)
{
    return g->mapped;
}

uint64_t ndm_gather_outside(const ndm_gather *g)
{
    return g->outside;
}

uint32_t ndm_gather_steps(const ndm_gather *g)
{
    return g->steps_len;
}

/* Return the index of the first pile whose key is not below key. */
static uint64_t first_from(const ndm_gather *g, uint64_t key)
{
    size_t before;
    LS_COUNT_FIRST(before, g->used, i, g->piles[i].key < key);
    return before;
}

static uint64_t step_end(const ndm_gather *g, uint32_t step)
{
    return step == NDM_GATHER_WHOLE ? g->used : first_from(g, key_of(step + 1, 0));
}

uint64_t ndm_gather_touched(const ndm_gather *g, uint32_t step)
{
    return step_end(g, step) - first_from(g, key_of(step, 0));
}

bool ndm_gather_has(const ndm_gather *g, uint32_t step, uint64_t first, uint64_t len)
{
    const uint64_t at = first_from(g, key_of(step, first));
    return at < g->used && g->piles[at].key - key_of(step, first) < len;
}

static double level_share(const struct pile *p, unsigned level)
{
    const double known = (double)p->levels[0] + p->levels[1] + p->levels[2] + p->levels[3];
    return known > 0 ? p->levels[level] / known : NAN;
}

static double metric_of(const struct pile *p, enum ndm_metric m)
{
    switch (m) {
    case NDM_SAMPLES:
        return p->accesses;
    case NDM_TIME:
        return p->time_ns;
    case NDM_STALL:
        return p->stall_ns;
    case NDM_LATENCY_MEAN:
        return p->timed ? p->latency_cycles / p->timed : NAN;
    case NDM_LATENCY_MAX:
        return p->timed ? p->latency_max_cycles : NAN;
    case NDM_LEVEL_L1:
    case NDM_LEVEL_L2:
    case NDM_LEVEL_L3:
    case NDM_LEVEL_MEMORY:
        return level_share(p, m - NDM_LEVEL_L1);
    case NDM_TIMED:
        return p->timed;
    case NDM_METRICS_LEN:
        break;
    }
    return NAN;
}

void ndm_gather_fill(const ndm_gather *g, uint32_t step, enum ndm_metric m, uint64_t first, uint64_t len,
                     double *out)
{
    const uint64_t base = key_of(step, first);
    for (uint64_t i = 0; i < len; i++)
        out[i] = ndm_metric_missing(m);
    for (uint64_t at = first_from(g, base); at < g->used && g->piles[at].key - base < len; at++)
        out[g->piles[at].key - base] = metric_of(&g->piles[at], m);
}

double ndm_gather_nth(const ndm_gather *g, uint32_t step, enum ndm_metric m, uint64_t k, uint64_t *out_index)
{
    const struct pile *p = &g->piles[first_from(g, key_of(step, 0)) + k];
    *out_index = p->key & ((UINT64_C(1) << INDEX_BITS) - 1);
    return metric_of(p, m);
}

/* Fill one array for each metric, step by step. */
static ls_err fill_arrays(const ndm_gather *g, uint32_t first_step, uint32_t steps,
                          double *out[NDM_METRICS_LEN])
{
    uint64_t len, len_bytes;
    if (!ls_mul_u64(g->values_len, steps, &len) || !ls_mul_u64(len, sizeof(double), &len_bytes) ||
        len_bytes > SIZE_MAX / 2)
        return ls_fail(LS_ERR_RANGE, "%llu values in %u steps are too many for arrays",
                       (unsigned long long)g->values_len, steps);
    for (unsigned m = 0; m < NDM_METRICS_LEN; m++) {
        out[m] = malloc(len_bytes + 1);
        if (!out[m]) return ls_nomem("a field of %llu values", (unsigned long long)len);
        for (uint32_t s = 0; s < steps; s++)
            ndm_gather_fill(g, first_step + s, (enum ndm_metric)m, 0, g->values_len,
                            out[m] + s * g->values_len);
    }
    return LS_OK;
}

ls_err ndm_gather_field(const ndm_gather *g, uint32_t steps_len, struct ndm_field *out)
{
    struct ndm_field f = {.values_len = g->values_len, .mapped_len = g->mapped, .outside_len = g->outside};
    ls_err e = fill_arrays(g, NDM_GATHER_WHOLE, 1, f.values);
    if (e == LS_OK && steps_len > 0) e = fill_arrays(g, 0, steps_len, f.step_values);
    if (e != LS_OK) {
        ndm_field_fini(&f);
        return e;
    }
    out->values_len = f.values_len;
    out->mapped_len = f.mapped_len;
    out->outside_len = f.outside_len;
    memcpy(out->values, f.values, sizeof(f.values));
    if (steps_len > 0) out->steps_len = steps_len;
    memcpy(out->step_values, f.step_values, sizeof(f.step_values));
    return LS_OK;
}
