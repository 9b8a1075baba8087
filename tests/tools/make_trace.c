/* SPDX-License-Identifier: BSD-3-Clause */
/* make_trace FILE [KEYS]: the exact accesses of three loops, as a trace of Loadstone's.
 *   y[i] += A[k] * x[col[k]]   a random sparse matrix, 5 entries a row, by two threads with half the rows
 * each s += B[j * 64 + i]         the columns of a matrix of 32 x 64, in the first thread bins[key]++ a
 * histogram of 4-byte counters, of KEYS (3000), in the first thread */
#include "patterns/source/pat_tables.h"
#include "patterns/source/pat_trace_writer.h"
#include "tests/xorshift.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 2000, PER_ROW = 5, COLUMNS = 65536, B_ROWS = 32, B_COLUMNS = 64, KEYS = 3000, BINS = 1024 };
enum { COL, A, X, Y, B, BIN, HOMES };
static const struct {
    const char *label;
    uint64_t base, elem_size_bytes, len;
} homes[HOMES] = {
    {"col", 0x10000000, 4, ROWS *PER_ROW},   {"A", 0x20000000, 8, ROWS *PER_ROW},
    {"x", 0x30000000, 8, COLUMNS},           {"y", 0x40000000, 8, ROWS},
    {"B", 0x50000000, 8, B_ROWS *B_COLUMNS}, {"bins", 0x60000000, 4, BINS},
};

struct maker {
    struct pat_tables t;
    uint32_t sites[HOMES][2], threads[2];
    struct pat_access accesses[4096];
    size_t len;
    pat_trace_writer *w;
    uint64_t random;
};

static void ok(ls_err err)
{
    if (err == LS_OK) return;
    fprintf(stderr, "%s\n", ls_last_error());
    exit(1);
}

static void send(struct maker *m, const struct pat_event *events, size_t events_len)
{
    const struct pat_batch b = {events, events_len, m->accesses, m->len};
    ok(pat_trace_writer_put(m->w, &b, &m->t));
    m->len = 0;
}

static void access_of(struct maker *m, int home, int op, uint64_t element, uint32_t thread)
{
    m->accesses[m->len++] = (struct pat_access){homes[home].base + element * homes[home].elem_size_bytes,
                                                m->sites[home][op], m->threads[thread]};
    if (m->len == sizeof(m->accesses) / sizeof(m->accesses[0])) send(m, NULL, 0);
}

static uint64_t below(struct maker *m, uint64_t n)
{
    return xorshift(&m->random) % n;
}

static void tables(struct maker *m)
{
    struct pat_event births[HOMES];
    for (uint32_t i = 0; i < HOMES; i++) {
        const struct pat_home home = {(char *)homes[i].label, homes[i].elem_size_bytes, PAT_HOME_REGISTERED};
        struct pat_range range = {homes[i].base, homes[i].base + homes[i].len * homes[i].elem_size_bytes, 0};
        ok(pat_tables_add_home(&m->t, &home, &range.home));
        ok(pat_tables_add_range(&m->t, &range, &births[i].what));
        births[i].kind = PAT_EVENT_RANGE_BORN;
        births[i].thread = PAT_NONE;
        for (uint8_t op = 0; op < 2; op++) {
            const struct pat_site site = {.ip = 0x401000 + 16 * i,
                                          .module = PAT_NONE,
                                          .size_bytes = (uint16_t)homes[i].elem_size_bytes,
                                          .operand = op,
                                          .op = op};
            ok(pat_tables_add_site(&m->t, &site, &m->sites[i][op]));
        }
    }
    ok(pat_tables_add_thread(&m->t, "1000", &m->threads[0]));
    ok(pat_tables_add_thread(&m->t, "1001", &m->threads[1]));
    send(m, births, HOMES);
}

static void product(struct maker *m)
{
    for (uint64_t i = 0; i < ROWS; i++) {
        const uint32_t thread = i % 64 >= 32;
        for (uint64_t k = i * PER_ROW; k < (i + 1) * PER_ROW; k++) {
            access_of(m, A, 0, k, thread);
            access_of(m, COL, 0, k, thread);
            access_of(m, X, 0, below(m, COLUMNS), thread);
        }
        access_of(m, Y, 1, i, thread);
    }
}

static void columns(struct maker *m)
{
    for (int turn = 0; turn < 4; turn++)
        for (uint64_t i = 0; i < B_COLUMNS; i++)
            for (uint64_t j = 0; j < B_ROWS; j++)
                access_of(m, B, 0, j * B_COLUMNS + i, 0);
}

static void histogram(struct maker *m, long keys)
{
    for (long i = 0; i < keys; i++) {
        const uint64_t key = below(m, BINS);
        access_of(m, BIN, 0, key, 0);
        access_of(m, BIN, 1, key, 0);
    }
}

int main(int argc, char **argv)
{
    static struct maker m = {.random = XORSHIFT_SEED};
    const struct pat_trace_about about = {.scale = 1};
    if (argc < 2 || argc > 3) return 2;
    ok(pat_trace_writer_new(argv[1], &about, &m.w));
    tables(&m);
    product(&m);
    columns(&m);
    histogram(&m, argc > 2 ? strtol(argv[2], NULL, 10) : KEYS);
    send(&m, NULL, 0);
    ok(pat_trace_writer_finish(m.w, &m.t, 0, 0));
    pat_tables_fini(&m.t);
    return 0;
}
