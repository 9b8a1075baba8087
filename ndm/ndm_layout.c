/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/ls_checked.h"
#include "common/ls_error.h"
#include "ndm/ndm_map.h"

#include <string.h>

/* --- space-filling curves ---
 *
 * Over grids whose extents are powers of two: index along the curve <-> coordinates. */

static unsigned most_bits(const unsigned bits[NDM_AXES_MAX])
{
    unsigned most = 0;
    for (unsigned k = 0; k < NDM_AXES_MAX; k++)
        if (bits[k] > most) most = bits[k];
    return most;
}

/* Z order: from the lowest bit up, one bit of each axis that has bits left, x first. */
static void ndm_morton_cell(const unsigned bits[NDM_AXES_MAX], uint64_t index, uint64_t cell[NDM_AXES_MAX])
{
    const unsigned most = most_bits(bits);
    memset(cell, 0, NDM_AXES_MAX * sizeof(*cell));
    for (unsigned b = 0; b < most; b++)
        for (unsigned k = 0; k < NDM_AXES_MAX; k++) {
            if (b >= bits[k]) continue;
            cell[k] |= (index & 1) << b;
            index >>= 1;
        }
}

static uint64_t ndm_morton_index(const unsigned bits[NDM_AXES_MAX], const uint64_t cell[NDM_AXES_MAX])
{
    const unsigned most = most_bits(bits);
    uint64_t index = 0;
    unsigned at = 0;
    for (unsigned b = 0; b < most; b++)
        for (unsigned k = 0; k < NDM_AXES_MAX; k++)
            if (b < bits[k]) index |= (cell[k] >> b & 1) << at++;
    return index;
}

/* One step of Skilling's transformation, its own inverse: where axis k has bit q, the lower bits of x are
 * inverted, else x and axis k swap theirs. */
static void turn(uint64_t cell[NDM_AXES_MAX], unsigned k, uint64_t q)
{
    const uint64_t low = q - 1;
    if (cell[k] & q) {
        cell[0] ^= low;
        return;
    }
    const uint64_t swap = (cell[0] ^ cell[k]) & low;
    cell[0] ^= swap;
    cell[k] ^= swap;
}

/* Hilbert order of dims axes of `bits` bits each: Skilling, "Programming the Hilbert curve", AIP Conf. Proc.
 * 707 (2004), x his first coordinate. */
static void ndm_hilbert_cell(unsigned dims, unsigned bits, uint64_t index, uint64_t cell[NDM_AXES_MAX])
{
    memset(cell, 0, NDM_AXES_MAX * sizeof(*cell));
    unsigned at = dims * bits;
    for (unsigned b = bits; b-- > 0;) /* the transposed form: distribute the index's bits, highest first */
        for (unsigned k = 0; k < dims; k++)
            cell[k] |= (index >> --at & 1) << b;
    const uint64_t top = cell[dims - 1] >> 1; /* Gray decode */
    for (unsigned k = dims - 1; k > 0; k--)
        cell[k] ^= cell[k - 1];
    cell[0] ^= top;
    for (unsigned b = 1; b < bits; b++)
        for (unsigned k = dims; k-- > 0;)
            turn(cell, k, UINT64_C(1) << b);
}

static uint64_t ndm_hilbert_index(unsigned dims, unsigned bits, const uint64_t cell[NDM_AXES_MAX])
{
    uint64_t x[NDM_AXES_MAX], index = 0, flip = 0;
    memcpy(x, cell, sizeof(x));
    for (unsigned b = bits; b-- > 1;)
        for (unsigned k = 0; k < dims; k++)
            turn(x, k, UINT64_C(1) << b);
    for (unsigned k = 1; k < dims; k++) /* Gray encode */
        x[k] ^= x[k - 1];
    for (unsigned b = bits; b-- > 1;)
        if (x[dims - 1] >> b & 1) flip ^= (UINT64_C(1) << b) - 1;
    for (unsigned k = 0; k < dims; k++)
        x[k] ^= flip;
    for (unsigned b = bits; b-- > 0;)
        for (unsigned k = 0; k < dims; k++)
            index = index << 1 | (x[k] >> b & 1);
    return index;
}

typedef unsigned long long ull;

#define ELEMENTS_MAX (UINT64_C(1) << 60)

