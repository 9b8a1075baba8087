/* SPDX-License-Identifier: BSD-3-Clause */
/* A small program with something of everything that is read: test_sym_mangled mangles it. */
#include <stdio.h>

struct point {
    double x, y;
};
struct point small_points[40];
/* members of every kind */
struct small_part {
    struct small_part *next;
    union {
        double real;
        struct {
            int low, high;
        };
    };
    unsigned flag : 3, rank : 5;
    struct point at[4];
    char tail[];
};
struct small_part small_parts[1];
static const char *const small_names[] = {"one", "two", "three"};
_Thread_local long small_own[5];

static inline __attribute__((always_inline)) double small_inlined(int i)
{
    return small_points[i % 40].x * 2 + small_own[i % 5];
}

__attribute__((noinline)) static double small_sum(int to)
{
    static int small_calls;
    double sum = small_calls++;
    for (int i = 0; i < to; i++)
        sum += small_inlined(i);
    return sum;
}

int main(int argc, char **argv)
{
    (void)argv;
    small_parts[0].rank = (unsigned)argc & 1;
    return printf("%s %f\n", small_names[argc % 3], small_sum(argc)) < 0;
}
