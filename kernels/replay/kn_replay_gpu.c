/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "kernels/replay/kn_replay_gpu.h"

#include "common/ls_clock.h"
#include "kernels/gpu/kn_gpu.h"
#include "kernels/kn_memory.h"
#include "kernels/kn_ranks.h"
#include "kernels/kn_values.h"
#include "kernels/replay/kn_arrays.h"
#include "kernels/replay/kn_gpu_model.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a job ---- */

enum { BUFFERS = 9 };

/* A variant with the shape of its groups. */
struct form {
    struct kn_gpu_variant variant;
    unsigned group_items; /* at most */
    unsigned turns;       /* of `last` variants: a work item takes turns * work rows */
    bool spread;          /* these rows are spread over all iterations; otherwise they are neighbours */
};

struct job {
    struct kn_gpu *gpu;
    const struct kn_options *options;
    struct kn_plan plan;
    uint64_t bytes[BUFFERS];    /* lengths: buffers follow in this order */
    void *from, *to, *dense;    /* sparse and dense arrays */
    void *first[2], *second[2]; /* indices of 32 bits, and of 64 */
    void *steps_from, *steps_to;
    struct kn_gpu_walk walk;
    struct form form;
    enum kn_stores stores;
    uint64_t trial_rows; /* that a trial runs */
    ls_err err;          /* the first failure in a timed run */
    char why[400];
};

static const char *name_of(const struct job *b)
{
    const struct pat_config *c = b->plan.config;
    return *c->name ? c->name : pat_kernel_name(c->kernel);
}

static const struct pat_indices *first_of(const struct kn_plan *p)
{
    return p->from.used ? &p->from.outer : &p->to.outer;
}

static const struct pat_indices *second_of(const struct kn_plan *p)
{
    if (p->from.used && p->to.used) return &p->to.outer;
    return p->from.used ? &p->from.inner : &p->to.inner;
}

static bool does(const struct job *b, enum pat_operation o)
{
    return b->plan.config->operation == o;
}

static bool only_loads(const struct kn_plan *p)
{
    return kn_gpu_model_only_loads(p);
}

/* ---- refusals ---- */

static ls_err check_stores(struct job *b)
{
    const enum pat_kernel k = b->plan.config->kernel;
    const bool scatters = b->plan.to.used, adds = b->options->stores == KN_STORES_ADD;
    switch (b->options->stores) {
    case KN_STORES_AUTO:
    case KN_STORES_REGULAR:
        b->stores = KN_STORES_REGULAR;
        break;
    case KN_STORES_EXCHANGE: /* as in Spatter only scatters; the stores of gathers do not conflict */
        b->stores = scatters ? KN_STORES_EXCHANGE : KN_STORES_REGULAR;
        break;
    case KN_STORES_ADD:
        b->stores = KN_STORES_ADD;
        break;
    default:
        return ls_fail(LS_ERR_UNSUPPORTED, "backend %s has stores regular, exchange and add, not %s",
                       b->gpu->driver->name, kn_stores_name(b->options->stores));
    }
    if (adds && (!scatters || b->plan.from.used || !does(b, PAT_OPERATION_COPY)))
        return ls_fail(LS_ERR_UNSUPPORTED, "no method has add stores for %s here; take regular",
                       pat_kernel_name(k));
    const bool reduces = only_loads(&b->plan);
    if ((b->stores == KN_STORES_REGULAR && !reduces) || b->plan.element_bytes == 4) return LS_OK;
    if (!b->gpu->info.has_atomics_64)
        return ls_fail(LS_ERR_UNSUPPORTED, "%s has no atomics of 64 bits for %s%s: take --element-bytes 4",
                       b->gpu->info.name, reduces ? "the sums of loads" : kn_stores_name(b->stores),
                       reduces ? "" : " stores");
    if (adds && !b->gpu->info.has_fp64)
        return ls_fail(LS_ERR_UNSUPPORTED, "%s has no arithmetic on doubles (fp64): take --element-bytes 4",
                       b->gpu->info.name);
    return LS_OK;
}

