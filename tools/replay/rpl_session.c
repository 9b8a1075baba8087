/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/replay/rpl_session.h"

#include <math.h>
#include <stdlib.h>

const struct rpl_format *const rpl_formats[] = {&rpl_format_table, &rpl_format_spatter, &rpl_format_json,
                                                &rpl_format_csv, NULL};

struct rpl_summary rpl_summarise(const struct rpl_session *s)
{
    struct rpl_summary m = {.len = s->done, .min = NAN, .max = NAN, .hmean = NAN, .hstderr = NAN};
    double *rates = calloc(s->done + 1, sizeof(*rates));
    for (size_t i = 0; i < s->done; i++) {
        const double rate = s->results[i].mb_per_s;
        if (!(rate >= m.min)) m.min = rate;
        if (!(rate <= m.max)) m.max = rate;
        m.invalid += !s->results[i].valid;
        if (rates) rates[i] = rate;
    }
    if (!rates) return m;
    m.hmean = kn_harmonic_mean(rates, s->done);
    m.hstderr = kn_harmonic_stderr(rates, s->done);
    free(rates);
    return m;
}
