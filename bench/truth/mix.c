/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases in known shares of one thread's time, in slices that alternate.
 * usage: mix MODE [AMOUNT]. In two modes the truth leaves out work that is not recorded: `paused` does it
 * before loadstone_start() (recorded with --paused), `restart` between loadstone_stop() and
 * loadstone_start(). */
#include "bench/truth/truth.h"
#include "bench/truth/work.h"

#include <loadstone/loadstone.h>

#include <stddef.h>

struct part {
    const char *name, *data;
    void (*work)(void);
    int slices; /* in each round */
};

#define NO_DATA "no data (computing)"

enum { COMPUTE, MEMORY, THREE, FOUR, UNEVEN, DIVIDE, MODULO, PAUSED, RESTART, MODES };

static const char *const modes[MODES + 1] = {
    [COMPUTE] = "compute", [MEMORY] = "memory", [THREE] = "three",
    [FOUR] = "four",       [UNEVEN] = "uneven", [DIVIDE] = "divide",
    [MODULO] = "modulo",   [PAUSED] = "paused", [RESTART] = "restart",
};

/* `paused` and `restart` do the work of `compute`. */
static const struct part parts[PAUSED][5] = {
    [COMPUTE] = {{"truth_plain", "truth_plain_data", truth_plain, 1}, {"work_chain", NO_DATA, work_chain, 2}},
    [MEMORY] = {{"work_gather", "gather_table", work_gather, 3},
                {"work_chase", "chase_ring", work_chase, 2},
                {"work_stream", "stream_table", work_stream, 4}},
    [THREE] = {{"truth_plain", "truth_plain_data", truth_plain, 2},
               {"work_chase", "chase_ring", work_chase, 1},
               {"work_divide", NO_DATA, work_divide, 2}},
    [FOUR] = {{"work_chain", NO_DATA, work_chain, 4},
              {"work_gather", "gather_table", work_gather, 3},
              {"work_divide", NO_DATA, work_divide, 2},
              {"truth_plain", "truth_plain_data", truth_plain, 1}},
    [UNEVEN] = {{"work_chain", NO_DATA, work_chain, 90},
                {"truth_plain", "truth_plain_data", truth_plain, 9},
                {"work_gather", "gather_table", work_gather, 1}},
    [DIVIDE] = {{"truth_plain", "truth_plain_data", truth_plain, 1},
                {"work_divide", NO_DATA, work_divide, 1}},
    [MODULO] = {{"truth_plain", "truth_plain_data", truth_plain, 1},
                {"work_modulo", "modulo_table", work_modulo, 2}},
};

/* Work that is not recorded, and not part of the truth. */
static void unrecorded_work(double amount)
{
    for (int i = 0; i < (int)(4000 * amount); i++)
        truth_plain();
}

int main(int argc, char **argv)
{
    const int mode = truth_mode(argc, argv, modes);
    const double amount = truth_scale(argc, argv, 2);
    const struct part *part = parts[mode >= PAUSED ? COMPUTE : mode];
    struct truth_phase *phases[5] = {NULL};
    int slices = 0, len = 0;
    for (; part[len].name; len++) {
        phases[len] = truth_phase_new(TRUTH_FUNCTION, part[len].name, part[len].data);
        slices += part[len].slices;
        work_prepare(part[len].work);
    }
    if (mode == PAUSED) {
        unrecorded_work(amount);
        loadstone_start();
    }
    const int rounds = (int)(5500 * amount / slices);
    for (int round = 0; round < rounds; round++) {
        if (mode == RESTART && round % (rounds / 8 + 1) == 0) {
            loadstone_stop();
            unrecorded_work(amount / 8);
            loadstone_start();
        }
        for (int i = 0; i < len; i++)
            truth_slices(phases[i], part[i].work, part[i].slices);
    }
    loadstone_stop();
    truth_print();
    return 0;
}
