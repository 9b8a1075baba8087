/* SPDX-License-Identifier: BSD-3-Clause */
/* Other programs that use processors. */
#ifndef BUSY_H
#define BUSY_H

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Start as many programs as there are processors. */
static inline pid_t busy_begin(void)
{
    const pid_t busy = fork();
    if (busy != 0) return busy;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (long n = 1; n < sysconf(_SC_NPROCESSORS_ONLN); n++)
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            break;
        }
    for (volatile unsigned n = 0;; n++) {
    }
}

static inline void busy_end(pid_t busy)
{
    kill(busy, SIGKILL);
    waitpid(busy, NULL, 0);
}

#endif
