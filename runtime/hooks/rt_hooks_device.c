/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of CUDA, HIP and OpenCL that allocate and copy memory of devices, and that wait for them: the outermost
 * call is recorded, with its call path. */
#include "common/ls_clock.h"
#include "common/ls_compat.h"
#include "common/ls_device.h"
#include "runtime/core/rt_alloc_note.h"
#include "runtime/core/rt_device_list.h"
#include "runtime/core/rt_devices.h"
#include "runtime/core/rt_real.h"
#include "runtime/core/rt_spool_sigsafe.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum rt_device_what { RT_DEVICE_BLOCK, RT_DEVICE_FREE, RT_DEVICE_RELEASE, RT_DEVICE_COPY, RT_DEVICE_WAIT };

/* A call as its row describes it. */
struct rt_device_call {
    enum rt_device_what what;
    enum ls_device_api api;
    enum ls_device_memory memory;
    enum ls_device_direction direction;
    bool is_queued, is_handle;
    bool is_result; /* base is the block itself */
    uint64_t base;  /* where the result is put, or memory that is released */
    uint64_t len_bytes;
    uint64_t pitch, rows; /* pitch: where the length of a row is put; 0: len_bytes is known */
    uint64_t to, from;
};

/* --- the functions that ours replace --- */

enum rt_device_id {
#define ID(api, name, ...) RT_DEVICE_ID_##name,
    RT_DEVICE_LIST(ID) RT_DEVICE_MAKER_LIST(ID) RT_DEVICE_ID_cuGetProcAddress,
    RT_DEVICE_ID_cuGetProcAddress_v2,
    RT_DEVICE_IDS
#undef ID
};

static void *rt_device_found[RT_DEVICE_IDS]; /* atomic */

static const char *const rt_device_names[RT_DEVICE_IDS] = {
#define NAME(api, name, ...) [RT_DEVICE_ID_##name] = #name,
    RT_DEVICE_LIST(NAME) RT_DEVICE_MAKER_LIST(NAME)[RT_DEVICE_ID_cuGetProcAddress] = "cuGetProcAddress",
    [RT_DEVICE_ID_cuGetProcAddress_v2] = "cuGetProcAddress_v2",
#undef NAME
};

/* NULL: the process has no such function. */
static void *rt_device_real(enum rt_device_id id, const void *caller)
{
    void *real = __atomic_load_n(&rt_device_found[id], __ATOMIC_ACQUIRE);
    if (real) return real;
    real = rt_real_look_up(rt_device_names[id], caller);
    __atomic_store_n(&rt_device_found[id], real, __ATOMIC_RELEASE);
    return real;
}

void rt_device_forget(void)
{
    for (size_t i = 0; i < RT_DEVICE_IDS; i++)
        __atomic_store_n(&rt_device_found[i], NULL, __ATOMIC_RELEASE);
}

/* --- records --- */

/* After a record: its cost, and whether its path is in the stream. */
static void rt_device_count(struct rt_thread *t, const struct rt_written_path *path, bool is_written,
                            size_t len_bytes, uint64_t time_ns)
{
    if (!is_written) rt_paths_forget(&t->paths, path->hash);
    t->hook_bytes += (uint32_t)(len_bytes + path->len * sizeof(uint64_t));
    rt_budget_look(time_ns);
}

static uint64_t rt_device_word_at(uint64_t address)
{
    uint64_t word = 0;
    if (address) memcpy(&word, (const void *)(uintptr_t)address, sizeof(word));
    return word;
}

static void rt_device_put_block(struct rt_thread *t, const struct rt_device_call *c, void *caller)
{
    struct rt_written_path path;
    struct spool_writer *w = rt_spool_writer(t);
    rt_path_to_write(t, caller, &path);
    const struct spool_device_block rec = {.time_ns = ls_clock_mono_ns(),
                                           .base = c->is_result ? c->base : rt_device_word_at(c->base),
                                           .len_bytes = c->pitch ? rt_device_word_at(c->pitch) * c->rows
                                                                 : c->len_bytes,
                                           .frames_len = path.len,
                                           .memory = c->memory};
    const unsigned flags = (unsigned)c->api | path.flags | (c->is_handle ? SPOOL_DEVICE_HANDLE : 0);
    const bool is_written = spool_put_device_block(w, rec, flags, path.frames);
    rt_device_count(t, &path, is_written, sizeof(rec), rec.time_ns);
}

