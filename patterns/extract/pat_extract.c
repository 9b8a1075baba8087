/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_extract.h"
#include "patterns/extract/pat_ext_engine.h"

#include <stdlib.h>

/* Limits of the modes, as published (patterns/extract/pat_ext_filter.h). */
static const struct pat_extract_options extract_defaults[PAT_MODE_COUNT] = {
    [PAT_MODE_COST] = {.top = 64, .accesses_min = 2},
    [PAT_MODE_PAPER] = {.top = 10, .accesses_min = 1024, .unique_min = 6, .far_share_min = 0.5},
    [PAT_MODE_V1] = {.top = 10, .accesses_min = 1024, .unique_min = 6, .far_share_min = 0.5},
    [PAT_MODE_V2] = {.top = 10, .accesses_min = 1024, .unique_min = 16, .far_share_min = 0.5},
};
enum { EXTRACT_FAR = 513, EXTRACT_WINDOW_ROWS = 1024, EXTRACT_WINDOW_BYTES = 64 };
#define EXTRACT_MEMORY (UINT64_C(1) << 30)
#define EXTRACT_MEMORY_MIN (UINT64_C(1) << 20)

#define EXTRACT_FILL(field, otherwise) \
    if (!o->field) o->field = otherwise

static void extract_fill(struct pat_extract_options *o)
{
    const struct pat_extract_options *d = &extract_defaults[o->mode];
    EXTRACT_FILL(memory_bytes, EXTRACT_MEMORY);
    EXTRACT_FILL(top, d->top);
    EXTRACT_FILL(accesses_min, d->accesses_min);
    EXTRACT_FILL(unique_min, d->unique_min);
    if (!(o->far_share_min > 0)) o->far_share_min = d->far_share_min;
    EXTRACT_FILL(far_elements, EXTRACT_FAR);
    EXTRACT_FILL(window_rows, EXTRACT_WINDOW_ROWS);
    EXTRACT_FILL(window_bytes, EXTRACT_WINDOW_BYTES);
    if (o->memory_bytes < EXTRACT_MEMORY_MIN) o->memory_bytes = EXTRACT_MEMORY_MIN;
}

static ls_err extract_read(pat_source *s, struct pat_ext *e)
{
    for (;;) {
        struct pat_batch b;
        LS_TRY(pat_source_next(s, &b));
        const struct pat_tables *t = pat_source_tables(s);
        if (!b.events_len && !b.accesses_len) {
            e->tables = t;
            return pat_ext_end(e);
        }
        LS_TRY(pat_ext_batch(e, t, &b));
    }
}

uint32_t pat_extract_top(const struct pat_extract_options *o)
{
    return o->top ? o->top : extract_defaults[o->mode].top;
}

ls_err pat_extract(pat_source *s, const struct pat_extract_options *o, struct pat_sequences *out)
{
    struct pat_extract_options options = o ? *o : (struct pat_extract_options){0};
    *out = (struct pat_sequences){0};
    if ((unsigned)options.mode >= PAT_MODE_COUNT)
        return ls_fail(LS_ERR_ARG, "unknown extraction mode %d", (int)options.mode);
    extract_fill(&options);
    struct pat_ext e;
    ls_err err = pat_ext_init(&e, &options);
    if (err == LS_OK) err = extract_read(s, &e);
    if (err == LS_OK) err = pat_ext_finish(&e, out);
    pat_ext_fini(&e);
    if (err != LS_OK) pat_sequences_fini(out);
    return err;
}

void pat_sequences_fini(struct pat_sequences *s)
{
    for (size_t i = 0; i < s->len; i++) {
        free(s->rows[i].indices.data);
        free(s->rows[i].breaks);
        free(s->rows[i].distances);
        free(s->rows[i].threads_apart);
    }
    free(s->rows);
    *s = (struct pat_sequences){0};
}
