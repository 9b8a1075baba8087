/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_devices.h"

#include "common/ls_device.h"
#include "resolve/prof_replay.h"
#include "resolve/prof_site_names.h"
#include "spool/spool_record.h"

enum { PROF_NO_BLOCK = UINT32_MAX };

/* --- blocks --- */

static uint32_t prof_device_block_at(const struct prof_replay *r, uint64_t addr)
{
    uint32_t row;
    return addr && r->devices.live && smr_live_find(r->devices.live, addr, &row) ? row : PROF_NO_BLOCK;
}

/* Handles are no addresses, and have no length. */
static uint64_t prof_device_end(const struct spool_device_block *b)
{
    uint64_t end;
    if ((b->rec.flags & SPOOL_DEVICE_HANDLE) || b->len_bytes == 0) return b->base + 1;
    return __builtin_add_overflow(b->base, b->len_bytes, &end) ? b->base + 1 : end;
}

static ls_err prof_on_device_block(struct prof_replay *r, const struct spool_device_block *b)
{
    struct prof_run_state *run = r->run;
    struct prof_device_block row = {.process = r->process,
                                    .api = b->rec.flags & SPOOL_DEVICE_API_MASK,
                                    .memory = b->memory,
                                    .base = b->base,
                                    .len_bytes = b->len_bytes,
                                    .born_ns = prof_since_start(run, b->time_ns),
                                    .died_ns = UINT64_MAX};
    if (b->base == 0 || b->base == UINT64_MAX) return LS_OK;
    if (!r->devices.live && !(r->devices.live = smr_live_new())) return ls_nomem("blocks of devices");
    LS_TRY(prof_space_device(r->space, b, &row.site, &row.node));
    LS_TRY(LS_VECTOR_ADD(&run->device_blocks, row));
    LS_TRY(smr_live_evict(r->devices.live, b->base, prof_device_end(b))); /* their ends were lost */
    return smr_live_insert(r->devices.live, b->base, prof_device_end(b),
                           (uint32_t)run->device_blocks.len - 1);
}

static ls_err prof_on_device_free(struct prof_replay *r, const struct spool_extent *x)
{
    const uint32_t row = prof_device_block_at(r, x->base);
    struct prof_device_block *b = row == PROF_NO_BLOCK ? NULL : &r->run->device_blocks.rows[row];
    if (!b || b->base != x->base) return LS_OK; /* allocated before the recording began */
    b->died_ns = prof_since_start(r->run, x->time_ns);
    LS_TRY(smr_live_remove(r->devices.live, x->base, row));
    const bool is_seen = b->memory != LS_DEVICE_MEMORY_DEVICE && b->api != LS_DEVICE_API_OPENCL;
    return is_seen || b->memory == LS_DEVICE_MEMORY_MANAGED ? prof_space_free_block(r->space, x) : LS_OK;
}

/* --- copies --- */

static void prof_grow(uint64_t *sum, uint64_t more)
{
    *sum = more > UINT64_MAX - *sum ? UINT64_MAX : *sum + more;
}

static bool prof_is_on_device(const struct prof_replay *r, uint32_t block)
{
    return block != PROF_NO_BLOCK && r->run->device_blocks.rows[block].memory != LS_DEVICE_MEMORY_HOST;
}

/* Find the direction of a copy by its addresses, as the driver does. */
static uint32_t prof_copy_direction(const struct prof_replay *r, const struct spool_device_copy *c,
                                    uint32_t to, uint32_t from)
{
    static const uint32_t found[2][2] = {{LS_DEVICE_NOT_KNOWN, LS_DEVICE_FROM_DEVICE},
                                         {LS_DEVICE_TO_DEVICE, LS_DEVICE_ON_DEVICE}};
    if (c->direction != LS_DEVICE_NOT_KNOWN) return c->direction;
    return found[prof_is_on_device(r, to)][prof_is_on_device(r, from)];
}

static bool prof_copy_is(const struct prof_device_copy *a, const struct prof_device_copy *b)
{
    return a->frame == b->frame && a->api == b->api && a->direction == b->direction &&
           a->queued == b->queued && a->to == b->to && a->from == b->from && a->process == b->process;
}

