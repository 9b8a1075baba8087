/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone traffic: the memory traffic that kernels should cause, and the count of a model of the caches. */
#include "common/ls_json.h"
#include "common/ls_put.h"
#include "common/ls_quantity.h"
#include "machine/mach_cpu.h"
#include "tools/cli/cli_child.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_output.h"
#include "tools/traffic/traffic.h"
#include "viz-export/charts/vx_chart.h"

#include <inttypes.h>
#include <math.h>
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

enum { TRAFFIC_JSON_SCHEMA = 1, LABEL_WIDTH = 44, POINTS_MOST = 100 };

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
         "products of matrices at once, one on each core, on separate matrices that share the last level",
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
                      "measured runs; their lowest and highest counts are the band", "Counters", .least = 1,
                      .most = 10000},
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

enum format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON };

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

static const char *const regime_names[] = {"cached", "transition", "beyond"};

double traffic_model_read(const struct traffic_point *p)
{
    return (double)p->all.read_lines * TRF_LINE_BYTES;
}

double traffic_model_written(const struct traffic_point *p)
{
    return (double)p->all.written_lines * TRF_LINE_BYTES;
}

/* "1.23M", in powers of 1000. */
static const char *amount(double bytes, char out[16])
{
    static const char units[] = " kMGT";
    unsigned u = 0;
    while (bytes >= 999.5 && u + 2 < sizeof units) {
        bytes /= 1000;
        u++;
    }
    snprintf(out, 16, u ? "%.2f%c" : "%.0f%c", bytes, units[u]);
    return out;
}

/* Expected reads; in the transition the interval they lie in. */
static const char *expected_reads(const struct trf_expected *e, char out[40])
{
    char low[16], high[16];
    if (e->read_bytes_most > e->read_bytes)
        snprintf(out, 40, "%s..%s", amount(e->read_bytes, low), amount(e->read_bytes_most, high));
    else
        snprintf(out, 40, "%s", amount(e->read_bytes, low));
    return out;
}

/* "1.02 (0.99..1.07)", parts of the expected bytes; "-": not counted. */
static const char *band(const struct trf_band *b, double expected, char out[40])
{
    if (!b->len) return "-";
    snprintf(out, 40, "%.3f (%.3f..%.3f)", b->mean / expected, b->low / expected, b->high / expected);
    return out;
}

/* One source at one size: mean and band of the runs, parts of the expected bytes, and the mean of runs of a single
 * repetition. */
static void print_measured(const struct traffic_point *p, const struct trf_measured *m, FILE *out)
{
    char all[40], one[40];
    const struct {
        const char *what;
        const struct trf_band *many, *one;
        double expected;
    } rows[] = {{"read", &m->read, &m->one_read, p->expected.read_bytes},
                {"written", &m->written, &m->one_written, p->expected.written_bytes},
                {"moved", &m->moved, &m->one_moved, p->expected.read_bytes + p->expected.written_bytes}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].many->len)
            fprintf(out, "%-12s %7" PRIu64 "  %-10s %-8s %4u %24s %24s\n", p->kernel->name, p->size.n,
                    m->source->name, rows[i].what, p->repetitions, band(rows[i].many, rows[i].expected, all),
                    band(rows[i].one, rows[i].expected, one));
}

static void print_all_measured(const struct traffic_sweep *w, FILE *out)
{
    if (!w->measure) return;
    fputs(
        "\nmeasured   parts of the expected bytes: mean (lowest..highest) of the runs; caches empty before, and "
        "written back after each repetition\n\n",
        out);
    fprintf(out, "%-12s %7s  %-10s %-8s %4s %24s %24s\n", "kernel", "size", "source", "bytes", "rep.",
            "of that many repetitions", "of one repetition");
    for (size_t i = 0; i < w->points.len; i++)
        for (size_t k = 0; k < w->points.rows[i].measured_len; k++)
            print_measured(&w->points.rows[i], &w->points.rows[i].measured[k], out);
}

