/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/ls_outputs.h"

#include "common/ls_text.h"
#include "common/ls_vector.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- drafts --- */

static const char ls_draft_infix[] = ".part-";

void ls_draft_hold(int fd)
{
    (void)!flock(fd, LOCK_SH | LOCK_NB);
}

bool ls_draft_is_left(const char *pid)
{
    if (!*pid || pid[strspn(pid, "0123456789")]) return false;
    const long number = strtol(pid, NULL, 10);
    return number > 0 && number <= INT_MAX && kill((pid_t)number, 0) != 0 && errno == ESRCH;
}

/* True when name is base.part-PID and the process has ended. */
static bool ls_draft_is_orphan(const char *name, const char *base)
{
    const size_t base_len = strlen(base), infix_len = strlen(ls_draft_infix);
    return strncmp(name, base, base_len) == 0 && strncmp(name + base_len, ls_draft_infix, infix_len) == 0 &&
           ls_draft_is_left(name + base_len + infix_len);
}

/* True when no process holds the draft: one on another machine or in another container may still write it. */
static bool ls_draft_is_free(int folder, const char *name)
{
    struct stat st;
    const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return false;
    const bool is_ours = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid();
    const bool is_free = is_ours && (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK);
    close(fd);
    return is_free;
}

void ls_draft_sweep(const char *path)
{
    char folder[PATH_MAX];
    const int saved = errno;
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    DIR *d = *base ? opendir(folder) : NULL;
    for (struct dirent *e; d && (e = readdir(d));)
        if (ls_draft_is_orphan(e->d_name, base) && ls_draft_is_free(dirfd(d), e->d_name))
            unlinkat(dirfd(d), e->d_name, 0);
    if (d) closedir(d);
    errno = saved;
}

struct ls_output {
    char *path, *temporary; /* the same as path: written in place */
    FILE *out;              /* NULL: another library writes it */
    mode_t mode;            /* mode of the file that is replaced; 0: no such file */
    bool is_dir;
    bool is_direct; /* a device or a pipe: written under its own name, never removed */
    bool done;      /* it has its final name; a directory: it holds a file with its final name */
};

struct ls_outputs {
    LS_VECTOR(struct ls_output) files;
    bool force;
};

ls_err ls_outputs_new(bool force, ls_outputs **out)
{
    ls_outputs *f = calloc(1, sizeof(*f));
    if (!f) return ls_nomem("a list of files");
    f->force = force;
    *out = f;
    return LS_OK;
}

static bool ls_is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

static ls_err ls_draft_name(const char *path, char out[PATH_MAX])
{
    const int len = snprintf(out, PATH_MAX, "%s.part-%d", path, (int)getpid());
    ls_draft_sweep(path);
    return len > 0 && len < PATH_MAX ? LS_OK : ls_fail(LS_ERR_RANGE, "%s: the name is too long", path);
}

static ls_err ls_outputs_grow(ls_outputs *f, const char *path, const char *temporary)
{
    struct ls_output file = {.path = strdup(path), .temporary = strdup(temporary)};
    if (file.path && file.temporary && LS_VECTOR_ADD(&f->files, file) == LS_OK) return LS_OK;
    free(file.path);
    free(file.temporary);
    return ls_nomem("the name of %s", path);
}

/* Add a file whose name exists: links stay links, devices and pipes are written to. */
static ls_err ls_outputs_replace(ls_outputs *f, const char *path, const struct stat *st)
{
    char draft[PATH_MAX], target[PATH_MAX];
    const bool is_direct = !S_ISREG(st->st_mode);
    if (S_ISDIR(st->st_mode)) return ls_fail(LS_ERR_EXISTS, "%s is a directory: name a file with -o", path);
    if (!f->force)
        return ls_fail(LS_ERR_EXISTS, "%s exists; --force overwrites it, -o names another file", path);
    if (is_direct) {
        LS_TRY(ls_outputs_grow(f, path, path));
    } else {
        if (!realpath(path, target)) return ls_fail_errno(errno, "%s cannot be written", path);
        LS_TRY(ls_draft_name(target, draft));
        LS_TRY(ls_outputs_grow(f, target, draft));
        f->files.rows[f->files.len - 1].mode = st->st_mode & 07777;
    }
    f->files.rows[f->files.len - 1].is_direct = is_direct;
    return LS_OK;
}

ls_err ls_outputs_add(ls_outputs *f, const char *path, const char **out_temporary)
{
    char draft[PATH_MAX];
    struct stat st;
    if (ls_is_stdout(path)) /* this kind of output needs a named file */
        return ls_fail(
            LS_ERR_USAGE,
            "the output is written to a file only, not to standard output: name the file (./- is a file called -)");
    if (stat(path, &st) == 0) {
        LS_TRY(ls_outputs_replace(f, path, &st));
    } else {
        LS_TRY(ls_draft_name(path, draft));
        LS_TRY(ls_outputs_grow(f, path, draft));
    }
    *out_temporary = f->files.rows[f->files.len - 1].temporary;
    return LS_OK;
}

