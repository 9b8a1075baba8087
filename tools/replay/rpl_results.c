/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/replay/rpl_session.h"

#include "common/ls_checked.h"
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- results as rows ---- */

static ls_err rpl_copy(char **to, const char *text)
{
    *to = strdup(text ? text : "");
    return *to ? LS_OK : ls_nomem("the results");
}

static void rpl_row_numbers(const struct kn_result *r, struct vx_result *out)
{
    out->threads = r->threads;
    out->index_bits = r->index_bits;
    out->element_bytes = r->element_bytes;
    out->bytes = r->bytes;
    out->bytes_with_indices = r->bytes_with_indices;
    out->memory_bytes = r->memory_bytes;
    out->huge_bytes = r->huge_bytes;
    out->runs = r->seconds.len;
    out->warmups = r->warmups;
    out->seconds_min = r->seconds.min;
    out->seconds_quartile1 = r->seconds.quartile1;
    out->seconds_median = r->seconds.median;
    out->seconds_quartile3 = r->seconds.quartile3;
    out->seconds_max = r->seconds.max;
    out->seconds_mean = r->seconds.mean;
    out->seconds_deviation = r->seconds.deviation;
    out->mb_per_s = r->mb_per_s;
    out->mb_per_s_hmean = r->mb_per_s_hmean;
    out->mb_per_s_hstderr = r->mb_per_s_hstderr;
    out->mb_per_s_regular = r->mb_per_s_regular;
    out->stream_share = r->stream_share;
    out->valid = r->valid;
    out->interrupted = r->interrupted;
    out->worst_error = r->worst_error;
    out->cycles = r->counts.values[PE_COUNT_CYCLES];
    out->instructions = r->counts.values[PE_COUNT_INSTRUCTIONS];
    out->llc_misses = r->counts.values[PE_COUNT_LLC_MISSES];
    out->dtlb_load_misses = r->counts.values[PE_COUNT_DTLB_MISSES];
    out->dram_read_bytes = r->counts.values[PE_COUNT_READ_BYTES];
    out->dram_write_bytes = r->counts.values[PE_COUNT_WRITE_BYTES];
    out->page_faults = r->counts.values[PE_COUNT_FAULTS];
    out->context_switches = r->counts.values[PE_COUNT_SWITCHES];
    out->ranks = r->ranks;
    out->nodes = r->nodes;
}

ls_err rpl_row_of_result(const struct kn_result *r, const char *name, struct vx_result *out)
{
    rpl_row_numbers(r, out);
    LS_TRY(rpl_copy(&out->name, name));
    LS_TRY(rpl_copy(&out->backend, r->backend));
    return rpl_copy(&out->variant, r->variant);
}

static ls_err rpl_rank_of(const struct kn_rank_row *r, struct vx_rank *out)
{
    out->threads = r->threads;
    out->bytes = r->bytes;
    out->memory_bytes = r->memory_bytes;
    out->seconds_min = r->seconds_min;
    out->seconds_mean = r->seconds_mean;
    out->valid = !*r->invalid;
    LS_TRY(rpl_copy(&out->host, r->host));
    LS_TRY(rpl_copy(&out->processors, r->processors));
    return rpl_copy(&out->variant, r->variant);
}

ls_err rpl_results_add_ranks(struct vx_results *out, size_t row, const struct kn_result *r)
{
    if (!r->rank_rows) return LS_OK;
    struct vx_rank *all = realloc(out->ranks, (out->ranks_len + r->ranks) * sizeof(*all));
    if (!all) return ls_nomem("the results of %u ranks", r->ranks);
    out->ranks = all;
    for (unsigned i = 0; i < r->ranks; i++) {
        struct vx_rank *rank = &all[out->ranks_len++];
        *rank = (struct vx_rank){.result = row, .rank = i};
        LS_TRY(rpl_rank_of(&r->rank_rows[i], rank));
    }
    return LS_OK;
}

