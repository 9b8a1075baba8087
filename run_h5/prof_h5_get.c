/* SPDX-License-Identifier: BSD-3-Clause */
/* Read values, texts and arrays of an untrusted HDF5 file: types, filters and lengths are checked first. */
#include "common/ls_text.h"
#include "run_h5/prof_h5.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS_MAX_BYTES = 64 << 20, VALUES_ALWAYS = 1 << 25 };

const char prof_h5_no_memory[] = "takes too much memory";

ls_err prof_h5_bad(const struct prof_h5_location *at, const char *name, const char *what)
{
    if (what == prof_h5_no_memory) return ls_nomem("%s/%s of %s", at->group, name, at->file);
    return ls_fail(LS_ERR_FORMAT, "%s: %s: %s: %s", at->file, at->group, name, what);
}

const char *prof_h5_type_problem(hid_t type, enum prof_type want)
{
    const H5T_class_t class = want == PROF_TEXT ? H5T_STRING : want == PROF_F64 ? H5T_FLOAT : H5T_INTEGER;
    if (type < 0 || H5Tget_class(type) != class) return "has a type that it cannot have";
    if (want == PROF_TEXT && H5Tis_variable_str(type) != 0)
        return "is text of variable length, which schema 2 does not have";
    if (H5Tget_size(type) == 0) return "has values of no bytes";
    if (H5Tget_size(type) > (want == PROF_TEXT ? PROF_TEXT_MAX_BYTES : prof_type_bytes(want)))
        return "has values that are too wide";
    return NULL;
}

static ls_err prof_get_type(const struct prof_h5_location *at, const char *name, hid_t type,
                            enum prof_type want)
{
    const char *problem = prof_h5_type_problem(type, want);
    return problem ? prof_h5_bad(at, name, problem) : LS_OK;
}

/* The type in memory: it has the file's character set, because other tools write ASCII, which HDF5 does not
 * convert. */
static hid_t prof_text_like(hid_t file_type)
{
    const hid_t type = prof_h5_text_type(H5Tget_size(file_type));
    H5Tset_cset(type, H5Tget_cset(file_type));
    return type;
}

/* Copy the texts of a slab; false: out of memory or room. */
static bool prof_unpack_texts(const char *packed, size_t width, uint64_t len, const char *kept,
                              struct prof_h5_texts *t)
{
    enum { BLOCK_BYTES = 32 }; /* least memory that malloc uses for a block */
    for (uint64_t i = 0; i < len; i++) {
        const size_t bytes = strnlen(packed + i * width, width);
        if (bytes + BLOCK_BYTES > t->room_bytes) return false;
        t->room_bytes -= bytes + BLOCK_BYTES;
        t->texts[i] = strndup(packed + i * width, bytes);
        if (!t->texts[i]) return false;
        ls_text_clean(t->texts[i], bytes, kept); /* untrusted text that is printed on terminals */
    }
    return true;
}

const char *prof_h5_read_texts(hid_t dataset, hid_t file_type, uint64_t len, struct prof_h5_texts *t)
{
    const size_t width = H5Tget_size(file_type);
    const hid_t type = prof_text_like(file_type);
    const uint64_t at_once = prof_h5_text_rows(width, len);
    char *packed = malloc(at_once * width + 1);
    const char *problem = packed ? NULL : prof_h5_no_memory, *kept = prof_h5_kept(dataset);
    for (uint64_t start = 0; !problem && start < len; start += at_once) {
        const uint64_t rows = len - start < at_once ? len - start : at_once;
        struct prof_h5_texts part = {t->texts + start, t->room_bytes};
        problem = prof_h5_read_rows(dataset, type, start, rows, packed);
        if (!problem && !prof_unpack_texts(packed, width, rows, kept, &part))
            problem = "takes too much memory for the file's size";
        t->room_bytes = part.room_bytes;
    }
    free(packed);
    H5Tclose(type);
    return problem;
}

const char *prof_h5_read_attribute_texts(hid_t attribute, hid_t file_type, uint64_t len, char **texts)
{
    const size_t width = H5Tget_size(file_type);
    const hid_t type = prof_text_like(file_type);
    char *packed = len <= PROF_TEXT_SLAB_BYTES ? malloc(len * width + 1) : NULL;
    struct prof_h5_texts t = {texts, UINT64_MAX};
    const char *problem = packed ? NULL : "takes too much memory";
    if (!problem && H5Aread(attribute, type, packed) < 0) problem = "cannot be read";
    if (!problem && !prof_unpack_texts(packed, width, len, "", &t)) problem = "takes too much memory";
    free(packed);
    H5Tclose(type);
    return problem;
}

static void prof_free_texts(char **texts, uint64_t len)
{
    for (uint64_t i = 0; i < len; i++) {
        free(texts[i]);
        texts[i] = NULL;
    }
}

static ls_err prof_get_attribute(const struct prof_h5_location *at, const char *name, hid_t attribute,
                                 const struct prof_h5_array *want, void *out)
{
    const hid_t memory_type = prof_h5_memory_type(want->type);
    const herr_t e = H5Aread(attribute, memory_type, out);
    H5Tclose(memory_type);
    return e < 0 ? prof_h5_bad(at, name, "cannot be read") : LS_OK;
}

static ls_err prof_get_attribute_texts(const struct prof_h5_location *at, const char *name, hid_t attribute,
                                       hid_t file_type, const struct prof_h5_array *want, char **out)
{
    memset(out, 0, want->extents[0] * sizeof(*out));
    const char *problem = prof_h5_read_attribute_texts(attribute, file_type, want->extents[0], out);
    if (!problem) return LS_OK;
    prof_free_texts(out, want->extents[0]);
    return prof_h5_bad(at, name, problem);
}

