/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/replay/kn_session.h"

#include "kernels/replay/kn_arrays.h"
#include "kernels/replay/kn_choices.h"
#include "kernels/kn_kernel.h"
#include "kernels/kn_ranks.h"
#include "kernels/kn_result.h"
#include "kernels/replay/kn_trial.h"

#include <string.h>

/* Destinations larger than this are written past the caches where that is faster. */
static const uint64_t large_bytes = UINT64_C(4) << 20;

/* The requested width, otherwise the width in the program: narrower indices would cause less traffic than its
 * loop. */
static unsigned index_bits_of(const struct kn_session *s)
{
    const uint64_t own = s->plan.config->index_bits;
    if (s->options->index_bits || s->arrays.linked) return s->options->index_bits;
    return own == 64 || (own == 32 && s->plan.indices_fit_32_bits) ? (unsigned)own : 0;
}

static struct kn_wish wish_of(const struct kn_session *s)
{
    const struct kn_plan *p = &s->plan;
    const uint64_t written = p->to.used ? p->to.elements : p->dense_elements;
    return (struct kn_wish){.kernel = p->config->kernel,
                            .operation = p->config->operation,
                            .method = s->backend->method != KN_METHOD_AUTO ? s->backend->method
                                                                           : s->options->method,
                            .stores = s->options->stores,
                            .element_bytes = p->element_bytes,
                            .index_bits = index_bits_of(s),
                            .linked = s->arrays.linked,
                            .indices_fit_32_bits = p->indices_fit_32_bits,
                            .rows_may_be_jammed = p->rows_may_be_jammed,
                            .destination_is_large = written * p->element_bytes > large_bytes};
}

static ls_err find_candidates(struct kn_session *s)
{
    const struct kn_wish w = wish_of(s);
    if (w.index_bits != 0 && w.index_bits != 32 && w.index_bits != 64)
        return ls_fail(LS_ERR_UNSUPPORTED, "indices of %u bits; there are 32 and 64", w.index_bits);
    kn_variant_find(&w, s->candidates, KN_TRIALS_MAX, &s->candidates_len);
    return s->candidates_len ? LS_OK : kn_variant_explain_none(&w);
}

ls_err kn_session_init(struct kn_session *out, const struct pat_config *c, const struct kn_options *o,
                       const struct kn_backend *backend, unsigned threads)
{
    *out = (struct kn_session){.options = o, .backend = backend};
    LS_TRY(kn_plan_init(&out->plan, c, o, threads));
    return find_candidates(out);
}

ls_err kn_session_fill(struct kn_session *s, const struct kn_block *lent)
{
    LS_TRY(kn_arrays_init_in(&s->arrays, &s->plan, s->backend, s->options->pages, lent));
    if (!lent && s->options->index_bits == 0 && kn_chain_fits(&s->plan)) kn_chain_link(&s->arrays);
    return find_candidates(s); /* the candidates change when the array was linked */
}

static bool wants_narrow(const struct kn_session *s)
{
    for (size_t c = 0; c < s->candidates_len; c++)
        if (s->candidates[c]->index_bits == 32) return true;
    return false;
}

/* Take rank 0's variant, so that ranks compare, where this rank has it. */
static ls_err follow_rank_0(struct kn_session *s)
{
    char wanted[KN_VARIANT_BYTES] = "", own[KN_VARIANT_BYTES];
    if (!s->options->ranks) return LS_OK;
    if (s->variant) kn_variant_describe(s->variant, wanted, sizeof(wanted));
    LS_TRY(kn_ranks_broadcast(s->options->ranks, wanted, sizeof(wanted)));
    for (size_t c = 0; c < s->candidates_len; c++) {
        kn_variant_describe(s->candidates[c], own, sizeof(own));
        if (strcmp(own, wanted) == 0) s->variant = s->candidates[c];
    }
    return LS_OK;
}

/* Ranks of a job run beside each other, and do not disturb each other's trials. */
static bool is_disturbed(const struct kn_session *s)
{
    return !s->options->ranks && kn_is_crowded(s->plan.threads);
}

/* Return the remembered variant or NULL; a choice that was made beside other programs counts while they run. */
static const struct kn_variant *find_choice(const struct kn_session *s)
{
    const char *path = s->options->choices;
    if (!path || s->candidates_len < 2 || kn_ranks_info(s->options->ranks)->rank != 0) return NULL;
    const uint64_t key = kn_choice_key(s);
    const struct kn_variant *v = kn_choice_find(path, key, s->candidates, s->candidates_len);
    if (v || !is_disturbed(s)) return v;
    return kn_choice_find(path, kn_choice_key_disturbed(key), s->candidates, s->candidates_len);
}

void kn_session_remember(const struct kn_session *s, const struct kn_result *r)
{
    const char *path = s->options->choices;
    if (!path || r->remembered || kn_ranks_info(s->options->ranks)->rank != 0) return;
    const uint64_t key = kn_choice_key(s);
    kn_choice_keep(path, r->trial_disturbed ? kn_choice_key_disturbed(key) : key, s->variant);
}

ls_err kn_session_choose(struct kn_session *s, struct kn_result *r)
{
    s->variant = find_choice(s);
    LS_TRY(follow_rank_0(s));
    r->remembered = s->variant != NULL;
    const bool narrows = r->remembered ? s->variant->index_bits == 32 : wants_narrow(s);
    LS_TRY(kn_ranks_agree(s->options->ranks, narrows ? kn_arrays_narrow(&s->arrays) : LS_OK));
    r->trial_disturbed = !r->remembered && is_disturbed(s);
    if (!r->remembered) s->variant = kn_trial(&s->arrays, s->candidates, s->candidates_len, r);
    LS_TRY(follow_rank_0(s));
    if (s->variant->index_bits == 64) kn_arrays_forget_narrow(&s->arrays);
    return LS_OK;
}

const struct kn_variant *kn_session_regular(const struct kn_session *s)
{
    const struct kn_variant *regular[KN_TRIALS_MAX];
    struct kn_result trials = {.bytes = s->plan.need.bytes, .trial_disturbed = is_disturbed(s)};
    size_t len = 0;
    if (s->variant->stores == KN_STORES_REGULAR) return NULL;
    for (size_t c = 0; c < s->candidates_len; c++)
        if (s->candidates[c]->stores == KN_STORES_REGULAR &&
            s->candidates[c]->index_bits == s->variant->index_bits)
            regular[len++] = s->candidates[c];
    return len ? kn_trial(&s->arrays, regular, len, &trials) : NULL;
}

unsigned kn_session_runs(const struct kn_session *s)
{
    const uint64_t own = s->plan.config->runs;
    return s->options->runs ? s->options->runs : own ? (unsigned)own : KN_RUNS;
}

uint64_t kn_session_bytes_with_indices(const struct kn_session *s)
{
    const unsigned index_loads = kn_kernel_of_pattern(s->plan.config->kernel)->index_loads;
    return s->plan.need.bytes + s->plan.need.iterations * index_loads * (s->variant->index_bits / 8);
}

uint64_t kn_session_huge_bytes(const struct kn_session *s)
{
    return kn_block_huge_bytes(&s->arrays.from) + kn_block_huge_bytes(&s->arrays.to) +
           kn_block_huge_bytes(&s->arrays.dense);
}
