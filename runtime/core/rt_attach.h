/* SPDX-License-Identifier: BSD-3-Clause */
/* Recordings that begin while the program runs (runtime/attach/, doc/attach.md). */
#ifndef RT_ATTACH_H
#define RT_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

/* An action for a signal, in the kernel's terms. */
struct rt_attach_action {
    void *handler;
    uint64_t flags, mask;
};

/* Wait for requests: a handler of LS_ATTACH_SIGNAL, and the mark in /proc/PID/maps. No thread is made.
 * Thread: the constructor. */
void rt_attach_init(void);

/* Is sig the signal of requests, and the handler installed?  Signal: safe. */
bool rt_attach_owns(int sig);
/* Set (a != NULL) the program's own action for it and give the previous one (old may be NULL).  Signal:
 * safe. */
void rt_attach_exchange(const struct rt_attach_action *a, struct rt_attach_action *old);

#endif
