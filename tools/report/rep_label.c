/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/rep_label.h"

#include "tools/cli/cli_term.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *rep_format_share(const struct an_interval *i, char out[CLI_CELL_BYTES])
{
    if (isnan(i->share)) return strcpy(out, "-");
    const double share = fmax(i->share, 0); /* a coarse clock errs to both sides of nothing */
    const double half = fmax(i->high - i->share, i->share - i->low);
    if (isnan(half))
        snprintf(out, CLI_CELL_BYTES, "~%.0f", share * 100);
    else
        snprintf(out, CLI_CELL_BYTES, cli_term_utf8() ? "%.1f ±%.1f" : "%.1f +-%.1f", share * 100,
                 half * 100);
    return out;
}

const char *rep_format_level(const struct an_row *r, enum prof_level level, char out[CLI_CELL_BYTES])
{
    const uint64_t known = r->measured - r->level_unknown;
    if (!known) return strcpy(out, "-");
    snprintf(out, CLI_CELL_BYTES, "%.0f", (double)r->levels[level] / (double)known * 100);
    return out;
}

struct rep_glyphs {
    const char *tee, *corner, *bar, *blank;
};

static const struct rep_glyphs *rep_glyphs(void)
{
    static const struct rep_glyphs utf8 = {"├─ ", "└─ ", "│  ", "   "};
    static const struct rep_glyphs ascii = {"|- ", "`- ", "|  ", "   "};
    return cli_term_utf8() ? &utf8 : &ascii;
}

void rep_label_text(const struct rep_view *v, const struct rep_row *row, bool open[REP_OPEN_MAX],
                    char out[REP_LABEL_BYTES])
{
    const struct rep_glyphs *g = rep_glyphs();
    size_t len = 0;
    out[0] = '\0';
    for (uint32_t d = 1; d < row->depth && d < REP_OPEN_MAX; d++)
        len += (size_t)snprintf(out + len, REP_LABEL_BYTES - len, "%s", open[d] ? g->bar : g->blank);
    if (row->depth && row->depth < REP_OPEN_MAX) {
        len += (size_t)snprintf(out + len, REP_LABEL_BYTES - len, "%s", row->last ? g->corner : g->tee);
        open[row->depth] = !row->last;
    }
    if (row->hidden)
        snprintf(out + len, REP_LABEL_BYTES - len, "(%u more, not shown)", row->hidden);
    else
        snprintf(out + len, REP_LABEL_BYTES - len, "%s", rep_label(v, row->group));
}

const char *rep_titles(const struct rep_view *v, char out[AN_LABEL_BYTES])
{
    size_t len = 0;
    out[0] = '\0';
    for (size_t i = 0; i < v->by.len && len < AN_LABEL_BYTES; i++)
        len +=
            (size_t)snprintf(out + len, AN_LABEL_BYTES - len, i ? " / %s" : "%s", v->by.dimensions[i]->title);
    return out;
}
