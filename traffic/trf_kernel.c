/* SPDX-License-Identifier: BSD-3-Clause */
#include "traffic/trf_kernel.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { DOUBLE_BYTES = 8, COMPLEX_BYTES = 16 };
#define BYTES_MOST (UINT64_C(1) << 48)

/* ---- matrix-vector product, y = A x; rows of a capped matrix are used again ---- */

enum { GEMV_A, GEMV_X, GEMV_Y };

/* n rows of the result. The plain product is square; the capped one keeps the width of its matrix at `cap`. */
static uint64_t capped(const struct trf_size *s)
{
    return s->n < s->cap ? s->n : s->cap;
}

static uint64_t gemv_elements(const struct trf_size *s, unsigned array)
{
    return array == GEMV_A ? s->n * s->n : s->n;
}

static uint64_t gemv_capped_elements(const struct trf_size *s, unsigned array)
{
    const uint64_t width = capped(s);
    return array == GEMV_A ? width * width : array == GEMV_X ? width : s->n;
}

static void gemv_rows(uint64_t m, uint64_t n, uint64_t rows, struct trf_sink *sink)
{
    for (uint64_t i = 0; i < m; i++) {
        for (uint64_t k = 0; k < n; k++) {
            sink->load(sink, GEMV_A, i % rows * n + k);
            sink->load(sink, GEMV_X, k);
        }
        sink->store(sink, GEMV_Y, i, false);
    }
}

static void gemv_run(const struct trf_size *s, struct trf_sink *sink)
{
    gemv_rows(s->n, s->n, s->n, sink);
}

static void gemv_capped_run(const struct trf_size *s, struct trf_sink *sink)
{
    gemv_rows(s->n, capped(s), capped(s), sink);
}

static double gemv_reads(const struct trf_size *s)
{
    const double n = (double)s->n;
    return n * n + 2 * n;
}

/* If the matrix fits, it is read once, however many rows the result has. */
static double gemv_capped_reads(const struct trf_size *s)
{
    const double width = (double)capped(s);
    return width * width + width + (double)s->n;
}

static double gemv_capped_reads_beyond(const struct trf_size *s)
{
    const double m = (double)s->n, n = (double)capped(s);
    return m * n + m + n;
}

static double gemv_writes(const struct trf_size *s)
{
    return (double)s->n;
}

/* The vector x, and one row of A. */
static double gemv_kept(const struct trf_size *s)
{
    return 2.0 * DOUBLE_BYTES * (double)s->n;
}

static double gemv_capped_kept(const struct trf_size *s)
{
    const double width = (double)capped(s);
    return DOUBLE_BYTES * (width * width + 2 * width);
}

static double gemv_capped_beyond(const struct trf_size *s)
{
    const double width = (double)capped(s);
    return DOUBLE_BYTES * width * width;
}

/* ---- matrix product, C = A B, in the order i, j, k; copies of it at once on matrices of their own ---- */

enum { GEMM_A, GEMM_B, GEMM_C };

static uint64_t gemm_copies(const struct trf_size *s)
{
    return s->batch ? s->batch : 1;
}

static uint64_t gemm_elements(const struct trf_size *s, unsigned array)
{
    (void)array;
    return gemm_copies(s) * s->n * s->n;
}

static void gemm_row(const struct trf_size *s, uint64_t copy, uint64_t i, struct trf_sink *sink)
{
    const uint64_t n = s->n, begin = copy * n * n;
    for (uint64_t j = 0; j < n; j++) {
        for (uint64_t k = 0; k < n; k++) {
            sink->load(sink, GEMM_A, begin + i * n + k);
            sink->load(sink, GEMM_B, begin + k * n + j);
        }
        sink->store(sink, GEMM_C, begin + i * n + j, false);
    }
}

/* Copies take turns, row by row, because cores run at the same pace. */
static void gemm_run(const struct trf_size *s, struct trf_sink *sink)
{
    for (uint64_t i = 0; i < s->n; i++)
        for (uint64_t copy = 0; copy < gemm_copies(s); copy++)
            gemm_row(s, copy, i, sink);
}

static double gemm_writes(const struct trf_size *s)
{
    return (double)gemm_copies(s) * (double)s->n * (double)s->n;
}

static double gemm_reads(const struct trf_size *s)
{
    return 3 * gemm_writes(s);
}

/* B is read again for each row of C; its lines are used whole, since a column's lines stay for its
 * neighbours. */
static double gemm_reads_beyond(const struct trf_size *s)
{
    return ((double)s->n + 2) * gemm_writes(s);
}

static double gemm_kept(const struct trf_size *s)
{
    return 3 * DOUBLE_BYTES * gemm_writes(s);
}

static double gemm_beyond(const struct trf_size *s)
{
    return DOUBLE_BYTES * gemm_writes(s);
}

/* ---- the FFT's loops: a rank has PLANES x ROWS x COLS = n/rows x n/cols x n complex numbers ---- */

enum { FFT_FROM, FFT_TO };

struct fft {
    uint64_t planes, rows, cols;
};

