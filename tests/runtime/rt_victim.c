/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs with typical and unusual behaviour. Each prints its findings and must print the same, and end the
 * same, with and without the preload. Sizes are odd numbers, so that the tests find the blocks again in the
 * spool. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

static const char *self;

/* Volatile: the compiler may not drop the pair. */
static void use_block(size_t len)
{
    void *volatile p = malloc(len);
    if (p) memset(p, 1, len);
    free(p);
}

/* Many blocks of a megabyte and more, so that no budget leaves any out: more records than a chunk of the
 * spool has room for. Their memory is not touched, or they would take seconds. */
static void use_many_blocks(size_t len)
{
    for (int i = 0; i < 20000; i++) {
        void *volatile p = malloc(len);
        free(p);
    }
}

static int wait_for(pid_t pid)
{
    int status = -1;
    waitpid(pid, &status, 0);
    return status;
}

static int run_leaf(int argc, char **argv)
{
    const size_t len = argc > 2 ? strtoul(argv[2], NULL, 10) : 10001;
    use_block(len);
    printf("leaf %zu\n", len);
    return 7;
}

static void *short_thread(void *arg)
{
    use_block((1 << 20) + 5001); /* 1 MiB and more: recorded with any budget */
    return arg;
}

/* Start and end threads, four at a time, some with the smallest stack. */
static int run_threads(int argc, char **argv)
{
    enum { ROUNDS = 250, SIDE = 4 };
    uintptr_t sum = 0;
    pthread_attr_t small;
    (void)argc;
    (void)argv;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t t[SIDE];
        for (uintptr_t k = 0; k < SIDE; k++)
            if (pthread_create(&t[k], k & 1 ? &small : NULL, short_thread, (void *)(k + 1)) != 0) return 1;
        for (int k = 0; k < SIDE; k++) {
            void *result;
            pthread_join(t[k], &result);
            sum += (uintptr_t)result;
        }
    }
    printf("sum %" PRIuPTR "\n", sum);
    return 0;
}

static void *idle_thread(void *arg)
{
    return arg;
}

/* Threads that record only their begin and end. */
static int run_idle(int argc, char **argv)
{
    enum { THREADS = 1000 };
    (void)argc;
    (void)argv;
    for (int i = 0; i < THREADS; i++) {
        pthread_t t;
        if (pthread_create(&t, NULL, idle_thread, NULL) != 0) return 1;
        pthread_join(t, NULL);
    }
    puts("idle");
    return 0;
}

static volatile int is_over;

static void *busy_thread(void *arg)
{
    uintptr_t blocks = 0;
    for (; !is_over; blocks++)
        use_block((1 << 20) + 7001);
    return (void *)(blocks > 0 ? (uintptr_t)arg : 0);
}

/* Children leave a process whose other threads are in the middle of a record. */
static int run_forks(int argc, char **argv)
{
    enum { FORKS = 40, SIDE = 3 };
    pthread_t t[SIDE];
    int good = 0;
    (void)argc;
    (void)argv;
    for (uintptr_t k = 0; k < SIDE; k++)
        if (pthread_create(&t[k], NULL, busy_thread, (void *)(k + 1)) != 0) return 1;
    for (int i = 0; i < FORKS; i++) {
        usleep(500);
        const pid_t pid = fork();
        if (pid == 0) {
            use_block((1 << 20) + 7003);
            _exit(5);
        }
        good += WEXITSTATUS(wait_for(pid)) == 5;
    }
    is_over = 1;
    for (int k = 0; k < SIDE; k++)
        pthread_join(t[k], NULL);
    use_block((1 << 20) + 7005);
    printf("%d children\n", good);
    return 0;
}

static int run_fork(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    use_block(20001);
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        use_block(20003);
        _exit(3);
    }
    const int first = wait_for(pid);
    const pid_t raw = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (raw == 0) {
        use_block(20005);
        _exit(4);
    }
    printf("status %d %d\n", first, wait_for(raw));
    use_block(20007);
    return 0;
}

