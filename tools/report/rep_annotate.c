/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "analyse/an_annotate.h"
#include "analyse/an_function.h"
#include "common/ls_text.h"
#include "run_h5/prof_tables.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_parse.h"
#include "tools/cli/cli_term.h"
#include "tools/report/rep_view.h"
#include "tools/report/rep_print.h"
#include "symbols/sym_code.h"
#include "tools/report/rep_disassemble.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- instructions ---- */

/* The text of sampled instructions, from the files that ran as far as they are still there. */

struct rep_code {
    const struct prof_module *modules;
    size_t modules_len;
    struct rep_code_file {
        sym_code *code; /* NULL: could not be opened, or not opened yet */
        bool is_tried;
    } * files;     /* beside modules */
    char why[512]; /* the first reason for which instructions have no text, "" when there is none */
};

/* Owns:   the caller ends c with rep_code_fini, also after a failure; v must outlive c.
 * Errors: LS_ERR_NOMEM. */
static ls_err rep_code_init(struct rep_code *c, const struct rep_view *v)
{
    memset(c, 0, sizeof(*c));
    c->modules = prof_modules(v->profile, &c->modules_len);
    c->files = calloc(c->modules_len + 1, sizeof(*c->files));
    return c->files ? LS_OK : ls_nomem("%zu modules", c->modules_len);
}

/* Owns:   frees the members of c. */
static void rep_code_fini(struct rep_code *c)
{
    for (size_t i = 0; c->files && i < c->modules_len; i++)
        sym_code_free(c->files[i].code);
    free(c->files);
    c->files = NULL;
}

static void rep_code_say(struct rep_code *c, const char *why)
{
    if (!*c->why) snprintf(c->why, sizeof(c->why), "%s", why);
}

/* Return the row of the module that contains l->ip in the line's process; modules_len if there is none. */
static size_t rep_module_of(const struct rep_code *c, const struct prof_line *l)
{
    size_t i = 0;
    while (i < c->modules_len &&
           (c->modules[i].process != l->process || l->ip < c->modules[i].base || l->ip >= c->modules[i].end))
        i++;
    return i;
}

static sym_code *rep_code_of(struct rep_code *c, size_t module)
{
    struct rep_code_file *f = &c->files[module];
    const char *path = c->modules[module].path;
    if (!f->is_tried && sym_code_open(path, c->modules[module].build_id, &f->code) != LS_OK) {
        char why[sizeof(c->why)];
        snprintf(why, sizeof(why), "%s%s", ls_last_error(), ls_text_cleaned_remedy(path));
        f->code = NULL;
        rep_code_say(c, why);
    }
    f->is_tried = true;
    return f->code;
}

/* Return the instruction at that line's address; "" if it is not known, with the reason in c->why.
 * Owns:   nothing; the text is in out. */
static const char *rep_code_text(struct rep_code *c, const struct prof_line *l,
                                 char out[REP_INSTRUCTION_TEXT])
{
    uint8_t bytes[REP_INSTRUCTION_BYTES];
    out[0] = '\0';
    const size_t module = rep_module_of(c, l);
    if (module == c->modules_len) {
        rep_code_say(c, "some instructions lie in no module");
        return out;
    }
    sym_code *code = rep_code_of(c, module);
    if (!code) return out;
    const size_t len = sym_code_read(code, l->ip - c->modules[module].bias, bytes, sizeof(bytes));
    if (rep_disassemble(l->ip, bytes, len, out) == 0) {
        out[0] = '\0';
        rep_code_say(c,
                     "some instructions cannot be decoded (or this build has no decoder: Zydis was missing)");
    }
    return out;
}

/* ---- annotated functions ---- */

enum {
    REP_FUNCTIONS_MAX = 16,
    REP_WIDE_COLUMNS = 110,
    REP_TAB = 4,
    REP_NEAREST = 3,
    REP_INLINED_BYTES = 256
};
#define REP_HOT 0.1 /* share of time or stall from which a line is marked as hot */

struct rep_annotation {
    const struct rep_view *v;
    const struct rep_annotate_options *options;
    struct rep_code code;
    bool by_instruction; /* mode of the current function */
    bool is_wide;
    FILE *out;
    struct ls_json json;
};

/* --- the table of one function --- */

