/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that an engine of traps could break, one a mode. Each checks itself: status 0 means that it ran as
 * without the engine. */
#include "tests/step/step_victim.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { RESTORER = 0x04000000 }; /* glibc shows it */
static volatile long sink;
static volatile int failures;
extern char **environ;

#define EXPECT(condition)                                                   \
    do {                                                                    \
        if (!(condition)) {                                                 \
            failures++;                                                     \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
        }                                                                   \
    } while (0)

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void compute(int milliseconds)
{
    static long table[4096];
    const double end = cpu_seconds() + milliseconds * 1e-3;
    do {
        for (int i = 0; i < 2000; i++)
            table[(unsigned)(i * 37) % 4096] += i ^ sink;
        sink += table[17];
    } while (cpu_seconds() < end);
}

/* No system call in here: a masked thread must survive on its own. */
static void compute_quietly(long rounds)
{
    long x = sink;
    for (long i = 0; i < rounds; i++)
        x += i ^ (x >> 3);
    sink = x;
}

static void mode_blocked(void)
{
    sigset_t all, now;
    sigfillset(&all);
    for (int i = 0; i < 20; i++) {
        compute(2);
        sigprocmask(SIG_BLOCK, &all, NULL);
        sigprocmask(SIG_BLOCK, NULL, &now);
        EXPECT(sigismember(&now, SIGTRAP) == 1);
        compute_quietly(2000000);
        sigprocmask(SIG_UNBLOCK, &all, NULL);
        pthread_sigmask(SIG_BLOCK, NULL, &now);
        EXPECT(sigismember(&now, SIGTRAP) == 0);
        EXPECT(sigismember(&now, SIGRTMAX) == 0);
    }
    const unsigned long every = ~0ul; /* past libc: the engine cannot keep SIGTRAP out of this mask */
    for (int i = 0; i < 20; i++) {
        syscall(SYS_rt_sigprocmask, SIG_SETMASK, &every, NULL, sizeof every);
        compute_quietly(2000000);
        compute(2);
    }
}

static void mode_masked(void)
{
    const unsigned long trap_only = 1ul << (SIGTRAP - 1); /* past libc; a timer's signal still comes */
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &trap_only, NULL, sizeof trap_only);
    compute_quietly(300000000);
    compute(50);
    syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &trap_only, NULL, sizeof trap_only);
    compute(30);
}

static void mode_flags(void)
{
    long seen = 0;
    const double end = cpu_seconds() + 0.3;
    for (long i = 0; i % 1024 || cpu_seconds() < end; i++) {
        unsigned long flags;
        __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; pop %0; lea 128(%%rsp), %%rsp"
                         : "=r"(flags)
                         :
                         : "memory");
        seen += flags >> 8 & 1;
        sink += (long)flags;
        if (i % 16 == 0)
            __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; popfq; lea 128(%%rsp), %%rsp"
                             :
                             :
                             : "memory", "cc");
    }
    EXPECT(seen == 0);
}

static volatile int traps, trap_code, flags_in_frames;
static void on_trap(int sig, siginfo_t *info, void *context)
{
    const ucontext_t *uc = context;
    traps += sig == SIGTRAP;
    trap_code = info->si_code;
    flags_in_frames += uc->uc_mcontext.gregs[REG_EFL] >> 8 & 1;
}

