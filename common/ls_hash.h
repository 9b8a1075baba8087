/* SPDX-License-Identifier: BSD-3-Clause */
/* FNV-1a in 64 bits (Fowler, Noll, Vo; http://www.isthe.com/chongo/tech/comp/fnv/): the same on every machine
 * and in every run, unlike a hash of pointers. Not for keys that an attacker chooses.
 *
 * Thread: any.  Signal: safe. */
#ifndef LS_HASH_H
#define LS_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The offset basis: the hash of no bytes. */
#define LS_HASH_BEGIN UINT64_C(0xcbf29ce484222325)

/* Extend `hash` by `len_bytes` bytes of `data`. */
static inline uint64_t ls_hash_bytes(uint64_t hash, const void *data, size_t len_bytes)
{
    for (size_t i = 0; i < len_bytes; i++)
        hash = (hash ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Extend `hash` by the characters of `text`, without its NUL. */
static inline uint64_t ls_hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