static const char *rep_percent(char out[CLI_CELL_BYTES], const struct an_interval *i)
{
    return cli_format_percent(out, i->share);
}

static void rep_print_columns_head(const struct rep_annotation *a)
{
    static const char *const narrow[] = {"  time  stall median", "     %      % cycles"};
    static const char *const wide[] = {"  time  stall samples median   p95",
                                       "     %      %         cycles      "};
    const char *const *lines = a->is_wide ? wide : narrow;
    const char *what = a->by_instruction ? "     address" : "  line";
    const char *bold = cli_colour_begin(STDOUT_FILENO, CLI_BOLD), *plain = cli_colour_end(STDOUT_FILENO);
    fprintf(a->out, "%s%s", bold, lines[0]);
    for (int l = 0; l < PROF_LEVEL_COUNT; l++)
        fprintf(a->out, " %4s", rep_level_head(a->v, prof_level_names[l]));
    fprintf(a->out, " %s%s\n%s%s", what, plain, bold, lines[1]);
    for (int l = 0; l < PROF_LEVEL_COUNT; l++)
        fprintf(a->out, " %4s", *rep_level_head(a->v, prof_level_names[l]) ? "%" : "");
    fprintf(a->out, "%s\n", plain);
}

static void rep_print_level(const struct rep_annotation *a, const struct an_row *r, enum prof_level level)
{
    const uint64_t known = r->measured - r->level_unknown;
    if (known && prof_level_heading(a->v->run, level))
        fprintf(a->out, " %4.0f", (double)r->levels[level] / (double)known * 100);
    else
        fprintf(a->out, " %4s", "");
}

static int rep_cells_width(const struct rep_annotation *a)
{
    return a->is_wide ? 54 : 40;
}

static void rep_print_cells(const struct rep_annotation *a, uint32_t group)
{
    char cell[CLI_CELL_BYTES];
    if (group == AN_UNSAMPLED) {
        fprintf(a->out, "%*s", rep_cells_width(a), "");
        return;
    }
    const struct an_row *r = an_table_total(a->v->table, group);
    const struct an_interval time = an_bootstrap_share(a->v->bootstrap, a->v->table, group, AN_TIME),
                             stall = rep_stall_share(a->v, a->v->table, group);
    fprintf(a->out, "%6s", rep_percent(cell, &time));
    fprintf(a->out, " %6s", rep_percent(cell, &stall));
    if (a->is_wide) fprintf(a->out, " %7s", cli_format_count(cell, (double)r->samples));
    fprintf(a->out, " %6s", r->measured ? cli_format_cycles(cell, r->median_cycles) : "");
    if (a->is_wide) fprintf(a->out, " %5s", r->measured ? cli_format_cycles(cell, r->p95_cycles) : "");
    for (int l = 0; l < PROF_LEVEL_COUNT; l++)
        rep_print_level(a, r, (enum prof_level)l);
}

/* Tabs as blanks; on a terminal cut at its edge, so that the columns stay columns. */
static void rep_print_source(const struct rep_annotation *a, const char *text, int at)
{
    const int edge = isatty(STDOUT_FILENO) ? cli_term_width() : INT32_MAX;
    for (int column = 0; *text && at + column < edge; text++) {
        if (*text == '\t') {
            const int blanks = REP_TAB - column % REP_TAB;
            fprintf(a->out, "%*s", blanks, "");
            column += blanks;
            continue;
        }
        fputc(*text, a->out);
        column += (text[1] & 0xc0) != 0x80;
    }
}

static bool rep_is_hot(const struct rep_annotation *a, uint32_t group)
{
    if (group == AN_UNSAMPLED) return false;
    const struct an_row *r = an_table_total(a->v->table, group);
    return r->time_ns >= REP_HOT * a->v->costs.weight_ns ||
           (r->stall_ns > 0 && r->stall_ns >= REP_HOT * a->v->costs.stall_total_ns);
}

static void rep_print_instruction(struct rep_annotation *a, const struct an_annotated *l)
{
    char text[REP_INSTRUCTION_TEXT], row[REP_INSTRUCTION_TEXT + 300];
    const struct prof_line *line = &a->v->tables.lines[l->row];
    rep_code_text(&a->code, line, text);
    snprintf(row, sizeof(row), *line->file ? "  %-40s  # %s:%u" : "  %s", text, ls_base_name(line->file),
             line->line);
    const int at = fprintf(a->out, " %12" PRIx64, line->ip);
    rep_print_source(a, row, rep_cells_width(a) + at);
}