static void mode_trap_handler(void)
{
    struct sigaction mine = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_RESTART}, now;
    sigaddset(&mine.sa_mask, SIGUSR2);
    sigaction(SIGTRAP, &mine, NULL);
    for (int i = 0; i < 300; i++) {
        compute_quietly(20000);
        __asm__ volatile("int3" : : : "memory");
    }
    EXPECT(traps == 300);
    EXPECT(trap_code == SI_KERNEL);
    EXPECT(flags_in_frames == 0);
    raise(SIGTRAP);
    EXPECT(traps == 301);
    sigaction(SIGTRAP, NULL, &now);
    EXPECT(now.sa_sigaction == on_trap);
    EXPECT((now.sa_flags & ~RESTORER) == (SA_SIGINFO | SA_RESTART));
    EXPECT(sigismember(&now.sa_mask, SIGUSR2) == 1 && sigismember(&now.sa_mask, SIGTRAP) == 0);
    signal(SIGTRAP, SIG_IGN);
    raise(SIGTRAP);
    compute(20);
    EXPECT(signal(SIGTRAP, SIG_DFL) == SIG_IGN);
    sigset_t trap;
    sigemptyset(&trap);
    sigaddset(&trap, SIGTRAP);
    sigaction(SIGTRAP, &mine, NULL);
    sigprocmask(SIG_BLOCK, &trap, NULL);
    raise(SIGTRAP);
    EXPECT(traps == 301);
    compute(20);
    sigprocmask(SIG_UNBLOCK, &trap, NULL);
    EXPECT(traps == 302);
    memset(&mine.sa_mask, 0xff, sizeof mine.sa_mask);
    sigaction(SIGUSR1, &mine, NULL);
    sigaction(SIGUSR1, NULL, &now);
    EXPECT(sigismember(&now.sa_mask, SIGTRAP) == 1);
}

/* A program that steps itself gets a trap for each instruction. */
static void mode_own_steps(void)
{
    enum { LOOPS = 400, STEPS = 2 * LOOPS + 4 };
    const struct sigaction mine = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &mine, NULL);
    compute(60);
    for (int i = 0; i < 300; i++) {
        compute_quietly(3000);
        traps = 0;
        __asm__ volatile("lea -128(%%rsp), %%rsp\n"
                         "pushfq\n"
                         "orq $0x100, (%%rsp)\n"
                         "popfq\n"
                         "movl %0, %%ecx\n"
                         "1: decl %%ecx\n"
                         "jnz 1b\n"
                         "pushfq\n"
                         "andq $~0x100, (%%rsp)\n"
                         "popfq\n"
                         "lea 128(%%rsp), %%rsp"
                         :
                         : "i"(LOOPS)
                         : "rcx", "memory", "cc");
        EXPECT(traps == STEPS);
    }
}

enum { PAGE = 4096, PAGES = 400 };
static char *lazy;
static volatile long lazy_faults, wrong_address;
static char *volatile expected_fault;
extern const char __executable_start, etext;

static void on_lazy_fault(int sig, siginfo_t *info, void *context)
{
    const ucontext_t *uc = context;
    const char *ip = (const char *)uc->uc_mcontext.gregs[REG_RIP];
    if (ip < &__executable_start || ip >= &etext)
        wrong_address++; /* a fault of somebody else's copy of our load */
    if (sig != SIGSEGV || info->si_addr != expected_fault) wrong_address++;
    lazy_faults++;
    mprotect((void *)((unsigned long)info->si_addr & ~(PAGE - 1ul)), PAGE, PROT_READ | PROT_WRITE);
}

static sigjmp_buf back;
static volatile long jumps;
static void on_null(int sig)
{
    (void)sig;
    jumps++;
    siglongjmp(back, 1);
}

