/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples as MemAxes and Mitos write them: a first line that names the columns, a line a sample. MemAxes'
 * column dataSource is Intel's encoding of load latency records (SDM volume 3B, table "Data Source Encoding
 * for Load Latency Record"; arch/x86/events/intel/ds.c, pebs_data_source): the low four bits are the source,
 * the fifth is a miss of the TLB and the sixth a locked load; Mitos names the level. MemAxes reads the number
 * as hexadecimal, but its published samples are decimal (3 and 67, which is 0x43, have the same latencies; no
 * digit is a letter): a column without letters is read as decimal. */
#include "common/ls_access.h"
#include "perf/pe_sample.h"
#include "tools/import/imp_source.h"
#include "tools/import/imp_table.h"
#include "tools/import/imp_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MX_COLUMNS_MAX = 64, MX_GRID_EXTENT_MAX = 4096 };

/* M(id, names, separated by blanks) */
#define MX_COLUMN_LIST(M)               \
    M(VARIABLE, "variable data_symbol") \
    M(FILE, "source")                   \
    M(LINE, "line")                     \
    M(FUNCTION, "instruction_symbol")   \
    M(TIME, "time")                     \
    M(CYCLE, "iter")                    \
    M(LATENCY, "latency")               \
    M(SOURCE, "dataSource data_src")    \
    M(LEVEL, "level")                   \
    M(CPU, "cpu core")                  \
    M(NUMA, "node")                     \
    M(ELEMENT, "index")                 \
    M(IS_MAPPED, "map3D")               \
    M(X, "xidx")                        \
    M(Y, "yidx")                        \
    M(Z, "zidx")                        \
    M(PID, "pid")                       \
    M(TID, "tid")                       \
    M(ADDRESS, "addr address")          \
    M(IP, "ip")
#define MX_ENUM(id, names) MX_##id,
enum mx_column { MX_COLUMN_LIST(MX_ENUM) MX_COLUMNS };
#define MX_NAMES(id, names) names,
static const char *const mx_names[MX_COLUMNS] = {MX_COLUMN_LIST(MX_NAMES)};

struct mx_file {
    struct imp_text text;
    imp_table *table;
    int column[MX_COLUMNS]; /* index of each column in a line, -1: absent */
    size_t columns_len;
    char *fields[MX_COLUMNS_MAX];
    uint64_t extents[NDM_AXES_MAX];
    bool sources_are_hex;
};

