/* SPDX-License-Identifier: BSD-3-Clause */
/* A libcuda.so.1 for tests: one device, whose kernels are done here in plain C, work item by work item, as their names and launch
 * parameters ask for. FAKE_CUDA names a defect: none (no device), old (capability 5.0), stuck (no kernel ends), lost (the first kernel
 * of the measurement ends the device), slow (ended by the driver), wrong (its first work item does nothing), jit (the text is not compiled). FAKE_CUDA_BYTES: device memory.
 * FAKE_CUDA_DEVICES: number of devices. FAKE_CUDA_LOG: a file for the calls of the launches, and for the device that is used. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_READY = 600, KERNELS_MAX = 256 };

static int is_defect(const char *name)
{
    const char *defect = getenv("FAKE_CUDA");
    return defect && strcmp(defect, name) == 0;
}

static size_t all_bytes(void)
{
    const char *bytes = getenv("FAKE_CUDA_BYTES");
    return bytes ? strtoull(bytes, NULL, 10) : (size_t)1 << 30;
}

static size_t used_bytes;
static unsigned launches;

/* Drivers align blocks to 256 bytes. */
struct block {
    _Alignas(256) size_t len;
    _Alignas(256) uint64_t data[];
};

int cuInit(unsigned flags)
{
    return flags == 0 ? (is_defect("none") ? 100 : 0) : 1;
}

int cuDriverGetVersion(int *out)
{
    *out = 12040;
    return 0;
}

int cuDeviceGetCount(int *out)
{
    const char *devices = getenv("FAKE_CUDA_DEVICES");
    *out = devices ? atoi(devices) : 1;
    return 0;
}

int cuDeviceGet(int *out, int at)
{
    *out = at;
    return 0;
}

int cuDeviceGetName(char *out, int room, int device)
{
    (void)device;
    snprintf(out, (size_t)room, "Made-up 100");
    return 0;
}

int cuDeviceGetAttribute(int *out, int what, int device)
{
    static const struct {
        int what, value;
    } values[] = {{1, 1024}, {8, 49152}, {16, 4}, {38, 1 << 20}, {75, 7}, {76, 0}};
    (void)device;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if (values[i].what == what) {
            *out = what == 75 && is_defect("old") ? 5 : values[i].value;
            return 0;
        }
    return 1;
}

static void log_device(int device)
{
    const char *log = getenv("FAKE_CUDA_LOG");
    FILE *out = log ? fopen(log, "a") : NULL;
    if (!out) return;
    fprintf(out, "device %d\n", device);
    fclose(out);
}

int cuDevicePrimaryCtxRetain(void **out, int device)
{
    static int context;
    log_device(device);
    *out = &context;
    return 0;
}

int cuCtxSetCurrent(void *context)
{
    return context ? 0 : 201;
}

int cuMemGetInfo_v2(size_t *out_free, size_t *out_all)
{
    *out_free = *out_all = all_bytes();
    return 0;
}

int cuMemAlloc_v2(uint64_t *out, size_t len)
{
    if (used_bytes + len > all_bytes() || is_defect("memory")) return 2;
    struct block *b = aligned_alloc(256, sizeof(*b) + (len + 255) / 256 * 256);
    if (!b) return 2;
    b->len = len;
    used_bytes += len;
    *out = (uintptr_t)b->data;
    return 0;
}

static struct block *block_of(uint64_t address)
{
    return (struct block *)(uintptr_t)(address - sizeof(struct block));
}

int cuMemFree_v2(uint64_t address)
{
    used_bytes -= block_of(address)->len;
    free(block_of(address));
    return 0;
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t len)
{
    if (len > block_of(to)->len) return 1;
    memcpy((void *)(uintptr_t)to, from, len);
    return 0;
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t len)
{
    if (len > block_of(from)->len) return 1;
    memcpy(to, (const void *)(uintptr_t)from, len);
    return 0;
}

/* A module is its text, a function is its name and the module. */
struct function {
    const char *text;
    char name[64];
};

