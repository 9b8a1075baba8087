/* SPDX-License-Identifier: BSD-3-Clause */
/* Works until it is killed, and keeps the time of its last piece of work where that survives it.
 * usage: killed_victim BEATFILE MILLISECONDS kill|abort     BEATFILE: CLOCK_MONOTONIC ns, 8 bytes */
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

static void work(volatile uint64_t *beat, uint64_t end_cpu_ns)
{
    static uint64_t table[4096];
    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_cpu_ns) {
        for (uint64_t i = 0; i < 2000; i++)
            table[i * 37 % 4096] += i;
        *beat = clock_ns(CLOCK_MONOTONIC);
    }
}

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    const int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, sizeof(uint64_t)) != 0) return 2;
    volatile uint64_t *beat =
        (volatile uint64_t *)mmap(NULL, sizeof *beat, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (beat == MAP_FAILED) return 2;
    work(beat, strtoull(argv[2], NULL, 10) * 1000000);
    if (strcmp(argv[3], "abort") == 0) abort();
    kill(getpid(), SIGKILL);
    return 1;
}
