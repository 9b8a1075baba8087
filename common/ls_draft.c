/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/ls_draft.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ls_draft_infix[] = ".part-";

void ls_draft_hold(int fd)
{
    (void)!flock(fd, LOCK_SH | LOCK_NB);
}

bool ls_draft_is_left(const char *pid)
{
    if (!*pid || pid[strspn(pid, "0123456789")]) return false;
    const long number = strtol(pid, NULL, 10);
    return number > 0 && number <= INT_MAX && kill((pid_t)number, 0) != 0 && errno == ESRCH;
}

/* True when name is base.part-PID and the process has ended. */
static bool ls_draft_is_orphan(const char *name, const char *base)
{
    const size_t base_len = strlen(base), infix_len = strlen(ls_draft_infix);
    return strncmp(name, base, base_len) == 0 && strncmp(name + base_len, ls_draft_infix, infix_len) == 0 &&
           ls_draft_is_left(name + base_len + infix_len);
}

/* True when no process holds the draft: one on another machine or in another container may still write it. */
static bool ls_draft_is_free(int folder, const char *name)
{
    struct stat st;
    const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return false;
    const bool is_ours = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid();
    const bool is_free = is_ours && (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK);
    close(fd);
    return is_free;
}

void ls_draft_sweep(const char *path)
{
    char folder[PATH_MAX];
    const int saved = errno;
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    DIR *d = *base ? opendir(folder) : NULL;
    for (struct dirent *e; d && (e = readdir(d));)
        if (ls_draft_is_orphan(e->d_name, base) && ls_draft_is_free(dirfd(d), e->d_name))
            unlinkat(dirfd(d), e->d_name, 0);
    if (d) closedir(d);
    errno = saved;
}
