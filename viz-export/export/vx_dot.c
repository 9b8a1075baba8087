/* SPDX-License-Identifier: BSD-3-Clause */
/* The semantic tree for Graphviz: a box for each node, coloured by a metric of its subtree. */
#include "viz-export/vx_axis.h"
#include "viz-export/export/vx_export.h"
#include "viz-export/vx_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double vx_tree_samples(const struct an_row *r)
{
    return (double)r->samples;
}

static double vx_tree_time(const struct an_row *r)
{
    return r->time_ns;
}

static double vx_tree_stall(const struct an_row *r)
{
    return r->stall_ns;
}

static double vx_tree_latency(const struct an_row *r)
{
    return r->median_cycles;
}

/* Share of loads served by memory, among the measured loads of known level. */
static double vx_tree_memory(const struct an_row *r)
{
    uint64_t known = 0;
    for (int l = 0; l < PROF_LEVEL_COUNT; l++)
        known += r->levels[l];
    return known ? (double)r->levels[PROF_LEVEL_DRAM] / (double)known : NAN;
}

const struct vx_tree_metric vx_tree_metrics[] = {
    {"time_ns", "ns", "CPU time that the samples represent", vx_tree_time},
    {"stall_ns", "ns", "estimated stall time", vx_tree_stall},
    {"samples", "", "sampled accesses", vx_tree_samples},
    {"latency_median_cycles", "cycles", "median latency of the loads that were timed", vx_tree_latency},
    {"level_memory", "", "share of the loads that memory served", vx_tree_memory},
    {0},
};

ls_err vx_tree_metric_of(const char *name, const struct vx_tree_metric **out)
{
    char names[256] = "";
    *out = &vx_tree_metrics[0];
    if (!name) return LS_OK;
    for (const struct vx_tree_metric *m = vx_tree_metrics; m->name; m++) {
        *out = m;
        if (strcmp(m->name, name) == 0) return LS_OK;
        strcat(strcat(names, *names ? ", " : ""), m->name);
    }
    return ls_fail(LS_ERR_USAGE, "--metric: nodes have no '%s'; they have %s", name, names);
}

struct vx_dot {
    const struct vx_source *s;
    const struct vx_tree_metric *metric;
    double min_share;
    struct vx_axis scale;
    FILE *out;
};

static bool vx_dot_shows(const struct vx_dot *d, uint32_t node)
{
    const struct an_row *r = an_table_total(d->s->nodes, node), *all = an_table_total(d->s->nodes, 0);
    return node == 0 || (r->samples > 0 && r->time_ns >= d->min_share * all->time_ns);
}

/* Set the colour scale from the nodes below the root; the root holds everything. */
static void vx_dot_scale(struct vx_dot *d)
{
    double low = 0, high = 0;
    bool found = false;
    for (uint32_t n = 1; n < d->s->tables->nodes_len; n++) {
        const double value = d->metric->value(an_table_total(d->s->nodes, n));
        if (!vx_dot_shows(d, n) || !isfinite(value)) continue;
        if (!found || value < low) low = value;
        if (!found || value > high) high = value;
        found = true;
    }
    d->scale = vx_colour_scale(low, high, d->metric->value == vx_tree_latency);
}

static void vx_dot_colour(const struct vx_dot *d, double value)
{
    struct vx_rgb c;
    if (!vx_colour_of(&d->scale, value, &c)) {
        fputs(", fillcolor=\"#eeeeee\", fontcolor=black", d->out);
        return;
    }
    fprintf(d->out, ", fillcolor=\"#%02x%02x%02x\", fontcolor=%s", (unsigned)lround(c.r * 255),
            (unsigned)lround(c.g * 255), (unsigned)lround(c.b * 255), vx_is_light(c) ? "black" : "white");
}

