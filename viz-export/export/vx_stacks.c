/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/export/vx_stacks.h"
#include "common/ls_hash.h"

#include <stdlib.h>
#include <string.h>

static ls_err vx_frame_find(struct vx_stacks *s, const struct vx_frame *f, uint32_t *out)
{
    const uint64_t key =
        ls_index_key(ls_hash_text(ls_hash_text(LS_HASH_BEGIN, f->name), f->module), (uint64_t)f->is_data);
    for (size_t step = 0; ls_index_next(&s->by_name, key, &step, out);) {
        const struct vx_frame *other = &s->frames.rows[*out];
        if (other->is_data == f->is_data && strcmp(other->name, f->name) == 0 &&
            strcmp(other->module, f->module) == 0)
            return LS_OK;
    }
    *out = (uint32_t)s->frames.len;
    LS_TRY(LS_VECTOR_ADD(&s->frames, *f));
    return ls_index_put(&s->by_name, key, *out);
}

static ls_err vx_stack_find(struct vx_stacks *s, uint32_t parent, const struct vx_frame *f, uint32_t *out)
{
    struct vx_stack row = {.parent = parent};
    LS_TRY(vx_frame_find(s, f, &row.frame));
    const uint64_t key = ls_index_key(row.parent, row.frame);
    for (size_t step = 0; ls_index_next(&s->by_parent, key, &step, out);)
        if (s->stacks.rows[*out].parent == row.parent && s->stacks.rows[*out].frame == row.frame)
            return LS_OK;
    *out = (uint32_t)s->stacks.len;
    LS_TRY(LS_VECTOR_ADD(&s->stacks, row));
    return ls_index_put(&s->by_parent, key, *out);
}

/* Return the stack of a burst; without a call stack, the function in which it began. */
static ls_err vx_stack_of_burst(struct vx_stacks *s, const struct vx_source *from, size_t burst,
                                uint32_t *out)
{
    if (s->calls.call_of_burst && s->calls.call_of_burst[burst] < s->calls.len) {
        *out = s->calls.call_of_burst[burst]; /* the first stacks are the calls */
        return LS_OK;
    }
    const struct prof_burst *b = &from->tables->bursts[burst];
    const struct prof_line *line = vx_line_of(from->tables, b->thread, b->ip, b->time_ns);
    const struct vx_frame f = {.name = !line             ? "[unknown]"
                                       : *line->function ? line->function
                                                         : "[no symbol]",
                               .module = line ? line->module : ""};
    return vx_stack_find(s, UINT32_MAX, &f, out);
}

/* Return the path of a node for a reader: that of its allocation site if it is a block, without "unregistered". */
static const char *vx_data_path(const struct an_tables *t, uint32_t node, char out[VX_PATH_BYTES])
{
    static const char prefix[] = "unregistered/";
    if (t->nodes[node].kind == PROF_NODE_BLOCK && t->nodes[node].parent < t->nodes_len)
        node = t->nodes[node].parent;
    const char *path = vx_node_path(t, node, out);
    return strncmp(path, prefix, strlen(prefix)) == 0 ? path + strlen(prefix) : path;
}

static ls_err vx_stack_of_data(struct vx_stacks *s, const struct vx_source *from, uint32_t above,
                               uint32_t node, uint32_t *out)
{
    char path[VX_PATH_BYTES], name[VX_PATH_BYTES + 8];
    *out = above;
    if (node >= from->tables->nodes_len) return LS_OK;
    snprintf(name, sizeof(name), "data: %s", vx_data_path(from->tables, node, path));
    const size_t known = s->frames.len;
    LS_TRY(vx_stack_find(s, above, &(struct vx_frame){.name = name, .module = "", .is_data = true}, out));
    if (s->frames.len == known) return LS_OK;
    char *kept = strdup(name);
    if (!kept) return ls_nomem("the names of data");
    s->frames.rows[known].name = kept;
    return LS_VECTOR_ADD(&s->texts, kept);
}

