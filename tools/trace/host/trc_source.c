/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/trace/host/trc_source.h"

#include "tools/trace/host/trc_homes.h"
#include "tools/trace/host/trc_labels.h"
#include "tools/trace/host/trc_reader.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

_Static_assert(sizeof(struct trc_access) == sizeof(struct pat_access), "the ring holds accesses as they are");
_Static_assert(offsetof(struct trc_access, site) == offsetof(struct pat_access, site), "the same fields");
_Static_assert(offsetof(struct trc_access, thread) == offsetof(struct pat_access, thread), "the same fields");

struct trc_live {
    trc_reader *reader;
    trc_homes *homes;
    int fd;
    char ring_path[64];
    const char *spool_dir;
    void (*note)(void *user, const char *text);
    void *user;
    uint64_t accesses;
    bool has_ended;
};

static void trc_live_free(void *self)
{
    trc_live *l = self;
    if (!l) return;
    trc_homes_free(l->homes);
    trc_reader_free(l->reader);
    if (l->fd >= 0) close(l->fd);
    free(l);
}

ls_err trc_live_new(const char *spool_dir, void (*note)(void *user, const char *text), void *user,
                    trc_live **out)
{
    trc_live *l = calloc(1, sizeof(*l));
    if (!l) return ls_nomem("the trace");
    *l = (trc_live){.fd = -1, .spool_dir = spool_dir, .note = note, .user = user};
    ls_err err = trc_reader_new(&l->reader, &l->fd);
    if (err == LS_OK) err = trc_homes_new(trc_reader_ring(l->reader), &l->homes);
    if (err != LS_OK) {
        trc_live_free(l);
        return err;
    }
    snprintf(l->ring_path, sizeof(l->ring_path), "/proc/%ld/fd/%d", (long)getpid(), l->fd);
    *out = l;
    return LS_OK;
}

struct trc_ring *trc_live_ring(const trc_live *l)
{
    return trc_reader_ring(l->reader);
}

const char *trc_live_ring_path(const trc_live *l)
{
    return l->ring_path;
}

void trc_live_set_ended(trc_live *l)
{
    trc_reader_set_ended(l->reader);
}

void trc_live_close_ring(trc_live *l)
{
    trc_reader_close(l->reader);
}

/* Homes without names are still distinguished. */
static ls_err trc_live_name(trc_live *l)
{
    const ls_err err = l->spool_dir ? trc_labels_apply(l->homes, l->spool_dir) : LS_OK;
    if (err == LS_ERR_NOMEM) return err;
    if (err != LS_OK && err != LS_ERR_NOT_FOUND) l->note(l->user, ls_last_error());
    return trc_homes_name_rest(l->homes);
}

static ls_err trc_live_item(trc_live *l, struct pat_batch *b)
{
    struct trc_item item;
    trc_reader_next(l->reader, &item);
    LS_TRY(trc_homes_grow(l->homes));
    switch (item.kind) {
    case TRC_ITEM_ACCESSES:
        b->accesses = (const struct pat_access *)(const void *)item.accesses;
        b->accesses_len = item.len;
        l->accesses += item.len;
        break;
    case TRC_ITEM_BREAK:
        LS_TRY(trc_homes_break(l->homes, item.thread));
        break;
    case TRC_ITEM_EVENT:
        LS_TRY(trc_homes_event(l->homes, &item.event));
        break;
    case TRC_ITEM_END:
        l->has_ended = true;
        return trc_live_name(l);
    }
    return LS_OK;
}

static ls_err trc_live_next(void *self, struct pat_batch *b)
{
    trc_live *l = self;
    *b = (struct pat_batch){0};
    while (!l->has_ended && b->accesses_len == 0 && b->events_len == 0) {
        LS_TRY(trc_live_item(l, b));
        b->events = trc_homes_take_events(l->homes, &b->events_len);
    }
    return LS_OK;
}

static const struct pat_tables *trc_live_tables(const void *self)
{
    const trc_live *l = self;
    return trc_homes_tables(l->homes);
}

static struct pat_source_counts trc_live_counts(const void *self)
{
    const trc_live *l = self;
    return (struct pat_source_counts){.accesses = l->accesses, .scale = 1};
}

const struct pat_source_format trc_source_format = {.name = "live",
                                                    .text = "a program under loadstone trace",
                                                    .next = trc_live_next,
                                                    .tables = trc_live_tables,
                                                    .counts = trc_live_counts,
                                                    .close = trc_live_free};
