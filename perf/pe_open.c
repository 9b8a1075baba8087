/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_open.h"

#include "common/ls_clock.h"

#include <errno.h>
#include <sys/auxv.h>

/* linux/perf_event.h of later kernels. */
#define PE_FORMAT_LOST (UINT64_C(1) << 4)
#define PE_SAMPLE_DATA_PAGE (UINT64_C(1) << 22)

#define PE_WEAKENING_TEXT(id, text) text,
const char *const pe_weakening_texts[PE_WEAKENING_COUNT] = {PE_WEAKENING_LIST(PE_WEAKENING_TEXT)};
#undef PE_WEAKENING_TEXT

/* --- requests that a kernel may refuse: each function removes one and returns whether it was set --- */

static bool drop_lost(struct perf_event_attr *a)
{
    const bool had = a->read_format & PE_FORMAT_LOST;
    a->read_format &= ~PE_FORMAT_LOST;
    return had;
}

static bool drop_page_size(struct perf_event_attr *a)
{
    const bool had = a->sample_type & PE_SAMPLE_DATA_PAGE;
    a->sample_type &= ~PE_SAMPLE_DATA_PAGE;
    return had;
}

static bool drop_weight_struct(struct perf_event_attr *a)
{
    const bool had = a->sample_type & PE_SAMPLE_WEIGHT_STRUCT;
    a->sample_type &= ~PE_SAMPLE_WEIGHT_STRUCT;
    if (had) a->sample_type |= PERF_SAMPLE_WEIGHT;
    return had;
}

/* Both flags came with Linux 5.13. */
static bool drop_threads_only(struct perf_event_attr *a)
{
    const bool had = a->inherit_thread || a->remove_on_exec;
    a->inherit_thread = a->remove_on_exec = 0;
    return had;
}

static bool drop_kernel(struct perf_event_attr *a)
{
    const bool had = !a->exclude_kernel;
    a->exclude_kernel = a->exclude_hv = 1;
    return had;
}

static const struct {
    enum pe_weakening id;
    bool (*drop)(struct perf_event_attr *a);
    int on, or_on; /* errnos that it may help against */
} weakenings[] = {
    {PE_WEAK_LOST, drop_lost, EINVAL, EINVAL},
    {PE_WEAK_PAGE_SIZE, drop_page_size, EINVAL, EINVAL},
    {PE_WEAK_WEIGHT_STRUCT, drop_weight_struct, EINVAL, EINVAL},
    {PE_WEAK_THREADS_ONLY, drop_threads_only, EINVAL, EINVAL},
    {PE_WEAK_KERNEL, drop_kernel, EACCES, EPERM},
};
enum { WEAKENINGS = sizeof(weakenings) / sizeof(weakenings[0]) };

static bool is_sampling(const struct pe_open_event *e)
{
    return e->attr.sample_period != 0; /* in a union with sample_freq */
}

static bool weaken(struct pe_open_spec *spec, int error, unsigned *weak)
{
    for (size_t w = 0; w < WEAKENINGS; w++) {
        bool had = false;
        if (error != weakenings[w].on && error != weakenings[w].or_on) continue;
        for (unsigned i = 0; i < spec->events_len; i++)
            had |= weakenings[w].drop(&spec->events[i].attr);
        if (!had) continue;
        *weak |= 1u << weakenings[w].id;
        return true;
    }
    return false;
}

struct pe_refusal pe_open_fit(struct pe_open_spec *spec, const struct pe_kernel *k, int tid, int cpu,
                              unsigned *weak)
{
    struct pe_channel channel;
    int error;
    *weak = 0;
    do
        error = pe_channel_open(&channel, k, spec, tid, cpu);
    while (error && channel.refusal.call == PE_AT_OPEN && weaken(spec, error, weak));
    pe_channel_close(&channel, k);
    return channel.refusal;
}

/* --- channels --- */

enum { WAKEUP_PART = 4 }; /* divisor: wake up after this part of a ring */

/* A ring has at least one page, an area two; pages have up to 64 KiB. */
static size_t ring_min_bytes(void)
{
    const size_t page_bytes = getauxval(AT_PAGESZ);
    return page_bytes > PE_RING_MIN_BYTES ? page_bytes : PE_RING_MIN_BYTES;
}

static size_t aux_min_bytes(void)
{
    const size_t bytes = 2 * getauxval(AT_PAGESZ);
    return bytes > PE_AUX_MIN_BYTES ? bytes : PE_AUX_MIN_BYTES;
}

bool pe_refusal_is_of_memory(const struct pe_refusal *r)
{
    return (r->error == EPERM || r->error == ENOMEM) && (r->call == PE_AT_MMAP || r->call == PE_AT_MMAP_AUX);
}

bool pe_sizes_halve(size_t *ring_bytes, size_t *aux_bytes)
{
    const bool halves_aux = *aux_bytes >= *ring_bytes && *aux_bytes > aux_min_bytes();
    const bool halves_ring = (*ring_bytes >= *aux_bytes || !halves_aux) && *ring_bytes > ring_min_bytes();
    if (halves_aux) *aux_bytes /= 2;
    if (halves_ring) *ring_bytes /= 2;
    return halves_aux || halves_ring;
}

