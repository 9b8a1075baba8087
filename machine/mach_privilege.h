/* SPDX-License-Identifier: BSD-3-Clause */
/* Privileges of this process for sampling, and the environment it runs in: read from /proc, /sys and the
 * environment variables, nothing is tried. Usable in the preloaded runtime: plain system calls, no
 * allocation. */
#ifndef MACH_PRIVILEGE_H
#define MACH_PRIVILEGE_H

#include <stdbool.h>
#include <stdint.h>

#define MACH_UNKNOWN INT64_MIN

struct mach_privilege {
    uint32_t kernel;             /* (major << 16) + (minor << 8) + patch, as KERNEL_VERSION */
    int64_t perf_event_paranoid; /* MACH_UNKNOWN: the kernel has no perf events */
    int64_t mlock_kib;           /* perf_event_mlock_kb, for each CPU and user; MACH_UNKNOWN */
    int64_t max_sample_rate_hz;  /* perf_event_max_sample_rate; MACH_UNKNOWN */
    bool nmi_watchdog;           /* enabled: it occupies a counter */
    bool is_root, cap_perfmon, cap_sys_admin;
    bool seccomp;        /* system calls are filtered */
    uint64_t files_max;  /* descriptors the process may have */
    char container[48];  /* "docker", "podman", "kubernetes", "lxc", ...; "" none seen */
    char hypervisor[48]; /* "virtual machine (QEMU)"; "" none seen */
};

/* Never fails: an unknown value stays MACH_UNKNOWN, false or "".
 * root: folder that contains proc, sys and run, "" for the real ones (tests have others).
 * get:  environment look-up, usually getenv.
 * Thread: any.  Signal: not safe (get). */
void mach_privilege_read(const char *root, char *(*get)(const char *name), struct mach_privilege *out);

/* Version of the running kernel, as KERNEL_VERSION; 0 if unknown.  Thread: any.  Signal: safe. */
uint32_t mach_kernel_version(void);

#endif
