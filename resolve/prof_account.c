/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_replay.h"

#include "common/ls_checked.h"
#include "common/ls_clock.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_STRATUM UINT32_MAX
/* At most one of 10,000 recordings has fewer bursts than this many standard errors below the expected number. */
static const double SHORTFALL_ERRORS = 4;
static const double SPLIT_95 = 1.96;
static const double TOO_SHORT_NS = 1e8; /* at 3 %, a burst comes every 5 to 20 ms */
static const double RATIO_MOST = 4;     /* of two paces: more is damage */
enum { PAIRS_LEAST = 24, RESTS_LEAST = 8 };
static const double FEW_TICKS = 8;    /* from there on, the ratio of the ticks is right to 2 % */
static const double RATIO_FITS = 0.1; /* in ticks, because getrusage never lets one of the times shrink */

struct stratum {
    double all_ns, recording_ns;
    double recording_kernel_ns;     /* kernel time in recording_ns */
    double passed_ns;               /* part of recording_ns that triggers counted */
    double user_ns, split_variance; /* variance of user_ns, because it was split off by ticks */
    double found_ns, squares;       /* sums of the weights as recorded, and of their squares */
    double scale;
    bool is_unsplit;                          /* user_ns was taken from the bursts */
    double from_kernel_ns, from_recording_ns; /* the part taken from kernel and recording */
};

/* A process, to be sorted by its program. */
struct program {
    const char *exe;
    uint32_t process;
};

struct closing {
    const struct prof_account *a;
    struct program *order;      /* processes sorted by program */
    uint32_t *stratum_of;       /* process -> stratum */
    double *user_ns, *found_ns; /* by process; user_ns NAN where not known */
    struct stratum *strata;
    uint32_t strata_len;
    double mean_weight_ns; /* 0: there is no burst */
};

void prof_account_take(struct prof_cpu *cpu, const struct spool_resources *rec)
{
    static const uint64_t most_ns = UINT64_MAX / 8; /* more is damage */
    if (rec->user_ns > most_ns || rec->kernel_ns > most_ns || rec->recording_ns > most_ns) return;
    const bool is_first = cpu->user_ns == UINT64_MAX;
    if (!is_first && rec->user_ns + rec->kernel_ns < cpu->user_ns + cpu->kernel_ns) return;
    cpu->user_ns = rec->user_ns;
    cpu->kernel_ns = rec->kernel_ns;
    cpu->recording_ns = rec->recording_ns;
    cpu->recording_kernel_ns = rec->recording_kernel_ns;
    cpu->passed_ns = rec->passed_ns;
}

static bool is_known(const struct prof_cpu *c)
{
    return c->user_ns != UINT64_MAX;
}

static double total_ns(const struct prof_cpu *c)
{
    return (double)c->user_ns + (double)c->kernel_ns;
}

static double recording_ns(const struct prof_cpu *c)
{
    return fmin((double)c->recording_ns, total_ns(c));
}

static double tick_ns(const struct prof_cpu *c)
{
    return c->tick_ns ? (double)c->tick_ns : 0.004 * (double)LS_NS_PER_S;
}

/* Return the number of ticks that fell into the kernel times their distance: on average that is the kernel
 * time, however short the processes are. getrusage divides the exact CPU time in the ratio of the ticks
 * instead (cputime_adjust in Linux's kernel/sched/cputime.c). Summed over processes of few ticks, its kernel
 * time is too small: a process without a tick has none, and another one has at most its CPU time, although
 * its tick represents more. A process got as many ticks as fit into its CPU time, or one more; the number is
 * taken with which the ratio gives whole ticks. */
static double ticked_kernel_ns(const struct prof_cpu *c)
{
    const double tick = tick_ns(c), ticks = total_ns(c) / tick, kernel = (double)c->kernel_ns;
    if (c->kernel_ns == 0 || ticks > FEW_TICKS) return kernel;
    if (ticks < 1) return tick;
    if (c->user_ns == 0) return kernel;
    const double share = kernel / total_ns(c);
    double least_off = RATIO_FITS, found = kernel;
    for (double count = floor(ticks); count <= floor(ticks) + 1; count++) {
        const double in_kernel = round(share * count), off = fabs(share * count - in_kernel);
        if (in_kernel < 1 || off >= least_off) continue;
        least_off = off;
        found = in_kernel * tick;
    }
    return found;
}

