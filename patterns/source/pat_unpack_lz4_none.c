/* SPDX-License-Identifier: BSD-3-Clause */
/* Built without liblz4: the files are told, not read. */
#include "patterns/source/pat_unpack.h"

#include <string.h>

static bool lz4_recognise(const uint8_t *bytes, size_t len)
{
    return len >= 4 && memcmp(bytes, "\x04\x22\x4d\x18", 4) == 0;
}

static ls_err lz4_open(void **out)
{
    *out = NULL;
    return ls_fail(
        LS_ERR_UNSUPPORTED,
        "packed by lz4, which this build lacks: install liblz4-dev and configure again, or unpack it");
}

const struct pat_unpacker pat_unpacker_lz4 = {.name = "lz4", .recognise = lz4_recognise, .open = lz4_open};
