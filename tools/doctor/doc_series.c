/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/doctor/doc_series.h"

#include "common/ls_env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Add the verdict on a source that is compared with known traffic; one that is off does not work. */
static void doc_series_compared(const struct trf_machine *machine, struct doc_series *d)
{
    const size_t used = strlen(d->detail);
    struct trf_verdict v = {.is_good = true,
                            .text = "record compares it with known traffic before it is used"};
    (void)trf_verdict_load(machine, d->source, &v);
    d->works = v.is_good;
    snprintf(d->detail + used, sizeof(d->detail) - used, "; %s", v.text);
}

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
        if (d->works && d->source->check == TRF_CHECK_STREAM) doc_series_compared(&machine, d);
        d->source->close(opened.state);
        free(opened.counters.rows);
    }
    return len;
}
