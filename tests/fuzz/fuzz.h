/* SPDX-License-Identifier: BSD-3-Clause */
/* A fuzz target: its entry, and the files that make check replays through it. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len_bytes);

/* A pattern of glob, from the top of the source tree. */
extern const char fuzz_corpus[];

#endif
