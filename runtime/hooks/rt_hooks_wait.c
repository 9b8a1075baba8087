/* SPDX-License-Identifier: BSD-3-Clause */
/* How children ended: a killed child cannot record it, but its parent learns it. */
#include "runtime/core/rt_real.h"
#include "runtime/core/rt_spool_sigsafe.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* status as of wait(2). */
static void rt_note_child(pid_t pid, int status)
{
    if (pid <= 0 || (!WIFEXITED(status) && !WIFSIGNALED(status))) return;
    if (rt_state.image_open != RT_IMAGE_OPEN) return; /* a subshell: not worth a file */
    const int saved = errno;
    struct rt_thread *t = rt_enter();
    if (t) {
        const struct spool_child_ended rec = {
            .time_ns = ls_clock_mono_ns(), .pid = (uint32_t)pid, .status = (uint32_t)status};
        spool_put_child_ended(rt_spool_writer(t), rec);
        rt_leave();
    }
    errno = saved;
}

/* The caller may pass no status. */
static pid_t rt_wait_noted(pid_t got, int status, int *out)
{
    rt_note_child(got, status);
    if (out && got > 0) *out = status;
    return got;
}

LS_EXPORT pid_t wait(int *status)
{
    int own = 0;
    const pid_t got = RT_REAL(wait)(&own);
    return rt_wait_noted(got, own, status);
}

LS_EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
    int own = 0;
    const pid_t got = RT_REAL(waitpid)(pid, &own, options);
    return rt_wait_noted(got, own, status);
}

LS_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
    int own = 0;
    const pid_t got = RT_REAL(wait3)(&own, options, usage);
    return rt_wait_noted(got, own, status);
}

LS_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    int own = 0;
    const pid_t got = RT_REAL(wait4)(pid, &own, options, usage);
    return rt_wait_noted(got, own, status);
}

/* Convert waitid(2)'s result into the status of wait(2). */
static void rt_note_siginfo(const siginfo_t *info)
{
    enum { RT_EXIT_SHIFT = 8, RT_SIGNAL_MASK = 0x7f };
    if (info->si_code == CLD_EXITED)
        rt_note_child(info->si_pid, (info->si_status & 0xff) << RT_EXIT_SHIFT);
    else if (info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED)
        rt_note_child(info->si_pid, info->si_status & RT_SIGNAL_MASK);
}

LS_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    if (info) info->si_pid = 0; /* stays when WNOHANG found nobody */
    const int result = RT_REAL(waitid)(type, id, info, options);
    if (result == 0 && info && info->si_pid > 0) rt_note_siginfo(info);
    return result;
}
