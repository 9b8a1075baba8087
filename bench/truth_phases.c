/* SPDX-License-Identifier: BSD-3-Clause */
/* A program whose time shares are known: it gathers, chases and streams for about 50, 30 and 20 % of its
 * time, each over arrays of its own, and measures what each really took. usage: truth_phases SECONDS prints
 * "gather S", "chase S", "stream S" in seconds */
#include "bench/bench_ring.h"

#include <loadstone/loadstone.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { GATHER, CHASE, STREAM, PHASES };
enum { ROUND_MS = 40 };

#define DATA_LEN ((size_t)32 << 20) /* doubles: 256 MiB */
#define INDEX_LEN ((size_t)4 << 20)
#define RING_BYTES ((size_t)128 << 20)
#define STREAM_LEN ((size_t)8 << 20)

struct arrays {
    double *data, *a, *b;
    uint32_t *index;
    char *ring;
    void *at;
    size_t gather_at, stream_at;
    double sink;
};

static void do_gather(struct arrays *x)
{
    double sum = 0;
    const size_t begin = x->gather_at, end = begin + 8192;
    for (size_t i = begin; i < end; i++)
        sum += x->data[x->index[i]];
    x->gather_at = end == INDEX_LEN ? 0 : end;
    x->sink += sum;
}

static void do_chase(struct arrays *x)
{
    x->at = bench_ring_walk(x->at, 1024);
}

static void do_stream(struct arrays *x)
{
    const size_t begin = x->stream_at, end = begin + 65536;
    for (size_t i = begin; i < end; i++)
        x->b[i] = 0.5 * x->a[i] + 1.0;
    x->stream_at = end == STREAM_LEN ? 0 : end;
}

struct phase {
    const char *name;
    void (*piece)(struct arrays *x);
    double share;
};

static const struct phase phases[PHASES] = {
    [GATHER] = {"gather", do_gather, 0.5},
    [CHASE] = {"chase", do_chase, 0.3},
    [STREAM] = {"stream", do_stream, 0.2},
};

static void *map_filled(size_t len_bytes)
{
    void *p =
        mmap(NULL, len_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (p == MAP_FAILED) {
        fprintf(stderr, "truth_phases: no memory\n");
        exit(1);
    }
    return p;
}

static void make_arrays(struct arrays *x)
{
    uint64_t state = 7;
    x->data = map_filled(DATA_LEN * sizeof(double));
    x->index = map_filled(INDEX_LEN * sizeof(uint32_t));
    x->a = map_filled(STREAM_LEN * sizeof(double));
    x->b = map_filled(STREAM_LEN * sizeof(double));
    x->ring = map_filled(RING_BYTES);
    for (size_t i = 0; i < INDEX_LEN; i++)
        x->index[i] = (uint32_t)(bench_random(&state) % DATA_LEN);
    if (bench_ring_make(x->ring, RING_BYTES) != 0) exit(1);
    x->at = x->ring;
}

static void describe(smr_tree *tree, smr_node *group, const struct smr_spec *spec)
{
    smr_node *node = NULL;
    if (smr_tree_insert(tree, spec, &node) != LS_OK || smr_node_add_member(group, node) != LS_OK) {
        fprintf(stderr, "truth_phases: %s\n", ls_last_error());
        exit(1);
    }
}

#define RANGE(name, p, len)                                                                       \
    &(struct smr_spec)                                                                            \
    {                                                                                             \
        .label = name, .start = p, .end = (p) + (len), .elem_size_bytes = sizeof(*(p)), .dims = 1 \
    }

static void describe_all(const struct arrays *x)
{
    smr_tree *tree = NULL;
    smr_node *groups[PHASES];
    if (smr_tree_new(&tree) != LS_OK) exit(1);
    for (int i = 0; i < PHASES; i++)
        if (smr_tree_insert_group(tree, phases[i].name, &groups[i]) != LS_OK) exit(1);
    describe(tree, groups[GATHER], RANGE("data", x->data, DATA_LEN));
    describe(tree, groups[GATHER], RANGE("index", x->index, INDEX_LEN));
    describe(tree, groups[CHASE], RANGE("ring", x->ring, RING_BYTES));
    describe(tree, groups[STREAM], RANGE("a", x->a, STREAM_LEN));
    describe(tree, groups[STREAM], RANGE("b", x->b, STREAM_LEN));
}

/* One phase for its part of a round; returns what it took. */
static double run_phase(const struct phase *phase, struct arrays *x)
{
    const double begin = bench_now_s(), least = phase->share * ROUND_MS * 1e-3;
    double took = 0;
    loadstone_phase_begin(phase->name);
    do {
        phase->piece(x);
        took = bench_now_s() - begin;
    } while (took < least);
    loadstone_phase_end(phase->name);
    return took;
}

int main(int argc, char **argv)
{
    const double seconds = argc > 1 ? strtod(argv[1], NULL) : 10;
    static struct arrays x;
    double took[PHASES] = {0};
    make_arrays(&x);
    describe_all(&x);
    loadstone_start();
    for (const double begin = bench_now_s(); bench_now_s() - begin < seconds;)
        for (int i = 0; i < PHASES; i++)
            took[i] += run_phase(&phases[i], &x);
    loadstone_stop();
    for (int i = 0; i < PHASES; i++)
        printf("%s %.6f\n", phases[i].name, took[i]);
    fprintf(stderr, "%g\n", x.sink);
    return 0;
}
