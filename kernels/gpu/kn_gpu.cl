/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels for devices, in OpenCL C: gather, scatter, gs, multigather, multiscatter, STREAM, pointer chase, and the
 * fill of arrays.
 *
 * A variant is this file compiled with the macros that kn_gpu.c sets: at run time by OpenCL and by HIP, at build time to PTX (texts.sh), where one
 * compilation includes it once for each variant. NAME: the kernel's name. KIND: one of KIND_. BYTES: 8 or 4, of an element. INDEX_BITS:
 * 32 or 64. MEMORY: where the pattern is read from. WORK: rows of the pattern that a work item takes. VECTOR: neighbouring elements of a
 * row that a work item takes; it divides the length of the rows. STORES: one of STORES_. LAST: 1, of gathers: rows that a later one overwrites
 * are not stored. NEAR_LEN: indices in local memory.
 * SHARED_BYTES: unused local memory of a group. OPERATION: of STREAM kernels, and of the others one of DOES_. TO_AT, FROM_AT, FROM2_AT: of
 * STREAM kernels. */
#ifndef KN_GPU_CL
#define KN_GPU_CL

#define KIND_GATHER 0
#define KIND_SCATTER 1
#define KIND_GS 2
#define KIND_MULTIGATHER 3
#define KIND_MULTISCATTER 4
#define KIND_STREAM 5
#define KIND_FILL 6
#define KIND_CHASE 7
#define MEMORY_GLOBAL 0
#define MEMORY_CONSTANT 1
#define MEMORY_LOCAL 2
#define STORES_REGULAR 0
#define STORES_EXCHANGE 1
#define STORES_ADD 2
/* enum kn_at and enum kn_op of kn_kernel.h; the three arrays of indices are one place */
#define AT_NONE 0
#define AT_J 1
#define AT_INDEX 2
#define AT_FIRST 3
#define AT_STRIDE 4
/* enum pat_operation */
#define DOES_COPY 0
#define DOES_REDUCE 1
#define DOES_CHASE 2
#define DOES_FILL 3
#define DOES_UPDATE 4
#define OPERATION_COPY 0
#define OPERATION_SCALE 1
#define OPERATION_SUM 2

#define GLUE_(a, b) a##b
#define GLUE(a, b) GLUE_(a, b)

/* Compiled as C++ by ROCm's run-time compiler. */
#ifdef __HIP__
typedef unsigned int uint;
typedef unsigned long ulong;
typedef int kn_int2 __attribute__((ext_vector_type(2)));
typedef int kn_int4 __attribute__((ext_vector_type(4)));
typedef uint kn_uint2 __attribute__((ext_vector_type(2)));
typedef uint kn_uint4 __attribute__((ext_vector_type(4)));
typedef long kn_long2 __attribute__((ext_vector_type(2)));
typedef long kn_long4 __attribute__((ext_vector_type(4)));
typedef ulong kn_ulong2 __attribute__((ext_vector_type(2)));
typedef ulong kn_ulong4 __attribute__((ext_vector_type(4)));
#define VECTOR_OF(type, len) GLUE(kn_, GLUE(type, len))
#define kernel extern "C" __global__
#define GLOBAL
#define local __shared__
#define restrict __restrict__
#define DEVICE static inline __device__
#else
#define VECTOR_OF(type, len) GLUE(type, len)
#define DEVICE static inline
#define GLOBAL global
#endif

#ifdef __HIP__
#define GROUP() ((ulong)blockIdx.x)
#define ITEM_X() ((uint)threadIdx.x)
#define ITEM_Y() ((uint)threadIdx.y)
#define ITEMS_X() ((uint)blockDim.x)
#define ITEMS_Y() ((uint)blockDim.y)
#define BARRIER() __syncthreads()

DEVICE void exchange_8(ulong *to, ulong x)
{
    atomicExch((unsigned long long *)to, (unsigned long long)x);
}

DEVICE void exchange_4(uint *to, uint x)
{
    atomicExch(to, x);
}

