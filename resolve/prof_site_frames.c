/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_site_frames.h"
#include "common/ls_hash.h"

#include "resolve/prof_allocators.h"

static void prof_place_fill(const struct prof_place_tables *t, struct prof_call_place *p)
{
    const uint32_t row = t->frames[p->frame].line;
    p->depth = 0;
    p->module = p->function = p->file = "";
    p->line = 0;
    if (row >= t->lines_len) return;
    const struct prof_line *l = &t->lines[row];
    p->module = l->module;
    p->function = l->function;
    p->file = l->file;
    p->line = l->line;
}

/* The innermost place of the path. False: there is none. */
static bool prof_place_first(const struct prof_place_tables *t, uint32_t frame, struct prof_call_place *out)
{
    if (frame >= t->frames_len) return false;
    *out = (struct prof_call_place){.frame = frame};
    prof_place_fill(t, out);
    return true;
}

static bool prof_inline_is_before(const struct prof_inline *i, uint32_t line, uint32_t depth)
{
    return i->line < line || (i->line == line && i->depth < depth);
}

static const struct prof_inline *prof_inline_at(const struct prof_place_tables *t, uint32_t line,
                                                uint32_t depth)
{
    size_t from = 0, to = t->inlines_len;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (prof_inline_is_before(&t->inlines[middle], line, depth))
            from = middle + 1;
        else
            to = middle;
    }
    const bool is_found =
        from < t->inlines_len && t->inlines[from].line == line && t->inlines[from].depth == depth;
    return is_found ? &t->inlines[from] : NULL;
}

bool prof_place_next(const struct prof_place_tables *t, struct prof_call_place *place)
{
    const struct prof_frame *f = &t->frames[place->frame];
    const struct prof_inline *outer =
        f->line < t->lines_len ? prof_inline_at(t, f->line, place->depth + 1) : NULL;
    if (outer) {
        place->depth++;
        place->function = outer->function;
        place->file = outer->file;
        place->line = outer->line_number;
        return true;
    }
    if (f->parent >= t->frames_len) return false;
    place->frame = f->parent;
    prof_place_fill(t, place);
    return true;
}

enum prof_line_kind { PROF_LINE_NOT_ASKED, PROF_LINE_OTHER, PROF_LINE_ALLOCATOR };

/* Checked once per line: there are many patterns, and few lines. */
static bool prof_place_is_allocator(const struct prof_place_tables *t, const struct prof_call_place *p)
{
    const uint32_t row = t->frames[p->frame].line;
    uint8_t *kind = p->depth == 0 && row < t->lines_len && t->line_kinds ? &t->line_kinds[row] : NULL;
    if (kind && *kind != PROF_LINE_NOT_ASKED) return *kind == PROF_LINE_ALLOCATOR;
    const bool is_allocator = prof_is_allocator(p->module, p->function, p->file);
    if (kind) *kind = is_allocator ? PROF_LINE_ALLOCATOR : PROF_LINE_OTHER;
    return is_allocator;
}

bool prof_place_of_site(const struct prof_place_tables *t, uint32_t frame, struct prof_call_place *out)
{
    if (!prof_place_first(t, frame, out)) return false;
    struct prof_call_place place = *out;
    do {
        if (prof_place_is_allocator(t, &place)) continue;
        *out = place;
        break;
    } while (prof_place_next(t, &place));
    return true;
}

static size_t prof_first_module_of(const struct prof_place_tables *t, uint32_t process)
{
    size_t from = 0, to = t->modules_len;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (t->modules[middle].process < process)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static const struct prof_module *prof_module_of(const struct prof_place_tables *t, const struct prof_frame *f)
{
    for (size_t i = prof_first_module_of(t, f->process); i < t->modules_len; i++) {
        const struct prof_module *m = &t->modules[i];
        if (m->process != f->process) break;
        if (f->ip >= m->base && f->ip < m->end) return m;
    }
    return NULL;
}

uint64_t prof_frame_offset(const struct prof_place_tables *t, uint32_t frame)
{
    const struct prof_frame *f = &t->frames[frame];
    const struct prof_module *m = prof_module_of(t, f);
    return m ? f->ip - m->bias : f->ip;
}

static uint64_t prof_code_identity(const struct prof_place_tables *t, const struct prof_frame *f)
{
    const struct prof_module *m = prof_module_of(t, f);
    if (!m) return f->ip ^ (uint64_t)f->process << 48; /* code in no file is its process's own */
    return (f->ip - m->bias) ^ ls_hash_text(LS_HASH_BEGIN, m->path);
}

void prof_path_identities(const struct prof_place_tables *t, uint64_t *out)
{
    for (size_t i = 0; i < t->frames_len; i++) { /* parents are before their children */
        const uint32_t parent = t->frames[i].parent;
        uint64_t h = (parent < i ? out[parent] : 1) ^ prof_code_identity(t, &t->frames[i]);
        h *= UINT64_C(0x9e3779b97f4a7c15);
        out[i] = h ^ h >> 32;
    }
}
