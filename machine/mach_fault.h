/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost of a page fault in the kernel: the first touch of anonymous memory, by the thread's CPU clock.
 *
 * Thread: any.  Signal: not safe. */
#ifndef MACH_FAULT_H
#define MACH_FAULT_H

struct mach_fault_costs {
    double page_ns; /* cost for a 4 KiB page; 0: could not be measured */
    double huge_ns; /* cost for a 2 MiB page; 0: the system has none */
    double error;   /* half of the interquartile range of the batches, as a share of page_ns */
};

/* Takes some milliseconds. */
struct mach_fault_costs mach_fault_measure(void);

#endif
