/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: callbacks_victim MODE [FILE]: natural-domain functions in every situation of a program's life. The
 * counts of a function are written to FILE as lines "element samples cycles", for comparison with the
 * recording. */
#include "loadstone/loadstone.h"
#include "loadstone/ndm.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 160, CELLS = ROWS * ROWS, ROUNDS_MAX = 4000 };

static double *a, *b, *c;
static smr_tree *tree;
static smr_node *node_b;
static uint64_t global_samples[CELLS], global_cost[CELLS];
static uint64_t seen; /* by the function, all cells */
static volatile double result;

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void multiply(double *restrict out)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++) {
            double sum = 0;
            for (int k = 0; k < ROWS; k++)
                sum += a[i * ROWS + k] * b[k * ROWS + j];
            out[i * ROWS + j] = sum;
        }
}

enum { MOST_S = 60 }; /* a machine that is busy elsewhere gives few samples */

/* Run until the function has received `samples` samples, or for a minute. */
static void work_until(uint64_t wanted)
{
    const double end_s = now_s() + MOST_S;
    while (__atomic_load_n(&seen, __ATOMIC_RELAXED) < wanted && now_s() < end_s)
        multiply(c);
    result = c[1];
}

static int has_seen(void)
{
    return __atomic_load_n(&seen, __ATOMIC_RELAXED) > 0;
}

static void work_for(double seconds)
{
    for (const double end_s = now_s() + seconds; now_s() < end_s;)
        multiply(c);
    result = c[1];
}