static ls_err rpl_row_described(const struct rpl_row *row, struct vx_result *out)
{
    out->count = row->count;
    out->wrap = row->wrap;
    out->x = NAN;
    LS_TRY(rpl_copy(&out->kernel, row->kernel));
    LS_TRY(rpl_copy(&out->pattern, row->pattern));
    return rpl_copy(&out->delta, row->delta);
}

/* Return the kernel's command line, arguments separated by blanks; "" if it is not known. */
static void rpl_command_line(char *out, size_t room)
{
    FILE *file = fopen("/proc/self/cmdline", "re");
    size_t len = file ? fread(out, 1, room - 1, file) : 0;
    if (file) fclose(file);
    while (len && out[len - 1] == '\0')
        len--;
    for (size_t i = 0; i < len; i++)
        if (out[i] == '\0') out[i] = ' ';
    out[len] = '\0';
}

ls_err rpl_results_head(const struct mach_machine *m, const char *study, struct vx_results *out)
{
    char command[1024];
    rpl_command_line(command, sizeof(command));
    out->stream_mb_per_s = out->stream_regular_mb_per_s = NAN;
    LS_TRY(rpl_copy(&out->host, m->host));
    LS_TRY(rpl_copy(&out->cpu, m->cpu));
    LS_TRY(rpl_copy(&out->topology, m->summary));
    LS_TRY(rpl_copy(&out->command, command));
    LS_TRY(rpl_copy(&out->version, PACKAGE_VERSION));
    return rpl_copy(&out->study, study);
}

static uint64_t config_program_bytes(const struct pat_config *c, unsigned element_bytes)
{
    uint64_t bytes;
    return ls_mul_u64(c->accesses, element_bytes ? element_bytes : pat_config_element_bytes(c), &bytes)
               ? bytes
               : UINT64_MAX;
}

/* Return the bytes that the program moved by the pattern of result i; 0: not known. */
static uint64_t program_bytes(const struct rpl_session *s, size_t i)
{
    const unsigned element_bytes = s->settings.kernel.element_bytes;
    uint64_t sum = 0;
    if (!s->settings.together) return config_program_bytes(&s->suite.rows[i], element_bytes);
    for (size_t k = 0; k < s->suite.len; k++) {
        const uint64_t bytes = config_program_bytes(&s->suite.rows[k], element_bytes);
        if (!bytes || !ls_add_u64(sum, bytes, &sum)) return 0;
    }
    return sum;
}

ls_err rpl_results_of(const struct rpl_session *s, struct vx_results *out)
{
    memset(out, 0, sizeof(*out));
    LS_TRY(rpl_results_head(&s->machine, "", out));
    out->stream_mb_per_s = s->stream_mb_per_s;
    out->stream_regular_mb_per_s = s->stream_regular_mb_per_s;
    out->rows = calloc(s->done + 1, sizeof(*out->rows));
    if (!out->rows) return ls_nomem("the results");
    for (size_t i = 0; i < s->done; i++) {
        out->len = i + 1;
        struct rpl_row row;
        rpl_row_of(s, i, &row);
        LS_TRY(rpl_row_described(&row, &out->rows[i]));
        LS_TRY(rpl_row_of_result(&s->results[i], row.name, &out->rows[i]));
        out->rows[i].program_bytes = program_bytes(s, i);
        LS_TRY(rpl_results_add_ranks(out, i, &s->results[i]));
    }
    return LS_OK;
}

void rpl_row_label(const struct vx_result *r, char *out, size_t room)
{
    if (*r->name)
        snprintf(out, room, "%s", r->name);
    else
        snprintf(out, room, "%s %s%s%s", r->kernel, r->pattern, *r->delta ? ", delta " : "", r->delta);
}

static uint64_t rpl_threads_of(const struct vx_results *r)
{
    return r->len ? r->rows[0].threads : 0;
}

