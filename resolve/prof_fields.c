/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "resolve/prof_fields.h"

#include "ndm/ndm_gather.h"
#include "resolve/prof_replay.h"
#include "run_h5/prof_atlas.h"
#include "run_h5/prof_cost.h"
#include "run_h5/prof_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROF_WINDOW_SAMPLES = 65536, PROF_GATHER_BYTES = 200 /* a touched value, hash table included */ };
/* Fields that gather at once; more wait for another pass over the samples. */
#define PROF_GATHER_MAX_BYTES (UINT64_C(1) << 30)

/* Columns of whole bursts, read back. */
struct prof_window {
    uint64_t first, len, room;
    uint8_t *op, *latency_valid, *level;
    int32_t *latency_cycles;
    uint32_t *position, *node;
    uint64_t *element, *addr, *ip;
    float *time_ns, *stall_ns;
    uint32_t *field, *value; /* to be written to the file */
};

struct prof_fields {
    struct prof_run_state *run;
    const struct prof_run *about;
    const struct prof_domains *domains;
    struct prof_atlas_plan plan;
    struct prof_steps *steps; /* beside plan.domains */
    ndm_gather **gathers;     /* beside plan.fields; NULL: not in this pass */
    uint32_t *order;          /* bursts that have samples, in the order of their samples in the file */
    size_t order_len;
    uint8_t *is_mapped; /* by node */
    uint32_t *numbers;  /* beside plan.fields: numbers of the fields in /fields */
    bool writes_places; /* this pass writes the place of each sample */
    struct prof_window window;
    struct prof_cost_model cost;
    struct prof_cost_loads loads; /* loads of the whole run */
    struct prof_cost_nodes nodes;
    struct prof_cost_walks walks;
    struct ndm_geometry *geometries; /* the plan's geometries, contiguous for the writer */
    uint32_t slices;
};

static ls_err prof_fields_no_memory(void)
{
    return ls_nomem("the fields of natural domains");
}

/* --- samples, burst by burst --- */

static int prof_compare_first(const void *a, const void *b, void *user)
{
    const struct prof_burst *bursts = user;
    const uint64_t x = bursts[*(const uint32_t *)a].first_sample,
                   y = bursts[*(const uint32_t *)b].first_sample;
    return (x > y) - (x < y);
}

static ls_err prof_order_bursts(struct prof_fields *f, uint64_t *out_longest)
{
    const struct prof_burst *bursts = f->run->bursts.rows;
    f->order = malloc((f->run->bursts.len + 1) * sizeof(*f->order));
    if (!f->order) return prof_fields_no_memory();
    *out_longest = 0;
    for (size_t i = 0; i < f->run->bursts.len; i++) {
        if (bursts[i].samples_len == 0) continue;
        f->order[f->order_len++] = (uint32_t)i;
        if (bursts[i].samples_len > *out_longest) *out_longest = bursts[i].samples_len;
    }
    qsort_r(f->order, f->order_len, sizeof(*f->order), prof_compare_first, f->run->bursts.rows);
    return LS_OK;
}

static ls_err prof_window_init(struct prof_window *w, uint64_t longest)
{
    w->room = longest > PROF_WINDOW_SAMPLES ? longest : PROF_WINDOW_SAMPLES;
    w->op = malloc(w->room);
    w->latency_valid = malloc(w->room);
    w->level = malloc(w->room);
    w->latency_cycles = malloc(w->room * sizeof(*w->latency_cycles));
    w->position = malloc(w->room * sizeof(*w->position));
    w->node = malloc(w->room * sizeof(*w->node));
    w->element = malloc(w->room * sizeof(*w->element));
    w->addr = malloc(w->room * sizeof(*w->addr));
    w->ip = malloc(w->room * sizeof(*w->ip));
    w->time_ns = malloc(w->room * sizeof(*w->time_ns));
    w->stall_ns = malloc(w->room * sizeof(*w->stall_ns));
    w->field = malloc(w->room * sizeof(*w->field));
    w->value = malloc(w->room * sizeof(*w->value));
    return w->op && w->latency_valid && w->level && w->latency_cycles && w->position && w->node &&
                   w->element && w->addr && w->ip && w->time_ns && w->stall_ns && w->field && w->value
               ? LS_OK
               : prof_fields_no_memory();
}

static void prof_window_fini(struct prof_window *w)
{
    free(w->op);
    free(w->latency_valid);
    free(w->level);
    free(w->latency_cycles);
    free(w->position);
    free(w->node);
    free(w->element);
    free(w->addr);
    free(w->ip);
    free(w->time_ns);
    free(w->stall_ns);
    free(w->field);
    free(w->value);
}

