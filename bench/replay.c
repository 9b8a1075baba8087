/* SPDX-License-Identifier: BSD-3-Clause */
/* Replay against plain loops of the same kernels on pattern files, in one run and in turn: A B C D A B C D
 * ... usage: replay [--rounds N] [--max-count N] [--machine TEXT] [--cpu] FILE.json...; prints a page of
 * documentation. */
#include "bench/replay_plain.h"
#include "common/ls_clock.h"
#include "kernels/kn_kernel.h"
#include "kernels/kn_backend.h"
#include "kernels/stream/kn_stream.h"
#include "kernels/replay/kn_trial.h"
#include "patterns/pat_json.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The compared variants. The two plain loops differ in the dense buffer only. */
enum way { PLAIN_OWN, PLAIN_SHARED, OURS_DEFAULT, OURS_RECOMMENDED, WAYS };
static const char *const way_names[WAYS] = {"plain, a dense buffer a thread", "plain, one dense buffer",
                                            "replay, default options", "replay, recommended options"};

struct bench {
    unsigned rounds, threads;
    uint64_t count_max;
    bool by_cpu; /* CPU time of all threads over their number, not wall time */
    const char *machine;
    const struct kn_backend *backend;
};

struct ours {
    struct kn_plan plan;
    struct kn_arrays arrays;
    struct kn_runner runner;
    struct kn_result result;
};

struct row {
    bool is_short; /* starting and joining the threads decides */
    double mb_per_s[WAYS];
    char variant[WAYS][KN_VARIANT_BYTES];
    bool valid;
};

static void die(const char *what)
{
    fprintf(stderr, "replay: %s: %s\n", what, ls_last_error());
    exit(1);
}

static void start_ours(const struct bench *b, const struct pat_config *c, const struct kn_options *o,
                       struct ours *u)
{
    const struct kn_variant *found[KN_TRIALS_MAX];
    size_t len;
    memset(u, 0, sizeof(*u));
    if (kn_plan_init(&u->plan, c, o, b->threads) != LS_OK ||
        kn_memory_check(c->name, u->plan.need.memory_bytes, 0) != LS_OK ||
        kn_arrays_init(&u->arrays, &u->plan, b->backend, o->pages) != LS_OK ||
        kn_arrays_narrow(&u->arrays) != LS_OK)
        die(c->name);
    const uint64_t written = u->plan.to.used ? u->plan.to.elements : u->plan.dense_elements;
    const struct kn_wish w = {.kernel = c->kernel,
                              .element_bytes = 8,
                              .indices_fit_32_bits = u->plan.indices_fit_32_bits,
                              .rows_may_be_jammed = u->plan.rows_may_be_jammed,
                              .destination_is_large = written * 8 > (UINT64_C(4) << 20)};
    kn_variant_find(&w, found, KN_TRIALS_MAX, &len);
    u->result.bytes = u->plan.need.bytes;
    const struct kn_variant *v = kn_trial(&u->arrays, found, len, &u->result);
    kn_variant_describe(v, u->result.variant, sizeof(u->result.variant));
    u->runner = kn_runner_of(&u->arrays, v, false);
}

static double *plain_array(uint64_t elements)
{
    double *p = NULL;
    if (elements && posix_memalign((void **)&p, 64, elements * sizeof(double)) != 0) die("no memory");
    for (uint64_t e = 0; e < elements; e++)
        p[e] = (double)e; /* by one thread, as the published program does */
    return p;
}

static plain_kernel *const plain_kernels[PAT_KERNEL_COUNT] = {plain_gather, plain_scatter, plain_gs,
                                                              plain_multigather, plain_multiscatter};

