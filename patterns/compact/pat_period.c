/* SPDX-License-Identifier: BSD-3-Clause */
/* All searches work on the distances between neighbours: d repeats with period L exactly where a single delta
 * is enough. An outer level changes every L-th distance; the rest of each block still equals the rest of the
 * first block, which one lookup in the Z function of d decides (z[i]: the number of distances from i on that
 * equal the distances from 0 on; Gusfield, Algorithms on Strings, 1997, 1.3). A length L takes n / L lookups:
 * n log n for all of them. */
#include "patterns/compact/pat_period.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAT_PERIOD_SAVES = 4,   /* a description has at most a quarter of the numbers */
    PAT_PERIOD_END = 8,     /* an eighth may be left out at each end */
    PAT_PERIOD_ROW_MIN = 8, /* indices of a pattern, where iterations can be joined */
    PAT_PERIOD_ROW_MAX = 16,
    PAT_PERIOD_LOSS = 64,   /* joining may leave out a 64th */
    PAT_PERIOD_TURNS = 8,   /* number of deltas that cost as much as an index */
    PAT_PERIOD_LONG = 4096, /* least count of numbers for which a shorter form is needed */
    PAT_PERIOD_LEAST = 4    /* indices below which no repetition can be claimed */
};

static int64_t pat_minus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static int64_t pat_plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* State of a search. */
struct pat_search {
    const int64_t *data; /* the sequence */
    size_t len;
    int64_t *bases; /* differences between the bases of one candidate */
    uint32_t *z, *failure;
    uint32_t *borders; /* failure function of the distances: shorter periods inside a block */
    bool takes_any;    /* also blocks that end inside a level */
    struct pat_period best;
    size_t best_cost;
};

static void pat_search_fini(struct pat_search *s)
{
    free(s->bases);
    free(s->z);
    free(s->failure);
    free(s->borders);
}

static ls_err pat_search_init(struct pat_search *s, const struct pat_indices *sequence)
{
    *s = (struct pat_search){.data = sequence->data, .len = sequence->len};
    /* patterns of one index need neither: theirs are the distances */
    s->bases = malloc(s->len / 2 * sizeof(*s->bases));
    s->failure = malloc(s->len / 2 * sizeof(*s->failure));
    s->z = malloc(s->len * sizeof(*s->z));
    s->borders = malloc(s->len * sizeof(*s->borders));
    if (s->bases && s->z && s->failure && s->borders) return LS_OK;
    pat_search_fini(s);
    return ls_nomem("looking for a period in %zu indices", sequence->len);
}

static int64_t pat_step(const struct pat_search *s, size_t i)
{
    return pat_minus(s->data[i + 1], s->data[i]);
}

/* Compute z of the distances from index `from` on; z[0] is their number. */
static void pat_search_z(struct pat_search *s, size_t from)
{
    const size_t n = s->len - from - 1;
    size_t left = 0, right = 0;
    s->z[0] = (uint32_t)n;
    for (size_t i = 1; i < n; i++) {
        size_t z = 0;
        if (i < right) z = s->z[i - left] < right - i ? s->z[i - left] : right - i;
        while (i + z < n && pat_step(s, from + z) == pat_step(s, from + i + z))
            z++;
        s->z[i] = (uint32_t)z;
        if (i + z > right) {
            left = i;
            right = i + z;
        }
    }
}

size_t pat_period_of_string(const int64_t *whole, size_t len, uint32_t *scratch)
{
    size_t matched = 0;
    scratch[0] = 0;
    for (size_t i = 1; i < len; i++) {
        while (matched && whole[i] != whole[matched])
            matched = scratch[matched - 1];
        if (whole[i] == whole[matched]) matched++;
        scratch[i] = (uint32_t)matched;
    }
    return len - matched;
}

/* Compute the failure function, like pat_period_of_string, for the distances. */
static void pat_search_borders(struct pat_search *s)
{
    size_t matched = 0;
    s->borders[0] = 0;
    for (size_t i = 1; i + 1 < s->len; i++) {
        const int64_t step = pat_step(s, i);
        while (matched && step != pat_step(s, matched))
            matched = s->borders[matched - 1];
        if (step == pat_step(s, matched)) matched++;
        s->borders[i] = (uint32_t)matched;
    }
}

