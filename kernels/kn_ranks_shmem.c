/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of OpenSHMEM 1.4, whose own collective calls block without end: here a rank that waits for one that
 * is stuck can end the job with a message.
 *
 * Waiting and largest values by dissemination: in round r each rank sends to the one 2^r further on, and
 * waits for the one 2^r before it; after log2(len) rounds each has heard of all. A rank is at most one step
 * ahead of another, so two sets of slots are sufficient. */
#include "kernels/kn_ranks_module.h"

#include <sched.h>
#include <shmem.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROUNDS_MAX = 32, PIECE_BYTES = 1 << 16 };

/* State in symmetric memory, at the same address on all ranks. */
struct board {
    double slots[2][ROUNDS_MAX][KN_RANKS_VALUES_MAX];
    long arrived[ROUNDS_MAX]; /* the step that the sender of a round is in */
    unsigned char piece[PIECE_BYTES];
};

static struct board *board;
static long step;

static enum kn_ranks_outcome shm_start(void)
{
    shmem_init();
    board = shmem_malloc(sizeof(*board));
    if (!board) return KN_RANKS_FAILED;
    memset(board, 0, sizeof(*board));
    shmem_barrier_all(); /* no rank writes to a board that is cleared after it; shmem_calloc allows that */
    return KN_RANKS_DONE;
}

static void shm_describe(char *out, size_t room)
{
    char name[SHMEM_MAX_NAME_LEN] = "";
    int major = 0, minor = 0;
    shmem_info_get_name(name);
    shmem_info_get_version(&major, &minor);
    snprintf(out, room, "OpenSHMEM %d.%d (%s)", major, minor, name);
}

static unsigned shm_rank(void)
{
    return (unsigned)shmem_my_pe();
}

