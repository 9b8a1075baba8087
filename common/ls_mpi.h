/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of MPI in which the runtime notes that a thread is. Spool and run.h5 share the row numbers: new ones go
 * to the end. */
#ifndef LS_MPI_H
#define LS_MPI_H

/* A function WAITS for other ranks, TRANSFERS data (or begins to), or is COLLECTIVE: both, with reductions. */
enum ls_mpi_class { LS_MPI_NONE, LS_MPI_WAITS, LS_MPI_TRANSFERS, LS_MPI_COLLECTIVE };

/* X(id, text, C function, Fortran function, arguments in C, class) */
#define LS_MPI_CALLS(X)                                                                    \
    X(WAIT, "MPI_Wait", MPI_Wait, mpi_wait_, 2, WAITS)                                     \
    X(WAITALL, "MPI_Waitall", MPI_Waitall, mpi_waitall_, 3, WAITS)                         \
    X(WAITANY, "MPI_Waitany", MPI_Waitany, mpi_waitany_, 4, WAITS)                         \
    X(WAITSOME, "MPI_Waitsome", MPI_Waitsome, mpi_waitsome_, 5, WAITS)                     \
    X(TEST, "MPI_Test", MPI_Test, mpi_test_, 3, WAITS)                                     \
    X(TESTALL, "MPI_Testall", MPI_Testall, mpi_testall_, 4, WAITS)                         \
    X(PROBE, "MPI_Probe", MPI_Probe, mpi_probe_, 4, WAITS)                                 \
    X(IPROBE, "MPI_Iprobe", MPI_Iprobe, mpi_iprobe_, 5, WAITS)                             \
    X(RECV, "MPI_Recv", MPI_Recv, mpi_recv_, 7, WAITS)                                     \
    X(BARRIER, "MPI_Barrier", MPI_Barrier, mpi_barrier_, 1, WAITS)                         \
    X(WIN_FENCE, "MPI_Win_fence", MPI_Win_fence, mpi_win_fence_, 2, WAITS)                 \
    X(WIN_LOCK, "MPI_Win_lock", MPI_Win_lock, mpi_win_lock_, 4, WAITS)                     \
    X(WIN_UNLOCK, "MPI_Win_unlock", MPI_Win_unlock, mpi_win_unlock_, 2, WAITS)             \
    X(WIN_FLUSH, "MPI_Win_flush", MPI_Win_flush, mpi_win_flush_, 2, WAITS)                 \
    X(WIN_FLUSH_ALL, "MPI_Win_flush_all", MPI_Win_flush_all, mpi_win_flush_all_, 1, WAITS) \
    X(WIN_WAIT, "MPI_Win_wait", MPI_Win_wait, mpi_win_wait_, 1, WAITS)                     \
    X(WIN_COMPLETE, "MPI_Win_complete", MPI_Win_complete, mpi_win_complete_, 1, WAITS)     \
    X(FINALIZE, "MPI_Finalize", MPI_Finalize, mpi_finalize_, 0, WAITS)                     \
    X(SEND, "MPI_Send", MPI_Send, mpi_send_, 6, TRANSFERS)                                 \
    X(SSEND, "MPI_Ssend", MPI_Ssend, mpi_ssend_, 6, TRANSFERS)                             \
    X(RSEND, "MPI_Rsend", MPI_Rsend, mpi_rsend_, 6, TRANSFERS)                             \
    X(BSEND, "MPI_Bsend", MPI_Bsend, mpi_bsend_, 6, TRANSFERS)                             \
    X(ISEND, "MPI_Isend", MPI_Isend, mpi_isend_, 7, TRANSFERS)                             \
    X(IRECV, "MPI_Irecv", MPI_Irecv, mpi_irecv_, 7, TRANSFERS)                             \
    X(SENDRECV, "MPI_Sendrecv", MPI_Sendrecv, mpi_sendrecv_, 12, TRANSFERS)                \
    X(START, "MPI_Start", MPI_Start, mpi_start_, 1, TRANSFERS)                             \
    X(STARTALL, "MPI_Startall", MPI_Startall, mpi_startall_, 2, TRANSFERS)                 \
    X(PUT, "MPI_Put", MPI_Put, mpi_put_, 8, TRANSFERS)                                     \
    X(GET, "MPI_Get", MPI_Get, mpi_get_, 8, TRANSFERS)                                     \
    X(ACCUMULATE, "MPI_Accumulate", MPI_Accumulate, mpi_accumulate_, 9, TRANSFERS)         \
    X(PACK, "MPI_Pack", MPI_Pack, mpi_pack_, 7, TRANSFERS)                                 \
    X(UNPACK, "MPI_Unpack", MPI_Unpack, mpi_unpack_, 7, TRANSFERS)                         \
    X(BCAST, "MPI_Bcast", MPI_Bcast, mpi_bcast_, 5, COLLECTIVE)                            \
    X(REDUCE, "MPI_Reduce", MPI_Reduce, mpi_reduce_, 7, COLLECTIVE)                        \
    X(ALLREDUCE, "MPI_Allreduce", MPI_Allreduce, mpi_allreduce_, 6, COLLECTIVE)            \
    X(GATHER, "MPI_Gather", MPI_Gather, mpi_gather_, 8, COLLECTIVE)                        \
    X(GATHERV, "MPI_Gatherv", MPI_Gatherv, mpi_gatherv_, 9, COLLECTIVE)                    \
    X(SCATTER, "MPI_Scatter", MPI_Scatter, mpi_scatter_, 8, COLLECTIVE)                    \
    X(SCATTERV, "MPI_Scatterv", MPI_Scatterv, mpi_scatterv_, 9, COLLECTIVE)                \
    X(ALLGATHER, "MPI_Allgather", MPI_Allgather, mpi_allgather_, 7, COLLECTIVE)            \
    X(ALLGATHERV, "MPI_Allgatherv", MPI_Allgatherv, mpi_allgatherv_, 8, COLLECTIVE)        \
    X(ALLTOALL, "MPI_Alltoall", MPI_Alltoall, mpi_alltoall_, 7, COLLECTIVE)                \
    X(ALLTOALLV, "MPI_Alltoallv", MPI_Alltoallv, mpi_alltoallv_, 9, COLLECTIVE)            \
    X(SCAN, "MPI_Scan", MPI_Scan, mpi_scan_, 6, COLLECTIVE)                                \
    X(REDUCE_SCATTER, "MPI_Reduce_scatter", MPI_Reduce_scatter, mpi_reduce_scatter_, 6, COLLECTIVE)

#define LS_MPI_LIST(X) X(NONE, "") LS_MPI_CALLS(X)
#define LS_MPI_ENUM(id, ...) LS_MPI_CALL_##id,
enum ls_mpi_call { LS_MPI_LIST(LS_MPI_ENUM) LS_MPI_CALLS_LEN };
#undef LS_MPI_ENUM

#define LS_MPI_CLASS(id, text, c, fortran, arguments, class) \
    case LS_MPI_CALL_##id:                                   \
        return LS_MPI_##class;
static inline enum ls_mpi_class ls_mpi_class_of(unsigned call)
{
    switch (call) {
        LS_MPI_CALLS(LS_MPI_CLASS)
    default:
        return LS_MPI_NONE;
    }
}
#undef LS_MPI_CLASS

#endif
