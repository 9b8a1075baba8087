/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/record/rec_left.h"
#include "common/ls_draft.h"
#include "tools/record/rec_spool.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char rec_left_prefix[] = "loadstone-spool-";

/* The spool of a launcher that lives no more? */
static bool rec_left_is_orphan(const char *name)
{
    const size_t len = strlen(rec_left_prefix);
    return strncmp(name, rec_left_prefix, len) == 0 && ls_draft_is_left(name + len);
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
    struct rec_spool s = {.made = false};
    char conf[PATH_MAX + 16];
    struct stat st;
    if (snprintf(s.path, sizeof(s.path), "%s/%s", folder, name) >= (int)sizeof(s.path)) return false;
    if (lstat(s.path, &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid()) return false;
    if (rec_spool_in_use(&s)) return false; /* the program goes on */
    snprintf(conf, sizeof(conf), "%s/spool.conf", s.path);
    *out = (struct rec_left){.len_bytes = rec_left_bytes(s.path, 1), .is_recording = access(conf, R_OK) == 0};
    memcpy(out->path, s.path, sizeof(out->path));
    rec_spool_read(s.path, "command", out->command, sizeof(out->command));
    return true;
}

static int rec_left_order(const void *a, const void *b)
{
    return strcmp(((const struct rec_left *)a)->path, ((const struct rec_left *)b)->path);
}

size_t rec_left_find(struct rec_left out[REC_LEFT_MAX])
{
    char here[PATH_MAX];
    const char *const folders[] = {getenv("XDG_RUNTIME_DIR"), getcwd(here, sizeof(here))};
    size_t len = 0;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        if (!folders[i] || folders[i][0] != '/' || (i && folders[0] && strcmp(folders[0], folders[i]) == 0))
            continue;
        DIR *d = opendir(folders[i]);
        for (struct dirent *e; d && len < REC_LEFT_MAX && (e = readdir(d));)
            if (rec_left_is_orphan(e->d_name)) len += rec_left_look(folders[i], e->d_name, &out[len]);
        if (d) closedir(d);
    }
    qsort(out, len, sizeof(out[0]), rec_left_order);
    return len;
}
