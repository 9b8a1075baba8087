/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_calls.h"

#include "resolve/prof_functions.h"
#include "resolve/prof_stacks.h"

#include <stdlib.h>

struct prof_calls {
    struct prof_calls_context context;
    prof_functions *functions;
    prof_stacks *stacks;
    struct prof_stack stack; /* stack of the current burst; large */
};

static ls_err prof_calls_fill(prof_calls *c)
{
    c->functions = prof_functions_new(c->context.modules, c->context.jit, c->context.names);
    if (!c->functions) return ls_nomem("call stacks");
    return prof_stacks_new(c->context.session, c->functions, &c->stacks);
}

ls_err prof_calls_new(const struct prof_calls_context *context, prof_calls **out)
{
    prof_calls *c = calloc(1, sizeof(*c));
    if (!c) return ls_nomem("call stacks");
    c->context = *context;
    const ls_err e = prof_calls_fill(c);
    if (e == LS_OK)
        *out = c;
    else
        prof_calls_free(c);
    return e;
}

void prof_calls_free(prof_calls *c)
{
    if (!c) return;
    prof_stacks_free(c->stacks);
    prof_functions_free(c->functions);
    free(c);
}

static bool prof_calls_is_code(const void *user, uint64_t ip)
{
    return prof_space_is_code(user, ip);
}

ls_err prof_calls_begin(prof_calls *c, struct prof_calls_thread *t, const struct spool_stack *stack,
                        uint32_t *out_path)
{
    const struct sym_code code = {prof_calls_is_code, c->context.space};
    uint64_t ips[PROF_PATH_FRAMES_MAX];
    *out_path = PROF_NO_FRAME;
    prof_stacks_unwind(c->stacks, stack, &code, &c->stack);
    LS_TRY(prof_frame_homes_begin(&t->frames, c->stack.frames, c->stack.len));
    if (!(stack->rec.flags & SPOOL_STACK_CALLS)) return LS_OK;
    const size_t len = prof_stacks_path(c->stacks, &c->stack, ips);
    return prof_frames_intern(c->context.frames, c->context.process, ips, len, out_path);
}

ls_err prof_calls_chain(prof_calls *c, const uint64_t *ips, size_t len, bool is_exact, uint32_t *out_path)
{
    uint64_t path[PROF_PATH_FRAMES_MAX];
    *out_path = PROF_NO_FRAME;
    c->stack.len = 0;
    c->stack.is_whole = false;
    for (size_t i = 0; i < len && c->stack.len < PROF_PATH_FRAMES_MAX && ips[i]; i++)
        c->stack.frames[c->stack.len++] = (struct sym_frame){.ip = ips[i] - (i > 0 || !is_exact)};
    if (c->stack.len == 0) return LS_OK;
    const size_t kept = prof_stacks_path(c->stacks, &c->stack, path);
    return prof_frames_intern(c->context.frames, c->context.process, path, kept, out_path);
}

static ls_err prof_calls_home(prof_calls *c, const struct prof_calls_thread *t, const struct spool_access *a,
                              uint32_t *node)
{
    const uint64_t ip = prof_frame_homes_find(&t->frames, a->addr, a->ip);
    const char *function = ip != 0 ? prof_function_at(c->functions, ip) : "";
    if (*function == '\0') return LS_OK; /* the thread's stack it stays */
    *node = prof_tree_child(c->context.tree, t->home, PROF_NODE_FRAME, function);
    return *node == PROF_NO_NODE ? ls_nomem("the frames of %s", function) : LS_OK;
}

ls_err prof_calls_access(prof_calls *c, struct prof_calls_thread *t, const struct spool_access *a,
                         uint32_t *node)
{
    if (*node != t->home) return LS_OK; /* another thread's stack, or memory that serves as one */
    LS_TRY(prof_calls_home(c, t, a, node));
    if (a->rec.flags & SPOOL_ACCESS_CALL) return prof_frame_homes_call(&t->frames, a->addr, a->ip);
    if (a->rec.flags & SPOOL_ACCESS_RETURN) prof_frame_homes_return(&t->frames, a->addr);
    return LS_OK;
}

void prof_calls_forget(struct prof_calls_thread *t)
{
    t->frames.edges.len = 0;
}