static unsigned shm_len(void)
{
    return (unsigned)shmem_n_pes();
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Yield the processor while others have not arrived, because there may be more ranks than processors. */
static enum kn_ranks_outcome await(long *arrived, double end_s)
{
    while (!shmem_long_test(arrived, SHMEM_CMP_GE, step)) {
        if (now_s() > end_s) return KN_RANKS_LATE;
        sched_yield();
    }
    return KN_RANKS_DONE;
}

static enum kn_ranks_outcome shm_max(double *values, size_t len, double timeout_s)
{
    const int ranks = shmem_n_pes(), rank = shmem_my_pe();
    const double end_s = now_s() + timeout_s;
    double sent[KN_RANKS_VALUES_MAX];
    if (len > KN_RANKS_VALUES_MAX) return KN_RANKS_FAILED;
    step++;
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* stores to own symmetric memory come first */
    for (int round = 0; (1L << round) < ranks; round++) {
        const int to = (int)((rank + (1L << round)) % ranks);
        double *slot = board->slots[step % 2][round];
        if (len) {
            memcpy(sent, values, len * sizeof(*values));
            shmem_double_put(slot, sent, len, to);
        }
        shmem_fence();
        shmem_long_atomic_set(&board->arrived[round], step, to);
        const enum kn_ranks_outcome outcome = await(&board->arrived[round], end_s);
        if (outcome != KN_RANKS_DONE) return outcome;
        for (size_t v = 0; v < len; v++)
            if (slot[v] > values[v]) values[v] = slot[v];
    }
    return KN_RANKS_DONE;
}

/* Broadcast piece by piece through the board of root, which the others read. */
static enum kn_ranks_outcome shm_broadcast(void *data, size_t len_bytes, unsigned root, double timeout_s)
{
    for (size_t at = 0; at < len_bytes; at += PIECE_BYTES) {
        const size_t bytes = len_bytes - at < PIECE_BYTES ? len_bytes - at : PIECE_BYTES;
        if (shm_rank() == root) memcpy(board->piece, (char *)data + at, bytes);
        enum kn_ranks_outcome outcome = shm_max(NULL, 0, timeout_s);
        if (outcome != KN_RANKS_DONE) return outcome;
        if (shm_rank() != root) shmem_getmem((char *)data + at, board->piece, bytes, (int)root);
        outcome = shm_max(NULL, 0, timeout_s);
        if (outcome != KN_RANKS_DONE) return outcome;
    }
    return KN_RANKS_DONE;
}

/* Rank 0 reads the boards of the others. */
static enum kn_ranks_outcome shm_gather(const void *data, size_t len_bytes, void *all, double timeout_s)
{
    for (size_t at = 0; at < len_bytes; at += PIECE_BYTES) {
        const size_t bytes = len_bytes - at < PIECE_BYTES ? len_bytes - at : PIECE_BYTES;
        memcpy(board->piece, (const char *)data + at, bytes);
        enum kn_ranks_outcome outcome = shm_max(NULL, 0, timeout_s);
        if (outcome != KN_RANKS_DONE) return outcome;
        for (unsigned r = 0; shm_rank() == 0 && r < shm_len(); r++)
            shmem_getmem((char *)all + r * len_bytes + at, board->piece, bytes, (int)r);
        outcome = shm_max(NULL, 0, timeout_s);
        if (outcome != KN_RANKS_DONE) return outcome;
    }
    return KN_RANKS_DONE;
}

/* Rank 0 writes to the boards of the others. */
static enum kn_ranks_outcome shm_scatter(const void *all, size_t len_bytes, void *data, double timeout_s)
{
    for (size_t at = 0; at < len_bytes; at += PIECE_BYTES) {
        const size_t bytes = len_bytes - at < PIECE_BYTES ? len_bytes - at : PIECE_BYTES;
        enum kn_ranks_outcome outcome = shm_max(NULL, 0, timeout_s); /* no rank reads the piece before */
        if (outcome != KN_RANKS_DONE) return outcome;
        for (unsigned r = 0; shm_rank() == 0 && r < shm_len(); r++)
            shmem_putmem(board->piece, (const char *)all + r * len_bytes + at, bytes, (int)r);
        shmem_quiet();
        outcome = shm_max(NULL, 0, timeout_s);
        if (outcome != KN_RANKS_DONE) return outcome;
        memcpy((char *)data + at, board->piece, bytes);
    }
    return KN_RANKS_DONE;
}

static void *shm_window_new(size_t len_bytes, void **base)
{
    *base = shmem_align(64, len_bytes);
    return *base;
}

static enum kn_ranks_outcome shm_window_open(void *window)
{
    (void)window;
    return KN_RANKS_DONE;
}

static void shm_window_free(void *window)
{
    shmem_free(window);
}

static enum kn_ranks_outcome shm_get(void *window, void *to, unsigned rank, size_t at_bytes, size_t len_bytes)
{
    shmem_getmem_nbi(to, (char *)window + at_bytes, len_bytes, (int)rank);
    return KN_RANKS_DONE;
}

static enum kn_ranks_outcome shm_put(void *window, const void *from, unsigned rank, size_t at_bytes,
                                     size_t len_bytes)
{
    shmem_putmem_nbi((char *)window + at_bytes, from, len_bytes, (int)rank);
    return KN_RANKS_DONE;
}

static enum kn_ranks_outcome shm_settle(void *window)
{
    (void)window;
    shmem_quiet();
    return KN_RANKS_DONE;
}

static void shm_abort(int status)
{
    shmem_global_exit(status);
}

static void shm_stop(void)
{
    shmem_free(board);
    shmem_finalize();
}

extern const struct kn_ranks_module KN_RANKS_TABLE;
const struct kn_ranks_module KN_RANKS_TABLE = {.version = KN_RANKS_MODULE_VERSION,
                                               .name = "OpenSHMEM",
                                               .start = shm_start,
                                               .describe = shm_describe,
                                               .rank = shm_rank,
                                               .len = shm_len,
                                               .max = shm_max,
                                               .broadcast = shm_broadcast,
                                               .gather = shm_gather,
                                               .scatter = shm_scatter,
                                               .window_new = shm_window_new,
                                               .window_open = shm_window_open,
                                               .window_free = shm_window_free,
                                               .get = shm_get,
                                               .put = shm_put,
                                               .settle = shm_settle,
                                               .abort = shm_abort,
                                               .stop = shm_stop};
