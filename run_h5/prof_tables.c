/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_h5/prof_tables.h"

/* --- numbers with names --- */

#define PROF_NAME(name, text, ...) text,
const char *const prof_level_names[PROF_LEVEL_COUNT] = {PROF_LEVELS(PROF_NAME)};
const char *const prof_kind_names[PROF_NODE_KIND_COUNT] = {PROF_NODE_KINDS(PROF_NAME)};
const char *const prof_origin_names[PROF_ORIGIN_COUNT] = {PROF_ORIGINS(PROF_NAME)};
const char *const prof_ended_names[PROF_ENDED_COUNT] = {PROF_ENDS(PROF_NAME)};
const char *const prof_cause_names[PROF_KERNEL_CAUSE_COUNT] = {PROF_KERNEL_CAUSES(PROF_NAME)};
static const char *const prof_burst_end_names[PROF_BURST_END_COUNT] = {PROF_BURST_ENDS(PROF_NAME)};
static const char *const prof_method_names[PROF_METHOD_COUNT] = {PROF_METHODS(PROF_NAME)};
static const char *const prof_type_kind_names[PROF_TYPE_KIND_COUNT] = {PROF_TYPE_KINDS(PROF_NAME)};
static const char *const prof_member_kind_names[PROF_MEMBER_KIND_COUNT] = {PROF_MEMBER_KINDS(PROF_NAME)};
const char *const prof_typing_names[PROF_TYPING_COUNT] = {PROF_TYPINGS(PROF_NAME)};
static const char *const prof_source_names[LS_SOURCE_COUNT] = {LS_SOURCE_LIST(PROF_NAME)};

static const char *const prof_counter_kind_names[LS_COUNTER_KINDS_LEN] = {LS_COUNTER_KIND_LIST(PROF_NAME)};
static const char *const prof_kept_names[PROF_KEPT_COUNT] = {PROF_RANK_KEPT(PROF_NAME)};
static const char *const prof_sum_names[PROF_SUM_KIND_COUNT] = {PROF_SUM_KINDS(PROF_NAME)};
const char *const prof_mpi_names[LS_MPI_CALLS_LEN] = {LS_MPI_LIST(PROF_NAME)};
const char *const prof_device_api_names[LS_DEVICE_APIS_LEN] = {LS_DEVICE_APIS(PROF_NAME)};
const char *const prof_device_memory_names[LS_DEVICE_MEMORIES_LEN] = {LS_DEVICE_MEMORIES(PROF_NAME)};
const char *const prof_device_direction_names[LS_DEVICE_DIRECTIONS_LEN] = {LS_DEVICE_DIRECTIONS(PROF_NAME)};
const char *const prof_gap_names[LS_GAPS_LEN] = {LS_GAP_LIST(PROF_NAME)};

bool prof_level_l1_is_l2(const struct prof_run *run)
{
    return run->level_limit_cycles[PROF_LEVEL_L1] == run->level_limit_cycles[PROF_LEVEL_L2];
}

const char *prof_level_heading(const struct prof_run *run, enum prof_level level)
{
    if (level > PROF_LEVEL_L2 || !prof_level_l1_is_l2(run)) return prof_level_names[level];
    return level == PROF_LEVEL_L1 ? "L1/2" : NULL;
}

static const struct prof_codes prof_codes_counter_kinds = {"kinds", prof_counter_kind_names,
                                                           LS_COUNTER_KINDS_LEN};
static const struct prof_codes prof_codes_gaps = {"gaps", prof_gap_names, LS_GAPS_LEN};
static const struct prof_codes prof_codes_levels = {"levels", prof_level_names, PROF_LEVEL_COUNT};
static const struct prof_codes prof_codes_kinds = {"kinds", prof_kind_names, PROF_NODE_KIND_COUNT};
static const struct prof_codes prof_codes_origins = {"origins", prof_origin_names, PROF_ORIGIN_COUNT};
static const struct prof_codes prof_codes_ended = {"ends", prof_ended_names, PROF_ENDED_COUNT};
static const struct prof_codes prof_codes_causes = {"causes", prof_cause_names, PROF_KERNEL_CAUSE_COUNT};
static const struct prof_codes prof_codes_burst_ends = {"ends", prof_burst_end_names, PROF_BURST_END_COUNT};
static const struct prof_codes prof_codes_methods = {"methods", prof_method_names, PROF_METHOD_COUNT};
static const struct prof_codes prof_codes_sources = {"sources", prof_source_names, LS_SOURCE_COUNT};
static const struct prof_codes prof_codes_type_kinds = {"kinds", prof_type_kind_names, PROF_TYPE_KIND_COUNT};
static const struct prof_codes prof_codes_member_kinds = {"kinds", prof_member_kind_names,
                                                          PROF_MEMBER_KIND_COUNT};
static const struct prof_codes prof_codes_typings = {"typings", prof_typing_names, PROF_TYPING_COUNT};
static const struct prof_codes prof_codes_rank_kept = {"kept", prof_kept_names, PROF_KEPT_COUNT};
static const struct prof_codes prof_codes_sum_kinds = {"kinds", prof_sum_names, PROF_SUM_KIND_COUNT};
static const struct prof_codes prof_codes_mpi_calls = {"mpi", prof_mpi_names, LS_MPI_CALLS_LEN};
static const struct prof_codes prof_codes_device_apis = {"apis", prof_device_api_names, LS_DEVICE_APIS_LEN};
static const struct prof_codes prof_codes_device_memories = {"memories", prof_device_memory_names,
                                                             LS_DEVICE_MEMORIES_LEN};
