/* SPDX-License-Identifier: BSD-3-Clause */
/* The LOADSTONE_* variables of the hw engine as a request for encodings. */
#ifndef PE_SETTINGS_H
#define PE_SETTINGS_H

#include "perf/pe_encode.h"

enum { PE_ROOT_BYTES = 256 };

/* The request points into the struct itself: do not copy the struct. */
struct pe_settings {
    char event[PE_EVENT_BYTES];
    char sysfs_root[PE_ROOT_BYTES];
    struct pe_request request;
};

/* Read LOADSTONE_EVENT, _HW_PERIOD, _HW_FREQ, _LDLAT, _STORES and _SYSFS over their defaults (loads in user
 * code, the vendor's period). An unreadable variable keeps its default; returns the name of the last such
 * variable, or NULL. get: environment look-up, usually getenv.
 * Thread: any.  Signal: not safe (get). */
const char *pe_settings_read(struct pe_settings *out, char *(*get)(const char *name));

#endif
