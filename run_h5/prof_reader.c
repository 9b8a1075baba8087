/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_h5/prof_reader.h"

#include "common/ls_vector.h"
#include "run_h5/prof_file.h"
#include "run_h5/prof_h5.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A column of C strings. */
struct prof_texts {
    char **texts;
    size_t len;
};

struct prof_profile {
    char *path;
    struct prof_h5_input file;
    struct prof_run run;
    void *tables[PROF_TABLE_COUNT];
    struct prof_lens lens;
    LS_VECTOR(struct prof_texts) texts;
    void *columns[PROF_COL_COUNT];
    uint64_t room_bytes; /* memory that further reads may take */
};

/* Rows that were never written take no space in a file, and equal rows little: refuse more rows than a file
 * of its length can hold before allocating memory. Recordings have 1 to 10 bytes per row of samples in the
 * file, and some 100 in memory. */
enum { PROF_ROWS_ALWAYS = 4096, PROF_ROWS_PER_BYTE = 8 };

static ls_err prof_bad(const prof_profile *p, const char *where, const char *what)
{
    if (what == prof_h5_no_memory) return ls_nomem("%s of %s", where, p->path);
    return ls_fail(LS_ERR_FORMAT, "%s: %s: %s", p->path, where, what);
}

static ls_err prof_take_room(prof_profile *p, const char *where, uint64_t len, uint64_t each_bytes)
{
    uint64_t bytes;
    if (__builtin_mul_overflow(len, each_bytes, &bytes) || bytes > p->room_bytes)
        return ls_fail(LS_ERR_RANGE,
                       "%s: %s: takes too much memory for a file of %llu bytes; if you trust it, "
                       "LOADSTONE_MEMORY=8G lets it take as much",
                       p->path, where, (unsigned long long)p->file.len_bytes);
    p->room_bytes -= bytes;
    return LS_OK;
}

static ls_err prof_check_type(const prof_profile *p, const char *where, hid_t type, enum prof_type want)
{
    const char *problem = prof_h5_type_problem(type, want);
    return problem ? prof_bad(p, where, problem) : LS_OK;
}

static ls_err prof_space_len(const prof_profile *p, const char *where, hid_t space, uint64_t *out)
{
    hsize_t len = 1;
    const int dims = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    if (dims < 0 || dims > 1 || (dims == 1 && H5Sget_simple_extent_dims(space, &len, NULL) < 0))
        return prof_bad(p, where, "is not one-dimensional");
    if (len > PROF_ROWS_ALWAYS && len / PROF_ROWS_PER_BYTE > p->file.len_bytes)
        return prof_bad(p, where, "has more rows than a file of this length can hold");
    *out = len;
    return LS_OK;
}

static void prof_free_texts(char **texts, size_t len)
{
    for (size_t i = 0; i < len; i++)
        free(texts[i]);
    free(texts);
}

/* Keep the texts until prof_close. */
static ls_err prof_keep_texts(prof_profile *p, char **texts, size_t len)
{
    if (LS_VECTOR_ADD(&p->texts, (struct prof_texts){texts, len}) == LS_OK) return LS_OK;
    prof_free_texts(texts, len);
    return ls_nomem("the names of %s", p->path);
}

struct prof_column_data {
    void *values; /* owned by the caller, except of PROF_TEXT: kept in the profile */
    uint64_t len;
    uint64_t first, most; /* set by the caller: read at most `most` rows from `first` on; most 0: all */
    uint64_t rows_len;    /* length of the whole column */
};

static ls_err prof_read_texts(prof_profile *p, hid_t dataset, hid_t file_type, const char *where,
                              struct prof_column_data *out)
{
    struct prof_h5_texts t = {calloc(out->len + 1, sizeof(char *)), p->room_bytes};
    if (!t.texts) return ls_nomem("%s of %s", where, p->path);
    const char *problem = prof_h5_read_texts(dataset, file_type, out->len, &t);
    p->room_bytes = t.room_bytes;
    out->values = t.texts;
    if (!problem) return prof_keep_texts(p, t.texts, out->len);
    prof_free_texts(t.texts, out->len);
    return prof_bad(p, where, problem);
}

