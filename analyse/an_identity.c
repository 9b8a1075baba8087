/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "analyse/an_diff.h"
#include "common/ls_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AN_PROGRAM "program"

/* Name the recorded program "program", and other programs and libraries by their file name. */
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

/* Runs differ in length, so slices correspond by their share of it. */
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

/* --- matching names --- */

/* A row before the second pass. */
struct an_match {
    uint32_t name;        /* name that represents the row */
    uint32_t sides;       /* bit 0: side 0 has it, bit 1: side 1 */
    uint32_t merged_into; /* itself, or another row */
    char *plain;          /* the text without line numbers, NULL: has none, or both sides have it */
};

struct an_matcher {
    struct an_name *names;
    uint32_t *order; /* names by text, side */
    size_t len;
    struct an_match *rows;
    uint32_t rows_len;
};

static int an_compare_names(const void *a, const void *b, void *user)
{
    const struct an_name *names = user;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int c = strcmp(names[x].text, names[y].text);
    if (c) return c;
    if (names[x].side != names[y].side) return names[x].side < names[y].side ? -1 : 1;
    return (x > y) - (x < y);
}

static void an_match_equal(struct an_matcher *m)
{
    for (size_t i = 0; i < m->len; i++)
        m->order[i] = (uint32_t)i;
    qsort_r(m->order, m->len, sizeof(*m->order), an_compare_names, m->names);
    for (size_t i = 0; i < m->len; i++) {
        struct an_name *n = &m->names[m->order[i]];
        if (i == 0 || strcmp(m->names[m->order[i - 1]].text, n->text) != 0) {
            m->rows[m->rows_len].merged_into = m->rows_len;
            m->rows_len++;
        }
        n->row = m->rows_len - 1;
        m->rows[n->row].name = m->order[i]; /* side 1 comes last */
        m->rows[n->row].sides |= 1u << n->side;
    }
}

/* The text without a line number such as ":12"; NULL if it has none. */
static char *an_without_lines(const char *text)
{
    char *out = strdup(text), *to = out;
    bool any = false;
    for (const char *from = text; out && *from;) {
        if (*from == ':' && isdigit((unsigned char)from[1])) {
            any = true;
            for (from++; isdigit((unsigned char)*from); from++)
                ;
        } else {
            *to++ = *from++;
        }
    }
    if (!any) {
        free(out);
        return NULL;
    }
    *to = '\0';
    return out;
}

static int an_compare_plain(const void *a, const void *b, void *user)
{
    const struct an_match *rows = user;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int c = strcmp(rows[x].plain, rows[y].plain);
    return c ? c : (x > y) - (x < y);
}

/* rows[of[0, len)] have the same text without line numbers. If they are one row of each side, they are the
 * same object. */
static void an_merge_pair(struct an_matcher *m, const uint32_t *of, size_t len)
{
    if (len != 2 || (m->rows[of[0]].sides | m->rows[of[1]].sides) != 3) return;
    const bool first_is_new = m->rows[of[0]].sides == 2;
    m->rows[of[first_is_new]].merged_into = of[!first_is_new];
}

static ls_err an_match_moved(struct an_matcher *m)
{
    uint32_t *left = malloc((m->rows_len + 1u) * sizeof(*left));
    if (!left) return ls_nomem("matching %u names", m->rows_len);
    size_t len = 0;
    for (uint32_t i = 0; i < m->rows_len; i++) {
        if (m->rows[i].sides != 3) m->rows[i].plain = an_without_lines(m->names[m->rows[i].name].text);
        if (m->rows[i].plain) left[len++] = i;
    }
    qsort_r(left, len, sizeof(*left), an_compare_plain, m->rows);
    for (size_t from = 0, to; from < len; from = to) {
        for (to = from + 1; to < len && strcmp(m->rows[left[to]].plain, m->rows[left[from]].plain) == 0; to++)
            ;
        an_merge_pair(m, left + from, to - from);
    }
    free(left);
    return LS_OK;
}

/* Renumber the rows, so that merged ones leave no holes. */
static ls_err an_match_number(struct an_matcher *m, uint32_t *out_len, uint32_t **out_labels)
{
    uint32_t *number = malloc((m->rows_len + 1u) * sizeof(*number)), len = 0;
    *out_labels = malloc((m->rows_len + 1u) * sizeof(**out_labels));
    if (!number || !*out_labels) {
        free(number);
        free(*out_labels);
        return ls_nomem("matching %u names", m->rows_len);
    }
    for (uint32_t i = 0; i < m->rows_len; i++) {
        if (m->rows[i].merged_into != i) continue;
        number[i] = len;
        (*out_labels)[len++] = m->rows[i].name;
    }
    for (size_t i = 0; i < m->len; i++)
        m->names[i].row = number[m->rows[m->names[i].row].merged_into];
    *out_len = len;
    free(number);
    return LS_OK;
}

ls_err an_match_names(struct an_name *names, size_t len, uint32_t *out_rows_len, uint32_t **out_labels)
{
    struct an_matcher m = {.names = names, .len = len};
    m.order = malloc((len + 1) * sizeof(*m.order));
    m.rows = calloc(len + 1, sizeof(*m.rows));
    ls_err err = m.order && m.rows ? LS_OK : ls_nomem("matching %zu names", len);
    if (err == LS_OK) {
        an_match_equal(&m);
        err = an_match_moved(&m);
    }
    if (err == LS_OK) err = an_match_number(&m, out_rows_len, out_labels);
    for (uint32_t i = 0; m.rows && i < m.rows_len; i++)
        free(m.rows[i].plain);
    free(m.rows);
    free(m.order);
    return err;
}
