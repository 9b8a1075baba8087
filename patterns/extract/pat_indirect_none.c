/* SPDX-License-Identifier: BSD-3-Clause */
/* Without Zydis no machine code is read. */
#include "patterns/extract/pat_indirect.h"

ls_err pat_indirect(const struct pat_tables *t, const uint64_t *accesses, struct pat_sequence *rows,
                    size_t len)
{
    (void)t;
    (void)accesses;
    for (size_t i = 0; i < len; i++)
        rows[i].index_site = PAT_NONE;
    return LS_OK;
}
