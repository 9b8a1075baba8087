/* SPDX-License-Identifier: BSD-3-Clause */
/* A library with the functions of NVML that Loadstone calls. It shows two GPUs; the second one counts no energy.
 * Every reading adds a joule; FAKE_NVML_LOST in the environment: the first GPU is lost. */
#include <stdint.h>
#include <stdlib.h>

enum { OK = 0, NOT_SUPPORTED = 3, GPU_IS_LOST = 15 };
struct utilization {
    unsigned gpu, memory;
};

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned *out);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **out);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *out_mj);
int nvmlDeviceGetPowerUsage(void *device, unsigned *out_mw);
int nvmlDeviceGetUtilizationRates(void *device, struct utilization *out);
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

const char *nvmlErrorString(int result)
{
    return result == GPU_IS_LOST ? "GPU is lost" : "error";
}