static FILE *ls_output_open(const struct ls_output *file)
{
    if (!*file->temporary) return tmpfile();
    return fopen(file->temporary, file->is_direct
                                      ? "wbe"
                                      : "w+be"); /* readable, because some formats are patched at the end */
}

ls_err ls_outputs_open(ls_outputs *f, const char *path, FILE **out)
{
    const char *temporary = "";
    if (ls_is_stdout(path))
        LS_TRY(ls_outputs_grow(f, path, ""));
    else
        LS_TRY(ls_outputs_add(f, path, &temporary));
    FILE *file = ls_output_open(&f->files.rows[f->files.len - 1]);
    if (!file) return ls_fail_errno(errno, "%s cannot be written; name another file with -o", path);
    if (*temporary && !f->files.rows[f->files.len - 1].is_direct) ls_draft_hold(fileno(file));
    f->files.rows[f->files.len - 1].out = file;
    *out = file;
    return LS_OK;
}

ls_err ls_outputs_dir(ls_outputs *f, const char *path)
{
    struct stat st;
    if (mkdir(path, 0777) == 0) {
        LS_TRY(ls_outputs_grow(f, path, path));
        f->files.rows[f->files.len - 1].is_dir = true;
        return LS_OK;
    }
    if (errno != EEXIST) return ls_fail_errno(errno, "directory %s cannot be made", path);
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) return LS_OK;
    return ls_fail(LS_ERR_EXISTS, "%s is in the way of a directory for the steps: name another file with -o",
                   path);
}

static ls_err ls_copy_to_stdout(FILE *in)
{
    char buffer[65536];
    size_t n;
    rewind(in);
    while ((n = fread(buffer, 1, sizeof(buffer), in)) > 0)
        if (fwrite(buffer, 1, n, stdout) != n) break;
    if (ferror(in) || ferror(stdout) || fflush(stdout) != 0)
        return ls_fail(LS_ERR_IO, "standard output could not be written: is the disk full?");
    return LS_OK;
}

/* Write out all bytes, before any file takes its name. */
static ls_err ls_output_flush(struct ls_output *file)
{
    if (!file->out) return LS_OK;
    if (fflush(file->out) != 0 || ferror(file->out))
        return ls_fail(LS_ERR_IO, "%s could not be written: is the disk full?", file->path);
    return LS_OK;
}

ls_err ls_outputs_close(ls_outputs *f, FILE *out)
{
    for (size_t i = 0; i < f->files.len; i++) {
        if (f->files.rows[i].out != out) continue;
        const ls_err err = ls_output_flush(&f->files.rows[i]);
        f->files.rows[i].out = NULL;
        return fclose(out) == 0 || err != LS_OK
                   ? err
                   : ls_fail_errno(errno, "%s could not be written", f->files.rows[i].path);
    }
    return LS_OK;
}

static ls_err ls_output_name(struct ls_output *file)
{
    if (file->is_dir || file->is_direct) {
        file->done = true;
        return LS_OK;
    }
    if (ls_is_stdout(file->path)) return ls_copy_to_stdout(file->out);
    if (file->mode) chmod(file->temporary, file->mode); /* the mode of the replaced file is kept */
    if (rename(file->temporary, file->path) != 0)
        return ls_fail_errno(errno, "%s cannot take its name", file->path);
    file->done = true;
    return LS_OK;
}

ls_err ls_outputs_commit(ls_outputs *f)
{
    for (size_t i = 0; i < f->files.len; i++)
        LS_TRY(ls_output_flush(&f->files.rows[i]));
    for (size_t i = f->files.len; i-- > 0;)
        LS_TRY(ls_output_name(&f->files.rows[i]));
    return LS_OK;
}

void ls_outputs_free(ls_outputs *f)
{
    if (!f) return;
    for (size_t i = f->files.len; i-- > 0;) { /* files are removed before their directory */
        struct ls_output *file = &f->files.rows[i];
        if (file->out) fclose(file->out);
        if (!file->done && file->is_dir) rmdir(file->path);
        if (!file->done && !file->is_dir && !file->is_direct && *file->temporary) unlink(file->temporary);
        free(file->path);
        free(file->temporary);
    }
    free(f->files.rows);
    free(f);
}

ls_err ls_outputs_sibling(const char *path, const char *tail, char out[PATH_MAX])
{
    const char *dot = strrchr(ls_base_name(path), '.');
    const int stem = dot && dot != ls_base_name(path) ? (int)(dot - path) : (int)strlen(path);
    const int len = snprintf(out, PATH_MAX, "%.*s%s", stem, path, tail);
    return len > 0 && len < PATH_MAX ? LS_OK : ls_fail(LS_ERR_RANGE, "%s: the name is too long", path);
}
