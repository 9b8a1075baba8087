/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/prof_reader.h"

#include "common/ls_vector.h"
#include "profile/prof_file.h"
#include "profile/prof_h5.h"
#include "profile/prof_h5_get.h"
#include "profile/prof_reader_check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A column of C strings. */
struct prof_texts {
    char **texts;
    size_t len;
};

struct prof_profile {
    char *path;
    hid_t file;
    struct prof_run run;
    void *tables[PROF_TABLE_COUNT];
    size_t tables_len[PROF_TABLE_COUNT];
    LS_VECTOR(struct prof_texts) texts;
    void *columns[PROF_COL_COUNT];
    uint64_t samples_len;
    uint64_t file_len_bytes;
    uint64_t room_bytes, texts_room_bytes; /* memory that what is read may still take */
};

/* Rows that were never written take no room in a file, and equal ones little: what a file of its length
 * cannot hold is refused before memory is asked for. Recordings have 1 to 10 bytes a row of samples in the
 * file, and some 100 in memory. */
enum {
    PROF_ROWS_ALWAYS = 4096,
    PROF_ROWS_PER_BYTE = 8,
    PROF_MEMORY_ALWAYS = 256 << 20,
    PROF_MEMORY_PER_BYTE = 64,
    PROF_TEXTS_ALWAYS = 128 << 20,
    PROF_TEXTS_PER_BYTE = 16,
};

static ls_err prof_bad(const prof_profile *p, const char *where, const char *what)
{
    return ls_fail(LS_ERR_FORMAT, "%s: %s: %s", p->path, where, what);
}

static ls_err prof_take_room(prof_profile *p, const char *where, uint64_t len, uint64_t each_bytes)
{
    uint64_t bytes;
    if (__builtin_mul_overflow(len, each_bytes, &bytes) || bytes > p->room_bytes)
        return ls_fail(LS_ERR_RANGE, "%s: %s: takes too much memory for a file of %llu bytes", p->path, where,
                       (unsigned long long)p->file_len_bytes);
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
    if (len > PROF_ROWS_ALWAYS && len / PROF_ROWS_PER_BYTE > p->file_len_bytes)
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
};

static ls_err prof_read_texts(prof_profile *p, hid_t dataset, hid_t file_type, const char *where,
                              struct prof_column_data *out)
{
    struct prof_h5_texts t = {calloc(out->len + 1, sizeof(char *)), p->texts_room_bytes};
    if (!t.texts) return ls_nomem("%s of %s", where, p->path);
    const char *problem = prof_h5_read_texts(dataset, file_type, out->len, &t);
    p->texts_room_bytes = t.room_bytes;
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
    if (e == LS_OK && out->len > 0 &&
        H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out->values) < 0)
        e = prof_bad(p, where, "cannot be read: the file is damaged or truncated");
    H5Tclose(memory_type);
    if (e != LS_OK) {
        free(out->values);
        out->values = NULL;
    }
    return e;
}

