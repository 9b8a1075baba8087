/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "run_h5/prof_writer.h"

#include "common/ls_outputs.h"
#include "run_h5/prof_file.h"
#include "run_h5/prof_h5.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Rows a chunk: large enough to compress well, small enough to read a slice. The columns of fewer samples have
 * smaller chunks, because HDF5 fills, shuffles and compresses whole chunks. */
enum {
    PROF_CHUNK_ROWS = 32768,
    PROF_CHUNK_STEP_ROWS = 1024,
    PROF_DEFLATE_LEVEL = 2,
    PROF_PLAIN_TEXT_BYTES = 4096
};

struct prof_writer {
    char *path, *temporary_path;
    int force;
    bool is_failed;
    hid_t file;
    hid_t columns[PROF_COL_COUNT];
    uint8_t *buffers[PROF_COL_COUNT];
    bool has_columns;
    size_t buffered_rows;
    uint64_t rows;               /* on disk */
    int fd;                      /* descriptor of the same file, to reserve room with */
    uint64_t reserved_end_bytes; /* blocks below it are allocated */
};

/* Space for the data that HDF5 writes besides the values: headers, chunk indices, attributes. */
enum { PROF_METADATA_BYTES = 128 * 1024 };

/* HDF5 reports errno only in its message. */
static herr_t prof_find_errno(unsigned n, const H5E_error2_t *error, void *user)
{
    (void)n;
    const char *at = error->desc ? strstr(error->desc, "errno = ") : NULL;
    int *found = user;
    if (at && *found == 0) *found = atoi(at + strlen("errno = "));
    return 0;
}

ls_err prof_writer_failed(prof_writer *w, const char *what)
{
    int code = 0;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, prof_find_errno, &code);
    w->is_failed = true;
    if (code == 0) return ls_fail(LS_ERR_IO, "%s: HDF5 cannot write %s", w->temporary_path, what);
    struct rlimit limit;
    if (code == EFBIG && getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY)
        code = ENOSPC;
    return ls_fail_errno(
        code, "%s: cannot write %s (nothing was put at %s; free space or choose another directory)",
        w->temporary_path, what, w->path);
}

/* Allocate disk blocks before HDF5 writes, because HDF5 fails badly on a full disk (when it closes the file).
 * If the file system cannot allocate, only HDF5's own error is available. */
ls_err prof_writer_reserve(prof_writer *w, uint64_t len_bytes)
{
    hsize_t end = 0;
    if (H5Fget_filesize(w->file, &end) < 0) return prof_writer_failed(w, "its blocks");
    end += len_bytes + PROF_METADATA_BYTES;
    if (end <= w->reserved_end_bytes) return LS_OK;
    const uint64_t from = w->reserved_end_bytes;
    if (fallocate(w->fd, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(end - from)) != 0 && errno != EOPNOTSUPP &&
        errno != ENOSYS && errno != EPERM) {
        const int code = errno;
        w->is_failed = true;
        return ls_fail_errno(code,
                             "%s: no room for %llu bytes more; free space or choose another directory (no "
                             "file was left)",
                             w->path, (unsigned long long)(end - from));
    }
    w->reserved_end_bytes = end;
    return LS_OK;
}

/* Put the names of a column's numbers beside them. */
static void prof_put_names(hid_t object, const struct prof_field *f)
{
    if (f->codes && f->codes->attribute)
        prof_h5_put_attribute(object, f->codes->attribute, PROF_TEXT, f->codes->len, f->codes->names);
}

/* Rows in a chunk of the columns, which are created when the first rows are written. */
static hsize_t prof_chunk_rows(const prof_writer *w)
{
    const size_t steps = (w->buffered_rows + PROF_CHUNK_STEP_ROWS - 1) / PROF_CHUNK_STEP_ROWS;
    return (hsize_t)(steps ? steps : 1) * PROF_CHUNK_STEP_ROWS;
}