static struct fft fft_of(const struct trf_size *s)
{
    return (struct fft){s->n / s->rows, s->n / s->cols, s->n};
}

static uint64_t fft_elements(const struct trf_size *s, unsigned array)
{
    const struct fft f = fft_of(s);
    (void)array;
    return f.planes * f.rows * f.cols;
}

static double fft_all(const struct trf_size *s)
{
    return (double)fft_elements(s, 0);
}

static double fft_twice(const struct trf_size *s)
{
    return 2 * fft_all(s);
}

/* Sequential stores that bypass the caches cause no reads. */
static double fft_sequential(const struct trf_size *s)
{
    return s->stores_allocate ? fft_twice(s) : fft_all(s);
}

static void s1cf1_run(const struct trf_size *s, struct trf_sink *sink)
{
    const struct fft f = fft_of(s);
    for (uint64_t plane = 0; plane < f.planes; plane++)
        for (uint64_t row = 0; row < f.rows; row++)
            for (uint64_t col = 0; col < f.cols; col++) {
                const uint64_t at = (plane * f.rows + row) * f.cols + col;
                sink->load(sink, FFT_FROM, at);
                sink->store(sink, FFT_TO, at, true);
            }
}

static void s1cf2_run(const struct trf_size *s, struct trf_sink *sink)
{
    const struct fft f = fft_of(s);
    for (uint64_t col = 0; col < f.cols; col++)
        for (uint64_t plane = 0; plane < f.planes; plane++)
            for (uint64_t row = 0; row < f.rows; row++) {
                sink->load(sink, FFT_FROM, (plane * f.rows + row) * f.cols + col);
                sink->store(sink, FFT_TO, (col * f.planes + plane) * f.rows + row, false);
            }
}

/* Four elements share a line of `tmp`; each is read by a separate walk, beside one of `out`. */
static double s1cf2_reads_beyond(const struct trf_size *s)
{
    return 5 * fft_all(s);
}

/* A walk down a column: a line of `tmp` and an element of `out` for each plane and row (the paper's equation 7,
 * for any grid). */
static double s1cf2_kept(const struct trf_size *s)
{
    const struct fft f = fft_of(s);
    return 5.0 * COMPLEX_BYTES * (double)(f.planes * f.rows);
}

static void s1cf_run(const struct trf_size *s, struct trf_sink *sink)
{
    const struct fft f = fft_of(s);
    for (uint64_t plane = 0; plane < f.planes; plane++)
        for (uint64_t row = 0; row < f.rows; row++)
            for (uint64_t col = 0; col < f.cols; col++) {
                sink->load(sink, FFT_FROM, (plane * f.rows + row) * f.cols + col);
                sink->store(sink, FFT_TO, (col * f.planes + plane) * f.rows + row, false);
            }
}

static double s1cf_reads_beyond(const struct trf_size *s)
{
    return 5 * fft_all(s); /* a line of `out` for each element, and `in` in order */
}

/* Lines of `out` that wait for the next row, one for each column, and a row of `in`. */
static double s1cf_kept(const struct trf_size *s)
{
    return 5.0 * COMPLEX_BYTES * (double)fft_of(s).cols;
}

/* `in` is ordered Y, PLANES, X, ROWS, and traversed PLANES, X, Y, ROWS, with Y x X = COLS and Y the columns
 * of the grid: runs of ROWS elements. */
static void s2cf_run(const struct trf_size *s, struct trf_sink *sink)
{
    const struct fft f = fft_of(s);
    const uint64_t ys = s->cols, xs = f.cols / ys;
    uint64_t to = 0;
    for (uint64_t plane = 0; plane < f.planes; plane++)
        for (uint64_t x = 0; x < xs; x++)
            for (uint64_t y = 0; y < ys; y++)
                for (uint64_t row = 0; row < f.rows; row++) {
                    sink->load(sink, FFT_FROM, ((y * f.planes + plane) * xs + x) * f.rows + row);
                    sink->store(sink, FFT_TO, to++, true);
                }
}

static double stream_kept(const struct trf_size *s)
{
    (void)s;
    return 2.0 * 64; /* one line of each array */
}