/* The space of a virtual data set is not asked for: that opens the files it is made of. */
static ls_err prof_read_dataset(prof_profile *p, hid_t dataset, const char *where, enum prof_type type,
                                struct prof_column_data *out)
{
    const hid_t file_type = H5Dget_type(dataset);
    ls_err e = prof_check_type(p, where, file_type, type);
    const char *problem = e == LS_OK ? prof_h5_storage_problem(dataset, file_type) : NULL;
    if (problem) e = prof_bad(p, where, problem);
    const hid_t space = e == LS_OK ? H5Dget_space(dataset) : H5I_INVALID_HID;
    if (e == LS_OK) e = prof_space_len(p, where, space, &out->len);
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
    const hid_t dataset = H5Dopen2(p->file, where, H5P_DEFAULT);
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

/* Read one field into the rows; the first one decides how many there are. */
static ls_err prof_read_field(prof_profile *p, enum prof_table_id id, const struct prof_field *f)
{
    const struct prof_table *t = &prof_tables[id];
    struct prof_column_data column = {0};
    char where[128];
    snprintf(where, sizeof(where), "%s/%s", t->group, f->name);
    LS_TRY(prof_read_column(p, where, f->type, &column));
    ls_err e = LS_OK;
    if (!p->tables[id]) {
        e = prof_take_room(p, where, column.len, t->row_bytes);
        if (e == LS_OK) p->tables[id] = calloc(column.len + 1, t->row_bytes);
        p->tables_len[id] = column.len;
    }
    if (e == LS_OK && !p->tables[id])
        e = ls_nomem("%s of %s", t->group, p->path);
    else if (e == LS_OK && column.len != p->tables_len[id])
        e = prof_bad(p, where, "has another length than the columns before it");
    else if (e == LS_OK)
        prof_scatter(t, f, &column, p->tables[id]);
    if (f->type != PROF_TEXT) free(column.values);
    return e;
}

static ls_err prof_read_table(prof_profile *p, enum prof_table_id id)
{
    for (size_t i = 0; i < prof_tables[id].fields_len; i++)
        LS_TRY(prof_read_field(p, id, &prof_tables[id].fields[i]));
    return LS_OK;
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
    const hid_t group = H5Gopen2(p->file, prof_run_table.group, H5P_DEFAULT);
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

/* Files without a seal (made or changed by other tools) are HDF5's business. */
static ls_err prof_check_seal(const char *path, int fd, uint64_t *out_len_bytes)
{
    struct prof_seal found, want;
    struct stat st;
    if (fstat(fd, &st) != 0) return ls_fail_errno(errno, "cannot read %s", path);
    *out_len_bytes = (uint64_t)st.st_size;
    if (!S_ISREG(st.st_mode)) return ls_fail(LS_ERR_FORMAT, "%s: not a regular file", path);
    if (pread(fd, &found, sizeof(found), 0) != (ssize_t)sizeof(found) || found.magic != PROF_SEAL_MAGIC)
        return LS_OK;
    if ((uint64_t)st.st_size < found.file_len_bytes)
        return ls_fail(
            LS_ERR_TRUNCATED,
            "%s: %llu of %llu bytes are there: the file was cut off; copy it again, or resolve its spool again",
            path, (unsigned long long)st.st_size, (unsigned long long)found.file_len_bytes);
    LS_TRY(prof_seal_compute(fd, path, &want));
    if (found.hash != want.hash || found.file_len_bytes != want.file_len_bytes)
        return ls_fail(LS_ERR_FORMAT,
                       "%s: damaged: its bytes are not those that were written (checksum %016llx, expected "
                       "%016llx); copy it again, or resolve its spool again",
                       path, (unsigned long long)want.hash, (unsigned long long)found.hash);
    return LS_OK;
}

static herr_t prof_is_foreign_link(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    (void)group;
    (void)name;
    (void)user;
    return info->type != H5L_TYPE_HARD && info->type != H5L_TYPE_SOFT;
}

/* A link to another file would be followed by whoever opens what it names. */
static ls_err prof_check_links(const prof_profile *p)
{
    const herr_t found = H5Lvisit(p->file, H5_INDEX_NAME, H5_ITER_NATIVE, prof_is_foreign_link, NULL);
    if (found == 0) return LS_OK;
    return ls_fail(LS_ERR_FORMAT,
                   found > 0 ? "%s: has links to other files, which are not opened"
                             : "%s: its groups cannot be listed: the file is damaged",
                   p->path);
}

static ls_err prof_open_file(prof_profile *p)
{
    const int fd =
        open(p->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* not to wait for the writer of a FIFO */
    if (fd < 0) return ls_fail_errno(errno, "cannot open %s", p->path);
    const ls_err e = prof_check_seal(p->path, fd, &p->file_len_bytes);
    close(fd);
    LS_TRY(e);
    if (H5Fis_hdf5(p->path) <= 0)
        return ls_fail(LS_ERR_FORMAT, "%s: not an HDF5 file: loadstone record writes them", p->path);
    const uint64_t len = p->file_len_bytes < UINT64_MAX / 256 ? p->file_len_bytes : UINT64_MAX / 256;
    p->room_bytes = PROF_MEMORY_ALWAYS + PROF_MEMORY_PER_BYTE * len;
    p->texts_room_bytes = PROF_TEXTS_ALWAYS + PROF_TEXTS_PER_BYTE * len;
    p->file = H5Fopen(p->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    return p->file >= 0
               ? prof_check_links(p)
               : ls_fail(LS_ERR_TRUNCATED,
                         "%s: HDF5 cannot open it: damaged, truncated or still being written", p->path);
}

static ls_err prof_read_samples_len(prof_profile *p)
{
    const hid_t dataset = H5Dopen2(p->file, "/samples/ip", H5P_DEFAULT);
    if (dataset < 0) return prof_bad(p, "/samples/ip", "is missing");
    const hid_t type = H5Dget_type(dataset);
    const char *problem = prof_h5_storage_problem(dataset, type);
    const hid_t space = problem ? H5I_INVALID_HID : H5Dget_space(dataset);
    const ls_err e = problem ? prof_bad(p, "/samples/ip", problem)
                             : prof_space_len(p, "/samples/ip", space, &p->samples_len);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    H5Dclose(dataset);
    return e;
}

static struct prof_lens prof_lens_of(const prof_profile *p)
{
    return (struct prof_lens){.nodes = p->tables_len[PROF_TABLE_nodes],
                              .threads = p->tables_len[PROF_TABLE_threads],
                              .processes = p->tables_len[PROF_TABLE_processes],
                              .bursts = p->tables_len[PROF_TABLE_bursts],
                              .lines = p->tables_len[PROF_TABLE_lines],
                              .frames = p->tables_len[PROF_TABLE_frames],
                              .phases = p->tables_len[PROF_TABLE_phases],
                              .samples = p->samples_len};
}

static ls_err prof_load(prof_profile *p)
{
    LS_TRY(prof_open_file(p));
    LS_TRY(prof_read_run(p));
    for (int id = 0; id < PROF_TABLE_COUNT; id++)
        LS_TRY(prof_read_table(p, (enum prof_table_id)id));
    LS_TRY(prof_read_samples_len(p));
    const struct prof_lens lens = prof_lens_of(p);
    for (int id = 0; id < PROF_TABLE_COUNT; id++)
        LS_TRY(prof_check_table(p->path, (enum prof_table_id)id, p->tables[id], p->tables_len[id], &lens));
    return LS_OK;
}

ls_err prof_open(const char *path, prof_profile **out)
{
    prof_profile *p = calloc(1, sizeof(*p));
    if (!p) return ls_nomem("%s", path);
    H5dont_atexit();
    H5PLset_loading_state(0);              /* no filters from plugins: the file would choose them */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* its stack says nothing to users */
    p->file = H5I_INVALID_HID;
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
    if (p->file >= 0) H5Fclose(p->file);
    free(p->path);
    free(p);
}

hid_t prof_profile_file(const prof_profile *p)
{
    return p->file;
}

const char *prof_profile_path(const prof_profile *p)
{
    return p->path;
}

const struct prof_run *prof_run_of(const prof_profile *p)
{
    return &p->run;
}

#define PROF_TABLE_GETTER(id, row)                               \
    const row *prof_##id(const prof_profile *p, size_t *out_len) \
    {                                                            \
        *out_len = p->tables_len[PROF_TABLE_##id];               \
        return p->tables[PROF_TABLE_##id];                       \
    }
PROF_TABLE_LIST(PROF_TABLE_GETTER)

const void *prof_table_rows(const prof_profile *p, enum prof_table_id id, size_t *out_len)
{
    *out_len = p->tables_len[id];
    return p->tables[id];
}

static ls_err prof_load_column(prof_profile *p, int column)
{
    const struct prof_column_row *row = &prof_column_rows[column];
    struct prof_column_data data = {0};
    char where[64];
    snprintf(where, sizeof(where), "/samples/%s", row->name);
    LS_TRY(prof_read_column(p, where, row->type, &data));
    const struct prof_lens lens = prof_lens_of(p);
    ls_err e = LS_OK;
    if (data.len != p->samples_len) e = prof_bad(p, where, "has another length than /samples/ip");
    if (e == LS_OK) e = prof_check_column(p->path, (enum prof_column)column, data.values, &lens);
    if (e == LS_OK)
        p->columns[column] = data.values;
    else
        free(data.values);
    return e;
}

ls_err prof_load_samples(prof_profile *p, uint64_t mask, struct prof_samples *out)
{
    for (int c = 0; c < PROF_COL_COUNT; c++)
        if ((mask >> c & 1) && !p->columns[c]) LS_TRY(prof_load_column(p, c));
    *out = (struct prof_samples){.len = p->samples_len};
#define PROF_COLUMN_HAND_OUT(name, type, fill, text) out->name = p->columns[PROF_COL_##name];
    PROF_SAMPLE_COLUMNS(PROF_COLUMN_HAND_OUT)
#undef PROF_COLUMN_HAND_OUT
    return LS_OK;
}
