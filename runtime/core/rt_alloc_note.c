/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_alloc_note.h"

#include "runtime/core/rt_ended_sigsafe.h"
#include "runtime/core/rt_marker_sigsafe.h"
#include "runtime/core/rt_python.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/core/rt_unwind_sigsafe.h"
#include "spool/spool_path.h"

#include <errno.h>

enum {
    RT_NOT_RECORDING_BYTES = 1 << 16, /* allocated between two checks for a recording */
    RT_IDLE_BYTES = 1 << 28,
};

/* A call path in t->scratch. */
struct rt_path {
    uint64_t *frames;
    uint64_t *places; /* frames on the stack */
    uint32_t len;
    bool is_nested; /* it contains our hooks: an allocator maps memory for a block of the program */
    bool is_cut;    /* it has the caller alone, to hold the budget */
};

static struct rt_path rt_path_here(struct rt_thread *t, void *caller)
{
    struct rt_path path = {.frames = (uint64_t *)(void *)t->scratch};
    rt_budget_hook_unwinds(t);
    path.places = path.frames + RT_UNWIND_FRAMES_MAX;
    const struct rt_unwind_limits limits = {.stack_base = t->stack_base,
                                            .stack_end = t->stack_end,
                                            .own_base = rt_state.text_base,
                                            .own_end = rt_state.text_end,
                                            .places = path.places};
    if (RT_HAVE_UNWIND)
        path.len = (uint32_t)rt_unwind(&limits, path.frames, RT_UNWIND_FRAMES_MAX, &path.is_nested);
    if (path.len == 0) {
        path.places[0] = 0;
        path.frames[path.len++] = (uint64_t)(uintptr_t)caller;
    }
    return path;
}

static struct rt_path rt_path_cut(struct rt_thread *t, void *caller)
{
    uint64_t *const words = (uint64_t *)(void *)t->scratch;
    words[0] = (uint64_t)(uintptr_t)caller;
    words[1] = 0; /* its place is not known */
    return (struct rt_path){.frames = words, .places = words + 1, .len = 1, .is_cut = true};
}

/* The same path with the frames of Python, in the rest of t->scratch. */
static struct rt_path rt_path_of_python(struct rt_thread *t, struct spool_writer *w, struct rt_path path)
{
    struct rt_python_path *merged = (struct rt_python_path *)(void *)(path.places + RT_UNWIND_FRAMES_MAX);
    _Static_assert(2 * RT_UNWIND_FRAMES_MAX * sizeof(uint64_t) + sizeof(*merged) <= RT_SCRATCH_BYTES,
                   "it fits");
    if (!rt_python_merge(t, path.frames, path.len, merged)) return path;
    path.frames = merged->frames;
    path.len = merged->len;
    if (!rt_paths_has(&t->paths, t->streams, spool_path_hash(path.frames, path.len)))
        rt_python_put(t, w, merged);
    return path;
}

/* Paths that are unwound also when the overhead budget is used up, as it often is while a program starts: some
 * milliseconds of a process. */
enum { RT_WRITTEN_PATHS_LEAST = 4096 };

void rt_path_to_write(struct rt_thread *t, void *caller, struct rt_written_path *out)
{
    static uint32_t unwound; /* atomic */
    if (__atomic_load_n(&rt_state.is_over_budget, __ATOMIC_RELAXED) &&
        __atomic_fetch_add(&unwound, 1, __ATOMIC_RELAXED) >= RT_WRITTEN_PATHS_LEAST) {
        uint64_t *const only = (uint64_t *)(void *)t->scratch;
        only[0] = (uint64_t)(uintptr_t)caller;
        *out = (struct rt_written_path){.frames = only, .len = 1};
    } else {
        struct spool_writer *w = rt_spool_writer(t);
        const struct rt_path path = rt_path_of_python(t, w, rt_path_here(t, caller));
        *out = (struct rt_written_path){.frames = path.frames, .len = path.len};
    }
    out->hash = spool_path_hash(out->frames, out->len);
    if (!rt_paths_note(&t->paths, t->streams, out->hash)) return;
    out->flags = SPOOL_ALLOC_KNOWN_PATH;
    out->frames = &out->hash;
    out->len = 1;
}

/* The writer must be open: opening it uses t->scratch and counts t->streams. */
static void rt_put_alloc(struct rt_thread *t, struct spool_writer *w, struct spool_alloc rec,
                         const struct rt_block *b, const struct rt_path *path)
{
    const uint64_t hash = spool_path_hash(path->frames, path->len);
    const bool is_known = rt_paths_note(&t->paths, t->streams, hash);
    rec.base = (uint64_t)(uintptr_t)b->base;
    rec.len_bytes = b->len_bytes;
    rec.frames_len = is_known ? 1 : path->len;
    rec.time_ns = ls_clock_mono_ns();
    const unsigned flags = (unsigned)b->call | (is_known ? SPOOL_ALLOC_KNOWN_PATH : 0);
    rt_mark(LS_MARKER_BLOCK_BORN, rec.base, rec.len_bytes, hash);
    if (!spool_put_alloc(w, rec, flags, is_known ? &hash : path->frames)) rt_paths_forget(&t->paths, hash);
    t->hook_bytes += (uint32_t)sizeof(rec) + rec.frames_len * (uint32_t)sizeof(uint64_t);
    rt_budget_look(rec.time_ns);
    rt_ended_look_sometimes(rec.time_ns);
}