static void rep_print_source_line(struct rep_annotation *a, const struct an_annotated *l)
{
    if (l->line == 0) {
        fprintf(a->out, " %6s  (no line known)", "");
        return;
    }
    const char *text = l->text ? l->text : "(no source text)";
    fprintf(a->out, *text ? " %6u  " : " %6u", l->line);
    rep_print_source(a, text, rep_cells_width(a) + 9);
}

static void rep_print_line(struct rep_annotation *a, const struct an_annotated *l)
{
    const bool hot = rep_is_hot(a, l->group);
    if (l->follows_gap) fprintf(a->out, "%*s%s\n", rep_cells_width(a) + 6, "", cli_term_utf8() ? "⋮" : ":");
    fputs(hot ? cli_colour_begin(STDOUT_FILENO, CLI_YELLOW) : "", a->out);
    rep_print_cells(a, l->group);
    (a->by_instruction ? rep_print_instruction : rep_print_source_line)(a, l);
    fprintf(a->out, "%s\n", hot ? cli_colour_end(STDOUT_FILENO) : "");
}

static void rep_print_function(struct rep_annotation *a, uint32_t function, const struct an_annotated *rows,
                               size_t len)
{
    const struct an_row *r = an_table_total(a->v->table, function);
    const struct an_interval time = an_bootstrap_share(a->v->bootstrap, a->v->table, function, AN_TIME),
                             stall = rep_stall_share(a->v, a->v->table, function);
    char t[CLI_CELL_BYTES], s[CLI_CELL_BYTES], n[CLI_CELL_BYTES];
    fprintf(a->out, "%s%s%s: %s %% of the time, %s %% of the stall, %s samples\n",
            cli_colour_begin(STDOUT_FILENO, CLI_BOLD), rep_label(a->v, function),
            cli_colour_end(STDOUT_FILENO), rep_format_share(&time, t), rep_format_share(&stall, s),
            cli_format_grouped(n, r->samples));
    for (size_t i = 0; i < len; i++) {
        if (i == 0 || (!a->by_instruction && strcmp(rows[i].file, rows[i - 1].file) != 0)) {
            if (*rows[i].file && !a->by_instruction) fprintf(a->out, "%s%s\n", i ? "\n" : "", rows[i].file);
            rep_print_columns_head(a);
        }
        rep_print_line(a, &rows[i]);
    }
    if (!a->is_wide) fprintf(a->out, "(not shown: samples, p95; COLUMNS=%d shows all)\n", REP_WIDE_COLUMNS);
    fputc('\n', a->out);
}

/* --- the same as JSON --- */

static void rep_json_numbers_of(struct rep_annotation *a, uint32_t group)
{
    const struct an_interval time = an_bootstrap_share(a->v->bootstrap, a->v->table, group, AN_TIME),
                             stall = rep_stall_share(a->v, a->v->table, group);
    rep_json_numbers(an_table_total(a->v->table, group), &time, &stall, &a->json);
}

static void rep_json_line(struct rep_annotation *a, const struct an_annotated *l)
{
    struct ls_json *j = &a->json;
    char text[REP_INSTRUCTION_TEXT];
    ls_json_open(j, NULL, '{');
    ls_json_text(j, "file", l->file);
    ls_json_u64(j, "line", l->line);
    if (a->by_instruction) {
        const struct prof_line *line = &a->v->tables.lines[l->row];
        ls_json_u64(j, "ip", line->ip);
        ls_json_text(j, "text", rep_code_text(&a->code, line, text));
    } else {
        ls_json_text(j, "text", l->text);
    }
    if (l->group != AN_UNSAMPLED) rep_json_numbers_of(a, l->group);
    ls_json_close(j, '}');
}

