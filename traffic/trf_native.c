/* SPDX-License-Identifier: BSD-3-Clause */
#include "traffic/trf_native.h"

#include "common/ls_clock.h"
#include "machine/mach_isa.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINE_BYTES = 64 };
#define REST_NS (LS_NS_PER_S / 20)

/* Prevent compilers from replacing a loop by memcpy, which bypasses the caches for large copies. */
#define KEEP_LOOP() __asm__ volatile("" ::: "memory")

/* ---- the loops of trf_kernel.c on real data; a complex number is two doubles ---- */

static void native_gemv_rows(double *const a[], uint64_t m, uint64_t n, uint64_t rows)
{
    for (uint64_t i = 0; i < m; i++) {
        const double *row = a[0] + i % rows * n;
        double sum = 0;
        for (uint64_t k = 0; k < n; k++)
            sum += row[k] * a[1][k];
        a[2][i] = sum;
    }
}

static void native_gemv(const struct trf_size *s, double *const a[])
{
    native_gemv_rows(a, s->n, s->n, s->n);
}

static void native_gemv_capped(const struct trf_size *s, double *const a[])
{
    const uint64_t width = s->n < s->cap ? s->n : s->cap;
    native_gemv_rows(a, s->n, width, width);
}

static void native_gemm(const struct trf_size *s, double *const a[])
{
    const uint64_t n = s->n;
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t j = 0; j < n; j++) {
            double sum = 0;
            for (uint64_t k = 0; k < n; k++)
                sum += a[0][i * n + k] * a[1][k * n + j];
            a[2][i * n + j] = sum;
        }
}

static inline void copy_complex(double *to, const double *from)
{
    to[0] = from[0];
    to[1] = from[1];
    KEEP_LOOP();
}

/* Store elements in order, bypassing the caches if the size requests it. */
static void copy_in_order(const struct trf_size *s, double *to, const double *from, uint64_t len)
{
    if (!s->stores_allocate) {
        mach_isa->copy_past_caches(to, from, len);
        return;
    }
    for (uint64_t i = 0; i < len; i++)
        copy_complex(to + 2 * i, from + 2 * i);
}

static void native_s1cf1(const struct trf_size *s, double *const a[])
{
    const uint64_t len = s->n / s->rows * (s->n / s->cols) * s->n;
    copy_in_order(s, a[1], a[0], len);
}

static void native_s1cf2(const struct trf_size *s, double *const a[])
{
    const uint64_t planes = s->n / s->rows, rows = s->n / s->cols, cols = s->n;
    for (uint64_t col = 0; col < cols; col++)
        for (uint64_t plane = 0; plane < planes; plane++)
            for (uint64_t row = 0; row < rows; row++)
                copy_complex(a[1] + 2 * ((col * planes + plane) * rows + row),
                             a[0] + 2 * ((plane * rows + row) * cols + col));
}

static void native_s1cf(const struct trf_size *s, double *const a[])
{
    const uint64_t planes = s->n / s->rows, rows = s->n / s->cols, cols = s->n;
    for (uint64_t plane = 0; plane < planes; plane++)
        for (uint64_t row = 0; row < rows; row++)
            for (uint64_t col = 0; col < cols; col++)
                copy_complex(a[1] + 2 * ((col * planes + plane) * rows + row),
                             a[0] + 2 * ((plane * rows + row) * cols + col));
}

static void native_s2cf(const struct trf_size *s, double *const a[])
{
    const uint64_t planes = s->n / s->rows, rows = s->n / s->cols, ys = s->cols, xs = s->n / ys;
    double *to = a[1];
    for (uint64_t plane = 0; plane < planes; plane++)
        for (uint64_t x = 0; x < xs; x++)
            for (uint64_t y = 0; y < ys; y++) {
                copy_in_order(s, to, a[0] + 2 * ((y * planes + plane) * xs + x) * rows, rows);
                to += 2 * rows;
            }
}

typedef void native_loop(const struct trf_size *s, double *const arrays[]);

static const struct {
    const char *kernel;
    native_loop *loop;
} native_rows[] = {
    {"gemv", native_gemv},    {"gemv-capped", native_gemv_capped},
    {"gemm", native_gemm},    {"s1cf-1", native_s1cf1},
    {"s1cf-2", native_s1cf2}, {"s1cf", native_s1cf},
    {"s2cf", native_s2cf},
};

static native_loop *loop_of(const struct trf_kernel *k)
{
    for (size_t i = 0; i < sizeof(native_rows) / sizeof(native_rows[0]); i++)
        if (strcmp(native_rows[i].kernel, k->name) == 0) return native_rows[i].loop;
    return NULL;
}

/* ---- arrays ---- */

static uint64_t copies_of(const struct trf_size *s)
{
    return s->batch ? s->batch : 1;
}

