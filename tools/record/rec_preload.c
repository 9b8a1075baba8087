/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/record/rec_preload.h"
#include "common/ls_env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REC_PRELOAD_FILE "libloadstone-preload.so"

/* Relative ones: to the directory of this binary. */
static const char *const rec_places[] = {
    "../.libs/" REC_PRELOAD_FILE, /* build tree: tools/loadstone */
    "../runtime/.libs/" REC_PRELOAD_FILE,
    "../../.libs/" REC_PRELOAD_FILE, /* build tree: tools/.libs/loadstone */
    "../../runtime/.libs/" REC_PRELOAD_FILE,
    PKGLIBDIR "/" REC_PRELOAD_FILE,
    "../lib/loadstone/" REC_PRELOAD_FILE,
};

static ls_err rec_own_dir(char out[PATH_MAX])
{
    const ssize_t len = readlink("/proc/self/exe", out, PATH_MAX - 1);
    out[len > 0 ? len : 0] = '\0';
    char *slash = strrchr(out, '/');
    if (!slash)
        return ls_fail(LS_ERR_NOT_FOUND,
                       "/proc is not mounted: set LOADSTONE_PRELOAD to the path of " REC_PRELOAD_FILE);
    *slash = '\0';
    return LS_OK;
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
    char dir[PATH_MAX], place[2 * PATH_MAX];
    const char *named = getenv(ls_env_rows[LS_ENV_PRELOAD].variable);
    if (named && *named) {
        if (!realpath(named, out))
            return ls_fail(LS_ERR_NOT_FOUND, "LOADSTONE_PRELOAD names %s, which is not there", named);
        return rec_preload_usable(out);
    }
    LS_TRY(rec_own_dir(dir));
    for (size_t i = 0; i < sizeof(rec_places) / sizeof(rec_places[0]); i++) {
        if (rec_places[i][0] == '/')
            snprintf(place, sizeof(place), "%s", rec_places[i]);
        else
            snprintf(place, sizeof(place), "%s/%s", dir, rec_places[i]);
        if (access(place, R_OK) == 0 && realpath(place, out)) return rec_preload_usable(out);
    }
    return ls_fail(LS_ERR_NOT_FOUND, "the runtime " REC_PRELOAD_FILE " is not in " PKGLIBDIR
                                     "; install Loadstone there or set LOADSTONE_PRELOAD to its path");
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
    return failed ? ls_fail(LS_ERR_NOMEM, "no memory for LD_PRELOAD") : LS_OK;
}
