/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/cli/cli_output.h"

#include "common/ls_rank.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void cli_dir_of(const char *path, char out[PATH_MAX])
{
    snprintf(out, PATH_MAX, "%s", path);
    char *slash = strrchr(out, '/');
    if (!slash)
        strcpy(out, ".");
    else
        slash[slash == out] = '\0';
}

ls_err cli_output_check(const char *path, bool force)
{
    char dir[PATH_MAX];
    struct stat st;
    if (stat(path, &st) == 0) {
        if (S_ISDIR(st.st_mode)) return ls_fail(LS_ERR_EXISTS, "%s is a directory; name a file", path);
        if (!force)
            return ls_fail(LS_ERR_EXISTS, "%s exists; --force overwrites it, -o names another file", path);
        if (!S_ISREG(st.st_mode)) { /* a device or a pipe is written to where it is */
            if (access(path, W_OK) == 0) return LS_OK;
            return ls_fail_errno(errno, "cannot write to %s; name another file", path);
        }
    }
    cli_dir_of(path, dir);
    if (access(dir, W_OK | X_OK) != 0)
        return ls_fail_errno(errno, "cannot write to directory %s; name another file", dir);
    return LS_OK;
}

ls_err cli_output_check_named(const char *path, bool force)
{
    if (strcmp(path, "-") == 0)
        return ls_fail(LS_ERR_USAGE, "this is written to files only: name one (./- is one called -)");
    return cli_output_check(path, force);
}

ls_err cli_output_check_profile(const char *path, bool force)
{
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return ls_fail(LS_ERR_EXISTS, "%s is a device or a pipe, which cannot hold HDF5; name a file", path);
    return cli_output_check_named(path, force);
}

void cli_output_for_rank(const char *path, char out[PATH_MAX])
{
    struct ls_rank rank;
    const char *base = strrchr(path, '/'), *dot = strrchr(base ? base : path, '.');
    const int stem = dot ? (int)(dot - path) : (int)strlen(path);
    if (!ls_rank_find(getenv, &rank))
        snprintf(out, PATH_MAX, "%s", path);
    else
        snprintf(out, PATH_MAX, "%.*s.%u%s", stem, path, rank.rank, dot ? dot : "");
}