static int run_vfork(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    fflush(stdout);
    const pid_t pid = vfork();
    if (pid == 0) {
        char *const empty[] = {NULL};
        char *const args[] = {(char *)self, (char *)"leaf", (char *)"30001", NULL};
        close_range(3, ~0U, 0);
        execve("/nowhere/at/all", args, empty);
        execve(self, args, empty);
        _exit(9);
    }
    printf("status %d\n", wait_for(pid));
    use_block(30003);
    return 0;
}

static int run_spawn(int argc, char **argv)
{
    char *const args[] = {(char *)self, (char *)"leaf", (char *)"40001", NULL};
    char *const empty[] = {NULL};
    pid_t pid;
    (void)argc;
    (void)argv;
    fflush(stdout);
    if (posix_spawn(&pid, self, NULL, NULL, args, empty) != 0) return 1;
    printf("status %d\n", wait_for(pid));
    fflush(stdout);
    if (posix_spawnp(&pid, self, NULL, NULL, args, NULL) != 0) return 1;
    printf("status %d\n", wait_for(pid));
    return 0;
}

static int run_system(int argc, char **argv)
{
    char line[4200];
    (void)argc;
    (void)argv;
    snprintf(line, sizeof(line), "%s leaf 50001", self);
    fflush(stdout);
    printf("system %d\n", system(line));
    snprintf(line, sizeof(line), "%s leaf 50003", self);
    fflush(stdout);
    FILE *p = popen(line, "r");
    while (p && fgets(line, sizeof(line), p))
        printf("popen %s", line);
    printf("pclose %d\n", p ? pclose(p) : -1);
    return 0;
}

/* One image after the other in one process, the environment cleared each time. */
static int run_exec(int argc, char **argv)
{
    static const char *const calls[] = {"execle", "execve", "execl",   "execv",
                                        "execlp", "execvp", "fexecve", "leaf"};
    const size_t step = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    char next[8];
    char *const empty[] = {NULL};
    use_block(60001 + 2 * step);
    printf("%s\n", calls[step]);
    fflush(stdout);
    snprintf(next, sizeof(next), "%zu", step + 1);
    char *const args[] = {(char *)self, (char *)"exec", next, NULL};
    clearenv();
    switch (step) {
    case 0:
        execle("/nowhere/at/all", self, "exec", next, NULL, empty);
        return execle(self, self, "exec", next, NULL, empty);
    case 1:
        return execve(self, args, empty);
    case 2:
        return execl(self, self, "exec", next, NULL);
    case 3:
        return execv(self, args);
    case 4:
        return execlp(self, self, "exec", next, NULL);
    case 5:
        return execvp(self, args);
    case 6:
        return fexecve(open(self, O_RDONLY | O_CLOEXEC), args, empty);
    default:
        return 5;
    }
}

static int run_closefds(int argc, char **argv)
{
    const char *how = argc > 2 ? argv[2] : "loop";
    struct rlimit limit;
    int failed = 0;
    use_block(70001);
    if (strcmp(how, "close_range") == 0)
        failed = close_range(3, ~0U, 0) != 0;
    else if (strcmp(how, "close_range_by_number") == 0)
        failed = syscall(SYS_close_range, 3, ~0U, 0) != 0;
    else if (strcmp(how, "closefrom") == 0)
        closefrom(3);
    else if (strcmp(how, "loop_by_number") == 0)
        for (int fd = 3; fd < 1200; fd++)
            syscall(SYS_close, fd);
    else if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
        for (int fd = 3; fd < (int)limit.rlim_cur && fd < 70000; fd++)
            close(fd);
    const int fd = open("/dev/null", O_RDONLY);
    use_many_blocks((1 << 20) + 70003);
    use_block((1 << 20) + 70005);
    printf("%d lowest %d\n", failed, fd);
    return 0;
}

