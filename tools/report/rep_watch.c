/* SPDX-License-Identifier: BSD-3-Clause */
/* report --watch: the code that accessed a watched element. */
#include "common/ls_json.h"
#include "tools/cli/cli_term.h"
#include "tools/report/rep_view.h"
#include "tools/report/rep_print.h"

#include <stdlib.h>
#include <string.h>

struct rep_watched {
    struct rep_view v;
    const struct prof_watch *watches;
    size_t watches_len;
    uint64_t hits, on_ns, wanted_ns; /* sums over all processes */
    struct rep_row *rows;
    size_t rows_len;
};

/* Touches that each recorded touch represents. */
static double rep_watch_scale(const struct rep_watched *w)
{
    const double scale = w->on_ns ? (double)w->wanted_ns / (double)w->on_ns : 1;
    return scale > 1 ? scale : 1; /* the clocks of breakpoint and thread differ a little */
}

static void rep_watch_row(const struct rep_watched *w, const struct rep_row *row, bool open[REP_OPEN_MAX],
                          FILE *out)
{
    enum { LABEL_WIDTH = 48 };
    char label[REP_LABEL_BYTES], about[CLI_CELL_BYTES], reads[CLI_CELL_BYTES], writes[CLI_CELL_BYTES];
    rep_label_text(&w->v, row, open, label);
    cli_print_cut(label, LABEL_WIDTH, out);
    if (row->hidden) {
        fputc('\n', out);
        return;
    }
    const struct an_row *r = an_table_total(w->v.table, row->group);
    /* samples may be fewer than touches seen: a full ring loses some */
    const double each = w->v.in.samples.len ? (double)w->hits / (double)w->v.in.samples.len : 1;
    const double touches = (double)r->samples * each * rep_watch_scale(w);
    fprintf(out, "  %10s  %8s  %8s\n", cli_format_count(about, touches), cli_format_grouped(reads, r->loads),
            cli_format_grouped(writes, r->stores));
}

static void rep_watch_text(const struct rep_watched *w, FILE *out)
{
    bool open[REP_OPEN_MAX] = {false};
    char a[CLI_CELL_BYTES], b[CLI_CELL_BYTES];
    const struct prof_watch *first = &w->watches[0];
    const double part = 1 / rep_watch_scale(w);
    fprintf(out, "accesses to %s (%llu bytes at 0x%llx", first->name, (unsigned long long)first->len_bytes,
            (unsigned long long)first->base);
    if (w->watches_len > 1) fprintf(out, ", and in %zu more processes", w->watches_len - 1);
    fprintf(out, ")\n%s touches seen, watched for %s %% of its threads' CPU time",
            cli_format_grouped(a, w->hits), cli_format_percent(b, part));
    fprintf(out,
            part < 1
                ? ": at least %s in all, estimated (whoever touches it is slowed while it is watched)\n\n"
                : ": all there were, %s\n\n",
            cli_format_count(a, (double)w->hits * rep_watch_scale(w)));
    fprintf(out, "%-48s  %10s  %8s  %8s\n%-48s  %10s  %8s  %8s\n", "code / thread", "touches", "reads",
            "writes", "", part < 1 ? "at least" : "", "seen", "seen");
    for (size_t i = 0; i < w->rows_len; i++)
        rep_watch_row(w, &w->rows[i], open, out);
}

static void rep_watch_json(const struct rep_watched *w, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", REP_JSON_SCHEMA);
    ls_json_text(&j, "watched", w->watches[0].name);
    ls_json_u64(&j, "base", w->watches[0].base);
    ls_json_u64(&j, "len_bytes", w->watches[0].len_bytes);
    ls_json_u64(&j, "seen", w->hits);
    ls_json_double(&j, "watched_share", 1 / rep_watch_scale(w));
    ls_json_double(&j, "touches_estimated", (double)w->hits * rep_watch_scale(w));
    ls_json_open(&j, "rows", '[');
    for (size_t i = 0; i < w->rows_len; i++) {
        const struct an_row *r = an_table_total(w->v.table, w->rows[i].group);
        if (w->rows[i].hidden) continue;
        ls_json_open(&j, NULL, '{');
        ls_json_text(&j, "label", rep_label(&w->v, w->rows[i].group));
        ls_json_u64(&j, "depth", w->rows[i].depth);
        ls_json_u64(&j, "reads", r->loads);
        ls_json_u64(&j, "writes", r->stores);
        ls_json_close(&j, '}');
    }
    ls_json_close(&j, ']');
    ls_json_close(&j, '}');
}

static ls_err rep_watch_fill(struct rep_watched *w, const struct rep_options *o)
{
    LS_TRY(rep_view_init(&w->v, o));
    w->watches = prof_watches(w->v.profile, &w->watches_len);
    if (w->watches_len == 0)
        return ls_fail(LS_ERR_USAGE,
                       "%s: nothing was watched: record --watch NODE[INDEX], of a range that the "
                       "program registers under this name",
                       o->path);
    for (size_t i = 0; i < w->watches_len; i++) {
        w->hits += w->watches[i].hits;
        w->on_ns += w->watches[i].on_ns;
        w->wanted_ns += w->watches[i].wanted_ns;
    }
    return rep_rows(&w->v, &w->rows, &w->rows_len);
}

ls_err rep_watch(const struct rep_options *o, bool json, FILE *out)
{
    struct rep_options asked = *o;
    struct rep_watched w;
    memset(&w, 0, sizeof(w));
    if (!asked.sort_given) asked.sort = REP_SORT_SAMPLES;
    const ls_err err = rep_watch_fill(&w, &asked);
    if (err == LS_OK) (json ? rep_watch_json : rep_watch_text)(&w, out);
    free(w.rows);
    rep_view_fini(&w.v);
    return err;
}
