/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: sites_victim all PLUGIN [no-pvalloc] | lives | backtrace: allocates in every way at known call
 * sites. Blocks are of a megabyte and more, so that no budget leaves any out, but for the sampled ones. */
#include <dlfcn.h>
#include <execinfo.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define MIB ((size_t)1 << 20)

struct box {
    double *data;
    char *rows[3];
};

static void *volatile keep;
static int is_pvalloc_left_out; /* an allocator that has none frees glibc's, and dies */
static volatile int three = 3;  /* a loop that stays one */

/* A wrapper: its callers are the sites. */
static NOINLINE void *xmalloc(size_t n)
{
    void *p = malloc(n);
    if (!p) abort();
    keep = p;
    return p;
}

static NOINLINE void *pass(void *p)
{
    keep = p;
    return p;
}

static NOINLINE void make_nameless(size_t n)
{
    pass(malloc(n));
}

static NOINLINE void fill(struct box *b)
{
    b->data = calloc(MIB / 8, 16);
    for (int i = 0; i < three; i++)
        b->rows[i] = malloc(3 * MIB);
    free(b->data);
    for (int i = 0; i < 3; i++)
        free(b->rows[i]);
}

static NOINLINE void aligned_kinds(void)
{
    void *aligned = NULL;
    if (posix_memalign(&aligned, 64, 4 * MIB) != 0) abort();
    char *from_aligned_alloc = aligned_alloc(4096, 5 * MIB);
    char *from_memalign = memalign(128, 6 * MIB);
    char *from_valloc = valloc(7 * MIB);
    char *from_pvalloc = is_pvalloc_left_out ? NULL : pvalloc(8 * MIB);
    free(aligned);
    free(from_aligned_alloc);
    free(from_memalign);
    free(from_valloc);
    free(from_pvalloc);
}

static NOINLINE void other_kinds(void)
{
    char *text = malloc(9 * MIB);
    memset(text, 'x', 9 * MIB - 1);
    text[9 * MIB - 1] = '\0';
    char *copy = strdup(text); /* inside the C library */
    char *grown = realloc(NULL, 10 * MIB);
    grown = realloc(grown, 40 * MIB);
    char *array = reallocarray(NULL, 11, MIB);
    char *wrapped = xmalloc(12 * MIB);
    char *mapped = mmap(NULL, 13 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    make_nameless(14 * MIB);
    void *nameless = keep;
    free(text);
    free(copy);
    free(grown);
    free(array);
    free(wrapped);
    munmap(mapped, 13 * MIB);
    free(nameless);
}

static NOINLINE void *in_thread(void *unused)
{
    (void)unused;
    char *threaded = malloc(15 * MIB);
    free(threaded);
    return NULL;
}

static NOINLINE void in_child(void)
{
    char *forked = malloc(16 * MIB);
    free(forked);
}

static NOINLINE void in_plugin(const char *path)
{
    void *handle = dlopen(path, RTLD_NOW); /* its constructor allocates */
    void *(*make)(void) = NULL;
    if (!handle) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    *(void **)&make = dlsym(handle, "plugin_make");
    free(make());
    dlclose(handle);
}

static int all(const char *plugin)
{
    struct box b;
    pthread_t thread;
    double *A = malloc(2 * MIB);
    fill(&b);
    aligned_kinds();
    other_kinds();
    if (pthread_create(&thread, NULL, in_thread, NULL) == 0) pthread_join(thread, NULL);
    const pid_t child = fork();
    if (child == 0) {
        in_child();
        exit(0);
    }
    waitpid(child, NULL, 0);
    in_plugin(plugin);
    for (int i = 0; i < 20000; i++) { /* small ones: sampled */
        char *volatile small = malloc(100);
        free(small);
    }
    free(A);
    return 0;
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Touch the block for SITES_MS of CPU time, and print its owner, times and address. */
static NOINLINE void live(const char *label, volatile char *block, size_t len)
{
    const char *ms = getenv("SITES_MS");
    const uint64_t while_ns = strtoull(ms ? ms : "60", NULL, 10) * 1000000;
    const uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC), cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    unsigned sum = 0;
    do
        for (size_t i = 0; i < len; i += 64)
            sum += (unsigned)(block[i] += 1);
    while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns < while_ns);
    printf("life %s %llu %zu %llu %llu\n", label, (unsigned long long)(uintptr_t)block, len,
           (unsigned long long)begin_ns, (unsigned long long)clock_ns(CLOCK_MONOTONIC));
    keep = (void *)(uintptr_t)sum;
}

static int lives(void)
{
    char *first = malloc(2 * MIB);
    live("first", first, 2 * MIB);
    free(first);
    char *second = calloc(2, MIB); /* likely at the same address */
    live("second", second, 2 * MIB);
    second = realloc(second, 8 * MIB);
    live("second", second, 8 * MIB);
    free(second);
    char *third = aligned_alloc(64, 8 * MIB);
    live("third", third, 8 * MIB);
    free(third);
    char *mapped = mmap(NULL, 4 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    live("mapped", mapped, 4 * MIB);
    munmap(mapped, 4 * MIB);
    char *last = mmap(NULL, 4 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    live("last", last, 4 * MIB);
    return 0;
}

static NOINLINE int own_backtrace(int depth)
{
    void *frames[64];
    Dl_info info;
    if (depth > 0) return own_backtrace(depth - 1) + (keep != NULL);
    const int len = backtrace(frames, 64);
    dladdr(__extension__(void *) backtrace, &info);
    printf("%d frames, backtrace of %s\n", len, strrchr(info.dli_fname, '/') + 1);
    for (int i = 0; i < len; i++) {
        if (dladdr(frames[i], &info) && info.dli_sname) printf("%s\n", info.dli_sname);
    }
    return 0;
}

int main(int argc, char **argv)
{
    is_pvalloc_left_out = argc == 4;
    if (argc >= 3 && strcmp(argv[1], "all") == 0) return all(argv[2]);
    if (argc == 2 && strcmp(argv[1], "lives") == 0) return lives();
    if (argc == 2 && strcmp(argv[1], "backtrace") == 0) {
        free(malloc(3 * MIB));
        return own_backtrace(5) & 0;
    }
    fprintf(stderr, "usage: sites_victim all PLUGIN [no-pvalloc] | lives | backtrace\n");
    return 2;
}
