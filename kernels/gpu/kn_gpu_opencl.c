/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices by OpenCL 1.2: libOpenCL.so.1 is loaded at run time, and kernels are compiled by its driver. The few functions and
 * constants that are used are declared here, as in the Khronos headers cl.h and cl_ext.h. */
#include "config.h"

#include "kernels/gpu/kn_gpu.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* ---- declarations ---- */

typedef struct cl_object
    *cl_handle; /* platforms, devices, contexts, queues, memory, programs, kernels, events */
typedef int32_t cl_int;
typedef uint64_t cl_bits;

enum {
    CL_SUCCESS = 0,
    CL_DEVICE_NOT_FOUND = -1,
    CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
    CL_OUT_OF_RESOURCES = -5,
    CL_OUT_OF_HOST_MEMORY = -6,
    CL_INVALID_BUFFER_SIZE = -61,
    CL_PLATFORM_NOT_FOUND = -1001,
    CL_PLATFORM_NAME = 0x0902,
    CL_DEVICE_TYPE = 0x1000,
    CL_DEVICE_UNITS = 0x1002,
    CL_DEVICE_GROUP_ITEMS_MAX = 0x1004,
    CL_DEVICE_BLOCK_BYTES_MAX = 0x1010,
    CL_DEVICE_CACHE_BYTES = 0x101e,
    CL_DEVICE_MEMORY_BYTES = 0x101f,
    CL_DEVICE_CONSTANT_BYTES_MAX = 0x1020,
    CL_DEVICE_LOCAL_BYTES = 0x1023,
    CL_DEVICE_NAME = 0x102b,
    CL_DRIVER_VERSION = 0x102d,
    CL_DEVICE_EXTENSIONS = 0x1030,
    CL_QUEUE_PROFILING = 2,
    CL_MEM_READ_WRITE = 1,
    CL_PROGRAM_BUILD_LOG = 0x1183,
    CL_EVENT_STATUS = 0x11d3,
    CL_COMPLETE = 0,
    CL_PROFILING_START = 0x1282,
    CL_PROFILING_END = 0x1283
};
#define CL_DEVICE_TYPE_GPU UINT64_C(4)
#define CL_DEVICE_TYPE_ALL UINT64_C(0xffffffff)

/* X(return type, name, parameters) */
#define FUNCTIONS(X)                                                                                       \
    X(cl_int, clGetPlatformIDs, (uint32_t room, cl_handle * out, uint32_t * len))                          \
    X(cl_int, clGetPlatformInfo, (cl_handle, uint32_t what, size_t room, void *out, size_t *len))          \
    X(cl_int, clGetDeviceIDs, (cl_handle, cl_bits type, uint32_t room, cl_handle * out, uint32_t * len))   \
    X(cl_int, clGetDeviceInfo, (cl_handle, uint32_t what, size_t room, void *out, size_t *len))            \
    X(cl_handle, clCreateContext,                                                                          \
      (const intptr_t *properties, uint32_t len, const cl_handle *, void *notify, void *arg, cl_int *err)) \
    X(cl_handle, clCreateCommandQueue, (cl_handle, cl_handle, cl_bits properties, cl_int * err))           \
    X(cl_handle, clCreateBuffer, (cl_handle, cl_bits flags, size_t len, void *host, cl_int *err))          \
    X(cl_int, clReleaseMemObject, (cl_handle))                                                             \
    X(cl_int, clEnqueueWriteBuffer,                                                                        \
      (cl_handle, cl_handle, uint32_t waits, size_t at, size_t len, const void *, uint32_t,                \
       const cl_handle *, cl_handle *))                                                                    \
    X(cl_int, clEnqueueReadBuffer,                                                                         \
      (cl_handle, cl_handle, uint32_t waits, size_t at, size_t len, void *, uint32_t, const cl_handle *,   \
       cl_handle *))                                                                                       \
    X(cl_handle, clCreateProgramWithSource,                                                                \
      (cl_handle, uint32_t len, const char **, const size_t *, cl_int *err))                               \
    X(cl_int, clBuildProgram,                                                                              \
      (cl_handle, uint32_t len, const cl_handle *, const char *options, void *notify, void *arg))          \
    X(cl_int, clGetProgramBuildInfo,                                                                       \
      (cl_handle, cl_handle, uint32_t what, size_t room, void *out, size_t *len))                          \
    X(cl_handle, clCreateKernel, (cl_handle, const char *name, cl_int *err))                               \
    X(cl_int, clSetKernelArg, (cl_handle, uint32_t at, size_t len, const void *))                          \
    X(cl_int, clEnqueueNDRangeKernel,                                                                      \
      (cl_handle, cl_handle, uint32_t dimensions, const size_t *offset, const size_t *items,               \
       const size_t *group_items, uint32_t, const cl_handle *, cl_handle *event))                          \
    X(cl_int, clFlush, (cl_handle))                                                                        \
    X(cl_int, clGetEventInfo, (cl_handle, uint32_t what, size_t room, void *out, size_t *len))             \
    X(cl_int, clGetEventProfilingInfo, (cl_handle, uint32_t what, size_t room, void *out, size_t *len))    \
    X(cl_int, clReleaseEvent, (cl_handle))