static void vx_dot_node(const struct vx_dot *d, uint32_t node)
{
    const struct an_row *r = an_table_total(d->s->nodes, node), *all = an_table_total(d->s->nodes, 0);
    const double value = d->metric->value(r);
    char text[VX_PATH_BYTES + 256], number[VX_TICK_BYTES], path[VX_PATH_BYTES];
    const char *label = vx_node_label(d->s->tables, node);
    int at = snprintf(text, sizeof(text), "%s\n%.1f %% of the time", *label ? label : "all memory",
                      all->time_ns > 0 ? 100 * r->time_ns / all->time_ns : 0.0);
    if (r->stall_ns > 0)
        at += snprintf(text + at, sizeof(text) - (size_t)at, ", %.1f %% of it stall",
                       100 * r->stall_ns / r->time_ns);
    if (isfinite(value) && d->metric->value != vx_tree_time && d->metric->value != vx_tree_stall)
        snprintf(text + at, sizeof(text) - (size_t)at, "\n%s %s", d->metric->name, vx_number(value, number));
    fprintf(d->out, "    n%" PRIu32 " [label=", node);
    vx_put_dot(d->out, text);
    vx_dot_colour(d, value);
    snprintf(text, sizeof(text), "%s: %s", vx_kind_name(d->s->tables->nodes[node].kind),
             vx_node_path(d->s->tables, node, path));
    fputs(", tooltip=", d->out);
    vx_put_dot(d->out, text);
    fputs("];\n", d->out);
}

/* Write one grey box for all omitted children of a node. */
static void vx_dot_hidden(const struct vx_dot *d, const uint32_t *hidden, uint32_t node)
{
    char text[64];
    if (hidden[node] == 0 || !vx_dot_shows(d, node)) return;
    snprintf(text, sizeof(text), "%" PRIu32 " more below %.3g %%", hidden[node], 100 * d->min_share);
    fprintf(d->out, "    h%" PRIu32 " [label=", node);
    vx_put_dot(d->out, text);
    fprintf(d->out, ", fillcolor=white, color=\"#aaaaaa\"];\n    n%" PRIu32 " -> h%" PRIu32 ";\n", node,
            node);
}

static ls_err vx_dot_nodes(const struct vx_dot *d)
{
    const struct an_tables *t = d->s->tables;
    uint32_t *hidden = calloc(t->nodes_len + 1, sizeof(*hidden));
    if (!hidden) return ls_nomem("%zu nodes", t->nodes_len);
    for (uint32_t n = 0; n < t->nodes_len; n++) {
        const uint32_t parent = t->nodes[n].parent;
        if (vx_dot_shows(d, n)) {
            vx_dot_node(d, n);
            if (parent < n) fprintf(d->out, "    n%" PRIu32 " -> n%" PRIu32 ";\n", parent, n);
        } else if (parent < n && an_table_total(d->s->nodes, n)->samples > 0) {
            hidden[parent]++;
        }
    }
    for (uint32_t n = 0; n < t->nodes_len; n++)
        vx_dot_hidden(d, hidden, n);
    free(hidden);
    return LS_OK;
}

static void vx_dot_title(const struct vx_dot *d)
{
    char text[1024], low[VX_TICK_BYTES], high[VX_TICK_BYTES];
    snprintf(text, sizeof(text), "%s\ncolour: %s%s%s%s, dark %s to light %s", d->s->run->command,
             d->metric->words, *d->metric->unit ? " (" : "", d->metric->unit, *d->metric->unit ? ")" : "",
             vx_number(d->scale.low, low), vx_number(d->scale.high, high));
    fputs("    graph [rankdir=LR, labelloc=t, fontname=\"sans-serif\", label=", d->out);
    vx_put_dot(d->out, text);
    fputs("];\n    node [shape=box, style=\"filled,rounded\", fontname=\"sans-serif\", fontsize=11];\n"
          "    edge [arrowhead=none, color=\"#888888\"];\n",
          d->out);
}

static ls_err vx_dot_export(const struct vx_source *s, const struct vx_request *r, ls_outputs *files)
{
    struct vx_dot d = {.s = s, .min_share = r->min_share};
    LS_TRY(vx_tree_metric_of(r->metric, &d.metric));
    LS_TRY(ls_outputs_open(files, r->path, &d.out));
    vx_dot_scale(&d);
    fputs("digraph \"semantic tree\" {\n", d.out);
    vx_dot_title(&d);
    LS_TRY(vx_dot_nodes(&d));
    fputs("}\n", d.out);
    return LS_OK;
}

const struct vx_exporter vx_exporter_dot = {
    .name = "dot",
    .ends = ".dot|.gv",
    .words = "Graphviz: the semantic tree, coloured by a metric (dot -Tsvg)",
    .needs = VX_NEEDS_TREE,
    .one_file = true,
    .write = vx_dot_export};
