/* SPDX-License-Identifier: BSD-3-Clause */
/* signals_victim NAME: print "NAME MASK" for each thread of this process with that name, where MASK is its
 * blocked signals as reported by the kernel; then send each signal that this program's threads block to the
 * process, and take it. A thread that blocks fewer signals takes it first, which ends the process. Status 1:
 * there was no such thread. */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOOKS_MAX = 2000, TEXT_BYTES = 4096, WAIT_S = 60 };
static volatile long watched[4];

/* The file of a thread under /proc; "" when it has ended. */
static void read_of(const char *tid, const char *name, char text[TEXT_BYTES])
{
    char path[512];
    snprintf(path, sizeof(path), "/proc/self/task/%s/%s", tid, name);
    FILE *f = fopen(path, "r");
    const size_t len = f ? fread(text, 1, TEXT_BYTES - 1, f) : 0;
    text[len] = '\0';
    if (f) fclose(f);
}

static int is_named(const char *tid, const char *name)
{
    char text[TEXT_BYTES];
    read_of(tid, "comm", text);
    text[strcspn(text, "\n")] = '\0';
    return strcmp(text, name) == 0 && atoi(tid) != getpid();
}

static int print_masks(const char *name)
{
    static const char key[] = "SigBlk:\t";
    char text[TEXT_BYTES];
    int found = 0;
    DIR *threads = opendir("/proc/self/task");
    for (const struct dirent *d; threads && (d = readdir(threads));) {
        if (!is_named(d->d_name, name)) continue;
        read_of(d->d_name, "status", text);
        const char *mask = strstr(text, key);
        if (mask) printf("%s %.16s\n", name, mask + sizeof(key) - 1);
        found += mask != NULL;
    }
    if (threads) closedir(threads);
    return found;
}

/* Each blocked signal, sent to the process, waits for the thread that asks for it. */
static int take_signals(const sigset_t *blocked)
{
    static const int sent[] = {SIGUSR1, SIGALRM, SIGTRAP, SIGTERM, SIGIO, SIGPROF};
    const struct timespec limit = {.tv_sec = WAIT_S};
    for (size_t i = 0; i < sizeof(sent) / sizeof(sent[0]); i++) {
        kill(getpid(), sent[i]);
        for (int n = 0; n < 1000; n++)
            watched[n % 4]++; /* the reader's chance */
        usleep(2000);
        if (sigtimedwait(blocked, NULL, &limit) != sent[i]) return sent[i];
    }
    return 0;
}

int main(int argc, char **argv)
{
    const struct timespec nap = {.tv_nsec = 5000000};
    sigset_t blocked, now;
    int found = 0;
    if (argc < 2) return 2;
    sigfillset(&blocked);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    for (int i = 0; i < LOOKS_MAX && !found; i++, nanosleep(&nap, NULL))
        found = print_masks(argv[1]);
    const int lost = take_signals(&blocked);
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    if (lost || sigismember(&now, SIGUSR1) != 1) printf("signal %d did not wait\n", lost);
    puts("done");
    return !found;
}
