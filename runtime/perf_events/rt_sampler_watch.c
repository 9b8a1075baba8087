/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine watch: hardware breakpoints on one element of a registered range or of a variable of the
 * program, in every thread, to find the code that accesses it. Two of them, one for writes and one for reads
 * and writes, distinguish the kinds of access. Each access has a cost, so that breakpoints are on for moments
 * only where the budget requires it; the time that they were on is recorded. */
#include "common/ls_quantity.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/core/rt_text_sigsafe.h"
#include "runtime/perf_events/rt_perf.h"
#include "runtime/core/rt_setting.h"
#include "smrtree/smr_registry.h"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

enum {
    ROW_WRITE,
    ROW_ANY,
    ROWS,
    NAME_BYTES = 200,
    SAMPLE_COST_NS =
        15000, /* half a debug exception with a copied stack: 27 us in a virtual machine, 3 outside */
    PULSE_NS = 200000,
    STACK_BYTES = 2048,
    FIRST_TOUCHES_NS = 2000000,
    PAIR_NS = 50000,
    CHANNELS_MAX = 4096,
    RING_BYTES = 256 << 10,
};

#define NO_NODE UINT32_MAX

/* Position of a variable of the program's file that the launcher found (LOADSTONE_WATCH_AT). */
struct array {
    uint64_t base;
    uint64_t elem_bytes; /* 0: nowhere */
};

struct watched_write {
    uint64_t time_ns, ip;
    uint32_t tid;
};

static struct {
    char text[NAME_BYTES], label[NAME_BYTES]; /* NAME[INDEX], and the name */
    uint64_t index;
    struct array array;
    uint64_t base, len_bytes, since_ns; /* len_bytes 0: not armed */
    uint32_t node;
    uint64_t on_ns, wanted_ns, hits;     /* sums over channels that are closed */
    uint64_t begin_cpu_ns[CHANNELS_MAX]; /* CPU times of the channels' threads, by channel */
    struct watched_write write;          /* the last one */
    bool was_pulsed;                     /* ever */
    bool is_pulsed;                      /* too hot to be watched all the time */
    unsigned weak;
} watch;

static struct rt_perf_engine engine = {
    .periods = {1},
    .gears_len = 1,
    .sample_cost_ns = SAMPLE_COST_NS,
    .events =
        "touches of a watched element, by hardware breakpoints; the element and its times are in /watches",
    .by_thread = true,
};

/* --- the watched element --- */

/* "NAME[INDEX]". */
static bool read_text(const char *text)
{
    const char *open = text ? strrchr(text, '[') : NULL;
    char *end = NULL;
    if (!open || open == text || strlen(text) >= NAME_BYTES) return false;
    watch.index = strtoull(open + 1, &end, 0);
    if (end == open + 1 || strcmp(end, "]") != 0) return false;
    strcpy(watch.text, text);
    memcpy(watch.label, text, (size_t)(open - text));
    return true;
}

/* Return the load bias of the program: its headers contain the address where they were linked. */
static uint64_t program_bias(void)
{
    const ElfW(Phdr) *headers = (const void *)getauxval(AT_PHDR);
    const unsigned long len = getauxval(AT_PHNUM);
    for (unsigned long i = 0; headers && i < len; i++)
        if (headers[i].p_type == PT_PHDR) return (uint64_t)(uintptr_t)headers - headers[i].p_vaddr;
    return 0;
}

static bool is_this_program(const char *path)
{
    char own[PATH_MAX];
    const long len = ls_syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", own, sizeof(own) - 1);
    if (len <= 0) return false;
    own[len] = '\0';
    return strcmp(own, path) == 0;
}

/* text NULL, not of this program's file, or not readable: nowhere. */
static void read_array(const char *text, struct array *out)
{
    char *at = NULL;
    *out = (struct array){.elem_bytes = 0};
    if (!text) return;
    const uint64_t linked = strtoull(text, &at, 16);
    const uint64_t elem_bytes = strtoull(at, &at, 10);
    const bool is_fixed = strtol(at, &at, 10) != 0;
    if (*at != ' ' || !is_this_program(at + 1)) return;
    *out = (struct array){.base = linked + (is_fixed ? 0 : program_bias()), .elem_bytes = elem_bytes};
}

