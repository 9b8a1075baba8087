/* SPDX-License-Identifier: BSD-3-Clause */
/* locked_victim ROUNDS: the same elements counted by locked instructions, exchanged, and written as usual. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEN = 1 << 12 };
static _Atomic long counted[LEN], exchanged[LEN];
static volatile long plain[LEN];

int main(int argc, char **argv)
{
    const long rounds = argc > 1 ? atol(argv[1]) : 1;
    for (long r = 0; r < rounds; r++)
        for (int i = 0; i < LEN; i++) {
            atomic_fetch_add(&counted[i], 1);
            plain[i] += atomic_exchange(&exchanged[i], r);
        }
    printf("%ld %ld\n", (long)counted[7], (long)exchanged[LEN - 1]);
    return 0;
}