static ls_err prof_create_column(prof_writer *w, hid_t group, size_t column)
{
    const struct prof_field *row = &prof_column_rows[column];
    const hsize_t zero = 0, chunk = prof_chunk_rows(w), unlimited = H5S_UNLIMITED;
    const hid_t type = prof_h5_file_type(row->type), memory_type = prof_h5_memory_type(row->type);
    const hid_t space = H5Screate_simple(1, &zero, &unlimited), properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, 1, &chunk);
    if (prof_type_bytes(row->type) > 1) H5Pset_shuffle(properties);
    H5Pset_deflate(properties, PROF_DEFLATE_LEVEL);
    H5Pset_fill_value(properties, memory_type,
                      &row->fill); /* little-endian host: the low bytes are the value */
    w->columns[column] = H5Dcreate2(group, row->name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (w->columns[column] >= 0) {
        prof_h5_put_text(w->columns[column], "description", row->text);
        prof_h5_put_attribute(w->columns[column], "missing", row->type, 1, &row->fill);
        prof_put_names(w->columns[column], row);
    }
    H5Pclose(properties);
    H5Sclose(space);
    H5Tclose(memory_type);
    H5Tclose(type);
    return w->columns[column] >= 0 ? LS_OK : prof_writer_failed(w, row->name);
}