int cuModuleLoadData(void **out, const void *text)
{
    *out = (void *)(uintptr_t)text;
    return is_defect("jit") || strncmp(strstr(text, ".version"), ".version", 8) != 0 ? 218 : 0;
}

int cuModuleGetFunction(void **out, void *module, const char *name)
{
    static struct function functions[KERNELS_MAX];
    static size_t len;
    char entry[96];
    snprintf(entry, sizeof(entry), ".visible .entry %s(", name);
    if (!strstr(module, entry) || len == KERNELS_MAX) return 500;
    functions[len].text = module;
    snprintf(functions[len].name, sizeof(functions[len].name), "%s", name);
    *out = &functions[len++];
    return 0;
}

/* ---- kernels, as defined in doc/gpu.md ---- */

struct walk {
    uint64_t count, wrap, len, columns, steps_from_len, steps_to_len;
    int64_t turn_from, turn_to, low_from, low_to;
    uint64_t keep, apart, turns;
};

static unsigned bytes, bits; /* an element's bytes, an index' bits */

static uint64_t get(const void *array, uint64_t at)
{
    return bytes == 8 ? ((const uint64_t *)array)[at] : ((const uint32_t *)array)[at];
}

static void put(void *array, uint64_t at, uint64_t value, const char *how)
{
    double sum;
    float narrow;
    const uint64_t old = get(array, at);
    if (strcmp(how, "add") == 0 && bytes == 8) {
        memcpy(&sum, &old, 8);
        double addend;
        memcpy(&addend, &value, 8);
        sum += addend;
        memcpy(&value, &sum, 8);
    } else if (strcmp(how, "add") == 0) {
        float addend;
        memcpy(&narrow, &old, 4);
        memcpy(&addend, &value, 4);
        narrow += addend;
        memcpy(&value, &narrow, 4);
    }
    if (bytes == 8)
        ((uint64_t *)array)[at] = value;
    else
        ((uint32_t *)array)[at] = (uint32_t)value;
}

static int64_t index_at(const void *array, uint64_t at)
{
    return bits == 64 ? ((const int64_t *)array)[at] : ((const int32_t *)array)[at];
}

static int64_t begin_of(const int64_t *steps, uint64_t len, int64_t turn, uint64_t i)
{
    return (int64_t)(i / len) * turn + steps[i % len];
}

static void move(const char *kind, const char *how, void *const *buffers, const struct walk *w, uint64_t i,
                 uint64_t j)
{
    const int two = strncmp(kind, "multi", 5) == 0, gs = strcmp(kind, "gs") == 0;
    const int reduces = strstr(kind, "_reduce") || strstr(kind, "_chase"),
              fills = strstr(kind, "_fill") != NULL;
    const int gathers = strstr(kind, "gather") || gs;
    int64_t p = index_at(buffers[2], j);
    const uint64_t dense = j + w->len * (i % w->wrap);
    if (two) p = index_at(buffers[3], (uint64_t)p);
    const int64_t from = gathers ? begin_of(buffers[4], w->steps_from_len, w->turn_from, i) - w->low_from : 0;
    const int64_t to = gathers && !gs ? 0 : begin_of(buffers[5], w->steps_to_len, w->turn_to, i) - w->low_to;
    if (reduces) /* a sum for each item or for all together is the same */
        put(buffers[0], 0, w->keep ? get(buffers[0], 0) + get(buffers[1], (uint64_t)(from + p)) : 0,
            "regular");
    else if (fills)
        put(buffers[0], (uint64_t)(to + p), i + 1, "regular");
    else if (strstr(kind, "_update"))
        put(buffers[0], (uint64_t)(to + p),
            get(buffers[0], (uint64_t)(to + p)) | UINT64_C(1) << (i & (4 * bytes - 1)), "regular");
    else if (gs)
        put(buffers[0], (uint64_t)(to + index_at(buffers[3], j)), get(buffers[1], (uint64_t)(from + p)), how);
    else if (gathers)
        put(buffers[0], dense, get(buffers[1], (uint64_t)(from + p)), "regular");
    else
        put(buffers[0], (uint64_t)(to + p), get(buffers[1], dense), how);
}

