/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/record/rec_attach.h"
#include "common/ls_attach.h"
#include "common/ls_clock.h"
#include "common/ls_compat.h"
#include "common/ls_env.h"
#include "tools/record/rec_inject.h"
#include "tools/record/rec_process.h"
#include "tools/cli/cli_message.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    TRY_EVERY_MS = 5,
    TRY_MS = 10000,        /* to find a good moment in the process */
    RUNNING_ONLY_MS = 500, /* threads that sleep are interrupted after this time only */
    END_MS = 10000         /* for the last records */
};

/* ---- facts of a process ---- */

static bool has_signal(const char *status, const char *key)
{
    return rec_process_number(status, key, 16) >> (LS_ATTACH_SIGNAL - 1) & 1;
}

static ls_err read_command_line(struct rec_attach *a)
{
    size_t len = 0, words = 0;
    char *text = rec_process_read(a->pid, "cmdline", &len);
    if (!text) return ls_fail(LS_ERR_NOT_FOUND, "process %d has ended", (int)a->pid);
    for (size_t i = 0; i < len; i++)
        words += text[i] == '\0';
    a->argv = calloc(words + 2, sizeof(*a->argv));
    if (!a->argv) {
        free(text);
        return ls_nomem("a command line");
    }
    words = 0;
    for (size_t i = 0; i < len; i += strlen(text + i) + 1)
        a->argv[words++] = text + i;
    /* a title that the program wrote over its command line leaves the rest empty */
    while (words > 1 && !*a->argv[words - 1])
        a->argv[--words] = NULL;
    return LS_OK;
}

/* ---- may it be recorded? ---- */

/* Is a mapping of a chunk of a spool in this line, and does a launcher hold the spool's lock? */
static bool is_chunk_in_use(const char *line)
{
    char path[PATH_MAX];
    const char *begin = strchr(line, '/'), *name = strstr(line, "/" REC_SPOOL_PREFIX "-");
    if (!begin || !name || begin > name) return false;
    const int len = (int)(name - begin) + 1 + (int)strcspn(name + 1, "/");
    if (snprintf(path, sizeof(path), "%.*s/%s", len, begin, REC_SPOOL_CONF) >= (int)sizeof(path))
        return false;
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool is_held = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0) close(fd);
    return is_held;
}

