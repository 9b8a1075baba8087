/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole files that were packed, by their first bytes: rows of pat_unpack.c. The members of a zip archive are
 * read one after the other. */
#ifndef PAT_UNPACK_H
#define PAT_UNPACK_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes of a file, as they are read. */
struct pat_file {
    const char *name;
    int fd;
    uint8_t *buffer;
    const uint8_t *at; /* bytes read and not used yet */
    size_t left;
    bool has_ended;
    uint64_t end_bytes; /* offset in the file at which the buffer ends */
};

/* Read more bytes and append them to the remaining ones.  Errors: as read, naming the file. */
ls_err pat_file_read(struct pat_file *f);

enum pat_packing { PAT_PACKING_GZIP, PAT_PACKING_ZIP, PAT_PACKING_ZSTD, PAT_PACKING_LZ4 };

/* The functions that unpack some of the packings. Their errors do not name the file. */
struct pat_unpacking {
    ls_err (*open)(struct pat_file *f, enum pat_packing packing, void **out_self);
    /* Read at least one byte; *out_len is 0 at the end. Errors: LS_ERR_TRUNCATED without a text;
     * LS_ERR_FORMAT, LS_ERR_UNSUPPORTED, LS_ERR_NOMEM. */
    ls_err (*read)(void *self, void *out, size_t room, size_t *out_len);
    void (*close)(void *self);
};

struct pat_unpacker {
    const char *name; /* "gzip" */
    enum pat_packing packing;
    const char *magics[2];               /* one of them begins it */
    const struct pat_unpacking *methods; /* NULL: this build lacks the library */
};

/* The row of a file that begins with these bytes, at least 4 unless it is shorter; NULL: it is not packed. */
const struct pat_unpacker *pat_unpacker_of(const uint8_t *bytes, size_t len);

extern const struct pat_unpacking pat_unpacking_archive;

#endif
