/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of MPI. Compiled once for each library, whose ABIs differ. The steps are non-blocking calls that are
 * polled, so that a rank that waits for one that is stuck can end the job with a message. */
#include "kernels/kn_ranks_module.h"

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum kn_ranks_outcome mpi_start(void)
{
    int provided;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) return KN_RANKS_FAILED;
    return MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) == MPI_SUCCESS ? KN_RANKS_DONE
                                                                                     : KN_RANKS_FAILED;
}

static void mpi_describe(char *out, size_t room)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int len = 0;
    MPI_Get_library_version(version, &len);
    version[strcspn(version, "\n")] = '\0';
    /* "Open MPI v4.1.4, package: ..." and "MPICH Version:<tab>4.0.2" */
    for (char *p = version; *p; p++)
        if (*p == '\t') *p = ' ';
    if (strncmp(version, "Open MPI", 8) == 0) version[strcspn(version, ",")] = '\0';
    snprintf(out, room, "%s", version);
}

static unsigned mpi_rank(void)
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return (unsigned)rank;
}

static unsigned mpi_len(void)
{
    int len = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &len);
    return (unsigned)len;
}

/* Yield the processor while others have not arrived, because there may be more ranks than processors. */
static enum kn_ranks_outcome finish(int started, MPI_Request *request, double timeout_s)
{
    const double end = MPI_Wtime() + timeout_s;
    int done = 0;
    if (started != MPI_SUCCESS) return KN_RANKS_FAILED;
    while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS) {
        if (done) return KN_RANKS_DONE;
        if (MPI_Wtime() > end) return KN_RANKS_LATE;
        sched_yield();
    }
    return KN_RANKS_FAILED;
}

static enum kn_ranks_outcome mpi_max(double *values, size_t len, double timeout_s)
{
    MPI_Request request;
    const int started =
        len ? MPI_Iallreduce(MPI_IN_PLACE, values, (int)len, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request)
            : MPI_Ibarrier(MPI_COMM_WORLD, &request);
    return finish(started, &request, timeout_s);
}

static enum kn_ranks_outcome mpi_broadcast(void *data, size_t len_bytes, unsigned root, double timeout_s)
{
    MPI_Request request;
    if (len_bytes > INT_MAX) return KN_RANKS_FAILED;
    return finish(MPI_Ibcast(data, (int)len_bytes, MPI_BYTE, (int)root, MPI_COMM_WORLD, &request), &request,
                  timeout_s);
}

static enum kn_ranks_outcome mpi_gather(const void *data, size_t len_bytes, void *all, double timeout_s)
{
    MPI_Request request;
    if (len_bytes > INT_MAX) return KN_RANKS_FAILED;
    return finish(MPI_Igather(data, (int)len_bytes, MPI_BYTE, all, (int)len_bytes, MPI_BYTE, 0,
                              MPI_COMM_WORLD, &request),
                  &request, timeout_s);
}

static enum kn_ranks_outcome mpi_scatter(const void *all, size_t len_bytes, void *data, double timeout_s)
{
    MPI_Request request;
    if (len_bytes > INT_MAX) return KN_RANKS_FAILED;
    return finish(MPI_Iscatter(all, (int)len_bytes, MPI_BYTE, data, (int)len_bytes, MPI_BYTE, 0,
                               MPI_COMM_WORLD, &request),
                  &request, timeout_s);
}

struct window {
    MPI_Win win; /* MPI_WIN_NULL: not opened, or of one rank, for which Open MPI 4.1.4 makes none */
    void *memory;
    MPI_Aint len_bytes;
    unsigned *reached; /* ranks with accesses that are not settled, each once */
    unsigned reached_len;
    bool *is_reached; /* for each rank */
};

static void window_delete(struct window *w)
{
    free(w->memory);
    free(w->reached);
    free(w->is_reached);
    free(w);
}

static void reach(struct window *w, unsigned rank)
{
    if (w->is_reached[rank]) return;
    w->is_reached[rank] = true;
    w->reached[w->reached_len++] = rank;
}

/* Allocate without MPI_Win_allocate: in windows of MPICH 4.0.2 over UCX that are smaller than a page,
 * accesses reach wrong elements. */
