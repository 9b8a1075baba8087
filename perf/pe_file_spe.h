/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads and stores that Arm's SPE sampled, from the AUX areas of a perf.data, merged over all areas in the
 * order of time. PERF_RECORD_AUX reports which bytes were written at once, their time, and their thread.
 *
 * Thread: one at a time for one object.  Signal: not safe. */
#ifndef PE_FILE_SPE_H
#define PE_FILE_SPE_H

#include "perf/pe_file.h"

typedef struct pe_file_spe pe_file_spe;

struct pe_spe_access {
    struct pe_sample s; /* its TID, if any, is from the packets: the thread id only */
    uint64_t time_ns;   /* on the clock of the records */
    /* process and thread of the AUX record; UINT32_MAX: not known */
    uint32_t aux_pid, aux_tid;
    /* thread of the whole area; UINT32_MAX: the area is not of one thread */
    uint32_t area_tid;
};

/* Counts over the packets read so far. */
struct pe_spe_told {
    uint64_t operations, others;           /* sampled, of any kind; neither loads nor stores */
    uint64_t broken;                       /* bytes that begin no packet, and operations that are cut off */
    uint64_t broken_at_bytes;              /* offset in the file; the first broken bytes are at or after it */
    uint64_t truncated, partial, collided; /* pieces with this flag: the kernel lost packets */
    uint64_t timeless;                     /* operations that got the time of their record */
};

/* Owns:   pe_file_spe_free ends *out; f must live as long. Errors: LS_ERR_NOMEM, LS_ERR_FORMAT (too many
 * areas). */
ls_err pe_file_spe_new(const pe_file *f, pe_file_spe **out);
void pe_file_spe_free(pe_file_spe *s); /* NULL-safe */

/* Return the next access; NULL at the end. It is valid until pe_file_spe_take, which moves on.
 * Errors of pe_file_spe_take: LS_ERR_NOMEM. */
const struct pe_spe_access *pe_file_spe_peek(const pe_file_spe *s);
ls_err pe_file_spe_take(pe_file_spe *s);

const struct pe_spe_told *pe_file_spe_told(const pe_file_spe *s);

#endif
