/* SPDX-License-Identifier: BSD-3-Clause */
/* Modes of step_victim that report afterwards which accesses must have been sampled, or how often they were
 * disturbed. */
#include "tests/step/step_victim.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/rseq.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/rseq.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile long sink;

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Use private memory for a while; its samples show that sampling worked then. */
static void touch(const char *name, long *memory, size_t len, int milliseconds)
{
    if (name) printf("%s %p %zu\n", name, (void *)memory, len * sizeof *memory);
    fflush(stdout);
    const double end = cpu_seconds() + milliseconds * 1e-3;
    do {
        for (int round = 0; round < 20; round++)
            for (size_t i = 0; i < len; i++)
                memory[i] += (long)i ^ sink;
        sink += memory[len / 2];
    } while (cpu_seconds() < end);
}

enum { MEMORY_LEN = 512, FILL_MS = 250, LATE_MS = 100 };
static long early[MEMORY_LEN], middle[MEMORY_LEN], late[MEMORY_LEN], in_thread[MEMORY_LEN];

/* More than a chunk of records between the closing and the end: they need the descriptor of the spool. */
int step_victim_close(void)
{
    int failures = close_range(3, ~0u, 0) != 0;
    touch("early", early, MEMORY_LEN, 20);
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
    touch("middle", middle, MEMORY_LEN, FILL_MS);
    touch("late", late, MEMORY_LEN, LATE_MS);
    const int fd = open("/dev/null", O_RDONLY);
    if (fd != 3) failures++;
    close(fd);
    return failures;
}

/* Its samples are not checked: it may make no file where the other user owns the spool. */
static void *touching_thread(void *unused)
{
    touch(NULL, in_thread, MEMORY_LEN, LATE_MS);
    return unused;
}

int step_victim_setuid(void)
{
    pthread_t t;
    int failures = 0;
    touch("early", early, MEMORY_LEN, 20);
    if (geteuid() == 0 && (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0))
        failures++;
    touch("middle", middle, MEMORY_LEN, FILL_MS);
    touch("late", late, MEMORY_LEN, LATE_MS);
    if (pthread_create(&t, NULL, touching_thread, NULL) != 0) return failures + 1;
    pthread_join(t, NULL);
    return failures;
}

/* With such a low limit our descriptors cannot have high numbers; the program still gets the low ones. */
int step_victim_few_fds(void)
{
    enum { LEAST = 5 };
    int failures = 0, len = 0, fds[1024];
    touch("early", early, MEMORY_LEN, FILL_MS);
    while (len < 1024 && (fds[len] = open("/dev/null", O_RDONLY)) >= 0)
        len++;
    if (len < LEAST || fds[0] != 3) {
        fprintf(stderr, "step_victim: %d descriptors left, the first is %d\n", len, fds[0]);
        failures++;
    }
    while (len > 0)
        close(fds[--len]);
    touch("late", late, MEMORY_LEN, LATE_MS);
    return failures;
}

struct sequence_end {
    long aborts; /* how often it was begun again before it got through */
    uint64_t
        pending; /* the area's rseq_cs at its end: 0 when the kernel found the thread elsewhere meanwhile */
};

/* A restartable sequence of some 60 instructions. */
static struct sequence_end one_sequence(ptrdiff_t area)
{
    struct sequence_end end = {.aborts = -1};
    long work = sink;
    const uint64_t word = (uint64_t)(area + (ptrdiff_t)offsetof(struct rseq, rseq_cs));
    __asm__ volatile(".pushsection .data.rel.step_rseq, \"aw\"\n\t"
                     ".balign 32\n"
                     "77:\n\t"
                     ".long 0, 0\n\t"
                     ".quad 1f, 2f - 1f, 4f\n\t"
                     ".popsection\n\t"
                     "jmp 5f\n\t"
                     ".byte 0x0f, 0xb9, 0x3d\n\t"
                     ".long 0x53053053\n" /* RSEQ_SIG is before the abort handler */
                     "4:\n"
                     "5:\n\t"
                     "incq %[aborts]\n\t"
                     "leaq 77b(%%rip), %%rax\n\t"
                     "movq %%rax, %%fs:(%[word])\n"
                     "1:\n\t"
                     ".rept 60\n\t"
                     "addq $3, %[work]\n\t"
                     ".endr\n\t"
                     "movq %%fs:(%[word]), %[pending]\n"
                     "2:\n\t"
                     "movq $0, %%fs:(%[word])"
                     : [aborts] "+r"(end.aborts), [work] "+r"(work), [pending] "=&r"(end.pending)
                     : [word] "r"(word)
                     : "rax", "memory", "cc");
    sink = work;
    return end;
}

