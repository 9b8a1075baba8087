/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/perf_events/rt_perf.h"

#include "runtime/core/rt_collector.h"
#include "runtime/core/rt_tap_sigsafe.h"
#include "runtime/core/rt_control_sigsafe.h"
#include "runtime/core/rt_fds_sigsafe.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/core/rt_text_sigsafe.h"
#include "runtime/core/rt_thread_life.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum {
    CPU_RING_BYTES = 4 << 20,
    IN_FLIGHT_NS = 100000, /* a sample's time is taken before it is written */
    LOCK_NAP_NS = 20000,
};

static struct {
    const struct rt_perf_engine *engine;
    struct pe_open_spec spec; /* the engine's, for CPUs or for threads */
    struct pe_drain drain;
    struct rt_perf_channels channels;
    struct rt_perf_pace pace;
    struct rt_thread *own; /* the reader's, for its file */
    uint64_t kernel_ns, reader_ns;
    struct rt_perf_reported reported;
    uint64_t counted_lost; /* counted by the kernel, including losses without a record */
    unsigned weak;
    volatile uint32_t locked;
    bool by_thread, is_on, is_quiet, was_forked;
    bool is_dutied; /* slower gears by switching on and off */
    bool is_idle;   /* on, but not in this slot of its duty */
} rt_perf;

void rt_perf_lock(void)
{
    const struct timespec nap = {.tv_nsec = LOCK_NAP_NS};
    while (__atomic_exchange_n(&rt_perf.locked, 1, __ATOMIC_ACQUIRE))
        ls_syscall(SYS_nanosleep, &nap, NULL);
}

void rt_perf_unlock(void)
{
    __atomic_store_n(&rt_perf.locked, 0, __ATOMIC_RELEASE);
}

/* --- opening --- */

static void note_halved(size_t channels, const struct pe_open_spec *wished, size_t ring_bytes,
                        size_t aux_bytes)
{
    if (ring_bytes < wished->ring_bytes || aux_bytes < wished->aux_bytes)
        rt_event_count_sigsafe(SPOOL_EVENT_RING_HALVED, channels, 0);
}

/* Open the events of every CPU. With too few file descriptors for all gears, open gear 0 only and duty-cycle
 * it. */
static int open_cpus(void)
{
    struct pe_open_spec *spec = &rt_perf.spec;
    if (!rt_perf_channels_have_room_for_cpus(&rt_perf.channels, spec) && rt_perf.engine->gears_len > 1) {
        rt_perf_keep_first_gear(spec);
        rt_perf.is_dutied = true;
    }
    const struct pe_open_spec wished = *spec;
    const int error = rt_perf_channels_open_cpus(&rt_perf.channels, spec);
    if (!error) note_halved(rt_perf.channels.len, &wished, spec->ring_bytes, spec->aux_bytes);
    return error;
}

struct pe_channel *rt_perf_open_thread(const struct pe_open_spec *spec, int tid)
{
    struct pe_channel *l;
    const int error = rt_perf_channels_open_thread(&rt_perf.channels, spec, tid, &l);
    if (error) {
        rt_event_count_sigsafe(SPOOL_EVENT_EVENTS_REFUSED, 1, error);
        return NULL;
    }
    note_halved(1, spec, l->ring_bytes, l->aux_bytes);
    return l;
}

struct pe_channel *rt_perf_channels(size_t *out_len)
{
    *out_len = rt_perf.channels.len;
    return rt_perf.channels.rows;
}

/* --- records --- */

struct spool_writer *rt_perf_writer(void)
{
    return rt_perf.own && rt_perf.own->tid ? rt_spool_writer(rt_perf.own) : NULL;
}

struct rt_thread *rt_perf_own(void)
{
    return rt_perf.own;
}

const struct pe_open_event *rt_perf_event_of(const struct pe_channel *channel, const struct pe_sample *s)
{
    const int row = pe_channel_event(channel, s->id);
    return row >= 0 ? &rt_perf.spec.events[row] : NULL;
}

/* Return how many events a sample represents; the record may lack it. */
static uint64_t events_of(const struct pe_channel *channel, const struct pe_sample *s)
{
    const struct pe_open_event *e = rt_perf_event_of(channel, s);
    if (s->has & PERF_SAMPLE_PERIOD) return s->period_events;
    if ((rt_perf.by_thread || rt_perf.is_dutied) && rt_perf.engine->gears_len > 1)
        return rt_perf.pace.periods[rt_perf.pace.gear];
    return e ? e->attr.sample_period : 0;
}

