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

static void name_lock(const struct rec_node *n, char out[PATH_MAX])
{
    snprintf(out, PATH_MAX, "%.*s.lock", (int)(strlen(n->part) - strlen(".h5")), n->part);
}

ls_err rec_node_begin(struct rec_node *n)
{
    char path[PATH_MAX];
    if (mkdir(n->dir, 0777) != 0 && errno != EEXIST) return ls_fail_errno(errno, "cannot make %s", n->dir);
    name_lock(n, path);
    n->lock_fd = lock_file(path, LOCK_EX | LOCK_NB);
    if (n->lock_fd < 0 && errno == EWOULDBLOCK)
        return ls_fail(LS_ERR_EXISTS, "another job writes %s: choose another file with -o", n->output);
    if (n->lock_fd < 0) return ls_fail_errno(errno, "cannot lock %s", path);
    unlink(n->part); /* from an earlier job */
    return LS_OK;
}

/* --- the end --- */

struct parts {
    LS_VECTOR(char *) paths;
    uint32_t begun, running;
};

static void parts_fini(struct parts *p)
{
    for (size_t i = 0; i < p->paths.len; i++)
        free(p->paths.rows[i]);
    free(p->paths.rows);
}

static bool has_end(const char *name, const char *end)
{
    const size_t len = strlen(name), end_len = strlen(end);
    return len > end_len && strcmp(name + len - end_len, end) == 0;
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
                                        .every = MRG_EVERY,
                                        .warn = warn_part};
    struct mrg_stats stats;
    if (p->paths.len == 0) { /* each rank has printed why */
        remove_parts(n, p);
        return true;
    }
    if (p->begun > p->paths.len && n->rank.variable)
        cli_warn("%u of %u ranks of this machine left no profile: they were killed, or recorded nothing",
                 p->begun - (uint32_t)p->paths.len, p->begun);
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
    char path[PATH_MAX];
    struct parts parts = {0};
    bool worked = true;
    if (n->lock_fd < 0) return true; /* not begun */
    snprintf(path, sizeof(path), "%.*s/lock", (int)strlen(n->dir), n->dir);
    const int fd = lock_file(path, LOCK_EX);
    if (fd < 0) {
        cli_error("cannot lock %s: %s", path, strerror(errno));
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
