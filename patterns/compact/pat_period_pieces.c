/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compact/pat_period_pieces.h"
#include "patterns/compact/pat_period.h"

#include <stdlib.h>
#include <string.h>

bool pat_pieces_at(const struct pat_pieces *p, size_t i, size_t *out_from, size_t *out_until)
{
    if (i > p->breaks_len) return false;
    *out_from = i == 0 ? 0 : p->breaks[i - 1];
    *out_until = i < p->breaks_len ? p->breaks[i] : p->sequence->len;
    return true;
}

size_t pat_least_rotation(const int64_t *cycle, size_t len)
{
    size_t i = 0, j = 1, same = 0;
    while (i < len && j < len && same < len) {
        const int64_t a = cycle[(i + same) % len], b = cycle[(j + same) % len];
        if (a == b) {
            same++;
            continue;
        }
        if (a > b)
            i += same + 1;
        else
            j += same + 1;
        if (i == j) j++;
        same = 0;
    }
    return i < j ? i : j;
}

/* A piece's vote. */
struct pat_vote {
    const int64_t *cycle; /* in the ballot's steps */
    size_t len;
    uint64_t weight;
};

struct pat_ballot {
    int64_t *steps; /* distances, those over breaks too */
    uint32_t *scratch;
    struct pat_vote *votes;
    size_t votes_len;
};

static void pat_ballot_fini(struct pat_ballot *b)
{
    free(b->steps);
    free(b->scratch);
    free(b->votes);
}

static ls_err pat_ballot_init(const struct pat_pieces *p, struct pat_ballot *b)
{
    const size_t len = p->sequence->len;
    *b = (struct pat_ballot){.steps = malloc(len * sizeof(*b->steps)),
                             .scratch = malloc(len * sizeof(*b->scratch)),
                             .votes = malloc((p->breaks_len + 1) * sizeof(*b->votes))};
    if (!b->steps || !b->scratch || !b->votes) {
        pat_ballot_fini(b);
        return ls_nomem("looking for a period in %zu pieces", p->breaks_len + 1);
    }
    for (size_t i = 0; i + 1 < len; i++)
        b->steps[i] = (int64_t)((uint64_t)p->sequence->data[i + 1] - (uint64_t)p->sequence->data[i]);
    return LS_OK;
}

static void pat_vote_of(struct pat_ballot *b, size_t from, size_t until)
{
    if (until < from + 3) return; /* two distances at least */
    const size_t distances = until - from - 1;
    const size_t len = pat_period_of_string(b->steps + from, distances, b->scratch);
    if (2 * len > distances || len > PAT_PIECES_CYCLE_MAX) return;
    const int64_t *cycle = b->steps + from + pat_least_rotation(b->steps + from, len);
    b->votes[b->votes_len++] = (struct pat_vote){cycle, len, distances};
}

static int pat_vote_order(const void *a, const void *b)
{
    const struct pat_vote *x = a, *y = b;
    if (x->len != y->len) return x->len < y->len ? -1 : 1;
    for (size_t i = 0; i < x->len; i++)
        if (x->cycle[i] != y->cycle[i]) return x->cycle[i] < y->cycle[i] ? -1 : 1;
    return 0;
}

static bool pat_count_votes(struct pat_ballot *b, struct pat_vote *out)
{
    struct pat_vote sum = {0};
    *out = sum;
    if (b->votes_len) qsort(b->votes, b->votes_len, sizeof(*b->votes), pat_vote_order);
    for (size_t i = 0; i < b->votes_len; i++) {
        if (sum.len && pat_vote_order(&sum, &b->votes[i]) == 0)
            sum.weight += b->votes[i].weight;
        else
            sum = b->votes[i];
        if (sum.weight > out->weight) *out = sum;
    }
    return out->weight > 0;
}

/* How many of the steps from s on follow the cycle, when it is taken up at the best of its places. */
static size_t pat_stretch(const struct pat_cycle *c, const int64_t *s, size_t left)
{
    size_t longest = 0;
    for (size_t phase = 0; phase < c->len && longest < left; phase++) {
        size_t n = 0;
        while (n < left && s[n] == c->distances[(phase + n) % c->len])
            n++;
        if (n > longest) longest = n;
    }
    return longest;
}

/* A stretch counts from one whole cycle on, at an end of a piece whatever its length. */
static void pat_explain(const struct pat_cycle *c, const int64_t *steps, size_t len, uint64_t *explained)
{
    for (size_t i = 0; i < len;) {
        const size_t n = pat_stretch(c, steps + i, len - i);
        if (n >= c->len || (n > 0 && (i == 0 || i + n == len))) *explained += n;
        i += n ? n : 1;
    }
}

ls_err pat_pieces_cycle(const struct pat_pieces *p, struct pat_cycle *out)
{
    struct pat_ballot b;
    struct pat_vote won;
    size_t from, until;
    *out = (struct pat_cycle){0};
    if (p->sequence->len < 3 || p->sequence->len >= UINT32_MAX) return LS_OK;
    LS_TRY(pat_ballot_init(p, &b));
    for (size_t i = 0; pat_pieces_at(p, i, &from, &until); i++)
        pat_vote_of(&b, from, until);
    if (pat_count_votes(&b, &won)) {
        out->len = won.len;
        memcpy(out->distances, won.cycle, won.len * sizeof(*out->distances));
    }
    for (size_t i = 0; pat_pieces_at(p, i, &from, &until); i++)
        if (until > from + 1) {
            out->seen += until - from - 1;
            if (out->len) pat_explain(out, b.steps + from, until - from - 1, &out->explained);
        }
    pat_ballot_fini(&b);
    return LS_OK;
}
