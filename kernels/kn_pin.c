/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/kn_pin.h"

#include <hwloc.h>
#include <stdatomic.h>
#include <stdlib.h>

struct pins {
    hwloc_topology_t topology;
    hwloc_cpuset_t *sets; /* by share */
    unsigned len;
    atomic_int failed;
};

static hwloc_cpuset_t before; /* where the caller might run when it was pinned */

static void bind_share(void *arg, unsigned share)
{
    struct pins *p = arg;
    if (hwloc_set_cpubind(p->topology, p->sets[share], HWLOC_CPUBIND_THREAD) != 0) p->failed = 1;
}

static void free_sets(struct pins *p)
{
    for (unsigned i = 0; i < p->len; i++)
        if (p->sets[i]) hwloc_bitmap_free(p->sets[i]);
    free(p->sets);
}

/* Cores in order, first their first processor, then their second: SMT twins come last. */
static hwloc_obj_t close_processor(hwloc_topology_t t, unsigned share)
{
    const unsigned cores = (unsigned)hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE);
    if (cores == 0) return hwloc_get_obj_by_type(t, HWLOC_OBJ_PU, share);
    unsigned left = share;
    for (unsigned twin = 0; twin < 64; twin++) {
        for (unsigned c = 0; c < cores; c++) {
            hwloc_obj_t core = hwloc_get_obj_by_type(t, HWLOC_OBJ_CORE, c);
            hwloc_obj_t pu = hwloc_get_obj_inside_cpuset_by_type(t, core->cpuset, HWLOC_OBJ_PU, twin);
            if (pu && left-- == 0) return pu;
        }
    }
    return NULL;
}

static ls_err make_sets(struct pins *p, enum kn_pin how)
{
    if (how == KN_PIN_SPREAD) {
        hwloc_obj_t root = hwloc_get_root_obj(p->topology);
        if (hwloc_distrib(p->topology, &root, 1, p->sets, p->len, INT_MAX, 0) != 0)
            return ls_fail(LS_ERR_UNSUPPORTED, "hwloc cannot spread %u threads over this machine", p->len);
        for (unsigned i = 0; i < p->len; i++)
            hwloc_bitmap_singlify(p->sets[i]);
        return LS_OK;
    }
    for (unsigned i = 0; i < p->len; i++) {
        const hwloc_obj_t pu = close_processor(p->topology, i);
        if (!pu) return ls_fail(LS_ERR_UNSUPPORTED, "no processor for thread %u of %u", i + 1, p->len);
        if (!(p->sets[i] = hwloc_bitmap_dup(pu->cpuset)))
            return ls_fail(LS_ERR_NOMEM, "no memory to pin threads");
    }
    return LS_OK;
}

static ls_err bind_all(struct pins *p, const struct kn_backend *b, enum kn_pin how)
{
    if (!before) {
        before = hwloc_bitmap_alloc();
        if (!before || hwloc_get_cpubind(p->topology, before, HWLOC_CPUBIND_THREAD) != 0)
            return ls_fail(LS_ERR_UNSUPPORTED,
                           "the system does not tell where threads run, so they are not pinned");
    }
    p->sets = calloc(p->len, sizeof(hwloc_cpuset_t));
    if (!p->sets) return ls_fail(LS_ERR_NOMEM, "no memory to pin threads");
    LS_TRY(make_sets(p, how));
    b->parallel(p->len, bind_share, p);
    return p->failed ? ls_fail(LS_ERR_UNSUPPORTED, "the system refuses to pin threads") : LS_OK;
}

static ls_err with_topology(const struct kn_backend *b, unsigned threads, enum kn_pin how, bool release)
{
    struct pins p = {.len = threads};
    if (hwloc_topology_init(&p.topology) != 0)
        return ls_fail(LS_ERR_NOMEM, "no memory for the machine's topology");
    ls_err err = LS_OK;
    if (hwloc_topology_load(p.topology) != 0) {
        err = ls_fail(LS_ERR_UNSUPPORTED, "hwloc finds no topology: is /sys mounted?");
    } else if (!release) {
        err = bind_all(&p, b, how);
    } else if ((p.sets = calloc(threads, sizeof(hwloc_cpuset_t)))) {
        for (unsigned i = 0; i < threads; i++)
            p.sets[i] = hwloc_bitmap_dup(before);
        b->parallel(threads, bind_share, &p);
    }
    if (p.sets) free_sets(&p);
    hwloc_topology_destroy(p.topology);
    return err;
}

ls_err kn_pin(const struct kn_backend *b, unsigned threads, enum kn_pin how)
{
    return how == KN_PIN_NONE ? LS_OK : with_topology(b, threads, how, false);
}

void kn_unpin(const struct kn_backend *b, unsigned threads, enum kn_pin how)
{
    if (how == KN_PIN_NONE || !before) return;
    (void)with_topology(b, threads, how, true);
    hwloc_bitmap_free(before);
    before = NULL;
}
