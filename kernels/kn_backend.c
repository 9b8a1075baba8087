/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/kn_backend.h"

#include "common/ls_clock.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool always(void)
{
    return true;
}

unsigned kn_backend_one_thread(void)
{
    return 1;
}

void kn_backend_run_in_turn(unsigned shares, kn_task *task, void *arg)
{
    for (unsigned s = 0; s < shares; s++)
        task(arg, s);
}

const struct kn_backend kn_backend_serial = {.name = "serial",
                                             .summary = "the calling thread",
                                             .built = always,
                                             .threads_max = kn_backend_one_thread,
                                             .threads_default = kn_backend_one_thread,
                                             .parallel = kn_backend_run_in_turn};

/* The first that was built is the default. */
const struct kn_backend *const kn_backends[] = {&kn_backend_openmp, &kn_backend_serial, &kn_backend_scalar,
                                                NULL};

static const struct kn_backend *find(const char *name)
{
    for (const struct kn_backend *const *b = kn_backends; *b; b++)
        if (name ? strcasecmp((*b)->name, name) == 0 : (*b)->built()) return *b;
    return NULL;
}

static ls_err fail_unknown(const char *name, const char *why)
{
    char known[128] = "";
    for (const struct kn_backend *const *b = kn_backends; *b; b++) {
        if (!(*b)->built()) continue;
        const size_t used = strlen(known);
        snprintf(known + used, sizeof(known) - used, "%s%s", used ? ", " : "", (*b)->name);
    }
    return ls_fail(LS_ERR_UNSUPPORTED, "backend '%s' %s; there are %s", name, why, known);
}

double kn_backend_seconds(const struct kn_backend *b, unsigned shares, kn_task *task, void *arg)
{
    const uint64_t begin = ls_clock_mono_ns();
    b->parallel(shares, task, arg);
    const uint64_t ns = ls_clock_mono_ns() - begin;
    return (double)(ns ? ns : 1) / (double)LS_NS_PER_S;
}

ls_err kn_backend_choose(const struct kn_options *o, const struct kn_backend **out, unsigned *out_threads)
{
    const struct kn_backend *b = find(o->backend);
    if (!b) return fail_unknown(o->backend, "does not exist");
    if (!b->built()) return fail_unknown(o->backend, "was not built");
    if (b->method != KN_METHOD_AUTO && o->method != KN_METHOD_AUTO && o->method != b->method)
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "backend %s runs method %s only; take another backend for method %s", b->name,
                       kn_method_name(b->method), kn_method_name(o->method));
    const unsigned threads = o->threads ? o->threads : b->threads_default();
    if (threads > b->threads_max())
        return ls_fail(LS_ERR_UNSUPPORTED, "%u threads asked for%s, but backend %s has %u processor%s here",
                       threads, o->threads ? "" : " by OMP_NUM_THREADS", b->name, b->threads_max(),
                       b->threads_max() == 1 ? "" : "s");
    *out = b;
    *out_threads = threads;
    return LS_OK;
}
