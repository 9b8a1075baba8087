/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of the program that take time in the kernel: a random sample of them is timed by the thread's CPU
 * clock, in which waiting does not count. Each kind is sampled by itself, so that rare calls that take long
 * are not lost among many short ones; the more calls, the fewer of them are timed.
 *
 * Thread: any.  Signal: as for the program's call. */
#ifndef RT_TIMED_H
#define RT_TIMED_H

#include "runtime/core/rt_thread.h"
#include "spool/spool_format.h"

#include <stdbool.h>
#include <stdint.h>

struct rt_timed_call {
    uint32_t represents; /* calls, itself included; 0: it is not timed */
    enum rt_timed_kind kind;
    void *caller;      /* return address of the hook */
    uint64_t begin_ns; /* the thread's CPU clock */
    uint64_t burst_ns; /* CPU time of the thread's bursts then */
    uint64_t cpu_ns;   /* CPU time of the call; 0: not known */
};

/* Count a call. True: rt_timed_choose decides whether it is timed. Almost always false.  errno is kept. */
struct rt_timed_call rt_timed_choose(enum rt_timed_kind kind, void *caller);
static inline bool rt_timed_count(enum rt_timed_kind kind)
{
    return __builtin_expect(rt_tls.untimed_calls[kind]-- == 0, 0);
}

/* Around the real call.  errno is kept. */
void rt_timed_start(struct rt_timed_call *c);
void rt_timed_stop(struct rt_timed_call *c);

/* Record a call, inside rt_enter and rt_leave of t. r gives its time, its kind (rec.flags) and its memory. */
void rt_timed_put(struct rt_thread *t, const struct rt_timed_call *c, struct spool_kernel_call r);

/* All of it before a call that is due, and after it. */
struct rt_timed_call rt_timed_begin(enum rt_timed_kind kind, void *caller);
void rt_timed_end(struct rt_timed_call *c, unsigned flags, const void *addr, uint64_t len_bytes);

/* Calls of the allocator about blocks that are long enough for it to call the kernel, which no hook sees. It
 * called the kernel if it took time, and moved the end of the heap or left the block without memory. */
enum { RT_TIMED_BLOCK_BYTES = 128 * 1024 }; /* M_MMAP_THRESHOLD */
/* Announce a timed call before the record of the block's end; the time itself is recorded after it. errno is
 * kept. */
void rt_timed_announce(const struct rt_timed_call *c, const void *block, uint64_t len_bytes);
/* After the record of its begin, or after its end.  errno is kept. */
void rt_timed_end_allocator(const struct rt_timed_call *c, unsigned flags, const void *block,
                            uint64_t len_bytes);

#endif
