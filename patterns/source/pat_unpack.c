/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_unpack.h"

static const struct pat_unpacker *const unpackers[] = {&pat_unpacker_gzip, &pat_unpacker_zip,
                                                       &pat_unpacker_zstd, &pat_unpacker_lz4};

const struct pat_unpacker *pat_unpacker_of(const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < sizeof(unpackers) / sizeof(unpackers[0]); i++)
        if (unpackers[i]->recognise(bytes, len)) return unpackers[i];
    return NULL;
}
