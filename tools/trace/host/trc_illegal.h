/* SPDX-License-Identifier: BSD-3-Clause */
/* The instruction that QEMU stopped at, in words.
 *
 * Thread: the main one.  Signal: not safe. */
#ifndef TRC_ILLEGAL_H
#define TRC_ILLEGAL_H

#include "patterns/pat_access.h"
#include "tools/trace/trc_ring.h"

#include <stdbool.h>

struct trc_illegal_text {
    char place[512];  /* "0x401136 in solve (solver)"; "" when it is not known */
    char what[256];   /* "clui (f3 0f 01 ee)"; "that begins with 06 eb cd 0f" */
    bool is_own_trap; /* ud2 and its kin: illegal on every processor, on purpose */
};

/* Describe the instruction that ring recorded; t names the file and the function if they are known. */
void trc_illegal_tell(const struct trc_ring *ring, const struct pat_tables *t, struct trc_illegal_text *out);

#endif
