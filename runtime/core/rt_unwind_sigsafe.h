/* SPDX-License-Identifier: BSD-3-Clause */
/* The call path of the calling thread. No lock, no allocation, no system call on a known stack: objects are
 * found by the C library's lock-free _dl_find_object, rules are kept in a table. So a path can be taken
 * inside dlopen, in constructors, in signal handlers, and in the child of a vfork.
 *
 * Thread: any. */
#ifndef RT_UNWIND_SIGSAFE_H
#define RT_UNWIND_SIGSAFE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RT_UNWIND_FRAMES_MAX = 64 };

/* Bounds of the stack, and code to leave out. */
struct rt_unwind_limits {
    uint64_t stack_base,
        stack_end; /* the thread's stack; 0 0, or a stack pointer outside: pages are tried first */
    uint64_t own_base, own_end; /* code whose frames are left out */
    uint64_t *places;           /* gets the place of each return address on the stack; NULL: not wanted */
};

/* Return addresses of the callers, innermost first, at most max. *out_nested (may be NULL): the left-out code
 * was met again after a frame that was kept. The path of a signal handler ends at the kernel's frame. Returns their
 * number. */
size_t rt_unwind(const struct rt_unwind_limits *limits, uint64_t *out, size_t max, bool *out_nested);

/* Where a signal interrupted a function. */
struct rt_unwind_registers {
    uint64_t ip, sp, bp;
};

/* The same for the callers of an interrupted instruction, and of those that signals interrupted before. Where no
 * object holds the code (a JIT compiler's), frame pointers are followed; readers must look whether such an address is
 * one of code. *out_whole: the last one is where the program or thread began. */
size_t rt_unwind_from(const struct rt_unwind_limits *limits, const struct rt_unwind_registers *from,
                      uint64_t *out, size_t max, bool *out_whole);

/* An object was unloaded: another one may come to its address. */
void rt_unwind_forget(void);

/* False where paths cannot be known (another C library): rt_unwind gives none. On another processor these
 * functions are not built (RT_HAVE_UNWIND is 0): blocks are named by the function that asked for them. */
bool rt_unwind_works(void);

#endif
