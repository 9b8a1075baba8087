/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a variable of the program's file that the launcher found (LOADSTONE_WATCH_AT) lies in this process.
 *
 * Thread: the constructor.  Signal: not safe. */
#ifndef RT_WATCH_PLACE_H
#define RT_WATCH_PLACE_H

#include <stdint.h>

struct rt_watch_place {
    uint64_t base;
    uint64_t elem_bytes; /* 0: nowhere */
};

/* text NULL, not of this program's file, or not readable: nowhere. */
void rt_watch_place_read(const char *text, struct rt_watch_place *out);

#endif
