/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/report/rep_print.h"

#include "common/ls_text.h"
#include "common/ls_json.h"
#include "tools/cli/cli_term.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sites of one label: processes that ran the same code are one row. */
struct rep_allocation {
    const struct prof_site *site; /* the first one */
    uint64_t blocks, bytes, recorded;
    bool is_estimated;
};

static int rep_compare_labels(const void *a, const void *b)
{
    const struct rep_allocation *x = a, *y = b;
    const int by_label = strcmp(x->site->label, y->site->label);
    return by_label ? by_label : (x->site->id > y->site->id) - (x->site->id < y->site->id);
}

/* Most bytes first. */
static int rep_compare_bytes(const void *a, const void *b)
{
    const struct rep_allocation *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return rep_compare_labels(a, b);
}

static size_t rep_allocations_merge(struct rep_allocation *rows, size_t len)
{
    size_t kept = 0;
    qsort(rows, len, sizeof(*rows), rep_compare_labels);
    for (size_t i = 0; i < len; i++) {
        if (kept > 0 && strcmp(rows[kept - 1].site->label, rows[i].site->label) == 0) {
            rows[kept - 1].blocks += rows[i].blocks;
            rows[kept - 1].bytes += rows[i].bytes;
            rows[kept - 1].recorded += rows[i].recorded;
            rows[kept - 1].is_estimated |= rows[i].is_estimated;
        } else
            rows[kept++] = rows[i];
    }
    qsort(rows, kept, sizeof(*rows), rep_compare_bytes);
    return kept;
}

/* The source line of the call, NULL when it is not known. */
static const struct prof_line *rep_line_of_site(const prof_profile *p, const struct prof_site *s)
{
    size_t frames_len, lines_len;
    const struct prof_frame *frames = prof_frames(p, &frames_len);
    const struct prof_line *lines = prof_lines(p, &lines_len);
    if (s->label_frame >= frames_len || frames[s->label_frame].line >= lines_len) return NULL;
    return &lines[frames[s->label_frame].line];
}

/* Sites of device memory have their node below its home, sampled or not. */
static bool rep_is_of_device(const prof_profile *p, const struct prof_site *s)
{
    size_t len;
    const struct prof_node *nodes = prof_nodes(p, &len);
    if (s->node >= len || nodes[s->node].parent >= len) return false;
    return nodes[nodes[s->node].parent].kind == PROF_NODE_DEVICE;
}

static void rep_put_allocation(const prof_profile *p, const struct rep_allocation *a, FILE *out)
{
    char bytes[CLI_CELL_BYTES], blocks[CLI_CELL_BYTES], recorded[CLI_CELL_BYTES];
    const struct prof_line *line = rep_line_of_site(p, a->site);
    const char *about = a->is_estimated ? "~" : "";
    fprintf(out, "%1s%11s %1s%9s %9s  %.100s", about, cli_format_bytes(bytes, (double)a->bytes), about,
            cli_format_count(blocks, (double)a->blocks), cli_format_count(recorded, (double)a->recorded),
            a->site->label);
    if (line && line->line > 0) fprintf(out, "  %.80s:%u", ls_base_name(line->file), line->line);
    fputs(rep_is_of_device(p, a->site) ? "  (device memory)\n" : "\n", out);
}

static void rep_put_text(const prof_profile *p, const struct rep_allocation *rows, size_t len, uint64_t limit,
                         FILE *out)
{
    fprintf(out, "%s%12s %10s %9s  %s%s\n", cli_colour_begin(STDOUT_FILENO, CLI_BOLD), "allocated", "blocks",
            "recorded", "allocation site", cli_colour_end(STDOUT_FILENO));
    for (size_t i = 0; i < len && i < limit; i++)
        rep_put_allocation(p, &rows[i], out);
    if (len > limit) fprintf(out, "%34s  (%zu more, not shown)\n", "", len - (size_t)limit);
    fputs("\nAllocated over the whole run, freed or not. ~ is estimated from the recorded blocks, "
          "a sample that\n"
          "the overhead budget allows; figures without it count every block.\n",
          out);
}

static void rep_put_json(const prof_profile *p, const struct rep_allocation *rows, size_t len, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", 1);
    ls_json_open(&j, "allocations", '[');
    for (size_t i = 0; i < len; i++) {
        const struct prof_line *line = rep_line_of_site(p, rows[i].site);
        ls_json_open(&j, NULL, '{');
        ls_json_text(&j, "site", rows[i].site->label);
        ls_json_u64(&j, "bytes", rows[i].bytes);
        ls_json_u64(&j, "blocks", rows[i].blocks);
        ls_json_u64(&j, "recorded", rows[i].recorded);
        ls_json_bool(&j, "estimated", rows[i].is_estimated);
        if (rep_is_of_device(p, rows[i].site)) ls_json_bool(&j, "device", true);
        if (line && line->line > 0) {
            ls_json_text(&j, "file", line->file);
            ls_json_u64(&j, "line", line->line);
        }
        ls_json_close(&j, '}');
    }
    ls_json_close(&j, ']');
    ls_json_close(&j, '}');
    fputc('\n', out);
}

static ls_err rep_put(const prof_profile *p, const struct rep_options *o, bool json, FILE *out)
{
    size_t len;
    const struct prof_site *sites = prof_sites(p, &len);
    struct rep_allocation *rows = calloc(len + 1, sizeof(*rows));
    if (!rows) return ls_nomem("%zu allocation sites", len);
    for (size_t i = 0; i < len; i++)
        rows[i] = (struct rep_allocation){&sites[i], sites[i].blocks, sites[i].bytes, sites[i].recorded,
                                          sites[i].sample_rate > 1};
    len = rep_allocations_merge(rows, len);
    if (json)
        rep_put_json(p, rows, len, out);
    else
        rep_put_text(p, rows, len, o->limit, out);
    free(rows);
    return LS_OK;
}

ls_err rep_allocations(const struct rep_options *o, bool json, FILE *out)
{
    prof_profile *p;
    LS_TRY(prof_open(o->path, &p));
    const ls_err err = rep_put(p, o, json, out);
    prof_close(p);
    return err;
}
