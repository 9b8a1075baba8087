/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "common/ls_sorted.h"

#include "resolve/prof_forks.h"

#include <stdlib.h>

#define PROF_NO_IMAGE UINT32_MAX

struct prof_image_pair {
    struct spool_image image;
    struct prof_survey survey;
};

static int prof_compare_ids(const struct spool_image *a, const struct spool_image *b)
{
    if (a->pid != b->pid) return a->pid < b->pid ? -1 : 1;
    return (a->image > b->image) - (a->image < b->image);
}

static int prof_compare_begins(const void *a, const void *b)
{
    const struct prof_image_pair *x = a, *y = b;
    if (x->survey.begin_ns != y->survey.begin_ns) return x->survey.begin_ns < y->survey.begin_ns ? -1 : 1;
    return prof_compare_ids(&x->image, &y->image);
}

ls_err prof_images_sort(struct spool_image *images, struct prof_survey *surveys, size_t images_len)
{
    struct prof_image_pair *pairs = calloc(images_len + 1, sizeof(*pairs));
    if (!pairs) return ls_nomem("%zu processes", images_len);
    for (size_t i = 0; i < images_len; i++)
        pairs[i] = (struct prof_image_pair){images[i], surveys[i]};
    qsort(pairs, images_len, sizeof(*pairs), prof_compare_begins);
    for (size_t i = 0; i < images_len; i++) {
        images[i] = pairs[i].image;
        surveys[i] = pairs[i].survey;
    }
    free(pairs);
    return LS_OK;
}

static int prof_compare_rows(const void *a, const void *b, void *user)
{
    const struct spool_image *images = user;
    return prof_compare_ids(&images[*(const uint32_t *)a], &images[*(const uint32_t *)b]);
}

size_t prof_forks_first_of_pid(const struct prof_forks *f, uint32_t pid)
{
    size_t before;
    LS_COUNT_FIRST(before, f->images_len, i, f->images[f->by_pid[i]].pid < pid);
    return before;
}

static uint32_t prof_image_row(const struct prof_forks *f, uint32_t pid, uint32_t image)
{
    for (size_t i = prof_forks_first_of_pid(f, pid); i < f->images_len; i++) {
        const struct spool_image *at = &f->images[f->by_pid[i]];
        if (at->pid != pid) break;
        if (at->image == image) return f->by_pid[i];
    }
    return PROF_NO_IMAGE;
}

static int prof_compare_forks(const void *a, const void *b)
{
    const struct prof_fork *x = a, *y = b;
    if (x->parent != y->parent) return x->parent < y->parent ? -1 : 1;
    if (x->fork_ns != y->fork_ns) return x->fork_ns < y->fork_ns ? -1 : 1;
    return (x->child > y->child) - (x->child < y->child);
}

static ls_err prof_forks_collect(struct prof_forks *f, struct prof_survey *surveys)
{
    for (size_t i = 0; i < f->images_len; i++) {
        const struct prof_survey_origin *o = &surveys[i].origin;
        if (!o->fork_ns) continue;
        const uint32_t parent = prof_image_row(f, o->ancestor_pid, o->ancestor_image);
        if (parent == PROF_NO_IMAGE || parent >= i) continue; /* lost, or damage: a parent begins first */
        LS_TRY(LS_VECTOR_ADD(&f->rows, (struct prof_fork){.parent = parent,
                                                          .child = (uint32_t)i,
                                                          .tid = o->ancestor_tid,
                                                          .fork_ns = o->fork_ns,
                                                          .child_survey = &surveys[i]}));
    }
    if (f->rows.len > 0) qsort(f->rows.rows, f->rows.len, sizeof(*f->rows.rows), prof_compare_forks);
    for (size_t i = 0; i < f->images_len; i++)
        f->fork_of_child[i] = PROF_NO_IMAGE;
    for (size_t i = 0; i < f->rows.len; i++)
        f->fork_of_child[f->rows.rows[i].child] = (uint32_t)i;
    return LS_OK;
}

ls_err prof_forks_init(struct prof_forks *out, const struct spool_image *images, struct prof_survey *surveys,
                       size_t images_len)
{
    out->images_len = images_len;
    out->fork_of_child = calloc(images_len + 1, sizeof(*out->fork_of_child));
    out->by_pid = calloc(images_len + 1, sizeof(*out->by_pid));
    out->images = images;
    if (!out->fork_of_child || !out->by_pid) return ls_nomem("%zu processes", images_len);
    for (size_t i = 0; i < images_len; i++)
        out->by_pid[i] = (uint32_t)i;
    qsort_r(out->by_pid, images_len, sizeof(*out->by_pid), prof_compare_rows, (void *)(uintptr_t)images);
    return prof_forks_collect(out, surveys);
}

void prof_forks_fini(struct prof_forks *f)
{
    for (size_t i = 0; i < f->rows.len; i++) {
        prof_space_free(f->rows.rows[i].space);
        prof_phase_fini(&f->rows.rows[i].phases);
    }
    free(f->rows.rows);
    free(f->fork_of_child);
    free(f->by_pid);
    *f = (struct prof_forks){0};
}

struct prof_fork *prof_forks_of_parent(const struct prof_forks *f, uint32_t parent, size_t *out_len)
{
    size_t first, end;
    LS_COUNT_FIRST(first, f->rows.len, i, f->rows.rows[i].parent < parent);
    for (end = first; end < f->rows.len && f->rows.rows[end].parent == parent;)
        end++;
    *out_len = end - first;
    return end > first ? f->rows.rows + first : NULL;
}

struct prof_fork *prof_forks_of_child(const struct prof_forks *f, uint32_t child)
{
    const uint32_t row = f->fork_of_child[child];
    return row < f->rows.len ? &f->rows.rows[row] : NULL;
}
