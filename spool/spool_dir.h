/* SPDX-License-Identifier: BSD-3-Clause */
/* Contents of a spool directory: process images and the records of their threads.
 *
 * Thread: one at a time for one object, any for different ones.  Signal: not safe. */
#ifndef SPOOL_DIR_H
#define SPOOL_DIR_H

#include "spool/spool_stream.h"

struct spool_image {
    uint32_t pid, image;
    char *path;   /* DIR/p<pid>.<image>: how the names of its files begin */
    char **files; /* paths of its files */
    size_t files_len;
    struct spool_streams streams; /* sorted by tid and number */
};

typedef struct spool_dir spool_dir;

/* List path; images are sorted by pid and image.
 * Errors: LS_ERR_NOT_FOUND (no such directory, or no process image in it), LS_ERR_PERMISSION, LS_ERR_IO,
 * LS_ERR_NOMEM. */
ls_err spool_dir_open(const char *path, spool_dir **out);
void spool_dir_free(spool_dir *d);
const struct spool_image *spool_dir_images(const spool_dir *d, size_t *out_len);

#endif