static void prof_copy_join(struct prof_device_copy *row, const struct prof_device_copy *what)
{
    row->calls++;
    prof_grow(&row->bytes, what->bytes);
    prof_grow(&row->time_ns, what->time_ns);
    if (what->longest_ns > row->longest_ns) row->longest_ns = what->longest_ns;
    if (what->last_ns > row->last_ns) row->last_ns = what->last_ns;
}

static ls_err prof_copy_add(struct prof_replay *r, const struct prof_device_copy *what)
{
    struct prof_run_state *run = r->run;
    const uint64_t kind = (uint64_t)what->frame << 16 | what->api << 8 | what->direction << 1 | what->queued;
    const uint64_t key = ls_index_key(kind, (uint64_t)what->to << 32 | what->from);
    uint32_t at;
    for (size_t step = 0; ls_index_next(&r->devices.by_copy, key, &step, &at);)
        if (prof_copy_is(&run->device_copies.rows[at], what)) {
            prof_copy_join(&run->device_copies.rows[at], what);
            return LS_OK;
        }
    LS_TRY(LS_VECTOR_ADD(&run->device_copies, *what));
    return ls_index_put(&r->devices.by_copy, key, (uint32_t)run->device_copies.len - 1);
}

static ls_err prof_on_device_copy(struct prof_replay *r, const struct spool_device_copy *c)
{
    struct prof_run_state *run = r->run;
    const uint32_t to = prof_device_block_at(r, c->to), from = prof_device_block_at(r, c->from);
    const struct prof_path_given given = PROF_PATH_GIVEN(c);
    const uint64_t time_ns = prof_since_start(run, c->time_ns);
    struct prof_device_copy row = {.process = r->process,
                                   .label_frame = PROF_NO_FRAME,
                                   .api = c->rec.flags & SPOOL_DEVICE_API_MASK,
                                   .direction = prof_copy_direction(r, c, to, from),
                                   .queued = (c->rec.flags & SPOOL_DEVICE_QUEUED) != 0,
                                   .to = PROF_NO_NODE,
                                   .from = PROF_NO_NODE,
                                   .calls = 1,
                                   .bytes = c->len_bytes,
                                   .time_ns = c->took_ns,
                                   .longest_ns = c->took_ns,
                                   .first_ns = time_ns,
                                   .last_ns = time_ns};
    LS_TRY(prof_space_frame(r->space, &given, &row.frame));
    if (to != PROF_NO_BLOCK) {
        struct prof_device_block *b = &run->device_blocks.rows[to];
        prof_grow(&b->copied_in_bytes, c->len_bytes);
        row.to = b->node;
    }
    if (from != PROF_NO_BLOCK) {
        struct prof_device_block *b = &run->device_blocks.rows[from];
        prof_grow(&b->copied_out_bytes, c->len_bytes);
        row.from = b->node;
    }
    return prof_copy_add(r, &row);
}

ls_err prof_devices_take(struct prof_replay *r, const struct spool_rec_header *rec)
{
    const void *const whole = rec;
    switch (rec->type) {
    case SPOOL_REC_DEVICE_BLOCK:
        return prof_on_device_block(r, whole);
    case SPOOL_REC_DEVICE_FREE:
        return prof_on_device_free(r, whole);
    default:
        return prof_on_device_copy(r, whole);
    }
}

void prof_devices_name(struct prof_run_state *run, const struct prof_caller_tables *tables)
{
    for (size_t i = 0; i < run->device_copies.len; i++) {
        struct prof_device_copy *c = &run->device_copies.rows[i];
        struct prof_caller caller;
        c->label_frame = c->frame;
        if (prof_caller_of_site(tables, c->frame, &caller)) c->label_frame = caller.frame;
    }
}

void prof_devices_fini(struct prof_devices *d)
{
    smr_live_free(d->live);
    ls_index_fini(&d->by_copy);
    *d = (struct prof_devices){0};
}
