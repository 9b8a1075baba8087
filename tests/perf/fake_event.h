/* SPDX-License-Identifier: BSD-3-Clause */
/* The events of the fake kernel and their state. */
#ifndef FAKE_EVENT_H
#define FAKE_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { FILES_MAX = 4096, FILE_BYTES = 8 << 20, PAGE_BYTES = 4096 };

struct fake_event {
    struct perf_event_attr attr;
    pid_t pid;    /* id of the notification */
    pid_t target; /* whose thread's events are counted */
    int memory, fd, cpu;
    const struct fake_event *leader; /* itself when it leads */
    const struct fake_event *output; /* whose ring; NULL: its own */
    bool is_on;
    uint64_t aux_announced; /* announced bytes of the AUX area */
    bool has_aux;
    unsigned stops;   /* for want of room in it */
    bool is_cpu_wide; /* samples any process that runs there */
};
extern struct fake_event fake_events[FILES_MAX];
extern size_t fake_events_len;
extern bool fake_samples_kernel; /* repeat each sample as one of the kernel */

/* Play the records that the program of thread tid requests at this address (struct fake_play), and answer
 * there. */
void fake_play_at(pid_t tid, uint64_t at);

#endif
