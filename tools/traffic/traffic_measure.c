/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels run natively: their traffic by the counters of this machine, or for the runtime to record. */
#include "common/ls_clock.h"
#include "common/ls_env.h"
#include "tools/cli/cli_message.h"
#include "tools/traffic/traffic.h"

#include <dlfcn.h>
#include <loadstone/loadstone.h>
#include <stdlib.h>

struct traffic_measure {
    struct trf_machine machine;
    struct trf_request request;
    struct trf_measure_options options;
    struct trf_measure now;
    trf_sampler *sampler;
};

static void take_point(void *user, const struct trf_point *p)
{
    struct traffic_measure *m = user;
    trf_measure_point(&m->now, p);
}

static void take_note(void *user, const char *text)
{
    (void)user;
    cli_warn("%s", text);
}

static ls_err verify(void *user, const struct trf_source *source, const struct trf_opened *opened,
                     struct trf_verdict *out)
{
    struct traffic_measure *m = user;
    return trf_verify_here(&m->machine, source, opened, out);
}

static bool has_traffic(const trf_sampler *sampler)
{
    size_t len;
    const struct trf_series *s = trf_sampler_series(sampler, &len);
    for (size_t i = 0; i < len; i++)
        if (s[i].counter.kind == LS_COUNTER_READ || s[i].counter.kind == LS_COUNTER_WRITTEN ||
            s[i].counter.kind == LS_COUNTER_MOVED)
            return true;
    return false;
}

ls_err traffic_measure_open(const char *sources, unsigned runs, unsigned repetitions,
                            struct traffic_measure **out)
{
    struct traffic_measure *m = calloc(1, sizeof(*m));
    if (!m) return ls_nomem("counters");
    const struct trf_use use = {take_point, take_note, verify, m};
    m->options =
        (struct trf_measure_options){.runs = runs, .repetitions = repetitions, .second_ns = LS_NS_PER_S};
    m->machine.sys_root = getenv(ls_env_rows[LS_ENV_SYSFS].variable);
    m->machine.pcp_archive = getenv("PCP_ARCHIVE");
    ls_err err = trf_request_parse(sources, &m->request);
    if (err == LS_OK) err = trf_sampler_new(&m->machine, &m->request, &use, &m->sampler);
    m->now.sampler = m->sampler;
    if (err == LS_OK && !has_traffic(m->sampler))
        err = ls_fail(LS_ERR_NOT_FOUND,
                      "no counter of memory traffic can be used here (loadstone doctor lists "
                      "them); loadstone record -- loadstone traffic run KERNEL -n N estimates "
                      "the traffic without counters");
    if (err == LS_OK)
        *out = m;
    else
        traffic_measure_close(m);
    return err;
}

void traffic_measure_close(struct traffic_measure *m)
{
    if (!m) return;
    trf_sampler_free(m->sampler);
    free(m);
}

ls_err traffic_measure_point(struct traffic_measure *m, struct traffic_point *p)
{
    struct trf_native n;
    LS_TRY(trf_native_init(&n, p->kernel, &p->size));
    p->measured = calloc(TRF_SOURCES_MAX, sizeof(*p->measured));
    const ls_err err = p->measured ? trf_measure(&m->now, m->sampler, &n, &m->options, p->measured,
                                                 &p->measured_len, &p->repetitions)
                                   : ls_nomem("measurements");
    trf_native_fini(&n);
    return err;
}

/* The runtime is in this process only if it is being recorded. */
void traffic_describe(const char *const names[TRF_ARRAYS_MAX], double *const arrays[TRF_ARRAYS_MAX],
                      const size_t bytes[TRF_ARRAYS_MAX])
{
    ls_err (*tree_new)(smr_tree * *out);
    ls_err (*tree_insert)(smr_tree * t, const struct smr_spec *spec, smr_node **out);
    smr_tree *tree = NULL;
    *(void **)&tree_new = dlsym(RTLD_DEFAULT, "smr_tree_new");
    *(void **)&tree_insert = dlsym(RTLD_DEFAULT, "smr_tree_insert");
    if (!tree_new || !tree_insert || tree_new(&tree) != LS_OK) return;
    for (int i = 0; i < TRF_ARRAYS_MAX && names[i] && arrays[i]; i++) {
        const struct smr_spec spec = {.label = names[i],
                                      .start = arrays[i],
                                      .end = (char *)arrays[i] + bytes[i],
                                      .elem_size_bytes = sizeof(double),
                                      .dims = 1};
        tree_insert(tree, &spec, NULL);
    }
}

ls_err traffic_run_native(const struct trf_kernel *k, const struct trf_size *s, unsigned repetitions)
{
    struct trf_native n;
    LS_TRY(trf_native_init(&n, k, s));
    traffic_describe(k->arrays, n.arrays, n.bytes);
    for (unsigned r = repetitions ? repetitions : trf_repetitions(s->n); r > 0; r--) {
        trf_native_flush(&n);
        trf_native_run(&n);
    }
    trf_native_fini(&n);
    return LS_OK;
}
