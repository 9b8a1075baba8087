/* SPDX-License-Identifier: BSD-3-Clause */
/* Results as JSON, schema 1: one object, printed when all is measured. */
#include "common/ls_json.h"
#include "tools/replay/rpl_kernel.h"
#include "tools/replay/rpl_ranks.h"
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

static void json_indices(struct ls_json *j, const char *key, const struct pat_indices *p)
{
    if (p->len == 0) return;
    ls_json_open(j, key, '[');
    for (size_t i = 0; i < p->len; i++)
        ls_json_i64(j, NULL, p->data[i]);
    ls_json_close(j, ']');
}

/* Write a delta, or the list of them that are used in turn. */
static void json_delta(struct ls_json *j, const char *key, int64_t delta, const struct pat_indices *deltas)
{
    if (deltas->len)
        json_indices(j, key, deltas);
    else
        ls_json_i64(j, key, delta);
}

/* Write the rows, unless --max-count left fewer accesses than they hold: a pattern file with such rows is refused. */
static void json_rows(struct ls_json *j, const struct pat_config *c)
{
    if (!pat_rows_hold_all(c)) return;
    json_indices(j, "row-lengths", &c->row_lengths);
    if (c->rows_wait) ls_json_u64(j, "rows-wait", c->rows_wait);
}

/* Write the keys of pattern files, so that a configuration can be run again from its result. */
static void json_config(struct ls_json *j, const char *key, const struct pat_config *c)
{
    ls_json_open(j, key, '{');
    ls_json_text(j, "name", c->name);
    ls_json_text(j, "kernel", pat_kernel_name(c->kernel));
    ls_json_text(j, "operation", pat_operation_name(c->operation));
    json_indices(j, "pattern", &c->pattern);
    json_indices(j, "pattern-gather", &c->gather);
    json_indices(j, "pattern-scatter", &c->scatter);
    json_delta(j, "delta", c->delta, &c->deltas);
    json_delta(j, "delta-gather", c->delta_gather, &c->deltas_gather);
    json_delta(j, "delta-scatter", c->delta_scatter, &c->deltas_scatter);
    if (c->array) {
        ls_json_text(j, "array", c->array);
        ls_json_u64(j, "first", c->first);
    }
    if (c->index_bits) ls_json_u64(j, "index-bits", c->index_bits);
    if (c->element_bytes) ls_json_u64(j, "element-bytes", c->element_bytes);
    if (c->object_bytes) ls_json_u64(j, "object-bytes", c->object_bytes);
    if (c->threads) ls_json_u64(j, "threads", c->threads);
    json_indices(j, "thread-first", &c->thread_firsts);
    if (c->accesses) ls_json_u64(j, "accesses", c->accesses);
    ls_json_u64(j, "count", c->count);
    ls_json_u64(j, "wrap", c->wrap);
    json_rows(j, c);
    ls_json_u64(j, "nruns", c->runs);
    ls_json_u64(j, "seed", c->seed);
    ls_json_close(j, '}');
}

/* Write one configuration, or all that took turns. */
static void json_configs(struct ls_json *j, const struct rpl_session *s, size_t i)
{
    if (!s->settings.together) {
        json_config(j, "configuration", &s->suite.rows[i]);
        return;
    }
    ls_json_open(j, "configurations", '[');
    for (size_t k = 0; k < s->suite.len; k++)
        json_config(j, NULL, &s->suite.rows[k]);
    ls_json_close(j, ']');
}

static void json_times(struct ls_json *j, const struct kn_result *r)
{
    ls_json_open(j, "seconds", '{');
    ls_json_double(j, "min", r->seconds.min);
    ls_json_double(j, "quartile1", r->seconds.quartile1);
    ls_json_double(j, "median", r->seconds.median);
    ls_json_double(j, "quartile3", r->seconds.quartile3);
    ls_json_double(j, "max", r->seconds.max);
    ls_json_double(j, "mean", r->seconds.mean);
    ls_json_double(j, "deviation", r->seconds.deviation);
    ls_json_open(j, "runs", '[');
    for (size_t k = 0; r->run_seconds && k < r->seconds.len; k++)
        ls_json_double(j, NULL, r->run_seconds[k]);
    ls_json_close(j, ']');
    ls_json_close(j, '}');
}

