/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/patterns/found_fixture.h"
#include "tests/xorshift.h"

#include <stdlib.h>
#include <string.h>

static void *kept(void *p)
{
    if (!p) abort();
    return p;
}

static void set(struct pat_indices *p, const int64_t *values, size_t len)
{
    p->data = kept(malloc(len * sizeof(*values)));
    memcpy(p->data, values, len * sizeof(*values));
    p->len = len;
}
#define SET(p, ...)                                         \
    do {                                                    \
        const int64_t values[] = {__VA_ARGS__};             \
        set(p, values, sizeof(values) / sizeof(values[0])); \
    } while (0)

static void name(struct pat_found *r, const char *text, const char *home, const char *index_home)
{
    free(r->config.name);
    r->config.name = kept(strdup(text));
    r->home = kept(strdup(home));
    r->index_home = kept(strdup(index_home));
}

static void where(struct pat_found *r, const char *function, const char *file, uint32_t line)
{
    r->function = kept(strdup(function));
    r->file = kept(strdup(file));
    r->line = line;
    r->module = kept(strdup(*function ? "/usr/bin/solver" : ""));
    r->thread = kept(strdup("4711"));
}

static void measure(struct pat_found *r, double share)
{
    r->threads = 1;
    r->explained = 1;
    r->access_share = share;
    r->cost_share = share;
    r->measures = (struct pat_measures){.spatial = 0.25,
                                        .temporal = 0.5,
                                        .delta_entropy_bits = 1.5,
                                        .line_utilisation = 0.125,
                                        .page_utilisation = 0.5,
                                        .footprint_bytes = 65536,
                                        .cold = 10};
    r->measures.reuse[3] = 90;
}

static void gather(struct pat_found *r)
{
    SET(&r->config.pattern, 0, 1, 4, 2, 3, 6, 4, 5, 8);
    r->config.delta = 3;
    r->config.count = 4;
    r->class = PAT_CLASS_COMPLEX;
    name(r, "x[col] multiply", "x", "col");
    where(r, "multiply", "src/spmv.c", 88);
    measure(r, 0.5);
}

static void turns(struct pat_found *r)
{
    SET(&r->config.pattern, 0, 64, 128);
    SET(&r->config.deltas, 1, 1, -2);
    r->config.count = 9;
    r->class = PAT_CLASS_UNIFORM;
    r->stride = 64;
    name(r, "B multiply", "B", "");
    where(r, "multiply", "matmul.c", 17);
    measure(r, 0.125);
}

static void back(struct pat_found *r)
{
    SET(&r->config.pattern, 0, -1, -3);
    r->config.delta = -8;
    r->config.count = 5;
    r->class = PAT_CLASS_STENCIL;
    name(r, "u sweep_back", "u", "");
    where(r, "sweep_back", "sweep.f90", 7);
    measure(r, 0.0625);
}

static void field(struct pat_found *r)
{
    SET(&r->config.pattern, 0, 1, 2, 3);
    r->config.delta = 4;
    r->config.count = 100;
    r->elem_size_bytes = 24;
    r->class = PAT_CLASS_UNIFORM;
    r->stride = 1;
    name(r, "particles drift", "particles", "");
    where(r, "drift", "", 0);
    measure(r, 0.03125);
}

static void hash(struct pat_found *r)
{
    enum { LEN = 3000 };
    int64_t values[LEN];
    uint64_t state = XORSHIFT_SEED;
    for (size_t i = 0; i < LEN; i++) {
        values[i] = (int64_t)(xorshift(&state) % 65536);
    }
    set(&r->config.pattern, values, LEN);
    r->config.count = 1;
    r->class = PAT_CLASS_RANDOM;
    r->form = PAT_FORM_FULL;
    name(r, "table probe \"fast\"", "table", "keys");
    where(r, "probe<int>", "join.cc", 31);
    measure(r, 0.25);
}

static void histogram(struct pat_found *r)
{
    SET(&r->config.pattern, 5, 5, 600, 0, 5);
    r->config.kernel = PAT_SCATTER;
    r->config.count = 1;
    r->op = PAT_OP_STORE;
    r->ip = 0x401234;
    r->elem_size_bytes = 4;
    r->class = PAT_CLASS_RANDOM;
    r->form = PAT_FORM_SYNTHETIC;
    name(r, "", "", "");
    where(r, "", "", 0);
    measure(r, 0.03125);
    r->explained = 0;
}

void found_fixture(struct pat_findings *f)
{
    static void (*const makers[FOUND_LEN])(struct pat_found *) = {gather, turns, back,
                                                                  field,  hash,  histogram};
    f->rows = kept(calloc(FOUND_LEN, sizeof(*f->rows)));
    f->len = FOUND_LEN;
    for (size_t i = 0; i < FOUND_LEN; i++) {
        struct pat_found *r = &f->rows[i];
        if (pat_config_init(&r->config) != LS_OK) abort();
        r->elem_size_bytes = 8;
        r->ip = 0x1000 + 16 * i;
        makers[i](r);
        r->accesses = r->prologue + r->config.pattern.len * r->config.count + r->epilogue;
    }
}
