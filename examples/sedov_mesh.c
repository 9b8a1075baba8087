/* SPDX-License-Identifier: BSD-3-Clause */
/* The mesh of the explosion: a cube of n^3 hexahedra, described as an unstructured mesh, in the requested
 * numbering. */
#include "sedov.h"

#include <string.h>

/* xorshift64* (Marsaglia 2003, Vigna 2016): the same numbers everywhere. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static void shuffle(int32_t *a, size_t count)
{
    uint64_t state = 42;
    for (size_t i = count; i > 1; i--) {
        const size_t other = (size_t)((next_random(&state) >> 11) % i);
        const int32_t kept = a[i - 1];
        a[i - 1] = a[other];
        a[other] = kept;
    }
}

/* The points of a lattice of side^3 in the order of their numbers: first those below `inner` along each axis,
 * at random, then the others along x, y, z. */
static int32_t *number(size_t side, size_t inner)
{
    const size_t count = side * side * side;
    int32_t *sequence = example_allocate(count, sizeof(*sequence));
    size_t front = 0, back = inner * inner * inner;
    for (size_t k = 0; k < side; k++)
        for (size_t j = 0; j < side; j++)
            for (size_t i = 0; i < side; i++)
                sequence[i < inner && j < inner && k < inner ? front++ : back++] =
                    (int32_t)(i + side * (j + side * k));
    shuffle(sequence, front);
    return sequence;
}

static void place_nodes(struct sedov_mesh *m, const int32_t *sequence)
{
    const size_t side = m->n + 1;
    for (size_t p = 0; p < m->nodes; p++) {
        const size_t at = (size_t)sequence[p];
        m->x0[p][0] = m->edge * (double)(at % side) / (double)m->n;
        m->x0[p][1] = m->edge * (double)(at / side % side) / (double)m->n;
        m->x0[p][2] = m->edge * (double)(at / side / side) / (double)m->n;
    }
}

static void join_nodes(struct sedov_mesh *m, const int32_t *node_at)
{
    /* VTK's hexahedron: around the bottom, then around the top */
    static const size_t corner[CORNERS][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                              {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    const size_t n = m->n, side = n + 1;
    for (size_t z = 0; z < m->elements; z++) {
        const size_t at = (size_t)m->lattice[z], i = at % n, j = at / n % n, k = at / n / n;
        for (int c = 0; c < CORNERS; c++)
            m->node_of[z][c] =
                node_at[i + corner[c][0] + side * (j + corner[c][1] + side * (k + corner[c][2]))];
    }
}

/* first and corner from node_of: count, sum up, fill. */
static void list_corners(struct sedov_mesh *m)
{
    const int32_t *node = m->node_of[0];
    for (size_t c = 0; c < CORNERS * m->elements; c++)
        m->first[node[c] + 1]++;
    for (size_t p = 0; p < m->nodes; p++)
        m->first[p + 1] += m->first[p];
    int32_t *filled = example_allocate(m->nodes, sizeof(*filled));
    for (size_t c = 0; c < CORNERS * m->elements; c++)
        m->corner[m->first[node[c]] + filled[node[c]]++] = (int32_t)c;
    free(filled);
}

/* Every third bit of the result, from the lowest. */
static uint64_t spread_bits(uint64_t v)
{
    uint64_t out = 0;
    for (int bit = 0; bit < 20; bit++)
        out |= (v >> bit & 1) << (3 * bit);
    return out;
}

struct keyed {
    uint64_t key;
    int32_t element;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *left = a, *right = b;
    return (left->key > right->key) - (left->key < right->key);
}

/* The position of an element's centre on a Z curve (Morton 1966) through the cube. */
static uint64_t curve_key(const struct sedov_mesh *m, size_t element)
{
    uint64_t key = 0;
    for (int d = 0; d < 3; d++) {
        double centre = 0;
        for (int c = 0; c < CORNERS; c++)
            centre += m->x0[m->node_of[element][c]][d] / CORNERS;
        key |= spread_bits((uint64_t)(centre / m->edge * 1048575)) << d;
    }
    return key;
}

static void take_elements(struct sedov_mesh *m, const struct keyed *sorted)
{
    corners_of *node_of = example_allocate(m->elements, sizeof(*node_of));
    int32_t *lattice = example_allocate(m->elements, sizeof(*lattice));
    for (size_t z = 0; z < m->elements; z++) {
        memcpy(node_of[z], m->node_of[sorted[z].element], sizeof(*node_of));
        lattice[z] = m->lattice[sorted[z].element];
    }
    free(m->node_of);
    free(m->lattice);
    m->node_of = node_of;
    m->lattice = lattice;
}

/* Nodes in the order in which the elements first touch them. */
static void take_nodes(struct sedov_mesh *m)
{
    int32_t *number = example_allocate(m->nodes, sizeof(*number)), used = 0;
    vec3 *x0 = example_allocate(m->nodes, sizeof(*x0));
    for (size_t z = 0; z < m->elements; z++)
        for (int c = 0; c < CORNERS; c++) {
            const int32_t old = m->node_of[z][c];
            if (!number[old]) {
                memcpy(x0[used], m->x0[old], sizeof(vec3));
                number[old] = ++used;
            }
            m->node_of[z][c] = number[old] - 1;
        }
    free(number);
    free(m->x0);
    m->x0 = x0;
}

/* Works on any mesh: it looks at coordinates and connectivity only. */
static void renumber_along_curve(struct sedov_mesh *m)
{
    struct keyed *keys = example_allocate(m->elements, sizeof(*keys));
    for (size_t z = 0; z < m->elements; z++)
        keys[z] = (struct keyed){curve_key(m, z), (int32_t)z};
    qsort(keys, m->elements, sizeof(*keys), by_key);
    take_elements(m, keys);
    take_nodes(m);
    free(keys);
}

void sedov_mesh_build(struct sedov_mesh *m, size_t n, double edge, enum sedov_order order)
{
    const size_t inner[] = {
        [SEDOV_LATTICE] = 0, [SEDOV_MIXED] = n / 2, [SEDOV_RANDOM] = n, [SEDOV_CURVE] = n / 2};
    const size_t side = n + 1;
    *m = (struct sedov_mesh){.n = n, .edge = edge, .elements = n * n * n, .nodes = side * side * side};
    m->node_of = example_allocate(m->elements, sizeof(*m->node_of));
    m->x0 = example_allocate(m->nodes, sizeof(*m->x0));
    m->first = example_allocate(m->nodes + 1, sizeof(*m->first));
    m->corner = example_allocate(CORNERS * m->elements, sizeof(*m->corner));
    m->lattice = number(n, inner[order]);

    int32_t *sequence = number(side, order == SEDOV_RANDOM ? side : inner[order]);
    int32_t *node_at = example_allocate(m->nodes, sizeof(*node_at));
    for (size_t p = 0; p < m->nodes; p++)
        node_at[sequence[p]] = (int32_t)p;
    place_nodes(m, sequence);
    join_nodes(m, node_at);
    free(node_at);
    free(sequence);
    if (order == SEDOV_CURVE) renumber_along_curve(m);
    list_corners(m);
}

void sedov_mesh_free(struct sedov_mesh *m)
{
    free(m->node_of);
    free(m->x0);
    free(m->lattice);
    free(m->first);
    free(m->corner);
}