static void mode_fault_handler(void)
{
    struct sigaction lazily = {.sa_sigaction = on_lazy_fault, .sa_flags = SA_SIGINFO}, now;
    compute(20);
    lazy = mmap(NULL, (PAGES + 1) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaction(SIGSEGV, &lazily, NULL);
    for (int i = 0; i < PAGES; i++) {
        compute_quietly(3000);
        expected_fault = lazy + i * PAGE + 8 * (i % 512);
        sink += *(volatile long *)expected_fault;
        *(volatile long *)(lazy + i * PAGE) = i;
    }
    EXPECT(lazy_faults == PAGES);
    EXPECT(wrong_address == 0);
    sigaction(SIGSEGV, NULL, &now);
    EXPECT(now.sa_sigaction == on_lazy_fault && (now.sa_flags & ~RESTORER) == SA_SIGINFO);
    struct sigaction leaves = {.sa_handler = on_null, .sa_flags = 0};
    sigaction(SIGSEGV, &leaves, NULL);
    volatile long *guard = (volatile long *)(lazy + PAGES * PAGE);
    for (volatile int i = 0; i < 300; i++) {
        compute_quietly(3000);
        if (sigsetjmp(back, 1) == 0) sink += *guard;
    }
    EXPECT(jumps == 300);
    leaves.sa_flags = SA_RESETHAND | SA_NODEFER;
    sigaction(SIGSEGV, &leaves, NULL);
    if (sigsetjmp(back, 1) == 0) sink += *guard;
    sigaction(SIGSEGV, NULL, &now);
    EXPECT(now.sa_handler == SIG_DFL);
}

static int wait_status(pid_t pid)
{
    int status = -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

static void mode_children(void)
{
    char *const argv[] = {"true", NULL};
    for (volatile int i = 0; i < 8; i++) {
        pid_t pid = fork();
        if (!pid) {
            compute(5);
            _exit(7);
        }
        EXPECT(WEXITSTATUS(wait_status(pid)) == 7);
        compute(1);
        pid = vfork();
        if (!pid) {
            execv("/bin/true", argv);
            _exit(1);
        }
        EXPECT(wait_status(pid) == 0);
        compute(1);
        EXPECT(posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ) == 0);
        EXPECT(wait_status(pid) == 0);
        compute(1);
        EXPECT(system("exit 3") == 3 << 8);
        FILE *p = popen("echo hello", "r");
        char line[16] = "";
        EXPECT(p && fgets(line, sizeof line, p) && strcmp(line, "hello\n") == 0);
        if (p) pclose(p);
    }
    pid_t pid = vfork();
    if (!pid) {
        struct sigaction def = {.sa_handler = SIG_DFL};
        sigaction(SIGTRAP, &def, NULL);
        sigaction(SIGSEGV, &def, NULL);
        _exit(0);
    }
    wait_status(pid);
    compute(20);
}

static void *small_thread(void *unused)
{
    (void)unused;
    compute(3);
    return NULL;
}

static ucontext_t main_context, tiny_context;
static void tiny_body(void)
{
    for (int i = 0; i < 20; i++) {
        compute_quietly(30000);
        swapcontext(&tiny_context, &main_context);
    }
}

static void mode_tiny_stacks(void)
{
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, (size_t)sysconf(_SC_THREAD_STACK_MIN));
    for (int i = 0; i < 20; i++) {
        pthread_t t;
        EXPECT(pthread_create(&t, &attr, small_thread, NULL) == 0);
        pthread_join(t, NULL);
    }
    /* 2 KiB above a guard page: a signal frame of this CPU does not fit. A guard page above it, too: nobody
     * can read beyond the stack's end */
    char *stack = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(stack, PAGE, PROT_NONE);
    mprotect(stack + 2 * PAGE, PAGE, PROT_NONE);
    getcontext(&tiny_context);
    tiny_context.uc_stack = (stack_t){.ss_sp = stack + PAGE, .ss_size = 2048};
    tiny_context.uc_link = &main_context;
    makecontext(&tiny_context, tiny_body, 0);
    for (int i = 0; i < 20; i++)
        swapcontext(&main_context, &tiny_context);
    static char alternate[8192];
    const stack_t mine = {.ss_sp = alternate, .ss_size = sizeof alternate};
    stack_t now = {0};
    EXPECT(sigaltstack(&mine, NULL) == 0);
    EXPECT(sigaltstack(NULL, &now) == 0);
    EXPECT(now.ss_sp == alternate && now.ss_size == sizeof alternate && now.ss_flags == 0);
    compute(30);
    const stack_t none = {.ss_flags = SS_DISABLE};
    EXPECT(sigaltstack(&none, &now) == 0 && now.ss_sp == alternate);
    EXPECT(sigaltstack(NULL, &now) == 0 && now.ss_flags == SS_DISABLE);
    compute(30);
}

static ucontext_t left_handler, beside;
static volatile long kept, nested;
static void on_nested(int sig)
{
    volatile char over[1024];
    (void)sig;
    memset((char *)over, 0, sizeof over);
    nested++;
}

/* Outside of the handler that was left, which has the stack as it began. */
static void beside_body(void)
{
    raise(SIGUSR2);
    setcontext(&left_handler);
}

