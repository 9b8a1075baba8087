/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/stream/kn_proof.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct share_error {
    double sum, worst;
    uint64_t worst_at;
};

struct proof {
    const struct kn_room *room;
    const struct kn_kernel *kernel;
    struct kn_lane_job job;
    struct share_error *errors; /* by share */
};

static double read_at(const void *array, uint64_t at, unsigned bytes)
{
    return bytes == 8 ? ((const double *)array)[at] : (double)((const float *)array)[at];
}

static double expected(const struct proof *p, uint64_t j)
{
    const struct kn_room *r = p->room;
    const struct kn_kernel *k = p->kernel;
    const double x = read_at(p->job.from, kn_room_place(r, k, &k->from, j), r->element_bytes);
    const double y =
        p->job.from2 ? read_at(p->job.from2, kn_room_place(r, k, &k->from2, j), r->element_bytes) : 0;
    switch (k->op) {
    case KN_OP_COPY:
        return x;
    case KN_OP_SCALE:
        return p->job.q * x;
    case KN_OP_SUM:
        return x + y;
    default:
        return x + p->job.q * y;
    }
}

static void prove_share(void *arg, unsigned share)
{
    const struct proof *p = arg;
    const uint64_t iterations = kn_room_iterations(p->room, p->kernel);
    const uint64_t end = kn_room_begin(p->room, iterations, share + 1);
    struct share_error e = {0, 0, 0};
    for (uint64_t j = kn_room_begin(p->room, iterations, share); j < end; j++) {
        const double want = expected(p, j);
        const double got =
            read_at(p->job.to, kn_room_place(p->room, p->kernel, &p->kernel->to, j), p->room->element_bytes);
        const double off = fabs(got - want) / fabs(want);
        e.sum += off;
        if (off <= e.worst) continue; /* not so for NAN */
        e.worst = off;
        e.worst_at = j;
    }
    p->errors[share] = e;
}

void kn_prove(const struct kn_room *r, const struct kn_kernel *k, struct kn_result *out)
{
    struct proof p = {r, k, kn_room_job(r, k), calloc(r->threads, sizeof(struct share_error))};
    out->valid = false;
    if (!p.errors) {
        snprintf(out->invalid, sizeof(out->invalid), "no memory to check the result");
        return;
    }
    r->backend->parallel(r->threads, prove_share, &p);
    struct share_error all = {0, 0, 0};
    for (unsigned s = 0; s < r->threads; s++) {
        all.sum += p.errors[s].sum;
        if (!(p.errors[s].worst <= all.worst)) {
            all.worst = p.errors[s].worst;
            all.worst_at = p.errors[s].worst_at;
        }
    }
    free(p.errors);
    const double allowed = r->element_bytes == 8 ? 1e-13 : 1e-6;
    out->worst_error = all.worst;
    out->valid = all.sum / (double)kn_room_iterations(r, k) <= allowed;
    if (!out->valid)
        snprintf(out->invalid, sizeof(out->invalid), "iteration %llu has a relative error of %g",
                 (unsigned long long)all.worst_at, all.worst);
}