/* The rows of a work item; a row that a later one overwrites is not stored. */
static void move_rows(const char *kind, void *const *buffers, const struct walk *w, unsigned work,
                      uint64_t item, uint64_t j)
{
    const uint64_t begin = item / w->apart * w->apart * w->turns * work + item % w->apart;
    for (uint64_t n = 0; n < w->turns * work; n++) {
        const uint64_t i = begin + n * w->apart;
        if (i < w->count && i + w->wrap >= w->count) move(kind, "regular", buffers, w, i, j);
    }
}

static void chain(const char *kind, void *const *buffers, const struct walk *w, uint64_t at)
{
    for (uint64_t i = w->count * at / w->columns; i < w->count * (at + 1) / w->columns; i++)
        for (uint64_t j = 0; j < w->len; j++)
            move(kind, "regular", buffers, w, i, j);
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static void fill(void *to, const uint64_t *f, uint64_t n)
{
    const uint64_t m = mix(f[0] + n + f[2]);
    const uint64_t value =
        bytes == 8 ? UINT64_C(0x3ff0000000000000) | m >> 12 : UINT64_C(0x3f800000) | m >> 41;
    put(to, n, f[4] ? 0 : value & ~f[3], "regular");
}

static uint64_t place(char what, const void *index, uint64_t j, uint64_t stride)
{
    return what == 'i' ? (uint64_t)index_at(index, j) : what == '0' ? 0 : what == 's' ? j * stride : j;
}

static double number(const void *array, uint64_t at)
{
    return bytes == 8 ? ((const double *)array)[at] : (double)((const float *)array)[at];
}

static void stream(const char *name, void *const *buffers, const uint64_t *sweep, uint64_t j)
{
    static const char *const groups[][2] = {{"gather", "ji"},  {"scatter", "ij"}, {"sg", "ii"},
                                            {"central", "00"}, {"hotspot", "ji"}, {"stride", "ss"}};
    const char *places = "jj", *operation = name;
    for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); g++)
        if (strncmp(name, groups[g][0], strlen(groups[g][0])) == 0 && name[strlen(groups[g][0])] == '_') {
            places = groups[g][1];
            operation = name + strlen(groups[g][0]) + 1;
        }
    const double x = number(buffers[1], place(places[1], buffers[4], j, sweep[1]));
    double y = 0, q = 3;
    if (strncmp(operation, "sum", 3) == 0 || strncmp(operation, "triad", 5) == 0)
        y = number(buffers[2], place(places[1], buffers[5], j, sweep[1]));
    const double result = strncmp(operation, "copy", 4) == 0    ? x
                          : strncmp(operation, "scale", 5) == 0 ? q * x
                          : strncmp(operation, "sum", 3) == 0   ? x + y
                                                                : x + q * y;
    const uint64_t at = place(places[0], buffers[3], j, sweep[1]);
    if (bytes == 8)
        ((double *)buffers[0])[at] = result;
    else
        ((float *)buffers[0])[at] = (float)result;
}

static void chase(void *const *args, uint64_t ring)
{
    const uint64_t *next, *sizes = args[2]; /* elements, rings */
    uint64_t *ends;
    memcpy(&next, args[0], sizeof(next));
    memcpy(&ends, args[1], sizeof(ends));
    if (ring >= sizes[1]) return;
    const uint64_t begin = sizes[0] * ring / sizes[1], end = sizes[0] * (ring + 1) / sizes[1];
    uint64_t at = begin;
    for (uint64_t i = begin; i < end; i++)
        at = next[at];
    ends[ring] = is_defect("wrong") ? begin + 1 : at;
}