static double recording_kernel_ns(const struct prof_cpu *c)
{
    return fmin((double)c->recording_kernel_ns, recording_ns(c));
}

/* Kernel time of the program itself. The CPU time of a short process is split by few ticks, so this may be
 * negative; sums over processes are right. */
static double kernel_ns(const struct prof_cpu *c)
{
    return ticked_kernel_ns(c) - recording_kernel_ns(c);
}

/* The sum of two variances: each tick samples one bit (was the thread in the kernel?), and the runtime knows
 * its own kernel time to a tenth only. */
static double split_variance(const struct prof_cpu *c)
{
    const double all = total_ns(c), tick = tick_ns(c);
    if (!(all > 0)) return 0;
    const double ticks = all / tick, share = (ticked_kernel_ns(c) / tick + 1) / (ticks + 2); /* Laplace */
    const double recording = 0.1 / SPLIT_95 * recording_kernel_ns(c);
    return share * (1 - share) * all * tick + recording * recording;
}

static uint32_t process_of(const struct prof_account *a, const struct prof_burst *b)
{
    return a->threads[b->thread].process;
}

/* Engines that sample accesses give their samples weights of another kind. */
static bool has_bursts(const struct prof_process *p)
{
    return p->engine && (strcmp(p->engine, "step") == 0 || strcmp(p->engine, "translate") == 0);
}

static int by_exe(const void *x, const void *y)
{
    const struct program *a = x, *b = y;
    const int names = strcmp(a->exe, b->exe);
    return names ? names : (a->process > b->process) - (a->process < b->process);
}

static bool is_long(const struct closing *c, double user_ns)
{
    return c->mean_weight_ns > 0 && user_ns >= PROF_STRATUM_BURSTS * c->mean_weight_ns;
}

static double user_or_0(const struct closing *c, uint32_t process)
{
    return isnan(c->user_ns[process]) ? 0 : c->user_ns[process];
}

/* Pool the processes of one program, order[from, to), that are too short for a stratum each: into one
 * stratum, or into stratum 0 if they are too short together. */
static void pool_program(struct closing *c, size_t from, size_t to)
{
    double user_ns = 0;
    for (size_t i = from; i < to; i++)
        if (c->stratum_of[c->order[i].process] == NO_STRATUM) user_ns += user_or_0(c, c->order[i].process);
    const uint32_t stratum = is_long(c, user_ns) ? c->strata_len++ : 0;
    for (size_t i = from; i < to; i++)
        if (c->stratum_of[c->order[i].process] == NO_STRATUM) c->stratum_of[c->order[i].process] = stratum;
}

static void add_process(struct closing *c, uint32_t p, struct stratum *s)
{
    if (isnan(c->user_ns[p])) return;
    s->all_ns += total_ns(&c->a->cpus[p]);
    s->recording_ns += recording_ns(&c->a->cpus[p]);
    s->recording_kernel_ns += recording_kernel_ns(&c->a->cpus[p]);
    s->passed_ns += fmin((double)c->a->cpus[p].passed_ns, recording_ns(&c->a->cpus[p]));
    s->user_ns += c->user_ns[p];
    s->split_variance += split_variance(&c->a->cpus[p]);
}

/* Divide the processes into strata. Stratum 0 holds the programs that are short even when their processes are
 * pooled. */