static void on_left(int sig)
{
    static char stack[4 * PAGE];
    volatile char local[1024];
    (void)sig;
    memset((char *)local, 7, sizeof local);
    getcontext(&beside);
    beside.uc_stack = (stack_t){.ss_sp = stack, .ss_size = sizeof stack};
    makecontext(&beside, beside_body, 0);
    swapcontext(&left_handler, &beside);
    unsigned same = 0;
    for (unsigned i = 0; i < sizeof local; i++)
        same += local[i] == 7;
    kept += same == sizeof local;
}

/* With SS_AUTODISARM a handler can be left by swapcontext: the next one does not begin on its stack. */
static void mode_autodisarm(void)
{
    enum { AUTODISARM = (int)(1u << 31), ROUNDS = 100 }; /* linux/signal.h */
    static char small[16384], large[131072];
    const stack_t stacks[] = {{.ss_sp = small, .ss_size = sizeof small, .ss_flags = AUTODISARM},
                              {.ss_sp = large, .ss_size = sizeof large, .ss_flags = AUTODISARM}};
    const struct sigaction leaves = {.sa_handler = on_left, .sa_flags = SA_ONSTACK | SA_NODEFER},
                           nests = {.sa_handler = on_nested, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &leaves, NULL);
    sigaction(SIGUSR2, &nests, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        EXPECT(sigaltstack(&stacks[i % 2], NULL) == 0);
        raise(SIGUSR1);
        compute(1);
    }
    EXPECT(kept == ROUNDS && nested == ROUNDS);
}

static volatile long alarms;
static void on_alarm(int sig)
{
    (void)sig;
    alarms++;
    compute_quietly(2000);
    if (alarms % 2) siglongjmp(back, 1);
}

static void mode_longjmp(void)
{
    struct sigaction a = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &a, NULL);
    const struct itimerval often = {.it_interval = {.tv_usec = 1000}, .it_value = {.tv_usec = 1000}},
                           never = {0};
    sigsetjmp(back, 1);
    setitimer(ITIMER_REAL, &often, NULL);
    while (alarms < 200)
        compute_quietly(5000);
    setitimer(ITIMER_REAL, &never, NULL);
    compute(20);
}

static void *ending_thread(void *how)
{
    compute(1);
    if (how) pthread_exit(NULL);
    return NULL;
}

static void *endless_thread(void *unused)
{
    (void)unused;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;)
        compute_quietly(1000);
    return NULL;
}

static void mode_threads(void)
{
    for (int round = 0; round < 10; round++) {
        pthread_t t[4], endless;
        for (int i = 0; i < 4; i++)
            EXPECT(pthread_create(&t[i], NULL, ending_thread, i % 2 ? t : NULL) == 0);
        pthread_create(&endless, NULL, endless_thread, NULL);
        for (int i = 0; i < 4; i++)
            pthread_join(t[i], NULL);
        pthread_cancel(endless);
        pthread_join(endless, NULL);
    }
}

static void mode_seccomp(void)
{
    compute(30);
    prctl(PR_SET_SECCOMP, 1 /* strict: read, write, exit, sigreturn */);
    compute_quietly(200000000);
    syscall(SYS_exit, 0);
}

enum { SET_DISPATCH = 59 }; /* PR_SET_SYSCALL_USER_DISPATCH */
static volatile char dispatch_blocks;
static volatile long dispatched;
static void on_dispatch(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info;
    dispatch_blocks = 0;
    dispatched++;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = 4242;
}

/* System calls of the program are the program's to handle. */
static void mode_dispatch(void)
{
    const struct sigaction mine = {.sa_sigaction = on_dispatch, .sa_flags = SA_SIGINFO};
    sigaction(SIGSYS, &mine, NULL);
    compute(30);
    if (prctl(SET_DISPATCH, 1 /* on */, 0, 0, &dispatch_blocks) != 0) return; /* before Linux 5.11 */
    for (int i = 0; i < 100; i++) {
        dispatch_blocks = 1;
        compute_quietly(1000000);
        EXPECT(syscall(SYS_getppid) == 4242);
        EXPECT(dispatched == i + 1);
    }
}

