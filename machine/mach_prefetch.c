/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/mach_prefetch.h"

#include "common/ls_vector.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PREFETCH_MSR = 0x1a4, PREFETCH_OFF = 0xf /* a bit for each prefetcher, 1: off */ };

struct prefetch_register {
    int fd;
    uint64_t before;
};

struct mach_prefetch {
    LS_VECTOR(struct prefetch_register) registers;
    int alive;   /* the guard reads its other end until this process has ended; -1: none */
    pid_t guard; /* 0: none */
};

/* ---- registers ---- */

static ls_err prefetch_explain(const char *path, int error)
{
    if (error == ENOENT || error == ENXIO || error == ENODEV)
        return ls_fail(
            LS_ERR_UNSUPPORTED,
            "%s is missing, so prefetchers cannot be switched: load the kernel's module msr (modprobe "
            "msr, as root); containers and most virtual machines have none",
            path);
    if (error == EACCES || error == EPERM)
        return ls_fail(LS_ERR_PERMISSION,
                       "%s cannot be opened for writing, so prefetchers cannot be switched: it takes root "
                       "(CAP_SYS_RAWIO), and a kernel that is not locked down (Secure Boot)",
                       path);
    if (error == EIO)
        return ls_fail(
            LS_ERR_UNSUPPORTED,
            "%s has no register %#x, by which Intel's prefetchers are switched; on other processors "
            "they are switched in the firmware's settings",
            path, PREFETCH_MSR);
    return ls_fail_errno(error, "cannot switch prefetchers by %s", path);
}

static int prefetch_read(int fd, uint64_t *out)
{
    const ssize_t n = pread(fd, out, sizeof(*out), PREFETCH_MSR);
    return n == (ssize_t)sizeof(*out) ? 0 : n < 0 ? errno : EIO;
}

static int prefetch_write(int fd, uint64_t value)
{
    const ssize_t n = pwrite(fd, &value, sizeof(value), PREFETCH_MSR);
    return n == (ssize_t)sizeof(value) ? 0 : n < 0 ? errno : EIO;
}

static ls_err prefetch_open(mach_prefetch *p, const char *folder, unsigned cpu)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%u/msr", folder, cpu);
    struct prefetch_register r = {.fd = open(path, O_RDWR | O_CLOEXEC)};
    if (r.fd < 0) return prefetch_explain(path, errno);
    const int error = prefetch_read(r.fd, &r.before);
    const ls_err err = error ? prefetch_explain(path, error) : LS_VECTOR_ADD(&p->registers, r);
    if (err != LS_OK) close(r.fd);
    return err;
}

static ls_err prefetch_open_all(mach_prefetch *p, const char *folder)
{
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof(cpus), &cpus) != 0)
        return ls_fail_errno(errno, "cannot list the processors of this process");
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &cpus)) LS_TRY(prefetch_open(p, folder, cpu));
    return LS_OK;
}

static void prefetch_restore(const mach_prefetch *p)
{
    for (size_t i = 0; i < p->registers.len; i++)
        prefetch_write(p->registers.rows[i].fd, p->registers.rows[i].before);
}

ls_err mach_prefetch_switch(mach_prefetch *p, bool on)
{
    for (size_t i = 0; i < p->registers.len; i++) {
        const struct prefetch_register *r = &p->registers.rows[i];
        const uint64_t wanted = on ? r->before & ~(uint64_t)PREFETCH_OFF : r->before | PREFETCH_OFF;
        uint64_t kept = 0;
        int error = prefetch_write(r->fd, wanted);
        if (!error) error = prefetch_read(r->fd, &kept);
        if (error) return prefetch_explain("the processor", error);
        if (kept != wanted)
            return ls_fail(LS_ERR_UNSUPPORTED,
                           "register %#x does not keep what is written to it (%#llx instead of %#llx): a "
                           "hypervisor, or another program, holds the prefetchers as they are",
                           PREFETCH_MSR, (unsigned long long)kept, (unsigned long long)wanted);
    }
    return LS_OK;
}

/* ---- the guard ---- */

/* Restore the registers when the process that holds the other end of the pipe has ended. */
static _Noreturn void prefetch_guard(const mach_prefetch *p, int end)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    char byte;
    for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
        signal(ignored[i], SIG_IGN);
    setsid();
    while (read(end, &byte, 1) < 0 && errno == EINTR)
        ;
    prefetch_restore(p);
    _exit(0);
}

static ls_err prefetch_start_guard(mach_prefetch *p)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return ls_fail_errno(errno, "cannot make a pipe");
    p->guard = fork();
    if (p->guard == 0) {
        close(ends[1]);
        prefetch_guard(p, ends[0]);
    }
    close(ends[0]);
    p->alive = ends[1];
    if (p->guard > 0) return LS_OK;
    p->guard = 0;
    return ls_fail_errno(errno, "cannot start a process");
}

ls_err mach_prefetch_new(const char *folder, mach_prefetch **out)
{
    mach_prefetch *p = calloc(1, sizeof(*p));
    if (!p) return ls_nomem("the registers of prefetchers");
    p->alive = -1;
    ls_err err = prefetch_open_all(p, folder);
    if (err == LS_OK) err = prefetch_start_guard(p);
    if (err == LS_OK)
        *out = p;
    else
        mach_prefetch_free(p);
    return err;
}

void mach_prefetch_free(mach_prefetch *p)
{
    if (!p) return;
    if (p->guard) prefetch_restore(p);
    if (p->alive >= 0) close(p->alive);
    if (p->guard) waitpid(p->guard, NULL, 0);
    for (size_t i = 0; i < p->registers.len; i++)
        close(p->registers.rows[i].fd);
    free(p->registers.rows);
    free(p);
}
