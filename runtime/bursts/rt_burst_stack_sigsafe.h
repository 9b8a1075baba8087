/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of its thread's stack that a burst records: always registers and the top; for a call stack, the
 * return addresses by the tables that the loaded objects carry, or more of the stack, which resolve unwinds with
 * the tables of the files, and the frame-pointer chain above that. */
#ifndef RT_BURST_STACK_SIGSAFE_H
#define RT_BURST_STACK_SIGSAFE_H

#include "runtime/bursts/rt_burst_devices_sigsafe.h"
#include "runtime/core/rt_paths_sigsafe.h"
#include "runtime/core/rt_unwind_sigsafe.h"
#include "spool/spool_packer_sigsafe.h"

enum { RT_BURST_LINKS_MAX = 256, RT_BURST_CALLERS_MAX = 127 /* as many as perf records */ };

/* A value of --callstack. */
struct rt_burst_stack_mode {
    const char *name;
    uint32_t piece_bytes; /* copied from the stack pointer on, at most */
    bool has_links;       /* the frame-pointer chain after the piece */
    bool has_calls;       /* the call stack is taken from the copy */
    bool is_in_place;     /* the call stack is taken here */
};

/* Return the mode of this name; an unknown name means "off". */
const struct rt_burst_stack_mode *rt_burst_stack_mode_named(const char *name);

struct rt_burst_stack_source {
    const struct rt_burst_stack_mode *mode;
    const struct rt_burst_devices *devices; /* never read */
    const long long *gregs;                 /* uc_mcontext.gregs at the trigger */
    uint64_t base, end;                     /* the thread's stack, 0 0 when not known */
    uint64_t time_ns;
    struct spool_link *links;          /* scratch of RT_BURST_LINKS_MAX */
    struct spool_stack_packer *packer; /* the thread's */
    struct rt_paths *known;            /* callers that the stream has */
    uint32_t stream;                   /* number of the thread's stream */
    uint64_t own_base, own_end;        /* code of the runtime, which is left out */
};

/* Return the first byte that a walk from rsp may not read: the stack's end when rsp is inside, else a bounded
 * distance up (coroutines, signal stacks, raw clones). */
uint64_t rt_burst_stack_limit(const struct rt_burst_stack_source *s, uint64_t rsp);

/* Follow the chain of frame pointers from rbp, for frames at from or above it, below limit; returns their
 * number. A frame that is not above the one before it, or cannot be read, ends the walk. Needs the fault
 * handler of the engine.  Thread: the stack's own. */
unsigned rt_burst_stack_links(const struct rt_burst_stack_source *s, uint64_t from, uint64_t limit);

/* Write the STACK record, or STACK_DIFF where the stack is not copied, and the CHAIN of a call stack that is taken
 * here; false: dropped and counted.  Thread: the owner of w. */
bool rt_burst_stack_put(struct spool_writer *w, const struct rt_burst_stack_source *s);

#endif
