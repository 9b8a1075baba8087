/* SPDX-License-Identifier: BSD-3-Clause */
/* Markers that a program sends to the tracer that it runs under: a getpid with arguments. The kernel, and
 * QEMU, ignore them, so a marker is harmless without a tracer; the tracer's plugin sees the program's system
 * calls and recognises the first argument. Texts are passed by address: the plugin shares the program's
 * memory. */
#ifndef LS_MARKER_H
#define LS_MARKER_H

#include "common/ls_compat.h"

#include <stdbool.h>
#include <stdint.h>

/* The upper half of the first argument: "LsMk". */
#define LS_MARKER_MAGIC UINT64_C(0x4c734d6b)

/* X(name, number, meaning of the four words) */
#define LS_MARKER_LIST(X)                                                       \
    X(PAUSE, 1, "-: what this thread does from here on is not the program's")   \
    X(RESUME, 2, "-: it is again")                                              \
    X(BLOCK_BORN, 3, "start, bytes, spool_path_hash of its call path, -")       \
    X(BLOCK_DIED, 4, "start, -, -, -")                                          \
    X(NODE, 5, "number, start, bytes, struct ls_marker_node: begins, or moves") \
    X(NODE_DIED, 6, "number, -, -, -")                                          \
    X(PHASE_BEGIN, 7, "name, its length, -, -")                                 \
    X(PHASE_END, 8, "name, its length, -, -")                                   \
    X(STACK_BORN, 9, "start, bytes, -, -: of this thread")                      \
    X(STACK_DIED, 10, "start, bytes, -, -")                                     \
    X(NODE_MEMBER, 11, "number of the group, 0: none, number of the member, -, -")
#define LS_MARKER_ENUM(name, number, text) LS_MARKER_##name = number,
enum ls_marker_kind { LS_MARKER_LIST(LS_MARKER_ENUM) LS_MARKER_LAST };
#undef LS_MARKER_ENUM

/* The struct that NODE points to. */
struct ls_marker_node {
    uint64_t label, label_len; /* address of a text, empty when the node has moved */
    uint64_t elem_size_bytes;
    uint32_t parent; /* number, 0: none */
    uint32_t reserved;
};

static inline uint64_t ls_marker_word(enum ls_marker_kind kind)
{
    return LS_MARKER_MAGIC << 32 | (uint64_t)kind;
}

/* True when this is the first argument of a marker; *out is then its kind. */
static inline bool ls_marker_is(uint64_t first_argument, enum ls_marker_kind *out)
{
    const uint32_t kind = (uint32_t)first_argument;
    if (first_argument >> 32 != LS_MARKER_MAGIC || kind == 0 || kind >= LS_MARKER_LAST) return false;
    *out = (enum ls_marker_kind)kind;
    return true;
}

/* Thread: any.  Signal: safe. */
static inline void ls_marker_send(enum ls_marker_kind kind, const uint64_t words[4])
{
    ls_syscall(SYS_getpid, ls_marker_word(kind), words[0], words[1], words[2], words[3]);
}

#endif
