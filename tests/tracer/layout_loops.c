/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops over objects of 152 bytes, whose members are in one struct, or with -DSPLIT in two arrays.
 *
 * usage: layout_loops LOOP COUNT ROUNDS: LOOP is sweep (one member of each object in order), apart (two members that
 * lie far apart), random (one member of random objects), or whole (all members) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef SPLIT
struct hot {
    long key, next;
};
struct cold {
    long a[16], tail;
};
static struct hot *hot;
static struct cold *cold;
#define HOT(i) hot[i]
#define COLD(i) cold[i]
#else
struct object {
    long key, a[16], next, tail;
};
static struct object *objects;
#define HOT(i) objects[i]
#define COLD(i) objects[i]
#endif

__attribute__((noinline)) static long sweep(size_t count)
{
    long sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += HOT(i).key;
    return sum;
}

__attribute__((noinline)) static long apart(size_t count)
{
    long sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += HOT(i).key ^ HOT(i).next;
    return sum;
}

__attribute__((noinline)) static long in_random_order(size_t count)
{
    long sum = 0;
    unsigned long n = 1;
    for (size_t i = 0; i < count; i++) {
        n = n * 6364136223846793005u + 1442695040888963407u;
        sum += HOT((n >> 32) % count).key;
    }
    return sum;
}

__attribute__((noinline)) static long whole(size_t count)
{
    long sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += HOT(i).key + HOT(i).next + COLD(i).tail;
        for (size_t k = 0; k < 16; k++)
            sum ^= COLD(i).a[k];
    }
    return sum;
}

static const struct {
    const char *name;
    long (*run)(size_t count);
} loops[] = {{"sweep", sweep}, {"apart", apart}, {"random", in_random_order}, {"whole", whole}};

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    const size_t count = strtoul(argv[2], NULL, 10), rounds = strtoul(argv[3], NULL, 10);
    long sum = 0;
#ifdef SPLIT
    hot = calloc(count, sizeof(*hot));
    cold = calloc(count, sizeof(*cold));
    if (!hot || !cold) return 1;
#else
    objects = calloc(count, sizeof(*objects));
    if (!objects) return 1;
#endif
    for (size_t l = 0; l < sizeof(loops) / sizeof(loops[0]); l++)
        for (size_t r = 0; r < rounds && strcmp(argv[1], loops[l].name) == 0; r++)
            sum += loops[l].run(count);
    printf("%ld\n", sum);
    return 0;
}