#define DECLARE(type, name, parameters) type(*name) parameters;
struct opencl {
    FUNCTIONS(DECLARE)
    cl_handle device, context, queue;
};
#undef DECLARE

/* ---- errors ---- */

static const struct {
    cl_int code;
    const char *text;
} causes[] = {
    {CL_DEVICE_NOT_FOUND, "there is no device"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "out of device memory: lower --count or --size"},
    {CL_OUT_OF_RESOURCES, "out of resources: the device was reset, or lower --local-work-size"},
    {CL_OUT_OF_HOST_MEMORY, "out of memory"},
    {CL_INVALID_BUFFER_SIZE, "the device takes no array as large: lower --count or --size"},
    {-2, "the device is not available: another program uses it alone, or it was lost"},
    {-36, "the device was lost: see the kernel's messages (dmesg)"},
    {-54, "the device takes no such group: lower --local-work-size"},
    {CL_PLATFORM_NOT_FOUND, "no driver is installed (an ICD in /etc/OpenCL/vendors)"},
};

static ls_err fail(const struct kn_gpu *g, const char *call, cl_int code)
{
    const char *text = "see the manual of OpenCL";
    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
        if (causes[i].code == code) text = causes[i].text;
    const bool is_memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY ||
                           code == CL_INVALID_BUFFER_SIZE;
    return ls_fail(is_memory ? LS_ERR_NOMEM : LS_ERR_UNSUPPORTED, "OpenCL%s%s: %s reports error %d: %s",
                   *g->info.name ? ", device " : "", g->info.name, call, code, text);
}

#define CALL(g, call, ...)                                           \
    do {                                                             \
        const cl_int call_err = cl_of(g)->call(__VA_ARGS__);         \
        if (call_err != CL_SUCCESS) return fail(g, #call, call_err); \
    } while (0)

static struct opencl *cl_of(const struct kn_gpu *g)
{
    return g->self;
}

/* ---- devices ---- */

static ls_err load(struct opencl *cl)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "backend opencl: %s; install an ICD loader (ocl-icd-libopencl1) and a driver",
                       dlerror());
