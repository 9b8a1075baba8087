/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: overhead_starts thread N | fork N | exec N PROGRAM: start and end N threads or processes, one after
 * the other, and print the CPU time of one in microseconds, for the parent process and, with children, for
 * the child itself. */
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double cpu_us(void)
{
    struct rusage children;
    struct timespec own;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    return 1e6 * (double)(own.tv_sec + children.ru_utime.tv_sec + children.ru_stime.tv_sec) +
           (double)(children.ru_utime.tv_usec + children.ru_stime.tv_usec) + 1e-3 * (double)own.tv_nsec;
}

static void *thread_main(void *arg)
{
    return arg;
}

static int start_thread(char **argv)
{
    pthread_t t;
    (void)argv;
    return pthread_create(&t, NULL, thread_main, NULL) != 0 || pthread_join(t, NULL) != 0;
}

static int wait_for(pid_t pid)
{
    int status;
    return waitpid(pid, &status, 0) != pid || status != 0;
}

static int start_fork(char **argv)
{
    (void)argv;
    const pid_t pid = fork();
    if (pid == 0) exit(0);
    return pid < 0 || wait_for(pid);
}

static int start_exec(char **argv)
{
    pid_t pid;
    return posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) != 0 || wait_for(pid);
}

static const struct {
    const char *name;
    int (*start)(char **argv);
    int args;
} kinds[] = {{"thread", start_thread, 3}, {"fork", start_fork, 3}, {"exec", start_exec, 4}};

int main(int argc, char **argv)
{
    const long count = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
    for (size_t k = 0; count > 0 && k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        if (strcmp(argv[1], kinds[k].name) != 0 || argc != kinds[k].args) continue;
        const double begin_us = cpu_us();
        for (long i = 0; i < count; i++)
            if (kinds[k].start(argv + 3)) return 1;
        printf("%.3f\n", (cpu_us() - begin_us) / (double)count);
        return 0;
    }
    fprintf(stderr, "usage: overhead_starts thread N | fork N | exec N PROGRAM\n");
    return 2;
}