static ls_err check_options(const struct job *b)
{
    const struct kn_options *o = b->options;
    const char *backend = b->gpu->driver->name;
    if (o->method != KN_METHOD_AUTO && o->method != KN_METHOD_SCALAR)
        return ls_fail(LS_ERR_UNSUPPORTED, "backend %s has methods auto and scalar, not %s", backend,
                       kn_method_name(o->method));
    if (o->dense_per_thread || o->fence || o->pages != KN_PAGES_DEFAULT)
        return ls_fail(LS_ERR_UNSUPPORTED, "backend %s has no %s", backend,
                       o->dense_per_thread ? "dense buffer for each thread"
                       : o->fence          ? "fence after the loop"
                                           : "choice of pages");
    if (o->index_bits == 32 && !b->plan.indices_fit_32_bits)
        return ls_fail(LS_ERR_UNSUPPORTED, "the indices do not fit 32 bits; take 64");
    if (o->group_items > b->gpu->info.group_items_max)
        return ls_fail(LS_ERR_UNSUPPORTED, "--local-work-size %u: %s takes groups of %u work items at most",
                       o->group_items, b->gpu->info.name, b->gpu->info.group_items_max);
    if (o->shared_bytes > b->gpu->info.local_bytes)
        return ls_fail(LS_ERR_UNSUPPORTED, "--shared-memory %" PRIu64 ": a group has %" PRIu64 " bytes on %s",
                       o->shared_bytes, b->gpu->info.local_bytes, b->gpu->info.name);
    return LS_OK;
}

/* ---- memory ---- */

static uint64_t steps_bytes(const struct kn_plan_side *s)
{
    return s->used ? s->steps_len * sizeof(int64_t) : 0;
}

static void set_bytes(struct job *b)
{
    const struct kn_plan *p = &b->plan;
    const uint64_t first = first_of(p)->len, second = second_of(p)->len;
    const unsigned bits = b->options->index_bits;
    const bool narrow = p->indices_fit_32_bits && bits != 64, wide = !narrow || bits == 0;
    const uint64_t bytes[BUFFERS] = {p->from.elements * p->element_bytes,
                                     p->to.elements * p->element_bytes,
                                     does(b, PAT_OPERATION_COPY) ? p->dense_elements * p->element_bytes
                                     : only_loads(p)             ? p->element_bytes /* the sum */
                                                                 : 0,
                                     narrow ? 4 * first : 0,
                                     wide ? 8 * first : 0,
                                     narrow ? 4 * second : 0,
                                     wide ? 8 * second : 0,
                                     steps_bytes(&p->from),
                                     steps_bytes(&p->to)};
    memcpy(b->bytes, bytes, sizeof(bytes));
}

static ls_err plan(struct job *b, const struct pat_config *c, const struct kn_options *o,
                   const struct kn_backend *backend)
{
    char label[128];
    uint64_t bytes[BUFFERS + 1];
    *b = (struct job){.options = o};
    LS_TRY(kn_gpu_open(backend->device, o, &b->gpu));
    LS_TRY(kn_plan_init(&b->plan, c, o, 1));
    LS_TRY(check_options(b));
    LS_TRY(check_stores(b));
    set_bytes(b);
    memcpy(bytes, b->bytes, sizeof(b->bytes));
    bytes[BUFFERS] = kn_gpu_model_device_bytes(&b->plan);
    LS_TRY(kn_gpu_memory_check(b->gpu, name_of(b), bytes, BUFFERS + 1, o->memory_bytes));
    snprintf(label, sizeof(label), "the validation of %s", name_of(b));
    return kn_ranks_memory_check(o->ranks, label, kn_gpu_model_bytes(&b->plan), 0);
}

static void **buffer_of(struct job *b, unsigned at)
{
    void **const buffers[BUFFERS] = {&b->from,      &b->to,        &b->dense,      &b->first[0], &b->first[1],
                                     &b->second[0], &b->second[1], &b->steps_from, &b->steps_to};
    return buffers[at];
}

static void release(struct job *b)
{
    for (unsigned i = 0; i < BUFFERS; i++)
        b->gpu->driver->release(b->gpu, *buffer_of(b, i));
}

static ls_err allocate(struct job *b)
{
    for (unsigned i = 0; i < BUFFERS; i++)
        if (b->bytes[i]) LS_TRY(b->gpu->driver->alloc(b->gpu, b->bytes[i], buffer_of(b, i)));
    return LS_OK;
}

