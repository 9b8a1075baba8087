/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_paths_sigsafe.h"

#include <string.h>

static uint64_t *rt_path_row(struct rt_paths *p, uint64_t hash)
{
    return &p->hashes[hash >> (64 - RT_PATHS_BITS)];
}

bool rt_paths_note(struct rt_paths *p, uint32_t stream, uint64_t hash)
{
    if (p->stream != stream) {
        memset(p->hashes, 0, sizeof p->hashes);
        p->stream = stream;
    }
    uint64_t *row = rt_path_row(p, hash);
    if (*row == hash) return true;
    *row = hash;
    return false;
}

bool rt_paths_has(const struct rt_paths *p, uint32_t stream, uint64_t hash)
{
    return p->stream == stream && p->hashes[hash >> (64 - RT_PATHS_BITS)] == hash;
}

void rt_paths_forget(struct rt_paths *p, uint64_t hash)
{
    uint64_t *row = rt_path_row(p, hash);
    if (*row == hash) *row = 0;
}
