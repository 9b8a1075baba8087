/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone patterns show: prints and draws the contents of a pattern file. */
#include "patterns/pat_json.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_output.h"
#include "tools/patterns/ptn_print.h"
#include "tools/patterns/ptn_actions.h"
#include "viz-export/charts/vx_chart.h"
#include "patterns/pat_describe.h"
#include "patterns/pat_config.h"
#include "patterns/pat_extent.h"
#include "tools/cli/cli_term.h"
#include "common/ls_json.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- in words and as JSON ---- */

enum { PTN_SHOW_INDICES_SHOWN = 16, PTN_SHOW_DISTANCES_SHOWN = 6 };

size_t ptn_show_lists(const struct pat_config *c, struct ptn_show_list out[3])
{
    const struct ptn_show_list all[] = {
        {"pattern", &c->pattern}, {"pattern-gather", &c->gather}, {"pattern-scatter", &c->scatter}};
    size_t n = 0;
    for (size_t i = 0; i < 3; i++)
        if (all[i].indices->len) out[n++] = all[i];
    return n;
}

static void ptn_show_indices(const struct ptn_show_list *l, FILE *out)
{
    fprintf(out, "  %-16s", l->name);
    for (size_t i = 0; i < l->indices->len && i < PTN_SHOW_INDICES_SHOWN; i++)
        fprintf(out, "%s%" PRId64, i ? "," : "", l->indices->data[i]);
    if (l->indices->len > PTN_SHOW_INDICES_SHOWN) fprintf(out, ",... (%zu)", l->indices->len);
    fputc('\n', out);
}

static ls_err ptn_show_distances(const struct ptn_show_list *l, FILE *out)
{
    struct pat_distance *d;
    size_t len;
    LS_TRY(pat_distances(l->indices, &d, &len));
    fprintf(out, "  %-16s", "  distances");
    for (size_t i = 0; i < len && i < PTN_SHOW_DISTANCES_SHOWN; i++)
        fprintf(out, "%s%" PRId64 " (%.0f %%)", i ? ", " : "", d[i].distance,
                100.0 * (double)d[i].count / (double)(l->indices->len - 1));
    if (len > PTN_SHOW_DISTANCES_SHOWN) fprintf(out, ", %zu more", len - PTN_SHOW_DISTANCES_SHOWN);
    if (len == 0) fputs("none", out);
    fputc('\n', out);
    free(d);
    return LS_OK;
}

static void ptn_show_reach(const struct pat_config *c, enum pat_side side, const char *name, FILE *out)
{
    struct pat_extent e;
    char bytes[CLI_CELL_BYTES];
    if (pat_extent_of(c, side, &e) != LS_OK) {
        fprintf(out, "  %-16s%s\n", name, ls_last_error());
        return;
    }
    const unsigned element_bytes = pat_config_element_bytes(c);
    fprintf(out, "  %-16selements %" PRId64 " to %" PRId64 ", %s of %s\n", name, e.low, e.high,
            cli_format_bytes(bytes, (double)pat_extent_elements(&e) * element_bytes),
            element_bytes == 4 ? "floats" : "doubles");
}

/* Print the properties of the program's loop that the file has. */
static void ptn_show_program(const struct pat_config *c, FILE *out)
{
    char number[CLI_CELL_BYTES];
    if (!c->element_bytes && !c->threads && !c->accesses) return;
    fprintf(out, "  %-16s", "in the program");
    if (c->accesses) fprintf(out, "%s accesses", cli_format_grouped(number, c->accesses));
    if (c->threads) fprintf(out, " of %" PRIu64 " thread%s", c->threads, c->threads == 1 ? "" : "s");
    if (c->element_bytes) fprintf(out, ", elements of %" PRIu64 " bytes", c->element_bytes);
    if (c->object_bytes) fprintf(out, " in objects of %" PRIu64, c->object_bytes);
    if (c->index_bits) fprintf(out, ", indices of %" PRIu64 " bits", c->index_bits);
    fputc('\n', out);
}

static ls_err ptn_show_config(const struct pat_config *c, size_t number, FILE *out)
{
    char shape[PAT_TEXT_BYTES], delta[PAT_TEXT_BYTES], bytes[CLI_CELL_BYTES], count[CLI_CELL_BYTES];
    struct ptn_show_list lists[3];
    fprintf(out, "config %zu%s%s: %s, %s, delta %s, %s times\n", number, *c->name ? " " : "", c->name,
            pat_config_word(c), pat_describe(c, shape), pat_describe_delta(c, delta),
            cli_format_grouped(count, c->count));
    const size_t len = ptn_show_lists(c, lists);
    for (size_t i = 0; i < len; i++) {
        ptn_show_indices(&lists[i], out);
        LS_TRY(ptn_show_distances(&lists[i], out));
    }
    ptn_show_reach(c, PAT_SIDE_GATHER, c->kernel == PAT_GS ? "gathers from" : "reach", out);
    if (c->kernel == PAT_GS) ptn_show_reach(c, PAT_SIDE_SCATTER, "scatters to", out);
    fprintf(out, "  %-16s%s a run\n", "moves",
            cli_format_bytes(bytes, (double)pat_config_bytes(c, pat_config_element_bytes(c))));
    ptn_show_program(c, out);
    return LS_OK;
}

/* Errors: LS_ERR_NOMEM. */
static ls_err ptn_show_print(const struct pat_suite *s, struct ptn_show_range range, FILE *out)
{
    for (size_t i = range.begin; i < range.end; i++)
        LS_TRY(ptn_show_config(&s->rows[i], i, out));
    return LS_OK;
}

