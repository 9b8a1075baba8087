/* SPDX-License-Identifier: BSD-3-Clause */
/* What of an access depends on those of other rows before it: how long ago a line was used, and whose turn it
 * was. Rows are followed one after the other; here they leave marks by the accesses of a round, and once all
 * rows were followed the marks are read in the order of the accesses. */
#ifndef PAT_EXT_MARKS_H
#define PAT_EXT_MARKS_H

#include <stdint.h>

/* A mark is flags, 0: nothing. */
enum pat_ext_mark {
    PAT_EXT_MARK_TURNED = 1,      /* to another line */
    PAT_EXT_MARK_WIDE = 2,        /* the access has several lines */
    PAT_EXT_MARK_SKIPS = 4,       /* wide: the first one is the line before */
    PAT_EXT_MARK_JUDGED = 8,      /* not wide: the line's level counts */
    PAT_EXT_MARK_AHEAD = 16,      /* the first line turned to is fetched ahead */
    PAT_EXT_MARK_AHEAD_NEXT = 32, /* wide: the second one, too; of more lines all are */
    PAT_EXT_MARK_TURN = 64,       /* the distance changed, in a row that others look at */
    PAT_EXT_MARK_EXACT = 128,     /* the lines turned to count once; else they stand for a sample */
    PAT_EXT_MARK_WHOSE =
        PAT_EXT_MARK_WIDE | PAT_EXT_MARK_JUDGED | PAT_EXT_MARK_TURN /* the row must be known */
};

struct pat_ext;

/* The marks of e's round, which is then over. */
void pat_ext_marks_replay(struct pat_ext *e);

#endif
