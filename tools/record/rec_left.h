/* SPDX-License-Identifier: BSD-3-Clause */
/* Spools that launchers left which were killed, in the folders where spools are made unasked. */
#ifndef REC_LEFT_H
#define REC_LEFT_H

#include "common/ls_error.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_left {
    char path[PATH_MAX];
    char command[256];  /* "" if it is not known */
    uint64_t len_bytes; /* total size of its files */
    bool is_recording;  /* resolve makes a profile from it; otherwise a trace left it, and it is useless */
};

enum { REC_LEFT_MAX = 16 };
/* Find at most REC_LEFT_MAX spools of this user, by name, that no launcher or program writes any more.
 * Return their number. */
size_t rec_left_find(struct rec_left out[REC_LEFT_MAX]);

#endif
