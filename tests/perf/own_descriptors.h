/* SPDX-License-Identifier: BSD-3-Clause */
/* Number of open descriptors of this process, for tests that check for leaks.
 *
 * Thread: any. */
#ifndef OWN_DESCRIPTORS_H
#define OWN_DESCRIPTORS_H

#include <dirent.h>

static inline int own_descriptors(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    if (d) closedir(d);
    return n;
}

#endif