static void print_points(const struct traffic_sweep *w, FILE *out)
{
    char caches[96], reads[40], read[16], expected[16], written[16];
    trf_geometry_text(&w->geometry, caches, sizeof caches);
    fprintf(out,
            "model      caches of %s, lines of %d bytes, empty before and written back after each run\n\n",
            caches, TRF_LINE_BYTES);
    fprintf(out, "%-12s %7s  %-10s %17s %9s %7s  %9s %9s %7s\n", "kernel", "size", "data is",
            "read, expected", "model", "ratio", "written", "model", "ratio");
    for (size_t i = 0; i < w->points.len; i++) {
        const struct traffic_point *p = &w->points.rows[i];
        const bool is_open = p->expected.read_bytes_most > p->expected.read_bytes;
        char ratio[16] = "-";
        if (!is_open) snprintf(ratio, sizeof ratio, "%.4f", traffic_model_read(p) / p->expected.read_bytes);
        fprintf(out, "%-12s %7" PRIu64 "  %-10s %17s %9s %7s  %9s %9s %7.4f\n", p->kernel->name, p->size.n,
                regime_names[p->expected.regime], expected_reads(&p->expected, reads),
                amount(traffic_model_read(p), read), ratio, amount(p->expected.written_bytes, expected),
                amount(traffic_model_written(p), written),
                traffic_model_written(p) / p->expected.written_bytes);
    }
    fputs(
        "\ncached: the data that a kernel uses again fits the last level; beyond: it does not; transition: between.\n",
        out);
    print_all_measured(w, out);
}

static void put_csv_band(const struct trf_band *b, FILE *out)
{
    if (b->len)
        fprintf(out, ",%.0f,%.0f,%.0f", b->low, b->mean, b->high);
    else
        fputs(",,,", out);
}

static void print_measured_csv(const struct traffic_sweep *w, FILE *out)
{
    fputs("\nkernel,size,source,repetitions,runs", out);
    static const char *const columns[] = {"read", "written", "moved", "one_read", "one_written", "one_moved"};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        fprintf(out, ",%s_low_bytes,%s_mean_bytes,%s_high_bytes", columns[i], columns[i], columns[i]);
    fputc('\n', out);
    for (size_t i = 0; i < w->points.len; i++)
        for (size_t k = 0; k < w->points.rows[i].measured_len; k++) {
            const struct traffic_point *p = &w->points.rows[i];
            const struct trf_measured *m = &p->measured[k];
            const unsigned runs = m->read.len > m->moved.len ? m->read.len : m->moved.len;
            fprintf(out, "%s,%" PRIu64 ",%s,%u,%u", p->kernel->name, p->size.n, m->source->name,
                    p->repetitions, runs);
            const struct trf_band *const bands[] = {&m->read,     &m->written,     &m->moved,
                                                    &m->one_read, &m->one_written, &m->one_moved};
            for (size_t b = 0; b < sizeof bands / sizeof bands[0]; b++)
                put_csv_band(bands[b], out);
            fputc('\n', out);
        }
}

static void print_points_csv(const struct traffic_sweep *w, FILE *out)
{
    fputs(
        "kernel,size,regime,expected_read_bytes,expected_read_bytes_most,model_read_bytes,expected_written_bytes,"
        "model_written_bytes\n",
        out);
    for (size_t i = 0; i < w->points.len; i++) {
        const struct traffic_point *p = &w->points.rows[i];
        fprintf(out, "%s,%" PRIu64 ",%s,%.0f,%.0f,%.0f,%.0f,%.0f\n", p->kernel->name, p->size.n,
                regime_names[p->expected.regime], p->expected.read_bytes, p->expected.read_bytes_most,
                traffic_model_read(p), p->expected.written_bytes, traffic_model_written(p));
    }
    if (w->measure) print_measured_csv(w, out);
}

static void json_head(struct ls_json *j, const struct trf_geometry *g)
{
    char caches[96];
    trf_geometry_text(g, caches, sizeof caches);
    ls_json_open(j, NULL, '{');
    ls_json_u64(j, "schema", TRAFFIC_JSON_SCHEMA);
    ls_json_text(j, "command", "traffic");
    ls_json_text(j, "model", "cache");
    ls_json_text(j, "caches", caches);
}