DEVICE void sum_8(ulong *to, ulong x)
{
    atomicAdd((unsigned long long *)to, (unsigned long long)x);
}

DEVICE void sum_4(uint *to, uint x)
{
    atomicAdd(to, x);
}

DEVICE void or_8(ulong *to, ulong x)
{
    atomicOr((unsigned long long *)to, (unsigned long long)x);
}

DEVICE void or_4(uint *to, uint x)
{
    atomicOr(to, x);
}

DEVICE void add_8(ulong *to, ulong x)
{
    double addend;
    __builtin_memcpy(&addend, &x, sizeof(x));
    unsafeAtomicAdd((double *)to, addend); /* one instruction, in memory that hipMalloc gave */
}

DEVICE void add_4(uint *to, uint x)
{
    float addend;
    __builtin_memcpy(&addend, &x, sizeof(x));
    unsafeAtomicAdd((float *)to, addend);
}

#elif defined(__NVPTX__)
#define GROUP() ((ulong)__nvvm_read_ptx_sreg_ctaid_x())
#define ITEM_X() ((uint)__nvvm_read_ptx_sreg_tid_x())
#define ITEM_Y() ((uint)__nvvm_read_ptx_sreg_tid_y())
#define ITEMS_X() ((uint)__nvvm_read_ptx_sreg_ntid_x())
#define ITEMS_Y() ((uint)__nvvm_read_ptx_sreg_ntid_y())
#define BARRIER() __nvvm_bar_sync(0)

DEVICE void exchange_8(GLOBAL ulong *to, ulong x)
{
    ulong old;
    __asm__ volatile("atom.global.exch.b64 %0, [%1], %2;" : "=l"(old) : "l"(to), "l"(x) : "memory");
}

DEVICE void exchange_4(GLOBAL uint *to, uint x)
{
    uint old;
    __asm__ volatile("atom.global.exch.b32 %0, [%1], %2;" : "=r"(old) : "l"(to), "r"(x) : "memory");
}

DEVICE void sum_8(GLOBAL ulong *to, ulong x)
{
    __asm__ volatile("red.global.add.u64 [%0], %1;" : : "l"(to), "l"(x) : "memory");
}

DEVICE void sum_4(GLOBAL uint *to, uint x)
{
    __asm__ volatile("red.global.add.u32 [%0], %1;" : : "l"(to), "r"(x) : "memory");
}

DEVICE void or_8(GLOBAL ulong *to, ulong x)
{
    __asm__ volatile("red.global.or.b64 [%0], %1;" : : "l"(to), "l"(x) : "memory");
}

DEVICE void or_4(GLOBAL uint *to, uint x)
{
    __asm__ volatile("red.global.or.b32 [%0], %1;" : : "l"(to), "r"(x) : "memory");
}

DEVICE void add_8(GLOBAL ulong *to, ulong x)
{
    __asm__ volatile("red.global.add.f64 [%0], %1;" : : "l"(to), "d"(as_double(x)) : "memory");
}

DEVICE void add_4(GLOBAL uint *to, uint x)
{
    __asm__ volatile("red.global.add.f32 [%0], %1;" : : "l"(to), "f"(as_float(x)) : "memory");
}

#else
#define GROUP() ((ulong)get_group_id(0))
#define ITEM_X() ((uint)get_local_id(0))
#define ITEM_Y() ((uint)get_local_id(1))
#define ITEMS_X() ((uint)get_local_size(0))
#define ITEMS_Y() ((uint)get_local_size(1))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#if BYTES == 8 && STORES != STORES_REGULAR
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

DEVICE void exchange_8(GLOBAL ulong *to, ulong x)
{
    atom_xchg((volatile GLOBAL ulong *)to, x);
}
#endif
#if BYTES == 8 && KIND <= KIND_MULTISCATTER && (OPERATION == DOES_REDUCE || OPERATION == DOES_CHASE)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

