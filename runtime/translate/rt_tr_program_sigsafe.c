/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's own part of the time of a burst. */
#include "runtime/translate/rt_translate.h"

/* What recording takes at least inside of a burst. A return to the dispatcher overlaps with operations of the program
 * that are under way: beside a chain of multiplications it takes 11 ns, beside divisions 14, in a loop over L1 27. */
enum { ENTRY_NS = 400, PROBE_NS = 130, DISPATCH_NS = 10 };

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t rt_tr_program_ns(const struct rt_tr_result *r, const struct rt_tr_burst_time *time)
{
    const uint64_t per_us = time->tsc_per_us ? time->tsc_per_us : UINT64_MAX;
    const uint64_t known_ns = ENTRY_NS + r->translate_cycles * 1000 / per_us +
                              (uint64_t)r->probe_count * PROBE_NS + (uint64_t)r->dispatches * DISPATCH_NS;
    const uint64_t left_ns = time->burst_ns - smaller(known_ns, time->burst_ns);
    if (!time->pace_millicycles) return left_ns;
    const uint64_t repeated_ns = r->repeated_cycles * 1000 / per_us,
                   paced_ns = (r->work - r->repeated_work) * time->pace_millicycles / per_us;
    return smaller(left_ns, repeated_ns + paced_ns);
}
