/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables and attributes of run.h5, described once: the writer, the reader and doc/run-h5.md all follow
 * these rows. */
#ifndef PROF_TABLES_H
#define PROF_TABLES_H

#include "common/ls_access.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum prof_type { PROF_U8, PROF_U16, PROF_U32, PROF_U64, PROF_I32, PROF_F64, PROF_TEXT };

/* A column of a table, or an attribute of /run: where it is in its C struct. */
struct prof_field {
    const char *name;
    enum prof_type type;
    uint32_t array_len; /* values of one field: 1, or PROF_LEVEL_COUNT */
    size_t offset_bytes;
    const char *text;
};

struct prof_table {
    const char *group; /* "/nodes" */
    const struct prof_field *fields;
    size_t fields_len;
    size_t row_bytes;
};

/* X(id, C struct of prof_reader.h) */
#define PROF_TABLE_LIST(X)                 \
    X(nodes, struct prof_node)             \
    X(threads, struct prof_thread)         \
    X(processes, struct prof_process)      \
    X(bursts, struct prof_burst)           \
    X(modules, struct prof_module)         \
    X(lines, struct prof_line)             \
    X(inlines, struct prof_inline)         \
    X(phases, struct prof_phase)           \
    X(phase_spans, struct prof_phase_span) \
    X(resident_bytes, struct prof_point)   \
    X(minor_faults, struct prof_point)     \
    X(major_faults, struct prof_point)     \
    X(events, struct prof_event)           \
    X(sources, struct prof_source)         \
    X(frames, struct prof_frame)           \
    X(sites, struct prof_site)             \
    X(watches, struct prof_watch)          \
    X(kernels, struct prof_kernel)         \
    X(in_places, struct prof_in_place)

#define PROF_TABLE_ENUM(id, row) PROF_TABLE_##id,
enum prof_table_id { PROF_TABLE_LIST(PROF_TABLE_ENUM) PROF_TABLE_COUNT };
#undef PROF_TABLE_ENUM

extern const struct prof_table prof_tables[PROF_TABLE_COUNT];
/* Attributes of /run, in struct prof_run. */
extern const struct prof_table prof_run_table;

/* A column of /samples. */
struct prof_column_row {
    const char *name;
    enum prof_type type;
    uint64_t fill;
    const char *text;
};
extern const struct prof_column_row prof_column_rows[];

/* Names of levels and node kinds, as stored beside the numbers. */
extern const char *const prof_level_names[];
extern const char *const prof_source_names[];
extern const char *const prof_kind_names[];
/* Does a node of this kind name the very thing that was accessed? False for kinds that are not known. */
bool prof_kind_is_precise(uint32_t kind);

extern const char *const prof_origin_names[];
extern const char *const prof_ended_names[];
extern const char *const prof_cause_names[];

size_t prof_type_bytes(enum prof_type type);

#endif
