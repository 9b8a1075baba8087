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
#include <time.h>
#include <unistd.h>

enum { FILES_BYTES = 1024 };

/* ---- signals that end a command ---- */

static const int held[] = {SIGINT, SIGTERM, SIGHUP};
enum { HELD = sizeof(held) / sizeof(held[0]) };

static sigset_t held_set(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < HELD; i++)
        sigaddset(&set, held[i]);
    return set;
}

static bool is_held(int number)
{
    const sigset_t set = held_set();
    return sigismember(&set, number) == 1;
}

void cli_signals_hold(sigset_t *before)
{
    const sigset_t set = held_set();
    sigprocmask(SIG_BLOCK, &set, before);
}

void cli_signals_release(const sigset_t *before)
{
    sigprocmask(SIG_SETMASK, before, NULL);
}

bool cli_signals_end(const sigset_t *received)
{
    bool is_end = sigismember(received, SIGQUIT) == 1;
    for (size_t i = 0; i < HELD; i++)
        is_end = is_end || sigismember(received, held[i]) == 1;
    return is_end;
}

/* Wait until the child has ended. Signals are taken one by one, so none is lost between check and wait. */
static int wait_forwarding(pid_t child, const sigset_t *watched, sigset_t *received)
{
    for (;;) {
        int status;
        const pid_t got = waitpid(child, &status, WNOHANG);
        if (got == child) return status;
        if (got < 0 && errno != EINTR) return W_EXITCODE(CLI_FAILURE, 0);
        siginfo_t info;
        const int s = sigwaitinfo(watched, &info);
        if (s <= 0 || s == SIGCHLD) continue;
        sigaddset(received, s);
        /* from the kernel: the terminal sent it to the whole foreground group, the child included */
        if (info.si_code != SI_KERNEL) kill(child, s);
    }
}

int cli_wait(pid_t child, const sigset_t *watched, sigset_t *received)
{
    const struct timespec now = {0};
    sigemptyset(received);
    const int status = wait_forwarding(child, watched, received);
    for (int s; (s = sigtimedwait(watched, NULL, &now)) > 0;)
        if (s != SIGCHLD) sigaddset(received, s);
    return status;
}

/* As cli_wait for the held signals, which stay pending for this process. SIGCHLD is blocked afterwards. */
static int wait_holding(pid_t child)
{
    sigset_t watched = held_set(), received;
    sigaddset(&watched, SIGCHLD);
    sigprocmask(SIG_BLOCK, &watched, NULL);
    const int status = cli_wait(child, &watched, &received);
    for (size_t i = 0; i < HELD; i++)
        if (sigismember(&received, held[i])) raise(held[i]);
    return status;
}

/* ---- the child ---- */

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

/* Return the child, which runs work; less than 0: no process could be started. */
static pid_t start(int work(void *context), void *context)
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
    return child;
}

/* Return false if no process could be started. */
static bool run(int work(void *context), void *context, int *status)
{
    const pid_t child = start(work, context);
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
    const sigset_t set = held_set();
    sigprocmask(SIG_UNBLOCK, &set, NULL); /* only the caller holds them */
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
    if (is_held(number))
        return ls_fail(LS_ERR_IO, "%s was ended by a signal (%s)", purpose, strsignal(number));
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
    sigset_t before;
    if (pipe2(t.ends, O_CLOEXEC) != 0) return work(context);
    cli_signals_hold(&before);
    const pid_t child = start(work_and_answer, &t);
    const int status = child < 0 ? 0 : wait_holding(child);
    cli_signals_release(&before);
    close(t.ends[1]);
    const ls_err err = child < 0             ? work(context)
                       : WIFSIGNALED(status) ? ended_by_signal(WTERMSIG(status), purpose)
                                             : read_answer(&t);
    close(t.ends[0]);
    return err;
}
