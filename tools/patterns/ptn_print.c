/* SPDX-License-Identifier: BSD-3-Clause */
/* Two lines per pattern: its share, measures and origin, then its description. */
#include "tools/patterns/ptn_print.h"
#include "patterns/pat_describe.h"
#include "patterns/write/pat_write.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_term.h"
#include "common/ls_json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- in words ---- */

enum {
    PTN_TEXT_BYTES = 1024,
    PTN_INDICES_SHOWN = 12,
    PTN_CELL = 8,
    PTN_TEXT_MIN = 30,
    PTN_DETAIL = 5,
    PTN_ROWS = 10
};

typedef const char *ptn_cell_fn(const struct pat_found *r, char out[CLI_CELL_BYTES]);

static const char *ptn_cell_cost(const struct pat_found *r, char out[CLI_CELL_BYTES])
{
    return cli_format_percent(out, r->cost_share);
}

static const char *ptn_cell_accesses(const struct pat_found *r, char out[CLI_CELL_BYTES])
{
    return cli_format_percent(out, r->access_share);
}

static const char *ptn_two_digits(double n, char out[CLI_CELL_BYTES])
{
    if (!isfinite(n)) return strcpy(out, "-");
    snprintf(out, CLI_CELL_BYTES, "%.2f", n);
    return out;
}

static const char *ptn_cell_spatial(const struct pat_found *r, char out[CLI_CELL_BYTES])
{
    return ptn_two_digits(r->measures.spatial, out);
}

static const char *ptn_cell_temporal(const struct pat_found *r, char out[CLI_CELL_BYTES])
{
    return ptn_two_digits(r->measures.temporal, out);
}

static const char *ptn_cell_entropy(const struct pat_found *r, char out[CLI_CELL_BYTES])
{
    if (!isfinite(r->measures.delta_entropy_bits)) return strcpy(out, "-");
    snprintf(out, CLI_CELL_BYTES, "%.1f", r->measures.delta_entropy_bits);
    return out;
}

static const char *ptn_cell_lines(const struct pat_found *r, char out[CLI_CELL_BYTES])
{
    if (!isfinite(r->measures.line_utilisation)) return strcpy(out, "-");
    snprintf(out, CLI_CELL_BYTES, "%.0f", r->measures.line_utilisation * 100);
    return out;
}

static const struct ptn_column {
    const char *head, *unit;
    ptn_cell_fn *cell;
} ptn_columns[] = {
    {"cost", "%", ptn_cell_cost},          {"acc.", "%", ptn_cell_accesses},
    {"spatial", "0-1", ptn_cell_spatial},  {"temp.", "0-1", ptn_cell_temporal},
    {"entropy", "bits", ptn_cell_entropy}, {"lines", "used %", ptn_cell_lines},
};
enum {
    PTN_COLUMNS = sizeof(ptn_columns) / sizeof(ptn_columns[0]),
    PTN_INDENT = 3 + PTN_COLUMNS * PTN_CELL + 2
};

/* "0,1,4,2,...": the first len_max indices; written into out and returned. */
static const char *ptn_indices_text(const struct pat_indices *p, size_t len_max, char *out, size_t room)
{
    size_t n = 0;
    out[0] = '\0';
    for (size_t i = 0; i < p->len && n + 32 < room; i++) {
        if (i == len_max) {
            snprintf(out + n, room - n, ",... (%zu)", p->len);
            break;
        }
        n += (size_t)snprintf(out + n, room - n, "%s%" PRId64, i ? "," : "", p->data[i]);
    }
    return out;
}

/* "exact", "periodic (93 %)", "synthetic" */
static void ptn_form_text(const struct pat_found *r, char *out, size_t room)
{
    const bool is_partly = r->form == PAT_FORM_PERIODIC && isfinite(r->explained) && r->explained < 0.995;
    snprintf(out, room, is_partly ? "%s (%.0f %%)" : "%s", pat_form_name(r->form), 100 * r->explained);
}

static const struct pat_indices *ptn_list_of(const struct pat_config *c)
{
    return c->kernel == PAT_GS ? &c->gather : &c->pattern;
}

/* "complex, exact: 0,1,4,2,... delta 3, 4 times; elements of 8 bytes, 64.0 KiB" */
static void ptn_what_text(const struct pat_found *r, char *out, size_t room)
{
    char form[64], indices[400], delta[PAT_TEXT_BYTES], count[CLI_CELL_BYTES], bytes[CLI_CELL_BYTES];
    char times[PAT_TEXT_BYTES + CLI_CELL_BYTES + 16] = "", elements[64] = "", stride[40] = "",
                                                 joined[40] = "";
    ptn_form_text(r, form, sizeof(form));
    if (r->class == PAT_CLASS_UNIFORM) snprintf(stride, sizeof(stride), " %" PRId64, r->stride);
    if (r->members_len) snprintf(joined, sizeof(joined), ", %zu instructions", r->members_len);
    ptn_indices_text(ptn_list_of(&r->config), PTN_INDICES_SHOWN, indices, sizeof(indices));
    if (r->config.count > 1)
        snprintf(times, sizeof(times), " delta %s, %s times", pat_describe_delta(&r->config, delta),
                 cli_format_grouped(count, r->config.count));
    if (r->elem_size_bytes)
        snprintf(elements, sizeof(elements), "; elements of %" PRIu64 " bytes", r->elem_size_bytes);
    snprintf(out, room, "%s%s, %s%s: %s%s%s, %s", pat_class_name(r->class), stride, form, joined, indices,
             times, elements, cli_format_bytes(bytes, (double)r->measures.footprint_bytes));
}

