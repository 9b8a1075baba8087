/* SPDX-License-Identifier: BSD-3-Clause */
/* A libamdhip64.so and libhiprtc.so for tests: one device. The run-time compiler is clang (FAKE_HIP_CLANG), which compiles the kernels for
 * this processor, and once more for an AMD device to see that they are HIP; the device runs them work item by work item. FAKE_CUDA names
 * a defect: none (no device), jit (nothing compiles), wrong (the first work item does nothing), others as in fake_cuda.c. */
#include "tests/tools/fake_cuda.c"

#include <dlfcn.h>
#include <setjmp.h>

/* ---- the driver ---- */

int hipInit(unsigned flags)
{
    return cuInit(flags);
}

int hipDriverGetVersion(int *out)
{
    *out = 60342134;
    return 0;
}

int hipGetDeviceCount(int *out)
{
    return cuDeviceGetCount(out);
}

int hipDeviceGet(int *out, int at)
{
    return cuDeviceGet(out, at);
}

int hipDeviceGetName(char *out, int room, int device)
{
    (void)device;
    snprintf(out, (size_t)room, "Made-up MI");
    return 0;
}

int hipDeviceGetAttribute(int *out, int what, int device)
{
    (void)device;
    *out = what == 56 ? 1024 : what == 74 ? 65536 : what == 63 ? 4 : what == 19 ? 1 << 22 : -1;
    return *out < 0;
}

int hipSetDevice(int device)
{
    log_device(device);
    return 0;
}

int hipMemGetInfo(size_t *out_free, size_t *out_all)
{
    return cuMemGetInfo_v2(out_free, out_all);
}

int hipMalloc(void **out, size_t len)
{
    uint64_t address = 0;
    const int code = cuMemAlloc_v2(&address, len);
    *out = (void *)(uintptr_t)address;
    return code;
}

int hipFree(void *block)
{
    return cuMemFree_v2((uintptr_t)block);
}

int hipMemcpyHtoD(void *to, const void *from, size_t len)
{
    return cuMemcpyHtoD_v2((uintptr_t)to, from, len);
}

int hipMemcpyDtoH(void *to, void *from, size_t len)
{
    return cuMemcpyDtoH_v2(to, (uintptr_t)from, len);
}

int hipEventCreateWithFlags(void **out, unsigned flags)
{
    return cuEventCreate(out, flags);
}

int hipEventRecord(void *event, void *on)
{
    return cuEventRecord(event, on);
}

int hipEventQuery(void *event)
{
    return cuEventQuery(event);
}

/* FAKE_HIP_FAST=many or few: gathers that leave out stores are fast, with many groups or with few. */
static float faster_ms;

static float faster(const char *name, unsigned groups)
{
    const char *wish = getenv("FAKE_HIP_FAST");
    if (!wish || !strstr(name, "_last")) return 0;
    return strcmp(wish, "many") == 0 ? 0.5F / (float)groups : 0.001F * (float)groups;
}

int hipEventElapsedTime(float *out_ms, void *begin, void *end)
{
    const int result = cuEventElapsedTime(out_ms, begin, end);
    if (faster_ms > 0) *out_ms = faster_ms;
    return result;
}

const char *hipGetErrorName(int code)
{
    return code == 2 ? "hipErrorOutOfMemory" : code == 719 ? "hipErrorLaunchFailure" : "hipError";
}

const char *hipGetErrorString(int code)
{
    return code == 2 ? "out of memory" : "made up";
}

/* ---- the run-time compiler ---- */

/* Declarations of HIP, for this processor. A kernel with a barrier is run until there by all work items, and then again by each of them:
 * before it, kernels only fill local memory. */
static const char host_prelude[] =
    "#include <setjmp.h>\n"
    "#define __HIP__ 1\n#define __global__\n#define __device__\n#define __shared__ static\n"
    "struct kn_three { unsigned x, y, z; };\n"
    "extern \"C\" { kn_three blockIdx, threadIdx, blockDim; jmp_buf kn_jump; int kn_ends_at_barrier; }\n"
    "static inline void __syncthreads() { if (kn_ends_at_barrier) longjmp(kn_jump, 1); }\n"
    "template <typename T> T atomicExch(T *p, T x) { T old = *p; *p = x; return old; }\n"
    "template <typename T> T atomicAdd(T *p, T x) { T old = *p; *p += x; return old; }\n"
    "template <typename T> T atomicOr(T *p, T x) { T old = *p; *p |= x; return old; }\n"
    "template <typename T> T unsafeAtomicAdd(T *p, T x) { return atomicAdd(p, x); }\n";
