/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/cli/cli_json.h"
#include "tools/patterns/ptn_print.h"

enum { PTN_JSON_INDICES = 64 };

static void ptn_json_list(struct cli_json *j, const char *key, const struct pat_indices *p, size_t len_max)
{
    cli_json_open(j, key, '[');
    for (size_t i = 0; i < p->len && i < len_max; i++)
        cli_json_i64(j, NULL, p->data[i]);
    cli_json_close(j, ']');
}

static void ptn_json_config(struct cli_json *j, const struct pat_config *c)
{
    cli_json_open(j, "configuration", '{');
    cli_json_text(j, "kernel", pat_kernel_name(c->kernel));
    cli_json_u64(j, "indices", c->pattern.len);
    ptn_json_list(j, "first_indices", &c->pattern, PTN_JSON_INDICES);
    if (c->deltas.len)
        ptn_json_list(j, "deltas", &c->deltas, SIZE_MAX);
    else
        cli_json_i64(j, "delta", c->delta);
    cli_json_u64(j, "count", c->count);
    cli_json_close(j, '}');
}

static void ptn_json_measures(struct cli_json *j, const struct pat_measures *m)
{
    size_t bins = PAT_REUSE_BINS;
    while (bins > 0 && m->reuse[bins - 1] == 0)
        bins--;
    cli_json_open(j, "measures", '{');
    cli_json_double(j, "spatial", m->spatial);
    cli_json_double(j, "temporal", m->temporal);
    cli_json_double(j, "delta_entropy_bits", m->delta_entropy_bits);
    cli_json_double(j, "line_utilisation", m->line_utilisation);
    cli_json_double(j, "page_utilisation", m->page_utilisation);
    cli_json_u64(j, "footprint_bytes", m->footprint_bytes);
    cli_json_open(j, "reuse_lines_log2", '[');
    for (size_t i = 0; i < bins; i++)
        cli_json_u64(j, NULL, m->reuse[i]);
    cli_json_close(j, ']');
    cli_json_u64(j, "reuse_cold", m->cold);
    cli_json_bool(j, "reuse_is_sampled", m->reuse_is_sampled);
    cli_json_close(j, '}');
}

static void ptn_json_code(struct cli_json *j, const struct pat_found *r)
{
    cli_json_u64(j, "ip", r->ip);
    cli_json_text(j, "module", r->module);
    cli_json_text(j, "function", r->function);
    cli_json_text(j, "file", r->file);
    cli_json_u64(j, "line", r->line);
    cli_json_text(j, "thread", r->thread);
    cli_json_u64(j, "threads", r->threads);
}

static void ptn_json_row(struct cli_json *j, const struct pat_found *r)
{
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", r->config.name);
    cli_json_text(j, "op", r->op == PAT_OP_LOAD ? "load" : "store");
    cli_json_text(j, "class", pat_class_name(r->class));
    if (r->class == PAT_CLASS_UNIFORM) cli_json_i64(j, "stride", r->stride);
    cli_json_text(j, "form", pat_form_name(r->form));
    cli_json_double(j, "explained", r->explained);
    cli_json_u64(j, "prologue", r->prologue);
    cli_json_u64(j, "epilogue", r->epilogue);
    cli_json_text(j, "home", r->home);
    cli_json_text(j, "index_home", r->index_home);
    cli_json_i64(j, "first_element", r->first_element);
    cli_json_u64(j, "element_bytes", r->elem_size_bytes);
    ptn_json_code(j, r);
    cli_json_u64(j, "accesses", r->accesses);
    cli_json_double(j, "access_share", r->access_share);
    cli_json_double(j, "cost_share", r->cost_share);
    ptn_json_config(j, &r->config);
    ptn_json_measures(j, &r->measures);
    cli_json_close(j, '}');
}

void ptn_print_json(const char *path, const struct ptn_found *f, FILE *out)
{
    struct cli_json j = {.out = out};
    cli_json_open(&j, NULL, '{');
    cli_json_u64(&j, "schema", 1);
    cli_json_text(&j, "source", path);
    cli_json_u64(&j, "accesses", f->counts.accesses);
    cli_json_u64(&j, "skipped", f->counts.skipped);
    cli_json_u64(&j, "lost", f->counts.lost);
    cli_json_bool(&j, "is_sampled", f->counts.is_sampled);
    cli_json_double(&j, "scale", f->counts.scale);
    cli_json_u64(&j, "instructions", f->sequences.sites);
    cli_json_u64(&j, "accesses_filtered", f->sequences.accesses_filtered);
    cli_json_open(&j, "patterns", '[');
    for (size_t i = 0; i < f->findings.len; i++)
        ptn_json_row(&j, &f->findings.rows[i]);
    cli_json_close(&j, ']');
    cli_json_close(&j, '}');
}
