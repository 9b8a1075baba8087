/* SPDX-License-Identifier: BSD-3-Clause */
/* report --json: the rows of a view and the head of the report. */
#include "analyse/an_traffic.h"
#include "run_h5/prof_tables.h"
#include "tools/report/rep_print.h"
#include "common/ls_json.h"

#include <math.h>
#include <string.h>

static double rep_or_missing(uint64_t n)
{
    return n == UINT64_MAX ? NAN : (double)n;
}

static void rep_json_run(const struct rep_view *v, struct ls_json *j)
{
    const struct prof_run *r = v->run;
    ls_json_open(j, "run", '{');
    ls_json_text(j, "command", r->command);
    ls_json_text(j, "host", r->host);
    ls_json_text(j, "cpu", r->cpu);
    ls_json_text(j, "engine", r->engine);
    ls_json_text(j, "trigger", r->trigger);
    ls_json_text(j, "why", r->why);
    ls_json_double(j, "duration_ns", rep_or_missing(r->duration_ns));
    ls_json_double(j, "exit_code", rep_or_missing(r->exit_code));
    ls_json_double(j, "exit_signal", rep_or_missing(r->exit_signal));
    ls_json_double(j, "overhead_asked", r->overhead_asked);
    ls_json_double(j, "overhead_achieved", r->overhead_achieved);
    ls_json_double(j, "lost_records", rep_or_missing(r->lost_records));
    ls_json_double(j, "dropped_bytes", rep_or_missing(r->dropped_bytes));
    ls_json_double(j, "throttled", rep_or_missing(r->throttled));
    ls_json_double(j, "coverage_precise", r->coverage_precise);
    ls_json_double(j, "coverage_coarse", r->coverage_coarse);
    ls_json_double(j, "issue_width", v->in.calibration.issue_width);
    ls_json_double(j, "l1_latency_cycles", v->in.calibration.l1_cycles);
    ls_json_open(j, "level_limit_cycles", '{');
    for (int l = 0; l < PROF_LEVEL_COUNT; l++)
        ls_json_double(j, prof_level_names[l], r->level_limit_cycles[l]);
    ls_json_close(j, '}');
    ls_json_bool(j, "l1_stands_for_l2", prof_level_l1_is_l2(r));
    ls_json_close(j, '}');
}

static void rep_json_estimates(const struct rep_view *v, struct ls_json *j)
{
    char few[256];
    ls_json_open(j, "estimates", '{');
    ls_json_u64(j, "bursts", v->costs.bursts);
    ls_json_u64(j, "bursts_with_accesses", v->costs.attributed_bursts);
    ls_json_u64(j, "bursts_with_latencies", an_bootstrap_bursts(v->bootstrap, AN_STALL));
    ls_json_u64(j, "samples", v->costs.accesses);
    ls_json_double(j, "sampled_ns", v->costs.weight_ns);
    ls_json_double(j, "attributed_ns", v->costs.attributed_ns);
    ls_json_double(j, "stall_ns", an_has_stall(&v->costs) ? v->costs.stall_total_ns : NAN);
    ls_json_double(j, "stall_most_ns", an_has_stall(&v->costs) ? v->costs.stall_most_ns : NAN);
    ls_json_text(j, "stall_is", an_has_pace(&v->costs) ? "estimated" : "inferred, at most so much");
    ls_json_text(j, "levels_are", "inferred from latency");
    ls_json_text(j, "intervals", an_bootstrap_method(v->bootstrap));
    ls_json_text(j, "too_few_bursts", rep_explain_too_few(v, few, sizeof(few)) ? few : "");
    ls_json_close(j, '}');
}

