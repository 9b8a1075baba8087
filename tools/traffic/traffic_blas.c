/* SPDX-License-Identifier: BSD-3-Clause */
/* The matrix product of the installed BLAS. Its loops are its own, so this program runs itself under loadstone
 * trace, multiplies there, and puts the trace through the model. */
#include "common/ls_private.h"
#include "tools/cli/cli_message.h"
#include "tools/record/rec_launch.h"
#include "tools/traffic/traffic.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLAS_ARRAYS = 3, BLAS_WORD_BYTES = 24 };
#define BLAS_PHASE "gemm"

static const char *const blas_arrays[BLAS_ARRAYS] = {"A", "B", "C"};

/* ---- the product, in the traced process ---- */

/* The interface of BLAS for Fortran (Dongarra et al. 1990, A Set of Level 3 Basic Linear Algebra Subprograms). */
typedef void blas_dgemm(const char *trans_a, const char *trans_b, const int *m, const int *n, const int *k,
                        const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
                        const double *beta, double *c, const int *ldc);

struct blas_product {
    blas_dgemm *dgemm;
    int n;
    double *arrays[BLAS_ARRAYS]; /* of this copy */
};

/* Load a BLAS; the library that the system's administrator selected is tried first. */
static ls_err blas_load(blas_dgemm **out)
{
    static const char *const names[] = {"libblas.so.3", "libopenblas.so.0", "libflexiblas.so.3",
                                        "libblis.so.4", "libmkl_rt.so.2"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        void *symbol = library ? dlsym(library, "dgemm_") : NULL;
        if (!symbol) continue;
        memcpy(out, &symbol, sizeof(symbol));
        return LS_OK;
    }
    return ls_fail(LS_ERR_UNSUPPORTED, "no BLAS is here (Debian: libblas3 or libopenblas0)");
}

static void blas_phase(const char *call)
{
    void (*mark)(const char *name);
    *(void **)&mark = dlsym(RTLD_DEFAULT, call);
    if (mark) mark(BLAS_PHASE);
}

/* Rows of ours are columns of BLAS's: C' = B' A'. */
static void *blas_multiply(void *user)
{
    const struct blas_product *p = user;
    const double one = 1, zero = 0;
    blas_phase("loadstone_phase_begin"); /* by thread: starting threads is no part of the product */
    p->dgemm("N", "N", &p->n, &p->n, &p->n, &one, p->arrays[1], &p->n, p->arrays[0], &p->n, &zero,
             p->arrays[2], &p->n);
    blas_phase("loadstone_phase_end");
    return NULL;
}

static ls_err blas_multiply_all(struct blas_product *products, size_t len)
{
    pthread_t *threads = calloc(len, sizeof(*threads));
    size_t started = 0;
    if (!threads) return ls_nomem("threads");
    while (started < len && pthread_create(&threads[started], NULL, blas_multiply, &products[started]) == 0)
        started++;
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    return started == len ? LS_OK : ls_fail(LS_ERR_UNSUPPORTED, "cannot start %zu threads", len);
}

static ls_err blas_run(double *const arrays[BLAS_ARRAYS], const struct trf_size *s)
{
    const size_t batch = s->batch ? s->batch : 1, each = s->n * s->n;
    struct blas_product first = {.n = (int)s->n}, *products = calloc(batch, sizeof(*products));
    ls_err err = products ? blas_load(&first.dgemm) : ls_nomem("the products");
    for (size_t b = 0; b < batch && err == LS_OK; b++) {
        products[b] = first;
        for (int i = 0; i < BLAS_ARRAYS; i++)
            products[b].arrays[i] = arrays[i] + b * each;
    }
    if (err == LS_OK) {
        const size_t len_bytes = batch * each * sizeof(double),
                     bytes[BLAS_ARRAYS] = {len_bytes, len_bytes, len_bytes};
        traffic_describe(blas_arrays, arrays, bytes);
        if (batch == 1)
            blas_multiply(products);
        else
            err = blas_multiply_all(products, batch);
    }
    free(products);
    return err;
}

ls_err traffic_blas_multiply(const struct trf_size *s)
{
    const size_t len = s->n * s->n * (s->batch ? s->batch : 1);
    double *arrays[BLAS_ARRAYS] = {NULL};
    ls_err err = LS_OK;
    for (int i = 0; i < BLAS_ARRAYS && err == LS_OK; i++) {
        arrays[i] = calloc(len, sizeof(double));
        if (!arrays[i]) err = ls_nomem("matrices");
    }
    if (err == LS_OK) err = blas_run(arrays, s);
    for (int i = 0; i < BLAS_ARRAYS; i++)
        free(arrays[i]);
    return err;
}

/* ---- the trace ---- */

static ls_err blas_trace(const struct trf_size *s, const char *path)
{
    char n[BLAS_WORD_BYTES], batch[BLAS_WORD_BYTES], self[PATH_MAX];
    struct rec_outcome outcome;
    const ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (len <= 0) return ls_fail_errno(errno, "cannot find this program in /proc");
    self[len] = '\0';
    snprintf(n, sizeof(n), "%" PRIu64, s->n);
    snprintf(batch, sizeof(batch), "%" PRIu64, s->batch ? s->batch : 1);
    const char *const words[] = {self, "trace",   "-q",   "--phase", BLAS_PHASE, "-o",      path,  "--",
                                 self, "traffic", "blas", "-n",      n,          "--batch", batch, NULL};
    LS_TRY(rec_launch(self, (char **)(uintptr_t)words, &outcome));
    if (outcome.exec_errno || outcome.exit_code || outcome.exit_signal)
        return ls_fail(LS_ERR_UNSUPPORTED, "the matrix product of BLAS could not be traced (see above)");
    return LS_OK;
}

static void blas_take(const struct trf_rows *rows, struct traffic_point *p)
{
    p->all = rows->all;
    for (size_t r = 0; r < rows->len; r++)
        for (int i = 0; i < BLAS_ARRAYS; i++)
            if (strcmp(rows->rows[r].label, blas_arrays[i]) == 0) p->arrays[i] = rows->rows[r].traffic;
}

static ls_err blas_model(const char *path, const struct trf_geometry *g, struct traffic_point *p)
{
    const struct pat_source_options options = {.note = NULL};
    const char *const paths[] = {path};
    struct trf_rows rows = {NULL};
    pat_source *source = NULL;
    LS_TRY(pat_many_open(paths, 1, &options, &source));
    const ls_err err = trf_model_source(source, g, &rows);
    pat_source_close(source);
    if (err == LS_OK) blas_take(&rows, p);
    trf_rows_fini(&rows);
    return err;
}

ls_err traffic_blas(const struct trf_geometry *g, struct traffic_point *p)
{
    char folder[PATH_MAX], path[PATH_MAX + 16];
    LS_TRY(trf_kernel_check(p->kernel, &p->size));
    const int fd = ls_private_make_somewhere("loadstone-blas", folder, sizeof(folder));
    if (fd < 0) return ls_fail_errno(-fd, "cannot make a directory for the trace");
    snprintf(path, sizeof(path), "%s/gemm.trace", folder);
    ls_err err = blas_trace(&p->size, path);
    if (err == LS_OK) err = blas_model(path, g, p);
    unlink(path);
    close(fd);
    rmdir(folder);
    return err;
}