static void rt_device_put_copy(struct rt_thread *t, const struct rt_device_call *c, uint64_t begin_ns,
                               void *caller)
{
    struct rt_written_path path;
    struct spool_writer *w = rt_spool_writer(t);
    const uint64_t now_ns = ls_clock_mono_ns();
    rt_path_to_write(t, caller, &path);
    const struct spool_device_copy rec = {.time_ns = now_ns,
                                          .took_ns = now_ns - begin_ns,
                                          .to = c->to,
                                          .from = c->from,
                                          .len_bytes = c->len_bytes,
                                          .frames_len = path.len,
                                          .direction =
                                              c->what == RT_DEVICE_WAIT ? LS_DEVICE_WAIT : c->direction};
    const unsigned flags = (unsigned)c->api | path.flags | (c->is_queued ? SPOOL_DEVICE_QUEUED : 0);
    const bool is_written = spool_put_device_copy(w, rec, flags, path.frames);
    rt_device_count(t, &path, is_written, sizeof(rec), rec.time_ns);
}

/* Is this the last reference to a memory object of OpenCL? The library of clReleaseMemObject knows. */
static bool rt_device_is_last(uint64_t object, const void *caller)
{
    enum { CL_MEM_REFERENCE_COUNT = 0x1105 };
    int (*info)(void *, unsigned, size_t, void *, size_t *);
    uint32_t references = 0;
    const void *const release = rt_device_real(RT_DEVICE_ID_clReleaseMemObject, caller);
    void *const real = rt_real_look_up("clGetMemObjectInfo", release);
    if (!real) return true;
    memcpy(&info, &real, sizeof(info));
    return info((void *)(uintptr_t)object, CL_MEM_REFERENCE_COUNT, sizeof(references), &references, NULL) ||
           references <= 1;
}

/* Record the end of memory before the call: afterwards its address may belong to another block. */
static void rt_device_put_free(uint64_t base)
{
    const int saved = errno;
    struct rt_thread *t = base ? rt_enter() : NULL;
    if (t) {
        spool_put_device_free(rt_spool_writer(t), ls_clock_mono_ns(), base);
        t->hook_bytes += (uint32_t)sizeof(struct spool_extent);
        rt_leave();
    }
    errno = saved;
}

struct rt_device_state {
    bool is_outermost;
    uint64_t begin_ns;
};

/* Libraries call each other's functions: the outermost call counts. A call that was left by longjmp is below this
 * frame. */
static struct rt_device_state rt_device_begin(const struct rt_device_call *c, void *caller, const void *frame)
{
    struct rt_device_state s = {.is_outermost = rt_is_recording()};
    if (rt_tls.device_frame && rt_tls.device_frame > (uintptr_t)frame) s.is_outermost = false;
    if (!s.is_outermost) return s;
    rt_tls.device_frame = (uintptr_t)frame;
    const bool is_last = c->what == RT_DEVICE_RELEASE && rt_device_is_last(c->base, caller);
    if (c->what == RT_DEVICE_FREE || is_last) rt_device_put_free(c->base);
    s.begin_ns = ls_clock_mono_ns();
    return s;
}

static void rt_device_put(const struct rt_device_call *c, uint64_t begin_ns, void *caller)
{
    const int saved = errno;
    struct rt_thread *t = rt_enter();
    if (!t) return;
    if (c->what == RT_DEVICE_BLOCK)
        rt_device_put_block(t, c, caller);
    else
        rt_device_put_copy(t, c, begin_ns, caller);
    rt_leave();
    errno = saved;
}

