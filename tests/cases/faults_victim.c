/* SPDX-License-Identifier: BSD-3-Clause */
/* Touches pages that it counts: N of A in one thread, M of B in another, one after the other in a separate
 * process or in many threads. Prints the counts for comparison by the test. */
#include "loadstone/loadstone.h"
#include "tests/perf/own_descriptors.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096, ROOM_PAGES = 4096 };

struct part {
    const char *label;
    volatile char *base;
    size_t pages;
    int rounds;
};

/* Small pages, nothing there yet. */
static volatile char *room(size_t pages)
{
    char *at = mmap(NULL, pages * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) exit(3);
    madvise(at, pages * PAGE_BYTES, MADV_NOHUGEPAGE);
    return at;
}

static void add(smr_tree *tree, const char *label, volatile char *base, size_t pages)
{
    smr_node *node;
    struct smr_spec spec = {label, (const void *)base, (const char *)base + pages * PAGE_BYTES, PAGE_BYTES,
                            1};
    if (smr_tree_insert(tree, &spec, &node) != 0) exit(4);
}

static void *touch(void *user)
{
    const struct part *p = user;
    for (int round = 0; round < p->rounds; round++)
        for (size_t i = 0; i < p->pages; i++)
            p->base[i * PAGE_BYTES] = 1;
    return NULL;
}

static void touch_in_thread(struct part *p)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, touch, p) != 0) exit(5);
    pthread_join(thread, NULL);
}

static void two(smr_tree *tree, size_t n, size_t m)
{
    struct part a = {"A", room(ROOM_PAGES), n, 2}, b = {"B", room(ROOM_PAGES), m, 2};
    add(tree, "A", a.base, ROOM_PAGES);
    add(tree, "B", b.base, ROOM_PAGES);
    touch_in_thread(&a);
    touch_in_thread(&b);
}

/* Pages of one range: some by the parent before the fork, others by the child, some by both (copied then). */
static void forks(smr_tree *tree, size_t n, size_t m)
{
    struct part a = {"A", room(ROOM_PAGES), n, 1};
    add(tree, "A", a.base, ROOM_PAGES);
    touch(&a);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        struct part rest = {"A", a.base + n * PAGE_BYTES, m, 1};
        touch(&rest);
        exit(7);
    }
    int status;
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7) exit(6);
}

enum { MANY = 40 };
static void many(smr_tree *tree, size_t n)
{
    static struct part parts[MANY];
    pthread_t threads[MANY];
    struct part all = {"A", room(MANY * n), 0, 0};
    add(tree, "A", all.base, MANY * n);
    for (int i = 0; i < MANY; i++) {
        parts[i] = (struct part){"A", all.base + (size_t)i * n * PAGE_BYTES, n, 1};
        if (pthread_create(&threads[i], NULL, touch, &parts[i]) != 0) exit(5);
    }
    for (int i = 0; i < MANY; i++)
        pthread_join(threads[i], NULL);
}

/* One thread after the other; their number of descriptors stays level. */
static void short_threads(smr_tree *tree, size_t n)
{
    enum { SHORT = 500, WARM = 4, SLACK = 4 };
    struct part p = {"A", room(SHORT * n), n, 1};
    int first = 0;
    add(tree, "A", p.base, SHORT * n);
    for (int i = 0; i < SHORT; i++, p.base += n * PAGE_BYTES) {
        touch_in_thread(&p);
        if (i == WARM) first = own_descriptors();
        if (i > WARM && own_descriptors() > first + SLACK) exit(8);
    }
}

/* The kernel touches the pages, inside read(). */
static void by_system_call(smr_tree *tree, size_t n)
{
    volatile char *base = room(ROOM_PAGES);
    add(tree, "A", base, ROOM_PAGES);
    FILE *zero = fopen("/dev/zero", "r");
    if (!zero || read(fileno(zero), (void *)base, n * PAGE_BYTES) != (ssize_t)(n * PAGE_BYTES)) exit(6);
    fclose(zero);
}

/* The same pages twice: given back in between. */
static void again(smr_tree *tree, size_t n)
{
    struct part a = {"A", room(ROOM_PAGES), n, 1};
    add(tree, "A", a.base, ROOM_PAGES);
    touch(&a);
    madvise((void *)a.base, n * PAGE_BYTES, MADV_DONTNEED);
    touch(&a);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "two";
    const size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000,
                 m = argc > 3 ? strtoul(argv[3], NULL, 10) : 300;
    smr_tree *tree;
    if (smr_tree_new(&tree) != 0) return 2;
    if (strcmp(what, "two") == 0) two(tree, n, m);
    if (strcmp(what, "fork") == 0) forks(tree, n, m);
    if (strcmp(what, "many") == 0) many(tree, n);
    if (strcmp(what, "short") == 0) short_threads(tree, n);
    if (strcmp(what, "read") == 0) by_system_call(tree, n);
    if (strcmp(what, "again") == 0) again(tree, n);
    if (strcmp(what, "exec") == 0) {
        struct part a = {"A", room(ROOM_PAGES), n, 1};
        add(tree, "A", a.base, ROOM_PAGES);
        touch(&a);
        execl(argv[0], argv[0], "two", argv[2], argv[3], (char *)NULL);
    }
    puts("done");
    return 0;
}