#define FIND(type, name, parameters)             \
    *(void **)&cl->name = dlsym(library, #name); \
    if (!cl->name)                               \
        return ls_fail(LS_ERR_UNSUPPORTED, "backend opencl: libOpenCL.so.1 has no function " #name);
    FUNCTIONS(FIND)
#undef FIND
    return LS_OK;
}

static void text_of(const struct opencl *cl, cl_handle device, uint32_t what, char *out, size_t room)
{
    if (cl->clGetDeviceInfo(device, what, room - 1, out, NULL) != CL_SUCCESS) *out = '\0';
    out[room - 1] = '\0';
}

static uint64_t number_of(const struct opencl *cl, cl_handle device, uint32_t what, size_t bytes)
{
    uint64_t number = 0;
    return cl->clGetDeviceInfo(device, what, bytes, &number, NULL) == CL_SUCCESS ? number : 0;
}

static void describe(const struct opencl *cl, cl_handle platform, cl_handle device, struct kn_gpu_info *out)
{
    char extensions[8192] = "", maker[64] = "", version[64] = "";
    *out = (struct kn_gpu_info){.has_constant = true};
    text_of(cl, device, CL_DEVICE_NAME, out->name, sizeof(out->name));
    text_of(cl, device, CL_DRIVER_VERSION, version, sizeof(version));
    text_of(cl, device, CL_DEVICE_EXTENSIONS, extensions, sizeof(extensions));
    cl->clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(maker) - 1, maker, NULL);
    snprintf(out->driver, sizeof(out->driver), "%s %s", maker, version);
    out->memory_bytes = number_of(cl, device, CL_DEVICE_MEMORY_BYTES, 8);
    out->block_bytes_max = number_of(cl, device, CL_DEVICE_BLOCK_BYTES_MAX, 8);
    out->constant_bytes_max = number_of(cl, device, CL_DEVICE_CONSTANT_BYTES_MAX, 8);
    out->local_bytes = number_of(cl, device, CL_DEVICE_LOCAL_BYTES, 8);
    out->cache_bytes = number_of(cl, device, CL_DEVICE_CACHE_BYTES, 8);
    out->units = (unsigned)number_of(cl, device, CL_DEVICE_UNITS, 4);
    out->group_items_max = (unsigned)number_of(cl, device, CL_DEVICE_GROUP_ITEMS_MAX, sizeof(size_t));
    out->has_fp64 = strstr(extensions, "cl_khr_fp64") != NULL;
    out->has_atomics_64 = strstr(extensions, "cl_khr_int64_base_atomics") != NULL;
}

enum { PLATFORMS_MAX = 16, DEVICES_MAX = 64 };

struct found {
    cl_handle device;
    struct kn_gpu_info info;
    bool is_gpu;
};

/* The devices that ranks share out: the GPUs, or all where there is none. Returns their number. */
static unsigned sharers(const struct found *all, unsigned len, const struct found **out)
{
    unsigned gpus = 0, n = 0;
    for (unsigned i = 0; i < len; i++)
        gpus += all[i].is_gpu;
    for (unsigned i = 0; i < len; i++)
        if (!gpus || all[i].is_gpu) out[n++] = &all[i];
    return n;
}

/* Choose the first GPU among the wished devices, or else the first one; each rank of a node another one. */
static ls_err choose(struct kn_gpu *g, const char *wish, FILE *list, struct found *out)
{
    const struct opencl *cl = g->self;
    cl_handle platforms[PLATFORMS_MAX], devices[DEVICES_MAX];
    uint32_t platforms_len = 0, len = 0, at = 0, wished_len = 0;
    char names[512] = "";
    const cl_int err = cl->clGetPlatformIDs(PLATFORMS_MAX, platforms, &platforms_len);
    if (err == CL_PLATFORM_NOT_FOUND || (err == CL_SUCCESS && platforms_len == 0))
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "backend opencl: no driver is installed (an ICD in /etc/OpenCL/vendors); "
                       "pocl-opencl-icd runs kernels on the processor");
    if (err != CL_SUCCESS) return fail(g, "clGetPlatformIDs", err);
    struct found *wished = calloc(DEVICES_MAX, sizeof(*wished));
    if (!wished) return ls_nomem("the list of devices");
    for (uint32_t p = 0; p < platforms_len && p < PLATFORMS_MAX; p++) {
        if (cl->clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, DEVICES_MAX, devices, &len) != CL_SUCCESS)
            continue;
        for (uint32_t d = 0; d < len && d < DEVICES_MAX; d++, at++) {
            struct found f = {.device = devices[d]};
            describe(cl, platforms[p], f.device, &f.info);
            f.is_gpu = number_of(cl, f.device, CL_DEVICE_TYPE, 8) & CL_DEVICE_TYPE_GPU;
            if (list) fprintf(list, "%19s device %u: %s (%s)\n", "", at, f.info.name, f.info.driver);
            const size_t used = strlen(names);
            snprintf(names + used, sizeof(names) - used, "%s%u (%s)", used ? ", " : "", at, f.info.name);
            if (kn_gpu_is_wished(wish, f.info.name, at) && wished_len < DEVICES_MAX) wished[wished_len++] = f;
        }
    }
    const struct found *shared[DEVICES_MAX];
    const unsigned shared_len = sharers(wished, wished_len, shared);
    if (shared_len) *out = *shared[g->local % shared_len];
    free(wished);
    if (at == 0)
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "backend opencl: the installed driver finds no device here: is the "
                       "device's kernel module loaded, and may this user open it?");
    if (out->device || list) return LS_OK;
    return ls_fail(LS_ERR_UNSUPPORTED, "--device %s: backend opencl has no such device; there are %s", wish,
                   names);
}

