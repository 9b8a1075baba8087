/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_calls.h"

#include "common/ls_index.h"
#include "common/ls_sorted.h"
#include "common/ls_text.h"
#include "resolve/prof_frames.h"
#include "resolve/prof_functions.h"
#include "resolve/prof_maps.h"
#include "spool/spool_format.h"
#include "spool/spool_path.h"
#include "spool/spool_record.h"
#include "symbols/sym_unwind.h"

#include <stdlib.h>
#include <string.h>

/* --- frames of a stack --- */

static ls_err prof_push_edge(struct prof_frame_homes *h, struct prof_frame_edge edge)
{
    return LS_VECTOR_ADD(&h->edges, edge);
}

/* Frames at and below cfa are over. */
static void prof_drop_below(struct prof_frame_homes *h, uint64_t cfa)
{
    while (h->edges.len > 0 && h->edges.rows[h->edges.len - 1].cfa <= cfa)
        h->edges.len--;
}

ls_err prof_frame_homes_begin(struct prof_frame_homes *h, const struct sym_frame *frames, size_t len)
{
    h->edges.len = 0;
    if (len == 0 || frames[0].cfa == 0) return LS_OK; /* even the innermost frame has no known end */
    for (size_t i = len; i-- > 0;) {
        if (frames[i].cfa == 0) continue;
        /* the caller's frame has an end only where its own canonical address is known */
        const bool is_closed = i + 1 < len && frames[i + 1].cfa != 0;
        LS_TRY(prof_push_edge(h, (struct prof_frame_edge){frames[i].cfa, is_closed ? frames[i + 1].ip : 0}));
    }
    return LS_OK;
}

void prof_frame_homes_fini(struct prof_frame_homes *h)
{
    free(h->edges.rows);
    *h = (struct prof_frame_homes){0};
}

ls_err prof_frame_homes_call(struct prof_frame_homes *h, uint64_t slot, uint64_t ip)
{
    const uint64_t cfa = slot + sizeof(uint64_t);
    prof_drop_below(h, cfa);
    /* without any edge above, the caller's frame has no known end */
    return prof_push_edge(h, (struct prof_frame_edge){cfa, h->edges.len > 0 ? ip : 0});
}

void prof_frame_homes_return(struct prof_frame_homes *h, uint64_t slot)
{
    prof_drop_below(h, slot + sizeof(uint64_t));
}

/* Number of edges above addr. */
static size_t prof_edges_above(const struct prof_frame_homes *h, uint64_t addr)
{
    size_t from; /* edges before from are above addr */
    LS_COUNT_FIRST(from, h->edges.len, i, h->edges.rows[i].cfa > addr);
    return from;
}

uint64_t prof_frame_homes_cfa(const struct prof_frame_homes *h, uint64_t addr)
{
    const size_t from = prof_edges_above(h, addr);
    return from > 0 ? h->edges.rows[from - 1].cfa : 0;
}

uint64_t prof_frame_homes_find(const struct prof_frame_homes *h, uint64_t addr, uint64_t ip)
{
    const size_t from = prof_edges_above(h, addr);
    if (h->edges.len == 0) return 0;
    return from == h->edges.len ? ip : h->edges.rows[from].ip;
}

/* --- stacks --- */

/* Innermost first. */
struct prof_stack {
    struct sym_frame frames[PROF_PATH_FRAMES_MAX];
    size_t len;
    bool is_whole; /* the outermost frame is the thread's first */
};

typedef struct prof_stacks prof_stacks;

struct prof_stacks {
    prof_functions *functions;
    sym_unwinder *unwinder;
};

/* session and functions are borrowed.  Errors: LS_ERR_NOMEM. */
static ls_err prof_stacks_new(sym_session *session, prof_functions *functions, prof_stacks **out)
{
    prof_stacks *s = calloc(1, sizeof(*s));
    if (!s) return ls_nomem("call stacks");
    s->functions = functions;
    const ls_err e = sym_unwinder_new(session, &s->unwinder);
    if (e == LS_OK)
        *out = s;
    else
        free(s);
    return e;
}

static void prof_stacks_free(prof_stacks *s)
{
    if (!s) return;
    sym_unwinder_free(s->unwinder);
    free(s);
}

