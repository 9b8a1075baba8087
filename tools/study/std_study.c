/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/study/std_study.h"

#include "common/ls_env.h"
#include "kernels/gpu/kn_gpu.h"
#include "kernels/kn_backend.h"
#include "kernels/kn_memory.h"
#include "kernels/kn_options.h"
#include "kernels/kn_ranks.h"
#include "kernels/replay/kn_replay.h"
#include "kernels/stream/kn_stream_arrays.h"
#include "kernels/stream/kn_stream.h"
#include "machine/mach_prefetch.h"
#include "tools/cli/cli_message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    STRIDE_MAX = 128,
    ROW = 8,
    SPAN_CACHES = 8,
    SIZE_MIN = 1024,
    LENGTH_MIN = 8,
    LENGTH_OWN = 1 << 20,
    EXPAND_MAX = 4,
    SPAN_MIN = ROW * STRIDE_MAX, /* elements of a row */
    LONGEST_MIN = EXPAND_MAX * LENGTH_MIN
};
static const uint64_t span_default_bytes = UINT64_C(256) << 20;

struct sink {
    std_study_emit *emit;
    void *user;
};

static uint64_t span_of(const struct std_study_options *o)
{
    const uint64_t caches = kn_caches_last_level_bytes();
    if (o->span_bytes) return o->span_bytes;
    return caches ? SPAN_CACHES * caches : span_default_bytes;
}

static ls_err replay(const struct pat_config *c, const struct kn_options *o, const char *series, double x,
                     const struct sink *to)
{
    struct kn_result r;
    ls_err err = kn_replay_run(c, o, &r);
    if (err == LS_OK) err = to->emit(to->user, series, x, &r);
    kn_result_fini(&r);
    return err;
}

/* ROW elements by stride, rows end to end over span_bytes (Spatter's UNIFORM:8:S:NR). */
static ls_err replay_uniform(enum pat_kernel kernel, int64_t stride, const struct std_study_options *o,
                             const char *series, double x, const struct sink *to)
{
    const unsigned bytes = o->run.element_bytes ? o->run.element_bytes : 8;
    struct pat_config c;
    int64_t indices[ROW];
    LS_TRY(pat_config_init(&c));
    for (int64_t j = 0; j < ROW; j++)
        indices[j] = j * stride;
    c.kernel = kernel;
    c.pattern = (struct pat_indices){indices, ROW};
    c.delta = ROW * stride;
    c.count = span_of(o) / (bytes * (uint64_t)c.delta);
    if (c.count == 0) c.count = 1;
    const ls_err err = replay(&c, &o->run, series, x, to);
    c.pattern = (struct pat_indices){NULL, 0}; /* not on the heap */
    pat_config_fini(&c);
    return err;
}

static const enum pat_kernel sides[] = {PAT_GATHER, PAT_SCATTER};
enum { SIDES = sizeof(sides) / sizeof(sides[0]) };

static ls_err run_stride(const struct std_study_options *o, std_study_emit *emit, void *user)
{
    const struct sink to = {emit, user};
    for (int s = 0; s < SIDES; s++)
        for (int64_t stride = 1; stride <= STRIDE_MAX; stride *= 2)
            LS_TRY(replay_uniform(sides[s], stride, o, pat_kernel_name(sides[s]), (double)stride, &to));
    return LS_OK;
}

static ls_err run_prefetch_by(mach_prefetch *p, const struct std_study_options *o, const struct sink *to)
{
    static const char *const words[] = {"", " without prefetch"};
    for (int off = 0; off < 2; off++) {
        LS_TRY(mach_prefetch_switch(p, !off));
        for (int s = 0; s < SIDES; s++) {
            char series[48];
            snprintf(series, sizeof(series), "%s%s", pat_kernel_name(sides[s]), words[off]);
            for (int64_t stride = 1; stride <= STRIDE_MAX; stride *= 2)
                LS_TRY(replay_uniform(sides[s], stride, o, series, (double)stride, to));
        }
    }
    return LS_OK;
}

