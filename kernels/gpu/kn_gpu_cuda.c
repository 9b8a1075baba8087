/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices by the driver interface of CUDA, and by HIP, which has the same functions by other names. libcuda.so.1, which comes with NVIDIA's
 * driver, is loaded at run time, and compiles the PTX texts for its processor. libamdhip64.so comes with AMD's ROCm, whose run-time
 * compiler (libhiprtc.so) gets kn_gpu.cl as C++. The functions and constants that are used are declared here, as in the manuals. */
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
    CU_CAPABILITY_MAJOR = 75,
    CU_CAPABILITY_MINOR = 76,
    CAPABILITY_LEAST = 6,
    DEVICES_MAX = 64
};

/* X(name, its symbol in CUDA, in HIP, parameters) */
#define FUNCTIONS(X)                                                                                   \
    X(cuInit, "cuInit", "hipInit", (unsigned flags))                                                   \
    X(cuDriverGetVersion, "cuDriverGetVersion", "hipDriverGetVersion", (int *out))                     \
    X(cuDeviceGetCount, "cuDeviceGetCount", "hipGetDeviceCount", (int *out))                           \
    X(cuDeviceGet, "cuDeviceGet", "hipDeviceGet", (cu_device * out, int at))                           \
    X(cuDeviceGetName, "cuDeviceGetName", "hipDeviceGetName", (char *out, int room, cu_device))        \
    X(cuDeviceGetAttribute, "cuDeviceGetAttribute", "hipDeviceGetAttribute",                           \
      (int *out, int what, cu_device))                                                                 \
    X(cuMemGetInfo, "cuMemGetInfo_v2", "hipMemGetInfo", (size_t * free, size_t * all))                 \
    X(cuMemAlloc, "cuMemAlloc_v2", "hipMalloc", (cu_address * out, size_t len))                        \
    X(cuMemFree, "cuMemFree_v2", "hipFree", (cu_address))                                              \
    X(cuMemcpyHtoD, "cuMemcpyHtoD_v2", "hipMemcpyHtoD", (cu_address to, const void *from, size_t len)) \
    X(cuMemcpyDtoH, "cuMemcpyDtoH_v2", "hipMemcpyDtoH", (void *to, cu_address from, size_t len))       \
    X(cuModuleLoadData, "cuModuleLoadData", "hipModuleLoadData", (cu_handle * out, const void *text))  \
    X(cuModuleGetFunction, "cuModuleGetFunction", "hipModuleGetFunction",                              \
      (cu_handle * out, cu_handle module, const char *name))                                           \
    X(cuLaunchKernel, "cuLaunchKernel", "hipModuleLaunchKernel",                                       \
      (cu_handle function, unsigned groups_x, unsigned groups_y, unsigned groups_z, unsigned items_x,  \
       unsigned items_y, unsigned items_z, unsigned shared_bytes, cu_handle stream, void **args,       \
       void **extra))                                                                                  \
    X(cuEventCreate, "cuEventCreate", "hipEventCreateWithFlags", (cu_handle * out, unsigned flags))    \
    X(cuEventRecord, "cuEventRecord", "hipEventRecord", (cu_handle event, cu_handle stream))           \
    X(cuEventQuery, "cuEventQuery", "hipEventQuery", (cu_handle event))                                \
    X(cuEventElapsedTime, "cuEventElapsedTime", "hipEventElapsedTime",                                 \
      (float *out_ms, cu_handle begin, cu_handle end))

/* X(name, parameters), of CUDA alone */
#define CUDA_FUNCTIONS(X)                                          \
    X(cuDevicePrimaryCtxRetain, int, (cu_handle * out, cu_device)) \
    X(cuCtxSetCurrent, int, (cu_handle))                           \
    X(cuGetErrorName, int, (cu_result, const char **out))          \
    X(cuGetErrorString, int, (cu_result, const char **out))