/* The program uses the descriptor numbers of the runtime. */
static int run_dup2(int argc, char **argv)
{
    int bad = 0;
    (void)argc;
    (void)argv;
    use_block(71001);
    const int fd = open("/dev/zero", O_RDONLY);
    for (int to = 500; to < 1000; to++) {
        char c = 1;
        bad += dup2(fd, to) != to || read(to, &c, 1) != 1 || c != 0;
    }
    use_many_blocks((1 << 20) + 71003);
    use_block((1 << 20) + 71005);
    for (int to = 500; to < 1000; to++)
        bad += close(to) != 0;
    printf("bad %d\n", bad);
    return 0;
}

static int run_kill9(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    use_block(80001);
    kill(getpid(), SIGKILL);
    return 0;
}

static int run_abort(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    signal(SIGABRT, SIG_DFL);
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    use_block(80003);
    abort();
}

static int run_setuid(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    use_block(90001);
    printf("setuid %d\n", setuid(65534));
    pthread_t t;
    if (pthread_create(&t, NULL, short_thread, NULL) == 0) pthread_join(t, NULL);
    use_many_blocks((1 << 20) + 90003);
    use_block((1 << 20) + 90005);
    return 0;
}

static int run_chroot(int argc, char **argv)
{
    use_block(91001);
    printf("chroot %d %d\n", argc > 2 ? chroot(argv[2]) : -1, chdir("/"));
    pthread_t t;
    if (pthread_create(&t, NULL, short_thread, NULL) == 0) pthread_join(t, NULL);
    use_block(91003);
    return 0;
}

static int run_strict(int argc, char **argv)
{
    void *volatile p = malloc(92001);
    (void)argc;
    (void)argv;
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0);
    free(p);
    for (int i = 0; i < 100; i++)
        use_block(5003);
    if (write(1, "strict\n", 7) != 7) return 1;
    syscall(SYS_exit, 0);
    return 0;
}

/* Allow only the system calls that the rest of the program needs; any other kills it. */
static int run_filter(int argc, char **argv)
{
#define ALLOW(nr) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##nr, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(write),
        ALLOW(exit_group),
        ALLOW(rt_sigreturn),
        ALLOW(brk),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    const struct sock_fprog prog = {sizeof(code) / sizeof(code[0]), code};
    const int by_syscall = argc > 2 && strcmp(argv[2], "syscall") == 0;
    /* questions, which forbid nothing */
    printf("%d\n", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL));
    printf("%ld\n", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, NULL));
    fflush(stdout);
    use_block(93001);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 1;
    if (by_syscall ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog)
                   : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
        return 1;
    uint64_t sum = 0;
    for (int i = 0; i < 20000; i++) {
        use_block(5003);
        sum += (uint64_t)i;
    }
    if (write(1, "filter\n", 7) != 7) return 1;
    _exit(sum == 0);
}

static void print_failure(const char *what, const void *p)
{
    printf("%s %s errno %d\n", what, p ? "block" : "NULL", p ? 0 : errno);
}

