/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernel time by cause, and by the data or the code that it was spent for. */
#ifndef AN_KERNEL_H
#define AN_KERNEL_H

#include "analyse/an_tables.h"
#include "common/ls_error.h"

/* Property that separates rows of one cause; blocks of one site are always one row. */
enum an_kernel_by { AN_KERNEL_BY_DATA, AN_KERNEL_BY_FUNCTION, AN_KERNEL_BY_LINE };

struct an_kernel_row {
    uint32_t cause;      /* enum prof_kernel_cause */
    uint32_t node, line; /* rows of nodes and lines; UINT32_MAX: not known, or merged */
    uint64_t calls, bytes;
    double time_ns, error_ns; /* error_ns is half of the 95 % interval; errors of parts add up in squares */
};
struct an_kernel {
    struct an_kernel_row *rows; /* the costliest first */
    size_t len;
};
/* Sum kernel time by data (rows by node, or by line if no node is known), by function (by line, or by node if
 * no line is known), or by line (both). `below` selects the data below a node; 0 selects all. Owns: the
 * caller ends out with an_kernel_fini, also after a failure. Errors: LS_ERR_NOMEM. */
struct an_kernel_input {
    const struct an_tables *tables;
    const struct prof_kernel *rows;
    size_t len;
    enum an_kernel_by by;
    uint32_t below;
};
ls_err an_kernel_init(struct an_kernel *out, const struct an_kernel_input *in);
void an_kernel_fini(struct an_kernel *k);

/* An allocation site whose blocks are mapped, faulted in and unmapped again and again. */
struct an_churn {
    uint32_t node;
    uint64_t unmaps, bytes; /* bytes: total of unmapped bytes */
    double time_ns, error_ns;
};
/* List sites whose blocks are mapped, faulted in and unmapped again and again, the costliest first: at least
 * AN_CHURN_UNMAPS blocks were unmapped, and the cost exceeds its error and AN_CHURN_SHARE of cpu_ns. Returns
 * how many, at most room. k is by data. */
enum { AN_CHURN_UNMAPS = 8 };
#define AN_CHURN_SHARE 0.01
size_t an_kernel_churn(const struct an_kernel *k, const struct an_tables *t, double cpu_ns,
                       struct an_churn *out, size_t room);

/* --- page faults ---
 *
 * Page faults of a recording of the engine faults: their number, their pages, and the first toucher of each
 * page. */

/* A page counts where it was touched first: by the earliest fault of the process on it. */
struct an_faults_row {
    uint64_t faults, major; /* including the faults that sampled ones represent */
    uint64_t pages, bytes;  /* first touched here */
};

struct an_faults {
    struct an_faults_row *rows; /* by group, all below it included */
    uint32_t rows_len;
    bool is_sampled; /* some samples represent several faults, so the numbers are estimates */
};

/* Groups as of an_combination: group_of_sample may be UINT32_MAX, parents come before their children.
 * Columns needed: addr, thread, events, fault, page_bytes. Samples are in the order of time within a process.
 * Owns:   the caller ends out with an_faults_fini, also after a failure.  Errors: LS_ERR_NOMEM. */
ls_err an_faults_init(struct an_faults *out, const struct an_tables *t, const struct prof_samples *s,
                      const uint32_t *group_of_sample, const uint32_t *parents, uint32_t groups_len);
void an_faults_fini(struct an_faults *f);

#endif
