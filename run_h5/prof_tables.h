/* SPDX-License-Identifier: BSD-3-Clause */
/* The lists of prof_schema.h as rows of data; writer, reader, checks and merge loop over them. */
#ifndef PROF_TABLES_H
#define PROF_TABLES_H

#include "common/ls_access.h"
#include "common/ls_device.h"
#include "common/ls_mpi.h"
#include "common/ls_series.h"
#include "run_h5/prof_schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum prof_type { PROF_U8, PROF_U16, PROF_U32, PROF_U64, PROF_I32, PROF_F64, PROF_TEXT };

/* See prof_schema.h. */
enum prof_meaning {
    PROF_VALUE,
    PROF_TIME,
    PROF_ID,
    PROF_EARLIER,
    PROF_ROW,
    PROF_SAMPLE,
    PROF_FIELD_NUMBER,
    PROF_CODE,
    PROF_LABEL
};

/* Names of the numbers 0 to len - 1, stored as an attribute beside them; a NULL attribute: not stored. */
struct prof_codes {
    const char *attribute;
    const char *const *names;
    uint32_t len;
};

/* A column of a table or of /samples, or an attribute of /run: where it is in its C struct. */
struct prof_field {
    const char *name;
    enum prof_type type;
    uint32_t array_len; /* values of one field: 1, or PROF_LEVEL_COUNT */
    size_t offset_bytes;
    uint64_t fill; /* missing */
    const char *text;
    enum prof_meaning meaning;
    bool may_miss;
    enum prof_table_id table;       /* of PROF_ROW */
    const struct prof_codes *codes; /* for PROF_CODE and PROF_LABEL */
};

struct prof_table {
    const char *group; /* "/nodes" */
    const struct prof_field *fields;
    size_t fields_len;
    size_t row_bytes;
};

extern const struct prof_table prof_tables[PROF_TABLE_COUNT];
/* Attributes of /run, in struct prof_run. */
extern const struct prof_table prof_run_table;
/* Columns of /samples, in struct prof_sample. */
extern const struct prof_field prof_column_rows[PROF_COL_COUNT];
extern const struct prof_table prof_samples_table;
/* A sample with every column missing. */
extern const struct prof_sample prof_sample_missing;

/* Names of levels and node kinds, as stored beside the numbers. */
extern const char *const prof_level_names[];
/* Does L1 stand for L2, too? So it does where a step of the counter is longer than the difference of their latencies. */
bool prof_level_l1_is_l2(const struct prof_run *run);
/* Heading of the loads of a level: its name, "L1/2" where L1 stands for both, and NULL for L2 there. */
const char *prof_level_heading(const struct prof_run *run, enum prof_level level);
extern const char *const prof_kind_names[];
/* Does a node of this kind identify the accessed object? False for unknown kinds. */
bool prof_kind_is_precise(uint32_t kind);

extern const char *const prof_origin_names[];
extern const char *const prof_ended_names[];
extern const char *const prof_cause_names[];
extern const char *const prof_typing_names[];
extern const char *const prof_gap_names[];
extern const char *const prof_mpi_names[];
extern const char *const prof_device_api_names[], *const prof_device_memory_names[],
                                                      *const prof_device_direction_names[];

size_t prof_type_bytes(enum prof_type type);

#endif