static ls_err prof_read_numbers(prof_profile *p, hid_t dataset, const char *where, enum prof_type type,
                                struct prof_column_data *out)
{
    const hid_t memory_type = prof_h5_memory_type(type);
    out->values = calloc(out->len + 1, prof_type_bytes(type));
    ls_err e = out->values ? LS_OK : ls_nomem("%s of %s", where, p->path);
    const char *problem = NULL;
    if (e == LS_OK && out->len > 0)
        problem = prof_h5_read_rows(dataset, memory_type, out->first, out->len, out->values);
    if (problem) e = prof_bad(p, where, problem);
    H5Tclose(memory_type);
    if (e != LS_OK) {
        free(out->values);
        out->values = NULL;
    }
    return e;
}

/* Do not ask for the storage size of a virtual data set: that opens its source files. */
static ls_err prof_read_dataset(prof_profile *p, hid_t dataset, const char *where, enum prof_type type,
                                struct prof_column_data *out)
{
    const hid_t file_type = H5Dget_type(dataset);
    ls_err e = prof_check_type(p, where, file_type, type);
    const char *problem = e == LS_OK ? prof_h5_storage_problem(dataset, file_type) : NULL;
    if (problem) e = prof_bad(p, where, problem);
    const hid_t space = e == LS_OK ? H5Dget_space(dataset) : H5I_INVALID_HID;
    if (e == LS_OK) e = prof_space_len(p, where, space, &out->rows_len);
    out->len = out->rows_len - (out->first < out->rows_len ? out->first : out->rows_len);
    if (out->most && out->len > out->most) out->len = out->most;
    if (e == LS_OK) e = prof_take_room(p, where, out->len, prof_type_bytes(type));
    if (e == LS_OK)
        e = type == PROF_TEXT ? prof_read_texts(p, dataset, file_type, where, out)
                              : prof_read_numbers(p, dataset, where, type, out);
    if (space >= 0) H5Sclose(space);
    if (file_type >= 0) H5Tclose(file_type);
    return e;
}

static ls_err prof_read_column(prof_profile *p, const char *where, enum prof_type type,
                               struct prof_column_data *out)
{
    const hid_t dataset = H5Dopen2(p->file.id, where, H5P_DEFAULT);
    if (dataset < 0) return prof_bad(p, where, "is missing");
    const ls_err e = prof_read_dataset(p, dataset, where, type, out);
    H5Dclose(dataset);
    return e;
}

static void prof_scatter(const struct prof_table *t, const struct prof_field *f,
                         const struct prof_column_data *column, uint8_t *rows)
{
    const size_t bytes = prof_type_bytes(f->type);
    for (uint64_t i = 0; i < column->len; i++) {
        memcpy(rows + i * t->row_bytes + f->offset_bytes, (const uint8_t *)column->values + i * bytes, bytes);
        const char **text = (const char **)(void *)(rows + i * t->row_bytes + f->offset_bytes);
        if (f->type == PROF_TEXT && !*text) *text = "";
    }
}

/* Tables that only profiles of jobs have; without the group they are empty. */
static bool prof_is_optional(enum prof_table_id id)
{
    return id == PROF_TABLE_ranks || id == PROF_TABLE_sums || id == PROF_TABLE_rank_data;
}

/* Tables that are read in parts when they are used. */
static bool prof_is_read_in_parts(enum prof_table_id id)
{
    return id == PROF_TABLE_rank_data;
}

/* The first field determines the number of rows. */
static ls_err prof_read_rows(prof_profile *p, enum prof_table_id id, const char *where,
                             const struct prof_column_data *column)
{
    const struct prof_table *t = &prof_tables[id];
    if (!p->tables[id]) {
        LS_TRY(prof_take_room(p, where, column->len, t->row_bytes));
        p->tables[id] = calloc(column->len + 1, t->row_bytes);
        if (!p->tables[id]) return ls_nomem("%s of %s", t->group, p->path);
        p->lens.rows[id] = column->len;
    }
    return column->len == p->lens.rows[id]
               ? LS_OK
               : prof_bad(p, where, "has another length than the columns before it");
}

/* Read one field into the rows. */
static ls_err prof_read_field(prof_profile *p, hid_t group, enum prof_table_id id, const struct prof_field *f)
{
    const struct prof_table *t = &prof_tables[id];
    struct prof_column_data column = {0};
    char where[128];
    const hid_t dataset = H5Dopen2(group, f->name, H5P_DEFAULT);
    snprintf(where, sizeof(where), "%s/%s", t->group, f->name);
    if (dataset < 0) return prof_bad(p, where, "is missing");
    ls_err e = prof_read_dataset(p, dataset, where, f->type, &column);
    H5Dclose(dataset);
    LS_TRY(e);
    e = prof_read_rows(p, id, where, &column);
    if (e == LS_OK) prof_scatter(t, f, &column, p->tables[id]);
    if (f->type != PROF_TEXT) {
        free(column.values);
        p->room_bytes += column.len * prof_type_bytes(f->type);
    }
    return e;
}

