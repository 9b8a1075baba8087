/* SPDX-License-Identifier: BSD-3-Clause */
/* NVIDIA's GPUs by their management library, which is loaded when it is there (NVML API reference). */
#include "traffic/trf_source.h"

#include "common/ls_clock.h"

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The part of the library's interface that is used: nvmlReturn_t is an int, and devices are pointers. */
enum { NVML_OK = 0, NVML_DEVICES_MAX = 64 };
struct nvml_utilization {
    unsigned gpu, memory; /* percent of the time since the last sample of the driver */
};

struct nvml_memory {
    unsigned long long total, free, used;
};

/* Metrics of the performance monitors of Hopper and later devices, computed from two samples; numbers and layouts are of
 * the NVML API reference, version 1 of both structs. */
enum { GPM_VERSION = 1, GPM_METRICS_ROOM = 210 };
struct gpm_support {
    unsigned version, is_supported;
};
struct gpm_metric {
    unsigned id;
    int result;
    double value;
    const char *short_name, *long_name, *unit;
};
struct gpm_metrics {
    unsigned version, len;
    void *before, *now; /* samples */
    struct gpm_metric rows[GPM_METRICS_ROOM];
};
/* X(id, number, name, unit, scale): percent of the peak, and MiB in a second */
#define GPM_LIST(X)                                       \
    X(DRAM, 10, "memory bandwidth used", "%", 1)          \
    X(PCIE_SENT, 20, "PCIe sent", "B/s", 1024.0 * 1024.0) \
    X(PCIE_RECEIVED, 21, "PCIe received", "B/s", 1024.0 * 1024.0)
#define GPM_ENUM(id, ...) GPM_##id,
enum { GPM_LIST(GPM_ENUM) GPM_LEN };
#undef GPM_ENUM
#define GPM_ROW(id, number, name, unit, scale) {number, name, unit, scale},
static const struct {
    unsigned number;
    const char *name, *unit;
    double scale;
} gpm_rows[GPM_LEN] = {GPM_LIST(GPM_ROW)};
#undef GPM_ROW

/* The library computes metrics from samples that are this far apart, and renews its other values at most as often. */
#define NVML_RENEWED_NS (LS_NS_PER_S / 10)

struct nvml_calls {
    int (*init)(void);
    int (*shutdown)(void);
    int (*count)(unsigned *out);
    int (*device)(unsigned index, void **out);
    int (*energy)(void *device, unsigned long long *out_mj);
    int (*power)(void *device, unsigned *out_mw);
    int (*utilization)(void *device, struct nvml_utilization *out);
    const char *(*error)(int result);
    /* NULL where the library is older */
    int (*memory)(void *device, struct nvml_memory *out);
    int (*gpm_support)(void *device, struct gpm_support *out);
    int (*gpm_new)(void **out);
    int (*gpm_free)(void *sample);
    int (*gpm_get)(void *device, void *sample);
    int (*gpm_metrics)(struct gpm_metrics *m);
};
static const struct {
    const char *name;
    size_t offset;
    bool may_miss;
} nvml_names[] = {
    {"nvmlInit_v2", offsetof(struct nvml_calls, init), false},
    {"nvmlShutdown", offsetof(struct nvml_calls, shutdown), false},
    {"nvmlDeviceGetCount_v2", offsetof(struct nvml_calls, count), false},
    {"nvmlDeviceGetHandleByIndex_v2", offsetof(struct nvml_calls, device), false},
    {"nvmlDeviceGetTotalEnergyConsumption", offsetof(struct nvml_calls, energy), false},
    {"nvmlDeviceGetPowerUsage", offsetof(struct nvml_calls, power), false},
    {"nvmlDeviceGetUtilizationRates", offsetof(struct nvml_calls, utilization), false},
    {"nvmlErrorString", offsetof(struct nvml_calls, error), false},
    {"nvmlDeviceGetMemoryInfo", offsetof(struct nvml_calls, memory), true},
    {"nvmlGpmQueryDeviceSupport", offsetof(struct nvml_calls, gpm_support), true},
    {"nvmlGpmSampleAlloc", offsetof(struct nvml_calls, gpm_new), true},
    {"nvmlGpmSampleFree", offsetof(struct nvml_calls, gpm_free), true},
    {"nvmlGpmSampleGet", offsetof(struct nvml_calls, gpm_get), true},
    {"nvmlGpmMetricsGet", offsetof(struct nvml_calls, gpm_metrics), true},
};

enum nvml_what { NVML_ENERGY, NVML_POWER, NVML_BUSY, NVML_COMPUTING, NVML_USED, NVML_GPM };
struct nvml_counter {
    void *device;
    enum nvml_what what;
    unsigned gpm;    /* NVML_GPM: the device's monitors, row of nvml_state */
    unsigned metric; /* row of gpm_rows; the first one is read first and takes the sample */
};

/* The last two samples of one device. */
struct nvml_gpm {
    void *device, *before, *now;
    double values[GPM_LEN]; /* not a number: unknown */
    uint64_t sampled_ns;
    int result; /* status of the last sample */
};

