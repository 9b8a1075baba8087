/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

/* loadstone view: a profile as one page that a browser opens without anything else. */
#include "common/ls_outputs.h"
#include "common/ls_text.h"
#include "run_h5/prof_atlas.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_output.h"
#include "tools/patterns/ptn_read.h"
#include "viz-export/view/vx_view.h"
#include "tools/report/rep_print.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- texts of the report as facts ---- */

/* Pairs of key and text. */
struct view_facts {
    char *text; /* storage of the texts of facts */
    struct vx_fact *facts;
    size_t len;
};

enum { VIEW_ITEM_INDENT = 2 };

/* Escape sequences of a terminal, "\033[...m", go. */
static void view_plain(char *text)
{
    char *to = text;
    for (const char *c = text; *c; c++) {
        if (*c != '\033') {
            *to++ = *c;
            continue;
        }
        while (c[1] && *c != 'm')
            c++;
    }
    *to = 0;
}

static size_t view_lines(const char *text)
{
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* A line with a key, or continuing the line above. */
static void view_add_line(struct view_facts *f, char *line)
{
    if (strlen(line) < REP_KEY_WIDTH) return;
    line[REP_KEY_WIDTH - 1] = 0;
    line[strcspn(line, " ")] = 0;
    f->facts[f->len++] = (struct vx_fact){line, line + REP_KEY_WIDTH};
}

/* A line of the conclusion. Folded lines are joined: their text moves to the end of the text above. */
static void view_add_folded(struct view_facts *f, char *line)
{
    const size_t indent = strspn(line, " ");
    if (indent == 0) {
        view_add_line(f, line);
    } else if (indent == VIEW_ITEM_INDENT) {
        f->facts[f->len++] = (struct vx_fact){"", line + indent};
    } else if (f->len > 0 && line[indent]) {
        char *end = strchr(f->facts[f->len - 1].text, 0);
        *end = ' ';
        memmove(end + 1, line + indent, strlen(line + indent) + 1);
    }
}

static void view_split(struct view_facts *f, void (*add)(struct view_facts *f, char *line))
{
    char *rest = f->text;
    for (char *line; (line = strsep(&rest, "\n")) && rest;)
        add(f, line);
}

/* Owns:   the caller ends out with view_facts_fini, also after a failure.  Errors: LS_ERR_NOMEM. */
static ls_err view_facts_init(struct view_facts *out, const struct rep_view *v,
                              ls_err (*print)(const struct rep_view *v, FILE *out),
                              void (*add)(struct view_facts *f, char *line))
{
    size_t len = 0;
    *out = (struct view_facts){0};
    FILE *memory = open_memstream(&out->text, &len);
    if (!memory) return ls_nomem("the head of the page");
    const ls_err err = print(v, memory);
    if (fclose(memory) != 0) return ls_nomem("the head of the page");
    LS_TRY(err);
    view_plain(out->text);
    out->facts = calloc(view_lines(out->text) + 1, sizeof(*out->facts));
    if (!out->facts) return ls_nomem("the head of the page");
    view_split(out, add);
    return LS_OK;
}

static ls_err view_print_head(const struct rep_view *v, FILE *out)
{
    rep_print_header_lines(v, out);
    rep_print_how_lines(v, out);
    return LS_OK;
}

/* Owns:   frees the members of f. */
static void view_facts_fini(struct view_facts *f)
{
    free(f->facts);
    free(f->text);
}

/* ---- the command ---- */

enum { VIEW_OUTPUT, VIEW_ROWS, VIEW_PATTERNS, VIEW_FORCE, VIEW_OPTIONS };
enum { VIEW_TILES_MAX = 200000, VIEW_STACKS_MAX = 50000, VIEW_ROWS_MAX = 50000 };
enum { VIEW_PATTERNS_MAX = 8, VIEW_LAYOUTS_MAX = 8 };

/* A profile has many samples: only the columns that the next step needs are in memory. */
#define VIEW_TILE_COLUMNS                                                                      \
    (PROF_MASK(op) | PROF_MASK(latency_cycles) | PROF_MASK(latency_valid) | PROF_MASK(level) | \
     PROF_MASK(node) | PROF_MASK(thread) | PROF_MASK(ip) | PROF_MASK(time_ns) | PROF_MASK(burst))
#define VIEW_PLACE_COLUMNS (PROF_MASK(field) | PROF_MASK(value))

static const struct cli_option view_options[VIEW_OPTIONS] = {
    [VIEW_OUTPUT] = {"output", 'o', CLI_FILE, "FILE", NULL,
                     "the page; default: the name of FILE with the suffix .html", "Output"},
    [VIEW_ROWS] = {"rows", 0, CLI_COUNT, "COUNT", "50000",
                   "single samples in the parallel coordinates, selected at random; at most 50000", "Output"},
    [VIEW_PATTERNS] =
        {"patterns", 0, CLI_TEXT, "INPUT|none", NULL,
         "take the access patterns from this trace of the program, or show none; default: from the "
         "bursts of FILE (loadstone patterns)",
         "Output"},
    [VIEW_FORCE] = {"force", 'f', CLI_FLAG, NULL, NULL, "overwrite the page", "Output"},
};

static char *view_output_of(const char *given, const char *input)
{
    char *out = NULL;
    if (given) return strdup(given);
    const size_t len = strlen(input);
    const size_t stem = len > 3 && strcmp(input + len - 3, ".h5") == 0 ? len - 3 : len;
    return asprintf(&out, "%.*s.html", (int)stem, input) < 0 ? NULL : out;
}

static ls_err view_write_file(const struct vx_view *page, const char *path, bool force)
{
    ls_outputs *files;
    FILE *out;
    LS_TRY(ls_outputs_new(force, &files));
    ls_err err = ls_outputs_open(files, path, &out);
    if (err == LS_OK) err = vx_view_write(page, out, path);
    if (err == LS_OK) err = ls_outputs_commit(files);
    ls_outputs_free(files);
    return err;
}

/* Content of the page: places of samples on the domains, and their sums. */
struct view_content {
    struct ptn_found patterns;
    char *layouts; /* JSON */
    struct ndm_atlas atlas;
    struct vx_view_places places;
    struct an_tiles tiles;
    struct an_ranks ranks;
    struct view_facts facts, conclusion;
    struct an_tile_row *rows;
    size_t rows_len;
};

static ls_err view_pick(struct view_content *c, const struct rep_view *v, uint64_t rows)
{
    const struct prof_samples *s = &v->in.samples;
    const size_t most = rows < VIEW_ROWS_MAX ? rows : VIEW_ROWS_MAX;
    uint64_t *picked = malloc((most + 1) * sizeof(*picked));
    c->rows = calloc(most + 1, sizeof(*c->rows));
    if (picked && c->rows) c->rows_len = an_pick_rows(picked, most, s->len);
    for (size_t r = 0; r < c->rows_len; r++)
        c->rows[r] = (struct an_tile_row){.sample = picked[r], .addr = s->addr[picked[r]]};
    const ls_err err = picked && c->rows ? LS_OK : ls_nomem("%zu rows", most);
    free(picked);
    return err;
}

static ls_err view_places(struct view_content *c, struct rep_view *v)
{
    LS_TRY(prof_atlas_read(v->profile, &c->atlas));
    if (c->atlas.fields_len > 0) LS_TRY(prof_load_samples(v->profile, VIEW_PLACE_COLUMNS, &v->in.samples));
    return vx_view_places_init(&c->places, &c->atlas, &v->in.samples);
}

static ls_err view_tiles(struct view_content *c, const struct rep_view *v)
{
    const struct an_places places = vx_view_places_of(&c->places);
    const struct an_tiles_input from = {.tables = &v->tables,
                                        .in = &v->in,
                                        .costs = &v->costs,
                                        .places = &places,
                                        .len_max = VIEW_TILES_MAX,
                                        .stacks_len_max = VIEW_STACKS_MAX,
                                        .rows = c->rows,
                                        .rows_len = c->rows_len};
    return an_tiles_init(&c->tiles, &from);
}

/* The members of the costliest types. */
static ls_err view_layouts(struct view_content *c, const struct rep_view *v)
{
    size_t len = 0;
    FILE *memory = open_memstream(&c->layouts, &len);
    if (!memory) return ls_nomem("the types of the page");
    struct ls_json j = {.out = memory, .escaped = LS_JSON_IN_HTML};
    const ls_err err = rep_json_layouts(v, VIEW_LAYOUTS_MAX, &j);
    return fclose(memory) == 0 || err != LS_OK ? err : ls_nomem("the types of the page");
}

static ls_err view_content_init(struct view_content *c, struct rep_view *v, uint64_t rows)
{
    *c = (struct view_content){0};
    if (rep_has_time(v)) LS_TRY(view_layouts(c, v));
    LS_TRY(view_facts_init(&c->conclusion, v, rep_print_conclusion, view_add_folded));
    LS_TRY(an_ranks_init(&c->ranks, v->profile));
    LS_TRY(view_pick(c, v, rows));
    LS_TRY(rep_view_keep_columns(v, 0));
    LS_TRY(view_places(c, v));
    LS_TRY(rep_view_keep_columns(v, VIEW_TILE_COLUMNS | (v->in.is_of_job ? PROF_MASK(count) : 0)));
    LS_TRY(view_tiles(c, v));
    LS_TRY(rep_view_keep_columns(v, 0));
    an_costs_fini(&v->costs);
    return view_facts_init(&c->facts, v, view_print_head, view_add_line);
}

/* Extract patterns with the limits of loadstone patterns, so that both cut and name them alike. If the user
 * named an input, a failure is an error; a profile without usable bursts just has no patterns. */
static ls_err view_patterns(const char *asked, const char *profile, struct ptn_found *out)
{
    const struct ptn_settings settings = {.extract = {.top = VIEW_PATTERNS_MAX,
                                                      .with_companions = true,
                                                      .merge_threads = true,
                                                      .fold_min = PAT_FOLD_MIN},
                                          .compact = {.seed = 1}};
    if (asked && strcmp(asked, "none") == 0) return LS_OK;
    const ls_err err = ptn_read(asked ? asked : profile, &settings, out);
    return asked || err == LS_ERR_NOMEM ? err : LS_OK;
}

static void view_content_fini(struct view_content *c)
{
    ptn_found_fini(&c->patterns);
    free(c->layouts);
    free(c->rows);
    view_facts_fini(&c->facts);
    view_facts_fini(&c->conclusion);
    an_tiles_fini(&c->tiles);
    an_ranks_fini(&c->ranks);
    vx_view_places_fini(&c->places);
    ndm_atlas_fini(&c->atlas);
}

/* The program's name without its directory; without a command the name of the profile. */
static const char *view_program(const struct rep_view *v, char out[PATH_MAX])
{
    const char *command = v->run->command;
    const int len = (int)strcspn(command, " ");
    if (len == 0 || snprintf(out, PATH_MAX, "%.*s", len, command) >= PATH_MAX) return v->options.path;
    return ls_base_name(out);
}

static ls_err view_page(const struct rep_view *v, const struct view_content *c, const char *path, bool force)
{
    size_t sources_len = 0;
    const struct prof_source *sources = prof_sources(v->profile, &sources_len);
    struct an_series_in series = {.duration_ns = v->tables.duration_ns};
    series.phases = prof_phases(v->profile, &series.phases_len);
    series.spans = prof_phase_spans(v->profile, &series.spans_len);
    series.counters = prof_counters(v->profile, &series.counters_len);
    series.readings = prof_readings(v->profile, &series.readings_len);
    char program[PATH_MAX];
    const struct vx_view page = {.title = view_program(v, program),
                                 .command = v->run->command,
                                 .path = v->options.path,
                                 .version = v->run->version,
                                 .facts = c->facts.facts,
                                 .facts_len = c->facts.len,
                                 .conclusion = c->conclusion.facts,
                                 .conclusion_len = c->conclusion.len,
                                 .tables = &v->tables,
                                 .samples_len = v->in.samples.len,
                                 .costs = &v->costs,
                                 .tiles = &c->tiles,
                                 .table = v->table,
                                 .bootstrap = v->bootstrap,
                                 .level_limit_cycles = v->run->level_limit_cycles,
                                 .sources = {sources, sources_len},
                                 .atlas = &c->atlas,
                                 .patterns = &c->patterns.findings,
                                 .layouts = c->layouts,
                                 .series = &series,
                                 .ranks = &c->ranks,
                                 .places = &c->places,
                                 .rows = c->rows,
                                 .rows_len = c->rows_len};
    return view_write_file(&page, path, force);
}

static ls_err view_make(const char *input, const struct cli_value *values, const char *path)
{
    const struct rep_options options = {.path = input,
                                        .by = "node",
                                        .slices = AN_TILE_SLICES,
                                        .is_complete = true,
                                        .columns = REP_LAYOUT_COLUMNS};
    struct rep_view v;
    struct view_content content = {0};
    ls_err err = rep_view_init(&v, &options);
    const bool has_time = err == LS_OK && rep_has_time(&v); /* otherwise no bursts, and no patterns */
    if (err == LS_OK) err = view_content_init(&content, &v, values[VIEW_ROWS].number);
    if (err == LS_OK && (has_time || values[VIEW_PATTERNS].given))
        err = view_patterns(values[VIEW_PATTERNS].text, input, &content.patterns);
    if (err == LS_OK) err = view_page(&v, &content, path, values[VIEW_FORCE].given);
    view_content_fini(&content);
    rep_view_fini(&v);
    return err;
}

static void view_next(const char *path, const char *input)
{
    struct stat st;
    if (stat(path, &st) == 0)
        cli_note("%s: %.1f MB, opens in any browser, offline", path, (double)st.st_size / 1e6);
    cli_next("xdg-open %s, or loadstone report %s", cli_quote(path), cli_quote(input));
}

static int view_run(const struct cli_command *c, const struct cli_value *v, char **operands)
{
    (void)c;
    char *path = view_output_of(v[VIEW_OUTPUT].text, operands[0]);
    ls_err err = path ? vx_view_check() : ls_nomem("a name");
    if (err == LS_OK) err = cli_ending_check(path, CLI_ENDS_PAGE, true);
    if (err == LS_OK) err = cli_output_check(path, v[VIEW_FORCE].given);
    if (err == LS_OK) err = view_make(operands[0], v, path);
    if (err == LS_OK) view_next(path, operands[0]);
    free(path);
    return err == LS_OK ? CLI_OK : cli_fail(err);
}

const struct cli_command cli_cmd_view = {
    .name = "view",
    .summary = "make a page of a profile, to explore in a browser",
    .operands = "FILE",
    .description =
        "Writes one file of HTML that needs nothing else: no server, no network. It begins with the conclusion of "
        "loadstone report, and shows the tree of data, the natural domain, latencies, time, counters of the "
        "machine (record --series), source lines, threads, ranks of a job, call stacks, members of types and single samples. A "
        "selection in one of them filters all others, and the numbers equal the output of loadstone report for "
        "that selection. The address of the page holds the selection: a copy of it opens the page with the same "
        "filters. Each panel can be saved as a picture and as a table.\n\n"
        "The page holds sums of the samples, by data, source line, thread, time, level and latency at once, "
        "and a random selection of samples for the parallel coordinates. Where there are too many "
        "combinations, slices of time and bins of latency become wider, and the least costly rows are merged; "
        "the page lists the merged ones.",
    .examples = "loadstone view loadstone.h5\nloadstone view naive.h5 -o naive.html\n",
    .options = view_options,
    .options_len = VIEW_OPTIONS,
    .operands_min = 1,
    .operands_max = 1,
    .reads_profiles = true,
    .run = view_run,
};