/* X(name, return type, parameters), of HIP alone; the compiler's own results are others than the driver's */
#define HIP_FUNCTIONS(X)                          \
    X(hipSetDevice, int, (cu_device))             \
    X(hipGetErrorName, const char *, (cu_result)) \
    X(hipGetErrorString, const char *, (cu_result))
#define HIPRTC_FUNCTIONS(X)                                                                          \
    X(hiprtcCreateProgram, int,                                                                      \
      (cu_handle * out, const char *source, const char *name, int headers_len, const char **headers, \
       const char **names))                                                                          \
    X(hiprtcCompileProgram, int, (cu_handle program, int len, const char **options))                 \
    X(hiprtcGetCodeSize, int, (cu_handle program, size_t * out))                                     \
    X(hiprtcGetCode, int, (cu_handle program, char *out))                                            \
    X(hiprtcGetProgramLogSize, int, (cu_handle program, size_t * out))                               \
    X(hiprtcGetProgramLog, int, (cu_handle program, char *out))                                      \
    X(hiprtcDestroyProgram, int, (cu_handle * program))

enum { MODULES = 8 }; /* entries of kn_gpu_ptx at most */

/* Numbers of attributes: CUdevice_attribute, and hipDeviceAttribute_t from ROCm 5.0 on. */
struct platform {
    const char *title, *backend, *origin;
    int group_items_max, local_bytes, units, cache_bytes;
};

static const struct platform cuda_platform = {"CUDA", "cuda", "it comes with NVIDIA's driver", 1, 8, 16, 38};
static const struct platform hip_platform = {"HIP", "hip", "it comes with AMD's ROCm", 56, 74, 63, 19};

#define DECLARE(name, cuda_symbol, hip_symbol, parameters) cu_result(*name) parameters;
#define DECLARE_OWN(name, type, parameters) type(*name) parameters;
struct cuda {
    const struct platform *platform;
    FUNCTIONS(DECLARE)
    CUDA_FUNCTIONS(DECLARE_OWN)
    HIP_FUNCTIONS(DECLARE_OWN)
    HIPRTC_FUNCTIONS(DECLARE_OWN)
    cu_handle begin, end; /* events */
    cu_handle modules[MODULES];
};
#undef DECLARE
#undef DECLARE_OWN

static struct cuda *cu_of(const struct kn_gpu *g)
{
    return g->self;
}

/* ---- errors ---- */

struct remedy {
    cu_result code;
    const char *remedy;
};

