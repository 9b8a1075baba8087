/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that the tracer's plugin, in QEMU, and `loadstone trace` share: a memfd, mapped by both.
 *
 * Threads of the program write accesses into blocks, one open block a thread; full blocks go through a queue
 * to the reader, which gives them back. Everything else (an allocation, a phase) is an event; events are
 * numbered in one order. The first row of a block, and each thread's first access after an event of any
 * thread, is preceded by a mark with the number of events so far: so the reader can order the accesses of all
 * threads before and after each event without a lock or a clock on the path of an access.
 *
 * The thread that makes an event sets the limit of all open blocks to 0, so that the next access of each
 * thread takes the slow path and notices the event. Sites and modules are tables that only grow.
 *
 * The program may be killed at any instruction: then the reader takes the rows of open blocks. */
#ifndef TRC_RING_H
#define TRC_RING_H

#include "common/ls_compat.h"

#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* ---- the ring ---- */

#define TRC_MAGIC UINT64_C(0x31304352544c5300) /* "\0SLTRC01" */

enum {
    TRC_BLOCK_ROWS = 4092, /* a block has 64 KiB */
    TRC_BLOCKS = 1024,
    TRC_FILLED_MAX = 128, /* blocks on their way; then threads wait for the reader */
    TRC_SLOTS = 512,      /* threads that live at a time; more are not recorded */
    TRC_EVENTS = 1 << 14,
    TRC_THREADS = 1 << 20,
    TRC_SITES = 1 << 22,
    TRC_MODULES = 1 << 13,
    TRC_TEXT_BYTES = 1 << 24,
    TRC_REASON_BYTES = 512,
    TRC_LACKING = 8, /* system calls that QEMU lacks; later numbers are dropped */
};

/* Sites of rows that are no accesses. */
#define TRC_MARK UINT32_MAX        /* addr: number of events before the next row */
#define TRC_BREAK (UINT32_MAX - 1) /* accesses of the thread are missing here */

/* The layout of struct pat_access (patterns/pat_access.h). */
struct trc_access {
    uint64_t addr;
    uint32_t site, thread;
};

struct trc_block {
    uint32_t len;    /* rows that are there; written by the thread, released */
    uint32_t limit;  /* rows that it may write without looking up; anybody sets it to 0 */
    uint32_t thread; /* row of threads */
    uint32_t next;   /* free blocks: index + 1 of the next one */
    uint64_t serial; /* among the blocks of its thread, from 0 */
    uint32_t state;  /* enum trc_block_state */
    uint32_t reserved[9];
    struct trc_access rows[TRC_BLOCK_ROWS];
};
_Static_assert(sizeof(struct trc_block) == 65536, "a block is a power of two");
enum trc_block_state { TRC_FREE, TRC_OPEN, TRC_FILLED };

/* The layout of struct pat_site. */
struct trc_site {
    uint64_t ip;
    uint32_t module; /* row, UINT32_MAX: none */
    uint16_t size_bytes;
    uint8_t operand, op;
};

struct trc_module {
    uint64_t start, end;
    uint64_t offset_bytes;   /* file offset mapped at start */
    uint32_t path, path_len; /* in the texts */
};

enum trc_event_kind {
    TRC_EVENT_NONE,
    TRC_EVENT_BLOCK_BORN, /* start, bytes, hash of its path */
    TRC_EVENT_BLOCK_DIED, /* start */
    TRC_EVENT_NODE, /* number | parent << 32, start, bytes, elem_size, label, label_len: begins, or moves */
    TRC_EVENT_NODE_DIED,   /* number */
    TRC_EVENT_PHASE_BEGIN, /* name, name_len */
    TRC_EVENT_PHASE_END,   /* name, name_len */
    TRC_EVENT_STACK_BORN,  /* start, bytes */
    TRC_EVENT_STACK_DIED,  /* start, bytes */
    TRC_EVENT_UNMAPPED,    /* start, bytes */
    TRC_EVENT_MODULE_GONE, /* row of modules */
    TRC_EVENT_NODE_MEMBER, /* number of the group, 0: none, number of the member */
};
struct trc_event {
    uint64_t ready; /* its number + 1 when it is complete */
    uint32_t kind, thread;
    uint64_t words[6];
};

/* A system call that came back with ENOSYS. */
struct trc_lacking {
    uint32_t number_next; /* its number + 1, 0: none */
    uint32_t calls;
};

