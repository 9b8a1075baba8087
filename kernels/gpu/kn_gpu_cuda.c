/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices by the driver interface of CUDA: libcuda.so.1, which comes with NVIDIA's driver, is loaded at run time, and compiles the PTX
 * texts for its processor. The functions and constants that are used are declared here, as in the manual of the driver interface. */
#include "config.h"

#include "kernels/gpu/kn_gpu.h"

#include "common/ls_clock.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- declarations ---- */

typedef int cu_result;
typedef int cu_device;
typedef struct cu_object *cu_handle; /* contexts, modules, functions, events */
typedef uint64_t cu_address;

enum {
    CU_SUCCESS = 0,
    CU_OUT_OF_MEMORY = 2,
    CU_NO_DEVICE = 100,
    CU_NO_BINARY = 209,
    CU_NOT_READY = 600,
    CU_GROUP_ITEMS_MAX = 1,
    CU_LOCAL_BYTES = 8,
    CU_UNITS = 16,
    CU_CACHE_BYTES = 38,
    CU_CAPABILITY_MAJOR = 75,
    CU_CAPABILITY_MINOR = 76,
    CAPABILITY_LEAST = 6
};

/* X(return type, name, its symbol, parameters) */
#define FUNCTIONS(X)                                                                                     \
    X(cuInit, "cuInit", (unsigned flags))                                                                \
    X(cuDriverGetVersion, "cuDriverGetVersion", (int *out))                                              \
    X(cuDeviceGetCount, "cuDeviceGetCount", (int *out))                                                  \
    X(cuDeviceGet, "cuDeviceGet", (cu_device * out, int at))                                             \
    X(cuDeviceGetName, "cuDeviceGetName", (char *out, int room, cu_device))                              \
    X(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int *out, int what, cu_device))                     \
    X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (cu_handle * out, cu_device))                \
    X(cuCtxSetCurrent, "cuCtxSetCurrent", (cu_handle))                                                   \
    X(cuMemGetInfo, "cuMemGetInfo_v2", (size_t * free, size_t * all))                                    \
    X(cuMemAlloc, "cuMemAlloc_v2", (cu_address * out, size_t len))                                       \
    X(cuMemFree, "cuMemFree_v2", (cu_address))                                                           \
    X(cuMemcpyHtoD, "cuMemcpyHtoD_v2", (cu_address to, const void *from, size_t len))                    \
    X(cuMemcpyDtoH, "cuMemcpyDtoH_v2", (void *to, cu_address from, size_t len))                          \
    X(cuModuleLoadData, "cuModuleLoadData", (cu_handle * out, const void *text))                         \
    X(cuModuleGetFunction, "cuModuleGetFunction", (cu_handle * out, cu_handle module, const char *name)) \
    X(cuLaunchKernel, "cuLaunchKernel",                                                                  \
      (cu_handle function, unsigned groups_x, unsigned groups_y, unsigned groups_z, unsigned items_x,    \
       unsigned items_y, unsigned items_z, unsigned shared_bytes, cu_handle stream, void **args,         \
       void **extra))                                                                                    \
    X(cuEventCreate, "cuEventCreate", (cu_handle * out, unsigned flags))                                 \
    X(cuEventRecord, "cuEventRecord", (cu_handle event, cu_handle stream))                               \
    X(cuEventQuery, "cuEventQuery", (cu_handle event))                                                   \
    X(cuEventElapsedTime, "cuEventElapsedTime", (float *out_ms, cu_handle begin, cu_handle end))         \
    X(cuGetErrorName, "cuGetErrorName", (cu_result, const char **out))                                   \
    X(cuGetErrorString, "cuGetErrorString", (cu_result, const char **out))

enum { MODULES = 8 }; /* entries of kn_gpu_ptx at most */

#define DECLARE(name, symbol, parameters) cu_result(*name) parameters;
struct cuda {
    FUNCTIONS(DECLARE)
    cu_handle begin, end; /* events */
    cu_handle modules[MODULES];
};
#undef DECLARE

