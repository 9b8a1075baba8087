/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/record/rec_preload.h"
#include "common/ls_env.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#define REC_PRELOAD_FILE "libloadstone-preload.so"

/* The directory of this binary; where /proc is not mounted, by the name that it was started with. */
static bool rec_own_dir(char out[PATH_MAX], struct stat *binary)
{
    const ssize_t len = readlink("/proc/self/exe", out, PATH_MAX - 1);
    const char *started = (const char *)getauxval(AT_EXECFN);
    out[len > 0 ? len : 0] = '\0';
    if (len <= 0 && (!started || !realpath(started, out))) return false;
    char *slash = strrchr(out, '/');
    if (!slash || stat(out, binary) != 0) return false;
    *slash = '\0';
    return true;
}

static bool rec_ends_with(const char *text, const char *end)
{
    const size_t len = strlen(text), end_len = strlen(end);
    return len > end_len && strcmp(text + len - end_len, end) == 0;
}

/* Return whether only root, the binary's owner and the caller can change the file. */
static bool rec_is_trusted(const char *path, const struct stat *binary)
{
    struct stat st;
    return stat(path, &st) == 0 && !(st.st_mode & (S_IWGRP | S_IWOTH)) &&
           (st.st_uid == 0 || st.st_uid == binary->st_uid || st.st_uid == geteuid());
}

/* Return the path of a library outside the installed directory, if nobody else can change it. */
static ls_err rec_take_beside(const char *dir, const char *relative, const struct stat *binary,
                              char out[PATH_MAX])
{
    char place[2 * PATH_MAX], folder[PATH_MAX];
    snprintf(place, sizeof(place), "%s/%s", dir, relative);
    if (!realpath(place, out)) return LS_ERR_NOT_FOUND;
    memcpy(folder, out, sizeof(folder));
    *strrchr(folder, '/') = '\0';
    if (rec_is_trusted(out, binary) && rec_is_trusted(folder, binary)) return LS_OK;
    return ls_fail(
        LS_ERR_PERMISSION,
        "others may change %s: it and its directory must belong to you, to root or to the owner of "
        "this program, and be writable by nobody else (chmod go-w)",
        out);
}

ls_err rec_library_find(const char *file, char out[PATH_MAX])
{
    char dir[PATH_MAX], relative[64];
    struct stat binary;
    const bool has_dir = rec_own_dir(dir, &binary);
    const char *tree = !has_dir                             ? NULL
                       : rec_ends_with(dir, "/tools")       ? "../.libs"
                       : rec_ends_with(dir, "/tools/.libs") ? "../../.libs"
                                                            : NULL;
    if (tree) {
        snprintf(relative, sizeof(relative), "%s/%s", tree, file);
        const ls_err err = rec_take_beside(dir, relative, &binary, out);
        if (err != LS_ERR_NOT_FOUND) return err;
    }
    snprintf(out, PATH_MAX, "%s/%s", PKGLIBDIR, file);
    if (access(out, R_OK) == 0) return LS_OK;
    if (has_dir && rec_ends_with(dir, "/bin")) {
        snprintf(relative, sizeof(relative), "../lib/loadstone/%s", file);
        const ls_err err = rec_take_beside(dir, relative, &binary, out);
        if (err != LS_ERR_NOT_FOUND) return err;
    }
    return ls_fail(LS_ERR_NOT_FOUND, "%s is not in " PKGLIBDIR "; install Loadstone there", file);
}

/* glibc splits LD_PRELOAD at blanks and colons and expands $. */
static ls_err rec_preload_usable(const char *path)
{
    if (strpbrk(path, " :$"))
        return ls_fail(
            LS_ERR_ARG,
            "LD_PRELOAD cannot carry the path '%s' (blank, colon or dollar sign); install elsewhere", path);
    return LS_OK;
}

ls_err rec_preload_find(char out[PATH_MAX])
{
    const char *named = getenv(ls_env_rows[LS_ENV_PRELOAD].variable);
    if (named && *named) {
        if (!realpath(named, out))
            return ls_fail(LS_ERR_NOT_FOUND, "LOADSTONE_PRELOAD names %s, which is not there", named);
        return rec_preload_usable(out);
    }
    const ls_err err = rec_library_find(REC_PRELOAD_FILE, out);
    if (err == LS_ERR_NOT_FOUND)
        return ls_fail(err, "the runtime " REC_PRELOAD_FILE " is not in " PKGLIBDIR
                            "; install Loadstone there or set LOADSTONE_PRELOAD to its path");
    return err == LS_OK ? rec_preload_usable(out) : err;
}

ls_err rec_preload_set(const char *path)
{
    const char *present = getenv("LD_PRELOAD");
    char *all = NULL;
    int len;
    if (!present || !*present)
        len = asprintf(&all, "%s", path);
    else if (strstr(present, "libasan") || strstr(present, "libtsan") || strstr(present, "libclang_rt"))
        len = asprintf(&all, "%s:%s", present, path);
    else
        len = asprintf(&all, "%s:%s", path, present);
    const int failed = len < 0 || setenv("LD_PRELOAD", all, 1) != 0;
    if (len >= 0) free(all);
    return failed ? ls_nomem("LD_PRELOAD") : LS_OK;
}
