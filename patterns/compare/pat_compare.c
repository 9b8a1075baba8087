/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compare/pat_compare.h"
#include "common/ls_random.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { PAT_EXACT_MAX = 16, PAT_OCTAVE_BINS = 4, PAT_EXACT_OCTAVE = 4, PAT_BLOCK_TREE = PAT_BLOCK_MAX + 1 };

/* --- distances --- */

static size_t pat_magnitude_bin(uint64_t magnitude)
{
    if (magnitude <= PAT_EXACT_MAX) return (size_t)magnitude;
    const unsigned octave = 63 - (unsigned)__builtin_clzll(magnitude);
    const size_t quarter = (size_t)(magnitude >> (octave - 2)) & (PAT_OCTAVE_BINS - 1);
    return PAT_EXACT_MAX + 1 + (octave - PAT_EXACT_OCTAVE) * PAT_OCTAVE_BINS + quarter;
}

size_t pat_bin_of(int64_t distance)
{
    const uint64_t magnitude = distance < 0 ? -(uint64_t)distance : (uint64_t)distance;
    const size_t bin = pat_magnitude_bin(magnitude);
    return distance < 0 ? PAT_MAGNITUDES - 1 - bin : PAT_MAGNITUDES - 1 + bin;
}

static double pat_magnitude_of(size_t bin)
{
    if (bin <= PAT_EXACT_MAX) return (double)bin;
    const size_t above = bin - PAT_EXACT_MAX - 1;
    const double quarter = (double)(above % PAT_OCTAVE_BINS) + 0.5;
    return ldexp(1 + quarter / PAT_OCTAVE_BINS, PAT_EXACT_OCTAVE + (int)(above / PAT_OCTAVE_BINS));
}

double pat_bin_position(size_t bin)
{
    const bool negative = bin < PAT_MAGNITUDES - 1;
    const size_t magnitude = negative ? PAT_MAGNITUDES - 1 - bin : bin - (PAT_MAGNITUDES - 1);
    const double s = log2(1 + pat_magnitude_of(magnitude));
    return (negative ? -s : s) / (s + 3);
}

static void pat_measure_distances(const int64_t *accesses, size_t len, double *features)
{
    for (size_t l = 0; l < PAT_LAGS; l++) {
        const size_t lag = (size_t)1 << l;
        double *histogram = features + PAT_AT_DISTANCES + l * PAT_BINS;
        for (size_t i = lag; i < len; i++) {
            const uint64_t distance = (uint64_t)accesses[i] - (uint64_t)accesses[i - lag];
            histogram[pat_bin_of((int64_t)distance)] += 1.0 / (double)(len - lag);
        }
    }
}

/* --- lines and pages --- */

/* A block sorted by index: the position of each access in the order, and the indices relative to the lowest
 * one. Lines at any alignment follow from it without sorting again. */
struct pat_sorted {
    uint64_t offsets[PAT_BLOCK_MAX]; /* ascending */
    uint16_t order[PAT_BLOCK_MAX];   /* the access at each offset */
    uint16_t line[PAT_BLOCK_MAX];    /* by access: the number of its line, in the order of addresses */
    size_t len;
};

struct pat_offset {
    uint64_t offset;
    uint16_t access;
};

static int pat_offset_compare(const void *a, const void *b)
{
    const struct pat_offset *x = a, *y = b;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    return x->access < y->access ? -1 : x->access > y->access;
}

static void pat_sort(const int64_t *accesses, size_t len, struct pat_sorted *out)
{
    struct pat_offset sorted[PAT_BLOCK_MAX];
    int64_t lowest = accesses[0];
    for (size_t i = 1; i < len; i++)
        if (accesses[i] < lowest) lowest = accesses[i];
    for (size_t i = 0; i < len; i++)
        sorted[i] = (struct pat_offset){(uint64_t)accesses[i] - (uint64_t)lowest, (uint16_t)i};
    qsort(sorted, len, sizeof *sorted, pat_offset_compare);
    out->len = len;
    for (size_t i = 0; i < len; i++) {
        out->offsets[i] = sorted[i].offset;
        out->order[i] = sorted[i].access;
    }
}

/* Count the distinct units of `elements`, where the lowest index has `shift` elements before it in its unit,
 * and number each access's unit. */