struct nvml_state {
    void *library;
    struct nvml_calls calls;
    bool is_initialised;
    LS_VECTOR(struct nvml_counter) counters;
    LS_VECTOR(struct nvml_gpm) gpms;
};

static ls_err nvml_load(const struct trf_machine *m, struct nvml_state *s)
{
    const char *name = m->nvml_library ? m->nvml_library : "libnvidia-ml.so.1";
    s->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!s->library)
        return ls_fail(LS_ERR_UNSUPPORTED, "%s is not here: install the driver of NVIDIA's GPUs", name);
    for (size_t i = 0; i < sizeof(nvml_names) / sizeof(nvml_names[0]); i++) {
        void *call = dlsym(s->library, nvml_names[i].name);
        if (!call && nvml_names[i].may_miss) continue;
        if (!call)
            return ls_fail(LS_ERR_UNSUPPORTED, "%s has no %s: it is too old", name, nvml_names[i].name);
        memcpy((char *)&s->calls + nvml_names[i].offset, &call, sizeof(call));
    }
    const int result = s->calls.init();
    if (result != NVML_OK) return ls_fail(LS_ERR_IO, "%s: %s", name, s->calls.error(result));
    s->is_initialised = true;
    return LS_OK;
}

static ls_err nvml_add(struct trf_opened *o, const struct trf_counter *c, const char *word,
                       struct nvml_counter counter)
{
    struct nvml_state *s = o->state;
    char name[TRF_NAME_BYTES];
    snprintf(name, sizeof(name), "%s %s", c->scope, word);
    LS_TRY(trf_opened_add(o, c, name));
    return LS_VECTOR_ADD(&s->counters, counter);
}

/* Monitors count between two samples; the first one is taken here. */
static ls_err nvml_add_gpm(struct trf_opened *o, struct trf_counter *c, void *device)
{
    struct nvml_state *s = o->state;
    const struct nvml_calls *calls = &s->calls;
    struct gpm_support support = {.version = GPM_VERSION};
    struct nvml_gpm g = {.device = device};
    for (unsigned i = 0; i < GPM_LEN; i++)
        g.values[i] = NAN;
    if (!calls->gpm_support || !calls->gpm_new || !calls->gpm_free || !calls->gpm_get ||
        !calls->gpm_metrics || calls->gpm_support(device, &support) != NVML_OK || !support.is_supported)
        return LS_OK;
    if (calls->gpm_new(&g.before) != NVML_OK || calls->gpm_new(&g.now) != NVML_OK ||
        calls->gpm_get(device, g.before) != NVML_OK) {
        if (g.before) calls->gpm_free(g.before);
        if (g.now) calls->gpm_free(g.now);
        return LS_OK;
    }
    g.sampled_ns = ls_clock_mono_ns();
    LS_TRY(LS_VECTOR_ADD(&s->gpms, g));
    for (unsigned i = 0; i < GPM_LEN; i++) {
        snprintf(c->unit, sizeof(c->unit), "%s", gpm_rows[i].unit);
        c->scale = gpm_rows[i].scale;
        LS_TRY(nvml_add(o, c, gpm_rows[i].name,
                        (struct nvml_counter){device, NVML_GPM, (unsigned)s->gpms.len - 1, i}));
    }
    return LS_OK;
}

/* Energy where the device counts it (Volta and later), otherwise power. */
static ls_err nvml_add_energy(struct trf_opened *o, struct trf_counter *c, void *device)
{
    struct nvml_state *s = o->state;
    unsigned long long mj;
    unsigned mw;
    c->kind = LS_COUNTER_ENERGY;
    c->scale = 1e-3;
    if (s->calls.energy(device, &mj) == NVML_OK) {
        strcpy(c->unit, "J");
        return nvml_add(o, c, "energy", (struct nvml_counter){.device = device, .what = NVML_ENERGY});
    }
    if (s->calls.power(device, &mw) != NVML_OK) return LS_OK;
    strcpy(c->unit, "W");
    c->is_level = true;
    return nvml_add(o, c, "power", (struct nvml_counter){.device = device, .what = NVML_POWER});
}

static ls_err nvml_add_device(struct trf_opened *o, unsigned index)
{
    struct nvml_state *s = o->state;
    struct nvml_utilization busy;
    struct nvml_memory memory;
    void *device;
    struct trf_counter c = {.kind = LS_COUNTER_OTHER};
    if (s->calls.device(index, &device) != NVML_OK) return LS_OK;
    snprintf(c.scope, sizeof(c.scope), "GPU %u", index);
    LS_TRY(nvml_add_energy(o, &c, device));
    c.kind = LS_COUNTER_OTHER;
    c.is_level = true;
    c.scale = 1;
    strcpy(c.unit, "%");
    if (s->calls.utilization(device, &busy) == NVML_OK) {
        LS_TRY(nvml_add(o, &c, "memory busy", (struct nvml_counter){.device = device, .what = NVML_BUSY}));
        LS_TRY(nvml_add(o, &c, "busy", (struct nvml_counter){.device = device, .what = NVML_COMPUTING}));
    }
    strcpy(c.unit, "B");
    if (s->calls.memory && s->calls.memory(device, &memory) == NVML_OK)
        LS_TRY(nvml_add(o, &c, "memory used", (struct nvml_counter){.device = device, .what = NVML_USED}));
    return nvml_add_gpm(o, &c, device);
}

