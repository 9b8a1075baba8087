/* SPDX-License-Identifier: BSD-3-Clause */
/* Sum the profiles of a job up by the ranks of another job: each rank sums a part of the files up, then pairs of
 * ranks sum their results up, until rank 0 has the sum of all. Results are passed as files beside the output, on a
 * file system that all ranks share, and removed.
 *
 * Thread: one of the process at a time (HDF5 is not thread-safe). */
#ifndef MRG_TREE_H
#define MRG_TREE_H

#include "kernels/kn_ranks.h"
#include "tools/merge/mrg_job.h"

/* As mrg_sum_up, whose result it equals; all ranks call it with the same options. Only rank 0 sets *out. If a rank
 * of the profiles is in the parts of two ranks, rank 0 sums all files up itself, with a warning.
 * Errors: as mrg_sum_up; one that any rank has ends all. */
ls_err mrg_tree_sum_up(const struct mrg_options *options, struct kn_ranks *ranks, struct mrg_stats *out);

#endif
