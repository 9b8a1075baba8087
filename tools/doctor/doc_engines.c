/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/doctor/doc_engines.h"

#include "machine/mach_isa.h"
#include "perf/pe_open.h"
#include "perf/pe_settings.h"
#include "perf/pe_try.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct doc_engine doc_rows[DOC_ENGINES] = {
    [DOC_HW] = {.name = "hw",
                .gives = "loads sampled by the processor: addresses, levels and "
                         "latencies as they natively were, at a fraction of the cost"},
    [DOC_TRANSLATE] = {.name = "translate",
                       .gives = "bursts that run translated at nearly native pace: real addresses, measured "
                                "latencies of a few loads, many more bursts than from stepping"},
    [DOC_STEP] =
        {.name = "step",
         .gives =
             "bursts of stepped instructions: real addresses, measured latencies, levels inferred from them"},
    [DOC_FAULTS] = {.name = "faults",
                    .gives =
                        "first touch: the thread and code that touched each page first, and its NUMA node"},
    [DOC_WATCH] = {.name = "watch",
                   .gives = "record --watch 'A[17]': accesses to one element, each read and write with its "
                            "line, thread and call stack"},
};

static void doc_say(char *out, size_t bytes, const char *a, const char *b)
{
    snprintf(out, bytes, "%s%s%s", a, *a && *b ? " " : "", b);
}

/* Print the encodings of plan. */
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

__attribute__((format(printf, 2, 3))) static void doc_add(struct doc_engine *e, const char *format, ...)
{
    const size_t used = strlen(e->detail);
    va_list args;
    va_start(args, format);
    vsnprintf(e->detail + used, sizeof(e->detail) - used, format, args);
    va_end(args);
}

/* Report the mapped ring, the samples read and possible improvements. */
static void doc_add_ring(const struct pe_tried *tried, struct doc_engine *e)
{
    doc_add(e, "; %llu samples read from a ring of %zu KiB", (unsigned long long)tried->samples,
            tried->ring_bytes >> 10);
    if (tried->aux_bytes) doc_add(e, " and an AUX area of %zu KiB", tried->aux_bytes >> 10);
    if (tried->is_halved) doc_add(e, ": %s", tried->advice.cause);
    for (unsigned w = 0; w < PE_WEAKENING_COUNT; w++)
        if (tried->weak & 1u << w) doc_add(e, "; %s", pe_weakening_texts[w]);
}

static void doc_take(const struct pe_tried *tried, struct doc_engine *e)
{
    e->works = tried->opens;
    e->error = tried->error;
    snprintf(e->remedy, sizeof(e->remedy), "%s", tried->advice.remedy);
    if (tried->opens) return;
    const char *name = strerrorname_np(tried->error);
    snprintf(e->detail, sizeof(e->detail), "%s (%s)", tried->advice.cause, name ? name : "errno");
}

/* Take the result for events that must have occurred: without a sample the engine does not work. */
static void doc_take_certain(const struct pe_tried *tried, const char *what, struct doc_engine *e)
{
    doc_take(tried, e);
    if (!e->works) return;
    e->works = tried->samples > 0;
    snprintf(e->detail, sizeof(e->detail), "%s%s", what,
             e->works ? "" : " open, but the kernel reports none");
    if (!e->works) e->error = EIO;
    if (e->works) doc_add_ring(tried, e);
}

/* --- work that is done while events are enabled --- */

enum { DOC_PAGES = 16, DOC_LINE_BYTES = 64, DOC_LOADED_BYTES = 8 << 20, DOC_TOUCHES = 4 };

static void doc_touch_pages(void *user)
{
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE), len = DOC_PAGES * page_bytes;
    (void)user;
    volatile char *pages = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return;
    madvise((void *)pages, len, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < DOC_PAGES; i++)
        pages[i * page_bytes] = 1;
    munmap((void *)pages, len);
}

static void doc_load_and_store(void *user)
{
    volatile char *memory = calloc(1, DOC_LOADED_BYTES);
    (void)user;
    for (size_t i = 0; memory && i < DOC_LOADED_BYTES; i += DOC_LINE_BYTES)
        memory[i]++;
    free((void *)memory);
}

static void doc_touch_watched(void *watched)
{
    for (int i = 0; i < DOC_TOUCHES; i++)
        ++*(volatile uint64_t *)watched;
}

