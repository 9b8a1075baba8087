/* SPDX-License-Identifier: BSD-3-Clause */
/* The system calls that sampling through perf_event makes, in one table: every open, map and read goes
 * through it, so that a test can replace the kernel.
 *
 * Calls return a result or -errno and never touch errno.  Thread: any.  Signal: safe. */
#ifndef PE_KERNEL_H
#define PE_KERNEL_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

enum pe_call {
    PE_AT_OPEN,     /* perf_event_open */
    PE_AT_MMAP,     /* mapping the ring */
    PE_AT_MMAP_AUX, /* mapping the AUX area */
    PE_AT_ENABLE,   /* ioctl: the id, the output, on and off, the period */
};

struct pe_kernel {
    long (*open)(struct perf_event_attr *attr, int pid, int cpu, int group_fd);
    long (*control)(int fd, unsigned long request, unsigned long argument); /* ioctl */
    long (*map)(int fd, size_t len_bytes, size_t offset_bytes);             /* shared, read and write */
    long (*unmap)(void *base, size_t len_bytes);
    long (*read)(int fd, void *out, size_t len_bytes);
    long (*close)(int fd);
    /* Callbacks: the owner of *slot has opened a descriptor, whose number may be changed later through slot;
     * or is about to close it. NULL: not needed. */
    void (*opened)(int *slot);
    void (*closing)(int *slot);
};

extern const struct pe_kernel pe_kernel_linux;

#endif
