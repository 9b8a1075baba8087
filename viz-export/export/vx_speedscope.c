/* SPDX-License-Identifier: BSD-3-Clause */
/* speedscope's file format (github.com/jlfwong/speedscope, importing from custom sources): frames once, and for each
 * thread a list of sampled stacks with weights, one list of CPU time and one of waiting. */
#include "common/ls_json.h"
#include "viz-export/export/vx_stacks.h"

#include <math.h>

static void vx_speedscope_frames(const struct vx_stacks *s, struct ls_json *j)
{
    ls_json_open(j, "shared", '{');
    ls_json_open(j, "frames", '[');
    for (size_t f = 0; f < s->frames.len; f++) {
        ls_json_open(j, NULL, '{');
        ls_json_text(j, "name", s->frames.rows[f].name);
        if (*s->frames.rows[f].module) ls_json_text(j, "file", s->frames.rows[f].module);
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
    ls_json_close(j, '}');
}

static void vx_speedscope_stack(const struct vx_stacks *s, uint32_t stack, struct ls_json *j)
{
    if (stack >= s->stacks.len) return;
    vx_speedscope_stack(s, s->stacks.rows[stack].parent, j);
    ls_json_u64(j, NULL, s->stacks.rows[stack].frame);
}

static double vx_cost_value(const struct vx_stack_cost *c, bool is_waiting)
{
    return round(is_waiting ? c->wait_ns : c->cpu_ns);
}

struct vx_speedscope_list {
    const struct vx_stacks *stacks;
    const struct vx_stack_cost *costs;
    size_t len;
    bool is_waiting;
};

static double vx_speedscope_sum(const struct vx_speedscope_list *l)
{
    double sum = 0;
    for (size_t i = 0; i < l->len; i++)
        sum += vx_cost_value(&l->costs[i], l->is_waiting);
    return sum;
}

static void vx_speedscope_profile(const struct vx_speedscope_list *l, const char *thread, struct ls_json *j)
{
    char name[512];
    if (vx_speedscope_sum(l) <= 0) return;
    snprintf(name, sizeof(name), "%.480s: %s", thread, l->is_waiting ? "waiting" : "CPU time");
    ls_json_open(j, NULL, '{');
    ls_json_text(j, "type", "sampled");
    ls_json_text(j, "name", name);
    ls_json_text(j, "unit", "nanoseconds");
    ls_json_u64(j, "startValue", 0);
    ls_json_number(j, "endValue", vx_speedscope_sum(l));
    ls_json_open(j, "samples", '[');
    for (size_t i = 0; i < l->len; i++) {
        if (vx_cost_value(&l->costs[i], l->is_waiting) <= 0) continue;
        ls_json_open(j, NULL, '[');
        vx_speedscope_stack(l->stacks, l->costs[i].stack, j);
        ls_json_close(j, ']');
    }
    ls_json_close(j, ']');
    ls_json_open(j, "weights", '[');
    for (size_t i = 0; i < l->len; i++) {
        const double value = vx_cost_value(&l->costs[i], l->is_waiting);
        if (value > 0) ls_json_number(j, NULL, value);
    }
    ls_json_close(j, ']');
    ls_json_close(j, '}');
}

static void vx_speedscope_profiles(const struct vx_stacks *s, const struct vx_source *from, struct ls_json *j)
{
    ls_json_open(j, "profiles", '[');
    for (size_t i = 0, end; i < s->costs.len; i = end) {
        const uint32_t thread = s->costs.rows[i].thread;
        const char *name =
            thread < from->tables->threads_len ? from->tables->threads[thread].name : "no thread known";
        for (end = i; end < s->costs.len && s->costs.rows[end].thread == thread; end++) {
        }
        for (int waiting = 0; waiting < 2; waiting++) {
            const struct vx_speedscope_list list = {s, &s->costs.rows[i], end - i, waiting};
            vx_speedscope_profile(&list, name, j);
        }
    }
    ls_json_close(j, ']');
}

static void vx_speedscope_print(const struct vx_stacks *s, const struct vx_source *from, FILE *out)
{
    struct ls_json j = {.out = out};
    ls_json_open(&j, NULL, '{');
    ls_json_text(&j, "$schema", "https://www.speedscope.app/file-format-schema.json");
    ls_json_text(&j, "exporter", "loadstone");
    ls_json_text(&j, "name", vx_command_words(from->run->command));
    ls_json_u64(&j, "activeProfileIndex", 0);
    vx_speedscope_frames(s, &j);
    vx_speedscope_profiles(s, from, &j);
    ls_json_close(&j, '}');
    fputc('\n', out);
}

static ls_err vx_speedscope_export(const struct vx_source *s, const struct vx_request *r, ls_outputs *files)
{
    struct vx_stacks stacks;
    FILE *out;
    ls_err err = vx_stacks_init(&stacks, s);
    if (err == LS_OK) err = ls_outputs_open(files, r->path, &out);
    if (err == LS_OK) vx_speedscope_print(&stacks, s, out);
    vx_stacks_fini(&stacks);
    return err;
}

const struct vx_exporter vx_exporter_speedscope = {
    .name = "speedscope",
    .ends = ".speedscope.json",
    .words = "call stacks of each thread: CPU time, waiting by data (speedscope.app)",
    .needs = VX_NEEDS_TREE,
    .one_file = true,
    .write = vx_speedscope_export};
