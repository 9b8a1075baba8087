/* SPDX-License-Identifier: BSD-3-Clause */
/* A program in many modes whose output does not depend on being recorded. Each is about something that
 * translated bursts could break. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { WORDS = 4096, STACK_BYTES = 65536, PAGE = 4096 };
static uint64_t words[WORDS];
static volatile sig_atomic_t count;

static uint64_t __attribute__((noinline)) work(uint64_t seed)
{
    for (unsigned i = 0; i < WORDS; i++)
        words[(i * 7 + seed) % WORDS] += i ^ seed;
    return words[seed % WORDS];
}

/* Work for this CPU time, so that bursts occur. */
static int goes_on(double seconds)
{
    return (double)clock() < seconds * CLOCKS_PER_SEC;
}

/* The program's own stores to errno are neither lost nor changed. */
static int keep_errno(void)
{
    uint64_t wrong = 0;
    for (unsigned i = 1; i % 64 || goes_on(0.4); i++) { /* few system calls, which end bursts */
        errno = (int)(i & 0x7fff);
        work(i);
        wrong += *(volatile int *)&errno != (int)(i & 0x7fff);
        char *end;
        errno = 0;
        (void)strtol("99999999999999999999", &end, 10);
        wrong += errno != ERANGE;
    }
    printf("%d wrong\n", (int)wrong);
    return wrong != 0;
}

static void on_signal_long(int sig)
{
    (void)sig;
    for (unsigned i = 0; i < 50; i++)
        work(i);
    count++;
}

/* A long handler on the alternate stack: the frame of a burst is on that stack, too. */
static int alternate(void)
{
    const stack_t stack = {.ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES};
    const struct sigaction a = {.sa_handler = on_signal_long, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &a, NULL);
    int sent = 0;
    for (; goes_on(0.5); sent++)
        raise(SIGUSR1);
    printf("%s\n", count == sent ? "all" : "not all");
    return count != sent;
}

static ucontext_t main_context, contexts[2];
static uint64_t turns[2];
static void coroutine(int number)
{
    for (;;) {
        work(turns[number]++);
        swapcontext(&contexts[number], turns[number] % 3 ? &contexts[!number] : &main_context);
    }
}

static int coroutines(void)
{
    for (int i = 0; i < 2; i++) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = malloc(STACK_BYTES);
        contexts[i].uc_stack.ss_size = STACK_BYTES;
        makecontext(&contexts[i], (void (*)(void))coroutine, 1, i);
    }
    int rounds = 0;
    for (; goes_on(0.4); rounds++)
        swapcontext(&main_context, &contexts[rounds % 2]);
    printf("%s\n", turns[0] && turns[1] ? "both" : "not both");
    return 0;
}

static sigjmp_buf back;
static void on_fault(int sig, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_code <= 0) {
        count++;
        return;
    }
    siglongjmp(back, sig);
}

/* Faults that the program leaves by siglongjmp. */
static int faults(void)
{
    const struct sigaction a = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    char *closed = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    volatile int zero = 0, caught = 0, tried = 0;
    sigaction(SIGSEGV, &a, NULL);
    sigaction(SIGFPE, &a, NULL);
    sigaction(SIGILL, &a, NULL);
    while (goes_on(0.5)) {
        work((uint64_t)tried);
        const int sig = sigsetjmp(back, 1);
        if (sig) {
            caught++;
            continue;
        }
        switch (tried++ % 3) {
        case 0:
            *(volatile char *)closed = 1;
            break;
        case 1:
            zero = 7 / zero;
            break;
        default:
            __asm__ volatile("ud2");
        }
    }
    printf("%s\n", caught == tried ? "all" : "not all");
    return caught != tried;
}

static volatile int stop;
static pthread_t victim;
static void *send(void *unused)
{
    static const int signals[] = {SIGSEGV, SIGUSR1, SIGFPE, SIGBUS, SIGILL, SIGTERM};
    (void)unused;
    long sent = 0;
    for (; !stop; sent++) {
        const int before = count;
        pthread_kill(victim, signals[sent % 6]);
        while (count == before && !stop)
            usleep(50);
    }
    return (void *)sent;
}

/* Signals of all kinds that another thread sends. */
static int sent(void)
{
    const struct sigaction a = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    const int all[] = {SIGSEGV, SIGUSR1, SIGFPE, SIGBUS, SIGILL, SIGTERM};
    for (unsigned i = 0; i < 6; i++)
        sigaction(all[i], &a, NULL);
    pthread_t sender;
    void *result;
    victim = pthread_self();
    pthread_create(&sender, NULL, send, NULL);
    for (uint64_t i = 0; goes_on(0.5); i++)
        work(i);
    stop = 1;
    pthread_join(sender, &result);
    printf("%s\n", count == (long)result ? "all" : "not all");
    return count != (long)result;
}

