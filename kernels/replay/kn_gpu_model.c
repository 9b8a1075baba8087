/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "kernels/replay/kn_gpu_model.h"

#include "kernels/kn_memory.h"
#include "kernels/kn_values.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool kn_gpu_model_only_loads(const struct kn_plan *p)
{
    return p->config->operation == PAT_OPERATION_REDUCE || p->config->operation == PAT_OPERATION_CHASE;
}

static uint64_t written_elements(const struct kn_plan *p)
{
    if (kn_gpu_model_only_loads(p)) return 1;
    return p->to.used ? p->to.elements : p->dense_elements;
}

/* Validation has a number for each element: a sum, or tags. */
static bool has_numbers(const struct kn_plan *p)
{
    return p->adds || p->config->operation == PAT_OPERATION_UPDATE;
}

/* Each how many elements one is checked: an odd number, so that no stride leaves all of them out. */
static uint64_t step_of(const struct kn_plan *p)
{
    const uint64_t elements = written_elements(p);
    return (p->need.iterations > elements ? p->need.iterations : elements) / KN_GPU_MODEL_MAX | 1;
}

static uint64_t checked_elements(const struct kn_plan *p)
{
    return (written_elements(p) - 1) / step_of(p) + 1;
}

uint64_t kn_gpu_model_bytes(const struct kn_plan *p)
{
    return checked_elements(p) * (p->element_bytes + (has_numbers(p) ? sizeof(uint64_t) : 1));
}

uint64_t kn_gpu_model_device_bytes(const struct kn_plan *p)
{
    return kn_gpu_model_only_loads(p) || step_of(p) == 1 ? 0 : checked_elements(p) * p->element_bytes;
}

enum { SEEN_WRITTEN = 1, SEEN_RIGHT = 2 };

/* The destination, read back. Work items run in any order, so the last store to an element can be from any
 * row. */
struct model {
    const struct kn_plan *plan;
    uint64_t step;  /* each step-th element is checked */
    uint8_t *held;  /* the checked elements */
    uint8_t *seen;  /* by checked element, SEEN_ */
    uint64_t *sums; /* by checked element: sums if scatters add, tags for updates; otherwise NULL */
    bool is_atomic; /* updates */
};

/* at: of the checked elements; place: of all */
static void model_store(struct model *m, uint64_t place, uint64_t i, size_t j, int64_t base_from)
{
    const struct kn_plan *p = m->plan;
    const uint64_t at = place / m->step;
    if (m->sums && p->adds) {
        m->sums[at] += (uint64_t)kn_value_addend(j, p->element_bytes);
        return;
    }
    if (m->sums) {
        m->sums[at] |= kn_value_tag(i, p->element_bytes);
        return;
    }
    const uint64_t bits =
        p->config->operation == PAT_OPERATION_FILL ? kn_value_filled(i, p->element_bytes)
        : p->from.used
            ? kn_value_bits(p->from.salt, base_from + kn_plan_index(&p->from, j), p->element_bytes)
            : kn_value_bits(KN_SALT_DENSE, (int64_t)(j + p->len * (i % p->wrap)), p->element_bytes);
    m->seen[at] |=
        kn_value_get(m->held, at, p->element_bytes) == bits ? SEEN_WRITTEN | SEEN_RIGHT : SEEN_WRITTEN;
}

/* Where index j of a row stores, relative to the row's first place. */
static int64_t place_of(const struct kn_plan *p, size_t j)
{
    return p->to.used ? kn_plan_index(&p->to, j) - p->to.extent.low : (int64_t)j;
}

static uint64_t residue_of(int64_t place, uint64_t step)
{
    const int64_t rest = place % (int64_t)step;
    return (uint64_t)(rest < 0 ? rest + (int64_t)step : rest);
}

/* The indices of a row, ordered by residues of their places. */
struct residues {
    uint64_t *begins; /* of each residue, and the end */
    size_t *order;    /* of indices */
};

static ls_err residues_init(struct residues *r, const struct model *m)
{
    const struct kn_plan *p = m->plan;
    *r = (struct residues){calloc(m->step + 2, sizeof(*r->begins)), malloc(p->len * sizeof(*r->order))};
    if (!r->begins || !r->order) return ls_nomem("the validation of %zu indices", p->len);
    uint64_t *const ends = r->begins + 1;
    for (size_t j = 0; j < p->len; j++)
        ends[residue_of(place_of(p, j), m->step) + 1]++;
    for (uint64_t i = 1; i <= m->step; i++)
        ends[i] += ends[i - 1];
    for (size_t j = 0; j < p->len; j++)
        r->order[ends[residue_of(place_of(p, j), m->step)]++] = j;
    return LS_OK;
}

static void residues_free(struct residues *r)
{
    free(r->begins);
    free(r->order);
}

/* Visit only the iterations that store to an element that is checked. */
static void walk_rows(struct model *m, const struct residues *r)
{
    const struct kn_plan *p = m->plan;
    int64_t base_from = 0, base_to = 0;
    for (uint64_t i = 0; i < p->count; i++) {
        const int64_t base = p->to.used ? base_to : (int64_t)(p->len * (i % p->wrap));
        const uint64_t wanted = residue_of(-base, m->step);
        for (uint64_t n = r->begins[wanted]; n < r->begins[wanted + 1]; n++)
            model_store(m, (uint64_t)(base + place_of(p, r->order[n])), i, r->order[n], base_from);
        if (p->from.used) base_from += p->from.steps[i % p->from.steps_len];
        if (p->to.used) base_to += p->to.steps[i % p->to.steps_len];
    }
}

