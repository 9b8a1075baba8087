/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/vx_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct vx_file {
    char *path, *temporary;
    FILE *out; /* NULL: another library writes it */
    bool is_dir;
    bool done; /* has its name; of directories: holds a file with its name */
};

struct vx_files {
    struct vx_file *files;
    size_t len;
    bool force;
};

ls_err vx_files_new(bool force, vx_files **out)
{
    vx_files *f = calloc(1, sizeof(*f));
    if (!f) return ls_fail(LS_ERR_NOMEM, "no memory for a list of files");
    f->force = force;
    *out = f;
    return LS_OK;
}

static bool vx_is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

static ls_err vx_temporary_name(const char *path, char out[PATH_MAX])
{
    const int len = snprintf(out, PATH_MAX, "%s.part-%d", path, (int)getpid());
    return len > 0 && len < PATH_MAX ? LS_OK : ls_fail(LS_ERR_RANGE, "%s: the name is too long", path);
}

static ls_err vx_files_grow(vx_files *f, const char *path, const char *temporary)
{
    struct vx_file *files = realloc(f->files, (f->len + 1) * sizeof(*files));
    if (files) f->files = files;
    struct vx_file file = {.path = strdup(path), .temporary = strdup(temporary)};
    if (files && file.path && file.temporary) {
        f->files[f->len++] = file;
        return LS_OK;
    }
    free(file.path);
    free(file.temporary);
    return ls_fail(LS_ERR_NOMEM, "no memory for the name of %s", path);
}

ls_err vx_files_add(vx_files *f, const char *path, const char **out_temporary)
{
    char temporary[PATH_MAX];
    struct stat st;
    if (stat(path, &st) == 0) {
        if (S_ISDIR(st.st_mode))
            return ls_fail(LS_ERR_EXISTS, "%s is a directory: name a file with -o", path);
        if (!f->force)
            return ls_fail(LS_ERR_EXISTS, "%s exists; --force overwrites it, -o names another file", path);
    }
    LS_TRY(vx_temporary_name(path, temporary));
    LS_TRY(vx_files_grow(f, path, temporary));
    *out_temporary = f->files[f->len - 1].temporary;
    return LS_OK;
}

ls_err vx_files_open(vx_files *f, const char *path, FILE **out)
{
    const char *temporary = "";
    if (vx_is_stdout(path))
        LS_TRY(vx_files_grow(f, path, ""));
    else
        LS_TRY(vx_files_add(f, path, &temporary));
    FILE *file = *temporary ? fopen(temporary, "w+be") : tmpfile();
    if (!file) return ls_fail_errno(errno, "%s cannot be written; name another file with -o", path);
    f->files[f->len - 1].out = file;
    *out = file;
    return LS_OK;
}

ls_err vx_files_dir(vx_files *f, const char *path)
{
    struct stat st;
    if (mkdir(path, 0777) == 0) {
        LS_TRY(vx_files_grow(f, path, path));
        f->files[f->len - 1].is_dir = true;
        return LS_OK;
    }
    if (errno != EEXIST) return ls_fail_errno(errno, "directory %s cannot be made", path);
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) return LS_OK;
    return ls_fail(LS_ERR_EXISTS, "%s is in the way of a directory for the steps: name another file with -o",
                   path);
}

static ls_err vx_copy_to_stdout(FILE *in)
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

/* All bytes are out before any file takes its name. */
static ls_err vx_file_flush(struct vx_file *file)
{
    if (!file->out) return LS_OK;
    if (fflush(file->out) != 0 || ferror(file->out))
        return ls_fail(LS_ERR_IO, "%s could not be written: is the disk full?", file->path);
    return LS_OK;
}

ls_err vx_files_close(vx_files *f, FILE *out)
{
    for (size_t i = 0; i < f->len; i++) {
        if (f->files[i].out != out) continue;
        const ls_err err = vx_file_flush(&f->files[i]);
        f->files[i].out = NULL;
        return fclose(out) == 0 || err != LS_OK
                   ? err
                   : ls_fail_errno(errno, "%s could not be written", f->files[i].path);
    }
    return LS_OK;
}

static ls_err vx_file_name(struct vx_file *file)
{
    if (file->is_dir) {
        file->done = true;
        return LS_OK;
    }
    if (vx_is_stdout(file->path)) return vx_copy_to_stdout(file->out);
    if (rename(file->temporary, file->path) != 0)
        return ls_fail_errno(errno, "%s cannot take its name", file->path);
    file->done = true;
    return LS_OK;
}

ls_err vx_files_commit(vx_files *f)
{
    for (size_t i = 0; i < f->len; i++)
        LS_TRY(vx_file_flush(&f->files[i]));
    for (size_t i = f->len; i-- > 0;)
        LS_TRY(vx_file_name(&f->files[i]));
    return LS_OK;
}

void vx_files_free(vx_files *f)
{
    if (!f) return;
    for (size_t i = f->len; i-- > 0;) { /* files before the directory they are in */
        struct vx_file *file = &f->files[i];
        if (file->out) fclose(file->out);
        if (!file->done && file->is_dir) rmdir(file->path);
        if (!file->done && !file->is_dir && *file->temporary) unlink(file->temporary);
        free(file->path);
        free(file->temporary);
    }
    free(f->files);
    free(f);
}

const char *vx_files_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

ls_err vx_files_sibling(const char *path, const char *tail, char out[PATH_MAX])
{
    const char *dot = strrchr(vx_files_base(path), '.');
    const int stem = dot && dot != vx_files_base(path) ? (int)(dot - path) : (int)strlen(path);
    const int len = snprintf(out, PATH_MAX, "%.*s%s", stem, path, tail);
    return len > 0 && len < PATH_MAX ? LS_OK : ls_fail(LS_ERR_RANGE, "%s: the name is too long", path);
}