static void json_result(struct ls_json *j, const struct rpl_session *s, size_t i)
{
    const struct kn_result *r = &s->results[i];
    struct rpl_row row;
    rpl_row_of(s, i, &row);
    ls_json_open(j, NULL, '{');
    ls_json_u64(j, "config", i);
    json_configs(j, s, i);
    ls_json_text(j, "shape", row.pattern);
    ls_json_text(j, "backend", r->backend);
    ls_json_text(j, "variant", r->variant);
    ls_json_bool(j, "variant_remembered", r->remembered);
    ls_json_u64(j, "threads", r->threads);
    ls_json_u64(j, "index_bits", r->index_bits);
    ls_json_u64(j, "element_bytes", r->element_bytes);
    ls_json_u64(j, "bytes", r->bytes);
    ls_json_u64(j, "bytes_with_indices", r->bytes_with_indices);
    ls_json_u64(j, "memory_bytes", r->memory_bytes);
    ls_json_u64(j, "huge_bytes", r->huge_bytes);
    ls_json_u64(j, "warmups", r->warmups);
    ls_json_bool(j, "steady", r->steady);
    ls_json_u64(j, "repeats", r->repeats);
    ls_json_u64(j, "interrupted", r->interrupted);
    ls_json_u64(j, "interrupted_and_repeated", r->repeated);
    json_times(j, r);
    ls_json_double(j, "cpu_seconds_min", r->cpu_seconds_min);
    ls_json_double(j, "mb_per_s", r->mb_per_s);
    ls_json_double(j, "mb_per_s_hmean", r->mb_per_s_hmean);
    ls_json_double(j, "mb_per_s_hstderr", r->mb_per_s_hstderr);
    ls_json_double(j, "mb_per_s_regular", r->mb_per_s_regular);
    ls_json_double(j, "stream_share", r->stream_share);
    ls_json_double(j, "stream_share_regular", r->mb_per_s_regular / s->stream_regular_mb_per_s);
    ls_json_bool(j, "valid", r->valid);
    ls_json_double(j, "worst_error", r->worst_error);
    rpl_counts_json(j, r);
    if (!r->valid) ls_json_text(j, "invalid", r->invalid);
    ls_json_text(j, "advice", r->advice);
    rpl_ranks_json(j, r);
    ls_json_close(j, '}');
}

static void json_summary(struct ls_json *j, const struct rpl_summary *m)
{
    ls_json_open(j, "summary", '{');
    ls_json_u64(j, "configurations", m->len);
    ls_json_double(j, "mb_per_s_min", m->min);
    ls_json_double(j, "mb_per_s_hmean", m->hmean);
    ls_json_double(j, "mb_per_s_hstderr", m->hstderr);
    ls_json_double(j, "mb_per_s_max", m->max);
    ls_json_double(j, "mb_per_s_weighted", m->weighted);
    ls_json_text(j, "weighted_by", m->is_of_program ? "program" : "run");
    ls_json_u64(j, "invalid", m->invalid);
    ls_json_close(j, '}');
}

static void json_end(const struct rpl_session *s, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", RPL_SCHEMA);
    ls_json_text(&j, "version", PACKAGE_VERSION);
    ls_json_open(&j, "machine", '{');
    ls_json_text(&j, "host", s->machine.host);
    ls_json_text(&j, "cpu", s->machine.cpu);
    ls_json_text(&j, "topology", s->machine.summary);
    ls_json_double(&j, "stream_triad_mb_per_s", s->stream_mb_per_s);
    ls_json_double(&j, "stream_triad_regular_mb_per_s", s->stream_regular_mb_per_s);
    ls_json_close(&j, '}');
    ls_json_open(&j, "results", '[');
    for (size_t i = 0; i < s->done; i++)
        json_result(&j, s, i);
    ls_json_close(&j, ']');
    json_summary(&j, &s->summary);
    ls_json_close(&j, '}');
}

const struct rpl_format rpl_format_json = {
    .name = "json", .shows_stream = true, .begin = json_begin, .row = json_row, .end = json_end};
