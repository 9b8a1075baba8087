/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/record/rec_spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char rec_conf_name[] = "spool.conf";

static bool rec_dir_is_empty(const char *path)
{
    DIR *d = opendir(path);
    bool empty = d != NULL;
    for (struct dirent *e; d && (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) empty = false;
    if (d) closedir(d);
    return empty;
}

static ls_err rec_default_path(char out[PATH_MAX])
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    char cwd[PATH_MAX];
    if (!runtime || runtime[0] != '/' || access(runtime, W_OK | X_OK) != 0)
        runtime = getcwd(cwd, sizeof(cwd));
    if (!runtime) return ls_fail_errno(errno, "the working directory has no name");
    if (snprintf(out, PATH_MAX, "%s/loadstone-spool-%ld", runtime, (long)getpid()) >= PATH_MAX)
        return ls_fail(LS_ERR_ARG, "the spool's path is too long; name a shorter one with --spool");
    return LS_OK;
}

ls_err rec_spool_make(struct rec_spool *s, const char *asked)
{
    char path[PATH_MAX];
    if (asked)
        snprintf(path, sizeof(path), "%s", asked);
    else
        LS_TRY(rec_default_path(path));
    s->made = mkdir(path, 0700) == 0;
    if (!s->made && errno != EEXIST)
        return ls_fail_errno(errno, "cannot make the spool directory %s; name another with --spool", path);
    if (!s->made && !rec_dir_is_empty(path))
        return ls_fail(LS_ERR_EXISTS, "the spool directory %s is not empty; name another with --spool", path);
    /* absolute: the program may change its directory */
    if (!realpath(path, s->path)) return ls_fail_errno(errno, "cannot find the spool directory %s", path);
    if (access(s->path, W_OK | X_OK) != 0)
        return ls_fail_errno(errno, "cannot write to the spool directory %s; name another with --spool",
                             s->path);
    return LS_OK;
}

ls_err rec_spool_describe(const struct rec_spool *s, const char *key, const char *value)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof(path), "%s/%s", s->path, rec_conf_name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "a");
    if (!f) {
        const int saved = errno;
        if (fd >= 0) close(fd);
        return ls_fail_errno(saved, "cannot write %s", path);
    }
    fprintf(f, "%s=", key);
    for (; *value; value++)
        fputc(*value == '\n' ? ' ' : *value, f);
    fputc('\n', f);
    if (fclose(f) != 0) return ls_fail_errno(errno, "cannot write %s", path);
    return LS_OK;
}

void rec_spool_read(const char *dir, const char *key, char *out, size_t out_len_bytes)
{
    char path[PATH_MAX + 16], *line = NULL;
    size_t room = 0;
    const size_t key_len = strlen(key);
    out[0] = '\0';
    snprintf(path, sizeof(path), "%s/%s", dir, rec_conf_name);
    FILE *f = fopen(path, "re");
    if (!f) return;
    while (getline(&line, &room, f) > 0) {
        if (strncmp(line, key, key_len) != 0 || line[key_len] != '=') continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(out, out_len_bytes, "%s", line + key_len + 1);
    }
    free(line);
    fclose(f);
}

/* p<pid>.<image> */
static bool rec_is_image_name(const char *name, long *out_pid)
{
    char *end;
    if (name[0] != 'p' || name[1] < '0' || name[1] > '9') return false;
    *out_pid = strtol(name + 1, &end, 10);
    return *end == '.' && end[1] && end[1 + strspn(end + 1, "0123456789")] == '\0';
}

static void rec_remove_image(int spool, const char *name)
{
    const int fd = openat(spool, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d) return;
    for (struct dirent *e; (e = readdir(d));)
        unlinkat(fd, e->d_name, 0);
    closedir(d);
    unlinkat(spool, name, AT_REMOVEDIR);
}

ls_err rec_spool_remove(const struct rec_spool *s)
{
    DIR *d = opendir(s->path);
    if (!d) return ls_fail_errno(errno, "cannot list the spool %s", s->path);
    for (struct dirent *e; (e = readdir(d));) {
        long pid;
        if (rec_is_image_name(e->d_name, &pid)) rec_remove_image(dirfd(d), e->d_name);
    }
    unlinkat(dirfd(d), rec_conf_name, 0);
    closedir(d);
    if (s->made && rmdir(s->path) != 0) return ls_fail_errno(errno, "cannot remove the spool %s", s->path);
    return LS_OK;
}

bool rec_spool_in_use(const struct rec_spool *s)
{
    const int fd = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return false;
    const bool is_in_use = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(fd);
    return is_in_use;
}
