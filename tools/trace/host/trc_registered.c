/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/trace/host/trc_registered.h"
#include "common/ls_hash.h"

#include "patterns/source/pat_tables.h"

ls_err trc_registered_home(struct trc_registered *r, struct pat_tables *tables, uint32_t parent,
                           const struct pat_home *like, uint32_t *out)
{
    /* elements beyond 4 GiB are distinguished by their low bits only */
    const uint64_t place = (uint64_t)parent << 32 | (uint32_t)like->elem_size_bytes;
    uint32_t *row;
    LS_TRY(pat_intern(&r->homes, place, ls_hash_text(LS_HASH_BEGIN, like->label), &row));
    if (*row == PAT_NONE) LS_TRY(pat_tables_add_home(tables, like, row));
    *out = *row;
    return LS_OK;
}
