/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/kn_kernel.h"

#include <strings.h>

#define REPLAY(name_, operation_, words_, n, loads_, index_loads_)                                           \
    {                                                                                                        \
        .name = name_, .title = name_, .operation = operation_, .words = words_, .family = KN_FAMILY_REPLAY, \
        .group = KN_GROUP_REPLAY, .paper = {n, 0, 0}, .code = {n, 0, 0}, .loads = loads_, .stores = 1,       \
        .index_loads = index_loads_                                                                          \
    }

#define STREAM(name_, title_, operation_, words_, group_, op_, elements, indices_, flops, to_, from_,     \
               from2_)                                                                                    \
    {                                                                                                     \
        .name = name_, .title = title_, .operation = operation_, .words = words_,                         \
        .family = KN_FAMILY_STREAM, .group = group_, .paper = {elements, 0, flops},                       \
        .code = {elements, indices_, flops}, .loads = (elements)-1, .stores = 1, .index_loads = indices_, \
        .op = op_, .to = to_, .from = from_, .from2 = from2_                                              \
    }

#define A(at)                  \
    {                          \
        KN_ARRAY_A, KN_AT_##at \
    }
#define B(at)                  \
    {                          \
        KN_ARRAY_B, KN_AT_##at \
    }
#define C(at)                  \
    {                          \
        KN_ARRAY_C, KN_AT_##at \
    }
#define NO                     \
    {                          \
        KN_ARRAY_A, KN_AT_NONE \
    }

/* Replays: Spatter counts the elements of the sparse side once (gs: both sides), indices never. STREAM
 * kernels: bytes of the paper are RaiderSTREAM's table I; its program counts the indices too. The paper
 * writes one indexed operand in gather sum and triad, the program has two: these are the program's. */
