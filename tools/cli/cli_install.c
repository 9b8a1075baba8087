/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/cli/cli_install.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder of the installation, and its place in a build tree. */
struct folder {
    const char *configured, *in_tree;
};

static const struct folder libraries = {PKGLIBDIR, ".libs"}, programs = {PKGLIBEXECDIR, "tools/full"};

/* Folders of programs in a build tree; libtool may put them into .libs. */
static const char *const tree_folders[] = {"/tools", "/tools/.libs", "/tools/full", "/tools/full/.libs"};

/* Folders of programs in an installed tree. */
static const char *const installed_folders[] = {BINDIR, PKGLIBEXECDIR};

enum { TREE_FOLDERS = sizeof(tree_folders) / sizeof(tree_folders[0]) };
enum { INSTALLED_FOLDERS = sizeof(installed_folders) / sizeof(installed_folders[0]) };

/* ---- the place of this program ---- */

struct place {
    char dir[PATH_MAX];
    struct stat binary, folder;
};

/* Find the directory of this binary; where /proc is not mounted, by the name that it was started with. */
static bool own_place(struct place *out)
{
    const ssize_t len = readlink("/proc/self/exe", out->dir, PATH_MAX - 1);
    const char *started = (const char *)getauxval(AT_EXECFN);
    out->dir[len > 0 ? len : 0] = '\0';
    if (len <= 0 && (!started || !realpath(started, out->dir))) return false;
    char *slash = strrchr(out->dir, '/');
    if (!slash || stat(out->dir, &out->binary) != 0) return false;
    *slash = '\0';
    return stat(out->dir, &out->folder) == 0;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t len = strlen(text), end_len = strlen(end);
    return len > end_len && strcmp(text + len - end_len, end) == 0;
}

static bool is_same_file(const char *path, const char *other)
{
    struct stat a, b;
    return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool is_in_configured_place(const struct place *own)
{
    for (int i = 0; i < INSTALLED_FOLDERS; i++)
        if (is_same_file(own->dir, installed_folders[i])) return true;
    return false;
}

/* Return the length of the directories that both absolute paths begin with. */
static size_t shared_len(const char *a, const char *b)
{
    size_t shared = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        if (a[i] == '/') shared = i;
    return shared;
}

/* Write the path of folder/file in the build tree of this binary; false: there is no such tree. */
static bool path_in_tree(const struct place *own, const char *folder, const char *file, char *out)
{
    for (int i = 0; i < TREE_FOLDERS; i++)
        if (ends_with(own->dir, tree_folders[i])) {
            const int root = (int)(strlen(own->dir) - strlen(tree_folders[i]));
            return snprintf(out, PATH_MAX, "%.*s/%s/%s", root, own->dir, folder, file) < PATH_MAX;
        }
    return false;
}

/* Write the path of folder/file in an installed tree that was moved with this binary: configure's path from the
 * binary to the folder. false: there is no such tree. */
static bool path_in_moved(const struct place *own, const char *folder, const char *file, char *out)
{
    for (int i = 0; i < INSTALLED_FOLDERS; i++) {
        const size_t shared = shared_len(installed_folders[i], folder);
        const char *end = installed_folders[i] + shared;
        if (!ends_with(own->dir, end)) continue;
        const int root = (int)(strlen(own->dir) - strlen(end));
        return snprintf(out, PATH_MAX, "%.*s%s/%s", root, own->dir, folder + shared, file) < PATH_MAX;
    }
    return false;
}

/* ---- files around it ---- */

/* Return whether everybody who may write st may write to like as well: trees that were made with umask 002. */
static bool is_open_like(const struct stat *st, const struct stat *like)
{
    const mode_t writers = st->st_mode & (S_IWGRP | S_IWOTH);
    if (!writers) return true;
    return st->st_gid == like->st_gid && !(writers & ~like->st_mode) && !(like->st_mode & S_ISVTX);
}

/* Return whether only root, the owner and the caller can change the file, and users that can change `like`, this binary
 * or its folder. */
static bool is_trusted(const char *path, uid_t owner, const struct stat *like)
{
    struct stat st;
    return stat(path, &st) == 0 && is_open_like(&st, like) &&
           (st.st_uid == 0 || st.st_uid == owner || st.st_uid == geteuid());
}

/* Return the real path of a file outside the configured directory, if nobody else can change it. */
static ls_err take_beside(const char *path, const struct place *own, char out[PATH_MAX])
{
    char folder[PATH_MAX];
    if (!realpath(path, out)) return LS_ERR_NOT_FOUND;
    memcpy(folder, out, sizeof(folder));
    *strrchr(folder, '/') = '\0';
    const uid_t owner = own->binary.st_uid;
    if (is_trusted(out, owner, &own->binary) && is_trusted(folder, owner, &own->folder)) return LS_OK;
    return ls_fail(
        LS_ERR_PERMISSION,
        "others may change %s: it and its directory must belong to you, to root or to the owner of "
        "this program, and be writable by nobody else (chmod go-w)",
        out);
}

static ls_err take_configured(const struct folder *folder, const char *file, char out[PATH_MAX])
{
    snprintf(out, PATH_MAX, "%s/%s", folder->configured, file);
    return access(out, R_OK) == 0 ? LS_OK : LS_ERR_NOT_FOUND;
}

/* The tree of this binary comes first, so that it takes no file of another version. Not found: out is the path at
 * which the file should be. */
static ls_err find(const struct folder *folder, const char *file, char out[PATH_MAX])
{
    struct place own;
    char beside[PATH_MAX];
    if (!own_place(&own) || is_in_configured_place(&own)) return take_configured(folder, file, out);
    if (!path_in_tree(&own, folder->in_tree, file, beside) &&
        !path_in_moved(&own, folder->configured, file, beside))
        return take_configured(folder, file, out);
    ls_err err = take_beside(beside, &own, out);
    if (err != LS_ERR_NOT_FOUND) return err;
    err = take_configured(folder, file, out);
    if (err != LS_OK) memcpy(out, beside, sizeof(beside));
    return err;
}

ls_err cli_install_library(const char *file, char out[PATH_MAX])
{
    const ls_err err = find(&libraries, file, out);
    if (err != LS_ERR_NOT_FOUND) return err;
    return ls_fail(err, "%s is not in " PKGLIBDIR "; install Loadstone there", file);
}

ls_err cli_install_full_program(char out[PATH_MAX])
{
    const ls_err err = find(&programs, "loadstone", out);
    if (err != LS_ERR_NOT_FOUND && !(err == LS_OK && is_same_file(out, "/proc/self/exe"))) return err;
    return ls_fail(
        LS_ERR_NOT_FOUND,
        "%s is missing, the part of Loadstone that this needs: install Loadstone again (in a build "
        "folder: make), and keep the folders of an installation together when it is moved",
        out);
}