static void rt_device_end(const struct rt_device_call *c, const struct rt_device_state *s, bool is_done,
                          void *caller)
{
    if (!s->is_outermost) return;
    rt_tls.device_frame = 0;
    if (is_done && c->what != RT_DEVICE_FREE && c->what != RT_DEVICE_RELEASE)
        rt_device_put(c, s->begin_ns, caller);
}

/* --- hooks --- */

/* Results of functions that the process does not have: cudaErrorUnknown (hipErrorUnknown and CUDA_ERROR_UNKNOWN have
 * the same number), CL_INVALID_OPERATION. */
enum { RT_CUDA_FAILED = 999, RT_OPENCL_FAILED = -59 };
static int rt_device_failed(enum ls_device_api api)
{
    return api == LS_DEVICE_API_OPENCL ? RT_OPENCL_FAILED : RT_CUDA_FAILED;
}

/* enum cudaMemcpyKind, enum hipMemcpyKind */
static enum ls_device_direction rt_device_kind(long kind)
{
    static const enum ls_device_direction kinds[] = {LS_DEVICE_ON_HOST, LS_DEVICE_TO_DEVICE,
                                                     LS_DEVICE_FROM_DEVICE, LS_DEVICE_ON_DEVICE};
    return (uint32_t)kind < sizeof(kinds) / sizeof(kinds[0]) ? kinds[(uint32_t)kind] : LS_DEVICE_NOT_KNOWN;
}

#define WORDS_0 void
#define WORDS_1 long a
#define WORDS_2 WORDS_1, long b
#define WORDS_3 WORDS_2, long c
#define WORDS_4 WORDS_3, long d
#define WORDS_5 WORDS_4, long e
#define WORDS_6 WORDS_5, long f
#define WORDS_7 WORDS_6, long g
#define WORDS_8 WORDS_7, long h
#define WORDS_9 WORDS_8, long i
#define PASS_0
#define PASS_1 a
#define PASS_2 PASS_1, b
#define PASS_3 PASS_2, c
#define PASS_4 PASS_3, d
#define PASS_5 PASS_4, e
#define PASS_6 PASS_5, f
#define PASS_7 PASS_6, g
#define PASS_8 PASS_7, h
#define PASS_9 PASS_8, i

/* Descriptions of rt_device_list.h. */
#define KIND(word) rt_device_kind(word)
#define PRODUCT(x, y) (uint64_t)(x) * (uint64_t)(y)
#define BLOCK(where, out, len)                                                            \
    .what = RT_DEVICE_BLOCK, .memory = LS_DEVICE_MEMORY_##where, .base = (uint64_t)(out), \
    .len_bytes = (uint64_t)(len)
#define ROWS(out, pitch_out, rows_len)                                                   \
    .what = RT_DEVICE_BLOCK, .memory = LS_DEVICE_MEMORY_DEVICE, .base = (uint64_t)(out), \
    .pitch = (uint64_t)(pitch_out), .rows = (uint64_t)(rows_len)
#define FREE(memory_at) .what = RT_DEVICE_FREE, .base = (uint64_t)(memory_at)
#define RELEASE(object) .what = RT_DEVICE_RELEASE, .base = (uint64_t)(object)
#define COPY(way, to_word, from_word, len)                                                                \
    .what = RT_DEVICE_COPY, .direction = (way), .to = (uint64_t)(to_word), .from = (uint64_t)(from_word), \
    .len_bytes = (uint64_t)(len)
#define QUEUED(way, to_word, from_word, len) COPY(way, to_word, from_word, len), .is_queued = true
#define ENQUEUED(blocking, way, to_word, from_word, len) \
    COPY(way, to_word, from_word, len), .is_queued = (uint32_t)(blocking) == 0
#define WAIT .what = RT_DEVICE_WAIT

