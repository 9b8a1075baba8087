/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening events. A channel is one CPU or one thread with up to PE_CHANNEL_EVENTS_MAX events that write into
 * one ring. Rates change by gears: events of several gears are open, and only those in the current gear are
 * on. Switching gears also affects the copies that threads inherited; a period set by ioctl affects only the
 * event itself.
 *
 * Thread: one at a time for one object.  Signal: safe. */
#ifndef PE_OPEN_H
#define PE_OPEN_H

#include "perf/pe_aux.h"
#include "perf/pe_kernel.h"
#include "perf/pe_ring.h"

#include <stdbool.h>

enum { PE_CHANNEL_EVENTS_MAX = 12, PE_GEAR_ANY = 255, PE_GEAR_NONE = 254 };

/* An event of a channel. attr is complete except for disabled. All sampling events of a channel have one
 * layout. */
struct pe_open_event {
    struct perf_event_attr attr;
    int8_t leader; /* row of its group's leader, before its own; -1: it leads, or is alone */
    uint8_t gear;  /* enabled only in this gear; PE_GEAR_ANY: in all */
    uint8_t tag;   /* set by the caller: identifies the kind of its samples */
    bool may_miss; /* left out on CPUs that do not have its PMU */
};

struct pe_open_spec {
    struct pe_open_event events[PE_CHANNEL_EVENTS_MAX];
    unsigned events_len;
    size_t ring_bytes; /* requested, a power of two; the reader is woken when a quarter of it is full */
    size_t aux_bytes;  /* requested size of the AUX area, likewise; 0: samples are in the ring */
    bool is_exact;     /* do not reduce the sizes: the caller halves them for all its channels */
    bool cpu_wide; /* samples everything that runs on a CPU: the reader keeps only samples of its process */
    enum pe_spe_sources sources;
};

/* A refusal of the kernel. */
struct pe_refusal {
    int error; /* errno; 0: nothing */
    enum pe_call call;
    unsigned event; /* row */
};

struct pe_channel {
    int fds[PE_CHANNEL_EVENTS_MAX]; /* -1: not open, or left out */
    uint64_t ids[PE_CHANNEL_EVENTS_MAX];
    unsigned events_len;          /* 0: not open */
    int tid, cpu;                 /* as opened: tid 0 is the opening thread, cpu -1 any */
    size_t ring_bytes, aux_bytes; /* sizes that were tried: as requested, or halved */
    unsigned ring_row;            /* event that owns the ring, once that is mapped */
    struct pe_ring ring;
    struct pe_aux aux;
    struct pe_refusal refusal; /* reason why it does not open */
    uint64_t head_time;        /* pe_drain.c's: time of the first sample that waits */
    struct pe_sample head;     /* pe_drain.c's: that sample, where it is in the AUX area */
    struct pe_channel *next;   /* pe_drain.c's */
    uint64_t lost_reported;    /* result of pe_channel_lost, summed up to the last call */
    unsigned gear;             /* gear of the events that are on; PE_GEAR_NONE */
    struct {
        unsigned gear;             /* its events began before the events of the previous gear were off */
        uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC time in which both were enabled; begin = end: never */
    } overlap;
};

/* Features that an older or stricter kernel lacks. X(id, text) */
#define PE_WEAKENING_LIST(X)                                                        \
    X(LOST, "losses are known from the ring only (Linux 6.0 counts them)")          \
    X(PAGE_SIZE, "sizes of pages are not known (Linux 5.11)")                       \
    X(WEIGHT_STRUCT, "one latency a sample (Linux 5.12)")                           \
    X(THREADS_ONLY, "events are inherited by child processes as well (Linux 5.13)") \
    X(KERNEL, "accesses inside system calls are not seen (sysctl kernel.perf_event_paranoid=1 allows it)")
#define PE_WEAKENING_ENUM(id, text) PE_WEAK_##id,
enum pe_weakening { PE_WEAKENING_LIST(PE_WEAKENING_ENUM) PE_WEAKENING_COUNT };
#undef PE_WEAKENING_ENUM
extern const char *const pe_weakening_texts[PE_WEAKENING_COUNT];

