/* SPDX-License-Identifier: BSD-3-Clause */
/* Find the events that count memory traffic in the memory controllers of each processor. */
#include "perf/pe_count.h"

#include "common/ls_compat.h"
#include "common/ls_file.h"
#include "common/ls_vector.h"
#include "perf/pe_event.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRAFFIC_PATH_BYTES = 512, TRAFFIC_LINE_BYTES = 64, TRAFFIC_BEAT_BYTES = 32 };

/* Sources: Documentation/ABI/testing/sysfs-bus-event_source-devices-events, arch/x86/events/intel/uncore_snb.c
 * and uncore_snbep.c, arch/x86/events/amd/uncore.c, Documentation/admin-guide/perf (nvidia-pmu, alibaba_pmu,
 * hisi-pmu), arch/powerpc/perf/imc-pmu.c and tools/perf/pmu-events of Linux; cas_cmd and the data fabric in
 * AMD's Processor Programming References; data beats of 32 bytes in NVIDIA's Grace tuning guide. */
struct traffic_term {
    const char *terms; /* the event's terms; a pattern of event names when it has a bracket */
    enum pe_direction direction;
    double bytes; /* per count where sysfs has no scale; 0: the event is left out */
};
enum { TRAFFIC_TERMS_MAX = 25 };
struct traffic_row {
    const char *pmus;  /* pattern of names */
    const char *needs; /* pattern of a file that exists if the PMU has this row's events */
    const char *holds; /* a part of this file's text; NULL: any */
    struct traffic_term terms[TRAFFIC_TERMS_MAX]; /* ends with a NULL */
};
#define TRAFFIC_DF_CHANNEL(event)                                              \
    {"event=" #event ",umask=0xffe", PE_DIRECTION_READ, TRAFFIC_LINE_BYTES},   \
    {                                                                          \
        "event=" #event ",umask=0xfff", PE_DIRECTION_WRITE, TRAFFIC_LINE_BYTES \
    }
#define TRAFFIC_DF_OLD_CHANNEL(event)                                        \
    {                                                                        \
        "event=" #event ",umask=0x38", PE_DIRECTION_BOTH, TRAFFIC_LINE_BYTES \
    }
/* The first row that finds events is taken: the free running counters of clients come before uncore_imc, which
 * has other events there, and the memory controllers of AMD before its data fabric. */
static const struct traffic_row traffic_rows[] = {
    {"uncore_imc_free_running*",
     "events/data_read",
     NULL,
     {{"data_read", PE_DIRECTION_READ, 0}, {"data_write", PE_DIRECTION_WRITE, 0}}},
    {"uncore_imc*",
     "events/cas_count_read",
     NULL,
     {{"cas_count_read", PE_DIRECTION_READ, TRAFFIC_LINE_BYTES},
      {"cas_count_write", PE_DIRECTION_WRITE, TRAFFIC_LINE_BYTES}}},
    {"uncore_imc*",
     "events/data_reads",
     NULL,
     {{"data_reads", PE_DIRECTION_READ, 0}, {"data_writes", PE_DIRECTION_WRITE, 0}}},
    {"amd_umc*",
     "format/rdwrmask",
     NULL,
     {{"event=0x0a,rdwrmask=0x1", PE_DIRECTION_READ, TRAFFIC_LINE_BYTES},
      {"event=0x0a,rdwrmask=0x2", PE_DIRECTION_WRITE, TRAFFIC_LINE_BYTES}}},
    /* Zen 4 and later: umasks of 12 bits */
    {"amd_df",
     "format/umask",
     "24-27",
     {TRAFFIC_DF_CHANNEL(0x1f), TRAFFIC_DF_CHANNEL(0x5f), TRAFFIC_DF_CHANNEL(0x9f), TRAFFIC_DF_CHANNEL(0xdf),
      TRAFFIC_DF_CHANNEL(0x11f), TRAFFIC_DF_CHANNEL(0x15f), TRAFFIC_DF_CHANNEL(0x19f),
      TRAFFIC_DF_CHANNEL(0x1df), TRAFFIC_DF_CHANNEL(0x21f), TRAFFIC_DF_CHANNEL(0x25f),
      TRAFFIC_DF_CHANNEL(0x29f), TRAFFIC_DF_CHANNEL(0x2df)}},
    /* Zen 1 to 3: requests with data, in both directions */
    {"amd_df",
     "format/umask",
     NULL,
     {TRAFFIC_DF_OLD_CHANNEL(0x07), TRAFFIC_DF_OLD_CHANNEL(0x47), TRAFFIC_DF_OLD_CHANNEL(0x87),
      TRAFFIC_DF_OLD_CHANNEL(0xc7), TRAFFIC_DF_OLD_CHANNEL(0x107), TRAFFIC_DF_OLD_CHANNEL(0x147),
      TRAFFIC_DF_OLD_CHANNEL(0x187), TRAFFIC_DF_OLD_CHANNEL(0x1c7)}},
    {"nvidia_scf_pmu_*",
     "events/cmem_rd_data",
     NULL,
     {{"cmem_rd_data", PE_DIRECTION_READ, TRAFFIC_BEAT_BYTES},
      {"cmem_wr_total_bytes", PE_DIRECTION_WRITE, 1}}},
    {"hisi_sccl*_ddrc*",
     "events/flux_rd",
     NULL,
     {{"flux_rd", PE_DIRECTION_READ, TRAFFIC_BEAT_BYTES},
      {"flux_wr", PE_DIRECTION_WRITE, TRAFFIC_BEAT_BYTES}}},
    {"ali_drw_*",
     "events/hif_rd",
     NULL,
     {{"hif_rd", PE_DIRECTION_READ, TRAFFIC_LINE_BYTES},
      {"hif_wr", PE_DIRECTION_WRITE, TRAFFIC_LINE_BYTES},
      {"hif_rmw", PE_DIRECTION_WRITE, TRAFFIC_LINE_BYTES}}},
    {"nest_mba*",
     "events/PM_MBA[0-9]_READ_BYTES",
     NULL,
     {{"PM_MBA[0-9]_READ_BYTES", PE_DIRECTION_READ, 1}, {"PM_MBA[0-9]_WRITE_BYTES", PE_DIRECTION_WRITE, 1}}},
};

struct traffic_search {
    struct pe_sysfs sysfs;
    const struct traffic_row *row;
    LS_VECTOR(struct pe_traffic_event) events;
};

/* Bytes of a count from texts like "6.103515625e-5" and "MiB"; fallback when sysfs has none. A scale without a
 * unit counts where the event itself counts bytes.
 * Errors: LS_ERR_FORMAT for a unit that is not of bytes. */
static ls_err scale_bytes(const struct pe_sysfs *s, const char *pmu, const struct traffic_term *term,
                          double *out)
{
    static const struct {
        const char *name;
        double bytes;
    } units[] = {{"Bytes", 1}, {"B", 1}, {"KiB", 1024}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};
    char file[96], scale[64], unit[64], *end;
    *out = term->bytes;
    snprintf(file, sizeof(file), "events/%.64s.scale", term->terms);
    if (!pe_sysfs_text(s, pmu, file, scale, sizeof(scale))) return LS_OK;
    const double factor = strtod(scale, &end);
    if (end == scale || !(factor > 0)) return LS_OK;
    snprintf(file, sizeof(file), "events/%.64s.unit", term->terms);
    if (!pe_sysfs_text(s, pmu, file, unit, sizeof(unit))) {
        if (term->bytes == 1) *out = factor;
        return LS_OK;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(unit, units[i].name) == 0) {
            *out = factor * units[i].bytes;
            return LS_OK;
        }
    return ls_fail(LS_ERR_FORMAT, "%s/bus/event_source/devices/%s/%s has an unknown unit: '%s'", s->root, pmu,
                   file, unit);
}

/* Add the event on every CPU of a list such as "0,18" or "0-1". */
static ls_err add_on_cpus(struct traffic_search *t, const struct pe_event *e, struct pe_traffic_event event)
{
    char cpus[PE_CPUS_BYTES];
    pe_sysfs_cpus(&t->sysfs, e->pmu, cpus);
    const char *at = *cpus ? cpus : "0";
    event.attr = e->attr;
    for (unsigned first, last; ls_cpus_next(&at, &first, &last);)
        for (unsigned cpu = first; cpu <= last; cpu++) {
            event.cpu = (int)cpu;
            LS_TRY(LS_VECTOR_ADD(&t->events, event));
        }
    if (*at)
        return ls_fail(LS_ERR_FORMAT, "%s/bus/event_source/devices/%s/cpumask is no list of CPUs: '%s'",
                       t->sysfs.root, e->pmu, cpus);
    return LS_OK;
}

static ls_err add_term(struct traffic_search *t, const char *pmu, const struct traffic_term *term)
{
    struct pe_event e = {.attr = {.size = sizeof(e.attr)}};
    struct pe_traffic_event event = {.direction = term->direction};
    LS_TRY(scale_bytes(&t->sysfs, pmu, term, &event.bytes));
    if (!(event.bytes > 0)) return LS_OK;
    snprintf(e.pmu, sizeof(e.pmu), "%s", pmu);
    LS_TRY(pe_sysfs_type(&t->sysfs, pmu, &e.attr.type));
    LS_TRY(pe_event_terms(&t->sysfs, term->terms, &e));
    return add_on_cpus(t, &e, event);
}

/* Find the files of a PMU that fit the pattern. Returns whether there are some; then globfree ends *out. */
static bool find_files(const struct pe_sysfs *s, const char *pmu, const char *pattern, glob_t *out)
{
    char path[TRAFFIC_PATH_BYTES];
    const int n = snprintf(path, sizeof(path), "%s/bus/event_source/devices/%s/%s", s->root, pmu, pattern);
    return n > 0 && n < TRAFFIC_PATH_BYTES && glob(path, 0, NULL, out) == 0;
}

static ls_err add_named(struct traffic_search *t, const char *pmu, const struct traffic_term *term)
{
    char pattern[96];
    glob_t found;
    ls_err err = LS_OK;
    if (!strchr(term->terms, '[')) return add_term(t, pmu, term);
    snprintf(pattern, sizeof(pattern), "events/%s", term->terms);
    if (!find_files(&t->sysfs, pmu, pattern, &found)) return LS_OK;
    for (size_t i = 0; i < found.gl_pathc && err == LS_OK; i++) {
        struct traffic_term one = *term;
        one.terms = strrchr(found.gl_pathv[i], '/') + 1;
        err = add_term(t, pmu, &one);
    }
    globfree(&found);
    return err;
}

static bool has_events(const struct traffic_search *t, const char *pmu)
{
    char text[128];
    glob_t found;
    if (strlen(pmu) >= PE_PMU_BYTES || !find_files(&t->sysfs, pmu, t->row->needs, &found)) return false;
    globfree(&found);
    return !t->row->holds ||
           (pe_sysfs_text(&t->sysfs, pmu, t->row->needs, text, sizeof(text)) && strstr(text, t->row->holds));
}

static ls_err add_pmu(struct traffic_search *t, const char *pmu)
{
    if (!has_events(t, pmu)) return LS_OK;
    for (const struct traffic_term *term = t->row->terms; term->terms; term++)
        LS_TRY(add_named(t, pmu, term));
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