static void divide(struct closing *c)
{
    const size_t len = c->a->processes_len;
    uint32_t largest = 0;
    c->strata_len = 1;
    for (uint32_t p = 0; p < len; p++) {
        const bool is_own = is_long(c, user_or_0(c, p));
        c->stratum_of[p] = is_own ? c->strata_len++ : NO_STRATUM;
    }
    for (size_t from = 0, to; from < len; from = to) {
        for (to = from + 1; to < len && strcmp(c->order[to].exe, c->order[from].exe) == 0; to++)
            ;
        pool_program(c, from, to);
    }
    for (uint32_t p = 0; p < len; p++)
        add_process(c, p, &c->strata[c->stratum_of[p]]);
    for (uint32_t s = 1; s < c->strata_len; s++)
        if (largest == 0 || c->strata[s].user_ns > c->strata[largest].user_ns) largest = s;
    const struct stratum rest = c->strata[0];
    if (largest == 0 || is_long(c, rest.user_ns)) return;
    c->strata[largest].all_ns += rest.all_ns;
    c->strata[largest].recording_ns += rest.recording_ns;
    c->strata[largest].recording_kernel_ns += rest.recording_kernel_ns;
    c->strata[largest].passed_ns += rest.passed_ns;
    c->strata[largest].user_ns += rest.user_ns;
    c->strata[largest].split_variance += rest.split_variance;
    c->strata[0] = (struct stratum){0};
    for (uint32_t p = 0; p < len; p++)
        if (c->stratum_of[p] == 0) c->stratum_of[p] = largest;
}

static bool is_weighed(const struct closing *c, const struct prof_burst *b)
{
    return b->weight_ns != UINT64_MAX && has_bursts(&c->a->processes[process_of(c->a, b)]);
}

static void sum_weights(struct closing *c)
{
    double all_ns = 0;
    size_t len = 0;
    for (size_t i = 0; i < c->a->bursts_len; i++) {
        const struct prof_burst *b = &c->a->bursts[i];
        if (!is_weighed(c, b)) continue;
        c->found_ns[process_of(c->a, b)] += (double)b->weight_ns;
        all_ns += (double)b->weight_ns;
        len++;
    }
    c->mean_weight_ns = len ? all_ns / (double)len : 0;
}

/* In a few milliseconds few ticks fall, perhaps all of them into the kernel, which leaves nothing or less to
 * the program. The weights of the bursts are then the better estimate of the user time. */
static void take_user_time_from_bursts(struct stratum *s)
{
    if (s->user_ns > 0 || !(s->found_ns > 0) || !(s->all_ns > 0)) return;
    const double room_ns = s->all_ns - s->recording_ns, kernel_ns = room_ns - s->user_ns;
    s->is_unsplit = true;
    s->user_ns = fmin(s->found_ns, room_ns > 0 ? room_ns : s->all_ns);
    s->from_recording_ns = fmax(s->user_ns - room_ns, 0); /* the recording's clock counts waiting, too */
    s->from_kernel_ns = kernel_ns - fmax(room_ns - s->user_ns, 0);
}

/* On a busy machine ticks fall into bursts more often than by chance, because both follow the scheduler's
 * slices. The recording's kernel time, which the handlers measure, then explains too few of the kernel's
 * ticks, and the rest would be taken for the program's. The bursts estimate the user time without ticks, and
 * lost triggers only make that estimate smaller. Where it is larger than the estimate by ticks, the two are
 * averaged with the inverses of their variances as weights; the variance by ticks is taken as the square of the
 * difference where that is larger. The error of the ticks by such bursts, and the correction, are at most as long
 * as the recording's kernel time. */
static void correct_locked_ticks(struct stratum *s)
{
    const double more_ns = s->found_ns - s->user_ns;
    const double kernel_ns = s->all_ns - s->recording_ns - s->user_ns;
    if (s->is_unsplit || !(more_ns > 0) || !(kernel_ns > 0)) return;
    const double most = s->split_variance + s->recording_kernel_ns * s->recording_kernel_ns,
                 ticks = fmin(fmax(s->split_variance, more_ns * more_ns), most);
    const double taken_ns = more_ns * ticks / (ticks + s->squares);
    s->from_kernel_ns = fmin(taken_ns, fmin(s->recording_kernel_ns, kernel_ns));
    s->user_ns += s->from_kernel_ns;
    if (s->from_kernel_ns > 0) s->split_variance = ticks * s->squares / (ticks + s->squares);
}

