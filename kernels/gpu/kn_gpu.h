/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices that run the kernels of kn_gpu.cl: drivers as a table, variants of the kernels, memory.
 *
 * Thread: one at a time in a process.  Signal: not safe. */
#ifndef KN_GPU_H
#define KN_GPU_H

#include "kernels/kn_options.h"
#include "kernels/kn_kernel.h"

#include <stdio.h>

/* ---- variants ---- */

/* Kinds of kernels, as numbered in kn_gpu.cl; the first ones are enum pat_kernel. */
enum { KN_GPU_STREAM = PAT_KERNEL_COUNT, KN_GPU_FILL, KN_GPU_CHASE };

/* The memory that holds the pattern of a kernel. X(id, name) */
#define KN_GPU_MEMORY_LIST(X) X(GLOBAL, "global") X(CONSTANT, "constant") X(LOCAL, "local")
#define KN_GPU_MEMORY_ENUM(id, name) KN_GPU_MEMORY_##id,
enum kn_gpu_memory { KN_GPU_MEMORY_LIST(KN_GPU_MEMORY_ENUM) KN_GPU_MEMORY_COUNT };
#undef KN_GPU_MEMORY_ENUM

struct kn_gpu_variant {
    unsigned kind; /* enum pat_kernel, KN_GPU_STREAM or KN_GPU_FILL */
    unsigned element_bytes, index_bits;
    enum kn_gpu_memory memory;
    unsigned work, vector;          /* rows that a work item takes, and neighbouring elements of each */
    enum kn_stores stores;          /* REGULAR, EXCHANGE or ADD */
    bool last;                      /* of gathers: rows that a later one overwrites are not stored */
    enum pat_operation operation;   /* not of KN_GPU_STREAM and KN_GPU_FILL */
    const struct kn_kernel *stream; /* set for KN_GPU_STREAM */
    unsigned near_len;              /* indices in local memory; OpenCL only, PTX has KN_GPU_NEAR_LEN */
    uint64_t shared_bytes;          /* unused local memory of a group */
};

/* Indices of a group in local memory: one for each work item of the largest group. */
enum { KN_GPU_NEAR_LEN = 1024 };

enum { KN_GPU_NAME_BYTES = 64, KN_GPU_DEFINES_BYTES = 512 };

/* The name of a variant's kernel: "gather_local_w4_v1_regular", "scatter_fill_global_w1_v1_exchange", "gather_global_w4_v1_last". */
void kn_gpu_variant_name(const struct kn_gpu_variant *v, char out[KN_GPU_NAME_BYTES]);
/* The macros that specialise kn_gpu.cl, as options of a compiler: "-D NAME=... -D KIND=0 ...". */
void kn_gpu_variant_defines(const struct kn_gpu_variant *v, char out[KN_GPU_DEFINES_BYTES]);

/* kn_gpu.cl, and its variants compiled to PTX (kernels/gpu/texts.sh). */
struct kn_gpu_ptx {
    const char *part; /* "move" or "stream"; NULL ends the table */
    unsigned element_bytes, index_bits;
    const char *text;
};
extern const char kn_gpu_source[];
extern const struct kn_gpu_ptx kn_gpu_ptx[];

/* ---- arguments of the kernels ---- */

struct kn_gpu_walk {
    uint64_t count, wrap, len, columns;
    uint64_t steps_from_len, steps_to_len;
    int64_t turn_from, turn_to, low_from, low_to;
    uint64_t keep; /* 1: a reduction adds its sums to its destination */
    /* of variants that leave out overwritten stores: distance of a work item's rows, a multiple of wrap, and how
     * often it takes `work` of them */
    uint64_t apart, turns;
};

struct kn_gpu_sweep {
    uint64_t len, stride;
};

struct kn_gpu_chase {
    uint64_t len, rings;
};

struct kn_gpu_fill {
    uint64_t first, len, salt, clear, zero;
};

/* An argument: a buffer, or len_bytes of value if buffer is NULL; both NULL: an unused buffer. */
struct kn_gpu_arg {
    void *const *buffer;
    const void *value;
    size_t len_bytes;
};

enum { KN_GPU_ARGS_MAX = 8 };

