/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_poisson_sigsafe.h"

#include "common/ls_random.h"

#include <string.h>

#define RT_LN2 0.693147180559945309417

/* u = m 2^e with m in [sqrt(1/2), sqrt(2)); ln m = 2 artanh((m - 1) / (m + 1)) by its series (Abramowitz and
 * Stegun 4.1.27): we must not load libm into the program. */
double rt_negative_log(double u)
{
    uint64_t bits;
    memcpy(&bits, &u, sizeof(bits));
    int exponent = (int)(bits >> 52 & 0x7ff) - 1022;
    bits = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1022) << 52;
    double m; /* in [1/2, 1) */
    memcpy(&m, &bits, sizeof(m));
    if (m < 0.70710678118654752) {
        m *= 2;
        exponent--;
    }
    const double s = (m - 1) / (m + 1), s2 = s * s;
    const double series =
        1 + s2 * (1.0 / 3 + s2 * (1.0 / 5 + s2 * (1.0 / 7 + s2 * (1.0 / 9 + s2 * (1.0 / 11)))));
    return -(2 * s * series + exponent * RT_LN2);
}

int64_t rt_poisson_gap(struct rt_poisson *p, uint32_t period_bytes, uint64_t seed)
{
    if (p->random == 0) p->random = seed | 1;
    p->period_bytes = period_bytes;
    const double u = (double)((ls_random_next(&p->random) >> 11) + 1) * 0x1p-53; /* (0, 1] */
    return (int64_t)(rt_negative_log(u) * period_bytes);
}
