/* SPDX-License-Identifier: BSD-3-Clause */
/* A run.h5 with changed bytes, read as a profile or as a source of accesses: each four bytes of the input put
 * a value that nobody expects into a field of a row or of a sample, change one byte anywhere, or cut the
 * file. */
#include "run_h5/prof_atlas.h"
#include "run_h5/prof_h5.h"
#include "run_h5/prof_writer.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_check_source.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/fuzz/fuzz_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char fuzz_corpus[] = "tests/fuzz/corpus-run-h5/*";

enum { BYTES = SAMPLES_TABLE + 1, CUT, TARGETS, FIELDS_MAX = 32 };
/* Position of a column in the file; 0 rows: it has none. */
struct column {
    enum prof_type type;
    uint64_t at, rows;
    size_t width;
};

static struct column columns[SAMPLES_TABLE + 1][FIELDS_MAX];
static size_t columns_len[SAMPLES_TABLE + 1];

/* --- the sound file --- */

static ls_err add_samples(prof_writer *w)
{
    struct prof_sample samples[SAMPLES];
    fuzz_make_samples(samples);
    for (uint32_t i = 0; i < SAMPLES; i++)
        LS_TRY(prof_writer_add(w, &samples[i]));
    return LS_OK;
}

static ls_err write_profile(const char *path)
{
    static const struct prof_run run = {.schema = PROF_SCHEMA,
                                        .tsc_hz = 2000000000,
                                        .issue_width = 4,
                                        .level_latency_cycles = {5, 15, 60, 500}};
    prof_writer *w;
    LS_TRY(prof_writer_new(path, 1, &w));
    ls_err err = add_samples(w);
    for (unsigned id = 0; id < PROF_TABLE_COUNT && err == LS_OK; id++)
        err = prof_writer_table(w, (enum prof_table_id)id, tables[id].rows, tables[id].len);
    if (err == LS_OK) err = prof_writer_run(w, &run);
    if (err == LS_OK) err = prof_writer_finish(w);
    prof_writer_free(w);
    return err;
}

/* The same values without compression, so that they can be changed in the file. */
static void unpack_samples(hid_t h5)
{
    const hsize_t len = SAMPLES;
    const hid_t space = H5Screate_simple(1, &len, NULL);
    for (int c = 0; c < PROF_COL_COUNT; c++) {
        uint64_t values[SAMPLES];
        char name[64];
        snprintf(name, sizeof(name), "/samples/%s", prof_column_rows[c].name);
        const hid_t packed = H5Dopen2(h5, name, H5P_DEFAULT), type = H5Dget_type(packed);
        if (H5Dread(packed, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) abort();
        H5Dclose(packed);
        H5Ldelete(h5, name, H5P_DEFAULT);
        const hid_t plain = H5Dcreate2(h5, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        if (H5Dwrite(plain, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) abort();
        H5Dclose(plain);
        H5Tclose(type);
    }
    H5Sclose(space);
}

static void find_column(hid_t h5, unsigned target, const char *name, enum prof_type type)
{
    const hid_t set = H5Dopen2(h5, name, H5P_DEFAULT), held = H5Dget_type(set), space = H5Dget_space(set);
    const haddr_t at = H5Dget_offset(set);
    if (at != HADDR_UNDEF && H5Sget_simple_extent_npoints(space) > 0 && columns_len[target] < FIELDS_MAX)
        columns[target][columns_len[target]++] =
            (struct column){type, at, (uint64_t)H5Sget_simple_extent_npoints(space), H5Tget_size(held)};
    H5Sclose(space);
    H5Tclose(held);
    H5Dclose(set);
}

static void find_columns(hid_t h5)
{
    char name[128];
    for (unsigned id = 0; id < PROF_TABLE_COUNT; id++)
        for (size_t f = 0; f < prof_tables[id].fields_len; f++) {
            snprintf(name, sizeof(name), "%s/%s", prof_tables[id].group, prof_tables[id].fields[f].name);
            find_column(h5, id, name, prof_tables[id].fields[f].type);
        }
    for (int c = 0; c < PROF_COL_COUNT; c++) {
        snprintf(name, sizeof(name), "/samples/%s", prof_column_rows[c].name);
        find_column(h5, SAMPLES_TABLE, name, prof_column_rows[c].type);
    }
}

static void make_file(const char *path)
{
    if (write_profile(path) != LS_OK) abort();
    const hid_t h5 = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    unpack_samples(h5);
    find_columns(h5);
    H5Fclose(h5);
}

/* --- changes --- */

static void change_column(const struct change *c, unsigned target)
{
    if (columns_len[target] == 0) return;
    const struct column *column = &columns[target][c->field % columns_len[target]];
    const size_t at = column->at + c->row % column->rows * column->width;
    char text[PROF_TEXT_MAX_BYTES];
    if (column->type == PROF_TEXT) {
        prof_h5_pack_text(text, column->width, texts[c->value % (sizeof(texts) / sizeof(texts[0]))]);
        fuzz_file_put(at, text, column->width);
    } else {
        fuzz_file_put(at, &values[c->value % (sizeof(values) / sizeof(values[0]))], column->width);
    }
}

static void change_file(const uint8_t *data, size_t len_bytes)
{
    struct change c;
    for (size_t n = 0; n < CHANGES_MAX && len_bytes >= sizeof(c);
         n++, data += sizeof(c), len_bytes -= sizeof(c)) {
        memcpy(&c, data, sizeof(c));
        const unsigned target = c.target % TARGETS;
        const size_t anywhere = (size_t)(c.target / TARGETS) << 16 | (size_t)c.row << 8 | c.field;
        if (target <= SAMPLES_TABLE)
            change_column(&c, target);
        else if (target == BYTES)
            fuzz_file_put(anywhere % fuzz_file_len(), &c.value, 1);
        else
            fuzz_file_cut(c.value);
    }
}

/* --- reading --- */

/* Read every value of a part. */
static ls_err use_part(void *user, const struct prof_samples *part)
{
    uint64_t *sum = user;
    for (uint64_t i = 0; i < part->len; i++)
        *sum += part->addr[i] + part->node[i] + part->op[i];
    return LS_OK;
}

static bool read_profile(void)
{
    prof_profile *p;
    struct prof_samples samples;
    struct ndm_atlas atlas;
    if (prof_open(fuzz_file_path, &p) != LS_OK) return false;
    uint64_t sum = 0;
    bool is_read = prof_load_samples(p, PROF_MASK_ALL, &samples) == LS_OK;
    prof_drop_samples(p, PROF_MASK_ALL, &samples);
    is_read = prof_each_part(p, PROF_MASK(addr) | PROF_MASK(node) | PROF_MASK(op), use_part, &sum) == LS_OK &&
              is_read;
    prof_atlas_read(p, &atlas);
    ndm_atlas_fini(&atlas);
    prof_close(p);
    return is_read;
}

static bool read_source(void)
{
    const struct pat_source_options o = {.format = "run-h5"};
    pat_source *s;
    if (pat_source_open(fuzz_file_path, &o, &s) != LS_OK) return false;
    fuzz_check_source(s);
    const bool has_accesses = pat_source_counts(s).accesses > 0;
    pat_source_close(s);
    return has_accesses;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len_bytes)
{
    if (!fuzz_file_len()) {
        fuzz_file_make(make_file);
        if (!read_profile() || !read_source()) abort(); /* the unchanged one is sound */
    }
    change_file(data, len_bytes);
    if (len_bytes && data[0] & 1)
        read_source();
    else
        read_profile();
    fuzz_file_restore();
    return 0;
}