DEVICE void sum_8(GLOBAL ulong *to, ulong x)
{
    atom_add((volatile GLOBAL ulong *)to, x);
}
#endif
#if BYTES == 8 && KIND <= KIND_MULTISCATTER && OPERATION == DOES_UPDATE && STORES != STORES_REGULAR
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

DEVICE void or_8(GLOBAL ulong *to, ulong x)
{
    atom_or((volatile GLOBAL ulong *)to, x);
}
#endif

DEVICE void sum_4(GLOBAL uint *to, uint x)
{
    atomic_add((volatile GLOBAL uint *)to, x);
}

DEVICE void or_4(GLOBAL uint *to, uint x)
{
    atomic_or((volatile GLOBAL uint *)to, x);
}

#if BYTES == 8 && STORES == STORES_ADD
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

DEVICE void add_8(GLOBAL ulong *to, ulong x)
{
    ulong seen = *(volatile GLOBAL ulong *)to, before;
    do {
        before = seen;
        seen = atom_cmpxchg((volatile GLOBAL ulong *)to, before, as_ulong(as_double(before) + as_double(x)));
    } while (seen != before);
}
#endif
#if BYTES == 8 && KIND == KIND_STREAM
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

DEVICE void exchange_4(GLOBAL uint *to, uint x)
{
    atomic_xchg((volatile GLOBAL uint *)to, x);
}

DEVICE void add_4(GLOBAL uint *to, uint x)
{
    uint seen = *(volatile GLOBAL uint *)to, before;
    do {
        before = seen;
        seen = atomic_cmpxchg((volatile GLOBAL uint *)to, before, as_uint(as_float(before) + as_float(x)));
    } while (seen != before);
}
#endif

/* struct kn_gpu_walk of kn_gpu.h. Row i of a sparse array begins at i / steps_len * turn + steps[i % steps_len] - low. */
struct walk {
    ulong count, wrap, len, columns;
    ulong steps_from_len, steps_to_len;
    long turn_from, turn_to, low_from, low_to;
    ulong keep; /* 1: sums of a reduction are kept */
    ulong apart, turns; /* of LAST variants: distance of a work item's rows, and how often it takes WORK of them */
};

/* struct kn_gpu_sweep. */
struct sweep {
    ulong len, stride;
};

/* struct kn_gpu_chase. */
struct chase {
    ulong len, rings;
};

/* struct kn_gpu_fill. */
struct fill {
    ulong first, len, salt, clear, zero;
};

DEVICE long row_begin(GLOBAL const long *steps, ulong steps_len, long turn, ulong i)
{
    if (steps_len == 1) return (long)i * turn;
    return (long)(i / steps_len) * turn + steps[i % steps_len];
}

/* A division of 64 bits takes some 100 instructions, one of 32 bits some 20. */
DEVICE ulong dense_row(ulong i, ulong wrap)
{
    if ((wrap & (wrap - 1)) == 0) return i & (wrap - 1);
    if (((i | wrap) >> 32) == 0) return (uint)i % (uint)wrap;
    return i % wrap;
}

/* ls_random_mix of common/ls_random.h. */
DEVICE ulong mix(ulong x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9UL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebUL;
    return x ^ (x >> 31);
}
#endif

#if BYTES == 8
#define ELEMENT ulong
#define FLOAT double
#define EXCHANGE exchange_8
#define ADD add_8
#define SUM sum_8
#define OR or_8
#else
#define ELEMENT uint
#define FLOAT float
#define EXCHANGE exchange_4
#define ADD add_4
#define SUM sum_4
#define OR or_4
#endif
#if INDEX_BITS == 64
#define INDEX long
#else
#define INDEX int
#endif
#if MEMORY == MEMORY_CONSTANT
#define PATTERN constant
#else
#define PATTERN GLOBAL
#endif
#if VECTOR == 1
#define ELEMENTS ELEMENT
#define INDICES INDEX
#else
#define ELEMENTS VECTOR_OF(ELEMENT, VECTOR)
#define INDICES VECTOR_OF(INDEX, VECTOR)
#endif
#if STORES == STORES_REGULAR
#define STORE(at, x) (to[at] = (x))
#elif STORES == STORES_EXCHANGE
#define STORE(at, x) EXCHANGE(&to[at], x)
#else
#define STORE(at, x) ADD(&to[at], x)
#endif

