/* SPDX-License-Identifier: BSD-3-Clause */
/* Compilers and processors differ here and nowhere else. */
#ifndef LS_COMPAT_H
#define LS_COMPAT_H

#include "common/ls_clock.h"

#include <stdint.h>

#define LS_HIDDEN __attribute__((visibility("hidden")))
#define LS_EXPORT __attribute__((visibility("default")))
/* Found without a call (no __tls_get_addr, which may allocate), so that signal handlers may use it. */
#define LS_TLS_INITIAL_EXEC __attribute__((tls_model("initial-exec"), visibility("hidden")))

/* A function that ends in `LS_TAIL_RETURN f(args)` leaves its own frame first: f sees the caller's return
 * address. */
#if defined(__clang__)
#define LS_TAIL_FUNCTION
#define LS_TAIL_RETURN __attribute__((musttail)) return
#else
#define LS_TAIL_FUNCTION __attribute__((optimize("O2")))
#define LS_TAIL_RETURN return
#endif

/* A counter that is cheap to read and runs evenly: the TSC, or nanoseconds where there is none. */
static inline uint64_t ls_cpu_ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return ls_clock_mono_ns();
#endif
}

#endif
