/* SPDX-License-Identifier: BSD-3-Clause */
/* usage: tags_victim ROUNDS [locked]: small blocks of several allocation sites, each list walked by a separate function: the site of the
 * blocks that walk_NAME reads has NAME in its name. With locked, all its memory is, before and later. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <new>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

#define ALONE __attribute__((noinline, noclone))

struct node {
    node *next;
    long value[1];
};

static volatile long sum;
enum { NODES = 4000, KINDS = 11, UNWRAPPED = 8 };

/* Functions and not inlined: the last part of a path, and of its name, is this one. */
#define WALK(name)                                      \
    static ALONE void walk_##name(const node *n)        \
    {                                                   \
        long s = 0;                                     \
        for (int i = 0; i < 40; i++)                    \
            for (const node *at = n; at; at = at->next) \
                s += at->value[0];                      \
        sum = sum + s;                                  \
    }
WALK(plain)
WALK(nothrow)
WALK(array)
WALK(aligned)
WALK(from_malloc)
WALK(from_calloc)
WALK(grown)
WALK(from_memalign)
WALK(wrap_one)
WALK(wrap_other)
WALK(recursive)

/* One call of the allocator for several lists: only frames above it differ. */
static ALONE void *wrapper(size_t len)
{
    void *p = std::malloc(len);
    if (!p) std::abort();
    return p;
}

static ALONE void *recursive(int depth, size_t len)
{
    if (depth == 0) return wrapper(len);
    void *p = recursive(depth - 1, len);
    sum = sum + 1;
    return p;
}

static ALONE void *wrap_one(size_t len)
{
    void *p = wrapper(len);
    sum = sum + 1;
    return p;
}

static ALONE void *wrap_other(size_t len)
{
    void *p = wrapper(len);
    sum = sum + 2;
    return p;
}

/* A block and its length, so that the block has the name of the variable here, not that of the caller's. */
struct piece {
    void *at;
    size_t len;
};

static ALONE piece make(int kind, size_t len)
{
    switch (kind) {
    case 0: {
        void *plain = ::operator new(len);
        return {plain, len};
    }
    case 1: {
        void *nothrow = ::operator new(len, std::nothrow);
        return {nothrow, len};
    }
    case 2: {
        void *array = ::operator new[](len);
        return {array, len};
    }
    case 3: {
        void *aligned = ::operator new(len, std::align_val_t(64));
        return {aligned, len};
    }
    case 4: {
        void *from_malloc = std::malloc(len);
        return {from_malloc, len};
    }
    case 5: {
        void *from_calloc = std::calloc(1, len);
        return {from_calloc, len};
    }
    case 6: {
        void *grown = std::malloc(8);
        grown = std::realloc(grown, len); /* mostly in place */
        return {grown, len};
    }
    case 7: {
        void *from_memalign = std::aligned_alloc(32, (len + 31) & ~size_t(31));
        return {from_memalign, len};
    }
    case 8:
        return {wrap_one(len), len};
    case 9:
        return {wrap_other(len), len};
    default:
        return {recursive(3 + int(len % 5), len), len};
    }
}

static ALONE void release(int kind, void *p)
{
    if (kind == 0 || kind == 1)
        ::operator delete(p);
    else if (kind == 2)
        ::operator delete[](p);
    else if (kind == 3)
        ::operator delete(p, std::align_val_t(64));
    else
        std::free(p);
}

static void (*const walks[KINDS])(const node *) = {
    walk_plain, walk_nothrow,       walk_array,    walk_aligned,    walk_from_malloc, walk_from_calloc,
    walk_grown, walk_from_memalign, walk_wrap_one, walk_wrap_other, walk_recursive};

struct lists {
    node *first[KINDS];
};

/* Blocks of all kinds side by side, of 16 to about 200 bytes. */
static ALONE void fill(lists *l, unsigned seed, int kinds)
{
    unsigned random = seed;
    std::memset(l, 0, sizeof(*l));
    for (int i = 0; i < NODES; i++) {
        random = random * 1103515245u + 12345u;
        const int kind = int(random >> 16) % kinds;
        node *n = static_cast<node *>(make(kind, sizeof(node) + (random >> 8 & 0xff) % 190).at);
        n->next = l->first[kind];
        n->value[0] = i;
        l->first[kind] = n;
    }
}

static ALONE void walk(const lists *l)
{
    for (int k = 0; k < KINDS; k++)
        walks[k](l->first[k]);
}

/* Every second list goes: its memory is for blocks of other sites. */
static ALONE void drop(lists *l, int from, int step)
{
    for (int k = from; k < KINDS; k += step)
        for (node *n = l->first[k], *next; n; n = next) {
            next = n->next;
            release(k, n);
        }
}

static void work(int rounds, unsigned seed, int kinds)
{
    lists all, more;
    for (int i = 0; i < rounds; i++) {
        fill(&all, seed + unsigned(i), kinds);
        walk(&all);
        drop(&all, 0, 2);
        fill(&more, seed + 77 + unsigned(i), kinds);
        walk(&more);
        drop(&all, 1, 2);
        drop(&more, 0, 1);
    }
}

static ucontext_t main_context, other_context;
static int rounds_of_all;

/* The depth of its stack is not known: a wrapper has one path there. */
static void on_another_stack()
{
    work(rounds_of_all, 5, UNWRAPPED);
}

static ALONE void fill_map(std::map<int, long> &ordered)
{
    for (int i = 0; i < 3000; i++)
        ordered[i * 7919 % 3000] = i;
}

static ALONE void walk_ordered(const std::map<int, long> &ordered)
{
    for (const auto &x : ordered)
        sum = sum + x.second;
}

static ALONE void fill_strings(std::vector<std::string> &words)
{
    for (int i = 0; i < 3000; i++)
        words.push_back("longer than a string that is kept inside " + std::to_string(i));
}

static ALONE void walk_words(const std::vector<std::string> &words)
{
    for (const auto &x : words)
        sum = sum + x[11];
}

static ALONE void walk_chain(const std::list<long> &chain)
{
    for (long x : chain)
        sum = sum + x;
}

static void containers(int rounds)
{
    std::map<int, long> ordered;
    std::vector<std::string> words;
    std::list<long> chain;
    fill_map(ordered);
    fill_strings(words);
    for (int i = 0; i < 3000; i++)
        chain.push_back(i);
    for (int i = 0; i < rounds * 40; i++) {
        walk_ordered(ordered);
        walk_words(words);
        walk_chain(chain);
    }
}

int main(int argc, char **argv)
{
    rounds_of_all = argc > 1 ? std::atoi(argv[1]) : 1;
    if (argc > 2) mlockall(MCL_CURRENT | MCL_FUTURE); /* where it may not: the same program */
    work(rounds_of_all, 1, KINDS);
    containers(rounds_of_all);
    std::thread one(work, rounds_of_all, 2, int(KINDS)), two(work, rounds_of_all, 3, int(KINDS));
    one.join();
    two.join();
    static char stack[256 * 1024];
    getcontext(&other_context);
    other_context.uc_stack.ss_sp = stack;
    other_context.uc_stack.ss_size = sizeof(stack);
    other_context.uc_link = &main_context;
    makecontext(&other_context, on_another_stack, 0);
    swapcontext(&main_context, &other_context);
    lists before;
    fill(&before, 9, KINDS);
    const pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < rounds_of_all * 20; i++)
            walk(&before); /* blocks of the parent */
        work(rounds_of_all, 4, KINDS);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    drop(&before, 0, 1);
    std::printf("%d\n", status);
    return status != 0;
}
