/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone traffic: the memory traffic that kernels should cause, and the count of a model of the caches. */
#include "common/ls_quantity.h"
#include "machine/mach_cpu.h"
#include "tools/cli/cli_child.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_output.h"
#include "tools/traffic/traffic.h"
#include "viz-export/charts/vx_chart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRAFFIC_SIZE,
    TRAFFIC_POINTS,
    TRAFFIC_BATCH,
    TRAFFIC_CAP,
    TRAFFIC_GRID,
    TRAFFIC_STORES,
    TRAFFIC_CACHE,
    TRAFFIC_MEASURE,
    TRAFFIC_RUNS,
    TRAFFIC_REPETITIONS,
    TRAFFIC_TOP,
    TRAFFIC_FORMAT,
    TRAFFIC_PLOT,
    TRAFFIC_FORCE,
    TRAFFIC_LIST,
    TRAFFIC_OPTIONS
};

enum { POINTS_MOST = 100 };

#define MODEL_CACHE "32K/8,512K/16" /* small enough that sweeps over its bounds take seconds */

static const struct cli_option traffic_options[TRAFFIC_OPTIONS] = {
    [TRAFFIC_SIZE] = {"size", 'n', CLI_TEXT, "LIST", NULL,
                      "sizes N, separated by commas; default: from half the lower bound of the formula to "
                      "beyond the upper one",
                      "What to run"},
    [TRAFFIC_POINTS] = {"points", 0, CLI_COUNT, "N", "5", "number of default sizes", "What to run",
                        .least = 2, .most = POINTS_MOST},
    [TRAFFIC_BATCH] =
        {"batch", 0, CLI_COUNT, "N", "1",
         "products of matrices at once, one on each core, on separate matrices that share the last-level cache",
         "What to run", .least = 1, .most = 1024},
    [TRAFFIC_CAP] = {"cap", 0, CLI_COUNT, "N", "1280",
                     "largest number of rows and columns of the capped product's matrix", "What to run",
                     .least = 1, .most = 1 << 20},
    [TRAFFIC_GRID] = {"grid", 0, CLI_TEXT, "ROWSxCOLS", "2x4", "ranks that share the FFT's data",
                      "What to run"},
    [TRAFFIC_STORES] =
        {"stores", 0, CLI_CHOICE, "allocate|bypass", "allocate",
         "allocate: a line is read before a store to it; bypass: sequential stores bypass the caches",
         "What to run"},
    [TRAFFIC_CACHE] =
        {"cache", 0, CLI_TEXT, "SIZE/WAYS,...", NULL,
         "levels of the model, the nearest one first; default: " MODEL_CACHE
         " for kernels, the caches of this machine for traces; 'machine' uses these for kernels, too",
         "Model"},
    [TRAFFIC_MEASURE] =
        {"measure", 0, CLI_TEXT, "SOURCE,...", NULL,
         "also run the kernels on this machine, and measure their traffic by these sources of counters, as named by "
         "record --series; without a value: traffic",
         "Counters", .alone = "traffic"},
    [TRAFFIC_RUNS] = {"runs", 0, CLI_COUNT, "N", "50",
                      "measured runs; the output shows their lowest and highest counts", "Counters",
                      .least = 1, .most = 10000},
    [TRAFFIC_REPETITIONS] =
        {"repetitions", 0, CLI_COUNT, "N", NULL,
         "repetitions of the kernel in a run; default: 514 - 0.246 N below N = 2048, else 10, "
         "but no more than fit into a second",
         "Counters", .least = 1, .most = 1000000},
    [TRAFFIC_TOP] = {"top", 0, CLI_COUNT, "N", "20", "rows of data to print", "Output", .least = 1},
    [TRAFFIC_FORMAT] = {"format", 'f', CLI_CHOICE, "table|csv|json", "table", "format of the output",
                        "Output"},
    [TRAFFIC_PLOT] = {"plot", 0, CLI_FILE, "FILE", NULL,
                      "draw a chart for each kernel; the suffix of the name selects .svg, .png or .html",
                      "Output"},
    [TRAFFIC_FORCE] = {"force", 0, CLI_FLAG, NULL, NULL, "overwrite the picture", "Output"},
    [TRAFFIC_LIST] = {"list", 0, CLI_FLAG, NULL, NULL, "print the kernels with their loops, and stop",
                      "Output"},
};

