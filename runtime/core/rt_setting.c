/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_setting.h"

#include "common/ls_attach.h"
#include "common/ls_compat.h"
#include "common/ls_env.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static struct {
    bool is_taken;
    char text[LS_ATTACH_REQUEST_BYTES];
    char *entries[LS_ENV_COUNT + 1];
} request;

static char *find(char *const *entries, const char *variable)
{
    const size_t len = strlen(variable);
    for (size_t i = 0; entries[i]; i++)
        if (strncmp(entries[i], variable, len) == 0 && entries[i][len] == '=') return entries[i] + len + 1;
    return NULL;
}

char *rt_setting(const char *variable)
{
    return request.is_taken ? find(request.entries, variable) : getenv(variable);
}

char *const *rt_setting_list(void)
{
    return request.is_taken ? request.entries : environ;
}

/* Cut the text into lines; more than there are variables are ignored. */
static void split(void)
{
    size_t len = 0;
    for (char *line = request.text; *line && len < LS_ENV_COUNT;) {
        char *end = line + strcspn(line, "\n");
        const bool is_last = !*end;
        *end = '\0';
        if (*line) request.entries[len++] = line;
        line = is_last ? end : end + 1;
    }
    request.entries[len] = NULL;
}

int rt_setting_take_request(int dir_fd)
{
    const long fd = ls_syscall(SYS_openat, dir_fd, LS_ATTACH_REQUEST_FILE,
                               O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return (int)-fd;
    const long len = ls_syscall(SYS_read, fd, request.text, sizeof(request.text) - 1);
    ls_syscall(SYS_close, fd);
    if (len < 0) return (int)-len;
    request.text[len] = '\0';
    split();
    request.is_taken = true;
    return find(request.entries, ls_env_rows[LS_ENV_SPOOL].variable) &&
                   find(request.entries, ls_env_rows[LS_ENV_START].variable)
               ? 0
               : EINVAL;
}
