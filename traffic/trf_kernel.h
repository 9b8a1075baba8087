/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels whose memory traffic is known by a formula: matrix products and the re-sorting loops of a
 * three-dimensional FFT (Barry et al., Memory Traffic and Complete Application Profiling with PAPI
 * Multi-Component Measurements). A kernel is a row: its arrays, its loop nest and the expected traffic.
 *
 * Thread: any; the sink belongs to the caller. */
#ifndef TRF_KERNEL_H
#define TRF_KERNEL_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stdint.h>

/* Parameters of a run of a kernel. */
struct trf_size {
    uint64_t n;          /* the size that is swept */
    uint64_t batch;      /* products of matrices at once, one for each core; 0 is 1 */
    uint64_t cap;        /* capped GEMV: largest number of rows and columns of the matrix */
    uint64_t rows, cols; /* the grid of ranks that shares the FFT's data */
    bool
        stores_allocate; /* a line is read before a store to it; otherwise sequential stores bypass the caches */
};

enum { TRF_ARRAYS_MAX = 3 };

/* Receives the accesses of a kernel in program order. */
struct trf_sink {
    /* array: row of the kernel's arrays; element: its index; sequential: a store that may bypass the caches. */
    void (*load)(struct trf_sink *s, unsigned array, uint64_t element);
    void (*store)(struct trf_sink *s, unsigned array, uint64_t element, bool sequential);
};

struct trf_kernel {
    const char *name, *title, *nest;
    unsigned element_bytes;
    const char *arrays[TRF_ARRAYS_MAX]; /* names; NULL: there are fewer */
    uint64_t (*elements)(const struct trf_size *s, unsigned array);
    void (*run)(const struct trf_size *s, struct trf_sink *sink); /* NULL: the loops of a library */
    /* Expected elements that are read from and written to memory, while the formula's data stays cached, and
     * beyond `upper`; NULL: as below. */
    double (*reads)(const struct trf_size *s);
    double (*writes)(const struct trf_size *s);
    double (*reads_beyond)(const struct trf_size *s);
    /* Bytes of data that must stay cached for `reads` to hold, and of the part without which `reads_beyond`
     * holds. Between both is the transition. */
    double (*kept_bytes)(const struct trf_size *s);
    double (*beyond_bytes)(const struct trf_size *s);
};

extern const struct trf_kernel trf_kernels[];
extern const unsigned trf_kernels_len;

/* NULL: no kernel of this name. */
const struct trf_kernel *trf_kernel_named(const char *name);

/* Check that a kernel can run at s.
 * Errors: LS_ERR_USAGE where the grid does not divide n; LS_ERR_RANGE where its data has 2^48 bytes or more. */
ls_err trf_kernel_check(const struct trf_kernel *k, const struct trf_size *s);

enum trf_regime { TRF_CACHED, TRF_TRANSITION, TRF_BEYOND };

/* Expected traffic in bytes. In the transition the reads lie between the two figures. */
struct trf_expected {
    double read_bytes, read_bytes_most, written_bytes;
    enum trf_regime regime;
};
struct trf_expected trf_kernel_expected(const struct trf_kernel *k, const struct trf_size *s,
                                        uint64_t cache_bytes);

/* Repetitions by the paper's rule: floor(514 - 0.246 n) below n = 2048, else 10. */
unsigned trf_repetitions(uint64_t n);

#endif
