/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_count.h"

#include "common/ls_vector.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PE_COUNT_ROW(id, name, kind, type, config, words) {name, words, PE_COUNT_##kind},
const struct pe_count_row pe_count_rows[PE_COUNTS_LEN] = {PE_COUNT_LIST(PE_COUNT_ROW)};
#define PE_COUNT_EVENT(id, name, kind, type_, config_, words) {.type = type_, .config = config_},
static const struct {
    uint32_t type;
    uint64_t config;
} count_events[PE_COUNTS_LEN] = {PE_COUNT_LIST(PE_COUNT_EVENT)};

enum { COUNT_KINDS = PE_COUNT_SOFTWARE + 1, COUNT_WHY_BYTES = 320 };

/* One open event. */
struct count_fd {
    int fd;
    enum pe_count count;
    double unit; /* factor from counts to the unit that is reported */
    double before;
};

struct pe_counter {
    const struct pe_kernel *kernel;
    struct count_fd *fds;
    size_t len, room;
    int refused[COUNT_KINDS]; /* errno of the first refusal */
    bool opened[COUNT_KINDS];
    char why[COUNT_KINDS][COUNT_WHY_BYTES];
};

static struct pe_tally pe_tally_missing(void)
{
    struct pe_tally c;
    for (int i = 0; i < PE_COUNTS_LEN; i++)
        c.values[i] = NAN;
    return c;
}

/* Result of read(2) with the read_format set below. */
struct count_read {
    uint64_t value, enabled_ns, running_ns;
};

static ls_err counter_open(pe_counter *c, enum pe_count count, struct perf_event_attr *attr, int tid, int cpu,
                           double unit)
{
    const enum pe_count_kind kind = pe_count_rows[count].kind;
    attr->size = sizeof(*attr);
    attr->disabled = 1;
    attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    LS_TRY(LS_GROW(c->fds, c->room, c->len + 1));
    const long fd = c->kernel->open(attr, tid, cpu, -1);
    if (fd < 0) {
        if (!c->refused[kind]) c->refused[kind] = (int)-fd;
        return LS_OK;
    }
    c->fds[c->len++] = (struct count_fd){.fd = (int)fd, .count = count, .unit = unit};
    c->opened[kind] = true;
    return LS_OK;
}

/* Open all events of one thread; events of the cores exclude the kernel, which may need a privilege. */
static ls_err counter_open_thread(pe_counter *c, int tid)
{
    for (int i = 0; i < PE_COUNTS_LEN; i++) {
        if (pe_count_rows[i].kind == PE_COUNT_TRAFFIC) continue;
        struct perf_event_attr attr = {
            .type = count_events[i].type, .config = count_events[i].config, .inherit = 1};
        attr.exclude_kernel = pe_count_rows[i].kind == PE_COUNT_CORE;
        attr.exclude_hv = attr.exclude_kernel;
        LS_TRY(counter_open(c, (enum pe_count)i, &attr, tid, -1, 1));
    }
    return LS_OK;
}

static ls_err counter_open_threads(pe_counter *c)
{
    DIR *tasks = opendir("/proc/self/task");
    ls_err err = LS_OK;
    if (!tasks) return counter_open_thread(c, 0);
    for (struct dirent *d; err == LS_OK && (d = readdir(tasks));)
        if (d->d_name[0] != '.') err = counter_open_thread(c, (int)strtol(d->d_name, NULL, 10));
    closedir(tasks);
    return err;
}

static ls_err counter_open_traffic(pe_counter *c, const char *sysfs_root)
{
    struct pe_traffic_event *events;
    size_t len;
    if (pe_traffic_find(sysfs_root, &events, &len) != LS_OK) {
        snprintf(c->why[PE_COUNT_TRAFFIC], COUNT_WHY_BYTES, "%s", ls_last_error());
        return LS_OK; /* an unreadable description does not prevent the measurement */
    }
    if (len == 0)
        snprintf(c->why[PE_COUNT_TRAFFIC], COUNT_WHY_BYTES,
                 "no counters of memory controllers are visible here");
    ls_err err = LS_OK;
    for (size_t i = 0; i < len && err == LS_OK; i++)
        if (events[i].direction != PE_DIRECTION_BOTH) /* reads and writes are reported separately */
            err = counter_open(
                c, events[i].direction == PE_DIRECTION_WRITE ? PE_COUNT_WRITE_BYTES : PE_COUNT_READ_BYTES,
                &events[i].attr, -1, events[i].cpu, events[i].bytes);
    free(events);
    return err;
}

