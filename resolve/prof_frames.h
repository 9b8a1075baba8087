/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths as a tree of frames (/frames): paths that begin alike share their outer frames, and the row of
 * its innermost frame names a path. */
#ifndef PROF_FRAMES_H
#define PROF_FRAMES_H

#include "common/ls_error.h"
#include "common/ls_index.h"
#include "common/ls_vector.h"
#include "resolve/prof_lines.h"
#include "run_h5/prof_reader.h"

#include <stddef.h>
#include <stdint.h>

enum { PROF_PATH_FRAMES_MAX = 256 }; /* frames further out are cut off */

/* Zeroed is empty. */
struct prof_frames {
    LS_VECTOR(struct prof_frame) rows;
    struct ls_index by_frame;
};

/* Intern the path ips[0..len), innermost first, adding rows where needed. ips are as /frames stores them: for
 * a caller the return address - 1 (prof_frames_of_returns does that).  *out: the innermost frame's row;
 * PROF_NO_FRAME when len is 0.  Errors: LS_ERR_NOMEM. */
ls_err prof_frames_intern(struct prof_frames *f, uint32_t process, const uint64_t *ips, size_t len,
                          uint32_t *out);

/* Convert the addresses of an unwinder (the first `exact` are instructions, the others return addresses) to
 * ips; at most PROF_PATH_FRAMES_MAX are written to ips, in place if wanted.  Return their number. */
size_t prof_frames_of_returns(const uint64_t *addresses, size_t len, size_t exact, uint64_t *ips);

/* Rows from first on belong to one process: add their ips to those whose lines are resolved; then set their
 * rows of lines, which are sorted by process and ip.  Errors: LS_ERR_NOMEM. */
ls_err prof_frames_add_ips(const struct prof_frames *f, size_t first, struct prof_ip_set *ips);
void prof_frames_set_lines(struct prof_frames *f, size_t first, const prof_line_list *lines);

void prof_frames_fini(struct prof_frames *f);

#endif