static struct cuda *cu_of(const struct kn_gpu *g)
{
    return g->self;
}

/* ---- errors ---- */

static const struct {
    cu_result code;
    const char *remedy;
} remedies[] = {
    {CU_OUT_OF_MEMORY, ": lower --count or --size, or end other programs on the device"},
    {CU_NO_DEVICE, ": is a device of NVIDIA there, and may this user open /dev/nvidia0?"},
    {CU_NO_BINARY, ": the device is too old for the kernels (compute capability 6.0 is needed)"},
    {46, ": another program uses the device alone (nvidia-smi -c)"},
    {218, ": the driver does not compile the kernels; is it too old?"},
    {222, ": the driver is too old for the kernels' PTX 5.0"},
    {700, ": the device was lost; this is an error of Loadstone, please report it"},
    {702,
     ": the driver ended the kernel because it ran too long: lower --count, or take a device without display"},
    {719, ": the device was lost: see the kernel's messages (dmesg) for Xid"},
    {999, ": is the driver's kernel module loaded (nvidia-smi)?"},
};

static ls_err fail(const struct kn_gpu *g, const char *call, cu_result code)
{
    const char *name = NULL, *text = NULL, *remedy = "";
    cu_of(g)->cuGetErrorName(code, &name);
    cu_of(g)->cuGetErrorString(code, &text);
    for (size_t i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++)
        if (remedies[i].code == code) remedy = remedies[i].remedy;
    return ls_fail(code == CU_OUT_OF_MEMORY ? LS_ERR_NOMEM : LS_ERR_UNSUPPORTED,
                   "CUDA%s%s: %s reports %s (%d, %s)%s", *g->info.name ? ", device " : "", g->info.name, call,
                   name ? name : "an error", code, text ? text : "no text", remedy);
}

#define CALL(g, call, ...)                                           \
    do {                                                             \
        const cu_result call_err = cu_of(g)->call(__VA_ARGS__);      \
        if (call_err != CU_SUCCESS) return fail(g, #call, call_err); \
    } while (0)

/* ---- devices ---- */

static ls_err load(struct cuda *cu)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return ls_fail(LS_ERR_UNSUPPORTED, "backend cuda: %s; it comes with NVIDIA's driver", dlerror());
#define FIND(name, symbol, parameters)            \
    *(void **)&cu->name = dlsym(library, symbol); \
    if (!cu->name) return ls_fail(LS_ERR_UNSUPPORTED, "backend cuda: libcuda.so.1 has no function " symbol);
    FUNCTIONS(FIND)
#undef FIND
    return LS_OK;
}

static int attribute_of(const struct cuda *cu, cu_device device, int what)
{
    int value = 0;
    return cu->cuDeviceGetAttribute(&value, what, device) == CU_SUCCESS ? value : 0;
}

static void describe(const struct cuda *cu, cu_device device, struct kn_gpu_info *out)
{
    int version = 0;
    *out = (struct kn_gpu_info){.has_fp64 = true, .has_atomics_64 = true};
    if (cu->cuDeviceGetName(out->name, sizeof(out->name), device) != CU_SUCCESS)
        snprintf(out->name, sizeof(out->name), "?");
    out->name[sizeof(out->name) - 1] = '\0';
    cu->cuDriverGetVersion(&version);
    snprintf(out->driver, sizeof(out->driver), "CUDA %d.%d, compute capability %d.%d", version / 1000,
             version % 1000 / 10, attribute_of(cu, device, CU_CAPABILITY_MAJOR),
             attribute_of(cu, device, CU_CAPABILITY_MINOR));
    out->local_bytes = (uint64_t)attribute_of(cu, device, CU_LOCAL_BYTES);
    out->cache_bytes = (uint64_t)attribute_of(cu, device, CU_CACHE_BYTES);
    out->units = (unsigned)attribute_of(cu, device, CU_UNITS);
    out->group_items_max = (unsigned)attribute_of(cu, device, CU_GROUP_ITEMS_MAX);
}

