/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/kn_commons.h"

#include "common/ls_checked.h"

#include <stdlib.h>
#include <string.h>

static const struct kn_plan_side *sparse_of(const struct kn_session *s)
{
    return s->plan.from.used ? &s->plan.from : &s->plan.to;
}

static bool is_of(const struct kn_session *s, const char *array)
{
    return s->plan.config->array && strcmp(s->plan.config->array, array) == 0;
}

/* Elements [low, end) of the array that a session touches. */
static bool reach_of(const struct kn_session *s, int64_t *low, int64_t *end)
{
    const struct kn_plan_side *side = sparse_of(s);
    const uint64_t first = s->plan.config->first;
    return first <= INT64_MAX / 2 && !__builtin_add_overflow((int64_t)first, side->extent.low, low) &&
           !__builtin_add_overflow((int64_t)first, side->extent.high, end) &&
           !__builtin_add_overflow(*end, 1, end);
}

/* The array that session k is the first of: its reach, and how many sessions it has. */
static ls_err reach_of_all(const struct kn_session *sessions, size_t len, size_t k, int64_t reach[2],
                           size_t *users)
{
    const char *array = sessions[k].plan.config->array;
    reach[0] = INT64_MAX;
    reach[1] = INT64_MIN;
    for (size_t i = *users = 0; i < len; i++) {
        int64_t low, end;
        if (!is_of(&sessions[i], array)) continue;
        if (!reach_of(&sessions[i], &low, &end))
            return ls_fail(LS_ERR_RANGE, "array %s: element %llu and what is behind it do not fit 63 bits",
                           array, (unsigned long long)sessions[i].plan.config->first);
        if (low < reach[0]) reach[0] = low;
        if (end > reach[1]) reach[1] = end;
        ++*users;
    }
    return LS_OK;
}

static bool is_first(const struct kn_session *sessions, size_t k)
{
    for (size_t i = 0; i < k; i++)
        if (is_of(&sessions[i], sessions[k].plan.config->array)) return false;
    return true;
}

static ls_err map_array(struct kn_commons *c, const struct kn_session *sessions, size_t k,
                        enum kn_pages pages)
{
    const unsigned element_bytes = sessions[k].plan.element_bytes;
    int64_t reach[2];
    size_t users, bytes;
    LS_TRY(reach_of_all(sessions, c->len, k, reach, &users));
    if (users < 2) return LS_OK;
    const uint64_t elements = (uint64_t)reach[1] - (uint64_t)reach[0];
    if (!ls_mul_size(elements, element_bytes, &bytes) || bytes > INT64_MAX)
        return ls_fail(LS_ERR_RANGE, "array %s does not fit the address space",
                       sessions[k].plan.config->array);
    LS_TRY(kn_block_init(&c->blocks[k], bytes, pages));
    for (size_t i = k; i < c->len; i++) {
        int64_t low, end;
        if (!is_of(&sessions[i], sessions[k].plan.config->array) || !reach_of(&sessions[i], &low, &end))
            continue;
        c->places[i].base = (char *)c->blocks[k].base + (size_t)(low - reach[0]) * element_bytes;
        c->places[i].len_bytes = (size_t)(end - low) * element_bytes;
    }
    return LS_OK;
}

ls_err kn_commons_init(struct kn_commons *out, const struct kn_session *sessions, size_t len,
                       enum kn_pages pages)
{
    *out = (struct kn_commons){calloc(len, sizeof(*out->blocks)), calloc(len, sizeof(*out->places)), len};
    if (!out->blocks || !out->places)
        return ls_fail(LS_ERR_NOMEM, "no memory for the arrays of %zu patterns", len);
    for (size_t k = 0; k < len; k++)
        if (sessions[k].plan.config->array && is_first(sessions, k))
            LS_TRY(map_array(out, sessions, k, pages));
    return LS_OK;
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
