/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_h5/prof_h5.h"

#include "common/ls_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

hid_t prof_h5_memory_type(enum prof_type type)
{
    const hid_t types[] = {H5T_NATIVE_UINT8,  H5T_NATIVE_UINT16, H5T_NATIVE_UINT32,
                           H5T_NATIVE_UINT64, H5T_NATIVE_INT32,  H5T_NATIVE_DOUBLE};
    return H5Tcopy(types[type]);
}

hid_t prof_h5_file_type(enum prof_type type)
{
    const hid_t types[] = {H5T_STD_U8LE,  H5T_STD_U16LE, H5T_STD_U32LE,
                           H5T_STD_U64LE, H5T_STD_I32LE, H5T_IEEE_F64LE};
    return H5Tcopy(types[type]);
}

size_t prof_h5_text_width(const char *const *texts, uint64_t len)
{
    size_t width = 1;
    for (uint64_t i = 0; i < len; i++) {
        const size_t bytes = texts[i] ? strlen(texts[i]) : 0;
        if (bytes > width) width = bytes;
    }
    return width < PROF_TEXT_MAX_BYTES ? width : PROF_TEXT_MAX_BYTES;
}

hid_t prof_h5_text_type(size_t width)
{
    const hid_t t = H5Tcopy(H5T_C_S1);
    H5Tset_size(t, width);
    H5Tset_strpad(t, H5T_STR_NULLPAD);
    H5Tset_cset(t, H5T_CSET_UTF8);
    return t;
}

void prof_h5_pack_text(char *to, size_t width, const char *text)
{
    static const char cut[] = "...";
    size_t len = text ? strlen(text) : 0;
    memset(to, 0, width);
    if (len <= width) {
        if (len > 0) memcpy(to, text, len);
        return;
    }
    const size_t cut_len = width < sizeof(cut) - 1 ? width : sizeof(cut) - 1;
    len = width - cut_len;
    while (len > 0 && ((uint8_t)text[len] & 0xc0) == 0x80) /* not inside a character */
        len--;
    memcpy(to, text, len);
    memcpy(to + len, cut, cut_len);
}

const char *prof_h5_kept(hid_t dataset)
{
    static const char with_tabs[] = "/sources/text";
    char name[sizeof(with_tabs)] = "";
    const ssize_t len = H5Iget_name(dataset, name, sizeof(name));
    return len == sizeof(with_tabs) - 1 && strcmp(name, with_tabs) == 0 ? "\t" : "";
}

static char *prof_h5_pack_all(const char *const *texts, uint64_t len, size_t width, const char *kept)
{
    char *packed = malloc(len * width + 1);
    for (uint64_t i = 0; packed && i < len; i++) {
        prof_h5_pack_text(packed + i * width, width, texts[i]);
        ls_text_clean(packed + i * width, strnlen(packed + i * width, width), kept);
    }
    return packed;
}

uint64_t prof_h5_text_rows(size_t width, uint64_t len)
{
    const uint64_t rows = PROF_TEXT_SLAB_BYTES / width;
    return rows < len ? rows : len;
}

/* A slab at a time. */
herr_t prof_h5_write_texts(hid_t dataset, size_t width, const char *const *texts, uint64_t len)
{
    const hid_t type = prof_h5_text_type(width), file_space = H5Dget_space(dataset);
    const hsize_t at_once = prof_h5_text_rows(width, len);
    herr_t e = 0;
    for (hsize_t start = 0; e >= 0 && start < len; start += at_once) {
        const hsize_t rows = len - start < at_once ? len - start : at_once;
        const hid_t memory_space = H5Screate_simple(1, &rows, NULL);
        char *packed = prof_h5_pack_all(texts + start, rows, width, prof_h5_kept(dataset));
        H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &start, NULL, &rows, NULL);
        e = packed ? H5Dwrite(dataset, type, memory_space, file_space, H5P_DEFAULT, packed) : -1;
        free(packed);
        H5Sclose(memory_space);
    }
    H5Sclose(file_space);
    H5Tclose(type);
    return e;
}

enum { PROF_SEAL_BLOCK_BYTES = 1 << 20, PROF_SEAL_LANES = 4 };

/* Four independent multiply-and-rotate lanes over 8-byte words (constants: the golden ratio, and the
 * finalizer of MurmurHash3): finds damage, not malice. */
