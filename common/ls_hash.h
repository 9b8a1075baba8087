/* SPDX-License-Identifier: BSD-3-Clause */
/* FNV-1a in 64 bits (Fowler, Noll, Vo; http://www.isthe.com/chongo/tech/comp/fnv/): the same on every
 * machine and in every run, as pointers are not. Not for keys that an enemy chooses.
 *
 * Thread: any.  Signal: safe. */
#ifndef LS_HASH_H
#define LS_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The offset basis: the hash of nothing. */
#define LS_HASH_BEGIN UINT64_C(0xcbf29ce484222325)

/* Of what hash was of, and these bytes behind it. */
static inline uint64_t ls_hash_bytes(uint64_t hash, const void *data, size_t len_bytes)
{
    for (size_t i = 0; i < len_bytes; i++)
        hash = (hash ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Of what hash was of, and this text behind it, without its end. */
static inline uint64_t ls_hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
