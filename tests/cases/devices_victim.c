/* SPDX-License-Identifier: BSD-3-Clause */
/* devices_victim MODE LIBRARY: a program with memory of a GPU, whose library is made up (fake_devices.c). MODE: cuda and
 * hip call the functions directly, driver finds them by dlsym, proc by cuGetProcAddress, managed lets the processor work
 * on managed memory for SECONDS (the third argument), static calls the driver through functions named as in a statically linked
 * runtime, absent looks for functions that no library has. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LEN = 1 << 20, ROWS = 64, WIDTH = 1000, ON_HOST, TO_DEVICE = 1, FROM_DEVICE, ON_DEVICE, DEFAULT };

int cudaMalloc(void **out, size_t n);
int cudaMallocManaged(void **out, size_t n, unsigned flags);
int cudaMallocHost(void **out, size_t n);
int cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height);
int cudaFree(void *p);
int cudaFreeHost(void *p);
int cudaMemcpy(void *to, const void *from, size_t n, int kind);
int cudaMemcpyAsync(void *to, const void *from, size_t n, int kind, void *stream);
int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                 int kind);
int cudaDeviceSynchronize(void);
int hipMalloc(void **out, size_t n);
int hipMallocHost(void **out, size_t n);
int hipFree(void *p);
int hipHostFree(void *p);
int hipMemcpy(void *to, const void *from, size_t n, int kind);
int hipMemcpyAsync(void *to, const void *from, size_t n, int kind, void *stream);
int hipDeviceSynchronize(void);

static int failed;
static void is(const char *what, long got, long wanted)
{
    if (got == wanted) return;
    printf("%s: %ld, wanted %ld\n", what, got, wanted);
    failed = 1;
}

static char *filled(size_t n, char with)
{
    char *p = malloc(n);
    if (!p) exit(9);
    memset(p, with, n);
    return p;
}

static void cuda(void)
{
    void *input, *output, *image, *nothing = NULL;
    size_t pitch;
    char *pinned;
    char *data = filled(LEN, 'a'), *back = filled(LEN, 'b');
    is("cudaFree(NULL)", cudaFree(NULL), 0);
    is("input", cudaMalloc(&input, LEN), 0);
    is("output", cudaMalloc(&output, LEN), 0);
    is("image", cudaMallocPitch(&image, &pitch, WIDTH, ROWS), 0);
    is("pinned", cudaMallocHost((void **)&pinned, LEN / 2), 0);
    is("too large", cudaMalloc(&nothing, (size_t)1 << 40), 2);
    for (int i = 0; i < 3; i++)
        is("in", cudaMemcpy(input, data, LEN, TO_DEVICE), 0);
    is("between", cudaMemcpyAsync(output, input, LEN, ON_DEVICE, NULL), 0);
    is("2D", cudaMemcpy2D(image, pitch, data, WIDTH, WIDTH, ROWS, TO_DEVICE), 0);
    is("wait", cudaDeviceSynchronize(), 0);
    is("out", cudaMemcpy(back, (char *)output + LEN / 2, LEN / 2, DEFAULT), 0);
    is("wrong", cudaMemcpy(back, output, LEN, 17), 1);
    is("pinned in", cudaMemcpy(output, pinned, LEN / 2, DEFAULT), 0);
    is("content", memcmp(back, data, LEN / 2), 0);
    is("free", cudaFree(input), 0);
    is("free again", cudaFree(output), 0);
    is("free host", cudaFreeHost(pinned), 0);
    free(data);
    free(back); /* image is not released */
}

static void hip(void)
{
    void *field;
    char *staging, *data = filled(LEN, 'c');
    is("field", hipMalloc(&field, LEN), 0);
    is("staging", hipMallocHost((void **)&staging, LEN), 0);
    is("in", hipMemcpy(field, data, LEN, TO_DEVICE), 0);
    is("out", hipMemcpyAsync(staging, field, LEN, FROM_DEVICE, NULL), 0);
    is("wait", hipDeviceSynchronize(), 0);
    is("content", memcmp(staging, data, LEN), 0);
    is("free", hipFree(field), 0);
    is("free", hipHostFree(staging), 0);
    free(data);
}

/* A library without the address of the function, as of cuGetProcAddress or of dlsym. */
typedef void *finder(void *library, const char *name);

static void *by_name(void *library, const char *name)
{
    char full[64];
    void *found = dlsym(library, name);
    snprintf(full, sizeof(full), "%s_v2", name);
    void *newer = dlsym(library, full);
    return newer ? newer : found;
}

static void *by_driver(void *library, const char *name)
{
    int (*get)(const char *, void **, int, uint64_t, int *);
    void *found = NULL, *at = dlsym(library, "cuGetProcAddress_v2");
    memcpy(&get, &at, sizeof(get));
    is(name, get(name, &found, 12000, 0, NULL), 0);
    return found;
}

