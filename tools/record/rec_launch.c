/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/record/rec_launch.h"
#include "common/ls_clock.h"
#include "tools/record/rec_limits.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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
};

static void rec_become_program(const char *path, char **argv, const struct rec_dispositions *before,
                               int report_fd)
{
    sigaction(SIGCHLD, &before->child, NULL);
    sigaction(SIGPIPE, &before->pipe, NULL);
    rec_limits_restore();
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
    execvp(path, argv);
    const int code = errno;
    if (write(report_fd, &code, sizeof(code)) < 0) _exit(126);
    _exit(127);
}

/* Wait until the program has ended. Signals are taken one by one, so none is lost between check and wait. */
static int rec_wait(pid_t child, const sigset_t *watched)
{
    for (;;) {
        int status;
        const pid_t got = waitpid(child, &status, WNOHANG);
        if (got == child) return status;
        siginfo_t info;
        const int s = sigwaitinfo(watched, &info);
        if (s <= 0 || s == SIGCHLD) continue;
        /* from the kernel: the terminal sent it to the whole foreground group, the program included */
        if (info.si_code != SI_KERNEL) kill(child, s);
    }
}

static void rec_read_status(int status, struct rec_outcome *out)
{
    if (WIFSIGNALED(status))
        out->exit_signal = WTERMSIG(status);
    else
        out->exit_code = WEXITSTATUS(status);
}

ls_err rec_launch(const char *path, char **argv, struct rec_outcome *out)
{
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    struct rec_dispositions before;
    sigset_t watched;
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
        rec_read_status(rec_wait(child, &watched), out);
        out->duration_ns = ls_clock_mono_ns() - start_ns;
    }
    close(report[0]);
    /* before the mask: the results must be kept even if nobody reads our messages */
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_SETMASK, &before.mask, NULL);
    return child < 0 ? ls_fail_errno(fork_errno, "cannot start a process") : LS_OK;
}

int rec_end_like(const struct rec_outcome *o)
{
    if (!o->exit_signal) return o->exit_code;
    const struct rlimit no_core = {0, 0};
    sigset_t one;
    setrlimit(RLIMIT_CORE, &no_core);
    signal(o->exit_signal, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, o->exit_signal);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    raise(o->exit_signal);
    return 128 + o->exit_signal; /* a signal whose default is harmless */
}