const struct kn_kernel kn_kernels[] = {
    REPLAY("gather", "dense[j + len (i mod wrap)] = sparse[p[j] + delta i]",
           "indexed loads, sequential stores", 1, 1, 1),
    REPLAY("scatter", "sparse[p[j] + delta i] = dense[j + len (i mod wrap)]",
           "sequential loads, indexed stores", 1, 1, 1),
    REPLAY("gs", "to[s[j] + deltaS i] = from[g[j] + deltaG i]", "indexed loads, indexed stores", 2, 1, 2),
    REPLAY("multigather", "dense[j + len (i mod wrap)] = sparse[p[g[j]] + delta i]",
           "loads by two levels of indices", 1, 1, 2),
    REPLAY("multiscatter", "sparse[p[s[j]] + delta i] = dense[j + len (i mod wrap)]",
           "stores by two levels of indices", 1, 1, 2),

    STREAM("copy", "Copy", "c[j] = a[j]", "copy", KN_GROUP_SEQUENTIAL, KN_OP_COPY, 2, 0, 0, C(J), A(J), NO),
    STREAM("scale", "Scale", "b[j] = q c[j]", "multiply by a number", KN_GROUP_SEQUENTIAL, KN_OP_SCALE, 2, 0,
           1, B(J), C(J), NO),
    STREAM("sum", "Add", "c[j] = a[j] + b[j]", "add", KN_GROUP_SEQUENTIAL, KN_OP_SUM, 3, 0, 1, C(J), A(J),
           B(J)),
    STREAM("triad", "Triad", "a[j] = b[j] + q c[j]", "multiply and add", KN_GROUP_SEQUENTIAL, KN_OP_TRIAD, 3,
           0, 2, A(J), B(J), C(J)),

    STREAM("gather-copy", "GATHER Copy", "c[j] = a[I1[j]]", "copy, loads at random", KN_GROUP_GATHER,
           KN_OP_COPY, 2, 1, 0, C(J), A(I1), NO),
    STREAM("gather-scale", "GATHER Scale", "b[j] = q c[I2[j]]", "scale, loads at random", KN_GROUP_GATHER,
           KN_OP_SCALE, 2, 1, 1, B(J), C(I2), NO),
    STREAM("gather-sum", "GATHER Add", "c[j] = a[I1[j]] + b[I2[j]]", "add, loads at random", KN_GROUP_GATHER,
           KN_OP_SUM, 3, 2, 1, C(J), A(I1), B(I2)),
    STREAM("gather-triad", "GATHER Triad", "a[j] = b[I1[j]] + q c[I2[j]]", "triad, loads at random",
           KN_GROUP_GATHER, KN_OP_TRIAD, 3, 2, 2, A(J), B(I1), C(I2)),

    STREAM("scatter-copy", "SCATTER Copy", "c[I1[j]] = a[j]", "copy, stores at random", KN_GROUP_SCATTER,
           KN_OP_COPY, 2, 1, 0, C(I1), A(J), NO),
    STREAM("scatter-scale", "SCATTER Scale", "b[I2[j]] = q c[j]", "scale, stores at random", KN_GROUP_SCATTER,
           KN_OP_SCALE, 2, 1, 1, B(I2), C(J), NO),
    STREAM("scatter-sum", "SCATTER Add", "c[I1[j]] = a[j] + b[j]", "add, stores at random", KN_GROUP_SCATTER,
           KN_OP_SUM, 3, 1, 1, C(I1), A(J), B(J)),
    STREAM("scatter-triad", "SCATTER Triad", "a[I2[j]] = b[j] + q c[j]", "triad, stores at random",
           KN_GROUP_SCATTER, KN_OP_TRIAD, 3, 1, 2, A(I2), B(J), C(J)),

    STREAM("sg-copy", "SG Copy", "c[I1[j]] = a[I2[j]]", "copy, loads and stores at random", KN_GROUP_SG,
           KN_OP_COPY, 2, 2, 0, C(I1), A(I2), NO),
    STREAM("sg-scale", "SG Scale", "b[I2[j]] = q c[I1[j]]", "scale, loads and stores at random", KN_GROUP_SG,
           KN_OP_SCALE, 2, 2, 1, B(I2), C(I1), NO),
    STREAM("sg-sum", "SG Add", "c[I1[j]] = a[I2[j]] + b[I3[j]]", "add, loads and stores at random",
           KN_GROUP_SG, KN_OP_SUM, 3, 3, 1, C(I1), A(I2), B(I3)),
    STREAM("sg-triad", "SG Triad", "a[I2[j]] = b[I3[j]] + q c[I1[j]]", "triad, loads and stores at random",
           KN_GROUP_SG, KN_OP_TRIAD, 3, 3, 2, A(I2), B(I3), C(I1)),

    STREAM("central-copy", "CENTRAL Copy", "c[0] = a[0]", "copy, always the first element", KN_GROUP_CENTRAL,
           KN_OP_COPY, 2, 0, 0, C(0), A(0), NO),
    STREAM("central-scale", "CENTRAL Scale", "b[0] = q c[0]", "scale, always the first element",
           KN_GROUP_CENTRAL, KN_OP_SCALE, 2, 0, 1, B(0), C(0), NO),
    STREAM("central-sum", "CENTRAL Add", "c[0] = a[0] + b[0]", "add, always the first element",
           KN_GROUP_CENTRAL, KN_OP_SUM, 3, 0, 1, C(0), A(0), B(0)),
    STREAM("central-triad", "CENTRAL Triad", "a[0] = b[0] + q c[0]", "triad, always the first element",
           KN_GROUP_CENTRAL, KN_OP_TRIAD, 3, 0, 2, A(0), B(0), C(0)),

    STREAM("hotspot-copy", "HOTSPOT Copy", "c[j] = a[H1[j]]", "copy, most loads from a few elements",
           KN_GROUP_HOTSPOT, KN_OP_COPY, 2, 1, 0, C(J), A(I1), NO),
    STREAM("hotspot-scale", "HOTSPOT Scale", "b[j] = q c[H2[j]]", "scale, most loads from a few elements",
           KN_GROUP_HOTSPOT, KN_OP_SCALE, 2, 1, 1, B(J), C(I2), NO),
    STREAM("hotspot-sum", "HOTSPOT Add", "c[j] = a[H1[j]] + b[H2[j]]", "add, most loads from a few elements",
           KN_GROUP_HOTSPOT, KN_OP_SUM, 3, 2, 1, C(J), A(I1), B(I2)),
    STREAM("hotspot-triad", "HOTSPOT Triad", "a[j] = b[H1[j]] + q c[H2[j]]",
           "triad, most loads from a few elements", KN_GROUP_HOTSPOT, KN_OP_TRIAD, 3, 2, 2, A(J), B(I1),
           C(I2)),

    STREAM("stride-copy", "STRIDE Copy", "c[N j] = a[N j]", "copy, every Nth element", KN_GROUP_STRIDE,
           KN_OP_COPY, 2, 0, 0, C(STRIDE), A(STRIDE), NO),
    STREAM("stride-scale", "STRIDE Scale", "b[N j] = q c[N j]", "scale, every Nth element", KN_GROUP_STRIDE,
           KN_OP_SCALE, 2, 0, 1, B(STRIDE), C(STRIDE), NO),
    STREAM("stride-sum", "STRIDE Add", "c[N j] = a[N j] + b[N j]", "add, every Nth element", KN_GROUP_STRIDE,
           KN_OP_SUM, 3, 0, 1, C(STRIDE), A(STRIDE), B(STRIDE)),
    STREAM("stride-triad", "STRIDE Triad", "a[N j] = b[N j] + q c[N j]", "triad, every Nth element",
           KN_GROUP_STRIDE, KN_OP_TRIAD, 3, 0, 2, A(STRIDE), B(STRIDE), C(STRIDE)),

    {.name = "chase",
     .title = "CHASE",
     .operation = "p = next[p]",
     .words = "each load waits for the one before",
     .family = KN_FAMILY_CHASE,
     .group = KN_GROUP_CHASE,
     .paper = {1, 0, 0},
     .code = {1, 0, 0},
     .loads = 1,
     .stores = 0,
     .index_loads = 0},
};
const unsigned kn_kernels_len = sizeof(kn_kernels) / sizeof(kn_kernels[0]);

static const char *const group_names[] = {
    [KN_GROUP_SEQUENTIAL] = "sequential", [KN_GROUP_GATHER] = "gather",
    [KN_GROUP_SCATTER] = "scatter",       [KN_GROUP_SG] = "sg",
    [KN_GROUP_CENTRAL] = "central",       [KN_GROUP_HOTSPOT] = "hotspot",
    [KN_GROUP_STRIDE] = "stride",         [KN_GROUP_CHASE] = "chase",
    [KN_GROUP_REPLAY] = "replay"};

const struct kn_kernel *kn_kernel_find(const char *name)
{
    for (unsigned k = 0; k < kn_kernels_len; k++)
        if (strcasecmp(kn_kernels[k].name, name) == 0) return &kn_kernels[k];
    return NULL;
}

const struct kn_kernel *kn_kernel_of_pattern(enum pat_kernel k)
{
    return kn_kernel_find(pat_kernel_name(k));
}

const char *kn_group_name(enum kn_group g)
{
    return group_names[g];
}

uint64_t kn_count_bytes(const struct kn_count *c, unsigned element_bytes, unsigned index_bytes)
{
    return (uint64_t)c->elements * element_bytes + (uint64_t)c->indices * index_bytes;
}