int cuLaunchKernel(void *function, unsigned groups, unsigned groups_y, unsigned groups_z, unsigned items_x,
                   unsigned items_y, unsigned items_z, unsigned shared_bytes, void *on, void **args,
                   void **extra)
{
    const struct function *f = function;
    char kind[64], how[16] = "";
    unsigned work = 0, vector = 0;
    void *buffers[6] = {NULL};
    if (groups_y != 1 || groups_z != 1 || items_z != 1 || on || extra || items_x * items_y > 1024 || !groups)
        return 1;
    const char *log = getenv("FAKE_CUDA_LOG");
    FILE *out = log ? fopen(log, "a") : NULL;
    if (out) {
        fprintf(out, "%s groups %u items %ux%u shared %u\n", f->name, groups, items_x, items_y, shared_bytes);
        fclose(out);
    }
    launches++;
    if (sscanf(f->text, "// %*[a-z], elements of %u bytes, indices of %u bits", &bytes, &bits) != 2) return 1;
    snprintf(kind, sizeof(kind), "%s", f->name);
    char *memory = strstr(kind, "_global_");
    if (!memory) memory = strstr(kind, "_local_");
    if (!memory || sscanf(strchr(memory + 1, '_'), "_w%u_v%u_%15s", &work, &vector, how) != 3 || vector != 1)
        return 1;
    *memory = '\0';
    const int is_move = strstr(kind, "_reduce") || strstr(kind, "_fill") || strstr(kind, "_update") ||
                        strcmp(kind, "gs") == 0 || strcmp(kind, "gather") == 0 ||
                        strcmp(kind, "scatter") == 0 || strncmp(kind, "multi", 5) == 0;
    if (strcmp(kind, "chase") == 0) {
        for (uint64_t ring = 0; ring < (uint64_t)groups * items_x; ring++)
            chase(args, ring);
        return 0;
    }
    for (int b = 0; b < (strcmp(kind, "fill") == 0 ? 1 : 6); b++)
        memcpy(&buffers[b], args[b], sizeof(buffers[b]));
    if (strstr(kind, "_chase")) {
        const struct walk *w = args[6];
        for (uint64_t c = 0; c < w->columns && c < (uint64_t)groups * items_x; c++)
            chain(kind, buffers, w, c);
        return 0;
    }
    for (uint64_t g = 0; g < groups; g++)
        for (uint64_t k = 0; k < work; k++)
            for (uint64_t y = 0; y < items_y; y++)
                for (uint64_t x = 0; x < items_x; x++) {
                    if (is_move) {
                        const struct walk *w = args[6];
                        const int is_last = strcmp(how, "last") == 0;
                        const uint64_t i = (g / w->columns * (is_last ? 1 : work) + k) * items_y + y,
                                       j = g % w->columns * items_x + x;
                        if (is_last) {
                            if (k == 0 && j < w->len) move_rows(kind, buffers, w, work, i, j);
                        } else if (i < w->count && j < w->len && !(i == 0 && j == 0 && is_defect("wrong")))
                            move(kind, how, buffers, w, i, j);
                    } else if (strcmp(kind, "fill") == 0) {
                        const uint64_t *fill_args = args[1], n = (g * work + k) * items_x + x;
                        if (n < fill_args[1]) fill(buffers[0], fill_args, n);
                    } else {
                        const uint64_t *sweep = args[7], j = (g * work + k) * items_x + x;
                        if (j < sweep[0]) stream(kind, buffers, sweep, j);
                    }
                }
    return 0;
}

int cuEventCreate(void **out, unsigned flags)
{
    static int events[2], len;
    (void)flags;
    *out = &events[len++ & 1];
    return 0;
}

int cuEventRecord(void *event, void *on)
{
    (void)on;
    return event ? 0 : 400;
}

int cuEventQuery(void *event)
{
    (void)event;
    if (is_defect("stuck")) return NOT_READY;
    if (is_defect("lost") && launches > 2) return 719;
    if (is_defect("slow") && launches > 2) return 702;
    return launches % 3 == 0 ? (launches++, NOT_READY) : 0; /* some are not ready at the first look */
}

int cuEventElapsedTime(float *out_ms, void *begin, void *end)
{
    *out_ms = begin != end ? 1.5F : 0;
    return 0;
}

int cuGetErrorName(int code, const char **out)
{
    *out = code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : code == 719 ? "CUDA_ERROR_LAUNCH_FAILED" : "CUDA_ERROR";
    return 0;
}

int cuGetErrorString(int code, const char **out)
{
    *out = code == 2 ? "out of memory" : "made up";
    return 0;
}
