/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_spool_dir.h"

#include "runtime/core/rt_fds_sigsafe.h"
#include "runtime/core/rt_state.h"
#include "runtime/core/rt_text_sigsafe.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <stdlib.h>

static int rt_spool_dir_use(void)
{
    const long made = ls_syscall(SYS_mkdirat, AT_FDCWD, rt_state.spool_path, 0700);
    if (made < 0 && made != -EEXIST) return (int)-made;
    const long fd = ls_syscall(SYS_openat, AT_FDCWD, rt_state.spool_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return (int)-fd;
    /* Held by this process and its fork children while they live: the launcher sees that somebody may still
     * write, also before the first record. */
    ls_syscall(SYS_flock, fd, LOCK_SH | LOCK_NB);
    rt_state.spool_fd = rt_fds_move_high((int)fd);
    rt_fds_guard(&rt_state.spool_fd);
    return 0;
}

/* parent/ and what follows, absolute in any case: children may be started elsewhere. */
static struct rt_text rt_spool_dir_under(const char *parent)
{
    struct rt_text path = rt_text_in(rt_state.spool_path, sizeof(rt_state.spool_path));
    if (!parent || parent[0] != '/') {
        const long len = ls_syscall(SYS_getcwd, rt_state.spool_path, sizeof(rt_state.spool_path));
        path.len_bytes = len > 1 ? (size_t)len - 1 : 0; /* counts the NUL */
        if (path.len_bytes != 1) rt_text_add(&path, "/");
    }
    if (parent && *parent) {
        rt_text_add(&path, parent);
        rt_text_add(&path, "/");
    }
    return path;
}

static int rt_spool_dir_default(const char *parent)
{
    struct rt_text path = rt_spool_dir_under(parent);
    rt_text_add(&path, "loadstone-spool-");
    rt_text_add_number(&path, (uint64_t)rt_state.pid);
    return rt_spool_dir_use();
}

/* No launcher did: this is the first program of the recording. */
static void rt_spool_dir_tell_start(void)
{
    char number[32];
    struct rt_text text = rt_text_in(number, sizeof(number));
    rt_text_add_number(&text, ls_clock_mono_ns());
    setenv(ls_env_rows[LS_ENV_START].variable, number, 1);
}

int rt_spool_dir_open(void)
{
    const char *wanted = getenv(ls_env_rows[LS_ENV_SPOOL].variable);
    if (wanted && *wanted) {
        rt_spool_dir_under(wanted);
        return rt_spool_dir_use();
    }
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    int err = runtime && runtime[0] == '/' ? rt_spool_dir_default(runtime) : ENOENT;
    if (err != 0) err = rt_spool_dir_default(NULL);
    /* children belong to the same recording, those of system() and popen() too, which no hook sees */
    if (err == 0) {
        setenv(ls_env_rows[LS_ENV_SPOOL].variable, rt_state.spool_path, 1);
        rt_spool_dir_tell_start();
    }
    return err;
}
