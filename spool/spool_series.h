/* SPDX-License-Identifier: BSD-3-Clause */
/* The file DIR/series of a spool: counters that the launcher sampled. Records are in the machine's byte
 * order, each with its kind and length; an incomplete record at the end is ignored.
 *
 * Thread: one at a time for one object.  Signal: not safe. */
#ifndef SPOOL_SERIES_H
#define SPOOL_SERIES_H

#include "common/ls_error.h"
#include "common/ls_series.h"
#include "common/ls_vector.h"

#include <stdbool.h>
#include <stdint.h>

#define SPOOL_SERIES_FILE "series"
#define SPOOL_SERIES_MAGIC "LSSERIES"

enum spool_series_record {
    SPOOL_SERIES_BEGIN = 1,
    SPOOL_SERIES_COUNTER,
    SPOOL_SERIES_POINT,
    SPOOL_SERIES_END
};
enum { SPOOL_SERIES_VERSION = 1 };

/* Before each record. */
struct spool_series_head {
    uint32_t record, len_bytes; /* describes the bytes that follow */
};
struct spool_series_begin { /* first */
    char magic[8];
    uint32_t version, zero;
    uint64_t interval_ns; /* between two readings */
};
struct spool_series_counter { /* texts end with a 0 */
    char source[16], name[96], scope[48], unit[16];
    char verified[96]; /* result of the comparison, as text */
    uint32_t kind;     /* enum ls_counter_kind */
    uint32_t is_level;
    double factor;     /* counted share of known traffic; NAN: not compared */
    double roof_per_s; /* highest rate of a known kernel; NAN: not measured */
};
struct spool_series_point {
    uint32_t counter, gap;     /* number of the counter's record; enum ls_gap */
    uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC */
    double value;              /* NAN in a gap */
};
struct spool_series_end { /* last, if the reader ended by itself */
    uint64_t cpu_ns;      /* CPU time of the reader */
};

struct spool_series {
    uint64_t interval_ns;
    LS_VECTOR(struct spool_series_counter) counters;
    LS_VECTOR(struct spool_series_point) points;
    uint64_t cpu_ns; /* UINT64_MAX: not known */
};

/* Read DIR/series; without such a file *out is empty.
 * Owns:   end *out with spool_series_fini, also after a failure.
 * Errors: LS_ERR_FORMAT, LS_ERR_VERSION, LS_ERR_IO, LS_ERR_NOMEM. */
ls_err spool_series_read(const char *dir, struct spool_series *out);
/* Parse the bytes of the file in memory. Damage after the beginning ends the reading without an error. */
ls_err spool_series_parse(const void *data, size_t len_bytes, struct spool_series *out);
void spool_series_fini(struct spool_series *s);

#endif
