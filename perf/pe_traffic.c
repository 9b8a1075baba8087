/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_count.h"

#include "common/ls_compat.h"
#include "common/ls_file.h"
#include "common/ls_vector.h"
#include "perf/pe_event.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRAFFIC_PATH_BYTES = 512, TRAFFIC_LINE_BYTES = 64 };

/* Sources: Documentation/ABI/testing/sysfs-bus-event_source-devices-events,
 * arch/x86/events/intel/uncore_snb.c and uncore_snbep.c, arch/x86/events/amd/uncore.c of Linux; cas_cmd in
 * AMD's Processor Programming References. The free running counters of clients come first: their uncore_imc
 * has other events. */
struct traffic_row {
    const char *pmus;     /* pattern of names */
    const char *needs;    /* a file that exists if the PMU has this row's events */
    const char *terms[2]; /* terms for reads and writes */
    double bytes;         /* per count, unless sysfs has a scale */
};
static const struct traffic_row traffic_rows[] = {
    {"uncore_imc_free_running*", "events/data_read", {"data_read", "data_write"}, 0},
    {"uncore_imc*", "events/cas_count_read", {"cas_count_read", "cas_count_write"}, TRAFFIC_LINE_BYTES},
    {"uncore_imc*", "events/data_reads", {"data_reads", "data_writes"}, 0},
    {"amd_umc*",
     "format/rdwrmask",
     {"event=0x0a,rdwrmask=0x1", "event=0x0a,rdwrmask=0x2"},
     TRAFFIC_LINE_BYTES},
};

struct traffic_search {
    struct pe_sysfs sysfs;
    const struct traffic_row *row;
    LS_VECTOR(struct pe_traffic_event) events;
};

/* Bytes a count from texts like "6.103515625e-5" and "MiB"; fallback when sysfs has none. */
static double scale_bytes(const struct pe_sysfs *s, const char *pmu, const char *event, double fallback)
{
    static const struct {
        const char *name;
        double bytes;
    } units[] = {{"Bytes", 1}, {"B", 1}, {"KiB", 1024}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};
    char file[96], scale[64], unit[64], *end;
    snprintf(file, sizeof(file), "events/%.64s.scale", event);
    if (!pe_sysfs_text(s, pmu, file, scale, sizeof(scale))) return fallback;
    snprintf(file, sizeof(file), "events/%.64s.unit", event);
    if (!pe_sysfs_text(s, pmu, file, unit, sizeof(unit))) return fallback;
    const double factor = strtod(scale, &end);
    for (size_t i = 0; end != scale && factor > 0 && i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(unit, units[i].name) == 0) return factor * units[i].bytes;
    return fallback;
}

static ls_err add_event(struct traffic_search *t, const struct pe_event *e, int is_write, double bytes,
                        int cpu)
{
    const struct pe_traffic_event event = {.attr = e->attr, .cpu = cpu, .is_write = is_write, .bytes = bytes};
    return LS_VECTOR_ADD(&t->events, event);
}

/* Add the event on every CPU of a list such as "0,18" or "0-1". */
static ls_err add_on_cpus(struct traffic_search *t, const struct pe_event *e, int is_write, double bytes)
{
    char cpus[PE_CPUS_BYTES];
    pe_sysfs_cpus(&t->sysfs, e->pmu, cpus);
    const char *at = *cpus ? cpus : "0";
    for (unsigned first, last; ls_cpus_next(&at, &first, &last);)
        for (unsigned cpu = first; cpu <= last; cpu++)
            LS_TRY(add_event(t, e, is_write, bytes, (int)cpu));
    if (*at)
        return ls_fail(LS_ERR_FORMAT, "%s/bus/event_source/devices/%s/cpumask is no list of CPUs: '%s'",
                       t->sysfs.root, e->pmu, cpus);
    return LS_OK;
}

static ls_err add_pmu(struct traffic_search *t, const char *pmu)
{
    if (strlen(pmu) >= PE_PMU_BYTES || !pe_sysfs_has(&t->sysfs, pmu, t->row->needs)) return LS_OK;
    for (int is_write = 0; is_write < 2; is_write++) {
        struct pe_event e = {.attr = {.size = sizeof(e.attr)}};
        const char *terms = t->row->terms[is_write];
        const double bytes = scale_bytes(&t->sysfs, pmu, terms, t->row->bytes);
        snprintf(e.pmu, sizeof(e.pmu), "%s", pmu);
        LS_TRY(pe_sysfs_type(&t->sysfs, pmu, &e.attr.type));
        LS_TRY(pe_event_terms(&t->sysfs, terms, &e));
        if (bytes > 0) LS_TRY(add_on_cpus(t, &e, is_write, bytes));
    }
    return LS_OK;
}

static ls_err search_row(struct traffic_search *t)
{
    char pattern[TRAFFIC_PATH_BYTES];
    glob_t found;
    ls_err err = LS_OK;
    snprintf(pattern, sizeof(pattern), "%s/bus/event_source/devices/%s", t->sysfs.root, t->row->pmus);
    const int status = glob(pattern, 0, NULL, &found);
    if (status == GLOB_NOMATCH) return LS_OK;
    if (status != 0) return ls_fail(LS_ERR_IO, "cannot list %s", pattern);
    for (size_t i = 0; i < found.gl_pathc && err == LS_OK; i++)
        err = add_pmu(t, strrchr(found.gl_pathv[i], '/') + 1);
    globfree(&found);
    return err;
}

ls_err pe_traffic_find(const char *sysfs_root, struct pe_traffic_event **out, size_t *out_len)
{
    struct traffic_search t = {.sysfs = {.root = sysfs_root ? sysfs_root : "/sys"}};
    ls_err err = LS_OK;
    for (size_t r = 0;
         r < sizeof(traffic_rows) / sizeof(traffic_rows[0]) && err == LS_OK && t.events.len == 0; r++) {
        t.row = &traffic_rows[r];
        err = search_row(&t);
    }
    if (err != LS_OK) {
        free(t.events.rows);
        return err;
    }
    *out = t.events.rows;
    *out_len = t.events.len;
    return LS_OK;
}
