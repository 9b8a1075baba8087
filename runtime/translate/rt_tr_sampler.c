/* SPDX-License-Identifier: BSD-3-Clause */
/* The row of the translate engine in the runtime's sampler table, and what its method does outside of
 * handlers. */
#include "runtime/bursts/rt_burst_engine.h"
#include "runtime/core/rt_sampler.h"
#include "runtime/translate/rt_tr_code_sigsafe.h"
#include "runtime/translate/rt_tr_method_sigsafe.h"

#include <link.h>
#include <sched.h>

static uint64_t unloads_seen;

static int take_unloads(struct dl_phdr_info *info, size_t size, void *out)
{
    (void)size;
    *(uint64_t *)out = info->dlpi_subs;
    return 1;
}

static uint64_t count_unloads(void)
{
    uint64_t n = 0;
    dl_iterate_phdr(take_unloads, &n);
    return n;
}

static const char *open_process(void)
{
    const struct rt_tr_options options = {
        .zydis = &rt_burst_engine.zydis,
        .quiet = {(uint64_t)(uintptr_t)__start_rt_quick_hooks, (uint64_t)(uintptr_t)__stop_rt_quick_hooks},
        .may_translate = rt_tr_code_may_translate,
        .has_fsgsbase = rt_burst_engine.has_fsgsbase,
        .has_rdtscp = rt_burst_engine.has_rdtscp,
        .has_bmi2 = rt_burst_engine.has_bmi2};
    unloads_seen = count_unloads();
    const enum rt_tr_refused refused = rt_tr_open(&options);
    return refused ? rt_tr_refused_text(refused) : NULL;
}

static void open_thread(struct rt_burst_thread *t, bool is_new)
{
    struct rt_tr_own *o = (struct rt_tr_own *)t->own[SPOOL_METHOD_TRANSLATE];
    if (is_new) o->thread = rt_tr_thread_new();
    o->waiting_len = 0;
    o->holds = false;
}

static const struct rt_burst_life life = {
    .method = &rt_translate_method,
    .open = open_process,
    .thread_open = open_thread,
    .after_fork_child = rt_tr_code_after_fork_child,
};

static bool probe(char *why, size_t why_len)
{
    return rt_burst_probe(&life, why, why_len);
}

/* The loader may give the addresses of a module to the next one before its own hook runs: no burst runs or
 * begins while it unloads. */
static void unloading(bool begins)
{
    enum { WAITS_MOST = 10000 };
    if (begins) {
        rt_tr_code_unloading(true);
        for (unsigned i = 0; i < WAITS_MOST && rt_tr_active(); i++)
            sched_yield();
        return;
    }
    const uint64_t unloads = count_unloads();
    if (__atomic_exchange_n(&unloads_seen, unloads, __ATOMIC_RELAXED) != unloads)
        rt_tr_code_changed(0, UINT64_MAX, 0);
    rt_tr_code_unloading(false);
}

/* Nobody noted the mappings that changed meanwhile. */
static void resume(void)
{
    unloads_seen = count_unloads();
    rt_tr_code_changed(0, UINT64_MAX, 0);
    rt_burst_resume();
}

const struct rt_sampler rt_sampler_translate = {
    .name = "translate",
    .splits_kernel_time = true,
    .reads_tags = true,
    .probe = probe,
    .process_start = rt_burst_process_start,
    .thread_open = rt_burst_thread_open,
    .thread_close = rt_burst_thread_close,
    .start = rt_burst_wake,
    .resume = resume,
    .drain = rt_burst_drain,
    .mapped = rt_burst_mapped,
    .remapped = rt_tr_code_changed,
    .unloading = unloading,
    .maps = rt_tr_code_take_maps,
    .after_fork_child = rt_burst_after_fork_child,
    .seal = rt_burst_seal,
};