/* Bytes between a link and the frame's canonical address: the saved frame pointer and the return address. */
enum { PROF_LINK_BYTES = 16 };

/* Links of frames that are already known are skipped. */
static void prof_follow_links(const struct spool_link *links, size_t len, const struct sym_code *code,
                              struct prof_stack *out)
{
    uint64_t reached = 0;
    for (size_t i = 0; i < out->len; i++)
        if (out->frames[i].cfa > reached) reached = out->frames[i].cfa;
    for (size_t i = 0; i < len && out->len < PROF_PATH_FRAMES_MAX; i++) {
        const uint64_t cfa = links[i].frame + PROF_LINK_BYTES;
        if (cfa <= reached) continue;
        if (cfa < links[i].frame || !code->is_code(code->user, links[i].ip)) return;
        /* the frame before is the one that the link belongs to only within the chain */
        if (i > 0 && out->frames[out->len - 1].ip == links[i - 1].ip - 1) out->frames[out->len - 1].cfa = cfa;
        out->frames[out->len++] = (struct sym_frame){.ip = links[i].ip - 1};
    }
}

/* Unwind by the copied bytes and the files' unwind tables first; beyond these bytes, along the frame
 * pointers. code distinguishes return addresses from other words. Never fails: there is one frame at
 * least. */
static void prof_stacks_unwind(prof_stacks *s, const struct spool_stack *rec, const struct sym_code *code,
                               struct prof_stack *out)
{
    const struct spool_link *links = (const void *)SPOOL_REC_TAIL(rec);
    const struct sym_stack stack = {.regs = rec->regs,
                                    .bytes = (const uint8_t *)(links + rec->links_len),
                                    .base = rec->regs[SPOOL_REG_RSP],
                                    .len_bytes = rec->bytes_len};
    out->len = sym_unwind(s->unwinder, &stack, code, out->frames, PROF_PATH_FRAMES_MAX, &out->is_whole);
    if (!out->is_whole) prof_follow_links(links, rec->links_len, code, out);
}

/* Functions in which programs and threads begin: glibc's and musl's names. */
static const char *const prof_start_functions[] = {
    "_start",
    "__libc_start_main",
    "__libc_start_main_impl",
    "__libc_start_main@@GLIBC_2.34",
    "start_thread",
    "__libc_start_call_main",
    "clone",
    "__clone",
    "clone3",
    "__clone3",
    "_start_c",
    "libc_start_main_stage2",
};

static bool prof_is_start(const char *function)
{
    for (size_t i = 0; i < sizeof(prof_start_functions) / sizeof(prof_start_functions[0]); i++)
        if (strcmp(function, prof_start_functions[i]) == 0) return true;
    return false;
}

/* The same without the C library's own symbol table (stripped, no debug file): its exported names stop before
 * the functions that call main and a thread's first function. */
static bool prof_is_unnamed_start(prof_stacks *s, uint64_t ip, uint64_t callee_ip, bool is_whole)
{
    const char *file = ls_base_name(prof_function_file(s->functions, ip));
    const char *name = prof_function_at(s->functions, ip); /* "" or [module] where there is none */
    const char *callee = prof_function_at(s->functions, callee_ip);
    if (*name != '\0' && *name != '[') return false;
    if (strncmp(file, "libc.", 5) != 0)
        return is_whole && prof_is_start(callee); /* _start of a stripped program */
    return is_whole || strcmp(callee, "main") == 0;
}

/* frames[len - 1], outermost of those left, belongs to the start of the program or thread. */
static bool prof_begins(prof_stacks *s, const struct sym_frame *frames, size_t len, bool is_whole)
{
    const uint64_t ip = frames[len - 1].ip;
    return prof_is_start(prof_function_at(s->functions, ip)) ||
           prof_is_unnamed_start(s, ip, frames[len - 2].ip, is_whole);
}

static bool prof_is_runtime(const prof_stacks *s, uint64_t ip)
{
    return strcmp(ls_base_name(prof_function_file(s->functions, ip)), "libloadstone-preload.so") == 0;
}

/* The path as /frames has it, without the frames of the runtime and, outside of main or of a thread's
 * function, without the frames of the C library's start; an outermost ip 0 means that the stack continues.
 * Returns its length. */
