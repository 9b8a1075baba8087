/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/trace/host/trc_labels.h"

#include "profile/prof_frames.h"
#include "profile/prof_reader.h"
#include "profile/prof_resolve.h"
#include "spool/spool_merge.h"
#include "spool/spool_path.h"
#include "spool/spool_record.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

/* A record that gives a path in full. */
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

ls_err trc_labels_apply(trc_homes *h, const char *spool_dir)
{
    char profile_path[PATH_MAX];
    struct prof_resolve_stats stats;
    struct trc_naming n = {.homes = h};
    prof_profile *p = NULL;
    snprintf(profile_path, sizeof(profile_path), "%s/names.h5", spool_dir);
    const struct prof_resolve_options o = {.spool_dir = spool_dir, .output_path = profile_path, .force = 1};
    LS_TRY(prof_resolve(&o, &stats));
    ls_err err = prof_open(profile_path, &p);
    unlink(profile_path);
    if (err == LS_OK) err = trc_labels_of(p, &n.labels, &n.len);
    if (err == LS_OK) err = trc_name_all(&n, spool_dir);
    free(n.labels);
    if (p) prof_close(p);
    return err;
}