static size_t pat_number_units(struct pat_sorted *s, uint64_t elements, uint64_t shift)
{
    size_t units = 0;
    uint64_t last = 0;
    for (size_t i = 0; i < s->len; i++) {
        /* shift < elements: an overflow affects less than one unit at the far end of 2^64 elements */
        const uint64_t unit = s->offsets[i] / elements + (s->offsets[i] % elements + shift) / elements;
        if (i == 0 || unit != last) units++;
        last = unit;
        s->line[s->order[i]] = (uint16_t)(units - 1);
    }
    return units;
}

static size_t pat_distinct(const struct pat_sorted *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->len; i++)
        n += i == 0 || s->offsets[i] != s->offsets[i - 1];
    return n;
}

/* Binary indexed tree over the positions of each line's latest use: counts lines used since, as Bennett and
 * Kruskal (IBM J. Res. Dev. 19, 1975) count stack distances of Mattson et al. (IBM Syst. J. 9, 1970). */
static void pat_tree_add(int16_t tree[PAT_BLOCK_TREE], size_t at, int16_t step)
{
    for (at++; at < PAT_BLOCK_TREE; at += at & -at)
        tree[at] = (int16_t)(tree[at] + step);
}

static int pat_tree_sum(const int16_t tree[PAT_BLOCK_TREE], size_t end)
{
    int sum = 0;
    for (; end > 0; end -= end & -end)
        sum += tree[end];
    return sum;
}

static size_t pat_reuse_bin(unsigned lines_between)
{
    return lines_between == 0 ? 0 : 32 - (size_t)__builtin_clz(lines_between);
}

static void pat_measure_reuse(const struct pat_sorted *s, double share, double *reuse)
{
    int16_t tree[PAT_BLOCK_TREE] = {0}, latest[PAT_BLOCK_MAX];
    memset(latest, -1, sizeof latest);
    for (size_t i = 0; i < s->len; i++) {
        const uint16_t line = s->line[i];
        const int16_t before = latest[line];
        if (before < 0) {
            reuse[PAT_REUSE_FIRST] += share;
        } else {
            const int between = pat_tree_sum(tree, i) - pat_tree_sum(tree, (size_t)before + 1);
            reuse[pat_reuse_bin((unsigned)between)] += share;
            pat_tree_add(tree, (size_t)before, -1);
        }
        pat_tree_add(tree, i, 1);
        latest[line] = (int16_t)i;
    }
}

/* Return log2(lines) of the accesses [from, from + len), relative to the maximum. */
static double pat_footprint(const struct pat_sorted *s, size_t from, size_t len)
{
    uint64_t seen[PAT_BLOCK_MAX / 64] = {0};
    unsigned lines = 0;
    if (len < 2) return 0;
    for (size_t i = from; i < from + len; i++) {
        uint64_t *const word = &seen[s->line[i] / 64];
        const uint64_t bit = UINT64_C(1) << (s->line[i] % 64);
        lines += !(*word & bit);
        *word |= bit;
    }
    return log2(lines) / log2((double)len);
}

static double pat_footprint_small(const struct pat_sorted *s)
{
    double sum = 0;
    size_t n = 0;
    if (s->len < PAT_BLOCK_MIN) return pat_footprint(s, 0, s->len);
    for (size_t from = 0; from + PAT_BLOCK_MIN <= s->len; from += PAT_BLOCK_MIN, n++)
        sum += pat_footprint(s, from, PAT_BLOCK_MIN);
    return sum / (double)n;
}

static void pat_measure_lines(struct pat_sorted *s, uint64_t shift, double *features)
{
    const double part = 1.0 / PAT_ALIGNMENTS;
    const double lines = (double)pat_number_units(s, PAT_LINE_ELEMENTS, shift);
    features[PAT_AT_UTILISATION] += part * (double)pat_distinct(s) / (lines * PAT_LINE_ELEMENTS);
    features[PAT_AT_FOOTPRINT] += part * pat_footprint_small(s);
    features[PAT_AT_FOOTPRINT + 1] += part * pat_footprint(s, 0, s->len);
    pat_measure_reuse(s, part / (double)s->len, features + PAT_AT_REUSE);
}

static void pat_measure_pages(struct pat_sorted *s, uint64_t shift, double *features)
{
    const double pages = (double)pat_number_units(s, PAT_PAGE_ELEMENTS, shift);
    features[PAT_AT_UTILISATION + 1] +=
        (double)pat_distinct(s) / (pages * PAT_PAGE_ELEMENTS) / PAT_ALIGNMENTS;
}