/* Stepped in place a sequence would be aborted at every trap, up to a whole burst of times; stepped in a slot
 * it would look to the kernel as if the thread had left it, and lose its protection. */
int step_victim_rseq(void)
{
    enum { IN_A_ROW_MOST = 20 };
    long sequences = 0, in_a_row = 0, unprotected = 0;
    if (__rseq_size == 0) {
        fprintf(stderr, "step_victim: the C library has registered no rseq area\n");
        return 0;
    }
    for (const double end = cpu_seconds() + 0.4; cpu_seconds() < end;) {
        for (int i = 0; i < 100; i++, sequences++) {
            const struct sequence_end s = one_sequence(__rseq_offset);
            if (s.aborts > in_a_row) in_a_row = s.aborts;
            unprotected += s.pending == 0;
        }
        touch(NULL, early, 16, 0);
    }
    fprintf(stderr,
            "step_victim: %ld sequences, %ld of them lost their protection, at most %ld aborts in a row\n",
            sequences, unprotected, in_a_row);
    return in_a_row > IN_A_ROW_MOST || unprotected;
}

static volatile int poking;
static void *poke_main(void *main_tid)
{
    siginfo_t as_by_timer = {.si_code = SI_TIMER, .si_signo = SIGRTMAX};
    as_by_timer.si_value.sival_ptr = (void *)0x4c6f616473746f6eul; /* value of the engine's timers */
    while (poking) {
        usleep(20);
        syscall(SYS_rt_tgsigqueueinfo, getpid(), (pid_t)(long)main_tid, SIGRTMAX, &as_by_timer);
    }
    return NULL;
}

/* Many triggers, also while a system call is under way: kernels differ in when they send a timer's. */
static int begin_poking(pthread_t *poker)
{
    const char *trigger = getenv("LOADSTONE_TRIGGER");
    poking = trigger && strcmp(trigger, "timer") == 0 && getenv("LD_PRELOAD");
    return poking && pthread_create(poker, NULL, poke_main, (void *)(long)gettid()) == 0;
}

static pid_t spin_beside(void)
{
    const pid_t pid = fork();
    if (pid != 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;)
        sink++;
}

/* Other processes on the same processor preempt the program in the middle of bursts. */
int step_victim_contended(void)
{
    enum { OTHERS = 3 };
    pid_t others[OTHERS];
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    int failures = sched_setaffinity(0, sizeof one, &one) != 0;
    for (int i = 0; i < OTHERS; i++)
        others[i] = spin_beside();
    touch("contended", late, MEMORY_LEN, FILL_MS);
    for (int i = 0; i < OTHERS; i++) {
        failures += others[i] <= 0 || kill(others[i], SIGKILL) != 0;
        waitpid(others[i], NULL, 0);
    }
    return failures;
}

/* A program that reads all signals from a descriptor gets its own and none of the engine's. */
int step_victim_signalfd(void)
{
    sigset_t all;
    struct signalfd_siginfo info;
    int failures = 0, own = 0;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    pthread_t poker;
    const int fd = signalfd(-1, &all, SFD_NONBLOCK | SFD_CLOEXEC), pokes = begin_poking(&poker);
    for (const double end = cpu_seconds() + 0.4; cpu_seconds() < end;)
        for (int i = 0; i < 50; i++)
            if (read(fd, &info, sizeof info) == (ssize_t)sizeof info && info.ssi_code == SI_TIMER) failures++;
    poking = 0;
    if (pokes) pthread_join(poker, NULL);
    raise(SIGUSR1);
    while (read(fd, &info, sizeof info) == (ssize_t)sizeof info)
        own += info.ssi_signo == SIGUSR1;
    if (failures) fprintf(stderr, "step_victim: received %d of the engine's signals\n", failures);
    close(fd);
    return failures + (own != 1);
}
