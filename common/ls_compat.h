/* SPDX-License-Identifier: BSD-3-Clause */
/* Differences between compilers and processors; no other file tests for them.
 *
 * Thread: any.  Signal: safe. */
#ifndef LS_COMPAT_H
#define LS_COMPAT_H

#include "common/ls_clock.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LS_HIDDEN __attribute__((visibility("hidden")))
/* Emulators start signal handlers with a stack that is 8 bytes off the ABI's 16-byte alignment (QEMU 7.2). A
 * function called from there realigns its frame, and so the frames of all functions that it calls. */
#if defined(__x86_64__)
#define LS_ALIGNED __attribute__((noinline, force_align_arg_pointer))
#define LS_IS_X86_64 1
#else
#define LS_ALIGNED __attribute__((noinline))
#define LS_IS_X86_64 0
#endif
/* Functions that programs call. */
#define LS_EXPORT __attribute__((visibility("default"))) LS_ALIGNED
/* Like LS_EXPORT, for functions in which realigning the frame costs too much or is not allowed. They call no
 * function of Loadstone that needs an aligned frame (tests/lint/entry-alignment.sh), and begin at a cache
 * line, because programs call them often. */
#define LS_EXPORT_FRAMELESS __attribute__((visibility("default"), aligned(64)))
/* A thread-local variable that is accessed without a call (no __tls_get_addr, which may allocate), so that
 * signal handlers may use it. */
#define LS_TLS_INITIAL_EXEC __attribute__((tls_model("initial-exec"), visibility("hidden")))

/* Constants that headers older than the kernel lack (linux/auxvec.h, asm-generic/mman-common.h). */
#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

/* Architectures without a fork system call use clone. */
#ifdef SYS_fork
#define LS_IS_SYS_FORK(number) ((number) == SYS_fork)
#else
#define LS_IS_SYS_FORK(number) 0
#endif

/* Architectures without a dup2 system call use dup3. */
#ifdef SYS_dup2
#define LS_IS_SYS_DUP2(number) ((number) == SYS_dup2)
#else
#define LS_IS_SYS_DUP2(number) 0
#endif

/* A function that is neither inlined nor specialised. */
#if defined(__clang__)
#define LS_KEPT_FUNCTION __attribute__((noinline))
#else
#define LS_KEPT_FUNCTION __attribute__((noinline, noclone, noipa))
#endif

/* In a loop over bytes: without it, a compiler may turn the loop into a call of memcpy or memset. */
#define LS_KEEP_LOOP() __asm__ volatile("" : : : "memory")

/* The compiler, as CMake names it. */
#if defined(__clang__)
#define LS_COMPILER_NAME "Clang"
#define LS_COMPILER_VERSION __clang_version__
#else
#define LS_COMPILER_NAME "GNU"
#define LS_COMPILER_VERSION __VERSION__
#endif

/* A function that ends in `LS_TAIL_RETURN f(args)` removes its frame before the call: f sees the caller's
 * return address. */
#if defined(__clang__)
#define LS_TAIL_FUNCTION
#define LS_TAIL_RETURN __attribute__((musttail)) return
#else
#define LS_TAIL_FUNCTION __attribute__((optimize("O2")))
#define LS_TAIL_RETURN return
#endif

/* Make a system call that no hook sees. Returns the result or -errno; errno is unchanged.  Signal: safe. */
static inline long ls_syscall6(long number, const long args[6])
{
#if defined(__x86_64__)
    long result;
    register long r10 __asm__("r10") = args[3];
    register long r8 __asm__("r8") = args[4];
    register long r9 __asm__("r9") = args[5];
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(args[0]), "S"(args[1]), "d"(args[2]), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#else
    const int saved = errno;
    long result = syscall(number, args[0], args[1], args[2], args[3], args[4], args[5]);
    if (result == -1) result = -errno;
    errno = saved;
    return result;
#endif
}
#define LS_SYSCALL_ARGS(n, a, b, c, d, e, f, ...) \
    ls_syscall6((n), (const long[6]){(long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f)})
#define ls_syscall(...) LS_SYSCALL_ARGS(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)

/* A counter that is cheap to read and advances at a constant rate: the TSC, or nanoseconds where there is
 * none. */
static inline uint64_t ls_cpu_ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return ls_clock_mono_ns();
#endif
}

/* Read Arm's virtual counter, CNTVCT_EL0, and its frequency. Packets of SPE have this counter's time unless
 * physical time was requested (PMSCR_EL1.PCT; Arm ARM DDI 0487). False on other processors. */
static inline bool ls_arm_counter(uint64_t *out_ticks, uint64_t *out_hz)
{
#if defined(__aarch64__)
    __asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(*out_ticks)::"memory");
    __asm__("mrs %0, cntfrq_el0" : "=r"(*out_hz));
    return true;
#else
    *out_ticks = *out_hz = 0;
    return false;
#endif
}

/* Prefetch p. Any address is allowed, even an unmapped one. GCC treats a function that only calls
 * __builtin_prefetch as free of side effects and drops calls of it; the empty asm statement has a side effect
 * and keeps them. */
static inline void ls_prefetch(const void *p)
{
    __builtin_prefetch(p);
    __asm__ volatile("");
}

/* Let the processor's other thread, or the host of a virtual machine, proceed while this one spins. */
static inline void ls_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Copy bytes, the lowest address first, without a call of memcpy.  Signal: safe. */
static inline void ls_copy_bytes(uint8_t *to, const uint8_t *from, size_t len_bytes)
{
#if defined(__x86_64__)
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(len_bytes) : : "memory");
#else
    for (; len_bytes; len_bytes--) {
        *to++ = *from++;
        LS_KEEP_LOOP();
    }
#endif
}

/* Set bytes without a call of memset.  Signal: safe. */
static inline void ls_fill_bytes(uint8_t *to, uint8_t value, size_t len_bytes)
{
#if defined(__x86_64__)
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(len_bytes) : "a"(value) : "memory");
#else
    for (; len_bytes; len_bytes--) {
        *to++ = value;
        LS_KEEP_LOOP();
    }
#endif
}

#endif
