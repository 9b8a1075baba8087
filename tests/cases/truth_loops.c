/* SPDX-License-Identifier: BSD-3-Clause */
/* Each access of a loop is one instruction: ONE_BY_ONE keeps compilers from combining several. */
#include "tests/cases/truth_loops.h"

#include <loadstone/loadstone.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALONE __attribute__((noinline))
#define ONE_BY_ONE() __asm__ volatile("" ::: "memory")

static smr_tree *tree; /* for the whole run */

static void *array(const char *label, size_t count, size_t elem_size_bytes)
{
    char *start = calloc(count, elem_size_bytes);
    const struct smr_spec spec = {.label = label,
                                  .start = start,
                                  .end = start + count * elem_size_bytes,
                                  .elem_size_bytes = elem_size_bytes,
                                  .dims = 1};
    smr_node *node;
    if (!start || smr_tree_insert(tree, &spec, &node) != LS_OK) {
        fprintf(stderr, "%s: %s\n", label, start ? ls_last_error() : "no memory");
        exit(1);
    }
    /* memory that was never written is one page of zeros, wherever it is read */
    for (size_t at = 0; at < count * elem_size_bytes; at += 512)
        *(volatile char *)(start + at) = 0;
    return start;
}

/* Numbers that other languages compute alike: a linear congruential generator (Knuth's MMIX). */
static uint64_t step(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* --- sparse matrix times vector: rows of 1 to 7 entries --- */

struct spmv {
    size_t n;
    int64_t *first, *col;
    double *a, *x, *y;
};

static void *spmv_make(size_t n)
{
    struct spmv *s = calloc(1, sizeof(*s));
    uint64_t state = 1;
    s->n = n;
    s->first = array("first", n + 1, sizeof(int64_t));
    s->col = array("col", 7 * n, sizeof(int64_t));
    s->a = array("a", 7 * n, sizeof(double));
    s->x = array("x", n, sizeof(double));
    s->y = array("y", n, sizeof(double));
    for (size_t i = 0; i < n; i++) {
        const size_t entries = 1 + step(&state) % 7;
        s->first[i + 1] = s->first[i];
        for (size_t k = 0; k < entries; k++) {
            s->a[s->first[i + 1]] = 1;
            s->col[s->first[i + 1]++] = (int64_t)(step(&state) % n);
        }
    }
    return s;
}

ALONE static double spmv_run(void *arg)
{
    const struct spmv *s = arg;
    const int64_t *first = s->first, *col = s->col;
    const double *a = s->a, *x = s->x;
    double *y = s->y;
    const size_t n = s->n;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        const int64_t end = first[i + 1];
        for (int64_t k = first[i]; k < end; k++) {
            sum += a[k] * x[col[k]];
            ONE_BY_ONE();
        }
        y[i] = sum;
    }
    return y[n - 1];
}

/* --- hash join: open addressing, a table twice as large as the build side, n keys probed --- */

struct hash {
    size_t n, mask;
    uint64_t *slots, *payload, *probes;
};

static size_t hash_of(uint64_t key, size_t mask)
{
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) & mask;
}

static void *hash_make(size_t n)
{
    struct hash *h = calloc(1, sizeof(*h));
    uint64_t state = 2;
    size_t slots = 4;
    while (slots < 2 * n)
        slots *= 2;
    h->n = n;
    h->mask = slots - 1;
    h->slots = array("slots", slots, sizeof(uint64_t));
    h->payload = array("payload", slots, sizeof(uint64_t));
    h->probes = array("probes", n, sizeof(uint64_t));
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = 1 + step(&state) % (2 * n);
        size_t at = hash_of(key, h->mask);
        while (h->slots[at] != 0 && h->slots[at] != key)
            at = (at + 1) & h->mask;
        h->slots[at] = key;
        h->payload[at] = i;
    }
    for (size_t i = 0; i < n; i++)
        h->probes[i] = 1 + step(&state) % (2 * n);
    return h;
}

