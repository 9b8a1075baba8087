/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/replay/rpl_row.h"

#include <stdio.h>

static void rpl_row_together(const struct rpl_session *s, struct rpl_row *out)
{
    const char *first = s->suite.rows[0].name;
    *out =
        (struct rpl_row){.name = out->all, .kernel = "together", .word = "together", .count = 1, .wrap = 1};
    if (*first && s->suite.len > 1)
        snprintf(out->all, sizeof(out->all), "%.200s and %zu more", first, s->suite.len - 1);
    else
        snprintf(out->all, sizeof(out->all), "%.250s", first);
    snprintf(out->pattern, sizeof(out->pattern), "%zu pattern%s in turn", s->suite.len,
             s->suite.len == 1 ? "" : "s");
}

void rpl_row_of(const struct rpl_session *s, size_t i, struct rpl_row *out)
{
    if (s->settings.together) {
        rpl_row_together(s, out);
        return;
    }
    const struct pat_config *c = &s->suite.rows[i];
    *out = (struct rpl_row){.name = c->name,
                            .kernel = pat_kernel_name(c->kernel),
                            .word = pat_config_word(c),
                            .count = c->count,
                            .wrap = c->wrap};
    pat_describe(c, out->pattern);
    pat_describe_delta(c, out->delta);
}

const char *rpl_row_name(const struct rpl_row *r)
{
    return *r->name ? r->name : r->pattern;
}
