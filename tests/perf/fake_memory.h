/* SPDX-License-Identifier: BSD-3-Clause */
/* The programs under the fake kernel: their memory, processes of threads, mappings. */
#ifndef FAKE_MEMORY_H
#define FAKE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

bool fake_peek(pid_t pid, uint64_t at, void *out, size_t len);
bool fake_poke(pid_t pid, uint64_t at, const void *data, size_t len);
pid_t fake_process_of(pid_t tid);
/* Bytes of the mapping of a memory file's begin, 0: none yet. */
size_t fake_mapped_bytes(pid_t pid, size_t number);
/* Sum over all memory files. */
size_t fake_all_mapped_bytes(pid_t pid);

#endif
