/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_space.h"

#include <stdlib.h>

/* Programs touch few variables again and again, and large arrays at many places: a direct-mapped cache of
 * addresses, and the variables found last, spare the searches. */
enum { PROF_STATIC_SLOTS = 4096, PROF_STATIC_RECENT = 8 };
struct prof_static_slot {
    const struct prof_loaded *module; /* NULL: empty */
    uint64_t base, end;               /* addresses that have this answer */
    uint64_t first;                   /* start of the variable; elements count from there */
    uint64_t elem_size_bytes;
    uint32_t home, node;
    uint32_t origin; /* origin of the variable's type */
};

ls_err prof_statics_init(struct prof_statics *s, const struct prof_modules *modules, prof_tree *tree,
                         uint64_t start_ns)
{
    *s = (struct prof_statics){.modules = modules, .tree = tree, .start_ns = start_ns};
    s->slots = calloc(PROF_STATIC_SLOTS, sizeof(*s->slots));
    s->recent = calloc(PROF_STATIC_RECENT, sizeof(*s->recent));
    return s->slots && s->recent ? LS_OK : ls_nomem("static data");
}

void prof_statics_fini(struct prof_statics *s)
{
    free(s->slots);
    free(s->recent);
    *s = (struct prof_statics){0};
}

static uint64_t prof_statics_time(const struct prof_statics *s, uint64_t time_ns)
{
    if (time_ns == 0 || time_ns == UINT64_MAX) return time_ns;
    return time_ns > s->start_ns ? time_ns - s->start_ns : 0;
}

/* A node that several copies of a module share lives as long as one of them. */
static void prof_note_life(struct prof_statics *s, uint32_t id, const struct prof_loaded *l, bool is_new)
{
    struct prof_node *n = prof_tree_node(s->tree, id);
    for (size_t i = 0; i < s->modules->rows.len; i++) {
        const struct prof_loaded *copy = &s->modules->rows.rows[i];
        if (copy->path != l->path) continue;
        const uint64_t born_ns = prof_statics_time(s, copy->born_ns);
        const uint64_t died_ns = prof_statics_time(s, copy->died_ns);
        if (is_new || born_ns < n->born_ns) n->born_ns = born_ns;
        if (is_new || died_ns > n->died_ns) n->died_ns = died_ns;
        is_new = false;
    }
}

/* The caller has made a home if it is the last node of the tree: then it is new. */
static void prof_note_home_life(struct prof_statics *s, uint32_t home, const struct prof_loaded *l)
{
    size_t len;
    prof_tree_nodes(s->tree, &len);
    prof_note_life(s, home, l, home + 1 == len);
}

static uint32_t prof_static_node(struct prof_statics *s, const struct prof_loaded *l, uint32_t parent,
                                 enum prof_node_kind kind, const struct sym_thing *thing)
{
    size_t before, after;
    prof_tree_nodes(s->tree, &before);
    const uint32_t id = prof_tree_child(s->tree, parent, kind, thing->name);
    if (id == PROF_NO_NODE) return parent;
    prof_tree_nodes(s->tree, &after);
    const uint64_t base = thing->base + l->bias, end = thing->end + l->bias;
    struct prof_node *n = prof_tree_node(s->tree, id);
    if (after > before) {
        n->base = base;
        n->end = end;
        n->elem_size_bytes = thing->elem_size_bytes;
        n->dims = thing->elem_size_bytes ? 1 : 0;
    } else if (n->base != base || n->end != end) {
        n->base = n->end = 0; /* several places: processes or copies differ */
    }
    prof_note_life(s, id, l, after > before);
    return id;
}

/* The variable's node, below the nodes of the variables that contain it. */
static uint32_t prof_variable_node(struct prof_statics *s, const struct prof_loaded *l, uint32_t home,
                                   const struct sym_thing *v, int depth)
{
    enum { PROF_NESTED_MAX = 8 };
    uint32_t parent = home;
    if (v->around != SYM_NONE && depth < PROF_NESTED_MAX) {
        const struct sym_thing outer = sym_file_variable(l->file, v->around);
        parent = prof_variable_node(s, l, home, &outer, depth + 1);
    }
    return prof_static_node(s, l, parent, PROF_NODE_SYMBOL, v);
}

static struct prof_static_slot prof_static_look_up(struct prof_statics *s, const struct prof_loaded *l,
                                                   uint64_t addr, uint32_t home)
{
    const uint64_t linked = addr - l->bias;
    struct prof_static_slot slot = {.module = l, .base = addr, .end = addr + 1, .home = home, .node = home};
    prof_note_home_life(s, home, l);
    if (!l->has_bias) {
        sym_file_mark_other(l->file);
        return slot;
    }
    if (linked >= sym_file_end(l->file)) { /* the kernel merged its .bss with a mapping after it */
        const uint32_t other = prof_tree_home(s->tree, PROF_NODE_ANONYMOUS, "anonymous memory");
        if (other != PROF_NO_NODE) slot.node = other;
        return slot;
    }
    struct sym_thing thing = sym_file_find_variable(s->modules->files, l->file, linked);
    if (thing.row != SYM_NONE) {
        slot.node = prof_variable_node(s, l, home, &thing, 0);
        slot.first = thing.base + l->bias;
        slot.elem_size_bytes = thing.elem_size_bytes;
        if (s->typing) slot.origin = prof_typing_variable(s->typing, l->file, &thing);
        if (thing.is_leaf) {
            slot.base = slot.first;
            slot.end = thing.end + l->bias;
        }
    } else {
        thing = sym_file_find_section(l->file, linked);
        if (thing.row != SYM_NONE) slot.node = prof_static_node(s, l, home, PROF_NODE_SECTION, &thing);
    }
    return slot;
}

static bool prof_static_is(const struct prof_static_slot *slot, const char *path, uint64_t addr,
                           uint32_t home)
{
    return slot->module && addr >= slot->base && addr < slot->end && slot->home == home &&
           slot->module->path == path;
}

static const struct prof_static_slot *prof_static_known(const struct prof_statics *s, const char *path,
                                                        uint64_t addr, uint32_t home)
{
    for (size_t i = 0; i < PROF_STATIC_RECENT; i++)
        if (prof_static_is(&s->recent[i], path, addr, home)) return &s->recent[i];
    const struct prof_static_slot *slot = &s->slots[(addr >> 3) % PROF_STATIC_SLOTS];
    return prof_static_is(slot, path, addr, home) ? slot : NULL;
}

static const struct prof_static_slot *prof_static_learn(struct prof_statics *s, const struct prof_loaded *l,
                                                        uint64_t addr, uint32_t home)
{
    const struct prof_static_slot found = prof_static_look_up(s, l, addr, home);
    const bool is_large = found.end - found.base > 64;
    struct prof_static_slot *slot = is_large ? &s->recent[s->recent_next++ % PROF_STATIC_RECENT]
                                             : &s->slots[(addr >> 3) % PROF_STATIC_SLOTS];
    *slot = found;
    return slot;
}

void prof_statics_find(struct prof_statics *s, const char *path, uint64_t addr, struct prof_target *target)
{
    const struct prof_static_slot *slot = prof_static_known(s, path, addr, target->node);
    if (!slot) {
        const struct prof_loaded *l = prof_modules_at(s->modules, path, addr);
        if (!l) return;
        slot = prof_static_learn(s, l, addr, target->node);
    }
    target->node = slot->node;
    target->origin = slot->origin;
    target->offset_bytes = addr - slot->first;
    if (slot->elem_size_bytes == 0) return;
    target->element = (addr - slot->first) / slot->elem_size_bytes;
    target->component = 0;
}
