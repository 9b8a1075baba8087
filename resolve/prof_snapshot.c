/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_snapshot.h"

#include "common/ls_vector.h"
#include "spool/spool_record.h"

#include <stdlib.h>
#include <string.h>

ls_err prof_snapshot_take(struct prof_snapshot *s, const struct spool_maps *piece, bool *out_whole)
{
    if (piece->rec.flags & SPOOL_MAPS_FIRST) s->len = 0;
    *out_whole = (piece->rec.flags & SPOOL_MAPS_LAST) != 0;
    LS_TRY(LS_GROW(s->text, s->room, s->len + piece->text_len));
    if (piece->text_len > 0) memcpy(s->text + s->len, SPOOL_REC_TAIL(piece), piece->text_len);
    s->len += piece->text_len;
    return LS_OK;
}

void prof_snapshot_fini(struct prof_snapshot *s)
{
    free(s->text);
    *s = (struct prof_snapshot){0};
}