/* ---- the caches ---- */

/* The caches of this machine; the number of ways is reduced if it does not divide the size. */
static ls_err machine_geometry(struct trf_geometry *out)
{
    static const unsigned usual_ways[MACH_CPU_CACHE_LEVELS] = {8, 16, 16};
    struct mach_cpu cpu;
    mach_cpu_identify(&cpu);
    *out = (struct trf_geometry){.len = 0};
    for (unsigned i = 0; i < MACH_CPU_CACHE_LEVELS; i++) {
        const uint64_t lines = cpu.cache_bytes[i] / TRF_LINE_BYTES;
        unsigned ways = cpu.cache_ways[i] ? cpu.cache_ways[i] : usual_ways[i];
        if (!lines) continue;
        while (lines % ways)
            ways--;
        out->levels[out->len++] = (struct trf_level){.size_bytes = lines * TRF_LINE_BYTES, .ways = ways};
    }
    if (!out->len) return ls_fail(LS_ERR_NOT_FOUND, "the caches of this machine are not known; give --cache");
    return LS_OK;
}

static ls_err read_geometry(const struct cli_value *v, bool is_trace, struct trf_geometry *out)
{
    const char *text = v[TRAFFIC_CACHE].text;
    if (text ? strcmp(text, "machine") == 0 : is_trace) return machine_geometry(out);
    return trf_geometry_parse(text ? text : MODEL_CACHE, out);
}

static uint64_t last_level(const struct trf_geometry *g)
{
    return g->levels[g->len - 1].size_bytes;
}

/* ---- kernels ---- */

static ls_err read_grid(const char *text, struct trf_size *s)
{
    unsigned rows = 0, cols = 0;
    char rest = 0;
    if (sscanf(text, "%4ux%4u%c", &rows, &cols, &rest) != 2 || !rows || !cols)
        return ls_fail(LS_ERR_USAGE, "--grid: '%s' is no grid of ranks; write it as 2x4", text);
    s->rows = rows;
    s->cols = cols;
    return LS_OK;
}

/* The size at which `bytes` of the kernel reaches a limit. bytes grows with the size. */
static uint64_t size_where(double (*bytes)(const struct trf_size *), struct trf_size s, double limit)
{
    uint64_t low = 1, high = 1 << 14;
    while (low < high) {
        s.n = (low + high) / 2 / s.rows / s.cols * s.rows * s.cols;
        if (!s.n) s.n = s.rows * s.cols;
        if (bytes(&s) < limit)
            low = (low + high) / 2 + 1;
        else
            high = (low + high) / 2;
    }
    return low;
}

/* A size nearby that is four times an odd number, so that columns spread over the sets of a cache, and that
 * the grid divides. */
static uint64_t good_size(uint64_t n, const struct trf_size *s)
{
    uint64_t step = 4;
    while (step % s->rows || step % s->cols)
        step += 4;
    const uint64_t times = n / step;
    return (times ? times | 1 : 1) * step;
}

/* Default sizes, evenly from half of the lower bound to beyond the upper one; neighbours may be equal. */
static void default_sizes(const struct trf_kernel *k, const struct trf_size *s, uint64_t cache_bytes,
                          unsigned len, uint64_t out[])
{
    const double cache = (double)cache_bytes;
    double from = 60, to = 220; /* of kernels without a bound */
    if (k->reads_beyond) {
        const bool has_upper = k->beyond_bytes;
        from = (double)size_where(k->kept_bytes, *s, cache) / 2;
        to = 1.3 * (double)size_where(has_upper ? k->beyond_bytes : k->kept_bytes, *s, cache);
    }
    for (unsigned i = 0; i < len; i++)
        out[i] = good_size((uint64_t)(from + (to - from) * i / (len - 1)), s);
}

static ls_err measure(struct traffic_sweep *w, const struct trf_kernel *k, struct trf_size s, uint64_t n)
{
    struct traffic_point p = {.kernel = k, .size = s};
    p.size.n = n;
    p.expected = trf_kernel_expected(k, &p.size, last_level(&w->geometry));
    if (!k->run) {
        LS_TRY(traffic_blas(&w->geometry, &p));
        return LS_VECTOR_ADD(&w->points, p);
    }
    LS_TRY(trf_model_kernel(k, &p.size, &w->geometry, p.arrays));
    if (w->measure) LS_TRY(traffic_measure_point(w->measure, &p));
    for (unsigned i = 0; i < TRF_ARRAYS_MAX; i++) {
        p.all.accesses += p.arrays[i].accesses;
        p.all.read_lines += p.arrays[i].read_lines;
        p.all.written_lines += p.arrays[i].written_lines;
    }
    return LS_VECTOR_ADD(&w->points, p);
}