static const struct remedy cuda_remedies[] = {
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

static const struct remedy hip_remedies[] = {
    {CU_OUT_OF_MEMORY, ": lower --count or --size, or end other programs on the device"},
    {CU_NO_DEVICE, ": is a device of AMD there, and may this user open /dev/kfd (group render)?"},
    {CU_NO_BINARY, ": the compiler of ROCm does not know the device"},
    {719, ": the device was lost: see the kernel's messages (dmesg) for amdgpu"},
};

static const char *remedy_of(const struct remedy *all, size_t len, cu_result code)
{
    for (size_t i = 0; i < len; i++)
        if (all[i].code == code) return all[i].remedy;
    return "";
}

/* call: its name in CUDA */
static ls_err fail(const struct kn_gpu *g, const char *call, cu_result code)
{
    const struct cuda *cu = cu_of(g);
    const bool is_hip = cu->platform == &hip_platform;
    const char *name = NULL, *text = NULL;
    const char *remedy =
        is_hip ? remedy_of(hip_remedies, sizeof(hip_remedies) / sizeof(hip_remedies[0]), code)
               : remedy_of(cuda_remedies, sizeof(cuda_remedies) / sizeof(cuda_remedies[0]), code);
    if (is_hip) {
        name = cu->hipGetErrorName(code);
        text = cu->hipGetErrorString(code);
#define RENAME(id, cuda_symbol, hip_symbol, parameters) \
    if (strcmp(call, #id) == 0) call = hip_symbol;
        FUNCTIONS(RENAME)
#undef RENAME
    } else {
        cu->cuGetErrorName(code, &name);
        cu->cuGetErrorString(code, &text);
    }
    return ls_fail(code == CU_OUT_OF_MEMORY ? LS_ERR_NOMEM : LS_ERR_UNSUPPORTED,
                   "%s%s%s: %s reports %s (%d, %s)%s", cu->platform->title, *g->info.name ? ", device " : "",
                   g->info.name, call, name ? name : "an error", code, text ? text : "no text", remedy);
}

#define CALL(g, call, ...)                                           \
    do {                                                             \
        const cu_result call_err = cu_of(g)->call(__VA_ARGS__);      \
        if (call_err != CU_SUCCESS) return fail(g, #call, call_err); \
    } while (0)

/* ---- devices ---- */

static ls_err load_cuda(struct cuda *cu)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return ls_fail(LS_ERR_UNSUPPORTED, "backend cuda: %s; %s", dlerror(), cu->platform->origin);
#define FIND(name, cuda_symbol, hip_symbol, parameters) \
    *(void **)&cu->name = dlsym(library, cuda_symbol);  \
    if (!cu->name)                                      \
        return ls_fail(LS_ERR_UNSUPPORTED, "backend cuda: libcuda.so.1 has no function " cuda_symbol);
#define FIND_OWN(name, type, parameters) FIND(name, #name, "", parameters)
    FUNCTIONS(FIND)
    CUDA_FUNCTIONS(FIND_OWN)
#undef FIND
    return LS_OK;
}

/* The name without a version is there only with ROCm's packages for developers. */
static void *open_any(const char *name)
{
    static const char *const endings[] = {"", ".7", ".6", ".5"};
    char file[64];
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof(endings) / sizeof(endings[0]); i++) {
        snprintf(file, sizeof(file), "%s%s", name, endings[i]);
        library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

/* Before ROCm 7 the run-time compiler is in libamdhip64.so, too. */
static ls_err load_hip(struct cuda *cu)
{
    void *library = open_any("libamdhip64.so");
    if (!library) return ls_fail(LS_ERR_UNSUPPORTED, "backend hip: %s; %s", dlerror(), cu->platform->origin);
    void *compiler = open_any("libhiprtc.so");
    if (!compiler) compiler = library;
#define FIND(name, cuda_symbol, hip_symbol, parameters) \
    *(void **)&cu->name = dlsym(library, hip_symbol);   \
    if (!cu->name)                                      \
        return ls_fail(LS_ERR_UNSUPPORTED, "backend hip: libamdhip64.so has no function " hip_symbol);
#undef FIND_OWN
#define FIND_OWN(name, type, parameters) FIND(name, "", #name, parameters)
#define FIND_COMPILER(name, type, parameters)     \
    *(void **)&cu->name = dlsym(compiler, #name); \
    if (!cu->name)                                \
        return ls_fail(LS_ERR_UNSUPPORTED,        \
                       "backend hip: ROCm's run-time compiler (libhiprtc.so) has no function " #name);
    FUNCTIONS(FIND)
    HIP_FUNCTIONS(FIND_OWN)
    HIPRTC_FUNCTIONS(FIND_COMPILER)
#undef FIND
#undef FIND_OWN
#undef FIND_COMPILER
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
    if (cu->platform == &hip_platform)
        snprintf(out->driver, sizeof(out->driver), "HIP %d.%d", version / 10000000, version / 100000 % 100);
    else
        snprintf(out->driver, sizeof(out->driver), "CUDA %d.%d, compute capability %d.%d", version / 1000,
                 version % 1000 / 10, attribute_of(cu, device, CU_CAPABILITY_MAJOR),
                 attribute_of(cu, device, CU_CAPABILITY_MINOR));
    out->local_bytes = (uint64_t)attribute_of(cu, device, cu->platform->local_bytes);
    out->cache_bytes = (uint64_t)attribute_of(cu, device, cu->platform->cache_bytes);
    out->units = (unsigned)attribute_of(cu, device, cu->platform->units);
    out->group_items_max = (unsigned)attribute_of(cu, device, cu->platform->group_items_max);
}

/* Choose a device among the wished ones: the first one, or each rank of a node another one. */
static ls_err choose(struct kn_gpu *g, const char *wish, FILE *list, cu_device *out)
{
    char names[512] = "";
    cu_device wished[DEVICES_MAX];
    unsigned wished_len = 0;
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
        if (kn_gpu_is_wished(wish, info.name, (unsigned)at) && wished_len < DEVICES_MAX)
            wished[wished_len++] = device;
    }
    if (list) return LS_OK;
    if (wished_len) {
        *out = wished[g->local % wished_len];
        describe(cu_of(g), *out, &g->info);
        return LS_OK;
    }
    return ls_fail(LS_ERR_UNSUPPORTED, "--device %s: backend %s has no such device; there are %s", wish,
                   cu_of(g)->platform->backend, names);
}

static ls_err use_cuda(struct kn_gpu *g, cu_device device)
{
    cu_handle context = NULL;
    if (attribute_of(cu_of(g), device, CU_CAPABILITY_MAJOR) < CAPABILITY_LEAST)
        return fail(g, "cuDeviceGetAttribute", CU_NO_BINARY);
    CALL(g, cuDevicePrimaryCtxRetain, &context, device);
    CALL(g, cuCtxSetCurrent, context);
    return LS_OK;
}

static ls_err use_hip(struct kn_gpu *g, cu_device device)
{
    CALL(g, hipSetDevice, device);
    return LS_OK;
}

static ls_err start(struct kn_gpu *g, const char *wish, FILE *list)
{
    struct cuda *cu = g->self;
    const bool is_hip = cu->platform == &hip_platform;
    cu_device device = 0;
    size_t free_bytes = 0, all_bytes = 0;
    if (!is_hip && !kn_gpu_ptx[0].part)
        return ls_fail(
            LS_ERR_UNSUPPORTED,
            "backend cuda: built without clang, which compiles its kernels; backend opencl needs none");
    LS_TRY(is_hip ? load_hip(cu) : load_cuda(cu));
    LS_TRY(choose(g, wish, list, &device));
    if (list) return LS_OK;
    LS_TRY(is_hip ? use_hip(g, device) : use_cuda(g, device));
    CALL(g, cuMemGetInfo, &free_bytes, &all_bytes);
    g->info.memory_bytes = g->info.block_bytes_max = free_bytes;
    CALL(g, cuEventCreate, &cu->begin, 0);
    CALL(g, cuEventCreate, &cu->end, 0);
    return LS_OK;
}

static ls_err open_platform(struct kn_gpu *g, const struct platform *platform, const char *wish, FILE *list)
{
    struct cuda *cu = calloc(1, sizeof(*cu));
    if (!cu) return ls_nomem("backend %s", platform->backend);
    cu->platform = platform;
    g->self = cu;
    const ls_err err = start(g, wish, list);
    if (err == LS_OK && !list) return LS_OK;
    free(g->self);
    g->self = NULL;
    return err;
}

static ls_err cuda_open(struct kn_gpu *g, const char *wish, FILE *list)
{
    return open_platform(g, &cuda_platform, wish, list);
}

static ls_err hip_open(struct kn_gpu *g, const char *wish, FILE *list)
{
    return open_platform(g, &hip_platform, wish, list);
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

/* Variants for the compiler of ROCm: its vector types end at four elements, and unused local memory is asked for at each launch. */
static bool hip_has(const struct kn_gpu_variant *v)
{
    return v->vector <= 4 && v->memory != KN_GPU_MEMORY_CONSTANT;
}

static ls_err fail_compiling(const struct kn_gpu *g, cu_handle program, const char *name, int code)
{
    const struct cuda *cu = cu_of(g);
    size_t len = 0;
    char *log = NULL;
    if (cu->hiprtcGetProgramLogSize(program, &len) == 0 && len > 0 && (log = calloc(1, len + 1)))
        cu->hiprtcGetProgramLog(program, log);
    for (char *c = log; c && *c; c++)
        if (*c == '\n') *c = ' ';
    const ls_err err =
        ls_fail(LS_ERR_UNSUPPORTED,
                "HIP, device %s: the run-time compiler does not compile kernel %s (error %d): %.400s",
                g->info.name, name, code, log ? log : "no text");
    free(log);
    return err;
}

enum { DEFINES_MAX = 32 };

/* The options of kn_gpu_variant_defines ("-D A=1 -D B=2"), each as one word ("-DA=1"); they are changed. */
static int split_defines(char *defines, char words[][KN_GPU_NAME_BYTES + 16], const char **out)
{
    int len = 0;
    char *rest = NULL;
    for (char *w = strtok_r(defines, " ", &rest); w && len < DEFINES_MAX; w = strtok_r(NULL, " ", &rest)) {
        if (strcmp(w, "-D") == 0) continue;
        snprintf(words[len], sizeof(words[len]), "-D%s", w);
        out[len] = words[len];
        len++;
    }
    return len;
}

/* *out: the compiled code, which the caller frees */
static ls_err compile_hip(struct kn_gpu *g, const struct kn_gpu_variant *v, const char *name, char **out)
{
    const struct cuda *cu = cu_of(g);
    char defines[KN_GPU_DEFINES_BYTES], words[DEFINES_MAX][KN_GPU_NAME_BYTES + 16];
    const char *options[DEFINES_MAX + 1];
    cu_handle program = NULL;
    size_t len = 0;
    kn_gpu_variant_defines(v, defines);
    const int options_len = split_defines(defines, words, options);
    options[options_len] = "-O3";
    int code = cu->hiprtcCreateProgram(&program, kn_gpu_source, "kn_gpu.cl", 0, NULL, NULL);
    if (code == 0) code = cu->hiprtcCompileProgram(program, options_len + 1, options);
    if (code == 0) code = cu->hiprtcGetCodeSize(program, &len);
    ls_err err = code != 0 ? fail_compiling(g, program, name, code) : LS_OK;
    if (err == LS_OK && !(*out = malloc(len + 1))) err = ls_nomem("kernel %s", name);
    if (err == LS_OK && (code = cu->hiprtcGetCode(program, *out)) != 0)
        err = fail_compiling(g, program, name, code);
    if (program) cu->hiprtcDestroyProgram(&program);
    return err;
}

static ls_err hip_kernel(struct kn_gpu *g, const struct kn_gpu_variant *v, void **out)
{
    struct kn_gpu_variant own = *v;
    char name[KN_GPU_NAME_BYTES], *text = NULL;
    cu_handle module = NULL, function = NULL;
    own.shared_bytes = 0; /* asked for at each launch */
    kn_gpu_variant_name(&own, name);
    if (!hip_has(v)) return ls_fail(LS_ERR_UNSUPPORTED, "backend hip has no kernel %s", name);
    const ls_err err = compile_hip(g, &own, name, &text);
    const cu_result loaded = err == LS_OK ? cu_of(g)->cuModuleLoadData(&module, text) : CU_SUCCESS;
    free(text);
    if (err != LS_OK) return err;
    if (loaded != CU_SUCCESS) return fail(g, "cuModuleLoadData", loaded);
    CALL(g, cuModuleGetFunction, &function, module, name);
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
        return ls_fail(LS_ERR_RANGE, "%s, device %s: %" PRIu64 " groups of work items: lower --count",
                       cu_of(g)->platform->title, g->info.name, l->groups);
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

const struct kn_gpu_driver kn_gpu_hip = {.name = "hip",
                                         .open = hip_open,
                                         .alloc = cuda_alloc,
                                         .release = cuda_release,
                                         .write = cuda_write,
                                         .read = cuda_read,
                                         .kernel = hip_kernel,
                                         .launch = cuda_launch,
                                         .has = hip_has};
