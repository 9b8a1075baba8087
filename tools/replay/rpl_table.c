/* SPDX-License-Identifier: BSD-3-Clause */
/* Print results as a table: configuration, rate, its variation, share of STREAM, and validation. */
#include "tools/cli/cli_term.h"
#include "tools/replay/rpl_kernel.h"
#include "tools/replay/rpl_ranks.h"
#include "tools/replay/rpl_session.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { TABLE_PATTERN = 30, TABLE_KERNEL = 12 };

/* "1", "1 to 4": the least and the largest number of a configuration. */
static void table_range(uint64_t least, uint64_t most, char *out, size_t room)
{
    if (least == most)
        snprintf(out, room, "%" PRIu64, least);
    else
        snprintf(out, room, "%" PRIu64 " to %" PRIu64, least, most);
}

/* Print the number of threads, where patterns have one. */
static void table_threads(const struct rpl_session *s, FILE *out)
{
    uint64_t least = UINT64_MAX, most = 0, run_least = UINT64_MAX, run_most = 0;
    char found[64], run[64];
    for (size_t i = 0; i < s->suite.len; i++) {
        const uint64_t threads = s->suite.rows[i].threads;
        const bool is_own = s->settings.own_threads && !s->settings.together;
        const uint64_t runs = is_own ? rpl_options_of(s, i).threads : s->threads;
        if (!threads) continue;
        if (threads < least) least = threads;
        if (threads > most) most = threads;
        if (runs < run_least) run_least = runs;
        if (runs > run_most) run_most = runs;
    }
    if (!most || s->on_device) return;
    table_range(least, most, found, sizeof(found));
    table_range(run_least, run_most, run, sizeof(run));
    if (s->settings.own_threads && strcmp(found, run) == 0)
        fprintf(out, "threads    %s, as in the program of the patterns; -t sets another number\n", run);
    else
        fprintf(out, "threads    %s; the program had its patterns in %s\n", run, found);
}

/* Print the sizes of the elements, where patterns have some of 4 bytes. */
static void table_elements(const struct rpl_session *s, FILE *out)
{
    size_t small = 0;
    for (size_t i = 0; i < s->suite.len; i++)
        small += pat_config_element_bytes(&s->suite.rows[i]) == 4;
    if (!small) return;
    if (s->settings.kernel.element_bytes)
        fprintf(out,
                "elements   %u bytes in all configurations; in the program %zu of %zu had smaller ones\n",
                s->settings.kernel.element_bytes, small, s->suite.len);
    else
        fprintf(
            out,
            "elements   4 bytes in %zu of %zu configurations, as in the program; --element-bytes sets one size\n",
            small, s->suite.len);
}

static void table_begin(const struct rpl_session *s, FILE *out)
{
    char gb[CLI_CELL_BYTES], regular[CLI_CELL_BYTES];
    fprintf(out, "machine    %s\n", s->machine.cpu);
    fprintf(out, "           %s\n", s->machine.summary);
    rpl_ranks_print(&s->settings.kernel, out);
    table_threads(s, out);
    table_elements(s, out);
    if (isfinite(s->stream_mb_per_s))
        fprintf(out,
                "STREAM     triad %s MB/s with as many threads: 100 %% in column STREAM\n"
                "           triad %s MB/s with regular stores, as in STREAM's program: 100 %% in column "
                "regular\n",
                cli_format_grouped(gb, (uint64_t)s->stream_mb_per_s),
                cli_format_grouped(regular, (uint64_t)s->stream_regular_mb_per_s));
    fprintf(out, "MB/s       published bytes by the least time; quartiles "
                 "of the runs as a distance from their median\n\n");
    fprintf(out, "%-*s %-*s %8s %9s %10s %9s %9s %6s %7s  %s\n", 6, "config",
            TABLE_KERNEL + TABLE_PATTERN + 1, "kernel and pattern", "delta", "count", "MB/s", "median",
            "quartiles", "STREAM", "regular", "thr variant");
}

static const char *table_cut(const char *text, size_t width, char *out, size_t room)
{
    if (strlen(text) <= width)
        snprintf(out, room, "%s", text);
    else
        snprintf(out, room, "%.*s..", (int)width - 2, text);
    return out;
}

/* "-1.2 +3.4 %" of the median. */
static const char *table_spread(const struct kn_stats *t, char *out, size_t room)
{
    if (!(t->median > 0))
        snprintf(out, room, "-");
    else
        snprintf(out, room, "-%.0f +%.0f %%", 100 * (t->median - t->quartile1) / t->median,
                 100 * (t->quartile3 - t->median) / t->median);
    return out;
}

static const char *table_share(double share, char *out, size_t room)
{
    snprintf(out, room, isfinite(share) ? "%.0f %%" : "-", 100 * share);
    return out;
}

