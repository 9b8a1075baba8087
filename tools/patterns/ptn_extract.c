/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone patterns INPUT: extracts, prints, writes, draws. */
#include "patterns/write/pat_write.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_output.h"
#include "tools/cli/cli_term.h"
#include "tools/patterns/ptn_actions.h"
#include "tools/patterns/ptn_print.h"
#include "viz-export/charts/vx_chart.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PTN_PICTURES = 2 }; /* by -o and by --picture */

/* Requested output besides the table. */
struct ptn_outputs {
    const struct pat_writer *writer;                    /* of patterns_path */
    const char *patterns_path, *pictures[PTN_PICTURES]; /* NULL: none */
    bool force;
};

static void ptn_outputs_of(const struct cli_value *v, struct ptn_outputs *out)
{
    const char *path = v[PTN_OUTPUT].text;
    const bool is_picture = path && cli_ending_is(path, CLI_ENDS_PICTURE);
    const struct pat_writer *writer = pat_writer_at(v[PTN_TO].number);
    if (v[PTN_MODE].number == PAT_MODE_V2 && strcmp(writer->name, pat_writer_gs2.name) == 0)
        writer = &pat_writer_gs2;
    *out = (struct ptn_outputs){.writer = writer,
                                .patterns_path = is_picture ? NULL : path,
                                .pictures = {is_picture ? path : NULL, v[PTN_PICTURE].text},
                                .force = v[PTN_FORCE].given};
}

/* Check all output files for the patterns of f; NULL: these are not known yet. */
static ls_err ptn_check_files(const struct ptn_outputs *o, const struct pat_findings *f)
{
    char name[PATH_MAX];
    for (size_t i = 0; o->patterns_path && pat_write_path(o->writer, o->patterns_path, i, f, name); i++)
        LS_TRY(cli_output_check(name, o->force));
    return LS_OK;
}

/* Check that the file name ends as the format needs; names of pictures were sorted out before. */
static ls_err ptn_check_end(const struct ptn_outputs *o)
{
    const bool is_python = strcmp(o->writer->end, ".py") == 0;
    char why[512];
    if (!o->patterns_path) return LS_OK;
    const ls_err err = cli_ending_check(o->patterns_path, is_python ? CLI_ENDS_PYTHON : CLI_ENDS_JSON, true);
    if (err == LS_OK) return LS_OK;
    snprintf(why, sizeof(why), "%s", ls_last_error());
    return ls_fail(err, "%s; pictures end in .svg, .png or .html", why);
}

static ls_err ptn_check(const struct cli_value *v, const struct ptn_outputs *o)
{
    if (v[PTN_TO].given && !o->patterns_path)
        return ls_fail(LS_ERR_USAGE, "--to %s: name the file to write with -o", v[PTN_TO].text);
    for (int i = 0; i < PTN_PICTURES; i++) {
        if (!o->pictures[i]) continue;
        LS_TRY(vx_page_check(o->pictures[i]));
        LS_TRY(cli_output_check(o->pictures[i], o->force));
    }
    return ptn_check_files(o, NULL); /* checked before the work, for files whose names are known already */
}

/* Check that no output replaces an input. */
static ls_err ptn_check_inputs(const struct ptn_outputs *o, char *const *inputs, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (o->patterns_path) LS_TRY(cli_output_check_apart(o->patterns_path, inputs[i]));
        for (int k = 0; k < PTN_PICTURES; k++)
            if (o->pictures[k]) LS_TRY(cli_output_check_apart(o->pictures[k], inputs[i]));
    }
    return ptn_check_end(o);
}

static ls_err ptn_draw(const struct cli_value *v, const char *input, const struct pat_findings *f,
                       const char *path)
{
    /* f owns the configurations */
    struct pat_suite s = {.rows = calloc(f->len, sizeof(*s.rows)), .len = f->len};
    if (!s.rows) return ls_nomem("a picture of %zu patterns", f->len);
    for (size_t i = 0; i < f->len; i++)
        s.rows[i] = f->rows[i].config;
    const ls_err err = ptn_show_plot(&s, (struct ptn_show_range){0, s.len},
                                     (enum ptn_show_what)v[PTN_PLOT].number, input, path);
    free(s.rows);
    if (err == LS_OK) cli_note("drawn: %s", path);
    return err;
}

