/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads from a table by keys that are sorted, or in the order in which they were drawn.
 * usage: sorted_victim sorted|drawn SECONDS */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TABLE = 16 << 20, KEYS = 64 << 10 };

static int compare(const void *a, const void *b)
{
    const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

__attribute__((noinline)) static long look_up(const long *table, const unsigned *keys)
{
    long sum = 0;
    for (int i = 0; i < KEYS; i++)
        sum += table[keys[i]];
    return sum;
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    long *table = malloc(TABLE * sizeof(*table)), sum = 0;
    unsigned *keys = malloc(KEYS * sizeof(*keys));
    unsigned long n = 1;
    if (!table || !keys) return 1;
    for (long i = 0; i < TABLE; i++)
        table[i] = i;
    for (int i = 0; i < KEYS; i++) {
        n = n * 6364136223846793005u + 1442695040888963407u;
        keys[i] = (unsigned)(n >> 40) % TABLE;
    }
    if (strcmp(argv[1], "sorted") == 0) qsort(keys, KEYS, sizeof(*keys), compare);
    const clock_t end = clock() + (clock_t)(strtod(argv[2], NULL) * CLOCKS_PER_SEC);
    while (clock() < end)
        sum += look_up(table, keys);
    printf("%d\n", sum != 0);
    free(table);
    free(keys);
    return 0;
}
