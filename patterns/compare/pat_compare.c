/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compare/pat_compare.h"
#include "common/ls_random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAT_BLOCKS_WANTED = 16, PAT_SPREAD_OCTAVES = 32 };

#define PAT_TERM_ROW(id, name, weight, text) [id] = {name, weight, text},
const struct pat_term_row pat_terms[PAT_TERM_COUNT] = {PAT_TERM_LIST(PAT_TERM_ROW)};
#undef PAT_TERM_ROW

/* --- blocks --- */

/* Accesses [*begin, *end) without a break, the stretch number i; false behind the last. */
static bool pat_stretch(const struct pat_walk *w, size_t i, uint64_t *begin, uint64_t *end)
{
    if (i > w->breaks_len) return false;
    *begin = i == 0 ? 0 : w->breaks[i - 1];
    *end = i == w->breaks_len ? w->len : w->breaks[i];
    return true;
}

static uint64_t pat_full_blocks(const struct pat_walk *w, size_t block_len)
{
    uint64_t begin, end, n = 0;
    for (size_t i = 0; pat_stretch(w, i, &begin, &end); i++)
        n += (end - begin) / block_len;
    return n;
}

size_t pat_block_len_for(const struct pat_walk *w)
{
    for (size_t len = PAT_BLOCK_MAX; len > PAT_BLOCK_MIN; len /= 2) {
        const uint64_t n = pat_full_blocks(w, len);
        if (n >= PAT_BLOCKS_WANTED && n >= w->len / len / 2) return len;
    }
    return PAT_BLOCK_MIN;
}

/* What has no full block: its stretches, as far as a block goes. */
static size_t pat_read_short(const struct pat_walk *w, size_t block_len, size_t room, struct pat_block *rows)
{
    int64_t accesses[PAT_BLOCK_MAX], origin;
    uint64_t begin, end;
    size_t n = 0;
    pat_walk_read(w, 0, 1, &origin);
    for (size_t i = 0; n < room && pat_stretch(w, i, &begin, &end); i++) {
        if (begin == end) continue;
        const size_t len = end - begin < block_len ? (size_t)(end - begin) : block_len;
        pat_walk_read(w, begin, len, accesses);
        pat_block_measure(accesses, len, origin, &rows[n++]);
    }
    return n;
}

/* The full block that stands for stratum i of n: by i alone, so that equal sequences are read alike, and not
 * at a constant distance, which a period of the pattern could meet. */
static uint64_t pat_block_drawn(uint64_t full, size_t n, size_t i)
{
    if (full <= n) return i;
    const uint64_t begin = (uint64_t)((unsigned __int128)full * i / n);
    const uint64_t end = (uint64_t)((unsigned __int128)full * (i + 1) / n);
    uint64_t state = i;
    return begin + ls_random_below(&state, (size_t)(end - begin));
}

static size_t pat_read_full(const struct pat_walk *w, size_t block_len, size_t n, struct pat_block *rows)
{
    const uint64_t full = pat_full_blocks(w, block_len);
    int64_t accesses[PAT_BLOCK_MAX], origin;
    uint64_t begin, end, passed = 0; /* full blocks of earlier stretches */
    size_t filled = 0;
    pat_walk_read(w, 0, 1, &origin);
    for (size_t i = 0; pat_stretch(w, i, &begin, &end); i++) {
        const uint64_t here = (end - begin) / block_len;
        uint64_t drawn;
        for (; filled < n && (drawn = pat_block_drawn(full, n, filled)) < passed + here; filled++) {
            pat_walk_read(w, begin + (drawn - passed) * block_len, block_len, accesses);
            pat_block_measure(accesses, block_len, origin, &rows[filled]);
        }
        passed += here;
    }
    return filled;
}

ls_err pat_blocks_read(const struct pat_walk *w, size_t block_len, size_t blocks_max, struct pat_blocks *out)
{
    const uint64_t full = pat_full_blocks(w, block_len);
    const size_t most = blocks_max ? blocks_max : PAT_BLOCKS_SEEN;
    const uint64_t stretches = w->breaks_len + UINT64_C(1);
    const uint64_t there = full ? full : stretches;
    const size_t n = there < most ? (size_t)there : most;
    *out = (struct pat_blocks){.rows = calloc(n, sizeof *out->rows), .block_len = block_len};
    if (!out->rows) {
        *out = (struct pat_blocks){0};
        return ls_nomem("%zu blocks of a pattern", n);
    }
    out->len = (full ? pat_read_full : pat_read_short)(w, block_len, n, out->rows);
    return LS_OK;
}