static struct pat_write_options ptn_write_options(const struct cli_value *v, const char *input,
                                                  const struct ptn_found *found)
{
    return (struct pat_write_options){.source = input,
                                      .accesses_max = ptn_longest(v),
                                      .scale = found->counts.scale,
                                      .note = ptn_write_note};
}

static ls_err ptn_save(const struct cli_value *v, const char *input, const struct ptn_outputs *o,
                       const struct ptn_found *found)
{
    const struct pat_findings *f = &found->findings;
    const struct pat_write_options options = ptn_write_options(v, input, found);
    LS_TRY(ptn_check_files(o, f));
    LS_TRY(pat_write(o->writer, f, &options, o->patterns_path));
    cli_note("%zu pattern%s: %s", f->len, f->len == 1 ? "" : "s", o->patterns_path);
    return LS_OK;
}

/* Suggest the next command, with at most two inputs to keep it short; not for a pipe or a device. */
static void ptn_next(char **operands, const struct ptn_outputs *o, size_t patterns_len)
{
    char inputs[2048];
    const bool is_input_kept =
        cli_output_is_kept(operands[0]) && (!operands[1] || cli_output_is_kept(operands[1]));
    if (!(o->patterns_path && patterns_len > 0 ? cli_output_is_kept(o->patterns_path) : is_input_kept))
        return;
    const char *second = operands[1] ? cli_quote(operands[1]) : "";
    snprintf(inputs, sizeof(inputs), "%s%s%s%s", cli_quote(operands[0]), *second ? " " : "", second,
             *second && operands[2] ? " ..." : "");
    if (patterns_len == 0)
        cli_next("loadstone patterns %s --trivial --min-accesses 1", inputs);
    else if (!o->patterns_path)
        cli_next("loadstone patterns %s -o patterns.json", inputs);
    else if (strcmp(o->writer->name, "gem5") == 0)
        cli_next("gem5.opt %s --pattern 0", cli_quote(o->patterns_path));
    else
        cli_next("loadstone replay %s", cli_quote(o->patterns_path));
}

static void ptn_list(const struct cli_value *v, const char *input, const struct ptn_outputs *o,
                     const struct ptn_found *found)
{
    const struct pat_write_options options = ptn_write_options(v, input, found);
    if (o->patterns_path && strcmp(o->patterns_path, "-") == 0) return; /* the patterns have been written */
    if (v[PTN_JSON].given)
        ptn_print_json(input, found, stdout);
    else if (o->patterns_path && o->writer->print)
        o->writer->print(&found->findings, &options, o->patterns_path, stdout);
    else
        ptn_print(input, found, v[PTN_TOP].given ? SIZE_MAX : 0, stdout);
    fflush(stdout);
}

/* Write files first: the reader of the listing may close the pipe early. */
static ls_err ptn_results(const struct cli_value *v, const char *input, const struct ptn_outputs *o,
                          const struct ptn_found *found)
{
    const struct pat_findings *f = &found->findings;
    if (f->len == 0 && (o->patterns_path || o->pictures[0] || o->pictures[1])) {
        ptn_list(v, input, o, found);
        return ls_fail(
            LS_ERR_ARG,
            "%s: no pattern passed the filters, nothing was written; --trivial and --min-accesses 1 keep more",
            input);
    }
    if (o->patterns_path) LS_TRY(ptn_save(v, input, o, found));
    for (int i = 0; i < PTN_PICTURES; i++)
        if (o->pictures[i]) LS_TRY(ptn_draw(v, input, f, o->pictures[i]));
    ptn_list(v, input, o, found);
    return LS_OK;
}

/* "a.log", "a.log and 3 more" */
static void ptn_input_text(char **operands, size_t len, char *out, size_t room)
{
    if (len == 1)
        snprintf(out, room, "%s", operands[0]);
    else
        snprintf(out, room, "%s and %zu more", operands[0], len - 1);
}

