/* SPDX-License-Identifier: BSD-3-Clause */
/* Caliper's json-split, as Hatchet and Thicket read it without Caliper (hatchet/readers/caliper_reader.py): nodes of
 * the column path, a row of values for each of them, and everything else at the top as data of the run. All ranks
 * and threads are summed: rows by rank would make Hatchet store every node of every rank. The spread over ranks is
 * in further columns, which Caliper's aggregation over processes names like this. */
#include "common/ls_json.h"
#include "viz-export/export/vx_stacks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Times of a row. Hatchet renames the first two to "time" and "time (inc)". */
enum vx_caliper_time { CALIPER_OWN, CALIPER_INCLUSIVE, CALIPER_WAITING, CALIPER_TIMES };
static const char *const vx_caliper_times[CALIPER_TIMES] = {
    "sum#time.duration", "inclusive#sum#time.duration", "sum#waiting.duration"};
enum vx_caliper_over { CALIPER_LEAST, CALIPER_MEAN, CALIPER_MOST, CALIPER_OVER };
static const char *const vx_caliper_over[CALIPER_OVER] = {"min", "avg", "max"};

struct vx_caliper_row {
    double sum_ns[CALIPER_TIMES];
    double least_ns[CALIPER_TIMES], mean_ns[CALIPER_TIMES], most_ns[CALIPER_TIMES]; /* of a rank */
    uint64_t bursts;
};

struct vx_caliper {
    const struct vx_stacks *stacks;
    struct vx_caliper_row *rows; /* by stack */
    size_t ranks_len;            /* with bursts; below 2: no columns by rank */
};

static void vx_caliper_column(struct ls_json *j, const char *over, const char *name, size_t *len)
{
    char full[64];
    snprintf(full, sizeof(full), "%s%s%s", over, *over ? "#" : "", name);
    ls_json_text(j, NULL, full);
    ++*len;
}