#define HOOK(interface, name, n, ...)                                                                    \
    LS_EXPORT int name(WORDS_##n);                                                                       \
    LS_EXPORT int name(WORDS_##n)                                                                        \
    {                                                                                                    \
        int (*real)(WORDS_##n);                                                                          \
        void *const caller = __builtin_return_address(0);                                                \
        const struct rt_device_call call = {.api = LS_DEVICE_API_##interface, __VA_ARGS__};              \
        void *const found = rt_device_real(RT_DEVICE_ID_##name, caller);                                 \
        if (!found) return rt_device_failed(call.api);                                                   \
        memcpy(&real, &found, sizeof(real));                                                             \
        const struct rt_device_state state = rt_device_begin(&call, caller, __builtin_frame_address(0)); \
        const int result = real(PASS_##n);                                                               \
        rt_device_end(&call, &state, result == 0, caller);                                               \
        return result;                                                                                   \
    }
RT_DEVICE_LIST(HOOK)

/* CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR */
enum { RT_OPENCL_HOST_FLAGS = 1 << 3 | 1 << 4 };

static struct rt_device_call rt_device_made(enum rt_device_id id, uint64_t len_bytes, uint64_t flags)
{
    struct rt_device_call call = {.what = RT_DEVICE_BLOCK,
                                  .api = LS_DEVICE_API_OPENCL,
                                  .len_bytes = len_bytes,
                                  .is_result = true,
                                  .is_handle = id != RT_DEVICE_ID_clSVMAlloc};
    if (id == RT_DEVICE_ID_clSVMAlloc)
        call.memory = LS_DEVICE_MEMORY_MANAGED;
    else if (flags & RT_OPENCL_HOST_FLAGS)
        call.memory = LS_DEVICE_MEMORY_HOST;
    return call;
}

static void *rt_device_not_made(uint64_t error_at)
{
    const int failed = RT_OPENCL_FAILED;
    if (error_at) memcpy((void *)(uintptr_t)error_at, &failed, sizeof(failed));
    return NULL;
}

#define MAKER(interface, name, n, len, flags, error)                                                     \
    LS_EXPORT void *name(WORDS_##n);                                                                     \
    LS_EXPORT void *name(WORDS_##n)                                                                      \
    {                                                                                                    \
        void *(*real)(WORDS_##n);                                                                        \
        void *const caller = __builtin_return_address(0);                                                \
        struct rt_device_call call =                                                                     \
            rt_device_made(RT_DEVICE_ID_##name, (uint64_t)(len), (uint64_t)(flags));                     \
        void *const found = rt_device_real(RT_DEVICE_ID_##name, caller);                                 \
        if (!found) return rt_device_not_made((uint64_t)(error));                                        \
        memcpy(&real, &found, sizeof(real));                                                             \
        const struct rt_device_state state = rt_device_begin(&call, caller, __builtin_frame_address(0)); \
        void *const result = real(PASS_##n);                                                             \
        call.base = (uint64_t)(uintptr_t)result;                                                         \
        rt_device_end(&call, &state, result != NULL, caller);                                            \
        return result;                                                                                   \
    }
RT_DEVICE_MAKER_LIST(MAKER)

/* --- programs that look functions up by name --- */

enum { RT_PER_THREAD_STREAM = 2 }; /* CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM */

static enum rt_device_id rt_device_id_of(const char *name)
{
    size_t id = 0;
    if (strncmp(name, "cu", 2) != 0 && strncmp(name, "cl", 2) != 0 && strncmp(name, "hip", 3) != 0)
        return RT_DEVICE_IDS;
    while (id < RT_DEVICE_IDS && strcmp(rt_device_names[id], name) != 0)
        id++;
    return (enum rt_device_id)id;
}

LS_ALIGNED bool rt_device_has_hook(const char *name)
{
    return rt_tls.depth == 0 && rt_device_id_of(name) < RT_DEVICE_IDS;
}

static void *rt_device_hook(enum rt_device_id id);

static void *rt_device_hook_of(enum rt_device_id id, void *real)
{
    void *const hook = rt_device_hook(id);
    if (real == hook) return real;
    __atomic_store_n(&rt_device_found[id], real, __ATOMIC_RELEASE);
    return hook;
}

LS_ALIGNED void *rt_device_symbol(void *handle, const char *name, const void *caller)
{
    const enum rt_device_id id = rt_device_id_of(name);
    /* everything includes our own functions, which must not look as if the process had such a library */
    if (handle == RTLD_DEFAULT && rt_device_real(id, caller)) return rt_device_hook(id);
    rt_quiet_begin();
    void *const found = dlsym(handle == RTLD_DEFAULT ? RTLD_NEXT : handle, name);
    rt_quiet_end();
    return found ? rt_device_hook_of(id, found) : NULL;
}

/* The driver gave function `name` in the version for the caller: versions of a hook's name differ in their ends. */
static void *rt_device_hook_of_version(const char *name, uint64_t flags, void *real)
{
    static const char *const own[] = {"_v2", ""};
    static const char *const of_thread[] = {"_v2_ptsz", "_v2_ptds", "_ptsz", "_ptds", "_v2", ""};
    const bool is_of_thread = flags & RT_PER_THREAD_STREAM;
    const char *const *const ends = is_of_thread ? of_thread : own;
    const size_t ends_len = is_of_thread ? sizeof(of_thread) / sizeof(own[0]) : sizeof(own) / sizeof(own[0]);
    char full[64];
    for (size_t i = 0; i < ends_len; i++) {
        const size_t len = strlen(name), end_len = strlen(ends[i]);
        if (len + end_len >= sizeof(full)) return real;
        memcpy(full, name, len);
        memcpy(full + len, ends[i], end_len + 1);
        const enum rt_device_id id = rt_device_id_of(full);
        if (id < RT_DEVICE_IDS) return rt_device_hook_of(id, real);
    }
    return real;
}

/* Replace the function that the driver gave, except for versions before 3.2, whose addresses had 32 bits. */
static void rt_device_replace(const char *name, void **function, uint32_t version, uint64_t flags)
{
    enum { RT_CUDA_WIDE = 3020 };
    const int saved = errno;
    if (function && *function && version >= RT_CUDA_WIDE)
        *function = rt_device_hook_of_version(name, flags, *function);
    errno = saved;
}

LS_EXPORT int cuGetProcAddress(const char *name, void **function, int version, uint64_t flags);
LS_EXPORT int cuGetProcAddress(const char *name, void **function, int version, uint64_t flags)
{
    int (*real)(const char *, void **, int, uint64_t);
    void *const found = rt_device_real(RT_DEVICE_ID_cuGetProcAddress, __builtin_return_address(0));
    if (!found) return RT_CUDA_FAILED;
    memcpy(&real, &found, sizeof(real));
    const int result = real(name, function, version, flags);
    if (result == 0) rt_device_replace(name, function, (uint32_t)version, flags);
    return result;
}

LS_EXPORT int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags,
                                  void *status);
LS_EXPORT int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags,
                                  void *status)
{
    int (*real)(const char *, void **, int, uint64_t, void *);
    void *const found = rt_device_real(RT_DEVICE_ID_cuGetProcAddress_v2, __builtin_return_address(0));
    if (!found) return RT_CUDA_FAILED;
    memcpy(&real, &found, sizeof(real));
    const int result = real(name, function, version, flags, status);
    if (result == 0) rt_device_replace(name, function, (uint32_t)version, flags);
    return result;
}

static void *rt_device_hook(enum rt_device_id id)
{
    switch (id) {
#define CASE(api, name, ...)  \
    case RT_DEVICE_ID_##name: \
        return (void *)(uintptr_t)name;
        RT_DEVICE_LIST(CASE)
        RT_DEVICE_MAKER_LIST(CASE)
#undef CASE
    case RT_DEVICE_ID_cuGetProcAddress:
        return (void *)(uintptr_t)cuGetProcAddress;
    case RT_DEVICE_ID_cuGetProcAddress_v2:
        return (void *)(uintptr_t)cuGetProcAddress_v2;
    default:
        return NULL;
    }
}
