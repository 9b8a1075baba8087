/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_combine.h"

#include "common/ls_index.h"
#include "common/ls_vector.h"

#include <stdlib.h>
#include <string.h>

#define AN_NO_GROUP_ID UINT32_MAX

static ls_err an_by_add(struct an_by *by, const char *name, size_t len)
{
    const struct an_dimension *d = an_dimension_named(name, len);
    if (!d) return ls_fail(LS_ERR_USAGE, "'%.*s' is no dimension", (int)len, name);
    for (size_t i = 0; i < by->len; i++)
        if (by->dimensions[i] == d) return ls_fail(LS_ERR_USAGE, "%s is listed twice", d->name);
    if (by->len == AN_COMBINE_MAX)
        return ls_fail(LS_ERR_USAGE, "at most %d dimensions can be combined", AN_COMBINE_MAX);
    by->dimensions[by->len++] = d;
    return LS_OK;
}

ls_err an_by_parse(struct an_by *out, const char *text)
{
    memset(out, 0, sizeof(*out));
    for (;;) {
        const size_t len = strcspn(text, ",");
        LS_TRY(an_by_add(out, text, len));
        if (!text[len]) return LS_OK;
        text += len + 1;
    }
}

uint64_t an_by_columns(const struct an_by *by)
{
    uint64_t mask = 0;
    for (size_t i = 0; i < by->len; i++)
        mask |= by->dimensions[i]->columns;
    return mask;
}

bool an_by_is_origin(const struct an_by *by)
{
    for (size_t i = 0; i < by->len; i++)
        if (!an_dimension_is_origin(by->dimensions[i])) return false;
    return true;
}

struct an_combiner {
    struct an_combination *c;
    size_t room; /* of c->groups */
};

static ls_err an_group_add(struct an_combiner *b, struct an_group group, uint32_t *out)
{
    struct an_combination *c = b->c;
    if (c->groups_len >= UINT32_MAX / 2)
        return ls_fail(LS_ERR_RANGE, "more than %u groups: group by fewer dimensions", c->groups_len);
    LS_TRY(LS_GROW(c->groups, b->room, c->groups_len + 1));
    *out = c->groups_len;
    c->groups[c->groups_len++] = group;
    return LS_OK;
}

/* A group for each key of the first dimension, in its order, one for samples without a key, and one for
 * bursts without data. */
static ls_err an_add_top(struct an_combiner *b, const struct an_tables *t)
{
    const struct an_keys *k = &b->c->keys[0];
    uint32_t id;
    for (uint32_t n = 0; n <= k->len + 1; n++)
        LS_TRY(an_group_add(b, (struct an_group){.parent = an_keys_parent(k, t, n), .number = n}, &id));
    return LS_OK;
}

/* pairs: groups of one depth by the group above and the number. */
static ls_err an_find_below(struct an_combiner *b, struct ls_index *pairs, struct an_group wanted,
                            uint32_t *out)
{
    const uint64_t key = (uint64_t)wanted.parent << 32 | wanted.number;
    *out = ls_index_find(pairs, key);
    if (*out != LS_INDEX_NONE) return LS_OK;
    LS_TRY(an_group_add(b, wanted, out));
    return ls_index_put(pairs, key, *out);
}

/* Things that are grouped, and their numbers in each dimension: samples, or bursts. */
struct an_members {
    uint32_t *group_of;
    uint64_t len;
    bool are_bursts;
};

static uint32_t an_number_of(const struct an_keys *k, const struct an_members *m, uint64_t i)
{
    return an_keys_dense(k, m->are_bursts ? k->number_of_burst[i] : k->number_of_sample[i]);
}

/* Move every member from its group to the one below it that its key in this dimension names. */
static ls_err an_add_below(struct an_combiner *b, uint32_t depth, struct ls_index *pairs,
                           const struct an_members *m)
{
    const struct an_keys *k = &b->c->keys[depth];
    for (uint64_t i = 0; i < m->len; i++) {
        uint32_t *group = &m->group_of[i];
        if (*group == AN_NO_GROUP_ID) continue;
        const struct an_group wanted = {*group, an_number_of(k, m, i), depth};
        LS_TRY(an_find_below(b, pairs, wanted, group));
    }
    return LS_OK;
}

