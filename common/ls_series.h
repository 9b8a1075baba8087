/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters that are sampled as time series: kinds of counters, and reasons for intervals without a value.
 * Sources, spool and run.h5 share these numbers: new ones go to the end. */
#ifndef LS_SERIES_H
#define LS_SERIES_H

/* X(id, name, text) */
#define LS_COUNTER_KIND_LIST(X)                                          \
    X(OTHER, "other", "other")                                           \
    X(READ, "read", "bytes read from memory")                            \
    X(WRITTEN, "written", "bytes written to memory")                     \
    X(MOVED, "moved", "bytes read from and written to memory, together") \
    X(RECEIVED, "received", "bytes received from a network")             \
    X(SENT, "sent", "bytes sent to a network")                           \
    X(ENERGY, "energy", "energy, or power where it is a level")
#define LS_COUNTER_KIND_ENUM(id, name, text) LS_COUNTER_##id,
enum ls_counter_kind { LS_COUNTER_KIND_LIST(LS_COUNTER_KIND_ENUM) LS_COUNTER_KINDS_LEN };
#undef LS_COUNTER_KIND_ENUM

/* X(id, name, text, remedy) */
#define LS_GAP_LIST(X)                                                                                \
    X(NONE, "none", "", "")                                                                           \
    X(GONE, "gone", "the counter disappeared (device removed, service ended, CPU offline)",           \
      "bring the device, the service or the CPU back; the series then goes on")                       \
    X(RESET, "reset", "the counter went backwards: it wrapped or was reset",                          \
      "shorten --series-interval if it happens often")                                                \
    X(UNASSIGNED, "unassigned", "the hardware had no counter for it",                                 \
      "end other users of the counters (perf stat, resctrl groups), or assign one in resctrl's "      \
      "mbm_L3_assignments")                                                                           \
    X(DENIED, "denied", "reading was no longer permitted", "run as root, or permit to read the file") \
    X(UNREADABLE, "unreadable", "the value could not be read", "see the messages of the kernel (dmesg)")
#define LS_GAP_ENUM(id, name, text, remedy) LS_GAP_##id,
enum ls_gap { LS_GAP_LIST(LS_GAP_ENUM) LS_GAPS_LEN };
#undef LS_GAP_ENUM

#endif
