/* SPDX-License-Identifier: BSD-3-Clause */
/* The counters of memory controllers, as sysfs describes them: the events, their CPUs, and the bytes of one
 * count. Known: Intel's uncore_imc (servers: cas_count_*, clients: data_*), and uncore_imc_free_running;
 * AMD's amd_umc.
 *
 * Thread: any.  Signal: not safe. */
#ifndef PE_TRAFFIC_H
#define PE_TRAFFIC_H

#include "common/ls_error.h"

#include <linux/perf_event.h>
#include <stddef.h>

struct pe_traffic_event {
    struct perf_event_attr attr; /* type and config */
    int cpu;
    int is_write;
    double bytes; /* per count */
};

/* Find all events of the first kind of controller that is present, one for each controller, direction and CPU
 * of its cpumask. None: *out_len is 0.
 * Owns:   the caller frees *out.
 * Errors: LS_ERR_NOMEM; LS_ERR_FORMAT when the kernel's description cannot be read (names the file). */
ls_err pe_traffic_find(const char *sysfs_root, struct pe_traffic_event **out, size_t *out_len);

#endif