static ls_err run_prefetch(const struct std_study_options *o, std_study_emit *emit, void *user)
{
    const struct sink to = {emit, user};
    const struct ls_env_row *row = &ls_env_rows[LS_ENV_MSR];
    const char *folder = getenv(row->variable);
    mach_prefetch *p;
    LS_TRY(mach_prefetch_new(folder && *folder ? folder : row->default_value, &p));
    const ls_err err = run_prefetch_by(p, o, &to);
    mach_prefetch_free(p);
    return err;
}

/* The widest vectors that can gather on this processor, or AUTO. */
static enum kn_method widest(void)
{
    static const enum kn_method by_width[] = {KN_METHOD_AVX512, KN_METHOD_AVX2, KN_METHOD_NEON};
    for (size_t i = 0; i < sizeof(by_width) / sizeof(by_width[0]); i++)
        if (kn_isa_has(by_width[i])) return by_width[i];
    return KN_METHOD_AUTO;
}

static ls_err run_simd(const struct std_study_options *o, std_study_emit *emit, void *user)
{
    const struct sink to = {emit, user};
    const enum kn_method methods[] = {KN_METHOD_SCALAR, widest(), KN_METHOD_AUTO};
    const unsigned first_same = methods[1] == KN_METHOD_AUTO ? 2 : 3; /* auto once */
    for (int s = 0; s < SIDES; s++)
        for (unsigned m = 0; m < first_same; m++)
            for (int64_t stride = 1; stride <= STRIDE_MAX; stride *= 2) {
                struct std_study_options with = *o;
                char series[48];
                with.run.method = methods[m];
                snprintf(series, sizeof(series), "%s %s", pat_kernel_name(sides[s]),
                         kn_method_name(methods[m]));
                LS_TRY(replay_uniform(sides[s], stride, &with, series, (double)stride, &to));
            }
    return LS_OK;
}

static ls_err stream(const char *kernel, const struct kn_options *run, uint64_t elements, double x,
                     const struct sink *to)
{
    const struct kn_kernel *k = kn_kernel_find(kernel);
    const struct kn_stream_options o = {.run = *run, .elements = elements};
    struct kn_result r;
    ls_err err = kn_stream_run(&k, 1, &o, &r);
    if (err == LS_OK) err = to->emit(to->user, kernel, x, &r);
    kn_result_fini(&r);
    return err;
}

static ls_err replay_suite(const struct pat_suite *suite, const struct kn_options *run, double x,
                           const struct sink *to)
{
    for (size_t i = 0; i < suite->len; i++) {
        char series[64];
        const struct pat_config *c = &suite->rows[i];
        snprintf(series, sizeof(series), "%zu %s", i, *c->name ? c->name : pat_kernel_name(c->kernel));
        LS_TRY(replay(c, run, series, x, to));
    }
    return LS_OK;
}

/* STREAM triad, and the patterns or a gather and a scatter with stride 1, by one number of threads. */
static ls_err run_with_threads(const struct std_study_options *o, unsigned threads, const struct sink *to)
{
    struct std_study_options with = *o;
    with.run.threads = threads;
    LS_TRY(stream("triad", &with.run, with.elements_max, threads, to));
    if (o->suite) return replay_suite(o->suite, &with.run, threads, to);
    for (int s = 0; s < SIDES; s++)
        LS_TRY(replay_uniform(sides[s], 1, &with, pat_kernel_name(sides[s]), threads, to));
    return LS_OK;
}

static ls_err run_threads(const struct std_study_options *o, std_study_emit *emit, void *user)
{
    const struct sink to = {emit, user};
    const struct kn_backend *b;
    unsigned all;
    LS_TRY(kn_backend_choose(&o->run, &b, &all));
    if (b->device)
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "study threads varies the threads of the CPU: choose another backend than %s",
                       b->name);
    for (unsigned t = 1; t < all; t *= 2)
        LS_TRY(run_with_threads(o, t, &to));
    return run_with_threads(o, all, &to);
}