/* "; measures of the first 1,572,864 accesses": memory was short */
static void ptn_part_text(const struct pat_measures *m, char *out, size_t room)
{
    char part[CLI_CELL_BYTES];
    out[0] = '\0';
    if (m->part)
        snprintf(out, room, "; measures of the first %s accesses", cli_format_grouped(part, m->part));
}

/* Print ", 4 threads", or the thread's name if the source has several threads. */
static void ptn_threads_text(const struct pat_found *r, bool has_threads, char *out, size_t room)
{
    const bool is_named = strncmp(r->thread, "thread", 6) == 0;
    out[0] = '\0';
    if (r->threads > 1)
        snprintf(out, room, ", %" PRIu32 " threads", r->threads);
    else if (has_threads && *r->thread)
        snprintf(out, room, ", %s%s", is_named ? "" : "thread ", r->thread);
}

static void ptn_row(const struct pat_found *r, size_t number, bool has_threads, int width, FILE *out)
{
    char where[PTN_TEXT_BYTES], what[PTN_TEXT_BYTES], threads[128], part[64 + CLI_CELL_BYTES],
        cell[CLI_CELL_BYTES];
    pat_where_text(r, where, sizeof(where) - sizeof(threads));
    ptn_threads_text(r, has_threads, threads, sizeof(threads));
    strcat(where, threads);
    ptn_what_text(r, what, sizeof(what) - sizeof(part));
    ptn_part_text(&r->measures, part, sizeof(part));
    strcat(what, part);
    fprintf(out, "%3zu", number);
    for (size_t i = 0; i < PTN_COLUMNS; i++)
        fprintf(out, "%*s", PTN_CELL, ptn_columns[i].cell(r, cell));
    fputs("  ", out);
    cli_print_folded(where, PTN_INDENT, width, out);
    fprintf(out, "%*s", PTN_DETAIL, "");
    cli_print_folded(what, PTN_DETAIL, width, out);
}

static void ptn_heads(FILE *out)
{
    fputs("\n   ", out);
    for (size_t i = 0; i < PTN_COLUMNS; i++)
        fprintf(out, "%*s", PTN_CELL, ptn_columns[i].head);
    fputs("  pattern\n   ", out);
    for (size_t i = 0; i < PTN_COLUMNS; i++)
        fprintf(out, "%*s", PTN_CELL, ptn_columns[i].unit);
    fputc('\n', out);
}

static void ptn_source(const char *path, const struct ptn_found *f, FILE *out)
{
    char accesses[CLI_CELL_BYTES], sites[CLI_CELL_BYTES], number[CLI_CELL_BYTES];
    const size_t threads = pat_source_tables(f->source)->threads_len;
    fprintf(out, "source     %s: %s accesses of %s instructions in %zu thread%s%s\n", cli_shown(path),
            cli_format_grouped(accesses, f->counts.accesses), cli_format_grouped(sites, f->sequences.sites),
            threads, threads == 1 ? "" : "s", f->counts.is_sampled ? ", bursts: a sample" : "");
    if (f->counts.lost)
        fprintf(out, "lost       %s accesses, as the tracer reports\n",
                cli_format_grouped(number, f->counts.lost));
    if (f->sequences.accesses_unplaced)
        fprintf(out, "no room    for %s accesses of further instructions: --memory allows more\n",
                cli_format_grouped(number, f->sequences.accesses_unplaced));
    if (f->counts.skipped)
        fprintf(out, "skipped    %s records that are not accesses\n",
                cli_format_grouped(number, f->counts.skipped));
}

static void ptn_rows(const struct pat_findings *f, size_t rows, bool has_threads, int width, FILE *out)
{
    bool has_pieces = false;
    size_t ends_in_row = 0;
    if (rows) ptn_heads(out);
    for (size_t i = 0; i < rows; i++) {
        ptn_row(&f->rows[i], i, has_threads, width, out);
        has_pieces = has_pieces || f->rows[i].form == PAT_FORM_PIECES;
        ends_in_row += f->rows[i].ends_in_row;
    }
    if (rows < f->len)
        fprintf(out, "\n%zu more: --top %zu shows them, -o and --json have them\n", f->len - rows, f->len);
    if (ends_in_row)
        fprintf(
            out,
            "\nrows: bursts end inside a row of a loop nest in %zu of these patterns, so that the distance to the next "
            "row is missing;\nrecord with --accesses 256 (usual: 64) has longer bursts.\n",
            ends_in_row);
    if (has_pieces)
        fputs("\n"
              "pieces: only the accesses of the bursts. Where they touch little, their replay runs in caches "
              "that the\n"
              "program's accesses miss; an exact trace (loadstone trace -- PROGRAM) has all of them.\n",
              out);
}