/* Copy indices to the buffers that exist. */
static ls_err write_indices(struct job *b, const struct pat_indices *p, void *const buffers[2])
{
    if (buffers[1]) LS_TRY(b->gpu->driver->write(b->gpu, buffers[1], p->data, p->len * sizeof(int64_t)));
    if (!buffers[0]) return LS_OK;
    int32_t *narrow = malloc(p->len * sizeof(*narrow));
    if (!narrow) return ls_nomem("%zu 32-bit indices", p->len);
    for (size_t i = 0; i < p->len; i++)
        narrow[i] = (int32_t)p->data[i];
    const ls_err err = b->gpu->driver->write(b->gpu, buffers[0], narrow, p->len * sizeof(*narrow));
    free(narrow);
    return err;
}

/* Compute the distance of each row of a turn from its first row, and of one turn from the next. */
static ls_err write_steps(struct job *b, const struct kn_plan_side *s, void *buffer, int64_t *out_turn)
{
    if (!s->used) return LS_OK;
    int64_t *sums = malloc(s->steps_len * sizeof(*sums)), sum = 0;
    if (!sums) return ls_nomem("%zu deltas", s->steps_len);
    for (size_t i = 0; i < s->steps_len; sum += s->steps[i++])
        sums[i] = sum;
    *out_turn = sum;
    const ls_err err = b->gpu->driver->write(b->gpu, buffer, sums, s->steps_len * sizeof(*sums));
    free(sums);
    return err;
}

static ls_err fill_side(struct job *b, const struct kn_plan_side *s, void *buffer)
{
    const struct kn_gpu_filling f = {.buffer = buffer,
                                     .first = s->extent.low,
                                     .len = s->elements,
                                     .element_bytes = b->plan.element_bytes,
                                     .salt = s->salt,
                                     .zero = b->plan.adds};
    return s->used ? kn_gpu_fill(b->gpu, &f) : LS_OK;
}

static ls_err clear_sum(struct job *b)
{
    return kn_gpu_fill(
        b->gpu, &(struct kn_gpu_filling){
                    .buffer = b->dense, .len = 1, .element_bytes = b->plan.element_bytes, .zero = true});
}

/* Values of a scatter that adds; they differ from kn_value_bits. */
static ls_err fill_dense(struct job *b)
{
    const struct kn_plan *p = &b->plan;
    if (only_loads(p)) return clear_sum(b);
    if (!does(b, PAT_OPERATION_COPY)) return LS_OK;
    if (!p->adds)
        return kn_gpu_fill(b->gpu, &(struct kn_gpu_filling){.buffer = b->dense,
                                                            .len = p->dense_elements,
                                                            .element_bytes = p->element_bytes,
                                                            .salt = KN_SALT_DENSE});
    void *addends = malloc(b->bytes[2]);
    if (!addends) return ls_nomem("the dense buffer of %s", name_of(b));
    for (uint64_t e = 0; e < p->dense_elements; e++)
        kn_value_put(addends, e,
                     kn_value_number(kn_value_addend(e % p->len, p->element_bytes), p->element_bytes),
                     p->element_bytes);
    const ls_err err = b->gpu->driver->write(b->gpu, b->dense, addends, b->bytes[2]);
    free(addends);
    return err;
}

static ls_err fill(struct job *b)
{
    const struct kn_plan *p = &b->plan;
    b->walk = (struct kn_gpu_walk){.count = p->count,
                                   .wrap = p->wrap,
                                   .len = p->len,
                                   .steps_from_len = p->from.steps_len,
                                   .steps_to_len = p->to.steps_len,
                                   .low_from = p->from.extent.low,
                                   .low_to = p->to.extent.low};
    LS_TRY(write_indices(b, first_of(p), b->first));
    LS_TRY(write_indices(b, second_of(p), b->second));
    LS_TRY(write_steps(b, &p->from, b->steps_from, &b->walk.turn_from));
    LS_TRY(write_steps(b, &p->to, b->steps_to, &b->walk.turn_to));
    LS_TRY(fill_side(b, &p->from, b->from));
    LS_TRY(fill_side(b, &p->to, b->to));
    return fill_dense(b);
}

/* ---- runs ---- */

struct shape {
    uint64_t groups, columns;
    unsigned items_x, items_y;
};

/* Rows that one work item takes, in variants that leave out overwritten stores. */
static uint64_t rows_of_item(const struct form *f)
{
    return (uint64_t)f->turns * f->variant.work;
}

