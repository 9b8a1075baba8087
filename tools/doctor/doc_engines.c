/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/doctor/doc_engines.h"

#include "perf/pe_open_plan.h"
#include "perf/pe_pfm.h"
#include "perf/pe_settings.h"
#include "perf/pe_try.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct doc_engine doc_rows[DOC_ENGINES] = {
    [DOC_HW] =
        {.name = "hw",
         .gives =
             "loads sampled by the processor: addresses, levels and latencies as they natively were, at a "
             "fraction of the cost"},
    [DOC_STEP] =
        {.name = "step",
         .gives =
             "bursts of stepped instructions: real addresses, measured latencies, levels inferred from them"},
    [DOC_FAULTS] =
        {.name = "faults",
         .gives =
             "first touch: which thread and code touched each page first, and on which NUMA node it lies"},
};

static void doc_say(char *out, size_t bytes, const char *a, const char *b)
{
    snprintf(out, bytes, "%s%s%s", a, *a && *b ? " " : "", b);
}

/* The encodings of plan, for people. */
static void doc_describe(const struct pe_plan *plan, struct doc_engine *e)
{
    size_t used = (size_t)snprintf(e->detail, sizeof(e->detail), "%s:", plan->method);
    for (unsigned i = 0; i < plan->encodings_len && used < sizeof(e->detail); i++) {
        const struct pe_encoding *one = &plan->encodings[i];
        used += (size_t)snprintf(e->detail + used, sizeof(e->detail) - used, " %s%s%s%s", one->event,
                                 *one->cpus ? " on CPUs " : "", one->cpus,
                                 i + 1 < plan->encodings_len ? "," : "");
    }
    if (*plan->notes && used < sizeof(e->detail))
        snprintf(e->detail + used, sizeof(e->detail) - used, "; %s", plan->notes);
}

static void doc_no_plan(const struct mach_privilege *machine, struct doc_engine *e)
{
    const struct pe_facts facts = {.machine = machine};
    struct pe_advice advice;
    e->error = ENOENT;
    snprintf(e->detail, sizeof(e->detail), "%s", ls_last_error());
    pe_advise(ENOENT, PE_AT_OPEN, &facts, &advice);
    snprintf(e->remedy, sizeof(e->remedy), "%s", advice.remedy);
}

static void doc_take(const struct pe_tried *tried, struct doc_engine *e)
{
    e->works = tried->opens;
    e->error = tried->error;
    if (tried->opens) return;
    const char *name = strerrorname_np(tried->error);
    snprintf(e->detail, sizeof(e->detail), "%s (%s)", tried->advice.cause, name ? name : "errno");
    snprintf(e->remedy, sizeof(e->remedy), "%s", tried->advice.remedy);
}

static void doc_try_hw(const struct mach_privilege *machine, struct doc_engine *e)
{
    static struct pe_settings settings; /* large */
    static struct pe_plan plan;
    struct pe_tried tried;
    pe_settings_read(&settings, getenv);
    if (pe_encode_loads(&settings.request, &plan) != LS_OK) {
        doc_no_plan(machine, e);
        return;
    }
    pe_try_plan(&plan, machine, &tried);
    doc_take(&tried, e);
    if (e->works) doc_describe(&plan, e);
}

static void doc_try_step(const struct mach_capability *can, bool has_preload, struct doc_engine *e)
{
    const struct mach_try *step = &can->tries[MACH_TRY_SINGLE_STEP];
    const struct mach_try *perf = &can->tries[MACH_TRY_TRIGGER_PERF],
                          *timer = &can->tries[MACH_TRY_TRIGGER_TIMER];
    e->works = has_preload && step->works && (perf->works || timer->works);
    if (e->works) {
        snprintf(e->detail, sizeof(e->detail), "trigger %s; no privilege is needed",
                 perf->works ? "perf" : "timer");
        return;
    }
    const struct mach_try *failed = !step->works ? step : perf;
    e->error = failed->error;
    doc_say(e->detail, sizeof(e->detail), has_preload ? "" : "the runtime is missing;",
            failed->works ? "" : failed->detail);
    snprintf(e->remedy, sizeof(e->remedy), "%s",
             has_preload ? failed->remedy : "make install, or run the built tree");
}

/* Page faults with their addresses: a software event, there also without a PMU. */
static void doc_try_faults(const struct mach_privilege *machine, struct doc_engine *e)
{
    const struct perf_event_attr faults = {.type = PERF_TYPE_SOFTWARE,
                                           .size = sizeof(faults),
                                           .config = PERF_COUNT_SW_PAGE_FAULTS,
                                           .sample_period = 1,
                                           .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR,
                                           .exclude_kernel = 1,
                                           .exclude_hv = 1};
    struct pe_tried tried;
    pe_try_attr(&faults, "page-faults", machine, &tried);
    doc_take(&tried, e);
    if (e->works) snprintf(e->detail, sizeof(e->detail), "page faults with addresses open");
}

void doc_engines_try(const struct mach_capability *can, bool has_preload, struct doc_engine out[DOC_ENGINES])
{
    struct mach_privilege machine;
    memcpy(out, doc_rows, sizeof(doc_rows));
    mach_privilege_read("", getenv, &machine);
    doc_try_hw(&machine, &out[DOC_HW]);
    doc_try_step(can, has_preload, &out[DOC_STEP]);
    doc_try_faults(&machine, &out[DOC_FAULTS]);
    if (!has_preload) out[DOC_HW].works = out[DOC_FAULTS].works = false;
}
