/* SPDX-License-Identifier: BSD-3-Clause */
/* Built without libzstd: the files are told, not read. */
#include "patterns/source/pat_unpack.h"

#include <string.h>

static bool zstd_recognise(const uint8_t *bytes, size_t len)
{
    return len >= 4 && memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0;
}

static ls_err zstd_open(void **out)
{
    *out = NULL;
    return ls_fail(
        LS_ERR_UNSUPPORTED,
        "packed by zstd, which this build lacks: install libzstd-dev and configure again, or unpack it");
}

const struct pat_unpacker pat_unpacker_zstd = {
    .name = "zstd", .recognise = zstd_recognise, .open = zstd_open};