static ls_err ptn_show_json_list(struct ls_json *j, const struct ptn_show_list *l)
{
    struct pat_distance *d;
    size_t len;
    LS_TRY(pat_distances(l->indices, &d, &len));
    ls_json_open(j, NULL, '{');
    ls_json_text(j, "list", l->name);
    ls_json_u64(j, "indices", l->indices->len);
    ls_json_open(j, "distances", '[');
    for (size_t i = 0; i < len; i++) {
        ls_json_open(j, NULL, '{');
        ls_json_i64(j, "distance", d[i].distance);
        ls_json_u64(j, "count", d[i].count);
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
    ls_json_close(j, '}');
    free(d);
    return LS_OK;
}

static ls_err ptn_show_json_config(struct ls_json *j, const struct pat_config *c, size_t number)
{
    char shape[PAT_TEXT_BYTES];
    struct ptn_show_list lists[3];
    struct pat_extent e;
    ls_json_open(j, NULL, '{');
    ls_json_u64(j, "config", number);
    ls_json_text(j, "name", c->name);
    ls_json_text(j, "kernel", pat_kernel_name(c->kernel));
    ls_json_text(j, "operation", pat_operation_name(c->operation));
    ls_json_text(j, "shape", pat_describe(c, shape));
    if (c->found_class) ls_json_text(j, "class", c->found_class);
    ls_json_u64(j, "count", c->count);
    ls_json_u64(j, "element_bytes", pat_config_element_bytes(c));
    if (c->threads) ls_json_u64(j, "threads", c->threads);
    if (c->accesses) ls_json_u64(j, "accesses", c->accesses);
    ls_json_u64(j, "bytes", pat_config_bytes(c, pat_config_element_bytes(c)));
    if (pat_extent_of(c, PAT_SIDE_GATHER, &e) == LS_OK) {
        ls_json_i64(j, "element_low", e.low);
        ls_json_i64(j, "element_high", e.high);
    }
    ls_json_open(j, "lists", '[');
    const size_t len = ptn_show_lists(c, lists);
    for (size_t i = 0; i < len; i++)
        LS_TRY(ptn_show_json_list(j, &lists[i]));
    ls_json_close(j, ']');
    ls_json_close(j, '}');
    return LS_OK;
}

/* Errors: LS_ERR_NOMEM. */
static ls_err ptn_show_print_json(const struct pat_suite *s, struct ptn_show_range range, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", 1);
    ls_json_open(&j, "configurations", '[');
    for (size_t i = range.begin; i < range.end; i++)
        LS_TRY(ptn_show_json_config(&j, &s->rows[i], i));
    ls_json_close(&j, ']');
    ls_json_close(&j, '}');
    return LS_OK;
}

/* ---- the action ---- */

static void ptn_show_note(void *user, const char *text)
{
    (void)user;
    cli_warn("%s", text);
}

static ls_err ptn_show_read(const struct cli_value *v, const char *path, struct pat_suite *s,
                            struct ptn_show_range *range)
{
    const struct pat_json_options o = {.compress = v[PTN_COMPRESS].given, .note = ptn_show_note};
    LS_TRY(pat_json_read_file(path, &o, s));
    *range = (struct ptn_show_range){0, s->len};
    if (!v[PTN_CONFIG].given) return LS_OK;
    if (v[PTN_CONFIG].number >= s->len)
        return ls_fail(LS_ERR_USAGE, "--config: there is no configuration %s; %s has 0 to %zu",
                       v[PTN_CONFIG].text, path, s->len - 1);
    *range = (struct ptn_show_range){v[PTN_CONFIG].number, v[PTN_CONFIG].number + 1};
    return LS_OK;
}

static ls_err ptn_show(const struct cli_value *v, const char *path, struct pat_suite *s)
{
    struct ptn_show_range range;
    const char *picture = v[PTN_OUTPUT].text;
    if (picture) {
        LS_TRY(vx_page_check(picture));
        LS_TRY(cli_output_check(picture, v[PTN_FORCE].given));
    }
    LS_TRY(ptn_show_read(v, path, s, &range));
    if (picture) { /* drawn first, because the reader of the listing may close the pipe early */
        LS_TRY(ptn_show_plot(s, range, (enum ptn_show_what)v[PTN_PLOT].number, path, picture));
        cli_note("drawn: %s", picture);
    }
    LS_TRY(v[PTN_JSON].given ? ptn_show_print_json(s, range, stdout) : ptn_show_print(s, range, stdout));
    fflush(stdout);
    if (!cli_output_is_kept(path)) return LS_OK;
    if (picture)
        cli_next("loadstone replay %s", cli_quote(path));
    else
        cli_next("loadstone patterns show %s -o patterns.html", cli_quote(path));
    return LS_OK;
}

static int ptn_show_run(const struct cli_value *v, char **operands, size_t operands_len)
{
    (void)operands_len;
    struct pat_suite s = {0};
    const ls_err err = ptn_show(v, operands[0], &s);
    pat_suite_fini(&s);
    return err == LS_OK ? CLI_OK : cli_fail(err);
}

const struct ptn_action ptn_action_show = {
    .about =
        {.name = "show",
         .operands = "FILE.json",
         .description =
             "show prints each configuration of a pattern file: its shape, its extent, the memory for "
             "replaying it, and its most frequent distances from index to index; with -o it draws the indices "
             "and the distances in order, and the frequency of each distance.",
         .examples =
             "loadstone patterns show amg.json --config 1 -o amg.svg  a picture of the second configuration\n",
         .options = PTN_BIT(PTN_CONFIG) | PTN_BIT(PTN_COMPRESS) | PTN_BIT(PTN_OUTPUT) | PTN_BIT(PTN_PLOT) |
                    PTN_BIT(PTN_JSON) | PTN_BIT(PTN_FORCE)},
    .operands_min = 1,
    .operands_max = 1,
    .run = ptn_show_run,
};