static ls_err prof_column_len(const prof_profile *p, const char *where, uint64_t *out)
{
    const hid_t dataset = H5Dopen2(p->file.id, where, H5P_DEFAULT);
    if (dataset < 0) return prof_bad(p, where, "is missing");
    const hid_t type = H5Dget_type(dataset);
    const char *problem = prof_h5_storage_problem(dataset, type);
    const hid_t space = problem ? H5I_INVALID_HID : H5Dget_space(dataset);
    const ls_err e = problem ? prof_bad(p, where, problem) : prof_space_len(p, where, space, out);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    H5Dclose(dataset);
    return e;
}

static ls_err prof_read_table(prof_profile *p, enum prof_table_id id)
{
    const struct prof_table *t = &prof_tables[id];
    if (prof_is_optional(id) && H5Lexists(p->file.id, t->group, H5P_DEFAULT) <= 0) return LS_OK;
    if (prof_is_read_in_parts(id)) {
        char where[128];
        snprintf(where, sizeof(where), "%s/%s", t->group, t->fields[0].name);
        return prof_column_len(p, where, &p->lens.rows[id]);
    }
    const hid_t group = H5Gopen2(p->file.id, prof_tables[id].group, H5P_DEFAULT);
    ls_err e = LS_OK;
    for (size_t i = 0; e == LS_OK && i < prof_tables[id].fields_len; i++)
        e = prof_read_field(p, group, id, &prof_tables[id].fields[i]);
    if (group >= 0) H5Gclose(group);
    return e;
}

static ls_err prof_read_attribute_values(prof_profile *p, hid_t attribute, const struct prof_field *f,
                                         void *value)
{
    const hid_t type = f->type == PROF_TEXT ? H5Aget_type(attribute) : prof_h5_memory_type(f->type);
    const char *problem = NULL;
    if (f->type == PROF_TEXT)
        problem = prof_h5_read_attribute_texts(attribute, type, f->array_len, value);
    else if (H5Aread(attribute, type, value) < 0)
        problem = "cannot be read";
    H5Tclose(type);
    return problem ? prof_bad(p, f->name, problem) : LS_OK;
}

static ls_err prof_read_attribute(prof_profile *p, hid_t attribute, const struct prof_field *f)
{
    void *value = (uint8_t *)&p->run + f->offset_bytes;
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    uint64_t len = 0;
    ls_err e = prof_check_type(p, f->name, type, f->type);
    if (e == LS_OK) e = prof_space_len(p, f->name, space, &len);
    if (e == LS_OK && len != f->array_len) e = prof_bad(p, f->name, "has a wrong number of values");
    if (e == LS_OK) e = prof_read_attribute_values(p, attribute, f, value);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return e;
}

static ls_err prof_keep_run_text(prof_profile *p, char **slot)
{
    char **texts = malloc(sizeof(*texts));
    if (!texts) return ls_nomem("the names of %s", p->path);
    texts[0] = *slot;
    if (!*slot) *slot = "";
    return prof_keep_texts(p, texts, 1);
}

static ls_err prof_read_run_field(prof_profile *p, hid_t group, const struct prof_field *f)
{
    const hid_t attribute = H5Aopen(group, f->name, H5P_DEFAULT);
    if (attribute < 0) return ls_fail(LS_ERR_FORMAT, "%s: /run: attribute %s is missing", p->path, f->name);
    const ls_err e = prof_read_attribute(p, attribute, f);
    H5Aclose(attribute);
    if (e == LS_OK && f->type == PROF_TEXT)
        return prof_keep_run_text(p, (char **)(void *)((uint8_t *)&p->run + f->offset_bytes));
    return e;
}