static ls_err prof_window_read(struct prof_fields *f)
{
    struct prof_window *w = &f->window;
    prof_writer *writer = f->run->writer;
    const struct prof_slice slice = {w->first, w->len};
    LS_TRY(prof_writer_read(writer, PROF_COL_op, slice, w->op));
    LS_TRY(prof_writer_read(writer, PROF_COL_latency_valid, slice, w->latency_valid));
    LS_TRY(prof_writer_read(writer, PROF_COL_level, slice, w->level));
    LS_TRY(prof_writer_read(writer, PROF_COL_latency_cycles, slice, w->latency_cycles));
    LS_TRY(prof_writer_read(writer, PROF_COL_position, slice, w->position));
    LS_TRY(prof_writer_read(writer, PROF_COL_node, slice, w->node));
    LS_TRY(prof_writer_read(writer, PROF_COL_addr, slice, w->addr));
    LS_TRY(prof_writer_read(writer, PROF_COL_ip, slice, w->ip));
    return prof_writer_read(writer, PROF_COL_element, slice, w->element);
}

static struct prof_cost_samples prof_window_samples(const struct prof_window *w, uint64_t at, uint64_t len)
{
    return (struct prof_cost_samples){.op = w->op + at,
                                      .latency_valid = w->latency_valid + at,
                                      .level = w->level + at,
                                      .latency_cycles = w->latency_cycles + at,
                                      .position = w->position + at,
                                      .node = w->node + at,
                                      .addr = w->addr + at,
                                      .ip = w->ip + at,
                                      .len = len};
}

static ls_err prof_window_write_places(struct prof_fields *f)
{
    const struct prof_slice slice = {f->window.first, f->window.len};
    LS_TRY(prof_writer_rewrite(f->run->writer, PROF_COL_field, slice, f->window.field));
    return prof_writer_rewrite(f->run->writer, PROF_COL_value, slice, f->window.value);
}

typedef ls_err prof_burst_fn(struct prof_fields *f, uint32_t burst);

/* fn sees each burst with its samples in the window. */
static ls_err prof_each_burst(struct prof_fields *f, prof_burst_fn *fn)
{
    const struct prof_burst *bursts = f->run->bursts.rows;
    struct prof_window *w = &f->window;
    for (size_t i = 0, end; i < f->order_len; i = end) {
        w->first = bursts[f->order[i]].first_sample;
        for (end = i, w->len = 0; end < f->order_len; end++) {
            const struct prof_burst *b = &bursts[f->order[end]];
            if (b->first_sample + b->samples_len - w->first > w->room) break;
            w->len = b->first_sample + b->samples_len - w->first;
        }
        LS_TRY(prof_window_read(f));
        memset(w->field, 0xff, w->len * sizeof(*w->field)); /* missing */
        memset(w->value, 0xff, w->len * sizeof(*w->value));
        for (size_t k = i; k < end; k++)
            LS_TRY(fn(f, f->order[k]));
        if (f->writes_places) LS_TRY(prof_window_write_places(f));
    }
    return LS_OK;
}

/* --- the place of a sample --- */

struct prof_landing {
    size_t span;     /* row; SIZE_MAX: not mapped then */
    bool is_outside; /* in no value of the domain */
    uint64_t value;  /* value of the stored domain */
};
#define PROF_NOT_MAPPED SIZE_MAX

/* Apply the result of a natural-domain function for access number `access`; the spots of its burst are in
 * order. */
static struct prof_landing prof_land_spot(const struct prof_spot *spots, size_t len, uint32_t access,
                                          struct prof_landing landing)
{
    for (size_t i = 0; i < len; i++)
        if (spots[i].access == access) {
            landing.value = spots[i].value;
            landing.is_outside = spots[i].value == NDM_NOWHERE;
            return landing;
        }
    landing.span = PROF_NOT_MAPPED; /* the function recorded the access itself, or did not see it */
    return landing;
}

/* A burst touches few nodes, each at one time. */
enum { PROF_SPANS_KEPT = 8 };
struct prof_burst_context {
    const struct prof_burst *burst;
    uint32_t process;
    const struct prof_spot *spots;
    size_t spots_len;
    struct {
        bool is_known;
        uint32_t node;
        const struct prof_map_span *span;
    } kept[PROF_SPANS_KEPT];
};

