/* SPDX-License-Identifier: BSD-3-Clause */
/* An HDF5 file with changed bytes, read by the functions that read every data set and attribute of run.h5. The
 * file has one data set of each kind, and more are read than by fuzz_h5_file. Each three bytes of the
 * input are a position and a value; the first byte gives the part of the file that is kept. */
#include "run_h5/prof_h5.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

#include <stdlib.h>
#include <string.h>

const char fuzz_corpus[] = "tests/fuzz/corpus-h5-values/*";

enum { ROWS = 40, CHUNK_ROWS = 16, COLUMNS = 3, CUT_MAX = 32 };

extern volatile uint64_t fuzz_sum; /* keeps the reads alive */
volatile uint64_t fuzz_sum;

static const char *const texts[ROWS] = {"a", "bb", "", "a longer one", "\303\244", "\033[2J"};

/* --- the sound file --- */

static hid_t make_set(hid_t group, const char *name, hid_t type, int axes, int is_packed)
{
    const hsize_t extents[] = {ROWS, COLUMNS}, chunk[] = {CHUNK_ROWS, COLUMNS};
    const hid_t space = H5Screate_simple(axes, extents, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    if (is_packed) {
        H5Pset_chunk(how, axes, chunk);
        H5Pset_shuffle(how);
        H5Pset_deflate(how, 1);
    }
    const hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    if (set < 0) abort();
    H5Pclose(how);
    H5Sclose(space);
    return set;
}

static void make_numbers(hid_t group, const char *name, enum prof_type type, int axes, int is_packed)
{
    uint64_t values[ROWS * COLUMNS];
    const hid_t file_type = prof_h5_file_type(type), memory_type = prof_h5_memory_type(type);
    const hid_t set = make_set(group, name, file_type, axes, is_packed);
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        values[i] = i * UINT64_C(0x9e3779b97f4a7c15);
    if (H5Dwrite(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) abort();
    H5Dclose(set);
    H5Tclose(memory_type);
    H5Tclose(file_type);
}

static void make_texts(hid_t group, const char *name, int is_packed)
{
    const size_t width = prof_h5_text_width(texts, ROWS);
    const hid_t type = prof_h5_text_type(width), set = make_set(group, name, type, 1, is_packed);
    if (prof_h5_write_texts(set, width, texts, ROWS) < 0) abort();
    H5Dclose(set);
    H5Tclose(type);
}

static void make_file(const char *path)
{
    const uint64_t list[] = {1, 2, 3};
    const hid_t how = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(how, PROF_SEAL_BYTES);
    const hid_t h5 = H5Fcreate(path, H5F_ACC_EXCL, how, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(h5, "/values", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    make_numbers(group, "plain", PROF_U64, 1, 0);
    make_numbers(group, "packed", PROF_U32, 1, 1);
    make_numbers(group, "square", PROF_F64, 2, 1);
    make_texts(group, "text", 0);
    make_texts(group, "packed text", 1);
    prof_h5_put_text(group, "title", "a title");
    prof_h5_put_list(group, "list", PROF_U64, 3, list);
    H5Gclose(group);
    if (H5Fclose(h5) < 0) abort();
    H5Pclose(how);
}

/* --- reading --- */

static size_t read_array(const struct prof_h5_location *at, struct prof_h5_array array)
{
    void *values;
    uint64_t len = 1;
    if (prof_h5_get_array(at, &array, &values) != LS_OK) return 0;
    for (int i = 0; i < array.axes; i++)
        len *= array.extents[i];
    for (uint64_t i = 0; i < len; i++)
        if (array.type == PROF_TEXT) {
            fuzz_sum += strlen(((char **)values)[i]);
            free(((char **)values)[i]);
        } else {
            fuzz_sum += ((const uint8_t *)values)[i * prof_type_bytes(array.type)];
        }
    free(values);
    return 1;
}

/* Return the number of things that could be read. */
static size_t read_group(const struct prof_h5_location *at)
{
    static const struct prof_h5_array arrays[] = {{"plain", PROF_U64, 1, {UINT64_MAX}, 1 << 20},
                                                  {"packed", PROF_U32, 1, {UINT64_MAX}, 1 << 20},
                                                  {"square", PROF_F64, 2, {UINT64_MAX, UINT64_MAX}, 1 << 20},
                                                  {"text", PROF_TEXT, 1, {UINT64_MAX}, 1 << 20},
                                                  {"packed text", PROF_TEXT, 1, {UINT64_MAX}, 1 << 20}};
    uint64_t list[3];
    char *title;
    size_t done = 0;
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
        done += read_array(at, arrays[i]);
    done += prof_h5_get_list(at, "list", PROF_U64, 3, list) == LS_OK;
    if (prof_h5_get_text(at, "title", &title) != LS_OK) return done;
    free(title);
    return done + 1;
}

static size_t read_file(void)
{
    struct prof_h5_input in;
    if (prof_h5_open(fuzz_file_path, "fuzz", &in) != LS_OK) return 0;
    const struct prof_h5_location at = {fuzz_file_path, "/values", H5Gopen2(in.id, "/values", H5P_DEFAULT)};
    const size_t done = at.id >= 0 ? read_group(&at) : 0;
    if (at.id >= 0) H5Gclose(at.id);
    prof_h5_close(&in);
    return done;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len_bytes)
{
    if (!fuzz_file_len()) {
        fuzz_file_make(make_file);
        if (read_file() != 7) abort(); /* the unchanged one is sound */
    }
    for (size_t i = 1; i + 3 <= len_bytes; i += 3)
        fuzz_file_put((size_t)(data[i] << 8 | data[i + 1]) % fuzz_file_len(), data + i + 2, 1);
    if (len_bytes > 0 && data[0] < CUT_MAX) fuzz_file_cut(256 - 8 * (unsigned)data[0]);
    read_file();
    fuzz_file_restore();
    return 0;
}
