/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: proc_victim MODE [ARGUMENT]: processes, phases and switches as programs use them, with known truth.
 * Modes that are sampled run until they have used a given CPU time, not for a given wall time. */
#define _GNU_SOURCE
#include <loadstone/loadstone.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK_BYTES = 8 << 20, SPIN_MS = 400, STACK_BYTES = 1 << 16 };

static const char *self;

static uint64_t clock_ms(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static volatile uint8_t sink;

/* Random loads all over block, for ms of this thread's CPU time. */
static void sweep(const uint8_t *block, size_t len_bytes, uint64_t ms)
{
    uint64_t x = 1;
    const uint64_t end_ms = clock_ms(CLOCK_THREAD_CPUTIME_ID) + ms;
    while (clock_ms(CLOCK_THREAD_CPUTIME_ID) < end_ms)
        for (int i = 0; i < 1000; i++) {
            x = x * UINT64_C(6364136223846793005) + 1; /* Knuth, MMIX */
            sink += block[(x >> 33) % len_bytes];
        }
}

static uint8_t *new_block(size_t len_bytes)
{
    uint8_t *p = malloc(len_bytes);
    if (!p) exit(90);
    memset(p, 1, len_bytes);
    return p;
}

/* Volatile: the compiler may not drop the pair. */
static void use_block(size_t len_bytes)
{
    void *volatile p = malloc(len_bytes);
    if (p) memset(p, 1, 1);
    free(p);
}

static int wait_status(pid_t pid)
{
    int status = -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void wait_for_file(const char *path)
{
    for (int i = 0; i < 6000 && access(path, F_OK) != 0; i++)
        usleep(10000);
}

static void make_file(const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT, 0600);
    if (fd >= 0) close(fd);
}

/* --- trees --- */

static uint8_t *shared, *plain;

static void fork_child(void)
{
    sweep(shared, BLOCK_BYTES, SPIN_MS);
    sweep(plain, BLOCK_BYTES, SPIN_MS);
    free(plain);
    plain = NULL;
    char *const args[] = {(char *)self, (char *)"long-leaf", (char *)"3", NULL};
    const pid_t pid = fork();
    if (pid == 0) execv(self, args);
    exit(wait_status(pid));
}

/* The child reads memory that was allocated before the fork; the parent frees it at once. */
static int run_fork(void)
{
    smr_tree *tree;
    smr_node *node;
    if (smr_tree_new(&tree) != LS_OK) return 91;
    shared = new_block(BLOCK_BYTES);
    plain = new_block(BLOCK_BYTES);
    const struct smr_spec spec = {"shared", shared, shared + BLOCK_BYTES, 8, 1};
    if (smr_tree_insert(tree, &spec, &node) != LS_OK) return 92;
    printf("shared %p plain %p len %d\n", (void *)shared, (void *)plain, BLOCK_BYTES);
    fflush(stdout);
    loadstone_phase_begin("prepared");
    const pid_t pid = fork();
    if (pid == 0) fork_child();
    free(plain);
    free(shared);
    loadstone_phase_end("prepared");
    return wait_status(pid);
}

static int leaf(const char *status, uint64_t ms)
{
    uint8_t *own = new_block(BLOCK_BYTES);
    sweep(own, BLOCK_BYTES, ms);
    return status ? atoi(status) : 0;
}

static int run_leaf(const char *status)
{
    return leaf(status, SPIN_MS / 8);
}

/* Long enough to be sampled. */
static int run_long_leaf(const char *status)
{
    return leaf(status, SPIN_MS);
}

static int clone_child(void *arg)
{
    use_block((size_t)(uintptr_t)arg);
    loadstone_phase_begin("in clone");
    return 21;
}

static int raw_thread(void *arg)
{
    *(volatile int *)arg = 1;
    return 0;
}

/* Children and threads made below fork() and pthread_create(). */
static int run_clone(void)
{
    uint8_t *stack = new_block(2 * STACK_BYTES);
    volatile int seen = 0;
    int failed = 0;
    use_block(30001);
    const int pid = clone(clone_child, stack + STACK_BYTES, SIGCHLD, (void *)(uintptr_t)30011);
    failed |= wait_status(pid) != 21;
    const pid_t forked = _Fork();
    if (forked == 0) {
        use_block(30013);
        _exit(22);
    }
    failed |= wait_status(forked) != 22;
    const pid_t raw = (pid_t)syscall(SYS_fork);
    if (raw == 0) {
        use_block(30017);
        _exit(23);
    }
    failed |= wait_status(raw) != 23;
    const int tid = clone(raw_thread, stack + 2 * STACK_BYTES, CLONE_VM | SIGCHLD, (void *)(uintptr_t)&seen);
    failed |= wait_status(tid) != 0 || !seen;
    errno = 0;
    failed |= clone(NULL, stack, SIGCHLD, NULL) != -1 || errno != EINVAL;
    free(stack);
    return failed;
}

static int run_spawn(void)
{
    char command[4200];
    char *const args[] = {(char *)self, (char *)"leaf", (char *)"31", NULL};
    char *const empty[] = {NULL};
    pid_t pid;
    int failed = posix_spawn(&pid, self, NULL, NULL, args, empty) != 0 || wait_status(pid) != 31;
    const pid_t child = vfork();
    if (child == 0) {
        execve(self, args, empty);
        _exit(99);
    }
    failed |= wait_status(child) != 31;
    snprintf(command, sizeof(command), "'%s' leaf 32", self);
    failed |= WEXITSTATUS(system(command)) != 32;
    snprintf(command, sizeof(command), "('%s' leaf 33; true); exit 5", self);
    FILE *p = popen(command, "r");
    failed |= !p || WEXITSTATUS(pclose(p)) != 5;
    return failed;
}

static pid_t killed_child(int signal_number)
{
    const pid_t pid = fork();
    if (pid != 0) return pid;
    use_block(60001);
    raise(signal_number);
    _exit(97);
}

/* Killed children, and each way to wait for them; the statuses are the same as without a recording. */
static int run_killed(void)
{
    int status = -1, failed = 0;
    struct rusage usage;
    siginfo_t info;
    pid_t pid = killed_child(SIGKILL);
    failed |= wait(&status) != pid || status != SIGKILL;
    pid = killed_child(SIGTERM);
    failed |= waitpid(pid, NULL, 0) != pid;
    pid = killed_child(SIGUSR1);
    failed |= wait3(&status, 0, &usage) != pid || status != SIGUSR1;
    pid = killed_child(SIGUSR2);
    failed |= wait4(pid, &status, 0, &usage) != pid || status != SIGUSR2;
    pid = killed_child(SIGALRM);
    failed |=
        waitid(P_PID, (id_t)pid, &info, WEXITED) != 0 || info.si_status != SIGALRM || info.si_pid != pid;
    status = 12345;
    failed |= wait(&status) != -1 || errno != ECHILD || status != 12345;
    return failed;
}

/* A copy of the environment, as a server keeps it for the programs that it will start. */
static char **copy_environment(void)
{
    size_t len = 0;
    while (environ[len])
        len++;
    char **copy = calloc(len + 1, sizeof(*copy));
    for (size_t i = 0; copy && i < len; i++)
        copy[i] = strdup(environ[i]);
    return copy ? copy : environ;
}

static pid_t vfork_shell(char *const argv[])
{
    const pid_t pid = vfork();
    if (pid == 0) execv("/bin/sh", argv);
    return pid;
}

/* Start shells in every way, with the own environment and with the copy. They and their children write theirs
 * to env.WAY and env.WAY.below. */
static void start_heirs(char **copy)
{
    enum { SYSTEM, POPEN, SPAWN, SPAWN_COPY, VFORK, EXEC_COPY, RAW, RAW_COPY, WAYS };
    char script[128];
    char *argv[] = {"sh", "-c", script, NULL};
    for (int way = 0; way < WAYS; way++) {
        pid_t pid = 0;
        snprintf(script, sizeof(script), "env >env.%d && sh -c 'env >env.%d.below; true'; true", way, way);
        if (way == SYSTEM) {
            if (system(script) != 0) exit(95);
        } else if (way == POPEN) {
            pclose(popen(script, "r"));
        } else if (way == SPAWN || way == SPAWN_COPY) {
            posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, way == SPAWN ? environ : copy);
        } else if (way == VFORK) {
            pid = vfork_shell(argv);
        } else if ((pid = fork()) == 0) {
            if (way == EXEC_COPY) execve("/bin/sh", argv, copy);
            syscall(SYS_execve, "/bin/sh", argv, way == RAW ? environ : copy);
            _exit(98);
        }
        if (pid > 0) waitpid(pid, NULL, 0);
    }
}

