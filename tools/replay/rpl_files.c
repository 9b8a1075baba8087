/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/replay/rpl_files.h"

#include "tools/cli/cli_child.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_output.h"
#include "tools/replay/rpl_session.h"
#include "viz-export/charts/vx_chart.h"
#include "viz-export/charts/vx_results.h"

#include <stdio.h>
#include <stdlib.h>

static void files_end(struct rpl_machines *m)
{
    for (size_t i = 0; i < m->len; i++)
        vx_results_fini(&m->rows[i]);
    free(m->rows);
    *m = (struct rpl_machines){0};
}

/* Read "a.h5,b.h5" and discard it. */
static ls_err compare_try(const char *files)
{
    struct rpl_machines m = {0};
    const ls_err err = rpl_compare_read(files, &m.rows, &m.len);
    files_end(&m);
    return err;
}

static ls_err check_outputs(const struct rpl_settings *t)
{
    if (t->output) LS_TRY(cli_output_check_profile(t->output, t->force));
    if (!t->plot) return LS_OK;
    LS_TRY(vx_page_check(t->plot));
    return cli_output_check(t->plot, t->force);
}

static ls_err files_begin(const struct rpl_session *s, struct rpl_machines *out)
{
    LS_TRY(check_outputs(&s->settings));
    if (s->suite.len) {
        out->rows = calloc(1, sizeof(*out->rows));
        if (!out->rows) return ls_nomem("results");
        out->len = 1;
    }
    if (!s->settings.with) return LS_OK;
    LS_TRY(cli_try_in_child(compare_try, s->settings.with));
    return rpl_compare_read(s->settings.with, &out->rows, &out->len);
}

static ls_err files_write(const struct rpl_session *s, const struct rpl_machines *m)
{
    const struct rpl_settings *t = &s->settings;
    if (t->output) LS_TRY(vx_results_write(&m->rows[0], t->output));
    if (t->plot) LS_TRY(rpl_plot(m->rows, m->len, t->plot));
    if ((m->len > 1 && t->format->is_text) || !s->suite.len)
        rpl_compare_print(m->rows, m->len, s->suite.len ? NULL : t->format->name, stdout);
    fflush(stdout);
    if (t->output) cli_note("%zu result%s: %s", s->done, s->done == 1 ? "" : "s", t->output);
    if (t->plot) cli_note("drawn: %s", t->plot);
    return LS_OK;
}

static ls_err files_publish(const struct rpl_session *s, struct rpl_machines *m)
{
    const struct rpl_settings *t = &s->settings;
    if (s->suite.len) LS_TRY(rpl_results_of(s, &m->rows[0]));
    LS_TRY(files_write(s, m));
    if (!t->format->is_text || t->plot) return LS_OK;
    if (t->output)
        cli_next("the same patterns on another machine, then loadstone replay --with %s,THERE.h5",
                 cli_quote(t->output));
    else if (!s->suite.len)
        cli_next("loadstone replay --with %s --plot replay.html", cli_quote(t->with));
    else
        cli_next(RPL_NEXT);
    return LS_OK;
}

static const struct rpl_files files = {.begin = files_begin,
                                       .publish = files_publish,
                                       .end = files_end,
                                       .keep = vx_results_write,
                                       .drop = vx_results_fini};

const struct rpl_files *const rpl_files = &files;