static size_t prof_stacks_path(prof_stacks *s, const struct prof_stack *stack,
                               uint64_t ips[PROF_PATH_FRAMES_MAX])
{
    size_t len = stack->len, kept = 0;
    bool is_whole = stack->is_whole;
    for (; len > 1 && prof_begins(s, stack->frames, len, is_whole); len--)
        is_whole = true;
    for (size_t i = 0; i < len; i++)
        if (!prof_is_runtime(s, stack->frames[i].ip)) ips[kept++] = stack->frames[i].ip;
    if (is_whole) return kept;
    ips[kept < PROF_PATH_FRAMES_MAX ? kept++ : kept - 1] = 0;
    return kept;
}

struct prof_calls {
    struct prof_calls_context context;
    prof_functions *functions;
    prof_stacks *stacks;
    struct prof_stack stack;     /* stack of the current burst; large */
    LS_VECTOR(uint64_t) callers; /* each distinct list: its length, then its addresses */
    struct ls_index callers_by_hash;
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
    free(c->callers.rows);
    ls_index_fini(&c->callers_by_hash);
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

/* ips as for prof_calls_chain; is_whole: the last one is where the program or thread began. */
static ls_err prof_intern_chain(prof_calls *c, const uint64_t *ips, size_t len, bool is_exact, bool is_whole,
                                uint32_t *out_path)
{
    uint64_t path[PROF_PATH_FRAMES_MAX];
    *out_path = PROF_NO_FRAME;
    c->stack.len = 0;
    c->stack.is_whole = is_whole && len <= PROF_PATH_FRAMES_MAX;
    for (size_t i = 0; i < len && c->stack.len < PROF_PATH_FRAMES_MAX && ips[i]; i++)
        c->stack.frames[c->stack.len++] = (struct sym_frame){.ip = ips[i] - (i > 0 || !is_exact)};
    if (c->stack.len == 0) return LS_OK;
    const size_t kept = prof_stacks_path(c->stacks, &c->stack, path);
    return prof_frames_intern(c->context.frames, c->context.process, path, kept, out_path);
}

ls_err prof_calls_chain(prof_calls *c, const uint64_t *ips, size_t len, bool is_exact, uint32_t *out_path)
{
    return prof_intern_chain(c, ips, len, is_exact, false, out_path);
}

static ls_err prof_keep_callers(prof_calls *c, const uint64_t *ips, size_t len)
{
    const uint64_t hash = spool_path_hash(ips, len);
    if (ls_index_find(&c->callers_by_hash, hash) != LS_INDEX_NONE || c->callers.len > UINT32_MAX - len - 1)
        return LS_OK;
    const uint32_t at = (uint32_t)c->callers.len;
    LS_TRY(LS_VECTOR_ADD(&c->callers, len));
    for (size_t i = 0; i < len; i++)
        LS_TRY(LS_VECTOR_ADD(&c->callers, ips[i]));
    return ls_index_put(&c->callers_by_hash, hash, at);
}

ls_err prof_calls_callers(prof_calls *c, uint64_t ip, const struct spool_chain *callers, uint32_t *out_path)
{
    uint64_t ips[PROF_PATH_FRAMES_MAX];
    const uint64_t *tail = (const uint64_t *)(const void *)SPOOL_REC_TAIL(callers);
    size_t given = callers->ips_len, len = 0;
    *out_path = PROF_NO_FRAME;
    if (callers->rec.flags & SPOOL_CHAIN_KNOWN) {
        const uint32_t at = given == 1 ? ls_index_find(&c->callers_by_hash, *tail) : LS_INDEX_NONE;
        if (at == LS_INDEX_NONE) return LS_OK; /* the callers were lost */
        given = c->callers.rows[at];
        tail = &c->callers.rows[at + 1];
    } else {
        LS_TRY(prof_keep_callers(c, tail, given));
    }
    bool is_whole = callers->rec.flags & SPOOL_CHAIN_WHOLE;
    ips[len++] = ip;
    for (size_t i = 0; i < given && len < PROF_PATH_FRAMES_MAX; i++) {
        if (!prof_space_is_code(c->context.space, tail[i])) { /* a frame pointer that was none */
            is_whole = false;
            break;
        }
        ips[len++] = tail[i];
    }
    return prof_intern_chain(c, ips, len, true, is_whole && len == given + 1, out_path);
}

/* The file of an instruction, if types are wanted and it can be read. */
static const struct prof_loaded *prof_calls_module(const prof_calls *c, uint64_t ip)
{
    const struct prof_loaded *l = c->context.typing ? prof_modules_at(c->context.modules, NULL, ip) : NULL;
    return l && l->has_bias ? l : NULL;
}

/* ip is of the function whose frame holds the access. */
static void prof_calls_set_frame(const prof_calls *c, uint64_t ip, uint64_t offset_bytes,
                                 struct prof_target *target)
{
    const struct prof_loaded *l = prof_calls_module(c, ip);
    if (!l) return;
    target->origin = prof_typing_frame(c->context.typing, l->file, ip - l->bias);
    target->offset_bytes = offset_bytes;
}

/* The frames are not known: only the instruction shows the object. */
static void prof_calls_set_access(const prof_calls *c, uint64_t ip, struct prof_target *target)
{
    const struct prof_loaded *l = prof_calls_module(c, ip);
    if (!l) return;
    target->origin = prof_typing_access(c->context.typing, l->file, ip - l->bias);
    target->offset_bytes = 0;
}

/* An access to a heap block may show the type of its site. */
static ls_err prof_calls_vote(const prof_calls *c, const struct spool_access *a,
                              const struct prof_target *target)
{
    struct prof_typing *t = c->context.typing;
    if (!t || !prof_typing_wants_vote(t, target->origin, a->ip)) return LS_OK;
    const struct prof_loaded *l = prof_calls_module(c, a->ip);
    if (!l) return LS_OK;
    return prof_typing_vote(t, &(struct prof_vote){.origin = target->origin,
                                                   .ip = a->ip,
                                                   .file = l->file,
                                                   .linked = a->ip - l->bias,
                                                   .offset_bytes = target->offset_bytes,
                                                   .type = UINT32_MAX});
}

/* After a gap the frames date from the trigger, and their functions may have returned: only a function's
 * access to its own frame counts. */
static ls_err prof_calls_home(prof_calls *c, const struct prof_calls_thread *t, const struct spool_access *a,
                              struct prof_target *target)
{
    const uint64_t ip = prof_frame_homes_find(&t->frames, a->addr, a->ip);
    const char *function = ip != 0 ? prof_function_at(c->functions, ip) : "";
    const bool is_old = a->rec.flags & SPOOL_ACCESS_AFTER_GAP;
    const uint64_t cfa = prof_frame_homes_cfa(&t->frames, a->addr);
    if (is_old || cfa == 0) prof_calls_set_access(c, a->ip, target);
    if (*function == '\0') return LS_OK; /* the thread's stack it stays */
    if (is_old && strcmp(function, prof_function_at(c->functions, a->ip)) != 0) return LS_OK;
    target->node = prof_tree_child(c->context.tree, t->home, PROF_NODE_FRAME, function);
    if (target->node == PROF_NO_NODE) return ls_nomem("the frames of %s", function);
    if (!is_old && cfa != 0) prof_calls_set_frame(c, ip, a->addr - cfa, target);
    return LS_OK;
}

ls_err prof_calls_access(prof_calls *c, struct prof_calls_thread *t, const struct spool_access *a,
                         struct prof_target *target)
{
    if (target->node != t->home) /* a heap block, another thread's stack, or memory that serves as one */
        return target->origin ? prof_calls_vote(c, a, target) : LS_OK;
    LS_TRY(prof_calls_home(c, t, a, target));
    if (a->rec.flags & SPOOL_ACCESS_AFTER_GAP) return LS_OK;
    if (a->rec.flags & SPOOL_ACCESS_CALL) return prof_frame_homes_call(&t->frames, a->addr, a->ip);
    if (a->rec.flags & SPOOL_ACCESS_RETURN) prof_frame_homes_return(&t->frames, a->addr);
    return LS_OK;
}

void prof_calls_forget(struct prof_calls_thread *t)
{
    t->frames.edges.len = 0;
}
