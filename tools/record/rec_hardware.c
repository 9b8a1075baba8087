/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of record that concern the hw engine, as settings for the runtime. */
#include "tools/record/rec_launch.h"

#include "common/ls_env.h"
#include "common/ls_quantity.h"
#include "machine/mach_privilege.h"
#include "perf/pe_encode.h"
#include "perf/pe_event.h"
#include "perf/pe_pfm.h"
#include "perf/pe_settings.h"
#include "perf/pe_try.h"
#include "tools/cli/cli_message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REC_PRECISE = 2 }; /* for memory events: libpfm4's names leave it open */

static ls_err rec_set(enum ls_env_id id, const char *value)
{
    if (setenv(ls_env_rows[id].variable, value, 1) != 0)
        return ls_fail_errno(errno, "cannot set %s", ls_env_rows[id].variable);
    return LS_OK;
}

static bool rec_is_engine(const struct rec_hardware_options *o, const char *name)
{
    return o->engine && strcmp(o->engine, name) == 0;
}

/* Return the option that requests hardware; NULL: none. */
static const char *rec_hardware_asked(const struct rec_hardware_options *o, bool by_count)
{
    const struct {
        const char *given, *name;
    } rows[] = {{o->event, "--event"}, {o->freq, "--freq"}, {o->ldlat, "--ldlat"}, {o->stores, "--stores"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].given) return rows[i].name;
    return by_count ? "--period with a count" : NULL;
}

/* Engines with bursts take a time (a number without a unit is in seconds), the hw engine takes a count. */
static ls_err rec_period(const struct rec_hardware_options *o, bool *by_count)
{
    uint64_t value = 0;
    *by_count = false;
    if (!o->period) return LS_OK;
    const bool has_bursts = rec_is_engine(o, "step") || rec_is_engine(o, "translate");
    *by_count = !has_bursts && ls_parse_u64(o->period, &value) == LS_OK;
    if (*by_count && value == 0)
        return ls_fail(LS_ERR_USAGE, "--period 0: a count of events is at least 1, a time has a unit (20ms)");
    if (*by_count) return rec_set(LS_ENV_HW_PERIOD, o->period);
    if (ls_parse_duration(o->period, &value) != LS_OK)
        return ls_fail(LS_ERR_USAGE,
                       "--period %s: unknown unit or no number; a time such as "
                       "20ms (translate and step engines) or a count of events (hw engine)",
                       o->period);
    if (rec_is_engine(o, "hw"))
        return ls_fail(LS_ERR_USAGE,
                       "--period %s is a time: the hw engine counts events, such as --period 100003; for "
                       "samples a second give --freq",
                       o->period);
    return rec_set(LS_ENV_PERIOD, o->period);
}

static ls_err rec_export(const struct rec_hardware_options *o)
{
    const struct {
        const char *value;
        enum ls_env_id id;
    } rows[] = {{o->event, LS_ENV_EVENT},
                {o->freq, LS_ENV_HW_FREQ},
                {o->ldlat, LS_ENV_LDLAT},
                {o->stores, LS_ENV_STORES}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].value) LS_TRY(rec_set(rows[i].id, rows[i].value));
    return LS_OK;
}

/* Look up a name that sysfs does not have in libpfm4. A name with "::" after a PMU can only be libpfm4's, so
 * then libpfm4's error is reported. */
static ls_err rec_try_pfm_name(struct pe_settings *s, struct pe_plan *plan)
{
    char event[PE_EVENT_BYTES], why[400];
    snprintf(why, sizeof(why), "%s", ls_last_error());
    /* its names have colons within: MEM_TRANS_RETIRED:LOAD_LATENCY */
    const bool may_be = !strpbrk(s->event, "/{},"), must_be = may_be && strstr(s->event, "::");
    if (!may_be || pe_pfm_event(s->event, REC_PRECISE, event) != LS_OK) {
        if (must_be) snprintf(why, sizeof(why), "%s", ls_last_error());
        return ls_fail(LS_ERR_ARG, "--event: %s", why);
    }
    cli_note("--event %s is %s (libpfm4)", s->event, event);
    LS_TRY(rec_set(LS_ENV_EVENT, event));
    strcpy(s->event, event);
    return pe_encode_loads(&s->request, plan);
}