static void table_row(const struct rpl_session *s, size_t i, FILE *out)
{
    const struct kn_result *r = &s->results[i];
    struct rpl_row row;
    rpl_row_of(s, i, &row);
    char cut[PAT_TEXT_BYTES], count[CLI_CELL_BYTES], best[CLI_CELL_BYTES], median[CLI_CELL_BYTES], spread[32],
        share[16], regular[16];
    fprintf(out, "%6zu %-*s %-*s %8s %9s %10s %9s %9s %6s %7s  %3u %s\n", i, TABLE_KERNEL, row.word,
            TABLE_PATTERN, table_cut(rpl_row_name(&row), TABLE_PATTERN, cut, sizeof(cut)), row.delta,
            cli_format_count(count, (double)row.count), cli_format_grouped(best, (uint64_t)r->mb_per_s),
            cli_format_time(median, r->seconds.median * 1e9),
            table_spread(&r->seconds, spread, sizeof(spread)),
            table_share(r->stream_share, share, sizeof(share)),
            table_share(r->mb_per_s_regular / s->stream_regular_mb_per_s, regular, sizeof(regular)),
            r->threads, r->variant);
    if (r->ranks) fprintf(out, "%7s", "");
    rpl_ranks_print_spread(r, out);
    if (!r->valid)
        fprintf(out, "%7s%sWRONG RESULT: %s%s\n", "", cli_colour_begin(STDOUT_FILENO, CLI_RED), r->invalid,
                cli_colour_end(STDOUT_FILENO));
    if (r->interrupted)
        fprintf(out,
                "%7s%s%u of %zu runs were interrupted by other programs, after %u that were repeated: %s%s\n",
                "", cli_colour_begin(STDOUT_FILENO, CLI_YELLOW), r->interrupted, r->seconds.len, r->repeated,
                "the rate may be too low", cli_colour_end(STDOUT_FILENO));
    fflush(out); /* show each row when it is complete, because rows take a while */
}

/* Each advice once. */
static void table_advice(const struct rpl_session *s, FILE *out)
{
    for (size_t i = 0; i < s->done; i++) {
        bool known = *s->results[i].advice == '\0';
        for (size_t k = 0; k < i && !known; k++)
            known = strcmp(s->results[k].advice, s->results[i].advice) == 0;
        if (!known) fprintf(out, "faster     config %zu: %s\n", i, s->results[i].advice);
    }
}

/* Return the name of a configuration, for rpl_counts_print. */
static const char *table_name(void *user, size_t i)
{
    static char name[PAT_TEXT_BYTES + 24];
    const struct rpl_session *s = user;
    struct rpl_row row;
    rpl_row_of(s, i, &row);
    snprintf(name, sizeof(name), "%zu %s", i, rpl_row_name(&row));
    return name;
}

static void table_end(const struct rpl_session *s, FILE *out)
{
    const struct rpl_summary *m = &s->summary;
    char least[CLI_CELL_BYTES], most[CLI_CELL_BYTES], mean[CLI_CELL_BYTES], error[CLI_CELL_BYTES];
    fputc('\n', out);
    if (m->len > 1 && m->is_of_program)
        fprintf(
            out,
            "suite      %zu configurations: min %s, max %s MB/s; mean %s MB/s, weighted by the bytes of the "
            "program (harmonic mean without weights: %s)\n",
            m->len, cli_format_grouped(least, (uint64_t)m->min), cli_format_grouped(most, (uint64_t)m->max),
            cli_format_grouped(error, (uint64_t)m->weighted), cli_format_grouped(mean, (uint64_t)m->hmean));
    else if (m->len > 1)
        fprintf(out, "suite      %zu configurations: min %s, harmonic mean %s +-%s, max %s MB/s\n", m->len,
                cli_format_grouped(least, (uint64_t)m->min), cli_format_grouped(mean, (uint64_t)m->hmean),
                cli_format_grouped(error, isfinite(m->hstderr) ? (uint64_t)m->hstderr : 0),
                cli_format_grouped(most, (uint64_t)m->max));
    if (m->is_of_program && m->small && m->len > 1)
        fprintf(
            out,
            "small      %zu of %zu configurations move less than %d bytes a run: their rates are those of a few "
            "accesses in the caches\n",
            m->small, m->len, RPL_SMALL_BYTES);
    if (m->invalid)
        fprintf(out, "validated  %zu of %zu results are WRONG\n", m->invalid, m->len);
    else
        fprintf(out, "validated  all results, after the timed runs\n");
    rpl_counts_print(s->results, s->done, table_name, (void *)s, out);
    table_advice(s, out);
}

const struct rpl_format rpl_format_table = {.name = "table",
                                            .is_text = true,
                                            .shows_stream = true,
                                            .begin = table_begin,
                                            .row = table_row,
                                            .end = table_end};