/* For natural-domain functions: accesses, not faults. */
static void tap(const struct spool_sample *out, unsigned flags)
{
    if (!rt_tap_is_open(rt_perf.own) || out->kind != SPOOL_SAMPLE_ACCESS) return;
    const struct rt_tap_sample s = {
        .burst_ns = out->time_ns,
        .ip = out->ip,
        .addr = out->addr,
        .latency_cycles = out->latency_cycles,
        .tid = out->tid,
        .flags =
            (uint16_t)((flags & SPOOL_ACCESS_OP_MASK) | (out->latency_kind ? SPOOL_ACCESS_LATENCY_VALID : 0)),
        .is_plain = 1,
    };
    rt_tap_put(rt_perf.own, &s);
}

/* Events of whole CPUs also give samples of other processes; pid 0 is then a process of another namespace. */
static bool is_own_process(const struct pe_sample *s)
{
    return s->pid == (uint32_t)rt_state.pid || (s->pid == 0 && !rt_perf.spec.cpu_wide);
}

static void on_sample(void *user, const struct pe_channel *channel, const struct pe_sample *s)
{
    (void)user;
    struct spool_sample out;
    unsigned flags;
    struct spool_writer *w = rt_perf_writer();
    if (!w || !is_own_process(s)) return;
    if (rt_perf.own->tid == (pid_t)s->tid) return; /* the reader's own */
    if (pe_channel_counted_twice(channel, &rt_perf.spec, s)) return;
    rt_perf_sample_begin(s, &out, &flags);
    out.events = events_of(channel, s);
    if (!rt_perf.engine->sample(channel, s, &out, &flags)) return;
    if (spool_put_sample(w, flags, &out)) tap(&out, flags);
    rt_perf_sample_stack(w, &rt_perf.drain.layout, s, &out);
}

static void note_kernel_losses(struct pe_channel *channels, size_t channels_len)
{
    for (size_t i = 0; i < channels_len; i++)
        if (channels[i].events_len)
            rt_perf.counted_lost += pe_channel_lost(&channels[i], rt_perf_kernel(), &rt_perf.spec);
}

/* LOST records come only with a later sample; prefer the kernel's own count where it is available. */
static void put_counts(void)
{
    struct pe_counts now = rt_perf.drain.counts;
    if (now.lost < rt_perf.counted_lost) now.lost = rt_perf.counted_lost;
    rt_perf_put_counts(&rt_perf.reported, &now);
}

/* --- rate --- */

/* Return the gear for the events themselves: duty-cycled events have one gear only. */
static unsigned gear_of_events(unsigned gear)
{
    if (gear == PE_GEAR_NONE || !rt_perf.is_dutied) return gear;
    return rt_perf.is_idle ? PE_GEAR_NONE : 0;
}

static void set_channel_gear(struct pe_channel *l, unsigned wanted)
{
    const unsigned gear = gear_of_events(wanted);
    if (rt_perf.by_thread && !rt_perf.is_dutied && gear != PE_GEAR_NONE) {
        pe_channel_period(l, rt_perf_kernel(), &rt_perf.spec, rt_perf.engine->periods[gear]);
        pe_channel_gear(l, rt_perf_kernel(), &rt_perf.spec, 0);
    } else {
        pe_channel_gear(l, rt_perf_kernel(), &rt_perf.spec, gear);
    }
}

static void set_gear(unsigned wanted)
{
    for (unsigned i = 0; i < rt_perf.channels.len; i++)
        if (rt_perf.channels.rows[i].events_len) set_channel_gear(&rt_perf.channels.rows[i], wanted);
}

/* Sampling is switched on and off by time, signal or call. */
static void follow_control(uint64_t now_ns)
{
    const bool wants = rt_control_update(now_ns);
    if (wants == rt_perf.is_on || rt_perf.is_quiet) return;
    rt_perf.is_on = wants;
    if (!rt_perf.engine->by_thread) set_gear(wants ? rt_perf.pace.gear : PE_GEAR_NONE);
    if (rt_perf.engine->switched) rt_perf.engine->switched(wants);
}

