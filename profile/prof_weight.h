/* SPDX-License-Identifier: BSD-3-Clause */
/* What a burst stands for. One that lost the processor before it measured anything says where it was and not
 * what it costs there; that it was cut short has nothing to do with the place. So the CPU time it stands for
 * goes to the thread's next burst.
 *
 * Thread: one at a time for one object, any for different ones.  Signal: not safe. */
#ifndef PROF_WEIGHT_H
#define PROF_WEIGHT_H

#include "profile/prof_reader.h"
#include "profile/prof_writer.h"
#include "spool/spool_format.h"

#include <stddef.h>

/* The weight of a burst that begins: its own and what earlier ones left in *carried_ns, which is then 0. */
uint64_t prof_weight_begin(uint64_t weight_ns, uint64_t *carried_ns);
/* A burst has ended, b and its samples are still to be written: leave its weight to the next one if it
 * measured nothing because it was preempted. */
void prof_weight_end(const struct spool_burst_end *end, struct prof_burst *b, struct prof_sample *samples,
                     size_t len, uint64_t *carried_ns);

#endif
