/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/record/rec_node.h"

#include "common/ls_text.h"
#include "common/ls_vector.h"
#include "tools/cli/cli_message.h"
#include "tools/merge/mrg_job.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* --- names --- */

static void host_of(char out[256])
{
    if (gethostname(out, 255) != 0 || !*out) strcpy(out, "node");
    out[255] = '\0';
    for (char *at = out; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '-' && *at != '_') *at = '_';
}

static ls_err node_output(const char *output, struct rec_node *out)
{
    char host[256];
    const char *dot = strrchr(ls_base_name(output), '.');
    const int stem = dot ? (int)(dot - output) : (int)strlen(output);
    host_of(host);
    const int len = out->rank.variable ? snprintf(out->output, sizeof(out->output), "%.*s.%s%s", stem, output,
                                                  host, dot ? dot : "")
                                       : snprintf(out->output, sizeof(out->output), "%s", output);
    return len > 0 && (size_t)len < sizeof(out->output)
               ? LS_OK
               : ls_fail(LS_ERR_RANGE, "%s: the name of the file is too long", output);
}

ls_err rec_node_name(const char *output, bool force, struct rec_node *out)
{
    *out = (struct rec_node){.force = force, .lock_fd = -1};
    ls_rank_find(getenv, &out->rank);
    LS_TRY(node_output(output, out));
    int len = snprintf(out->dir, sizeof(out->dir), "%s.ranks", out->output);
    if (len < 0 || (size_t)len + 32 >= sizeof(out->dir))
        return ls_fail(LS_ERR_RANGE, "%s: the name of the file is too long", output);
    len = out->rank.variable
              ? snprintf(out->part, sizeof(out->part), "%.*s/%u.h5", len, out->dir, out->rank.rank)
              : snprintf(out->part, sizeof(out->part), "%.*s/all.h5", len, out->dir);
    return len > 0 && (size_t)len < sizeof(out->part)
               ? LS_OK
               : ls_fail(LS_ERR_RANGE, "%s: the name of the file is too long", output);
}

/* --- the job --- */

/* Is the process the part of a launcher that starts the ranks of a machine? */
static bool is_launcher(const char *name)
{
    static const char *const names[] = {"mpirun",     "mpiexec", "orterun",         "prterun",
                                        "orted",      "prted",   "oshrun",          "slurmstepd",
                                        "flux-shell", "palsd",   "hydra_pmi_proxy", "hydra_bstrap_pr"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0) return true;
    return false;
}

/* Read the name, the parent and the start of a process from /proc/PID/stat (proc(5)). */
static bool read_process(pid_t pid, char name[32], pid_t *parent, unsigned long long *start)
{
    char path[64], text[1024];
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    const size_t len = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
    if (f) fclose(f);
    text[len] = '\0';
    const char *begin = strchr(text, '('), *end = strrchr(text, ')');
    if (!begin || !end || end < begin) return false;
    snprintf(name, 32, "%.*s", (int)(end - begin - 1), begin + 1);
    int number;
    if (sscanf(end + 1, " %*c %d", &number) != 1) return false;
    *parent = number;
    return sscanf(end + 1,
                  " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                  start) == 1;
}

/* By the name that PMIx gives the job, or the process that started its ranks on this machine. */
static void find_job(char out[REC_NODE_JOB_BYTES])
{
    enum { GENERATIONS = 64 };
    const char *named = getenv("PMIX_NAMESPACE");
    char name[32];
    unsigned long long start = 0;
    out[0] = '\0';
    if (named && *named) {
        snprintf(out, REC_NODE_JOB_BYTES, "%s", named);
        return;
    }
    pid_t pid = getppid(), parent = 0;
    for (int i = 0; i < GENERATIONS && pid > 1 && read_process(pid, name, &parent, &start);
         i++, pid = parent) {
        if (!is_launcher(name)) continue;
        snprintf(out, REC_NODE_JOB_BYTES, "%d.%llu", (int)pid, start);
        return;
    }
}

/* Is the job of a rank, in its open lock, known to be another one? */
static bool is_of_other_job(const struct rec_node *n, int lock_fd)
{
    char job[REC_NODE_JOB_BYTES] = "";
    const ssize_t len = pread(lock_fd, job, sizeof(job) - 1, 0);
    return len > 0 && n->job[0] && strcmp(job, n->job) != 0;
}

/* --- locks --- */

/* Open and lock a file of the directory; -1: errno has the reason. */
static int lock_file(const char *path, int operation)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) return -1;
    while (flock(fd, operation) != 0) {
        if (errno == EINTR) continue;
        const int code = errno;
        close(fd);
        errno = code;
        return -1;
    }
    return fd;
}

