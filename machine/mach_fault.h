/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel takes for a page fault: the first touch of anonymous memory, by the thread's CPU clock.
 *
 * Thread: any.  Signal: not safe. */
#ifndef MACH_FAULT_H
#define MACH_FAULT_H

struct mach_fault_costs {
    double page_ns; /* of 4 KiB; 0: could not be measured */
    double huge_ns; /* of 2 MiB; 0: the system gives none */
    double error;   /* share of page_ns by which half of the batches differ from it at most */
};

/* Takes some milliseconds. */
struct mach_fault_costs mach_fault_measure(void);

#endif