static bool is_recorded_now(char *maps)
{
    char *rest = NULL;
    for (char *line = strtok_r(maps, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (is_chunk_in_use(line)) return true;
    return false;
}

/* Loads the runtime into a process that has none; empty where that is not built. */
static const struct {
    ls_err (*check)(pid_t pid, const char *status, const char *maps);
    ls_err (*load)(pid_t pid, const char *runtime, const struct rec_spool *spool);
} loader = {
#ifdef HAVE_INJECT
    rec_inject_check, rec_inject
#endif
};

static ls_err check_loader(pid_t pid, const char *status, const char *maps)
{
    LS_TRY(rec_process_check_program(pid));
    if (loader.check) return loader.check(pid, status, maps);
    return ls_fail(LS_ERR_UNSUPPORTED,
                   "process %d was not started by loadstone run: start it as loadstone run -- PROGRAM",
                   (int)pid);
}

static ls_err check_runtime(pid_t pid, const char *status, bool *out_needs_runtime)
{
    char *maps = rec_process_read(pid, "maps", NULL);
    if (!maps) return rec_process_hidden(pid, status);
    const bool is_idle = strstr(maps, LS_ATTACH_MARK_IN_MAPS);
    const ls_err err = is_idle ? LS_OK : check_loader(pid, status, maps);
    const bool is_recorded = is_recorded_now(maps);
    free(maps);
    if (is_recorded)
        return ls_fail(LS_ERR_UNSUPPORTED, "process %d is recorded already by another loadstone record",
                       (int)pid);
    LS_TRY(err);
    if (!is_idle) *out_needs_runtime = true;
    return LS_OK;
}

ls_err rec_attach_find(pid_t pid, struct rec_attach *out)
{
    char link[64];
    *out = (struct rec_attach){.pid = pid, .pid_fd = -1};
    char *status = rec_process_read(pid, "status", NULL);
    if (!status) return ls_fail(LS_ERR_NOT_FOUND, "there is no process %d", (int)pid);
    ls_err err = LS_OK;
    if (rec_process_number(status, "Tgid", 10) != (uint64_t)pid)
        err = ls_fail(LS_ERR_NOT_FOUND, "%d is a thread of process %llu: name that", (int)pid,
                      (unsigned long long)rec_process_number(status, "Tgid", 10));
    if (err == LS_OK) err = rec_process_check(pid, status);
    if (err == LS_OK) err = check_runtime(pid, status, &out->needs_runtime);
    free(status);
    if (err == LS_OK) err = read_command_line(out);
    LS_TRY(err);
    snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
    const ssize_t len = readlink(link, out->program, sizeof(out->program) - 1);
    out->program[len > 0 ? len : 0] = '\0';
    out->pid_fd = (int)ls_syscall(SYS_pidfd_open, pid, 0);
    if (out->pid_fd < 0) out->pid_fd = -1;
    return LS_OK;
}

void rec_attach_fini(struct rec_attach *a)
{
    if (a->argv) free(a->argv[0]);
    free(a->argv);
    if (a->pid_fd >= 0) close(a->pid_fd);
    *a = (struct rec_attach){.pid_fd = -1};
}

bool rec_attach_has_ended(const struct rec_attach *a)
{
    struct pollfd p = {.fd = a->pid_fd, .events = POLLIN};
    if (a->pid_fd >= 0) return poll(&p, 1, 0) > 0;
    return kill(a->pid, 0) != 0 && errno == ESRCH;
}

/* ---- the begin ---- */

/* The settings are the variables of our environment; those of the launch do not matter. */
static ls_err write_request(const struct rec_spool *spool)
{
    const int fd =
        openat(spool->fd, LS_ATTACH_REQUEST_FILE, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f) return ls_fail_errno(errno, "cannot write %s/" LS_ATTACH_REQUEST_FILE, spool->path);
    for (int id = 0; id < LS_ENV_COUNT; id++) {
        const char *value = getenv(ls_env_rows[id].variable);
        if (!value || strchr(value, '\n')) continue;
        if (id != LS_ENV_PRELOAD && id != LS_ENV_IDLE && id != LS_ENV_CONTROL)
            fprintf(f, "%s=%s\n", ls_env_rows[id].variable, value);
    }
    const bool is_too_long = ftell(f) >= LS_ATTACH_REQUEST_BYTES;
    if (fclose(f) != 0) return ls_fail_errno(errno, "cannot write %s/" LS_ATTACH_REQUEST_FILE, spool->path);
    return is_too_long ? ls_fail(LS_ERR_RANGE, "the LOADSTONE_ variables are too long") : LS_OK;
}

/* The last line that the process wrote, "" before the first. */
static void read_state(const struct rec_spool *spool, char out[512])
{
    char text[512];
    out[0] = '\0';
    const int fd = openat(spool->fd, LS_ATTACH_STATE_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return;
    const ssize_t len = read(fd, text, sizeof(text) - 1);
    close(fd);
    text[len > 0 ? len : 0] = '\0';
    if (len <= 0 || text[len - 1] != '\n') return; /* half of it */
    text[len - 1] = '\0';
    const char *last = strrchr(text, '\n');
    snprintf(out, 512, "%s", last ? last + 1 : text);
}

/* Return whether the thread would take the signal at once. */
static bool is_open_to(pid_t pid, pid_t tid, bool may_sleep)
{
    char name[64];
    snprintf(name, sizeof(name), "task/%d/status", (int)tid);
    char *status = rec_process_read(pid, name, NULL);
    if (!status) return false;
    const char state = rec_process_state(status);
    const bool is_open = (state == 'R' || (may_sleep && state == 'S')) && !has_signal(status, "SigBlk") &&
                         !has_signal(status, "SigPnd") && has_signal(status, "SigCgt");
    free(status);
    return is_open;
}

static bool send_request(const struct rec_attach *a, pid_t tid, int spool_fd)
{
    siginfo_t info;
    memset(&info, 0, sizeof(info));
    info.si_signo = LS_ATTACH_SIGNAL;
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = (void *)(uintptr_t)(LS_ATTACH_REQUEST << 32 | (uint32_t)spool_fd);
    return ls_syscall(SYS_rt_tgsigqueueinfo, a->pid, tid, LS_ATTACH_SIGNAL, &info) == 0;
}

/* Interrupt the next thread that may be. The process takes one request at a time. Return whether one was. */
static bool try_a_thread(const struct rec_attach *a, int spool_fd, bool may_sleep, size_t turn)
{
    char path[64];
    size_t len = 0, chosen = 0;
    pid_t tid = 0;
    snprintf(path, sizeof(path), "/proc/%d/task", (int)a->pid);
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        const pid_t other = (pid_t)strtol(e->d_name, NULL, 10);
        if (other <= 0 || !is_open_to(a->pid, other, may_sleep)) continue;
        /* the first one; and later, in turns, the others */
        if (len == 0 || chosen < turn % 16) {
            tid = other;
            chosen = len;
        }
        len++;
    }
    if (d) closedir(d);
    return tid && send_request(a, tid, spool_fd);
}

static void nap_ms(long ms)
{
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

/* Let the process load the runtime, and wait until it is ready. */
static ls_err load_runtime(const struct rec_attach *a, const char *runtime, const struct rec_spool *spool)
{
    LS_TRY(loader.load(a->pid, runtime, spool));
    for (long ms = 0; ms < TRY_MS && !rec_attach_has_ended(a); ms += TRY_EVERY_MS) {
        char *maps = rec_process_read(a->pid, "maps", NULL);
        const bool is_ready = maps && strstr(maps, LS_ATTACH_MARK_IN_MAPS);
        free(maps);
        if (is_ready) return LS_OK;
        nap_ms(TRY_EVERY_MS);
    }
    return ls_fail(
        LS_ERR_UNSUPPORTED,
        "process %d could not load %s: the linker refused it (too little room for thread-local storage?), or it "
        "has ended; start it by loadstone run",
        (int)a->pid, runtime);
}

ls_err rec_attach_begin(struct rec_attach *a, const char *runtime, const struct rec_spool *spool)
{
    char state[512];
    bool was_sent = false;
    LS_TRY(write_request(spool));
    if (a->needs_runtime) LS_TRY(load_runtime(a, runtime, spool));
    a->began_ns = ls_clock_mono_ns();
    for (long ms = 0; ms < TRY_MS; ms += TRY_EVERY_MS) {
        const size_t turn = (size_t)(ms / TRY_EVERY_MS);
        if (rec_attach_has_ended(a)) return ls_fail(LS_ERR_NOT_FOUND, "process %d has ended", (int)a->pid);
        was_sent |= try_a_thread(a, spool->fd, ms >= RUNNING_ONLY_MS, turn);
        nap_ms(TRY_EVERY_MS);
        read_state(spool, state);
        if (strcmp(state, "attached") == 0) return LS_OK;
        if (strncmp(state, "failed ", 7) == 0)
            return ls_fail(LS_ERR_UNSUPPORTED, "process %d cannot be recorded: %s", (int)a->pid, state + 7);
    }
    if (!was_sent)
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "process %d: all of its threads block signal %d, by which recordings begin",
                       (int)a->pid, LS_ATTACH_SIGNAL);
    return ls_fail(
        LS_ERR_UNSUPPORTED,
        "process %d does not answer: it is recorded already, or is never found outside of the C library; "
        "try again",
        (int)a->pid);
}

/* ---- the end ---- */

static void ask_to_stop(const struct rec_spool *spool)
{
    const int fd = openat(spool->fd, LS_ATTACH_STOP_FILE, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0) close(fd);
}

/* Wait for the end of the process or of the time, or for one of the signals. */
static void wait_for_end(const struct rec_attach *a, uint64_t duration_ns, int signals_fd)
{
    const uint64_t end_ns = a->began_ns + duration_ns;
    for (;;) {
        struct pollfd p[2] = {{.fd = a->pid_fd, .events = POLLIN}, {.fd = signals_fd, .events = POLLIN}};
        const uint64_t now_ns = ls_clock_mono_ns();
        if (duration_ns && now_ns >= end_ns) return;
        uint64_t left_ms = a->pid_fd < 0 ? 100 : 3600000;
        if (duration_ns && (end_ns - now_ns) / 1000000 < left_ms) left_ms = (end_ns - now_ns) / 1000000 + 1;
        if (poll(p, 2, (int)left_ms) > 0 && (p[0].revents || p[1].revents)) return;
        if (rec_attach_has_ended(a)) return;
    }
}

static void wait_for_last_records(const struct rec_attach *a, const struct rec_spool *spool)
{
    char state[512];
    for (long ms = 0; ms < END_MS; ms += TRY_EVERY_MS) {
        read_state(spool, state);
        if (strcmp(state, "attached") != 0 || rec_attach_has_ended(a)) return;
        nap_ms(TRY_EVERY_MS);
    }
    cli_warn("process %d did not end the recording within %d s: its last records may be missing", (int)a->pid,
             END_MS / 1000);
}

void rec_attach_finish(struct rec_attach *a, const struct rec_spool *spool, uint64_t duration_ns,
                       struct rec_outcome *out)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigset_t set, before;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        sigaddset(&set, ends[i]);
    sigprocmask(SIG_BLOCK, &set, &before);
    const int signals_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    wait_for_end(a, duration_ns, signals_fd);
    ask_to_stop(spool);
    wait_for_last_records(a, spool);
    struct signalfd_siginfo taken;
    while (signals_fd >= 0 && read(signals_fd, &taken, sizeof(taken)) > 0)
        ;
    if (signals_fd >= 0) close(signals_fd);
    signal(SIGPIPE, SIG_IGN); /* the results must be kept even if nobody reads our messages */
    sigprocmask(SIG_SETMASK, &before, NULL);
    *out = (struct rec_outcome){.pid = (uint32_t)a->pid, .duration_ns = ls_clock_mono_ns() - a->began_ns};
}
