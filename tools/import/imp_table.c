/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/import/imp_table.h"

#include "common/ls_access.h"
#include "common/ls_index.h"
#include "common/ls_vector.h"
#include "ndm/ndm_gather.h"
#include "run_h5/prof_atlas.h"
#include "run_h5/prof_names.h"
#include "run_h5/prof_tree.h"
#include "run_h5/prof_writer.h"

#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct imp_table {
    prof_names *names;
    prof_tree *tree;
    LS_VECTOR(struct imp_access) accesses;
    LS_VECTOR(struct prof_line) lines;
    LS_VECTOR(struct prof_thread) threads;
    LS_VECTOR(struct prof_process) processes;
    LS_VECTOR(struct prof_phase) phases;
    LS_VECTOR(uint64_t) elements_len; /* by node: highest touched element + 1 */
    struct ls_index line_rows, thread_rows;
    struct ndm_geometry grid;
    uint32_t *field_of_node; /* as imp_write_atlas numbers them; UINT32_MAX: none */
    uint64_t first_ns, last_ns;
};

const struct imp_access imp_access_missing = {.addr = UINT64_MAX,
                                              .element = UINT64_MAX,
                                              .cell = IMP_NOWHERE,
                                              .cpu = UINT32_MAX,
                                              .node = UINT32_MAX,
                                              .line = UINT32_MAX,
                                              .phase = UINT32_MAX,
                                              .latency_cycles = INT32_MIN,
                                              .op = LS_NOT_REPORTED,
                                              .source = LS_NOT_REPORTED,
                                              .snoop = LS_NOT_REPORTED,
                                              .tlb = LS_NOT_REPORTED,
                                              .numa = LS_NOT_REPORTED,
                                              .locked = LS_NOT_REPORTED};

ls_err imp_table_new(imp_table **out)
{
    imp_table *t = calloc(1, sizeof(*t));
    if (t) t->names = prof_names_new();
    if (t && t->names) t->tree = prof_tree_new(t->names);
    if (!t || !t->tree) {
        imp_table_free(t);
        return ls_nomem("the recording");
    }
    t->first_ns = UINT64_MAX;
    *out = t;
    return LS_OK;
}

void imp_table_free(imp_table *t)
{
    if (!t) return;
    free(t->accesses.rows);
    free(t->lines.rows);
    free(t->threads.rows);
    free(t->processes.rows);
    free(t->phases.rows);
    free(t->elements_len.rows);
    free(t->field_of_node);
    ls_index_fini(&t->line_rows);
    ls_index_fini(&t->thread_rows);
    ndm_geometry_fini(&t->grid);
    prof_tree_free(t->tree);
    prof_names_free(t->names);
    free(t);
}

/* --- nodes, lines, threads --- */

ls_err imp_table_node(imp_table *t, const char *label, uint64_t elem_size_bytes, uint32_t *out)
{
    *out = prof_tree_child(t->tree, 0, PROF_NODE_RANGE, prof_name_of(t->names, label));
    if (*out == PROF_NO_NODE) return ls_nomem("the tree");
    struct prof_node *node = prof_tree_node(t->tree, *out);
    node->elem_size_bytes = elem_size_bytes;
    node->dims = 1;
    return LS_OK;
}

ls_err imp_table_home(imp_table *t, const char *label, uint32_t *out)
{
    *out = prof_tree_home(t->tree, PROF_NODE_ANONYMOUS, prof_name_of(t->names, label));
    return *out == PROF_NO_NODE ? ls_nomem("homes") : LS_OK;
}

/* Hash code by its address, or by its names if it has none. */
static uint64_t imp_line_hash(const struct prof_line *l, uint64_t ip)
{
    return ip ? ls_index_key(ip, 0)
              : ls_index_key((uintptr_t)l->file, ls_index_key((uintptr_t)l->function, l->line));
}

ls_err imp_table_line(imp_table *t, const struct imp_code *p, uint32_t *out)
{
    const struct prof_line row = {.process = 0,
                                  .ip = p->ip,
                                  .module = prof_name_of(t->names, p->module),
                                  .function = prof_name_of(t->names, p->function),
                                  .symbol = prof_name_of(t->names, p->function),
                                  .file = prof_name_of(t->names, p->file),
                                  .line = p->line,
                                  .until_ns = UINT64_MAX};
    const uint64_t hash = imp_line_hash(&row, p->ip);
    size_t step = 0;
    while (ls_index_next(&t->line_rows, hash, &step, out)) {
        const struct prof_line *l = &t->lines.rows[*out];
        const int is_same = p->ip ? l->ip == p->ip
                                  : l->line == row.line && l->file == row.file && l->function == row.function;
        if (is_same) return LS_OK;
    }
    LS_TRY(LS_VECTOR_ROOM(&t->lines));
    *out = (uint32_t)t->lines.len;
    LS_TRY(ls_index_put(&t->line_rows, hash, *out));
    t->lines.rows[t->lines.len++] = row;
    if (!p->ip) t->lines.rows[*out].ip = (uint64_t)*out + 1;
    return LS_OK;
}