static bool is_one_of(const char *name, const char *names)
{
    const size_t len = strlen(name);
    for (const char *at = names; len && (at = strstr(at, name)); at += len)
        if ((at == names || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0')) return true;
    return false;
}

static bool memaxes_probe(const char *head, size_t len_bytes)
{
    const size_t line = strcspn(head, "\r\n");
    char *first = line < len_bytes ? strndup(head, line) : NULL, *fields[MX_COLUMNS_MAX];
    bool has_latency = false, has_where = false;
    if (!first) return false;
    size_t len = imp_text_fields(first, fields, MX_COLUMNS_MAX);
    if (len > MX_COLUMNS_MAX) len = MX_COLUMNS_MAX;
    for (size_t i = 0; i < len; i++) {
        has_latency |= is_one_of(fields[i], mx_names[MX_LATENCY]);
        has_where |=
            is_one_of(fields[i], mx_names[MX_VARIABLE]) || is_one_of(fields[i], mx_names[MX_ADDRESS]);
    }
    free(first);
    return has_latency && has_where;
}

static ls_err read_columns(struct mx_file *f)
{
    LS_TRY(imp_text_next(&f->text));
    if (!f->text.line) return imp_text_bad(&f->text, "the file is empty");
    f->columns_len = imp_text_fields(f->text.line, f->fields, MX_COLUMNS_MAX);
    if (f->columns_len > MX_COLUMNS_MAX)
        return imp_text_bad(&f->text, "%zu columns, at most %d are read", f->columns_len, MX_COLUMNS_MAX);
    for (int c = 0; c < MX_COLUMNS; c++) {
        f->column[c] = -1;
        for (size_t i = 0; i < f->columns_len; i++)
            if (is_one_of(f->fields[i], mx_names[c])) f->column[c] = (int)i;
    }
    if (f->column[MX_LATENCY] < 0) return imp_text_bad(&f->text, "there is no column 'latency'");
    if (f->column[MX_VARIABLE] < 0 && f->column[MX_ADDRESS] < 0)
        return imp_text_bad(&f->text, "there is neither a column 'variable' nor 'addr'");
    return LS_OK;
}

static const char *text_of(const struct mx_file *f, enum mx_column c)
{
    return f->column[c] < 0 ? "" : f->fields[f->column[c]];
}

/* Read a field as a number; unchanged if the column is missing or the field empty. */
static ls_err number_of(const struct mx_file *f, enum mx_column c, int base, uint64_t max, uint64_t *out)
{
    const char *text = text_of(f, c);
    char *end;
    if (!*text) return LS_OK;
    if (base == 10 && strncmp(text, "0x", 2) == 0) base = 16;
    const unsigned long long value = strtoull(text, &end, base);
    if (*end || *text == '-' || value > max)
        return imp_text_bad(&f->text, "column '%.*s': '%.40s' is no number from 0 to %llu",
                            (int)strcspn(mx_names[c], " "), mx_names[c], text, (unsigned long long)max);
    *out = value;
    return LS_OK;
}

/* Read a field as a number, or missing. */
#define MX_NUMBER(f, column, base, max, member)                   \
    do {                                                          \
        uint64_t value_ = (uint64_t)(member);                     \
        LS_TRY(number_of((f), (column), (base), (max), &value_)); \
        (member) = (__typeof__(member))value_;                    \
    } while (0)

static void set_level_by_code(unsigned code, struct imp_access *a)
{
    enum { MX_TLB_MISS = 0x10, MX_LOCKED = 0x20, MX_CODES = 0x100 };
    static const struct {
        uint8_t source, snoop;
    } codes[16] = {
        [0x0] = {LS_NOT_REPORTED, LS_NOT_REPORTED}, /* "unknown L3 miss", of some 45 cycles in MemAxes' samples */
        [0x1] = {LS_SOURCE_L1, PE_SNOOP_NONE},           [0x2] = {LS_SOURCE_LFB, PE_SNOOP_NONE},
        [0x3] = {LS_SOURCE_L2, PE_SNOOP_NONE},           [0x4] = {LS_SOURCE_L3, PE_SNOOP_NONE},
        [0x5] = {LS_SOURCE_L3, PE_SNOOP_MISS},           [0x6] = {LS_SOURCE_L3, PE_SNOOP_HIT},
        [0x7] = {LS_SOURCE_L3, PE_SNOOP_HITM},           [0x8] = {LS_SOURCE_REMOTE_CACHE, PE_SNOOP_HIT},
        [0x9] = {LS_SOURCE_REMOTE_CACHE, PE_SNOOP_HITM}, [0xa] = {LS_SOURCE_DRAM, PE_SNOOP_HIT},
        [0xb] = {LS_SOURCE_REMOTE_DRAM, PE_SNOOP_HIT},   [0xc] = {LS_SOURCE_DRAM, PE_SNOOP_NONE},
        [0xd] = {LS_SOURCE_REMOTE_DRAM, PE_SNOOP_NONE},  [0xe] = {LS_SOURCE_IO, LS_NOT_REPORTED},
        [0xf] = {LS_SOURCE_UNCACHED, LS_NOT_REPORTED},
    };
    a->source = codes[code & 15].source;
    a->snoop = codes[code & 15].snoop;
    if (code >= MX_CODES) return;
    if (code & MX_TLB_MISS) a->tlb = PE_TLB_MISS; /* otherwise a hit of either level */
    a->locked = (code & MX_LOCKED) != 0;
}

/* Read Mitos' names of levels. */
static void set_level_by_name(const char *name, struct imp_access *a)
{
    static const struct {
        const char *name;
        uint8_t source;
    } names[] = {{"L1", LS_SOURCE_L1},
                 {"LFB", LS_SOURCE_LFB},
                 {"L2", LS_SOURCE_L2},
                 {"L3", LS_SOURCE_L3},
                 {"Local RAM", LS_SOURCE_DRAM},
                 {"Remote RAM 1 Hop", LS_SOURCE_REMOTE_DRAM},
                 {"Remote RAM 2 Hops", LS_SOURCE_REMOTE_DRAM},
                 {"Remote Cache 1 Hop", LS_SOURCE_REMOTE_CACHE},
                 {"Remote Cache 2 Hops", LS_SOURCE_REMOTE_CACHE},
                 {"I/O Memory", LS_SOURCE_IO},
                 {"Uncached Memory", LS_SOURCE_UNCACHED}};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcasecmp(name, names[i].name) == 0) a->source = names[i].source;
}

static ls_err read_source(struct mx_file *f, struct imp_access *a)
{
    uint64_t code = UINT64_MAX;
    if (*text_of(f, MX_LEVEL)) set_level_by_name(text_of(f, MX_LEVEL), a);
    LS_TRY(number_of(f, MX_SOURCE, f->sources_are_hex ? 16 : 10, UINT64_MAX - 1, &code));
    if (code != UINT64_MAX && a->source == LS_NOT_REPORTED) set_level_by_code((unsigned)code, a);
    return LS_OK;
}

static ls_err read_code(struct mx_file *f, struct imp_access *a)
{
    uint64_t line = 0, ip = 0;
    const char *file = text_of(f, MX_FILE), *function = text_of(f, MX_FUNCTION);
    LS_TRY(number_of(f, MX_LINE, 10, UINT32_MAX, &line));
    LS_TRY(number_of(f, MX_IP, 16, UINT64_MAX, &ip));
    const struct imp_code code = {.ip = ip,
                                  .function = strcmp(function, "??") == 0 ? "" : function,
                                  .file = strcmp(file, "??") == 0 ? "" : file,
                                  .line = (uint32_t)line};
    return imp_table_line(f->table, &code, &a->line);
}

static ls_err read_data(struct mx_file *f, struct imp_access *a)
{
    const char *variable = text_of(f, MX_VARIABLE);
    if (!*variable || strcmp(variable, "??") == 0)
        return imp_table_home(f->table, "data without a name", &a->node);
    LS_TRY(imp_table_node(f->table, variable, 8,
                          &a->node)); /* the element size is not known, 8 bytes are assumed */
    MX_NUMBER(f, MX_ELEMENT, 10, UINT64_MAX - 1, a->element);
    return LS_OK;
}

/* Store coordinates, because the grid's extents are known only at the end of the first pass. */
static ls_err read_cell(const struct mx_file *f, uint64_t out[NDM_AXES_MAX], bool *is_there)
{
    uint64_t is_mapped = 1;
    out[0] = out[1] = out[2] = UINT64_MAX;
    LS_TRY(number_of(f, MX_IS_MAPPED, 10, 1, &is_mapped));
    for (int axis = 0; axis < NDM_AXES_MAX; axis++)
        LS_TRY(number_of(f, MX_X + axis, 10, MX_GRID_EXTENT_MAX - 1, &out[axis]));
    *is_there = is_mapped && out[0] != UINT64_MAX;
    for (int axis = 1; axis < NDM_AXES_MAX; axis++)
        if (out[axis] == UINT64_MAX) out[axis] = 0;
    return LS_OK;
}

static ls_err read_phase(struct mx_file *f, struct imp_access *a)
{
    char name[64];
    if (!*text_of(f, MX_CYCLE)) return LS_OK;
    snprintf(name, sizeof(name), "iteration %.40s", text_of(f, MX_CYCLE));
    return imp_table_phase(f->table, name, &a->phase);
}

static ls_err read_sample(struct mx_file *f)
{
    struct imp_access a = imp_access_missing;
    uint64_t cell[NDM_AXES_MAX], latency = UINT64_MAX;
    bool is_there;
    const size_t len = imp_text_fields(f->text.line, f->fields, MX_COLUMNS_MAX);
    if (len != f->columns_len)
        return imp_text_bad(&f->text, "%zu fields, but the first line names %zu columns", len,
                            f->columns_len);
    MX_NUMBER(f, MX_TIME, f->column[MX_CYCLE] < 0 ? 10 : 16, UINT64_MAX - 1,
              a.time_ns); /* MemAxes: hexadecimal */
    MX_NUMBER(f, MX_CPU, 10, UINT32_MAX - 1, a.cpu);
    MX_NUMBER(f, MX_NUMA, 10, UINT8_MAX - 1, a.numa);
    MX_NUMBER(f, MX_PID, 10, UINT32_MAX - 1, a.pid);
    MX_NUMBER(f, MX_ADDRESS, 16, UINT64_MAX - 1, a.addr);
    a.tid = a.cpu; /* MemAxes: one thread for each CPU */
    MX_NUMBER(f, MX_TID, 10, UINT32_MAX - 1, a.tid);
    LS_TRY(number_of(f, MX_LATENCY, 10, INT32_MAX, &latency));
    if (latency != UINT64_MAX) a.latency_cycles = (int32_t)latency;
    a.op = PE_OP_LOAD;
    LS_TRY(read_source(f, &a));
    LS_TRY(read_code(f, &a));
    LS_TRY(read_data(f, &a));
    LS_TRY(read_phase(f, &a));
    LS_TRY(read_cell(f, cell, &is_there));
    if (is_there) a.cell = cell[0] + f->extents[0] * (cell[1] + f->extents[1] * cell[2]);
    return imp_table_add(f->table, &a);
}

static ls_err note_extents(struct mx_file *f)
{
    uint64_t cell[NDM_AXES_MAX];
    bool is_there;
    LS_TRY(read_cell(f, cell, &is_there));
    for (int axis = 0; is_there && axis < NDM_AXES_MAX; axis++)
        if (cell[axis] >= f->extents[axis]) f->extents[axis] = cell[axis] + 1;
    return LS_OK;
}

/* First pass: find the size of the grid and the form of data sources. */
static ls_err look_through(struct mx_file *f)
{
    LS_TRY(read_columns(f));
    for (;;) {
        LS_TRY(imp_text_next(&f->text));
        if (!f->text.line) break;
        if (imp_text_fields(f->text.line, f->fields, MX_COLUMNS_MAX) != f->columns_len)
            continue; /* reported later */
        f->sources_are_hex |= strpbrk(text_of(f, MX_SOURCE), "abcdefABCDEF") != NULL;
        if (f->column[MX_X] >= 0) LS_TRY(note_extents(f));
    }
    return f->extents[0] ? imp_table_grid(f->table, "grid", f->extents) : LS_OK;
}

static ls_err read_samples(struct mx_file *f)
{
    LS_TRY(imp_text_rewind(&f->text));
    LS_TRY(read_columns(f));
    for (;;) {
        LS_TRY(imp_text_next(&f->text));
        if (!f->text.line) return LS_OK;
        if (*f->text.line) LS_TRY(read_sample(f));
    }
}

static ls_err memaxes_run(struct imp_job *job)
{
    struct mx_file f = {0};
    LS_TRY(imp_table_new(&f.table));
    ls_err err = imp_text_open(job->path, &f.text);
    if (err == LS_OK) err = look_through(&f);
    if (err == LS_OK) err = read_samples(&f);
    job->samples = imp_table_len(f.table);
    const struct imp_about about = {.output_path = job->output_path,
                                    .force = job->force,
                                    .tool = "imported (MemAxes)",
                                    .command = job->path,
                                    .events = "loads above a latency threshold",
                                    .latency_meaning = ls_latency_text(LS_LATENCY_USE),
                                    .host = "",
                                    .cpu = "",
                                    .topology = "",
                                    .clock_hz = job->clock_hz};
    if (err == LS_OK) err = imp_table_write(f.table, &about);
    imp_text_close(&f.text);
    imp_table_free(f.table);
    return err;
}

const struct imp_source imp_source_memaxes = {.name = "memaxes",
                                              .words = "CSV of MemAxes and Mitos",
                                              .takes_packed = true,
                                              .probe = memaxes_probe,
                                              .run = memaxes_run};