/* Distance of these rows: a multiple of wrap, so that all of them are stored to the same elements. */
static uint64_t apart_of(const struct job *b, const struct form *f, uint64_t count)
{
    const uint64_t wrap = b->walk.wrap;
    return f->spread ? ((count - 1) / rows_of_item(f) / wrap + 1) * wrap : wrap;
}

/* Work items for each element of a row, in these variants. */
static uint64_t items_of_rows(const struct job *b, const struct form *f, uint64_t count)
{
    const uint64_t apart = apart_of(b, f, count), span = apart * rows_of_item(f), rest = count % span;
    return count / span * apart + (rest < apart ? rest : apart);
}

/* Groups of whole rows, or of a column of long rows. */
static struct shape shape_of_rows(const struct job *b, const struct form *f, uint64_t count)
{
    const unsigned work = f->variant.last ? 1 : f->variant.work;
    if (f->variant.last) count = items_of_rows(b, f, count);
    const uint64_t items = b->walk.len / f->variant.vector;
    struct shape s = {.columns = (items - 1) / f->group_items + 1};
    s.items_x = (unsigned)((items - 1) / s.columns + 1);
    s.items_y = f->group_items / s.items_x;
    if (s.items_y > count) s.items_y = (unsigned)count;
    s.groups = ((count - 1) / ((uint64_t)s.items_y * work) + 1) * s.columns;
    return s;
}

/* Chains of loads: as many as --omp-threads, otherwise one for each compute unit. */
static uint64_t chains_of(const struct job *b, uint64_t count)
{
    const uint64_t chains = b->options->threads ? b->options->threads : b->gpu->info.units;
    return chains == 0 ? 1 : chains < count ? chains : count;
}

/* Spread the chains over the compute units. */
static struct shape shape_of_chains(const struct job *b, const struct form *f, uint64_t count)
{
    const uint64_t chains = chains_of(b, count), units = b->gpu->info.units ? b->gpu->info.units : 1;
    const uint64_t most = f->group_items, items = (chains - 1) / units + 1;
    const unsigned items_x = (unsigned)(items < most ? items : most);
    return (struct shape){
        .groups = (chains - 1) / items_x + 1, .columns = chains, .items_x = items_x, .items_y = 1};
}

static ls_err launch(struct job *b, const struct form *f, uint64_t count, unsigned repeats,
                     double *out_seconds)
{
    const struct kn_gpu_variant *v = &f->variant;
    const struct shape s =
        does(b, PAT_OPERATION_CHASE) ? shape_of_chains(b, f, count) : shape_of_rows(b, f, count);
    const bool wide = v->index_bits == 64, gathers = b->plan.from.used, gs = gathers && b->plan.to.used;
    struct kn_gpu_walk walk = b->walk;
    void *kernel;
    walk.count = count;
    walk.columns = s.columns;
    if (v->last) {
        walk.apart = apart_of(b, f, count);
        walk.turns = f->turns;
    }
    const struct kn_gpu_launch l = {.groups = s.groups,
                                    .items_x = s.items_x,
                                    .items_y = s.items_y,
                                    .repeats = repeats,
                                    .shared_bytes = v->shared_bytes,
                                    .args = {{.buffer = gs || !gathers ? &b->to : &b->dense},
                                             {.buffer = gathers ? &b->from : &b->dense},
                                             {.buffer = &b->first[wide]},
                                             {.buffer = &b->second[wide]},
                                             {.buffer = &b->steps_from},
                                             {.buffer = &b->steps_to},
                                             {.value = &walk, .len_bytes = sizeof(walk)}},
                                    .args_len = 7};
    LS_TRY(kn_gpu_kernel(b->gpu, v, &kernel));
    return b->gpu->driver->launch(b->gpu, kernel, &l, out_seconds);
}

/* kn_once: after a failure, runs take no time. */
static struct kn_span run_timed(void *arg, struct kn_turn turn)
{
    struct job *b = arg;
    struct kn_span span = {.seconds = 1, .begin_ns = ls_clock_mono_ns()};
    if (b->err == LS_OK) {
        b->err = launch(b, &b->form, b->plan.count, turn.repeats, &span.seconds);
        if (b->err != LS_OK) snprintf(b->why, sizeof(b->why), "%s", ls_last_error());
    }
    span.cpu_seconds = span.seconds;
    span.end_ns = ls_clock_mono_ns();
    return span;
}

