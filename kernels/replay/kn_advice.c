/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/replay/kn_advice.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double worth_saying = 1.1;
static const double short_seconds = 20e-6; /* starting and joining threads takes some microseconds, an
                                              interruption as many */
static const uint64_t tlb_bytes = UINT64_C(16) << 20, own_dense_max_bytes = UINT64_C(1) << 20;
enum { TRIES = 5 };

static void __attribute__((format(printf, 2, 3))) say(struct kn_result *r, const char *format, ...)
{
    const size_t used = strlen(r->advice);
    va_list args;
    va_start(args, format);
    if (used) snprintf(r->advice + used, sizeof(r->advice) - used, "; ");
    vsnprintf(r->advice + strlen(r->advice), sizeof(r->advice) - strlen(r->advice), format, args);
    va_end(args);
}

static double least_of(struct kn_runner *r)
{
    double least = INFINITY;
    for (int i = 0; i < TRIES; i++)
        least = fmin(least, kn_runner_once_cpu(r));
    return least;
}

/* Return the speed-up by a dense buffer per thread, with small buffers, both ways measured in turn. NAN: not
 * tried. */
static double gain_of_own_dense(struct kn_arena *a, const struct kn_variant *v)
{
    const struct kn_plan *p = a->plan;
    struct kn_block own;
    if (p->threads < 2 || p->dense_copies > 1 || !p->dense_elements || p->to.used ||
        a->dense_stride_bytes > own_dense_max_bytes ||
        kn_block_init(&own, a->dense_stride_bytes * p->threads, KN_PAGES_DEFAULT) != LS_OK)
        return NAN;
    struct kn_runner r = kn_runner_of(a, v, false);
    r.times = kn_share_times(p->threads);
    kn_runner_shorten(&r);
    const double shared = least_of(&r);
    for (unsigned t = 0; t < p->threads; t++)
        a->parts[t].dense = (char *)own.base + t * a->dense_stride_bytes;
    const double apart = least_of(&r);
    for (unsigned t = 0; t < p->threads; t++)
        a->parts[t].dense = a->dense.base;
    kn_block_fini(&own);
    free(r.times);
    return shared / apart;
}

void kn_advise_replay(struct kn_arena *a, const struct kn_variant *v, const struct kn_options *o,
                      struct kn_result *r)
{
    const double gain = gain_of_own_dense(a, v);
    if (gain >= worth_saying)
        say(r, "a dense buffer for each thread is %.1f times faster here: no false sharing", gain);
    if (r->memory_bytes >= tlb_bytes && o->pages != KN_PAGES_HUGE && r->huge_bytes < r->memory_bytes / 2)
        say(r, "huge pages spare address translation: %.0f MiB lie in small ones",
            (double)(r->memory_bytes - r->huge_bytes) / (1 << 20));
    if (o->pages == KN_PAGES_HUGE && r->memory_bytes >= tlb_bytes && r->huge_bytes < r->memory_bytes / 2)
        say(r, "the system gave %.0f of %.0f MiB in huge pages", (double)r->huge_bytes / (1 << 20),
            (double)r->memory_bytes / (1 << 20));
    if (r->seconds.min < short_seconds)
        say(r, "a run takes %.1f us%s: raise the count", r->seconds.min * 1e6,
            r->threads > 1 ? ", much of it the start of threads" : ", in which every interruption counts");
    if (o->method == KN_METHOD_SCALAR) say(r, "this is the baseline: method auto takes the fastest");
}