static const struct prof_map_span *prof_span_of(const struct prof_fields *f, struct prof_burst_context *c,
                                                uint32_t node)
{
    const uint32_t at = node % PROF_SPANS_KEPT;
    if (!c->kept[at].is_known || c->kept[at].node != node) {
        c->kept[at].is_known = true;
        c->kept[at].node = node;
        c->kept[at].span = prof_domains_find(f->domains, c->process, node, c->burst->time_ns);
    }
    return c->kept[at].span;
}

static struct prof_burst_context prof_burst_context(const struct prof_fields *f, const struct prof_burst *b)
{
    const struct prof_thread *t = &f->run->threads.rows[b->thread];
    struct prof_burst_context c = {.burst = b, .process = t->process};
    const struct prof_spot_key key = {t->process, t->tid, b->time_ns};
    c.spots = prof_spots_of(&f->domains->spots, &key, &c.spots_len);
    return c;
}

static struct prof_landing prof_land(const struct prof_fields *f, struct prof_burst_context *c,
                                     uint64_t sample)
{
    const struct prof_domains *d = f->domains;
    const uint64_t at = sample - f->window.first;
    struct prof_landing landing = {.span = PROF_NOT_MAPPED};
    if (!f->is_mapped[f->window.node[at]]) return landing;
    const struct prof_map_span *s = prof_span_of(f, c, f->window.node[at]);
    if (!s || s->domain == PROF_NO_DOMAIN) return landing;
    const struct ndm_geometry *g = &d->domains.rows[s->domain].geometry;
    const struct ndm_map *map = &d->layouts.rows[s->layout].map;
    landing.span = (size_t)(s - d->spans.rows);
    if (map->kind == NDM_MAP_CALLBACK)
        landing =
            prof_land_spot(c->spots, c->spots_len, (uint32_t)(sample - c->burst->first_sample), landing);
    else
        landing.is_outside = f->window.element[at] == UINT64_MAX ||
                             !ndm_map_locate(map, g, f->window.element[at], &landing.value);
    if (landing.span != PROF_NOT_MAPPED && !landing.is_outside)
        landing.value =
            prof_atlas_plan_value(&f->plan.domains.rows[f->plan.domain_of[s->domain]], g, landing.value);
    return landing;
}

/* --- first pass: where latencies begin, and how much each field gets --- */

static ls_err prof_count_burst(struct prof_fields *f, uint32_t burst)
{
    const struct prof_burst *b = &f->run->bursts.rows[burst];
    const struct prof_cost_samples s =
        prof_window_samples(&f->window, b->first_sample - f->window.first, b->samples_len);
    prof_cost_loads_add(&f->loads, &s);
    prof_cost_nodes_add(&f->nodes, &f->cost, &s);
    LS_TRY(prof_cost_walks_add(&f->walks, &f->cost, b, &s));
    struct prof_burst_context context = prof_burst_context(f, b);
    for (uint64_t i = b->first_sample; i < b->first_sample + b->samples_len; i++) {
        const struct prof_landing landing = prof_land(f, &context, i);
        for (int k = 0; landing.span != PROF_NOT_MAPPED && k < 2; k++)
            f->plan.fields.rows[f->plan.fields_of[landing.span][k]].samples++;
    }
    return LS_OK;
}

/* --- second pass: gather --- */

static int prof_ndm_level(uint8_t level)
{
    _Static_assert(PROF_LEVEL_COUNT == 4, "levels of a sample are those of a field");
    return level < PROF_LEVEL_COUNT ? level : -1;
}

static ls_err prof_gather_sample(struct prof_fields *f, const struct prof_burst *b,
                                 const struct prof_landing *landing, const struct ndm_touch *touch)
{
    for (int k = 0; k < 2; k++) {
        const uint32_t field = f->plan.fields_of[landing->span][k];
        if (!f->gathers[field]) continue;
        if (landing->is_outside) {
            ndm_gather_add_outside(f->gathers[field]);
            continue;
        }
        const struct prof_steps *steps = &f->steps[f->plan.fields.rows[field].domain];
        const uint32_t step = prof_steps_find(steps, b->time_ns);
        LS_TRY(ndm_gather_add(f->gathers[field], step == PROF_NO_STEP ? NDM_GATHER_WHOLE : step,
                              landing->value, touch));
    }
    return LS_OK;
}