/* Blocks of this length that a sampled one represents in addition to itself: 1 / (1 - exp(-x)) - 1, where x
 * is the length over the period, computed by its series (Bernoulli numbers) up to x; x < 1. */
static uint32_t rt_skipped_of(size_t len_bytes, uint32_t period_bytes)
{
    const double x = (double)len_bytes / period_bytes;
    return (uint32_t)(1 / x - 0.5 + x / 12 + 0.5);
}

static uint64_t rt_sample_seed(void)
{
    const uint64_t base = rt_state.config.has_seed ? rt_state.config.seed : rt_ticks();
    return (base ^ (uint64_t)ls_syscall(SYS_gettid)) * UINT64_C(0x9e3779b97f4a7c15);
}

static void rt_draw_gap(void)
{
    struct rt_poisson *p = &rt_tls.poisson;
    const uint64_t wanted_bytes = __atomic_load_n(&rt_state.alloc_period_bytes, __ATOMIC_RELAXED);
    const uint32_t period_bytes = wanted_bytes < UINT32_MAX ? (uint32_t)wanted_bytes : UINT32_MAX;
    rt_tls.sample_left_bytes += rt_poisson_gap(p, period_bytes, p->random ? 0 : rt_sample_seed());
}

/* Is a block below the limit, whose bytes were counted, a sample? Returns the mean gap, or 0 if it is not. */
static uint32_t rt_sample(void)
{
    if (rt_tls.sample_left_bytes >= 0) return 0;
    if (!rt_is_recording()) { /* where a recording may begin late, threads are woken then */
        const bool is_idle = __atomic_load_n(&rt_state.phase, __ATOMIC_RELAXED) == RT_IDLE;
        rt_tls.sample_left_bytes = is_idle ? RT_IDLE_BYTES : RT_NOT_RECORDING_BYTES;
        return 0;
    }
    if (rt_tls.poisson.period_bytes == 0) { /* the first gap of this thread */
        rt_draw_gap();
        if (rt_tls.sample_left_bytes >= 0) return 0;
    }
    const uint32_t period_bytes = rt_tls.poisson.period_bytes;
    rt_tls.sample_left_bytes = 0; /* a Poisson process has no memory: the next gap begins after the block */
    rt_draw_gap();
    return period_bytes;
}

/* --- tags --- */

struct rt_site_giver {
    struct rt_thread *t;
    struct spool_writer *w;
    const struct rt_path *path;
    size_t len_bytes;
};

static void rt_give_site(void *arg, uint32_t site)
{
    const struct rt_site_giver *g = arg;
    const struct spool_site rec = {
        .time_ns = ls_clock_mono_ns(), .len_bytes = g->len_bytes, .site = site, .frames_len = g->path->len};
    spool_packer_put_site(&g->t->sites, g->w, g->t->streams, &rec, g->path->frames);
}

/* Tag b by its path; the writer is open. is_random: b was drawn at random. */
static void rt_tag_by_path(struct rt_thread *t, struct spool_writer *w, const struct rt_block *b,
                           const struct rt_path *path, bool is_random)
{
    struct rt_site_giver giver = {t, w, path, b->len_bytes};
    const struct rt_tag_call call = rt_alloc_tag_call(b->caller, b->cfa);
    const struct rt_tag_path p = {
        .frames = path->frames,
        .places = path->places,
        .len = path->len,
        .is_cut = path->is_cut,
        .give = rt_give_site,
        .arg = &giver,
    };
    if (is_random) rt_tag_check(&call, &p);
    rt_tag_put_slowly((uint64_t)(uintptr_t)b->base, b->len_bytes, rt_tag_learn(&call, &p));
}

