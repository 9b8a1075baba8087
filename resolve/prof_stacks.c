/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_stacks.h"

#include "common/ls_text.h"
#include "resolve/prof_maps.h"
#include "spool/spool_record.h"

#include <stdlib.h>
#include <string.h>

struct prof_stacks {
    prof_functions *functions;
    sym_unwinder *unwinder;
};

ls_err prof_stacks_new(sym_session *session, prof_functions *functions, prof_stacks **out)
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

void prof_stacks_free(prof_stacks *s)
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

void prof_stacks_unwind(prof_stacks *s, const struct spool_stack *rec, const struct sym_code *code,
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
    if ((*name != '\0' && *name != '[') || strncmp(file, "libc.", 5) != 0) return false;
    return is_whole || strcmp(prof_function_at(s->functions, callee_ip), "main") == 0;
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

size_t prof_stacks_path(prof_stacks *s, const struct prof_stack *stack, uint64_t ips[PROF_PATH_FRAMES_MAX])
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