/* Correct a process in proportion to its share of the recording's kernel time. */
static void correct_process(const struct stratum *s, const struct prof_cpu *cpu, struct prof_process *p)
{
    if (s->is_unsplit || !(s->from_kernel_ns > 0)) return;
    const double part = recording_kernel_ns(cpu) / s->recording_kernel_ns;
    const uint64_t taken_ns = ls_round_u64(fmin(part * s->from_kernel_ns, (double)p->kernel_ns));
    p->kernel_ns -= taken_ns;
    p->user_ns += taken_ns;
}

/* Set the user time of a process of a stratum whose user time was taken from the bursts. */
static void take_process_time_from_bursts(struct prof_process *p)
{
    p->user_ns = p->represented_ns < p->cpu_ns ? p->represented_ns : p->cpu_ns;
    if (p->recording_ns > p->cpu_ns - p->user_ns) p->recording_ns = p->cpu_ns - p->user_ns;
    p->kernel_ns = p->cpu_ns - p->user_ns - p->recording_ns;
}

/* Return the most user time that the bursts found can stand for without a burst missing. The variance of
 * the number of triggers is the number that is expected from the CPU time. The number that was found would give too small
 * a variance, exactly where bursts are missing. Recording time that triggers counted has an error of the same kind, which
 * is also an error of the user time. */
static double most_by_chance(const struct stratum *s)
{
    const double weight_ns = s->squares / s->found_ns, expected_ns = fmax(s->user_ns, s->found_ns);
    return s->found_ns +
           SHORTFALL_ERRORS * sqrt(weight_ns * (expected_ns + s->passed_ns) + s->split_variance);
}

/* A process whose CPU time is not known keeps its weights as they were recorded. */
static void scale(struct closing *c)
{
    for (size_t i = 0; i < c->a->bursts_len; i++) {
        const struct prof_burst *b = &c->a->bursts[i];
        const uint32_t p = process_of(c->a, b);
        if (!is_weighed(c, b) || isnan(c->user_ns[p])) continue;
        struct stratum *s = &c->strata[c->stratum_of[p]];
        s->found_ns += (double)b->weight_ns;
        s->squares += (double)b->weight_ns * (double)b->weight_ns;
    }
    for (uint32_t i = 0; i < c->strata_len; i++) {
        struct stratum *s = &c->strata[i];
        take_user_time_from_bursts(s);
        correct_locked_ticks(s);
        s->scale = s->found_ns > 0 ? fmin(s->user_ns, most_by_chance(s)) / s->found_ns : 0;
    }
    for (size_t i = 0; i < c->a->bursts_len; i++) {
        struct prof_burst *b = &c->a->bursts[i];
        const uint32_t p = process_of(c->a, b);
        if (!is_weighed(c, b)) continue;
        if (!isnan(c->user_ns[p]))
            b->weight_ns = ls_round_u64((double)b->weight_ns * c->strata[c->stratum_of[p]].scale);
        c->a->processes[p].represented_ns += b->weight_ns;
    }
    for (uint32_t p = 0; p < c->a->processes_len; p++) {
        if (isnan(c->user_ns[p])) continue;
        const struct stratum *s = &c->strata[c->stratum_of[p]];
        if (s->is_unsplit) take_process_time_from_bursts(&c->a->processes[p]);
        correct_process(s, &c->a->cpus[p], &c->a->processes[p]);
    }
}

/* Fill in the figures of one process; unknown ones stay unknown. */
static void fill_process(struct closing *c, uint32_t row)
{
    struct prof_process *p = &c->a->processes[row];
    const struct prof_cpu *cpu = &c->a->cpus[row];
    c->user_ns[row] = NAN;
    if (has_bursts(p)) p->represented_ns = 0;
    if (!is_known(cpu)) return;
    const double all = total_ns(cpu), recording = recording_ns(cpu);
    const double kernel = fmin(fmax(kernel_ns(cpu), 0), all - recording);
    c->user_ns[row] = all - recording - kernel_ns(cpu);
    p->cpu_ns = ls_round_u64(all);
    p->recording_ns = ls_round_u64(recording);
    p->kernel_ns = ls_round_u64(kernel);
    p->user_ns = p->cpu_ns - p->recording_ns - p->kernel_ns;
}

