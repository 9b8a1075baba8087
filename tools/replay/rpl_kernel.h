/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of kernels as JSON and CSV, and their hardware counters: the same for replay, stream and studies.
 * */
#ifndef RPL_KERNEL_H
#define RPL_KERNEL_H

#include "kernels/kn_result.h"
#include "common/ls_json.h"

#include "machine/mach_topology.h"

#include <stdio.h>

/* Options of devices, for all benchmarks. */
#define RPL_DEVICE_HELP \
    "device of backend opencl or cuda: its number in loadstone replay --list, or a part of its name"
#define RPL_DEVICE_TIMEOUT_DEFAULT "1min"
#define RPL_DEVICE_TIMEOUT_HELP "the longest that a kernel may run on a device"

/* Warn of threads above the processors, which are clamped. */
void rpl_warn_of_threads(const struct kn_options *o);

/* ---- as JSON and CSV ---- */

/* Describe this machine; where o names a device, that is its processor.
 * Errors: as mach_describe and kn_gpu_open. */
ls_err rpl_machine_of(const struct kn_options *o, struct mach_machine *out);
/* The machine of o as an object: host, cpu, topology. */
void rpl_json_machine(struct ls_json *j, const char *key, const struct kn_options *o);
/* Write a result as an object in an array; name is its configuration's. */
void rpl_json_result(struct ls_json *j, const struct kn_result *r, const char *name);
/* Print the same results as columns of CSV. */
void rpl_csv_header(FILE *out);
void rpl_csv_row(const struct kn_result *r, const char *name, FILE *out);

/* ---- hardware counters ---- */

/* Write an object "counts" of one timed run; counters that are not available here are null. */
void rpl_counts_json(struct ls_json *j, const struct kn_result *r);

/* Print the counts as columns of CSV: ",cycles,..." */
void rpl_counts_csv_header(FILE *out);
void rpl_counts_csv_row(const struct kn_result *r, FILE *out);

/* Print a row of hardware counters for each result, named by name(user, i), if one of the results has them,
 * and a line with the missing counters. */
void rpl_counts_print(const struct kn_result *results, size_t len, const char *(*name)(void *user, size_t i),
                      void *user, FILE *out);

#endif