/* The daemon outlives its parents and the session, and closes inherited files. It continues when the file
 * "release" is in DIR. */
static int run_daemon(const char *dir)
{
    if (!dir || chdir(dir) != 0) return 93;
    if (fork() != 0) return 7;
    setsid();
    if (fork() != 0) _exit(0);
    for (int fd = 0; fd < 1024; fd++)
        close(fd);
    for (int fd = 0; fd < 3; fd++)
        if (open("/dev/null", O_RDWR) != fd) return 94;
    char **const copy = copy_environment();
    loadstone_phase_begin("daemon");
    use_block(40001);
    make_file("ready");
    wait_for_file("release");
    loadstone_phase_begin("late");
    use_block(40003);
    start_heirs(copy);
    make_file("done");
    exit(8);
}

/* The work before a kill is in the profile. */
static int run_kill(const char *count)
{
    char name[32];
    for (int i = 0; i < atoi(count); i++) {
        snprintf(name, sizeof(name), "marker %d", i);
        loadstone_phase_begin(name);
        use_block(50001);
        loadstone_phase_end(name);
    }
    loadstone_phase_begin("last words");
    kill(getpid(), SIGKILL);
    return 94;
}

/* --- phases --- */

static pthread_barrier_t both;

static void *phase_worker(void *block)
{
    pthread_barrier_wait(&both); /* the main thread is in solve */
    sweep(block, BLOCK_BYTES, SPIN_MS);
    loadstone_phase_begin("assemble");
    sweep(block, BLOCK_BYTES, SPIN_MS);
    loadstone_phase_begin("left open");
    pthread_barrier_wait(&both);
    return NULL;
}