struct sums {
    double cpu_ns, kernel_ns, recording_ns, variance, found_ns, represented_ns;
    double without_burst_ns, unsampled_ns, short_of_bursts_ns, unsplit_ns, unknown_ns;
    size_t unknown, engines;
};

/* The sum that the time of a stratum without enough bursts belongs to. */
static double *missing_part(struct sums *s, const struct stratum *t)
{
    if (t->found_ns > 0) return &s->short_of_bursts_ns;
    return t->user_ns > TOO_SHORT_NS ? &s->unsampled_ns : &s->without_burst_ns;
}

static struct sums add_up(const struct closing *c)
{
    struct sums s = {0};
    for (uint32_t p = 0; p < c->a->processes_len; p++) {
        const struct prof_cpu *cpu = &c->a->cpus[p];
        s.engines += has_bursts(&c->a->processes[p]);
        s.found_ns += c->found_ns[p];
        if (!is_known(cpu)) {
            s.unknown++;
            s.cpu_ns += c->found_ns[p];
            s.represented_ns += c->found_ns[p];
            s.unknown_ns += c->found_ns[p];
            continue;
        }
        s.cpu_ns += total_ns(cpu);
        s.kernel_ns += kernel_ns(cpu);
        s.recording_ns += recording_ns(cpu);
    }
    for (uint32_t i = 0; i < c->strata_len; i++) {
        const struct stratum *t = &c->strata[i];
        const double represented_ns = t->found_ns * t->scale, missing_ns = t->user_ns - represented_ns;
        s.represented_ns += represented_ns;
        s.variance += t->split_variance;
        s.kernel_ns -= t->from_kernel_ns;
        s.recording_ns -= t->from_recording_ns;
        if (t->is_unsplit) s.unsplit_ns += t->user_ns;
        if (missing_ns > 1) *missing_part(&s, t) += missing_ns;
    }
    return s;
}

/* Reasons, separated by semicolons. */
struct reasons {
    char *text;
    size_t room_bytes;
    bool has_any;
};

static void __attribute__((format(printf, 2, 3))) add_reason(struct reasons *r, const char *format, ...)
{
    const size_t at = strlen(r->text);
    va_list arguments;
    const char *separator = r->has_any ? "; " : "";
    const int len = snprintf(r->text + at, r->room_bytes - at, "%s", separator);
    va_start(arguments, format);
    if (len >= 0 && (size_t)len < r->room_bytes - at)
        vsnprintf(r->text + at + len, r->room_bytes - at - (size_t)len, format, arguments);
    va_end(arguments);
    r->has_any = true;
}

static void explain(const struct sums *s, char *why, size_t len_bytes)
{
    struct reasons r = {why, len_bytes, false};
    why[0] = '\0';
    if (s->without_burst_ns > 0)
        add_reason(&r, "%.3g s was too short for a burst", s->without_burst_ns * 1e-9);
    if (s->unsampled_ns > 0)
        add_reason(&r,
                   "%.3g s had no burst: its threads are not sampled (made by clone or by the C library), or "
                   "triggers were blocked",
                   s->unsampled_ns * 1e-9);
    if (s->short_of_bursts_ns > 0)
        add_reason(
            &r, "%.3g s had fewer bursts than its CPU time lets expect: triggers were blocked, lost or late",
            s->short_of_bursts_ns * 1e-9);
    if (s->unsplit_ns > 0)
        add_reason(&r,
                   "%.3g ms of user time was taken from the bursts: the kernel's ticks are too few to split "
                   "the CPU time",
                   s->unsplit_ns * 1e-6);
    if (s->unknown)
        add_reason(
            &r,
            "the CPU time of %zu process%s is not known (killed, or the raw data is cut) and was taken "
            "from the bursts",
            s->unknown, s->unknown == 1 ? "" : "es");
}

/* Kernel time below zero is reported as none, which leaves the program less time than the bursts were scaled to.
 * Scale them to the user time that is reported, so that all figures add up to it. */