static const char axis_names[NDM_AXES_MAX] = {'x', 'y', 'z'};

static uint64_t at_least_one(uint64_t n)
{
    return n ? n : 1;
}

static uint64_t allocated(const struct ndm_layout *l, const struct ndm_geometry *g, unsigned axis)
{
    if (l->padded[axis]) return l->padded[axis];
    return l->ghost_low[axis] + g->extents[axis] + l->ghost_high[axis];
}

static uint64_t tile(const struct ndm_layout *l, const struct ndm_geometry *g, unsigned axis)
{
    const uint64_t all = allocated(l, g, axis);
    return l->block[axis] && l->block[axis] < all ? l->block[axis] : all;
}

static bool is_curve(enum ndm_order order)
{
    return order == NDM_MORTON || order == NDM_HILBERT;
}

static bool is_power_of_two(uint64_t n)
{
    return n && (n & (n - 1)) == 0;
}

static unsigned bits_of(uint64_t power_of_two)
{
    return (unsigned)__builtin_ctzll(power_of_two);
}

static uint64_t magnitude(int64_t n)
{
    return n < 0 ? -(uint64_t)n : (uint64_t)n;
}

/* ---- checks ---- */

static ls_err check_beyond(const struct ndm_layout *l, const struct ndm_geometry *g, const char *label)
{
    for (unsigned k = g->dims; k < NDM_AXES_MAX; k++)
        if (l->block[k] > 1 || l->padded[k] > 1 || l->ghost_low[k] || l->ghost_high[k] || l->stride[k])
            return ls_fail(LS_ERR_ARG, "map of \"%.120s\": the layout has a %c, but \"%.120s\" has %u axes",
                           label, axis_names[k], g->label, (unsigned)g->dims);
    return LS_OK;
}

static ls_err check_allocated(const struct ndm_layout *l, const struct ndm_geometry *g, unsigned k,
                              const char *label)
{
    uint64_t needed;
    if (!ls_add_u64(l->ghost_low[k], g->extents[k], &needed) ||
        !ls_add_u64(needed, l->ghost_high[k], &needed) || needed > ELEMENTS_MAX ||
        l->padded[k] > ELEMENTS_MAX)
        return ls_fail(LS_ERR_RANGE, "map of \"%.120s\": ghost layers or padding along %c overflow", label,
                       axis_names[k]);
    if (l->padded[k] && l->padded[k] < needed)
        return ls_fail(LS_ERR_ARG,
                       "map of \"%.120s\": padded to %llu along %c, but cells and ghosts are %llu already",
                       label, (ull)l->padded[k], axis_names[k], (ull)needed);
    return LS_OK;
}

static uint64_t curve_tile(const struct ndm_layout *l, unsigned axis)
{
    return at_least_one(l->block[axis]);
}

static ls_err check_curve(const struct ndm_layout *l, const struct ndm_geometry *g, const char *label)
{
    for (unsigned k = 0; k < g->dims; k++) {
        const uint64_t all = allocated(l, g, k), one = curve_tile(l, k);
        if (all % one != 0 || !is_power_of_two(all / one))
            return ls_fail(
                LS_ERR_ARG,
                "map of \"%.120s\": %llu cells along %c in tiles of %llu make no power of two of tiles, "
                "which the curve needs; set padded",
                label, (ull)all, axis_names[k], (ull)one);
        if (l->order == NDM_HILBERT && all / one != allocated(l, g, 0) / curve_tile(l, 0))
            return ls_fail(
                LS_ERR_ARG,
                "map of \"%.120s\": a Hilbert curve needs equal extents, but %c differs from x; set padded",
                label, axis_names[k]);
    }
    return LS_OK;
}

static ls_err check_ordered(const struct ndm_layout *l, const struct ndm_geometry *g, const char *label)
{
    uint64_t all = at_least_one(l->elements_per_cell);
    if (l->offset || l->stride[0] || l->stride[1] || l->stride[2])
        return ls_fail(LS_ERR_ARG, "map of \"%.120s\": offset and stride are for NDM_STRIDED", label);
    for (unsigned k = 0; k < g->dims; k++) {
        LS_TRY(check_allocated(l, g, k, label));
        if (!ls_mul_u64(all, allocated(l, g, k), &all) || all > ELEMENTS_MAX)
            return ls_fail(LS_ERR_RANGE, "map of \"%.120s\": the layout has more than 2^60 elements", label);
    }
    return is_curve(l->order) ? check_curve(l, g, label) : LS_OK;
}

