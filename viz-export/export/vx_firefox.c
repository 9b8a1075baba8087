/* SPDX-License-Identifier: BSD-3-Clause */
/* The processed profile of the Firefox Profiler, version 48 (github.com/firefox-devtools/profiler,
 * docs-developer/CHANGELOG-formats.md): for each thread a track of CPU time and one of waiting, each with its own
 * tables of names, functions, frames and stacks. Tables are columns of equal length. */
#include "common/ls_json.h"
#include "viz-export/export/vx_stacks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VX_FIREFOX_VERSION = 48, VX_FIREFOX_CATEGORIES = 2, VX_FIREFOX_NONE = UINT32_MAX };

/* A track: costs of one thread, and the stacks and frames that they use, numbered from 0 on. */
struct vx_track {
    const struct vx_stacks *stacks;
    const struct vx_source *from;
    const struct vx_stack_cost *costs;
    size_t len;
    bool is_waiting;
    uint32_t *stack_number, *frame_number; /* UINT32_MAX: not used */
    struct ls_json *j;
};

static double vx_track_ms(const struct vx_track *t, size_t i)
{
    return round(t->is_waiting ? t->costs[i].wait_ns : t->costs[i].cpu_ns) / 1e6;
}

static bool vx_track_has(const struct vx_track *t, size_t i)
{
    return vx_track_ms(t, i) > 0;
}

static void vx_track_mark(const struct vx_track *t)
{
    const struct vx_stacks *s = t->stacks;
    uint32_t stacks = 0, frames = 0;
    memset(t->stack_number, 0xff, s->stacks.len * sizeof(*t->stack_number));
    memset(t->frame_number, 0xff, s->frames.len * sizeof(*t->frame_number));
    for (size_t i = 0; i < t->len; i++)
        for (uint32_t at = vx_track_has(t, i) ? t->costs[i].stack : VX_FIREFOX_NONE; at < s->stacks.len;
             at = s->stacks.rows[at].parent) {
            if (t->stack_number[at] == 0) break;
            t->stack_number[at] = 0;
            t->frame_number[s->stacks.rows[at].frame] = 0;
        }
    for (size_t i = 0; i < s->stacks.len; i++)
        if (t->stack_number[i] == 0) t->stack_number[i] = stacks++;
    for (size_t i = 0; i < s->frames.len; i++)
        if (t->frame_number[i] == 0) t->frame_number[i] = frames++;
}

typedef void vx_firefox_cell(const struct vx_track *t, size_t row);

/* Write a column with a value for each marked row. */
static size_t vx_firefox_column(const struct vx_track *t, const char *name, const uint32_t *marks, size_t len,
                                vx_firefox_cell *cell)
{
    size_t n = 0;
    ls_json_open(t->j, name, '[');
    for (size_t i = 0; i < len; i++) {
        if (marks[i] == VX_FIREFOX_NONE) continue;
        cell(t, i);
        n++;
    }
    ls_json_close(t->j, ']');
    return n;
}

static void vx_cell_null(const struct vx_track *t, size_t row)
{
    (void)row;
    ls_json_number(t->j, NULL, NAN);
}

static void vx_cell_zero(const struct vx_track *t, size_t row)
{
    (void)row;
    ls_json_u64(t->j, NULL, 0);
}

static void vx_cell_unknown(const struct vx_track *t, size_t row)
{
    (void)row;
    ls_json_i64(t->j, NULL, -1);
}

static void vx_cell_false(const struct vx_track *t, size_t row)
{
    (void)row;
    ls_json_bool(t->j, NULL, false);
}

static void vx_cell_frame(const struct vx_track *t, size_t frame)
{
    ls_json_u64(t->j, NULL, t->frame_number[frame]);
}

