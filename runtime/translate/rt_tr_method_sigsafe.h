/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine's side of the translator.
 *
 * Thread: the owner of t. */
#ifndef RT_TR_METHOD_SIGSAFE_H
#define RT_TR_METHOD_SIGSAFE_H

#include "runtime/bursts/rt_burst_engine_sigsafe.h"
#include "runtime/translate/rt_translate.h"

/* A thread's part, beside struct rt_burst_thread. */
struct rt_tr_own {
    struct rt_tr_thread *thread; /* NULL: no memory; all bursts are stepped */
    bool ran;                    /* result is of the current burst */
    bool holds;                  /* signals that are sent wait until the handler returns */
    uint64_t end_tsc;
    uint64_t pace_millicycles; /* of an instruction, in the last pace window; 0: none yet */
    uint32_t
        life; /* instructions after which the program ends bursts, by a mean of the last ones; 0: none yet */
    uint32_t late_permille; /* the pace of the last part beside that of the window, by a mean; 0: none yet */
    unsigned waiting_len;
    siginfo_t waiting[5]; /* at most one of each: SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP */
    struct rt_tr_result result;
};

#endif
