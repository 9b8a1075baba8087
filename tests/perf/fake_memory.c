/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/perf/fake_memory.h"

#include <stdio.h>
#include <string.h>
#include <sys/uio.h>

bool fake_peek(pid_t pid, uint64_t at, void *out, size_t len)
{
    const struct iovec local = {out, len}, remote = {(void *)(uintptr_t)at, len};
    return process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)len;
}

bool fake_poke(pid_t pid, uint64_t at, const void *data, size_t len)
{
    const struct iovec local = {(void *)(uintptr_t)data, len}, remote = {(void *)(uintptr_t)at, len};
    return process_vm_writev(pid, &local, 1, &remote, 1, 0) == (ssize_t)len;
}

pid_t fake_process_of(pid_t tid)
{
    char path[64], line[256];
    int tgid = tid;
    snprintf(path, sizeof(path), "/proc/%d/status", tid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "Tgid: %d", &tgid) == 1) break;
    if (f) fclose(f);
    return tgid;
}

/* Bytes of the mapping of a memory file's begin, 0: none yet. */
size_t fake_mapped_bytes(pid_t pid, size_t number)
{
    char path[64], line[512], name[64];
    unsigned long begin, end, offset;
    size_t found = 0;
    snprintf(name, sizeof(name), "/memfd:fake-%zu ", number);
    snprintf(path, sizeof(path), "/proc/%d/maps", pid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof(line), f))
        if (strstr(line, name) && sscanf(line, "%lx-%lx %*s %lx", &begin, &end, &offset) == 3 && offset == 0)
            found = end - begin;
    if (f) fclose(f);
    return found;
}

/* All mappings of fake_events, ours and the kernel's. */
size_t fake_all_mapped_bytes(pid_t pid)
{
    char path[64], line[512];
    unsigned long begin, end;
    size_t sum = 0;
    snprintf(path, sizeof(path), "/proc/%d/maps", pid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof(line), f))
        if ((strstr(line, "/memfd:fake-") || strstr(line, "anon_inode:[perf_event]")) &&
            sscanf(line, "%lx-%lx", &begin, &end) == 2)
            sum += end - begin;
    if (f) fclose(f);
    return sum;
}