static ls_err run_size(const struct std_study_options *o, std_study_emit *emit, void *user)
{
    static const char *const kernels[] = {"triad",    "gather-triad",  "scatter-triad",
                                          "sg-triad", "central-triad", "chase"};
    const struct sink to = {emit, user};
    const struct kn_kernel *triad = kn_kernel_find("triad");
    const struct kn_stream_options whole = {.run = o->run, .elements = o->elements_max};
    struct kn_stream_need need;
    LS_TRY(kn_stream_need(&triad, 1, &whole, &need));
    for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++)
        for (uint64_t n = need.elements; n >= SIZE_MIN; n /= 2)
            LS_TRY(stream(kernels[k], &o->run, n, (double)n, &to));
    return LS_OK;
}

/* Make a pattern of len indices from p: its beginning, or p repeated, each time beyond the previous elements. */
static ls_err fit_length(const struct pat_indices *p, size_t len, struct pat_indices *out)
{
    int64_t reach = 0;
    for (size_t j = 0; j < p->len; j++)
        if (p->data[j] >= reach) reach = p->data[j] + 1;
    *out = (struct pat_indices){malloc(len * sizeof(int64_t)), len};
    if (!out->data) return ls_nomem("a pattern of %zu indices", len);
    for (size_t j = 0; j < len; j++)
        out->data[j] = p->data[j % p->len] + reach * (int64_t)(j / p->len);
    return LS_OK;
}

/* Move the same number of elements at every length, so that times can be compared. */
static ls_err replay_lengths(const struct pat_config *c, const struct kn_options *run, const char *series,
                             const struct sink *to)
{
    const size_t own = c->pattern.len;
    for (size_t len = EXPAND_MAX * own; len >= LENGTH_MIN; len /= 2) {
        struct pat_config fitted = *c;
        LS_TRY(fit_length(&c->pattern, len, &fitted.pattern));
        fitted.count = own * c->count / len;
        if (fitted.count == 0) fitted.count = 1;
        const ls_err err = replay(&fitted, run, series, (double)len, to);
        free(fitted.pattern.data);
        LS_TRY(err);
    }
    return LS_OK;
}

/* Indices of the study's own pattern: the longest one is EXPAND_MAX of it, and has the elements and the extent
 * that were asked for. */
static size_t own_length(const struct std_study_options *o)
{
    const unsigned bytes = o->run.element_bytes ? o->run.element_bytes : 8;
    uint64_t longest = o->elements_max ? o->elements_max : (uint64_t)EXPAND_MAX * LENGTH_OWN;
    if (o->span_bytes && o->span_bytes / bytes < longest) longest = o->span_bytes / bytes;
    if (longest % EXPAND_MAX)
        cli_warn("the longest pattern has %" PRIu64 " indices instead of %" PRIu64 ": a multiple of %d",
                 longest - longest % EXPAND_MAX, longest, EXPAND_MAX);
    return (size_t)(longest / EXPAND_MAX);
}

/* The study's own long pattern: a permutation, gathered and scattered once. */
static ls_err replay_own_lengths(const struct std_study_options *o, const struct sink *to)
{
    struct pat_config c;
    const size_t own = own_length(o);
    LS_TRY(kn_memory_check("the longest pattern", (1 + EXPAND_MAX) * sizeof(int64_t) * own,
                           o->run.memory_bytes));
    const struct kn_sequence s = kn_sequence_permutation(own, o->run.seed);
    ls_err err = pat_config_init(&c);
    if (err == LS_OK) {
        c.pattern = (struct pat_indices){malloc(own * sizeof(int64_t)), own};
        if (!c.pattern.data) err = ls_nomem("a pattern of %zu indices", own);
    }
    for (uint64_t j = 0; j < own && err == LS_OK; j++)
        c.pattern.data[j] = (int64_t)kn_sequence_at(&s, j);
    for (int k = 0; k < SIDES && err == LS_OK; k++) {
        c.kernel = sides[k];
        c.count = EXPAND_MAX;
        err = replay_lengths(&c, &o->run, pat_kernel_name(sides[k]), to);
    }
    pat_config_fini(&c);
    return err;
}