static ls_err choose(struct kn_gpu *g, const char *wish, FILE *list, cu_device *out)
{
    char names[512] = "";
    bool is_found = false;
    int len = 0;
    CALL(g, cuInit, 0);
    CALL(g, cuDeviceGetCount, &len);
    if (len == 0) return fail(g, "cuDeviceGetCount", CU_NO_DEVICE);
    for (int at = 0; at < len; at++) {
        struct kn_gpu_info info;
        cu_device device;
        CALL(g, cuDeviceGet, &device, at);
        describe(cu_of(g), device, &info);
        if (list) fprintf(list, "%19s device %d: %s (%s)\n", "", at, info.name, info.driver);
        const size_t used = strlen(names);
        snprintf(names + used, sizeof(names) - used, "%s%d (%s)", used ? ", " : "", at, info.name);
        if (is_found || !kn_gpu_is_wished(wish, info.name, (unsigned)at)) continue;
        is_found = true;
        *out = device;
        if (!list) g->info = info;
    }
    if (is_found || list) return LS_OK;
    return ls_fail(LS_ERR_UNSUPPORTED, "--device %s: backend cuda has no such device; there are %s", wish,
                   names);
}

static ls_err start(struct kn_gpu *g, const char *wish, FILE *list)
{
    struct cuda *cu = g->self;
    cu_device device = 0;
    cu_handle context = NULL;
    size_t free_bytes = 0, all_bytes = 0;
    if (!kn_gpu_ptx[0].part)
        return ls_fail(
            LS_ERR_UNSUPPORTED,
            "backend cuda: built without clang, which compiles its kernels; backend opencl needs none");
    LS_TRY(load(cu));
    LS_TRY(choose(g, wish, list, &device));
    if (list) return LS_OK;
    if (attribute_of(cu, device, CU_CAPABILITY_MAJOR) < CAPABILITY_LEAST)
        return fail(g, "cuDeviceGetAttribute", CU_NO_BINARY);
    CALL(g, cuDevicePrimaryCtxRetain, &context, device);
    CALL(g, cuCtxSetCurrent, context);
    CALL(g, cuMemGetInfo, &free_bytes, &all_bytes);
    g->info.memory_bytes = g->info.block_bytes_max = free_bytes;
    CALL(g, cuEventCreate, &cu->begin, 0);
    CALL(g, cuEventCreate, &cu->end, 0);
    return LS_OK;
}

static ls_err cuda_open(struct kn_gpu *g, const char *wish, FILE *list)
{
    if (!(g->self = calloc(1, sizeof(struct cuda)))) return ls_nomem("backend cuda");
    const ls_err err = start(g, wish, list);
    if (err == LS_OK && !list) return LS_OK;
    free(g->self);
    g->self = NULL;
    return err;
}

/* ---- memory ---- */

/* A buffer is represented by its address on the device, as a pointer that the host never follows. */
static cu_address address_of(const void *buffer)
{
    return (cu_address)(uintptr_t)buffer;
}

static ls_err cuda_alloc(struct kn_gpu *g, uint64_t len_bytes, void **out)
{
    cu_address address = 0;
    CALL(g, cuMemAlloc, &address, len_bytes);
    *out = (void *)(uintptr_t)address;
    return LS_OK;
}

static void cuda_release(struct kn_gpu *g, void *buffer)
{
    if (buffer) cu_of(g)->cuMemFree(address_of(buffer));
}

static ls_err cuda_write(struct kn_gpu *g, void *buffer, const void *from, uint64_t len_bytes)
{
    CALL(g, cuMemcpyHtoD, address_of(buffer), from, len_bytes);
    return LS_OK;
}

static ls_err cuda_read(struct kn_gpu *g, void *buffer, void *to, uint64_t len_bytes)
{
    CALL(g, cuMemcpyDtoH, to, address_of(buffer), len_bytes);
    return LS_OK;
}

/* ---- kernels ---- */

