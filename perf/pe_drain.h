/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything that waits in the rings of several lanes, in the order of time.
 *
 * Thread: one at a time for the lanes of one object.  Signal: safe. */
#ifndef PE_DRAIN_H
#define PE_DRAIN_H

#include "perf/pe_open.h"

struct pe_drain {
    struct pe_layout layout;
    uint8_t *bounce;         /* PE_RECORD_MAX_BYTES, the caller's */
    struct pe_ticks ticks;   /* for the times in AUX areas; the caller's, best of this moment */
    struct pe_counts counts; /* adds up */
    size_t fullest_permille; /* of the last drain: how full the fullest ring was */
    /* One sample, undecoded; its pointers die with the return. */
    void (*sample)(void *user, const struct pe_lane *lane, const struct pe_sample *s);
    void *user;
};

/* Hand on all samples up to until_time, which is best a time before this call: then what other CPUs are
 * writing is in its place in the next drain. UINT64_MAX: everything. Samples of AUX areas come when the
 * kernel tells of them, in the order of time for one lane only. Returns their number. */
size_t pe_drain_lanes(struct pe_drain *d, struct pe_lane *lanes, size_t lanes_len, uint64_t until_time);

#endif
