/* SPDX-License-Identifier: BSD-3-Clause */
#include "traffic/trf_source.h"

#include <stdio.h>

const struct trf_source *const trf_sources[] = {
    &trf_source_perf,     &trf_source_resctrl, &trf_source_net, &trf_source_infiniband,
    &trf_source_powercap, &trf_source_nvml,    &trf_source_pcp, NULL,
};

ls_err trf_opened_add(struct trf_opened *o, const struct trf_counter *c, const char *name)
{
    struct trf_counter row = *c;
    snprintf(row.name, sizeof(row.name), "%s", name);
    return LS_VECTOR_ADD(&o->counters, row);
}

const char *trf_sys_root(const struct trf_machine *m)
{
    return m->sys_root && *m->sys_root ? m->sys_root : "/sys";
}
