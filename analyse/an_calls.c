/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_calls.h"
#include "common/ls_hash.h"
#include "common/ls_index.h"
#include "common/ls_sorted.h"
#include "common/ls_vector.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define AN_NONE UINT32_MAX

/* Functions of one stack, innermost first; parent is not used. */
typedef LS_VECTOR(struct an_call) an_path;

struct an_call_builder {
    const struct an_tables *t;
    struct an_call_tree *tree;
    size_t rows_room;
    struct ls_index rows;    /* by parent and function */
    uint32_t *call_of_frame; /* AN_NONE: not looked up yet */
    an_path path;
};

static ls_err an_path_add(an_path *p, const char *function, const char *module)
{
    return LS_VECTOR_ADD(p, (struct an_call){.function = function, .module = module});
}

/* First row of inlines that belongs to line, or where it would be. */
static size_t an_inlines_begin(const struct an_tables *t, uint32_t line)
{
    size_t before;
    LS_COUNT_FIRST(before, t->inlines_len, i, t->inlines[i].line < line);
    return before;
}

/* The function of a frame, after those inlined into it. */
static ls_err an_path_add_frame(struct an_call_builder *b, const struct prof_frame *f)
{
    const struct an_tables *t = b->t;
    if (f->line >= t->lines_len) return an_path_add(&b->path, f->ip ? "[unknown]" : "[stack cut off]", "");
    const struct prof_line *l = &t->lines[f->line];
    const char *function = *l->function ? l->function : *l->module ? "[no symbol]" : "[unknown]";
    LS_TRY(an_path_add(&b->path, function, l->module));
    for (size_t i = an_inlines_begin(t, f->line); i < t->inlines_len && t->inlines[i].line == f->line; i++)
        LS_TRY(an_path_add(&b->path, t->inlines[i].function, l->module));
    return LS_OK;
}

static ls_err an_path_of(struct an_call_builder *b, uint32_t frame)
{
    b->path.len = 0;
    while (frame < b->t->frames_len) {
        const struct prof_frame *f = &b->t->frames[frame];
        LS_TRY(an_path_add_frame(b, f));
        frame = f->parent < frame ? f->parent : AN_NONE;
    }
    return LS_OK;
}

static bool an_call_is(const struct an_call *a, const struct an_call *b)
{
    return a->parent == b->parent && strcmp(a->function, b->function) == 0 &&
           strcmp(a->module, b->module) == 0;
}

/* Return the row of the call in c, which is added if it is new. */
static ls_err an_call_find(struct an_call_builder *b, struct an_call c, uint32_t *out)
{
    const uint64_t name = ls_hash_text(ls_hash_text(LS_HASH_BEGIN, c.function), c.module);
    const uint64_t key = ls_index_key(name, c.parent);
    for (size_t step = 0; ls_index_next(&b->rows, key, &step, out);)
        if (an_call_is(&b->tree->rows[*out], &c)) return LS_OK;
    LS_TRY(LS_GROW(b->tree->rows, b->rows_room, b->tree->len + 1));
    *out = b->tree->len;
    b->tree->rows[b->tree->len++] = c;
    return ls_index_put(&b->rows, key, *out);
}

static ls_err an_call_of_frame(struct an_call_builder *b, uint32_t frame, enum an_call_order order,
                               uint32_t *out)
{
    *out = AN_NONE;
    if (frame >= b->t->frames_len) return LS_OK;
    uint32_t row = b->call_of_frame[frame];
    if (row == AN_NONE) {
        LS_TRY(an_path_of(b, frame));
        for (size_t i = 0; i < b->path.len; i++) {
            struct an_call c = b->path.rows[order == AN_CALLS_DOWN ? b->path.len - 1 - i : i];
            c.parent = row;
            LS_TRY(an_call_find(b, c, &row));
        }
        b->call_of_frame[frame] = row;
    }
    *out = row;
    return LS_OK;
}

static ls_err an_calls_build(struct an_call_builder *b, enum an_call_order order)
{
    const struct an_tables *t = b->t;
    b->call_of_frame = malloc((t->frames_len + 1) * sizeof(*b->call_of_frame));
    b->tree->call_of_burst = malloc((t->bursts_len + 1) * sizeof(*b->tree->call_of_burst));
    if (!b->call_of_frame || !b->tree->call_of_burst)
        return ls_nomem("the call stacks of %zu bursts", t->bursts_len);
    memset(b->call_of_frame, 0xff, (t->frames_len + 1) * sizeof(*b->call_of_frame));
    for (size_t i = 0; i < t->bursts_len; i++)
        LS_TRY(an_call_of_frame(b, t->bursts[i].frame, order, &b->tree->call_of_burst[i]));
    return LS_OK;
}

ls_err an_calls_init(struct an_call_tree *out, const struct an_tables *t, enum an_call_order order)
{
    memset(out, 0, sizeof(*out));
    struct an_call_builder b = {.t = t, .tree = out};
    const ls_err e = an_calls_build(&b, order);
    ls_index_fini(&b.rows);
    free(b.call_of_frame);
    free(b.path.rows);
    return e;
}

void an_calls_fini(struct an_call_tree *c)
{
    free(c->rows);
    free(c->call_of_burst);
    memset(c, 0, sizeof(*c));
}
