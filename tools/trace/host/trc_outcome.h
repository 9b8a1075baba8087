/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages about the outcome of a traced run.
 *
 * Thread: the main one.  Signal: not safe. */
#ifndef TRC_OUTCOME_H
#define TRC_OUTCOME_H

#include "patterns/pat_access.h"
#include "tools/record/rec_launch.h"
#include "tools/trace/trc_ring.h"

#include <stdbool.h>

/* 0: the program ran as it does. Otherwise the trace is refused, the reason and the alternative have been
 * printed, and this is our exit status. */
int trc_outcome_refused(const struct trc_ring *ring, const struct rec_outcome *o, const char *program);
/* Possible reasons for an empty trace. */
struct trc_nothing {
    const char *program, *phase; /* phase: the requested one, NULL: all */
    uint64_t skip_instructions;
    bool is_code_chosen;
    const struct pat_tables *tables;
};
/* Warn that nothing was traced, with possible causes and remedies. */
void trc_outcome_nothing(const struct trc_nothing *n);
/* Warn that the program failed and made system calls that QEMU lacks; name them and an alternative. */
void trc_outcome_lacking(const struct trc_ring *ring, unsigned elf_machine, const struct rec_outcome *o,
                         const char *program);
/* Warn that SIGILL ended the program; name the place, instruction and an alternative. t: trace's tables. */
void trc_outcome_illegal(const struct trc_ring *ring, const struct pat_tables *t, const struct rec_outcome *o,
                         const char *program);
/* Warn about data that is missing in the trace. */
void trc_outcome_warn(const struct trc_ring *ring);

#endif
