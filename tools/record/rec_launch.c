/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/record/rec_launch.h"
#include "common/ls_clock.h"
#include "common/ls_env.h"
#include "common/ls_compat.h"
#include "tools/cli/cli_child.h"
#include "tools/cli/cli_install.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- limits of the session ---- */

enum { REC_FILES_MIN = 32, REC_STACK_MIN_BYTES = 64 * 1024, REC_SECCOMP_FILTER = 2 };

static struct sigaction rec_file_size_before;

void rec_limits_ignore_file_size(void)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGXFSZ, &ignore, &rec_file_size_before);
}

/* Restore the previous action, in the child before exec. */
static void rec_limits_restore(void)
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

/* ---- the launch ---- */

/* Job control (TSTP, TTIN, TTOU, CONT) is left alone: the shell stops and continues us with the program's
 * group. */
static const int rec_forwarded[] = {SIGHUP,  SIGINT, SIGQUIT, SIGTERM, SIGUSR1,   SIGUSR2, SIGALRM, SIGWINCH,
                                    SIGPIPE, SIGIO,  SIGURG,  SIGPWR,  SIGVTALRM, SIGPROF, SIGXCPU};

static void rec_watched(sigset_t *out)
{
    sigemptyset(out);
    sigaddset(out, SIGCHLD);
    for (size_t i = 0; i < sizeof(rec_forwarded) / sizeof(rec_forwarded[0]); i++)
        sigaddset(out, rec_forwarded[i]);
    for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
        sigaddset(out, s);
}

struct rec_dispositions {
    sigset_t mask;
    struct sigaction child; /* an inherited SIG_IGN would reap the program before us */
    struct sigaction pipe;
    bool is_silent; /* the program is started without input and output */
};

static void rec_become_silent(void)
{
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd < 3; fd++)
        dup2(null, fd);
}

static void rec_become_program(const char *path, char **argv, const struct rec_dispositions *before,
                               int report_fd)
{
    sigaction(SIGCHLD, &before->child, NULL);
    sigaction(SIGPIPE, &before->pipe, NULL);
    rec_limits_restore();
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
    if (before->is_silent) rec_become_silent();
    execvp(path, argv);
    const int code = errno;
    if (write(report_fd, &code, sizeof(code)) < 0) _exit(126);
    _exit(127);
}

static void rec_read_status(int status, struct rec_outcome *out)
{
    if (WIFSIGNALED(status))
        out->exit_signal = WTERMSIG(status);
    else
        out->exit_code = WEXITSTATUS(status);
}

static ls_err rec_launch_as(const char *path, char **argv, bool is_silent, struct rec_outcome *out)
{
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    struct rec_dispositions before = {.is_silent = is_silent};
    sigset_t watched, received;
    int report[2];
    memset(out, 0, sizeof(*out));
    if (pipe2(report, O_CLOEXEC) != 0) return ls_fail_errno(errno, "cannot make a pipe");
    rec_watched(&watched);
    sigaction(SIGCHLD, &by_default, &before.child);
    sigaction(SIGPIPE, NULL, &before.pipe);
    sigprocmask(SIG_BLOCK, &watched, &before.mask);
    const uint64_t start_ns = ls_clock_mono_ns();
    const pid_t child = fork();
    if (child == 0) rec_become_program(path, argv, &before, report[1]);
    const int fork_errno = errno;
    close(report[1]);
    if (child > 0) {
        out->pid = (uint32_t)child;
        if (read(report[0], &out->exec_errno, sizeof(out->exec_errno)) != (ssize_t)sizeof(out->exec_errno))
            out->exec_errno = 0;
        rec_read_status(cli_wait(child, &watched, &received), out);
        out->is_interrupted = cli_signals_end(&received);
        out->duration_ns = ls_clock_mono_ns() - start_ns;
    }
    close(report[0]);
    /* before the mask: the results must be kept even if nobody reads our messages */
    if (!is_silent) signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_SETMASK, &before.mask, NULL);
    return child < 0 ? ls_fail_errno(fork_errno, "cannot start a process") : LS_OK;
}

ls_err rec_launch(const char *path, char **argv, struct rec_outcome *out)
{
    return rec_launch_as(path, argv, false, out);
}

ls_err rec_launch_silently(const char *path, char **argv, struct rec_outcome *out)
{
    return rec_launch_as(path, argv, true, out);
}

ls_err rec_exec(const char *path, char **argv)
{
    rec_limits_restore();
    execvp(path, argv);
    const int code = errno;
    const ls_err err = ls_fail_errno(code, "cannot start %s", path);
    errno = code;
    return err;
}

int rec_end_like(const struct rec_outcome *o)
{
    if (!o->exit_signal) return o->exit_code;
    return cli_end_by_signal(o->exit_signal);
}

/* ---- the runtime that is preloaded ---- */

#define REC_PRELOAD_FILE "libloadstone-preload.so"

/* glibc splits LD_PRELOAD at blanks and colons and expands $. */
static ls_err rec_preload_usable(const char *path)
{
    if (strpbrk(path, " :$"))
        return ls_fail(
            LS_ERR_ARG,
            "LD_PRELOAD cannot carry the path '%s' (blank, colon or dollar sign); install elsewhere", path);
    return LS_OK;
}

ls_err rec_preload_find(char out[PATH_MAX])
{
    const char *named = getenv(ls_env_rows[LS_ENV_PRELOAD].variable);
    if (named && *named) {
        if (!realpath(named, out))
            return ls_fail(LS_ERR_NOT_FOUND, "LOADSTONE_PRELOAD names %s, which is not there", named);
        return rec_preload_usable(out);
    }
    const ls_err err = cli_install_library(REC_PRELOAD_FILE, out);
    if (err == LS_ERR_NOT_FOUND)
        return ls_fail(err, "the runtime " REC_PRELOAD_FILE " is not in " PKGLIBDIR
                            "; install Loadstone there or set LOADSTONE_PRELOAD to its path");
    return err == LS_OK ? rec_preload_usable(out) : err;
}

ls_err rec_preload_set(const char *path)
{
    const char *present = getenv("LD_PRELOAD");
    char *all = NULL;
    int len;
    if (!present || !*present)
        len = asprintf(&all, "%s", path);
    else if (strstr(present, "libasan") || strstr(present, "libtsan") || strstr(present, "libclang_rt"))
        len = asprintf(&all, "%s:%s", present, path);
    else
        len = asprintf(&all, "%s:%s", path, present);
    const int failed = len < 0 || setenv("LD_PRELOAD", all, 1) != 0;
    if (len >= 0) free(all);
    return failed ? ls_nomem("LD_PRELOAD") : LS_OK;
}