bool rt_perf_ticks(void)
{
    return rt_perf.engine->tick || (rt_perf.is_dutied && rt_perf.pace.gear);
}

size_t rt_perf_fullest_permille(void)
{
    return rt_perf.drain.fullest_permille;
}

bool rt_perf_is_on(void)
{
    return rt_perf.is_on;
}

static size_t drain_channels(struct pe_channel *channels, size_t channels_len, uint64_t until_ns)
{
    rt_perf.drain.ticks = pe_ticks_now();
    return pe_drain_channels(&rt_perf.drain, channels, channels_len, until_ns);
}

/* Drain first, because samples on their way were taken in the previous gear. */
static void change_gear(unsigned before)
{
    const unsigned now = rt_perf.pace.gear;
    if (rt_perf.is_dutied) {
        set_gear(PE_GEAR_NONE);
        rt_perf.pace.gear = before;
        drain_channels(rt_perf.channels.rows, rt_perf.channels.len, UINT64_MAX);
        rt_perf.pace.gear = now;
    }
    set_gear(now);
}

static void follow_duty(uint64_t now_ns)
{
    if (!rt_perf.is_dutied || !rt_perf.is_on) return;
    const bool is_idle = !rt_perf_duty_is_on(rt_perf.pace.periods, rt_perf.pace.gear, now_ns);
    if (is_idle == rt_perf.is_idle) return;
    rt_perf.is_idle = is_idle;
    set_gear(rt_perf.pace.gear);
}

/* Resume events that the kernel switched off for lack of room. */
static void resume_all(void)
{
    for (unsigned i = 0; rt_perf.is_on && i < rt_perf.channels.len; i++)
        if (rt_perf.channels.rows[i].events_len)
            pe_channel_resume(&rt_perf.channels.rows[i], rt_perf_kernel(), &rt_perf.spec,
                              gear_of_events(rt_perf.pace.gear));
}

static void follow_pace(uint64_t now_ns)
{
    if (!rt_perf.is_on || rt_perf.engine->gears_len < 2) return;
    const unsigned before = rt_perf.pace.gear;
    if (!rt_perf_pace_look(&rt_perf.pace, now_ns, rt_perf.kernel_ns + rt_perf.reader_ns)) return;
    if (rt_perf.pace.gear > before) rt_event_count_sigsafe(SPOOL_EVENT_RATE_LOWERED, 1, 0);
    change_gear(before);
}

static void account(size_t samples, uint64_t cpu_ns)
{
    const uint64_t cost_ns = samples * rt_perf.engine->sample_cost_ns + cpu_ns;
    rt_perf.kernel_ns += samples * rt_perf.engine->sample_cost_ns;
    rt_perf.reader_ns += cpu_ns;
    __atomic_add_fetch(&rt_state.budget.spent_ns, cost_ns, __ATOMIC_RELAXED);
}

/* Pass on the samples that wait in these channels up to until_ns, and record the cost of that. */
static void drain_and_report(struct pe_channel *channels, size_t channels_len, uint64_t now_ns,
                             uint64_t until_ns)
{
    struct spool_writer *w = rt_perf_writer();
    const uint64_t cpu_begin_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    if (!w) return;
    rt_perf_put_sampling(&rt_perf.reported, w, rt_perf.own->begin_ns, rt_perf.engine, rt_perf.weak);
    const size_t samples = drain_channels(channels, channels_len, until_ns);
    account(samples, ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_begin_ns);
    rt_perf_put_cost(&rt_perf.reported, w, until_ns < now_ns ? until_ns : now_ns,
                     rt_perf.kernel_ns + rt_perf.reader_ns);
}

static void drain_all(uint64_t now_ns, bool is_last)
{
    const bool must_flush = is_last && rt_perf.spec.aux_bytes && rt_perf.is_on;
    if (must_flush) set_gear(PE_GEAR_NONE); /* the kernel then reports the content of the AUX areas */
    drain_and_report(rt_perf.channels.rows, rt_perf.channels.len, now_ns,
                     is_last ? UINT64_MAX : now_ns - IN_FLIGHT_NS);
    if (must_flush) set_gear(rt_perf.pace.gear);
    resume_all();
}

