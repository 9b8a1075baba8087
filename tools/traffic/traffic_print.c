/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels at their sizes and the data of traces, as tables, CSV and JSON. */
#include "common/ls_json.h"
#include "common/ls_put.h"
#include "tools/traffic/traffic.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { TRAFFIC_JSON_SCHEMA = 1, LABEL_WIDTH = 44 };

static const char *const regime_names[] = {"cached", "transition", "beyond"};

/* ---- kernels ---- */

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

void traffic_print_points(const struct traffic_sweep *w, enum traffic_format format)
{
    static void (*const printers[])(const struct traffic_sweep *, FILE *) = {print_points, print_points_csv,
                                                                             print_points_json};
    printers[format](w, stdout);
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

void traffic_print_rows(const struct trf_geometry *g, const struct trf_rows *r, size_t top,
                        enum traffic_format format)
{
    static void (*const printers[])(const struct trf_geometry *, const struct trf_rows *, size_t,
                                    FILE *) = {print_rows, print_rows_csv, print_rows_json};
    printers[format](g, r, top, stdout);
}