/* True if all blocks of len indices equal the first one except for their base. */
static bool pat_blocks_repeat(const struct pat_search *s, size_t len)
{
    for (size_t at = len; at + len <= s->len; at += len)
        if (len > 1 && s->z[at] < len - 1) return false;
    return true;
}

/* Length of a candidate's description, which decides between levels: an outer level whose deltas are mostly
 * equal is cheap however long its list is. */
static size_t pat_period_cost(const int64_t *bases, size_t len, size_t turns)
{
    size_t runs = 1;
    if (turns == 1) return len;
    for (size_t i = 1; i < turns; i++)
        runs += bases[i] != bases[i - 1];
    return len + 2 * runs + turns / PAT_PERIOD_TURNS;
}

/* A loop's body ends where the next distance differs from the one that continues its inner, shorter period:
 * ten columns of a row of thirty are no level, though three of them and a list of deltas make the row. */
static bool pat_ends_a_level(const struct pat_search *s, size_t len)
{
    const size_t inside = len - 1 - s->borders[len - 2];
    return pat_step(s, len - 1) != pat_step(s, len - 1 - inside);
}

/* Try a single delta for all distances. */
static void pat_search_try_one(struct pat_search *s)
{
    if (s->borders[s->len - 2] + 2 < s->len || s->best_cost <= 1) return;
    s->best = (struct pat_period){.len = 1, .turns = 1, .count = s->len};
    s->best_cost = 1;
}

/* Take pattern length len, at least 2, as the best so far if it is one. */
static void pat_search_try(struct pat_search *s, size_t len)
{
    const size_t count = s->len / len;
    if (!s->takes_any && !pat_ends_a_level(s, len)) return;
    if (!pat_blocks_repeat(s, len)) return;
    for (size_t i = 0; i + 1 < count; i++)
        s->bases[i] = pat_minus(s->data[(i + 1) * len], s->data[i * len]);
    const size_t turns = pat_period_of_string(s->bases, count - 1, s->failure);
    if (2 * turns > count) return;
    const size_t cost = pat_period_cost(s->bases, len, turns);
    if (cost >= s->best_cost || (turns > 1 && len + turns > s->len / PAT_PERIOD_SAVES)) return;
    s->best = (struct pat_period){.len = len, .turns = turns, .count = count};
    s->best_cost = cost;
}

static void pat_search_lengths(struct pat_search *s, bool is_ragged)
{
    if (!is_ragged) pat_search_try_one(s);
    for (size_t len = 2; len < s->best_cost && 2 * len <= s->len; len++)
        if ((s->len % len == 0) == !is_ragged && s->len % len <= s->len / PAT_PERIOD_END)
            pat_search_try(s, len);
}

/* Search periods from index 0 on, exact ones first: a ragged end is accepted only if no period gives every
 * index. Where the levels are long (a large array swept again and again) any shorter cut is better. */
static bool pat_search_levels(struct pat_search *s)
{
    pat_search_borders(s);
    pat_search_z(s, 0);
    for (int ragged = 0; ragged < 2; ragged++) {
        s->best_cost = s->len / PAT_PERIOD_SAVES + 1;
        s->takes_any = false;
        pat_search_lengths(s, ragged);
        s->takes_any = true;
        if (s->best_cost > PAT_PERIOD_LONG) pat_search_lengths(s, ragged);
        if (s->best.count) return true;
    }
    return false;
}

/* Search a single level that may begin and end anywhere: if any part repeats, the middle does. */
static bool pat_search_middle(struct pat_search *s)
{
    const size_t from = s->len / PAT_PERIOD_END, distances = s->len - 1;
    const size_t until = s->len - from;
    size_t len = 0;
    pat_search_z(s, from);
    for (size_t l = 1; l <= s->len / PAT_PERIOD_SAVES && !len; l++)
        if (from + l + s->z[l] + 1 >= until) len = l;
    if (!len) return false;
    size_t start = from, end = from + len + s->z[len];
    while (start > 0 && pat_step(s, start - 1) == pat_step(s, start - 1 + len))
        start--;
    assert(end <= distances);
    const size_t count = (end + 1 - start) / len;
    s->best = (struct pat_period){.start = start, .len = len, .turns = 1, .count = count};
    return count >= PAT_PERIOD_SAVES;
}

