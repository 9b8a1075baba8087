/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the spool of this process and its children lies.
 *
 * Signal: not safe. */
#ifndef RT_SPOOL_DIR_H
#define RT_SPOOL_DIR_H

/* Make (mode 0700) and open it, by LOADSTONE_SPOOL or the default of ls_env.h: rt_state.spool_fd and
 * spool_path. 0 or an errno.  Thread: the constructor. */
int rt_spool_dir_open(void);

#endif