/* An Intel processor whose kernel is too old to list its loads: libpfm4 may know them. */
static ls_err rec_try_pfm_loads(struct pe_settings *s, struct pe_plan *plan, ls_err before)
{
    struct pe_sysfs sysfs;
    char event[PE_EVENT_BYTES], why[400];
    uint64_t most = REC_PRECISE;
    snprintf(why, sizeof(why), "%s", ls_last_error());
    const bool is_intel =
        pe_sysfs_list(s->sysfs_root, &sysfs) == LS_OK && pe_sysfs_has(&sysfs, "cpu", "format/ldlat");
    if (is_intel) pe_sysfs_number(&sysfs, "cpu", "caps/max_precise", &most);
    const char *name = is_intel && most > 0 ? pe_pfm_memory_name(!s->request.loads) : NULL;
    if (!name || pe_pfm_event(name, REC_PRECISE, event) != LS_OK) return ls_fail(before, "%s", why);
    cli_note("the kernel lists no event for loads: using %s of libpfm4, %s", name, event);
    LS_TRY(rec_set(LS_ENV_EVENT, event));
    strcpy(s->event, event);
    return pe_encode_loads(&s->request, plan);
}

static ls_err rec_check(struct pe_settings *s, struct pe_plan *plan)
{
    const char *bad = pe_settings_read(s, getenv);
    if (bad)
        return ls_fail(LS_ERR_USAGE, "%s cannot be read: '%s'; see loadstone-environment(7)", bad,
                       getenv(bad));
    const ls_err err = pe_encode_loads(&s->request, plan);
    if (err == LS_ERR_ARG && s->event[0]) return rec_try_pfm_name(s, plan);
    if (err == LS_ERR_UNSUPPORTED && !s->event[0]) return rec_try_pfm_loads(s, plan, err);
    return err;
}

/* May the engine still open when it tries again, on another CPU, with fewer descriptors or without the
 * kernel? */
static bool rec_may_open_yet(const struct pe_plan *plan, const struct pe_tried *tried)
{
    const struct pe_encoding *e = &plan->encodings[tried->encoding];
    switch (tried->error) {
    case ENOENT:
    case ENODEV:
        return e->cpus[0] != '\0';
    case EMFILE:
    case ENFILE:
    case EBUSY:
    case ENOMEM:
        return true;
    case EACCES:
    case EPERM:
        return !e->attrs[tried->attr].exclude_kernel && !e->reader_drops_kernel;
    default:
        return false;
    }
}

/* The engine was requested by name, so there is no fallback: report that it does not open before the program
 * runs, not after hours. */
static ls_err rec_try_open(const struct pe_plan *plan)
{
    struct pe_tried tried;
    struct mach_privilege machine;
    mach_privilege_read("", getenv, &machine);
    pe_try_plan(plan, &machine, NULL, &tried);
    if (tried.opens || rec_may_open_yet(plan, &tried)) return LS_OK;
    return ls_fail(LS_ERR_UNSUPPORTED, "--engine hw: %s; %s; --engine auto takes another engine then",
                   tried.advice.cause, tried.advice.remedy);
}

ls_err rec_hardware_prepare(const struct rec_hardware_options *o)
{
    static struct pe_settings settings; /* large */
    static struct pe_plan plan;
    bool by_count;
    LS_TRY(rec_period(o, &by_count));
    const char *asked = rec_hardware_asked(o, by_count);
    const bool only_hw = rec_is_engine(o, "hw");
    if (!asked && !only_hw) return LS_OK;
    if (!only_hw && o->engine && strcmp(o->engine, "auto") != 0)
        return ls_fail(LS_ERR_USAGE,
                       "%s is about the hw engine, but --engine %s is asked for: leave one of them out",
                       asked, o->engine);
    LS_TRY(rec_export(o));
    const ls_err err = rec_check(&settings, &plan);
    if (err == LS_ERR_UNSUPPORTED && !only_hw) {
        cli_warn("%s has no effect here: %s", asked, ls_last_error());
        return LS_OK;
    }
    LS_TRY(err);
    if (*plan.notes) cli_note("%s", plan.notes);
    return only_hw ? rec_try_open(&plan) : LS_OK;
}
