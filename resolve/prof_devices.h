/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of devices (GPUs): blocks and copies that the hooks recorded become rows of /device_blocks and
 * /device_copies. */
#ifndef PROF_DEVICES_H
#define PROF_DEVICES_H

#include "common/ls_error.h"
#include "common/ls_index.h"
#include "common/ls_vector.h"
#include "smrtree/smr_live.h"
#include "spool/spool_format.h"

struct prof_replay;
struct prof_run_state;
struct prof_caller_tables;

/* The device memory of one process image. Zeroed is empty. */
struct prof_devices {
    smr_live *live;          /* values: rows of /device_blocks */
    struct ls_index by_copy; /* rows of /device_copies */
};

/* DEVICE_BLOCK, DEVICE_FREE and DEVICE_COPY, in the order of time.  Errors: LS_ERR_NOMEM. */
ls_err prof_devices_take(struct prof_replay *r, const struct spool_rec_header *rec);
/* Set the frames that are the program's own, when all lines are known. */
void prof_devices_name(struct prof_run_state *run, const struct prof_caller_tables *tables);
void prof_devices_fini(struct prof_devices *d);

#endif