static ls_err vx_add_waiting(struct vx_stacks *s, const struct vx_source *from, size_t burst,
                             const struct vx_stack_cost *of)
{
    const struct prof_burst *b = &from->tables->bursts[burst];
    const struct prof_samples *samples = &from->in->samples;
    const size_t first = s->costs.len;
    for (uint64_t i = b->first_sample; i < b->first_sample + b->samples_len && i < samples->len; i++) {
        const double wait_ns = (double)from->costs->stall_ns[i];
        struct vx_stack_cost c = {.thread = of->thread, .time_ns = of->time_ns, .wait_ns = wait_ns};
        if (!(wait_ns > 0)) continue;
        LS_TRY(vx_stack_of_data(s, from, of->stack, samples->node[i], &c.stack));
        size_t at = first;
        while (at < s->costs.len && s->costs.rows[at].stack != c.stack)
            at++;
        if (at < s->costs.len)
            s->costs.rows[at].wait_ns += wait_ns;
        else
            LS_TRY(LS_VECTOR_ADD(&s->costs, c));
    }
    return LS_OK;
}

static ls_err vx_add_burst(struct vx_stacks *s, const struct vx_source *from, size_t burst)
{
    const struct prof_burst *b = &from->tables->bursts[burst];
    struct vx_stack_cost c = {.thread = b->thread,
                              .time_ns = b->time_ns == UINT64_MAX ? 0 : b->time_ns,
                              .bursts = an_bursts(b),
                              .cpu_ns = an_weight_ns(from->costs, b)};
    LS_TRY(vx_stack_of_burst(s, from, burst, &c.stack));
    if (c.cpu_ns > 0) LS_TRY(LS_VECTOR_ADD(&s->costs, c));
    return vx_add_waiting(s, from, burst, &c);
}

static ls_err vx_add_calls(struct vx_stacks *s, const struct vx_source *from)
{
    if (from->tables->frames_len == 0) return LS_OK;
    LS_TRY(an_calls_init(&s->calls, from->tables, AN_CALLS_DOWN));
    for (uint32_t c = 0; c < s->calls.len; c++) {
        const struct an_call *call = &s->calls.rows[c];
        uint32_t row;
        LS_TRY(vx_stack_find(s, call->parent,
                             &(struct vx_frame){.name = call->function, .module = call->module}, &row));
    }
    return LS_OK;
}

static int vx_cost_order(const void *a, const void *b)
{
    const struct vx_stack_cost *x = a, *y = b;
    const uint64_t of_x[] = {x->thread, x->time_ns, x->stack}, of_y[] = {y->thread, y->time_ns, y->stack};
    for (size_t i = 0; i < sizeof(of_x) / sizeof(of_x[0]); i++)
        if (of_x[i] != of_y[i]) return of_x[i] < of_y[i] ? -1 : 1;
    return 0;
}

static void vx_stacks_sort(struct vx_stacks *s)
{
    if (s->costs.len > 0) qsort(s->costs.rows, s->costs.len, sizeof(*s->costs.rows), vx_cost_order);
}

ls_err vx_stacks_init(struct vx_stacks *out, const struct vx_source *s)
{
    memset(out, 0, sizeof(*out));
    LS_TRY(vx_add_calls(out, s));
    for (size_t b = 0; b < s->tables->bursts_len; b++)
        LS_TRY(vx_add_burst(out, s, b));
    vx_stacks_sort(out);
    return LS_OK;
}

void vx_stacks_sum(struct vx_stacks *s)
{
    size_t len = 0;
    for (size_t i = 0; i < s->costs.len; i++)
        s->costs.rows[i].time_ns = 0;
    vx_stacks_sort(s);
    for (size_t i = 0; i < s->costs.len; i++) {
        const struct vx_stack_cost *c = &s->costs.rows[i];
        struct vx_stack_cost *to = len > 0 ? &s->costs.rows[len - 1] : NULL;
        if (!to || to->stack != c->stack || to->thread != c->thread) {
            s->costs.rows[len++] = *c;
            continue;
        }
        to->bursts += c->bursts;
        to->cpu_ns += c->cpu_ns;
        to->wait_ns += c->wait_ns;
    }
    s->costs.len = len;
}

void vx_stacks_fini(struct vx_stacks *s)
{
    for (size_t i = 0; i < s->texts.len; i++)
        free(s->texts.rows[i]);
    free(s->texts.rows);
    free(s->frames.rows);
    free(s->stacks.rows);
    free(s->costs.rows);
    an_calls_fini(&s->calls);
    ls_index_fini(&s->by_name);
    ls_index_fini(&s->by_parent);
    memset(s, 0, sizeof(*s));
}