static ls_err sweep_own_sizes(struct traffic_sweep *w, const struct trf_kernel *k, const struct trf_size *s,
                              unsigned len)
{
    uint64_t sizes[POINTS_MOST];
    default_sizes(k, s, last_level(&w->geometry), len, sizes);
    for (unsigned i = 0; i < len; i++)
        if (i == 0 || sizes[i] != sizes[i - 1]) LS_TRY(measure(w, k, *s, sizes[i]));
    return LS_OK;
}

/* Run a kernel at the sizes of a list, or at its own. */
static ls_err sweep_kernel(struct traffic_sweep *w, const struct trf_kernel *k, const struct trf_size *s,
                           const struct cli_value *v)
{
    const char *list = v[TRAFFIC_SIZE].text;
    if (!list) return sweep_own_sizes(w, k, s, (unsigned)v[TRAFFIC_POINTS].number);
    char copy[512];
    if ((size_t)snprintf(copy, sizeof copy, "%s", list) >= sizeof copy)
        return ls_fail(LS_ERR_USAGE, "--size: the list is too long");
    char *rest = copy;
    for (char *word; (word = strsep(&rest, ","));) {
        uint64_t n = 0;
        if (ls_parse_u64(word, &n) != LS_OK)
            return ls_fail(LS_ERR_USAGE, "--size: '%s' is no size; write numbers separated by commas", word);
        LS_TRY(measure(w, k, *s, n));
    }
    return LS_OK;
}

static ls_err sweep_all(const struct cli_value *v, char **names, struct traffic_sweep *w)
{
    struct trf_size s = {.batch = v[TRAFFIC_BATCH].number,
                         .cap = v[TRAFFIC_CAP].number,
                         .stores_allocate = v[TRAFFIC_STORES].number == 0};
    LS_TRY(read_geometry(v, false, &w->geometry));
    LS_TRY(read_grid(v[TRAFFIC_GRID].text, &s));
    if (!*names)
        for (unsigned i = 0; i < trf_kernels_len; i++)
            if (trf_kernels[i].run) LS_TRY(sweep_kernel(w, &trf_kernels[i], &s, v));
    for (; *names; names++) {
        const struct trf_kernel *k = trf_kernel_named(*names);
        if (!k)
            return ls_fail(LS_ERR_USAGE, "there is no kernel '%s'; loadstone traffic --list names them",
                           *names);
        LS_TRY(sweep_kernel(w, k, &s, v));
    }
    return LS_OK;
}

static void sweep_fini(struct traffic_sweep *w)
{
    for (size_t i = 0; i < w->points.len; i++)
        free(w->points.rows[i].measured);
    free(w->points.rows);
    traffic_measure_close(w->measure);
}

double traffic_model_read(const struct traffic_point *p)
{
    return (double)p->all.read_lines * TRF_LINE_BYTES;
}

double traffic_model_written(const struct traffic_point *p)
{
    return (double)p->all.written_lines * TRF_LINE_BYTES;
}

static void print_kernels(FILE *out)
{
    fprintf(out, "%-12s %-48s %s\n", "kernel", "computes", "loop");
    for (unsigned i = 0; i < trf_kernels_len; i++)
        fprintf(out, "%-12s %-48s %s\n", trf_kernels[i].name, trf_kernels[i].title, trf_kernels[i].nest);
}

static int run_kernels(const struct cli_value *v, char **names)
{
    struct traffic_sweep w = {.geometry = {.len = 0}};
    const char *picture = v[TRAFFIC_PLOT].given ? v[TRAFFIC_PLOT].text : NULL;
    ls_err err = picture ? vx_page_check(picture) : LS_OK;
    if (err == LS_OK && picture) err = cli_output_check_named(picture, v[TRAFFIC_FORCE].given);
    if (err == LS_OK && v[TRAFFIC_MEASURE].given)
        err = traffic_measure_open(v[TRAFFIC_MEASURE].text, (unsigned)v[TRAFFIC_RUNS].number,
                                   v[TRAFFIC_REPETITIONS].given ? (unsigned)v[TRAFFIC_REPETITIONS].number : 0,
                                   &w.measure);
    if (err == LS_OK) err = sweep_all(v, names, &w);
    if (err == LS_OK) traffic_print_points(&w, (enum traffic_format)v[TRAFFIC_FORMAT].number);
    if (err == LS_OK && picture) err = traffic_plot(&w, picture); /* last: it may fail */
    sweep_fini(&w);
    return err == LS_OK ? CLI_OK : cli_fail(err);
}

