/* SPDX-License-Identifier: BSD-3-Clause */
/* The LOADSTONE_* settings of the recording: from the environment, or from the request of
 * `loadstone record --pid`.
 *
 * Thread: the constructor, or the thread that begins a late recording.  Signal: not safe. */
#ifndef RT_SETTING_H
#define RT_SETTING_H

/* The value of a variable, NULL: not set. The result stays valid. */
char *rt_setting(const char *variable);
/* All settings as NAME=value, ending with NULL; other variables may be among them. */
char *const *rt_setting_list(void);
/* Read the settings from the request in the directory open as dir_fd, instead of the environment. 0 or an
 * errno. */
int rt_setting_take_request(int dir_fd);

#endif