/* Sort the axes with more than one cell by growing stride. */
static unsigned strided_axes(const struct ndm_layout *l, const struct ndm_geometry *g,
                             unsigned out[NDM_AXES_MAX])
{
    unsigned len = 0;
    for (unsigned k = 0; k < g->dims; k++) {
        if (g->extents[k] == 1) continue;
        unsigned at = len++;
        for (; at > 0 && magnitude(l->stride[out[at - 1]]) > magnitude(l->stride[k]); at--)
            out[at] = out[at - 1];
        out[at] = k;
    }
    return len;
}

/* Return the lowest element of any cell: axes of negative stride have theirs at the last cell. */
static uint64_t strided_base(const struct ndm_layout *l, const struct ndm_geometry *g)
{
    uint64_t base = l->offset;
    for (unsigned k = 0; k < g->dims; k++)
        if (l->stride[k] < 0) base -= magnitude(l->stride[k]) * (g->extents[k] - 1);
    return base;
}

/* Each stride must be at least the range that the smaller strides cover, so that no element belongs to two
 * cells. */
static ls_err check_strided(const struct ndm_layout *l, const struct ndm_geometry *g, const char *label)
{
    unsigned axes[NDM_AXES_MAX];
    const unsigned len = strided_axes(l, g, axes);
    uint64_t covered = at_least_one(l->elements_per_cell), below = 0, reach;
    for (unsigned k = 0; k < NDM_AXES_MAX; k++)
        if (l->block[k] || l->padded[k] || l->ghost_low[k] || l->ghost_high[k])
            return ls_fail(LS_ERR_ARG, "map of \"%.120s\": NDM_STRIDED has no tiles, padding or ghosts",
                           label);
    for (unsigned i = 0; i < len; i++) {
        const unsigned k = axes[i];
        if (magnitude(l->stride[k]) < covered)
            return ls_fail(
                LS_ERR_ARG,
                "map of \"%.120s\": the stride along %c is %lld, but a cell and the axes of smaller "
                "stride cover %llu elements",
                label, axis_names[k], (long long)l->stride[k], (ull)covered);
        if (!ls_mul_u64(magnitude(l->stride[k]), g->extents[k] - 1, &reach) ||
            !ls_add_u64(covered, reach, &covered) || covered > ELEMENTS_MAX)
            return ls_fail(LS_ERR_RANGE, "map of \"%.120s\": the strides reach over more than 2^60 elements",
                           label);
        if (l->stride[k] < 0) below += reach;
    }
    if (below > l->offset || l->offset > ELEMENTS_MAX)
        return ls_fail(
            LS_ERR_RANGE,
            "map of \"%.120s\": negative strides lead %llu elements before offset %llu: set offset to "
            "the element of cell (0, 0, 0)",
            label, (ull)below, (ull)l->offset);
    return LS_OK;
}

ls_err ndm_layout_check(const struct ndm_layout *l, const struct ndm_geometry *g, const char *label)
{
    if (g->kind != NDM_GRID)
        return ls_fail(LS_ERR_ARG, "map of \"%.120s\": \"%.120s\" is a mesh; a layout needs a grid", label,
                       g->label);
    if ((unsigned)l->order > NDM_STRIDED)
        return ls_fail(LS_ERR_ARG, "map of \"%.120s\": unknown order %u", label, (unsigned)l->order);
    if (l->elements_per_cell > NDM_LAYOUT_PER_CELL_MAX)
        return ls_fail(LS_ERR_RANGE, "map of \"%.120s\": %llu elements per cell are too many", label,
                       (ull)l->elements_per_cell);
    LS_TRY(check_beyond(l, g, label));
    return l->order == NDM_STRIDED ? check_strided(l, g, label) : check_ordered(l, g, label);
}

/* ---- rows, columns and tiles ---- */

/* Return the k-th axis in the order of storage: 0 is the fastest. */
static unsigned axis_at(const struct ndm_layout *l, const struct ndm_geometry *g, unsigned k)
{
    return l->order == NDM_X_SLOWEST ? g->dims - 1 - k : k;
}

