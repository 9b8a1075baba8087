/* SPDX-License-Identifier: BSD-3-Clause */
/* Made-up runtime and driver of a GPU: libcudart, libcuda and libamdhip64 in one. Its memory is an array that
 * no hook sees. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
enum { POOL_BYTES = 32 << 20, ALIGNMENT = 256, OUT_OF_MEMORY = 2, INVALID = 1, NOT_FOUND = 500 };

static _Alignas(4096) char pool[POOL_BYTES];
static size_t used;

static int take(void **out, size_t n)
{
    if (n > POOL_BYTES - used) return OUT_OF_MEMORY;
    *out = pool + used;
    used += (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return 0;
}
static int give_back(const void *p)
{
    return !p || ((const char *)p >= pool && (const char *)p < pool + POOL_BYTES) ? 0 : INVALID;
}
static int copy(void *to, const void *from, size_t n)
{
    memcpy(to, from, n);
    return 0;
}

#define ALLOCATORS(prefix)                                                                                 \
    API int prefix##Malloc(void **out, size_t n);                                                          \
    API int prefix##Malloc(void **out, size_t n)                                                           \
    {                                                                                                      \
        return take(out, n);                                                                               \
    }                                                                                                      \
    API int prefix##MallocManaged(void **out, size_t n, unsigned flags);                                   \
    API int prefix##MallocManaged(void **out, size_t n, unsigned flags)                                    \
    {                                                                                                      \
        (void)flags;                                                                                       \
        return take(out, n);                                                                               \
    }                                                                                                      \
    API int prefix##MallocHost(void **out, size_t n);                                                      \
    API int prefix##MallocHost(void **out, size_t n)                                                       \
    {                                                                                                      \
        return prefix##Malloc(out, n); /* a call between functions with hooks */                           \
    }                                                                                                      \
    API int prefix##MallocPitch(void **out, size_t *pitch, size_t width, size_t height);                   \
    API int prefix##MallocPitch(void **out, size_t *pitch, size_t width, size_t height)                    \
    {                                                                                                      \
        *pitch = (width + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;                                          \
        return take(out, *pitch * height);                                                                 \
    }                                                                                                      \
    API int prefix##Free(void *p);                                                                         \
    API int prefix##Free(void *p)                                                                          \
    {                                                                                                      \
        return give_back(p);                                                                               \
    }                                                                                                      \
    API int prefix##Memcpy(void *to, const void *from, size_t n, int kind);                                \
    API int prefix##Memcpy(void *to, const void *from, size_t n, int kind)                                 \
    {                                                                                                      \
        return kind < 0 || kind > 4 ? INVALID : copy(to, from, n);                                         \
    }                                                                                                      \
    API int prefix##MemcpyAsync(void *to, const void *from, size_t n, int kind, void *stream);             \
    API int prefix##MemcpyAsync(void *to, const void *from, size_t n, int kind, void *stream)              \
    {                                                                                                      \
        return stream ? INVALID : prefix##Memcpy(to, from, n, kind);                                       \
    }                                                                                                      \
    API int prefix##Memcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, \
                             size_t height, int kind);                                                     \
    API int prefix##Memcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, \
                             size_t height, int kind)                                                      \
    {                                                                                                      \
        for (size_t row = 0; row < height; row++)                                                          \
            copy((char *)to + row * to_pitch, (const char *)from + row * from_pitch, width);               \
        return kind < 0;                                                                                   \
    }                                                                                                      \
    API int prefix##DeviceSynchronize(void);                                                               \
    API int prefix##DeviceSynchronize(void)                                                                \
    {                                                                                                      \
        return 0;                                                                                          \
    }
ALLOCATORS(cuda)
ALLOCATORS(hip)

API int cudaFreeHost(void *p);
API int cudaFreeHost(void *p)
{
    return give_back(p);
}
API int hipHostFree(void *p);
API int hipHostFree(void *p)
{
    return give_back(p);
}

API int cuMemAlloc_v2(uint64_t *out, size_t n);
API int cuMemAlloc_v2(uint64_t *out, size_t n)
{
    return take((void **)out, n);
}
API int cuMemFree_v2(uint64_t p);
API int cuMemFree_v2(uint64_t p)
{
    return give_back((const void *)(uintptr_t)p);
}
API int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t n);
API int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t n)
{
    return copy((void *)(uintptr_t)to, from, n);
}
API int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t n);
API int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t n)
{
    return copy(to, (const void *)(uintptr_t)from, n);
}
API int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t n, void *stream);
API int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t n, void *stream)
{
    return stream ? INVALID : copy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, n);
}
API int cuMemcpy(uint64_t to, uint64_t from, size_t n);
API int cuMemcpy(uint64_t to, uint64_t from, size_t n)
{
    return copy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, n);
}
API int cuCtxSynchronize(void);
API int cuCtxSynchronize(void)
{
    return 0;
}
API int cuInit(unsigned flags);
API int cuInit(unsigned flags)
{
    return flags ? INVALID : 0;
}

/* Names without the ends of their versions, as the driver's own. */
API int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status);
API int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status)
{
    static const struct {
        const char *name;
        void *function;
    } rows[] = {{"cuInit", (void *)(uintptr_t)cuInit},
                {"cuMemAlloc", (void *)(uintptr_t)cuMemAlloc_v2},
                {"cuMemFree", (void *)(uintptr_t)cuMemFree_v2},
                {"cuMemcpyHtoD", (void *)(uintptr_t)cuMemcpyHtoD_v2},
                {"cuMemcpyDtoH", (void *)(uintptr_t)cuMemcpyDtoH_v2},
                {"cuMemcpyDtoDAsync", (void *)(uintptr_t)cuMemcpyDtoDAsync_v2},
                {"cuMemcpy", (void *)(uintptr_t)cuMemcpy},
                {"cuCtxSynchronize", (void *)(uintptr_t)cuCtxSynchronize}};
    (void)version, (void)flags;
    if (status) *status = 1;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].name, name) == 0) {
            *function = rows[i].function;
            if (status) *status = 0;
            return 0;
        }
    return NOT_FOUND;
}