static void channel_clear(struct pe_channel *l, int tid, int cpu)
{
    *l = (struct pe_channel){.tid = tid, .cpu = cpu, .gear = PE_GEAR_NONE};
    for (unsigned i = 0; i < PE_CHANNEL_EVENTS_MAX; i++)
        l->fds[i] = -1;
}

static int refuse(struct pe_channel *l, enum pe_call call, unsigned row, long error)
{
    l->refusal = (struct pe_refusal){.error = (int)error, .call = call, .event = row};
    return (int)error;
}

static int channel_open_event(struct pe_channel *l, const struct pe_kernel *k,
                              const struct pe_open_spec *spec, unsigned row)
{
    const struct pe_open_event *e = &spec->events[row];
    struct perf_event_attr attr = e->attr;
    attr.size = sizeof(attr);
    attr.disabled = 1;
    /* the kernel reads it when the ring is created; a mark above the ring's size would mean a full ring */
    if (attr.watermark) attr.wakeup_watermark = (uint32_t)(l->ring_bytes / WAKEUP_PART);
    l->events_len = row + 1;
    if (e->leader >= 0 && l->fds[e->leader] < 0) return 0; /* left out together with its leader */
    const long fd =
        k->open(&attr, spec->cpu_wide ? -1 : l->tid, l->cpu, e->leader >= 0 ? l->fds[e->leader] : -1);
    if (fd == -ENOENT && e->may_miss && l->cpu >= 0) return 0;
    if (fd < 0) return refuse(l, PE_AT_OPEN, row, -fd);
    l->fds[row] = (int)fd;
    if (k->opened) k->opened(&l->fds[row]);
    const long error = k->control(l->fds[row], PERF_EVENT_IOC_ID, (unsigned long)(uintptr_t)&l->ids[row]);
    return error < 0 ? refuse(l, PE_AT_ENABLE, row, -error) : 0;
}

/* Map the ring of an event, and its AUX area if it has one. */
static int channel_map(struct pe_channel *l, const struct pe_kernel *k, const struct pe_open_spec *spec,
                       unsigned row)
{
    int error = pe_ring_map(&l->ring, k, l->fds[row], l->ring_bytes);
    l->ring_row = row;
    if (error) return refuse(l, PE_AT_MMAP, row, error);
    if (!l->aux_bytes) return 0;
    error = pe_aux_map(&l->aux, &l->ring, k, l->fds[row], l->aux_bytes);
    l->aux.sources = spec->sources;
    return error ? refuse(l, PE_AT_MMAP_AUX, row, error) : 0;
}

/* The first sampling event owns the ring, the others write into it. */
static int channel_share_ring(struct pe_channel *l, const struct pe_kernel *k,
                              const struct pe_open_spec *spec)
{
    int owner = -1;
    for (unsigned i = 0; i < spec->events_len; i++) {
        if (!is_sampling(&spec->events[i]) || l->fds[i] < 0) continue;
        if (owner < 0) {
            const int error = channel_map(l, k, spec, i);
            if (error) return error;
            owner = (int)i;
            continue;
        }
        const long error = k->control(l->fds[i], PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)l->fds[owner]);
        if (error < 0) return refuse(l, PE_AT_ENABLE, i, -error);
    }
    return owner >= 0 ? 0 : refuse(l, PE_AT_OPEN, 0, l->fds[0] < 0 ? ENODEV : EINVAL);
}

static int channel_fill(struct pe_channel *l, const struct pe_kernel *k, const struct pe_open_spec *spec)
{
    for (unsigned i = 0; i < spec->events_len; i++) {
        const int error = channel_open_event(l, k, spec, i);
        if (error) return error;
    }
    return channel_share_ring(l, k, spec);
}

int pe_channel_open(struct pe_channel *l, const struct pe_kernel *k, const struct pe_open_spec *spec, int tid,
                    int cpu)
{
    size_t ring_bytes = spec->ring_bytes, aux_bytes = spec->aux_bytes;
    int error;
    if (ring_bytes < ring_min_bytes()) ring_bytes = ring_min_bytes();
    if (aux_bytes && aux_bytes < aux_min_bytes()) aux_bytes = aux_min_bytes();
    do {
        channel_clear(l, tid, cpu);
        l->ring_bytes = ring_bytes;
        l->aux_bytes = aux_bytes;
        error = channel_fill(l, k, spec);
        if (error) pe_channel_close(l, k);
    } while (error && pe_refusal_is_of_memory(&l->refusal) && !spec->is_exact &&
             pe_sizes_halve(&ring_bytes, &aux_bytes));
    return error;
}

static void channel_close_events(struct pe_channel *l, const struct pe_kernel *k)
{
    for (unsigned i = l->events_len; i-- > 0;) { /* members before their leaders */
        if (l->fds[i] < 0) continue;
        if (k->closing) k->closing(&l->fds[i]);
        k->close(l->fds[i]);
        l->fds[i] = -1;
    }
    l->events_len = 0;
}

