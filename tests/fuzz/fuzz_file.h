/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that is made once; each input changes a few bytes of it, which are then restored. */
#ifndef FUZZ_FILE_H
#define FUZZ_FILE_H

#include <stddef.h>

extern char fuzz_file_path[64];

/* Make a folder, in memory where that can be, let make write the file, and clear its seal. */
void fuzz_file_make(void (*make)(const char *path));
size_t fuzz_file_len(void); /* 0: not made yet */
void fuzz_file_put(size_t at, const void *bytes, size_t len_bytes);
/* Keep this number of 256 parts of the file. */
void fuzz_file_cut(unsigned parts);
void fuzz_file_restore(void);

#endif