const struct trf_kernel trf_kernels[] = {
    {"gemv",
     "matrix-vector product",
     "y[i] += A[i][k] * x[k]",
     DOUBLE_BYTES,
     {"A", "x", "y"},
     gemv_elements,
     gemv_run,
     gemv_reads,
     gemv_writes,
     NULL,
     gemv_kept,
     NULL},
    {"gemv-capped",
     "matrix-vector product, rows of A again and again",
     "y[i] += A[i % P][k] * x[k]",
     DOUBLE_BYTES,
     {"A", "x", "y"},
     gemv_capped_elements,
     gemv_capped_run,
     gemv_capped_reads,
     gemv_writes,
     gemv_capped_reads_beyond,
     gemv_capped_kept,
     gemv_capped_beyond},
    {"gemm",
     "matrix product",
     "C[i][j] += A[i][k] * B[k][j]",
     DOUBLE_BYTES,
     {"A", "B", "C"},
     gemm_elements,
     gemm_run,
     gemm_reads,
     gemm_writes,
     gemm_reads_beyond,
     gemm_kept,
     gemm_beyond},
    {"gemm-blas",
     "matrix product of the installed BLAS, traced",
     "the library's; between both figures of gemm",
     DOUBLE_BYTES,
     {"A", "B", "C"},
     gemm_elements,
     NULL,
     gemm_reads,
     gemm_writes,
     gemm_reads_beyond,
     gemm_kept,
     NULL},
    {"s1cf-1",
     "FFT, first store, first loop",
     "tmp[plane][row][col] = in[plane][row][col]",
     COMPLEX_BYTES,
     {"in", "tmp"},
     fft_elements,
     s1cf1_run,
     fft_sequential,
     fft_all,
     NULL,
     stream_kept,
     NULL},
    {"s1cf-2",
     "FFT, first store, second loop",
     "out[col][plane][row] = tmp[plane][row][col], row innermost",
     COMPLEX_BYTES,
     {"tmp", "out"},
     fft_elements,
     s1cf2_run,
     fft_twice,
     fft_all,
     s1cf2_reads_beyond,
     s1cf2_kept,
     s1cf2_kept},
    {"s1cf",
     "FFT, first store in one loop",
     "out[col][plane][row] = in[plane][row][col], col innermost",
     COMPLEX_BYTES,
     {"in", "out"},
     fft_elements,
     s1cf_run,
     fft_twice,
     fft_all,
     s1cf_reads_beyond,
     s1cf_kept,
     s1cf_kept},
    {"s2cf",
     "FFT, second store",
     "out[plane][x][y][row] = in[y][plane][x][row]",
     COMPLEX_BYTES,
     {"in", "out"},
     fft_elements,
     s2cf_run,
     fft_sequential,
     fft_all,
     NULL,
     stream_kept,
     NULL},
};
const unsigned trf_kernels_len = sizeof trf_kernels / sizeof trf_kernels[0];

const struct trf_kernel *trf_kernel_named(const char *name)
{
    for (unsigned i = 0; i < trf_kernels_len; i++)
        if (strcmp(trf_kernels[i].name, name) == 0) return &trf_kernels[i];
    return NULL;
}

static bool is_of_fft(const struct trf_kernel *k)
{
    return k->elements == fft_elements;
}

ls_err trf_kernel_check(const struct trf_kernel *k, const struct trf_size *s)
{
    if (s->n < 1 || s->n > (UINT64_C(1) << 24))
        return ls_fail(LS_ERR_RANGE, "%s: size %" PRIu64 " is not from 1 to 16777216", k->name, s->n);
    if (is_of_fft(k) && (s->n % s->rows || s->n % s->cols || s->n / s->rows / s->cols == 0))
        return ls_fail(LS_ERR_USAGE,
                       "%s: size %" PRIu64 " cannot be shared by a grid of %" PRIu64 " x %" PRIu64
                       " ranks; take a multiple of both numbers, or another --grid",
                       k->name, s->n, s->rows, s->cols);
    uint64_t bytes = 0;
    for (unsigned i = 0; i < TRF_ARRAYS_MAX && k->arrays[i]; i++) {
        uint64_t here = 0;
        if (__builtin_mul_overflow(k->elements(s, i), k->element_bytes, &here) || here > BYTES_MOST)
            bytes = BYTES_MOST;
        bytes += here;
    }
    if (bytes >= BYTES_MOST)
        return ls_fail(LS_ERR_RANGE, "%s: the data of size %" PRIu64 " is 2^48 bytes or more", k->name, s->n);
    return LS_OK;
}

/* Return whether the data that k uses again fits a cache of cache_bytes. */
static enum trf_regime regime_of(const struct trf_kernel *k, const struct trf_size *s, uint64_t cache_bytes)
{
    /* because of associativity and of streaming lines, both figures are possible within a tenth of the bound */
    const double cache = (double)cache_bytes;
    if (k->kept_bytes(s) <= 0.9 * cache) return TRF_CACHED;
    if (k->beyond_bytes && k->beyond_bytes(s) >= 1.1 * cache) return TRF_BEYOND;
    return TRF_TRANSITION;
}

struct trf_expected trf_kernel_expected(const struct trf_kernel *k, const struct trf_size *s,
                                        uint64_t cache_bytes)
{
    struct trf_expected e = {.regime = regime_of(k, s, cache_bytes)};
    const double cached = k->element_bytes * k->reads(s);
    const double beyond = k->reads_beyond ? k->element_bytes * k->reads_beyond(s) : cached;
    e.read_bytes = e.regime == TRF_BEYOND ? beyond : cached;
    e.read_bytes_most = e.regime == TRF_CACHED ? cached : fmax(cached, beyond);
    e.written_bytes = k->element_bytes * k->writes(s);
    return e;
}

unsigned trf_repetitions(uint64_t n)
{
    return n < 2048 ? (unsigned)floor(514 - 0.246 * (double)n) : 10;
}