/* The slides' function: the cost of each element of B. */
static void *matrix_function(smr_node *n, struct mem_sample *sample, void *user)
{
    uint64_t element;
    (void)user;
    if (smr_node_index_of(n, sample->daddr, &element, NULL) != LS_OK) abort();
    global_samples[element]++;
    global_cost[element] += sample->cost;
    __atomic_fetch_add(&seen, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void must(int held, const char *what)
{
    if (held) return;
    fprintf(stderr, "callbacks_victim: %s: %s\n", what, ls_last_error());
    exit(3);
}
#define MUST(call) must((call) == LS_OK, #call)

static smr_node *add(const char *label, double *base)
{
    const struct smr_spec spec = {label, base, base + CELLS, sizeof(double), 1};
    smr_node *n = NULL;
    MUST(smr_tree_insert(tree, &spec, &n));
    return n;
}

static double *matrix(void)
{
    double *m = malloc(CELLS * sizeof(double));
    must(m != NULL, "malloc");
    for (int i = 0; i < CELLS; i++)
        m[i] = i % 7;
    return m;
}

static void set_up(ndm_callback fn, void *user)
{
    a = matrix();
    b = matrix();
    c = matrix();
    MUST(smr_tree_new(&tree));
    add("A", a);
    node_b = add("B", b);
    if (fn) MUST(ndm_map_callback(node_b, NULL, fn, user));
}

static void write_counts(const char *path)
{
    FILE *out = fopen(path, "w");
    must(out != NULL, path);
    for (int i = 0; i < CELLS; i++)
        if (global_samples[i])
            fprintf(out, "%d %llu %llu\n", i, (unsigned long long)global_samples[i],
                    (unsigned long long)global_cost[i]);
    fclose(out);
}

static int threads_now(void)
{
    DIR *d = opendir("/proc/self/task");
    int n = -2;
    while (d && readdir(d))
        n++;
    if (d) closedir(d);
    return n;
}

/* --- modes --- */

static int run_matrix(const char *file)
{
    set_up(matrix_function, NULL);
    work_until(2000);
    loadstone_stop();
    write_counts(file);
    puts("done");
    return 0;
}

/* Samples that exit() finds are passed on before the program's handlers run. */
static const char *exit_file;
static void at_exit(void)
{
    write_counts(exit_file);
}
static int run_exit(const char *file)
{
    exit_file = file;
    atexit(at_exit);
    set_up(matrix_function, NULL);
    work_until(500);
    exit(7);
}

/* The range ends before its samples were looked at. */
static int run_free(const char *file)
{
    set_up(matrix_function, NULL);
    work_until(300);
    work_for(0.15); /* samples that wait now must not be lost */
    free(b);
    loadstone_stop();
    write_counts(file);
    return 0;
}

static void *thread_main(void *unused)
{
    double *out = calloc(CELLS, sizeof(double));
    (void)unused;
    while (__atomic_load_n(&seen, __ATOMIC_RELAXED) < 2000 && out[0] < ROUNDS_MAX) {
        multiply(out);
        out[0] = out[0] + 1;
    }
    free(out);
    return NULL;
}
static int run_threads(const char *file)
{
    pthread_t t[6];
    set_up(matrix_function, NULL);
    for (int i = 0; i < 6; i++)
        pthread_create(&t[i], NULL, thread_main, NULL);
    for (int i = 0; i < 6; i++)
        pthread_join(t[i], NULL);
    loadstone_stop();
    write_counts(file);
    return 0;
}

static int run_fork(const char *file)
{
    char name[4096];
    int status = 0;
    set_up(matrix_function, NULL);
    work_until(300);
    const pid_t child = fork();
    if (child == 0) {
        memset(global_samples, 0, sizeof(global_samples));
        memset(global_cost, 0, sizeof(global_cost));
        seen = 0;
        for (int i = 0; i < 10 || (!has_seen() && i < 20 * MOST_S); i++) {
            loadstone_phase_begin("child"); /* where its own thread can be made */
            work_for(0.05);
            loadstone_phase_end("child");
        }
        loadstone_stop();
        snprintf(name, sizeof(name), "%s.child", file);
        write_counts(name);
        _exit(5);
    }
    work_for(0.5);
    waitpid(child, &status, 0);
    loadstone_stop();
    write_counts(file);
    printf("child %d\n", WEXITSTATUS(status));
    return 0;
}

static void *slow_function(smr_node *n, struct mem_sample *sample, void *user)
{
    (void)n;
    (void)sample;
    __atomic_fetch_add(&seen, 1, __ATOMIC_RELAXED);
    usleep(*(const unsigned *)user);
    return NULL;
}
/* No thread can be made for the function. */
static int run_threadless(const char *file)
{
    static const unsigned us = 30000;
    (void)file;
    set_up(slow_function, (void *)&us);
    while (clock() < 2 * CLOCKS_PER_SEC)
        multiply(c);
    loadstone_stop();
    printf("calls %llu\n", (unsigned long long)seen);
    return 0;
}

static int run_slow(const char *file)
{
    static const unsigned us = 30000;
    (void)file;
    set_up(slow_function, (void *)&us);
    work_until(1);
    work_for(0.3);
    loadstone_stop();
    printf("calls %llu\n", (unsigned long long)seen);
    return 0;
}

static void *costly_function(smr_node *n, struct mem_sample *sample, void *user)
{
    (void)n;
    (void)sample;
    (void)user;
    __atomic_fetch_add(&seen, 1, __ATOMIC_RELAXED);
    const clockid_t own = CLOCK_THREAD_CPUTIME_ID;
    struct timespec begin, now;
    clock_gettime(own, &begin);
    do
        clock_gettime(own, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < 1000000);
    return NULL;
}
/* Until it is not called any more: 50 ms are granted to it before its part of the budget counts, and a busy
 * machine may leave it without samples for a while. */
static int run_costly(const char *file)
{
    enum { GRANTED = 50, PER_S = 1000 }; /* calls */
    (void)file;
    const char *asked = getenv("COSTLY_ROUNDS");
    const int rounds = asked ? atoi(asked) : 8;
    set_up(costly_function, NULL);
    work_until(1);
    const double begin_s = now_s();
    for (int quiet = 0; quiet < rounds && now_s() - begin_s < MOST_S;) {
        const uint64_t before = __atomic_load_n(&seen, __ATOMIC_RELAXED);
        work_for(0.3);
        quiet = seen == before && seen >= GRANTED ? quiet + 1 : 0;
    }
    loadstone_stop();
    printf("fewer %d\n", seen > 0 && (double)seen < 400 + (now_s() - begin_s) * PER_S / 10);
    return 0;
}

static void *crashing_function(smr_node *n, struct mem_sample *sample, void *user)
{
    (void)n;
    (void)sample;
    *(volatile int *)user = 0;
    return NULL;
}
static void on_segv(int sig)
{
    static const char text[] = "handler\n";
    if (write(1, text, sizeof(text) - 1) < 0) _exit(9);
    signal(sig, SIG_DFL);
}
static int run_crash(const char *file)
{
    (void)file;
    signal(SIGSEGV, on_segv);
    set_up(crashing_function, NULL);
    work_for(MOST_S);
    return 0;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *locking_function(smr_node *n, struct mem_sample *sample, void *user)
{
    (void)n;
    (void)sample;
    (void)user;
    __atomic_fetch_add(&seen, 1, __ATOMIC_RELAXED);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}
static int run_lock(const char *file)
{
    (void)file;
    pthread_mutex_lock(&lock);
    set_up(locking_function, NULL);
    work_until(1);
    const double begin_s = now_s();
    loadstone_stop();
    loadstone_stop(); /* known: not waited for again */
    smr_node_remove(node_b);
    printf("bounded %d\n", now_s() - begin_s < 30);
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *calling_function(smr_node *n, struct mem_sample *sample, void *user)
{
    static double extra[4];
    static int is_done;
    (void)user;
    matrix_function(n, sample, NULL);
    if (is_done) return NULL;
    is_done = 1;
    const struct smr_spec spec = {"from a callback", extra, extra + 4, sizeof(double), 1};
    smr_node *added = NULL;
    MUST(smr_tree_insert(tree, &spec, &added));
    loadstone_phase_begin("in a callback");
    free(malloc(100000));
    loadstone_stop();
    loadstone_start();
    loadstone_phase_end("in a callback");
    MUST(smr_node_remove(added));
    return NULL;
}
static int run_calls(const char *file)
{
    set_up(calling_function, NULL);
    work_until(300);
    loadstone_stop();
    write_counts(file);
    return 0;
}

static void *exiting_function(smr_node *n, struct mem_sample *sample, void *user)
{
    (void)n;
    (void)sample;
    (void)user;
    exit(11);
}
static int run_exits(const char *file)
{
    (void)file;
    set_up(exiting_function, NULL);
    work_for(MOST_S);
    return 0;
}

static void *leaving_function(smr_node *n, struct mem_sample *sample, void *user)
{
    (void)n;
    (void)sample;
    (void)user;
    __atomic_fetch_add(&seen, 1, __ATOMIC_RELAXED);
    pthread_exit(NULL);
}
static int run_leaves(const char *file)
{
    (void)file;
    set_up(leaving_function, NULL);
    work_until(1);
    for (const double end_s = now_s() + MOST_S; threads_now() > 1 && now_s() < end_s;)
        work_for(0.01); /* it is ending */
    work_for(0.3);
    loadstone_stop();
    puts("done");
    return 0;
}

/* The last thread of the program's ends, and with it the process. */
static void *last_thread(void *unused)
{
    (void)unused;
    work_until(100);
    puts("last");
    fflush(stdout);
    return NULL;
}
static int run_last(const char *file)
{
    pthread_t t;
    (void)file;
    set_up(matrix_function, NULL);
    pthread_create(&t, NULL, last_thread, NULL);
    pthread_exit(NULL);
}

static int run_exec(const char *file)
{
    set_up(matrix_function, NULL);
    work_until(300);
    write_counts(file);
    execlp("echo", "echo", "replaced", (char *)NULL);
    return 1;
}

/* The function is a plugin's; the plugin is unloaded while the function is still attached, and other code is
 * loaded at its address. Its argument is the counter. */
static const char *plugin_path;
static void *plugin(void)
{
    void *handle = dlopen(plugin_path, RTLD_NOW | RTLD_LOCAL);
    must(handle != NULL, "dlopen of the plugin");
    return handle;
}
static int run_plugin(const char *file)
{
    union {
        void *symbol;
        ndm_callback fn;
    } found;
    const char *asked = getenv("PLUGIN_SECONDS");
    const double seconds = asked ? atof(asked) : 0.3;
    plugin_path = file;
    void *handle = plugin();
    found.symbol = dlsym(handle, "plugin_function");
    must(found.symbol != NULL, "dlsym of plugin_function");
    set_up(found.fn, &seen);
    work_until(50);
    dlclose(handle);
    const uint64_t before = seen;
    work_for(seconds);
    printf("seen %d, after the unloading %d\n", before > 0, (int)(seen - before));
    handle = plugin();
    work_for(seconds);
    dlclose(handle);
    loadstone_stop();
    puts("done");
    return 0;
}

/* Points of a grid, so that resolve makes a field. */
static void *point_function(smr_node *n, struct mem_sample *sample, void *user)
{
    static struct loadstone_point p;
    uint64_t element;
    matrix_function(n, sample, user);
    smr_node_index_of(n, sample->daddr, &element, NULL);
    p.at[0] = (double)(element % ROWS) + 0.5;
    p.at[1] = (double)(element / ROWS) + 0.5;
    return &p;
}
static int run_points(const char *file)
{
    const struct ndm_grid grid = {.label = "matrix", .dims = 2, .extents = {ROWS, ROWS}};
    ndm_domain *d = NULL;
    set_up(NULL, NULL);
    MUST(ndm_domain_new_grid(&grid, &d));
    MUST(ndm_map_callback(node_b, d, point_function, NULL));
    work_until(1000);
    loadstone_stop();
    write_counts(file);
    return 0;
}

/* The same map again and again, a mesh that moves a little. */
static int run_maps(const char *file)
{
    static double x[20000], y[20000];
    const struct ndm_grid grid = {.label = "matrix", .dims = 2, .extents = {ROWS, ROWS}};
    const struct ndm_mesh mesh = {.label = "points", .points_len = 20000, .coords = {x, y}};
    ndm_domain *d = NULL, *m = NULL;
    static int32_t target[CELLS];
    (void)file;
    set_up(NULL, NULL);
    MUST(ndm_domain_new_grid(&grid, &d));
    for (int i = 0; i < 20000; i++)
        x[i] = i;
    for (int i = 0; i < CELLS; i++)
        target[i] = CELLS - 1 - i;
    MUST(ndm_domain_new_mesh(&mesh, &m));
    MUST(ndm_domain_refresh_at_phases(m, 1));
    for (int i = 0; i < 10; i++) {
        const struct ndm_indirection by = {.target = target, .targets_len = CELLS, .index_size_bytes = 4};
        MUST(ndm_map_indirect(node_b, d, &by));
        if (i == 5) x[10] = -1; /* one piece changes */
        loadstone_phase_begin("step");
        loadstone_phase_end("step");
    }
    MUST(ndm_unmap(node_b));
    ndm_domain_free(d);
    ndm_domain_free(m);
    return 0;
}

/* Without callbacks nothing runs beside the program. */
static int run_plain(const char *file)
{
    (void)file;
    set_up(NULL, NULL);
    work_for(0.2);
    printf("threads %d\n", threads_now());
    return 0;
}

static const struct {
    const char *name;
    int (*run)(const char *file);
} modes[] = {
    {"matrix", run_matrix},
    {"exit", run_exit},
    {"free", run_free},
    {"threads", run_threads},
    {"fork", run_fork},
    {"slow", run_slow},
    {"costly", run_costly},
    {"crash", run_crash},
    {"lock", run_lock},
    {"calls", run_calls},
    {"exits", run_exits},
    {"leaves", run_leaves},
    {"last", run_last},
    {"exec", run_exec},
    {"points", run_points},
    {"maps", run_maps},
    {"plain", run_plain},
    {"plugin", run_plugin},
    {"threadless", run_threadless},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++)
        if (strcmp(argv[1], modes[i].name) == 0) return modes[i].run(argc > 2 ? argv[2] : "/dev/null");
    fprintf(stderr, "usage: callbacks_victim MODE [FILE]\n");
    return 2;
}
