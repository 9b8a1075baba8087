/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/rep_view.h"
#include "common/ls_quantity.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *rep_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool rep_is_below(const struct rep_view *v, uint32_t node, uint32_t ancestor)
{
    for (uint32_t n = node; n < v->names.nodes_len; n = v->parents[n])
        if (n == ancestor) return true;
    return false;
}

void rep_mark_node(const struct rep_view *v, uint32_t node, uint8_t *in_group)
{
    for (uint64_t i = 0; i < v->in.samples.len; i++)
        in_group[i] = rep_is_below(v, v->in.samples.node[i], node);
}

static ls_err rep_open(struct rep_view *v)
{
    LS_TRY(prof_open(v->options.path, &v->profile));
    v->run = prof_run_of(v->profile);
    v->nodes = prof_nodes(v->profile, &v->names.nodes_len);
    v->processes = prof_processes(v->profile, &v->names.processes_len);
    v->names.threads = prof_threads(v->profile, &v->names.threads_len);
    v->names.lines = prof_lines(v->profile, &v->names.lines_len);
    size_t bursts_len = 0;
    const struct prof_burst *bursts = prof_bursts(v->profile, &bursts_len);
    an_input_init(&v->in, v->run, bursts, bursts_len);
    return prof_load_samples(v->profile,
                             PROF_MASK(op) | PROF_MASK(latency_cycles) | PROF_MASK(latency_valid) |
                                 PROF_MASK(position) | PROF_MASK(level) | PROF_MASK(node) |
                                 PROF_MASK(thread) | PROF_MASK(ip) | PROF_MASK(addr),
                             &v->in.samples);
}

static ls_err rep_parents(struct rep_view *v)
{
    v->parents = malloc((v->names.nodes_len + 1) * sizeof(*v->parents));
    if (!v->parents) return ls_fail(LS_ERR_NOMEM, "no memory for %zu nodes", v->names.nodes_len);
    for (size_t i = 0; i < v->names.nodes_len; i++) {
        const uint32_t p = v->nodes[i].parent;
        v->parents[i] = i == 0 || p >= i ? AN_NO_GROUP : p;
    }
    return LS_OK;
}

/* A path of labels from anywhere in the tree: "B", "Input/B"; or an id, "#12". */
static bool rep_path_matches(const struct rep_view *v, uint32_t node, const char *path)
{
    size_t len = strlen(path);
    for (uint32_t n = node; n < v->names.nodes_len; n = v->parents[n]) {
        const size_t label = strlen(v->nodes[n].label);
        if (label > len || memcmp(path + len - label, v->nodes[n].label, label) != 0) return false;
        if (label == len) return true;
        if (path[len - label - 1] != '/') return false;
        len -= label + 1;
    }
    return false;
}

static ls_err rep_find_root(struct rep_view *v)
{
    const char *path = v->options.node;
    if (!path) return LS_OK;
    uint64_t id;
    if (path[0] == '#' && ls_parse_u64(path + 1, &id) == LS_OK && id < v->names.nodes_len) {
        v->root = (uint32_t)id;
        return LS_OK;
    }
    uint32_t matches = 0;
    for (uint32_t n = 0; n < v->names.nodes_len; n++) {
        if (!rep_path_matches(v, n, path)) continue;
        if (matches++ == 0)
            v->root = n;
        else if (matches == 2)
            return ls_fail(
                LS_ERR_USAGE,
                "--node: '%s' is the name of nodes #%u and #%u; write more of its path, or its #id", path,
                v->root, n);
    }
    return matches ? LS_OK
                   : ls_fail(LS_ERR_USAGE, "--node: %s has no node '%s'; loadstone report %s shows the tree",
                             v->options.path, path, v->options.path);
}

static ls_err rep_group(struct rep_view *v)
{
    LS_TRY(an_keys_init(&v->keys, v->options.by, &v->in.samples, &v->names));
    if (v->options.by == AN_BY_NODE || v->root == 0) return LS_OK;
    for (uint64_t i = 0; i < v->in.samples.len; i++)
        if (!rep_is_below(v, v->in.samples.node[i], v->root)) v->keys.group_of_sample[i] = UINT32_MAX;
    return LS_OK;
}

ls_err rep_view_init(struct rep_view *v, const struct rep_options *options)
{
    memset(v, 0, sizeof(*v));
    v->options = *options;
    LS_TRY(rep_open(v));
    LS_TRY(rep_parents(v));
    LS_TRY(rep_find_root(v));
    LS_TRY(an_costs_init(&v->costs, &v->in));
    LS_TRY(rep_group(v));
    const struct an_grouping by = {.group_of_sample = v->keys.group_of_sample,
                                   .groups_len = v->keys.groups_len,
                                   .parent = v->options.by == AN_BY_NODE ? v->parents : NULL};
    LS_TRY(an_table_new(&v->in, &v->costs, &by, &v->table));
    return an_bootstrap_new(&v->in, &v->costs, 1, &v->bootstrap);
}

void rep_view_fini(struct rep_view *v)
{
    an_bootstrap_free(v->bootstrap);
    an_table_free(v->table);
    an_keys_fini(&v->keys);
    an_costs_fini(&v->costs);
    free(v->parents);
    if (v->profile) prof_close(v->profile);
}

static const char *rep_line_label(const struct rep_view *v, uint32_t group, char *out, size_t room)
{
    const struct prof_line *l = &v->names.lines[v->keys.row_of_group[group]];
    const char *function = *l->function ? l->function : "?";
    const char *module = *l->module ? rep_base_name(l->module) : "unknown module";
    if (v->options.by == AN_BY_FUNCTION)
        snprintf(out, room, "%s (%s)", function, module);
    else if (v->options.by == AN_BY_IP)
        snprintf(out, room, *l->file ? "0x%" PRIx64 " %s %s:%u" : "0x%" PRIx64 " %s (%s)", l->ip, function,
                 *l->file ? rep_base_name(l->file) : module, l->line);
    else if (*l->file)
        snprintf(out, room, "%s:%u %s", rep_base_name(l->file), l->line, function);
    else
        snprintf(out, room, "%s (%s, no line)", function, module);
    return out;
}

const char *rep_label(const struct rep_view *v, uint32_t group)
{
    static const char *const levels[] = {"L1", "L2", "L3", "DRAM", "stores, and loads without a latency"};
    static char label[512];
    if (group >= v->keys.groups_len) return "not known";
    switch (v->options.by) {
    case AN_BY_NODE:
        return group == 0 ? "all" : *v->nodes[group].label ? v->nodes[group].label : "(no label)";
    case AN_BY_LEVEL:
        return levels[group];
    case AN_BY_THREAD:
        snprintf(label, sizeof(label), "%u %s", v->names.threads[group].tid, v->names.threads[group].name);
        return label;
    case AN_BY_PROCESS:
        snprintf(label, sizeof(label), "%u %s", v->processes[group].pid,
                 rep_base_name(v->processes[group].exe));
        return label;
    default:
        return rep_line_label(v, group, label, sizeof(label));
    }
}