/* The instruction that ended the latest block of translated code, unless that ends blocks by itself: where
 * QEMU stops when it does not have one. A system call since then forgets it. */
struct trc_illegal {
    uint64_t ip; /* 0: none */
    uint32_t len;
    uint8_t bytes[20]; /* number of known bytes, at most 15 */
};

/* A living thread. */
struct trc_slot {
    uint32_t is_used;
    uint32_t block; /* index + 1 of its open block, 0: none */
};

/* Reason why the tracer ended the program or a child of it. */
enum trc_refusal { TRC_NOT_REFUSED, TRC_REFUSED_GATHER };

struct trc_ring {
    uint64_t magic;
    uint32_t reader_pid;
    uint32_t is_closed;  /* by the reader: nothing is recorded any more */
    uint32_t plugin_pid; /* 0: the plugin did not start */
    uint32_t refusal;    /* enum trc_refusal */
    char reason[TRC_REASON_BYTES];
    uint64_t skip_instructions, count_instructions; /* per thread; count 0: all that follow */
    uint32_t lacks_isa;      /* enum trc_isa: the latest that QEMU may have stopped at */
    uint32_t forks;          /* children that were not followed */
    uint32_t execs;          /* programs that replaced this one or a child of it */
    uint32_t threads_missed; /* because there was no free slot */
    uint32_t texts_missed;
    uint32_t sites_missed;
    uint32_t insns_missed; /* out of memory: their accesses are missing */
    struct trc_lacking lacking[TRC_LACKING];
    struct trc_illegal illegal;
    uint32_t threads_len, sites_len, modules_len, texts_len;
    uint32_t slots_used; /* largest number in use at a time */

    _Alignas(64) uint64_t events_len;  /* numbers given out */
    _Alignas(64) uint64_t events_done; /* by the reader */
    _Alignas(64) uint64_t free_blocks; /* tag << 32 | index + 1 */
    uint32_t blocks_made;
    _Alignas(64) uint64_t queue_tail;
    _Alignas(64) uint32_t filled; /* blocks from the queue that were not returned */
    uint32_t released;            /* counts returned blocks; threads wait for it to change */
    _Alignas(64) uint32_t is_reader_asleep;
    uint32_t wake;

    uint32_t queue[TRC_BLOCKS]; /* index + 1, 0: not there yet */
    struct trc_slot slots[TRC_SLOTS];
    uint32_t threads[TRC_THREADS]; /* their numbers in the system */
    struct trc_event events[TRC_EVENTS];
    struct trc_module modules[TRC_MODULES];
    char texts[TRC_TEXT_BYTES];
    struct trc_site sites[TRC_SITES];
    _Alignas(4096) struct trc_block blocks[TRC_BLOCKS];
};

#define TRC_LOAD(x) __atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define TRC_STORE(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELEASE)

/* ---- sets of instructions ---- */

/* Sets of instructions that QEMU 7.2 does not execute, or that are hidden from the program: where it ends by
 * SIGILL, one of them is why. */

#define TRC_ISA_LIST(X)               \
    X(AVX2, "AVX2")                   \
    X(AVX512, "AVX-512")              \
    X(AMX, "AMX")                     \
    X(AVX_VNNI, "AVX-VNNI")           \
    X(GFNI, "GFNI")                   \
    X(SHA, "SHA")                     \
    X(VPCLMULQDQ, "VPCLMULQDQ")       \
    X(MOVDIR, "MOVDIRI or MOVDIR64B") \
    X(SERIALIZE, "SERIALIZE")         \
    X(XSAVEC, "XSAVEC")               \
    X(RDPID, "RDPID")                 \
    X(PTWRITE, "PTWRITE")

#define TRC_ISA_NUMBER(name, text) TRC_ISA_##name,
enum trc_isa { TRC_ISA_HAD, TRC_ISA_LIST(TRC_ISA_NUMBER) };

/* ---- waiting for a word that another process changes ---- */

/* Wait until *word differs from seen, a thread wakes us, or the time is over; may return early. */
static inline void trc_futex_wait(uint32_t *word, uint32_t seen, uint64_t timeout_ns)
{
    const struct timespec t = {(time_t)(timeout_ns / LS_NS_PER_S), (long)(timeout_ns % LS_NS_PER_S)};
    ls_syscall(SYS_futex, word, FUTEX_WAIT, seen, &t);
}

static inline void trc_futex_wake(uint32_t *word, int waiters)
{
    ls_syscall(SYS_futex, word, FUTEX_WAKE, waiters);
}

#endif