static const char device_prelude[] =
    "#define __global__ __attribute__((global))\n#define __device__ __attribute__((device))\n"
    "#define __shared__ __attribute__((shared))\n"
    "struct kn_three { unsigned x, y, z; };\n"
    "#define blockIdx (kn_three{__builtin_amdgcn_workgroup_id_x(), 0, 0})\n"
    "#define threadIdx (kn_three{__builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(), 0})\n"
    "#define blockDim (kn_three{__builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(), 1})\n"
    "#define __syncthreads() __builtin_amdgcn_s_barrier()\n"
    "template <typename T> __device__ T atomicExch(T *p, T x) { return __atomic_exchange_n(p, x, 0); }\n"
    "template <typename T> __device__ T atomicAdd(T *p, T x) { return __atomic_fetch_add(p, x, 0); }\n"
    "template <typename T> __device__ T atomicOr(T *p, T x) { return __atomic_fetch_or(p, x, 0); }\n"
    "template <typename T> __device__ T unsafeAtomicAdd(T *p, T x) { T old = *p; *p += x; return old; }\n";

enum { PATH_BYTES = 256, OPTIONS_BYTES = 2048 };

struct program {
    const char *source;
    char library[PATH_BYTES];
};

int hiprtcCreateProgram(void **out, const char *source, const char *name, int headers_len,
                        const char **headers, const char **names)
{
    (void)name, (void)headers, (void)names;
    struct program *p = calloc(1, sizeof(*p));
    if (!p || headers_len) return 1;
    p->source = source;
    *out = p;
    return 0;
}

static int write_text(const char *path, const char *first, const char *second)
{
    FILE *f = fopen(path, "w");
    if (!f) return 1;
    fputs(first, f);
    fputs(second, f);
    return fclose(f);
}

/* Compilation errors are number 6. */
int hiprtcCompileProgram(void *program, int len, const char **options)
{
    static unsigned programs;
    struct program *p = program;
    const char *clang = getenv("FAKE_HIP_CLANG");
    char words[OPTIONS_BYTES] = "", host[PATH_BYTES], device[PATH_BYTES], command[3 * OPTIONS_BYTES];
    for (int i = 0; i < len; i++) {
        if (strncmp(options[i], "-D", 2) != 0 && strcmp(options[i], "-O3") != 0) return 5;
        snprintf(words + strlen(words), sizeof(words) - strlen(words), " %s", options[i]);
    }
    snprintf(p->library, sizeof(p->library), "%s/kernel%u.so", getenv("FAKE_HIP_DIR"), ++programs);
    snprintf(host, sizeof(host), "%.200s.cc", p->library);
    snprintf(device, sizeof(device), "%.200s.hip", p->library);
    if (is_defect("jit") || write_text(host, host_prelude, p->source) ||
        write_text(device, device_prelude, p->source))
        return 6;
    snprintf(
        command, sizeof(command),
        "%s -w -x hip --cuda-device-only -nogpuinc -nogpulib --offload-arch=gfx90a -S -o /dev/null%s %s && "
        "%s -w -x c++ -shared -fPIC -o %s%s %s",
        clang, words, device, clang, p->library, words, host);
    return system(command) == 0 ? 0 : 6;
}

int hiprtcGetCodeSize(void *program, size_t *out)
{
    *out = strlen(((struct program *)program)->library) + 1;
    return 0;
}

int hiprtcGetCode(void *program, char *out)
{
    strcpy(out, ((struct program *)program)->library);
    return 0;
}

static const char compiler_log[] = "kn_gpu.cl:1:\nmade up";

int hiprtcGetProgramLogSize(void *program, size_t *out)
{
    (void)program;
    *out = sizeof(compiler_log);
    return 0;
}

int hiprtcGetProgramLog(void *program, char *out)
{
    (void)program;
    strcpy(out, compiler_log);
    return 0;
}

int hiprtcDestroyProgram(void **program)
{
    free(*program);
    *program = NULL;
    return 0;
}

/* ---- kernels ---- */