static int run_phases(void)
{
    pthread_t worker;
    uint8_t *block = new_block(BLOCK_BYTES);
    pthread_barrier_init(&both, NULL, 2);
    loadstone_phase_end("never begun");
    loadstone_phase_begin("solve");
    if (pthread_create(&worker, NULL, phase_worker, block) != 0) return 95;
    pthread_barrier_wait(&both);
    pthread_barrier_wait(&both);
    pthread_join(worker, NULL);
    loadstone_phase_end("solve");
    free(block);
    return 0;
}

/* --- switches --- */

/* Each phase lasts until its CPU time is used. */
static void busy_phase(const char *name, const uint8_t *block)
{
    loadstone_phase_begin(name);
    sweep(block, BLOCK_BYTES, SPIN_MS);
    loadstone_phase_end(name);
}

static int run_switch(const char *how)
{
    uint8_t *block = new_block(BLOCK_BYTES);
    const int is_signal = how && strcmp(how, "signal") == 0;
    busy_phase("before", block);
    if (is_signal)
        raise(SIGUSR2);
    else
        loadstone_start();
    busy_phase("on", block);
    if (is_signal)
        raise(SIGUSR2);
    else
        loadstone_stop();
    busy_phase("off", block);
    if (is_signal)
        raise(SIGUSR2);
    else
        loadstone_start();
    busy_phase("on again", block);
    free(block);
    return 0;
}