/* Element 0 of the plain arrays is the plan's lowest. */
static void start_plain(const struct kn_plan *plan, unsigned threads, struct plain *p, double *arrays[3])
{
    const struct pat_config *c = plan->config;
    const size_t stride = (plan->dense_elements + 63) / 64 * 64 + 64;
    const struct kn_plan_side *main_side = plan->to.used ? &plan->to : &plan->from;
    arrays[0] = plain_array(main_side->elements);
    arrays[1] = plain_array(c->kernel == PAT_GS ? plan->from.elements : 0);
    arrays[2] = plain_array(stride * threads);
    *p = (struct plain){.sparse = arrays[0] - main_side->extent.low,
                        .source = arrays[1] ? arrays[1] - plan->from.extent.low : NULL,
                        .dense = arrays[2],
                        .pattern = c->pattern.data,
                        .gather = c->gather.data,
                        .scatter = c->scatter.data,
                        .delta = c->delta,
                        .delta_gather = c->delta_gather,
                        .delta_scatter = c->delta_scatter,
                        .len = plan->len,
                        .count = plan->count,
                        .wrap = plan->wrap,
                        .dense_stride = stride};
}

static double now(const struct bench *b)
{
    if (!b->by_cpu) return (double)ls_clock_mono_ns() / 1e9;
    return (double)ls_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9 / b->threads;
}

static double time_plain(const struct bench *b, const struct plain *p, plain_kernel *kernel)
{
    const double begin = now(b);
    kernel(p);
    return now(b) - begin;
}

static double time_ours(const struct bench *b, struct kn_runner *r)
{
    const double begin = now(b);
    kn_runner_time(r, (struct kn_turn){.repeats = 1});
    return now(b) - begin;
}

/* Short runs are repeated for a while: where other programs run too, one of many is undisturbed. */
enum { ROUNDS_MAX = 2000 };
static const double short_seconds = 100e-6;
static const uint64_t least_ns = UINT64_C(700) * 1000 * 1000;

static void measure(const struct bench *b, const struct pat_config *c, struct row *out)
{
    static const struct kn_options recommended = {.dense_per_thread = true, .pages = KN_PAGES_HUGE};
    static const struct kn_options standard = {0};
    struct ours ours[2];
    struct plain own, shared;
    double *arrays[3], least[WAYS] = {INFINITY, INFINITY, INFINITY, INFINITY};
    start_ours(b, c, &standard, &ours[0]);
    start_ours(b, c, &recommended, &ours[1]);
    start_plain(&ours[0].plan, b->threads, &own, arrays);
    shared = own;
    shared.dense_stride = 0;
    plain_kernel *kernel = plain_kernels[c->kernel];
    const uint64_t begin = ls_clock_mono_ns();
    for (unsigned r = 0; r <= b->rounds || (r < ROUNDS_MAX && ls_clock_mono_ns() - begin < least_ns); r++) {
        const double seconds[WAYS] = {time_plain(b, &own, kernel), time_plain(b, &shared, kernel),
                                      time_ours(b, &ours[0].runner), time_ours(b, &ours[1].runner)};
        for (int w = 0; w < WAYS && r; w++) /* the first round warms up */
            least[w] = fmin(least[w], seconds[w]);
    }
    out->valid = true;
    for (int u = 0; u < 2; u++) {
        kn_validate(&ours[u].arrays, &ours[u].result);
        out->valid = out->valid && ours[u].result.valid;
        snprintf(out->variant[OURS_DEFAULT + u], sizeof(out->variant[0]), "%s", ours[u].result.variant);
        kn_arrays_fini(&ours[u].arrays);
    }
    for (int a = 0; a < 3; a++)
        free(arrays[a]);
    out->is_short = fmin(least[PLAIN_OWN], least[OURS_RECOMMENDED]) < short_seconds;
    for (int w = 0; w < WAYS; w++)
        out->mb_per_s[w] = (double)ours[0].plan.need.bytes / least[w] / 1e6;
}

