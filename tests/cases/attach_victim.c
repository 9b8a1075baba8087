/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that are recorded while they run. Each works until the file "stop" is there, and then prints whether
 * anything disturbed it.
 *
 * usage: attach_victim threads|sleep|signal|fork|filtered
 *        attach_victim without-ptrace|contained COMMAND [ARGUMENT...]   (run it, with a filter of system calls) */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GRID_LEN = 1 << 18, BLOCKS = 500, OWN_SIGNAL = 63, STATUS = 7 };

static int disturbed; /* by atomics */
static unsigned char *grid;

static int is_over(void)
{
    return access("stop", F_OK) == 0;
}

static void disturb(void)
{
    __atomic_fetch_add(&disturbed, 1, __ATOMIC_RELAXED);
}

/* A loop without calls: no hook sees the thread. */
static __attribute__((noinline)) unsigned walk_grid(unsigned step)
{
    unsigned sum = 0;
    for (int round = 0; round < 20; round++)
        for (unsigned i = 0; i < GRID_LEN; i++)
            sum += ((volatile unsigned char *)grid)[i * step % GRID_LEN];
    return sum;
}

/* Its state is in the registers for numbers. */
static __attribute__((noinline)) double add_numbers(void)
{
    double sums[8] = {0}, sum = 0;
    for (unsigned i = 0; i < GRID_LEN; i++)
        sums[i % 8] += 2.0 * i;
    for (int i = 0; i < 8; i++)
        sum += sums[i];
    return sum;
}

static void *compute(void *arg)
{
    unsigned sum = 0, rounds = 0;
    (void)arg;
    for (; !is_over(); rounds++) {
        errno = STATUS;
        sum += walk_grid(7919);
        if (errno != STATUS || add_numbers() != (double)GRID_LEN * (GRID_LEN - 1)) disturb();
    }
    if (sum != rounds * 20 * GRID_LEN) disturb();
    return NULL;
}

/* Blocks from before and from during a recording are freed during, and after. */
static __attribute__((noinline)) void *make_block(size_t len)
{
    unsigned char *block = malloc(len);
    memset(block, (int)(len & 0xff), len);
    return block;
}

static void *allocate(void *arg)
{
    unsigned char *blocks[BLOCKS] = {0};
    size_t len[BLOCKS] = {0};
    (void)arg;
    for (unsigned at = 0; !is_over();)
        for (int i = 0; i < 2000; i++) {
            at = (at * 1103515245u + 12345u) & 0x7fffffff;
            const unsigned k = at % BLOCKS;
            for (size_t j = 0; j < len[k]; j += 64)
                if (blocks[k][j] != (len[k] & 0xff)) disturb();
            free(blocks[k]);
            len[k] = 16 + at % 6000;
            blocks[k] = make_block(len[k]);
        }
    for (int k = 0; k < BLOCKS; k++)
        free(blocks[k]);
    return NULL;
}

static void *doze(void *arg)
{
    (void)arg;
    while (!is_over()) {
        const struct timespec t = {.tv_nsec = 20000000};
        if (nanosleep(&t, NULL) != 0) disturb();
        if (poll(NULL, 0, 20) != 0) disturb();
    }
    return NULL;
}

static void *end_at_once(void *arg)
{
    return arg;
}

static void run_threads(void)
{
    static void *(*const mains[])(void *) = {compute, allocate, doze};
    pthread_t threads[3], other;
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, mains[i], NULL);
    while (!is_over()) {
        pthread_create(&other, NULL, end_at_once, NULL);
        pthread_join(other, NULL);
        if (usleep(5000) != 0) disturb();
    }
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

static void run_asleep(void)
{
    while (!is_over())
        if (poll(NULL, 0, 100) != 0) disturb();
}

static int own_signals, strange_signals;

static void on_own(int sig, siginfo_t *info, void *context)
{
    (void)sig;
    (void)context;
    if (info->si_code == SI_QUEUE && info->si_value.sival_int == 5)
        own_signals++;
    else
        strange_signals++;
}

/* The program uses the signal of requests for itself. */
static void run_signals(void)
{
    struct sigaction action = {.sa_sigaction = on_own, .sa_flags = SA_SIGINFO}, back = {0};
    const union sigval value = {.sival_int = 5};
    int sent = 0;
    sigaction(OWN_SIGNAL, &action, NULL);
    sigaction(OWN_SIGNAL, NULL, &back);
    if (back.sa_sigaction != on_own) disturb();
    for (; !is_over(); sent++) {
        sigqueue(getpid(), OWN_SIGNAL, value);
        walk_grid(31);
    }
    if (own_signals != sent || strange_signals) disturb();
}

/* Children, made before, during and after recordings. */
static void run_forks(void)
{
    while (!is_over()) {
        int status = -1;
        const pid_t child = fork();
        if (child == 0) _exit(walk_grid(3) == 20 * GRID_LEN ? 3 : 4);
        if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3) disturb();
        walk_grid(5);
    }
}

/* From now on the kernel answers to these calls by `action`; seccomp(2). */
static void forbid(const int calls[4], unsigned action)
{
    struct sock_filter rules[] = {
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, 0}, /* the number of the call */
        {BPF_JMP | BPF_JEQ | BPF_K, 4, 0, (unsigned)calls[0]},
        {BPF_JMP | BPF_JEQ | BPF_K, 3, 0, (unsigned)calls[1]},
        {BPF_JMP | BPF_JEQ | BPF_K, 2, 0, (unsigned)calls[2]},
        {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, (unsigned)calls[3]},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
        {BPF_RET | BPF_K, 0, 0, action},
    };
    const struct sock_fprog program = {sizeof(rules) / sizeof(rules[0]), rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        disturb();
}

/* The program has promised to open nothing and to start no thread: either kills it. */
static void run_filtered(void)
{
    forbid((const int[4]){SYS_openat, SYS_perf_event_open, SYS_clone, SYS_clone3}, SECCOMP_RET_KILL_PROCESS);
    run_asleep();
}

static void *outlive_main(void *unused)
{
    run_asleep();
    printf("disturbed %d\n", __atomic_load_n(&disturbed, __ATOMIC_RELAXED));
    exit(STATUS);
    return unused;
}

/* The first thread ends, and the process goes on. */
static void run_headless(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, outlive_main, NULL) == 0) pthread_exit(NULL);
    disturb();
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    if (argc > 2) {
        const int call = strcmp(mode, "without-ptrace") == 0 ? SYS_ptrace : SYS_reboot;
        forbid((const int[4]){call, call, call, call}, SECCOMP_RET_ERRNO | EPERM);
        execvp(argv[2], argv + 2);
        return 127;
    }
    grid = malloc(GRID_LEN);
    memset(grid, 1, GRID_LEN);
    if (strcmp(mode, "threads") == 0) run_threads();
    if (strcmp(mode, "sleep") == 0) run_asleep();
    if (strcmp(mode, "signal") == 0) run_signals();
    if (strcmp(mode, "fork") == 0) run_forks();
    if (strcmp(mode, "filtered") == 0) run_filtered();
    if (strcmp(mode, "headless") == 0) run_headless();
    printf("disturbed %d\n", __atomic_load_n(&disturbed, __ATOMIC_RELAXED));
    free(grid);
    return STATUS;
}