/* ---- traces ---- */

static void note(void *user, const char *text)
{
    (void)user;
    cli_warn("%s", text);
}

static ls_err model_files(const char *const *paths, const struct trf_geometry *g, struct trf_rows *out)
{
    const struct pat_source_options options = {.note = note};
    pat_source *source = NULL;
    size_t len = 0;
    while (paths[len])
        len++;
    LS_TRY(pat_many_open(paths, len, &options, &source));
    const ls_err err = trf_model_source(source, g, out);
    pat_source_close(source);
    return err;
}

struct traces_call {
    const struct cli_value *v;
    char **paths;
};

static int run_traces(void *context)
{
    const struct traces_call *call = context;
    const struct cli_value *v = call->v;
    char **paths = call->paths;
    struct trf_geometry g;
    struct trf_rows rows = {NULL};
    if (!*paths) {
        cli_error("give the trace to run through the model, as loadstone trace writes it");
        return CLI_USAGE;
    }
    ls_err err = read_geometry(v, true, &g);
    if (err == LS_OK) err = model_files((const char *const *)paths, &g, &rows);
    const int status = err == LS_OK ? CLI_OK : cli_fail(err);
    if (err == LS_OK)
        traffic_print_rows(&g, &rows, v[TRAFFIC_TOP].number, (enum traffic_format)v[TRAFFIC_FORMAT].number);
    trf_rows_fini(&rows);
    return status;
}

/* ---- the product of BLAS ---- */

static int run_blas(const struct cli_value *v, char **rest)
{
    struct trf_size s = {.batch = v[TRAFFIC_BATCH].number};
    ls_err err = LS_OK;
    if (*rest || !v[TRAFFIC_SIZE].given || ls_parse_u64(v[TRAFFIC_SIZE].text, &s.n) != LS_OK)
        err = ls_fail(LS_ERR_USAGE, "give one size: loadstone traffic blas -n 100");
    if (err == LS_OK) err = trf_kernel_check(trf_kernel_named("gemm-blas"), &s);
    if (err == LS_OK) err = traffic_blas_multiply(&s);
    return err == LS_OK ? CLI_OK : cli_fail(err);
}

/* ---- a kernel for other tools to watch ---- */

static int run_native(const struct cli_value *v, char **rest)
{
    struct trf_size s = {.batch = v[TRAFFIC_BATCH].number,
                         .cap = v[TRAFFIC_CAP].number,
                         .stores_allocate = v[TRAFFIC_STORES].number == 0};
    const struct trf_kernel *k = *rest ? trf_kernel_named(*rest) : NULL;
    ls_err err = read_grid(v[TRAFFIC_GRID].text, &s);
    if (err == LS_OK &&
        (!k || rest[1] || !v[TRAFFIC_SIZE].given || ls_parse_u64(v[TRAFFIC_SIZE].text, &s.n) != LS_OK))
        err = ls_fail(LS_ERR_USAGE, "give one kernel and one size: loadstone traffic run gemm -n 1000");
    const unsigned repetitions = v[TRAFFIC_REPETITIONS].given ? (unsigned)v[TRAFFIC_REPETITIONS].number : 0;
    if (err == LS_OK) err = traffic_run_native(k, &s, repetitions);
    return err == LS_OK ? CLI_OK : cli_fail(err);
}

/* ---- the command ---- */

