/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the spool of this process and its children lies.
 *
 * Signal: not safe. */
#ifndef RT_SPOOL_DIR_H
#define RT_SPOOL_DIR_H

/* Open it, or make it where this is the first program of a recording without a launcher, by LOADSTONE_SPOOL
 * or the default of ls_env.h: rt_state.spool_fd and spool_path. One of another user, one that others may look
 * into and a symbolic link are refused. 0 or an errno.  Thread: the constructor. */
int rt_spool_dir_open(void);

#endif