static ls_err fail_to_lock(const char *path, int code)
{
    const bool has_locks = code != ENOSYS && code != ENOLCK && code != EOPNOTSUPP;
    return ls_fail_errno(
        code, "cannot lock %s%s", path,
        has_locks ? "" : " (with -o, choose a file on a file system that has locks, such as /tmp)");
}

/* Lock the directory, for seconds at most. */
static ls_err lock_directory(const struct rec_node *n, int seconds, int *out)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%.*s/lock", (int)strlen(n->dir), n->dir);
    for (int i = 0;; i++) {
        *out = lock_file(path, LOCK_EX | LOCK_NB);
        if (*out >= 0) return LS_OK;
        if (errno == ENOENT && mkdir(n->dir, 0777) == 0)
            continue; /* the last rank of another job removed it */
        if (errno != EWOULDBLOCK) return fail_to_lock(path, errno);
        if (i >= seconds * 50)
            return ls_fail(LS_ERR_BUSY, "%s: another process has not released this lock for %d s", path,
                           seconds);
        nanosleep(&pause, NULL);
    }
}

static void name_lock(const struct rec_node *n, char out[PATH_MAX])
{
    snprintf(out, PATH_MAX, "%.*s.lock", (int)(strlen(n->part) - strlen(".h5")), n->part);
}

static bool has_end(const char *name, const char *end)
{
    const size_t len = strlen(name), end_len = strlen(end);
    return len > end_len && strcmp(name + len - end_len, end) == 0;
}

static ls_err fail_other_job(const struct rec_node *n)
{
    return ls_fail(LS_ERR_EXISTS, "another job writes %s: choose another file with -o", n->output);
}

/* Remove a rank of an earlier job, whose launcher was killed, for example; name is that of its lock. */
static ls_err remove_other(const struct rec_node *n, int dir, const char *name)
{
    char part[NAME_MAX + 1];
    const int fd = openat(dir, name, O_RDWR | O_CLOEXEC);
    if (fd < 0) return LS_OK;
    const bool is_other = is_of_other_job(n, fd), is_running = flock(fd, LOCK_EX | LOCK_NB) != 0;
    close(fd);
    if (!is_other) return LS_OK;
    if (is_running) return fail_other_job(n);
    snprintf(part, sizeof(part), "%.*s.h5", (int)(strlen(name) - strlen(".lock")), name);
    unlinkat(dir, part, 0);
    unlinkat(dir, name, 0);
    return LS_OK;
}

static ls_err remove_others(const struct rec_node *n)
{
    DIR *dir = opendir(n->dir);
    ls_err e = dir ? LS_OK : ls_fail_errno(errno, "cannot read %s", n->dir);
    for (struct dirent *d; e == LS_OK && (d = readdir(dir));)
        if (has_end(d->d_name, ".lock")) e = remove_other(n, dirfd(dir), d->d_name);
    if (dir) closedir(dir);
    return e;
}

static ls_err lock_rank(struct rec_node *n)
{
    char path[PATH_MAX];
    name_lock(n, path);
    n->lock_fd = lock_file(path, LOCK_EX | LOCK_NB);
    if (n->lock_fd < 0) return errno == EWOULDBLOCK ? fail_other_job(n) : fail_to_lock(path, errno);
    const size_t len = strlen(n->job);
    if (ftruncate(n->lock_fd, 0) != 0 || pwrite(n->lock_fd, n->job, len, 0) != (ssize_t)len)
        return ls_fail_errno(errno, "cannot write %s", path);
    unlink(n->part); /* from an earlier job */
    return LS_OK;
}

ls_err rec_node_begin(struct rec_node *n)
{
    enum { SECONDS = 60 };
    int dir_fd = -1;
    find_job(n->job);
    if (mkdir(n->dir, 0777) != 0 && errno != EEXIST) return ls_fail_errno(errno, "cannot make %s", n->dir);
    LS_TRY(lock_directory(n, SECONDS, &dir_fd));
    ls_err e = remove_others(n);
    if (e == LS_OK) e = lock_rank(n);
    close(dir_fd);
    return e;
}

/* --- the end --- */

struct parts {
    LS_VECTOR(char *) paths;
    uint32_t begun, running;
    char without[128]; /* numbers of ranks that left no profile */
};

static void parts_fini(struct parts *p)
{
    for (size_t i = 0; i < p->paths.len; i++)
        free(p->paths.rows[i]);
    free(p->paths.rows);
}

/* Does the rank of this lock still run? */
static bool is_running(const char *path)
{
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return false;
    const bool is_held = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(fd);
    return is_held;
}

