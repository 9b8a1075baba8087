/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "common/ls_owner.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool owner_is_regular(int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0) return false;
    if (!S_ISREG(st.st_mode)) errno = EINVAL;
    return S_ISREG(st.st_mode);
}

/* Open the file with O_PATH first, to learn its kind without accessing it. */
int ls_open_regular(const char *path)
{
    char name[64];
    const int named = open(path, O_PATH | O_CLOEXEC);
    if (named < 0) return -1;
    int fd = -1;
    if (owner_is_regular(named)) {
        snprintf(name, sizeof(name), "/proc/self/fd/%d", named);
        fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        if (fd < 0 && errno == ENOENT)
            fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC); /* no /proc */
    }
    int why = errno;
    close(named);
    if (fd >= 0 && !owner_is_regular(fd)) {
        why = errno;
        close(fd);
        fd = -1;
    }
    errno = why;
    return fd;
}

uid_t ls_owner_of(int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || (st.st_mode & S_IWOTH)) return LS_OWNER_NOBODY;
    return st.st_uid == 0 || st.st_uid == geteuid() ? LS_OWNER_OURS : st.st_uid;
}

uid_t ls_owner_meet(uid_t a, uid_t b)
{
    if (a == LS_OWNER_OURS || a == b) return b;
    return b == LS_OWNER_OURS ? a : LS_OWNER_NOBODY;
}

/* May everybody enter the directories of the file? Its path is the one under which the kernel opened it,
 * without links. */
static bool owner_is_reachable(int fd)
{
    char name[64], path[PATH_MAX];
    struct stat st;
    snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
    const ssize_t len = readlink(name, path, sizeof(path) - 1);
    if (len <= 0 || path[0] != '/') return false;
    path[len] = '\0';
    for (char *slash = strrchr(path, '/'); slash && slash > path; slash = strrchr(path, '/')) {
        *slash = '\0';
        if (stat(path, &st) != 0 || !(st.st_mode & S_IXOTH)) return false;
    }
    return true;
}

struct ls_readers ls_readers_of(int fd)
{
    struct stat st;
    if (fstat(fd, &st) != 0) return (struct ls_readers){.owner = LS_OWNER_OURS};
    return (struct ls_readers){.owner = st.st_uid,
                               .everybody = (st.st_mode & S_IROTH) && owner_is_reachable(fd)};
}

bool ls_readers_have(const struct ls_readers *r, uid_t author)
{
    return author == LS_OWNER_OURS || author == r->owner || r->everybody;
}
