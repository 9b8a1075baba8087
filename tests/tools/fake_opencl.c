/* SPDX-License-Identifier: BSD-3-Clause */
/* A libOpenCL.so.1 for tests of errors: one device, which runs nothing. FAKE_OPENCL names its defect: empty (a driver without
 * device), plain (no fp64, no atomics of 64 bits), small (an array takes 1 MiB at most), memory (no memory is left), build (the source
 * is not compiled), stuck (no kernel ends), lost (kernels end with an error), idle (kernels end at once, and have done nothing). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_defect(const char *name)
{
    const char *defect = getenv("FAKE_OPENCL");
    return defect && strcmp(defect, name) == 0;
}

static int object;

int clGetPlatformIDs(uint32_t room, void **out, uint32_t *len)
{
    if (room && out) out[0] = &object;
    *len = 1;
    return 0;
}

static int put_text(const char *text, size_t room, void *out)
{
    snprintf(out, room, "%s", text);
    return 0;
}

int clGetPlatformInfo(void *platform, uint32_t what, size_t room, void *out, size_t *len)
{
    (void)platform, (void)what, (void)len;
    return put_text("Made-up platform", room, out);
}

int clGetDeviceIDs(void *platform, uint64_t type, uint32_t room, void **out, uint32_t *len)
{
    (void)platform, (void)type, (void)room;
    if (is_defect("empty")) return -1;
    out[0] = &object;
    *len = 1;
    return 0;
}

int clGetDeviceInfo(void *device, uint32_t what, size_t room, void *out, size_t *len)
{
    uint64_t number = 1;
    (void)device, (void)len;
    if (what == 0x102b) return put_text("Made-up device", room, out);
    if (what == 0x102d) return put_text("1.0", room, out);
    if (what == 0x1030)
        return put_text(is_defect("plain") ? "cl_khr_icd" : "cl_khr_fp64 cl_khr_int64_base_atomics", room,
                        out);
    if (what == 0x1000) number = 4;
    if (what == 0x1004) number = 256;
    if (what == 0x1010) number = is_defect("small") ? UINT64_C(1) << 20 : UINT64_C(1) << 30;
    if (what == 0x101e) number = 4096;
    if (what == 0x101f) number = UINT64_C(2) << 30;
    if (what == 0x1020 || what == 0x1023) number = 65536;
    memcpy(out, &number, room < sizeof(number) ? room : sizeof(number));
    return 0;
}

void *clCreateContext(const intptr_t *properties, uint32_t len, void *const *devices, void *notify, void *arg,
                      int *err)
{
    (void)properties, (void)len, (void)devices, (void)notify, (void)arg;
    *err = 0;
    return &object;
}

void *clCreateCommandQueue(void *context, void *device, uint64_t properties, int *err)
{
    (void)context, (void)device;
    *err = properties == 2 ? 0 : -35; /* with profiling */
    return *err ? NULL : &object;
}

void *clCreateBuffer(void *context, uint64_t flags, size_t len, void *host, int *err)
{
    (void)context, (void)flags, (void)host;
    *err = is_defect("memory") ? -4 : 0;
    return *err ? NULL : malloc(len);
}

int clReleaseMemObject(void *buffer)
{
    free(buffer);
    return 0;
}

int clEnqueueWriteBuffer(void *queue, void *buffer, uint32_t waits, size_t at, size_t len, const void *from,
                         uint32_t n, void *const *before, void **event)
{
    (void)queue, (void)waits, (void)n, (void)before, (void)event;
    memcpy((char *)buffer + at, from, len);
    return 0;
}

int clEnqueueReadBuffer(void *queue, void *buffer, uint32_t waits, size_t at, size_t len, void *to,
                        uint32_t n, void *const *before, void **event)
{
    (void)queue, (void)waits, (void)n, (void)before, (void)event, (void)buffer, (void)at;
    memset(to, 0x5a, len);
    return 0;
}

void *clCreateProgramWithSource(void *context, uint32_t len, const char **texts, const size_t *lengths,
                                int *err)
{
    (void)context, (void)len, (void)lengths;
    *err = strstr(texts[0], "kernel void NAME") ? 0 : -30;
    return *err ? NULL : &object;
}

int clBuildProgram(void *program, uint32_t len, void *const *devices, const char *options, void *notify,
                   void *arg)
{
    (void)program, (void)len, (void)devices, (void)notify, (void)arg;
    return is_defect("build") || !strstr(options, "-D NAME=") ? -11 : 0;
}

int clGetProgramBuildInfo(void *program, void *device, uint32_t what, size_t room, void *out, size_t *len)
{
    (void)program, (void)device, (void)what, (void)len;
    return put_text("line 1: no such\nword", room, out);
}

void *clCreateKernel(void *program, const char *name, int *err)
{
    (void)program;
    *err = *name ? 0 : -46;
    return &object;
}

int clSetKernelArg(void *kernel, uint32_t at, size_t len, const void *value)
{
    (void)kernel;
    return at < 8 && len && value ? 0 : -50;
}

int clEnqueueNDRangeKernel(void *queue, void *kernel, uint32_t dimensions, const size_t *offset,
                           const size_t *items, const size_t *group_items, uint32_t n, void *const *before,
                           void **event)
{
    (void)queue, (void)kernel, (void)offset, (void)n, (void)before;
    *event = &object;
    return dimensions == 2 && items[0] % group_items[0] == 0 && items[1] % group_items[1] == 0 ? 0 : -54;
}

int clFlush(void *queue)
{
    return queue ? 0 : -36;
}

int clGetEventInfo(void *event, uint32_t what, size_t room, void *out, size_t *len)
{
    const int status = is_defect("stuck") ? 1 : is_defect("lost") ? -5 : 0;
    (void)event, (void)what, (void)len;
    memcpy(out, &status, room);
    return 0;
}

int clGetEventProfilingInfo(void *event, uint32_t what, size_t room, void *out, size_t *len)
{
    const uint64_t ns = what == 0x1282 ? 1000000 : 2000000;
    (void)event, (void)len;
    memcpy(out, &ns, room);
    return 0;
}

int clReleaseEvent(void *event)
{
    return event ? 0 : -58;
}
