/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of stream, as STREAM prints them and for programs. */
#ifndef STM_PRINT_H
#define STM_PRINT_H

#include "kernels/kn_stream.h"

#include <stdio.h>

enum stm_format { STM_TABLE, STM_CSV, STM_JSON };
enum { STM_JSON_SCHEMA = 1 };

struct stm_report {
    struct kn_stream_options options;
    struct kn_stream_need need;
    struct kn_result *results; /* [len] */
    size_t len;
    bool by_code; /* rates of the table count indices too */
};

void stm_print(const struct stm_report *r, enum stm_format format, FILE *out);
/* Every kernel that stream runs, a line each. */
void stm_print_kernels(FILE *out);

#endif
