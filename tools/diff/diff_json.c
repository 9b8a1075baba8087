/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/ls_json.h"
#include "tools/diff/diff_print.h"

#include <math.h>

static void diff_json_side(const struct diff_view *v, int side, struct ls_json *j)
{
    const struct rep_view *s = &v->sides[side];
    ls_json_open(j, side ? "b" : "a", '{');
    ls_json_text(j, "file", s->options.path);
    ls_json_text(j, "command", s->run->command);
    ls_json_text(j, "engine", s->run->engine);
    ls_json_text(j, "cpu", s->run->cpu);
    ls_json_u64(j, "bursts", an_diff_bursts(v->diff, side));
    ls_json_double(j, "duration_ns", s->run->duration_ns == UINT64_MAX ? NAN : (double)s->run->duration_ns);
    ls_json_double(j, "sampled_ns", s->costs.weight_ns);
    ls_json_double(j, "stall_ns", an_has_stall(&s->costs) ? s->costs.stall_total_ns : NAN);
    ls_json_close(j, '}');
}

static void diff_json_change(struct ls_json *j, const char *key, const struct an_change *c)
{
    ls_json_open(j, key, '{');
    ls_json_double(j, "a", c->a);
    ls_json_double(j, "b", c->b);
    ls_json_double(j, "change", c->b - c->a);
    ls_json_double(j, "low", c->low);
    ls_json_double(j, "high", c->high);
    ls_json_bool(j, "significant", an_change_is_significant(c));
    ls_json_close(j, '}');
}

static void diff_json_row(const struct diff_row *r, struct ls_json *j)
{
    ls_json_open(j, NULL, '{');
    ls_json_text(j, "label", r->label);
    ls_json_text(j, "verdict", diff_verdict_text(&r->change));
    ls_json_u64(j, "samples_a", r->change.samples[0]);
    ls_json_u64(j, "samples_b", r->change.samples[1]);
    ls_json_u64(j, "bursts_a", r->change.bursts[0]);
    ls_json_u64(j, "bursts_b", r->change.bursts[1]);
    diff_json_change(j, "time_ns", &r->change.time_ns);
    diff_json_change(j, "time_share", &r->change.share);
    diff_json_change(j, "stall_ns", &r->change.stall_ns);
    diff_json_change(j, "latency_median_cycles", &r->change.median_cycles);
    ls_json_close(j, '}');
}

void diff_print_json(const struct diff_view *v, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    char warnings[DIFF_WARNINGS_MAX][DIFF_WARNING_BYTES];
    const size_t warnings_len = diff_warnings(v, warnings);
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", DIFF_JSON_SCHEMA);
    diff_json_side(v, 0, &j);
    diff_json_side(v, 1, &j);
    ls_json_open(&j, "by", '[');
    for (size_t i = 0; i < v->sides[0].by.len; i++)
        ls_json_text(&j, NULL, v->sides[0].by.dimensions[i]->name);
    ls_json_close(&j, ']');
    ls_json_text(&j, "intervals", "of b - a, 95 %, bootstrap over the bursts of each run");
    ls_json_open(&j, "warnings", '[');
    for (size_t i = 0; i < warnings_len; i++)
        ls_json_text(&j, NULL, warnings[i]);
    ls_json_close(&j, ']');
    ls_json_u64(&j, "rows_left_out", v->hidden);
    ls_json_open(&j, "rows", '[');
    for (size_t i = 0; i < v->rows_len; i++)
        diff_json_row(&v->rows[i], &j);
    ls_json_close(&j, ']');
    ls_json_close(&j, '}');
}
