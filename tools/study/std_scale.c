/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/study/std_scale.h"

#include "common/ls_quantity.h"
#include "tools/cli/cli_message.h"
#include "tools/replay/rpl_session.h"
#include "tools/stream/stm_choose.h"
#include "tools/study/std_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of jobs that belong together differ by less than this share: parts of ranks differ by an element. */
#define STD_SAME_BYTES 0.01

enum { STD_EACH_UP_TO = 8 };

/* ---- numbers of ranks ---- */

static int by_number(const void *a, const void *b)
{
    const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

static ls_err std_ranks_up_to(unsigned most, struct std_scale *s)
{
    for (unsigned n = 1; n < most; n = n < STD_EACH_UP_TO ? n + 1 : 2 * n)
        LS_TRY(LS_VECTOR_ADD(&s->ranks, n));
    return LS_VECTOR_ADD(&s->ranks, most);
}

static ls_err std_ranks_number(const char *text, size_t len, unsigned *out)
{
    char word[16];
    uint64_t number = 0;
    if (len < sizeof(word)) {
        memcpy(word, text, len);
        word[len] = '\0';
        if (ls_parse_u64(word, &number) != LS_OK) number = 0;
    }
    if (number < 1 || number > STD_RANKS_MAX)
        return ls_fail(LS_ERR_USAGE,
                       "--ranks: '%s' is no number of ranks and no list of them, as in 8 or 1,2,4,8", text);
    *out = (unsigned)number;
    return LS_OK;
}

ls_err std_scale_ranks(const char *text, unsigned cores, struct std_scale *s)
{
    unsigned n;
    if (!text) return std_ranks_up_to(cores, s);
    if (!strchr(text, ',')) {
        LS_TRY(std_ranks_number(text, strlen(text), &n));
        return std_ranks_up_to(n, s);
    }
    while (*text) {
        const size_t len = strcspn(text, ",");
        LS_TRY(std_ranks_number(text, len, &n));
        LS_TRY(LS_VECTOR_ADD(&s->ranks, n));
        text += len + (text[len] == ',');
    }
    qsort(s->ranks.rows, s->ranks.len, sizeof(*s->ranks.rows), by_number);
    size_t kept = 0;
    for (size_t i = 0; i < s->ranks.len; i++)
        if (!kept || s->ranks.rows[i] != s->ranks.rows[kept - 1]) s->ranks.rows[kept++] = s->ranks.rows[i];
    s->ranks.len = kept;
    return LS_OK;
}

/* ---- files ---- */

static unsigned ranks_of(const struct vx_result *r)
{
    return r->ranks ? (unsigned)r->ranks : 1; /* without a launcher */
}

static unsigned nodes_of(const struct vx_result *r)
{
    return r->nodes ? (unsigned)r->nodes : 1;
}

ls_err std_scale_add(struct std_scale *s, char *path, struct vx_results *results)
{
    const struct std_file f = {path, results->len ? ranks_of(&results->rows[0]) : 0, *results};
    if (LS_VECTOR_ADD(&s->files, f) == LS_OK) return LS_OK;
    free(path);
    vx_results_fini(results);
    return LS_ERR_NOMEM;
}

static int by_ranks(const void *a, const void *b)
{
    const struct std_file *x = a, *y = b;
    if (x->ranks != y->ranks) return x->ranks < y->ranks ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* Print the first file that differs from the first one in a fact. */
static void compare_files(const struct std_scale *s, const char *(*fact)(const struct vx_results *r),
                          const char *what, const char *remedy)
{
    size_t others = 0, first = 0;
    for (size_t i = 1; i < s->files.len; i++)
        if (strcmp(fact(&s->files.rows[i].results), fact(&s->files.rows[0].results)) != 0 && !others++)
            first = i;
    if (!others) return;
    char more[64] = "";
    if (others > 1)
        snprintf(more, sizeof(more), " (and %zu other file%s)", others - 1, others > 2 ? "s" : "");
    cli_warn("%s%s: %s is %s, but in %s it is %s; %s", cli_shown(s->files.rows[first].path), more, what,
             fact(&s->files.rows[first].results), cli_shown(s->files.rows[0].path),
             fact(&s->files.rows[0].results), remedy);
}

static const char *version_of(const struct vx_results *r)
{
    return r->version;
}

static const char *cpu_of(const struct vx_results *r)
{
    return r->cpu;
}

static const char *host_of(const struct vx_results *r)
{
    return r->host;
}

static const char *threads_of(const struct vx_results *r)
{
    static char text[2][24];
    static unsigned turn;
    char *out = text[turn++ % 2];
    snprintf(out, sizeof(text[0]), "%llu", (unsigned long long)(r->len ? r->rows[0].threads : 0));
    return out;
}

static void compare_machines(const struct std_scale *s)
{
    compare_files(s, version_of, "Loadstone's version", "rates of different versions may differ");
    compare_files(s, cpu_of, "the processor", "rates of different machines do not compare");
    compare_files(s, host_of, "the host of rank 0", "the machines must be alike");
    compare_files(s, threads_of, "the number of threads of a rank", "run all jobs with the same number (-t)");
}

/* ---- curves ---- */

/* The rows of one kernel or configuration. */
struct subject {
    const struct vx_results *first; /* the results that it was first found in */
    size_t row;
};

static bool is_subject(const struct vx_results *r, size_t row, const struct subject *subject)
{
    return rpl_result_like(r, subject->first, subject->row) == &r->rows[row];
}

static void name_curve(struct std_curve *c, const struct vx_result *r)
{
    char label[256];
    rpl_row_label(r, label, sizeof(label));
    if (strlen(label) < sizeof(c->label))
        memcpy(c->label, label, strlen(label) + 1);
    else
        snprintf(c->label, sizeof(c->label), "%.*s...", (int)sizeof(c->label) - 4, label);
}

static int by_rate(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Add the least, median and largest rate of the ranks of a row. */
static ls_err point_ranks(struct std_scale_point *p)
{
    const struct vx_results *r = &p->file->results;
    LS_VECTOR(double) rates = {0};
    p->rank_least = p->rank_median = p->rank_most = NAN;
    for (size_t i = 0; i < r->ranks_len; i++) {
        const struct vx_rank *rank = &r->ranks[i];
        if (rank->result != p->row) continue;
        if (!*rank->processors) p->shares_processors = true;
        if (LS_VECTOR_ADD(&rates, (double)rank->bytes / rank->seconds_min / 1e6) != LS_OK) break;
    }
    const size_t len = rates.len;
    if (len) {
        qsort(rates.rows, len, sizeof(*rates.rows), by_rate);
        p->rank_least = rates.rows[0];
        p->rank_median = (rates.rows[(len - 1) / 2] + rates.rows[len / 2]) / 2;
        p->rank_most = rates.rows[len - 1];
    }
    free(rates.rows);
    return LS_OK;
}

/* Add a result to a curve. If several have the same number of ranks, the fastest is the point. */
static ls_err add_point(struct std_curve *c, const struct std_file *f, size_t row)
{
    const struct vx_result *r = &f->results.rows[row];
    struct std_scale_point p = {
        .file = f, .row = row, .ranks = ranks_of(r), .nodes = nodes_of(r), .jobs = 1, .rate = r->mb_per_s};
    LS_TRY(point_ranks(&p));
    if (p.nodes > c->nodes_most) c->nodes_most = p.nodes;
    for (size_t i = 0; i < c->points.len; i++) {
        struct std_scale_point *other = &c->points.rows[i];
        if (other->ranks != p.ranks) continue;
        cli_note("%s: %s of %u ranks is in %s, too: repetitions; the fastest one counts", cli_shown(f->path),
                 c->label, p.ranks, cli_shown(other->file->path));
        p.jobs = other->jobs + 1;
        if (other->rate >= p.rate) {
            other->jobs = p.jobs;
            return LS_OK;
        }
        *other = p;
        return LS_OK;
    }
    return LS_VECTOR_ADD(&c->points, p);
}

/* ---- sizes ---- */

/* The rows of a subject in all files, and their bytes: a rank's (weak scaling) or all ranks' (strong). */
struct amount {
    const struct std_file *file;
    size_t row;
    double bytes[2]; /* by is_strong */
};
typedef LS_VECTOR(struct amount) amounts;

static bool is_wrong_rate(const struct vx_result *r)
{
    return !isfinite(r->mb_per_s) || r->mb_per_s <= 0 || r->bytes == 0;
}

static ls_err amounts_find(struct std_scale *s, const struct subject *subject, amounts *out)
{
    for (size_t f = 0; f < s->files.len; f++)
        for (size_t row = 0; row < s->files.rows[f].results.len; row++) {
            const struct vx_result *r = &s->files.rows[f].results.rows[row];
            if (!is_subject(&s->files.rows[f].results, row, subject)) continue;
            if (is_wrong_rate(r)) {
                cli_error("%s: %s has no rate: left out", cli_shown(s->files.rows[f].path), r->name);
                s->status = CLI_BAD_INPUT;
                continue;
            }
            LS_TRY(LS_VECTOR_ADD(
                out,
                (struct amount){&s->files.rows[f], row, {(double)r->bytes / ranks_of(r), (double)r->bytes}}));
        }
    return LS_OK;
}

static double median_bytes(const amounts *a, bool is_strong)
{
    double *all = calloc(a->len + 1, sizeof(*all)), median = NAN;
    for (size_t i = 0; all && i < a->len; i++)
        all[i] = a->rows[i].bytes[is_strong];
    if (all) {
        qsort(all, a->len, sizeof(*all), by_rate);
        median = all[(a->len - 1) / 2];
    }
    free(all);
    return median;
}

static bool is_same(double bytes, double median)
{
    return fabs(bytes / median - 1) <= STD_SAME_BYTES;
}

static size_t count_others(const amounts *a, bool is_strong)
{
    const double median = median_bytes(a, is_strong);
    size_t others = 0;
    for (size_t i = 0; i < a->len; i++)
        others += !is_same(a->rows[i].bytes[is_strong], median);
    return others;
}

static const struct amount *usual(const amounts *a, bool is_strong, double median)
{
    const struct amount *found = a->rows;
    while (!is_same(found->bytes[is_strong], median))
        found++;
    return found;
}

/* Print the amounts that are not the usual one, and leave them out. */
static void leave_out_others(struct std_scale *s, const struct std_curve *c, amounts *a)
{
    const bool is_strong = s->options->is_strong;
    const double median = median_bytes(a, is_strong);
    const struct amount reference = *usual(a, is_strong, median);
    size_t kept = 0;
    for (size_t i = 0; i < a->len; i++) {
        if (is_same(a->rows[i].bytes[is_strong], median)) {
            a->rows[kept++] = a->rows[i];
            continue;
        }
        cli_error(
            "%s: %s moves %.0f bytes %s, but %.0f in %s: left out, because study %s needs the same size",
            cli_shown(a->rows[i].file->path), c->label, a->rows[i].bytes[is_strong],
            is_strong ? "by all ranks" : "by each rank", reference.bytes[is_strong],
            cli_shown(reference.file->path), s->options->study->name);
        s->status = CLI_BAD_INPUT;
    }
    a->len = kept;
}

static ls_err check_sizes(struct std_scale *s, const struct std_curve *c, amounts *a)
{
    const bool is_strong = s->options->is_strong;
    const size_t others = count_others(a, is_strong);
    if (!others) return LS_OK;
    if (a->len > 2 && others > 1 && !count_others(a, !is_strong))
        return ls_fail(
            LS_ERR_USAGE,
            "%s: %s the same number of bytes with every number of ranks: these are results of study %s",
            c->label, is_strong ? "each rank moves" : "all ranks together move",
            is_strong ? "weak" : "strong");
    leave_out_others(s, c, a);
    return LS_OK;
}

/* ---- build ---- */

static ls_err build_curve(struct std_scale *s, const struct subject *subject)
{
    struct std_curve c = {.nodes_most = 1};
    amounts a = {0};
    name_curve(&c, &subject->first->rows[subject->row]);
    ls_err err = amounts_find(s, subject, &a);
    if (err == LS_OK) err = check_sizes(s, &c, &a);
    for (size_t i = 0; err == LS_OK && i < a.len; i++)
        err = add_point(&c, a.rows[i].file, a.rows[i].row);
    free(a.rows);
    if (err == LS_OK && c.points.len) err = LS_VECTOR_ADD(&s->curves, c);
    if (err != LS_OK || !c.points.len) free(c.points.rows);
    return err;
}

/* Is this row the first one of its subject? */
static bool is_first(const struct std_scale *s, size_t file, size_t row)
{
    const struct subject subject = {&s->files.rows[file].results, row};
    for (size_t f = 0; f < file; f++)
        if (rpl_result_like(&s->files.rows[f].results, subject.first, row)) return false;
    return true;
}

static void compute_shares(struct std_curve *c)
{
    const struct std_scale_point *least = &c->points.rows[0];
    for (size_t i = 0; i < c->points.len; i++) {
        struct std_scale_point *p = &c->points.rows[i];
        p->speedup = p->rate / least->rate;
        p->efficiency = p->speedup * least->ranks / p->ranks;
        p->roof_share = p->rate / (p->nodes * c->fit.roof);
        if (!c->saturated && !p->shares_processors && p->roof_share >= 1 - STD_FLAT) c->saturated = p;
    }
}

/* Fit the rates of a node, on average over several. */
static ls_err fit_curve(struct std_curve *c)
{
    double *ranks = calloc(c->points.len, sizeof(*ranks)), *rates = calloc(c->points.len, sizeof(*rates));
    size_t len = 0;
    for (size_t i = 0; ranks && rates && i < c->points.len; i++) {
        const struct std_scale_point *p = &c->points.rows[i];
        const double on_node = (double)p->ranks / p->nodes;
        if (p->shares_processors || (len && on_node <= ranks[len - 1])) continue;
        ranks[len] = on_node;
        rates[len++] = p->rate / p->nodes;
    }
    if (ranks && rates) c->fit = std_fit_of(ranks, rates, len);
    const bool failed = !ranks || !rates;
    free(ranks);
    free(rates);
    return failed ? ls_nomem("a fit of %zu points", c->points.len) : LS_OK;
}

static bool is_chosen(const struct stm_chosen *chosen, const char *kernel)
{
    for (size_t i = 0; i < chosen->len; i++)
        if (strcmp(chosen->rows[i]->name, kernel) == 0) return true;
    return chosen->len == 0;
}

/* Compute the curves of all files. Results that do not fit the others are printed and left out.
 * Errors: LS_ERR_USAGE when the results belong to the other kind of scaling; LS_ERR_NOMEM. */
static ls_err std_scale_build(struct std_scale *s)
{
    struct stm_chosen chosen = {.len = 0};
    if (s->options->collect && s->options->kernels) LS_TRY(stm_choose(s->options->kernels, &chosen));
    qsort(s->files.rows, s->files.len, sizeof(*s->files.rows), by_ranks);
    compare_machines(s);
    for (size_t f = 0; f < s->files.len; f++)
        for (size_t row = 0; row < s->files.rows[f].results.len; row++) {
            const struct subject subject = {&s->files.rows[f].results, row};
            if (!is_chosen(&chosen, subject.first->rows[row].kernel)) continue;
            if (is_first(s, f, row)) LS_TRY(build_curve(s, &subject));
        }
    for (size_t i = 0; i < s->curves.len; i++) {
        LS_TRY(fit_curve(&s->curves.rows[i]));
        compute_shares(&s->curves.rows[i]);
    }
    return LS_OK;
}

static void std_scale_fini(struct std_scale *s)
{
    for (size_t i = 0; i < s->files.len; i++) {
        free(s->files.rows[i].path);
        vx_results_fini(&s->files.rows[i].results);
    }
    for (size_t i = 0; i < s->curves.len; i++)
        free(s->curves.rows[i].points.rows);
    for (size_t i = 0; i < s->failures.len; i++)
        free(s->failures.rows[i].command);
    free(s->files.rows);
    free(s->curves.rows);
    free(s->failures.rows);
    free(s->ranks.rows);
    free(s->command);
}

/* ---- the study ---- */

/* Print results that are not there, although others of their kernel or number of ranks are. */
static void report_missing(struct std_scale *s)
{
    for (size_t c = 0; c < s->curves.len; c++)
        for (size_t i = 0; i < s->ranks.len; i++) {
            const struct std_curve *curve = &s->curves.rows[c];
            bool is_there = false;
            for (size_t p = 0; p < curve->points.len; p++)
                is_there |= curve->points.rows[p].ranks == s->ranks.rows[i];
            if (is_there) continue;
            cli_error("%s: no result of %u rank%s in %s", curve->label, s->ranks.rows[i],
                      s->ranks.rows[i] == 1 ? "" : "s", cli_shown(s->options->collect));
            s->status = CLI_BAD_INPUT;
        }
}

/* Without --ranks, all kernels must have the same numbers of ranks. */
static ls_err expect_all_ranks(struct std_scale *s)
{
    if (s->options->ranks) return LS_OK;
    s->ranks.len = 0;
    for (size_t f = 0; f < s->files.len; f++)
        if (!s->ranks.len || s->ranks.rows[s->ranks.len - 1] != s->files.rows[f].ranks)
            LS_TRY(LS_VECTOR_ADD(&s->ranks, s->files.rows[f].ranks));
    return LS_OK;
}

static void report_wrong(struct std_scale *s)
{
    for (size_t c = 0; c < s->curves.len; c++)
        for (size_t i = 0; i < s->curves.rows[c].points.len; i++) {
            const struct std_scale_point *p = &s->curves.rows[c].points.rows[i];
            if (p->file->results.rows[p->row].valid) continue;
            cli_error("%s of %u ranks: the result is wrong: do not trust its rate", s->curves.rows[c].label,
                      p->ranks);
            s->status = CLI_FAILURE;
        }
}

static ls_err std_scale_measure(struct std_scale *s)
{
    LS_TRY(s->options->collect ? std_collect(s) : std_jobs_run(s));
    LS_TRY(std_scale_build(s));
    if (!s->options->collect) return LS_OK;
    LS_TRY(expect_all_ranks(s));
    report_missing(s);
    return LS_OK;
}

static int run_jobs(const struct std_scale_options *o, enum std_format format, const char *picture,
                    const char *output)
{
    struct std_scale s = {.options = o};
    ls_err err = std_scale_measure(&s);
    if (err == LS_OK && s.curves.len) {
        std_scale_print(&s, format, stdout);
        fflush(stdout);
        report_wrong(&s);
        if (picture || output) err = std_scale_publish(&s, picture, output);
    }
    const int status = err == LS_OK ? s.status : cli_fail(err);
    std_scale_fini(&s);
    return status;
}

/* ---- for study in either program ---- */

static const struct std_files files = {
    .check = std_plot_check, .publish = std_plot_publish, .run_jobs = run_jobs};

const struct std_files *const std_files = &files;
