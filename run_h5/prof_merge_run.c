/* SPDX-License-Identifier: BSD-3-Clause */
/* /run of a merged profile: check that the files belong together, and combine their values. */
#include "run_h5/prof_merge_parts.h"

#include "common/ls_checked.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two files have the same unit if their cycles differ by at most this share. */
static const double cycles_differ_by = 0.001;

static ls_err merge_refuse(const struct prof_merge_named *first, const struct prof_merge_named *other,
                           const char *what)
{
    return ls_fail(LS_ERR_FORMAT,
                   "%s and %s: %s: their numbers mean different things; merge "
                   "recordings of one kind, or compare these with loadstone diff",
                   first->path, other->path, what);
}

ls_err prof_merge_run_check(const struct prof_merge_named *first, const struct prof_merge_named *other)
{
    const struct prof_run *a = first->run, *b = other->run;
    if (strcmp(a->engine, b->engine) != 0)
        return merge_refuse(first, other, "they were sampled by different engines");
    if (strcmp(a->events_sampled, b->events_sampled) != 0 ||
        strcmp(a->latency_meaning, b->latency_meaning) != 0)
        return merge_refuse(first, other, "a sample is not the same event in both");
    if (fabs((double)a->tsc_hz - (double)b->tsc_hz) > cycles_differ_by * (double)a->tsc_hz)
        return merge_refuse(first, other, "the cycles of their processors have different lengths");
    return LS_OK;
}

/* Return a, or "a; b" if a does not contain b. */
static const char *merge_texts(prof_names *names, const char *a, const char *b, const char *between)
{
    const size_t len = strlen(b), step = strlen(between);
    for (const char *at = a; at; at = strstr(at, between) ? strstr(at, between) + step : NULL)
        if (strncmp(at, b, len) == 0 && (at[len] == '\0' || strncmp(at + len, between, step) == 0)) return a;
    if (!len) return a;
    return *a ? prof_name_printf(names, "%s%s%s", a, between, b) : b;
}

static uint64_t merge_sum(uint64_t a, uint64_t b)
{
    return a == UINT64_MAX ? b : b == UINT64_MAX ? a : a + b;
}

static double merge_larger(double a, double b)
{
    return isnan(a) || b > a ? b : a;
}

static double merge_share(const struct prof_merge_job *job, size_t offset_bytes)
{
    double part = 0, all = 0;
    for (size_t i = 0; i < job->files_len; i++) {
        double share;
        memcpy(&share, (const uint8_t *)prof_run_of(job->files[i].profile) + offset_bytes, sizeof(share));
        if (isnan(share)) continue;
        part += share * (double)job->files[i].samples_len;
        all += (double)job->files[i].samples_len;
    }
    return all > 0 ? part / all : NAN;
}

/* Add the CPU times of a profile, if it has them. Errors of independent splits add up in squares. */
static void merge_cpu(prof_names *names, struct prof_run *a, const struct prof_run *b)
{
    const double user_a_ns = a->user_ns == UINT64_MAX || isnan(a->weights_found) ? 0 : (double)a->user_ns;
    const double user_b_ns = b->user_ns == UINT64_MAX || isnan(b->weights_found) ? 0 : (double)b->user_ns;
    const double found_ns = (user_a_ns > 0 ? a->weights_found * user_a_ns : 0) +
                            (user_b_ns > 0 ? b->weights_found * user_b_ns : 0);
    a->weights_found = user_a_ns + user_b_ns > 0 ? found_ns / (user_a_ns + user_b_ns) : NAN;
    a->cpu_ns = merge_sum(a->cpu_ns, b->cpu_ns);
    a->user_ns = merge_sum(a->user_ns, b->user_ns);
    a->kernel_ns = merge_sum(a->kernel_ns, b->kernel_ns);
    if (a->kernel_error_ns == UINT64_MAX || b->kernel_error_ns == UINT64_MAX)
        a->kernel_error_ns = merge_sum(a->kernel_error_ns, b->kernel_error_ns);
    else
        a->kernel_error_ns = ls_round_u64(hypot((double)a->kernel_error_ns, (double)b->kernel_error_ns));
    a->recording_ns = merge_sum(a->recording_ns, b->recording_ns);
    a->represented_ns = merge_sum(a->represented_ns, b->represented_ns);
    a->unrepresented_ns = merge_sum(a->unrepresented_ns, b->unrepresented_ns);
    a->unrepresented_why = merge_texts(names, a->unrepresented_why, b->unrepresented_why, "; ");
    a->instructions_stepped = merge_sum(a->instructions_stepped, b->instructions_stepped);
    a->instructions_in_place = merge_sum(a->instructions_in_place, b->instructions_in_place);
}

