/* SPDX-License-Identifier: BSD-3-Clause */
/* Try the sources of record --series for doctor. */
#ifndef DOC_SERIES_H
#define DOC_SERIES_H

#include "traffic/trf_sampler.h"

struct doc_series {
    const struct trf_source *source;
    bool works;
    char detail[512]; /* findings, or cause and remedy */
};

/* Open each row of trf_sources. Returns their number. */
size_t doc_series_try(struct doc_series out[TRF_SOURCES_MAX]);

#endif
