/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_folder.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ls_err files_append(struct pat_files *f, const char *path)
{
    char **grown = realloc(f->paths, (f->len + 1) * sizeof(*grown));
    if (grown) f->paths = grown;
    char *copy = strdup(path);
    if (!grown || !copy) {
        free(copy);
        return ls_nomem("the names of %zu files", f->len + 1);
    }
    f->paths[f->len++] = copy;
    return LS_OK;
}

void pat_files_fini(struct pat_files *f)
{
    for (size_t i = 0; i < f->len; i++)
        free(f->paths[i]);
    free(f->paths);
    *f = (struct pat_files){0};
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* What DynamoRIO writes beside its traces. */
static bool is_beside(const char *name)
{
    static const char *const heads[] = {"modules.log", "funclist.log",    "encodings.bin",
                                        "v2p.",        "serial_schedule", "cpu_schedule"};
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
        if (strncmp(name, heads[i], strlen(heads[i])) == 0) return true;
    return false;
}

static bool is_source(const char *path, const struct pat_source_options *o)
{
    struct stat st;
    const struct pat_source_format *row;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0) return false;
    return o->format || pat_source_recognise(path, &row) == LS_OK;
}

static int visible(const struct dirent *d)
{
    return d->d_name[0] != '.' && !is_beside(d->d_name);
}

static ls_err add_entries(struct pat_files *f, const char *folder, const struct pat_source_options *o)
{
    struct dirent **entries = NULL;
    char path[PATH_MAX], note[PATH_MAX + 100];
    size_t left_out = 0;
    const size_t before = f->len;
    const int len = scandir(folder, &entries, visible, alphasort);
    if (len < 0) return ls_fail_errno(errno, "%s cannot be listed", folder);
    ls_err err = LS_OK;
    for (int i = 0; i < len; i++) {
        const int path_len = snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
        const bool fits = path_len > 0 && path_len < PATH_MAX;
        if (err == LS_OK && fits && is_source(path, o))
            err = files_append(f, path);
        else
            left_out++;
        free(entries[i]);
    }
    free(entries);
    LS_TRY(err);
    if (f->len == before)
        return ls_fail(LS_ERR_FORMAT,
                       "%s: none of the %d files in this folder is a source of accesses; --format names one",
                       folder, len);
    snprintf(note, sizeof(note), "%s: %zu of %d files are no sources of accesses and were left out", folder,
             left_out, len);
    if (left_out && o->note) o->note(o->user, note);
    return LS_OK;
}

ls_err pat_files_add(struct pat_files *f, const char *path, const struct pat_source_options *o)
{
    char trace[PATH_MAX];
    if (strcmp(path, "-") != 0 && access(path, R_OK) != 0) /* before another one is read for long */
        return ls_fail_errno(errno, "%s cannot be read", path);
    if (!is_folder(path)) return files_append(f, path);
    const int len = snprintf(trace, sizeof(trace), "%s/trace", path);
    const bool has_trace = len > 0 && len < PATH_MAX && is_folder(trace);
    return add_entries(f, has_trace ? trace : path, o);
}
