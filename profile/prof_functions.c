/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/prof_functions.h"

#include "profile/prof_maps.h"

#include <stdlib.h>

struct prof_function_slot {
    uint64_t ip;
    const char *name; /* NULL: empty */
};

struct prof_functions {
    const struct prof_modules *modules;
    prof_jit *jit;
    prof_names *names;
    struct prof_function_slot *slots;
    size_t len, room; /* room: a power of two */
};

enum { PROF_FUNCTIONS_ROOM = 1024 };

prof_functions *prof_functions_new(const struct prof_modules *modules, prof_jit *jit, prof_names *names)
{
    prof_functions *f = calloc(1, sizeof(*f));
    if (!f) return NULL;
    *f = (prof_functions){.modules = modules, .jit = jit, .names = names, .room = PROF_FUNCTIONS_ROOM};
    f->slots = calloc(f->room, sizeof(*f->slots));
    if (f->slots) return f;
    free(f);
    return NULL;
}

void prof_functions_free(prof_functions *f)
{
    if (!f) return;
    free(f->slots);
    free(f);
}

static struct prof_function_slot *prof_function_slot(const prof_functions *f, uint64_t ip)
{
    size_t at = (size_t)((ip * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (f->room - 1);
    while (f->slots[at].name && f->slots[at].ip != ip)
        at = (at + 1) & (f->room - 1);
    return &f->slots[at];
}

/* Without memory the table stays as full as it is, and what is new is looked up each time. */
static bool prof_functions_have_room(prof_functions *f)
{
    if (2 * f->len < f->room) return true;
    prof_functions grown = *f;
    grown.room = 2 * f->room;
    grown.slots = calloc(grown.room, sizeof(*grown.slots));
    if (!grown.slots) return false;
    for (size_t i = 0; i < f->room; i++)
        if (f->slots[i].name) *prof_function_slot(&grown, f->slots[i].ip) = f->slots[i];
    free(f->slots);
    *f = grown;
    return true;
}

static const char *prof_function_generated(prof_functions *f, uint64_t ip)
{
    uint64_t base;
    const char *name = prof_jit_function(f->jit, ip, &base);
    return !name ? "" : *name ? name : prof_name_of(f->names, "[jit]");
}

static const char *prof_function_look_up(prof_functions *f, uint64_t ip)
{
    const struct prof_loaded *l = prof_modules_at(f->modules, NULL, ip);
    if (!l) return prof_function_generated(f, ip);
    const char *function =
        l->has_bias ? sym_file_function(f->modules->files, l->file, ip - l->bias).function : "";
    if (*function) return prof_name_of(f->names, function);
    const char *named = prof_jit_named(f->jit, ip);
    if (*named) return named;
    return prof_name_printf(f->names, l->path[0] == '[' ? "%s" : "[%s]", prof_base_name(l->path));
}

const char *prof_function_file(const prof_functions *f, uint64_t ip)
{
    const struct prof_loaded *l = prof_modules_at(f->modules, NULL, ip);
    return l ? l->path : "";
}

const char *prof_function_at(prof_functions *f, uint64_t ip)
{
    struct prof_function_slot *slot = prof_function_slot(f, ip);
    if (slot->name) return slot->name;
    const char *name = prof_function_look_up(f, ip);
    if (prof_functions_have_room(f)) {
        *prof_function_slot(f, ip) = (struct prof_function_slot){ip, name};
        f->len++;
    }
    return name;
}