static const struct cli_action action_kernels = {
    .name = "",
    .operands = "[KERNEL...]",
    .description =
        "With names of kernels, runs these kernels through the model, and prints the bytes that a formula gives and "
        "the bytes that the model counts side by side. The kernels are matrix-vector and matrix products and the "
        "re-sorting loops of a three-dimensional FFT. Without names, runs all of them except gemm-blas, which needs a "
        "BLAS and QEMU.",
    .options = 1u << TRAFFIC_SIZE | 1u << TRAFFIC_POINTS | 1u << TRAFFIC_BATCH | 1u << TRAFFIC_CAP |
               1u << TRAFFIC_GRID | 1u << TRAFFIC_STORES | 1u << TRAFFIC_CACHE | 1u << TRAFFIC_FORMAT |
               1u << TRAFFIC_PLOT | 1u << TRAFFIC_FORCE | 1u << TRAFFIC_LIST | 1u << TRAFFIC_MEASURE |
               1u << TRAFFIC_RUNS | 1u << TRAFFIC_REPETITIONS,
};
static const struct cli_action action_trace = {
    .name = "trace",
    .operands = "FILE...",
    .description =
        "trace runs the accesses of an exact trace through the model, and prints for each piece of data the bytes that "
        "are read from and written to memory, and how much of its lines is used.",
    .examples = "loadstone trace -o t.trace -- ./program\n"
                "loadstone traffic trace t.trace\n",
    .options = 1u << TRAFFIC_CACHE | 1u << TRAFFIC_TOP | 1u << TRAFFIC_FORMAT,
};
static const struct cli_action action_blas = {
    .name = "blas",
    .operands = "",
    .description =
        "blas multiplies two matrices with the installed BLAS, in the phase gemm. The kernel gemm-blas traces this program.",
    .examples = "loadstone trace --phase gemm -o t.trace -- loadstone traffic blas -n 100\n",
    .options = 1u << TRAFFIC_SIZE | 1u << TRAFFIC_BATCH,
};
static const struct cli_action action_run = {
    .name = "run",
    .operands = "KERNEL",
    .description =
        "run runs a kernel natively, for observation by other tools; its arrays are removed from the caches before each "
        "repetition. loadstone record estimates its traffic without counters.",
    .examples = "loadstone record -- loadstone traffic run s1cf-2 -n 400 --repetitions 100\n",
    .options = 1u << TRAFFIC_SIZE | 1u << TRAFFIC_BATCH | 1u << TRAFFIC_CAP | 1u << TRAFFIC_GRID |
               1u << TRAFFIC_STORES | 1u << TRAFFIC_REPETITIONS,
};
static const struct cli_action *const traffic_actions[] = {&action_kernels, &action_trace, &action_blas,
                                                           &action_run, NULL};

static int traffic_run(const struct cli_command *c, const struct cli_value *v, char **operands)
{
    const struct cli_action *named = cli_action_named(c, *operands);
    const int status = cli_options_check(c, v, named ? named->options : action_kernels.options,
                                         named ? named->name : action_kernels.operands);
    if (status != CLI_OK) return status;
    if (v[TRAFFIC_LIST].given) {
        print_kernels(stdout);
        return CLI_OK;
    }
    if (*operands && strcmp(*operands, action_trace.name) == 0) {
        struct traces_call call = {v, operands + 1};
        return cli_run_in_child(run_traces, &call, (const char *const *)call.paths);
    }
    if (*operands && strcmp(*operands, action_blas.name) == 0) return run_blas(v, operands + 1);
    if (*operands && strcmp(*operands, action_run.name) == 0) return run_native(v, operands + 1);
    return run_kernels(v, operands);
}

const struct cli_command cli_cmd_traffic = {
    .name = "traffic",
    .summary = "print the memory traffic of kernels and traces: expected, and by a model of the caches",
    .operands = "[KERNEL...] | trace FILE... | run KERNEL | blas",
    .description =
        "Computes how many bytes kernels and traced programs read from memory and write to it. The model has the "
        "caches of one core: set-associative, least recently used line replaced, write-back, write-allocate. It has no "
        "prefetcher and no other core.",
    .examples =
        "loadstone traffic                                  all kernels around the bounds of a small cache\n"
        "loadstone traffic gemm -n 100,300 --cache 32K/8,1M/16\n"
        "loadstone traffic s1cf-2 --points 20 --plot s1cf-2.png\n"
        "loadstone traffic trace t.trace                    traffic of each piece of data of a trace\n",
    .options = traffic_options,
    .options_len = TRAFFIC_OPTIONS,
    .actions = traffic_actions,
    .operands_min = 0,
    .operands_max = SIZE_MAX,
    .is_benchmark = true,
    .run = traffic_run,
};