/* Check that the file name is none of another content; lackey's traces are text. */
static ls_err ptn_check_trace_end(const char *format, const char *path)
{
    if (strcmp(format, "lackey") == 0 && cli_ending_is(path, CLI_ENDS_TEXT)) return LS_OK;
    return cli_ending_check(path, CLI_ENDS_TRACE, false);
}

/* Write the accesses themselves, to drmemtrace or lackey, whatever patterns they have. */
static ls_err ptn_write_trace(const struct cli_value *v, char **operands, size_t operands_len,
                              const struct ptn_settings *s)
{
    struct pat_binaries binaries = {0};
    const struct pat_source_options o = {.format = s->format, .binaries = &binaries};
    pat_source *source = NULL;
    char number[CLI_CELL_BYTES];
    uint64_t accesses;
    const char *path = v[PTN_OUTPUT].text;
    if (!path) return ls_fail(LS_ERR_USAGE, "--to %s: name the file to write with -o", v[PTN_TO].text);
    LS_TRY(ptn_check_trace_end(v[PTN_TO].text, path));
    LS_TRY(cli_output_check(path, v[PTN_FORCE].given));
    for (size_t i = 0; i < operands_len; i++)
        LS_TRY(cli_output_check_apart(path, operands[i]));
    ls_err err = pat_many_open((const char *const *)operands, operands_len, &o, &source);
    if (err == LS_OK) err = pat_write_trace(source, v[PTN_TO].text, path, &accesses);
    pat_source_close(source);
    pat_binaries_fini(&binaries);
    if (err == LS_OK) cli_note("%s accesses: %s", cli_format_grouped(number, accesses), path);
    return err;
}

/* Return the exit status; options about patterns are refused. */
static int ptn_trace_run(const struct cli_value *v, char **operands, size_t operands_len)
{
    const uint64_t used = PTN_BIT(PTN_FORMAT) | PTN_BIT(PTN_TO) | PTN_BIT(PTN_OUTPUT) | PTN_BIT(PTN_FORCE);
    struct ptn_settings settings;
    char what[64];
    snprintf(what, sizeof(what), "--to %s", v[PTN_TO].text);
    const int status = cli_options_check(&cli_cmd_patterns, v, used, what);
    if (status != CLI_OK) return status;
    ptn_settings_of(v, &settings);
    const ls_err err = ptn_write_trace(v, operands, operands_len, &settings);
    return err == LS_OK ? CLI_OK : cli_fail(err);
}

static int ptn_extract_run(const struct cli_value *v, char **operands, size_t operands_len)
{
    struct ptn_settings settings;
    struct ptn_outputs outputs;
    struct ptn_found found = {0};
    char input[PATH_MAX + 40];
    if (pat_write_trace_known(v[PTN_TO].text)) return ptn_trace_run(v, operands, operands_len);
    ptn_settings_of(v, &settings);
    ptn_outputs_of(v, &outputs);
    settings.with_rows = outputs.patterns_path && outputs.writer->has_rows;
    ptn_input_text(operands, operands_len, input, sizeof(input));
    ls_err err = ptn_check(v, &outputs);
    if (err == LS_OK) err = ptn_check_inputs(&outputs, operands, operands_len);
    if (err == LS_OK) err = ptn_read_files((const char *const *)operands, operands_len, &settings, &found);
    if (err == LS_OK) err = ptn_results(v, input, &outputs, &found);
    if (err == LS_OK) ptn_next(operands, &outputs, found.findings.len);
    ptn_found_fini(&found);
    return err == LS_OK ? CLI_OK : cli_fail(err);
}

const struct ptn_action ptn_action_extract = {
    .about = {.name = "",
              .operands = "INPUT...",
              .options = PTN_BITS_FIND | PTN_BIT(PTN_OUTPUT) | PTN_BIT(PTN_TO) | PTN_BIT(PTN_PICTURE) |
                         PTN_BIT(PTN_PLOT) | PTN_BIT(PTN_JSON) | PTN_BIT(PTN_FORCE)},
    .operands_min = 1,
    .operands_max = SIZE_MAX,
    .run = ptn_extract_run,
};