static ls_err prof_gather_burst(struct prof_fields *f, uint32_t burst)
{
    const struct prof_burst *b = &f->run->bursts.rows[burst];
    struct prof_window *w = &f->window;
    const uint64_t first = b->first_sample - w->first;
    const struct prof_cost_samples s = prof_window_samples(w, first, b->samples_len);
    struct prof_burst_context context = prof_burst_context(f, b);
    memset(w->time_ns, 0, b->samples_len * sizeof(*w->time_ns));
    memset(w->stall_ns, 0, b->samples_len * sizeof(*w->stall_ns));
    prof_cost_split(&f->cost, b, &s, w->time_ns, w->stall_ns);
    for (uint64_t i = 0; i < b->samples_len; i++) {
        const struct prof_landing landing = prof_land(f, &context, b->first_sample + i);
        if (landing.span == PROF_NOT_MAPPED) continue;
        w->field[first + i] = f->numbers[f->plan.fields_of[landing.span][0]];
        if (!landing.is_outside) w->value[first + i] = (uint32_t)landing.value;
        const bool is_measured = prof_cost_is_measured(&s, i);
        const struct ndm_touch touch = {
            .time_ns = (double)w->time_ns[i],
            .stall_ns = (double)w->stall_ns[i],
            .latency_cycles = is_measured ? prof_cost_latency_cycles(&f->cost, &s, i) : NAN,
            .level = is_measured ? prof_ndm_level(w->level[first + i]) : -1,
        };
        LS_TRY(prof_gather_sample(f, b, &landing, &touch));
    }
    return LS_OK;
}

/* --- steps --- */

/* The fields share the memory for steps. */
static uint32_t prof_steps_that_fit(const struct prof_fields *f, uint64_t values_len)
{
    size_t fields = 0;
    for (size_t i = 0; i < f->plan.fields.len; i++)
        fields += f->plan.fields.rows[i].samples > 0;
    const uint64_t fit = PROF_FIELD_STEP_VALUES_MAX / NDM_METRICS_LEN / (fields + 1) / (values_len + 1);
    return fit < PROF_STEPS_MAX ? (uint32_t)fit : PROF_STEPS_MAX;
}

/* Report steps that were left out because they need too many values. */
static ls_err prof_say_no_steps(struct prof_fields *f, const struct prof_step_source *source,
                                const struct prof_planned_domain *d)
{
    struct prof_steps wanted;
    const ls_err e = prof_steps_init(&wanted, source, 2);
    const bool had_some = wanted.len >= 2;
    prof_steps_fini(&wanted);
    if (e != LS_OK || !had_some) return e;
    const struct prof_event event = {
        .time_ns = UINT64_MAX,
        .kind = "NO_STEPS",
        .text = prof_name_printf(
            f->run->names,
            "fields on %s are of the whole run only: it has too many cells or points, or too many arrays "
            "mapped onto it, for steps; map onto larger cells to get them",
            d->geometry.label),
        .count = 1};
    return prof_event_put(f->run, source->process, event);
}

static ls_err prof_make_steps(struct prof_fields *f)
{
    const struct prof_run_state *s = f->run;
    f->steps = calloc(f->plan.domains.len + 1, sizeof(*f->steps));
    if (!f->steps) return prof_fields_no_memory();
    for (size_t i = 0; i < f->plan.domains.len; i++) {
        const struct prof_planned_domain *d = &f->plan.domains.rows[i];
        const uint64_t cells = ndm_geometry_values(&d->geometry, NDM_CELLS),
                       points = ndm_geometry_values(&d->geometry, NDM_POINTS);
        const struct prof_step_source source = {.phases = s->phases.phases.rows,
                                                .phases_len = s->phases.phases.len,
                                                .spans = s->phases.spans.rows,
                                                .spans_len = s->phases.spans.len,
                                                .threads = s->threads.rows,
                                                .process = f->domains->domains.rows[d->from].process,
                                                .slices = f->slices,
                                                .duration_ns = f->about->duration_ns};
        const uint32_t fit = prof_steps_that_fit(f, cells > points ? cells : points);
        LS_TRY(prof_steps_init(&f->steps[i], &source, fit));
        if (fit < 2) LS_TRY(prof_say_no_steps(f, &source, d));
    }
    return LS_OK;
}

/* --- fields into the file --- */