static ls_err nvml_open(const struct trf_machine *m, const char *const *metrics, struct trf_opened *out)
{
    unsigned len = 0;
    (void)metrics;
    struct nvml_state *s = calloc(1, sizeof(*s));
    if (!s) return ls_nomem("counters");
    out->state = s;
    LS_TRY(nvml_load(m, s));
    if (s->calls.count(&len) != NVML_OK || len == 0)
        return ls_fail(LS_ERR_NOT_FOUND, "NVIDIA's driver is here, but no GPU");
    for (unsigned i = 0; i < len && i < NVML_DEVICES_MAX; i++)
        LS_TRY(nvml_add_device(out, i));
    if (out->counters.len == 0)
        return ls_fail(LS_ERR_UNSUPPORTED, "the GPUs report neither energy nor power");
    snprintf(out->detail, sizeof(out->detail), "%u GPUs, %zu counters", len, out->counters.len);
    return LS_OK;
}

/* Take a sample, and compute the metrics since the last one. The last reading of a recording may come too soon: it repeats the metrics. */
static int nvml_read_gpm(const struct nvml_calls *calls, struct nvml_gpm *g)
{
    struct gpm_metrics m = {.version = GPM_VERSION, .len = GPM_LEN, .before = g->before, .now = g->now};
    const uint64_t now_ns = ls_clock_mono_ns();
    if (now_ns - g->sampled_ns < NVML_RENEWED_NS) return g->result;
    g->sampled_ns = now_ns;
    for (unsigned i = 0; i < GPM_LEN; i++) {
        m.rows[i].id = gpm_rows[i].number;
        g->values[i] = NAN;
    }
    g->result = calls->gpm_get(g->device, g->now);
    if (g->result == NVML_OK) g->result = calls->gpm_metrics(&m);
    for (unsigned i = 0; g->result == NVML_OK && i < GPM_LEN; i++)
        if (m.rows[i].result == NVML_OK) g->values[i] = m.rows[i].value;
    if (g->result != NVML_OK) return g->result;
    g->before = m.now;
    g->now = m.before;
    return NVML_OK;
}

static void nvml_read_counter(struct nvml_state *s, const struct nvml_counter *c, struct trf_reading *out)
{
    const struct nvml_calls *const calls = &s->calls;
    struct nvml_gpm *const gpm = c->what == NVML_GPM ? &s->gpms.rows[c->gpm] : NULL;
    struct nvml_memory memory = {0};
    struct nvml_utilization busy = {0};
    unsigned long long mj = 0;
    unsigned mw = 0;
    int result = NVML_OK;
    switch (c->what) {
    case NVML_ENERGY:
        result = calls->energy(c->device, &mj);
        out->count = mj;
        break;
    case NVML_POWER:
        result = calls->power(c->device, &mw);
        out->level = mw;
        break;
    case NVML_BUSY:
        result = calls->utilization(c->device, &busy);
        out->level = busy.memory;
        break;
    case NVML_COMPUTING:
        result = calls->utilization(c->device, &busy);
        out->level = busy.gpu;
        break;
    case NVML_USED:
        result = calls->memory(c->device, &memory);
        out->level = (double)memory.used;
        break;
    case NVML_GPM:
        if (c->metric == 0) result = nvml_read_gpm(calls, gpm);
        out->level = gpm->values[c->metric];
        break;
    }
    if (result != NVML_OK)
        out->gap = LS_GAP_GONE;
    else if (isnan(out->level))
        out->gap = LS_GAP_UNREADABLE;
}

static void nvml_read(void *state, struct trf_reading *out)
{
    struct nvml_state *s = state;
    for (size_t i = 0; i < s->counters.len; i++)
        nvml_read_counter(s, &s->counters.rows[i], &out[i]);
}

static void nvml_close(void *state)
{
    struct nvml_state *s = state;
    if (!s) return;
    for (size_t i = 0; i < s->gpms.len; i++) {
        s->calls.gpm_free(s->gpms.rows[i].before);
        s->calls.gpm_free(s->gpms.rows[i].now);
    }
    free(s->gpms.rows);
    if (s->is_initialised) s->calls.shutdown();
    if (s->library) dlclose(s->library);
    free(s->counters.rows);
    free(s);
}

const struct trf_source trf_source_nvml = {
    .name = "nvml",
    .group = "power",
    .gives =
        "energy of each NVIDIA GPU, memory used, the share of time in which it and its memory were busy; from "
        "Hopper on, memory bandwidth used and bytes of PCIe",
    .needs = "the driver of NVIDIA's GPUs (libnvidia-ml.so.1); no privilege",
    .renewed_ns = NVML_RENEWED_NS,
    .open = nvml_open,
    .read = nvml_read,
    .close = nvml_close,
};
