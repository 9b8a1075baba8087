/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/prof_h5_get.h"

#include "profile/prof_h5.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

ls_err prof_h5_bad(const struct prof_h5_place *at, const char *name, const char *what)
{
    return ls_fail(LS_ERR_FORMAT, "%s: %s: %s: %s", at->file, at->group, name, what);
}

static ls_err prof_get_type(const struct prof_h5_place *at, const char *name, hid_t type, enum prof_type want)
{
    const H5T_class_t class = want == PROF_TEXT ? H5T_STRING : want == PROF_F64 ? H5T_FLOAT : H5T_INTEGER;
    if (type < 0 || H5Tget_class(type) != class)
        return prof_h5_bad(at, name, "has a type that it cannot have");
    if (want == PROF_TEXT && H5Tis_variable_str(type) <= 0)
        return prof_h5_bad(at, name, "is not text of variable length");
    if (want != PROF_TEXT && H5Tget_size(type) > prof_type_bytes(want))
        return prof_h5_bad(at, name, "has values that are too wide");
    return LS_OK;
}

/* Texts as HDF5 allocated them become free's. */
static ls_err prof_own_texts(const struct prof_h5_place *at, char **texts, uint64_t len)
{
    bool is_short = false;
    for (uint64_t i = 0; i < len; i++) {
        char *copy = strdup(texts[i] ? texts[i] : "");
        H5free_memory(texts[i]);
        texts[i] = copy;
        is_short |= !copy;
    }
    if (!is_short) return LS_OK;
    for (uint64_t i = 0; i < len; i++)
        free(texts[i]);
    return ls_fail(LS_ERR_NOMEM, "%s: %s: out of memory for its texts", at->file, at->group);
}

static ls_err prof_get_values(const struct prof_h5_place *at, const char *name, hid_t attribute,
                              const struct prof_h5_array *want, void *out)
{
    const hid_t file_type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const hid_t memory_type = prof_h5_memory_type(want->type);
    const uint64_t len = want->extents[0];
    ls_err e = prof_get_type(at, name, file_type, want->type);
    if (e == LS_OK && (space < 0 || H5Sget_simple_extent_npoints(space) != (hssize_t)len))
        e = prof_h5_bad(at, name, "has a wrong number of values");
    if (e == LS_OK && H5Aread(attribute, memory_type, out) < 0) e = prof_h5_bad(at, name, "cannot be read");
    if (e == LS_OK && want->type == PROF_TEXT) e = prof_own_texts(at, out, len);
    H5Tclose(memory_type);
    if (space >= 0) H5Sclose(space);
    if (file_type >= 0) H5Tclose(file_type);
    return e;
}

ls_err prof_h5_get_list(const struct prof_h5_place *at, const char *name, enum prof_type type, uint64_t len,
                        void *out)
{
    const struct prof_h5_array want = {.type = type, .extents = {len}};
    const hid_t attribute = H5Aopen(at->id, name, H5P_DEFAULT);
    if (attribute < 0) return prof_h5_bad(at, name, "this attribute is missing");
    const ls_err e = prof_get_values(at, name, attribute, &want, out);
    H5Aclose(attribute);
    return e;
}

ls_err prof_h5_get_text(const struct prof_h5_place *at, const char *name, char **out)
{
    char *text = NULL;
    LS_TRY(prof_h5_get_list(at, name, PROF_TEXT, 1, &text));
    *out = text;
    return LS_OK;
}

static ls_err prof_get_extents(const struct prof_h5_place *at, hid_t space, struct prof_h5_array *array,
                               uint64_t *out_len)
{
    hsize_t extents[H5S_MAX_RANK];
    *out_len = 1;
    if (space < 0 || H5Sget_simple_extent_ndims(space) != array->axes ||
        H5Sget_simple_extent_dims(space, extents, NULL) < 0)
        return prof_h5_bad(at, array->name, "has a wrong number of axes");
    for (int i = 0; i < array->axes; i++) {
        if (array->extents[i] != UINT64_MAX && array->extents[i] != extents[i])
            return prof_h5_bad(at, array->name, "has another shape than its domain, or its steps, give it");
        array->extents[i] = extents[i];
        if (__builtin_mul_overflow(*out_len, extents[i], out_len) || *out_len > array->values_max)
            return ls_fail(LS_ERR_RANGE, "%s: %s: %s: more than %llu values", at->file, at->group,
                           array->name, (unsigned long long)array->values_max);
    }
    return LS_OK;
}

static ls_err prof_get_dataset(const struct prof_h5_place *at, hid_t dataset, struct prof_h5_array *array,
                               void **out)
{
    const hid_t file_type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    const hid_t memory_type = prof_h5_memory_type(array->type);
    uint64_t len = 0;
    void *values = NULL;
    ls_err e = prof_get_type(at, array->name, file_type, array->type);
    if (e == LS_OK) e = prof_get_extents(at, space, array, &len);
    if (e == LS_OK && !(values = calloc(len + 1, prof_type_bytes(array->type))))
        e = ls_fail(LS_ERR_NOMEM, "%s: %s: out of memory for %s", at->file, at->group, array->name);
    if (e == LS_OK && len > 0 && H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        e = prof_h5_bad(at, array->name, "cannot be read: the file is damaged");
    if (e == LS_OK && array->type == PROF_TEXT) e = prof_own_texts(at, values, len);
    if (e == LS_OK)
        *out = values;
    else
        free(values);
    H5Tclose(memory_type);
    if (space >= 0) H5Sclose(space);
    if (file_type >= 0) H5Tclose(file_type);
    return e;
}

ls_err prof_h5_get_array(const struct prof_h5_place *at, struct prof_h5_array *array, void **out)
{
    const hid_t dataset = H5Dopen2(at->id, array->name, H5P_DEFAULT);
    if (dataset < 0) return prof_h5_bad(at, array->name, "is missing");
    const ls_err e = prof_get_dataset(at, dataset, array, out);
    H5Dclose(dataset);
    return e;
}
