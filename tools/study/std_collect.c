/* SPDX-License-Identifier: BSD-3-Clause */
/* study weak and strong --collect: the results of jobs that ran earlier, from the files of a directory. */
#include "tools/study/std_scale.h"
#include "tools/cli/cli_child.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_output.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { COLLECT_NAMES_BYTES = 600 };

/* Files of the directory that are no results of jobs. */
struct unrelated {
    char names[COLLECT_NAMES_BYTES];
    size_t len, named;
};

typedef LS_VECTOR(char *) paths;

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static ls_err list_files(const char *dir_name, paths *out)
{
    DIR *dir = opendir(dir_name);
    if (!dir) return ls_fail_errno(errno, "cannot read directory %s", dir_name);
    ls_err err = LS_OK;
    for (struct dirent *d; err == LS_OK && (d = readdir(dir));) {
        char path[PATH_MAX], *copy;
        struct stat st;
        if (snprintf(path, sizeof(path), "%s/%s", dir_name, d->d_name) >= (int)sizeof(path)) continue;
        if (stat(path, &st) != 0 || S_ISDIR(st.st_mode)) continue;
        copy = strdup(path);
        err = copy ? LS_VECTOR_ADD(out, copy) : ls_nomem("%s", path);
        if (err != LS_OK) free(copy);
    }
    closedir(dir);
    if (out->len) qsort(out->rows, out->len, sizeof(*out->rows), by_name);
    return err;
}

static void note_unrelated(const char *path, struct unrelated *u)
{
    const size_t used = strlen(u->names);
    u->len++;
    if (used + strlen(path) + 3 > sizeof(u->names)) return;
    snprintf(u->names + used, sizeof(u->names) - used, "%s%s", used ? ", " : "", path);
    u->named++;
}

static ls_err try_to_read(const char *path)
{
    struct vx_results r;
    LS_TRY(vx_results_read(path, &r));
    vx_results_fini(&r);
    return LS_OK;
}

/* A name without the end of HDF5, or a file of another kind: it was not meant. */
static bool is_unrelated(const char *path)
{
    return !cli_ending_is(path, CLI_ENDS_HDF5) || vx_results_is_other(path);
}

/* Ranks that were not asked for are left out, too. */
static bool is_wanted(const struct std_scale *s, const struct vx_results *r)
{
    const uint64_t ranks = r->rows[0].ranks ? r->rows[0].ranks : 1;
    if (!s->options->ranks) return true;
    for (size_t i = 0; i < s->ranks.len; i++)
        if (s->ranks.rows[i] == ranks) return true;
    return false;
}

static const char *problem_of(const struct vx_results *r)
{
    if (!r->len) return "it has no results";
    for (size_t i = 0; i < r->len; i++) {
        if (r->rows[i].ranks != r->rows[0].ranks) return "its results are of different numbers of ranks";
        if (r->rows[i].ranks > STD_RANKS_MAX || r->rows[i].nodes > r->rows[i].ranks) return "it is damaged";
    }
    return NULL;
}

static ls_err collect_file(struct std_scale *s, char **path, struct unrelated *u)
{
    struct vx_results r;
    ls_err err = cli_try_in_child(try_to_read, *path);
    if (err == LS_OK) err = vx_results_read(*path, &r);
    if (err == LS_ERR_NOMEM) return err;
    if (err != LS_OK && is_unrelated(*path)) {
        note_unrelated(*path, u);
        return LS_OK;
    }
    if (err != LS_OK) {
        s->status = cli_fail(err);
        return LS_OK;
    }
    const char *problem = problem_of(&r);
    if (*r.study) {
        note_unrelated(*path, u);
    } else if (problem) {
        cli_error("%s: %s: left out", cli_shown(*path), problem);
        s->status = CLI_BAD_INPUT;
    } else if (is_wanted(s, &r)) {
        char *own = *path;
        *path = NULL;
        return std_scale_add(s, own, &r);
    }
    vx_results_fini(&r);
    return LS_OK;
}

ls_err std_collect(struct std_scale *s)
{
    const char *dir = s->options->collect;
    struct unrelated unrelated = {.len = 0};
    paths files = {0};
    if (s->options->ranks) LS_TRY(std_scale_ranks(s->options->ranks, 1, s));
    ls_err err = list_files(dir, &files);
    for (size_t i = 0; err == LS_OK && i < files.len; i++)
        err = collect_file(s, &files.rows[i], &unrelated);
    for (size_t i = 0; i < files.len; i++)
        free(files.rows[i]);
    free(files.rows);
    LS_TRY(err);
    if (unrelated.len > unrelated.named)
        cli_note("no results of jobs, ignored: %s and %zu more", cli_shown(unrelated.names),
                 unrelated.len - unrelated.named);
    else if (unrelated.len)
        cli_note("no results of jobs, ignored: %s", cli_shown(unrelated.names));
    if (s->files.len) return LS_OK;
    return ls_fail(LS_ERR_NOT_FOUND,
                   "%s has no results of jobs: start them with loadstone stream -o or loadstone replay -o",
                   dir);
}