/* --- each of them --- */

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
    const struct pe_try_work work = {.run = doc_load_and_store};
    pe_try_plan(&plan, machine, &work, &tried);
    doc_take(&tried, e);
    if (!e->works) return;
    doc_describe(&plan, e);
    doc_add_ring(&tried, e);
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

/* Why the translator of the runtime (runtime/translate/rt_tr_open.c) refuses this machine, or NULL. */
static const char *doc_translator_lacks(void)
{
    const size_t len = (size_t)sysconf(_SC_PAGESIZE);
    if (!mach_isa || !mach_isa->can_set_gs()) return "the kernel does not let a program set the GS base";
    void *at = mmap(NULL, len, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at != MAP_FAILED) munmap(at, len);
    const int fd = at != MAP_FAILED ? -1 : memfd_create("loadstone-doctor", MFD_CLOEXEC);
    if (fd >= 0) {
        const bool sized = ftruncate(fd, (off_t)len) == 0;
        at = sized ? mmap(NULL, len, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0) : MAP_FAILED;
        if (at != MAP_FAILED) munmap(at, len);
        close(fd);
    }
    return at == MAP_FAILED ? "no executable memory can be written" : NULL;
}

/* Check stepping, too, because the engine steps code that it cannot translate. */
static void doc_try_translate(const struct doc_engine *step, struct doc_engine *e)
{
    const char *lacks = doc_translator_lacks();
    e->works = step->works && !lacks;
    e->error = step->error;
    snprintf(e->detail, sizeof(e->detail), "%s", lacks ? lacks : step->detail);
    snprintf(e->remedy, sizeof(e->remedy), "%s", lacks ? "" : step->remedy);
}

/* Try page faults with their addresses, a software event that needs no PMU. */
static void doc_try_faults(const struct mach_privilege *machine, struct doc_engine *e)
{
    const struct perf_event_attr faults = {.type = PERF_TYPE_SOFTWARE,
                                           .size = sizeof(faults),
                                           .config = PERF_COUNT_SW_PAGE_FAULTS,
                                           .sample_period = 1,
                                           .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR,
                                           .exclude_kernel = 1,
                                           .exclude_hv = 1};
    const struct pe_try_work work = {.run = doc_touch_pages};
    struct pe_tried tried;
    pe_try_attrs(&faults, 1, "page-faults", machine, &work, &tried);
    doc_take_certain(&tried, "page faults with addresses", e);
}

/* Try the two breakpoints of an element: for writes, and for all accesses. */
static void doc_try_watch(const struct mach_privilege *machine, struct doc_engine *e)
{
    static uint64_t watched;
    struct perf_event_attr attrs[2] = {{.type = PERF_TYPE_BREAKPOINT,
                                        .size = sizeof(attrs[0]),
                                        .bp_type = HW_BREAKPOINT_W,
                                        .bp_addr = (uintptr_t)&watched,
                                        .bp_len = sizeof(watched),
                                        .sample_period = 1,
                                        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR,
                                        .exclude_kernel = 1,
                                        .exclude_hv = 1}};
    const struct pe_try_work work = {.run = doc_touch_watched, .user = &watched};
    struct pe_tried tried;
    attrs[1] = attrs[0];
    attrs[1].bp_type = HW_BREAKPOINT_RW;
    pe_try_attrs(attrs, 2, "breakpoint", machine, &work, &tried);
    doc_take_certain(&tried, "hardware breakpoints", e);
}

void doc_engines_try(const struct mach_capability *can, bool has_preload, struct doc_engine out[DOC_ENGINES])
{
    struct mach_privilege machine;
    memcpy(out, doc_rows, sizeof(doc_rows));
    mach_privilege_read("", getenv, &machine);
    doc_try_hw(&machine, &out[DOC_HW]);
    doc_try_step(can, has_preload, &out[DOC_STEP]);
    doc_try_translate(&out[DOC_STEP], &out[DOC_TRANSLATE]);
    doc_try_faults(&machine, &out[DOC_FAULTS]);
    doc_try_watch(&machine, &out[DOC_WATCH]);
    for (int i = 0; i < DOC_ENGINES && !has_preload; i++)
        out[i].works = false;
}

void doc_engine_try_event(enum doc_engine_id which, struct doc_engine *out)
{
    struct mach_privilege machine;
    *out = doc_rows[which];
    mach_privilege_read("", getenv, &machine);
    (which == DOC_WATCH ? doc_try_watch : doc_try_faults)(&machine, out);
}
