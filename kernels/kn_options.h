/* SPDX-License-Identifier: BSD-3-Clause */
/* How a kernel is to be run. All zero is a sound default: best backend, all threads, the fastest variant by
 * measurement. */
#ifndef KN_OPTIONS_H
#define KN_OPTIONS_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kn_ranks;

/* ---- options ---- */

/* How the elements are moved: instructions and loop order. X(id, name, description) */
#define KN_METHOD_LIST(X)                                                                              \
    X(AUTO, "auto", "the fastest, by a short trial")                                                   \
    X(SCALAR, "scalar", "one element after the other, vectorisation off: the baseline")                \
    X(UNROLLED, "unrolled", "scalar moves, eight elements a turn")                                     \
    X(JAMMED, "jammed", "scalar moves, four iterations side by side: an index is loaded once for all") \
    X(AVX2, "avx2", "AVX2 gather instructions; stores one by one, AVX2 has no scatter")                \
    X(AVX512, "avx512", "AVX-512 gather and scatter instructions")                                     \
    X(NEON, "neon", "NEON lane loads and stores")                                                      \
    X(PAIRED, "paired", "gathers: as jammed, two elements a store, rows fetched ahead")
#define KN_METHOD_ENUM(id, name, text) KN_METHOD_##id,
enum kn_method { KN_METHOD_LIST(KN_METHOD_ENUM) KN_METHOD_COUNT };
#undef KN_METHOD_ENUM

#define KN_STORES_LIST(X)                                                                     \
    X(AUTO, "auto", "regular or non-temporal, by a short trial")                              \
    X(REGULAR, "regular", "through the caches")                                               \
    X(NONTEMPORAL, "nontemporal", "past the caches: no read for ownership, nothing stays")    \
    X(ATOMIC, "atomic", "each element by one indivisible store, as #pragma omp atomic write") \
    X(EXCHANGE, "exchange", "each element by one indivisible exchange (relaxed)")             \
    X(ADD, "add", "scatters: each element is added to indivisibly (relaxed), as #pragma omp atomic update")
#define KN_STORES_ENUM(id, name, text) KN_STORES_##id,
enum kn_stores { KN_STORES_LIST(KN_STORES_ENUM) KN_STORES_COUNT };
#undef KN_STORES_ENUM

#define KN_PAGES_LIST(X)                              \
    X(DEFAULT, "default", "as the system gives them") \
    X(HUGE, "huge", "ask for huge pages (madvise)")   \
    X(SMALL, "small", "ask for none: pages of 4 KiB (madvise)")
#define KN_PAGES_ENUM(id, name, text) KN_PAGES_##id,
enum kn_pages { KN_PAGES_LIST(KN_PAGES_ENUM) KN_PAGES_COUNT };
#undef KN_PAGES_ENUM

#define KN_PIN_LIST(X)                                                                                  \
    X(AUTO, "auto",                                                                                     \
      "close where there is a thread for every processor, no other program runs, and the variables of " \
      "OpenMP do not say otherwise")                                                                    \
    X(NONE, "none", "threads run where the system puts them")                                           \
    X(CLOSE, "close", "thread by thread on neighbouring cores, SMT twins last")                         \
    X(SPREAD, "spread", "as far from each other as the machine allows")
#define KN_PIN_ENUM(id, name, text) KN_PIN_##id,
enum kn_pin { KN_PIN_LIST(KN_PIN_ENUM) KN_PIN_COUNT };
#undef KN_PIN_ENUM

struct kn_options {
    const char *backend; /* NULL: the best one; a name of kn_backend.h in any case */
    enum kn_method method;
    enum kn_stores stores;
    enum kn_pages pages;
    enum kn_pin pin;
    unsigned index_bits;    /* 0: by trial; 32 or 64 */
    unsigned element_bytes; /* 0: as configured, or 8; 8 or 4 */
    unsigned threads;       /* 0: all */
    unsigned runs;          /* timed runs; 0: as configured, or 10 */
    unsigned warmups_max;   /* 0: 10, of short runs 100; warming up ends earlier when the times are steady */
    bool dense_per_thread;  /* each thread its own dense buffer: no false sharing (replay) */
    bool fence;             /* a release fence after the loop, inside the timed region (replay) */
    bool clamp_threads;     /* more threads than processors: as many as processors, instead of an error */
    bool times_only;        /* no counters, no pages, no advice: only what Spatter prints (replay) */
    const char *choices;    /* file of remembered variants; NULL: always use a trial (replay) */
    uint64_t memory_bytes;  /* 0: all that is available; a job that needs more is refused */
    const char *device;     /* device: its number or a part of its name; NULL: the best */
    unsigned group_items;   /* work items of a group on a device; 0: by trial */
    uint64_t shared_bytes;  /* unused local memory of each group on a device */
    uint64_t device_timeout_ns; /* the longest that a kernel may run there; 0: a minute */
    uint64_t seed;              /* seed for random index arrays (stream) */
    struct kn_ranks *ranks;     /* ranks that run it together (kn_ranks.h), NULL: alone */
};

/* Find the row called name in one of the lists above, in any case.  Errors: LS_ERR_USAGE listing the
 * names. */
ls_err kn_method_parse(const char *name, enum kn_method *out);
ls_err kn_stores_parse(const char *name, enum kn_stores *out);
/* Never NULL. */
const char *kn_method_name(enum kn_method m);
const char *kn_stores_name(enum kn_stores s);
const char *kn_pin_name(enum kn_pin p);

/* ---- instruction sets ---- */

/* Can m run on this processor? Plain methods always can. */
bool kn_isa_has(enum kn_method m);
/* "scalar, unrolled, jammed, avx2": the methods that run here, into out. */
void kn_isa_list(char *out, size_t out_bytes);

/* ---- names of loops ---- */

/* One name of three parts, each expanded first. */

#define KN_GLUE_(a, b, c) a##b##c
#define KN_GLUE(a, b, c) KN_GLUE_(a, b, c)

#endif