/* ---- the fastest variant ---- */

/* elements moved in a trial, at least: more than the caches of devices hold */
static const uint64_t trial_elements = UINT64_C(1) << 24, trial_elements_of_chains = UINT64_C(1) << 16;
enum { TRIAL_RUNS = 3 };
static const double worth_a_change = 0.98, trial_seconds = 2e-3;

static void describe_form(const struct form *f, char out[KN_VARIANT_BYTES])
{
    static const char *const memory[] = {
#define NAME(id, name) name,
        KN_GPU_MEMORY_LIST(NAME)
#undef NAME
    };
    const struct kn_gpu_variant *v = &f->variant;
    const bool plain = v->stores == KN_STORES_REGULAR;
    const int used = snprintf(out, KN_VARIANT_BYTES, "%u items x %u x %u, %s %u-bit%s%s", f->group_items,
                              v->work, v->vector, memory[v->memory], v->index_bits, plain ? "" : ", ",
                              plain ? "" : kn_stores_name(v->stores));
    if (v->last)
        snprintf(out + used, KN_VARIANT_BYTES - (size_t)used, ", %" PRIu64 "%s rows", rows_of_item(f),
                 f->spread ? " spread" : "");
}

static bool fits(const struct job *b, const struct form *f)
{
    const struct kn_gpu_variant *v = &f->variant;
    const struct kn_gpu_info *i = &b->gpu->info;
    const uint64_t index_bytes = v->index_bits / 8;
    const uint64_t first = first_of(&b->plan)->len * index_bytes,
                   second = second_of(&b->plan)->len * index_bytes;
    if (f->group_items > i->group_items_max || b->walk.len % v->vector != 0) return false;
    if (v->memory == KN_GPU_MEMORY_CONSTANT && (!i->has_constant || first + second > i->constant_bytes_max))
        return false;
    if (v->memory == KN_GPU_MEMORY_LOCAL && v->near_len * index_bytes * 2 + v->shared_bytes > i->local_bytes)
        return false;
    return !b->gpu->driver->has || b->gpu->driver->has(v);
}

static ls_err try_form(struct job *b, const struct form *f, struct kn_result *r, double *out_seconds)
{
    const uint64_t rows = b->trial_rows;
    *out_seconds = INFINITY;
    for (int i = 0; i < TRIAL_RUNS; i++) {
        double seconds;
        LS_TRY(launch(b, f, rows, 1, &seconds));
        *out_seconds = fmin(*out_seconds, seconds);
    }
    if (r->trials_len < KN_TRIALS_MAX) {
        struct kn_trial *t = &r->trials[r->trials_len++];
        describe_form(f, t->variant);
        t->mb_per_s = (double)b->plan.need.bytes * (double)rows / (double)b->plan.count / *out_seconds / 1e6;
    }
    return LS_OK;
}

/* Trials run enough rows to fill the device as the whole replay does, within some milliseconds. */
static ls_err choose_trial_rows(struct job *b)
{
    const uint64_t least = does(b, PAT_OPERATION_CHASE) ? trial_elements_of_chains : trial_elements;
    double rows = (double)(least / b->walk.len + 1), seconds;
    if (rows < (double)b->plan.count) {
        LS_TRY(launch(b, &b->form, (uint64_t)rows, 1, &seconds));
        rows *= fmax(1, trial_seconds / seconds);
    }
    b->trial_rows = rows < (double)b->plan.count ? (uint64_t)rows : b->plan.count;
    return LS_OK;
}

/* Values to try, one dimension at a time; 0 ends a list. */
enum dimension { LAST, WORK, GROUP, VECTOR, MEMORY, INDEX, DIMENSIONS };
static const struct {
    unsigned work, turns;
    bool spread;
} lasts[] = {{1, 1, false}, {4, 1, false}, {4, 4, false}, {4, 1, true},
             {4, 4, true},  {4, 16, true}, {4, 64, true}};
static const unsigned values[DIMENSIONS][8] = {[LAST] = {1, 2, 3, 4, 5, 6, 7}, /* rows of lasts, from 1 */
                                               [WORK] = {4, 8},
                                               [GROUP] = {64, 512, 1024},
                                               [VECTOR] = {2, 4},
                                               [MEMORY] = {KN_GPU_MEMORY_LOCAL, KN_GPU_MEMORY_CONSTANT},
                                               [INDEX] = {64}};