static ls_err start(struct kn_gpu *g, const char *wish, FILE *list)
{
    struct opencl *cl = g->self;
    struct found f = {0};
    cl_int err;
    LS_TRY(load(cl));
    LS_TRY(choose(g, wish, list, &f));
    if (list) return LS_OK;
    cl->device = f.device;
    g->info = f.info;
    cl->context = cl->clCreateContext(NULL, 1, &cl->device, NULL, NULL, &err);
    if (!cl->context) return fail(g, "clCreateContext", err);
    cl->queue = cl->clCreateCommandQueue(cl->context, cl->device, CL_QUEUE_PROFILING, &err);
    return cl->queue ? LS_OK : fail(g, "clCreateCommandQueue", err);
}

static ls_err opencl_open(struct kn_gpu *g, const char *wish, FILE *list)
{
    if (!(g->self = calloc(1, sizeof(struct opencl)))) return ls_nomem("backend opencl");
    const ls_err err = start(g, wish, list);
    if (err == LS_OK && !list) return LS_OK;
    free(g->self);
    g->self = NULL;
    return err;
}

/* ---- memory ---- */

static ls_err opencl_alloc(struct kn_gpu *g, uint64_t len_bytes, void **out)
{
    struct opencl *cl = g->self;
    cl_int err;
    *out = cl->clCreateBuffer(cl->context, CL_MEM_READ_WRITE, len_bytes, NULL, &err);
    return *out ? LS_OK : fail(g, "clCreateBuffer", err);
}

static void opencl_release(struct kn_gpu *g, void *buffer)
{
    if (buffer) cl_of(g)->clReleaseMemObject(buffer);
}

static ls_err opencl_write(struct kn_gpu *g, void *buffer, const void *from, uint64_t len_bytes)
{
    CALL(g, clEnqueueWriteBuffer, cl_of(g)->queue, buffer, 1, 0, len_bytes, from, 0, NULL, NULL);
    return LS_OK;
}

static ls_err opencl_read(struct kn_gpu *g, void *buffer, void *to, uint64_t len_bytes)
{
    CALL(g, clEnqueueReadBuffer, cl_of(g)->queue, buffer, 1, 0, len_bytes, to, 0, NULL, NULL);
    return LS_OK;
}

/* ---- kernels ---- */

static ls_err fail_build(const struct kn_gpu *g, cl_handle program, cl_int code)
{
    char log[1024] = "";
    cl_of(g)->clGetProgramBuildInfo(program, cl_of(g)->device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log,
                                    NULL);
    log[sizeof(log) - 1] = '\0';
    for (char *c = log; *c; c++)
        if (*c == '\n') *c = ' ';
    return ls_fail(LS_ERR_UNSUPPORTED,
                   "OpenCL, device %s: the driver does not compile the kernels (error %d): %.400s",
                   g->info.name, code, log);
}

