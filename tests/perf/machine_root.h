/* SPDX-License-Identifier: BSD-3-Clause */
/* A sysfs made of a text file tests/perf/machines/NAME.sysfs: lines "PMU/FILE CONTENT", "kernel A.B.C", "#
 * comment". */
#ifndef MACHINE_ROOT_H
#define MACHINE_ROOT_H

#include <limits.h>
#include <stdint.h>

struct machine_root {
    char path[PATH_MAX]; /* the root that replaces /sys */
    uint32_t kernel;
};

/* 0, or -1 with a message on stderr. The folder is removed by machine_root_fini. */
int machine_root_init(struct machine_root *m, const char *file);
void machine_root_fini(struct machine_root *m);

#endif
