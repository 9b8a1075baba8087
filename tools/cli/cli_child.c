/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/cli/cli_child.h"
#include "tools/cli/cli_command.h"
#include "tools/cli/cli_message.h"

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

enum { FILES_BYTES = 1024 };

int cli_end_by_signal(int number)
{
    const struct rlimit no_core = {0, 0};
    sigset_t one;
    setrlimit(RLIMIT_CORE, &no_core);
    signal(number, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    raise(number);
    return 128 + number;
}

static bool is_crash(int number)
{
    return number == SIGSEGV || number == SIGBUS || number == SIGABRT || number == SIGFPE ||
           number == SIGILL || number == SIGTRAP || number == SIGSYS;
}

static ls_err crash_error(int number, const char *const *files)
{
    char names[FILES_BYTES] = "";
    size_t len = 0;
    for (; *files && len < sizeof(names); files++) {
        const int more =
            snprintf(names + len, sizeof(names) - len, "%s%s", len ? " " : "", cli_quote(*files));
        if (more > 0) len += (size_t)more;
    }
    return ls_fail(
        LS_ERR_FORMAT,
        "%s: reading failed (%s): the file is damaged, or made to harm its reader. If h5dump reads "
        "it, please report this as a defect of loadstone",
        len ? names : "the profile", strsignal(number));
}

/* Return false if no process could be started. */
static bool run(int work(void *context), void *context, int *status)
{
    const pid_t parent = getpid();
    signal(SIGCHLD, SIG_DFL); /* the caller may ignore it, which would lose the status */
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent) _exit(CLI_FAILURE);
        exit(work(context));
    }
    if (child < 0) return false;
    while (waitpid(child, status, 0) < 0) {
        if (errno == EINTR) continue;
        *status = W_EXITCODE(CLI_FAILURE, 0); /* it has run already, so do not run it again */
        break;
    }
    return true;
}

int cli_run_in_child(int work(void *context), void *context, const char *const *files)
{
    int status;
    if (!run(work, context, &status)) return work(context);
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    if (!is_crash(WTERMSIG(status))) return cli_end_by_signal(WTERMSIG(status));
    return cli_fail(crash_error(WTERMSIG(status), files));
}

struct reading {
    ls_err (*read)(const char *file);
    const char *file;
};

static int read_and_discard(void *context)
{
    const struct reading *r = context;
    r->read(r->file);
    return CLI_OK;
}

ls_err cli_try_in_child(ls_err read(const char *file), const char *file)
{
    const char *const files[] = {file, NULL};
    struct reading r = {read, file};
    int status;
    if (!run(read_and_discard, &r, &status) || !WIFSIGNALED(status) || !is_crash(WTERMSIG(status)))
        return LS_OK;
    return crash_error(WTERMSIG(status), files);
}

/* ---- work with a result ---- */

enum { ERROR_BYTES = 2048 };

struct task {
    ls_err (*work)(void *context);
    void *context, *result;
    size_t len_bytes;
    int ends[2]; /* of the pipe to this process */
};

struct answer {
    ls_err err;
    char why[ERROR_BYTES];
};

/* Both fit into an empty pipe. */
static int work_and_answer(void *context)
{
    const struct task *t = context;
    struct answer a = {.err = t->work(t->context)};
    snprintf(a.why, sizeof(a.why), "%s", ls_last_error());
    return write(t->ends[1], &a, sizeof(a)) == sizeof(a) &&
                   write(t->ends[1], t->result, t->len_bytes) == (ssize_t)t->len_bytes
               ? CLI_OK
               : CLI_FAILURE;
}

static ls_err read_answer(const struct task *t)
{
    struct answer a;
    if (read(t->ends[0], &a, sizeof(a)) != sizeof(a) ||
        read(t->ends[0], t->result, t->len_bytes) != (ssize_t)t->len_bytes)
        return ls_fail(LS_ERR_IO, "no answer came from the process that was started");
    return *a.why ? ls_fail(a.err, "%s", a.why) : a.err;
}

static ls_err ended_by_signal(int number, const char *purpose)
{
    struct rlimit limit;
    const bool has_limit = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return ls_fail(LS_ERR_IO, "%s failed (%s)%s", purpose, strsignal(number),
                   has_limit           ? ": there is probably too little memory; ulimit -v unlimited helps"
                   : number == SIGKILL ? ": there is probably too little memory"
                                       : "; please report this as a defect of loadstone");
}

ls_err cli_work_in_child(ls_err work(void *context), void *context, void *result, size_t len_bytes,
                         const char *purpose)
{
    struct task t = {work, context, result, len_bytes, {-1, -1}};
    int status;
    if (pipe2(t.ends, O_CLOEXEC) != 0) return work(context);
    const bool started = run(work_and_answer, &t, &status);
    close(t.ends[1]);
    const ls_err err = !started              ? work(context)
                       : WIFSIGNALED(status) ? ended_by_signal(WTERMSIG(status), purpose)
                                             : read_answer(&t);
    close(t.ends[0]);
    return err;
}