void prof_merge_run_add(prof_names *names, struct prof_run *a, const struct prof_run *b)
{
    a->command = merge_texts(names, a->command, b->command, "; ");
    a->host = merge_texts(names, a->host, b->host, ", ");
    a->cpu = merge_texts(names, a->cpu, b->cpu, "; ");
    a->topology = merge_texts(names, a->topology, b->topology, "; ");
    a->trigger = merge_texts(names, a->trigger, b->trigger, ", ");
    a->why = merge_texts(names, a->why, b->why, "; ");
    if (a->exit_code == 0) a->exit_code = b->exit_code;
    if (a->attached_pid != b->attached_pid) a->attached_pid = 0;
    if (a->exit_signal == 0) a->exit_signal = b->exit_signal;
    a->overhead_asked = merge_larger(a->overhead_asked, b->overhead_asked);
    a->overhead_achieved = merge_larger(a->overhead_achieved, b->overhead_achieved);
    a->lost_records = merge_sum(a->lost_records, b->lost_records);
    a->dropped_bytes = merge_sum(a->dropped_bytes, b->dropped_bytes);
    a->throttled = merge_sum(a->throttled, b->throttled);
    merge_cpu(names, a, b);
}

/* Order starts by wall clock: exact on one machine; between machines as exact as their clocks are set. */
static void merge_starts(struct prof_merge_job *job)
{
    const struct prof_run *first = prof_run_of(job->files[0].profile);
    for (size_t i = 1; i < job->files_len; i++) {
        const struct prof_run *r = prof_run_of(job->files[i].profile);
        if (r->start_realtime_ns < first->start_realtime_ns) first = r;
    }
    uint64_t end_ns = 0;
    for (size_t i = 0; i < job->files_len; i++) {
        const struct prof_run *r = prof_run_of(job->files[i].profile);
        job->files[i].shift_ns = r->start_realtime_ns - first->start_realtime_ns;
        if (r->duration_ns != UINT64_MAX && job->files[i].shift_ns + r->duration_ns > end_ns)
            end_ns = job->files[i].shift_ns + r->duration_ns;
    }
    job->run.start_realtime_ns = first->start_realtime_ns;
    job->run.start_mono_ns = first->start_mono_ns;
    job->run.duration_ns = end_ns ? end_ns : UINT64_MAX;
}

/* The stall estimate uses one set of latencies; warn about a machine with others. */
static void merge_say_latencies(const struct prof_merge_job *job, size_t i)
{
    enum { PERCENT = 25 };
    const double *a = prof_run_of(job->files[0].profile)->level_latency_cycles,
                 *b = prof_run_of(job->files[i].profile)->level_latency_cycles;
    if (!job->options->warn) return;
    for (int l = 0; l < PROF_LEVEL_COUNT; l++) {
        if (!(fabs(a[l] - b[l]) * 100 > a[l] * PERCENT)) continue;
        char text[512];
        snprintf(text, sizeof(text),
                 "%s: %s took %.0f cycles there and %.0f in %s: stall times are estimated with the latter",
                 job->files[i].path, prof_level_names[l], b[l], a[l], job->files[0].path);
        job->options->warn(job->options->user, text);
    }
}

ls_err prof_merge_run(struct prof_merge_job *job)
{
    job->run = *prof_run_of(job->files[0].profile);
    for (size_t i = 1; i < job->files_len; i++) {
        const struct prof_merge_named first = {job->files[0].path, prof_run_of(job->files[0].profile)},
                                      other = {job->files[i].path, prof_run_of(job->files[i].profile)};
        LS_TRY(prof_merge_run_check(&first, &other));
        prof_merge_run_add(job->names, &job->run, other.run);
        merge_say_latencies(job, i);
    }
    merge_starts(job);
    job->run.coverage_precise = merge_share(job, offsetof(struct prof_run, coverage_precise));
    job->run.coverage_coarse = merge_share(job, offsetof(struct prof_run, coverage_coarse));
    return LS_OK;
}
