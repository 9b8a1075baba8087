/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the accesses in spool files with what step_victim said about its instructions:
 * step_check EXPECTATIONS FILE...  Status 0: every expectation was met by at least one access, and
 * contradicted by none. step_check -n FILE...            Status 0: there is at least one access. */
#include "spool/spool_format.h"
#include "spool/spool_reader.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct expectation {
    char name[32];
    uint64_t ip, base, len_bytes;
    unsigned op, elem_bytes, lanes;
    unsigned long met;
};
enum { EXPECTATIONS_MAX = 32 };
static struct expectation wanted[EXPECTATIONS_MAX];
static unsigned wanted_len;
static unsigned long wrong, measured, accesses;

static bool read_expectations(const char *path)
{
    FILE *f = fopen(path, "r");
    struct expectation *e = wanted;
    if (!f) return false;
    while (wanted_len < EXPECTATIONS_MAX &&
           fscanf(f, "%31s %" SCNx64 " %u %" SCNx64 " %" SCNu64 " %u %x", e->name, &e->ip, &e->op, &e->base,
                  &e->len_bytes, &e->elem_bytes, &e->lanes) == 7)
        e = &wanted[++wanted_len];
    fclose(f);
    return wanted_len > 0;
}

static bool meets(const struct expectation *e, const struct spool_access *a)
{
    if (a->addr < e->base || a->addr + a->size_bytes > e->base + e->len_bytes) return false;
    if ((a->addr - e->base) % e->elem_bytes || a->size_bytes != e->elem_bytes) return false;
    return !e->lanes || e->lanes >> a->lane & 1;
}

static void judge(const struct spool_access *a)
{
    const unsigned op = a->rec.flags & SPOOL_ACCESS_OP_MASK;
    accesses++;
    measured += (a->rec.flags & SPOOL_ACCESS_LATENCY_VALID) != 0;
    for (unsigned i = 0; i < wanted_len; i++) {
        struct expectation *e = &wanted[i];
        if (e->ip != a->ip || e->op != op) continue;
        if (meets(e, a)) {
            e->met++;
            continue;
        }
        wrong++;
        printf("%s: %#" PRIx64 " of %u bytes, lane %u, is not what it touches\n", e->name, a->addr,
               a->size_bytes, a->lane);
    }
}

static bool check_file(const char *path)
{
    spool_reader *r;
    const struct spool_rec_header *rec;
    if (spool_reader_open(path, &r) != LS_OK) return false;
    while (spool_reader_next(r, &rec) == LS_OK && rec)
        if (rec->type == SPOOL_REC_ACCESS) judge((const struct spool_access *)(const void *)rec);
    spool_reader_free(r);
    return true;
}

int main(int argc, char **argv)
{
    const bool only_count = argc > 2 && strcmp(argv[1], "-n") == 0;
    if (argc < 3 || (!only_count && !read_expectations(argv[1]))) {
        fprintf(stderr, "usage: step_check EXPECTATIONS SPOOLFILE...\n");
        return 2;
    }
    for (int i = 2; i < argc; i++)
        if (!check_file(argv[i])) printf("%s cannot be read\n", argv[i]);
    printf("%lu accesses\n", accesses);
    bool all = wrong == 0 && accesses > 0;
    for (unsigned i = 0; i < wanted_len; i++) {
        printf("%s: %lu accesses as expected\n", wanted[i].name, wanted[i].met);
        all &= wanted[i].met > 0;
    }
    printf("%lu latencies measured, %lu accesses wrong\n", measured, wrong);
    return all ? 0 : 1;
}