static void json_traffic(struct ls_json *j, const struct trf_traffic *t)
{
    ls_json_u64(j, "accesses", t->accesses);
    ls_json_u64(j, "read_bytes", t->read_lines * TRF_LINE_BYTES);
    ls_json_u64(j, "written_bytes", t->written_lines * TRF_LINE_BYTES);
}

static void json_band(struct ls_json *j, const char *name, const struct trf_band *b)
{
    if (!b->len) return;
    ls_json_open(j, name, '{');
    ls_json_number(j, "low_bytes", b->low);
    ls_json_number(j, "mean_bytes", b->mean);
    ls_json_number(j, "high_bytes", b->high);
    ls_json_u64(j, "runs", b->len);
    ls_json_close(j, '}');
}

static void json_measured(struct ls_json *j, const struct traffic_point *p)
{
    ls_json_u64(j, "repetitions", p->repetitions);
    ls_json_open(j, "measured", '[');
    for (size_t i = 0; i < p->measured_len; i++) {
        const struct trf_measured *m = &p->measured[i];
        ls_json_open(j, NULL, '{');
        ls_json_text(j, "source", m->source->name);
        json_band(j, "read", &m->read);
        json_band(j, "written", &m->written);
        json_band(j, "moved", &m->moved);
        json_band(j, "one_read", &m->one_read);
        json_band(j, "one_written", &m->one_written);
        json_band(j, "one_moved", &m->one_moved);
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
}

static void print_points_json(const struct traffic_sweep *w, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    json_head(&j, &w->geometry);
    ls_json_open(&j, "points", '[');
    for (size_t i = 0; i < w->points.len; i++) {
        const struct traffic_point *p = &w->points.rows[i];
        ls_json_open(&j, NULL, '{');
        ls_json_text(&j, "kernel", p->kernel->name);
        ls_json_u64(&j, "size", p->size.n);
        ls_json_text(&j, "regime", regime_names[p->expected.regime]);
        ls_json_number(&j, "expected_read_bytes", p->expected.read_bytes);
        ls_json_number(&j, "expected_read_bytes_most", p->expected.read_bytes_most);
        ls_json_number(&j, "expected_written_bytes", p->expected.written_bytes);
        json_traffic(&j, &p->all);
        ls_json_open(&j, "arrays", '[');
        for (unsigned a = 0; a < TRF_ARRAYS_MAX && p->kernel->arrays[a]; a++) {
            ls_json_open(&j, NULL, '{');
            ls_json_text(&j, "name", p->kernel->arrays[a]);
            json_traffic(&j, &p->arrays[a]);
            ls_json_close(&j, '}');
        }
        ls_json_close(&j, ']');
        if (w->measure) json_measured(&j, p);
        ls_json_close(&j, '}');
    }
    ls_json_close(&j, ']');
    ls_json_close(&j, '}');
}

static void print_kernels(FILE *out)
{
    fprintf(out, "%-12s %-48s %s\n", "kernel", "computes", "loop");
    for (unsigned i = 0; i < trf_kernels_len; i++)
        fprintf(out, "%-12s %-48s %s\n", trf_kernels[i].name, trf_kernels[i].title, trf_kernels[i].nest);
}

static int run_kernels(const struct cli_value *v, char **names)
{
    static void (*const printers[])(const struct traffic_sweep *, FILE *) = {print_points, print_points_csv,
                                                                             print_points_json};
    struct traffic_sweep w = {.geometry = {.len = 0}};
    const char *picture = v[TRAFFIC_PLOT].given ? v[TRAFFIC_PLOT].text : NULL;
    ls_err err = picture ? vx_page_check(picture) : LS_OK;
    if (err == LS_OK && picture) err = cli_output_check_named(picture, v[TRAFFIC_FORCE].given);
    if (err == LS_OK && v[TRAFFIC_MEASURE].given)
        err = traffic_measure_open(v[TRAFFIC_MEASURE].text, (unsigned)v[TRAFFIC_RUNS].number,
                                   v[TRAFFIC_REPETITIONS].given ? (unsigned)v[TRAFFIC_REPETITIONS].number : 0,
                                   &w.measure);
    if (err == LS_OK) err = sweep_all(v, names, &w);
    if (err == LS_OK && picture) err = traffic_plot(&w, picture);
    const int status = err == LS_OK ? CLI_OK : cli_fail(err);
    if (err == LS_OK) printers[v[TRAFFIC_FORMAT].number](&w, stdout);
    sweep_fini(&w);
    return status;
}

/* ---- traces ---- */

static double used_share(const struct trf_traffic *t)
{
    return t->read_lines ? fmin(1, (double)t->used_bytes / ((double)t->read_lines * TRF_LINE_BYTES)) : NAN;
}

static void print_row(const char *label, const struct trf_traffic *t, FILE *out)
{
    char read[16], written[16], used[16] = "-";
    if (t->read_lines) snprintf(used, sizeof used, "%.0f", 100 * used_share(t));
    fprintf(out, "%-*.*s %10" PRIu64 " %10s %10s %7s\n", LABEL_WIDTH, LABEL_WIDTH, label, t->accesses,
            amount((double)t->read_lines * TRF_LINE_BYTES, read),
            amount((double)t->written_lines * TRF_LINE_BYTES, written), used);
}

static void print_rows(const struct trf_geometry *g, const struct trf_rows *r, size_t top, FILE *out)
{
    char caches[96];
    trf_geometry_text(g, caches, sizeof caches);
    fprintf(out, "model      caches of %s, lines of %d bytes, all threads as one core\n", caches,
            TRF_LINE_BYTES);
    if (r->is_sampled)
        fputs("source     bursts: the caches see only these accesses, so reuse between bursts is missing\n",
              out);
    fprintf(out, "\n%-*s %10s %10s %10s %7s\n", LABEL_WIDTH, "data", "accesses", "read", "written", "used");
    fprintf(out, "%-*s %10s %10s %10s %7s\n", LABEL_WIDTH, "", "", "bytes", "bytes", "% lines");
    print_row("all", &r->all, out);
    for (size_t i = 0; i < r->len && i < top; i++)
        print_row(r->rows[i].label, &r->rows[i].traffic, out);
    if (r->len > top) fprintf(out, "(%zu more, not shown)\n", r->len - top);
}

static void print_rows_csv(const struct trf_geometry *g, const struct trf_rows *r, size_t top, FILE *out)
{
    (void)g;
    fputs("data,accesses,read_bytes,written_bytes,used_share\n", out);
    for (size_t i = 0; i < r->len && i < top; i++) {
        const struct trf_traffic *t = &r->rows[i].traffic;
        ls_put_csv(out, r->rows[i].label);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", t->accesses, t->read_lines * TRF_LINE_BYTES,
                t->written_lines * TRF_LINE_BYTES);
        if (t->read_lines) fprintf(out, "%.4f", used_share(t));
        fputc('\n', out);
    }
}