static const struct prof_codes prof_codes_device_directions = {"directions", prof_device_direction_names,
                                                               LS_DEVICE_DIRECTIONS_LEN};
static const struct prof_codes prof_codes_ops = {.len = 3};
static const struct prof_codes prof_codes_flags = {.len = 2};

bool prof_kind_is_precise(uint32_t kind)
{
#define PROF_KIND_PRECISE(name, text, precise) precise,
    static const bool is_precise[PROF_NODE_KIND_COUNT] = {PROF_NODE_KINDS(PROF_KIND_PRECISE)};
    return kind < PROF_NODE_KIND_COUNT && is_precise[kind];
}

/* --- columns --- */

#define PROF_IS_VALUE .meaning = PROF_VALUE
#define PROF_IS_TIME .meaning = PROF_TIME
#define PROF_IS_ID .meaning = PROF_ID
#define PROF_IS_EARLIER .meaning = PROF_EARLIER
#define PROF_IS_EARLIER_OR_NONE .meaning = PROF_EARLIER, .may_miss = true
#define PROF_IS_ROW(of) .meaning = PROF_ROW, .table = PROF_TABLE_##of
#define PROF_IS_ROW_OR_NONE(of) PROF_IS_ROW(of), .may_miss = true
#define PROF_IS_SAMPLE .meaning = PROF_SAMPLE
#define PROF_IS_FIELD .meaning = PROF_FIELD_NUMBER
#define PROF_IS_CODE(of) .meaning = PROF_CODE, .codes = &prof_codes_##of
#define PROF_IS_CODE_OR_NONE(of) PROF_IS_CODE(of), .may_miss = true
#define PROF_IS_LABEL(of) .meaning = PROF_LABEL, .codes = &prof_codes_##of

#define PROF_TYPE_U32 .type = PROF_U32, .array_len = 1, .fill = UINT32_MAX
#define PROF_TYPE_U64 .type = PROF_U64, .array_len = 1, .fill = UINT64_MAX
#define PROF_TYPE_I32 .type = PROF_I32, .array_len = 1
#define PROF_TYPE_F64 .type = PROF_F64, .array_len = 1
#define PROF_TYPE_TEXT .type = PROF_TEXT, .array_len = 1
#define PROF_TYPE_LEVELS .type = PROF_F64, .array_len = PROF_LEVEL_COUNT

#define PROF_FIELD(row, kind, member, is, meant)   \
    {.name = #member,                              \
     PROF_TYPE_##kind,                             \
     .offset_bytes = offsetof(struct row, member), \
     .text = meant,                                \
     PROF_IS_##is},
#define PROF_FIELDS(id, row, group, columns) \
    static const struct prof_field prof_##id##_fields[] = {columns(PROF_FIELD, row)};
PROF_TABLE_LIST(PROF_FIELDS)
PROF_FIELDS(run, prof_run, "/run", PROF_RUN_COLUMNS)

#define PROF_TABLE(id, row, group, columns)                                                \
    {                                                                                      \
        group, prof_##id##_fields, sizeof(prof_##id##_fields) / sizeof(struct prof_field), \
            sizeof(struct row)                                                             \
    }
#define PROF_TABLE_ROW(...) PROF_TABLE(__VA_ARGS__),
const struct prof_table prof_tables[PROF_TABLE_COUNT] = {PROF_TABLE_LIST(PROF_TABLE_ROW)};
const struct prof_table prof_run_table = PROF_TABLE(run, prof_run, "/run", PROF_RUN_COLUMNS);

#define PROF_TYPE_OF(type)        \
    _Generic((type)0, uint8_t     \
             : PROF_U8, uint16_t  \
             : PROF_U16, uint32_t \
             : PROF_U32, uint64_t \
             : PROF_U64, int32_t  \
             : PROF_I32)
#define PROF_COLUMN(column, c_type, missing, is, meant)    \
    {.name = #column,                                      \
     .type = PROF_TYPE_OF(c_type),                         \
     .array_len = 1,                                       \
     .fill = (uint64_t)(missing),                          \
     .offset_bytes = offsetof(struct prof_sample, column), \
     .text = meant,                                        \
     PROF_IS_##is},
const struct prof_field prof_column_rows[PROF_COL_COUNT] = {PROF_SAMPLE_COLUMNS(PROF_COLUMN)};
const struct prof_table prof_samples_table = {"/samples", prof_column_rows, PROF_COL_COUNT,
                                              sizeof(struct prof_sample)};

#define PROF_MISSING(column, c_type, missing, is, meant) .column = (c_type)(missing),
const struct prof_sample prof_sample_missing = {PROF_SAMPLE_COLUMNS(PROF_MISSING)};

size_t prof_type_bytes(enum prof_type type)
{
    static const uint8_t bytes[] = {[PROF_U8] = 1,
                                    [PROF_U16] = 2,
                                    [PROF_U32] = 4,
                                    [PROF_U64] = 8,
                                    [PROF_I32] = 4,
                                    [PROF_F64] = 8,
                                    [PROF_TEXT] = sizeof(char *)};
    return bytes[type];
}
