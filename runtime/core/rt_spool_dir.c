/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_spool_dir.h"

#include "common/ls_private.h"
#include "runtime/core/rt_ended_sigsafe.h"
#include "runtime/core/rt_fds_sigsafe.h"
#include "runtime/core/rt_state.h"
#include "runtime/core/rt_text_sigsafe.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <stdlib.h>

/* fd: of the directory, or -errno. */
static int rt_spool_dir_use(long fd)
{
    if (fd < 0) return (int)-fd;
    /* Held by this process and its fork children while they live: the launcher sees that somebody may still
     * write, also before the first record. */
    ls_syscall(SYS_flock, fd, LOCK_SH | LOCK_NB);
    rt_state.spool_fd = rt_fds_move_high((int)fd);
    rt_fds_guard(&rt_state.spool_fd);
    return 0;
}

/* Absolute in any case: children may be started elsewhere. */
static void rt_spool_dir_set_path(const char *named)
{
    struct rt_text path = rt_text_in(rt_state.spool_path, sizeof(rt_state.spool_path));
    if (named[0] != '/') {
        const long len = ls_syscall(SYS_getcwd, rt_state.spool_path, sizeof(rt_state.spool_path));
        path.len_bytes = len > 1 ? (size_t)len - 1 : 0; /* counts the NUL */
        if (path.len_bytes != 1) rt_text_add(&path, "/");
    }
    rt_text_add(&path, named);
}

/* No launcher did: this is the first program of the recording. */
static void rt_spool_dir_tell_start(void)
{
    char number[32];
    struct rt_text text = rt_text_in(number, sizeof(number));
    rt_text_add_number(&text, ls_clock_mono_ns());
    setenv(ls_env_rows[LS_ENV_START].variable, number, 1);
}

/* The launcher, or the first program of a recording without one, makes the spool; who comes later enters it
 * or does not record. */
int rt_spool_dir_open(void)
{
    const char *wanted = getenv(ls_env_rows[LS_ENV_SPOOL].variable);
    const bool is_first = !getenv(ls_env_rows[LS_ENV_START].variable);
    int err;
    if (wanted && *wanted) {
        rt_spool_dir_set_path(wanted);
        if (is_first) ls_syscall(SYS_mkdirat, AT_FDCWD, rt_state.spool_path, 0700);
        err = rt_spool_dir_use(ls_private_open(rt_state.spool_path));
    } else if (!is_first) {
        err = ENOENT; /* the environment was changed on the way to here */
    } else {
        err = rt_spool_dir_use(
            ls_private_make_somewhere("loadstone-spool", rt_state.spool_path, sizeof(rt_state.spool_path)));
        /* children belong to the same recording, those of system() and popen() too, which no hook sees */
        if (err == 0) setenv(ls_env_rows[LS_ENV_SPOOL].variable, rt_state.spool_path, 1);
    }
    if (err == 0 && is_first) rt_spool_dir_tell_start();
    if (err == ENOENT && !is_first) rt_ended_note();
    return err == 0 && rt_ended_look() ? ESTALE : err;
}