static char *prof_field_name(const struct prof_fields *f, const struct prof_planned_field *p, unsigned twin)
{
    const char *domain = f->plan.domains.rows[p->domain].geometry.label;
    char *name = NULL, *numbered = NULL;
    const char *points = p->centering == NDM_POINTS ? " (points)" : "";
    const bool has_both = f->plan.domains.rows[p->domain].geometry.kind == NDM_MESH;
    const int len = p->node == UINT32_MAX
                        ? asprintf(&name, "%s%s", domain, has_both ? points : "")
                        : asprintf(&name, "%s.%s%s", domain, prof_tree_node(f->run->tree, p->node)->label,
                                   has_both ? points : "");
    if (len < 0 || twin < 2) return len < 0 ? NULL : name;
    if (asprintf(&numbered, "%s #%u", name, twin) < 0) numbered = NULL;
    free(name);
    return numbered;
}

static ls_err prof_field_describe(const struct prof_fields *f, const struct prof_planned_field *p,
                                  struct ndm_field *out)
{
    const struct prof_steps *steps = &f->steps[p->domain];
    const struct ndm_geometry *g = &f->plan.domains.rows[p->domain].geometry;
    out->label = strdup(p->node == UINT32_MAX ? g->label : prof_tree_node(f->run->tree, p->node)->label);
    out->name = prof_field_name(f, p, 1);
    out->domain = p->domain;
    out->node = p->node;
    out->centering = p->centering;
    if (!out->label || !out->name) return prof_fields_no_memory();
    if (steps->len == 0) return LS_OK;
    out->step_labels = calloc(steps->len, sizeof(*out->step_labels));
    out->step_begin_s = calloc(steps->len, sizeof(*out->step_begin_s));
    if (!out->step_labels || !out->step_begin_s) return prof_fields_no_memory();
    out->steps_len = steps->len;
    for (uint32_t i = 0; i < steps->len; i++) {
        out->step_begin_s[i] = (double)steps->rows[i].begin_ns / 1e9;
        out->step_labels[i] = strdup(steps->rows[i].label);
        if (!out->step_labels[i]) return prof_fields_no_memory();
    }
    return LS_OK;
}

/* Two nodes of one label below different parents: "mesh.a", "mesh.a #2". */
static ls_err prof_field_put(const struct prof_fields *f, const struct prof_planned_field *p,
                             struct ndm_field *field)
{
    const struct ndm_atlas atlas = {.domains = f->geometries,
                                    .domains_len = (uint32_t)f->plan.domains.len,
                                    .fields = field,
                                    .fields_len = 1};
    ls_err e = LS_ERR_EXISTS;
    for (unsigned twin = 2; (e = prof_atlas_write_field(f->run->writer, &atlas, 0)) == LS_ERR_EXISTS;
         twin++) {
        free(field->name);
        field->name = prof_field_name(f, p, twin);
        if (!field->name) return prof_fields_no_memory();
    }
    return e;
}

static ls_err prof_field_write(const struct prof_fields *f, size_t i)
{
    const struct prof_planned_field *p = &f->plan.fields.rows[i];
    struct ndm_field field = {0};
    ndm_gather_finish(f->gathers[i]);
    ls_err e = ndm_gather_field(f->gathers[i], f->steps[p->domain].len, &field);
    if (e == LS_OK) e = prof_field_describe(f, p, &field);
    if (e == LS_OK) e = prof_field_put(f, p, &field);
    ndm_field_fini(&field);
    return e;
}

/* Return the most memory that a field needs: it touches no more values than it has, and than it has
 * samples. */
static uint64_t prof_field_bytes(const struct prof_fields *f, const struct prof_planned_field *p)
{
    const uint64_t values = ndm_geometry_values(&f->plan.domains.rows[p->domain].geometry, p->centering);
    const uint64_t whole = p->samples < values ? p->samples : values, steps = f->steps[p->domain].len;
    const uint64_t stepped = p->samples < values * steps ? p->samples : values * steps;
    return (whole + stepped) * PROF_GATHER_BYTES;
}

/* A field of all nodes is always written, even if no sample touched the domain; a field of one node only if
 * samples touched that node. */
static bool prof_is_written(const struct prof_planned_field *p)
{
    return p->samples > 0 || p->node == UINT32_MAX;
}

/* Gather fields [first, *end), as many as fit into memory, and write them. */
static ls_err prof_fields_pass(struct prof_fields *f, size_t first, size_t *end)
{
    uint64_t bytes = 0;
    ls_err e = LS_OK;
    for (*end = first; e == LS_OK && *end < f->plan.fields.len; ++*end) {
        const struct prof_planned_field *p = &f->plan.fields.rows[*end];
        const uint64_t needed = prof_field_bytes(f, p);
        if (*end > first && bytes + needed > PROF_GATHER_MAX_BYTES) break;
        bytes += needed;
        if (prof_is_written(p))
            e = ndm_gather_new(ndm_geometry_values(&f->plan.domains.rows[p->domain].geometry, p->centering),
                               &f->gathers[*end]);
    }
    if (e == LS_OK) e = prof_each_burst(f, prof_gather_burst);
    for (size_t i = first; i < *end; i++) {
        if (e == LS_OK && f->gathers[i]) e = prof_field_write(f, i);
        ndm_gather_free(f->gathers[i]);
        f->gathers[i] = NULL;
    }
    return e;
}

