/* SPDX-License-Identifier: BSD-3-Clause */
/* The course of a measurement, the same for every kernel: warm up until steady, then timed runs. */
#ifndef KN_MEASURE_H
#define KN_MEASURE_H

#include "kernels/kn_result.h"

/* One run: seconds it took, by the monotonic clock. */
typedef double kn_once(void *arg);

enum { KN_WARMUPS_MAX = 10, KN_RUNS = 10 };

/* Warm up (three successive times within 3 % end it, warmups_max at most), then runs timed ones; fills the
 * times of r. Owns:   r->run_seconds, freed by kn_result_fini. Errors: LS_ERR_NOMEM. */
ls_err kn_measure(kn_once *once, void *arg, unsigned warmups_max, unsigned runs, struct kn_result *r);

#endif
