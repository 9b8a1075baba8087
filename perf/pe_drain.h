/* SPDX-License-Identifier: BSD-3-Clause */
/* Drain the rings of several lanes, in the order of time.
 *
 * Thread: one at a time for the lanes of one object.  Signal: safe. */
#ifndef PE_DRAIN_H
#define PE_DRAIN_H

#include "perf/pe_open.h"

struct pe_drain {
    struct pe_layout layout;
    uint8_t *bounce;         /* PE_RECORD_MAX_BYTES, the caller's */
    struct pe_ticks ticks;   /* for the times in AUX areas; set by the caller, best just before the drain */
    struct pe_counts counts; /* adds up */
    size_t fullest_permille; /* fill of the fullest ring at the last drain */
    /* Take one sample, undecoded; its pointers are valid during the call only. */
    void (*sample)(void *user, const struct pe_lane *lane, const struct pe_sample *s);
    void *user;
};

/* Hand on all samples up to until_time. Choose a time before this call, so that samples which other CPUs are
 * still writing come in order in the next drain; UINT64_MAX hands on everything. Samples of AUX areas come
 * when the kernel reports them, in the order of time for one lane only. Returns the number of samples. */
size_t pe_drain_lanes(struct pe_drain *d, struct pe_lane *lanes, size_t lanes_len, uint64_t until_time);

#endif