/* --- sketches --- */

double pat_spread_of(double centre, double square)
{
    const double variance = square - centre * centre;
    const double lines = variance > 0 ? sqrt(variance) / PAT_LINE_ELEMENTS : 0;
    const double spread = log2(1 + lines) / PAT_SPREAD_OCTAVES;
    return spread < 1 ? spread : 1;
}

void pat_sketch_of(const struct pat_blocks *b, struct pat_sketch *out)
{
    double centre = 0, square = 0;
    const double part = 1.0 / (double)b->len;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < b->len; i++) {
        for (size_t f = 0; f < PAT_BLOCK_FEATURES; f++)
            out->features[f] += part * b->rows[i].features[f];
        centre += part * b->rows[i].centre;
        square += part * b->rows[i].square;
    }
    out->spread = pat_spread_of(centre, square);
}

/* --- terms --- */

static double pat_sum(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

/* First Wasserstein distance of two histograms, the integral of |F - G| over their common scale of places (a
 * closed form in one dimension; Vallender, Theory Probab. Appl. 18, 1974). An empty histogram is at 1 from
 * all others. Sums need not be 1: a lag may be missing in some blocks. */
static double pat_wasserstein(const double *p, const double *q, const double *places, size_t n)
{
    const double whole_p = pat_sum(p, n), whole_q = pat_sum(q, n);
    double sum = 0, difference = 0;
    if (whole_p <= 0 || whole_q <= 0) return (whole_p <= 0) != (whole_q <= 0);
    for (size_t i = 0; i + 1 < n; i++) {
        difference += p[i] / whole_p - q[i] / whole_q;
        sum += fabs(difference) * (places[i + 1] - places[i]);
    }
    return sum / (places[n - 1] - places[0]);
}

static const double *pat_bin_places(void)
{
    static _Thread_local double places[PAT_BINS];
    if (places[0] == 0)
        for (size_t i = 0; i < PAT_BINS; i++)
            places[i] = pat_bin_place(i);
    return places;
}

static double pat_term_distances(const double *a, const double *b)
{
    const double *const places = pat_bin_places();
    double sum = 0;
    for (size_t l = 0; l < PAT_LAGS; l++)
        sum += pat_wasserstein(a + l * PAT_BINS, b + l * PAT_BINS, places, PAT_BINS);
    return sum / PAT_LAGS;
}

static double pat_term_reuse(const double *a, const double *b)
{
    double places[PAT_REUSES];
    for (size_t i = 0; i < PAT_REUSES; i++)
        places[i] = (double)i;
    return pat_wasserstein(a, b, places, PAT_REUSES);
}

static double pat_term_pair(const double *a, const double *b)
{
    return (fabs(a[0] - b[0]) + fabs(a[1] - b[1])) / 2;
}

struct pat_distance_terms pat_sketch_distance(const struct pat_sketch *a, const struct pat_sketch *b)
{
    const double *const x = a->features, *const y = b->features;
    struct pat_distance_terms d = {
        .terms = {
            [PAT_TERM_DISTANCES] = pat_term_distances(x + PAT_AT_DISTANCES, y + PAT_AT_DISTANCES),
            [PAT_TERM_REUSE] = pat_term_reuse(x + PAT_AT_REUSE, y + PAT_AT_REUSE),
            [PAT_TERM_FOOTPRINT] = pat_term_pair(x + PAT_AT_FOOTPRINT, y + PAT_AT_FOOTPRINT),
            [PAT_TERM_UTILISATION] = pat_term_pair(x + PAT_AT_UTILISATION, y + PAT_AT_UTILISATION),
            [PAT_TERM_SPREAD] = fabs(a->spread - b->spread),
        }};
    for (size_t t = 0; t < PAT_TERM_COUNT; t++)
        d.total += pat_terms[t].weight * d.terms[t];
    return d;
}