/* Without atomics, an update may overwrite the tags of others at the same time. */
static bool tags_agree(const struct model *m, uint64_t at, uint64_t held)
{
    const struct kn_plan *p = m->plan;
    const uint64_t lower = kn_value_lower(p->element_bytes), tags = held & lower;
    const int64_t element = (int64_t)((uint64_t)p->to.extent.low + at * m->step);
    if ((held & ~lower) != kn_value_bits(p->to.salt, element, p->element_bytes)) return false;
    if (m->is_atomic) return tags == m->sums[at];
    return (tags & ~m->sums[at]) == 0 && (tags == 0) == (m->sums[at] == 0);
}

static bool model_agrees(const struct model *m, uint64_t at)
{
    const struct kn_plan *p = m->plan;
    const uint64_t held = kn_value_get(m->held, at, p->element_bytes);
    if (m->sums && !p->adds) return tags_agree(m, at, held);
    if (m->sums) {
        const double sum = (double)m->sums[at];
        return held ==
               kn_value_number(p->element_bytes == 8 ? sum : fmin(sum, KN_VALUE_SUM_MAX), p->element_bytes);
    }
    if (m->seen[at] & SEEN_WRITTEN) return m->seen[at] & SEEN_RIGHT;
    const int64_t place = (int64_t)(at * m->step);
    const int64_t element = p->to.used ? p->to.extent.low + place : place;
    return held == kn_value_bits(p->to.used ? p->to.salt : KN_SALT_DENSE, element, p->element_bytes);
}

/* Gather the checked elements on the device: one for each row, to a dense buffer that keeps all rows. */
static ls_err gather_checked(struct kn_gpu *g, void *buffer, const struct model *m, void *compact,
                             void *zeroes)
{
    enum { ITEMS = 64 };
    const struct kn_gpu_variant v = {.kind = PAT_GATHER,
                                     .element_bytes = m->plan->element_bytes,
                                     .index_bits = 64,
                                     .work = 1,
                                     .vector = 1,
                                     .stores = KN_STORES_REGULAR};
    const uint64_t rows = checked_elements(m->plan);
    const struct kn_gpu_walk walk = {.count = rows,
                                     .wrap = rows,
                                     .len = 1,
                                     .columns = 1,
                                     .steps_from_len = 1,
                                     .steps_to_len = 1,
                                     .turn_from = (int64_t)m->step};
    const struct kn_gpu_launch l = {.groups = (rows - 1) / ITEMS + 1,
                                    .items_x = 1,
                                    .items_y = ITEMS,
                                    .repeats = 1,
                                    .args = {{.buffer = &compact},
                                             {.buffer = &buffer},
                                             {.buffer = &zeroes},
                                             {.buffer = &zeroes},
                                             {.buffer = &zeroes},
                                             {.buffer = &zeroes},
                                             {.value = &walk, .len_bytes = sizeof(walk)}},
                                    .args_len = 7};
    const int64_t zero = 0;
    void *kernel;
    double seconds;
    LS_TRY(g->driver->write(g, zeroes, &zero, sizeof(zero)));
    LS_TRY(kn_gpu_kernel(g, &v, &kernel));
    LS_TRY(g->driver->launch(g, kernel, &l, &seconds));
    return g->driver->read(g, compact, m->held, rows * m->plan->element_bytes);
}

static ls_err read_checked(struct kn_gpu *g, void *buffer, const struct model *m)
{
    const uint64_t bytes = checked_elements(m->plan) * m->plan->element_bytes;
    void *compact = NULL, *zeroes = NULL;
    if (m->step == 1) return g->driver->read(g, buffer, m->held, bytes);
    ls_err err = g->driver->alloc(g, bytes, &compact);
    if (err == LS_OK) err = g->driver->alloc(g, sizeof(int64_t), &zeroes);
    if (err == LS_OK) err = gather_checked(g, buffer, m, compact, zeroes);
    g->driver->release(g, compact);
    g->driver->release(g, zeroes);
    return err;
}

static void compare(const struct model *m, struct kn_result *r)
{
    const struct kn_plan *p = m->plan;
    r->valid = true;
    for (uint64_t at = 0; at < checked_elements(p) && r->valid; at++) {
        if (model_agrees(m, at)) continue;
        r->valid = false;
        r->worst_error = NAN;
        snprintf(r->invalid, sizeof(r->invalid),
                 "%s element %" PRIu64 " holds bits %#" PRIx64 ", which no iteration leaves there",
                 p->to.used ? "sparse" : "dense", at * m->step, kn_value_get(m->held, at, p->element_bytes));
    }
}

ls_err kn_gpu_model_check(struct kn_gpu *g, void *buffer, const struct kn_plan *p, bool is_atomic,
                          struct kn_result *r)
{
    const uint64_t elements = checked_elements(p);
    struct residues residues = {NULL, NULL};
    struct model m = {.plan = p,
                      .step = step_of(p),
                      .held = malloc(elements * p->element_bytes),
                      .seen = has_numbers(p) ? NULL : calloc(elements, 1),
                      .sums = has_numbers(p) ? calloc(elements, sizeof(uint64_t)) : NULL,
                      .is_atomic = is_atomic};
    ls_err err =
        m.held && (m.seen || m.sums) ? LS_OK : ls_nomem("the validation of %" PRIu64 " elements", elements);
    if (err == LS_OK) err = residues_init(&residues, &m);
    if (err == LS_OK) err = read_checked(g, buffer, &m);
    if (err == LS_OK) {
        walk_rows(&m, &residues);
        compare(&m, r);
    }
    residues_free(&residues);
    free(m.held);
    free(m.seen);
    free(m.sums);
    return err;
}