static void driver(void *library, finder *find)
{
    int (*init)(unsigned), (*alloc)(uint64_t *, size_t), (*release)(uint64_t), (*wait)(void);
    int (*in)(uint64_t, const void *, size_t), (*out)(void *, uint64_t, size_t),
        (*any)(uint64_t, uint64_t, size_t);
    int (*between)(uint64_t, uint64_t, size_t, void *);
    struct {
        const char *name;
        void *at;
    } rows[] = {{"cuInit", &init},     {"cuMemAlloc", &alloc},     {"cuMemFree", &release},
                {"cuMemcpyHtoD", &in}, {"cuMemcpyDtoH", &out},     {"cuMemcpyDtoDAsync", &between},
                {"cuMemcpy", &any},    {"cuCtxSynchronize", &wait}};
    char *data = filled(LEN, 'd'), *back = filled(LEN, 'e');
    uint64_t first, second;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        void *const found = find(library, rows[i].name);
        is(rows[i].name, found != NULL, 1);
        memcpy(rows[i].at, &found, sizeof(found));
    }
    is("init", init(0), 0);
    is("first", alloc(&first, LEN), 0);
    is("second", alloc(&second, LEN / 4), 0);
    is("in", in(first, data, LEN), 0);
    is("between", between(second, first, LEN / 4, NULL), 0);
    is("any", any((uint64_t)(uintptr_t)back, second, LEN / 4), 0);
    is("out", out(back, first, LEN), 0);
    is("wait", wait(), 0);
    is("content", memcmp(back, data, LEN), 0);
    is("release", release(first), 0);
    is("release", release(second), 0);
    free(data);
    free(back);
}

static void managed(double seconds)
{
    volatile double *shared;
    struct timespec begin, now;
    double sum = 0;
    is("shared", cudaMallocManaged((void **)&shared, 8 * LEN, 1), 0);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        for (size_t i = 0; i < LEN; i++)
            shared[i] = shared[i] + 1;
        sum += shared[7];
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec) < seconds);
    is("sum", sum > 0, 1);
    is("free", cudaFree((void *)(uintptr_t)shared), 0);
}

/* nvcc links CUDA's runtime statically. Its inner functions, which call the driver, have names like these. */
static struct {
    int (*alloc)(uint64_t *, size_t);
    int (*in)(uint64_t, const void *, size_t);
} inner;

__attribute__((noinline)) static int libcudart_static_5382377d5c77(void **out, size_t n)
{
    uint64_t at = 0;
    const int result = inner.alloc(&at, n);
    *out = (void *)(uintptr_t)at;
    return result;
}

__attribute__((noinline)) static int libcudart_static_e760a7280bc1(void *to, const void *from, size_t n)
{
    const int result = inner.in((uint64_t)(uintptr_t)to, from, n);
    return result == 0 ? 0 : -result;
}

static void static_runtime(void *library)
{
    int (*init)(unsigned);
    void *const found[] = {by_name(library, "cuInit"), by_name(library, "cuMemAlloc"),
                           by_name(library, "cuMemcpyHtoD")};
    void *input;
    char *data = filled(LEN, 'f');
    memcpy(&init, &found[0], sizeof(init));
    memcpy(&inner.alloc, &found[1], sizeof(inner.alloc));
    memcpy(&inner.in, &found[2], sizeof(inner.in));
    for (volatile size_t i = 1; i < 300000; i++) /* as the start of a driver does */
        free(malloc(i % 5000 + 1));
    is("init", init(0), 0);
#define cudaMalloc libcudart_static_5382377d5c77
#define cudaMemcpy libcudart_static_e760a7280bc1
    is("input", cudaMalloc(&input, LEN), 0);
    is("in", cudaMemcpy(input, data, LEN), 0);
#undef cudaMalloc
#undef cudaMemcpy
    free(data);
}

/* A program that asks whether there is a library must not find the profiler's functions. */
static void absent(void)
{
    is("cudaMallocAsync", dlsym(RTLD_DEFAULT, "cudaMallocAsync") == NULL, 1);
    is("its reason", dlerror() != NULL, 1);
    is("clCreateBuffer", dlsym(RTLD_DEFAULT, "clCreateBuffer") == NULL, 1);
    is("cudaMalloc", dlsym(RTLD_DEFAULT, "cudaMalloc") != NULL, 1); /* the made-up one */
    is("malloc", dlsym(RTLD_DEFAULT, "malloc") != NULL, 1);
    is("next", dlsym(RTLD_NEXT, "cudaMalloc") != NULL, 1);
    is("next of us", dlsym(RTLD_NEXT, "main") == NULL, 1);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    void *library = argc > 2 ? dlopen(argv[2], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (argc > 2 && !library) return puts(dlerror()), 2;
    if (strcmp(mode, "cuda") == 0) cuda();
    if (strcmp(mode, "hip") == 0) hip();
    if (strcmp(mode, "driver") == 0) driver(library, by_name);
    if (strcmp(mode, "proc") == 0) driver(library, by_driver);
    if (strcmp(mode, "static") == 0) static_runtime(library);
    if (strcmp(mode, "managed") == 0) managed(argc > 3 ? atof(argv[3]) : 0.1);
    if (strcmp(mode, "absent") == 0) absent();
    if (library) dlclose(library);
    printf("%s %s\n", mode, failed ? "failed" : "done");
    return failed;
}
