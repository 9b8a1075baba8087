/* SPDX-License-Identifier: BSD-3-Clause */
/* Fourier transform in three dimensions on a grid of ranks, with the four re-sorts of Barry et al., Memory
 * Traffic and Complete Application Profiling with PAPI Multi-Component Measurements: three times N^2 transforms
 * along the axis that a rank has whole, and in between the next axis is brought together by exchanges.
 *
 * A rank has N/R x N/C x N complex numbers, first as planes x rows x cols of A[x][y][z]: x and y shared, z whole.
 *   S1CF        out[z][x][y] = in[x][y][z], by way of a copy; now the z of each receiver are together
 *   all-to-all  among the C ranks with the same x
 *   S2CF        out[z][x][whole y] = in[sender][z][x][y]
 *   S1PF        out[y][z][x] = in[z][x][y]
 *   all-to-all  among the R ranks with the same z
 *   S2PF        out[y][z][whole x] = in[sender][y][z][x]
 * Up to N = 128 the result is compared with one transform of the whole by FFTW on the first rank.
 *
 * usage: mpirun fft3d [N [R [C [STEPS]]]]        (default 96, all ranks, 1, 10; R x C ranks; N a multiple of both)
 * build: mpicc -O2 -g fft3d.c $(pkg-config --cflags --libs loadstone fftw3) -lm
 * record: mpirun loadstone record --series net,power -- ./fft3d && loadstone report --series */
#include "example.h"

#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>

enum { CHECKED_MOST = 128 };

typedef double complex number;

struct fft {
    size_t n, rows, cols;     /* the grid of ranks is rows x cols */
    size_t n_row, n_col;      /* n / rows, n / cols */
    size_t row, col, len;     /* this rank; its numbers */
    MPI_Comm same_x, same_z;  /* ranks of one row, of one column */
    number *here, *tmp, *out; /* len each */
    fftw_plan along;          /* all transforms along the last axis of `here` */
};

/* Any numbers without symmetry. */
static number element(size_t x, size_t y, size_t z)
{
    const double a = (double)x, b = (double)y, c = (double)z;
    return sin(1 + 3 * a + 5 * b * b + 7 * c) + I * cos(2 * a + b + 11 * c * a);
}

static void fill(const struct fft *f)
{
    for (size_t x = 0; x < f->n_row; x++)
        for (size_t y = 0; y < f->n_col; y++)
            for (size_t z = 0; z < f->n; z++)
                f->here[(x * f->n_col + y) * f->n + z] =
                    element(f->row * f->n_row + x, f->col * f->n_col + y, z);
}

/* The first re-sort before an exchange, in two loop nests: out[col][plane][row] = in[plane][row][col]. */
static void first_store(const struct fft *f, size_t planes, size_t rows)
{
    const size_t cols = f->n;
    for (size_t plane = 0; plane < planes; plane++)
        for (size_t row = 0; row < rows; row++)
            for (size_t col = 0; col < cols; col++)
                f->tmp[(plane * rows + row) * cols + col] = f->here[(plane * rows + row) * cols + col];
    for (size_t col = 0; col < cols; col++)
        for (size_t plane = 0; plane < planes; plane++)
            for (size_t row = 0; row < rows; row++)
                f->out[(col * planes + plane) * rows + row] = f->tmp[(plane * rows + row) * cols + col];
}

/* The second re-sort after an exchange: here[plane][x][y][row] = in[y][plane][x][row]; y: who sent it. */
static void second_store(const struct fft *f, size_t ys, size_t planes, size_t xs, size_t rows)
{
    number *to = f->here;
    for (size_t plane = 0; plane < planes; plane++)
        for (size_t x = 0; x < xs; x++)
            for (size_t y = 0; y < ys; y++)
                for (size_t row = 0; row < rows; row++)
                    *to++ = f->tmp[((y * planes + plane) * xs + x) * rows + row];
}

static void exchange(const struct fft *f, MPI_Comm ranks, size_t ranks_len)
{
    const int each = (int)(f->len / ranks_len);
    loadstone_phase_begin("all-to-all");
    MPI_Alltoall(f->out, each, MPI_C_DOUBLE_COMPLEX, f->tmp, each, MPI_C_DOUBLE_COMPLEX, ranks);
    loadstone_phase_end("all-to-all");
}

static void transform_last(const struct fft *f)
{
    loadstone_phase_begin("1-D FFT");
    fftw_execute(f->along);
    loadstone_phase_end("1-D FFT");
}

/* here: A[x][y][z] becomes its transform as [y][z][x]. */
static void transform(const struct fft *f)
{
    transform_last(f);
    loadstone_phase_begin("S1CF");
    first_store(f, f->n_row, f->n_col);
    loadstone_phase_end("S1CF");
    exchange(f, f->same_x, f->cols);
    loadstone_phase_begin("S2CF");
    second_store(f, f->cols, f->n_col, f->n_row, f->n_col);
    loadstone_phase_end("S2CF");
    transform_last(f);
    loadstone_phase_begin("S1PF");
    first_store(f, f->n_col, f->n_row);
    loadstone_phase_end("S1PF");
    exchange(f, f->same_z, f->rows);
    loadstone_phase_begin("S2PF");
    second_store(f, f->rows, f->n_row, f->n_col, f->n_row);
    loadstone_phase_end("S2PF");
    transform_last(f);
}

/* Place the result of rank (row, col) in whole[x][y][z]. */
static void place(const struct fft *f, size_t rank, const number *part, number *whole)
{
    const size_t row = rank / f->cols, col = rank % f->cols;
    for (size_t y = 0; y < f->n_row; y++)
        for (size_t z = 0; z < f->n_col; z++)
            for (size_t x = 0; x < f->n; x++)
                whole[(x * f->n + row * f->n_row + y) * f->n + col * f->n_col + z] =
                    part[(y * f->n_col + z) * f->n + x];
}