/* Strings are the names of the frames, then their modules. */
static void vx_cell_module(const struct vx_track *t, size_t frame)
{
    size_t frames = 0;
    for (size_t i = 0; i < t->stacks->frames.len; i++)
        frames += t->frame_number[i] != VX_FIREFOX_NONE;
    if (*t->stacks->frames.rows[frame].module)
        ls_json_u64(t->j, NULL, frames + t->frame_number[frame]);
    else
        vx_cell_null(t, frame);
}

/* Category 1 is data. */
static void vx_cell_frame_category(const struct vx_track *t, size_t frame)
{
    ls_json_u64(t->j, NULL, t->stacks->frames.rows[frame].is_data);
}

static void vx_cell_prefix(const struct vx_track *t, size_t stack)
{
    const uint32_t parent = t->stacks->stacks.rows[stack].parent;
    if (parent < stack)
        ls_json_u64(t->j, NULL, t->stack_number[parent]);
    else
        vx_cell_null(t, stack);
}

static void vx_cell_stack_frame(const struct vx_track *t, size_t stack)
{
    vx_cell_frame(t, t->stacks->stacks.rows[stack].frame);
}

static void vx_cell_stack_category(const struct vx_track *t, size_t stack)
{
    vx_cell_frame_category(t, t->stacks->stacks.rows[stack].frame);
}

struct vx_firefox_member {
    const char *name;
    vx_firefox_cell *cell;
};

static const struct vx_firefox_member vx_frame_members[] = {{"address", vx_cell_unknown},
                                                            {"inlineDepth", vx_cell_zero},
                                                            {"category", vx_cell_frame_category},
                                                            {"subcategory", vx_cell_zero},
                                                            {"func", vx_cell_frame},
                                                            {"nativeSymbol", vx_cell_null},
                                                            {"innerWindowID", vx_cell_null},
                                                            {"implementation", vx_cell_null},
                                                            {"line", vx_cell_null},
                                                            {"column", vx_cell_null},
                                                            {0}},
                                      vx_func_members[] = {{"isJS", vx_cell_false},
                                                           {"relevantForJS", vx_cell_false},
                                                           {"name", vx_cell_frame},
                                                           {"resource", vx_cell_unknown},
                                                           {"fileName", vx_cell_module},
                                                           {"lineNumber", vx_cell_null},
                                                           {"columnNumber", vx_cell_null},
                                                           {0}},
                                      vx_stack_members[] = {{"prefix", vx_cell_prefix},
                                                            {"frame", vx_cell_stack_frame},
                                                            {"category", vx_cell_stack_category},
                                                            {"subcategory", vx_cell_zero},
                                                            {0}};

static void vx_firefox_table(const struct vx_track *t, const char *name, const struct vx_firefox_member *m,
                             bool of_stacks)
{
    const size_t len = of_stacks ? t->stacks->stacks.len : t->stacks->frames.len;
    size_t rows = 0;
    ls_json_open(t->j, name, '{');
    for (; m->name; m++)
        rows = vx_firefox_column(t, m->name, of_stacks ? t->stack_number : t->frame_number, len, m->cell);
    ls_json_u64(t->j, "length", rows);
    ls_json_close(t->j, '}');
}

/* Tables without rows. */
static void vx_firefox_empty(const struct vx_track *t, const char *name, const char *const *columns)
{
    ls_json_open(t->j, name, '{');
    for (; *columns; columns++) {
        ls_json_open(t->j, *columns, '[');
        ls_json_close(t->j, ']');
    }
    ls_json_u64(t->j, "length", 0);
    ls_json_close(t->j, '}');
}

static void vx_firefox_strings(const struct vx_track *t)
{
    const struct vx_stacks *s = t->stacks;
    ls_json_open(t->j, "stringArray", '[');
    for (size_t i = 0; i < s->frames.len; i++)
        if (t->frame_number[i] != VX_FIREFOX_NONE) ls_json_text(t->j, NULL, s->frames.rows[i].name);
    for (size_t i = 0; i < s->frames.len; i++)
        if (t->frame_number[i] != VX_FIREFOX_NONE) ls_json_text(t->j, NULL, s->frames.rows[i].module);
    ls_json_close(t->j, ']');
}

