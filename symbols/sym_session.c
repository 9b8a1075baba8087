/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "symbols/sym_session.h"

#include "common/ls_vector.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct sym_session_module {
    char *path;
    uint64_t bias;
};

struct sym_session {
    Dwfl *dwfl;
    struct sym_session_module *modules;
    size_t len, room;
    bool is_reported;
};

static const Dwfl_Callbacks sym_callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
};

ls_err sym_session_new(sym_session **out)
{
    sym_session *s = calloc(1, sizeof(*s));
    if (!s) return ls_nomem("symbols");
    elf_version(EV_CURRENT);
    s->dwfl = dwfl_begin(&sym_callbacks);
    if (!s->dwfl) {
        free(s);
        return ls_nomem("symbols: %s", dwfl_errmsg(-1));
    }
    dwfl_report_begin(s->dwfl);
    *out = s;
    return LS_OK;
}

void sym_session_free(sym_session *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->len; i++)
        free(s->modules[i].path);
    dwfl_end(s->dwfl);
    free(s->modules);
    free(s);
}

/* Only regular files: opening a device or a pipe may block or act. */
static int sym_open_regular(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return -1;
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* A file mapped in several pieces is one module: libdwfl drops a module that is reported twice. */
static bool sym_is_known(const sym_session *s, const char *path, uint64_t bias)
{
    for (size_t i = 0; i < s->len; i++)
        if (s->modules[i].bias == bias && strcmp(s->modules[i].path, path) == 0) return true;
    return false;
}

ls_err sym_session_add(sym_session *s, const char *path, uint64_t bias)
{
    if (sym_is_known(s, path, bias)) return LS_OK;
    LS_TRY(LS_GROW(s->modules, s->room, s->len + 1));
    char *copy = strdup(path);
    if (!copy) return ls_nomem("a module name");
    const int fd = sym_open_regular(path);
    if (fd >= 0 && !dwfl_report_elf(s->dwfl, path, path, fd, bias, true)) close(fd);
    s->modules[s->len++] = (struct sym_session_module){copy, bias};
    return LS_OK;
}

Dwfl *sym_session_dwfl(sym_session *s)
{
    if (!s->is_reported) {
        dwfl_report_end(s->dwfl, NULL, NULL);
        s->is_reported = true;
    }
    return s->dwfl;
}