static void pat_measure_positions(const int64_t *accesses, size_t len, int64_t origin, struct pat_block *out)
{
    for (size_t i = 0; i < len; i++) {
        const double x = (double)(int64_t)((uint64_t)accesses[i] - (uint64_t)origin);
        out->centre += x / (double)len;
        out->square += x * x / (double)len;
    }
}

void pat_block_measure(const int64_t *accesses, size_t len, int64_t origin, struct pat_block *out)
{
    struct pat_sorted s;
    memset(out, 0, sizeof *out);
    pat_measure_distances(accesses, len, out->features);
    pat_measure_positions(accesses, len, origin, out);
    pat_sort(accesses, len, &s);
    for (uint64_t a = 0; a < PAT_ALIGNMENTS; a++) {
        pat_measure_lines(&s, a * (PAT_LINE_ELEMENTS / PAT_ALIGNMENTS), out->features);
        pat_measure_pages(&s, a * (PAT_PAGE_ELEMENTS / PAT_ALIGNMENTS), out->features);
    }
}

/* ---- walks ---- */

enum { PAT_WALK_PIECE = 512 };

/* Set w to the list that the kernel steps through, and to the list that its elements refer to. */
static void pat_walk_lists(const struct pat_config *c, enum pat_side side, struct pat_walk *w)
{
    const bool gathers = side == PAT_SIDE_GATHER;
    *w = (struct pat_walk){.list = &c->pattern, .delta = c->delta, .deltas = &c->deltas};
    if (c->kernel == PAT_GS) {
        w->list = gathers ? &c->gather : &c->scatter;
        w->delta = gathers ? c->delta_gather : c->delta_scatter;
        w->deltas = gathers ? &c->deltas_gather : &c->deltas_scatter;
    } else if (c->kernel == PAT_MULTIGATHER || c->kernel == PAT_MULTISCATTER) {
        w->list = c->kernel == PAT_MULTIGATHER ? &c->gather : &c->scatter;
        w->inner = &c->pattern;
    }
    if (w->deltas->len == 0) w->deltas = NULL;
}

ls_err pat_walk_config(const struct pat_config *c, enum pat_side side, struct pat_walk *out)
{
    struct pat_extent extent;
    struct pat_walk w;
    LS_TRY(pat_extent_of(c, side, &extent)); /* after this check no index overflows */
    pat_walk_lists(c, side, &w);
    if (__builtin_mul_overflow(w.list->len, c->count, &w.len) || w.len > INT64_MAX)
        return ls_fail(LS_ERR_RANGE, "configuration '%s' makes more accesses than 63 bits can count",
                       c->name);
    *out = w;
    return LS_OK;
}

struct pat_walk pat_walk_list(const struct pat_indices *p, const size_t *breaks, size_t breaks_len)
{
    return (struct pat_walk){.list = p, .len = p->len, .breaks = breaks, .breaks_len = breaks_len};
}

static int64_t pat_walk_base(const struct pat_walk *w, uint64_t iteration)
{
    static const struct pat_indices none;
    return pat_base(w->delta, w->deltas ? w->deltas : &none, iteration);
}

/* Read accesses [from, from + len) of w, which must have that many. */
static void walk_read(const struct pat_walk *w, uint64_t from, size_t len, int64_t *out)
{
    uint64_t iteration = from / w->list->len;
    size_t at = from % w->list->len;
    int64_t base = pat_walk_base(w, iteration);
    for (size_t i = 0; i < len; i++) {
        const int64_t index = w->list->data[at];
        out[i] = (int64_t)((uint64_t)base + (uint64_t)(w->inner ? w->inner->data[index] : index));
        if (++at < w->list->len) continue;
        at = 0;
        /* the base of the iteration after the last one may overflow */
        if (i + 1 < len) base = pat_walk_base(w, ++iteration);
    }
}

static bool pat_walk_breaks_same(const struct pat_walk *a, const struct pat_walk *b)
{
    return a->breaks_len == b->breaks_len &&
           (a->breaks_len == 0 || memcmp(a->breaks, b->breaks, a->breaks_len * sizeof *a->breaks) == 0);
}

/* Return whether both are written alike: the usual case, in which reading all accesses could take long. */
static bool pat_walk_written_same(const struct pat_walk *a, const struct pat_walk *b)
{
    if (a->inner || b->inner || a->deltas || b->deltas || a->delta != b->delta) return false;
    return a->len == b->len && a->list->len == b->list->len &&
           memcmp(a->list->data, b->list->data, a->list->len * sizeof *a->list->data) == 0;
}

