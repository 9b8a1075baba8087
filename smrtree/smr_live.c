/* SPDX-License-Identifier: BSD-3-Clause */
#include "smrtree/smr_live.h"
#include "smrtree/smr_avl.h"

#include <stdlib.h>

struct smr_live {
    struct smr_avl ranges;
};

smr_live *smr_live_new(void)
{
    smr_live *l = malloc(sizeof(*l));
    if (l) smr_avl_init(&l->ranges);
    return l;
}

void smr_live_free(smr_live *l)
{
    if (!l) return;
    smr_avl_fini(&l->ranges);
    free(l);
}

ls_err smr_live_insert(smr_live *l, uint64_t base, uint64_t end, uint32_t value)
{
    if (value == SMR_INDEX_NONE)
        return ls_fail(LS_ERR_ARG, "value %u of a live range stands for \"none\"", value);
    struct smr_range other;
    const ls_err e = smr_avl_insert(&l->ranges, (struct smr_range){base, end, value}, SMR_AVL_INNER, &other);
    if (e == LS_ERR_OVERLAP)
        return ls_fail(e, "range %u [%#llx, %#llx) partly overlaps range %u [%#llx, %#llx)", value,
                       (unsigned long long)base, (unsigned long long)end, other.value,
                       (unsigned long long)other.base, (unsigned long long)other.end);
    return e;
}

ls_err smr_live_remove(smr_live *l, uint64_t base, uint32_t value)
{
    if (smr_avl_remove(&l->ranges, base, value, NULL)) return LS_OK;
    return ls_fail(LS_ERR_NOT_FOUND, "no live range %u begins at %#llx", value, (unsigned long long)base);
}

void smr_live_remove_pieces(smr_live *l, uint64_t base, uint64_t end, uint32_t value)
{
    struct smr_range r;
    if (smr_avl_remove(&l->ranges, base, value, &r) && r.end == end) return;
    while (base < end && smr_avl_first_from(&l->ranges, base, UINT64_MAX, &r) && r.base < end)
        base = smr_avl_remove(&l->ranges, r.base, value, NULL) ? r.base : r.base + 1;
}

/* Put back the parts of r outside [base, end). Each piece is inserted outside its equals: a piece that now
 * equals an untouched range contained that range before, and the inner of two clipped ranges is put back
 * first. */
static ls_err live_put_back(smr_live *l, const struct smr_range *r, uint64_t base, uint64_t end)
{
    const struct smr_range before = {r->base, base, r->value}, after = {end, r->end, r->value};
    struct smr_range other;
    if (before.base < before.end) LS_TRY(smr_avl_insert(&l->ranges, before, SMR_AVL_OUTER, &other));
    if (after.base < after.end) LS_TRY(smr_avl_insert(&l->ranges, after, SMR_AVL_OUTER, &other));
    return LS_OK;
}

ls_err smr_live_evict(smr_live *l, uint64_t base, uint64_t end)
{
    if (base >= end)
        return ls_fail(LS_ERR_RANGE, "cannot evict the empty range [%#llx, %#llx)", (unsigned long long)base,
                       (unsigned long long)end);
    struct smr_range r;
    while (smr_avl_last(&l->ranges, end - 1, base, &r)) {
        LS_TRY(smr_avl_reserve(&l->ranges, 1)); /* a split needs one node more than the removal frees */
        smr_avl_remove(&l->ranges, r.base, r.value, &r);
        LS_TRY(live_put_back(l, &r, base, end));
    }
    return LS_OK;
}

bool smr_live_find_range(const smr_live *l, uint64_t addr, uint64_t *out_base, uint64_t *out_end,
                         uint32_t *out_value)
{
    struct smr_range r;
    if (!smr_avl_last(&l->ranges, addr, addr, &r)) return false;
    if (out_base) *out_base = r.base;
    if (out_end) *out_end = r.end;
    *out_value = r.value;
    return true;
}

bool smr_live_find(const smr_live *l, uint64_t addr, uint32_t *out_value)
{
    return smr_live_find_range(l, addr, NULL, NULL, out_value);
}

ls_err smr_live_copy(const smr_live *l, smr_live **out)
{
    smr_live *copy = smr_live_new();
    const ls_err e =
        copy ? smr_avl_copy(&l->ranges, &copy->ranges) : ls_nomem("%u address ranges", l->ranges.len);
    if (e == LS_OK)
        *out = copy;
    else
        smr_live_free(copy);
    return e;
}

size_t smr_live_len(const smr_live *l)
{
    return l->ranges.len;
}

ls_err smr_live_freeze(const smr_live *l, smr_index **out)
{
    return smr_index_new(&l->ranges, out);
}

bool smr_live_is_valid(const smr_live *l)
{
    return smr_avl_is_valid(&l->ranges);
}