static struct form varied(const struct job *b, enum dimension d, unsigned value)
{
    struct form f = b->form;
    switch (d) {
    case LAST:
        f.variant.last = true;
        f.variant.work = lasts[value - 1].work;
        f.turns = lasts[value - 1].turns;
        f.spread = lasts[value - 1].spread;
        break;
    case WORK:
        f.variant.work = value;
        break;
    case GROUP:
        f.group_items = value;
        break;
    case VECTOR:
        f.variant.vector = value;
        break;
    case MEMORY:
        f.variant.memory = (enum kn_gpu_memory)value;
        break;
    default:
        f.variant.index_bits = value;
        break;
    }
    f.variant.near_len = f.variant.memory == KN_GPU_MEMORY_LOCAL ? f.group_items * f.variant.vector : 0;
    return f;
}

/* Stores that a later row overwrites can be left out, as long as its loads are executed. Spatter's kernel for CUDA stores nothing. */
static bool has_last(const struct job *b)
{
    const struct kn_plan *p = &b->plan;
    return p->from.used && !p->to.used && does(b, PAT_OPERATION_COPY) && p->wrap < p->count &&
           p->from.steps_len == 1;
}

static bool is_varied(const struct job *b, enum dimension d)
{
    if (d == LAST) return has_last(b) && b->options->method == KN_METHOD_AUTO;
    if (does(b, PAT_OPERATION_CHASE) && d != INDEX) return false;
    if (d == GROUP) return !b->options->group_items;
    if (d == INDEX) return !b->options->index_bits && b->plan.indices_fit_32_bits;
    return b->options->method == KN_METHOD_AUTO;
}

static ls_err choose(struct job *b, struct kn_result *r)
{
    double least, seconds;
    unsigned group = b->options->group_items ? b->options->group_items : 256;
    if (group > b->gpu->info.group_items_max) group = b->gpu->info.group_items_max;
    const unsigned bits = b->options->index_bits        ? b->options->index_bits
                          : b->plan.indices_fit_32_bits ? 32
                                                        : 64;
    b->form = (struct form){.variant = {.kind = b->plan.config->kernel,
                                        .element_bytes = b->plan.element_bytes,
                                        .index_bits = bits,
                                        .work = 1,
                                        .vector = 1,
                                        .stores = b->stores,
                                        .operation = b->plan.config->operation,
                                        .shared_bytes = b->options->shared_bytes},
                            .group_items = group};
    if (does(b, PAT_OPERATION_CHASE))
        b->form.group_items = shape_of_chains(b, &b->form, b->plan.count).items_x;
    if (b->options->method == KN_METHOD_SCALAR && b->options->group_items &&
        (b->options->index_bits || bits == 64))
        return LS_OK; /* nothing to choose */
    LS_TRY(choose_trial_rows(b));
    LS_TRY(try_form(b, &b->form, r, &least));
    for (enum dimension d = 0; d < DIMENSIONS; d++)
        for (const unsigned *v = values[d]; is_varied(b, d) && *v; v++) {
            const struct form f = varied(b, d, *v);
            if (!fits(b, &f)) continue;
            LS_TRY(try_form(b, &f, r, &seconds));
            if (seconds > least * worth_a_change) continue;
            least = seconds;
            b->form = f;
        }
    return LS_OK;
}

/* ---- validation ---- */

/* Run once more and keep the sums, over as many rows as a model can add up. */
static ls_err validate_sum(struct job *b, struct kn_result *r)
{
    const struct kn_plan *p = &b->plan;
    uint64_t rows = KN_GPU_MODEL_MAX / p->len + 1, naive = 0, held = 0;
    int64_t base = 0;
    double seconds;
    if (rows > p->count) rows = p->count;
    LS_TRY(clear_sum(b));
    b->walk.keep = 1;
    const ls_err err = launch(b, &b->form, rows, 1, &seconds);
    b->walk.keep = 0;
    LS_TRY(err);
    LS_TRY(b->gpu->driver->read(b->gpu, b->dense, &held, p->element_bytes));
    for (uint64_t i = 0; i < rows; base += p->from.steps[i++ % p->from.steps_len])
        for (size_t j = 0; j < p->len; j++)
            naive += kn_value_bits(p->from.salt, base + kn_plan_index(&p->from, j), p->element_bytes);
    if (p->element_bytes == 4) naive = (uint32_t)naive;
    r->valid = held == naive;
    if (r->valid) return LS_OK;
    r->worst_error = NAN;
    snprintf(r->invalid, sizeof(r->invalid), "the sum of %" PRIu64 " rows is %#" PRIx64 ", not %#" PRIx64,
             rows, held, naive);
    return LS_OK;
}