ls_err imp_table_phase(imp_table *t, const char *name, uint32_t *out)
{
    const char *known = prof_name_of(t->names, name);
    for (size_t i = t->phases.len; i-- > 0;)
        if (t->phases.rows[i].name == known) {
            *out = (uint32_t)i;
            return LS_OK;
        }
    LS_TRY(LS_VECTOR_ROOM(&t->phases));
    *out = (uint32_t)t->phases.len;
    t->phases.rows[t->phases.len++] = (struct prof_phase){.id = *out, .parent = UINT32_MAX, .name = known};
    return LS_OK;
}

ls_err imp_table_grid(imp_table *t, const char *label, const uint64_t extents[NDM_AXES_MAX])
{
    static const char *const axes[NDM_AXES_MAX] = {"x", "y", "z"};
    struct ndm_geometry *g = &t->grid;
    if (g->label)
        return ls_fail(LS_ERR_ARG, "%s: only one grid is possible, and there is %s already", label, g->label);
    *g = (struct ndm_geometry){
        .kind = NDM_GRID, .label = strdup(label), .unit = strdup(""), .dims = NDM_AXES_MAX, .cells_len = 1};
    for (int i = 0; i < NDM_AXES_MAX; i++) {
        g->axes[i] = strdup(axes[i]);
        g->extents[i] = extents[i];
        g->spacing[i] = 1;
        g->cells_len *= extents[i];
    }
    return g->label && g->unit && g->axes[0] && g->axes[1] && g->axes[2] ? LS_OK : ls_nomem("a grid");
}

/* --- accesses --- */

static ls_err imp_process(imp_table *t, uint32_t pid, uint32_t *out)
{
    for (size_t i = 0; i < t->processes.len; i++)
        if (t->processes.rows[i].pid == pid) {
            *out = (uint32_t)i;
            return LS_OK;
        }
    LS_TRY(LS_VECTOR_ROOM(&t->processes));
    *out = (uint32_t)t->processes.len;
    t->processes.rows[t->processes.len++] = (struct prof_process){.pid = pid,
                                                                  .parent = UINT32_MAX,
                                                                  .origin = UINT32_MAX,
                                                                  .ended = UINT32_MAX,
                                                                  .exit_code = UINT32_MAX,
                                                                  .exit_signal = UINT32_MAX,
                                                                  .rank = -1,
                                                                  .rank_from = "",
                                                                  .peak_bytes = UINT64_MAX,
                                                                  .exe = "",
                                                                  .cmdline = "",
                                                                  .engine = "",
                                                                  .trigger = "",
                                                                  .why = "",
                                                                  .begin_ns = UINT64_MAX,
                                                                  PROF_PROCESS_CPU_UNKNOWN};
    return LS_OK;
}

static ls_err imp_thread(imp_table *t, uint32_t pid, uint32_t tid, uint32_t *out)
{
    const uint64_t hash = ls_index_key(pid, tid);
    uint32_t process;
    size_t step = 0;
    while (ls_index_next(&t->thread_rows, hash, &step, out)) {
        const struct prof_thread *known = &t->threads.rows[*out];
        if (known->tid == tid && t->processes.rows[known->process].pid == pid) return LS_OK;
    }
    LS_TRY(imp_process(t, pid, &process));
    LS_TRY(LS_VECTOR_ROOM(&t->threads));
    *out = (uint32_t)t->threads.len;
    LS_TRY(ls_index_put(&t->thread_rows, hash, *out));
    t->threads.rows[t->threads.len++] = (struct prof_thread){
        .process = process, .tid = tid, .name = "", .begin_ns = UINT64_MAX, .cpu_ns = UINT64_MAX};
    return LS_OK;
}

static ls_err imp_note_element(imp_table *t, uint32_t node, uint64_t element)
{
    if (node == UINT32_MAX || element == UINT64_MAX) return LS_OK;
    while (t->elements_len.len <= node) {
        LS_TRY(LS_VECTOR_ADD(&t->elements_len, 0));
    }
    if (t->elements_len.rows[node] <= element) t->elements_len.rows[node] = element + 1;
    return LS_OK;
}