static ls_err prof_get_values(const struct prof_h5_location *at, const char *name, hid_t attribute,
                              const struct prof_h5_array *want, void *out)
{
    const hid_t file_type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const uint64_t len = want->extents[0];
    ls_err e = prof_get_type(at, name, file_type, want->type);
    if (e == LS_OK && (space < 0 || H5Sget_simple_extent_npoints(space) != (hssize_t)len))
        e = prof_h5_bad(at, name, "has a wrong number of values");
    if (e == LS_OK)
        e = want->type == PROF_TEXT ? prof_get_attribute_texts(at, name, attribute, file_type, want, out)
                                    : prof_get_attribute(at, name, attribute, want, out);
    if (space >= 0) H5Sclose(space);
    if (file_type >= 0) H5Tclose(file_type);
    return e;
}

ls_err prof_h5_get_list(const struct prof_h5_location *at, const char *name, enum prof_type type,
                        uint64_t len, void *out)
{
    const struct prof_h5_array want = {.type = type, .extents = {len}};
    const hid_t attribute = H5Aopen(at->id, name, H5P_DEFAULT);
    if (attribute < 0) return prof_h5_bad(at, name, "this attribute is missing");
    const ls_err e = prof_get_values(at, name, attribute, &want, out);
    H5Aclose(attribute);
    return e;
}

ls_err prof_h5_get_text(const struct prof_h5_location *at, const char *name, char **out)
{
    char *text = NULL;
    LS_TRY(prof_h5_get_list(at, name, PROF_TEXT, 1, &text));
    *out = text;
    return LS_OK;
}

/* Most values that an array of the file may have. Unwritten parts take no space in a file, so an array larger
 * than the file size allows is an attempt to exhaust memory. */
static uint64_t prof_h5_values_max(hid_t object)
{
    const hid_t file = H5Iget_file_id(object);
    hsize_t bytes = 0;
    uint64_t most;
    if (file < 0 || H5Fget_filesize(file, &bytes) < 0) bytes = 0;
    if (file >= 0) H5Fclose(file);
    if (__builtin_mul_overflow((uint64_t)bytes, 8, &most)) most = UINT64_MAX;
    return most > VALUES_ALWAYS ? most : VALUES_ALWAYS;
}

static ls_err prof_get_extents(const struct prof_h5_location *at, hid_t space, struct prof_h5_array *array,
                               uint64_t *out_len)
{
    hsize_t extents[H5S_MAX_RANK];
    const uint64_t file_max = prof_h5_values_max(at->id);
    const uint64_t most = array->values_max < file_max ? array->values_max : file_max;
    *out_len = 1;
    if (space < 0 || H5Sget_simple_extent_ndims(space) != array->axes ||
        H5Sget_simple_extent_dims(space, extents, NULL) < 0)
        return prof_h5_bad(at, array->name, "has a wrong number of axes");
    for (int i = 0; i < array->axes; i++) {
        if (array->extents[i] != UINT64_MAX && array->extents[i] != extents[i])
            return prof_h5_bad(at, array->name, "has a different shape than its table");
        array->extents[i] = extents[i];
        if (__builtin_mul_overflow(*out_len, extents[i], out_len) || *out_len > most)
            return ls_fail(LS_ERR_RANGE, "%s: %s: %s: more than %llu values", at->file, at->group,
                           array->name, (unsigned long long)most);
    }
    return LS_OK;
}

static const char *prof_get_numbers(hid_t dataset, const struct prof_h5_array *array, void *values)
{
    const hid_t memory_type = prof_h5_memory_type(array->type);
    const char *problem = prof_h5_read_rows(dataset, memory_type, 0, array->extents[0], values);
    H5Tclose(memory_type);
    return problem;
}

static ls_err prof_get_dataset(const struct prof_h5_location *at, hid_t dataset, struct prof_h5_array *array,
                               void **out)
{
    const hid_t file_type = H5Dget_type(dataset);
    hid_t space = H5I_INVALID_HID;
    uint64_t len = 0;
    void *values = NULL;
    ls_err e = prof_get_type(at, array->name, file_type, array->type);
    const char *problem = e == LS_OK ? prof_h5_storage_problem(dataset, file_type) : NULL;
    if (!problem && e == LS_OK) {
        space = H5Dget_space(dataset); /* not earlier, because it opens files for a virtual data set */
        e = prof_get_extents(at, space, array, &len);
    }
    if (!problem && e == LS_OK && !(values = calloc(len + 1, prof_type_bytes(array->type))))
        e = ls_nomem("%s/%s of %s", at->group, array->name, at->file);
    struct prof_h5_texts texts = {values, TEXTS_MAX_BYTES};
    if (!problem && e == LS_OK && len > 0)
        problem = array->type == PROF_TEXT ? prof_h5_read_texts(dataset, file_type, len, &texts)
                                           : prof_get_numbers(dataset, array, values);
    if (problem) e = prof_h5_bad(at, array->name, problem);
    if (e == LS_OK) {
        *out = values;
    } else {
        if (values && array->type == PROF_TEXT) prof_free_texts(values, len);
        free(values);
    }
    if (space >= 0) H5Sclose(space);
    if (file_type >= 0) H5Tclose(file_type);
    return e;
}

ls_err prof_h5_get_array(const struct prof_h5_location *at, struct prof_h5_array *array, void **out)
{
    const hid_t dataset = H5Dopen2(at->id, array->name, H5P_DEFAULT);
    if (dataset < 0) return prof_h5_bad(at, array->name, "is missing");
    const ls_err e = prof_get_dataset(at, dataset, array, out);
    H5Dclose(dataset);
    return e;
}
