/* SPDX-License-Identifier: BSD-3-Clause */
/* Request of a program under fake_kernel: ioctl(-1, FAKE_PLAY, &play). */
#ifndef FAKE_KERNEL_H
#define FAKE_KERNEL_H

#include <stdint.h>
#include <sys/ioctl.h>

struct fake_play {
    uint64_t base, stride_bytes, len; /* addresses: base + i * stride */
    uint64_t ip;
    uint64_t event; /* which of the sampling events that are on, from 0; the last where there are fewer */
    uint64_t data_src;
    uint64_t latency_first;   /* cycles: access i has this plus i */
    uint64_t lost, throttled; /* records of losses and throttling after the samples */
    uint64_t hardware_lost;   /* and samples that the hardware dropped */
    uint64_t played;          /* the answer: samples that fitted */
    uint64_t period_events;   /* and the period of the event that took them; 0: none is on */
    uint64_t is_held;         /* AUX areas: these samples are not announced before the next ones */
    uint64_t needs_all;       /* for the program: it requests again the samples that did not fit */
};
#define FAKE_PLAY _IOW('$', 0x77, struct fake_play)

#endif