/* Write the bursts, with the time that each represents as its weight. */
static void vx_firefox_samples(const struct vx_track *t)
{
    size_t len = 0;
    ls_json_open(t->j, "samples", '{');
    ls_json_open(t->j, "stack", '[');
    for (size_t i = 0; i < t->len; i++)
        if (vx_track_has(t, i)) {
            ls_json_u64(t->j, NULL, t->stack_number[t->costs[i].stack]);
            len++;
        }
    ls_json_close(t->j, ']');
    ls_json_open(t->j, "time", '[');
    for (size_t i = 0; i < t->len; i++)
        if (vx_track_has(t, i)) ls_json_double(t->j, NULL, (double)t->costs[i].time_ns / 1e6);
    ls_json_close(t->j, ']');
    ls_json_open(t->j, "weight", '[');
    for (size_t i = 0; i < t->len; i++)
        if (vx_track_has(t, i)) ls_json_double(t->j, NULL, vx_track_ms(t, i));
    ls_json_close(t->j, ']');
    ls_json_text(t->j, "weightType", "tracing-ms");
    ls_json_u64(t->j, "length", len);
    ls_json_close(t->j, '}');
}

static void vx_firefox_identity(const struct vx_track *t)
{
    const struct an_tables *tables = t->from->tables;
    const uint32_t number = t->costs[0].thread, process = an_tables_process(tables, number);
    const struct prof_thread *row = number < tables->threads_len ? &tables->threads[number] : NULL;
    char text[512];
    snprintf(text, sizeof(text), "%.480s: %s", row ? row->name : "no thread known",
             t->is_waiting ? "waiting" : "CPU time");
    ls_json_text(t->j, "name", text);
    ls_json_bool(t->j, "isMainThread", false);
    snprintf(text, sizeof(text), "%u", process < tables->processes_len ? tables->processes[process].pid : 0);
    ls_json_text(t->j, "pid", text);
    ls_json_u64(t->j, "tid", row ? row->tid : 0);
    ls_json_text(t->j, "processName",
                 vx_command_words(process < tables->processes_len ? tables->processes[process].cmdline : ""));
    ls_json_text(t->j, "processType", "default");
    ls_json_u64(t->j, "processStartupTime", 0);
    ls_json_number(t->j, "processShutdownTime", NAN);
    ls_json_double(t->j, "registerTime",
                   row && row->begin_ns != UINT64_MAX ? (double)row->begin_ns / 1e6 : 0);
    ls_json_double(t->j, "unregisterTime",
                   row && row->end_ns != UINT64_MAX ? (double)row->end_ns / 1e6 : NAN);
    ls_json_open(t->j, "pausedRanges", '[');
    ls_json_close(t->j, ']');
}

static void vx_firefox_thread(const struct vx_track *t)
{
    static const char *const resources[] = {"lib", "name", "host", "type", NULL},
                             *const symbols[] = {"libIndex", "address", "name", "functionSize", NULL},
                             *const markers[] = {"data",  "name",     "startTime", "endTime",
                                                 "phase", "category", NULL};
    bool any = false;
    for (size_t i = 0; i < t->len; i++)
        any |= vx_track_has(t, i);
    if (!any) return;
    vx_track_mark(t);
    ls_json_open(t->j, NULL, '{');
    vx_firefox_identity(t);
    vx_firefox_samples(t);
    vx_firefox_table(t, "stackTable", vx_stack_members, true);
    vx_firefox_table(t, "frameTable", vx_frame_members, false);
    vx_firefox_table(t, "funcTable", vx_func_members, false);
    vx_firefox_empty(t, "resourceTable", resources);
    vx_firefox_empty(t, "nativeSymbols", symbols);
    vx_firefox_empty(t, "markers", markers);
    vx_firefox_strings(t);
    ls_json_close(t->j, '}');
}