/* The arrays of some kernels grow with the batch, and so contain the copies already. */
static uint64_t elements_of_copy(const struct trf_kernel *k, const struct trf_size *s, unsigned array)
{
    struct trf_size one = *s;
    one.batch = 1;
    return k->elements(&one, array);
}

static ls_err native_allocate(struct trf_native *n)
{
    for (unsigned i = 0; i < TRF_ARRAYS_MAX && n->kernel->arrays[i]; i++) {
        const uint64_t each = elements_of_copy(n->kernel, &n->size, i) * n->kernel->element_bytes;
        /* no line is shared by two copies */
        n->bytes[i] = n->copies * ((each + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
        n->arrays[i] = aligned_alloc(LINE_BYTES, n->bytes[i]);
        if (!n->arrays[i]) return ls_nomem("the arrays of %s", n->kernel->name);
        for (size_t at = 0; at < n->bytes[i] / sizeof(double); at++)
            n->arrays[i][at] = 1 + (double)(at & 7);
    }
    return LS_OK;
}

ls_err trf_native_init(struct trf_native *out, const struct trf_kernel *k, const struct trf_size *s)
{
    *out = (struct trf_native){.kernel = k, .size = *s, .copies = (unsigned)copies_of(s)};
    LS_TRY(trf_kernel_check(k, s));
    if (!loop_of(k))
        return ls_fail(LS_ERR_UNSUPPORTED, "%s: the loops are a library's; they are traced, not measured",
                       k->name);
    if (!mach_isa || !mach_isa->copy_past_caches)
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "kernels are measured on x86-64 only: elsewhere caches cannot be emptied");
    const struct kn_options options = {.threads = out->copies};
    unsigned threads;
    LS_TRY(kn_backend_choose(&options, &out->backend, &threads));
    const ls_err err = native_allocate(out);
    if (err != LS_OK) trf_native_fini(out);
    return err;
}

void trf_native_fini(struct trf_native *n)
{
    for (unsigned i = 0; i < TRF_ARRAYS_MAX; i++) {
        free(n->arrays[i]);
        n->arrays[i] = NULL;
    }
}

static void native_share(void *user, unsigned share)
{
    struct trf_native *n = user;
    double *arrays[TRF_ARRAYS_MAX] = {NULL};
    struct trf_size one = n->size;
    one.batch = 1;
    for (unsigned i = 0; i < TRF_ARRAYS_MAX && n->arrays[i]; i++)
        arrays[i] = n->arrays[i] + n->bytes[i] / n->copies / sizeof(double) * share;
    loop_of(n->kernel)(&one, arrays);
}

void trf_native_run(struct trf_native *n)
{
    n->backend->parallel(n->copies, native_share, n);
}

void trf_native_flush(struct trf_native *n)
{
    for (unsigned i = 0; i < TRF_ARRAYS_MAX && n->arrays[i]; i++)
        mach_isa->flush(n->arrays[i], n->bytes[i]);
}

/* ---- counters ---- */

/* The row of trf_sources. */
static size_t row_of(const struct trf_source *source)
{
    size_t row = 0;
    while (trf_sources[row] && trf_sources[row] != source)
        row++;
    return row;
}

static bool is_traffic(enum ls_counter_kind kind)
{
    return kind == LS_COUNTER_READ || kind == LS_COUNTER_WRITTEN || kind == LS_COUNTER_MOVED;
}

void trf_measure_point(struct trf_measure *m, const struct trf_point *p)
{
    size_t len;
    const struct trf_series *s = trf_sampler_series(m->sampler, &len) + p->series;
    const size_t row = row_of(s->source);
    if (row >= TRF_SOURCES_MAX || !is_traffic(s->counter.kind)) return;
    if (p->gap != LS_GAP_NONE) {
        m->has_gap[row] = true;
        return;
    }
    m->sums[row][s->counter.kind] += p->value;
    m->has[row][s->counter.kind] = true;
}

static void measure_clear(struct trf_measure *m)
{
    const trf_sampler *sampler = m->sampler;
    *m = (struct trf_measure){.sampler = sampler};
}

/* Measure the traffic of other programs, in bytes per second. */
static void measure_others(struct trf_measure *m, trf_sampler *sampler, double others[][LS_COUNTER_KINDS_LEN])
{
    const struct timespec rest = {.tv_nsec = REST_NS};
    trf_sampler_read(sampler);
    measure_clear(m);
    const uint64_t begin_ns = ls_clock_mono_ns();
    nanosleep(&rest, NULL);
    trf_sampler_read(sampler);
    const double seconds = (double)(ls_clock_mono_ns() - begin_ns) / (double)LS_NS_PER_S;
    for (size_t row = 0; row < TRF_SOURCES_MAX; row++)
        for (int k = 0; k < LS_COUNTER_KINDS_LEN; k++)
            others[row][k] = m->sums[row][k] / seconds;
}

/* Measure one run; m then has the bytes of one repetition without the traffic of other programs. Returns the
 * nanoseconds. */
static uint64_t measure_run(struct trf_measure *m, trf_sampler *sampler, struct trf_native *n,
                            unsigned repetitions, double others[][LS_COUNTER_KINDS_LEN])
{
    trf_native_flush(n);
    trf_sampler_read(sampler);
    measure_clear(m);
    const uint64_t begin_ns = ls_clock_mono_ns();
    for (unsigned r = 0; r < repetitions; r++) {
        trf_native_run(n);
        trf_native_flush(n);
    }
    const uint64_t took_ns = ls_clock_mono_ns() - begin_ns;
    trf_sampler_read(sampler);
    const double seconds = (double)took_ns / (double)LS_NS_PER_S;
    for (size_t row = 0; row < TRF_SOURCES_MAX; row++)
        for (int k = 0; k < LS_COUNTER_KINDS_LEN; k++)
            m->sums[row][k] = fmax(0, m->sums[row][k] - others[row][k] * seconds) / repetitions;
    return took_ns;
}

static void band_begin(struct trf_band *b)
{
    *b = (struct trf_band){.low = NAN, .mean = NAN, .high = NAN};
}

static void band_add(struct trf_band *b, bool has, double bytes)
{
    if (!has) return;
    b->len++;
    b->low = fmin(b->low, bytes); /* NAN is left out */
    b->high = fmax(b->high, bytes);
    b->mean = b->len == 1 ? bytes : b->mean + (bytes - b->mean) / b->len;
}

static void take_run(const struct trf_measure *m, size_t row, struct trf_band *read, struct trf_band *written,
                     struct trf_band *moved)
{
    const bool is_whole = !m->has_gap[row];
    band_add(read, is_whole && m->has[row][LS_COUNTER_READ], m->sums[row][LS_COUNTER_READ]);
    band_add(written, is_whole && m->has[row][LS_COUNTER_WRITTEN], m->sums[row][LS_COUNTER_WRITTEN]);
    band_add(moved, is_whole && m->has[row][LS_COUNTER_MOVED], m->sums[row][LS_COUNTER_MOVED]);
}

/* List the sources that have series, each once. */
static size_t measured_begin(const trf_sampler *sampler, struct trf_measured *out)
{
    size_t series_len, len = 0;
    const struct trf_series *s = trf_sampler_series(sampler, &series_len);
    for (size_t i = 0; i < series_len; i++) {
        bool is_known = !is_traffic(s[i].counter.kind);
        for (size_t k = 0; k < len; k++)
            is_known = is_known || out[k].source == s[i].source;
        if (is_known || len >= TRF_SOURCES_MAX) continue;
        struct trf_measured *row = &out[len++];
        row->source = s[i].source;
        struct trf_band *const bands[] = {&row->read,     &row->written,     &row->moved,
                                          &row->one_read, &row->one_written, &row->one_moved};
        for (size_t b = 0; b < sizeof(bands) / sizeof(bands[0]); b++)
            band_begin(bands[b]);
    }
    return len;
}

/* Return the number of repetitions by the paper's rule, reduced if they would take longer than requested. */
static unsigned repetitions_of(const struct trf_native *n, const struct trf_measure_options *o,
                               uint64_t one_ns)
{
    if (o->repetitions) return o->repetitions;
    const unsigned wanted = trf_repetitions(n->size.n);
    const uint64_t fit = one_ns ? o->second_ns / one_ns : wanted;
    return fit < 1 ? 1 : fit < wanted ? (unsigned)fit : wanted;
}

ls_err trf_measure(struct trf_measure *m, trf_sampler *sampler, struct trf_native *n,
                   const struct trf_measure_options *o, struct trf_measured *out, size_t *out_len,
                   unsigned *out_repetitions)
{
    double others[TRF_SOURCES_MAX][LS_COUNTER_KINDS_LEN];
    uint64_t one_ns = 0;
    m->sampler = sampler;
    *out_len = measured_begin(sampler, out);
    measure_others(m, sampler, others);
    for (unsigned run = 1; run <= o->runs; run++) {
        one_ns = measure_run(m, sampler, n, 1, others);
        for (size_t i = 0; i < *out_len; i++)
            take_run(m, row_of(out[i].source), &out[i].one_read, &out[i].one_written, &out[i].one_moved);
    }
    *out_repetitions = repetitions_of(n, o, one_ns);
    for (unsigned run = 1; run <= o->runs; run++) {
        measure_run(m, sampler, n, *out_repetitions, others);
        for (size_t i = 0; i < *out_len; i++)
            take_run(m, row_of(out[i].source), &out[i].read, &out[i].written, &out[i].moved);
    }
    return LS_OK;
}
