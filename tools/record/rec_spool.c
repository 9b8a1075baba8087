/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/record/rec_spool.h"
#include "common/ls_attach.h"
#include "common/ls_private.h"
#include "resolve/prof_fields.h"
#include "spool/spool_record.h"
#include "spool/spool_series.h"
#include "tools/cli/cli_child.h"
#include "tools/cli/cli_message.h"
#include "common/ls_outputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the spool ---- */

static const char rec_conf_name[] = REC_SPOOL_CONF;

/* In the directory that was asked for, whose path may lead over symbolic links. */
static int rec_make_in(const char *asked, char out[PATH_MAX])
{
    char parent[PATH_MAX];
    if (mkdir(asked, 0700) != 0 && errno != EEXIST) return -errno;
    if (!realpath(asked, parent)) return -errno;
    return ls_private_make(parent, REC_SPOOL_PREFIX, out, PATH_MAX);
}

static ls_err rec_make_failed(const char *asked, int err)
{
    if (!asked)
        return ls_fail_errno(err,
                             "cannot make a spool directory in $XDG_RUNTIME_DIR, $TMPDIR, /tmp or /dev/shm; "
                             "name a directory with --spool");
    if (err == EPERM)
        return ls_fail(
            LS_ERR_PERMISSION,
            "other users may change the directory %s; name one with --spool that belongs to you or "
            "root and that nobody else may write",
            asked);
    return ls_fail_errno(err, "cannot make a spool directory in %s; name another directory with --spool",
                         asked);
}

ls_err rec_spool_make(struct rec_spool *s, const char *asked)
{
    s->conf_fd = -1;
    s->fd = asked ? rec_make_in(asked, s->path)
                  : ls_private_make_somewhere(REC_SPOOL_PREFIX, s->path, sizeof(s->path));
    if (s->fd < 0) {
        s->path[0] = '\0';
        return rec_make_failed(asked, -s->fd);
    }
    s->conf_fd =
        openat(s->fd, rec_conf_name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (s->conf_fd < 0) return ls_fail_errno(errno, "cannot write %s/%s", s->path, rec_conf_name);
    flock(s->conf_fd, LOCK_EX | LOCK_NB); /* runtime/core/rt_ended_sigsafe.c looks at it */
    return LS_OK;
}

void rec_spool_end(const struct rec_spool *s)
{
    flock(s->conf_fd, LOCK_UN);
}

ls_err rec_spool_describe(const struct rec_spool *s, const char *key, const char *value)
{
    char *line = NULL;
    const int len = asprintf(&line, "%s=%s\n", key, value);
    if (len < 0) return ls_nomem("%s", rec_conf_name);
    for (char *c = line; c + 1 < line + len; c++)
        if (*c == '\n') *c = ' ';
    const bool is_written = write(s->conf_fd, line, (size_t)len) == len;
    free(line);
    return is_written ? LS_OK : ls_fail_errno(errno, "cannot write %s/%s", s->path, rec_conf_name);
}

static bool rec_is_spool_name(const char *name)
{
    return strncmp(name, REC_SPOOL_PREFIX "-", sizeof(REC_SPOOL_PREFIX)) == 0;
}

ls_err rec_spool_find(const char *path, char out[PATH_MAX])
{
    size_t spools = 0;
    bool is_spool = false;
    struct spool_name name;
    DIR *d = opendir(path);
    if (snprintf(out, PATH_MAX, "%s", path) >= PATH_MAX) is_spool = true;
    for (struct dirent *e; d && (e = readdir(d));) {
        is_spool =
            is_spool || spool_file_name_parse(e->d_name, &name) || strcmp(e->d_name, rec_conf_name) == 0;
        if (!rec_is_spool_name(e->d_name)) continue;
        spools++;
        if (snprintf(out, PATH_MAX, "%s/%s", path, e->d_name) >= PATH_MAX) is_spool = true;
    }
    if (d) closedir(d);
    if (is_spool || spools == 0) snprintf(out, PATH_MAX, "%s", path);
    if (is_spool || spools <= 1) return LS_OK;
    return ls_fail(LS_ERR_ARG, "%s holds %zu spools; name one of them: %s/" REC_SPOOL_PREFIX "-...", path,
                   spools, path);
}

void rec_spool_read(const char *dir, const char *key, char *out, size_t out_len_bytes)
{
    char path[PATH_MAX + 16], *line = NULL;
    size_t room = 0;
    const size_t key_len = strlen(key);
    out[0] = '\0';
    snprintf(path, sizeof(path), "%s/%s", dir, rec_conf_name);
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
    if (!f) return;
    while (getline(&line, &room, f) > 0) {
        if (strncmp(line, key, key_len) != 0 || line[key_len] != '=') continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(out, out_len_bytes, "%s", line + key_len + 1);
    }
    free(line);
    fclose(f);
}

static void rec_spool_clear(DIR *d);

/* Remove the spool of a recording that was made in this spool and killed (trace --auto). */
static void rec_spool_remove_inner(int folder, const char *name)
{
    const int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d) return;
    rec_spool_clear(d);
    closedir(d);
    unlinkat(folder, name, AT_REMOVEDIR);
}

