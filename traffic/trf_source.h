/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources of counters that are sampled as time series: memory traffic, network, power. A source is one file
 * and one row of trf_sources.
 *
 * Unless noted otherwise: Thread: one at a time for one object.  Signal: not safe. */
#ifndef TRF_SOURCE_H
#define TRF_SOURCE_H

#include "common/ls_error.h"
#include "common/ls_series.h"
#include "common/ls_vector.h"
#include "perf/pe_kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRF_NAME_BYTES = 96, TRF_SCOPE_BYTES = 48, TRF_UNIT_BYTES = 16, TRF_DETAIL_BYTES = 256 };

struct trf_counter {
    char name[TRF_NAME_BYTES]; /* "read", "eth0 received" */
    char scope[TRF_SCOPE_BYTES];
    char unit[TRF_UNIT_BYTES]; /* "B", "J" */
    enum ls_counter_kind kind;
    bool is_level;  /* a reading is the value itself, not a count whose growth is the value */
    double scale;   /* units of one count */
    uint64_t range; /* counts after which it begins at 0 again; 0: it must not go backwards */
};

struct trf_reading {
    enum ls_gap gap; /* NONE: one of the others is valid */
    uint64_t count;
    double level;
};

/* Directories in which the sources look; NULL means the running system. Tests use simulated trees. */
struct trf_machine {
    const char *sys_root;           /* "/sys" */
    const char *nvml_library;       /* "libnvidia-ml.so.1" */
    const char *pcp_host;           /* "local:" */
    const char *pcp_archive;        /* replayed instead of asking a host */
    const struct pe_kernel *kernel; /* &pe_kernel_linux */
};

/* A source that has been opened. */
struct trf_opened {
    void *state;
    LS_VECTOR(struct trf_counter) counters;
    char detail[TRF_DETAIL_BYTES]; /* its findings, for doctor */
};

enum trf_check {
    TRF_CHECK_NONE,   /* no known amount can be compared with it */
    TRF_CHECK_STREAM, /* by kernels with known memory traffic, before it is used */
};

struct trf_source {
    const char *name;     /* as --series takes it */
    const char *group;    /* "traffic", "net", "power": --series takes this, too; "" none */
    const char *gives;    /* for doctor */
    const char *needs;    /* for doctor */
    enum trf_check check; /* how it is verified */
    bool takes_metrics;   /* --series NAME:METRIC */
    uint64_t renewed_ns;  /* its values change only after this time: it is not read more often */
    /* Open the counters that are present. metrics: names, ended by NULL, for sources that take them.
     * Owns:   close ends out->state, also after a failure; the caller frees out->counters.rows.
     * Errors: LS_ERR_NOT_FOUND: it has no counter here; LS_ERR_PERMISSION; LS_ERR_UNSUPPORTED: not built, no
     *         library; LS_ERR_IO: a service does not answer; LS_ERR_USAGE: a metric that there is not;
     *         LS_ERR_NOMEM. The text has cause and remedy. */
    ls_err (*open)(const struct trf_machine *m, const char *const *metrics, struct trf_opened *out);
    /* Read all counters: out has one for each of opened->counters, zeroed. */
    void (*read)(void *state, struct trf_reading *out);
    void (*close)(void *state); /* NULL-safe */
};

extern const struct trf_source trf_source_perf, trf_source_resctrl, trf_source_pcp, trf_source_net,
    trf_source_infiniband, trf_source_powercap, trf_source_nvml;
/* Every source; ends with NULL. Sources of the same quantity are in order, the best first. */
extern const struct trf_source *const trf_sources[];

/* Append a counter; its name is `name`.  Errors: LS_ERR_NOMEM. */
ls_err trf_opened_add(struct trf_opened *o, const struct trf_counter *c, const char *name);
const char *trf_sys_root(const struct trf_machine *m);

/* --- sources that are files with a number --- */

typedef struct trf_files trf_files;

ls_err trf_files_new(struct trf_opened *o);
/* Append a counter whose value is the sum of the files that follow.  Errors: LS_ERR_NOMEM. */
ls_err trf_files_counter(struct trf_opened *o, const struct trf_counter *c, const char *name);
/* Append a file to the last counter. Errors: LS_ERR_NOMEM, LS_ERR_RANGE (long path). */
ls_err trf_files_path(struct trf_opened *o, const char *path);
/* Try each counter once, and remove counters that may not be read. Errors: LS_ERR_PERMISSION when none is left,
 * with `remedy`. */
ls_err trf_files_try(struct trf_opened *o, const char *remedy);
void trf_files_read(void *state, struct trf_reading *out);
void trf_files_close(void *state);

#endif