/* The current tile: its begin and its extent, by rank of the axis. */
struct box {
    uint64_t begin[NDM_AXES_MAX], extent[NDM_AXES_MAX];
};

/* Number of elements in a whole layer of tiles across the k-th axis, inside the tiles chosen for the slower
 * axes. */
static uint64_t layer(const struct ndm_layout *l, const struct ndm_geometry *g, unsigned k,
                      const struct box *b)
{
    uint64_t n = tile(l, g, axis_at(l, g, k));
    for (unsigned j = 0; j < g->dims; j++)
        if (j != k) n *= j < k ? allocated(l, g, axis_at(l, g, j)) : b->extent[j];
    return n;
}

/* Set b to tile number t along the k-th axis; the last one may be partial. */
static void choose(const struct ndm_layout *l, const struct ndm_geometry *g, unsigned k, uint64_t t,
                   struct box *b)
{
    const unsigned axis = axis_at(l, g, k);
    const uint64_t one = tile(l, g, axis), left = allocated(l, g, axis) - t * one;
    b->begin[k] = t * one;
    b->extent[k] = left < one ? left : one;
}

static void ordered_place(const struct ndm_layout *l, const struct ndm_geometry *g, uint64_t e,
                          uint64_t place[NDM_AXES_MAX])
{
    struct box b = {0};
    for (unsigned k = g->dims; k-- > 0;) {
        const uint64_t n = layer(l, g, k, &b);
        choose(l, g, k, e / n, &b);
        e %= n;
    }
    for (unsigned k = 0; k < g->dims; k++) {
        place[axis_at(l, g, k)] = b.begin[k] + e % b.extent[k];
        e /= b.extent[k];
    }
}

static uint64_t ordered_element(const struct ndm_layout *l, const struct ndm_geometry *g,
                                const uint64_t place[NDM_AXES_MAX])
{
    struct box b = {0};
    uint64_t e = 0, inside = 0;
    for (unsigned k = g->dims; k-- > 0;) {
        const unsigned axis = axis_at(l, g, k);
        const uint64_t t = place[axis] / tile(l, g, axis);
        e += t * layer(l, g, k, &b);
        choose(l, g, k, t, &b);
        inside = inside * b.extent[k] + (place[axis] - b.begin[k]);
    }
    return e + inside;
}

/* ---- curves, whose points are tiles ---- */

static void curve_cell(const struct ndm_layout *l, const unsigned bits[NDM_AXES_MAX], unsigned dims,
                       uint64_t index, uint64_t cell[NDM_AXES_MAX])
{
    if (l->order == NDM_MORTON)
        ndm_morton_cell(bits, index, cell);
    else
        ndm_hilbert_cell(dims, bits[0], index, cell);
}

/* Set the bits of each axis; returns the number of elements in a tile. */
static uint64_t curve_bits(const struct ndm_layout *l, const struct ndm_geometry *g,
                           unsigned bits[NDM_AXES_MAX])
{
    uint64_t inside = 1;
    for (unsigned k = 0; k < NDM_AXES_MAX; k++) {
        bits[k] = k < g->dims ? bits_of(allocated(l, g, k) / curve_tile(l, k)) : 0;
        if (k < g->dims) inside *= curve_tile(l, k);
    }
    return inside;
}

static void curve_place(const struct ndm_layout *l, const struct ndm_geometry *g, uint64_t e,
                        uint64_t place[NDM_AXES_MAX])
{
    unsigned bits[NDM_AXES_MAX];
    const uint64_t inside = curve_bits(l, g, bits);
    curve_cell(l, bits, g->dims, e / inside, place);
    e %= inside;
    for (unsigned k = 0; k < g->dims; k++) {
        place[k] = place[k] * curve_tile(l, k) + e % curve_tile(l, k);
        e /= curve_tile(l, k);
    }
}

static uint64_t curve_element(const struct ndm_layout *l, const struct ndm_geometry *g,
                              const uint64_t place[NDM_AXES_MAX])
{
    unsigned bits[NDM_AXES_MAX];
    uint64_t cell[NDM_AXES_MAX] = {0}, e = 0;
    const uint64_t inside = curve_bits(l, g, bits);
    for (unsigned k = g->dims; k-- > 0;) {
        cell[k] = place[k] / curve_tile(l, k);
        e = e * curve_tile(l, k) + place[k] % curve_tile(l, k);
    }
    return e + inside * (l->order == NDM_MORTON ? ndm_morton_index(bits, cell)
                                                : ndm_hilbert_index(g->dims, bits[0], cell));
}