/* These modes count their failures themselves. */
#define GUARD(name)                       \
    static void mode_##name(void)         \
    {                                     \
        failures += step_victim_##name(); \
    }
GUARD(close)
GUARD(setuid)
GUARD(few_fds)
GUARD(rseq)
GUARD(contended)
GUARD(signalfd)
GUARD(results)

static volatile int poking;
static void *poke_main(void *main_tid)
{
    siginfo_t as_by_timer = {.si_code = SI_TIMER, .si_signo = SIGRTMAX};
    as_by_timer.si_value.sival_ptr = (void *)0x4c6f616473746f6eul; /* value of the engine's timers */
    /* A call that is restarted waits for its whole time again: some pauses let it end. */
    for (unsigned i = 0; poking; i++) {
        usleep(i % 4 ? 700 : 4000);
        syscall(SYS_rt_tgsigqueueinfo, getpid(), (pid_t)(long)main_tid, SIGRTMAX, &as_by_timer);
    }
    return NULL;
}

static void mode_eintr(void)
{
    const char *trigger = getenv("LOADSTONE_TRIGGER");
    long interrupted = 0;
    pthread_t poker;
    poking = trigger && strcmp(trigger, "timer") == 0;
    const int pokes = poking;
    if (pokes) pthread_create(&poker, NULL, poke_main, (void *)(long)gettid());
    for (int i = 0; i < 150; i++) {
        compute(1);
        const struct timespec ms = {.tv_nsec = 1000000};
        struct pollfd none = {.fd = -1};
        interrupted += poll(&none, 1, 1) < 0;
        interrupted += nanosleep(&ms, NULL) < 0;
        interrupted += select(0, NULL, NULL, NULL, &(struct timeval){.tv_usec = 500}) < 0;
    }
    EXPECT(interrupted == 0);
    poking = 0;
    if (pokes) pthread_join(poker, NULL);
}

static pid_t send_soon(int sig)
{
    const pid_t child = fork();
    if (child == 0) {
        usleep(30000);
        kill(getppid(), sig);
        _exit(0);
    }
    return child;
}

static volatile int handled;
static void on_long_signal(int sig)
{
    (void)sig;
    compute(20);
    handled++;
}

/* A handler on the alternate stack takes so long that a timer of its CPU time waits until it returns. */
static void mode_ended_call(void)
{
    static char alternate[65536];
    const stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
    const struct sigaction action = {.sa_handler = on_long_signal, .sa_flags = SA_ONSTACK};
    int pipes[2];
    EXPECT(pipe(pipes) == 0 && sigaltstack(&stack, NULL) == 0);
    alarm(10);
    sigaction(SIGUSR1, &action, NULL);
    compute(30);
    for (int i = 0; i < 6; i++) {
        char byte;
        struct pollfd readable = {.fd = pipes[0], .events = POLLIN};
        const pid_t child = send_soon(SIGUSR1);
        errno = 0;
        EXPECT((i % 2 ? poll(&readable, 1, 200) : read(pipes[0], &byte, 1)) == -1 && errno == EINTR);
        EXPECT(handled == i + 1);
        wait_status(child);
    }
}

/* Kept back for a program that blocks them, signals are still pending and can be waited for; the engine's own
 * are never received. */
static void mode_waits(void)
{
    sigset_t all, set, pending;
    siginfo_t info;
    int got = 0;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    compute(20);
    sigpending(&pending);
    EXPECT(sigismember(&pending, SIGTRAP) == 0);
    raise(SIGTRAP);
    sigpending(&pending);
    EXPECT(sigismember(&pending, SIGTRAP) == 1);
    sigemptyset(&set);
    sigaddset(&set, SIGTRAP);
    EXPECT(sigwait(&set, &got) == 0 && got == SIGTRAP);
    sigpending(&pending);
    EXPECT(sigismember(&pending, SIGTRAP) == 0);
    for (int i = 0; i < 200; i++) {
        const struct timespec soon = {.tv_nsec = 50000};
        EXPECT(sigtimedwait(&all, &info, &soon) == -1 && (errno == EAGAIN || errno == EINTR));
        compute(1);
    }
    raise(SIGUSR1);
    EXPECT(sigwaitinfo(&all, &info) == SIGUSR1 && info.si_signo == SIGUSR1);
    raise(SIGRTMAX);
    EXPECT(sigwaitinfo(&all, &info) == SIGRTMAX);
}

