/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of kernels as JSON and CSV, the same for replay, stream and studies. */
#ifndef RPL_KERNEL_H
#define RPL_KERNEL_H

#include "kernels/kn_result.h"
#include "common/ls_json.h"

/* The machine as an object: host, cpu, topology. */
void rpl_json_machine(struct ls_json *j, const char *key);
/* Write a result as an object in an array; name is its configuration's. */
void rpl_json_result(struct ls_json *j, const struct kn_result *r, const char *name);
/* The same as columns. */
void rpl_csv_header(FILE *out);
void rpl_csv_row(const struct kn_result *r, const char *name, FILE *out);

#endif
