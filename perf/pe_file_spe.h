/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads and stores that Arm's SPE sampled, from the AUX areas of a perf.data, those of all areas in the order
 * of time. PERF_RECORD_AUX says which bytes were written at once, by when, and on whose behalf.
 *
 * Thread: one at a time for one object.  Signal: not safe. */
#ifndef PE_FILE_SPE_H
#define PE_FILE_SPE_H

#include "perf/pe_file.h"

typedef struct pe_file_spe pe_file_spe;

struct pe_spe_access {
    struct pe_sample s; /* has TID: from the packets, of the thread alone */
    uint64_t time_ns;   /* on the clock of the records */
    /* what the records say of these bytes; UINT32_MAX: nothing */
    uint32_t aux_pid, aux_tid;
    /* of the whole area, where it is one thread's: UINT32_MAX */
    uint32_t area_tid;
};

/* What came of the packets so far. */
struct pe_spe_told {
    uint64_t operations, others;           /* sampled, of any kind; neither loads nor stores */
    uint64_t broken;                       /* bytes that begin no packet, and operations that are cut off */
    uint64_t broken_at_bytes;              /* the first of them is in the file behind here */
    uint64_t truncated, partial, collided; /* pieces with this flag: the kernel lost packets */
    uint64_t timeless;                     /* operations with the time of their record */
};

/* Owns:   pe_file_spe_free ends *out; f must live as long. Errors: LS_ERR_NOMEM, LS_ERR_FORMAT (more areas
 * than there can be). */
ls_err pe_file_spe_new(const pe_file *f, pe_file_spe **out);
void pe_file_spe_free(pe_file_spe *s); /* NULL-safe */

/* The next one; NULL at the end. It lives until pe_file_spe_take, which passes it.
 * Errors of pe_file_spe_take: LS_ERR_NOMEM. */
const struct pe_spe_access *pe_file_spe_peek(const pe_file_spe *s);
ls_err pe_file_spe_take(pe_file_spe *s);

const struct pe_spe_told *pe_file_spe_told(const pe_file_spe *s);

#endif