/* ---- strides ---- */

static bool strided_cell(const struct ndm_layout *l, const struct ndm_geometry *g, uint64_t element,
                         uint64_t cell[NDM_AXES_MAX])
{
    unsigned axes[NDM_AXES_MAX];
    const uint64_t base = strided_base(l, g);
    if (element < base) return false;
    uint64_t left = element - base;
    for (unsigned i = strided_axes(l, g, axes); i-- > 0;) {
        const unsigned k = axes[i];
        const uint64_t at = left / magnitude(l->stride[k]);
        if (at >= g->extents[k]) return false;
        left -= at * magnitude(l->stride[k]);
        cell[k] = l->stride[k] < 0 ? g->extents[k] - 1 - at : at;
    }
    return left < at_least_one(l->elements_per_cell);
}

static uint64_t strided_element(const struct ndm_layout *l, const struct ndm_geometry *g,
                                const uint64_t cell[NDM_AXES_MAX])
{
    uint64_t e = l->offset;
    for (unsigned k = 0; k < g->dims; k++)
        e += cell[k] * (uint64_t)l->stride[k]; /* wraps around, but the sum is correct for negative strides */
    return e;
}

/* ---- all of them ---- */

static uint64_t cells_allocated(const struct ndm_layout *l, const struct ndm_geometry *g)
{
    uint64_t n = 1;
    for (unsigned k = 0; k < g->dims; k++)
        n *= allocated(l, g, k);
    return n;
}

static uint64_t strided_elements(const struct ndm_layout *l, const struct ndm_geometry *g)
{
    uint64_t last = l->offset;
    for (unsigned k = 0; k < g->dims; k++)
        if (l->stride[k] > 0) last += (uint64_t)l->stride[k] * (g->extents[k] - 1);
    return last + at_least_one(l->elements_per_cell);
}

uint64_t ndm_layout_elements(const struct ndm_layout *l, const struct ndm_geometry *g)
{
    if (l->order == NDM_STRIDED) return strided_elements(l, g);
    return cells_allocated(l, g) * at_least_one(l->elements_per_cell);
}

/* Convert an allocated position to the domain's cell; false for ghosts and padding. */
static bool take_ghosts_off(const struct ndm_layout *l, const struct ndm_geometry *g,
                            uint64_t place[NDM_AXES_MAX])
{
    for (unsigned k = 0; k < g->dims; k++) {
        place[k] -= l->ghost_low[k]; /* wraps around for ghosts before the first cell */
        if (place[k] >= g->extents[k]) return false;
    }
    return true;
}

bool ndm_layout_cell(const struct ndm_layout *l, const struct ndm_geometry *g, uint64_t element,
                     uint64_t *out_cell)
{
    uint64_t at[NDM_AXES_MAX] = {0};
    if (l->order == NDM_STRIDED) {
        if (!strided_cell(l, g, element, at)) return false;
    } else {
        const uint64_t e = element / at_least_one(l->elements_per_cell);
        if (e >= cells_allocated(l, g)) return false;
        if (is_curve(l->order))
            curve_place(l, g, e, at);
        else
            ordered_place(l, g, e, at);
        if (!take_ghosts_off(l, g, at)) return false;
    }
    *out_cell = (at[2] * g->extents[1] + at[1]) * g->extents[0] + at[0];
    return true;
}

uint64_t ndm_layout_element(const struct ndm_layout *l, const struct ndm_geometry *g, uint64_t cell)
{
    uint64_t at[NDM_AXES_MAX];
    for (unsigned k = 0; k < NDM_AXES_MAX; k++) {
        at[k] = cell % g->extents[k];
        cell /= g->extents[k];
    }
    if (l->order == NDM_STRIDED) return strided_element(l, g, at);
    for (unsigned k = 0; k < g->dims; k++)
        at[k] += l->ghost_low[k];
    const uint64_t e = is_curve(l->order) ? curve_element(l, g, at) : ordered_element(l, g, at);
    return e * at_least_one(l->elements_per_cell);
}