/* The stride-1 gather of memory and a tuned loop that reads as much, in turn. */
static void print_yardstick(const struct bench *b)
{
    struct pat_config c;
    int64_t indices[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct ours u;
    const struct kn_options o = {.dense_per_thread = true, .pages = KN_PAGES_HUGE};
    double gather = INFINITY, read = INFINITY;
    volatile double sum = 0;
    if (pat_config_init(&c) != LS_OK) die("stride 1");
    c.pattern = (struct pat_indices){indices, 8};
    c.count = UINT64_C(1) << 25;
    start_ours(b, &c, &o, &u);
    for (unsigned r = 0; r < 6 * b->rounds; r++) {
        const double begin = now(b);
        sum = sum + plain_read(u.arrays.from.base, u.plan.from.elements);
        read = fmin(read, now(b) - begin);
        gather = fmin(gather, time_ours(b, &u.runner));
    }
    const double megabytes = (double)u.plan.need.bytes / 1e6;
    printf("Gather with stride 1 from %.0f MiB: %.0f MB/s; a tuned read loop on the same array, in turn: "
           "%.0f MB/s. Ratio **%.3f** "
           "(goal 0.95). Variant: %s.\n\n",
           megabytes * 1e6 / (1 << 20), megabytes / gather, megabytes / read, read / gather,
           u.result.variant);
    kn_arrays_fini(&u.arrays);
    c.pattern = (struct pat_indices){NULL, 0};
    pat_config_fini(&c);
}

static void print_stream(void)
{
    const struct kn_kernel *kernels[4];
    struct kn_result r[4];
    static const char *const names[] = {"copy", "scale", "sum", "triad"};
    const struct kn_stream_options o = {.run = {.pages = KN_PAGES_HUGE}};
    for (int k = 0; k < 4; k++)
        kernels[k] = kn_kernel_find(names[k]);
    if (kn_stream_run(kernels, 4, &o, r) != LS_OK) die("stream");
    printf("STREAM in the same run (MB/s):");
    for (int k = 0; k < 4; k++) {
        printf("%s %s %.0f", k ? "," : "", kernels[k]->title, r[k].mb_per_s);
        kn_result_fini(&r[k]);
    }
    printf(".\n\n");
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void print_row(const char *file, size_t i, const struct pat_config *c, const struct row *r)
{
    const double *m = r->mb_per_s;
    printf("| %s %zu | %s, %zu indices, delta %lld | %.0f | %.0f | %.0f | %.0f | %.2f | %.2f | %s%s |\n",
           base_name(file), i, pat_kernel_name(c->kernel), pat_config_len(c),
           (long long)(c->kernel == PAT_GS ? c->delta_gather : c->delta), m[PLAIN_OWN], m[PLAIN_SHARED],
           m[OURS_DEFAULT], m[OURS_RECOMMENDED], m[OURS_DEFAULT] / m[PLAIN_SHARED],
           m[OURS_RECOMMENDED] / m[PLAIN_OWN], r->variant[OURS_RECOMMENDED],
           r->valid ? (r->is_short ? " (short)" : "") : " WRONG RESULT");
    fflush(stdout);
}

/* Geometric mean and minimum of the rows that are not short, and their number. */
struct tally {
    unsigned shorts;
    double log_shorts; /* recommended options over the plain loop */
    double log_default, log_recommended, least_default, least_recommended;
    unsigned len, slower_default, slower_recommended, invalid;
};

static void count_row(struct tally *t, const struct row *r)
{
    const double d = r->mb_per_s[OURS_DEFAULT] / r->mb_per_s[PLAIN_SHARED];
    const double q = r->mb_per_s[OURS_RECOMMENDED] / r->mb_per_s[PLAIN_OWN];
    t->invalid += !r->valid;
    if (r->is_short) {
        t->shorts++;
        t->log_shorts += log(q);
        return;
    }
    t->log_default += log(d);
    t->log_recommended += log(q);
    t->least_default = t->len ? fmin(t->least_default, d) : d;
    t->least_recommended = t->len ? fmin(t->least_recommended, q) : q;
    t->slower_default += d < 1;
    t->slower_recommended += q < 1;
    t->len++;
}

static void run_file(const struct bench *b, const char *file, struct tally *t)
{
    struct pat_suite suite = {NULL, 0};
    const struct pat_json_options o = {0};
    if (pat_json_read_file(file, &o, &suite) != LS_OK) die(file);
    for (size_t i = 0; i < suite.len; i++) {
        struct row r;
        if (suite.rows[i].count > b->count_max) suite.rows[i].count = b->count_max;
        measure(b, &suite.rows[i], &r);
        print_row(file, i, &suite.rows[i], &r);
        count_row(t, &r);
    }
    pat_suite_fini(&suite);
}

/* Why CPU time, and how busy the machine was. */
static void print_load(void)
{
    double load[3] = {NAN, NAN, NAN};
    if (getloadavg(load, 3) < 1) load[0] = NAN;
    printf("\nOther programs used the machine too (load %.1f when this began): times are CPU time of all "
           "threads over their number (`--cpu`, threads sleep while they wait), and figures are lower than "
           "on a quiet machine, for all four ways alike. STREAM's are by the wall clock.\n",
           load[0]);
}

static void print_head(const struct bench *b)
{
    printf("# Speed of replay\n\nMeasured by `make bench-replay`, %u threads, on:\n\n", b->threads);
    for (const char *line = b->machine; *line;) {
        const size_t len = strcspn(line, "\n");
        printf("    %.*s\n", (int)len, line);
        line += len + (line[len] == '\n');
    }
    printf("\nFour ways of the same kernel on the same pattern run in turn, %u rounds or more; each figure "
           "is the best round, in MB/s of published bytes:\n\n",
           b->rounds);
    for (int w = 0; w < WAYS; w++)
        printf("* %s\n", way_names[w]);
    if (b->by_cpu) print_load();
    printf("\nThe plain loops are `bench/replay_plain.c`, algorithm 1 of the Spatter paper and Spatter 2's "
           "operations, compiled `-O3 -march=native -fopenmp` by the same compiler, their arrays from "
           "malloc. Recommended options: `--dense-buffers --pages huge`. Default options compare with the "
           "loop that shares one dense buffer, as they do; recommended ones with the one that does not.\n\n");
}

static void parse(struct bench *b, int argc, char **argv)
{
    static const struct option options[] = {{"rounds", required_argument, NULL, 'r'},
                                            {"max-count", required_argument, NULL, 'c'},
                                            {"machine", required_argument, NULL, 'm'},
                                            {"cpu", no_argument, NULL, 'p'},
                                            {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 'r') b->rounds = (unsigned)strtoul(optarg, NULL, 10);
        if (c == 'c') b->count_max = strtoull(optarg, NULL, 10);
        if (c == 'm') b->machine = optarg;
        if (c == 'p') b->by_cpu = true;
        if (c == '?') exit(2);
    }
}

int main(int argc, char **argv)
{
    struct bench b = {.rounds = 5, .count_max = UINT64_MAX, .machine = ""};
    const struct kn_options all = {0};
    struct tally t = {0};
    kn_pins *pins = NULL;
    parse(&b, argc, argv);
    if (kn_backend_choose(&all, &b.backend, &b.threads) != LS_OK) die("threads");
    print_head(&b);
    print_stream();
    if (kn_pin(b.backend, b.threads, KN_PIN_CLOSE, &pins) != LS_OK) die("threads");
    print_yardstick(&b);
    printf("| file | pattern | plain, own | plain, shared | default | recommended | default / shared | "
           "recommended / own | variant |\n"
           "|---|---|---|---|---|---|---|---|---|\n");
    for (int f = optind; f < argc; f++)
        run_file(&b, argv[f], &t);
    printf("\n%u configurations. Default options: geometric mean **%.2f** times the plain loop, least %.2f, "
           "%u slower. Recommended options: geometric mean **%.2f** (goal 1.3), least %.2f, %u slower (goal "
           "0). %u results wrong.\n",
           t.len, exp(t.log_default / t.len), t.least_default, t.slower_default,
           exp(t.log_recommended / t.len), t.least_recommended, t.slower_recommended, t.invalid);
    if (t.shorts)
        printf("\n%u more (marked short) take less than 100 us a run, most of it the start of threads, which "
               "is the same for all ways: recommended options %.2f times the plain loop, geometric mean.\n",
               t.shorts, exp(t.log_shorts / t.shorts));
    kn_unpin(pins);
    return t.invalid != 0;
}