#if KIND <= KIND_MULTISCATTER && OPERATION == DOES_CHASE
/* Gathers whose loads wait for each other: there are w.columns chains, each with a work item that walks its share of the rows. The compiler
 * does not know that w.low_to is 0. */
kernel void NAME(GLOBAL ELEMENT *restrict to, GLOBAL const ELEMENT *restrict from, PATTERN const INDEX *restrict first,
                 PATTERN const INDEX *restrict second, GLOBAL const long *restrict steps_from, GLOBAL const long *restrict steps_to,
                 const struct walk w)
{
    const ulong chain = GROUP() * ITEMS_X() + ITEM_X();
    if (chain >= w.columns) return;
    const ulong begin = w.count * chain / w.columns, end = w.count * (chain + 1) / w.columns;
    ELEMENT sum = 0, last = 0;
    for (ulong i = begin; i < end; i++) {
        const long base = row_begin(steps_from, w.steps_from_len, w.turn_from, i) - w.low_from;
        for (ulong j = 0; j < w.len; j++) {
#if KIND == KIND_MULTIGATHER
            last = from[base + second[first[j]] + (long)(last & (ELEMENT)w.low_to)];
#else
            last = from[base + first[j] + (long)(last & (ELEMENT)w.low_to)];
#endif
            sum += last;
        }
    }
    if (w.keep || sum == 0) SUM(to, sum);
}

#elif KIND <= KIND_MULTISCATTER
/* first: the indices of gathers and scatters, the outer ones of two levels, and where gs gathers. second: the inner ones, and where gs
 * scatters. A group has ITEMS_Y() rows times WORK, and a column of ITEMS_X() times VECTOR elements of each. */