bool pat_walk_same(const struct pat_walk *a, const struct pat_walk *b)
{
    int64_t piece_a[PAT_WALK_PIECE], piece_b[PAT_WALK_PIECE];
    uint64_t shift = 0;
    if (a->len != b->len || !pat_walk_breaks_same(a, b)) return false;
    if (pat_walk_written_same(a, b)) return true;
    for (uint64_t from = 0; from < a->len; from += PAT_WALK_PIECE) {
        const size_t len = a->len - from < PAT_WALK_PIECE ? (size_t)(a->len - from) : PAT_WALK_PIECE;
        walk_read(a, from, len, piece_a);
        walk_read(b, from, len, piece_b);
        if (from == 0) shift = (uint64_t)piece_b[0] - (uint64_t)piece_a[0];
        for (size_t i = 0; i < len; i++)
            if ((uint64_t)piece_b[i] - (uint64_t)piece_a[i] != shift) return false;
    }
    return true;
}

/* ---- distance ---- */

enum { PAT_BLOCKS_WANTED = 16, PAT_SPREAD_OCTAVES = 32 };

#define PAT_TERM_ROW(id, name, weight, text) [id] = {name, weight, text},
const struct pat_term_row pat_terms[PAT_TERM_COUNT] = {PAT_TERM_LIST(PAT_TERM_ROW)};
#undef PAT_TERM_ROW

/* --- blocks --- */

/* Find stretch number i: accesses [*begin, *end) without a break. Return false after the last one. */
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

/* Read a walk without full blocks: the start of each stretch, up to a block's length. */
static size_t pat_read_short(const struct pat_walk *w, size_t block_len, size_t room, struct pat_block *rows)
{
    int64_t accesses[PAT_BLOCK_MAX], origin;
    uint64_t begin, end;
    size_t n = 0;
    walk_read(w, 0, 1, &origin);
    for (size_t i = 0; n < room && pat_stretch(w, i, &begin, &end); i++) {
        if (begin == end) continue;
        const size_t len = end - begin < block_len ? (size_t)(end - begin) : block_len;
        walk_read(w, begin, len, accesses);
        pat_block_measure(accesses, len, origin, &rows[n++]);
    }
    return n;
}

/* Choose the full block that represents stratum i of n: by i only, so that equal sequences give equal blocks,
 * and not at a constant distance, which could coincide with a period of the pattern. */
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
    walk_read(w, 0, 1, &origin);
    for (size_t i = 0; pat_stretch(w, i, &begin, &end); i++) {
        const uint64_t here = (end - begin) / block_len;
        uint64_t drawn;
        for (; filled < n && (drawn = pat_block_drawn(full, n, filled)) < passed + here; filled++) {
            walk_read(w, begin + (drawn - passed) * block_len, block_len, accesses);
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

/* First Wasserstein distance of two histograms, the integral of |F - G| over their common scale (a closed
 * form in one dimension; Vallender, Theory Probab. Appl. 18, 1974). An empty histogram has distance 1 to all
 * others. Sums need not be 1: a lag may be missing in some blocks. */
static double pat_wasserstein(const double *p, const double *q, const double *positions, size_t n)
{
    const double whole_p = pat_sum(p, n), whole_q = pat_sum(q, n);
    double sum = 0, difference = 0;
    if (whole_p <= 0 || whole_q <= 0) return (whole_p <= 0) != (whole_q <= 0);
    for (size_t i = 0; i + 1 < n; i++) {
        difference += p[i] / whole_p - q[i] / whole_q;
        sum += fabs(difference) * (positions[i + 1] - positions[i]);
    }
    return sum / (positions[n - 1] - positions[0]);
}

static const double *pat_bin_positions(void)
{
    static _Thread_local double positions[PAT_BINS];
    if (positions[0] == 0)
        for (size_t i = 0; i < PAT_BINS; i++)
            positions[i] = pat_bin_position(i);
    return positions;
}

static double pat_term_distances(const double *a, const double *b)
{
    const double *const positions = pat_bin_positions();
    double sum = 0;
    for (size_t l = 0; l < PAT_LAGS; l++)
        sum += pat_wasserstein(a + l * PAT_BINS, b + l * PAT_BINS, positions, PAT_BINS);
    return sum / PAT_LAGS;
}

static double pat_term_reuse(const double *a, const double *b)
{
    double positions[PAT_REUSES];
    for (size_t i = 0; i < PAT_REUSES; i++)
        positions[i] = (double)i;
    return pat_wasserstein(a, b, positions, PAT_REUSES);
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