static void vx_firefox_meta(const struct vx_source *s, struct ls_json *j)
{
    static const char *const categories[VX_FIREFOX_CATEGORIES][2] = {{"Other", "grey"}, {"Data", "blue"}};
    const double start_ns = s->run->start_realtime_ns == UINT64_MAX ? 0 : (double)s->run->start_realtime_ns;
    ls_json_open(j, "meta", '{');
    ls_json_u64(j, "version", 24);
    ls_json_u64(j, "preprocessedProfileVersion", VX_FIREFOX_VERSION);
    ls_json_text(j, "product", vx_command_words(s->run->command));
    ls_json_text(j, "importedFrom", "Loadstone");
    ls_json_number(j, "startTime", round(start_ns / 1e6));
    ls_json_u64(j, "interval", 1);
    ls_json_u64(j, "processType", 0);
    ls_json_u64(j, "stackwalk", 1);
    ls_json_bool(j, "debug", false);
    ls_json_bool(j, "symbolicated", true);
    ls_json_bool(j, "sourceCodeIsNotOnSearchfox", true);
    ls_json_open(j, "categories", '[');
    for (int c = 0; c < VX_FIREFOX_CATEGORIES; c++) {
        ls_json_open(j, NULL, '{');
        ls_json_text(j, "name", categories[c][0]);
        ls_json_text(j, "color", categories[c][1]);
        ls_json_open(j, "subcategories", '[');
        ls_json_text(j, NULL, "Other");
        ls_json_close(j, ']');
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
    ls_json_open(j, "markerSchema", '[');
    ls_json_close(j, ']');
    ls_json_close(j, '}');
}

static void vx_firefox_print(const struct vx_stacks *s, struct vx_track *track)
{
    struct ls_json *j = track->j;
    ls_json_open(j, NULL, '{');
    vx_firefox_meta(track->from, j);
    for (int i = 0; i < 4; i++) {
        static const char *const lists[] = {"libs", "pages", "counters", "profilerOverhead"};
        ls_json_open(j, lists[i], '[');
        ls_json_close(j, ']');
    }
    ls_json_open(j, "threads", '[');
    for (size_t i = 0, end; i < s->costs.len; i = end) {
        for (end = i; end < s->costs.len && s->costs.rows[end].thread == s->costs.rows[i].thread; end++) {
        }
        track->costs = &s->costs.rows[i];
        track->len = end - i;
        for (int waiting = 0; waiting < 2; waiting++) {
            track->is_waiting = waiting;
            vx_firefox_thread(track);
        }
    }
    ls_json_close(j, ']');
    ls_json_close(j, '}');
    fputc('\n', j->out);
}

static ls_err vx_firefox_export(const struct vx_source *s, const struct vx_request *r, ls_outputs *files)
{
    struct vx_stacks stacks;
    struct ls_json j = {0};
    ls_err err = vx_stacks_init(&stacks, s);
    struct vx_track track = {.stacks = &stacks, .from = s, .j = &j};
    track.stack_number = malloc((stacks.stacks.len + 1) * sizeof(*track.stack_number));
    track.frame_number = malloc((stacks.frames.len + 1) * sizeof(*track.frame_number));
    if (err == LS_OK && !(track.stack_number && track.frame_number))
        err = ls_nomem("%zu stacks", stacks.stacks.len);
    if (err == LS_OK) err = ls_outputs_open(files, r->path, &j.out);
    if (err == LS_OK) vx_firefox_print(&stacks, &track);
    free(track.stack_number);
    free(track.frame_number);
    vx_stacks_fini(&stacks);
    return err;
}

const struct vx_exporter vx_exporter_firefox = {
    .name = "firefox",
    .ends = ".firefox.json",
    .words = "call stacks of each thread over time: CPU time, waiting by data (profiler.firefox.com)",
    .needs = VX_NEEDS_TREE,
    .one_file = true,
    .write = vx_firefox_export};