static void rep_json_function(struct rep_annotation *a, uint32_t function, const struct an_annotated *rows,
                              size_t len)
{
    const struct an_keys *k = &a->v->groups.keys[0];
    const struct prof_line *l = &a->v->tables.lines[k->keys[a->v->groups.groups[function].number]];
    ls_json_open(&a->json, NULL, '{');
    ls_json_text(&a->json, "function", l->function);
    ls_json_text(&a->json, "module", l->module);
    rep_json_numbers_of(a, function);
    ls_json_open(&a->json, "lines", '[');
    for (size_t i = 0; i < len; i++)
        rep_json_line(a, &rows[i]);
    ls_json_close(&a->json, ']');
    ls_json_close(&a->json, '}');
}

/* --- which functions --- */

/* Return whether the function of that line has samples. */
static bool rep_has_samples(const struct rep_view *v, const struct prof_line *l)
{
    const struct an_keys *k = &v->groups.keys[0];
    for (uint32_t n = 0; n < k->len; n++) {
        const struct prof_line *other = &v->tables.lines[k->keys[n]];
        if (rep_is_seen(an_table_total(v->table, n)) && strcmp(other->function, l->function) == 0 &&
            strcmp(other->module, l->module) == 0)
            return true;
    }
    return false;
}

/* The functions with samples that were inlined into the one of that name: "a, b"; "" when there are none. */
static void rep_inlined_into(const struct rep_view *v, const char *function, char out[REP_INLINED_BYTES])
{
    size_t len = 0;
    out[0] = '\0';
    for (size_t i = 0; i < v->tables.lines_len && len < REP_INLINED_BYTES; i++) {
        const struct prof_line *l = &v->tables.lines[i];
        if (strcmp(l->symbol, function) != 0 || !*l->function || strcmp(l->function, function) == 0) continue;
        if (strstr(out, l->function) || !rep_has_samples(v, l)) continue;
        len += (size_t)snprintf(out + len, REP_INLINED_BYTES - len, len ? ", %s" : "%s", l->function);
    }
}

/* Return the nearest name with samples that is not in `found`, else a name that contains `function`. */
static const char *rep_nearest_function(const struct rep_view *v, const char *function,
                                        const char *const *found, size_t found_len)
{
    const struct an_keys *k = &v->groups.keys[0];
    struct cli_nearest nearest = cli_nearest_to(function, strlen(function));
    const char *contains = NULL;
    for (uint32_t n = 0; n < k->len; n++) {
        const char *name = v->tables.lines[k->keys[n]].function;
        bool taken = !*name || !rep_is_seen(an_table_total(v->table, n));
        for (size_t i = 0; i < found_len; i++)
            taken = taken || strcmp(found[i], name) == 0;
        if (taken) continue;
        cli_nearest_offer(&nearest, name);
        if (!contains && *function && strcasestr(name, function)) contains = name;
    }
    const char *best = cli_nearest_best(&nearest);
    return best ? best : contains;
}

static ls_err rep_fail_function(const struct rep_view *v, const char *function)
{
    const char *names[REP_NEAREST] = {0};
    char inlined[REP_INLINED_BYTES];
    size_t len = 0;
    rep_inlined_into(v, function, inlined);
    if (*inlined)
        return ls_fail(
            LS_ERR_USAGE,
            "--annotate: '%s' has no samples; the ones in its code belong to functions inlined into it: %s",
            function, inlined);
    while (len < REP_NEAREST && (names[len] = rep_nearest_function(v, function, names, len)))
        len++;
    if (len == 0)
        return ls_fail(
            LS_ERR_USAGE,
            "--annotate: no sample is in a function '%s'; loadstone report --by function %s lists them",
            function, v->options.path);
    return ls_fail(LS_ERR_USAGE, "--annotate: no sample is in a function '%s'; did you mean %s%s%s%s%s?",
                   function, names[0], len > 1 ? " or " : "", len > 1 ? names[1] : "", len > 2 ? " or " : "",
                   len > 2 ? names[2] : "");
}

static int rep_compare_functions(const void *a, const void *b, void *user)
{
    const struct rep_view *v = user;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const double p = an_table_total(v->table, x)->time_ns, q = an_table_total(v->table, y)->time_ns;
    return p != q ? (p < q) - (p > q) : (x > y) - (x < y);
}

