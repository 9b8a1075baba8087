/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "kernels/gpu/kn_gpu.h"

#include "common/ls_clock.h"
#include "common/ls_random.h"
#include "common/ls_vector.h"
#include "kernels/kn_ranks.h"
#include "kernels/kn_values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* ---- variants ---- */

static const char *const memory_names[] = {
#define NAME(id, name) name,
    KN_GPU_MEMORY_LIST(NAME)
#undef NAME
};

static const char *kind_name(const struct kn_gpu_variant *v)
{
    if (v->kind == KN_GPU_FILL) return "fill";
    if (v->kind == KN_GPU_CHASE) return "chase";
    return v->kind == KN_GPU_STREAM ? v->stream->name : pat_kernel_name((enum pat_kernel)v->kind);
}

void kn_gpu_variant_name(const struct kn_gpu_variant *v, char out[KN_GPU_NAME_BYTES])
{
    const char *does = v->operation == PAT_OPERATION_COPY ? "" : pat_operation_name(v->operation);
    snprintf(out, KN_GPU_NAME_BYTES, "%s%s%s_%s_w%u_v%u_%s", kind_name(v), *does ? "_" : "", does,
             memory_names[v->memory], v->work, v->vector, v->last ? "last" : kn_stores_name(v->stores));
    for (char *c = out; *c; c++)
        if (*c == '-') *c = '_';
}

/* The numbers of kn_gpu.cl. */
static unsigned stores_number(enum kn_stores s)
{
    return s == KN_STORES_EXCHANGE ? 1 : s == KN_STORES_ADD ? 2 : 0;
}

static unsigned at_number(enum kn_at at)
{
    static const unsigned numbers[] = {[KN_AT_NONE] = 0, [KN_AT_J] = 1, [KN_AT_I1] = 2,    [KN_AT_I2] = 2,
                                       [KN_AT_I3] = 2,   [KN_AT_0] = 3, [KN_AT_STRIDE] = 4};
    return numbers[at];
}

void kn_gpu_variant_defines(const struct kn_gpu_variant *v, char out[KN_GPU_DEFINES_BYTES])
{
    char name[KN_GPU_NAME_BYTES];
    kn_gpu_variant_name(v, name);
    int used =
        snprintf(out, KN_GPU_DEFINES_BYTES,
                 "-D NAME=%s -D KIND=%u -D BYTES=%u -D INDEX_BITS=%u -D MEMORY=%u -D WORK=%u -D VECTOR=%u "
                 "-D STORES=%u -D LAST=%u -D NEAR_LEN=%u -D SHARED_BYTES=%" PRIu64,
                 name, v->kind, v->element_bytes, v->index_bits, v->memory, v->work, v->vector,
                 stores_number(v->stores), v->last, v->near_len ? v->near_len : 1, v->shared_bytes);
    if (v->kind == KN_GPU_STREAM)
        snprintf(out + used, KN_GPU_DEFINES_BYTES - (size_t)used,
                 " -D OPERATION=%d -D TO_AT=%u -D FROM_AT=%u -D FROM2_AT=%u", v->stream->op,
                 at_number(v->stream->to.at), at_number(v->stream->from.at), at_number(v->stream->from2.at));
    else
        snprintf(out + used, KN_GPU_DEFINES_BYTES - (size_t)used, " -D OPERATION=%d", v->operation);
}

/* ---- devices ---- */

bool kn_gpu_is_wished(const char *wish, const char *name, unsigned at)
{
    if (!wish) return true;
    if (*wish && wish[strspn(wish, "0123456789")] == '\0') return strtoul(wish, NULL, 10) == at;
    return strcasestr(name, wish) != NULL;
}

/* One device of each driver stays open, because opening one takes longer than many replays. */
struct opened {
    char wish[128];
    struct kn_gpu gpu;
};

static const uint64_t timeout_default_ns = 60 * LS_NS_PER_S;

ls_err kn_gpu_open(const struct kn_gpu_driver *driver, const struct kn_options *o, struct kn_gpu **out)
{
    static struct opened all[3];
    struct opened *at = &all[driver == &kn_gpu_cuda ? 1 : driver == &kn_gpu_hip ? 2 : 0];
    const char *wish = o->device ? o->device : "";
    if (!at->gpu.self || strcmp(at->wish, wish) != 0) {
        *at = (struct opened){.gpu = {.driver = driver, .local = kn_ranks_info(o->ranks)->local}};
        snprintf(at->wish, sizeof(at->wish), "%s", wish);
        LS_TRY(driver->open(&at->gpu, o->device, NULL));
    }
    at->gpu.timeout_ns = o->device_timeout_ns ? o->device_timeout_ns : timeout_default_ns;
    *out = &at->gpu;
    return LS_OK;
}