static ls_err run_length(const struct std_study_options *o, std_study_emit *emit, void *user)
{
    const struct sink to = {emit, user};
    if (!o->suite) return replay_own_lengths(o, &to);
    for (size_t i = 0; i < o->suite->len; i++) {
        char series[64];
        const struct pat_config *c = &o->suite->rows[i];
        if (c->kernel != PAT_GATHER && c->kernel != PAT_SCATTER)
            return ls_fail(LS_ERR_UNSUPPORTED,
                           "configuration %zu: study length varies gathers and scatters, not %s", i,
                           pat_kernel_name(c->kernel));
        snprintf(series, sizeof(series), "%zu %s", i, *c->name ? c->name : pat_kernel_name(c->kernel));
        LS_TRY(replay_lengths(c, &o->run, series, &to));
    }
    return LS_OK;
}

/* --- throughput --- */

/* Indices of the study's own pattern, which is as long as the last-level caches of most machines hold. */
enum { AMOUNT_OWN = 1 << 20 };
static const uint64_t amount_min_bytes = UINT64_C(1) << 20;

/* The memory of a device, or of this machine, whose ranks share it. */
static uint64_t memory_half_bytes(const struct kn_options *o)
{
    const struct kn_backend *b;
    struct kn_gpu *g;
    unsigned threads;
    if (kn_backend_choose(o, &b, &threads) == LS_OK && b->device && kn_gpu_open(b->device, o, &g) == LS_OK)
        return g->info.memory_bytes / 2 < g->info.block_bytes_max ? g->info.memory_bytes / 2
                                                                  : g->info.block_bytes_max;
    const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    const uint64_t half =
        pages > 0 && page_bytes > 0 ? (uint64_t)pages / 2 * (uint64_t)page_bytes : span_default_bytes;
    return half / kn_ranks_info(o->ranks)->local_len;
}

/* Move 1 MiB and twice as much again and again: the beginning of a pattern (truncated), then the whole of it, each time
 * on the next elements (expanded), until its elements take half of the memory, or elements_max. */
static ls_err replay_amounts(const struct pat_config *c, const struct std_study_options *o,
                             const char *series, const struct sink *to)
{
    const unsigned bytes = o->run.element_bytes ? o->run.element_bytes : 8;
    const uint64_t most = o->elements_max ? o->elements_max : memory_half_bytes(&o->run) / bytes;
    const uint64_t own = c->pattern.len;
    int64_t reach = 0;
    for (size_t j = 0; j < own; j++)
        if (c->pattern.data[j] >= reach) reach = c->pattern.data[j] + 1;
    const uint64_t least = most < amount_min_bytes / bytes ? most : amount_min_bytes / bytes;
    for (uint64_t n = least; n <= most; n *= 2) {
        struct pat_config amount = *c;
        amount.pattern.len = n < own ? n : own;
        amount.count = n < own ? 1 : n / own;
        amount.delta = reach;
        amount.deltas = (struct pat_indices){NULL, 0};
        if (amount.count > 1 && (uint64_t)reach * amount.count > most) break;
        const ls_err e =
            replay(&amount, &o->run, series, (double)(amount.pattern.len * amount.count * bytes) / 1024, to);
        if (e == LS_ERR_NOMEM && n > least) { /* the points so far may show the plateau */
            cli_warn("%s ends here: %s", series, ls_last_error());
            return LS_OK;
        }
        LS_TRY(e);
    }
    return LS_OK;
}