ALONE static double hash_run(void *arg)
{
    const struct hash *h = arg;
    const uint64_t *slots = h->slots, *payload = h->payload, *probes = h->probes;
    const size_t n = h->n, mask = h->mask;
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = probes[i];
        size_t at = hash_of(key, mask) - 1;
        uint64_t slot;
        do { /* a single load, which no compiler copies */
            at = (at + 1) & mask;
            slot = slots[at];
            ONE_BY_ONE();
        } while (slot != 0 && slot != key);
        if (slot == key) sum += payload[at];
        ONE_BY_ONE();
    }
    return (double)sum;
}

/* --- 3-D stencil: the seven points, without the boundary; n planes of (n + 1) rows of (n + 2) --- */

struct stencil {
    size_t n;
    double *in, *out;
};

static void *stencil_make(size_t n)
{
    struct stencil *s = calloc(1, sizeof(*s));
    s->n = n;
    s->in = array("in", n * (n + 1) * (n + 2), sizeof(double));
    s->out = array("out", n * (n + 1) * (n + 2), sizeof(double));
    return s;
}

ALONE static double stencil_run(void *arg)
{
    const struct stencil *s = arg;
    const double *in = s->in;
    double *out = s->out;
    const size_t row = s->n + 2, plane = row * (s->n + 1), n = s->n;
    for (size_t z = 1; z + 1 < n; z++)
        for (size_t y = 1; y + 1 < n + 1; y++)
            for (size_t x = 1; x + 1 < n + 2; x++) {
                const size_t at = z * plane + y * row + x;
                double sum = in[at];
                ONE_BY_ONE();
                sum += in[at - 1];
                ONE_BY_ONE();
                sum += in[at + 1];
                ONE_BY_ONE();
                sum += in[at - row];
                ONE_BY_ONE();
                sum += in[at + row];
                ONE_BY_ONE();
                sum += in[at - plane];
                ONE_BY_ONE();
                sum += in[at + plane];
                out[at] = sum;
                ONE_BY_ONE();
            }
    return out[plane + row + 1];
}

/* --- dense matrix product, n x n, the textbook's three loops --- */

struct matmul {
    size_t n;
    double *a, *b, *c;
};

static void *matmul_make(size_t n)
{
    struct matmul *m = calloc(1, sizeof(*m));
    m->n = n;
    m->a = array("A", n * n, sizeof(double));
    m->b = array("B", n * n, sizeof(double));
    m->c = array("C", n * n, sizeof(double));
    return m;
}

ALONE static double matmul_run(void *arg)
{
    const struct matmul *m = arg;
    const double *a = m->a, *b = m->b;
    double *c = m->c;
    const size_t n = m->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++) {
                sum += a[i * n + k] * b[k * n + j];
                ONE_BY_ONE();
            }
            c[i * n + j] = sum;
        }
    return c[n * n - 1];
}

/* --- a list of n nodes of 64 bytes in random order --- */

struct node {
    struct node *next;
    uint64_t value, rest[6];
};

struct list {
    struct node *nodes;
};

static void *list_make(size_t n)
{
    struct list *l = calloc(1, sizeof(*l));
    size_t *order = calloc(n, sizeof(*order));
    uint64_t state = 3;
    l->nodes = array("nodes", n, sizeof(struct node));
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t i = n - 1; i > 1; i--) { /* node 0 stays the first */
        const size_t k = 1 + step(&state) % i, kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
    for (size_t i = 0; i + 1 < n; i++)
        l->nodes[order[i]].next = &l->nodes[order[i + 1]];
    free(order);
    return l;
}

ALONE static double list_run(void *arg)
{
    const struct list *l = arg;
    uint64_t sum = 0;
    for (const struct node *node = l->nodes; node; node = node->next) {
        sum += node->value;
        ONE_BY_ONE();
    }
    return (double)sum;
}

/* --- histogram: n values into n / 4 bins --- */

struct histogram {
    size_t n;
    uint64_t *data, *bins;
};

static void *histogram_make(size_t n)
{
    struct histogram *h = calloc(1, sizeof(*h));
    uint64_t state = 4;
    h->n = n;
    h->data = array("data", n, sizeof(uint64_t));
    h->bins = array("bins", n / 4, sizeof(uint64_t));
    for (size_t i = 0; i < n; i++)
        h->data[i] = (step(&state) % (n / 4) + step(&state) % (n / 4)) / 2;
    return h;
}

