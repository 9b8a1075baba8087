/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/record/rec_live.h"
#include "common/ls_clock.h"
#include "common/ls_outputs.h"
#include "tools/cli/cli_message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { INTERVAL_MS = 1000, SHARE = 10 /* at most a tenth of one processor's time goes into reports */ };

/* The process that prints reports has been told to end by SIGTERM, which it blocks except while it waits; the command that
 * it runs now, 0: none. */
static volatile sig_atomic_t is_told_to_end;
static volatile pid_t running;

/* The command has ended, too, before this process does: its files in the spool can be removed then. */
static void on_end(int signal_number)
{
    (void)signal_number;
    is_told_to_end = 1;
    if (running > 0) kill(running, SIGKILL);
}

static void live_path(const struct rec_spool *spool, char out[PATH_MAX + 16])
{
    snprintf(out, PATH_MAX + 16, "%s/live.h5", spool->path);
}

static sigset_t sigterm(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    return set;
}

static bool wait_for(pid_t child, int *out_status)
{
    while (waitpid(child, out_status, 0) < 0)
        if (errno != EINTR) return false;
    return true;
}

/* Run a command of this binary; its standard output goes to `output`, its messages nowhere.
 * Returns its exit status, -1 if it could not be run. */
static int run(const char *const *words, int output)
{
    int status;
    sigset_t end = sigterm();
    const pid_t parent = getpid(), child = is_told_to_end ? -1 : fork();
    running = child;
    if (child == 0) {
        sigprocmask(SIG_UNBLOCK, &end, NULL);
        const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(CLI_FAILURE);
        dup2(output, STDOUT_FILENO);
        dup2(null, STDIN_FILENO);
        dup2(null, STDERR_FILENO);
        execv("/proc/self/exe", (char **)(uintptr_t)words);
        _exit(CLI_FAILURE);
    }
    if (child < 0) return -1;
    sigprocmask(SIG_UNBLOCK, &end, NULL);
    const bool has_ended = wait_for(child, &status);
    sigprocmask(SIG_BLOCK, &end, NULL);
    running = 0;
    if (!has_ended) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Print the report so far; on a terminal it replaces the one before. */
static void show(const struct rec_spool *spool, uint64_t since_ns)
{
    char path[PATH_MAX + 16];
    live_path(spool, path);
    const char *const resolve[] = {"loadstone", "resolve", "-q", "-f", "-o", path, spool->path, NULL};
    const char *const report[] = {"loadstone", "report", "--limit", "10", path, NULL};
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const int status = run(resolve, null);
    close(null);
    if (status != 0) return; /* nothing was recorded yet */
    fprintf(stderr, "%slive       %.0f s\n", isatty(STDERR_FILENO) ? "\033[H\033[2J" : "\n",
            (double)(ls_clock_mono_ns() - since_ns) * 1e-9);
    fflush(stderr);
    run(report, STDERR_FILENO);
}

static _Noreturn void show_always(const struct rec_spool *spool)
{
    const uint64_t since_ns = ls_clock_mono_ns();
    uint64_t pause_ms = INTERVAL_MS;
    sigset_t waiting;
    sigprocmask(SIG_BLOCK, NULL, &waiting);
    sigdelset(&waiting, SIGTERM);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGCHLD, SIG_DFL);
    signal(SIGTERM, on_end);
    while (!is_told_to_end) {
        const struct timespec pause = {(time_t)(pause_ms / 1000), (long)(pause_ms % 1000) * 1000000};
        pselect(0, NULL, NULL, NULL, &pause, &waiting);
        const uint64_t before_ns = ls_clock_mono_ns();
        show(spool, since_ns);
        const uint64_t took_ms = (ls_clock_mono_ns() - before_ns) / 1000000;
        pause_ms = took_ms * (SHARE - 1) > INTERVAL_MS ? took_ms * (SHARE - 1) : INTERVAL_MS;
    }
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR) /* children of the command end with it */
        ;
    _exit(CLI_OK);
}

ls_err rec_live_start(const struct rec_spool *spool, struct rec_live *out)
{
    const pid_t parent = getpid();
    const sigset_t end = sigterm();
    sigset_t before;
    fflush(NULL);
    sigprocmask(SIG_BLOCK, &end, &before);
    out->pid = fork();
    if (out->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(CLI_FAILURE);
        show_always(spool);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (out->pid > 0) return LS_OK;
    out->pid = 0;
    return ls_fail_errno(errno, "--live: cannot start a process");
}

void rec_live_stop(struct rec_live *l, const struct rec_spool *spool)
{
    char path[PATH_MAX + 16];
    if (l->pid <= 0) return;
    kill(l->pid, SIGTERM);
    wait_for(l->pid, NULL);
    l->pid = 0;
    live_path(spool, path);
    unlink(path);
    ls_draft_sweep(path);
}