static int run_alloc(int argc, char **argv)
{
    static const size_t aligns[] = {16, 64, 4096, 1 << 20};
    volatile size_t huge = SIZE_MAX / 2;
    void *p = NULL;
    (void)argc;
    (void)argv;
    errno = 0;
    print_failure("calloc", calloc(huge, 3));
    print_failure("reallocarray", reallocarray(NULL, huge, 3));
    print_failure("malloc", malloc(huge + 10));
    printf("posix_memalign bad %d\n", posix_memalign(&p, 3, 100));
    for (size_t i = 0; i < sizeof(aligns) / sizeof(aligns[0]); i++) {
        const int err = posix_memalign(&p, aligns[i], 10007);
        printf("posix_memalign %d %d\n", err, (int)((uintptr_t)p % aligns[i]));
        free(p);
        p = aligned_alloc(aligns[i], aligns[i] * 3);
        printf("aligned_alloc %d %d\n", (int)((uintptr_t)p % aligns[i]),
               malloc_usable_size(p) >= aligns[i] * 3);
        free(p);
        p = memalign(aligns[i], 10009);
        printf("memalign %d\n", (int)((uintptr_t)p % aligns[i]));
        free(p);
    }
    p = valloc(10011);
    printf("valloc %d\n", (int)((uintptr_t)p % 4096));
    free(p);
    p = calloc(10013, 1);
    int sum = 0;
    for (int i = 0; i < 10013; i++)
        sum += ((char *)p)[i];
    printf("calloc sum %d usable %d\n", sum, malloc_usable_size(p) >= 10013);
    ((char *)p)[10012] = 42;
    char *q = realloc(p, 1 << 22);
    printf("realloc %d\n", q[10012]);
    char *volatile r = q;
    void *too_much = realloc(r, huge + 10);
    print_failure("realloc", too_much);
    printf("kept %d\n", r[10012]);
    q = realloc(r, 20000);
    printf("shrunk %d\n", q[10012]);
    errno = 0;
    p = realloc(q, 0);
    printf("realloc 0 %s errno %d\n", p ? "block" : "NULL", errno);
    free(NULL);
    errno = 77;
    void *volatile freed = malloc(100019);
    free(freed);
    printf("errno %d\n", errno);
    p = malloc(0);
    printf("malloc 0 %s\n", p ? "block" : "NULL");
    free(p);
    printf("usable NULL %zu\n", malloc_usable_size(NULL));
    return 0;
}

static pthread_barrier_t all_began, counted;

static void *wait_for_the_count(void *arg)
{
    pthread_barrier_wait(&all_began);
    pthread_barrier_wait(&counted);
    return arg;
}

/* Most descriptors are the program's, however many threads it has. */
static int run_descriptors(int argc, char **argv)
{
    enum { THREADS = 120, LIMIT = 128 };
    const struct rlimit limit = {LIMIT, LIMIT};
    pthread_t threads[THREADS];
    (void)argc;
    (void)argv;
    setrlimit(RLIMIT_NOFILE, &limit);
    pthread_barrier_init(&all_began, NULL, THREADS + 1);
    pthread_barrier_init(&counted, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, wait_for_the_count, NULL) != 0) return 1;
    pthread_barrier_wait(&all_began);
    int count = 0;
    while (open("/dev/null", O_RDONLY) >= 0)
        count++;
    pthread_barrier_wait(&counted);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%s\n", count >= LIMIT * 3 / 4 - 10 ? "most are free" : "few are free");
    return 0;
}

static int use_block_in_thread(void *arg)
{
    use_block(1053583);
    return *(int *)arg;
}

/* Threads of C11. */
static int run_c11(int argc, char **argv)
{
    (void)argv;
    thrd_t t;
    for (int i = 0, result = -1; i < 10; i++) {
        const int made = thrd_create(&t, use_block_in_thread, &argc);
        thrd_join(t, &result);
        printf("%d %d\n", made, result);
    }
    return 0;
}