static void print_rows_json(const struct trf_geometry *g, const struct trf_rows *r, size_t top, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    json_head(&j, g);
    ls_json_bool(&j, "is_sampled", r->is_sampled);
    ls_json_open(&j, "data", '[');
    for (size_t i = 0; i < r->len && i < top; i++) {
        ls_json_open(&j, NULL, '{');
        ls_json_text(&j, "label", r->rows[i].label);
        json_traffic(&j, &r->rows[i].traffic);
        ls_json_number(&j, "used_share", used_share(&r->rows[i].traffic));
        ls_json_close(&j, '}');
    }
    ls_json_close(&j, ']');
    ls_json_close(&j, '}');
}

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
    static void (*const printers[])(const struct trf_geometry *, const struct trf_rows *, size_t,
                                    FILE *) = {print_rows, print_rows_csv, print_rows_json};
    struct trf_geometry g;
    struct trf_rows rows = {NULL};
    if (!*paths) {
        cli_error("give the trace to run through the model, as loadstone trace writes it");
        return CLI_USAGE;
    }
    ls_err err = read_geometry(v, true, &g);
    if (err == LS_OK) err = model_files((const char *const *)paths, &g, &rows);
    const int status = err == LS_OK ? CLI_OK : cli_fail(err);
    if (err == LS_OK) printers[v[TRAFFIC_FORMAT].number](&g, &rows, v[TRAFFIC_TOP].number, stdout);
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
    (void)c;
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