kernel void NAME(GLOBAL ELEMENT *restrict to, GLOBAL const ELEMENT *restrict from, PATTERN const INDEX *restrict first,
                 PATTERN const INDEX *restrict second, GLOBAL const long *restrict steps_from, GLOBAL const long *restrict steps_to,
                 const struct walk w)
{
    const ulong group = GROUP();
    const ulong block = w.columns == 1 ? group : group / w.columns;
    const ulong column = (group - block * w.columns) * (ITEMS_X() * VECTOR);
    const uint x = ITEM_X(), y = ITEM_Y();
    const ulong j = column + x * VECTOR;
    INDEX p[VECTOR];
    ELEMENT e[VECTOR];
#if OPERATION == DOES_REDUCE
    ELEMENT sum = 0;
#endif
#if KIND == KIND_GS
    INDEX q[VECTOR];
#endif
#if SHARED_BYTES > 0
    local volatile char idle[SHARED_BYTES];
    if (x == 0) idle[0] = 0;
#endif
#if MEMORY == MEMORY_LOCAL
    local INDEX near_first[NEAR_LEN];
#if KIND == KIND_GS
    local INDEX near_second[NEAR_LEN];
#endif
    for (uint k = y * ITEMS_X() + x; k < ITEMS_X() * VECTOR && column + k < w.len; k += ITEMS_X() * ITEMS_Y()) {
        near_first[k] = first[column + k];
#if KIND == KIND_GS
        near_second[k] = second[column + k];
#endif
    }
    BARRIER();
#endif
    if (j >= w.len) return;
#if MEMORY == MEMORY_LOCAL
    for (uint v = 0; v < VECTOR; v++)
        p[v] = near_first[x * VECTOR + v];
#if KIND == KIND_GS
    for (uint v = 0; v < VECTOR; v++)
        q[v] = near_second[x * VECTOR + v];
#endif
#else
    *(INDICES *)p = *(PATTERN const INDICES *)(first + j);
#if KIND == KIND_GS
    *(INDICES *)q = *(PATTERN const INDICES *)(second + j);
#endif
#endif
#if KIND == KIND_MULTIGATHER || KIND == KIND_MULTISCATTER
    for (uint v = 0; v < VECTOR; v++)
        p[v] = second[p[v]];
#endif
#if LAST
    /* The rows of a work item are stored to the same elements: w.apart is a multiple of w.wrap. Only the last w.wrap rows of all stay there.
     * No element is 0; the compiler does not know this, so it loads all of them. */
    const ulong item = block * ITEMS_Y() + y;
    const ulong begin = item / w.apart * (w.apart * w.turns * WORK) + item % w.apart;
    if (begin >= w.count) return;
    const ulong left = (w.count - 1 - begin) / w.apart + 1;
    const long leap = (long)w.apart * w.turn_from;
    GLOBAL const ELEMENT *row = from + ((long)begin * w.turn_from - w.low_from);
    ulong rows = left < w.turns * WORK ? left : w.turns * WORK;
    const bool stays = begin + (rows - 1) * w.apart + w.wrap >= w.count;
    ELEMENT all[VECTOR];
    for (uint v = 0; v < VECTOR; v++)
        all[v] = ~(ELEMENT)0;
    for (; rows >= WORK; rows -= WORK, row += WORK * leap) {
        ELEMENT x[WORK * VECTOR];
        for (uint k = 0; k < WORK; k++)
            for (uint v = 0; v < VECTOR; v++)
                x[k * VECTOR + v] = row[k * leap + p[v]];
        for (uint k = 0; k < WORK; k++)
            for (uint v = 0; v < VECTOR; v++) {
                all[v] &= x[k * VECTOR + v];
                e[v] = x[k * VECTOR + v];
            }
    }
    for (; rows > 0; rows--, row += leap)
        for (uint v = 0; v < VECTOR; v++) {
            e[v] = row[p[v]];
            all[v] &= e[v];
        }
    bool is_zero = false;
    for (uint v = 0; v < VECTOR; v++)
        is_zero |= all[v] == 0;
    if (stays || is_zero) *(GLOBAL ELEMENTS *)(to + j + w.len * dense_row(begin, w.wrap)) = *(ELEMENTS *)e;
#else
    for (uint k = 0; k < WORK; k++) {
        const ulong i = (block * WORK + k) * ITEMS_Y() + y;
#if OPERATION == DOES_REDUCE
        if (i < w.count) { /* a loop that is left early is not unrolled */
            const long base = row_begin(steps_from, w.steps_from_len, w.turn_from, i) - w.low_from;
            for (uint v = 0; v < VECTOR; v++)
                sum += from[base + p[v]];
        }
#else
        if (i >= w.count) return;
#endif
#if OPERATION == DOES_REDUCE
#elif OPERATION == DOES_FILL
        const long base = row_begin(steps_to, w.steps_to_len, w.turn_to, i) - w.low_to;
        for (uint v = 0; v < VECTOR; v++)
            STORE(base + p[v], (ELEMENT)(i + 1));
#elif OPERATION == DOES_UPDATE
        /* kn_value_tag of kn_values.h */
        const long base = row_begin(steps_to, w.steps_to_len, w.turn_to, i) - w.low_to;
        const ELEMENT tag = (ELEMENT)1 << (i & (4 * BYTES - 1));
        for (uint v = 0; v < VECTOR; v++)
#if STORES == STORES_REGULAR
            to[base + p[v]] |= tag;
#else
            OR(&to[base + p[v]], tag);
#endif
#elif KIND == KIND_GATHER || KIND == KIND_MULTIGATHER
        const long base = row_begin(steps_from, w.steps_from_len, w.turn_from, i) - w.low_from;
        for (uint v = 0; v < VECTOR; v++)
            e[v] = from[base + p[v]];
        *(GLOBAL ELEMENTS *)(to + j + w.len * dense_row(i, w.wrap)) = *(ELEMENTS *)e;
#elif KIND == KIND_GS
        const long base_from = row_begin(steps_from, w.steps_from_len, w.turn_from, i) - w.low_from;
        const long base_to = row_begin(steps_to, w.steps_to_len, w.turn_to, i) - w.low_to;
        for (uint v = 0; v < VECTOR; v++)
            e[v] = from[base_from + p[v]];
        for (uint v = 0; v < VECTOR; v++)
            STORE(base_to + q[v], e[v]);
#else
        const long base = row_begin(steps_to, w.steps_to_len, w.turn_to, i) - w.low_to;
        *(ELEMENTS *)e = *(GLOBAL const ELEMENTS *)(from + j + w.len * dense_row(i, w.wrap));
        for (uint v = 0; v < VECTOR; v++)
            STORE(base + p[v], e[v]);
#endif
    }
#endif
#if OPERATION == DOES_REDUCE
    if (w.keep || sum == 0) SUM(to, sum); /* timed runs only load */
#endif
}

