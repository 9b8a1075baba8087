/* SPDX-License-Identifier: BSD-3-Clause */
/* Slices of the truth benchmark with times that are known, because the clock is the program's own. Of 64 accesses
 * slices, every eighth takes five times as long, as under other programs that use the memory; one is
 * interrupted by a signal handler with a slice. */
#include "bench/truth/truth.h"

#include <signal.h>
#include <stdbool.h>
#include <time.h>

enum { SLICES = 64, SLOW_EVERY = 8, USUAL_US = 500, SLOW_US = 2500, HANDLER_US = 300 };

static long now_us;
static int slices_begun;
static struct truth_phase *accesses, *handler;

/* Replaces the C library's. */
int clock_gettime(clockid_t clock, struct timespec *out)
{
    (void)clock;
    *out = (struct timespec){.tv_sec = now_us / 1000000, .tv_nsec = now_us % 1000000 * 1000};
    return 0;
}

static void handle(void)
{
    now_us += HANDLER_US;
}

static void on_signal(int number)
{
    (void)number;
    truth_slice(handler, handle);
}

static void access_memory(void)
{
    const bool is_slow = ++slices_begun % SLOW_EVERY == 0;
    now_us += is_slow ? SLOW_US : USUAL_US;
    if (slices_begun == SLICES / 2) raise(SIGUSR1);
}

int main(void)
{
    signal(SIGUSR1, on_signal);
    accesses = truth_phase_new(TRUTH_FUNCTION, "access_memory", "table");
    handler = truth_phase_new(TRUTH_FUNCTION, "first+second", NULL);
    truth_slices(accesses, access_memory, SLICES);
    truth_print();
    return 0;
}
