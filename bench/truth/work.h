/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of work whose place is known: each function accesses one piece of data, or none. A call takes 0.3 to
 * 1 ms. */
#ifndef WORK_H
#define WORK_H

void work_prepare(void (*work)(void)); /* Make the data that the function accesses. */
void work_chain(void);                 /* a chain of floating-point operations, no memory */
void work_divide(void);                /* a chain of integer divisions, no memory */
void work_modulo(void);                /* random reads of modulo_table at x % m */
void work_chase(void);                 /* a pointer chase through chase_ring, in memory */
void work_gather(void);                /* independent random updates of gather_table, in memory */
void work_stream(void);                /* stream_table in order */

#endif
