/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses with known addresses, for step_check to compare with the samples. */
#ifndef STEP_VICTIM_H
#define STEP_VICTIM_H

/* Prints a line a known instruction: name, ip, op (0 load, 1 store), base, length in bytes, element size,
 * lanes as a mask (0: any); then executes them for a while. */
void step_victim_known(void);

/* step_guards.c. Each returns how much went wrong, and prints lines "name base length" of memory that was
 * used when sampling might have ended: step_check -t finds accesses to it. */
int step_victim_close(void);
int step_victim_setuid(void);
int step_victim_few_fds(void);
int step_victim_rseq(void);
int step_victim_contended(void);
int step_victim_signalfd(void);

/* step_results.c; returns how much went wrong. */
int step_victim_results(void);

#endif