static void prof_hash_block(uint64_t lanes[PROF_SEAL_LANES], const uint8_t *block, size_t len_bytes)
{
    const uint64_t k = UINT64_C(0x9e3779b97f4a7c15);
    for (size_t at = 0; at + 8 * PROF_SEAL_LANES <= len_bytes; at += 8 * PROF_SEAL_LANES)
        for (int i = 0; i < PROF_SEAL_LANES; i++) {
            uint64_t word;
            memcpy(&word, block + at + 8 * (size_t)i, 8);
            const uint64_t x = (lanes[i] ^ word) * k;
            lanes[i] = (x << 31) | (x >> 33);
        }
}

static uint64_t prof_hash_finish(const uint64_t lanes[PROF_SEAL_LANES], uint64_t len_bytes)
{
    uint64_t x = len_bytes;
    for (int i = 0; i < PROF_SEAL_LANES; i++) {
        x = (x ^ lanes[i]) * UINT64_C(0xff51afd7ed558ccd);
        x ^= x >> 33;
    }
    return x;
}

/* A whole block but at the end of the file; the rest of the buffer is zero. */
static ssize_t prof_read_block(int fd, uint8_t *block, off_t at)
{
    size_t have = 0;
    memset(block, 0, PROF_SEAL_BLOCK_BYTES);
    while (have < PROF_SEAL_BLOCK_BYTES) {
        const ssize_t got = pread(fd, block + have, PROF_SEAL_BLOCK_BYTES - have, at + (off_t)have);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        have += (size_t)got;
    }
    return (ssize_t)have;
}

ls_err prof_seal_compute(int fd, const char *path, struct prof_seal *out)
{
    uint64_t lanes[PROF_SEAL_LANES] = {1, 2, 3, 4};
    off_t at = PROF_SEAL_BYTES;
    uint8_t *block = malloc(PROF_SEAL_BLOCK_BYTES);
    if (!block) return ls_nomem("a block of %s", path);
    ssize_t got;
    while ((got = prof_read_block(fd, block, at)) > 0) {
        prof_hash_block(lanes, block, PROF_SEAL_BLOCK_BYTES);
        at += got;
    }
    free(block);
    if (got < 0) return ls_fail_errno(errno, "cannot read %s", path);
    out->magic = PROF_SEAL_MAGIC;
    out->file_len_bytes = (uint64_t)at;
    out->hash = prof_hash_finish(lanes, (uint64_t)at);
    return LS_OK;
}

void prof_h5_put_text(hid_t object, const char *name, const char *text)
{
    prof_h5_put_attribute(object, name, PROF_TEXT, 1, &text);
}

static herr_t prof_h5_put_texts(hid_t object, const char *name, hid_t space, const char *const *texts,
                                hsize_t len)
{
    const size_t width = prof_h5_text_width(texts, len);
    const hid_t type = prof_h5_text_type(width);
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    char *packed = prof_h5_pack_all(texts, len, width, "");
    const herr_t e = packed ? H5Awrite(attribute, type, packed) : -1;
    free(packed);
    H5Aclose(attribute);
    H5Tclose(type);
    return e;
}

static herr_t prof_h5_put_numbers(hid_t object, const char *name, enum prof_type type, hid_t space,
                                  const void *value)
{
    const hid_t file_type = prof_h5_file_type(type), memory_type = prof_h5_memory_type(type);
    const hid_t attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    const herr_t e = H5Awrite(attribute, memory_type, value);
    H5Aclose(attribute);
    H5Tclose(memory_type);
    H5Tclose(file_type);
    return e;
}

static herr_t prof_h5_put(hid_t object, const char *name, enum prof_type type, hid_t space,
                          const void *values)
{
    const hssize_t len = H5Sget_simple_extent_npoints(space);
    const herr_t e = type == PROF_TEXT ? prof_h5_put_texts(object, name, space, values, (hsize_t)len)
                                       : prof_h5_put_numbers(object, name, type, space, values);
    H5Sclose(space);
    return e;
}

herr_t prof_h5_put_attribute(hid_t object, const char *name, enum prof_type type, hsize_t len,
                             const void *value)
{
    if (len != 1) return prof_h5_put_list(object, name, type, len, value);
    return prof_h5_put(object, name, type, H5Screate(H5S_SCALAR), value);
}

herr_t prof_h5_put_list(hid_t object, const char *name, enum prof_type type, hsize_t len, const void *values)
{
    return prof_h5_put(object, name, type, H5Screate_simple(1, &len, NULL), values);
}
