/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_identity.h"

#include "common/ls_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define AN_PROGRAM "program"

/* The recorded program by its part, other programs and libraries by file name. */
static const char *an_file_of_run(const struct an_tables *t, const char *path)
{
    return t->processes_len > 0 && strcmp(path, t->processes[0].exe) == 0 ? AN_PROGRAM : ls_base_name(path);
}

/* --- code --- */

static const char *an_module_identity_of(const struct an_tables *t, const struct prof_line *l)
{
    return *l->module ? an_file_of_run(t, l->module) : "unknown module";
}

static const char *an_module_identity(const struct an_tables *t, uint32_t row, char out[AN_LABEL_BYTES])
{
    (void)out;
    return an_module_identity_of(t, &t->lines[row]);
}

static const char *an_function_identity(const struct an_tables *t, uint32_t row, char out[AN_LABEL_BYTES])
{
    const struct prof_line *l = &t->lines[row];
    snprintf(out, AN_LABEL_BYTES, "%s (%s)", *l->function ? l->function : "?", an_module_identity_of(t, l));
    return out;
}

static const char *an_line_identity(const struct an_tables *t, uint32_t row, char out[AN_LABEL_BYTES])
{
    const struct prof_line *l = &t->lines[row];
    if (!*l->file) return an_function_identity(t, row, out);
    snprintf(out, AN_LABEL_BYTES, "%s:%u %s", ls_base_name(l->file), l->line,
             *l->function ? l->function : "?");
    return out;
}

static const char *an_file_identity(const struct an_tables *t, uint32_t row, char out[AN_LABEL_BYTES])
{
    (void)out;
    return ls_base_name(t->lines[row].file);
}

/* Position in the module: the file's own address, or at least the offset from where it was mapped. */
static const char *an_ip_identity(const struct an_tables *t, uint32_t row, char out[AN_LABEL_BYTES])
{
    const struct prof_line *l = &t->lines[row];
    for (size_t i = 0; i < t->modules_len; i++) {
        const struct prof_module *m = &t->modules[i];
        if (m->process != l->process || l->ip < m->base || l->ip >= m->end) continue;
        snprintf(out, AN_LABEL_BYTES, "%s+0x%" PRIx64 " %s", an_module_identity_of(t, l),
                 l->ip - (m->bias ? m->bias : m->base), *l->function ? l->function : "?");
        return out;
    }
    snprintf(out, AN_LABEL_BYTES, "0x%" PRIx64, l->ip);
    return out;
}

/* --- threads and processes --- */

static const char *an_thread_identity(const struct an_tables *t, uint32_t thread, char out[AN_LABEL_BYTES])
{
    (void)out;
    return *t->threads[thread].name ? t->threads[thread].name : "(no name)";
}

static const char *an_process_identity(const struct an_tables *t, uint32_t process, char out[AN_LABEL_BYTES])
{
    (void)out;
    return *t->processes[process].exe ? an_file_of_run(t, t->processes[process].exe) : "(not known)";
}

/* --- data --- */

/* Homes of a module are labelled by its file name. */
static const char *an_node_name(const struct an_tables *t, const struct prof_node *n,
                                char out[AN_LABEL_BYTES])
{
    if (n->kind == PROF_NODE_PROCESS)
        return n->process < t->processes_len ? an_process_identity(t, n->process, out) : "process";
    if (n->kind != PROF_NODE_STATIC && n->kind != PROF_NODE_CODE) return n->label;
    const char *exe = t->processes_len > 0 ? ls_base_name(t->processes[0].exe) : "";
    const size_t len = strlen(exe);
    if (len == 0 || strncmp(n->label, exe, len) != 0 || (n->label[len] != '\0' && n->label[len] != ' '))
        return n->label;
    snprintf(out, AN_LABEL_BYTES, AN_PROGRAM "%s", n->label + len);
    return out;
}

/* The path without the root and without "unregistered", which does not identify the data. */
static const char *an_node_identity(const struct an_tables *t, uint32_t node, char out[AN_LABEL_BYTES])
{
    char name[AN_LABEL_BYTES], above[AN_LABEL_BYTES];
    const struct prof_node *n = &t->nodes[node];
    if (node == 0) return "(no node)";
    const bool is_top =
        n->parent == 0 || n->parent >= node || t->nodes[n->parent].kind == PROF_NODE_UNREGISTERED;
    if (is_top)
        snprintf(out, AN_LABEL_BYTES, "%s", an_node_name(t, n, name));
    else
        snprintf(out, AN_LABEL_BYTES, "%s/%s", an_node_identity(t, n->parent, above),
                 an_node_name(t, n, name));
    return out;
}

/* --- time --- */

/* Runs differ in length: slices correspond by their part of it. */
static const char *an_slice_identity(const struct an_tables *t, uint32_t slice, char out[AN_LABEL_BYTES])
{
    snprintf(out, AN_LABEL_BYTES, "%.0f..%.0f %% of the run", 100.0 * slice / t->slices,
             100.0 * (slice + 1) / t->slices);
    return out;
}

/* Dimensions whose paths do not identify a key across runs. */
static const struct an_identity_row {
    const char *dimension;
    const char *(*name)(const struct an_tables *t, uint32_t key, char out[AN_LABEL_BYTES]);
} an_identities[] = {
    {"node", an_node_identity},         {"block", an_node_identity},
    {"object", an_node_identity},       {"site", an_node_identity},
    {"symbol", an_node_identity},       {"module", an_module_identity},
    {"function", an_function_identity}, {"line", an_line_identity},
    {"file", an_file_identity},         {"ip", an_ip_identity},
    {"thread", an_thread_identity},     {"process", an_process_identity},
    {"slice", an_slice_identity},
};

const char *an_identity(const struct an_dimension *d, const struct an_tables *t, uint32_t key,
                        char out[AN_LABEL_BYTES])
{
    for (size_t i = 0; key < AN_NO_DATA && i < sizeof(an_identities) / sizeof(an_identities[0]); i++)
        if (strcmp(an_identities[i].dimension, d->name) == 0) return an_identities[i].name(t, key, out);
    return an_dimension_path(d, t, key, out);
}

void an_identity_of_group(const struct an_combination *c, const struct an_tables *t, uint32_t group,
                          char out[AN_IDENTITY_BYTES])
{
    const struct an_group *g = &c->groups[group];
    const struct an_keys *k = &c->keys[g->depth];
    char name[AN_LABEL_BYTES];
    out[0] = '\0';
    if (g->depth > 0) {
        while (c->groups[group].depth == g->depth)
            group = c->groups[group].parent;
        an_identity_of_group(c, t, group, out);
        strcat(out, " / ");
    }
    const size_t len = strlen(out);
    snprintf(out + len, AN_IDENTITY_BYTES - len, "%s",
             an_identity(k->dimension, t, an_keys_key(k, g->number), name));
}
