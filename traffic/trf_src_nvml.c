/* SPDX-License-Identifier: BSD-3-Clause */
/* NVIDIA's GPUs by their management library, which is loaded when it is there (NVML API reference). */
#include "traffic/trf_source.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The part of the library's interface that is used: nvmlReturn_t is an int, and devices are pointers. */
enum { NVML_OK = 0, NVML_DEVICES_MAX = 64 };
struct nvml_utilization {
    unsigned gpu, memory; /* percent of the time since the last sample of the driver */
};

struct nvml_calls {
    int (*init)(void);
    int (*shutdown)(void);
    int (*count)(unsigned *out);
    int (*device)(unsigned index, void **out);
    int (*energy)(void *device, unsigned long long *out_mj);
    int (*power)(void *device, unsigned *out_mw);
    int (*utilization)(void *device, struct nvml_utilization *out);
    const char *(*error)(int result);
};
static const struct {
    const char *name;
    size_t offset;
} nvml_names[] = {
    {"nvmlInit_v2", offsetof(struct nvml_calls, init)},
    {"nvmlShutdown", offsetof(struct nvml_calls, shutdown)},
    {"nvmlDeviceGetCount_v2", offsetof(struct nvml_calls, count)},
    {"nvmlDeviceGetHandleByIndex_v2", offsetof(struct nvml_calls, device)},
    {"nvmlDeviceGetTotalEnergyConsumption", offsetof(struct nvml_calls, energy)},
    {"nvmlDeviceGetPowerUsage", offsetof(struct nvml_calls, power)},
    {"nvmlDeviceGetUtilizationRates", offsetof(struct nvml_calls, utilization)},
    {"nvmlErrorString", offsetof(struct nvml_calls, error)},
};

enum nvml_what { NVML_ENERGY, NVML_POWER, NVML_BUSY };
struct nvml_counter {
    void *device;
    enum nvml_what what;
};

struct nvml_state {
    void *library;
    struct nvml_calls calls;
    bool is_initialised;
    LS_VECTOR(struct nvml_counter) counters;
};

static ls_err nvml_load(const struct trf_machine *m, struct nvml_state *s)
{
    const char *name = m->nvml_library ? m->nvml_library : "libnvidia-ml.so.1";
    s->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!s->library)
        return ls_fail(LS_ERR_UNSUPPORTED, "%s is not here: install the driver of NVIDIA's GPUs", name);
    for (size_t i = 0; i < sizeof(nvml_names) / sizeof(nvml_names[0]); i++) {
        void *call = dlsym(s->library, nvml_names[i].name);
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

/* Energy where the device counts it (Volta and later), otherwise power. */
static ls_err nvml_add_device(struct trf_opened *o, unsigned index)
{
    struct nvml_state *s = o->state;
    struct nvml_utilization busy;
    void *device;
    unsigned long long mj;
    unsigned mw;
    struct trf_counter c = {.kind = LS_COUNTER_ENERGY, .scale = 1e-3};
    if (s->calls.device(index, &device) != NVML_OK) return LS_OK;
    snprintf(c.scope, sizeof(c.scope), "GPU %u", index);
    if (s->calls.energy(device, &mj) == NVML_OK) {
        strcpy(c.unit, "J");
        LS_TRY(nvml_add(o, &c, "energy", (struct nvml_counter){device, NVML_ENERGY}));
    } else if (s->calls.power(device, &mw) == NVML_OK) {
        strcpy(c.unit, "W");
        c.is_level = true;
        LS_TRY(nvml_add(o, &c, "power", (struct nvml_counter){device, NVML_POWER}));
    }
    if (s->calls.utilization(device, &busy) != NVML_OK) return LS_OK;
    c = (struct trf_counter){.unit = "%", .kind = LS_COUNTER_OTHER, .scale = 1, .is_level = true};
    snprintf(c.scope, sizeof(c.scope), "GPU %u", index);
    return nvml_add(o, &c, "memory busy", (struct nvml_counter){device, NVML_BUSY});
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

static void nvml_read_counter(const struct nvml_calls *calls, const struct nvml_counter *c,
                              struct trf_reading *out)
{
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
    }
    if (result != NVML_OK) out->gap = LS_GAP_GONE;
}

static void nvml_read(void *state, struct trf_reading *out)
{
    const struct nvml_state *s = state;
    for (size_t i = 0; i < s->counters.len; i++)
        nvml_read_counter(&s->calls, &s->counters.rows[i], &out[i]);
}

static void nvml_close(void *state)
{
    struct nvml_state *s = state;
    if (!s) return;
    if (s->is_initialised) s->calls.shutdown();
    if (s->library) dlclose(s->library);
    free(s->counters.rows);
    free(s);
}

const struct trf_source trf_source_nvml = {
    .name = "nvml",
    .group = "power",
    .gives = "energy of each NVIDIA GPU, and the share of time in which its memory was busy",
    .needs = "the driver of NVIDIA's GPUs (libnvidia-ml.so.1); no privilege",
    .open = nvml_open,
    .read = nvml_read,
    .close = nvml_close,
};