/* The largest difference from one transform of the whole by FFTW, as a share of its largest value. */
static double difference(const struct fft *f, const number *parts)
{
    const size_t n = f->n, all = n * n * n;
    number *ours = example_allocate(all, sizeof(*ours)), *serial = fftw_malloc(all * sizeof(*serial));
    double worst = 0, most = 0;
    fftw_plan plan = fftw_plan_dft_3d((int)n, (int)n, (int)n, serial, serial, FFTW_FORWARD, FFTW_ESTIMATE);
    for (size_t i = 0; i < all; i++)
        serial[i] = element(i / n / n, i / n % n, i % n);
    fftw_execute(plan);
    for (size_t rank = 0; rank < f->rows * f->cols; rank++)
        place(f, rank, parts + rank * f->len, ours);
    for (size_t i = 0; i < all; i++) {
        const double apart = cabs(ours[i] - serial[i]);
        if (!(apart <= worst)) worst = apart; /* also when it is not a number */
        most = fmax(most, cabs(serial[i]));
    }
    fftw_destroy_plan(plan);
    fftw_free(serial);
    free(ours);
    return worst / most;
}

/* On the first rank: does the result agree with FFTW's? */
static bool check(const struct fft *f)
{
    const bool is_first = f->row == 0 && f->col == 0;
    number *parts = is_first ? example_allocate(f->len * f->rows * f->cols, sizeof(*parts)) : NULL;
    MPI_Gather(f->here, (int)f->len, MPI_C_DOUBLE_COMPLEX, parts, (int)f->len, MPI_C_DOUBLE_COMPLEX, 0,
               MPI_COMM_WORLD);
    const double worst = is_first ? difference(f, parts) : 0;
    free(parts);
    if (is_first) printf("largest difference from a serial transform: %.1e of its largest value\n", worst);
    return worst < 1e-12;
}

static smr_tree *describe(const struct fft *f)
{
    smr_tree *tree = example_tree();
    smr_node *group = example_group(tree, "fft");
    const struct example_array here = {"here", f->here, f->len, sizeof(double), 2},
                               tmp = {"tmp", f->tmp, f->len, sizeof(double), 2},
                               out = {"out", f->out, f->len, sizeof(double), 2};
    example_range(tree, group, &here);
    example_range(tree, group, &tmp);
    example_range(tree, group, &out);
    return tree;
}

static bool run(struct fft *f, size_t steps)
{
    bool is_right = true;
    double seconds = 0;
    smr_tree *tree = describe(f);
    loadstone_start(); /* with record --paused nothing before this is sampled */
    for (size_t s = 0; s < steps; s++) {
        fill(f);
        MPI_Barrier(MPI_COMM_WORLD);
        const double began = example_seconds();
        transform(f);
        seconds += example_seconds() - began;
    }
    loadstone_stop();
    if (f->row == 0 && f->col == 0)
        printf("%zu^3 on %zu x %zu ranks: %.4f s a transform\n", f->n, f->rows, f->cols,
               seconds / (double)steps);
    if (f->n <= CHECKED_MOST) is_right = check(f);
    smr_tree_free(tree);
    return is_right;
}

static void begin(struct fft *f, int rank)
{
    const int n = (int)f->n;
    f->n_row = f->n / f->rows;
    f->n_col = f->n / f->cols;
    f->row = (size_t)rank / f->cols;
    f->col = (size_t)rank % f->cols;
    f->len = f->n_row * f->n_col * f->n;
    MPI_Comm_split(MPI_COMM_WORLD, (int)f->row, (int)f->col, &f->same_x);
    MPI_Comm_split(MPI_COMM_WORLD, (int)f->col, (int)f->row, &f->same_z);
    f->here = fftw_malloc(f->len * sizeof(number));
    f->tmp = fftw_malloc(f->len * sizeof(number));
    f->out = fftw_malloc(f->len * sizeof(number));
    if (!f->here || !f->tmp || !f->out) {
        fprintf(stderr, "no memory for %zu numbers\n", 3 * f->len);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    f->along = fftw_plan_many_dft(1, &n, (int)(f->len / f->n), f->here, NULL, 1, n, f->here, NULL, 1, n,
                                  FFTW_FORWARD, FFTW_ESTIMATE);
}

static void end(struct fft *f)
{
    fftw_destroy_plan(f->along);
    fftw_free(f->here);
    fftw_free(f->tmp);
    fftw_free(f->out);
    MPI_Comm_free(&f->same_x);
    MPI_Comm_free(&f->same_z);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    struct fft f = {.n = example_argument(argc, argv, 1, 96, 1290),
                    .rows = example_argument(argc, argv, 2, (size_t)ranks, 1290),
                    .cols = example_argument(argc, argv, 3, 1, 1290)};
    const size_t steps = example_argument(argc, argv, 4, 10, 1000000);
    if (!f.n || !f.rows || !f.cols || !steps || f.rows * f.cols != (size_t)ranks || f.n % f.rows ||
        f.n % f.cols) {
        if (rank == 0)
            fprintf(stderr, "usage: mpirun fft3d [N [R [C [STEPS]]]]: R x C ranks, N a multiple of both\n");
        MPI_Finalize();
        return 2;
    }
    begin(&f, rank);
    const bool is_right = run(&f, steps);
    end(&f);
    MPI_Finalize();
    return is_right ? 0 : 1;
}
