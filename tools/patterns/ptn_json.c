/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/ls_json.h"
#include "tools/patterns/ptn_print.h"

enum { PTN_JSON_INDICES = 64 };

static void ptn_json_list(struct ls_json *j, const char *key, const struct pat_indices *p, size_t len_max)
{
    ls_json_open(j, key, '[');
    for (size_t i = 0; i < p->len && i < len_max; i++)
        ls_json_i64(j, NULL, p->data[i]);
    ls_json_close(j, ']');
}

static void ptn_json_config(struct ls_json *j, const struct pat_config *c)
{
    ls_json_open(j, "configuration", '{');
    ls_json_text(j, "kernel", pat_kernel_name(c->kernel));
    ls_json_text(j, "operation", pat_operation_name(c->operation));
    ls_json_u64(j, "indices", c->pattern.len);
    ptn_json_list(j, "first_indices", &c->pattern, PTN_JSON_INDICES);
    if (c->deltas.len)
        ptn_json_list(j, "deltas", &c->deltas, SIZE_MAX);
    else
        ls_json_i64(j, "delta", c->delta);
    ls_json_u64(j, "count", c->count);
    ls_json_close(j, '}');
}

static void ptn_json_measures(struct ls_json *j, const struct pat_measures *m)
{
    size_t bins = PAT_REUSE_BINS;
    while (bins > 0 && m->reuse[bins - 1] == 0)
        bins--;
    ls_json_open(j, "measures", '{');
    if (m->part) ls_json_u64(j, "of_first_accesses", m->part);
    ls_json_double(j, "spatial", m->spatial);
    ls_json_double(j, "temporal", m->temporal);
    ls_json_double(j, "delta_entropy_bits", m->delta_entropy_bits);
    ls_json_double(j, "line_utilisation", m->line_utilisation);
    ls_json_double(j, "page_utilisation", m->page_utilisation);
    ls_json_u64(j, "footprint_bytes", m->footprint_bytes);
    ls_json_open(j, "reuse_lines_log2", '[');
    for (size_t i = 0; i < bins; i++)
        ls_json_u64(j, NULL, m->reuse[i]);
    ls_json_close(j, ']');
    ls_json_u64(j, "reuse_cold", m->cold);
    ls_json_bool(j, "reuse_is_sampled", m->reuse_is_sampled);
    ls_json_close(j, '}');
}

static void ptn_json_code(struct ls_json *j, const struct pat_found *r)
{
    ls_json_u64(j, "ip", r->ip);
    ls_json_text(j, "module", r->module);
    ls_json_text(j, "function", r->function);
    ls_json_text(j, "file", r->file);
    ls_json_u64(j, "line", r->line);
    ls_json_text(j, "thread", r->thread);
    ls_json_u64(j, "threads", r->threads);
}

/* Write the joined instructions in the order of their accesses; none if the pattern is of one instruction. */
static void ptn_json_members(struct ls_json *j, const struct pat_found *r)
{
    ls_json_open(j, "joined", '[');
    for (size_t m = 0; m < r->members_len; m++) {
        ls_json_open(j, NULL, '{');
        ls_json_text(j, "op", r->members[m].op == PAT_OP_LOAD ? "load" : "store");
        ls_json_u64(j, "ip", r->members[m].ip);
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
}

static void ptn_json_row(struct ls_json *j, const struct pat_found *r)
{
    ls_json_open(j, NULL, '{');
    ls_json_text(j, "name", r->config.name);
    ls_json_text(j, "op", r->op == PAT_OP_LOAD ? "load" : "store");
    ls_json_text(j, "class", pat_class_name(r->class));
    if (r->class == PAT_CLASS_UNIFORM) ls_json_i64(j, "stride", r->stride);
    ls_json_text(j, "form", pat_form_name(r->form));
    ls_json_double(j, "explained", r->explained);
    ls_json_u64(j, "prologue", r->prologue);
    ls_json_u64(j, "epilogue", r->epilogue);
    ls_json_text(j, "home", r->home);
    ls_json_text(j, "index_home", r->index_home);
    ls_json_i64(j, "first_element", r->first_element);
    ls_json_u64(j, "element_bytes", r->elem_size_bytes);
    ptn_json_code(j, r);
    ls_json_u64(j, "accesses", r->accesses);
    ls_json_double(j, "access_share", r->access_share);
    ls_json_double(j, "cost_share", r->cost_share);
    ptn_json_members(j, r);
    ptn_json_config(j, &r->config);
    ptn_json_measures(j, &r->measures);
    ls_json_close(j, '}');
}

void ptn_print_json(const char *path, const struct ptn_found *f, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", 1);
    ls_json_text(&j, "source", path);
    ls_json_u64(&j, "accesses", f->counts.accesses);
    ls_json_u64(&j, "skipped", f->counts.skipped);
    ls_json_u64(&j, "lost", f->counts.lost);
    ls_json_bool(&j, "is_sampled", f->counts.is_sampled);
    ls_json_double(&j, "scale", f->counts.scale);
    ls_json_u64(&j, "instructions", f->sequences.sites);
    ls_json_u64(&j, "accesses_filtered", f->sequences.accesses_filtered);
    ls_json_u64(&j, "accesses_unplaced", f->sequences.accesses_unplaced);
    ls_json_open(&j, "patterns", '[');
    for (size_t i = 0; i < f->findings.len; i++)
        ptn_json_row(&j, &f->findings.rows[i]);
    ls_json_close(&j, ']');
    ls_json_close(&j, '}');
}
