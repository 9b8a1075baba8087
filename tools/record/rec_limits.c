/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/record/rec_limits.h"
#include "common/ls_compat.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REC_FILES_MIN = 32, REC_STACK_MIN_BYTES = 64 * 1024, REC_SECCOMP_FILTER = 2 };

static struct sigaction rec_file_size_before;

void rec_limits_ignore_file_size(void)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGXFSZ, &ignore, &rec_file_size_before);
}

void rec_limits_restore(void)
{
    sigaction(SIGXFSZ, &rec_file_size_before, NULL);
}

/* System calls of the runtime before main, which not every program makes: with arguments that do nothing. */
static const struct rec_call {
    long number;
    const char *name;
    long args[2];
} rec_calls[] = {
    {SYS_prctl, "prctl", {PR_GET_SECCOMP}}, /* first */
    {SYS_perf_event_open, "perf_event_open", {0}},
    {SYS_fallocate, "fallocate", {-1}},
    {SYS_sigaltstack, "sigaltstack", {0}},
    {SYS_flock, "flock", {-1}},
    {SYS_mkdirat, "mkdirat", {-1}},
    {SYS_fcntl, "fcntl", {-1}},
    {SYS_timer_create, "timer_create", {-1}},
    {SYS_madvise, "madvise", {0}},
    {SYS_sched_getaffinity, "sched_getaffinity", {-1}},
};

/* The status of a child that makes the call, as waitpid gives it. */
static int rec_try_call(const struct rec_call *c)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        signal(SIGSYS, SIG_DFL);
        const long result = ls_syscall(c->number, c->args[0], c->args[1], 0, 0, 0);
        _exit(result >= 0 && result < 128 ? (int)result : 255);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

static ls_err rec_check_filter(void)
{
    for (size_t i = 0; i < sizeof(rec_calls) / sizeof(rec_calls[0]); i++) {
        const int status = rec_try_call(&rec_calls[i]);
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
            return ls_fail(
                LS_ERR_UNSUPPORTED,
                "a filter of system calls (seccomp) of this session kills programs that call %s, which "
                "recording does before main: record outside of it, or let the filter answer with an "
                "error (SECCOMP_RET_ERRNO)",
                rec_calls[i].name);
        if (i == 0 && WIFEXITED(status) && WEXITSTATUS(status) != REC_SECCOMP_FILTER) break;
    }
    return LS_OK;
}

ls_err rec_limits_check(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < REC_FILES_MIN)
        return ls_fail(
            LS_ERR_UNSUPPORTED,
            "the limit of %llu open files leaves too few for the program and for recording: ulimit -n %d or more helps",
            (unsigned long long)limit.rlim_cur, REC_FILES_MIN);
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < REC_STACK_MIN_BYTES)
        return ls_fail(
            LS_ERR_UNSUPPORTED,
            "the stack limit of %llu KiB is too small for recording in the program: ulimit -s %d or more helps",
            (unsigned long long)(limit.rlim_cur / 1024), REC_STACK_MIN_BYTES / 1024);
    return rec_check_filter();
}