static void fit_to_user_time(struct closing *c, const struct sums *s, double user_ns)
{
    const double room_ns = user_ns - s->unknown_ns, known_ns = s->represented_ns - s->unknown_ns;
    if (!(room_ns > 0) || !(known_ns > room_ns)) return;
    for (size_t i = 0; i < c->a->bursts_len; i++) {
        struct prof_burst *b = &c->a->bursts[i];
        const uint32_t p = process_of(c->a, b);
        if (!is_weighed(c, b) || isnan(c->user_ns[p])) continue;
        const uint64_t weight_ns = ls_round_u64((double)b->weight_ns * room_ns / known_ns);
        c->a->processes[p].represented_ns -= b->weight_ns - weight_ns;
        b->weight_ns = weight_ns;
    }
}

static void fill_run(struct closing *c, const struct sums *s, struct prof_run *run, char *why,
                     size_t why_len_bytes)
{
    const double kernel_ns = fmin(fmax(s->kernel_ns, 0), s->cpu_ns - s->recording_ns);
    const double user_ns = s->cpu_ns - s->recording_ns - kernel_ns;
    run->cpu_ns = ls_round_u64(s->cpu_ns);
    run->recording_ns = ls_round_u64(s->recording_ns);
    run->kernel_ns = ls_round_u64(kernel_ns);
    run->user_ns = run->cpu_ns - run->recording_ns - run->kernel_ns;
    run->kernel_error_ns = ls_round_u64(SPLIT_95 * sqrt(s->variance));
    if (s->engines == 0) return; /* no engine sampled */
    fit_to_user_time(c, s, user_ns);
    run->represented_ns = ls_round_u64(fmin(s->represented_ns, user_ns));
    run->unrepresented_ns = run->user_ns - run->represented_ns;
    run->weights_found = user_ns > 0 ? s->found_ns / user_ns : NAN;
    explain(s, why, why_len_bytes);
    run->unrepresented_why = why;
}

static ls_err close_with(struct closing *c, struct prof_run *run, char *why, size_t why_len_bytes)
{
    const size_t len = c->a->processes_len;
    if (!c->order || !c->stratum_of || !c->user_ns || !c->found_ns || !c->strata)
        return ls_nomem("the CPU time of %zu processes", len);
    for (uint32_t p = 0; p < len; p++) {
        const char *exe = c->a->processes[p].exe;
        c->order[p] = (struct program){exe ? exe : "", p};
        fill_process(c, p);
    }
    qsort(c->order, len, sizeof(*c->order), by_exe);
    sum_weights(c);
    divide(c);
    scale(c);
    const struct sums s = add_up(c);
    if (s.unknown < len) fill_run(c, &s, run, why, why_len_bytes);
    return LS_OK;
}

ls_err prof_account_close(const struct prof_account *a, struct prof_run *run, char *why, size_t why_len_bytes)
{
    const size_t room = a->processes_len + 1;
    struct closing c = {.a = a,
                        .order = calloc(room, sizeof(struct program)),
                        .stratum_of = calloc(room, sizeof(uint32_t)),
                        .user_ns = calloc(room, sizeof(double)),
                        .found_ns = calloc(room, sizeof(double)),
                        .strata = calloc(room + 1, sizeof(struct stratum))};
    const ls_err e = close_with(&c, run, why, why_len_bytes);
    free(c.order);
    free(c.stratum_of);
    free(c.user_ns);
    free(c.found_ns);
    free(c.strata);
    return e;
}

/* Fewer instructions than the run-ahead window has: no load was timed. */
enum { WINDOW_INSTRUCTIONS = 600 };

/* A translated burst that ended before its first record has no information about data, unless it went through
 * many instructions without a load. */