/* Nothing is sampled after the end of the recording, and no system call may be made then. */
LS_ALIGNED __attribute__((cold)) void *rt_alloc_tag_slowly(void *base, size_t len_bytes, void *caller,
                                                           uint64_t cfa, uint64_t signature)
{
    if (!base || !rt_is_recording()) return base;
    const int saved = errno;
    const struct rt_tag_call call = rt_alloc_tag_call(caller, cfa);
    uint32_t site = rt_tag_known_slowly(&call, signature);
    if (!site && rt_tags_hold_paths()) site = rt_tag_cut(&call);
    struct rt_thread *t = site ? NULL : rt_enter();
    if (t) {
        const struct rt_block b = {base, len_bytes, SPOOL_ALLOC_OTHER, caller, cfa};
        struct spool_writer *w = rt_spool_writer(t);
        const struct rt_path path = rt_tags_hold_paths() ? rt_path_cut(t, caller) : rt_path_here(t, caller);
        rt_tag_by_path(t, w, &b, &path, false);
        if (!path.is_cut) __atomic_fetch_add(&rt_tags.unwound, 1, __ATOMIC_RELAXED);
        rt_budget_look(ls_clock_mono_ns());
        rt_leave();
    } else if (!site || !rt_tag_put_quickly((uint64_t)(uintptr_t)base, len_bytes, site)) {
        rt_tag_put_slowly((uint64_t)(uintptr_t)base, len_bytes, site);
    }
    errno = saved;
    return base;
}

RT_QUICK_HOOK __attribute__((noinline)) void rt_alloc_tag(void *base, size_t len_bytes, void *caller,
                                                          uint64_t cfa)
{
    rt_alloc_tagged(base, len_bytes, caller, cfa);
}

/* --- blocks with a record --- */

/* The blocks with a record are found by it, but the granules of a small one may be in the tags of an older block, and
 * its path checks its signature. */
static bool rt_is_tagged(const struct rt_block *b)
{
    enum { LONGEST_BYTES = 65536 };
    return rt_tags.is_on && b->cfa && b->len_bytes <= LONGEST_BYTES;
}

static void rt_record_alloc(struct rt_thread *t, const struct rt_block *b, uint32_t period_bytes)
{
    struct spool_writer *w = rt_spool_writer(t);
    const struct rt_path path = rt_path_here(t, b->caller);
    if (rt_is_tagged(b)) rt_tag_by_path(t, w, b, &path, period_bytes > 1);
    if (!rt_blocks_add((uint64_t)(uintptr_t)b->base)) return;
    t->allocs++;
    t->large_allocs += period_bytes == 1;
    if (period_bytes > 1 && b->len_bytes >= rt_state.config.alloc_min_bytes)
        rt_tls.skipped_allocs += rt_skipped_of(b->len_bytes, period_bytes);
    const struct rt_path whole = rt_path_of_python(t, w, path);
    rt_put_alloc(t, w, (struct spool_alloc){.sample_period_bytes = period_bytes}, b, &whole);
}

static void rt_record(const struct rt_block *b, uint32_t period_bytes)
{
    const int saved = errno;
    struct rt_thread *t = rt_enter();
    if (t) {
        rt_record_alloc(t, b, period_bytes);
        rt_leave();
    } else if (rt_is_tagged(b)) {
        rt_tag_put_slowly((uint64_t)(uintptr_t)b->base, b->len_bytes, 0);
    }
    errno = saved;
}

LS_ALIGNED void rt_alloc_note(void *base, size_t len_bytes, enum spool_alloc_call call, void *caller,
                              uint64_t cfa)
{
    const struct rt_block b = {base, len_bytes, call, caller, cfa};
    if (!base) return;
    const bool is_long = len_bytes >= __atomic_load_n(&rt_state.alloc_always_bytes, __ATOMIC_RELAXED);
    const uint32_t period_bytes = is_long ? 1 : rt_sample();
    if (period_bytes > 0)
        rt_record(&b, period_bytes);
    else
        rt_alloc_tag(base, len_bytes, caller, cfa);
}

void rt_alloc_note_kept(const struct rt_block *b)
{
    rt_record(b, 1);
}

LS_ALIGNED bool rt_free_note(void *p)
{
    const uint64_t base = (uint64_t)(uintptr_t)p;
    if (!rt_is_recording() || rt_tls.depth || rt_tls.dead || !rt_blocks_remove(base)) return false;
    const int saved = errno;
    struct rt_thread *t = rt_enter();
    if (t) {
        rt_mark(LS_MARKER_BLOCK_DIED, base, 0, 0);
        spool_put_free(rt_spool_writer(t), ls_clock_mono_ns(), base);
        t->hook_bytes += (uint32_t)sizeof(struct spool_extent);
        rt_leave();
    }
    errno = saved;
    return true;
}

void rt_alloc_note_mapping(struct rt_thread *t, const struct rt_block *b)
{
    struct spool_writer *w = rt_spool_writer(t);
    const bool is_arena = rt_python_maps_arena(b->caller, b->len_bytes);
    uint64_t arena = is_arena ? rt_python_put_arena(t, w) : 0;
    struct rt_path path = {.frames = &arena, .len = 1};
    if (!is_arena) {
        path = rt_path_here(t, b->caller);
        path = rt_path_of_python(t, w, path);
    }
    struct rt_block block = *b;
    block.call = path.is_nested ? SPOOL_ALLOC_ARENA : SPOOL_ALLOC_MMAP;
    rt_put_alloc(t, w, (struct spool_alloc){.sample_period_bytes = 1}, &block, &path);
}