static void vx_caliper_head(const struct vx_caliper *c, struct ls_json *j)
{
    size_t len = 0;
    ls_json_open(j, "columns", '[');
    vx_caliper_column(j, "", "path", &len);
    for (int t = 0; t < CALIPER_TIMES; t++)
        vx_caliper_column(j, "", vx_caliper_times[t], &len);
    vx_caliper_column(j, "", "bursts", &len);
    for (int o = 0; o < CALIPER_OVER && c->ranks_len > 1; o++)
        for (int t = 0; t < CALIPER_TIMES; t++)
            vx_caliper_column(j, vx_caliper_over[o], vx_caliper_times[t], &len);
    ls_json_close(j, ']');
    ls_json_open(j, "column_metadata", '[');
    for (size_t i = 0; i < len; i++) {
        ls_json_open(j, NULL, '{');
        ls_json_bool(j, "is_value", i > 0);
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
}

static void vx_caliper_nodes(const struct vx_stacks *s, struct ls_json *j)
{
    ls_json_open(j, "nodes", '[');
    for (size_t i = 0; i < s->stacks.len; i++) {
        const struct vx_stack *row = &s->stacks.rows[i];
        ls_json_open(j, NULL, '{');
        ls_json_text(j, "label", s->frames.rows[row->frame].name);
        ls_json_text(j, "column", "path");
        if (row->parent < i) ls_json_u64(j, "parent", row->parent);
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
}

/* The rank of a thread; -1: none. */
static int32_t vx_caliper_rank(const struct an_tables *t, uint32_t thread)
{
    const uint32_t process = an_tables_process(t, thread);
    return process < t->processes_len ? t->processes[process].rank : -1;
}

struct vx_caliper_cost {
    int32_t rank;
    const struct vx_stack_cost *cost;
};

static int vx_caliper_order(const void *a, const void *b)
{
    const struct vx_caliper_cost *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Add the costs of one rank, or of all processes without one, to the rows; times is memory for [stacks][CALIPER_TIMES]. */
static void vx_caliper_add_rank(struct vx_caliper *c, const struct vx_caliper_cost *costs, size_t len,
                                double (*times)[CALIPER_TIMES])
{
    const size_t stacks_len = c->stacks->stacks.len;
    memset(times, 0, stacks_len * sizeof(*times));
    for (size_t i = 0; i < len; i++) {
        const struct vx_stack_cost *cost = costs[i].cost;
        times[cost->stack][CALIPER_OWN] += cost->cpu_ns;
        times[cost->stack][CALIPER_INCLUSIVE] += cost->cpu_ns;
        times[cost->stack][CALIPER_WAITING] += cost->wait_ns;
        c->rows[cost->stack].bursts += cost->bursts;
    }
    for (size_t i = stacks_len; i-- > 0;) {
        const uint32_t parent = c->stacks->stacks.rows[i].parent;
        if (parent < i) times[parent][CALIPER_INCLUSIVE] += times[i][CALIPER_INCLUSIVE];
    }
    for (size_t i = 0; i < stacks_len; i++) {
        for (int t = 0; t < CALIPER_TIMES; t++) {
            struct vx_caliper_row *row = &c->rows[i];
            row->sum_ns[t] += times[i][t];
            if (costs[0].rank < 0) continue;
            row->least_ns[t] = c->ranks_len > 0 ? fmin(row->least_ns[t], times[i][t]) : times[i][t];
            row->mean_ns[t] += (times[i][t] - row->mean_ns[t]) / (double)(c->ranks_len + 1);
            row->most_ns[t] = fmax(row->most_ns[t], times[i][t]);
        }
    }
    c->ranks_len += costs[0].rank >= 0;
}

/* Sum the costs up; free(out->rows). Errors: LS_ERR_NOMEM. */
static ls_err vx_caliper_sum(const struct vx_source *from, const struct vx_stacks *s, struct vx_caliper *out)
{
    const size_t len = s->costs.len;
    struct vx_caliper_cost *costs = malloc((len + 1) * sizeof(*costs));
    double(*times)[CALIPER_TIMES] = malloc((s->stacks.len + 1) * sizeof(*times));
    *out = (struct vx_caliper){.stacks = s, .rows = calloc(s->stacks.len + 1, sizeof(*out->rows))};
    const bool is_complete = costs && times && out->rows;
    for (size_t i = 0; i < len && is_complete; i++)
        costs[i] = (struct vx_caliper_cost){.rank = vx_caliper_rank(from->tables, s->costs.rows[i].thread),
                                            .cost = &s->costs.rows[i]};
    if (is_complete && len > 0) qsort(costs, len, sizeof(*costs), vx_caliper_order);
    for (size_t i = 0, end; i < len && is_complete; i = end) {
        for (end = i; end < len && costs[end].rank == costs[i].rank; end++)
            continue;
        vx_caliper_add_rank(out, &costs[i], end - i, times);
    }
    if (from->in->is_of_job) out->ranks_len = 0; /* most ranks have no samples in the file */
    free(costs);
    free(times);
    return is_complete ? LS_OK : ls_nomem("%zu stacks", s->stacks.len);
}

/* Write a row for each node, in seconds. */
static void vx_caliper_data(const struct vx_caliper *c, struct ls_json *j)
{
    ls_json_open(j, "data", '[');
    for (size_t i = 0; i < c->stacks->stacks.len; i++) {
        const struct vx_caliper_row *row = &c->rows[i];
        ls_json_open(j, NULL, '[');
        ls_json_u64(j, NULL, i);
        for (int t = 0; t < CALIPER_TIMES; t++)
            ls_json_double(j, NULL, row->sum_ns[t] / 1e9);
        ls_json_u64(j, NULL, row->bursts);
        for (int o = 0; o < CALIPER_OVER && c->ranks_len > 1; o++) {
            const double *times = o == CALIPER_LEAST  ? row->least_ns
                                  : o == CALIPER_MEAN ? row->mean_ns
                                                      : row->most_ns;
            for (int t = 0; t < CALIPER_TIMES; t++)
                ls_json_double(j, NULL, times[t] / 1e9);
        }
        ls_json_close(j, ']');
    }
    ls_json_close(j, ']');
}

/* Write the attributes of the run under the names of Adiak. */
static void vx_caliper_run(const struct vx_source *s, struct ls_json *j)
{
    const struct prof_run *r = s->run;
    char program[VX_PATH_BYTES];
    const char *words = vx_command_words(r->command);
    snprintf(program, sizeof(program), "%.*s", (int)strcspn(words, " "), words);
    ls_json_text(j, "executable", program);
    ls_json_text(j, "cmdline", r->command);
    ls_json_text(j, "cluster", r->host);
    if (r->start_realtime_ns != UINT64_MAX) ls_json_u64(j, "launchdate", r->start_realtime_ns / 1000000000u);
    if (r->duration_ns != UINT64_MAX) ls_json_double(j, "walltime", (double)r->duration_ns / 1e9);
    ls_json_text(j, "loadstone.version", r->version);
    ls_json_text(j, "loadstone.engine", r->engine);
    ls_json_text(j, "loadstone.cpu", r->cpu);
    ls_json_text(j, "loadstone.file", s->path);
}

static void vx_caliper_print(const struct vx_caliper *c, const struct vx_source *from, FILE *out)
{
    struct ls_json j = {.out = out};
    ls_json_open(&j, NULL, '{');
    vx_caliper_head(c, &j);
    vx_caliper_nodes(c->stacks, &j);
    vx_caliper_data(c, &j);
    vx_caliper_run(from, &j);
    if (c->ranks_len > 1) ls_json_u64(&j, "mpi.world.size", c->ranks_len);
    ls_json_close(&j, '}');
    fputc('\n', out);
}

static ls_err vx_caliper_export(const struct vx_source *s, const struct vx_request *r, ls_outputs *files)
{
    struct vx_stacks stacks;
    struct vx_caliper sums = {0};
    FILE *out;
    ls_err err = vx_stacks_init(&stacks, s);
    if (err == LS_OK) err = vx_caliper_sum(s, &stacks, &sums);
    if (err == LS_OK) err = ls_outputs_open(files, r->path, &out);
    if (err == LS_OK) vx_caliper_print(&sums, s, out);
    free(sums.rows);
    vx_stacks_fini(&stacks);
    return err;
}

const struct vx_exporter vx_exporter_caliper = {
    .name = "caliper",
    .ends = ".caliper.json",
    .words = "call tree: CPU time, waiting by data, as json-split of Caliper (Hatchet, Thicket)",
    .needs = VX_NEEDS_TREE,
    .one_file = true,
    .write = vx_caliper_export};
