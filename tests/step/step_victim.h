/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses with known addresses, for step_check to compare with what was sampled. */
#ifndef STEP_VICTIM_H
#define STEP_VICTIM_H

/* Prints a line a known instruction: name, ip, op (0 load, 1 store), base, length in bytes, element size,
 * lanes as a mask (0: any); then executes them for a while. */
void step_victim_known(void);

#endif
