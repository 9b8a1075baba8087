/* SPDX-License-Identifier: BSD-3-Clause */
/* A temporary spool directory written through the real writer. */
#ifndef SPOOL_FIXTURE_H
#define SPOOL_FIXTURE_H

#include "spool/spool_put_sigsafe.h"

#include <stddef.h>

struct spool_fixture {
    char root[256]; /* temporary directory */
    char spool[300];
    struct spool_cap cap;
};

void spool_fixture_init(struct spool_fixture *f);
/* Removes everything. */
void spool_fixture_fini(struct spool_fixture *f);
/* Open DIR/p<pid>.<image>/t<tid>.0 ; fails the test when it cannot. */
void spool_fixture_open(struct spool_fixture *f, struct spool_writer *w, uint32_t pid, uint32_t image,
                        uint32_t tid);
/* Path of that file, in a static buffer. */
const char *spool_fixture_path(const struct spool_fixture *f, uint32_t pid, uint32_t image, uint32_t tid);

/* A whole file in memory; the caller frees it. */
uint8_t *fixture_read_file(const char *path, size_t *out_len);
void fixture_write_file(const char *path, const void *bytes, size_t len);

#endif