void pe_channel_close(struct pe_channel *l, const struct pe_kernel *k)
{
    pe_aux_unmap(&l->aux, k);
    pe_ring_unmap(&l->ring, k);
    channel_close_events(l, k);
}

void pe_channel_forget(struct pe_channel *l, const struct pe_kernel *k)
{
    l->ring = (struct pe_ring){.page = NULL};
    l->aux = (struct pe_aux){.data = NULL};
    channel_close_events(l, k);
}

static bool is_on(const struct pe_open_event *e, unsigned gear)
{
    return gear != PE_GEAR_NONE && (e->gear == PE_GEAR_ANY || e->gear == gear);
}

static void switch_on(struct pe_channel *l, const struct pe_kernel *k, const struct pe_open_spec *spec,
                      unsigned gear)
{
    for (unsigned i = 0; i < l->events_len; i++) {
        const struct pe_open_event *e = &spec->events[i];
        if (e->leader >= 0 || l->fds[i] < 0 || !is_on(e, gear)) continue;
        k->control(l->fds[i], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
    }
}

static void switch_others_off(struct pe_channel *l, const struct pe_kernel *k,
                              const struct pe_open_spec *spec, unsigned gear)
{
    for (unsigned i = 0; i < l->events_len; i++) {
        const struct pe_open_event *e = &spec->events[i];
        if (e->leader >= 0 || l->fds[i] < 0 || is_on(e, gear))
            continue; /* a group is closed together with its leader */
        k->control(l->fds[i], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
    }
}

static bool are_software_events(const struct pe_open_spec *spec)
{
    for (unsigned i = 0; i < spec->events_len; i++)
        if (spec->events[i].attr.type != PERF_TYPE_SOFTWARE) return false;
    return true;
}

void pe_channel_gear(struct pe_channel *l, const struct pe_kernel *k, const struct pe_open_spec *spec,
                     unsigned gear)
{
    const unsigned before = l->gear;
    l->gear = gear;
    if (before == PE_GEAR_NONE || gear == PE_GEAR_NONE || before == gear || !are_software_events(spec)) {
        switch_others_off(l, k, spec, gear);
        switch_on(l, k, spec, gear);
        return;
    }
    l->overlap.gear = gear;
    l->overlap.begin_ns = ls_clock_mono_ns();
    l->overlap.end_ns = UINT64_MAX;
    switch_on(l, k, spec, gear);
    switch_others_off(l, k, spec, gear);
    l->overlap.end_ns = ls_clock_mono_ns();
}

bool pe_channel_counted_twice(const struct pe_channel *l, const struct pe_open_spec *spec,
                              const struct pe_sample *s)
{
    const int row = pe_channel_event(l, s->id);
    return row >= 0 && s->time >= l->overlap.begin_ns && s->time < l->overlap.end_ns &&
           spec->events[row].gear == l->overlap.gear;
}

bool pe_channel_resume(struct pe_channel *l, const struct pe_kernel *k, const struct pe_open_spec *spec,
                       unsigned gear)
{
    if (!l->aux.is_stopped) return false;
    l->aux.is_stopped = false;
    switch_on(l, k, spec, gear);
    return true;
}

int pe_channel_period(struct pe_channel *l, const struct pe_kernel *k, const struct pe_open_spec *spec,
                      uint64_t period_events)
{
    for (unsigned i = 0; i < l->events_len; i++) {
        if (!is_sampling(&spec->events[i]) || l->fds[i] < 0) continue;
        const long error =
            k->control(l->fds[i], PERF_EVENT_IOC_PERIOD, (unsigned long)(uintptr_t)&period_events);
        if (error < 0) return (int)-error;
    }
    return 0;
}

int pe_channel_poll_fd(const struct pe_channel *l)
{
    return l->fds[l->ring_row];
}

int pe_channel_event(const struct pe_channel *l, uint64_t id)
{
    for (unsigned i = 0; i < l->events_len; i++)
        if (l->ids[i] == id) return (int)i;
    return l->events_len == 1 ? 0 : -1;
}

/* struct read_format: value, then the fields that read_format requests, in the order of its bits; lost is the
 * last. */
static uint64_t event_lost(const struct pe_kernel *k, int fd, uint64_t read_format)
{
    uint64_t words[8] = {0};
    const unsigned len = 1 + (unsigned)__builtin_popcountll(read_format & 0x1f);
    if (!(read_format & PE_FORMAT_LOST) || (read_format & PERF_FORMAT_GROUP)) return 0;
    return k->read(fd, words, sizeof(words)) == (long)(len * sizeof(*words)) ? words[len - 1] : 0;
}

uint64_t pe_channel_lost(struct pe_channel *l, const struct pe_kernel *k, const struct pe_open_spec *spec)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < l->events_len; i++)
        if (is_sampling(&spec->events[i]) && l->fds[i] >= 0)
            sum += event_lost(k, l->fds[i], spec->events[i].attr.read_format);
    const uint64_t since = sum > l->lost_reported ? sum - l->lost_reported : 0;
    l->lost_reported += since;
    return since;
}
