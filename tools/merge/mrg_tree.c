/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/merge/mrg_tree.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAIR = 2, WARNINGS_BYTES = 4096 };

struct tree {
    const struct mrg_options *options;
    struct kn_ranks *ranks;
    uint32_t rank, len;
    char own[PATH_MAX], next[PATH_MAX]; /* the result of this rank, and the one that replaces it */
    char none[PATH_MAX];                /* an empty file, if there is no result */
    struct mrg_stats stats;             /* that the result has */
    uint64_t files;                     /* profiles that this rank read and counted */
    bool has_conflict;                  /* a rank of the profiles is in two results */
    char warnings[WARNINGS_BYTES];      /* lines of the last pair */
};

/* ---- results as files ---- */

static ls_err name_result(const struct tree *t, uint32_t rank, const char *end, char out[PATH_MAX])
{
    const int len = snprintf(out, PATH_MAX, "%s.part%u%s", t->options->output_path, rank, end);
    return len < PATH_MAX ? LS_OK
                          : ls_fail(LS_ERR_RANGE, "%s: the name is too long", t->options->output_path);
}

static bool has_result(const char *path)
{
    return access(path, R_OK) == 0;
}

/* An empty file in the place of a result: so a rank without one differs from one whose files are elsewhere. */
static ls_err mark_none(const struct tree *t)
{
    FILE *f = fopen(t->none, "wxe");
    if (!f || fclose(f) != 0) return ls_fail_errno(errno, "cannot write %s", t->none);
    return LS_OK;
}

static void remove_results(const struct tree *t)
{
    unlink(t->own);
    unlink(t->next);
    unlink(t->none);
}

/* ---- steps of one rank ---- */

/* Sum the part of the files that belongs to this rank up. A part without ranks of a job has no result. */
static ls_err sum_files(struct tree *t)
{
    struct mrg_options part = *t->options;
    const size_t begin = part.paths_len * t->rank / t->len, end = part.paths_len * (t->rank + 1) / t->len;
    part.paths += begin;
    part.paths_len = end - begin;
    part.output_path = t->own;
    part.force = true;
    if (part.paths_len == 0) return mark_none(t);
    const ls_err e = mrg_sum_up(&part, &t->stats);
    if (e == LS_OK) t->files = t->stats.files;
    return e == LS_ERR_NOT_FOUND ? mark_none(t) : e;
}

static void keep_warning(void *user, const char *text)
{
    struct tree *t = user;
    const size_t len = strlen(t->warnings);
    snprintf(t->warnings + len, sizeof(t->warnings) - len, "%s\n", text);
}

static void pass_warnings(struct tree *t)
{
    char *rest = t->warnings;
    for (char *line; t->options->warn && (line = strsep(&rest, "\n"));)
        if (*line) t->options->warn(t->options->user, line);
}

/* Add the result of another rank to this rank's. */
static ls_err sum_pair(struct tree *t, uint32_t other_rank)
{
    char other[PATH_MAX], none[PATH_MAX];
    const char *paths[PAIR];
    struct mrg_options pair = *t->options;
    LS_TRY(name_result(t, other_rank, "", other));
    LS_TRY(name_result(t, other_rank, ".none", none));
    if (has_result(none)) return LS_OK;
    if (!has_result(other))
        return ls_fail(
            LS_ERR_NOT_FOUND,
            "%s, the result of rank %u, is not there: all ranks must share the file system of the output",
            other, other_rank);
    pair.paths = paths;
    pair.paths_len = 0;
    if (has_result(t->own)) paths[pair.paths_len++] = t->own;
    paths[pair.paths_len++] = other;
    pair.output_path = t->next;
    pair.force = true;
    pair.warn = keep_warning;
    pair.user = t;
    t->warnings[0] = '\0';
    const ls_err e = mrg_sum_up(&pair, &t->stats);
    if (e == LS_OK && t->stats.files < pair.paths_len)
        t->has_conflict = true; /* its warnings would name results */
    else
        pass_warnings(t);
    unlink(other);
    LS_TRY(e);
    if (rename(t->next, t->own) != 0) return ls_fail_errno(errno, "%s", t->own);
    unlink(t->none);
    return LS_OK;
}

/* ---- the tree ---- */

static ls_err sum_pairs(struct tree *t)
{
    for (uint32_t step = 1; step < t->len; step *= PAIR) {
        const bool takes_part = t->rank % (PAIR * step) == 0 && t->rank + step < t->len;
        LS_TRY(kn_ranks_agree(t->ranks, takes_part ? sum_pair(t, t->rank + step) : LS_OK));
    }
    return LS_OK;
}

/* Count the files of all ranks, on rank 0. */
static ls_err count_files(struct tree *t)
{
    uint64_t *all = t->rank == 0 ? calloc(t->len, sizeof(*all)) : NULL;
    const ls_err own = t->rank == 0 && !all ? ls_nomem("the numbers of files") : LS_OK;
    ls_err e = kn_ranks_agree(t->ranks, own);
    if (e == LS_OK) e = kn_ranks_gather(t->ranks, &t->files, sizeof(t->files), all);
    t->stats.files = 0;
    for (uint32_t i = 0; e == LS_OK && all && i < t->len; i++)
        t->stats.files += all[i];
    free(all);
    return e;
}

/* Give the sum its name, or sum all files up in this process if a rank is in two results. */
static ls_err finish(struct tree *t, bool has_conflict)
{
    if (has_conflict) {
        if (t->options->warn)
            t->options->warn(t->options->user,
                             "a rank of the job is in files that different processes read: one process sums "
                             "all files up");
        return mrg_sum_up(t->options, &t->stats);
    }
    if (!has_result(t->own))
        return ls_fail(LS_ERR_NOT_FOUND, "none of these files has a rank of a job that can be read");
    return rename(t->own, t->options->output_path) == 0 ? LS_OK
                                                        : ls_fail_errno(errno, "%s", t->options->output_path);
}

ls_err mrg_tree_sum_up(const struct mrg_options *options, struct kn_ranks *ranks, struct mrg_stats *out)
{
    const struct kn_ranks_info *info = kn_ranks_info(ranks);
    struct tree t = {.options = options, .ranks = ranks, .rank = info->rank, .len = info->len};
    ls_err e = name_result(&t, t.rank, "", t.own);
    if (e == LS_OK) e = name_result(&t, t.rank, ".next", t.next);
    if (e == LS_OK) e = name_result(&t, t.rank, ".none", t.none);
    remove_results(&t); /* a job that was killed may have left some */
    e = kn_ranks_agree(ranks, e);
    if (e == LS_OK) e = kn_ranks_agree(ranks, sum_files(&t));
    if (e == LS_OK) e = sum_pairs(&t);
    if (e == LS_OK) e = count_files(&t);
    double has_conflict = t.has_conflict;
    if (e == LS_OK) e = kn_ranks_max(ranks, &has_conflict, 1);
    if (e == LS_OK) e = kn_ranks_agree(ranks, t.rank == 0 ? finish(&t, has_conflict != 0) : LS_OK);
    remove_results(&t);
    if (e == LS_OK && t.rank == 0) *out = t.stats;
    return e;
}
