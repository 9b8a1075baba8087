/* SPDX-License-Identifier: BSD-3-Clause */
/* Code shared by the victims of the symbol tests: they print where their data is, one line per object: LABEL
 * MODULE KIND BASE END ELEMENT_SIZE FROM_NS TO_NS */
#ifndef SYM_VICTIM_H
#define SYM_VICTIM_H

#include <stdint.h>
#include <stdio.h>
#include <time.h>

static inline unsigned long long sym_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (unsigned long long)t.tv_sec * 1000000000u + (unsigned long long)t.tv_nsec;
}

#define SYM_REPORT(label, module, kind, object, elem, from, to)                        \
    printf("%s %s %s %llu %llu %u %llu %llu\n", label, module, kind,                   \
           (unsigned long long)(uintptr_t)(object),                                    \
           (unsigned long long)(uintptr_t)(object) + sizeof(object), (unsigned)(elem), \
           (unsigned long long)(from), (unsigned long long)(to))
#define SYM_EVER UINT64_MAX

#endif
