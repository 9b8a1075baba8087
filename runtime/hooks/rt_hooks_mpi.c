/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of MPI: bursts note which one the thread is in, and who called it. The functions are known by name and
 * number of arguments only: all are pointers or integers, which pass through as words, so that the libraries' different
 * types do not matter. */
#include "common/ls_compat.h"
#include "common/ls_mpi.h"
#include "runtime/core/rt_real.h"
#include "runtime/core/rt_thread.h"

#include <string.h>

enum { MPI_FAILED = 16 }; /* MPI_ERR_OTHER, or MPI_ERR_INTERN */

/* found: where the function is kept; ours: the function that would call itself. NULL: the process has no MPI. */
static void *real_of(void **found, const char *name, const void *ours, const void *caller)
{
    void *real = __atomic_load_n(found, __ATOMIC_ACQUIRE);
    if (real) return real;
    real = rt_real_look_up(name, caller);
    if (real == ours) real = NULL;
    __atomic_store_n(found, real, __ATOMIC_RELEASE);
    return real;
}

/* The outermost call counts: Fortran's functions call C's. A call that was left by longjmp is below this frame. */
static bool enter(enum ls_mpi_call call, const void *caller, const void *frame)
{
    if (rt_tls.mpi && rt_tls.mpi_frame > (uintptr_t)frame) return false;
    rt_tls.mpi_frame = (uintptr_t)frame;
    rt_tls.mpi_ip = (uintptr_t)caller - 1;
    RT_COMPILER_BARRIER();
    rt_tls.mpi = call;
    return true;
}

static void leave(bool is_outermost)
{
    if (is_outermost) rt_tls.mpi = LS_MPI_CALL_NONE;
}

#define WORDS_0 void
#define WORDS_1 long a
#define WORDS_2 WORDS_1, long b
#define WORDS_3 WORDS_2, long c
#define WORDS_4 WORDS_3, long d
#define WORDS_5 WORDS_4, long e
#define WORDS_6 WORDS_5, long f
#define WORDS_7 WORDS_6, long g
#define WORDS_8 WORDS_7, long h
#define WORDS_9 WORDS_8, long i
#define WORDS_10 WORDS_9, long j
#define WORDS_11 WORDS_10, long k
#define WORDS_12 WORDS_11, long l
#define WORDS_13 WORDS_12, long m
#define PASS_0
#define PASS_1 a
#define PASS_2 PASS_1, b
#define PASS_3 PASS_2, c
#define PASS_4 PASS_3, d
#define PASS_5 PASS_4, e
#define PASS_6 PASS_5, f
#define PASS_7 PASS_6, g
#define PASS_8 PASS_7, h
#define PASS_9 PASS_8, i
#define PASS_10 PASS_9, j
#define PASS_11 PASS_10, k
#define PASS_12 PASS_11, l
#define PASS_13 PASS_12, m
/* Fortran has one argument more. */
#define MORE_0 1
#define MORE_1 2
#define MORE_2 3
#define MORE_3 4
#define MORE_4 5
#define MORE_5 6
#define MORE_6 7
#define MORE_7 8
#define MORE_8 9
#define MORE_9 10
#define MORE_10 11
#define MORE_11 12
#define MORE_12 13

#define HOOK(id, name, n)                                                                      \
    LS_EXPORT int name(WORDS_##n);                                                             \
    LS_EXPORT int name(WORDS_##n)                                                              \
    {                                                                                          \
        static void *found;                                                                    \
        const void *const caller = __builtin_return_address(0);                                \
        const void *ours;                                                                      \
        int (*real)(WORDS_##n);                                                                \
        int (*const self)(WORDS_##n) = name;                                                   \
        memcpy(&ours, &self, sizeof(ours));                                                    \
        const void *const address = real_of(&found, #name, ours, caller);                      \
        if (!address) return MPI_FAILED;                                                       \
        memcpy(&real, &address, sizeof(real));                                                 \
        const bool is_outermost = enter(LS_MPI_CALL_##id, caller, __builtin_frame_address(0)); \
        const int result = real(PASS_##n);                                                     \
        leave(is_outermost);                                                                   \
        return result;                                                                         \
    }
#define HOOK_OF(id, name, n) HOOK(id, name, n) /* with its arguments replaced */
#define HOOKS(id, text, c, fortran, n, class) \
    HOOK_OF(id, c, n)                         \
    HOOK_OF(id, fortran, MORE_##n)
LS_MPI_CALLS(HOOKS)