/* List the functions with this name that have samples, the costliest first. */
static size_t rep_functions(const struct rep_view *v, const char *name, uint32_t functions[REP_FUNCTIONS_MAX])
{
    size_t len = an_functions_named(&v->groups, &v->tables, name, functions, REP_FUNCTIONS_MAX), kept = 0;
    if (len > REP_FUNCTIONS_MAX) len = REP_FUNCTIONS_MAX;
    for (size_t i = 0; i < len; i++)
        if (rep_is_seen(an_table_total(v->table, functions[i]))) functions[kept++] = functions[i];
    qsort_r(functions, kept, sizeof(*functions), rep_compare_functions, (void *)(uintptr_t)v);
    return kept;
}

static ls_err rep_annotate_function(struct rep_annotation *a, uint32_t function)
{
    struct an_annotated *rows = NULL;
    size_t len = 0;
    struct an_source_text sources;
    sources.rows = prof_sources(a->v->profile, &sources.len);
    LS_TRY(a->by_instruction
               ? an_annotate_instructions(&a->v->groups, &a->v->tables, function, &rows, &len)
               : an_annotate_lines(&a->v->groups, &a->v->tables, &sources, function, &rows, &len));
    (a->options->json ? rep_json_function : rep_print_function)(a, function, rows, len);
    free(rows);
    return LS_OK;
}

static bool rep_has_lines(const struct rep_view *v, uint32_t function)
{
    const struct an_keys *k = &v->groups.keys[1];
    for (uint32_t g = 0; g < v->groups.groups_len; g++) {
        const struct an_group *group = &v->groups.groups[g];
        if (group->depth == 1 && group->parent == function && group->number < k->len &&
            v->tables.lines[k->keys[group->number]].line > 0)
            return true;
    }
    return false;
}

/* Print functions with lines first, then functions without lines, by instruction. */
static ls_err rep_annotate_all(struct rep_annotation *a, struct rep_view *v)
{
    uint32_t functions[REP_FUNCTIONS_MAX];
    const size_t len = rep_functions(v, a->options->function, functions);
    bool lineless = false;
    if (len == 0) return rep_fail_function(v, a->options->function);
    for (size_t i = 0; i < len; i++) {
        if (!a->options->by_instruction && rep_has_lines(v, functions[i]))
            LS_TRY(rep_annotate_function(a, functions[i]));
        else
            lineless = true;
        functions[i] =
            a->options->by_instruction || !rep_has_lines(v, functions[i]) ? functions[i] : AN_NO_KEY;
    }
    if (!lineless) return LS_OK;
    a->by_instruction = true;
    LS_TRY(rep_view_regroup(v, "function,ip")); /* groups of the first dimension keep their numbers */
    for (size_t i = 0; i < len; i++)
        if (functions[i] != AN_NO_KEY) LS_TRY(rep_annotate_function(a, functions[i]));
    return LS_OK;
}

static ls_err rep_annotate_view(struct rep_annotation *a, struct rep_view *v)
{
    struct ls_json *j = &a->json;
    LS_TRY(rep_code_init(&a->code, v));
    if (a->options->json) {
        ls_json_open(j, NULL, '{');
        ls_json_u64(j, "schema", REP_JSON_SCHEMA);
        ls_json_text(j, "file", v->options.path);
        ls_json_open(j, "functions", '[');
    }
    LS_TRY(rep_annotate_all(a, v));
    if (a->options->json) {
        ls_json_close(j, ']');
        ls_json_text(j, "instructions_missing", a->code.why);
        ls_json_close(j, '}');
    } else if (*a->code.why) {
        fflush(a->out);
        cli_note("instructions without text: %s", a->code.why);
    }
    return LS_OK;
}

ls_err rep_annotate(const struct rep_options *o, const struct rep_annotate_options *options, FILE *out)
{
    struct rep_options by_line = *o;
    struct rep_view v;
    struct rep_annotation a = {.v = &v,
                               .options = options,
                               .is_wide = cli_term_width() >= REP_WIDE_COLUMNS,
                               .out = out,
                               .json = {.out = out}};
    by_line.by = "function,line";
    ls_err err = rep_view_init(&v, &by_line);
    if (err == LS_OK && an_function_has_file(&v.tables, options->function)) {
        v.tables.by_file = true;
        err = rep_view_regroup(&v, by_line.by);
    }
    if (err == LS_OK) err = rep_annotate_view(&a, &v);
    rep_code_fini(&a.code);
    rep_view_fini(&v);
    return err;
}
