/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules of a vendor's hardware beyond sysfs: one file and one row of pe_vendors a vendor.
 *
 * Thread: any.  Signal: not safe. */
#ifndef PE_VENDOR_H
#define PE_VENDOR_H

#include "perf/pe_encode.h"
#include "perf/pe_event.h"
#include "perf/pe_sysfs.h"

#include <linux/version.h>

/* The machine as a vendor's functions see it. */
struct pe_machine {
    struct pe_sysfs sysfs;
    uint32_t kernel;
};

struct pe_vendor {
    const char *name, *method;
    uint64_t period_events; /* initial period when none is requested; the reader adapts it */
    uint64_t period_min, period_max, period_step;
    bool takes_freq;

    /* True when pmu samples memory accesses by this vendor's method. */
    bool (*owns)(const struct pe_sysfs *s, const char *pmu);
    /* Add the encodings for one PMU to plan: pe_plan_add, then the events, then pe_finish. NULL: only user
     * events.  Errors: as pe_encode_loads. */
    ls_err (*encode)(const struct pe_machine *machine, const char *pmu, const struct pe_request *r,
                     struct pe_plan *plan);
    /* Adapt the events of e (Loadstone's or the user's, e->attrs and sampler set) to the hardware's rules,
     * after the common ones. */
    ls_err (*fit)(const struct pe_machine *machine, const struct pe_request *r, struct pe_encoding *e,
                  struct pe_plan *plan);
};

extern const struct pe_vendor pe_vendor_intel, pe_vendor_amd, pe_vendor_amd_core, pe_vendor_arm,
    pe_vendor_power;

/* Take the next encoding of plan, empty except for its PMU and CPUs.  LS_ERR_UNSUPPORTED when there are too
 * many. */
ls_err pe_plan_add(const struct pe_machine *machine, const char *pmu, struct pe_plan *plan,
                   struct pe_encoding **out);

/* Append a sentence to the notes; dropped when it is there already or does not fit. */
void pe_plan_note(struct pe_plan *plan, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Append an event given by its terms to e; e->sampler becomes its row. */
ls_err pe_encoding_event(const struct pe_machine *machine, const char *terms, struct pe_encoding *e);

/* Apply the rules common to all vendors: recorded fields, period or frequency, privilege; then
 * vendor->fit. */
ls_err pe_finish(const struct pe_vendor *vendor, const struct pe_machine *machine, const struct pe_request *r,
                 struct pe_encoding *e, struct pe_plan *plan);

/* Set a field of the sampling event by its name in sysfs. */
ls_err pe_encoding_set(const struct pe_machine *machine, const char *field, uint64_t value,
                       struct pe_encoding *e);

/* The sample_type bit of the weight by kernel: PERF_SAMPLE_WEIGHT_STRUCT came with 5.12. */
uint64_t pe_sample_weight(uint32_t kernel);

#endif
