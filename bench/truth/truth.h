/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs of the truth benchmark clock their own work. A phase is a piece of work of constant size that is
 * repeated ("slice", a few hundred microseconds); each slice is timed with the CPU clock of its thread, without
 * the slices of signal handlers that interrupt it. Every slice counts: random accesses take several times
 * longer where other programs use the memory, too, so that a slow slice need not be one that a burst
 * interrupted. The benchmark subtracts the time of the bursts afterwards. The phases are shared by all
 * threads and processes of the program, also across exec. Thread-safe, and safe in signal handlers. */
#ifndef TRUTH_H
#define TRUTH_H

#ifdef __cplusplus
extern "C" {
#endif

enum truth_kind {
    TRUTH_FUNCTION, /* the time of the functions in the phase's name, joined by '+' */
    TRUTH_OTHER,    /* user time of functions without a row in the truth */
    TRUTH_KERNEL    /* time in the kernel */
};

struct truth_phase;

/* Find or make the phase `name`. `data` is the label of the only data that it accesses, or NULL. */
struct truth_phase *truth_phase_new(enum truth_kind kind, const char *name, const char *data);
/* Run and time one slice. */
void truth_slice(struct truth_phase *phase, void (*work)(void));
/* Run `count` slices. */
void truth_slices(struct truth_phase *phase, void (*work)(void), int count);
/* Print the time of each phase, and getrusage of this process and of the children that it waited for. */
void truth_print(void);
/* The amount of work: argument `index`, or 1. */
double truth_scale(int argc, char **argv, int index);
/* Return a mode's number in `modes`, which ends with NULL; exit with a usage message if argument 1 is not a
 * mode. */
int truth_mode(int argc, char **argv, const char *const *modes);

/* Reference work that all programs share: a loop over 4 KiB. The phase's data is "truth_plain_data". */
struct truth_phase *truth_plain_phase(void);
void truth_plain(void);

#ifdef __cplusplus
}
#endif
#endif
