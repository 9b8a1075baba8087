/* SPDX-License-Identifier: BSD-3-Clause */
/* Open untrusted HDF5 files: only regular files are opened, neither plugins nor links to other files are
 * followed, and the memory of this process is bounded while one is open.
 *
 * Thread: one of the process at a time (HDF5 is not thread-safe).  Signal: not safe. */
#ifndef PROF_H5_OPEN_H
#define PROF_H5_OPEN_H

#include "common/ls_error.h"

#include <hdf5.h>
#include <stdint.h>

struct prof_h5_input {
    hid_t id; /* H5I_INVALID_HID: nothing is open */
    uint64_t len_bytes;
    uint64_t values_bytes; /* memory that its values may take */
    uint64_t memory_bytes; /* memory for the values and all that is made from them */
};

/* Open path to read it; writer is the command that writes such files, for messages.
 * Errors: as of open(2), LS_ERR_FORMAT, LS_ERR_TRUNCATED, LS_ERR_NOMEM; *out then has nothing open. */
ls_err prof_h5_open(const char *path, const char *writer, struct prof_h5_input *out);
void prof_h5_close(struct prof_h5_input *in);

#endif
