/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/perf_events/rt_perf_lanes.h"

#include "runtime/perf_events/rt_perf.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

enum { FDS_PART = 4 }; /* of the program's limit of descriptors */

static unsigned cpus_configured(void)
{
    const int n = get_nprocs_conf();
    return n > 0 ? (unsigned)n : 1;
}

bool rt_perf_lanes_have_room(const struct rt_perf_lanes *t, size_t events)
{
    struct rlimit limit;
    for (unsigned i = 0; i < t->len; i++)
        events += t->rows[i].events_len;
    return getrlimit(RLIMIT_NOFILE, &limit) != 0 || events <= limit.rlim_cur / FDS_PART;
}

bool rt_perf_lanes_have_room_for_cpus(const struct rt_perf_lanes *t, const struct pe_open_spec *spec)
{
    return rt_perf_lanes_have_room(t, (size_t)cpus_configured() * spec->events_len);
}

/* why: of the CPU that refused. */
static int open_each_cpu(struct rt_perf_lanes *t, const struct pe_open_spec *spec, struct pe_refusal *why)
{
    const unsigned cpus = cpus_configured();
    for (unsigned cpu = 0; cpu < cpus; cpu++) {
        struct pe_lane *l = &t->rows[t->len];
        const int error = pe_lane_open(l, rt_perf_kernel(), spec, 0, (int)cpu);
        *why = l->refusal;
        if (error && error != ENODEV) return error;
        if (!error) t->len++; /* else it is not online, or has none of the PMUs */
    }
    return t->len ? 0 : ENODEV;
}

int rt_perf_lanes_open_cpus(struct rt_perf_lanes *t, struct pe_open_spec *spec)
{
    struct pe_refusal why;
    int error;
    if (cpus_configured() > RT_PERF_LANES_MAX || !rt_perf_lanes_have_room_for_cpus(t, spec)) return EMFILE;
    spec->is_exact = true;
    do {
        error = open_each_cpu(t, spec, &why);
        if (error) rt_perf_lanes_close_all(t);
    } while (error && pe_refusal_is_of_memory(&why) && pe_sizes_halve(&spec->ring_bytes, &spec->aux_bytes));
    spec->is_exact = false;
    return error;
}

static struct pe_lane *free_row(struct rt_perf_lanes *t)
{
    for (unsigned i = 0; i < t->len; i++)
        if (!t->rows[i].events_len) return &t->rows[i];
    return t->len < RT_PERF_LANES_MAX ? &t->rows[t->len++] : NULL;
}

int rt_perf_lanes_open_thread(struct rt_perf_lanes *t, const struct pe_open_spec *spec, int tid,
                              struct pe_lane **out)
{
    struct pe_lane *l = rt_perf_lanes_have_room(t, spec->events_len) ? free_row(t) : NULL;
    *out = l;
    return l ? pe_lane_open(l, rt_perf_kernel(), spec, tid, -1) : EMFILE;
}

struct pe_lane *rt_perf_lanes_of_thread(const struct rt_perf_lanes *t, int tid)
{
    for (unsigned i = 0; i < t->len; i++)
        if (t->rows[i].events_len && t->rows[i].tid == tid) return &t->rows[i];
    return NULL;
}

void rt_perf_lanes_close_all(struct rt_perf_lanes *t)
{
    for (unsigned i = 0; i < t->len; i++)
        if (t->rows[i].events_len) pe_lane_close(&t->rows[i], rt_perf_kernel());
    t->len = 0;
}
