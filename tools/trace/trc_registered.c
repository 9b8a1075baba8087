/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/trace/trc_registered.h"

#include "patterns/source/pat_tables.h"

static uint64_t trc_hash_text(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    return hash;
}

ls_err trc_registered_home(struct trc_registered *r, struct pat_tables *tables, uint32_t parent,
                           const struct pat_home *like, uint32_t *out)
{
    /* elements beyond 4 GiB: then only their low bits tell them apart */
    const uint64_t place = (uint64_t)parent << 32 | (uint32_t)like->elem_size_bytes;
    uint32_t *row;
    LS_TRY(pat_intern(&r->homes, place, trc_hash_text(like->label), &row));
    if (*row == PAT_NONE) LS_TRY(pat_tables_add_home(tables, like, row));
    *out = *row;
    return LS_OK;
}