/* The processor watches 1, 2, 4 or 8 bytes at a multiple of that. */
static uint64_t watched_len(uint64_t base, uint64_t elem_size_bytes)
{
    uint64_t len = 8;
    while (len > elem_size_bytes || base % len)
        len /= 2;
    return len;
}

static void specify(uint64_t base, uint64_t len_bytes)
{
    static const uint32_t types[ROWS] = {[ROW_WRITE] = HW_BREAKPOINT_W, [ROW_ANY] = HW_BREAKPOINT_RW};
    engine.spec = (struct pe_open_spec){.events_len = ROWS, .ring_bytes = RING_BYTES};
    for (unsigned row = 0; row < ROWS; row++) {
        struct perf_event_attr a = rt_perf_attr(PERF_TYPE_BREAKPOINT, 0, 1);
        a.bp_type = types[row];
        a.bp_addr = base;
        a.bp_len = len_bytes;
        a.exclude_kernel = a.exclude_hv = 1;
        a.inherit = a.inherit_thread = 0;
        a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
        /* the other event brings the stack, a short one: thousands of accesses may come */
        if (a.sample_stack_user) a.sample_stack_user = row == ROW_WRITE ? 0 : STACK_BYTES;
        engine.spec.events[row] = (struct pe_open_event){.attr = a, .leader = -1, .gear = PE_GEAR_ANY};
    }
}

/* --- channels --- */

/* CPU time of a thread of this process: MAKE_THREAD_CPUCLOCK of linux/posix-timers.h. */
static uint64_t thread_cpu_ns(int tid)
{
    return ls_clock_read_ns((clockid_t)(~(unsigned)tid << 3 | 6));
}

/* Words of the event that counts all touches: how many, and how long it was on. */
static void count_channel(const struct pe_channel *l, size_t number, uint64_t *hits, uint64_t *on_ns,
                          uint64_t *wanted_ns)
{
    uint64_t words[2] = {0, 0};
    const uint64_t now_cpu_ns = thread_cpu_ns(l->tid);
    rt_perf_kernel()->read(l->fds[ROW_ANY], words, sizeof(words));
    *hits += words[0];
    *on_ns += words[1];
    if (now_cpu_ns > watch.begin_cpu_ns[number]) *wanted_ns += now_cpu_ns - watch.begin_cpu_ns[number];
}