/* A thread begins with the signals blocked that the thread which made it blocks. */
static void *inheriting_thread(void *unused)
{
    const int signals[] = {SIGTRAP, SIGRTMAX, SIGUSR1};
    (void)unused;
    for (unsigned i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        sigset_t now, set;
        int got = 0;
        sigprocmask(SIG_BLOCK, NULL, &now);
        EXPECT(sigismember(&now, signals[i]) == 1);
        raise(signals[i]);
        compute(5);
        sigemptyset(&set);
        sigaddset(&set, signals[i]);
        EXPECT(sigwait(&set, &got) == 0 && got == signals[i]);
    }
    return NULL;
}

static void mode_inherited(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    compute(30);
    for (int i = 0; i < 5; i++) {
        pthread_t thread;
        EXPECT(pthread_create(&thread, NULL, inheriting_thread, NULL) == 0);
        EXPECT(pthread_join(thread, NULL) == 0);
    }
}

static volatile int awaited, is_over;
static void *waiting_thread(void *unused)
{
    sigset_t faults;
    (void)unused;
    sigemptyset(&faults);
    sigaddset(&faults, SIGSEGV);
    sigaddset(&faults, SIGFPE);
    for (; awaited < 400 && !failures; awaited++) {
        int got = 0;
        EXPECT(sigwait(&faults, &got) == 0 && got == (awaited % 2 ? SIGSEGV : SIGFPE));
    }
    is_over = 1;
    return NULL;
}

static void *sending_thread(void *unused)
{
    (void)unused;
    for (int sent = 0; !is_over;) {
        usleep(300);
        if (sent > awaited) continue;
        kill(getpid(), sent % 2 ? SIGSEGV : SIGFPE);
        sent++;
    }
    return NULL;
}

/* Signals of the process that all threads block come to the one that waits for them. */
static void mode_waiter(void)
{
    pthread_t threads[2];
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGALRM);
    alarm(10);
    sigprocmask(SIG_BLOCK, &all, NULL);
    compute(60);
    pthread_create(&threads[0], NULL, waiting_thread, NULL);
    pthread_create(&threads[1], NULL, sending_thread, NULL);
    while (!is_over)
        compute_quietly(100000);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

static volatile int received;
static void on_received(int sig)
{
    received = sig;
}

enum { WAITS = 4 };

/* Wait in one of the calls that take a mask. */
static int wait_with(int call, const sigset_t *mask)
{
    const struct timespec long_enough = {.tv_sec = 20};
    struct epoll_event event;
    switch (call) {
    case 0:
        return sigsuspend(mask);
    case 1:
        return ppoll(NULL, 0, &long_enough, mask);
    case 2:
        return pselect(0, NULL, NULL, NULL, &long_enough, mask);
    default: {
        const int fd = epoll_create1(EPOLL_CLOEXEC);
        const int result = epoll_pwait(fd, &event, 1, 20000, mask);
        close(fd);
        return result;
    }
    }
}

/* Signals that the program blocks, and lets through only while it waits: whether they come before or meanwhile. */
static void wait_for(int sig)
{
    sigset_t only, open, now;
    sigemptyset(&only);
    sigaddset(&only, sig);
    sigprocmask(SIG_BLOCK, &only, &open);
    sigdelset(&open, sig);
    for (int i = 0; i < 2 * WAITS; i++) {
        const pid_t child = i % 2 ? send_soon(sig) : 0;
        received = 0;
        if (!child) raise(sig);
        compute(2);
        EXPECT(i % 2 || received == 0);
        while (!received)
            EXPECT(wait_with(i / 2, &open) == -1 && errno == EINTR);
        EXPECT(received == sig);
        if (child) wait_status(child);
        sigprocmask(SIG_BLOCK, NULL, &now);
        EXPECT(sigismember(&now, sig) == 1);
    }
    sigprocmask(SIG_UNBLOCK, &only, NULL);
}

