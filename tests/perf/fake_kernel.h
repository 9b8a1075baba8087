/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program under fake_kernel asks it to play: ioctl(-1, FAKE_PLAY, &play). */
#ifndef FAKE_KERNEL_H
#define FAKE_KERNEL_H

#include <stdint.h>
#include <sys/ioctl.h>

struct fake_play {
    uint64_t base, stride_bytes, len; /* addresses: base + i * stride */
    uint64_t ip;
    uint64_t event; /* which of the sampling events that are on, from 0; the last where there are fewer */
    uint64_t data_src;
    uint64_t latency_first;   /* cycles: of access i this plus i */
    uint64_t lost, throttled; /* records of losses and throttling behind the samples */
    uint64_t hardware_lost;   /* and of those that the hardware dropped */
    uint64_t played;          /* the answer: samples that found room */
    uint64_t period_events;   /* and the period of the event that took them; 0: none is on */
    uint64_t is_held;         /* AUX areas: nothing is told of these samples before the next ones */
    uint64_t needs_all;       /* the program's: it asks again for what found no room */
};
#define FAKE_PLAY _IOW('$', 0x77, struct fake_play)

#endif