/* Loads of block for ms of the clock, read without a system call: such would end a burst. */
static void read_for(const volatile uint8_t *block, uint64_t ms)
{
    const uint64_t end_ms = clock_ms(CLOCK_MONOTONIC) + ms;
    while (clock_ms(CLOCK_MONOTONIC) < end_ms)
        for (int i = 0; i < 50; i++)
            sink += block[i * 64];
}

static smr_node *named_range(smr_tree *tree, const char *label, const uint8_t *start)
{
    smr_node *node = NULL;
    const struct smr_spec spec = {label, start, start + BLOCK_BYTES, 1, 1};
    return smr_tree_insert(tree, &spec, &node) == LS_OK ? node : NULL;
}

/* On and off by turns: at a good part of the stops a burst is on its way. */
static int run_stops(void)
{
    enum { TURN_MS = 3 };
    smr_tree *tree;
    uint8_t *wanted = new_block(BLOCK_BYTES), *unwanted = new_block(BLOCK_BYTES);
    if (smr_tree_new(&tree) != LS_OK || !named_range(tree, "wanted", wanted) ||
        !named_range(tree, "unwanted", unwanted))
        return 91;
    const uint64_t end_ms = clock_ms(CLOCK_THREAD_CPUTIME_ID) + SPIN_MS;
    while (clock_ms(CLOCK_THREAD_CPUTIME_ID) < end_ms) {
        loadstone_start();
        read_for(wanted, TURN_MS);
        loadstone_stop();
        read_for(unwanted, TURN_MS);
    }
    smr_tree_free(tree);
    free(wanted);
    free(unwanted);
    return 0;
}

/* Compute until `ms` of the clock have passed, and then for at least SPIN_MS of CPU time. Print the time from
 * which delays count. */
static int run_busy(const char *ms)
{
    const char *start = getenv("LOADSTONE_START");
    printf("%s\n", start ? start : "0");
    uint8_t *block = new_block(BLOCK_BYTES);
    const uint64_t end_ms = clock_ms(CLOCK_MONOTONIC) + (uint64_t)atoi(ms);
    while (clock_ms(CLOCK_MONOTONIC) < end_ms)
        sweep(block, BLOCK_BYTES, 10);
    sweep(block, BLOCK_BYTES, SPIN_MS);
    free(block);
    return 0;
}

static int run_dump(const char *path)
{
    uint8_t *block = new_block(BLOCK_BYTES);
    loadstone_set("threshold", "0");
    sweep(block, BLOCK_BYTES, SPIN_MS);
    loadstone_dump_samples(path, 4, 4, 4);
    free(block);
    return 0;
}

/* Resident memory grows by a known amount. */
static int run_grow(void)
{
    enum { STEPS = 8, STEP_BYTES = 16 << 20 };
    for (int i = 0; i < STEPS; i++) {
        loadstone_phase_begin("grow");
        new_block(STEP_BYTES);
        usleep(15000); /* a value every 10 ms at most */
        loadstone_phase_end("grow");
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
        int (*run_with)(const char *argument);
    } modes[] = {
        {"fork", run_fork, NULL},     {"leaf", NULL, run_leaf},   {"long-leaf", NULL, run_long_leaf},
        {"clone", run_clone, NULL},   {"spawn", run_spawn, NULL}, {"killed", run_killed, NULL},
        {"daemon", NULL, run_daemon}, {"kill", NULL, run_kill},   {"phases", run_phases, NULL},
        {"switch", NULL, run_switch}, {"busy", NULL, run_busy},   {"dump", NULL, run_dump},
        {"grow", run_grow, NULL},     {"stops", run_stops, NULL},
    };
    static char path[4096];
    self = realpath("/proc/self/exe", path) ? path : argv[0];
    for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++)
        if (strcmp(argv[1], modes[i].name) == 0)
            return modes[i].run ? modes[i].run() : modes[i].run_with(argc > 2 ? argv[2] : NULL);
    fprintf(stderr, "usage: proc_victim MODE [ARGUMENT]\n");
    return 2;
}