static ls_err an_add_depths(struct an_combiner *b, const struct an_members members[2])
{
    ls_err err = LS_OK;
    for (uint32_t d = 1; d < b->c->len && err == LS_OK; d++) {
        struct ls_index pairs = {0};
        for (int m = 0; m < 2 && err == LS_OK; m++)
            err = an_add_below(b, d, &pairs, &members[m]);
        ls_index_fini(&pairs);
    }
    return err;
}

/* Bursts that have a group as a whole: all by origin, else those without accesses. */
static bool an_is_whole(const struct an_grouped *of, uint64_t burst)
{
    return of->by_origin || of->tables->bursts[burst].samples_len == 0;
}

static ls_err an_copy_parents(struct an_combination *c)
{
    c->parents = malloc((c->groups_len + 1u) * sizeof(*c->parents));
    if (!c->parents) return ls_nomem("%u groups", c->groups_len);
    for (uint32_t g = 0; g < c->groups_len; g++)
        c->parents[g] = c->groups[g].parent;
    return LS_OK;
}

ls_err an_combination_init(struct an_combination *out, const struct an_by *by, const struct an_grouped *of)
{
    const struct an_tables *t = of->tables;
    memset(out, 0, sizeof(*out));
    out->len = by->len;
    out->by_origin = of->by_origin;
    for (size_t d = 0; d < by->len; d++)
        LS_TRY(an_keys_init(&out->keys[d], by->dimensions[d], t, of->samples));
    out->group_of_sample = malloc((of->samples->len + 1) * sizeof(*out->group_of_sample));
    out->group_of_burst = malloc((t->bursts_len + 1) * sizeof(*out->group_of_burst));
    if (!out->group_of_sample || !out->group_of_burst)
        return ls_nomem("grouping %llu samples", (unsigned long long)of->samples->len);
    const struct an_members members[2] = {{out->group_of_sample, of->samples->len, false},
                                          {out->group_of_burst, t->bursts_len, true}};
    for (uint64_t i = 0; i < of->samples->len; i++)
        out->group_of_sample[i] =
            of->keep && !of->keep->samples[i] ? AN_NO_GROUP_ID : an_number_of(&out->keys[0], &members[0], i);
    for (uint64_t i = 0; i < t->bursts_len; i++)
        out->group_of_burst[i] = (of->keep && !of->keep->bursts[i]) || !an_is_whole(of, i)
                                     ? AN_NO_GROUP_ID
                                     : an_number_of(&out->keys[0], &members[1], i);
    struct an_combiner b = {.c = out};
    LS_TRY(an_add_top(&b, t));
    LS_TRY(an_add_depths(&b, members));
    return an_copy_parents(out);
}

void an_combination_drop_members(struct an_combination *c)
{
    for (size_t d = 0; d < c->len; d++)
        an_keys_drop_numbers(&c->keys[d]);
    free(c->group_of_sample);
    free(c->group_of_burst);
    c->group_of_sample = c->group_of_burst = NULL;
}

void an_combination_fini(struct an_combination *c)
{
    an_combination_drop_members(c);
    for (size_t d = 0; d < c->len; d++)
        an_keys_fini(&c->keys[d]);
    free(c->groups);
    free(c->parents);
    memset(c, 0, sizeof(*c));
}

const char *an_combination_label(const struct an_combination *c, const struct an_tables *t, uint32_t group,
                                 char out[AN_LABEL_BYTES])
{
    const struct an_group *g = &c->groups[group];
    const struct an_keys *k = &c->keys[g->depth];
    if (g->depth > 0 || g->number >= k->len || !k->dimension->parent)
        return an_keys_path(k, t, g->number, out);
    return k->dimension->label(t, k->keys[g->number], out);
}

const char *an_combination_path(const struct an_combination *c, const struct an_tables *t, uint32_t group,
                                uint32_t depth, char out[AN_LABEL_BYTES])
{
    if (c->groups[group].depth < depth) return "";
    while (c->groups[group].depth > depth)
        group = c->groups[group].parent;
    return an_keys_path(&c->keys[depth], t, c->groups[group].number, out);
}
