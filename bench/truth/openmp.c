/* SPDX-License-Identifier: BSD-3-Clause */
/* A parallel loop whose last thread does half of the work; the others wait at the barrier. usage:
 * truth_openmp [AMOUNT] */
#include "bench/truth/truth.h"

#include <omp.h>

void team_work(void);
static volatile unsigned team_data[4][1024];

__attribute__((noinline)) void team_work(void)
{
    volatile unsigned *data = team_data[omp_get_thread_num() % 4];
    for (unsigned round = 0; round < 1400; round++)
        for (unsigned i = 0; i < 1024; i++)
            data[i] += round;
}

int main(int argc, char **argv)
{
    const int rounds = (int)(400 * truth_scale(argc, argv, 1));
    struct truth_phase *team = truth_phase_new(TRUTH_FUNCTION, "team_work", "team_data"),
                       *plain = truth_plain_phase();
    for (int round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(4)
        truth_slices(team, team_work, 1 + 2 * (omp_get_thread_num() == 3));
        truth_slices(plain, truth_plain, 4);
    }
    truth_print();
    return 0;
}