void rpl_machine_label(const struct vx_results *machines, size_t len, size_t m, char *out, size_t room)
{
    const struct vx_results *r = &machines[m];
    size_t alike = 0, before = 0;
    bool other_threads = true;
    for (size_t k = 0; k < len; k++) {
        if (strcmp(machines[k].cpu, r->cpu) != 0 || strcmp(machines[k].host, r->host) != 0) continue;
        alike++;
        before += k < m;
        if (k != m && rpl_threads_of(&machines[k]) == rpl_threads_of(r)) other_threads = false;
    }
    int used = snprintf(out, room, "%.50s (%.60s)", *r->cpu ? r->cpu : "unknown processor", r->host);
    if (alike < 2 || used < 0 || (size_t)used >= room) return;
    if (other_threads)
        snprintf(out + used, room - (size_t)used, ", %" PRIu64 " thread%s", rpl_threads_of(r),
                 rpl_threads_of(r) == 1 ? "" : "s");
    else
        snprintf(out + used, room - (size_t)used, ", run %zu", before + 1);
}

double rpl_results_weighted(const struct vx_results *r)
{
    double bytes = 0, time = 0;
    for (size_t i = 0; i < r->len; i++) {
        if (!r->rows[i].program_bytes) return NAN;
        bytes += (double)r->rows[i].program_bytes;
        time += (double)r->rows[i].program_bytes / r->rows[i].mb_per_s;
    }
    return bytes / time;
}

double rpl_results_hmean(const struct vx_results *r)
{
    double *rates = calloc(r->len + 1, sizeof(*rates));
    if (!rates) return NAN;
    for (size_t i = 0; i < r->len; i++)
        rates[i] = r->rows[i].mb_per_s;
    const double mean = kn_harmonic_mean(rates, r->len);
    free(rates);
    return mean;
}

/* ---- the subject of a result ---- */

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

/* ---- a session ---- */

const struct rpl_format *const rpl_formats[] = {&rpl_format_table, &rpl_format_spatter, &rpl_format_json,
                                                &rpl_format_csv, NULL};

struct kn_options rpl_options_of(const struct rpl_session *s, size_t i)
{
    struct kn_options o = s->settings.kernel;
    const struct pat_config *c = &s->suite.rows[i];
    if (s->settings.own_threads && c->threads)
        o.threads = c->threads < s->settings.own_most ? (unsigned)c->threads : s->settings.own_most;
    if (s->settings.atomic_writes && (PAT_GATHERS >> c->kernel & 1)) o.stores = KN_STORES_REGULAR;
    return o;
}

static double weighted_mean(const struct rpl_session *s, bool is_of_program)
{
    double bytes = 0, time = 0;
    for (size_t i = 0; i < s->done; i++) {
        const double weight = (double)(is_of_program ? program_bytes(s, i) : s->results[i].bytes);
        bytes += weight;
        time += weight / s->results[i].mb_per_s;
    }
    return bytes / time;
}

struct rpl_summary rpl_summarise(const struct rpl_session *s)
{
    struct rpl_summary m = {
        .len = s->done, .min = NAN, .max = NAN, .hmean = NAN, .hstderr = NAN, .is_of_program = s->done > 0};
    double *rates = calloc(s->done + 1, sizeof(*rates));
    for (size_t i = 0; i < s->done; i++) {
        const double rate = s->results[i].mb_per_s;
        m.is_of_program = m.is_of_program && program_bytes(s, i) > 0;
        m.small += s->results[i].bytes < RPL_SMALL_BYTES;
        if (!(rate >= m.min)) m.min = rate;
        if (!(rate <= m.max)) m.max = rate;
        m.invalid += !s->results[i].valid;
        if (rates) rates[i] = rate;
    }
    m.weighted = weighted_mean(s, m.is_of_program);
    if (!rates) return m;
    m.hmean = kn_harmonic_mean(rates, s->done);
    m.hstderr = kn_harmonic_stderr(rates, s->done);
    free(rates);
    return m;
}