static ls_err validate(struct job *b, struct kn_result *r)
{
    if (only_loads(&b->plan)) return validate_sum(b, r);
    return kn_gpu_model_check(b->gpu, b->plan.to.used ? b->to : b->dense, &b->plan,
                              b->stores == KN_STORES_EXCHANGE, r);
}

/* ---- the replay ---- */

static void describe(const struct job *b, struct kn_result *r)
{
    const struct kn_plan *p = &b->plan;
    const struct kn_gpu_variant *v = &b->form.variant;
    r->kernel = kn_kernel_of_pattern(p->config->kernel);
    r->bytes = p->need.bytes;
    r->bytes_with_indices = r->bytes + p->need.iterations * r->kernel->index_loads * (v->index_bits / 8);
    for (unsigned i = 0; i < BUFFERS; i++)
        r->memory_bytes += b->bytes[i];
    r->element_bytes = p->element_bytes;
    r->index_bits = v->index_bits;
    r->threads = does(b, PAT_OPERATION_CHASE) ? (unsigned)chains_of(b, p->count) : b->gpu->info.units;
    r->method = b->options->method == KN_METHOD_SCALAR ? KN_METHOD_SCALAR : KN_METHOD_AUTO;
    r->stores = v->stores;
    r->pin = KN_PIN_NONE;
    snprintf(r->backend, sizeof(r->backend), "%s", b->gpu->driver->name);
    describe_form(&b->form, r->variant);
}

/* A scatter that adds is validated with one run that begins with zeroes. */
static ls_err run_once_more(struct job *b)
{
    double seconds;
    if (!b->plan.adds) return LS_OK;
    LS_TRY(fill_side(b, &b->plan.to, b->to));
    return launch(b, &b->form, b->plan.count, 1, &seconds);
}

/* Take rank 0's variant, so that ranks compare. Each of its settings fits here if the devices are the same. */
static ls_err follow_rank_0(struct job *b)
{
    struct form wanted = b->form;
    LS_TRY(kn_ranks_broadcast(b->options->ranks, &wanted, sizeof(wanted)));
    if (fits(b, &wanted)) b->form = wanted;
    return LS_OK;
}

static ls_err measure(struct job *b, struct kn_result *r)
{
    struct kn_ranks *ranks = b->options->ranks;
    struct kn_options times = *b->options;
    const uint64_t own = b->plan.config->runs;
    const unsigned runs = times.runs ? times.runs : own ? (unsigned)own : KN_RUNS;
    times.times_only = true;
    r->bytes = b->plan.need.bytes;
    LS_TRY(kn_ranks_agree(ranks, choose(b, r)));
    if (ranks) LS_TRY(follow_rank_0(b));
    describe(b, r);
    LS_TRY(kn_measure(run_timed, b, &times, runs, r));
    ls_err err = b->err != LS_OK ? ls_fail(b->err, "%s", b->why) : run_once_more(b);
    if (err == LS_OK) err = validate(b, r);
    LS_TRY(kn_ranks_agree(ranks, err));
    LS_TRY(kn_result_join(ranks, r));
    snprintf(r->no_counts, sizeof(r->no_counts), "not read on devices");
    return LS_OK;
}

ls_err kn_replay_gpu_check(const struct pat_config *c, const struct kn_options *o,
                           const struct kn_backend *backend)
{
    struct job b;
    return plan(&b, c, o, backend);
}

ls_err kn_replay_gpu_run(const struct pat_config *c, const struct kn_options *o,
                         const struct kn_backend *backend, struct kn_result *out)
{
    struct job b;
    LS_TRY(kn_ranks_agree(o->ranks, plan(&b, c, o, backend)));
    ls_err err = allocate(&b);
    if (err == LS_OK) err = fill(&b);
    err = kn_ranks_agree(o->ranks, err);
    if (err == LS_OK) err = measure(&b, out);
    release(&b);
    return err;
}