static ls_err prof_number_fields(struct prof_fields *f)
{
    uint32_t number = 0;
    f->numbers = calloc(f->plan.fields.len + 1, sizeof(*f->numbers));
    if (!f->numbers) return prof_fields_no_memory();
    for (size_t i = 0; i < f->plan.fields.len; i++)
        f->numbers[i] = prof_is_written(&f->plan.fields.rows[i]) ? number++ : PROF_NO_FIELD;
    return LS_OK;
}

static ls_err prof_domains_write(struct prof_fields *f)
{
    f->geometries = calloc(f->plan.domains.len + 1, sizeof(*f->geometries));
    if (!f->geometries) return prof_fields_no_memory();
    for (size_t i = 0; i < f->plan.domains.len; i++)
        f->geometries[i] = f->plan.domains.rows[i].geometry;
    const struct ndm_atlas atlas = {.domains = f->geometries, .domains_len = (uint32_t)f->plan.domains.len};
    for (uint32_t i = 0; i < atlas.domains_len; i++)
        LS_TRY(prof_atlas_write_domain(f->run->writer, &atlas, i));
    return LS_OK;
}

static ls_err prof_fields_start(struct prof_fields *f)
{
    size_t nodes_len;
    uint64_t longest = 0;
    prof_tree_nodes(f->run->tree, &nodes_len);
    f->is_mapped = calloc(nodes_len + 1, 1);
    LS_TRY(prof_atlas_plan_init(&f->plan, f->domains, f->run->tree, PROF_FIELD_CELLS_MAX));
    f->gathers = calloc(f->plan.fields.len + 1, sizeof(*f->gathers));
    if (!f->is_mapped || !f->gathers) return prof_fields_no_memory();
    for (size_t i = 0; i < f->domains->spans.len; i++)
        f->is_mapped[f->domains->spans.rows[i].node] = 1;
    LS_TRY(prof_order_bursts(f, &longest));
    return prof_window_init(&f->window, longest);
}

static ls_err prof_fields_run(struct prof_fields *f)
{
    LS_TRY(prof_fields_start(f));
    prof_cost_model_init(&f->cost, f->about);
    LS_TRY(prof_cost_model_weights(&f->cost, f->run->bursts.rows, f->run->bursts.len));
    f->loads = PROF_COST_NO_LOADS;
    LS_TRY(prof_each_burst(f, prof_count_burst));
    prof_cost_model_loads(&f->cost, &f->loads);
    prof_cost_nodes_judge(&f->nodes);
    f->cost.nodes = &f->nodes;
    prof_cost_model_walks(&f->cost, &f->walks);
    LS_TRY(prof_make_steps(f));
    LS_TRY(prof_number_fields(f));
    LS_TRY(prof_domains_write(f));
    for (size_t first = 0, end; first < f->plan.fields.len; first = end) {
        f->writes_places = first == 0;
        LS_TRY(prof_fields_pass(f, first, &end));
    }
    return LS_OK;
}

ls_err prof_fields_write(struct prof_run_state *s, const struct prof_run *run, uint32_t slices)
{
    struct prof_fields f = {.run = s, .about = run, .domains = &s->domains, .slices = slices};
    if (s->domains.domains.len == 0) return LS_OK;
    prof_domains_sort(&s->domains);
    const ls_err e = prof_fields_run(&f);
    for (size_t i = 0; f.steps && i < f.plan.domains.len; i++)
        prof_steps_fini(&f.steps[i]);
    for (size_t i = 0; f.gathers && i < f.plan.fields.len; i++)
        ndm_gather_free(f.gathers[i]);
    prof_cost_nodes_fini(&f.nodes);
    prof_cost_walks_fini(&f.walks);
    free(f.steps);
    free(f.gathers);
    free(f.order);
    free(f.is_mapped);
    free(f.numbers);
    free(f.geometries);
    prof_window_fini(&f.window);
    prof_atlas_plan_fini(&f.plan);
    return e;
}
