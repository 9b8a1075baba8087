/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/cli/cli_json.h"
#include "tools/diff/diff_print.h"

#include <math.h>

static const char *const diff_verdict_words[] = {
    [DIFF_SAME] = "not significant",
    [DIFF_MORE] = "more",
    [DIFF_LESS] = "less",
    [DIFF_NEW] = "new",
    [DIFF_GONE] = "gone",
    [DIFF_TOO_FEW] = "too few bursts",
};

static void diff_json_side(const struct diff_view *v, int side, struct cli_json *j)
{
    const struct rep_view *s = &v->sides[side];
    cli_json_open(j, side ? "b" : "a", '{');
    cli_json_text(j, "file", s->options.path);
    cli_json_text(j, "command", s->run->command);
    cli_json_text(j, "engine", s->run->engine);
    cli_json_text(j, "cpu", s->run->cpu);
    cli_json_u64(j, "bursts", an_diff_bursts(v->diff, side));
    cli_json_double(j, "duration_ns", s->run->duration_ns == UINT64_MAX ? NAN : (double)s->run->duration_ns);
    cli_json_double(j, "sampled_ns", s->costs.weight_ns);
    cli_json_double(j, "stall_ns", s->costs.stall_total_ns);
    cli_json_close(j, '}');
}

static void diff_json_change(struct cli_json *j, const char *key, const struct an_change *c)
{
    cli_json_open(j, key, '{');
    cli_json_double(j, "a", c->a);
    cli_json_double(j, "b", c->b);
    cli_json_double(j, "change", c->b - c->a);
    cli_json_double(j, "low", c->low);
    cli_json_double(j, "high", c->high);
    cli_json_bool(j, "significant", an_change_is_significant(c));
    cli_json_close(j, '}');
}

static void diff_json_row(const struct diff_row *r, struct cli_json *j)
{
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "label", r->label);
    cli_json_text(j, "verdict", diff_verdict_words[diff_verdict_of(&r->change)]);
    cli_json_u64(j, "samples_a", r->change.samples[0]);
    cli_json_u64(j, "samples_b", r->change.samples[1]);
    cli_json_u64(j, "bursts_a", r->change.bursts[0]);
    cli_json_u64(j, "bursts_b", r->change.bursts[1]);
    diff_json_change(j, "time_ns", &r->change.time_ns);
    diff_json_change(j, "time_share", &r->change.share);
    diff_json_change(j, "stall_ns", &r->change.stall_ns);
    diff_json_change(j, "latency_median_cycles", &r->change.median_cycles);
    cli_json_close(j, '}');
}

void diff_print_json(const struct diff_view *v, FILE *out)
{
    struct cli_json j = {.out = out};
    char warnings[DIFF_WARNINGS_MAX][DIFF_WARNING_BYTES];
    const size_t warnings_len = diff_warnings(v, warnings);
    cli_json_open(&j, NULL, '{');
    cli_json_u64(&j, "schema", DIFF_JSON_SCHEMA);
    diff_json_side(v, 0, &j);
    diff_json_side(v, 1, &j);
    cli_json_open(&j, "by", '[');
    for (size_t i = 0; i < v->sides[0].by.len; i++)
        cli_json_text(&j, NULL, v->sides[0].by.dimensions[i]->name);
    cli_json_close(&j, ']');
    cli_json_text(&j, "intervals", "of b - a, 95 %, bootstrap over the bursts of each run");
    cli_json_open(&j, "warnings", '[');
    for (size_t i = 0; i < warnings_len; i++)
        cli_json_text(&j, NULL, warnings[i]);
    cli_json_close(&j, ']');
    cli_json_u64(&j, "rows_left_out", v->hidden);
    cli_json_open(&j, "rows", '[');
    for (size_t i = 0; i < v->rows_len; i++)
        diff_json_row(&v->rows[i], &j);
    cli_json_close(&j, ']');
    cli_json_close(&j, '}');
}