#elif KIND == KIND_STREAM
#define PLACE(at, index) \
    ((at) == AT_J ? j : (at) == AT_INDEX ? (ulong)(index)[j] : (at) == AT_FIRST ? (ulong)0 : j * w.stride)

kernel void NAME(GLOBAL FLOAT *to, GLOBAL const FLOAT *from, GLOBAL const FLOAT *from2, GLOBAL const INDEX *to_index,
                 GLOBAL const INDEX *from_index, GLOBAL const INDEX *from2_index, const float q, const struct sweep w)
{
    const ulong begin = GROUP() * WORK * ITEMS_X() + ITEM_X();
    for (uint k = 0; k < WORK; k++) {
        const ulong j = begin + k * ITEMS_X();
        if (j >= w.len) return;
        const FLOAT x = from[PLACE(FROM_AT, from_index)];
#if FROM2_AT != AT_NONE
        const FLOAT x2 = from2[PLACE(FROM2_AT, from2_index)];
#endif
#if OPERATION == OPERATION_COPY
        to[PLACE(TO_AT, to_index)] = x;
#elif OPERATION == OPERATION_SCALE
        to[PLACE(TO_AT, to_index)] = (FLOAT)q * x;
#elif OPERATION == OPERATION_SUM
        to[PLACE(TO_AT, to_index)] = x + x2;
#else
        to[PLACE(TO_AT, to_index)] = x + (FLOAT)q * x2;
#endif
    }
}
#undef PLACE

#elif KIND == KIND_CHASE
/* Each work item goes once around its ring; rings begin as shares do in kn_stream_arrays_begin. */
kernel void NAME(GLOBAL const ulong *next, GLOBAL ulong *ends, const struct chase c)
{
    const ulong ring = GROUP() * ITEMS_X() + ITEM_X();
    if (ring >= c.rings) return;
    const ulong begin = c.len * ring / c.rings, end = c.len * (ring + 1) / c.rings;
    ulong at = begin;
    for (ulong i = begin; i < end; i++)
        at = next[at];
    ends[ring] = at;
}

#else
/* The values of kn_values.h, or zeroes. */
kernel void NAME(GLOBAL ELEMENT *to, const struct fill f)
{
    const ulong begin = GROUP() * WORK * ITEMS_X() + ITEM_X();
    for (uint k = 0; k < WORK; k++) {
        const ulong n = begin + k * ITEMS_X();
        if (n >= f.len) return;
        const ulong m = mix(f.first + n + f.salt);
#if BYTES == 8
        to[n] = f.zero ? 0 : (0x3ff0000000000000UL | m >> 12) & ~f.clear;
#else
        to[n] = f.zero ? 0 : (0x3f800000U | (uint)(m >> 41)) & ~(uint)f.clear;
#endif
    }
}
#endif

#undef ELEMENT
#undef FLOAT
#undef EXCHANGE
#undef ADD
#undef SUM
#undef OR
#undef INDEX
#undef PATTERN
#undef ELEMENTS
#undef INDICES
#undef STORE