struct kn_gpu_launch {
    uint64_t groups;
    unsigned items_x, items_y; /* work items of a group */
    unsigned repeats;          /* launches between two readings of the device's clock */
    uint64_t shared_bytes;
    struct kn_gpu_arg args[KN_GPU_ARGS_MAX];
    unsigned args_len;
};

/* ---- devices ---- */

struct kn_gpu_info {
    char name[128], driver[160]; /* driver: its name and version */
    uint64_t memory_bytes, block_bytes_max, constant_bytes_max, local_bytes, cache_bytes;
    unsigned units, group_items_max;
    bool has_fp64, has_atomics_64, has_constant; /* has_constant: patterns can be in constant memory */
};

struct kn_gpu;

/* A driver. Functions that fail report the name of the device, the call and a remedy. */
struct kn_gpu_driver {
    const char *name;
    /* Open the device that wish names (NULL: the best one): a number from 0, or a part of its name in any case.
     * Of several, g->local chooses one.
     * list: where not NULL, print each device in a line to it and open none.
     * Errors: LS_ERR_UNSUPPORTED without the library, a driver or a device. */
    ls_err (*open)(struct kn_gpu *g, const char *wish, FILE *list);
    ls_err (*alloc)(struct kn_gpu *g, uint64_t len_bytes, void **out);
    void (*release)(struct kn_gpu *g, void *buffer);
    ls_err (*write)(struct kn_gpu *g, void *buffer, const void *from, uint64_t len_bytes);
    ls_err (*read)(struct kn_gpu *g, void *buffer, void *to, uint64_t len_bytes);
    /* Compile v, or return the compiled kernel; the driver owns it. */
    ls_err (*kernel)(struct kn_gpu *g, const struct kn_gpu_variant *v, void **out);
    /* Run and wait; seconds of one launch by the device's clock. */
    ls_err (*launch)(struct kn_gpu *g, void *kernel, const struct kn_gpu_launch *l, double *out_seconds);
    bool (*has)(const struct kn_gpu_variant *v); /* NULL: every variant */
};

struct kn_gpu {
    const struct kn_gpu_driver *driver;
    struct kn_gpu_info info;
    uint64_t timeout_ns; /* for one launch */
    unsigned local;      /* number of this rank among those of its node, which share out the devices */
    void *self;          /* the driver's */
    struct kn_gpu_kernel {
        char key[KN_GPU_DEFINES_BYTES];
        void *kernel;
    } * kernels; /* compiled so far */
    size_t kernels_len, kernels_room;
};

extern const struct kn_gpu_driver kn_gpu_opencl, kn_gpu_cuda, kn_gpu_hip;

/* Open the device that o names. It stays open until the process ends.
 * Owns:   *out is not the caller's.
 * Errors: as the driver. */
ls_err kn_gpu_open(const struct kn_gpu_driver *driver, const struct kn_options *o, struct kn_gpu **out);
/* The kernel of v, compiled once in a process.  Errors: as the driver. */
ls_err kn_gpu_kernel(struct kn_gpu *g, const struct kn_gpu_variant *v, void **out);
/* Fill len elements of buffer, which begins at element first, with the values of kn_values.h, or with zeroes.
 * Errors: as the driver. */
struct kn_gpu_filling {
    void *buffer;
    int64_t first;
    uint64_t len;
    unsigned element_bytes, salt;
    bool zero;
};
ls_err kn_gpu_fill(struct kn_gpu *g, const struct kn_gpu_filling *f);
/* Check that arrays of these bytes fit, each and together.
 * Errors: LS_ERR_NOMEM naming need, device and remedies. */
ls_err kn_gpu_memory_check(const struct kn_gpu *g, const char *name, const uint64_t *bytes, size_t len,
                           uint64_t limit_bytes);
/* Wait until is_done answers 1 (0: not yet; negative: the driver's error) or the time is over.
 * Errors: LS_ERR_BUSY when the device does not finish. */
ls_err kn_gpu_wait(const struct kn_gpu *g, int (*is_done)(void *arg), void *arg, int *out_error);
/* Is name a part of text, in any case, or the number `at`? */
bool kn_gpu_is_wished(const char *wish, const char *name, unsigned at);

#endif
