/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's description of its PMUs:
 * ROOT/bus/event_source/devices/PMU/{type,events,format,caps,cpus,cpumask}. Uses plain system calls and the
 * caller's memory only, because the preloaded runtime calls it too.
 *
 * Thread: any.  Signal: not safe. */
#ifndef PE_SYSFS_H
#define PE_SYSFS_H

#include "common/ls_error.h"
#include "perf/pe_encode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PE_PMUS_MAX = 16, PE_TEXT_BYTES = 512 };

/* The PMUs of an instruction set's cores and their samplers; uncore and software PMUs are left out. */
struct pe_sysfs {
    const char *root; /* "/sys" */
    char pmus[PE_PMUS_MAX][PE_PMU_BYTES];
    unsigned pmus_len;
};

/* List the PMUs that may sample loads: cpu, cpu_*, ibs_op, arm_spe_*, armv8*, sorted by name.
 * Errors: LS_ERR_IO when the folder exists but cannot be read; a missing one is an empty list. */
ls_err pe_sysfs_list(const char *root, struct pe_sysfs *out);

/* Read the first line of ROOT/bus/event_source/devices/PMU/NAME without its line end; NAME may contain a
 * folder ("events/mem-loads"). False when it is missing, empty, or does not fit. */
bool pe_sysfs_text(const struct pe_sysfs *s, const char *pmu, const char *name, char *out, size_t out_bytes);
bool pe_sysfs_has(const struct pe_sysfs *s, const char *pmu, const char *name);
/* Read a decimal or 0x number, as pe_sysfs_text.  False also when the text is not a number. */
bool pe_sysfs_number(const struct pe_sysfs *s, const char *pmu, const char *name, uint64_t *out);

/* Read MIDR_EL1 of a CPU, which identifies the Arm core. False on other architectures. */
bool pe_sysfs_midr(const struct pe_sysfs *s, unsigned cpu, uint64_t *out);

/* The names of the PMUs, separated by a comma and a blank: for messages. */
void pe_sysfs_pmus(const struct pe_sysfs *s, char *out, size_t out_bytes);

/* attr type of a PMU; LS_ERR_NOT_FOUND when the kernel knows no such PMU. */
ls_err pe_sysfs_type(const struct pe_sysfs *s, const char *pmu, uint32_t *out);

/* The CPUs of a PMU as a list "0-7,16"; "" when it has all. */
void pe_sysfs_cpus(const struct pe_sysfs *s, const char *pmu, char out[PE_CPUS_BYTES]);

/* Names in PMU/FOLDER ("format", "events"), separated by a comma and a blank, sorted, cut off with "..." when
 * they do not fit: for messages. */
void pe_sysfs_names(const struct pe_sysfs *s, const char *pmu, const char *folder, char *out,
                    size_t out_bytes);

#endif