/* Switch the event for writes first: the processor reports them in this order. */
static void switch_channel(const struct pe_channel *l, bool on)
{
    const struct pe_kernel *k = rt_perf_kernel();
    for (unsigned row = 0; row < ROWS; row++)
        k->control(l->fds[row], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

static void switch_all(bool on)
{
    size_t len;
    const struct pe_channel *channels = rt_perf_channels(&len);
    for (size_t i = 0; i < len; i++)
        if (channels[i].events_len) switch_channel(&channels[i], on);
}

static void watch_switched(bool on)
{
    if (!watch.is_pulsed) switch_all(on);
}

static void open_thread(int tid)
{
    size_t len;
    const struct pe_channel *l = rt_perf_open_thread(&engine.spec, tid);
    if (!l) return;
    watch.begin_cpu_ns[l - rt_perf_channels(&len)] = thread_cpu_ns(tid);
    if (rt_perf_is_on() && !watch.is_pulsed) switch_channel(l, true);
}

static void put_record(bool is_armed)
{
    struct spool_writer *w = rt_perf_writer();
    struct spool_watch r = {.time_ns = ls_clock_mono_ns(),
                            .base = watch.base,
                            .len_bytes = watch.len_bytes,
                            .element = watch.index,
                            .on_ns = watch.on_ns,
                            .life_ns = watch.wanted_ns,
                            .hits = watch.hits};
    size_t len;
    const struct pe_channel *channels = rt_perf_channels(&len);
    for (size_t i = 0; i < len && i < CHANNELS_MAX; i++)
        if (channels[i].events_len) count_channel(&channels[i], i, &r.hits, &r.on_ns, &r.life_ns);
    if (!watch.was_pulsed) r.on_ns = r.life_ns; /* but for the moments of opening */
    if (w) spool_put_watch(w, is_armed ? SPOOL_WATCH_ARMED : 0, r, watch.text);
}

/* elem_size_bytes is a component's. */
static uint64_t element_bytes(const struct smr_event_node *e)
{
    return e->elem_size_bytes * (e->dims ? e->dims : 1);
}

/* Watch the element at base; node is the range's, NO_NODE for a variable. Under the lock. */
static void arm(uint64_t base, uint64_t part_bytes, uint32_t node)
{
    watch.node = node;
    watch.base = base;
    watch.len_bytes = watched_len(watch.base, part_bytes);
    watch.since_ns = ls_clock_mono_ns();
    watch.on_ns = watch.wanted_ns = watch.hits = 0;
    watch.is_pulsed = watch.was_pulsed = false;
    specify(watch.base, watch.len_bytes);
    rt_perf_reader_wait_begun(); /* the record goes to its file */
    put_record(true);
    for (struct rt_thread *t = rt_state.threads; t; t = t->next)
        if (__atomic_load_n(&t->in_use, __ATOMIC_ACQUIRE) && t->tid > 0 && t != rt_perf_own())
            open_thread(t->tid);
}

static void close_channel(struct pe_channel *l, size_t number)
{
    count_channel(l, number, &watch.hits, &watch.on_ns, &watch.wanted_ns);
    rt_perf_close_channel(l);
}

static void disarm(void)
{
    size_t len;
    struct pe_channel *channels = rt_perf_channels(&len);
    for (size_t i = 0; i < len; i++)
        if (channels[i].events_len) close_channel(&channels[i], i);
    put_record(false);
    watch.len_bytes = 0;
}

/* Return the cost of watching so far: accesses times their cost, at most the time it was on. */
static uint64_t all_spent_ns(void)
{
    uint64_t hits = watch.hits, on_ns = watch.on_ns, wanted_ns = 0;
    size_t len;
    const struct pe_channel *channels = rt_perf_channels(&len);
    for (size_t i = 0; i < len && i < CHANNELS_MAX; i++)
        if (channels[i].events_len) count_channel(&channels[i], i, &hits, &on_ns, &wanted_ns);
    const uint64_t cost_ns = hits * ROWS * SAMPLE_COST_NS;
    return cost_ns < on_ns ? cost_ns : on_ns;
}

/* On for a moment. (PERF_EVENT_IOC_REFRESH would count touches instead, but since Linux 6.16 breakpoints do
 * not come back from it.) */
static void pulse(void)
{
    const struct timespec moment = {.tv_nsec = PULSE_NS};
    switch_all(true);
    ls_syscall(SYS_nanosleep, &moment, NULL);
    switch_all(false);
}

/* Keep breakpoints on while the budget lasts; then in pulses, as many as it allows; on again when a pulse
 * costs a quarter of its allowance or less. */
static void watch_tick(uint64_t now_ns)
{
    const double share = rt_state.config.overhead_share;
    if (!watch.len_bytes || !rt_perf_is_on() || share >= 1) return;
    const uint64_t spent_ns = all_spent_ns();
    const double earned_ns = share * (double)(now_ns - watch.since_ns) + FIRST_TOUCHES_NS;
    const double left_ns = earned_ns - (double)spent_ns;
    if (!watch.is_pulsed && left_ns < 0) {
        switch_all(false);
        watch.is_pulsed = watch.was_pulsed = true;
        rt_event_count_sigsafe(SPOOL_EVENT_RATE_LOWERED, 1, 0);
    } else if (watch.is_pulsed && left_ns > PULSE_NS) {
        pulse();
        const double pulse_cost_ns = (double)(all_spent_ns() - spent_ns);
        watch.is_pulsed = pulse_cost_ns > share * PULSE_NS / 4;
        if (!watch.is_pulsed) switch_all(true);
    }
}

/* --- samples --- */

static bool watch_sample(const struct pe_channel *channel, const struct pe_sample *s,
                         struct spool_sample *out, unsigned *out_flags)
{
    const struct watched_write *w = &watch.write;
    const int row = pe_channel_event(channel, s->id);
    if (row != ROW_ANY) { /* its twin follows */
        watch.write = (struct watched_write){s->time, s->ip, s->tid};
        return false;
    }
    const bool is_write = w->tid == s->tid && w->ip == s->ip && s->time - w->time_ns < PAIR_NS;
    watch.write.tid = 0;
    out->kind = SPOOL_SAMPLE_WATCH;
    out->addr = watch.base;
    out->size_bytes = (uint16_t)watch.len_bytes;
    /* a data breakpoint is reported after the instruction */
    *out_flags = (is_write ? SPOOL_OP_STORE : SPOOL_OP_LOAD) | SPOOL_SAMPLE_IP_AFTER;
    return true;
}

/* --- the engine --- */

static void watch_range(const struct smr_event_node *e)
{
    if (e->is_group || !e->label || strcmp(e->label, watch.label) != 0 || !e->elem_size_bytes) return;
    if (watch.index >= (e->end - e->base) / element_bytes(e)) {
        rt_event_count_sigsafe(SPOOL_EVENT_WATCH_UNKNOWN, 1, 0);
        return;
    }
    rt_perf_lock();
    if (!watch.len_bytes) arm(e->base + watch.index * element_bytes(e), e->elem_size_bytes, e->node);
    rt_perf_unlock();
}

static void watch_range_ended(uint32_t node)
{
    rt_perf_lock();
    if (watch.len_bytes && watch.node != NO_NODE && watch.node == node) disarm();
    rt_perf_unlock();
}

static bool watch_probe(char *why, size_t why_len)
{
    static uint64_t probed;
    struct rt_text text = rt_text_in(why, why_len);
    if (!read_text(rt_setting(ls_env_rows[LS_ENV_WATCH].variable))) {
        rt_text_add(&text, "no element is named: record --watch NAME[INDEX]");
        return false;
    }
    if (strcmp(rt_state.config.callstack, "auto") == 0) strcpy(rt_state.config.callstack, "unwind");
    engine.sample = watch_sample;
    engine.tick = watch_tick;
    engine.switched = watch_switched;
    specify((uint64_t)(uintptr_t)&probed, sizeof(probed));
    const int error = rt_perf_probe(&engine, &watch.weak);
    if (error) rt_perf_why(&engine, (struct pe_facts){.pmu = ""}, why, why_len);
    return error == 0;
}

static int watch_process_start(struct rt_engine_facts *facts)
{
    struct rt_text trigger = rt_text_in(facts->trigger, sizeof(facts->trigger));
    rt_text_add(&trigger, "breakpoints");
    read_array(rt_setting(ls_env_rows[LS_ENV_WATCH_AT].variable), &watch.array);
    return rt_perf_process_start(&engine, watch.weak);
}

static void watch_thread_open(struct rt_thread *t)
{
    rt_perf_thread_open(t);
    rt_perf_lock();
    if (!watch.len_bytes && watch.array.elem_bytes) { /* the first thread: the program is there, not begun */
        const uint64_t elem_bytes = watch.array.elem_bytes;
        watch.array.elem_bytes = 0;
        arm(watch.array.base + watch.index * elem_bytes, elem_bytes, NO_NODE);
    } else if (watch.len_bytes) {
        open_thread(t->tid);
    }
    rt_perf_unlock();
}

static void watch_thread_close(struct rt_thread *t)
{
    size_t len;
    rt_perf_lock();
    struct pe_channel *channels = rt_perf_channels(&len);
    for (size_t i = 0; i < len; i++)
        if (channels[i].events_len && channels[i].tid == (int)t->tid) close_channel(&channels[i], i);
    rt_perf_unlock();
}

static void watch_drain(void)
{
    rt_perf_lock();
    if (watch.len_bytes) put_record(false);
    rt_perf_unlock();
    rt_perf_drain();
}

/* Watch the parent's element in the child as well, in its one thread. */
static void watch_after_fork_child(struct rt_thread *t)
{
    rt_perf_after_fork_child(t);
    watch.on_ns = watch.wanted_ns = watch.hits = 0;
    if (!watch.len_bytes || !t) return;
    rt_perf_lock();
    put_record(true);
    open_thread(t->tid);
    rt_perf_unlock();
}

const struct rt_sampler rt_sampler_watch = {
    .name = "watch",
    .probe = watch_probe,
    .process_start = watch_process_start,
    .thread_open = watch_thread_open,
    .thread_close = watch_thread_close,
    .start = rt_perf_start,
    .stop = rt_perf_stop,
    .drain = watch_drain,
    .range = watch_range,
    .range_ended = watch_range_ended,
    .before_fork = rt_perf_before_fork,
    .after_fork_parent = rt_perf_after_fork_parent,
    .after_fork_child = watch_after_fork_child,
    .seal = rt_perf_seal,
};