static ls_err replay_own_amounts(const struct std_study_options *o, const struct sink *to)
{
    const struct kn_sequence s = kn_sequence_permutation(AMOUNT_OWN, o->run.seed);
    struct pat_config c;
    ls_err err = pat_config_init(&c);
    if (err == LS_OK) {
        c.pattern = (struct pat_indices){malloc(AMOUNT_OWN * sizeof(int64_t)), AMOUNT_OWN};
        if (!c.pattern.data) err = ls_nomem("a pattern of %d indices", AMOUNT_OWN);
    }
    for (uint64_t j = 0; j < AMOUNT_OWN && err == LS_OK; j++)
        c.pattern.data[j] = (int64_t)kn_sequence_at(&s, j);
    for (int k = 0; k < SIDES && err == LS_OK; k++) {
        c.kernel = sides[k];
        err = replay_amounts(&c, o, pat_kernel_name(sides[k]), to);
    }
    pat_config_fini(&c);
    return err;
}

static ls_err run_throughput(const struct std_study_options *o, std_study_emit *emit, void *user)
{
    const struct sink to = {emit, user};
    if (!o->suite) return replay_own_amounts(o, &to);
    for (size_t i = 0; i < o->suite->len; i++) {
        char series[64];
        const struct pat_config *c = &o->suite->rows[i];
        if ((c->kernel != PAT_GATHER && c->kernel != PAT_SCATTER) || c->pattern.len == 0)
            return ls_fail(LS_ERR_UNSUPPORTED,
                           "configuration %zu: study throughput varies gathers and scatters, not %s", i,
                           pat_kernel_name(c->kernel));
        snprintf(series, sizeof(series), "%zu %s", i, *c->name ? c->name : pat_kernel_name(c->kernel));
        LS_TRY(replay_amounts(c, o, series, &to));
    }
    return LS_OK;
}

const struct std_study std_studies[] = {
    {"stride", "gather and scatter by strides 1 to 128: how much of each cache line is of use", "stride",
     "Spatter, figure 3", false, STD_SPAN, 0, SPAN_MIN, 1, run_stride},
    {"prefetch", "the same with the processor's prefetchers and without: Intel's, as root", "stride",
     "Spatter, figure 4", false, STD_SPAN, 0, SPAN_MIN, 1, run_prefetch},
    {"simd",
     "gather and scatter by strides, without vectors, with the widest there are, and by the fastest method",
     "stride", "Spatter, figure 6", false, STD_SPAN, 0, SPAN_MIN, 1, run_simd},
    {"threads", "STREAM triad and patterns by 1, 2, 4, ... all threads", "threads",
     "RaiderSTREAM, figures 7 and 8, within a node", true, STD_SPAN | STD_SIZE, STD_SIZE | STD_COUNT, ROW, 1,
     run_threads},
    {"size", "every kind of triad, and a chase, on arrays halved until they fit the first cache", "elements",
     "RaiderSTREAM, figures 5 and 6", false, STD_SIZE, 0, 1, SIZE_MIN, run_size},
    {"length", "a long pattern cut and repeated, the same number of elements moved", "indices",
     "throughput by length of pattern", true, STD_SPAN | STD_SIZE, STD_COUNT, LONGEST_MIN, LONGEST_MIN,
     run_length},
    {"throughput", "a pattern truncated and expanded, from 1 MiB to half of the memory, and its plateau",
     "KiB", "GS Patterns, throughput tests", true, STD_SIZE, STD_SIZE, 1, 1, run_throughput},
    {"weak", "jobs of 1, 2, 4, ... ranks of MPI or OpenSHMEM, each rank with the same amount", "ranks",
     "Spatter and RaiderSTREAM over MPI, weak scaling", true, STD_SIZE, STD_SIZE | STD_COUNT, 1, 1, NULL},
    {"strong", "jobs of 1, 2, 4, ... ranks of MPI or OpenSHMEM, which share the same amount", "ranks",
     "Spatter and RaiderSTREAM over MPI, strong scaling", true, STD_SIZE, STD_SIZE | STD_COUNT, 1, 1, NULL},
};
const unsigned std_studies_len = sizeof(std_studies) / sizeof(std_studies[0]);

const struct std_study *std_study_find(const char *name)
{
    for (unsigned i = 0; i < std_studies_len; i++)
        if (strcmp(std_studies[i].name, name) == 0) return &std_studies[i];
    return NULL;
}