static void rec_spool_clear(DIR *d)
{
    static const char *const names[] = {REC_SPOOL_CONF,       "debug.txt",         LS_ATTACH_REQUEST_FILE,
                                        LS_ATTACH_STATE_FILE, LS_ATTACH_STOP_FILE, LS_ATTACH_LIBRARY,
                                        SPOOL_SERIES_FILE};
    struct spool_name name;
    rewinddir(d);
    for (struct dirent *e; (e = readdir(d));) {
        if (spool_file_name_parse(e->d_name, &name)) unlinkat(dirfd(d), e->d_name, 0);
        if (rec_is_spool_name(e->d_name)) rec_spool_remove_inner(dirfd(d), e->d_name);
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        unlinkat(dirfd(d), names[i], 0);
}

ls_err rec_spool_remove(struct rec_spool *s)
{
    enum { TRIES = 100 }; /* a process that goes on may be about to make its first file */
    if (s->conf_fd >= 0) close(s->conf_fd);
    DIR *d = s->fd < 0 ? NULL : fdopendir(s->fd);
    s->fd = s->conf_fd = -1;
    if (!d) return ls_fail_errno(errno, "cannot list the spool %s", s->path);
    int err = ENOTEMPTY;
    for (int i = 0; i < TRIES && (err == ENOTEMPTY || err == EEXIST); i++) {
        rec_spool_clear(d);
        err = rmdir(s->path) == 0 ? 0 : errno;
    }
    closedir(d);
    return err == 0 ? LS_OK : ls_fail_errno(err, "cannot remove the spool %s", s->path);
}

bool rec_spool_in_use(const char *path)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return false;
    const bool is_in_use = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(fd);
    return is_in_use;
}

/* ---- its resolving ---- */

_Static_assert(PROF_STEPS_MAX == 200, "the help of --steps says so");

static void rec_warn(void *user, const char *text)
{
    (void)user;
    cli_progress("", 1);
    cli_warn("%s", text);
}

static void rec_progress(void *user, double done)
{
    (void)user;
    cli_progress("resolving", done);
}

uint32_t rec_resolve_steps(const struct cli_value *steps)
{
    if (!steps->given) return 0;
    return steps->number < PROF_STEPS_MAX ? (uint32_t)steps->number : PROF_STEPS_MAX;
}

struct rec_resolving {
    const struct prof_resolve_options *options;
    struct prof_resolve_stats *out;
};

static ls_err rec_resolve_here(void *context)
{
    const struct rec_resolving *r = context;
    return prof_resolve(r->options, r->out);
}

