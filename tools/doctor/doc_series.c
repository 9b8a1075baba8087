/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/doctor/doc_series.h"

#include "common/ls_env.h"

#include <stdio.h>
#include <stdlib.h>

size_t doc_series_try(struct doc_series out[TRF_SOURCES_MAX])
{
    const struct trf_machine machine = {.sys_root = getenv(ls_env_rows[LS_ENV_SYSFS].variable)};
    size_t len = 0;
    for (; trf_sources[len]; len++) {
        struct doc_series *d = &out[len];
        struct trf_opened opened = {NULL};
        *d = (struct doc_series){.source = trf_sources[len]};
        d->works = d->source->open(&machine, NULL, &opened) == LS_OK;
        snprintf(d->detail, sizeof(d->detail), "%s", d->works ? opened.detail : ls_last_error());
        d->source->close(opened.state);
        free(opened.counters.rows);
    }
    return len;
}