static bool was_cut(const struct prof_burst *b)
{
    if (b->method == SPOOL_METHOD_TRANSLATE) return b->samples_len == 0 && b->end_why != SPOOL_BURST_LENGTH;
    if (b->instructions >= WINDOW_INSTRUCTIONS) return false;
    switch (b->end_why) {
    case SPOOL_BURST_PREEMPTED:
    case SPOOL_BURST_LOST:
    case SPOOL_BURST_TIME:
    case SPOOL_BURST_FULL:
    case SPOOL_BURST_MASKED:
    case SPOOL_BURST_STOPPED:
    case SPOOL_BURST_SIGNAL:
        return true;
    default: /* ended by the code itself, as similar bursts would be */
        return false;
    }
}

struct origin {
    uint32_t burst, process;
    const char *program, *symbol;
};

static int by_process(const void *x, const void *y)
{
    const struct origin *a = x, *b = y;
    if (a->process != b->process) return a->process < b->process ? -1 : 1;
    return strcmp(a->symbol, b->symbol);
}

static int by_program(const void *x, const void *y)
{
    const struct origin *a = x, *b = y;
    const int programs = strcmp(a->program, b->program);
    return programs ? programs : strcmp(a->symbol, b->symbol);
}

static const char *symbol_at(const prof_line_list *lines, uint32_t process, uint64_t ip)
{
    const uint32_t line = prof_lines_find(lines, process, ip);
    return line < lines->len && lines->rows[line].symbol ? lines->rows[line].symbol : "";
}

/* Give the weights of the cut bursts of one function to the others of it, in proportion to theirs. */
static void hand_over(const struct prof_account *a, const struct origin *from, const struct origin *to)
{
    double cut_ns = 0, on_ns = 0;
    for (const struct origin *o = from; o < to; o++) {
        const struct prof_burst *b = &a->bursts[o->burst];
        if (b->weight_ns == UINT64_MAX) continue;
        *(was_cut(b) ? &cut_ns : &on_ns) += (double)b->data_weight_ns;
    }
    for (const struct origin *o = from; o < to && on_ns > 0; o++) {
        struct prof_burst *b = &a->bursts[o->burst];
        if (b->weight_ns != UINT64_MAX)
            b->data_weight_ns =
                was_cut(b) ? 0 : ls_round_u64((double)b->data_weight_ns * (cut_ns + on_ns) / on_ns);
    }
}

/* Sort the origins, and call visit for the bursts of each function. */
static void for_each_function(const struct prof_account *a, struct origin *origins,
                              int compare(const void *, const void *),
                              void visit(const struct prof_account *, const struct origin *from,
                                         const struct origin *to))
{
    qsort(origins, a->bursts_len, sizeof(*origins), compare);
    for (size_t from = 0, to; from < a->bursts_len; from = to) {
        for (to = from + 1; to < a->bursts_len && compare(&origins[to], &origins[from]) == 0; to++)
            ;
        visit(a, origins + from, origins + to);
    }
}

/* Two paces of some bursts: instructions in the time that they represent, times a constant. */
struct paces {
    double window, late;
    size_t bursts_len;
};

static void add_paces(struct paces *sum, const struct prof_burst *b, const struct prof_late *l)
{
    sum->window += (double)b->weight_ns * b->pace_instructions / (double)b->pace_cycles;
    sum->late += (double)b->weight_ns * l->instructions / l->cycles;
    sum->bursts_len++;
}

/* Return by how much longer an instruction takes at the ends of bursts; without enough bursts, otherwise. */
static double late_ratio(const struct paces *sum, double otherwise)
{
    const double ratio = sum->late > 0 ? sum->window / sum->late : 0;
    if (sum->bursts_len < PAIRS_LEAST || ratio <= 0) return otherwise;
    return fmin(fmax(ratio, 1 / RATIO_MOST), RATIO_MOST);
}

static struct paces add_up_paces(const struct prof_account *a, const struct prof_late *const *late_of,
                                 const struct origin *from, const struct origin *to, bool near_only)
{
    struct paces sum = {0};
    for (const struct origin *o = from; o < to; o++) {
        const struct prof_burst *b = &a->bursts[o->burst];
        const struct prof_late *l = late_of[o->burst];
        if (l && b->weight_ns != UINT64_MAX && b->pace_instructions && b->pace_cycles &&
            (l->is_near || !near_only))
            add_paces(&sum, b, l);
    }
    return sum;
}