static void *mpi_window_new(size_t len_bytes, void **base)
{
    struct window *w = calloc(1, sizeof(*w));
    if (!w) return NULL;
    w->memory = malloc(len_bytes ? len_bytes : 1);
    w->reached = malloc(mpi_len() * sizeof(*w->reached));
    w->is_reached = calloc(mpi_len(), sizeof(*w->is_reached));
    w->win = MPI_WIN_NULL;
    w->len_bytes = (MPI_Aint)len_bytes;
    if (!w->memory || !w->reached || !w->is_reached) {
        window_delete(w);
        return NULL;
    }
    *base = w->memory;
    return w;
}

static enum kn_ranks_outcome mpi_window_open(void *window)
{
    struct window *w = window;
    if (mpi_len() == 1) return KN_RANKS_DONE; /* no access leaves the rank */
    if (MPI_Win_create(w->memory, w->len_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w->win) != MPI_SUCCESS) {
        w->win = MPI_WIN_NULL;
        return KN_RANKS_FAILED;
    }
    MPI_Win_set_errhandler(w->win, MPI_ERRORS_RETURN);
    return MPI_Win_lock_all(MPI_MODE_NOCHECK, w->win) == MPI_SUCCESS ? KN_RANKS_DONE : KN_RANKS_FAILED;
}

static void mpi_window_free(void *window)
{
    struct window *w = window;
    if (w->win != MPI_WIN_NULL) {
        MPI_Win_unlock_all(w->win);
        MPI_Win_free(&w->win);
    }
    window_delete(w);
}

static enum kn_ranks_outcome mpi_get(void *window, void *to, unsigned rank, size_t at_bytes, size_t len_bytes)
{
    struct window *w = window;
    const int len = (int)len_bytes;
    reach(w, rank);
    return MPI_Get(to, len, MPI_BYTE, (int)rank, (MPI_Aint)at_bytes, len, MPI_BYTE, w->win) == MPI_SUCCESS
               ? KN_RANKS_DONE
               : KN_RANKS_FAILED;
}

static enum kn_ranks_outcome mpi_put(void *window, const void *from, unsigned rank, size_t at_bytes,
                                     size_t len_bytes)
{
    struct window *w = window;
    const int len = (int)len_bytes;
    reach(w, rank);
    return MPI_Put(from, len, MPI_BYTE, (int)rank, (MPI_Aint)at_bytes, len, MPI_BYTE, w->win) == MPI_SUCCESS
               ? KN_RANKS_DONE
               : KN_RANKS_FAILED;
}

/* MPI_Win_flush_all of MPICH 4.0.2 over UCX returns before all gets are complete; MPI_Win_flush does not. */
static enum kn_ranks_outcome mpi_settle(void *window)
{
    struct window *w = window;
    bool settled = true;
    if (w->win == MPI_WIN_NULL) return KN_RANKS_DONE;
    while (w->reached_len) {
        const unsigned rank = w->reached[--w->reached_len];
        w->is_reached[rank] = false;
        settled &= MPI_Win_flush((int)rank, w->win) == MPI_SUCCESS;
    }
    return settled && MPI_Win_sync(w->win) == MPI_SUCCESS ? KN_RANKS_DONE : KN_RANKS_FAILED;
}

static void mpi_abort(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
}

static void mpi_stop(void)
{
    MPI_Finalize();
}

extern const struct kn_ranks_module KN_RANKS_TABLE;
const struct kn_ranks_module KN_RANKS_TABLE = {.version = KN_RANKS_MODULE_VERSION,
                                               .name = "MPI",
                                               .start = mpi_start,
                                               .describe = mpi_describe,
                                               .rank = mpi_rank,
                                               .len = mpi_len,
                                               .max = mpi_max,
                                               .broadcast = mpi_broadcast,
                                               .gather = mpi_gather,
                                               .scatter = mpi_scatter,
                                               .window_new = mpi_window_new,
                                               .window_open = mpi_window_open,
                                               .window_free = mpi_window_free,
                                               .get = mpi_get,
                                               .put = mpi_put,
                                               .settle = mpi_settle,
                                               .abort = mpi_abort,
                                               .stop = mpi_stop};