static uint64_t stack_begin, stack_end;
static volatile sig_atomic_t misplaced;
/* A handler interrupts code on the thread's stack or on the alternate stack that the kernel knows. */
static void on_flood(int sig, siginfo_t *info, void *context)
{
    const uint64_t rsp = (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
    stack_t alternate;
    (void)sig, (void)info;
    long result = SYS_sigaltstack;
    __asm__ volatile("syscall" : "+a"(result) : "D"(NULL), "S"(&alternate) : "rcx", "r11", "memory");
    const bool is_alternate = rsp - (uint64_t)(uintptr_t)alternate.ss_sp <= alternate.ss_size;
    if (!is_alternate && (rsp < stack_begin || rsp >= stack_end)) misplaced = 1;
    count++;
}

/* A vector register keeps its value through 2,000 instructions, whatever signals come. */
static bool keeps_vectors(void)
{
    const uint64_t before = UINT64_C(0x123456789abcdef0);
    uint64_t after;
    __asm__ volatile("movq %1, %%xmm9\n"
                     "movl $1000, %%ecx\n"
                     "1: decl %%ecx\n"
                     "jnz 1b\n"
                     "movq %%xmm9, %0"
                     : "=r"(after)
                     : "r"(before)
                     : "ecx", "xmm9", "cc");
    return after == before;
}

static void *send_flood(void *unused)
{
    static const int signals[] = {SIGSEGV, SIGFPE, SIGBUS, SIGILL};
    (void)unused;
    for (unsigned i = 0; !stop; i++)
        pthread_kill(victim, signals[i % 4]);
    return NULL;
}

/* Signals without a pause come at each instruction of the handlers in which bursts run. */
static int flood(void)
{
    const struct sigaction a = {.sa_sigaction = on_flood, .sa_flags = SA_SIGINFO};
    const int all[] = {SIGSEGV, SIGFPE, SIGBUS, SIGILL};
    pthread_attr_t attr;
    pthread_t sender;
    void *stack;
    size_t stack_bytes;
    victim = pthread_self();
    if (pthread_getattr_np(victim, &attr) || pthread_attr_getstack(&attr, &stack, &stack_bytes)) return 77;
    stack_begin = (uint64_t)(uintptr_t)stack;
    stack_end = stack_begin + stack_bytes;
    for (unsigned i = 0; i < 4; i++)
        sigaction(all[i], &a, NULL);
    pthread_create(&sender, NULL, send_flood, NULL);
    int lost = 0;
    for (uint64_t i = 0; goes_on(1); i++) {
        work(i);
        lost += !keeps_vectors();
    }
    stop = 1;
    pthread_join(sender, NULL);
    printf("%s, %s, %d lost\n", count ? "signals" : "no signal",
           misplaced ? "not in the program" : "in the program", lost);
    return misplaced || lost || !count;
}

/* Signals that are sent while they are blocked wait; faults of the burst's own reading must not kill. */
static int blocked(void)
{
    const struct sigaction a = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    static const int signals[] = {SIGSEGV, SIGFPE, SIGBUS, SIGILL};
    sigset_t all, none;
    int early = 0, rounds = 0;
    sigfillset(&all);
    sigemptyset(&none);
    for (unsigned i = 0; i < 4; i++)
        sigaction(signals[i], &a, NULL);
    for (; goes_on(0.5); rounds++) {
        const int before = count;
        sigprocmask(SIG_BLOCK, &all, NULL);
        for (unsigned i = 0; i < 4; i++)
            raise(signals[i]);
        for (uint64_t i = 0; i < 40; i++)
            work(i);
        early += count != before;
        sigprocmask(SIG_SETMASK, &none, NULL);
    }
    printf("%d early, %s\n", early, count == 4 * rounds ? "all" : "not all");
    return early || count != 4 * rounds;
}

static void *run_thread(void *arg)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < 300; i++)
        sum += work(i) & 1;
    (void)sum;
    return arg;
}

/* Processes and threads begin and end while others are in bursts. */
static int storm(void)
{
    int bad = 0;
    while (goes_on(0.5)) {
        pthread_t threads[4];
        for (int i = 0; i < 4; i++)
            bad += pthread_create(&threads[i], NULL, run_thread, NULL) != 0;
        const pid_t child = fork();
        if (child == 0) {
            run_thread(NULL);
            _exit(7);
        }
        int status = 0;
        bad += child < 0 || waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7;
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
    }
    printf("%d bad\n", bad);
    return bad != 0;
}

