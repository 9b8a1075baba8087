/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables that the numbers of the tiles refer to: nodes, source lines, threads, and the source text around the
 * lines. */
#include "viz-export/view/vx_view_parts.h"

#include <math.h>
#include <string.h>

enum { VX_SOURCES_BYTES_MAX = 600000 }; /* bytes of text, before it is deflated */

typedef void vx_json_cell(const struct vx_view *v, struct ls_json *j, uint32_t number);

static void vx_json_column(const struct vx_view *v, struct ls_json *j, const char *key, uint32_t len,
                           vx_json_cell *cell)
{
    ls_json_open(j, key, '[');
    for (uint32_t n = 0; n < len; n++)
        cell(v, j, n);
    ls_json_close(j, ']');
}

/* --- nodes --- */

static void vx_node_label(const struct vx_view *v, struct ls_json *j, uint32_t n)
{
    char label[AN_LABEL_BYTES];
    const struct an_keys *k = &v->tiles->node;
    ls_json_text(j, NULL, k->dimension->label(v->tables, k->keys[n], label));
}

static void vx_node_kind(const struct vx_view *v, struct ls_json *j, uint32_t n)
{
    char label[AN_LABEL_BYTES];
    const struct an_dimension *kind = an_dimension_named("kind", 4);
    ls_json_text(j, NULL, kind->label(v->tables, v->tiles->node.keys[n], label));
}

static void vx_node_id(const struct vx_view *v, struct ls_json *j, uint32_t n)
{
    ls_json_number(j, NULL, v->tiles->node.keys[n]);
}

static void vx_node_parent(const struct vx_view *v, struct ls_json *j, uint32_t n)
{
    const uint32_t parent = an_keys_parent(&v->tiles->node, v->tables, n);
    ls_json_number(j, NULL, parent == AN_NO_KEY ? NAN : parent);
}

static void vx_node_bytes(const struct vx_view *v, struct ls_json *j, uint32_t n)
{
    const struct prof_node *node = &v->tables->nodes[v->tiles->node.keys[n]];
    ls_json_number(j, NULL, node->end > node->base ? (double)(node->end - node->base) : NAN);
}

static void vx_node_element_bytes(const struct vx_view *v, struct ls_json *j, uint32_t n)
{
    const uint64_t bytes = v->tables->nodes[v->tiles->node.keys[n]].elem_size_bytes;
    ls_json_number(j, NULL, bytes && bytes != UINT64_MAX ? (double)bytes : NAN);
}

static void vx_node_median(const struct vx_view *v, struct ls_json *j, uint32_t n)
{
    ls_json_number(j, NULL, an_table_total(v->table, n)->median_cycles);
}

static void vx_node_p95(const struct vx_view *v, struct ls_json *j, uint32_t n)
{
    ls_json_number(j, NULL, an_table_total(v->table, n)->p95_cycles);
}

/* Half the width of the interval of the share. */
static double vx_interval(const struct vx_view *v, uint32_t n, enum an_metric metric)
{
    const struct an_interval i = an_bootstrap_share(v->bootstrap, v->table, n, metric);
    return (i.high - i.low) / 2;
}

static void vx_node_time_error(const struct vx_view *v, struct ls_json *j, uint32_t n)
{
    ls_json_number(j, NULL, vx_interval(v, n, AN_TIME));
}

static void vx_node_stall_error(const struct vx_view *v, struct ls_json *j, uint32_t n)
{
    ls_json_number(j, NULL, vx_interval(v, n, AN_STALL));
}

/* --- lines and threads --- */

static const struct prof_line *vx_line(const struct vx_view *v, uint32_t n)
{
    return &v->tables->lines[v->tiles->line.keys[n]];
}

static void vx_line_label(const struct vx_view *v, struct ls_json *j, uint32_t n)
{
    char label[AN_LABEL_BYTES];
    const struct an_keys *k = &v->tiles->line;
    ls_json_text(j, NULL, k->dimension->label(v->tables, k->keys[n], label));
}

static void vx_line_function(const struct vx_view *v, struct ls_json *j, uint32_t n)
{
    ls_json_text(j, NULL, vx_line(v, n)->function);
}

static void vx_line_file(const struct vx_view *v, struct ls_json *j, uint32_t n)
{
    ls_json_text(j, NULL, vx_line(v, n)->file);
}

static void vx_line_number(const struct vx_view *v, struct ls_json *j, uint32_t n)
{
    ls_json_number(j, NULL, vx_line(v, n)->line);
}

static void vx_line_module(const struct vx_view *v, struct ls_json *j, uint32_t n)
{
    ls_json_text(j, NULL, vx_line(v, n)->module);
}

static void vx_thread_label(const struct vx_view *v, struct ls_json *j, uint32_t n)
{
    char label[AN_LABEL_BYTES];
    const struct an_keys *k = &v->tiles->thread;
    ls_json_text(j, NULL, k->dimension->label(v->tables, k->keys[n], label));
}

static const struct vx_member {
    const char *table, *key;
    vx_json_cell *cell;
} vx_members[] = {{"nodes", "id", vx_node_id},
                  {"nodes", "parent", vx_node_parent},
                  {"nodes", "label", vx_node_label},
                  {"nodes", "kind", vx_node_kind},
                  {"nodes", "bytes", vx_node_bytes},
                  {"nodes", "elementBytes", vx_node_element_bytes},
                  {"nodes", "medianCycles", vx_node_median},
                  {"nodes", "p95Cycles", vx_node_p95},
                  {"nodes", "timeError", vx_node_time_error},
                  {"nodes", "stallError", vx_node_stall_error},
                  {"lines", "label", vx_line_label},
                  {"lines", "function", vx_line_function},
                  {"lines", "file", vx_line_file},
                  {"lines", "number", vx_line_number},
                  {"lines", "module", vx_line_module},
                  {"threads", "label", vx_thread_label}};

static void vx_view_table(const struct vx_view *v, struct ls_json *j, const char *table, uint32_t len)
{
    ls_json_open(j, table, '{');
    ls_json_number(j, "len", len);
    for (size_t m = 0; m < sizeof(vx_members) / sizeof(vx_members[0]); m++)
        if (strcmp(vx_members[m].table, table) == 0)
            vx_json_column(v, j, vx_members[m].key, len, vx_members[m].cell);
    if (strcmp(table, "nodes") == 0) /* the group after the nodes: bursts without accesses */
        ls_json_number(j, "noDataTimeError", vx_interval(v, len + 1, AN_TIME));
    ls_json_close(j, '}');
}

void vx_view_tables(const struct vx_view *v, struct ls_json *j)
{
    vx_view_table(v, j, "nodes", v->tiles->node.len);
    vx_view_table(v, j, "lines", v->tiles->line.len);
    vx_view_table(v, j, "threads", v->tiles->thread.len);
}

/* --- source text: one object per file, from line number to text --- */

void vx_view_sources(const struct vx_view *v, struct ls_json *j)
{
    const char *file = NULL;
    size_t bytes = 0;
    ls_json_open(j, "sources", '{');
    for (size_t i = 0; i < v->sources.len && bytes < VX_SOURCES_BYTES_MAX; i++) {
        const struct prof_source *s = &v->sources.rows[i];
        char number[16];
        if (!file || strcmp(file, s->file) != 0) {
            if (file) ls_json_close(j, '}');
            ls_json_open(j, s->file, '{');
        }
        file = s->file;
        snprintf(number, sizeof(number), "%u", s->line);
        ls_json_text(j, number, s->text);
        bytes += strlen(s->text) + 10;
    }
    if (file) ls_json_close(j, '}');
    ls_json_close(j, '}');
}