ALONE static double histogram_run(void *arg)
{
    const struct histogram *h = arg;
    const uint64_t *data = h->data;
    uint64_t *bins = h->bins;
    const size_t n = h->n;
    for (size_t i = 0; i < n; i++) {
        bins[data[i]]++;
        ONE_BY_ONE();
    }
    return (double)n;
}

/* --- one field of an array of structures of 7 doubles --- */

struct fields {
    size_t n;
    double *particles;
};

static void *fields_make(size_t n)
{
    struct fields *f = calloc(1, sizeof(*f));
    f->n = n;
    f->particles = array("particles", 7 * n, sizeof(double));
    return f;
}

ALONE static double fields_run(void *arg)
{
    const struct fields *f = arg;
    const double *particles = f->particles;
    const size_t n = f->n;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += particles[7 * i + 4];
        ONE_BY_ONE();
    }
    return sum;
}

/* --- the bit-reversal shuffle of a fast Fourier transform, 2^n values --- */

struct shuffle {
    unsigned bits;
    double *values;
};

static void *shuffle_make(size_t n)
{
    struct shuffle *s = calloc(1, sizeof(*s));
    s->bits = n < 30 ? (unsigned)n : 30;
    s->values = array("values", (size_t)1 << s->bits, sizeof(double));
    return s;
}

ALONE static double shuffle_run(void *arg)
{
    const struct shuffle *s = arg;
    double *values = s->values;
    const size_t n = (size_t)1 << s->bits;
    size_t k = 0; /* i with its bits reversed: counts from the other end (Gold and Rader, 1969) */
    for (size_t i = 0; i < n; i++) {
        if (i < k) {
            const double x = values[i];
            ONE_BY_ONE();
            const double y = values[k];
            ONE_BY_ONE();
            values[i] = y;
            ONE_BY_ONE();
            values[k] = x;
            ONE_BY_ONE();
        }
        size_t bit = n >> 1;
        for (; bit > 0 && (k & bit); bit >>= 1)
            k ^= bit;
        k |= bit;
    }
    return (double)n;
}

/* --- two loops: one has an access in each turn, the other computes far longer for each --- */

struct uneven {
    size_t n;
    double *often, *seldom;
};

static void *uneven_make(size_t n)
{
    struct uneven *u = calloc(1, sizeof(*u));
    u->n = n;
    u->often = array("often", n, sizeof(double));
    u->seldom = array("seldom", n, sizeof(double));
    return u;
}

ALONE static double uneven_run(void *arg)
{
    enum { OFTEN = 16, CHAIN = 12, APART = 7 };
    const struct uneven *u = arg;
    const double *often = u->often, *seldom = u->seldom;
    const size_t n = u->n;
    double sum = 0;
    for (size_t i = 0; i < OFTEN * n; i++) {
        sum += often[i * APART % n];
        ONE_BY_ONE();
    }
    for (size_t i = 0; i < n; i++) {
        double x = seldom[i * APART % n];
        ONE_BY_ONE();
        for (int k = 0; k < CHAIN; k++)
            x = x * 0.999 + 0.5;
        sum += x;
    }
    return sum;
}

static const struct truth_loop loops[] = {
    {"spmv", 3000, spmv_make, spmv_run},        {"hash", 4000, hash_make, hash_run},
    {"stencil", 14, stencil_make, stencil_run}, {"matmul", 24, matmul_make, matmul_run},
    {"list", 5000, list_make, list_run},        {"histogram", 8000, histogram_make, histogram_run},
    {"fields", 8000, fields_make, fields_run},  {"shuffle", 13, shuffle_make, shuffle_run},
    {"uneven", 4096, uneven_make, uneven_run},
};

const struct truth_loop *truth_loop_find(const char *name)
{
    if (!tree && smr_tree_new(&tree) != LS_OK) return NULL;
    for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++)
        if (strcmp(loops[i].name, name) == 0) return &loops[i];
    return NULL;
}