/* Modules with other code at the same addresses. */
static int unload(int argc, char **argv)
{
    uint64_t wrong = 0;
    if (argc < 4) return 2;
    while (goes_on(0.6)) {
        for (int i = 0; i < 2; i++) {
            void *module = dlopen(argv[2 + i], RTLD_NOW);
            uint64_t (*step)(uint64_t);
            if (!module) return 3;
            *(void **)&step = dlsym(module, "tr_plugin_step");
            uint64_t x = 1;
            for (int k = 0; k < 20000; k++)
                x = step(x);
            wrong += x != (i ? 1 + UINT64_C(3) * 20000 : 1 + UINT64_C(5) * 20000);
            dlclose(module);
        }
    }
    printf("%d wrong\n", (int)wrong);
    return wrong != 0;
}

/* Code of a file that the program changes: lea imm8(%rdi), %rax; ret. */
__asm__(
    ".pushsection .text\n.balign 4096\n.globl tr_patched\ntr_patched: lea 1(%rdi), %rax\n\tret\n.balign 4096\n.popsection");
uint64_t tr_patched(uint64_t x);
static int patch(void)
{
    enum { CALLS = 400000 }; /* some ms, in which the mappings are read again and code is translated */
    uint64_t wrong = 0;
    unsigned char *code = (unsigned char *)(uintptr_t)tr_patched;
    for (unsigned i = 1; goes_on(0.5); i++) {
        const unsigned add = i % 100;
        mprotect(code, PAGE, PROT_READ | PROT_WRITE);
        code[3] = (unsigned char)add;
        mprotect(code, PAGE, PROT_READ | PROT_EXEC);
        uint64_t x = 0;
        for (int k = 0; k < CALLS; k++)
            x = tr_patched(x);
        wrong += x != (uint64_t)CALLS * add;
    }
    printf("%d wrong\n", (int)wrong);
    return wrong != 0;
}

/* Code that is copied to where it runs: a caller, the function it calls, and one that first changes its constant */
__asm__(".pushsection .rodata\n.balign 64\n.globl tr_generated, tr_generated_end\n"
        "tr_generated: call 1f\n\tadd $1, %rax\n\tret\n"
        ".balign 64\n1: lea 2(%rdi), %rax\n\tret\n"
        ".balign 64\n\tmov %sil, 1b + 3(%rip)\n\tcall 1b\n\tret\n"
        "tr_generated_end: .popsection");
extern const char tr_generated[], tr_generated_end[];
enum { CALLER = 0, CALLED = 64, PATCHER = 128, CONSTANT = CALLED + 3 };

/* Call the code at `at` until this CPU time, and change a constant in it meanwhile: through `writable`, which is the same
 * memory (then the code changes itself, too) or another mapping of it. Returns the number of wrong results. */
static uint64_t call_generated(const unsigned char *at, unsigned char *writable, double until_s)
{
    enum { CALLS = 1000 };
    uint64_t (*caller)(uint64_t), (*patcher)(uint64_t, uint64_t), wrong = 0;
    *(const void **)&caller = at + CALLER;
    *(const void **)&patcher = at + PATCHER;
    for (unsigned i = 1; goes_on(until_s); i++) {
        writable[CONSTANT] = (unsigned char)(i % 100);
        uint64_t x = 0, y = 0;
        for (int k = 0; k < CALLS; k++)
            x = caller(x);
        wrong += x != UINT64_C(1000) * (i % 100 + 1);
        if (at != writable) continue;
        for (unsigned k = 0; k < CALLS; k++)
            y = patcher(y, k % 100);
        wrong += y != 49500; /* ten times 0 to 99 */
    }
    return wrong;
}

static int generated(void)
{
    const int fd = memfd_create("generated", 0);
    unsigned char *both =
        mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fd < 0 || ftruncate(fd, PAGE) || both == MAP_FAILED) return 77;
    const unsigned char *code = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    unsigned char *data = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (code == MAP_FAILED || data == MAP_FAILED) return 77;
    memcpy(both, tr_generated, (size_t)(tr_generated_end - tr_generated));
    memcpy(data, tr_generated, (size_t)(tr_generated_end - tr_generated));
    const uint64_t wrong = call_generated(both, both, 0.3);
    const uint64_t wrong_twice = call_generated(code, data, 0.6);
    printf("%d and %d wrong\n", (int)wrong, (int)wrong_twice);
    return wrong + wrong_twice != 0;
}

int main(int argc, char **argv)
{
    const struct {
        const char *name;
        int (*run)(void);
    } modes[] = {{"errno", keep_errno}, {"alternate", alternate}, {"coroutines", coroutines},
                 {"faults", faults},    {"sent", sent},           {"storm", storm},
                 {"blocked", blocked},  {"patch", patch},         {"generated", generated},
                 {"flood", flood}};
    const char *mode = argc > 1 ? argv[1] : "";
    if (strcmp(mode, "unload") == 0) return unload(argc, argv);
    for (unsigned i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(mode, modes[i].name) == 0) return modes[i].run();
    fprintf(stderr, "usage: tr_victim MODE\n");
    return 2;
}
