/* SPDX-License-Identifier: BSD-3-Clause */

#include "tools/trace/host/trc_host.h"
#include "tools/trace/host/trc_reader.h"
#include "resolve/prof_frames.h"
#include "run_h5/prof_reader.h"
#include "resolve/prof_resolve.h"
#include "spool/spool_merge.h"
#include "spool/spool_path.h"
#include "spool/spool_record.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- names of allocations ---- */

/* Names of allocations of a traced program, from the spool that the runtime left in it. */

/* A site of the profile by the instructions of its call path. */
struct trc_label {
    uint64_t key;
    const char *text;
};

static int trc_compare_labels(const void *a, const void *b)
{
    const struct trc_label *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static ls_err trc_labels_of(const prof_profile *p, struct trc_label **out, size_t *out_len)
{
    size_t sites_len, frames_len;
    uint64_t ips[PROF_PATH_FRAMES_MAX];
    const struct prof_site *sites = prof_sites(p, &sites_len);
    const struct prof_frame *frames = prof_frames(p, &frames_len);
    struct trc_label *labels = calloc(sites_len + 1, sizeof(*labels));
    if (!labels) return ls_nomem("%zu allocation sites", sites_len);
    for (size_t i = 0; i < sites_len; i++) {
        size_t len = 0;
        for (uint32_t f = sites[i].frame; f < frames_len && len < PROF_PATH_FRAMES_MAX; f = frames[f].parent)
            ips[len++] = frames[f].ip;
        labels[i] = (struct trc_label){spool_path_hash(ips, len), sites[i].label};
    }
    qsort(labels, sites_len, sizeof(*labels), trc_compare_labels);
    *out = labels;
    *out_len = sites_len;
    return LS_OK;
}

struct trc_naming {
    trc_homes *homes;
    struct trc_label *labels;
    size_t len;
};

/* A record that contains a complete path. */
static ls_err trc_name_alloc(const struct trc_naming *n, const struct spool_alloc *r)
{
    uint64_t ips[PROF_PATH_FRAMES_MAX];
    if (r->frames_len == 0 || r->rec.flags & SPOOL_ALLOC_KNOWN_PATH) return LS_OK;
    const uint64_t *returns = (const uint64_t *)(const void *)SPOOL_REC_TAIL(r);
    const size_t len = prof_frames_of_returns(returns, r->frames_len, 0, ips);
    const struct trc_label key = {.key = spool_path_hash(ips, len)};
    const struct trc_label *found = bsearch(&key, n->labels, n->len, sizeof(key), trc_compare_labels);
    return found ? trc_homes_name_path(n->homes, spool_path_hash(returns, r->frames_len), found->text)
                 : LS_OK;
}

static ls_err trc_name_image(const struct trc_naming *n, const struct spool_image *image)
{
    spool_merge *merge;
    ls_err err = LS_OK;
    LS_TRY(spool_merge_new(image, 0, &merge));
    for (struct spool_item item = spool_merge_next(merge); item.rec && err == LS_OK;
         item = spool_merge_next(merge))
        if (item.rec->type == SPOOL_REC_ALLOC) err = trc_name_alloc(n, (const void *)item.rec);
    spool_merge_free(merge);
    return err;
}

static ls_err trc_name_all(const struct trc_naming *n, const char *path)
{
    spool_dir *dir = NULL;
    size_t len = 0;
    LS_TRY(spool_dir_open(path, &dir));
    const struct spool_image *images = spool_dir_images(dir, &len);
    ls_err err = LS_OK;
    for (size_t i = 0; i < len && err == LS_OK; i++)
        err = trc_name_image(n, &images[i]);
    spool_dir_free(dir);
    return err;
}

/* Name homes by the labels of the spool in spool_dir; a profile is made beside it and removed again.
 * Errors: LS_ERR_NOMEM; a spool that cannot be resolved leaves names as they are, and ls_last_error has the
 * reason (LS_ERR_NOT_FOUND: nothing was recorded). */
static ls_err trc_labels_apply(trc_homes *h, const char *spool_dir)
{
    char profile_path[PATH_MAX];
    struct prof_resolve_stats stats;
    struct trc_naming n = {.homes = h};
    prof_profile *p = NULL;
    snprintf(profile_path, sizeof(profile_path), "%s/names.h5", spool_dir);
    const struct prof_resolve_options o = {/* the machine is not described, because this takes time */
                                           .spool_dir = spool_dir,
                                           .output_path = profile_path,
                                           .force = 1,
                                           .files = trc_homes_files(h),
                                           .host = "",
                                           .cpu = ""};
    LS_TRY(prof_resolve(&o, &stats));
    ls_err err = prof_open(profile_path, &p);
    unlink(profile_path);
    if (err == LS_OK) err = trc_labels_of(p, &n.labels, &n.len);
    if (err == LS_OK) err = trc_name_all(&n, spool_dir);
    free(n.labels);
    if (p) prof_close(p);
    return err;
}

/* ---- the source ---- */

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
    bool has_begun, has_ended;
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

/* Give unnamed homes distinct labels. */
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
    if (l->spool_dir && !l->has_begun) LS_TRY(trc_homes_read_ahead(l->homes));
    l->has_begun = true;
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
