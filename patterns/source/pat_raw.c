/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_raw.h"

#include <string.h>

enum { PAT_RAW_CHUNK = 1 << 16 };

/* Append the whole integers of chunk[0, len); the host is little-endian (configure). */
static ls_err pat_raw_append(struct pat_list *l, const uint8_t *chunk, size_t len, const char *name)
{
    for (size_t at = 0; at + sizeof(int64_t) <= len; at += sizeof(int64_t)) {
        int64_t index;
        memcpy(&index, chunk + at, sizeof(index));
        if (index < 0)
            return ls_fail(
                LS_ERR_FORMAT,
                "%s: index %zu is %lld; expected 64-bit little-endian integers that are not negative", name,
                l->v.len, (long long)index);
        LS_TRY(pat_list_push(l, index));
    }
    return LS_OK;
}

static ls_err pat_raw_read_list(pat_input *in, struct pat_list *l)
{
    static _Thread_local uint8_t chunk[PAT_RAW_CHUNK];
    size_t held = 0, got;
    for (;;) {
        LS_TRY(pat_input_read(in, chunk + held, sizeof(chunk) - held, &got));
        if (got == 0) break;
        held += got;
        LS_TRY(pat_raw_append(l, chunk, held, pat_input_name(in)));
        const size_t rest = held % sizeof(int64_t);
        memmove(chunk, chunk + held - rest, rest);
        held = rest;
    }
    if (held)
        return ls_fail(LS_ERR_TRUNCATED, "%s ends with %zu bytes of an index; expected 64-bit integers",
                       pat_input_name(in), held);
    if (l->v.len == 0)
        return ls_fail(LS_ERR_FORMAT, "%s is empty; expected 64-bit little-endian integers",
                       pat_input_name(in));
    return LS_OK;
}

ls_err pat_raw_read(pat_input *in, struct pat_indices *out)
{
    struct pat_list l = {0};
    const ls_err err = pat_raw_read_list(in, &l);
    if (err == LS_OK) pat_list_take(&l, out);
    pat_list_fini(&l);
    return err;
}

ls_err pat_raw_read_file(const char *path, struct pat_indices *out)
{
    pat_input *in = NULL;
    LS_TRY(pat_input_open(path, &in));
    const ls_err err = pat_raw_read(in, out);
    pat_input_free(in);
    return err;
}