ls_err imp_table_add(imp_table *t, const struct imp_access *access)
{
    uint32_t thread;
    LS_TRY(LS_VECTOR_ROOM(&t->accesses));
    LS_TRY(imp_thread(t, access->pid, access->tid, &thread));
    LS_TRY(imp_note_element(t, access->node, access->element));
    struct imp_access *a = &t->accesses.rows[t->accesses.len++];
    *a = *access;
    a->tid = thread; /* the row from here on */
    if (a->time_ns < t->first_ns) t->first_ns = a->time_ns;
    if (a->time_ns > t->last_ns) t->last_ns = a->time_ns;
    return LS_OK;
}

size_t imp_table_len(const imp_table *t)
{
    return t->accesses.len;
}

/* --- writing --- */

static int imp_by_time(const void *a, const void *b)
{
    const struct imp_access *x = a, *y = b;
    return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

static double imp_clock_hz(const struct imp_about *about)
{
    return about->clock_hz > 0 ? about->clock_hz : 1e9;
}

/* Latencies add up as if they did not overlap, as for hardware samples. */
static double imp_time_ns(const struct imp_access *a, const struct imp_about *about)
{
    if (a->latency_cycles < 0) return 0;
    return (double)a->latency_cycles * (double)(a->events ? a->events : 1) * 1e9 / imp_clock_hz(about);
}

static struct prof_sample imp_sample(const imp_table *t, const struct imp_access *a,
                                     const struct imp_about *about, uint32_t burst)
{
    struct prof_sample s = prof_sample_missing;
    s.time_ns = a->time_ns - t->first_ns;
    s.thread = a->tid;
    s.cpu = a->cpu;
    if (a->line != UINT32_MAX) s.ip = t->lines.rows[a->line].ip;
    s.addr = a->addr;
    s.size = a->size_bytes;
    s.op = a->op;
    s.latency_cycles = a->latency_cycles;
    s.latency_valid = a->latency_cycles != INT32_MIN;
    s.level = ls_source_level(a->source);
    s.tlb = a->tlb;
    s.snoop = a->snoop;
    s.weight_ns = (uint64_t)imp_time_ns(a, about);
    s.node = a->node;
    s.element = a->element;
    if (a->element != UINT64_MAX) s.component = 0;
    s.phase = a->phase;
    s.burst = burst;
    s.position = 0;
    s.numa = a->numa;
    s.locked = a->locked;
    if (a->events) s.events = a->events;
    s.source = a->source;
    if (a->node != UINT32_MAX) s.field = t->field_of_node[a->node];
    if (s.field != UINT32_MAX && a->cell != IMP_NOWHERE) s.value = a->cell;
    return s;
}

static void imp_note_life(imp_table *t, const struct imp_access *a)
{
    const uint64_t time_ns = a->time_ns - t->first_ns;
    struct prof_thread *thread = &t->threads.rows[a->tid];
    struct prof_process *process = &t->processes.rows[thread->process];
    if (thread->begin_ns == UINT64_MAX) thread->begin_ns = time_ns;
    thread->end_ns = time_ns;
    if (process->begin_ns == UINT64_MAX) process->begin_ns = time_ns;
    process->end_ns = time_ns;
}

/* One access, one burst. */
static ls_err imp_write_samples(imp_table *t, const struct imp_about *about, prof_writer *w)
{
    struct prof_burst *bursts = calloc(t->accesses.len, sizeof(*bursts));
    if (!bursts) return ls_nomem("%zu samples", t->accesses.len);
    ls_err err = LS_OK;
    for (size_t i = 0; i < t->accesses.len && err == LS_OK; i++) {
        const struct imp_access *a = &t->accesses.rows[i];
        const struct prof_sample s = imp_sample(t, a, about, (uint32_t)i);
        imp_note_life(t, a);
        bursts[i] = (struct prof_burst){.thread = s.thread,
                                        .cpu = s.cpu,
                                        .time_ns = s.time_ns,
                                        .weight_ns = s.weight_ns,
                                        .data_weight_ns = s.weight_ns,
                                        .ip = s.ip,
                                        .end_why = UINT32_MAX,
                                        .method = UINT32_MAX,
                                        .first_sample = i,
                                        .samples_len = 1,
                                        .frame = UINT32_MAX,
                                        .phase = s.phase};
        err = prof_writer_add(w, &s);
    }
    if (err == LS_OK) err = prof_writer_table(w, PROF_TABLE_bursts, bursts, t->accesses.len);
    free(bursts);
    return err;
}

static int imp_by_ip(const void *a, const void *b)
{
    const struct prof_line *x = a, *y = b;
    return (x->ip > y->ip) - (x->ip < y->ip);
}

static ls_err imp_write_tables(imp_table *t, prof_writer *w)
{
    static const enum prof_table_id others[] = {
        PROF_TABLE_modules,      PROF_TABLE_inlines,       PROF_TABLE_phase_spans,  PROF_TABLE_resident_bytes,
        PROF_TABLE_minor_faults, PROF_TABLE_major_faults,  PROF_TABLE_events,       PROF_TABLE_sources,
        PROF_TABLE_frames,       PROF_TABLE_sites,         PROF_TABLE_types,        PROF_TABLE_members,
        PROF_TABLE_watches,      PROF_TABLE_kernels,       PROF_TABLE_in_places,    PROF_TABLE_counters,
        PROF_TABLE_readings,     PROF_TABLE_device_blocks, PROF_TABLE_device_copies};
    size_t len;
    const struct prof_node *nodes = prof_tree_nodes(t->tree, &len);
    struct prof_node *sized = calloc(len, sizeof(*sized));
    if (!sized) return ls_nomem("the tree");
    memcpy(sized, nodes, len * sizeof(*sized));
    for (size_t i = 0; i < t->elements_len.len; i++)
        sized[i].end =
            t->elements_len.rows[i] * sized[i].elem_size_bytes; /* from 0, because no address is known */
    const ls_err err = prof_writer_table(w, PROF_TABLE_nodes, sized, len);
    free(sized);
    LS_TRY(err);
    qsort(t->lines.rows, t->lines.len, sizeof(*t->lines.rows), imp_by_ip);
    LS_TRY(prof_writer_table(w, PROF_TABLE_lines, t->lines.rows, t->lines.len));
    LS_TRY(prof_writer_table(w, PROF_TABLE_threads, t->threads.rows, t->threads.len));
    LS_TRY(prof_writer_table(w, PROF_TABLE_processes, t->processes.rows, t->processes.len));
    LS_TRY(prof_writer_table(w, PROF_TABLE_phases, t->phases.rows, t->phases.len));
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        LS_TRY(prof_writer_table(w, others[i], NULL, 0));
    return LS_OK;
}

static double imp_named_share(const imp_table *t)
{
    size_t len, named = 0;
    const struct prof_node *nodes = prof_tree_nodes(t->tree, &len);
    for (size_t i = 0; i < t->accesses.len; i++) {
        const uint32_t node = t->accesses.rows[i].node;
        named += node != UINT32_MAX && prof_kind_is_precise(nodes[node].kind);
    }
    return (double)named / (double)t->accesses.len;
}

static ls_err imp_write_run(const imp_table *t, const struct imp_about *about, prof_writer *w)
{
    const double named = imp_named_share(t);
    struct prof_run run = {.schema = PROF_SCHEMA,
                           .command = about->command,
                           .host = about->host,
                           .cpu = about->cpu,
                           .topology = about->topology,
                           .engine = about->tool,
                           .trigger = "",
                           .why = "imported",
                           .version = PACKAGE_VERSION,
                           .start_realtime_ns = UINT64_MAX,
                           .start_mono_ns = t->first_ns,
                           .duration_ns = t->last_ns - t->first_ns,
                           .exit_code = UINT64_MAX,
                           .exit_signal = UINT64_MAX,
                           .tsc_hz = (uint64_t)imp_clock_hz(about),
                           .overhead_asked = NAN,
                           .overhead_achieved = NAN,
                           .throttled = UINT64_MAX,
                           .issue_width = NAN,
                           .line_cycles_all = NAN,
                           .line_cpus = UINT64_MAX,
                           .events_sampled = about->events,
                           .latency_meaning = about->latency_meaning,
                           .coverage_precise = named,
                           .coverage_coarse = 1 - named,
                           PROF_RUN_CPU_UNKNOWN};
    for (int i = 0; i < PROF_LEVEL_COUNT; i++)
        run.level_latency_cycles[i] = run.level_limit_cycles[i] = run.level_line_cycles[i] =
            run.level_bytes[i] = NAN;
    return prof_writer_run(w, &run);
}

/* --- the domain --- */

static struct ndm_touch imp_touch(const struct imp_access *a, const struct imp_about *about)
{
    const uint8_t level = ls_source_level(a->source);
    const double time_ns = imp_time_ns(a, about);
    return (struct ndm_touch){.time_ns = time_ns,
                              .stall_ns = level == PROF_LEVEL_L1 ? 0 : time_ns,
                              .latency_cycles = a->latency_cycles == INT32_MIN ? NAN : a->latency_cycles,
                              .level = level == LS_NOT_REPORTED ? -1 : level};
}

/* Map all accesses of the node (UINT32_MAX: all nodes) to the grid; out is unchanged if none maps. */
static ls_err imp_field(const imp_table *t, const struct imp_about *about, uint32_t node,
                        struct ndm_field *out)
{
    ndm_gather *g;
    LS_TRY(ndm_gather_new(t->grid.cells_len, &g));
    ls_err err = LS_OK;
    for (size_t i = 0; i < t->accesses.len && err == LS_OK; i++) {
        const struct imp_access *a = &t->accesses.rows[i];
        if (node != UINT32_MAX && a->node != node) continue;
        const struct ndm_touch touch = imp_touch(a, about);
        if (a->cell == IMP_NOWHERE)
            ndm_gather_add_outside(g);
        else
            err = ndm_gather_add(g, NDM_GATHER_WHOLE, a->cell, &touch);
    }
    ndm_gather_finish(g);
    if (err == LS_OK && ndm_gather_mapped(g) > 0) err = ndm_gather_field(g, 0, out);
    ndm_gather_free(g);
    return err;
}

static ls_err imp_add_field(const imp_table *t, const struct imp_about *about, uint32_t node,
                            const char *label, struct ndm_atlas *a)
{
    struct ndm_field *f = &a->fields[a->fields_len];
    LS_TRY(imp_field(t, about, node, f));
    if (f->mapped_len == 0) return LS_OK;
    a->fields_len++;
    f->node = node;
    f->label = strdup(label);
    f->name = malloc(strlen(t->grid.label) + strlen(label) + 2);
    if (!f->label || !f->name) return ls_nomem("the field of %s", label);
    strcpy(f->name, t->grid.label);
    if (node != UINT32_MAX) strcat(strcat(f->name, "."), label);
    return LS_OK;
}

static ls_err imp_write_atlas(imp_table *t, const struct imp_about *about, prof_writer *w)
{
    size_t len;
    const struct prof_node *nodes = prof_tree_nodes(t->tree, &len);
    struct ndm_atlas a = {.domains = &t->grid, .domains_len = t->grid.label != NULL};
    if (a.domains_len == 0) return LS_OK;
    a.fields = calloc(len + 1, sizeof(*a.fields));
    if (!a.fields) return ls_nomem("fields");
    ls_err err = imp_add_field(t, about, UINT32_MAX, t->grid.label, &a);
    for (size_t n = 0; n < len && err == LS_OK; n++)
        if (nodes[n].kind == PROF_NODE_RANGE) err = imp_add_field(t, about, nodes[n].id, nodes[n].label, &a);
    if (err == LS_OK) err = prof_atlas_write(w, &a);
    for (uint32_t f = 0; f < a.fields_len; f++)
        ndm_field_fini(&a.fields[f]);
    free(a.fields);
    return err;
}

/* Number the fields: 0 for the grid, then one for each node with a sample in a cell, in order of nodes. */
static ls_err imp_number_fields(imp_table *t)
{
    size_t len;
    uint32_t number = 1;
    const struct prof_node *nodes = prof_tree_nodes(t->tree, &len);
    t->field_of_node = malloc((len + 1) * sizeof(*t->field_of_node));
    if (!t->field_of_node) return ls_nomem("the tree");
    memset(t->field_of_node, UINT8_MAX, (len + 1) * sizeof(*t->field_of_node));
    for (size_t i = 0; i < t->accesses.len; i++)
        if (t->accesses.rows[i].cell != IMP_NOWHERE && t->accesses.rows[i].node != UINT32_MAX)
            t->field_of_node[t->accesses.rows[i].node] = 0;
    for (size_t n = 0; n < len; n++)
        if (t->field_of_node[n] == 0)
            t->field_of_node[n] = nodes[n].kind == PROF_NODE_RANGE ? number++ : UINT32_MAX;
    return LS_OK;
}

ls_err imp_table_write(imp_table *t, const struct imp_about *about)
{
    prof_writer *w;
    if (t->accesses.len == 0) return ls_fail(LS_ERR_FORMAT, "the file holds no sample to import");
    LS_TRY(prof_writer_new(about->output_path, about->force, &w));
    qsort(t->accesses.rows, t->accesses.len, sizeof(*t->accesses.rows), imp_by_time);
    ls_err err = imp_number_fields(t);
    if (err == LS_OK) err = imp_write_samples(t, about, w);
    if (err == LS_OK) err = imp_write_tables(t, w);
    if (err == LS_OK) err = imp_write_atlas(t, about, w);
    if (err == LS_OK) err = imp_write_run(t, about, w);
    if (err == LS_OK) err = prof_writer_finish(w);
    prof_writer_free(w);
    return err;
}
