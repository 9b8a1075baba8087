/* SPDX-License-Identifier: BSD-3-Clause */
/* Results as JSON, schema 1: one object, printed when all is measured. */
#include "patterns/pat_describe.h"
#include "tools/cli/cli_json.h"
#include "tools/replay/knr_counts.h"
#include "tools/replay/rpl_session.h"

#include "config.h"

enum { RPL_SCHEMA = 1 };

static void json_begin(const struct rpl_session *s, FILE *out)
{
    (void)s, (void)out;
}

static void json_row(const struct rpl_session *s, size_t i, FILE *out)
{
    (void)s, (void)i, (void)out;
}

static void json_indices(struct cli_json *j, const char *key, const struct pat_indices *p)
{
    if (p->len == 0) return;
    cli_json_open(j, key, '[');
    for (size_t i = 0; i < p->len; i++)
        cli_json_i64(j, NULL, p->data[i]);
    cli_json_close(j, ']');
}

/* With the keys of pattern files, so that a configuration can be run again from its result. */
static void json_config(struct cli_json *j, const struct pat_config *c)
{
    cli_json_open(j, "configuration", '{');
    cli_json_text(j, "name", c->name);
    cli_json_text(j, "kernel", pat_kernel_name(c->kernel));
    json_indices(j, "pattern", &c->pattern);
    json_indices(j, "pattern-gather", &c->gather);
    json_indices(j, "pattern-scatter", &c->scatter);
    if (c->deltas.len)
        json_indices(j, "delta", &c->deltas);
    else
        cli_json_i64(j, "delta", c->delta);
    cli_json_i64(j, "delta-gather", c->delta_gather);
    cli_json_i64(j, "delta-scatter", c->delta_scatter);
    cli_json_u64(j, "count", c->count);
    cli_json_u64(j, "wrap", c->wrap);
    cli_json_u64(j, "nruns", c->runs);
    cli_json_u64(j, "seed", c->seed);
    cli_json_close(j, '}');
}

static void json_times(struct cli_json *j, const struct kn_result *r)
{
    cli_json_open(j, "seconds", '{');
    cli_json_double(j, "min", r->seconds.min);
    cli_json_double(j, "quartile1", r->seconds.quartile1);
    cli_json_double(j, "median", r->seconds.median);
    cli_json_double(j, "quartile3", r->seconds.quartile3);
    cli_json_double(j, "max", r->seconds.max);
    cli_json_double(j, "mean", r->seconds.mean);
    cli_json_double(j, "deviation", r->seconds.deviation);
    cli_json_open(j, "runs", '[');
    for (size_t k = 0; r->run_seconds && k < r->seconds.len; k++)
        cli_json_double(j, NULL, r->run_seconds[k]);
    cli_json_close(j, ']');
    cli_json_close(j, '}');
}

static void json_result(struct cli_json *j, const struct rpl_session *s, size_t i)
{
    const struct kn_result *r = &s->results[i];
    char shape[PAT_TEXT_BYTES];
    cli_json_open(j, NULL, '{');
    cli_json_u64(j, "config", i);
    json_config(j, &s->suite.rows[i]);
    cli_json_text(j, "shape", pat_describe(&s->suite.rows[i], shape));
    cli_json_text(j, "backend", r->backend);
    cli_json_text(j, "variant", r->variant);
    cli_json_u64(j, "threads", r->threads);
    cli_json_u64(j, "index_bits", r->index_bits);
    cli_json_u64(j, "element_bytes", r->element_bytes);
    cli_json_u64(j, "bytes", r->bytes);
    cli_json_u64(j, "bytes_with_indices", r->bytes_with_indices);
    cli_json_u64(j, "memory_bytes", r->memory_bytes);
    cli_json_u64(j, "huge_bytes", r->huge_bytes);
    cli_json_u64(j, "warmups", r->warmups);
    cli_json_bool(j, "steady", r->steady);
    json_times(j, r);
    cli_json_double(j, "mb_per_s", r->mb_per_s);
    cli_json_double(j, "mb_per_s_hmean", r->mb_per_s_hmean);
    cli_json_double(j, "mb_per_s_hstderr", r->mb_per_s_hstderr);
    cli_json_double(j, "stream_share", r->stream_share);
    cli_json_bool(j, "valid", r->valid);
    cli_json_double(j, "worst_error", r->worst_error);
    knr_counts_json(j, r);
    if (!r->valid) cli_json_text(j, "invalid", r->invalid);
    cli_json_text(j, "advice", r->advice);
    cli_json_close(j, '}');
}

static void json_summary(struct cli_json *j, const struct rpl_summary *m)
{
    cli_json_open(j, "summary", '{');
    cli_json_u64(j, "configurations", m->len);
    cli_json_double(j, "mb_per_s_min", m->min);
    cli_json_double(j, "mb_per_s_hmean", m->hmean);
    cli_json_double(j, "mb_per_s_hstderr", m->hstderr);
    cli_json_double(j, "mb_per_s_max", m->max);
    cli_json_u64(j, "invalid", m->invalid);
    cli_json_close(j, '}');
}

static void json_end(const struct rpl_session *s, FILE *out)
{
    struct cli_json j = {.out = out};
    cli_json_open(&j, NULL, '{');
    cli_json_u64(&j, "schema", RPL_SCHEMA);
    cli_json_text(&j, "version", PACKAGE_VERSION);
    cli_json_open(&j, "machine", '{');
    cli_json_text(&j, "host", s->machine.host);
    cli_json_text(&j, "cpu", s->machine.cpu);
    cli_json_text(&j, "topology", s->machine.summary);
    cli_json_double(&j, "stream_triad_mb_per_s", s->stream_mb_per_s);
    cli_json_close(&j, '}');
    cli_json_open(&j, "results", '[');
    for (size_t i = 0; i < s->done; i++)
        json_result(&j, s, i);
    cli_json_close(&j, ']');
    json_summary(&j, &s->summary);
    cli_json_close(&j, '}');
}

const struct rpl_format rpl_format_json = {
    .name = "json", .shows_stream = true, .begin = json_begin, .row = json_row, .end = json_end};
