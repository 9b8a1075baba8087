/* SPDX-License-Identifier: BSD-3-Clause */
/* How long a loop takes, and replays of the patterns that were extracted from it, one after the other; in
 * turn, on one thread. usage: fidelity LOOP SIZE FILE.json; prints a line: bytes of the patterns, least
 * seconds of the loop, of the replays in scalar code, of the replays in their fastest variants. */
#include "common/ls_clock.h"
#include "kernels/kn_backend.h"
#include "kernels/kn_kernel.h"
#include "kernels/kn_trial.h"
#include "kernels/kn_validate.h"
#include "patterns/pat_json.h"
#include "tests/cases/truth_loops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MIN = 15, ROUNDS_MAX = 400 };
static const uint64_t least_ns = UINT64_C(3) * 1000 * 1000 * 1000;

struct replay {
    struct kn_plan plan;
    struct kn_arena arena;
    struct kn_runner runner;
    struct kn_result result;
};

static void die(const char *what)
{
    fprintf(stderr, "fidelity: %s: %s\n", what, ls_last_error());
    exit(1);
}

/* method AUTO: the fastest. */
static void start_replay(const struct pat_config *c, enum kn_method method, struct replay *r)
{
    const struct kn_options o = {.threads = 1, .method = method, .stores = KN_STORES_REGULAR};
    const struct kn_variant *found[KN_TRIALS_MAX];
    size_t len;
    memset(r, 0, sizeof(*r));
    if (kn_plan_init(&r->plan, c, &o, 1) != LS_OK ||
        kn_memory_check(c->name, r->plan.need.memory_bytes, 0) != LS_OK ||
        kn_arena_init(&r->arena, &r->plan, &kn_backend_serial, o.pages) != LS_OK ||
        kn_arena_narrow(&r->arena) != LS_OK)
        die(c->name);
    const struct kn_wish w = {.kernel = c->kernel,
                              .element_bytes = 8,
                              .method = method,
                              .stores = KN_STORES_REGULAR,
                              .index_bits = method == KN_METHOD_SCALAR ? 64 : 0,
                              .indices_fit_32_bits = r->plan.indices_fit_32_bits,
                              .rows_may_be_jammed = r->plan.rows_may_be_jammed};
    kn_variant_find(&w, found, KN_TRIALS_MAX, &len);
    if (len == 0) die("no variant");
    r->result.bytes = r->plan.need.bytes;
    const struct kn_variant *v = kn_trial(&r->arena, found, len, &r->result);
    kn_variant_describe(v, r->result.variant, sizeof(r->result.variant));
    r->runner = kn_runner_of(&r->arena, v, false);
}

/* CPU time: what waiting for a processor took is no part of it. */
static double now(void)
{
    return (double)ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) / 1e9;
}

/* All patterns of a loop, each in two ways. */
struct proxy {
    struct replay *replays[2];
    double *least[2];
    size_t len;
    uint64_t bytes;
};

static void start_proxy(const struct pat_suite *s, struct proxy *p)
{
    static const enum kn_method methods[2] = {KN_METHOD_SCALAR, KN_METHOD_AUTO};
    *p = (struct proxy){.len = s->len};
    for (int m = 0; m < 2; m++) {
        p->replays[m] = calloc(s->len, sizeof(*p->replays[m]));
        p->least[m] = calloc(s->len, sizeof(*p->least[m]));
        if (!p->replays[m] || !p->least[m]) die("no memory");
        for (size_t i = 0; i < s->len; i++) {
            start_replay(&s->rows[i], methods[m], &p->replays[m][i]);
            p->least[m][i] = INFINITY;
        }
    }
    for (size_t i = 0; i < s->len; i++)
        p->bytes += p->replays[0][i].plan.need.bytes;
}

static void replay_proxy(struct proxy *p)
{
    for (int m = 0; m < 2; m++)
        for (size_t i = 0; i < p->len; i++) {
            const double begin = now();
            kn_runner_once(&p->replays[m][i].runner);
            p->least[m][i] = fmin(p->least[m][i], now() - begin);
        }
}

static double proxy_seconds(struct proxy *p, int m)
{
    double sum = 0;
    for (size_t i = 0; i < p->len; i++) {
        sum += p->least[m][i];
        kn_validate(&p->replays[m][i].arena, &p->replays[m][i].result);
        if (!p->replays[m][i].result.valid) die(p->replays[m][i].result.invalid);
    }
    return sum;
}

int main(int argc, char **argv)
{
    const struct pat_json_options options = {0};
    struct pat_suite s = {0};
    struct proxy p;
    double least = INFINITY;
    const struct truth_loop *loop = argc == 4 ? truth_loop_find(argv[1]) : NULL;
    if (!loop) {
        fprintf(stderr, "usage: fidelity LOOP SIZE FILE.json\n");
        return 2;
    }
    if (pat_json_read_file(argv[3], &options, &s) != LS_OK) die(argv[3]);
    void *data = loop->make(strtoul(argv[2], NULL, 10));
    start_proxy(&s, &p);
    loop->run(data); /* the first of each warms up: kn_trial has run the replays */
    const uint64_t begin_ns = ls_clock_mono_ns();
    for (unsigned r = 0; r < ROUNDS_MIN || (r < ROUNDS_MAX && ls_clock_mono_ns() - begin_ns < least_ns);
         r++) {
        const double begin = now();
        loop->run(data);
        least = fmin(least, now() - begin);
        replay_proxy(&p);
    }
    printf("%llu %.9f %.9f %.9f\n", (unsigned long long)p.bytes, least, proxy_seconds(&p, 0),
           proxy_seconds(&p, 1));
    return 0;
}
