/* SPDX-License-Identifier: BSD-3-Clause */
/* Encode a request in Loadstone's terms as groups of struct perf_event_attr, so that the hardware samples
 * loads and stores with their data addresses: Intel (PEBS load latency), AMD (IBS op), Arm (SPE) and POWER.
 * The kernel's own description in sysfs comes first; one table a vendor (hw_*.c) adds the rest.
 *
 * Nothing here opens an event, allocates, or uses stdio streams: the preloaded runtime calls it. */
#ifndef PE_ENCODE_H
#define PE_ENCODE_H

#include "common/ls_error.h"
#include "perf/pe_spe.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    PE_GROUP_MAX = 4,     /* events of a group */
    PE_ENCODINGS_MAX = 8, /* encodings per plan: loads and stores on each kind of core */
    PE_PMU_BYTES = 32,    /* name of a PMU */
    PE_CPUS_BYTES = 256,  /* list of CPUs as the kernel prints it */
    PE_EVENT_BYTES = 256, /* event in perf's syntax */
    PE_NOTES_BYTES = 512, /* sentences */
};

/* Format of an encoding's samples. The vendor of the plan defines the words of the data source and of the
 * weights (doc/hardware.md). */
enum pe_decode {
    PE_DECODE_NONE,     /* address and instruction only (user events without a data source) */
    PE_DECODE_DATA_SRC, /* PERF_SAMPLE_DATA_SRC and PERF_SAMPLE_WEIGHT or _WEIGHT_STRUCT: Intel, POWER */
    PE_DECODE_IBS, /* the same words filled by IBS; with PERF_SAMPLE_RAW also its registers. Samples that are
                      neither loads nor stores come too and have no address: the reader drops them */
    PE_DECODE_SPE, /* packets in an AUX area */
};

/* The accesses to sample. All zero except loads is a good request. */
struct pe_request {
    bool loads, stores;
    const char *event; /* perf's syntax: "cpu/mem-loads,ldlat=30/P", "r1cd", "{a,b}:P"; NULL or "": default */
    uint64_t period_events; /* 0: the vendor's; not together with freq_hz */
    uint64_t freq_hz;       /* 0: by period */
    uint32_t ldlat_cycles;  /* faster loads are not sampled; 0: all loads that the hardware can sample */
    bool l3_miss_only;      /* AMD Zen 4 and later */
    bool callchain;
    bool user_only;         /* leave out the kernel and the hypervisor */
    bool ibs_registers;     /* AMD: the raw registers too (PERF_SAMPLE_RAW); always on before Linux 6.1 */
    const char *sysfs_root; /* NULL: "/sys" */
    uint32_t kernel;        /* KERNEL_VERSION(major, minor, patch); 0: the running one */
};

/* One group to open on each of its CPUs (or for each thread): attrs[0] is the leader, attrs[sampler] samples,
 * the others count. Complete except for the fields that depend on how it is opened: disabled, inherit,
 * inherit_thread, remove_on_exec, watermark and wakeup, clockid, and mmap or comm records. */
struct pe_encoding {
    struct perf_event_attr attrs[PE_GROUP_MAX];
    unsigned attrs_len;
    unsigned sampler; /* row of attrs whose ring (and AUX area) holds the samples */
    enum pe_decode decode;
    bool loads, stores;          /* kinds of access that its samples can have */
    bool needs_aux;              /* samples come through an AUX area (SPE) */
    enum pe_spe_sources sources; /* SPE: the numbers of the processor's data sources */
    bool
        reader_drops_kernel; /* user_only was requested, but the PMU samples the kernel, too: the reader drops these samples */
    uint32_t reader_min_cycles; /* the PMU cannot filter by latency: the reader drops loads below; 0: none */
    bool cpu_wide_only;       /* cannot be opened for a task (IBS before Linux 6.2): pid -1 and a privilege */
    char pmu[PE_PMU_BYTES];   /* "cpu", "cpu_core", "ibs_op", "arm_spe_0" */
    char cpus[PE_CPUS_BYTES]; /* "0-7,16"; "": all CPUs */
    uint64_t period_min, period_max, period_step; /* periods that the PMU takes: multiples of step */
    char event[PE_EVENT_BYTES];                   /* for messages: perf's syntax */
};

struct pe_plan {
    const char *vendor; /* "intel", "amd", "arm", "power", "user" (an event of the user on another PMU) */
    const char *method; /* "PEBS load latency", "IBS op", "SPE", "marked events", "user event" */
    struct pe_encoding encodings[PE_ENCODINGS_MAX];
    unsigned encodings_len;
    char notes[PE_NOTES_BYTES]; /* sentences: differences from the request and why; "": none */
};

/* Encode a request.
 * Owns:   everything is copied into out (some 8 KiB).
 * Errors: LS_ERR_UNSUPPORTED when no PMU here can sample this (the text names the PMUs and the remedy),
 * LS_ERR_ARG when an option or event is impossible (names the field, its valid values and the remedy),
 * LS_ERR_RANGE when a value does not fit its field, LS_ERR_IO when sysfs cannot be read; out is then
 * undefined.
 * Thread: any.  Signal: not safe (formats texts). */
ls_err pe_encode_loads(const struct pe_request *request, struct pe_plan *out);

/* The nearest period that the PMU takes: at least period_min, a multiple of period_step.
 * Thread: any.  Signal: safe. */
uint64_t pe_period_fit(const struct pe_encoding *e, uint64_t period_events);

/* The encoding's events can run on this CPU.  Thread: any.  Signal: safe. */
bool pe_encoding_has_cpu(const struct pe_encoding *e, unsigned cpu);

#endif
