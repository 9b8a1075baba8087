/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of memory controllers by perf_event, as sysfs describes them: see perf/pe_traffic.c. They count the
 * whole machine. */
#include "traffic/trf_source.h"

#include "common/ls_file.h"
#include "perf/pe_count.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PERF_PATH_BYTES = 512 };

/* read(2) with the read_format below. */
struct perf_count {
    uint64_t value, enabled_ns, running_ns;
};

struct perf_event {
    int fd;
    uint32_t counter; /* row of the source */
    double bytes;     /* per count */
    struct perf_count before;
};

struct perf_state {
    const struct pe_kernel *kernel;
    LS_VECTOR(struct perf_event) events;
    LS_VECTOR(double) bytes; /* by counter, since the begin */
};

static int64_t perf_package(const struct trf_machine *m, int cpu)
{
    char file[PERF_PATH_BYTES];
    int64_t package = 0;
    snprintf(file, sizeof(file), "%s/devices/system/cpu/cpu%d/topology/physical_package_id", trf_sys_root(m),
             cpu);
    ls_file_number(file, &package);
    return package < 0 ? 0 : package;
}

/* The counter of a direction and package, which is added when it is new. */
static ls_err perf_counter(const struct trf_machine *m, struct trf_opened *o,
                           const struct pe_traffic_event *e, uint32_t *out)
{
    static const struct {
        enum ls_counter_kind kind;
        const char *word;
    } kinds[] = {[PE_DIRECTION_READ] = {LS_COUNTER_READ, "read"},
                 [PE_DIRECTION_WRITE] = {LS_COUNTER_WRITTEN, "written"},
                 [PE_DIRECTION_BOTH] = {LS_COUNTER_MOVED, "moved"}};
    struct perf_state *s = o->state;
    struct trf_counter c = {.unit = "B", .kind = kinds[e->direction].kind, .scale = 1};
    char name[TRF_NAME_BYTES];
    snprintf(c.scope, sizeof(c.scope), "package %lld", (long long)perf_package(m, e->cpu));
    snprintf(name, sizeof(name), "%s %s", c.scope, kinds[e->direction].word);
    for (*out = 0; *out < o->counters.len; ++*out)
        if (strcmp(o->counters.rows[*out].name, name) == 0) return LS_OK;
    LS_TRY(trf_opened_add(o, &c, name));
    return LS_VECTOR_ADD(&s->bytes, 0.0);
}

static ls_err perf_refused(int error, const struct pe_traffic_event *e)
{
    if (error == EACCES || error == EPERM)
        return ls_fail(LS_ERR_PERMISSION, "counters of memory controllers may not be opened: sysctl "
                                          "kernel.perf_event_paranoid=0, CAP_PERFMON or root allows it");
    if (error == EMFILE)
        return ls_fail(LS_ERR_UNSUPPORTED, "too few file descriptors for all memory controllers: ulimit -n "
                                           "raises them");
    return ls_fail_errno(error, "the kernel does not open the memory controller's event 0x%llx of CPU %d",
                         (unsigned long long)e->attr.config, e->cpu);
}

static ls_err perf_add(const struct trf_machine *m, struct trf_opened *o, const struct pe_traffic_event *e)
{
    struct perf_state *s = o->state;
    struct perf_event_attr attr = e->attr;
    struct perf_event event = {.bytes = e->bytes};
    attr.size = sizeof(attr);
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    LS_TRY(perf_counter(m, o, e, &event.counter));
    const long fd = s->kernel->open(&attr, -1, e->cpu, -1);
    if (fd < 0) return perf_refused((int)-fd, e);
    event.fd = (int)fd;
    const ls_err err = LS_VECTOR_ADD(&s->events, event);
    if (err != LS_OK) s->kernel->close(event.fd);
    return err;
}

static ls_err perf_open(const struct trf_machine *m, const char *const *metrics, struct trf_opened *out)
{
    struct pe_traffic_event *events = NULL;
    size_t len = 0;
    (void)metrics;
    struct perf_state *s = calloc(1, sizeof(*s));
    if (!s) return ls_nomem("counters");
    s->kernel = m->kernel ? m->kernel : &pe_kernel_linux;
    out->state = s;
    ls_err err = pe_traffic_find(trf_sys_root(m), &events, &len);
    if (err == LS_OK && len == 0)
        err = ls_fail(LS_ERR_NOT_FOUND,
                      "no counters of memory controllers are visible in "
                      "%s/bus/event_source/devices (virtual machine, or a kernel without "
                      "the driver of the uncore)",
                      trf_sys_root(m));
    for (size_t i = 0; i < len && err == LS_OK; i++)
        err = perf_add(m, out, &events[i]);
    free(events);
    snprintf(out->detail, sizeof(out->detail), "%zu events of memory controllers, %zu counters",
             s->events.len, out->counters.len);
    return err;
}

/* Add an event's count since the last reading, scaled to all of the time where it shared a counter. An
 * event whose time does not advance belongs to a CPU that is offline. */
static enum ls_gap perf_read_event(struct perf_state *s, struct perf_event *e)
{
    struct perf_count now;
    const long got = s->kernel->read(e->fd, &now, sizeof(now));
    if (got == 0) return LS_GAP_GONE;
    if (got < (long)sizeof(now)) return LS_GAP_UNREADABLE;
    const struct perf_count before = e->before;
    e->before = now;
    if (now.value < before.value) return LS_GAP_RESET;
    if (now.enabled_ns <= before.enabled_ns) return LS_GAP_GONE;
    if (now.running_ns <= before.running_ns) return LS_GAP_UNASSIGNED;
    s->bytes.rows[e->counter] +=
        (double)(now.value - before.value) * e->bytes *
        ((double)(now.enabled_ns - before.enabled_ns) / (double)(now.running_ns - before.running_ns));
    return LS_GAP_NONE;
}

static void perf_read(void *state, struct trf_reading *out)
{
    struct perf_state *s = state;
    for (size_t i = 0; i < s->events.len; i++) {
        const enum ls_gap gap = perf_read_event(s, &s->events.rows[i]);
        if (gap != LS_GAP_NONE) out[s->events.rows[i].counter].gap = gap;
    }
    for (size_t c = 0; c < s->bytes.len; c++)
        out[c].count = (uint64_t)s->bytes.rows[c];
}

static void perf_close(void *state)
{
    struct perf_state *s = state;
    if (!s) return;
    for (size_t i = 0; i < s->events.len; i++)
        s->kernel->close(s->events.rows[i].fd);
    free(s->events.rows);
    free(s->bytes.rows);
    free(s);
}

const struct trf_source trf_source_perf = {
    .name = "perf",
    .group = "traffic",
    .gives = "bytes that the memory controllers of each package read and wrote",
    .needs = "bare metal; kernel.perf_event_paranoid=0, CAP_PERFMON or root",
    .check = TRF_CHECK_STREAM,
    .open = perf_open,
    .read = perf_read,
    .close = perf_close,
};