/* origins: sorted by program. A function with too few bursts takes the ratio of its program. */
static void correct_paces(const struct prof_account *a, const struct prof_late *const *late_of,
                          const struct origin *origins)
{
    const struct origin *const end = origins + a->bursts_len;
    double of_program = 1;
    for (const struct origin *from = origins, *to, *program = origins; from < end; from = to) {
        if (from == program) {
            while (program < end && strcmp(program->program, from->program) == 0)
                program++;
            const struct paces all = add_up_paces(a, late_of, from, program, false);
            of_program = late_ratio(&all, 1);
        }
        for (to = from + 1; to < end && by_program(to, from) == 0; to++)
            ;
        const struct paces own = add_up_paces(a, late_of, from, to, true);
        const double ratio = late_ratio(&own, of_program);
        for (const struct origin *o = from; o < to; o++) {
            struct prof_burst *b = &a->bursts[o->burst];
            if (b->pace_cycles) b->pace_cycles = ls_round_u64(fmax(1, (double)b->pace_cycles * ratio));
        }
    }
}

static ls_err take_late_paces(const struct prof_account *a, const struct origin *origins)
{
    if (!a->lates_len) return LS_OK;
    const struct prof_late **late_of = calloc(a->bursts_len + 1, sizeof(*late_of));
    if (!late_of) return ls_nomem("%zu bursts", a->bursts_len);
    for (size_t i = 0; i < a->lates_len; i++)
        if (a->lates[i].burst < a->bursts_len) late_of[a->lates[i].burst] = &a->lates[i];
    correct_paces(a, late_of, origins);
    free(late_of);
    return LS_OK;
}

/* Return the share of its pace that a burst takes longer than its loop takes at least, or NAN. */
static double rest_of(const struct prof_burst *b)
{
    if (b->weight_ns == UINT64_MAX || !b->pace_cycles || !b->pace_least_cycles) return NAN;
    return 1 - (double)b->pace_least_cycles / (double)b->pace_cycles;
}

/* A burst that seems to take less than its loop takes at least does not wait for less than no time: without correction,
 * the errors of the paces would add up to waiting. Shorten all rests in the bursts [from, to) until their sum is the one
 * with the negative ones. */
static void take_errors_off(const struct prof_account *a, const struct origin *from, const struct origin *to)
{
    double all_ns = 0, positive_ns = 0;
    size_t len = 0;
    for (const struct origin *o = from; o < to; o++) {
        const struct prof_burst *b = &a->bursts[o->burst];
        const double rest = rest_of(b);
        if (isnan(rest)) continue;
        all_ns += (double)b->weight_ns * rest;
        positive_ns += (double)b->weight_ns * fmax(rest, 0);
        len++;
    }
    if (len < RESTS_LEAST || positive_ns <= all_ns) return;
    const double kept = fmax(all_ns, 0) / positive_ns;
    for (const struct origin *o = from; o < to; o++) {
        struct prof_burst *b = &a->bursts[o->burst];
        const double rest = rest_of(b);
        if (rest > 0) b->pace_least_cycles = ls_round_u64((double)b->pace_cycles * (1 - kept * rest));
    }
}

ls_err prof_account_functions(const struct prof_account *a, const prof_line_list *lines)
{
    struct origin *origins = calloc(a->bursts_len + 1, sizeof(*origins));
    if (!origins) return ls_nomem("%zu bursts", a->bursts_len);
    for (uint32_t i = 0; i < a->bursts_len; i++) {
        struct prof_burst *b = &a->bursts[i];
        const uint32_t process = process_of(a, b);
        const char *program = process < a->processes_len ? a->processes[process].exe : NULL;
        origins[i] = (struct origin){i, process, program ? program : "", symbol_at(lines, process, b->ip)};
        b->data_weight_ns = b->weight_ns;
    }
    for_each_function(a, origins, by_process, hand_over);
    for_each_function(a, origins, by_program, hand_over);
    const ls_err e = take_late_paces(a, origins);
    for_each_function(a, origins, by_program, take_errors_off);
    free(origins);
    return e;
}
