/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compare/pat_compare_block.h"

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

double pat_bin_place(size_t bin)
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

/* A block sorted by index: where each access stands in the order, and the indices as distances from the
 * lowest. Lines at any alignment follow from it without sorting again. */
struct pat_sorted {
    uint64_t offsets[PAT_BLOCK_MAX]; /* ascending */
    uint16_t order[PAT_BLOCK_MAX];   /* the access at each of them */
    uint16_t line[PAT_BLOCK_MAX];    /* by access: its line's number, in the order of addresses */
    size_t len;
};

struct pat_placed {
    uint64_t offset;
    uint16_t access;
};

static int pat_placed_compare(const void *a, const void *b)
{
    const struct pat_placed *x = a, *y = b;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    return x->access < y->access ? -1 : x->access > y->access;
}

static void pat_sort(const int64_t *accesses, size_t len, struct pat_sorted *out)
{
    struct pat_placed placed[PAT_BLOCK_MAX];
    int64_t lowest = accesses[0];
    for (size_t i = 1; i < len; i++)
        if (accesses[i] < lowest) lowest = accesses[i];
    for (size_t i = 0; i < len; i++)
        placed[i] = (struct pat_placed){(uint64_t)accesses[i] - (uint64_t)lowest, (uint16_t)i};
    qsort(placed, len, sizeof *placed, pat_placed_compare);
    out->len = len;
    for (size_t i = 0; i < len; i++) {
        out->offsets[i] = placed[i].offset;
        out->order[i] = placed[i].access;
    }
}

/* Distinct units of `elements`, where the lowest index has `shift` elements before it in its unit; numbers
 * of each access's unit. */
static size_t pat_number_units(struct pat_sorted *s, uint64_t elements, uint64_t shift)
{
    size_t units = 0;
    uint64_t last = 0;
    for (size_t i = 0; i < s->len; i++) {
        /* shift < elements: what overflows is less than a unit at the far end of 2^64 elements */
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

/* log2(lines) of the accesses [from, from + len), as a share of the most there can be. */
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
