/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/record/rec_left.h"
#include "common/ls_draft.h"
#include "common/ls_private.h"
#include "tools/record/rec_spool.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char rec_left_prefix[] = REC_SPOOL_PREFIX "-";

/* Return whether the spool's launcher has ended. */
static bool rec_left_is_orphan(const char *name)
{
    const size_t len = strlen(rec_left_prefix);
    char pid[16];
    if (strncmp(name, rec_left_prefix, len) != 0) return false;
    snprintf(pid, sizeof(pid), "%.*s", (int)strcspn(name + len, "-"), name + len);
    return ls_draft_is_left(pid);
}

/* Files of a spool are in folders of processes. */
static uint64_t rec_left_bytes(const char *path, int depth)
{
    char name[PATH_MAX];
    struct stat st;
    uint64_t sum = 0;
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] == '.') continue;
        if (snprintf(name, sizeof(name), "%s/%s", path, e->d_name) >= PATH_MAX || lstat(name, &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode) && depth > 0) sum += rec_left_bytes(name, depth - 1);
        if (S_ISREG(st.st_mode)) sum += (uint64_t)st.st_size;
    }
    if (d) closedir(d);
    return sum;
}

static bool rec_left_look(const char *folder, const char *name, struct rec_left *out)
{
    char path[PATH_MAX];
    struct stat st;
    if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path)) return false;
    if (lstat(path, &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid()) return false;
    if (rec_spool_in_use(path)) return false; /* the program goes on */
    *out = (struct rec_left){.len_bytes = rec_left_bytes(path, 1)};
    memcpy(out->path, path, sizeof(out->path));
    rec_spool_read(path, "command", out->command, sizeof(out->command));
    out->is_recording = *out->command;
    return true;
}

static int rec_left_order(const void *a, const void *b)
{
    return strcmp(((const struct rec_left *)a)->path, ((const struct rec_left *)b)->path);
}

/* Return whether the folder is the same as a place with a smaller number. */
static bool rec_left_is_repeated(const char *folder, size_t place)
{
    struct stat st, other;
    if (stat(folder, &st) != 0) return true;
    for (size_t i = 0; i < place; i++) {
        const char *before = ls_private_place(i);
        if (before && stat(before, &other) == 0 && other.st_ino == st.st_ino && other.st_dev == st.st_dev)
            return true;
    }
    return false;
}

size_t rec_left_find(struct rec_left out[REC_LEFT_MAX])
{
    size_t len = 0;
    const char *folder;
    for (size_t i = 0; !(folder = ls_private_place(i)) || *folder; i++) {
        if (!folder || rec_left_is_repeated(folder, i)) continue;
        DIR *d = opendir(folder);
        for (struct dirent *e; d && len < REC_LEFT_MAX && (e = readdir(d));)
            if (rec_left_is_orphan(e->d_name)) len += rec_left_look(folder, e->d_name, &out[len]);
        if (d) closedir(d);
    }
    qsort(out, len, sizeof(out[0]), rec_left_order);
    return len;
}
