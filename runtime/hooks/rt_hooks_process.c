/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that end the process, calls that forbid system calls, and system calls by number. */
#include "runtime/hooks/rt_hooks_number.h"

#include "runtime/core/rt_fork.h"
#include "runtime/core/rt_process.h"
#include "runtime/core/rt_real.h"
#include "runtime/core/rt_sampler.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <unistd.h>

LS_EXPORT __attribute__((noreturn)) void _exit(int status)
{
    rt_process_end((uint32_t)status & 0xff);
    if (RT_REAL(_exit)) rt_real._exit(status);
    for (;;)
        ls_syscall(SYS_exit_group, status);
}

LS_EXPORT __attribute__((noreturn)) void _Exit(int status)
{
    _exit(status);
}

enum { RT_PRCTL_ARGS = 4, RT_SYSCALL_ARGS = 6 };

/* PR_SET_SYSCALL_USER_DISPATCH of linux/prctl.h, since Linux 5.11 */
enum { RT_SET_DISPATCH = 59, RT_DISPATCH_OFF = 0 };

/* A filter that is NULL only asks whether the kernel knows filters (libseccomp does, and QEMU). */
static bool rt_is_seccomp(long mode, long filter)
{
    return mode == SECCOMP_MODE_STRICT || (mode == SECCOMP_MODE_FILTER && filter);
}

/* Does a prctl of these arguments forbid system calls? Ones that are dispatched to the program raise SIGSYS, which our handlers
 * block. */
static bool rt_is_forbidding(long option, long mode, long filter)
{
    if (option == RT_SET_DISPATCH) return mode != RT_DISPATCH_OFF;
    return option == PR_SET_SECCOMP && rt_is_seccomp(mode, filter);
}

/* More are read than were passed: on our platforms that is harmless, and the C library does it as well. */
LS_EXPORT int prctl(int option, ...)
{
    long args[RT_PRCTL_ARGS];
    va_list list;
    va_start(list, option);
    for (int i = 0; i < RT_PRCTL_ARGS; i++)
        args[i] = va_arg(list, long);
    va_end(list);
    if (rt_is_forbidding(option, args[0], args[1])) rt_process_seal();
    return RT_REAL(prctl)(option, args[0], args[1], args[2], args[3]);
}

static bool rt_is_sealing(long number, const long args[RT_SYSCALL_ARGS])
{
    return (number == SYS_seccomp &&
            (args[0] == SECCOMP_SET_MODE_STRICT || (args[0] == SECCOMP_SET_MODE_FILTER && args[2]))) ||
           (number == SYS_prctl && rt_is_forbidding(args[0], args[1], args[2]));
}

static bool rt_is_forking(long number)
{
    return number == SYS_clone || number == SYS_clone3 || LS_IS_SYS_FORK(number);
}

/* libseccomp seals a process this way; some programs fork by it, sbcl maps its heap, and programs that are older than the
 * function of glibc call close_range. */
LS_EXPORT long syscall(long number, ...)
{
    long args[RT_SYSCALL_ARGS];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < RT_SYSCALL_ARGS; i++)
        args[i] = va_arg(list, long);
    va_end(list);
    if (__builtin_expect(number == SYS_seccomp || number == SYS_prctl, 0) && rt_is_sealing(number, args))
        rt_process_seal();
    if (__builtin_expect(number == SYS_mmap, 0)) return rt_hooks_mmap_call(args, __builtin_return_address(0));
    if (__builtin_expect(number == SYS_munmap, 0))
        return rt_hooks_munmap_call(args, __builtin_return_address(0));
    if (__builtin_expect(rt_hooks_fd_spares(number, args), 0)) return 0;
    if (__builtin_expect(number == SYS_close_range, 0))
        return close_range((unsigned)args[0], (unsigned)args[1], (int)args[2]);
    const bool may_fork = rt_is_forking(number);
    if (__builtin_expect(may_fork, 0)) rt_fork_expect();
    const long result = ls_syscall6(number, args);
    if (__builtin_expect(may_fork, 0)) result == 0 ? rt_fork_in_child() : rt_fork_in_parent();
    if (__builtin_expect(number == SYS_mprotect || number == SYS_pkey_mprotect, 0))
        rt_sampler_remapped((const void *)args[0], (size_t)args[1], result == 0 ? (int)args[2] : 0);
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

/* Programs built with -fsanitize=address whose run-time library is shared: it refuses to start after another
 * preloaded object. Our allocator hooks pass everything on to it, so being first does no harm; a program's
 * own function of this name, or ASAN_OPTIONS, still wins. */
LS_EXPORT const char *__asan_default_options(void);

LS_EXPORT const char *__asan_default_options(void)
{
    return "verify_asan_link_order=0";
}
