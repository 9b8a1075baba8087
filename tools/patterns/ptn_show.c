/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone patterns show: prints and draws the contents of a pattern file. */
#include "patterns/pat_json.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_output.h"
#include "tools/patterns/ptn_show.h"
#include "tools/patterns/ptn_actions.h"
#include "viz-export/vx_chart.h"

static void ptn_show_note(void *user, const char *text)
{
    (void)user;
    cli_warn("%s", text);
}

static ls_err ptn_show_read(const struct cli_value *v, const char *path, struct pat_suite *s,
                            struct ptn_show_range *range)
{
    const struct pat_json_options o = {.compress = v[PTN_COMPRESS].given, .note = ptn_show_note};
    LS_TRY(pat_json_read_file(path, &o, s));
    *range = (struct ptn_show_range){0, s->len};
    if (!v[PTN_CONFIG].given) return LS_OK;
    if (v[PTN_CONFIG].number >= s->len)
        return ls_fail(LS_ERR_USAGE, "--config: there is no configuration %s; %s has 0 to %zu",
                       v[PTN_CONFIG].text, path, s->len - 1);
    *range = (struct ptn_show_range){v[PTN_CONFIG].number, v[PTN_CONFIG].number + 1};
    return LS_OK;
}

static ls_err ptn_show(const struct cli_value *v, const char *path, struct pat_suite *s)
{
    struct ptn_show_range range;
    const char *picture = v[PTN_OUTPUT].text;
    if (picture) {
        LS_TRY(vx_page_check(picture));
        LS_TRY(cli_output_check(picture, v[PTN_FORCE].given));
    }
    LS_TRY(ptn_show_read(v, path, s, &range));
    if (picture) { /* first: the reader of the listing may close the pipe early */
        LS_TRY(ptn_show_plot(s, range, (enum ptn_show_what)v[PTN_PLOT].number, path, picture));
        cli_note("drawn: %s", picture);
    }
    LS_TRY(v[PTN_JSON].given ? ptn_show_print_json(s, range, stdout) : ptn_show_print(s, range, stdout));
    fflush(stdout);
    if (!cli_output_is_kept(path)) return LS_OK;
    if (picture)
        cli_next("loadstone replay %s", cli_quote(path));
    else
        cli_next("loadstone patterns show %s -o patterns.html", cli_quote(path));
    return LS_OK;
}

static int ptn_show_run(const struct cli_value *v, char **operands, size_t operands_len)
{
    (void)operands_len;
    struct pat_suite s = {0};
    const ls_err err = ptn_show(v, operands[0], &s);
    pat_suite_fini(&s);
    return err == LS_OK ? CLI_OK : cli_fail(err);
}

const struct ptn_action ptn_action_show = {
    .about =
        {.name = "show",
         .operands = "FILE.json",
         .description =
             "show prints each configuration of a pattern file: its shape, how far it reaches, how much "
             "memory replaying it takes, and which distances from index to index are most frequent; with -o "
             "it draws the indices and the distances in order, and how often each distance occurs.",
         .examples =
             "loadstone patterns show amg.json --config 1 -o amg.svg  a picture of the second configuration\n",
         .options = PTN_BIT(PTN_CONFIG) | PTN_BIT(PTN_COMPRESS) | PTN_BIT(PTN_OUTPUT) | PTN_BIT(PTN_PLOT) |
                    PTN_BIT(PTN_JSON) | PTN_BIT(PTN_FORCE)},
    .operands_min = 1,
    .operands_max = 1,
    .run = ptn_show_run,
};