static void counter_explain(pe_counter *c, enum pe_count_kind kind, const char *what)
{
    static const struct {
        int error;
        const char *text;
    } causes[] = {
        {ENOENT, "no hardware counters are visible (virtual machine without a PMU?)"},
        {EOPNOTSUPP, "no hardware counters are visible (virtual machine without a PMU?)"},
        {EACCES, "not allowed; sysctl kernel.perf_event_paranoid=0, or CAP_PERFMON, allows it"},
        {EPERM,
         "not allowed; in a container --cap-add PERFMON, or a seccomp profile with perf_event_open, allows it"},
        {EMFILE, "too few file descriptors; ulimit -n raises them"},
    };
    if (c->opened[kind] || *c->why[kind]) return;
    const char *cause = strerror(c->refused[kind]);
    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
        if (causes[i].error == c->refused[kind]) cause = causes[i].text;
    snprintf(c->why[kind], COUNT_WHY_BYTES, "%s: %s", what, cause);
}

ls_err pe_counter_new(const struct pe_kernel *k, const char *sysfs_root, pe_counter **out)
{
    pe_counter *c = calloc(1, sizeof(*c));
    if (!c) return ls_nomem("counters");
    c->kernel = k ? k : &pe_kernel_linux;
    ls_err err = counter_open_threads(c);
    if (err == LS_OK) err = counter_open_traffic(c, sysfs_root);
    if (err != LS_OK) {
        pe_counter_free(c);
        return err;
    }
    counter_explain(c, PE_COUNT_CORE, "counters of the cores");
    counter_explain(c, PE_COUNT_TRAFFIC, "counters of memory controllers");
    counter_explain(c, PE_COUNT_SOFTWARE, "counters of the kernel");
    *out = c;
    return LS_OK;
}

void pe_counter_free(pe_counter *c)
{
    if (!c) return;
    for (size_t i = 0; i < c->len; i++)
        c->kernel->close(c->fds[i].fd);
    free(c->fds);
    free(c);
}

/* Scaled to the whole time that the event was enabled; NAN when it never had a counter. */
static double counter_value(const pe_counter *c, const struct count_fd *f)
{
    struct count_read r = {0};
    if (c->kernel->read(f->fd, &r, sizeof(r)) < (long)sizeof(r)) return NAN;
    if (r.running_ns == 0) return r.enabled_ns == 0 ? 0 : NAN;
    return (double)r.value * ((double)r.enabled_ns / (double)r.running_ns) * f->unit;
}

void pe_counter_start(pe_counter *c)
{
    for (size_t i = 0; i < c->len; i++) {
        c->fds[i].before = counter_value(c, &c->fds[i]);
        c->kernel->control(c->fds[i].fd, PERF_EVENT_IOC_ENABLE, 0);
    }
}

void pe_counter_stop(pe_counter *c, struct pe_tally *out)
{
    for (size_t i = 0; i < c->len; i++)
        c->kernel->control(c->fds[i].fd, PERF_EVENT_IOC_DISABLE, 0);
    *out = pe_tally_missing();
    for (size_t i = 0; i < c->len; i++) {
        double *sum = &out->values[c->fds[i].count];
        const double counted = counter_value(c, &c->fds[i]) - c->fds[i].before;
        *sum = isnan(*sum) ? counted : *sum + counted;
    }
}

const char *pe_counter_why_not(const pe_counter *c, enum pe_count_kind kind)
{
    return c->opened[kind] ? NULL : c->why[kind];
}