struct kernel {
    void *library, *code;
    char name[64];
};

int hipModuleLoadData(void **out, const void *text)
{
    *out = dlopen(text, RTLD_NOW | RTLD_LOCAL);
    return *out ? 0 : 200;
}

int hipModuleGetFunction(void **out, void *module, const char *name)
{
    static struct kernel kernels[KERNELS_MAX];
    static size_t len;
    if (len == KERNELS_MAX || !(kernels[len].code = dlsym(module, name))) return 500;
    kernels[len].library = module;
    snprintf(kernels[len].name, sizeof(kernels[len].name), "%s", name);
    *out = &kernels[len++];
    return 0;
}

struct sweep {
    uint64_t len, stride;
};

struct filling {
    uint64_t first, len, salt, clear, zero;
};

/* The parameters of the kernels of kn_gpu.cl. */
static void call(const struct kernel *k, void **args)
{
    void *b[6] = {NULL};
    const int is_fill = strncmp(k->name, "fill_", 5) == 0, is_chase = strncmp(k->name, "chase_", 6) == 0;
    const int is_move =
        strncmp(k->name, "gs_", 3) == 0 || strncmp(k->name, "multi", 5) == 0 || strstr(k->name, "_reduce") ||
        strstr(k->name, "_chase") || strstr(k->name, "_fill") || strstr(k->name, "_update") ||
        strncmp(k->name, "gather_global", 13) == 0 || strncmp(k->name, "gather_local", 12) == 0 ||
        strncmp(k->name, "scatter_global", 14) == 0 || strncmp(k->name, "scatter_local", 13) == 0;
    for (int i = 0; i < (is_fill ? 1 : is_chase ? 2 : 6); i++)
        memcpy(&b[i], args[i], sizeof(b[i]));
    if (is_fill)
        ((void (*)(void *, struct filling))k->code)(b[0], *(struct filling *)args[1]);
    else if (is_chase)
        ((void (*)(void *, void *, struct sweep))k->code)(b[0], b[1], *(struct sweep *)args[2]);
    else if (is_move)
        ((void (*)(void *, void *, void *, void *, void *, void *, struct walk))k->code)(
            b[0], b[1], b[2], b[3], b[4], b[5], *(struct walk *)args[6]);
    else
        ((void (*)(void *, void *, void *, void *, void *, void *, float, struct sweep))k->code)(
            b[0], b[1], b[2], b[3], b[4], b[5], *(float *)args[6], *(struct sweep *)args[7]);
}

static void run_group(const struct kernel *k, unsigned group, unsigned items_x, unsigned items_y, void **args)
{
    unsigned *block = dlsym(k->library, "blockIdx"), *item = dlsym(k->library, "threadIdx");
    int *ends_at_barrier = dlsym(k->library, "kn_ends_at_barrier");
    jmp_buf *jump = dlsym(k->library, "kn_jump");
    block[0] = group;
    for (*ends_at_barrier = strstr(k->name, "_local_") != NULL; *ends_at_barrier >= 0; --*ends_at_barrier)
        for (item[1] = 0; item[1] < items_y; item[1]++)
            for (item[0] = 0; item[0] < items_x; item[0]++)
                if (!(is_defect("wrong") && group + item[0] + item[1] == 0) && setjmp(*jump) == 0)
                    call(k, args);
}

int hipModuleLaunchKernel(void *function, unsigned groups, unsigned groups_y, unsigned groups_z,
                          unsigned items_x, unsigned items_y, unsigned items_z, unsigned shared_bytes,
                          void *on, void **args, void **extra)
{
    const struct kernel *k = function;
    unsigned *items = dlsym(k->library, "blockDim");
    if (groups_y != 1 || groups_z != 1 || items_z != 1 || on || extra || items_x * items_y > 1024 || !groups)
        return 1;
    const char *log = getenv("FAKE_CUDA_LOG");
    FILE *out = log ? fopen(log, "a") : NULL;
    if (out) {
        fprintf(out, "%s groups %u items %ux%u shared %u\n", k->name, groups, items_x, items_y, shared_bytes);
        fclose(out);
    }
    launches++;
    items[0] = items_x;
    items[1] = items_y;
    faster_ms = faster(k->name, groups);
    for (unsigned g = 0; g < groups; g++)
        run_group(k, g, items_x, items_y, args);
    return 0;
}
