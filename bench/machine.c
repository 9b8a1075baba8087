/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the machine for the head of a page of measurements. */
#include "machine/mach_topology.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

int main(void)
{
    static struct mach_machine m;
    struct utsname u;
    if (mach_describe(&m) != LS_OK || uname(&u) != 0) {
        fprintf(stderr, "machine: %s\n", ls_last_error());
        return 1;
    }
    /* without the builder's suffix, as in 6.1.0-18-amd64, which means nothing to readers elsewhere */
    printf("%s\n%s\n%s %.*s\n", m.cpu, m.summary, u.sysname, (int)strspn(u.release, "0123456789."),
           u.release);
    return 0;
}