static ls_err prof_read_run(prof_profile *p)
{
    const hid_t group = H5Gopen2(p->file.id, prof_run_table.group, H5P_DEFAULT);
    if (group < 0 && H5Lexists(p->file.id, "results", H5P_DEFAULT) > 0)
        return ls_fail(
            LS_ERR_FORMAT,
            "%s: results of loadstone replay, not a recording: loadstone replay --with %s --plot FILE.html draws them",
            p->path, p->path);
    if (group < 0)
        return ls_fail(LS_ERR_FORMAT, "%s: an HDF5 file, but not of Loadstone (no group /run)", p->path);
    ls_err e = prof_read_run_field(p, group, &prof_run_table.fields[0]);
    if (e == LS_OK && p->run.schema != PROF_SCHEMA)
        e = ls_fail(LS_ERR_VERSION, "%s: schema %llu, this program reads schema %d: use a newer Loadstone",
                    p->path, (unsigned long long)p->run.schema, PROF_SCHEMA);
    for (size_t i = 1; e == LS_OK && i < prof_run_table.fields_len; i++)
        e = prof_read_run_field(p, group, &prof_run_table.fields[i]);
    H5Gclose(group);
    return e;
}

static ls_err prof_load(prof_profile *p)
{
    LS_TRY(prof_h5_open(p->path, "loadstone record", &p->file));
    p->room_bytes = p->file.values_bytes;
    LS_TRY(prof_read_run(p));
    for (int id = 0; id < PROF_TABLE_COUNT; id++)
        LS_TRY(prof_read_table(p, (enum prof_table_id)id));
    LS_TRY(prof_column_len(p, "/samples/ip", &p->lens.samples));
    for (int id = 0; id < PROF_TABLE_COUNT; id++)
        if (!prof_is_read_in_parts((enum prof_table_id)id))
            LS_TRY(prof_check_table(p->path, (enum prof_table_id)id, p->tables[id], &p->lens));
    return LS_OK;
}

ls_err prof_open(const char *path, prof_profile **out)
{
    prof_profile *p = calloc(1, sizeof(*p));
    if (!p) return ls_nomem("%s", path);
    p->file.id = H5I_INVALID_HID;
    p->path = strdup(path);
    const ls_err e = p->path ? prof_load(p) : ls_nomem("%s", path);
    if (e == LS_OK)
        *out = p;
    else
        prof_close(p);
    return e;
}

void prof_close(prof_profile *p)
{
    if (!p) return;
    for (size_t i = 0; i < p->texts.len; i++)
        prof_free_texts(p->texts.rows[i].texts, p->texts.rows[i].len);
    free(p->texts.rows);
    for (int id = 0; id < PROF_TABLE_COUNT; id++)
        free(p->tables[id]);
    for (int c = 0; c < PROF_COL_COUNT; c++)
        free(p->columns[c]);
    prof_h5_close(&p->file);
    free(p->path);
    free(p);
}

hid_t prof_profile_file(const prof_profile *p)
{
    return p->file.id;
}

const char *prof_profile_path(const prof_profile *p)
{
    return p->path;
}

const struct prof_run *prof_run_of(const prof_profile *p)
{
    return &p->run;
}

