/* SPDX-License-Identifier: BSD-3-Clause */
/* Print results as comma-separated values: a row per configuration, or one for all that took turns. Values
 * that were not measured are empty. */
#include "common/ls_put.h"
#include "tools/replay/rpl_kernel.h"
#include "tools/replay/rpl_session.h"

#include <inttypes.h>
#include <math.h>

static void csv_text(const char *text, FILE *out)
{
    ls_put_csv(out, text);
    fputc(',', out);
}

static void csv_number(double n, FILE *out)
{
    if (isfinite(n)) fprintf(out, "%.9g", n);
    fputc(',', out);
}

static void csv_begin(const struct rpl_session *s, FILE *out)
{
    (void)s;
    fputs(
        "config,name,kernel,pattern,delta,count,wrap,backend,variant,threads,bytes,bytes_with_indices,"
        "memory_bytes,runs,seconds_min,seconds_quartile1,seconds_median,seconds_quartile3,seconds_max,"
        "mb_per_s,mb_per_s_hmean,stream_share,mb_per_s_regular,stream_share_regular,valid,interrupted,ranks,nodes,"
        "element_bytes",
        out);
    rpl_counts_csv_header(out);
    fputc('\n', out);
}

static void csv_row(const struct rpl_session *s, size_t i, FILE *out)
{
    const struct kn_result *r = &s->results[i];
    struct rpl_row row;
    rpl_row_of(s, i, &row);
    fprintf(out, "%zu,", i);
    csv_text(row.name, out);
    fprintf(out, "%s,", row.kernel);
    csv_text(row.pattern, out);
    csv_text(row.delta, out);
    fprintf(out, "%" PRIu64 ",%" PRIu64 ",%s,", row.count, row.wrap, r->backend);
    csv_text(r->variant, out);
    fprintf(out, "%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%zu,", r->threads, r->bytes, r->bytes_with_indices,
            r->memory_bytes, r->seconds.len);
    const double numbers[] = {r->seconds.min,      r->seconds.quartile1,
                              r->seconds.median,   r->seconds.quartile3,
                              r->seconds.max,      r->mb_per_s,
                              r->mb_per_s_hmean,   r->stream_share,
                              r->mb_per_s_regular, r->mb_per_s_regular / s->stream_regular_mb_per_s};
    for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++)
        csv_number(numbers[k], out);
    fprintf(out, "%s,%u,%u,%u,%u", r->valid ? "yes" : "no", r->interrupted, r->ranks ? r->ranks : 1,
            r->ranks ? r->nodes : 1, r->element_bytes);
    rpl_counts_csv_row(r, out);
    fputc('\n', out);
}

static void csv_end(const struct rpl_session *s, FILE *out)
{
    (void)s, (void)out;
}

const struct rpl_format rpl_format_csv = {
    .name = "csv", .shows_stream = true, .begin = csv_begin, .row = csv_row, .end = csv_end};
