/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/cli/cli_output.h"
#include "common/ls_text.h"

#include "common/ls_env.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- names ---- */

static void cli_dir_of(const char *path, char out[PATH_MAX])
{
    snprintf(out, PATH_MAX, "%s", path);
    char *slash = strrchr(out, '/');
    if (!slash)
        strcpy(out, ".");
    else
        slash[slash == out] = '\0';
}

/* Test by making a file with another name, since access() always succeeds for root. */
static ls_err cli_try_to_make(const char *path, const char *dir)
{
    char draft[PATH_MAX];
    const int len = snprintf(draft, sizeof(draft), "%s.part-%ld", path, (long)getpid());
    if (len < 0 || (size_t)len >= sizeof(draft))
        return ls_fail(LS_ERR_RANGE, "%s: the name is too long", path);
    const int fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 && errno == EEXIST) return LS_OK;
    if (fd < 0)
        return ls_fail_errno(
            errno, "no file can be made in directory %s, so %s cannot be written; name another file", dir,
            path);
    close(fd);
    unlink(draft);
    return LS_OK;
}

/* Return whether path is a program or a library; these are never overwritten, since that is a mistake. */
static bool cli_is_elf(const char *path)
{
    char head[4] = "";
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    const bool is_elf =
        read(fd, head, sizeof(head)) == (ssize_t)sizeof(head) && memcmp(head, "\177ELF", 4) == 0;
    close(fd);
    return is_elf;
}

ls_err cli_output_check(const char *path, bool force)
{
    char dir[PATH_MAX], target[PATH_MAX];
    struct stat st;
    if (strcmp(path, "-") == 0) return LS_OK; /* standard output */
    if (stat(path, &st) == 0) {
        if (S_ISDIR(st.st_mode)) return ls_fail(LS_ERR_EXISTS, "%s is a directory; name a file", path);
        if (!force)
            return ls_fail(LS_ERR_EXISTS, "%s exists; --force overwrites it, -o names another file", path);
        if (!S_ISREG(st.st_mode)) { /* devices and pipes are written to directly */
            if (access(path, W_OK) == 0) return LS_OK;
            return ls_fail_errno(errno, "cannot write to %s; name another file", path);
        }
        if (cli_is_elf(path))
            return ls_fail(LS_ERR_EXISTS,
                           "%s is a program or a library, which is not overwritten; name another file", path);
    }
    /* a link remains: the file that it refers to is replaced */
    const char *const file = realpath(path, target) ? target : path;
    cli_dir_of(file, dir);
    if (access(dir, W_OK | X_OK) != 0)
        return ls_fail_errno(errno, "cannot write to directory %s; name another file", dir);
    return cli_try_to_make(file, dir);
}

ls_err cli_output_check_apart(const char *path, const char *input)
{
    struct stat a, b;
    if (stat(path, &a) != 0 || stat(input, &b) != 0 || !S_ISREG(a.st_mode)) return LS_OK;
    if (a.st_dev != b.st_dev || a.st_ino != b.st_ino) return LS_OK;
    return ls_fail(LS_ERR_USAGE, "%s is the input and would be lost; name another file", path);
}

bool cli_output_is_kept(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

ls_err cli_output_check_named(const char *path, bool force)
{
    if (strcmp(path, "-") == 0)
        return ls_fail(
            LS_ERR_USAGE,
            "the output is written to a file only, not to standard output: name the file (./- is a file called -)");
    return cli_output_check(path, force);
}

ls_err cli_output_check_profile(const char *path, bool force)
{
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return ls_fail(LS_ERR_EXISTS, "%s is a device or a pipe, which cannot hold HDF5; name a file", path);
    LS_TRY(cli_ending_check(path, CLI_ENDS_HDF5, false));
    return cli_output_check_named(path, force);
}

void cli_output_for_rank(const char *path, char out[PATH_MAX])
{
    struct ls_rank rank;
    const char *dot = strrchr(ls_base_name(path), '.');
    const int stem = dot ? (int)(dot - path) : (int)strlen(path);
    if (!ls_rank_find(getenv, &rank))
        snprintf(out, PATH_MAX, "%s", path);
    else
        snprintf(out, PATH_MAX, "%.*s.%u%s", stem, path, rank.rank, dot ? dot : "");
}

/* ---- their ends ---- */

/* Could the suffix be meant as a format? "P.v2" could, "run.before" and "spmv-1.5" are names. */
enum { CLI_ENDING_LETTERS_MAX = 4 };

#define CLI_ENDING_ROW(id, ends, what) [id] = {ends, what},
static const struct {
    const char *ends, *what;
} endings[CLI_ENDINGS] = {CLI_ENDING_LIST(CLI_ENDING_ROW)};
#undef CLI_ENDING_ROW

/* Return the suffix of the name, with its dot; NULL: no suffix. */
static const char *ending_of(const char *path)
{
    const char *base = ls_base_name(path), *dot = strrchr(base, '.');
    return dot && dot > base && dot[1] ? dot : NULL;
}

bool cli_ending_is(const char *path, enum cli_ending kind)
{
    const char *end = ending_of(path);
    const size_t len = end ? strlen(end) : 0;
    for (const char *at = endings[kind].ends; end && at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        if (strcspn(at, "|") == len && strncasecmp(at, end, len) == 0) return true;
    return false;
}

static bool ending_looks_like_a_format(const char *end)
{
    bool has_letter = false;
    size_t len = 0;
    for (const char *c = end + 1; *c; c++, len++) {
        if (!isalnum((unsigned char)*c)) return false;
        has_letter |= isalpha((unsigned char)*c) != 0;
    }
    return has_letter && len <= CLI_ENDING_LETTERS_MAX;
}

/* ".svg|.png|.html" as ".svg, .png or .html" */
static void ending_list(const char *ends, char *out, size_t room)
{
    size_t len = 0;
    for (const char *at = ends; *at && len + 8 < room; at++) {
        const bool is_last = *at == '|' && !strchr(at + 1, '|');
        if (*at != '|')
            out[len++] = *at;
        else
            len += (size_t)snprintf(out + len, room - len, "%s", is_last ? " or " : ", ");
    }
    out[len] = '\0';
}

ls_err cli_ending_check(const char *path, enum cli_ending kind, bool is_strict)
{
    const char *end = ending_of(path), *other = NULL;
    char list[160];
    if (!end || cli_ending_is(path, kind)) return LS_OK;
    for (int k = 0; k < CLI_ENDINGS && !other; k++)
        if (cli_ending_is(path, (enum cli_ending)k)) other = endings[k].what;
    if (!other && !(is_strict && ending_looks_like_a_format(end))) return LS_OK;
    ending_list(endings[kind].ends, list, sizeof(list));
    return ls_fail(LS_ERR_USAGE,
                   "%s: this command writes %s, and %s %s%s; use the suffix %s, or a name without a dot",
                   path, endings[kind].what, end, other ? "is for " : "is no format that it could be",
                   other ? other : "", list);
}
