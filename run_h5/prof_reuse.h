/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory traffic of each sampled access, by the lines that the last-level cache has lost since they were last touched.
 * A burst sees some 64 consecutive accesses, and single ones for a thousand times as long; between two bursts millions of
 * accesses pass. So a line that is new in a burst may still be cached, and this is judged by StatStack (Eklov, Hagersten:
 * StatStack, efficient modeling of LRU caches, 2010): an access misses if the program touches more distinct lines
 * than the cache has since the last access to its line. Here time is counted in instructions:
 *
 *   loop                 bursts with mostly the same pairs of instruction and node
 *   lines of a node      by the lines that one burst, and that two bursts touched (Chao, 1984); with few of the latter, its
 *                        range, if bursts are spread over all of it, or by its pages
 *   walk                 a loop moves through a node in one direction: the slope of line over position explains most of
 *                        the variance. It touches speed x instructions lines anew
 *   band                 not a walk, but the lines of a burst are less than half of the node's: it advances by the same
 *                        part of its node as the loop's walks of theirs, and other lines come back at once. Without walks
 *                        the sweeps follow from the places and the times of successive bursts of a thread
 *   comb                 a walk in steps of several lines that sweeps at least twice as often as its loop, as through the columns of
 *                        a matrix: if the lines of a sweep stay in the cache, it advances as a band does, or, if its loop has no
 *                        other walk, as its place between two steps does from burst to burst
 *   random               all others: as many lines as are new in a burst; the time until a line comes back is
 *                        exponential (Poisson)
 *   sweeps               touched lines / lines of the node. The mean time between two visits of one loop to a line is
 *                        instructions / sweeps (Kac's lemma)
 *   gap of a visit       the loops of a program are taken to run one after the other, in the order of their addresses, and
 *                        each to go through a node in the same direction: between the visits of two loops to a line lie
 *                        the loops between them, and a part of each of the two. A loop with less than half as many sweeps
 *                        comes between only as often as it runs
 *   distinct lines in t  sum over the nodes of lines x P(the time since the last visit to a line is below t); T is the t at
 *                        which they fill the cache
 *   misses of a loop     its touched lines x the part of its gaps above T; the first of all sweeps over a node misses
 *
 * A node lives from its first to its last burst, and T is computed for successive parts of the run. A line is
 * written back once, unless another store came to it in the last T. */
#ifndef PROF_REUSE_H
#define PROF_REUSE_H

#include "run_h5/prof_cost.h"

/* Compute the bytes from and to memory that each listed sample of translated bursts represents; all others get 0. The bytes are rough
 * for data that is smaller than the last-level cache and comes back: they depend on how the loops follow each other.
 * all: samples of the run, to which the bursts refer. bytes, rough: all->len values.
 * Errors: LS_ERR_NOMEM. */
ls_err prof_reuse_moved(const struct prof_cost_model *m, const struct prof_burst *bursts, size_t bursts_len,
                        const struct prof_cost_samples *all, float *bytes, bool *rough);

#endif
