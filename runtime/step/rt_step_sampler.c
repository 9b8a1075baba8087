/* SPDX-License-Identifier: BSD-3-Clause */
/* The row of the step engine in the runtime's sampler table, and the parts of its method outside of handlers. */
#include "runtime/bursts/rt_burst_engine.h"
#include "runtime/bursts/rt_burst_traced_sigsafe.h"
#include "runtime/core/rt_sampler.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/step/rt_step_sigsafe.h"

#include <stdio.h>
#include <string.h>

enum { TRACER_AGE_NS = 100000000 }; /* a tracer would see the trial: without one, as without bursts */

static const char *open_process(void)
{
    if (rt_burst_look_for_tracer(&rt_burst_engine, TRACER_AGE_NS) || rt_step_try()) return NULL;
    return "single steps do not work: the program runs in an emulator or a translator of code";
}

/* Write the instructions stepped in place since the last call, the most frequent ones, to the spool. */
static void drain(void)
{
    enum { ROWS_MOST = SPOOL_IN_PLACE_ROWS_MOST };
    struct spool_in_place_row rows[ROWS_MOST] = {0};
    struct rt_thread *t = rt_thread_self();
    uint32_t len = 0;
    if (!t || !rt_burst_engine.zydis.mnemonic_text) return;
    for (unsigned m = 0; m <= ZYDIS_MNEMONIC_MAX_VALUE; m++) {
        uint64_t *const counter = &rt_step_in_place[m];
        const uint64_t count = *counter ? __atomic_exchange_n(counter, 0, __ATOMIC_RELAXED) : 0;
        if (!count || (len == ROWS_MOST && rows[len - 1].count >= count)) continue;
        uint32_t at = len < ROWS_MOST ? len++ : ROWS_MOST - 1;
        for (; at && rows[at - 1].count < count; at--)
            rows[at] = rows[at - 1];
        rows[at] = (struct spool_in_place_row){.count = count};
        snprintf(rows[at].instruction, sizeof rows[at].instruction, "%s",
                 rt_burst_engine.zydis.mnemonic_text((ZydisMnemonic)m));
    }
    if (len) spool_put_in_place(rt_spool_writer(t), ls_clock_mono_ns(), rows, len);
}

static void after_fork_child(void)
{
    memset(rt_step_in_place, 0, sizeof rt_step_in_place); /* the parent reports its own */
}

const struct rt_burst_life rt_step_life = {
    .method = &rt_step_method,
    .open = open_process,
    .thread_open = rt_step_thread_open,
    .drain = drain,
    .after_fork_child = after_fork_child,
};

static bool probe(char *why, size_t why_len)
{
    return rt_burst_probe(&rt_step_life, why, why_len);
}

const struct rt_sampler rt_sampler_step = {
    .name = "step",
    .splits_kernel_time = true,
    .reads_tags = true,
    .probe = probe,
    .process_start = rt_burst_process_start,
    .thread_open = rt_burst_thread_open,
    .thread_close = rt_burst_thread_close,
    .start = rt_burst_wake,
    .resume = rt_burst_resume,
    .drain = rt_burst_drain,
    .mapped = rt_burst_mapped,
    .after_fork_child = rt_burst_after_fork_child,
    .seal = rt_burst_seal,
};