ls_err pat_period_find(const struct pat_indices *sequence, struct pat_period *out, bool *out_found)
{
    struct pat_search s;
    *out_found = false;
    if (sequence->len < PAT_PERIOD_LEAST || sequence->len >= UINT32_MAX) return LS_OK;
    LS_TRY(pat_search_init(&s, sequence));
    *out_found = pat_search_levels(&s) || pat_search_middle(&s);
    if (*out_found) {
        assert(pat_period_holds(&s.best, sequence));
        *out = s.best;
    }
    pat_search_fini(&s);
    return LS_OK;
}

/* ---- folded sequences ---- */

/* True if one round consists of repeated blocks of len indices; len divides the round's length. */
static bool pat_round_repeats(const struct pat_search *s, size_t period, size_t len)
{
    for (size_t at = len; at < period; at += len)
        for (size_t j = 0; j + 1 < len; j++)
            if (pat_step(s, at + j) != pat_step(s, j)) return false;
    return true;
}

/* Like pat_search_try, for a folded sequence. No shorter list of deltas is possible, because the round has no
 * shorter period. */
static void pat_fold_try(struct pat_search *s, const struct pat_fold *fold, size_t len)
{
    const size_t turns = fold->period / len;
    if (len > 1 && turns > 1 && !s->takes_any && !pat_ends_a_level(s, len)) return;
    if (!pat_round_repeats(s, fold->period, len)) return;
    for (size_t i = 0; i < turns; i++)
        s->bases[i] = pat_minus(s->data[(i + 1) * len], s->data[i * len]);
    const size_t cost = pat_period_cost(s->bases, len, turns);
    if (cost >= s->best_cost || (turns > 1 && len + turns > fold->len / PAT_PERIOD_SAVES)) return;
    s->best = (struct pat_period){.len = len, .turns = turns, .count = fold->len / len};
    s->best_cost = cost;
}

static void pat_fold_lengths(struct pat_search *s, const struct pat_fold *fold, bool is_ragged)
{
    for (size_t len = fold->period > 1 ? 2 : 1; len < s->best_cost && len <= fold->period; len++)
        if (fold->period % len == 0 && (fold->len % len == 0) == !is_ragged &&
            fold->len % len <= fold->len / PAT_PERIOD_END)
            pat_fold_try(s, fold, len);
}

/* Search in the order of pat_search_levels; z is not used. */
static bool pat_fold_levels(struct pat_search *s, const struct pat_fold *given)
{
    pat_search_borders(s);
    /* in joined sequences the period may be shorter than the given one, and then divides it */
    const struct pat_fold fold = {.period = s->len - 1 - s->borders[s->len - 2], .len = given->len};
    if (given->period % fold.period) return false;
    for (int ragged = 0; ragged < 2; ragged++) {
        s->best_cost = fold.len / PAT_PERIOD_SAVES + 1;
        s->takes_any = false;
        pat_fold_lengths(s, &fold, ragged);
        s->takes_any = true;
        if (s->best_cost > PAT_PERIOD_LONG) pat_fold_lengths(s, &fold, ragged);
        if (s->best.count) return true;
    }
    return false;
}

ls_err pat_period_of_fold(const struct pat_indices *two, const struct pat_fold *fold, struct pat_period *out,
                          bool *out_found)
{
    struct pat_search s;
    LS_TRY(pat_search_init(&s, two));
    *out_found = pat_fold_levels(&s, fold);
    if (*out_found) *out = s.best;
    pat_search_fini(&s);
    return LS_OK;
}

/* Join `rows` iterations to one; an outer level allows it only if its deltas do, which is checked on the
 * sequence. */
