/* SPDX-License-Identifier: BSD-3-Clause */
/* Touches globals, statics and thread-local variables in the program and in plugins, and prints where they
 * are. usage: sym_victim MILLISECONDS [PLUGIN...] */
#include "sym_victim.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

enum { LEN = 1024 };

double sym_grid[LEN];
static int sym_table[LEN] = {1};
struct pair {
    short x, y;
};
struct pair sym_pairs[LEN];
static const long sym_weights[LEN] = {1, 2, 3};
_Thread_local long sym_tls_counters[LEN];
static _Thread_local char sym_tls_bytes[LEN] = {1};

static long sym_accumulate(unsigned i)
{
    static unsigned sym_calls[LEN];
    static char printed;
    if (!printed)
        SYM_REPORT("sym_accumulate::sym_calls", "MAIN", "symbol", sym_calls, sizeof(sym_calls[0]), 0,
                   SYM_EVER);
    printed = 1;
    return sym_calls[i]++;
}

static void touch(unsigned long ms)
{
    const unsigned long long end_ns = sym_now_ns() + ms * 1000000ull;
    volatile double *grid = sym_grid;
    volatile int *table = sym_table;
    volatile const long *weights = sym_weights;
    volatile struct pair *pairs = sym_pairs;
    volatile long *counters = sym_tls_counters;
    volatile char *bytes = sym_tls_bytes;
    do
        for (unsigned k = 0; k < 20000; k++) {
            const unsigned i = k * 7919 % LEN;
            grid[i] += 1;
            table[i] += (int)sym_accumulate(i);
            pairs[i].y += (short)weights[i];
            counters[i]++;
            bytes[i]++;
        }
    while (sym_now_ns() < end_ns);
}

/* Before a thread begins, the C library copies the initial values to its future block. */
static void report_tls(void)
{
    const unsigned long long from = sym_now_ns();
    SYM_REPORT("sym_tls_counters", "MAIN", "tls", sym_tls_counters, sizeof(long), from, SYM_EVER);
    SYM_REPORT("sym_tls_bytes", "MAIN", "tls", sym_tls_bytes, 1, from, SYM_EVER);
}

static void *thread(void *ms)
{
    report_tls();
    touch(*(unsigned long *)ms);
    return NULL;
}

static int run_plugin(const char *path, unsigned long ms)
{
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *found = plugin ? dlsym(plugin, "sym_plugin_work") : NULL;
    if (!found) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    ((void (*)(unsigned long))found)(ms);
    return dlclose(plugin);
}

int main(int argc, char **argv)
{
    unsigned long ms = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
    pthread_t other;
    int failed = 0;
    SYM_REPORT("sym_grid", "MAIN", "symbol", sym_grid, sizeof(double), 0, SYM_EVER);
    SYM_REPORT("sym_table", "MAIN", "symbol", sym_table, sizeof(int), 0, SYM_EVER);
    SYM_REPORT("sym_pairs", "MAIN", "symbol", sym_pairs, sizeof(struct pair), 0, SYM_EVER);
    SYM_REPORT("sym_weights", "MAIN", "symbol", sym_weights, sizeof(long), 0, SYM_EVER);
    report_tls();
    touch(ms);
    if (pthread_create(&other, NULL, thread, &ms) != 0) return 1;
    pthread_join(other, NULL);
    for (int i = 2; i < argc; i++)
        failed |= run_plugin(argv[i], ms);
    return failed;
}