/* Try the first sampling event, and remove from all events, one after the other, the features that this
 * kernel refuses. *weak gets a bit (1 << enum pe_weakening) for each. Returns the refusal that remains; no
 * event stays open. */
struct pe_refusal pe_open_fit(struct pe_open_spec *spec, const struct pe_kernel *k, int tid, int cpu,
                              unsigned *weak);

/* True when no more memory may be locked. */
bool pe_refusal_is_of_memory(const struct pe_refusal *r);
/* Halve the larger of the two sizes, or both where they are equal. False when they are at their minimum. */
bool pe_sizes_halve(size_t *ring_bytes, size_t *aux_bytes);

/* Open all events of spec, off, and map their ring; while no more memory may be locked, try smaller sizes
 * (pe_sizes_halve). Returns 0 or an errno; then no event stays open, and l->refusal has the details. ENODEV:
 * the CPU does not exist, or has none of the PMUs. */
int pe_channel_open(struct pe_channel *l, const struct pe_kernel *k, const struct pe_open_spec *spec, int tid,
                    int cpu);
/* Idempotent. */
void pe_channel_close(struct pe_channel *l, const struct pe_kernel *k);
/* In a fork child: close the inherited descriptors. The ring's mapping was not inherited. */
void pe_channel_forget(struct pe_channel *l, const struct pe_kernel *k);

/* Switch on the events of the gear and all others off; PE_GEAR_NONE: all off. Software events of a new gear are
 * switched on before the old events are switched off, because the caller may lose its processor in
 * between: the time when both are on is noted in l->overlap. Events of a PMU may need the same counter and are
 * off for a moment. */
void pe_channel_gear(struct pe_channel *l, const struct pe_kernel *k, const struct pe_open_spec *spec,
                     unsigned gear);
/* Switch the events on again if the kernel switched them off because the AUX area was full. True when it
 * had. */
bool pe_channel_resume(struct pe_channel *l, const struct pe_kernel *k, const struct pe_open_spec *spec,
                       unsigned gear);
/* Set a new period for all sampling events of the channel, not for inherited copies. 0 or an errno. */
int pe_channel_period(struct pe_channel *l, const struct pe_kernel *k, const struct pe_open_spec *spec,
                      uint64_t period_events);

/* The descriptor to poll for a filling ring. The channel's other descriptors have no ring, and poll on them
 * returns at once. */
int pe_channel_poll_fd(const struct pe_channel *l);
/* Is this a sample of the new gear from the time when the old one was still on, and counted the same events? */
bool pe_channel_counted_twice(const struct pe_channel *l, const struct pe_open_spec *spec,
                              const struct pe_sample *s);
/* Row of the event whose samples have this id; 0 when the channel has only one event; -1: none. */
int pe_channel_event(const struct pe_channel *l, uint64_t id);
/* Samples that the kernel counted as lost (PERF_FORMAT_LOST) since the last call; 0 where it does not
 * count. */
uint64_t pe_channel_lost(struct pe_channel *l, const struct pe_kernel *k, const struct pe_open_spec *spec);

/* --- draining rings ---
 *
 * Drain the rings of several channels, in the order of time. */

struct pe_drain {
    struct pe_layout layout;
    uint8_t *bounce;         /* PE_RECORD_MAX_BYTES, the caller's */
    struct pe_ticks ticks;   /* for the times in AUX areas; set by the caller, best just before the drain */
    struct pe_counts counts; /* adds up */
    size_t fullest_permille; /* fill of the fullest ring at the last drain */
    /* Take one sample, undecoded; its pointers are valid during the call only. */
    void (*sample)(void *user, const struct pe_channel *channel, const struct pe_sample *s);
    void *user;
};

/* Hand on all samples up to until_time. Choose a time before this call, so that samples which other CPUs are
 * still writing come in order in the next drain; UINT64_MAX hands on everything. Samples of AUX areas come
 * when the kernel reports them, in the order of time for one channel only. Returns the number of samples. */
size_t pe_drain_channels(struct pe_drain *d, struct pe_channel *channels, size_t channels_len,
                         uint64_t until_time);

#endif
