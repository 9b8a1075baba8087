/* SPDX-License-Identifier: BSD-3-Clause */
/* Works until it is killed, and stores the times of its work in a file.
 * usage: killed_victim BEATFILE MILLISECONDS kill|abort
 * BEATFILE: pairs of CLOCK_MONOTONIC and CPU time in ns, 8 bytes each: for the last piece of work, then for the last one in each
 * millisecond of CPU time. */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

enum { NS_PER_MS = 1000000, BEATS = 1 << 16 };
struct beat {
    uint64_t mono_ns, cpu_ns;
};

static void work(volatile struct beat *beats, uint64_t end_cpu_ns)
{
    static uint64_t table[4096];
    struct beat now = {0, 0};
    while (now.cpu_ns < end_cpu_ns) {
        for (uint64_t i = 0; i < 2000; i++)
            table[i * 37 % 4096] += i;
        now.cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        now.mono_ns = clock_ns(CLOCK_MONOTONIC);
        beats[1 + now.cpu_ns / NS_PER_MS % (BEATS - 1)] = now;
        beats[0] = now;
    }
}

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    const int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
    const size_t len_bytes = BEATS * sizeof(struct beat);
    if (fd < 0 || ftruncate(fd, (off_t)len_bytes) != 0) return 2;
    void *const beats = mmap(NULL, len_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (beats == MAP_FAILED) return 2;
    work(beats, strtoull(argv[2], NULL, 10) * NS_PER_MS);
    if (strcmp(argv[3], "abort") == 0) abort();
    kill(getpid(), SIGKILL);
    return 1;
}
