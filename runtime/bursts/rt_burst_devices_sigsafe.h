/* SPDX-License-Identifier: BSD-3-Clause */
/* Address ranges that must not be read twice: mappings of devices, where a read has side effects.
 *
 * Thread: any; functions that add: one at a time. */
#ifndef RT_BURST_DEVICES_SIGSAFE_H
#define RT_BURST_DEVICES_SIGSAFE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RT_BURST_DEVICES_MAX = 256 };

/* One writer at a time (the caller serialises), any number of readers in handlers. Ranges that touch are joined. When
 * there are more than places, a new one is joined with the nearest, and with what lies between them: never read a device
 * twice for want of room. */
struct rt_burst_devices {
    uint32_t count, unused;
    struct {
        uint64_t base, end;
    } ranges[RT_BURST_DEVICES_MAX];
};

/* May a mapping of this path have side effects when read? True for everything in /dev but shared memory, zero
 * and huge pages, for /sys, and for kernel objects without a file. */
bool rt_burst_path_is_device(const char *path, size_t len_bytes);

/* Note one mapping; a later one over the same range is harmless. */
void rt_burst_devices_add(struct rt_burst_devices *d, uint64_t base, uint64_t end);
/* Add the device mappings of a text in the format of /proc/self/maps (whole lines). */
void rt_burst_devices_scan(struct rt_burst_devices *d, const char *maps, size_t len_bytes);
/* False: never probe addr. */
bool rt_burst_devices_may_probe(const struct rt_burst_devices *d, uint64_t addr);

#endif
