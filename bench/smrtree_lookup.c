/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost of look-ups and updates of live ranges, and of look-ups in the frozen index, at 10^3 to 10^6 ranges.
 * usage: smrtree_lookup        prints a table in Markdown; figures are medians over batches of random
 * addresses */
#include "common/ls_clock.h"
#include "common/ls_random.h"
#include "smrtree/smr_live.h"

#include <stdio.h>
#include <stdlib.h>

#define BATCH_LEN 4096u
#define BATCHES 301u
#define SLOT_BYTES UINT64_C(8192) /* a range and the gap after it share one */
#define FIRST_BASE UINT64_C(0x7f0000000000)

static uint64_t rng_state = 88172645463325252u;

static uint64_t rng_next(void)
{
    return ls_random_next(&rng_state);
}

struct bench {
    smr_live *live;
    smr_index *frozen;
    uint32_t ranges;
    uint64_t addrs[BATCH_LEN];
    uint32_t values[BATCH_LEN];
    uint64_t sum; /* printed, so that no look-up is optimised away */
};

static uint64_t slot_base(uint64_t slot)
{
    return FIRST_BASE + slot * SLOT_BYTES;
}

/* Slots are registered in random order; lengths from 64 bytes to 7/8 of a slot. */
static void fill(struct bench *b)
{
    uint32_t *order = malloc(b->ranges * sizeof(*order));
    if (!order || !b->live) exit(1);
    for (uint32_t i = 0; i < b->ranges; i++)
        order[i] = i;
    for (uint32_t i = b->ranges - 1; i > 0; i--) {
        const uint32_t j = (uint32_t)(rng_next() % (i + 1)), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    for (uint32_t i = 0; i < b->ranges; i++) {
        const uint64_t base = slot_base(order[i]), len_bytes = 64 + rng_next() % (SLOT_BYTES * 7 / 8 - 64);
        if (smr_live_insert(b->live, base, base + len_bytes, order[i]) != LS_OK) exit(1);
    }
    free(order);
}

static void draw_addresses(struct bench *b)
{
    for (uint32_t i = 0; i < BATCH_LEN; i++)
        b->addrs[i] = FIRST_BASE + rng_next() % (b->ranges * SLOT_BYTES);
}

static void run_live_find(struct bench *b)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < BATCH_LEN; i++)
        b->sum += smr_live_find(b->live, b->addrs[i], &value) ? value : 1;
}

/* One removal and one insertion of the same slot. */
static void run_live_update(struct bench *b)
{
    for (uint32_t i = 0; i < BATCH_LEN; i++) {
        const uint32_t slot = (uint32_t)((b->addrs[i] - FIRST_BASE) / SLOT_BYTES);
        const uint64_t base = slot_base(slot);
        if (smr_live_remove(b->live, base, slot) != LS_OK) exit(1);
        if (smr_live_insert(b->live, base, base + 4096, slot) != LS_OK) exit(1);
    }
}

static void run_frozen_find(struct bench *b)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < BATCH_LEN; i++)
        b->sum += smr_index_find(b->frozen, b->addrs[i], &value) ? value : 1;
}

static void run_frozen_bulk(struct bench *b)
{
    smr_index_find_bulk(b->frozen, b->addrs, BATCH_LEN, b->values);
    b->sum += b->values[b->sum % BATCH_LEN];
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_ns(struct bench *b, void (*run)(struct bench *), unsigned ops)
{
    static double ns[BATCHES];
    for (unsigned i = 0; i < BATCHES; i++) {
        draw_addresses(b);
        const uint64_t begin_ns = ls_clock_mono_ns();
        run(b);
        ns[i] = (double)(ls_clock_mono_ns() - begin_ns) / (BATCH_LEN * ops);
    }
    qsort(ns, BATCHES, sizeof(ns[0]), by_value);
    return ns[BATCHES / 2];
}

struct column {
    const char *name;
    void (*run)(struct bench *);
    unsigned ops; /* operations an address */
};

static const struct column columns[] = {
    {"frozen, bulk", run_frozen_bulk, 1},
    {"frozen, single", run_frozen_find, 1},
    {"AVL find", run_live_find, 1},
    {"AVL update", run_live_update, 2}, /* changes the ranges: last */
};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static void print_row(struct bench *b, double *before)
{
    printf("| %u |", b->ranges);
    for (size_t i = 0; i < COLUMNS; i++) {
        const double ns = median_ns(b, columns[i].run, columns[i].ops);
        if (before[i] > 0)
            printf(" %.1f (x %.1f) |", ns, ns / before[i]);
        else
            printf(" %.1f |", ns);
        before[i] = ns;
    }
    printf("\n");
    fflush(stdout);
}

int main(void)
{
    static struct bench b;
    double before[COLUMNS] = {0};
    printf("| live ranges |");
    for (size_t i = 0; i < COLUMNS; i++)
        printf(" %s, ns |", columns[i].name);
    printf("\n|---|---|---|---|---|\n");
    for (b.ranges = 1000; b.ranges <= 1000000; b.ranges *= 10) {
        b.live = smr_live_new();
        fill(&b);
        if (smr_live_freeze(b.live, &b.frozen) != LS_OK) return 1;
        print_row(&b, before);
        smr_index_free(b.frozen);
        smr_live_free(b.live);
    }
    fprintf(stderr, "checksum %llu\n", (unsigned long long)b.sum);
    return 0;
}