/* Note the rank of a lock if it has no profile; path, the lock's, becomes the profile's. */
static void note_without(struct parts *p, char *path, const char *name)
{
    const size_t len = strlen(p->without), at = strlen(path) - strlen(".lock");
    strcpy(path + at, ".h5");
    if (access(path, F_OK) == 0) return;
    const int number = (int)(strlen(name) - strlen(".lock"));
    snprintf(p->without + len, sizeof(p->without) - len, "%s%.*s", len ? ", " : "", number, name);
}

static ls_err parts_find(const struct rec_node *n, struct parts *out)
{
    DIR *dir = opendir(n->dir);
    ls_err e = dir ? LS_OK : ls_fail_errno(errno, "cannot read %s", n->dir);
    for (struct dirent *d; e == LS_OK && (d = readdir(dir));) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s", n->dir, d->d_name) < 0) {
            e = ls_nomem("%s", n->dir);
        } else if (has_end(d->d_name, ".h5")) {
            e = LS_VECTOR_ADD(&out->paths, path);
            if (e == LS_OK) continue;
        } else if (has_end(d->d_name, ".lock")) {
            out->begun++;
            out->running += is_running(path);
            note_without(out, path, d->d_name);
        }
        free(path);
    }
    if (dir) closedir(dir);
    return e;
}

static void say_remedy(const struct rec_node *n)
{
    cli_note("the profiles of its ranks are in %s; loadstone merge --sum %s/*.h5 -o %s sums them up", n->dir,
             cli_quote(n->dir), cli_quote(n->output));
}

static void warn_part(void *user, const char *text)
{
    (void)user;
    cli_warn("%s", text);
}

/* Remove the files of this job, and the directory where nothing else is in it. */
static void remove_parts(const struct rec_node *n, const struct parts *p)
{
    DIR *dir = opendir(n->dir);
    for (size_t i = 0; i < p->paths.len; i++)
        unlink(p->paths.rows[i]);
    for (struct dirent *d; dir && (d = readdir(dir));) {
        if (has_end(d->d_name, ".lock") || strcmp(d->d_name, "lock") == 0) unlinkat(dirfd(dir), d->d_name, 0);
    }
    if (dir) closedir(dir);
    rmdir(n->dir);
}

static bool write_node(const struct rec_node *n, const struct parts *p)
{
    const struct mrg_options options = {.paths = (const char *const *)p->paths.rows,
                                        .paths_len = p->paths.len,
                                        .output_path = n->output,
                                        .force = n->force,
                                        .every = n->every,
                                        .warn = warn_part};
    struct mrg_stats stats;
    if (p->paths.len == 0) { /* each rank has printed why */
        remove_parts(n, p);
        return true;
    }
    if (p->begun > p->paths.len && n->rank.variable)
        cli_warn("%u of %u ranks of this machine left no profile (%s): they were killed, or recorded nothing",
                 p->begun - (uint32_t)p->paths.len, p->begun, p->without);
    const ls_err e = mrg_sum_up(&options, &stats);
    if (e == LS_ERR_NOT_FOUND && !n->rank.variable && rename(n->part, n->output) == 0) {
        remove_parts(n, p);
        cli_warn("no process was a rank of a job: %s is an ordinary profile", n->output);
        return true;
    }
    if (e != LS_OK) {
        cli_fail(e);
        if (p->paths.len) say_remedy(n);
        return false;
    }
    remove_parts(n, p);
    cli_note("%zu rank%s, %zu with samples: %s", stats.ranks, stats.ranks == 1 ? "" : "s", stats.kept,
             n->output);
    if (stats.ranks_len > stats.ranks)
        cli_next("loadstone merge %s (the files of all machines) -o job.h5", cli_quote(n->output));
    else
        cli_next("loadstone report --by rank %s", cli_quote(n->output));
    return true;
}

bool rec_node_end(struct rec_node *n)
{
    enum { SECONDS = 600 }; /* the last rank may take long, but no rank ends after it */
    struct parts parts = {0};
    bool worked = true;
    int fd = -1;
    if (n->lock_fd < 0) return true; /* not begun */
    const ls_err locked = lock_directory(n, SECONDS, &fd);
    if (locked != LS_OK) {
        cli_fail(locked);
        say_remedy(n);
        return false;
    }
    close(n->lock_fd); /* releases the lock of this rank */
    n->lock_fd = -1;
    if (parts_find(n, &parts) != LS_OK) {
        cli_fail(LS_ERR_IO);
        worked = false;
    } else if (parts.running == 0 && (!n->rank.variable || parts.begun >= n->rank.local_len)) {
        worked = write_node(n, &parts);
    } else if (parts.paths.len == 1) { /* the first one */
        cli_note("the last rank that ends on this machine writes %s; if it is killed before:", n->output);
        say_remedy(n);
    }
    parts_fini(&parts);
    close(fd);
    return worked;
}
