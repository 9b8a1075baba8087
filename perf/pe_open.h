/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening events: what one CPU or one thread has, a lane, is up to PE_LANE_EVENTS_MAX events that write into
 * one ring. Rates change by gears: of the events of several gears only those of one are on, which also
 * reaches the copies that threads inherited; a period by ioctl reaches only the event itself.
 *
 * Thread: one at a time for one object.  Signal: safe. */
#ifndef PE_OPEN_H
#define PE_OPEN_H

#include "perf/pe_aux.h"
#include "perf/pe_kernel.h"
#include "perf/pe_ring.h"

#include <stdbool.h>

enum { PE_LANE_EVENTS_MAX = 12, PE_GEAR_ANY = 255, PE_GEAR_NONE = 254 };

/* An event of a lane. attr is complete but for disabled. All sampling events of a lane have one layout. */
struct pe_open_event {
    struct perf_event_attr attr;
    int8_t leader; /* row of its group's leader, before its own; -1: it leads, or is alone */
    uint8_t gear;  /* on in this gear only; PE_GEAR_ANY: in all */
    uint8_t tag;   /* the caller's: what its samples are */
    bool may_miss; /* left out on CPUs that do not have its PMU */
};

struct pe_open_spec {
    struct pe_open_event events[PE_LANE_EVENTS_MAX];
    unsigned events_len;
    size_t ring_bytes; /* wished for, a power of two; the reader is woken when a quarter of it is full */
    size_t aux_bytes;  /* as well, of the AUX area; 0: samples are in the ring */
    bool is_exact;     /* these sizes or none: the caller halves them, for all its lanes */
    bool cpu_wide;     /* of whatever runs on a CPU: the reader keeps its own */
    enum pe_spe_sources sources;
};

/* What the kernel refused. */
struct pe_refusal {
    int error; /* errno; 0: nothing */
    enum pe_place place;
    unsigned event; /* row */
};

struct pe_lane {
    int fds[PE_LANE_EVENTS_MAX]; /* -1: not open, or left out */
    uint64_t ids[PE_LANE_EVENTS_MAX];
    unsigned events_len;          /* 0: not open */
    int tid, cpu;                 /* as opened: tid 0 is the opening thread, cpu -1 any */
    size_t ring_bytes, aux_bytes; /* as tried: those wished for, or halved */
    unsigned ring_row;            /* of the event that has the ring, once that is mapped */
    struct pe_ring ring;
    struct pe_aux aux;
    struct pe_refusal refusal; /* why it does not open */
    uint64_t head_time;        /* pe_drain.c's: of the first sample that waits */
    struct pe_sample head;     /* pe_drain.c's: that sample, where it is in the AUX area */
    struct pe_lane *next;      /* pe_drain.c's */
    uint64_t lost_told;        /* of pe_lane_lost, up to the last call */
};

/* What an older or stricter kernel does without. X(id, text) */
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

/* Try the first sampling event, and take away from all events, one after the other, what this kernel refuses.
 * *weak gets a bit (1 << enum pe_weakening) for what went. What nothing helps against is returned; nothing
 * stays open. */
struct pe_refusal pe_open_fit(struct pe_open_spec *spec, const struct pe_kernel *k, int tid, int cpu,
                              unsigned *weak);

/* Was it for want of memory that may be locked? */
bool pe_refusal_is_of_memory(const struct pe_refusal *r);
/* Halve what is asked for: the larger of the two, both where they are alike. False when there is nothing
 * smaller. */
bool pe_sizes_halve(size_t *ring_bytes, size_t *aux_bytes);

/* Open all events of spec, off, and map their ring, a smaller one (pe_sizes_halve) as long as no more memory
 * may be locked. 0 or an errno; then nothing stays open. ENODEV: the CPU is not there, or has none of the
 * PMUs. l->refusal tells more. */
int pe_lane_open(struct pe_lane *l, const struct pe_kernel *k, const struct pe_open_spec *spec, int tid,
                 int cpu);
/* Idempotent. */
void pe_lane_close(struct pe_lane *l, const struct pe_kernel *k);
/* In a fork child: close what was inherited. The ring's mapping was not. */
void pe_lane_forget(struct pe_lane *l, const struct pe_kernel *k);

/* Switch on what belongs to the gear and everything else off; PE_GEAR_NONE: all off. */
void pe_lane_gear(struct pe_lane *l, const struct pe_kernel *k, const struct pe_open_spec *spec,
                  unsigned gear);
/* Switch on again what the kernel switched off because it found no room in the AUX area. True when it had. */
bool pe_lane_resume(struct pe_lane *l, const struct pe_kernel *k, const struct pe_open_spec *spec,
                    unsigned gear);
/* A new period for all sampling events of the lane (those that are no copies). 0 or an errno. */
int pe_lane_period(struct pe_lane *l, const struct pe_kernel *k, const struct pe_open_spec *spec,
                   uint64_t period_events);

/* The descriptor that tells when the ring fills: others of the lane have none, and poll says so at once. */
int pe_lane_poll_fd(const struct pe_lane *l);
/* Row of the event whose samples have this id; 0 when only one can be meant, -1 none. */
int pe_lane_event(const struct pe_lane *l, uint64_t id);
/* Samples that the kernel counts as lost (PERF_FORMAT_LOST) since the last call; 0 where it does not count. */
uint64_t pe_lane_lost(struct pe_lane *l, const struct pe_kernel *k, const struct pe_open_spec *spec);

#endif
