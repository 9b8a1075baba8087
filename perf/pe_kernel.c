/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_kernel.h"

#include "common/ls_compat.h"

#include <sys/mman.h>

static long kernel_open(struct perf_event_attr *attr, int pid, int cpu, int group_fd)
{
    return ls_syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, PERF_FLAG_FD_CLOEXEC);
}

static long kernel_control(int fd, unsigned long request, unsigned long argument)
{
    return ls_syscall(SYS_ioctl, fd, request, argument);
}

static long kernel_map(int fd, size_t len_bytes, size_t offset_bytes)
{
    return ls_syscall(SYS_mmap, NULL, len_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset_bytes);
}

static long kernel_unmap(void *base, size_t len_bytes)
{
    return ls_syscall(SYS_munmap, base, len_bytes);
}

static long kernel_read(int fd, void *out, size_t len_bytes)
{
    return ls_syscall(SYS_read, fd, out, len_bytes);
}

static long kernel_close(int fd)
{
    return ls_syscall(SYS_close, fd);
}

const struct pe_kernel pe_kernel_linux = {
    .open = kernel_open,
    .control = kernel_control,
    .map = kernel_map,
    .unmap = kernel_unmap,
    .read = kernel_read,
    .close = kernel_close,
};