ls_err rec_resolve(struct prof_resolve_options *o, struct prof_resolve_stats *out)
{
    struct rec_resolving r = {o, out};
    sigset_t before;
    o->progress = rec_progress;
    o->warn = rec_warn;
    cli_signals_hold(&before);
    const ls_err err = cli_work_in_child(rec_resolve_here, &r, out, sizeof(*out), "writing the profile");
    if (err != LS_OK) ls_draft_sweep(o->output_path); /* a killed child left it */
    cli_signals_release(&before);
    cli_progress("", 1);
    return err;
}

void rec_resolve_say_missing(const struct prof_resolve_stats *s)
{
    if (s->threads == 0)
        cli_warn(
            "no thread could write anything: the spool's file system is full, or --spool-max is too small");
    if (s->dropped_bytes)
        cli_warn("%llu KiB of records did not fit: the spool reached its limit or its file system is full. "
                 "Later records are missing: raise --spool-max or let --spool name another directory",
                 (unsigned long long)(s->dropped_bytes / 1024 + 1));
    if (s->dumps_failed)
        cli_warn("%llu files that the program asked for could not be written: %s",
                 (unsigned long long)s->dumps_failed, ls_last_error());
    if (s->damaged_files)
        cli_warn("%llu thread files are damaged and were read up to the damage",
                 (unsigned long long)s->damaged_files);
}

/* ---- spools that killed launchers left ---- */

static const char rec_left_prefix[] = REC_SPOOL_PREFIX "-";

/* Return whether the spool's launcher has ended. */
static bool rec_left_is_orphan(const char *name)
{
    const size_t len = strlen(rec_left_prefix);
    char pid[16];
    if (strncmp(name, rec_left_prefix, len) != 0) return false;
    snprintf(pid, sizeof(pid), "%.*s", (int)strcspn(name + len, "-"), name + len);
    return ls_draft_is_left(pid);
}

static uint64_t rec_left_bytes(const char *path)
{
    char name[PATH_MAX];
    struct stat st;
    uint64_t sum = 0;
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] == '.') continue;
        if (snprintf(name, sizeof(name), "%s/%s", path, e->d_name) >= PATH_MAX || lstat(name, &st) != 0)
            continue;
        if (S_ISREG(st.st_mode)) sum += (uint64_t)st.st_size;
    }
    if (d) closedir(d);
    return sum;
}

static bool rec_left_look(const char *folder, const char *name, struct rec_left *out)
{
    char path[PATH_MAX];
    struct stat st;
    if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path)) return false;
    if (lstat(path, &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid()) return false;
    if (rec_spool_in_use(path)) return false; /* the program goes on */
    *out = (struct rec_left){.len_bytes = rec_left_bytes(path)};
    memcpy(out->path, path, sizeof(out->path));
    rec_spool_read(path, "command", out->command, sizeof(out->command));
    out->is_recording = *out->command;
    return true;
}

static int rec_left_order(const void *a, const void *b)
{
    return strcmp(((const struct rec_left *)a)->path, ((const struct rec_left *)b)->path);
}

/* Return whether the folder is the same as one with a smaller number. */
static bool rec_left_is_repeated(const char *folder, size_t number)
{
    struct stat st, other;
    if (stat(folder, &st) != 0) return true;
    for (size_t i = 0; i < number; i++) {
        const char *before = ls_private_parent(i);
        if (before && stat(before, &other) == 0 && other.st_ino == st.st_ino && other.st_dev == st.st_dev)
            return true;
    }
    return false;
}

size_t rec_left_find(struct rec_left out[REC_LEFT_MAX])
{
    size_t len = 0;
    const char *folder;
    for (size_t i = 0; !(folder = ls_private_parent(i)) || *folder; i++) {
        if (!folder || rec_left_is_repeated(folder, i)) continue;
        DIR *d = opendir(folder);
        for (struct dirent *e; d && len < REC_LEFT_MAX && (e = readdir(d));)
            if (rec_left_is_orphan(e->d_name)) len += rec_left_look(folder, e->d_name, &out[len]);
        if (d) closedir(d);
    }
    qsort(out, len, sizeof(out[0]), rec_left_order);
    return len;
}