/* Memory traffic by data, as bursts estimate it. */
static void rep_json_traffic(const struct rep_view *v, struct ls_json *j)
{
    struct an_traffic t;
    if (!v->costs.moved_bytes || an_traffic_init(&t, &v->in, &v->costs, v->bootstrap,
                                                 v->groups.group_of_sample, v->groups.groups_len) != LS_OK)
        return;
    ls_json_open(j, "traffic", '{');
    ls_json_double(j, "last_level_bytes", v->costs.model.last_level_bytes);
    ls_json_double(j, "bytes", t.bytes);
    ls_json_double(j, "bytes_low", t.low);
    ls_json_double(j, "bytes_high", t.high);
    ls_json_open(j, "rows", '[');
    for (size_t i = 0; i < t.rows_len; i++) {
        char label[REP_SHORT_BYTES];
        ls_json_open(j, NULL, '{');
        ls_json_text(j, "label", rep_short_label(v, t.rows[i].group, label));
        ls_json_double(j, "share", t.rows[i].part.share);
        ls_json_double(j, "share_low", t.rows[i].part.low);
        ls_json_double(j, "share_high", t.rows[i].part.high);
        ls_json_u64(j, "bursts", t.rows[i].bursts);
        ls_json_bool(j, "rough", t.rows[i].is_rough);
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
    ls_json_close(j, '}');
}

/* The accounting identity. */
static void rep_json_cpu(const struct prof_run *r, struct ls_json *j)
{
    ls_json_open(j, "cpu", '{');
    ls_json_double(j, "total_ns", rep_or_missing(r->cpu_ns));
    ls_json_double(j, "user_ns", rep_or_missing(r->user_ns));
    ls_json_double(j, "kernel_ns", rep_or_missing(r->kernel_ns));
    ls_json_double(j, "kernel_error_ns", rep_or_missing(r->kernel_error_ns));
    ls_json_double(j, "recording_ns", rep_or_missing(r->recording_ns));
    ls_json_double(j, "represented_ns", rep_or_missing(r->represented_ns));
    ls_json_double(j, "unrepresented_ns", rep_or_missing(r->unrepresented_ns));
    ls_json_text(j, "unrepresented_why", r->unrepresented_why);
    ls_json_double(j, "weights_found", r->weights_found);
    ls_json_close(j, '}');
}

static void rep_json_in_place(const struct rep_view *v, struct ls_json *j)
{
    size_t len;
    const struct prof_in_place *rows = prof_in_places(v->profile, &len);
    ls_json_open(j, "in_place", '{');
    ls_json_double(j, "instructions_stepped", rep_or_missing(v->run->instructions_stepped));
    ls_json_double(j, "instructions_in_place", rep_or_missing(v->run->instructions_in_place));
    ls_json_open(j, "rows", '[');
    for (size_t i = 0; i < len; i++) {
        ls_json_open(j, NULL, '{');
        ls_json_u64(j, "process", rows[i].process);
        ls_json_text(j, "instruction", rows[i].instruction);
        ls_json_u64(j, "count", rows[i].count);
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
    ls_json_close(j, '}');
}

static void rep_json_share(struct ls_json *j, const char *key, const struct an_interval *i)
{
    ls_json_open(j, key, '{');
    ls_json_double(j, "share", i->share);
    ls_json_double(j, "low", i->low);
    ls_json_double(j, "high", i->high);
    ls_json_close(j, '}');
}

void rep_json_numbers(const struct an_row *r, const struct an_interval *time, const struct an_interval *stall,
                      struct ls_json *j)
{
    ls_json_u64(j, "samples", r->samples);
    ls_json_u64(j, "loads", r->loads);
    ls_json_u64(j, "stores", r->stores);
    ls_json_u64(j, "measured", r->measured);
    ls_json_u64(j, "bursts", r->bursts);
    ls_json_double(j, "time_ns", r->time_ns);
    ls_json_double(j, "stall_ns", isnan(stall->share) ? NAN : r->stall_ns);
    rep_json_share(j, "time", time);
    rep_json_share(j, "stall", stall);
    ls_json_double(j, "latency_mean_cycles", r->measured ? r->latency_sum_cycles / (double)r->measured : NAN);
    ls_json_double(j, "latency_median_cycles", r->median_cycles);
    ls_json_double(j, "latency_p95_cycles", r->p95_cycles);
    ls_json_open(j, "levels", '{');
    for (int l = 0; l < PROF_LEVEL_COUNT; l++)
        ls_json_u64(j, prof_level_names[l], r->levels[l]);
    ls_json_u64(j, "unknown", r->level_unknown);
    ls_json_close(j, '}');
}

static void rep_json_node(const struct rep_view *v, uint32_t group, struct ls_json *j)
{
    const uint32_t node = rep_node_of(v, group), parent = v->groups.parents[group];
    const struct prof_node *n = node == UINT32_MAX ? NULL : &v->tables.nodes[node];
    ls_json_double(j, "id", n ? (double)n->id : NAN);
    ls_json_double(j, "parent", parent == AN_NO_GROUP ? NAN : (double)rep_node_of(v, parent));
    ls_json_text(j, "kind", n && n->kind < PROF_NODE_KIND_COUNT ? prof_kind_names[n->kind] : "none");
    ls_json_u64(j, "self_samples", an_table_self(v->table, group)->samples);
}

/* Write the row's key in each dimension down to its depth. */
static void rep_json_keys(const struct rep_view *v, uint32_t group, struct ls_json *j)
{
    char path[AN_LABEL_BYTES];
    ls_json_open(j, "keys", '{');
    for (uint32_t d = 0; d <= v->groups.groups[group].depth; d++)
        ls_json_text(j, v->by.dimensions[d]->name,
                     an_combination_path(&v->groups, &v->tables, group, d, path));
    ls_json_close(j, '}');
}

static void rep_json_row(const struct rep_view *v, const struct rep_row *row, struct ls_json *j)
{
    const struct an_row *r = an_table_total(v->table, row->group);
    ls_json_open(j, NULL, '{');
    ls_json_text(j, "label", rep_label(v, row->group));
    if (rep_is_by_node(v) || rep_node_of(v, row->group) != UINT32_MAX) rep_json_node(v, row->group, j);
    if (!rep_is_by_node(v)) rep_json_keys(v, row->group, j);
    ls_json_u64(j, "depth", row->depth);
    rep_json_numbers(r, &row->time, &row->stall, j);
    ls_json_close(j, '}');
}

ls_err rep_print_json(const struct rep_view *v, const struct rep_row *rows, size_t len, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", REP_JSON_SCHEMA);
    ls_json_text(&j, "file", v->options.path);
    rep_json_run(v, &j);
    rep_json_cpu(v->run, &j);
    rep_json_estimates(v, &j);
    rep_json_traffic(v, &j);
    ls_json_u64(&j, "loads", v->costs.loads.loads);
    ls_json_u64(&j, "loads_timed", v->costs.loads.timed);
    rep_json_in_place(v, &j);
    ls_json_open(&j, "rows", '[');
    for (size_t i = 0; i < len; i++)
        if (!rows[i].hidden) rep_json_row(v, &rows[i], &j);
    ls_json_close(&j, ']');
    const ls_err err = rep_json_kernel(v, &j);
    ls_json_close(&j, '}');
    return err;
}