/* A mapping that becomes longer and shorter where it is. */
static int run_mremap(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    enum { PAGE = 4096 };
    char *p = mmap(NULL, 32 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(p + 8 * PAGE, 24 * PAGE);
    printf("grown %d\n", mremap(p, 8 * PAGE, 21 * PAGE - 5, 0) == p);
    printf("shrunk %d\n", mremap(p, 21 * PAGE, 4 * PAGE, 0) == p);
    return 0;
}

static int run_mmap(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    char *p = mmap(NULL, 3 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    p[5] = 5;
    p = mremap(p, 3 << 20, 5 << 20, MREMAP_MAYMOVE);
    printf("mremap %d\n", p[5]);
    printf("munmap %d\n", munmap(p, 5 << 20));
    const int fd = open(self, O_RDONLY);
    p = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, fd, 4096);
    printf("file %d\n", p != MAP_FAILED);
    printf("munmap %d\n", munmap(p, 8192));
    errno = 0;
    p = mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    printf("empty %d errno %d\n", p == MAP_FAILED, errno);
    printf("munmap odd %d errno %d\n", munmap((void *)1, 1), errno);
    /* by number, and executable, as sbcl maps its heap */
    p = (char *)syscall(SYS_mmap, NULL, 7L << 20, (long)(PROT_READ | PROT_WRITE | PROT_EXEC),
                        (long)(MAP_PRIVATE | MAP_ANONYMOUS), -1L, 0L);
    p[7] = 7;
    printf("call %d munmap %ld\n", p[7], syscall(SYS_munmap, p, 7L << 20));
    errno = 0;
    printf("call empty %ld errno %d\n", syscall(SYS_mmap, NULL, 0L, 0L, (long)MAP_ANONYMOUS, -1L, 0L), errno);
    printf("munmap odd %ld errno %d\n", syscall(SYS_munmap, 1L, 1L), errno);
    return 0;
}

/* A module that its loader's RUNPATH finds. */
static int run_dlopen(int argc, char **argv)
{
    void *outer = argc > 2 ? dlopen(argv[2], RTLD_NOW) : NULL;
    if (!outer) {
        printf("outer: %s\n", dlerror());
        return 1;
    }
    int (*call)(void) = (int (*)(void))dlsym(outer, "outer_call");
    printf("inner says %d\n", call ? call() : -1);
    printf("dlclose %d\n", dlclose(outer));
    printf("missing %d\n", dlopen("libthere-is-no-such-thing.so", RTLD_NOW) == NULL);
    return 0;
}

static void *exit_from_thread(void *arg)
{
    use_block(94001);
    (void)arg;
    exit(6);
}

static int run_exitthread(int argc, char **argv)
{
    pthread_t t;
    (void)argc;
    (void)argv;
    if (pthread_create(&t, NULL, exit_from_thread, NULL) == 0) pthread_join(t, NULL);
    return 0;
}

/* More blocks than the budget lets record. */
/* Blocks are touched, or, where a number is given, they are not. */
static int run_flood(int argc, char **argv)
{
    for (long i = argc > 2 ? strtol(argv[2], NULL, 10) : 0; i > 0; i--) {
        void *volatile p = malloc(5005);
        free(p);
    }
    if (argc > 2) return 0;
    for (int i = 0; i < 1000000; i++)
        use_block(5005);
    use_block(3 << 20);
    puts("flood");
    return 0;
}

struct part {
    const char *name;
    int (*run)(int argc, char **argv);
};

static const struct part parts[] = {
    {"leaf", run_leaf},
    {"threads", run_threads},
    {"fork", run_fork},
    {"vfork", run_vfork},
    {"spawn", run_spawn},
    {"system", run_system},
    {"exec", run_exec},
    {"closefds", run_closefds},
    {"dup2", run_dup2},
    {"kill9", run_kill9},
    {"abort", run_abort},
    {"setuid", run_setuid},
    {"chroot", run_chroot},
    {"strict", run_strict},
    {"filter", run_filter},
    {"alloc", run_alloc},
    {"flood", run_flood},
    {"mmap", run_mmap},
    {"mremap", run_mremap},
    {"c11", run_c11},
    {"descriptors", run_descriptors},
    {"dlopen", run_dlopen},
    {"exitthread", run_exitthread},
    {"idle", run_idle},
    {"forks", run_forks},
};

int main(int argc, char **argv)
{
    self = argv[0];
    for (size_t i = 0; argc > 1 && i < sizeof(parts) / sizeof(parts[0]); i++)
        if (strcmp(argv[1], parts[i].name) == 0) return parts[i].run(argc, argv);
    fprintf(stderr, "usage: rt_victim PART [argument]\n");
    return 2;
}