static ls_err prof_create_samples(prof_writer *w)
{
    w->has_columns = true;
    LS_TRY(prof_writer_reserve(w, 0));
    const hid_t group = H5Gcreate2(w->file, "/samples", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ls_err e = group >= 0 ? LS_OK : prof_writer_failed(w, "/samples");
    for (size_t c = 0; e == LS_OK && c < PROF_COL_COUNT; c++)
        e = prof_create_column(w, group, c);
    if (group >= 0) H5Gclose(group);
    return e;
}

static ls_err prof_allocate_buffers(prof_writer *w)
{
    for (size_t c = 0; c < PROF_COL_COUNT; c++) {
        w->buffers[c] = malloc(PROF_CHUNK_ROWS * prof_type_bytes(prof_column_rows[c].type));
        if (!w->buffers[c]) return ls_nomem("the columns of %s", w->path);
    }
    return LS_OK;
}

/* Properties of a group whose attributes are in its header, where the reader checks them. */
static hid_t prof_group_properties(void)
{
    enum { ATTRIBUTES_MAX = 1000 };
    const hid_t properties = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_attr_phase_change(properties, ATTRIBUTES_MAX, 0);
    return properties;
}

ls_err prof_writer_group(struct prof_writer *w, hid_t where, const char *name, hid_t *out)
{
    LS_TRY(prof_writer_check_usable(w));
    LS_TRY(prof_writer_reserve(w, 0));
    const hid_t properties = prof_group_properties();
    H5Pset_link_creation_order(properties, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    *out = H5Gcreate2(where, name, H5P_DEFAULT, properties, H5P_DEFAULT);
    H5Pclose(properties);
    return *out >= 0 ? LS_OK : prof_writer_failed(w, name);
}

/* Natural domains and their fields: empty in a recording without them. */
static ls_err prof_create_groups(prof_writer *w)
{
    static const char *const names[] = {"/meshes", "/fields"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        hid_t group;
        LS_TRY(prof_writer_group(w, w->file, names[i], &group));
        H5Gclose(group);
    }
    return LS_OK;
}

static ls_err prof_create_file(prof_writer *w)
{
    const hid_t create = H5Pcreate(H5P_FILE_CREATE), access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_userblock(create, PROF_SEAL_BYTES);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
    /* HDF5 hides errno here: ask the system first */
    const int fd = open(w->temporary_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    ls_err e = fd >= 0 ? LS_OK : ls_fail_errno(errno, "cannot create %s", w->temporary_path);
    if (e == LS_OK) {
        w->fd = fd;
        w->file = H5Fcreate(w->temporary_path, H5F_ACC_TRUNC, create, access);
        e = w->file >= 0 ? prof_writer_reserve(w, 0) : prof_writer_failed(w, "its header");
    }
    H5Pclose(access);
    H5Pclose(create);
    return e;
}

static ls_err prof_writer_start(prof_writer *w, const char *path)
{
    w->path = strdup(path);
    if (!w->path || asprintf(&w->temporary_path, "%s.part-%ld", path, (long)getpid()) < 0)
        return ls_nomem("%s", path);
    if (!w->force && access(path, F_OK) == 0)
        return ls_fail(LS_ERR_EXISTS, "%s is already there: use --force to replace it, or another name",
                       path);
    ls_draft_sweep(path); /* HDF5 locks its own descriptor */
    LS_TRY(prof_create_file(w));
    LS_TRY(prof_create_groups(w));
    return prof_allocate_buffers(w);
}

ls_err prof_writer_new(const char *path, int force, prof_writer **out)
{
    prof_writer *w = calloc(1, sizeof(*w));
    if (!w) return ls_nomem("%s", path);
    H5dont_atexit(); /* files are closed here, because HDF5's own attempt at exit crashes after a failed write */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* HDF5's error stack does not help users */
    w->force = force;
    w->fd = -1;
    w->file = H5I_INVALID_HID;
    for (size_t c = 0; c < PROF_COL_COUNT; c++)
        w->columns[c] = H5I_INVALID_HID;
    const ls_err e = prof_writer_start(w, path);
    if (e == LS_OK)
        *out = w;
    else
        prof_writer_free(w);
    return e;
}

/* A column without values need not be written: readers get the fill value. */
static bool prof_is_all_missing(const prof_writer *w, size_t column)
{
    const struct prof_field *row = &prof_column_rows[column];
    const size_t bytes = prof_type_bytes(row->type);
    for (size_t i = 0; i < w->buffered_rows; i++)
        if (memcmp(w->buffers[column] + i * bytes, &row->fill, bytes) != 0) return false;
    return true;
}

static ls_err prof_flush_column(prof_writer *w, size_t column)
{
    const hsize_t start = w->rows, len = w->buffered_rows, end = start + len;
    const hid_t dataset = w->columns[column];
    const hid_t type = prof_h5_memory_type(prof_column_rows[column].type);
    herr_t e = H5Dset_extent(dataset, &end);
    const hid_t file_space = H5Dget_space(dataset), memory_space = H5Screate_simple(1, &len, NULL);
    H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &start, NULL, &len, NULL);
    if (e >= 0 && !prof_is_all_missing(w, column))
        e = H5Dwrite(dataset, type, memory_space, file_space, H5P_DEFAULT, w->buffers[column]);
    /* before the next call: it forgets the error */
    const ls_err out = e >= 0 ? LS_OK : prof_writer_failed(w, prof_column_rows[column].name);
    H5Sclose(memory_space);
    H5Sclose(file_space);
    H5Tclose(type);
    return out;
}

static ls_err prof_flush(prof_writer *w)
{
    if (!w->has_columns) LS_TRY(prof_create_samples(w));
    if (w->buffered_rows == 0) return LS_OK;
    LS_TRY(prof_writer_reserve(w, w->buffered_rows * sizeof(struct prof_sample)));
    for (size_t c = 0; c < PROF_COL_COUNT; c++)
        LS_TRY(prof_flush_column(w, c));
    w->rows += w->buffered_rows;
    w->buffered_rows = 0;
    return LS_OK;
}

ls_err prof_writer_check_usable(const prof_writer *w)
{
    return w->is_failed ? ls_fail(LS_ERR_IO, "%s: writing failed before", w->path) : LS_OK;
}

ls_err prof_writer_add(prof_writer *w, const struct prof_sample *sample)
{
    if (w->is_failed) return prof_writer_check_usable(w);
    for (size_t c = 0; c < PROF_COL_COUNT; c++) {
        const struct prof_field *f = &prof_column_rows[c];
        const size_t bytes = prof_type_bytes(f->type);
        memcpy(w->buffers[c] + w->buffered_rows * bytes, (const uint8_t *)sample + f->offset_bytes, bytes);
    }
    return ++w->buffered_rows == PROF_CHUNK_ROWS ? prof_flush(w) : LS_OK;
}

hid_t prof_writer_file(const prof_writer *w)
{
    return w->file;
}

/* The rows of a slice, in the file and in memory. */
struct prof_h5_slice {
    hid_t type, file_space, memory_space;
};

static struct prof_h5_slice prof_h5_slice_open(const prof_writer *w, enum prof_column column,
                                               struct prof_slice slice)
{
    const hsize_t start = slice.first, len = slice.len;
    const struct prof_h5_slice s = {prof_h5_memory_type(prof_column_rows[column].type),
                                    H5Dget_space(w->columns[column]), H5Screate_simple(1, &len, NULL)};
    H5Sselect_hyperslab(s.file_space, H5S_SELECT_SET, &start, NULL, &len, NULL);
    return s;
}

static ls_err prof_h5_slice_close(prof_writer *w, struct prof_h5_slice s, enum prof_column column, herr_t e)
{
    /* before the next call: it forgets the error */
    const ls_err out = e >= 0 ? LS_OK : prof_writer_failed(w, prof_column_rows[column].name);
    H5Sclose(s.memory_space);
    H5Sclose(s.file_space);
    H5Tclose(s.type);
    return out;
}

ls_err prof_writer_read(prof_writer *w, enum prof_column column, struct prof_slice slice, void *out)
{
    LS_TRY(prof_writer_check_usable(w));
    LS_TRY(prof_flush(w));
    if (slice.len == 0) return LS_OK;
    const struct prof_h5_slice s = prof_h5_slice_open(w, column, slice);
    return prof_h5_slice_close(
        w, s, column, H5Dread(w->columns[column], s.type, s.memory_space, s.file_space, H5P_DEFAULT, out));
}

ls_err prof_writer_rewrite(prof_writer *w, enum prof_column column, struct prof_slice slice,
                           const void *values)
{
    LS_TRY(prof_writer_check_usable(w));
    LS_TRY(prof_flush(w));
    if (slice.len == 0) return LS_OK;
    LS_TRY(prof_writer_reserve(w, slice.len * prof_type_bytes(prof_column_rows[column].type)));
    const struct prof_h5_slice s = prof_h5_slice_open(w, column, slice);
    return prof_h5_slice_close(
        w, s, column,
        H5Dwrite(w->columns[column], s.type, s.memory_space, s.file_space, H5P_DEFAULT, values));
}

/* Copy one field of all rows to an array. */
static void *prof_gather(const struct prof_table *t, const struct prof_field *f, const void *rows,
                         size_t rows_len)
{
    const size_t bytes = prof_type_bytes(f->type);
    uint8_t *column = malloc((rows_len + 1) * bytes);
    for (size_t i = 0; column && i < rows_len; i++) {
        memcpy(column + i * bytes, (const uint8_t *)rows + i * t->row_bytes + f->offset_bytes, bytes);
    }
    return column;
}

/* Upper bound of the bytes in the file. */
static uint64_t prof_column_bytes(const struct prof_field *f, const void *column, size_t rows_len)
{
    const char *const *texts = column;
    uint64_t bytes = rows_len * 16;
    if (!column || f->type != PROF_TEXT) return bytes;
    const size_t width = prof_h5_text_width(texts, rows_len);
    for (size_t i = 0; i < rows_len; i++)
        bytes += (texts[i] ? strlen(texts[i]) : 0) + width / 256 + 16; /* the zeros after it are compressed */
    return bytes + (rows_len * width < PROF_PLAIN_TEXT_BYTES ? rows_len * width : 0);
}

/* width is the width of texts, 0 for numbers. */
static hid_t prof_field_properties(size_t width, size_t rows_len)
{
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    const size_t most = width ? prof_h5_text_rows(width, PROF_CHUNK_ROWS) : PROF_CHUNK_ROWS;
    const hsize_t chunk = rows_len < most ? rows_len : most;
    if (width ? rows_len * width < PROF_PLAIN_TEXT_BYTES : rows_len < 128) return properties;
    H5Pset_chunk(properties, 1, &chunk);
    if (!width) H5Pset_shuffle(properties);
    H5Pset_deflate(properties, PROF_DEFLATE_LEVEL);
    return properties;
}

static ls_err prof_write_field(prof_writer *w, hid_t group, const struct prof_field *f, const void *column,
                               size_t rows_len)
{
    const hsize_t len = rows_len;
    const size_t width = f->type == PROF_TEXT ? prof_h5_text_width(column, rows_len) : 0;
    const hid_t file_type = width ? prof_h5_text_type(width) : prof_h5_file_type(f->type);
    const hid_t memory_type = width ? prof_h5_text_type(width) : prof_h5_memory_type(f->type);
    const hid_t space = H5Screate_simple(1, &len, NULL), properties = prof_field_properties(width, rows_len);
    const hid_t dataset = H5Dcreate2(group, f->name, file_type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    herr_t e = dataset >= 0 ? 0 : -1;
    if (e >= 0 && rows_len > 0)
        e = width ? prof_h5_write_texts(dataset, width, column, rows_len)
                  : H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, column);
    const ls_err out = e >= 0 ? LS_OK : prof_writer_failed(w, f->name);
    if (dataset >= 0) {
        prof_h5_put_text(dataset, "description", f->text);
        H5Dclose(dataset);
    }
    H5Pclose(properties);
    H5Sclose(space);
    H5Tclose(memory_type);
    H5Tclose(file_type);
    return out;
}

ls_err prof_writer_table(prof_writer *w, enum prof_table_id id, const void *rows, size_t rows_len)
{
    const struct prof_table *t = &prof_tables[id];
    LS_TRY(prof_writer_check_usable(w));
    const bool is_of_jobs = id == PROF_TABLE_ranks || id == PROF_TABLE_sums;
    if (is_of_jobs && rows_len == 0) return LS_OK; /* readers expect no empty group */
    if (id == PROF_TABLE_rank_data) return rows_len ? prof_writer_rank_data(w, rows, rows_len) : LS_OK;
    const hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1); /* "/series" of "/series/name" */
    const hid_t group = H5Gcreate2(w->file, t->group, links, H5P_DEFAULT, H5P_DEFAULT);
    H5Pclose(links);
    ls_err e = group >= 0 ? LS_OK : prof_writer_failed(w, t->group);
    for (size_t i = 0; e == LS_OK && i < t->fields_len; i++) {
        void *column = prof_gather(t, &t->fields[i], rows, rows_len);
        e = column ? prof_writer_reserve(w, prof_column_bytes(&t->fields[i], column, rows_len))
                   : ls_nomem("%s of %s", t->group, w->path);
        if (e == LS_OK) e = prof_write_field(w, group, &t->fields[i], column, rows_len);
        free(column);
    }
    for (size_t i = 0; group >= 0 && i < t->fields_len; i++)
        prof_put_names(group, &t->fields[i]);
    if (group >= 0) H5Gclose(group);
    return e;
}

/* Create the columns, which grow. */
static ls_err prof_create_rank_data(prof_writer *w, const struct prof_table *t)
{
    const hsize_t zero = 0, chunk = PROF_CHUNK_ROWS, unlimited = H5S_UNLIMITED;
    const hid_t group = H5Gcreate2(w->file, t->group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ls_err e = group >= 0 ? LS_OK : prof_writer_failed(w, t->group);
    for (size_t i = 0; e == LS_OK && i < t->fields_len; i++) {
        const hid_t type = prof_h5_file_type(t->fields[i].type),
                    space = H5Screate_simple(1, &zero, &unlimited);
        const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_chunk(properties, 1, &chunk);
        H5Pset_shuffle(properties);
        H5Pset_deflate(properties, PROF_DEFLATE_LEVEL);
        const hid_t dataset =
            H5Dcreate2(group, t->fields[i].name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
        if (dataset < 0) e = prof_writer_failed(w, t->fields[i].name);
        if (dataset >= 0) prof_h5_put_text(dataset, "description", t->fields[i].text);
        if (dataset >= 0) H5Dclose(dataset);
        H5Pclose(properties);
        H5Sclose(space);
        H5Tclose(type);
    }
    if (group >= 0) H5Gclose(group);
    return e;
}

static ls_err prof_append(prof_writer *w, hid_t dataset, const struct prof_field *f, const void *values,
                          hsize_t len)
{
    hsize_t start = 0;
    hid_t space = H5Dget_space(dataset);
    H5Sget_simple_extent_dims(space, &start, NULL);
    H5Sclose(space);
    const hsize_t end = start + len;
    herr_t e = H5Dset_extent(dataset, &end);
    space = H5Dget_space(dataset);
    const hid_t memory_space = H5Screate_simple(1, &len, NULL), type = prof_h5_memory_type(f->type);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &len, NULL);
    if (e >= 0) e = H5Dwrite(dataset, type, memory_space, space, H5P_DEFAULT, values);
    /* before the next call: it forgets the error */
    const ls_err out = e >= 0 ? LS_OK : prof_writer_failed(w, f->name);
    H5Tclose(type);
    H5Sclose(memory_space);
    H5Sclose(space);
    return out;
}

ls_err prof_writer_rank_data(prof_writer *w, const struct prof_rank_datum *rows, size_t rows_len)
{
    const struct prof_table *t = &prof_tables[PROF_TABLE_rank_data];
    LS_TRY(prof_writer_check_usable(w));
    LS_TRY(prof_writer_reserve(w, rows_len * t->row_bytes));
    if (H5Lexists(w->file, t->group, H5P_DEFAULT) <= 0) LS_TRY(prof_create_rank_data(w, t));
    ls_err e = LS_OK;
    for (size_t i = 0; e == LS_OK && i < t->fields_len; i++) {
        char where[128];
        snprintf(where, sizeof(where), "%s/%s", t->group, t->fields[i].name);
        void *column = prof_gather(t, &t->fields[i], rows, rows_len);
        const hid_t dataset = H5Dopen2(w->file, where, H5P_DEFAULT);
        e = !column       ? ls_nomem("%s of %s", t->group, w->path)
            : dataset < 0 ? prof_writer_failed(w, where)
                          : prof_append(w, dataset, &t->fields[i], column, rows_len);
        if (dataset >= 0) H5Dclose(dataset);
        free(column);
    }
    return e;
}

static ls_err prof_write_run_field(prof_writer *w, hid_t group, const struct prof_field *f,
                                   const struct prof_run *run)
{
    const void *value = (const uint8_t *)run + f->offset_bytes;
    const char *text = "";
    if (f->type == PROF_TEXT) {
        if (*(const char *const *)value) text = *(const char *const *)value;
        value = &text;
    }
    return prof_h5_put_attribute(group, f->name, f->type, f->array_len, value) >= 0
               ? LS_OK
               : prof_writer_failed(w, f->name);
}

ls_err prof_writer_run(prof_writer *w, const struct prof_run *run)
{
    LS_TRY(prof_writer_check_usable(w));
    const hid_t properties = prof_group_properties();
    const hid_t group = H5Gcreate2(w->file, prof_run_table.group, H5P_DEFAULT, properties, H5P_DEFAULT);
    H5Pclose(properties);
    if (group < 0) return prof_writer_failed(w, prof_run_table.group);
    ls_err e = LS_OK;
    for (size_t i = 0; e == LS_OK && i < prof_run_table.fields_len; i++)
        e = prof_write_run_field(w, group, &prof_run_table.fields[i], run);
    H5Gclose(group);
    return e;
}

static ls_err prof_close_columns(prof_writer *w)
{
    ls_err e = LS_OK;
    for (size_t c = 0; c < PROF_COL_COUNT; c++) {
        if (w->columns[c] >= 0 && H5Dclose(w->columns[c]) < 0 && e == LS_OK)
            e = prof_writer_failed(w, prof_column_rows[c].name);
        w->columns[c] = H5I_INVALID_HID;
    }
    return e;
}

static ls_err prof_close_file(prof_writer *w)
{
    LS_TRY(prof_close_columns(w));
    if (H5Fflush(w->file, H5F_SCOPE_GLOBAL) < 0) return prof_writer_failed(w, "its last blocks");
    const herr_t e = H5Fclose(w->file);
    w->file = H5I_INVALID_HID;
    return e >= 0 ? LS_OK : prof_writer_failed(w, "its last blocks");
}

static ls_err prof_write_seal(int fd, const char *path)
{
    struct prof_seal seal;
    struct stat st;
    if (fstat(fd, &st) != 0 ||
        ftruncate(fd, st.st_size) != 0) /* frees the disk space reserved beyond the end */
        return ls_fail_errno(errno, "%s: cannot set its length", path);
    LS_TRY(prof_seal_compute(fd, path, &seal));
    if (pwrite(fd, &seal, sizeof(seal), 0) != (ssize_t)sizeof(seal) || fsync(fd) != 0)
        return ls_fail_errno(errno, "%s: cannot write its seal", path);
    return LS_OK;
}

static ls_err prof_publish(prof_writer *w)
{
    const unsigned flags = w->force ? 0 : RENAME_NOREPLACE;
    int e = renameat2(AT_FDCWD, w->temporary_path, AT_FDCWD, w->path, flags);
    if (e != 0 && errno == EINVAL) /* a file system without RENAME_NOREPLACE */
        e = access(w->path, F_OK) == 0 && !w->force ? (errno = EEXIST, -1)
                                                    : rename(w->temporary_path, w->path);
    return e == 0 ? LS_OK : ls_fail_errno(errno, "cannot rename %s to %s", w->temporary_path, w->path);
}

ls_err prof_writer_finish(prof_writer *w)
{
    LS_TRY(prof_writer_check_usable(w));
    LS_TRY(prof_flush(w));
    LS_TRY(prof_close_file(w));
    LS_TRY(prof_write_seal(w->fd, w->temporary_path));
    LS_TRY(prof_publish(w));
    free(w->temporary_path);
    w->temporary_path = NULL; /* nothing to remove */
    return LS_OK;
}

/* Empty the file to make room on a full disk, because HDF5 writes its cached data when it closes the file,
 * and fails badly if it cannot. */
static void prof_abandon_file(prof_writer *w)
{
    if (ftruncate(w->fd, 0) != 0) w->is_failed = true;
    prof_close_columns(w);
    H5Fclose(w->file);
}

void prof_writer_free(prof_writer *w)
{
    if (!w) return;
    char *saved = strdup(ls_last_error()); /* closing must not hide the error */
    if (w->file >= 0) prof_abandon_file(w);
    if (w->fd >= 0 && w->temporary_path) unlink(w->temporary_path);
    if (w->fd >= 0) close(w->fd);
    if (saved) ls_fail(LS_OK, "%s", saved);
    free(saved);
    for (size_t c = 0; c < PROF_COL_COUNT; c++)
        free(w->buffers[c]);
    free(w->temporary_path);
    free(w->path);
    free(w);
}