void rt_perf_look(uint64_t now_ns, bool is_last)
{
    rt_perf_lock();
    if (rt_is_own_process() && rt_is_recording() && !rt_perf.is_quiet) {
        follow_control(now_ns);
        drain_all(now_ns, is_last);
        if (is_last) note_kernel_losses(rt_perf.channels.rows, rt_perf.channels.len);
        put_counts();
        follow_pace(now_ns);
        follow_duty(now_ns);
        if (rt_perf.engine->tick) rt_perf.engine->tick(now_ns);
    }
    rt_perf_unlock();
}

void rt_perf_close_channel(struct pe_channel *l)
{
    if (!l->events_len) return;
    pe_channel_gear(l, rt_perf_kernel(), &rt_perf.spec, PE_GEAR_NONE);
    drain_and_report(l, 1, ls_clock_mono_ns(), UINT64_MAX);
    note_kernel_losses(l, 1);
    pe_channel_close(l, rt_perf_kernel());
}

/* --- life --- */

static int map_tables(void)
{
    const size_t channels_bytes = RT_PERF_CHANNELS_MAX * sizeof(struct pe_channel);
    const long at = ls_syscall(SYS_mmap, NULL, channels_bytes + PE_RECORD_MAX_BYTES, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at < 0 && at > -4096) return (int)-at;
    rt_perf.channels.rows = (struct pe_channel *)at;
    rt_perf.drain.bounce = (uint8_t *)at + channels_bytes;
    return 0;
}

/* Open events of all CPUs, or decide that threads open theirs. 0 or an errno. */
static int open_events(void)
{
    rt_perf.spec = rt_perf.engine->spec;
    rt_perf.by_thread = rt_perf.engine->by_thread;
    rt_perf.is_dutied = rt_perf.engine->is_dutied;
    if (!rt_perf.spec.ring_bytes) rt_perf.spec.ring_bytes = CPU_RING_BYTES;
    rt_perf.reported.is_late = rt_perf.spec.aux_bytes || rt_perf.by_thread;
    if (rt_perf.by_thread) return 0;
    const int error = open_cpus();
    if (error == 0 || rt_perf.spec.cpu_wide) return error;
    rt_event_count_sigsafe(SPOOL_EVENT_BY_THREAD, 1, error);
    rt_perf.spec = rt_perf.engine->spec;
    rt_perf.is_dutied = rt_perf.engine->is_dutied;
    rt_perf.by_thread = rt_perf.reported.is_late = true; /* threads that end are read before the others */
    rt_perf_make_by_thread(&rt_perf.spec);
    return 0;
}

static void begin_counting(void)
{
    const struct rt_perf_engine *e = rt_perf.engine;
    rt_perf.drain.layout = pe_layout_of(rt_perf_first_sampling(&e->spec));
    rt_perf.drain.sample = on_sample;
    rt_perf.drain.counts = (struct pe_counts){0};
    rt_perf.reported = (struct rt_perf_reported){.has_sampling = false};
    rt_perf.kernel_ns = rt_perf.reader_ns = rt_perf.counted_lost = 0;
    rt_perf.pace.share = rt_state.config.overhead_share;
    rt_perf.pace.gears_len = e->gears_len;
    memcpy(rt_perf.pace.periods, e->periods, sizeof(e->periods));
    rt_perf_pace_begin(&rt_perf.pace, ls_clock_mono_ns());
    rt_perf.is_on = rt_perf.is_idle = rt_perf.is_quiet = false;
}

int rt_perf_process_start(const struct rt_perf_engine *e, unsigned weak)
{
    rt_perf.engine = e;
    rt_perf.weak = weak;
    const int error = map_tables();
    if (error) return error;
    begin_counting();
    return open_events();
}

/* Start the reader and its file. Without a thread nothing is sampled. */
static void begin_reading(void)
{
    rt_perf.own = rt_thread_acquire();
    if (!rt_perf.own) return;
    rt_perf.own->own = true;
    rt_perf.own->begin_ns = ls_clock_mono_ns();
    rt_collector_thread_began(rt_perf.own);
    const int error = rt_perf_reader_start();
    if (!error) return;
    rt_event_count_sigsafe(SPOOL_EVENT_TRIGGER_REFUSED, 1, error);
    rt_perf.is_quiet = true;
    rt_perf_channels_close_all(&rt_perf.channels);
}

