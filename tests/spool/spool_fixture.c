/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tests/spool/spool_fixture.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void fixture_require(int ok, const char *what)
{
    if (ok) return;
    perror(what);
    abort();
}

void spool_fixture_init(struct spool_fixture *f)
{
    const char *tmp = getenv("TMPDIR");
    *f = (struct spool_fixture){0};
    snprintf(f->root, sizeof(f->root), "%s/loadstone-test-XXXXXX", tmp && strlen(tmp) < 200 ? tmp : "/tmp");
    fixture_require(mkdtemp(f->root) != NULL, "mkdtemp");
    snprintf(f->spool, sizeof(f->spool), "%s/spool", f->root);
    fixture_require(mkdir(f->spool, 0700) == 0, "mkdir");
}

static int fixture_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

void spool_fixture_fini(struct spool_fixture *f)
{
    nftw(f->root, fixture_remove, 16, FTW_DEPTH | FTW_PHYS);
}

const char *spool_fixture_path(const struct spool_fixture *f, uint32_t pid, uint32_t image, uint32_t tid)
{
    static char path[512];
    snprintf(path, sizeof(path), "%s/p%u.%u.t%u.0", f->spool, pid, image, tid);
    return path;
}

void spool_fixture_open(struct spool_fixture *f, struct spool_writer *w, uint32_t pid, uint32_t image,
                        uint32_t tid)
{
    const struct spool_file_header ids = {.pid = pid, .tid = tid, .parent_pid = 1, .image = image};
    fixture_require(spool_writer_open(w, AT_FDCWD, spool_fixture_path(f, pid, image, tid), &ids, &f->cap) ==
                        0,
                    "spool_writer_open");
}

uint8_t *fixture_read_file(const char *path, size_t *out_len)
{
    FILE *file = fopen(path, "rbe");
    fixture_require(file && fseek(file, 0, SEEK_END) == 0, path);
    const long len = ftell(file);
    rewind(file);
    uint8_t *bytes = malloc((size_t)len + 1);
    fixture_require(bytes && fread(bytes, 1, (size_t)len, file) == (size_t)len, path);
    fclose(file);
    *out_len = (size_t)len;
    return bytes;
}

void fixture_write_file(const char *path, const void *bytes, size_t len)
{
    FILE *file = fopen(path, "wbe");
    fixture_require(file && fwrite(bytes, 1, len, file) == len && fclose(file) == 0, path);
}
