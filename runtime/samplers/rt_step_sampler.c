/* SPDX-License-Identifier: BSD-3-Clause */
/* The step engine as the runtime's sampler table sees it. */
#include "runtime/core/rt_maps_sigsafe.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/samplers/rt_sampler.h"
#include "runtime/samplers/rt_step_engine.h"
#include "runtime/samplers/rt_step_traced_sigsafe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool step_probe(char *why, size_t why_len)
{
    const char *text = rt_step_engine_probe(rt_state.config.trigger);
    if (text) snprintf(why, why_len, "%s", text);
    return text == NULL;
}

static int step_process_start(struct rt_engine_facts *facts)
{
    const struct rt_config *c = &rt_state.config;
    const struct rt_step_options options = {
        .share = c->overhead_share,
        .period_min_ns = c->period_ns,
        .burst_instructions = c->burst_instructions,
        .seed = c->has_seed ? c->seed : ls_clock_mono_ns(),
        .trigger = c->trigger,
        .callstack = c->callstack,
    };
    const char *why_not = "";
    const char *why = rt_step_engine_start(&options, &why_not);
    const char *text = why ? why : why_not;
    const size_t used = strlen(facts->why); /* why no better engine */
    if (*text) snprintf(facts->why + used, sizeof facts->why - used, "%s%s", used ? "; " : "", text);
    if (why) return ENOSYS;
    snprintf(facts->trigger, sizeof facts->trigger, "%s", rt_step_engine_trigger_name());
    return 0;
}

static void step_thread_open(struct rt_thread *t)
{
    const int error = rt_step_thread_open(t);
    if (error) rt_event_count_sigsafe(SPOOL_EVENT_TRIGGER_REFUSED, 1, error);
}

static void tell(enum spool_event_kind kind, uint64_t *count)
{
    const uint64_t n = __atomic_exchange_n(count, 0, __ATOMIC_RELAXED);
    if (n) rt_event_count_sigsafe(kind, n, 0);
}

/* Counts go to the spool with the next thread that ends, or at exit. */
static void tell_counts(void)
{
    tell(SPOOL_EVENT_EINTR_RESTARTED, &rt_step_engine.eintr_restarted);
    tell(SPOOL_EVENT_EINTR_SEEN, &rt_step_engine.eintr_seen);
    tell(SPOOL_EVENT_TRACED, &rt_step_engine.traced_triggers);
}

/* The instructions stepped in place since the last call, the most frequent ones, to the spool. */
static void put_in_place(void)
{
    enum { ROWS_MOST = SPOOL_IN_PLACE_ROWS_MOST };
    struct spool_in_place_row rows[ROWS_MOST] = {0};
    struct rt_thread *t = rt_thread_self();
    uint32_t len = 0;
    if (!t || !rt_step_engine.zydis.mnemonic_text) return;
    for (unsigned m = 0; m <= ZYDIS_MNEMONIC_MAX_VALUE; m++) {
        uint64_t *const counter = &rt_step_engine.in_place[m];
        const uint64_t count = *counter ? __atomic_exchange_n(counter, 0, __ATOMIC_RELAXED) : 0;
        if (!count || (len == ROWS_MOST && rows[len - 1].count >= count)) continue;
        uint32_t at = len < ROWS_MOST ? len++ : ROWS_MOST - 1;
        for (; at && rows[at - 1].count < count; at--)
            rows[at] = rows[at - 1];
        rows[at] = (struct spool_in_place_row){.count = count};
        snprintf(rows[at].instruction, sizeof rows[at].instruction, "%s",
                 rt_step_engine.zydis.mnemonic_text((ZydisMnemonic)m));
    }
    if (len) spool_put_in_place(rt_spool_writer(t), ls_clock_mono_ns(), rows, len);
}

static void step_thread_close(struct rt_thread *t)
{
    (void)t;
    rt_step_thread_close();
    tell_counts();
}

static void step_start(void)
{
    rt_step_engine_wake();
}

static void step_drain(void)
{
    tell_counts();
    put_in_place();
}

static void step_mapped(uint64_t base, uint64_t end, const char *path)
{
    if (rt_step_path_is_device(path, strlen(path))) rt_step_engine_note_device(base, end);
}

static void step_after_fork_child(struct rt_thread *t)
{
    const int error = rt_step_engine_fork_child(t);
    if (error) rt_event_count_sigsafe(SPOOL_EVENT_TRIGGER_REFUSED, 1, error);
}

static void step_seal(void)
{
    rt_event_count_sigsafe(SPOOL_EVENT_ENGINE_QUIET, 1, 0);
    put_in_place();
    rt_step_engine_quiet();
}

const struct rt_sampler rt_sampler_step = {
    .name = "step",
    .splits_kernel_time = true,
    .probe = step_probe,
    .process_start = step_process_start,
    .thread_open = step_thread_open,
    .thread_close = step_thread_close,
    .start = step_start,
    .drain = step_drain,
    .mapped = step_mapped,
    .after_fork_child = step_after_fork_child,
    .seal = step_seal,
};