static ls_err opencl_kernel(struct kn_gpu *g, const struct kn_gpu_variant *v, void **out)
{
    struct opencl *cl = g->self;
    const char *source = kn_gpu_source;
    char name[KN_GPU_NAME_BYTES], defines[KN_GPU_DEFINES_BYTES], options[KN_GPU_DEFINES_BYTES + 32];
    cl_int err;
    kn_gpu_variant_name(v, name);
    kn_gpu_variant_defines(v, defines);
    snprintf(options, sizeof(options), "-cl-std=CL1.2 %s", defines);
    cl_handle program = cl->clCreateProgramWithSource(cl->context, 1, &source, NULL, &err);
    if (!program) return fail(g, "clCreateProgramWithSource", err);
    err = cl->clBuildProgram(program, 1, &cl->device, options, NULL, NULL);
    if (err != CL_SUCCESS) return fail_build(g, program, err);
    *out = cl->clCreateKernel(program, name, &err);
    return *out ? LS_OK : fail(g, "clCreateKernel", err);
}

static ls_err set_args(struct kn_gpu *g, void *kernel, const struct kn_gpu_launch *l)
{
    for (unsigned a = 0; a < l->args_len; a++) {
        const struct kn_gpu_arg *arg = &l->args[a];
        const void *none = NULL;
        const void *value = arg->buffer ? (const void *)arg->buffer : arg->value ? arg->value : &none;
        CALL(g, clSetKernelArg, kernel, a, arg->value ? arg->len_bytes : sizeof(void *), value);
    }
    return LS_OK;
}

struct waiting {
    const struct opencl *cl;
    cl_handle event;
};

static int is_done(void *arg)
{
    const struct waiting *w = arg;
    cl_int status = 1;
    const cl_int err = w->cl->clGetEventInfo(w->event, CL_EVENT_STATUS, sizeof(status), &status, NULL);
    if (err != CL_SUCCESS) return err;
    return status == CL_COMPLETE ? 1 : status < 0 ? status : 0;
}

static ls_err time_events(struct kn_gpu *g, cl_handle first, cl_handle last, unsigned repeats,
                          double *out_seconds)
{
    const struct waiting w = {g->self, last};
    uint64_t begin_ns = 0, end_ns = 0;
    int error;
    CALL(g, clFlush, cl_of(g)->queue);
    LS_TRY(kn_gpu_wait(g, is_done, (void *)&w, &error));
    if (error) return fail(g, "a kernel", error);
    CALL(g, clGetEventProfilingInfo, first, CL_PROFILING_START, sizeof(begin_ns), &begin_ns, NULL);
    CALL(g, clGetEventProfilingInfo, last, CL_PROFILING_END, sizeof(end_ns), &end_ns, NULL);
    *out_seconds = (double)(end_ns > begin_ns ? end_ns - begin_ns : 1) / 1e9 / repeats;
    return LS_OK;
}

static ls_err opencl_launch(struct kn_gpu *g, void *kernel, const struct kn_gpu_launch *l,
                            double *out_seconds)
{
    const struct opencl *cl = g->self;
    const size_t group_items[2] = {l->items_x, l->items_y}, items[2] = {l->groups * l->items_x, l->items_y};
    cl_handle first = NULL, last = NULL;
    cl_int err = CL_SUCCESS;
    LS_TRY(set_args(g, kernel, l));
    for (unsigned r = 0; r < l->repeats && err == CL_SUCCESS; r++) {
        if (last && last != first) cl->clReleaseEvent(last);
        last = NULL;
        err = cl->clEnqueueNDRangeKernel(cl->queue, kernel, 2, NULL, items, group_items, 0, NULL, &last);
        if (!first) first = last;
    }
    if (err != CL_SUCCESS) return fail(g, "clEnqueueNDRangeKernel", err);
    const ls_err timed = time_events(g, first, last, l->repeats, out_seconds);
    if (timed == LS_ERR_BUSY) return timed; /* the events of a stuck device are left alone */
    cl->clReleaseEvent(first);
    if (last != first) cl->clReleaseEvent(last);
    return timed;
}

const struct kn_gpu_driver kn_gpu_opencl = {.name = "opencl",
                                            .open = opencl_open,
                                            .alloc = opencl_alloc,
                                            .release = opencl_release,
                                            .write = opencl_write,
                                            .read = opencl_read,
                                            .kernel = opencl_kernel,
                                            .launch = opencl_launch};