static bool pat_join(struct pat_period *p, size_t rows, const struct pat_indices *sequence)
{
    const bool is_outer = p->turns > 1;
    if (rows < 2 || p->count % rows != 0 || (is_outer && p->turns % rows != 0)) return false;
    const struct pat_period joined = {p->start, p->len * rows, is_outer ? p->turns / rows : 1,
                                      p->count / rows};
    struct pat_period here = joined; /* a folded sequence keeps only two rounds */
    const size_t rows_here = (sequence->len - p->start) / joined.len;
    if (here.count > rows_here) here.count = rows_here;
    if (is_outer && !pat_period_holds(&here, sequence)) return false;
    *p = joined;
    return true;
}

void pat_period_join(struct pat_period *p, const struct pat_indices *sequence)
{
    if (p->len >= PAT_PERIOD_ROW_MIN) return;
    const size_t most = PAT_PERIOD_ROW_MAX / p->len, least = (PAT_PERIOD_ROW_MIN + p->len - 1) / p->len;
    if (pat_join(p, most, sequence) || pat_join(p, least, sequence)) return; /* 16 and 8 */
    for (size_t rows = most; rows-- > least;)
        if (pat_join(p, rows, sequence)) return;
    if (p->turns == 1 && p->count / most >= PAT_PERIOD_LOSS)
        *p = (struct pat_period){p->start, p->len * most, 1, p->count / most};
}

bool pat_period_holds(const struct pat_period *p, const struct pat_indices *sequence)
{
    const int64_t *first = sequence->data + p->start;
    int64_t base = 0;
    if (p->len == 0 || p->count > (sequence->len - p->start) / p->len) return false;
    for (size_t i = 0; i < p->count; i++) {
        const size_t turn = i % p->turns;
        for (size_t j = 0; j < p->len; j++)
            if (first[i * p->len + j] != pat_plus(base, first[j])) return false;
        if (i + 1 < p->count)
            base = pat_plus(base, pat_minus(first[(turn + 1) * p->len], first[turn * p->len]));
    }
    return true;
}

ls_err pat_period_write(const struct pat_period *p, const struct pat_indices *sequence, int64_t zero,
                        struct pat_config *c)
{
    const int64_t *first = sequence->data + p->start;
    const size_t deltas = p->turns > 1 ? p->turns : 0;
    free(c->pattern.data);
    free(c->deltas.data);
    c->pattern = (struct pat_indices){malloc(p->len * sizeof(int64_t)), p->len};
    c->deltas = (struct pat_indices){deltas ? malloc(deltas * sizeof(int64_t)) : NULL, deltas};
    if (!c->pattern.data || (deltas && !c->deltas.data)) {
        free(c->pattern.data);
        free(c->deltas.data);
        c->pattern = c->deltas = (struct pat_indices){0};
        return ls_nomem("a pattern of %zu indices", p->len);
    }
    for (size_t j = 0; j < p->len; j++)
        c->pattern.data[j] = pat_minus(first[j], zero);
    for (size_t t = 0; t < deltas; t++)
        c->deltas.data[t] = pat_minus(first[(t + 1) * p->len], first[t * p->len]);
    c->delta = p->count > 1 ? pat_minus(first[p->len], first[0]) : 0;
    c->count = p->count;
    return LS_OK;
}

/* ---- pieces ---- */

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
    const int64_t *cycle; /* in steps of the vote */
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
    if (until < from + 3) return; /* at least two distances */
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

/* Return how many of the steps from s on follow the cycle, from its best starting point. */
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

/* Count stretches of at least one whole cycle, and at the ends of a piece stretches of any length. */
static void pat_explain(struct pat_cycle *c, const int64_t *steps, size_t len)
{
    size_t stretches = 0;
    for (size_t i = 0; i < len;) {
        const size_t n = pat_stretch(c, steps + i, len - i);
        const bool is_stretch = n >= c->len || (n > 0 && (i == 0 || i + n == len));
        if (is_stretch) c->explained += n;
        stretches += is_stretch;
        i += n ? n : 1;
    }
    c->pieces += stretches > 0;
    c->with_turn += stretches == 2;
    c->with_turns += stretches > 2;
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
            if (out->len) pat_explain(out, b.steps + from, until - from - 1);
        }
    pat_ballot_fini(&b);
    return LS_OK;
}