/* Print a line for each reason why sequences were left out, with their share and the option that keeps them. */
static void ptn_left_out(const struct pat_sequences *s, size_t found, FILE *out)
{
    static const struct {
        const char *text, *option;
    } reasons[PAT_LEFT_OUT_COUNT] = {
        [PAT_LEFT_OUT_LOADER] = {"the dynamic loader's", "--loader has them"},
        [PAT_LEFT_OUT_SHORT] = {"of too few accesses", "--trivial --min-accesses 1 has them"},
        [PAT_LEFT_OUT_TRIVIAL] = {"with distances of -1, 0 and 1 only", "--trivial has them"},
        [PAT_LEFT_OUT_FILTERED] = {"by --min-distances and --min-far", NULL},
        [PAT_LEFT_OUT_CHEAP] = {"cheaper than these", "--top %zu has them"},
    };
    for (int i = 0; i < PAT_LEFT_OUT_COUNT; i++) {
        const struct pat_left_out_row *r = &s->left_out[i];
        char number[CLI_CELL_BYTES], accesses[CLI_CELL_BYTES], cost[CLI_CELL_BYTES], option[64] = "";
        if (!r->len) continue;
        if (reasons[i].option) snprintf(option, sizeof(option), reasons[i].option, found + r->len);
        fprintf(out, "           %s left out: %s, with %s %% of the accesses and %s %% of the cost%s%s\n",
                cli_format_grouped(number, r->len), reasons[i].text,
                cli_format_percent(accesses, s->accesses ? (double)r->accesses / (double)s->accesses : 0),
                cli_format_percent(cost, s->cost > 0 ? r->cost / s->cost : 0), *option ? "; " : "", option);
    }
}

void ptn_print(const char *path, const struct ptn_found *f, size_t rows_max, FILE *out)
{
    const size_t room = rows_max ? rows_max : PTN_ROWS;
    double cost = 0, accesses = 0;
    const int width =
        cli_term_width() > PTN_INDENT + PTN_TEXT_MIN ? cli_term_width() : PTN_INDENT + PTN_TEXT_MIN;
    for (size_t i = 0; i < f->findings.len; i++) {
        cost += f->findings.rows[i].cost_share;
        accesses += f->findings.rows[i].access_share;
    }
    ptn_source(path, f, out);
    fprintf(out, "patterns   %zu, with %.0f %% of the accesses and %.0f %% of the estimated cost\n",
            f->findings.len, 100 * accesses, 100 * cost);
    ptn_left_out(&f->sequences, f->findings.len, out);
    if (f->index_loads)
        fprintf(out, "           %zu left out: loads of the indices of others\n", f->index_loads);
    ptn_rows(&f->findings, f->findings.len < room ? f->findings.len : room,
             pat_source_tables(f->source)->threads_len > 1, width, out);
}

/* ---- as JSON ---- */

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
    if (r->ends_in_row) ls_json_bool(j, "ends_in_row", true);
    ls_json_u64(j, "prologue", r->prologue);
    ls_json_u64(j, "epilogue", r->epilogue);
    ls_json_text(j, "home", r->home);
    ls_json_text(j, "index_home", r->index_home);
    ls_json_i64(j, "first_element", r->first_element);
    ls_json_u64(j, "element_bytes", r->elem_size_bytes);
    if (r->object_bytes) ls_json_u64(j, "object_bytes", r->object_bytes);
    ptn_json_code(j, r);
    ls_json_u64(j, "accesses", r->accesses);
    ls_json_double(j, "access_share", r->access_share);
    ls_json_double(j, "cost_share", r->cost_share);
    ptn_json_members(j, r);
    ptn_json_config(j, &r->config);
    ptn_json_measures(j, &r->measures);
    ls_json_close(j, '}');
}

static void ptn_json_left_out(struct ls_json *j, const struct pat_sequences *s)
{
#define PTN_NAME(id, name, text) name,
    static const char *const names[] = {PAT_LEFT_OUT_LIST(PTN_NAME)};
#undef PTN_NAME
    ls_json_open(j, "left_out", '{');
    for (int i = 0; i < PAT_LEFT_OUT_COUNT; i++) {
        ls_json_open(j, names[i], '{');
        ls_json_u64(j, "sequences", s->left_out[i].len);
        ls_json_u64(j, "accesses", s->left_out[i].accesses);
        ls_json_double(j, "cost_share", s->cost > 0 ? s->left_out[i].cost / s->cost : 0);
        ls_json_close(j, '}');
    }
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
    ls_json_u64(&j, "accesses_loader", f->sequences.left_out[PAT_LEFT_OUT_LOADER].accesses);
    ptn_json_left_out(&j, &f->sequences);
    ls_json_open(&j, "patterns", '[');
    for (size_t i = 0; i < f->findings.len; i++)
        ptn_json_row(&j, &f->findings.rows[i]);
    ls_json_close(&j, ']');
    ls_json_close(&j, '}');
}