/* Return the entry of kn_gpu_ptx that may contain v, or NULL. */
static const struct kn_gpu_ptx *text_of(const struct kn_gpu_variant *v)
{
    const char *part = v->kind == KN_GPU_STREAM || v->kind == KN_GPU_CHASE ? "stream" : "move";
    for (const struct kn_gpu_ptx *p = kn_gpu_ptx; p->part; p++)
        if (strcmp(p->part, part) == 0 && p->element_bytes == v->element_bytes &&
            p->index_bits == v->index_bits)
            return p;
    return NULL;
}

/* The matrix of texts.sh. */
static bool cuda_has(const struct kn_gpu_variant *v)
{
    char entry[KN_GPU_NAME_BYTES + 16], name[KN_GPU_NAME_BYTES];
    const struct kn_gpu_ptx *p = text_of(v);
    kn_gpu_variant_name(v, name);
    snprintf(entry, sizeof(entry), ".entry %s(", name);
    return v->near_len <= KN_GPU_NEAR_LEN && p && strstr(p->text, entry);
}

static ls_err cuda_kernel(struct kn_gpu *g, const struct kn_gpu_variant *v, void **out)
{
    char name[KN_GPU_NAME_BYTES];
    const struct kn_gpu_ptx *p = text_of(v);
    cu_handle function = NULL;
    kn_gpu_variant_name(v, name);
    if (!cuda_has(v)) return ls_fail(LS_ERR_UNSUPPORTED, "backend cuda has no kernel %s", name);
    cu_handle *module = &cu_of(g)->modules[p - kn_gpu_ptx];
    if (!*module) CALL(g, cuModuleLoadData, module, p->text);
    CALL(g, cuModuleGetFunction, &function, *module, name);
    *out = function;
    return LS_OK;
}

static int is_done(void *arg)
{
    const struct cuda *cu = arg;
    const cu_result result = cu->cuEventQuery(cu->end);
    return result == CU_SUCCESS ? 1 : result == CU_NOT_READY ? 0 : -result;
}

static ls_err wait_for(struct kn_gpu *g, unsigned repeats, double *out_seconds)
{
    float ms = 0;
    int error;
    LS_TRY(kn_gpu_wait(g, is_done, g->self, &error));
    if (error) return fail(g, "a kernel", -error);
    CALL(g, cuEventElapsedTime, &ms, cu_of(g)->begin, cu_of(g)->end);
    *out_seconds = (ms > 0 ? (double)ms : 1e-6) / 1e3 / repeats;
    return LS_OK;
}

static ls_err cuda_launch(struct kn_gpu *g, void *kernel, const struct kn_gpu_launch *l, double *out_seconds)
{
    cu_address addresses[KN_GPU_ARGS_MAX] = {0};
    void *args[KN_GPU_ARGS_MAX];
    if (l->groups > INT32_MAX)
        return ls_fail(LS_ERR_RANGE, "CUDA, device %s: %" PRIu64 " groups of work items: lower --count",
                       g->info.name, l->groups);
    for (unsigned a = 0; a < l->args_len; a++) {
        if (l->args[a].buffer) addresses[a] = address_of(*l->args[a].buffer);
        args[a] = l->args[a].value ? (void *)(uintptr_t)l->args[a].value : &addresses[a];
    }
    CALL(g, cuEventRecord, cu_of(g)->begin, NULL);
    for (unsigned r = 0; r < l->repeats; r++)
        CALL(g, cuLaunchKernel, kernel, (unsigned)l->groups, 1, 1, l->items_x, l->items_y, 1,
             (unsigned)l->shared_bytes, NULL, args, NULL);
    CALL(g, cuEventRecord, cu_of(g)->end, NULL);
    return wait_for(g, l->repeats, out_seconds);
}

const struct kn_gpu_driver kn_gpu_cuda = {.name = "cuda",
                                          .open = cuda_open,
                                          .alloc = cuda_alloc,
                                          .release = cuda_release,
                                          .write = cuda_write,
                                          .read = cuda_read,
                                          .kernel = cuda_kernel,
                                          .launch = cuda_launch,
                                          .has = cuda_has};