#define PROF_TABLE_GET(id, row, group, columns)                         \
    const struct row *prof_##id(const prof_profile *p, size_t *out_len) \
    {                                                                   \
        *out_len = p->lens.rows[PROF_TABLE_##id];                       \
        return p->tables[PROF_TABLE_##id];                              \
    }
PROF_TABLE_LIST(PROF_TABLE_GET)

const void *prof_table_rows(const prof_profile *p, enum prof_table_id id, size_t *out_len)
{
    *out_len = p->lens.rows[id];
    return p->tables[id];
}

/* Load rows of a column; most 0: all. */
static ls_err prof_load_rows(prof_profile *p, int column, struct prof_column_data *data)
{
    const struct prof_field *row = &prof_column_rows[column];
    char where[64];
    snprintf(where, sizeof(where), "/samples/%s", row->name);
    LS_TRY(prof_read_column(p, where, row->type, data));
    const struct prof_rows rows = {data->values, data->first, data->len};
    ls_err e = LS_OK;
    if (data->rows_len != p->lens.samples) e = prof_bad(p, where, "has another length than /samples/ip");
    if (e == LS_OK) e = prof_check_column(p->path, (enum prof_column)column, &rows, &p->lens);
    if (e != LS_OK) free(data->values);
    return e;
}

static ls_err prof_load_column(prof_profile *p, int column)
{
    struct prof_column_data data = {0};
    LS_TRY(prof_load_rows(p, column, &data));
    p->columns[column] = data.values;
    return LS_OK;
}

static struct prof_samples prof_hand_out(void *const columns[PROF_COL_COUNT], uint64_t len)
{
    struct prof_samples s = {.len = len};
#define PROF_COLUMN_HAND_OUT(name, type, fill, meaning, text) s.name = columns[PROF_COL_##name];
    PROF_SAMPLE_COLUMNS(PROF_COLUMN_HAND_OUT)
    return s;
}

ls_err prof_load_samples(prof_profile *p, uint64_t mask, struct prof_samples *out)
{
    for (int c = 0; c < PROF_COL_COUNT; c++)
        if ((mask >> c & 1) && !p->columns[c]) LS_TRY(prof_load_column(p, c));
    *out = prof_hand_out(p->columns, p->lens.samples);
    return LS_OK;
}

void prof_drop_samples(prof_profile *p, uint64_t mask, struct prof_samples *s)
{
    for (int c = 0; c < PROF_COL_COUNT; c++) {
        if (!(mask >> c & 1) || !p->columns[c]) continue;
        free(p->columns[c]);
        p->columns[c] = NULL;
        p->room_bytes += p->lens.samples * prof_type_bytes(prof_column_rows[c].type);
    }
    *s = prof_hand_out(p->columns, p->lens.samples);
}

/* Read whole chunks of the files that Loadstone writes. */
enum { PROF_PART_ROWS = 8 * 32768 };

static ls_err prof_load_part(prof_profile *p, uint64_t mask, uint64_t first, void *columns[PROF_COL_COUNT])
{
    for (int c = 0; c < PROF_COL_COUNT; c++) {
        struct prof_column_data data = {.first = first, .most = PROF_PART_ROWS};
        if (!(mask >> c & 1)) continue;
        LS_TRY(prof_load_rows(p, c, &data));
        columns[c] = data.values;
        p->room_bytes += data.len * prof_type_bytes(prof_column_rows[c].type);
    }
    return LS_OK;
}

ls_err prof_each_part(prof_profile *p, uint64_t mask, prof_part_use *use, void *user)
{
    ls_err e = LS_OK;
    for (uint64_t first = 0; e == LS_OK && first < p->lens.samples; first += PROF_PART_ROWS) {
        void *columns[PROF_COL_COUNT] = {0};
        const uint64_t left = p->lens.samples - first;
        e = prof_load_part(p, mask, first, columns);
        const struct prof_samples part =
            prof_hand_out(columns, left < PROF_PART_ROWS ? left : PROF_PART_ROWS);
        if (e == LS_OK) e = use(user, &part);
        for (int c = 0; c < PROF_COL_COUNT; c++)
            free(columns[c]);
    }
    return e;
}

/* Read some rows of a table of numbers into rows, and check them. */
static ls_err prof_load_rank_data(prof_profile *p, uint64_t first, struct prof_rank_datum *rows, uint64_t len)
{
    const struct prof_table *t = &prof_tables[PROF_TABLE_rank_data];
    struct prof_lens lens = p->lens;
    ls_err e = LS_OK;
    for (size_t i = 0; e == LS_OK && i < t->fields_len; i++) {
        struct prof_column_data column = {.first = first, .most = len};
        char where[128];
        snprintf(where, sizeof(where), "%s/%s", t->group, t->fields[i].name);
        LS_TRY(prof_read_column(p, where, t->fields[i].type, &column));
        if (column.len != len)
            e = prof_bad(p, where, "has another length than the columns before it");
        else
            prof_scatter(t, &t->fields[i], &column, (uint8_t *)rows);
        free(column.values);
        p->room_bytes += column.len * prof_type_bytes(t->fields[i].type);
    }
    lens.rows[PROF_TABLE_rank_data] = len;
    return e == LS_OK ? prof_check_table(p->path, PROF_TABLE_rank_data, rows, &lens) : e;
}

ls_err prof_each_rank_data(prof_profile *p, prof_rank_data_use *use, void *user)
{
    const uint64_t all = p->lens.rows[PROF_TABLE_rank_data];
    struct prof_rank_datum *rows = all ? malloc(PROF_PART_ROWS * sizeof(*rows)) : NULL;
    ls_err e = rows || !all ? LS_OK : ls_nomem("the data of ranks");
    for (uint64_t first = 0; e == LS_OK && first < all; first += PROF_PART_ROWS) {
        const uint64_t len = all - first < PROF_PART_ROWS ? all - first : PROF_PART_ROWS;
        e = prof_load_rank_data(p, first, rows, len);
        if (e == LS_OK) e = use(user, rows, len);
    }
    free(rows);
    return e;
}
