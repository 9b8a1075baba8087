/* SPDX-License-Identifier: BSD-3-Clause */
/* A library with the functions of NVML that Loadstone calls. It shows two GPUs; the second one counts no energy.
 * The first one has
 * performance monitors, and a sample is its own number. Every reading adds a joule; FAKE_NVML_LOST in the environment: the first GPU is lost. */
#include <stdint.h>
#include <stdlib.h>

enum { OK = 0, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, GPU_IS_LOST = 15 };
struct utilization {
    unsigned gpu, memory;
};

struct memory {
    unsigned long long total, free, used;
};
struct support {
    unsigned version, is_supported;
};
struct metric {
    unsigned id;
    int result;
    double value;
    const char *texts[3];
};
struct metrics {
    unsigned version, len;
    int *before, *now;
    struct metric rows[];
};

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned *out);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **out);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *out_mj);
int nvmlDeviceGetPowerUsage(void *device, unsigned *out_mw);
int nvmlDeviceGetUtilizationRates(void *device, struct utilization *out);
int nvmlDeviceGetMemoryInfo(void *device, struct memory *out);
int nvmlGpmQueryDeviceSupport(void *device, struct support *out);
int nvmlGpmSampleAlloc(int **out);
int nvmlGpmSampleFree(int *sample);
int nvmlGpmSampleGet(void *device, int *sample);
int nvmlGpmMetricsGet(struct metrics *m);
const char *nvmlErrorString(int result);

static int devices[2];

static int lost(const void *device)
{
    return device == &devices[0] && getenv("FAKE_NVML_LOST") ? GPU_IS_LOST : OK;
}

int nvmlInit_v2(void)
{
    return OK;
}

int nvmlShutdown(void)
{
    return OK;
}

int nvmlDeviceGetCount_v2(unsigned *out)
{
    *out = 2;
    return OK;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **out)
{
    *out = &devices[index];
    return OK;
}

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *out_mj)
{
    static unsigned long long mj;
    if (device == &devices[1]) return NOT_SUPPORTED;
    *out_mj = mj += 1000;
    return lost(device);
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *out_mw)
{
    *out_mw = 250500;
    return lost(device);
}

int nvmlDeviceGetUtilizationRates(void *device, struct utilization *out)
{
    *out = (struct utilization){90, 40};
    return lost(device);
}

int nvmlDeviceGetMemoryInfo(void *device, struct memory *out)
{
    *out = (struct memory){100, 70, 30};
    return lost(device);
}

int nvmlGpmQueryDeviceSupport(void *device, struct support *out)
{
    if (out->version != 1) return INVALID_ARGUMENT;
    out->is_supported = device == &devices[0];
    return OK;
}

int nvmlGpmSampleAlloc(int **out)
{
    *out = calloc(1, sizeof(**out));
    return *out ? OK : INVALID_ARGUMENT;
}

int nvmlGpmSampleFree(int *sample)
{
    free(sample);
    return OK;
}

int nvmlGpmSampleGet(void *device, int *sample)
{
    static int number;
    *sample = ++number;
    return lost(device);
}

/* Metric i is i for each sample between the two; the bytes sent by PCIe cannot be known. */
int nvmlGpmMetricsGet(struct metrics *m)
{
    if (m->version != 1) return INVALID_ARGUMENT;
    for (unsigned i = 0; i < m->len; i++) {
        m->rows[i].value = (double)m->rows[i].id * (*m->now - *m->before);
        m->rows[i].result = m->rows[i].id == 20 ? NOT_SUPPORTED : OK;
    }
    return OK;
}

const char *nvmlErrorString(int result)
{
    return result == GPU_IS_LOST ? "GPU is lost" : "error";
}
