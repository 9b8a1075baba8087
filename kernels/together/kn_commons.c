/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/together/kn_commons.h"

#include "common/ls_checked.h"

#include <stdlib.h>
#include <string.h>

/* A session by the name of its array, of equal ones by its number. */
struct named {
    const char *array;
    size_t session;
};

/* Sessions of one array: a run of the sorted names. */
struct users {
    const struct named *rows;
    size_t len;
    int64_t low, end; /* elements of the array */
    uint64_t bytes;
};

static int compare_named(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    const int order = strcmp(x->array, y->array);
    return order ? order : (x->session > y->session) - (x->session < y->session);
}

/* Elements [low, end) of the array that a session touches. */
static bool reach_of(const struct kn_session *s, int64_t *low, int64_t *end)
{
    const struct kn_plan_side *side = s->plan.from.used ? &s->plan.from : &s->plan.to;
    const uint64_t first = s->plan.config->first;
    return first <= INT64_MAX / 2 && !__builtin_add_overflow((int64_t)first, side->extent.low, low) &&
           !__builtin_add_overflow((int64_t)first, side->extent.high, end) &&
           !__builtin_add_overflow(*end, 1, end);
}

static ls_err measure_users(const struct kn_session *sessions, struct users *u)
{
    const char *array = u->rows[0].array;
    u->low = INT64_MAX;
    u->end = INT64_MIN;
    for (size_t i = 0; i < u->len; i++) {
        int64_t low, end;
        if (!reach_of(&sessions[u->rows[i].session], &low, &end))
            return ls_fail(LS_ERR_RANGE,
                           "array %s: its elements do not fit 63 bits; lower first, count or delta", array);
        if (low < u->low) u->low = low;
        if (end > u->end) u->end = end;
    }
    const uint64_t elements = (uint64_t)u->end - (uint64_t)u->low;
    if (!ls_mul_u64(elements, sessions[u->rows[0].session].plan.element_bytes, &u->bytes) ||
        u->bytes > INT64_MAX)
        return ls_fail(LS_ERR_RANGE, "array %s does not fit 63 bits of bytes; lower first, count or delta",
                       array);
    return LS_OK;
}

/* Call use for each array that two sessions or more are of. */
static ls_err each_array(const struct kn_session *sessions, size_t len,
                         ls_err (*use)(void *user, const struct kn_session *sessions, const struct users *u),
                         void *user)
{
    ls_err err = LS_OK;
    size_t named_len = 0;
    struct named *named = calloc(len + 1, sizeof(*named));
    if (!named) return ls_nomem("the arrays of %zu patterns", len);
    for (size_t k = 0; k < len; k++)
        if (sessions[k].plan.config->array)
            named[named_len++] = (struct named){sessions[k].plan.config->array, k};
    qsort(named, named_len, sizeof(*named), compare_named);
    for (size_t i = 0, n; i < named_len && err == LS_OK; i += n) {
        for (n = 1; i + n < named_len && strcmp(named[i + n].array, named[i].array) == 0;)
            n++;
        struct users u = {.rows = named + i, .len = n};
        if (n < 2) continue;
        err = measure_users(sessions, &u);
        if (err == LS_OK) err = use(user, sessions, &u);
    }
    free(named);
    return err;
}

/* Return the bytes that the plan counted for the array of a session with one sparse array. */
static uint64_t touched_bytes_of(const struct kn_session *s)
{
    const struct kn_plan *p = &s->plan;
    const uint64_t indices = p->from.outer.len + p->from.inner.len + p->to.outer.len + p->to.inner.len;
    return p->need.memory_bytes - indices * sizeof(int64_t);
}

static ls_err add_spared(void *user, const struct kn_session *sessions, const struct users *u)
{
    uint64_t *spared = user, apart = 0;
    for (size_t i = 0; i < u->len; i++)
        apart += touched_bytes_of(&sessions[u->rows[i].session]);
    if (apart > u->bytes) *spared += apart - u->bytes;
    return LS_OK;
}

ls_err kn_commons_spared(const struct kn_session *sessions, size_t len, uint64_t *out_bytes)
{
    *out_bytes = 0;
    return each_array(sessions, len, add_spared, out_bytes);
}

struct mapping {
    struct kn_commons *commons;
    enum kn_pages pages;
};

static ls_err map_array(void *user, const struct kn_session *sessions, const struct users *u)
{
    const struct mapping *m = user;
    struct kn_block *block = &m->commons->blocks[u->rows[0].session];
    LS_TRY(kn_block_init(block, u->bytes, m->pages));
    for (size_t i = 0; i < u->len; i++) {
        const size_t k = u->rows[i].session;
        const unsigned element_bytes = sessions[k].plan.element_bytes;
        int64_t low = 0, end = 0;
        reach_of(&sessions[k], &low, &end);
        m->commons->places[k].base = (char *)block->base + (size_t)(low - u->low) * element_bytes;
        m->commons->places[k].len_bytes = (size_t)(end - low) * element_bytes;
    }
    return LS_OK;
}

ls_err kn_commons_init(struct kn_commons *out, const struct kn_session *sessions, size_t len,
                       enum kn_pages pages)
{
    struct mapping m = {out, pages};
    *out = (struct kn_commons){calloc(len, sizeof(*out->blocks)), calloc(len, sizeof(*out->places)), len};
    if (!out->blocks || !out->places) return ls_nomem("the arrays of %zu patterns", len);
    return each_array(sessions, len, map_array, &m);
}

void kn_commons_fini(struct kn_commons *c)
{
    for (size_t k = 0; c->blocks && k < c->len; k++)
        kn_block_fini(&c->blocks[k]);
    free(c->blocks);
    free(c->places);
    *c = (struct kn_commons){NULL, NULL, 0};
}

const struct kn_block *kn_commons_place(const struct kn_commons *c, size_t k)
{
    return c->places[k].base ? &c->places[k] : NULL;
}

uint64_t kn_commons_huge_bytes(const struct kn_commons *c)
{
    uint64_t bytes = 0;
    for (size_t k = 0; k < c->len; k++)
        bytes += kn_block_huge_bytes(&c->blocks[k]);
    return bytes;
}
