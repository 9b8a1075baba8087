/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "common/ls_clock.h"
#include "common/ls_compat.h"
#include "common/ls_private.h"
#include "common/ls_random.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LS_PRIVATE_TRIES = 100, LS_PRIVATE_RANDOM_LEN = 6, LS_PID_DIGITS = 10 };

static int ls_private_stat(int fd, struct stat *st)
{
    if (fstat(fd, st) != 0) return errno;
    return S_ISDIR(st->st_mode) ? 0 : ENOTDIR;
}

/* Check that fd is a directory of this user with mode 0700. Returns 0 or an errno. */
static int ls_private_check(int fd)
{
    struct stat st;
    const int err = ls_private_stat(fd, &st);
    if (err != 0) return err;
    return st.st_uid == geteuid() && (st.st_mode & 0777) == 0700 ? 0 : EPERM;
}

/* Check that fd is a directory of this user or root in which other users cannot rename our files: not
 * writable for them, or sticky. Returns 0 or an errno. */
static int ls_private_check_parent(int fd)
{
    struct stat st;
    const int err = ls_private_stat(fd, &st);
    if (err != 0) return err;
    const int is_closed = !(st.st_mode & (S_IWGRP | S_IWOTH)) || (st.st_mode & S_ISVTX);
    return (st.st_uid == geteuid() || st.st_uid == 0) && is_closed ? 0 : EPERM;
}

static int ls_private_open_at(int folder, const char *name)
{
    const long fd = ls_syscall(SYS_openat, folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return (int)fd;
    const int err = ls_private_check((int)fd);
    if (err == 0) return (int)fd;
    ls_syscall(SYS_close, fd);
    return -err;
}

int ls_private_open(const char *path)
{
    return ls_private_open_at(AT_FDCWD, path);
}

/* Append a random part that is hard to guess, so that nobody can take all names in advance; mkdir makes sure
 * that the directory is new. */
static void ls_private_add_random(char *out, uint64_t seed)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    uint64_t drawn = ls_random_mix(seed);
    for (int i = 0; i < LS_PRIVATE_RANDOM_LEN; i++, drawn >>= 5)
        out[i] = letters[drawn & 31];
    out[LS_PRIVATE_RANDOM_LEN] = '\0';
}

static char *ls_private_add_pid(char *out)
{
    char digits[LS_PID_DIGITS];
    size_t len = 0;
    for (uint32_t pid = (uint32_t)ls_syscall(SYS_getpid); pid > 0 || len == 0; pid /= 10)
        digits[len++] = (char)('0' + pid % 10);
    *out++ = '-';
    while (len > 0)
        *out++ = digits[--len];
    *out++ = '-';
    return out;
}

static int ls_private_make_at(int folder, const char *name, char *random)
{
    long err = 0;
    uint64_t secret = 0;
    const void *bytes = (const void *)getauxval(AT_RANDOM); /* random bytes from the kernel */
    if (bytes) memcpy(&secret, bytes, sizeof(secret));
    for (int i = 0; i < LS_PRIVATE_TRIES; i++) {
        ls_private_add_random(random, secret ^ ls_clock_mono_ns());
        err = ls_syscall(SYS_mkdirat, folder, name, 0700);
        if (err != -EEXIST) break;
    }
    return err == 0 ? ls_private_open_at(folder, name) : (int)err;
}

int ls_private_make(const char *parent, const char *prefix, char *path, size_t path_bytes)
{
    const size_t parent_len = strlen(parent), prefix_len = strlen(prefix);
    if (parent[0] != '/') return -EINVAL;
    if (parent_len + 1 + prefix_len + LS_PID_DIGITS + 2 + LS_PRIVATE_RANDOM_LEN >= path_bytes)
        return -ENAMETOOLONG;
    const long folder = ls_syscall(SYS_openat, AT_FDCWD, parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return (int)folder;
    memcpy(path, parent, parent_len);
    path[parent_len] = '/';
    char *const name = path + parent_len + 1;
    memcpy(name, prefix, prefix_len);
    int fd = -ls_private_check_parent((int)folder);
    if (fd == 0) fd = ls_private_make_at((int)folder, name, ls_private_add_pid(name + prefix_len));
    ls_syscall(SYS_close, folder);
    return fd;
}

const char *ls_private_parent(size_t i)
{
    static const char *const variables[] = {"XDG_RUNTIME_DIR", "TMPDIR"};
    static const char *const folders[] = {"/tmp", "/dev/shm"};
    enum {
        VARIABLES = sizeof(variables) / sizeof(variables[0]),
        FOLDERS = sizeof(folders) / sizeof(folders[0])
    };
    if (i >= VARIABLES) return i < VARIABLES + FOLDERS ? folders[i - VARIABLES] : "";
    const char *named = getenv(variables[i]);
    return named && named[0] == '/' ? named : NULL;
}

int ls_private_make_somewhere(const char *prefix, char *path, size_t path_bytes)
{
    int fd = -ENOENT;
    const char *parent;
    for (size_t i = 0; fd < 0 && (!(parent = ls_private_parent(i)) || *parent); i++)
        if (parent) fd = ls_private_make(parent, prefix, path, path_bytes);
    return fd;
}