ls_err kn_gpu_kernel(struct kn_gpu *g, const struct kn_gpu_variant *v, void **out)
{
    char key[KN_GPU_DEFINES_BYTES];
    kn_gpu_variant_defines(v, key);
    for (size_t i = 0; i < g->kernels_len; i++)
        if (strcmp(g->kernels[i].key, key) == 0) {
            *out = g->kernels[i].kernel;
            return LS_OK;
        }
    LS_TRY(LS_GROW(g->kernels, g->kernels_room, g->kernels_len + 1));
    LS_TRY(g->driver->kernel(g, v, out));
    g->kernels[g->kernels_len].kernel = *out;
    memcpy(g->kernels[g->kernels_len++].key, key, sizeof(key));
    return LS_OK;
}

enum { FILL_ITEMS = 64, FILL_WORK = 4 };

ls_err kn_gpu_fill(struct kn_gpu *g, const struct kn_gpu_filling *f)
{
    const struct kn_gpu_variant v = {.kind = KN_GPU_FILL,
                                     .element_bytes = f->element_bytes,
                                     .index_bits = 32,
                                     .work = FILL_WORK,
                                     .vector = 1,
                                     .stores = KN_STORES_REGULAR};
    const struct kn_gpu_fill values = {.first = (uint64_t)f->first,
                                       .len = f->len,
                                       .salt = f->salt * LS_RANDOM_STEP,
                                       .clear =
                                           f->salt == KN_SALT_UPDATED ? kn_value_lower(f->element_bytes) : 0,
                                       .zero = f->zero};
    const struct kn_gpu_launch l = {
        .groups = (f->len - 1) / (FILL_ITEMS * FILL_WORK) + 1,
        .items_x = FILL_ITEMS,
        .items_y = 1,
        .repeats = 1,
        .args = {{.buffer = &f->buffer}, {.value = &values, .len_bytes = sizeof(values)}},
        .args_len = 2};
    void *kernel;
    double seconds;
    if (f->len == 0) return LS_OK;
    LS_TRY(kn_gpu_kernel(g, &v, &kernel));
    return g->driver->launch(g, kernel, &l, &seconds);
}

ls_err kn_gpu_memory_check(const struct kn_gpu *g, const char *name, const uint64_t *bytes, size_t len,
                           uint64_t limit_bytes)
{
    static const double mib = 1 << 20;
    static const char remedy[] =
        "lower --count or --delta, fold the indices by --boundary or --compress, or take --element-bytes 4";
    const uint64_t most =
        limit_bytes && limit_bytes < g->info.memory_bytes ? limit_bytes : g->info.memory_bytes;
    double sum = 0;
    uint64_t largest = 0;
    for (size_t i = 0; i < len; i++) {
        sum += (double)bytes[i];
        if (bytes[i] > largest) largest = bytes[i];
    }
    if (sum > (double)most)
        return ls_fail(LS_ERR_NOMEM, "%s needs %.1f MiB of device memory, but %s %.1f MiB: %s", name,
                       sum / mib, most == limit_bytes ? "--memory allows" : "the device has",
                       (double)most / mib, remedy);
    if (largest <= g->info.block_bytes_max) return LS_OK;
    return ls_fail(LS_ERR_NOMEM, "%s needs an array of %.1f MiB, but %s takes arrays of %.1f MiB at most: %s",
                   name, (double)largest / mib, g->info.name, (double)g->info.block_bytes_max / mib, remedy);
}

/* Wait for the flag in memory with which a device signals its end. At first the flag is read often, for short
 * kernels. */
ls_err kn_gpu_wait(const struct kn_gpu *g, int (*is_done)(void *arg), void *arg, int *out_error)
{
    const uint64_t begin_ns = ls_clock_mono_ns();
    struct timespec pause = {.tv_nsec = 5000};
    for (*out_error = 0;;) {
        const int done = is_done(arg);
        if (done > 0) return LS_OK;
        if (done < 0) {
            *out_error = done;
            return LS_OK;
        }
        if (ls_clock_mono_ns() - begin_ns > g->timeout_ns)
            return ls_fail(
                LS_ERR_BUSY,
                "%s has not ended a kernel after %.1f s: it is stuck, or shared with other programs; "
                "--device-timeout sets the limit",
                g->info.name, (double)g->timeout_ns / (double)LS_NS_PER_S);
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 1000000) pause.tv_nsec += pause.tv_nsec / 2;
    }
}
