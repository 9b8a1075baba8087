/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fuzz_file.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX_BYTES = 1 << 20, SEAL_BYTES = 24, FILE_CHANGES_MAX = 64 };

char fuzz_file_path[64];
static struct {
    int fd;
    char folder[48];
    size_t len_bytes, kept_bytes;
    uint8_t sound[FILE_MAX_BYTES]; /* as written */
    uint8_t *bytes;                /* length of the file itself */
    struct {
        size_t at, len_bytes;
    } changed[FILE_CHANGES_MAX];
    size_t changed_len;
} file;

static void remove_file(void)
{
    unlink(fuzz_file_path);
    rmdir(file.folder);
}

static void load_file(void)
{
    struct stat st;
    file.fd = open(fuzz_file_path, O_RDWR | O_CLOEXEC);
    if (file.fd < 0 || fstat(file.fd, &st) != 0 || st.st_size > FILE_MAX_BYTES) abort();
    file.len_bytes = file.kept_bytes = (size_t)st.st_size;
    file.bytes = mmap(NULL, FILE_MAX_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd, 0);
    if (file.bytes == MAP_FAILED) abort();
    memset(file.bytes, 0, SEAL_BYTES); /* a changed file would not fit to it */
    memcpy(file.sound, file.bytes, file.len_bytes);
}

/* HDF5 wants a file with a name. */
void fuzz_file_make(void (*make)(const char *path))
{
    snprintf(file.folder, sizeof(file.folder), "/dev/shm/fuzz_file.XXXXXX");
    if (!mkdtemp(file.folder)) {
        snprintf(file.folder, sizeof(file.folder), "/tmp/fuzz_file.XXXXXX");
        if (!mkdtemp(file.folder)) abort();
    }
    atexit(remove_file);
    snprintf(fuzz_file_path, sizeof(fuzz_file_path), "%s/run.h5", file.folder);
    make(fuzz_file_path);
    load_file();
}

size_t fuzz_file_len(void)
{
    return file.len_bytes;
}

void fuzz_file_put(size_t at, const void *bytes, size_t len_bytes)
{
    if (file.changed_len == FILE_CHANGES_MAX || at > file.kept_bytes || len_bytes > file.kept_bytes - at)
        return;
    memcpy(file.bytes + at, bytes, len_bytes);
    file.changed[file.changed_len].at = at;
    file.changed[file.changed_len++].len_bytes = len_bytes;
}

static void set_len(size_t len_bytes)
{
    if (ftruncate(file.fd, (off_t)len_bytes) != 0) abort();
    file.kept_bytes = len_bytes;
}

void fuzz_file_cut(unsigned parts)
{
    const size_t kept = file.len_bytes * parts / 256;
    if (kept < file.kept_bytes) set_len(kept);
}

void fuzz_file_restore(void)
{
    const size_t kept = file.kept_bytes;
    if (kept < file.len_bytes) {
        set_len(file.len_bytes);
        memcpy(file.bytes + kept, file.sound + kept, file.len_bytes - kept);
    }
    while (file.changed_len > 0) {
        const size_t at = file.changed[--file.changed_len].at;
        memcpy(file.bytes + at, file.sound + at, file.changed[file.changed_len].len_bytes);
    }
}