static void open_channel_of(int tid)
{
    rt_perf_lock();
    struct pe_channel *l = rt_perf.is_quiet ? NULL : rt_perf_open_thread(&rt_perf.spec, tid);
    if (l && rt_perf.is_on) set_channel_gear(l, rt_perf.pace.gear);
    rt_perf_unlock();
}

void rt_perf_thread_open(struct rt_thread *t)
{
    if (!rt_perf.own) begin_reading();
    if (rt_perf.by_thread && !rt_perf.engine->by_thread)
        open_channel_of(t ? t->tid : (int)ls_syscall(SYS_gettid));
}

void rt_perf_thread_close(struct rt_thread *t)
{
    if (!rt_perf.by_thread || rt_perf.is_quiet) return;
    rt_perf_reader_wait_begun(); /* its last samples go to the reader's file */
    rt_perf_lock();
    struct pe_channel *l = rt_perf_channels_of_thread(&rt_perf.channels, t->tid);
    if (l && !rt_perf.is_quiet) rt_perf_close_channel(l);
    rt_perf_unlock();
}

void rt_perf_start(void)
{
    rt_perf_lock();
    follow_control(ls_clock_mono_ns());
    rt_perf_unlock();
}

void rt_perf_stop(void)
{
    rt_perf_lock();
    if (rt_perf.is_on && !rt_perf.is_quiet) {
        rt_perf.is_on = false;
        set_gear(PE_GEAR_NONE);
    }
    rt_perf_unlock();
}

/* Complete the file, because the program may end now. The next record opens another file. */
static void close_own_file(void)
{
    struct rt_thread *own = rt_perf.own;
    if (!own || !spool_writer_is_open(&own->writer)) return;
    spool_put_thread_end(&own->writer, (struct spool_thread_end){.time_ns = ls_clock_mono_ns(),
                                                                 .cpu_ns = rt_perf.reader_ns,
                                                                 .spent_ns = rt_perf.reader_ns});
    rt_fds_unguard(&own->writer.fd);
    spool_writer_close(&own->writer);
    own->begin_ns = ls_clock_mono_ns();
}

void rt_perf_flush(void)
{
    rt_perf_reader_wait_begun();
    rt_perf_look(ls_clock_mono_ns(), true);
}

void rt_perf_drain(void)
{
    rt_perf_flush();
    rt_perf_lock();
    close_own_file();
    rt_perf_unlock();
}

void rt_perf_before_fork(struct rt_thread *t)
{
    (void)t;
    rt_perf_lock();
    rt_perf.was_forked = true;
}

void rt_perf_after_fork_parent(struct rt_thread *t)
{
    (void)t;
    if (!rt_perf.was_forked) return;
    rt_perf.was_forked = false;
    rt_perf_unlock();
}

/* A child has neither the rings nor the reader. Where fork's handlers ran, a thread can be made. */
void rt_perf_after_fork_child(struct rt_thread *t)
{
    const bool may_make_thread = rt_perf.was_forked;
    rt_perf.was_forked = false;
    for (unsigned i = 0; i < rt_perf.channels.len; i++)
        if (rt_perf.channels.rows[i].events_len)
            pe_channel_forget(&rt_perf.channels.rows[i], rt_perf_kernel());
    rt_perf.channels.len = 0;
    rt_perf.own = NULL;
    rt_perf_reader_forget();
    begin_counting();
    rt_perf.locked = 0;
    if (!may_make_thread) {
        rt_perf.is_quiet = true;
        rt_event_count_sigsafe(SPOOL_EVENT_ENGINE_QUIET, 1, 0);
        return;
    }
    const int error = open_events();
    if (error) rt_event_count_sigsafe(SPOOL_EVENT_EVENTS_REFUSED, 1, error);
    rt_perf_thread_open(t);
    rt_perf_start();
}

void rt_perf_seal(void)
{
    rt_perf_stop();
    rt_perf_drain();
    rt_event_count_sigsafe(SPOOL_EVENT_ENGINE_QUIET, 1, 0);
    rt_perf_lock();
    rt_perf.is_quiet = true;
    rt_perf_channels_close_all(&rt_perf.channels);
    close_own_file();
    rt_perf_unlock();
    rt_perf_reader_end();
}