/* Waiting as natively: it would wait for ever otherwise, and the alarm ends it. */
static void mode_suspend(void)
{
    const int signals[] = {SIGTRAP, SIGRTMAX, SIGUSR1};
    for (unsigned i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        const struct sigaction action = {.sa_handler = on_received};
        sigset_t blocked, none, now;
        int pipes[2];
        char byte;
        alarm(30);
        sigaction(signals[i], &action, NULL);
        wait_for(signals[i]);
        /* without SA_RESTART */
        EXPECT(pipe(pipes) == 0);
        pid_t child = send_soon(signals[i]);
        EXPECT(read(pipes[0], &byte, 1) == -1 && errno == EINTR);
        wait_status(child);
        close(pipes[0]);
        close(pipes[1]);
        /* the mask of a vfork child is its own */
        sigemptyset(&none);
        sigemptyset(&blocked);
        sigaddset(&blocked, signals[i]);
        sigprocmask(SIG_BLOCK, &blocked, NULL);
        child = vfork();
        if (child == 0) {
            sigprocmask(SIG_SETMASK, &none, NULL);
            _exit(0);
        }
        wait_status(child);
        sigprocmask(SIG_BLOCK, NULL, &now);
        EXPECT(sigismember(&now, signals[i]) == 1);
        sigprocmask(SIG_SETMASK, &none, NULL);
        alarm(0);
    }
}

/* A burst must not begin under a tracer, which would get each of its traps; only the few signals until the
 * next look for a tracer, at the latest the eighth, can be seen. */
static void mode_traced(void)
{
    int status = 0, traps = 0;
    const pid_t child = fork();
    if (child == 0) {
        compute(100); /* the only time in which it may be sampled */
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        compute(60);
        _exit(7);
    }
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        const int sig = WSTOPSIG(status);
        traps += sig == SIGTRAP;
        ptrace(PTRACE_CONT, child, NULL, (void *)(long)(sig == SIGSTOP ? 0 : sig));
    }
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    EXPECT(traps < 14);
}

static void mode_die_null(void)
{
    compute(30);
    volatile long *volatile null = NULL;
    sink = *null;
}

static void mode_die_int3(void)
{
    compute(30);
    __asm__ volatile("int3");
}

static void mode_die_sent(void)
{
    compute(10);
    kill(getpid(), SIGSEGV);
    for (;;)
        compute(1);
}

static void mode_die_abort(void)
{
    compute(10);
    abort();
}

static const struct {
    const char *name;
    void (*run)(void);
} modes[] = {
    {"blocked", mode_blocked},
    {"masked", mode_masked},
    {"flags", mode_flags},
    {"trap-handler", mode_trap_handler},
    {"own-steps", mode_own_steps},
    {"fault-handler", mode_fault_handler},
    {"children", mode_children},
    {"tiny-stacks", mode_tiny_stacks},
    {"autodisarm", mode_autodisarm},
    {"longjmp", mode_longjmp},
    {"threads", mode_threads},
    {"close", mode_close},
    {"seccomp", mode_seccomp},
    {"dispatch", mode_dispatch},
    {"setuid", mode_setuid},
    {"few-fds", mode_few_fds},
    {"rseq", mode_rseq},
    {"contended", mode_contended},
    {"signalfd", mode_signalfd},
    {"eintr", mode_eintr},
    {"ended-call", mode_ended_call},
    {"waits", mode_waits},
    {"inherited", mode_inherited},
    {"waiter", mode_waiter},
    {"suspend", mode_suspend},
    {"traced", mode_traced},
    {"die-null", mode_die_null},
    {"die-int3", mode_die_int3},
    {"die-sent", mode_die_sent},
    {"die-abort", mode_die_abort},
    {"results", mode_results},
    {"known", step_victim_known},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(argv[1], modes[i].name) != 0) continue;
        modes[i].run();
        return failures != 0;
    }
    fprintf(stderr, "usage: step_victim MODE\n");
    return 2;
}
