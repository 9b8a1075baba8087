/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting, without samples: counts of the processors and memory controllers while a piece of this process
 * runs. The counters of memory controllers see the whole machine, the others this process' threads.
 *
 * Unless noted otherwise: Thread: one at a time for one object.  Signal: not safe. */
#ifndef PE_COUNT_H
#define PE_COUNT_H

#include "common/ls_error.h"
#include "perf/pe_kernel.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

enum pe_count_kind { PE_COUNT_CORE, PE_COUNT_TRAFFIC, PE_COUNT_SOFTWARE };

/* X(id, name, kind, attr type, attr config, words). Types and configs: perf_event_open(2). */
#define PE_COUNT_CACHE(cache, op, result) ((cache) | ((op) << 8) | ((result) << 16))
#define PE_COUNT_LIST(X)                                                                                  \
    X(CYCLES, "cycles", CORE, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles of the cores")        \
    X(INSTRUCTIONS, "instructions", CORE, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions") \
    X(LLC_MISSES, "llc_misses", CORE, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES,                     \
      "misses of the last cache")                                                                         \
    X(DTLB_MISSES, "dtlb_load_misses", CORE, PERF_TYPE_HW_CACHE,                                          \
      PE_COUNT_CACHE(PERF_COUNT_HW_CACHE_DTLB, PERF_COUNT_HW_CACHE_OP_READ,                               \
                     PERF_COUNT_HW_CACHE_RESULT_MISS),                                                    \
      "loads without a translation in the data TLB")                                                      \
    X(READ_BYTES, "dram_read_bytes", TRAFFIC, 0, 0, "bytes read from memory, whole machine")              \
    X(WRITE_BYTES, "dram_write_bytes", TRAFFIC, 0, 0, "bytes written to memory, whole machine")           \
    X(FAULTS, "page_faults", SOFTWARE, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page faults")      \
    X(SWITCHES, "context_switches", SOFTWARE, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES,         \
      "context switches")
#define PE_COUNT_ENUM(id, name, kind, type, config, words) PE_COUNT_##id,
enum pe_count { PE_COUNT_LIST(PE_COUNT_ENUM) PE_COUNTS_LEN };
#undef PE_COUNT_ENUM

struct pe_count_row {
    const char *name, *words;
    enum pe_count_kind kind;
};
extern const struct pe_count_row pe_count_rows[PE_COUNTS_LEN];

/* NAN: not counted here. */
struct pe_tally {
    double values[PE_COUNTS_LEN];
};

typedef struct pe_counter pe_counter;

/* Open all available events, disabled, for all threads that this process has now and the threads that these
 * create. Other threads are not counted. A missing counter is not an error: ask pe_counter_why_not.
 * k NULL: the running kernel; sysfs_root NULL: "/sys".
 * Owns:   pe_counter_free ends *out.  Errors: LS_ERR_NOMEM. */
ls_err pe_counter_new(const struct pe_kernel *k, const char *sysfs_root, pe_counter **out);
void pe_counter_free(pe_counter *c); /* NULL-safe */

void pe_counter_start(pe_counter *c);
/* Store the counts since the start. Events that shared a counter with others are scaled to the whole time. */
void pe_counter_stop(pe_counter *c, struct pe_tally *out);

/* A sentence when no counter of this kind opened, with the remedy; NULL when one did. Lives as long as c. */
const char *pe_counter_why_not(const pe_counter *c, enum pe_count_kind kind);

/* --- memory controllers ---
 *
 * The counters of memory controllers, as sysfs describes them: the events, their CPUs, and the bytes of one
 * count. Known: Intel's uncore_imc (servers: cas_count_*, clients: data_*) and uncore_imc_free_running; AMD's
 * amd_umc and amd_df; Arm servers of NVIDIA, HiSilicon and Alibaba; the nest of POWER9. */

enum pe_direction { PE_DIRECTION_READ, PE_DIRECTION_WRITE, PE_DIRECTION_BOTH };

struct pe_traffic_event {
    struct perf_event_attr attr; /* type and config */
    int cpu;
    enum pe_direction direction;
    double bytes; /* per count */
};

/* Find all events of the first kind of controller that is present, one for each controller, direction and CPU
 * of its cpumask. None: *out_len is 0.
 * Owns:   the caller frees *out.
 * Errors: LS_ERR_NOMEM; LS_ERR_FORMAT when the kernel's description cannot be read or has an unknown unit
 *         (names the file). */
ls_err pe_traffic_find(const char *sysfs_root, struct pe_traffic_event **out, size_t *out_len);

#endif
