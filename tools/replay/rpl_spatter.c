/* SPDX-License-Identifier: BSD-3-Clause */
/* Results as Spatter 2 prints them, for scripts that read its output: banner, then columns of width 15,
 * left-aligned, numbers as a C++ stream writes them (6 significant digits). */
#include "common/ls_compat.h"
#include "patterns/pat_extent.h"
#include "tools/cli/cli_message.h"
#include "tools/replay/rpl_ranks.h"
#include "tools/replay/rpl_session.h"

#include <inttypes.h>
#include <string.h>

static void spatter_banner(const struct rpl_session *s, FILE *out)
{
    const char *backend = s->settings.kernel.backend ? s->settings.kernel.backend : "openmp";
    const char *spelt = strcasecmp(backend, "openmp") == 0   ? "OpenMP"
                        : strcasecmp(backend, "opencl") == 0 ? "OpenCL"
                        : strcasecmp(backend, "cuda") == 0   ? "CUDA"
                        : strcasecmp(backend, "hip") == 0    ? "HIP"
                                                             : "Serial";
    fprintf(out,
            "\nRunning Spatter version 2.1.0\nCompiler: %s ver. %s\nBackend: %s\nAggregate Results? %s\n\n",
            LS_COMPILER_NAME, LS_COMPILER_VERSION, spelt, s->settings.aggregate ? "YES" : "NO");
}

static void spatter_list(const char *key, const struct pat_indices *p, FILE *out)
{
    fprintf(out, "'%s': [", key);
    for (size_t i = 0; i < p->len; i++)
        fprintf(out, "%s%" PRId64, i ? ", " : "", p->data[i]);
    fputs("], ", out);
}

static void spatter_config(const struct rpl_session *s, size_t i, FILE *out)
{
    const struct pat_config *c = &s->suite.rows[i];
    fprintf(out, "{'id': %zu, ", i);
    if (*c->name) fprintf(out, "'name': '%s', ", c->name);
    fprintf(out, "'kernel': '%s', ", pat_kernel_name(c->kernel));
    spatter_list("pattern", &c->pattern, out);
    spatter_list("pattern-gather", &c->gather, out);
    spatter_list("pattern-scatter", &c->scatter, out);
    fprintf(out,
            "'delta': %" PRId64 ", 'delta-gather': %" PRId64 ", 'delta-scatter': %" PRId64
            ", 'count': %" PRIu64 ", ",
            c->delta, c->delta_gather, c->delta_scatter, c->count);
    if (c->seed > 0) fprintf(out, "'seed': %" PRIu64 ", ", c->seed);
    if (s->settings.aggregate) fprintf(out, "'agg (nruns)': %" PRIu64 ", ", c->runs);
    fprintf(out, "'wrap': %" PRIu64 ", 'threads': %u}", c->wrap, s->threads);
}

static void spatter_configs(const struct rpl_session *s, FILE *out)
{
    fputs("Run Configurations\n[ ", out);
    for (size_t i = 0; i < s->suite.len; i++) {
        if (i) fputs("  ", out);
        spatter_config(s, i, out);
        if (i + 1 < s->suite.len) fputs(",\n", out);
    }
    fputs(" ]\n\n", out);
}

static int64_t spatter_max(const struct pat_indices *p)
{
    int64_t max = 0;
    for (size_t i = 0; i < p->len; i++)
        if (p->data[i] > max) max = p->data[i];
    return max;
}

static void spatter_sizes(const struct pat_config *c, FILE *out)
{
    struct pat_extent from = {0, 0}, to = {0, 0};
    uint64_t dense = 0;
    if (pat_extent_of(c, PAT_SIDE_GATHER, &from) != LS_OK ||
        pat_extent_of(c, PAT_SIDE_SCATTER, &to) != LS_OK || pat_dense_elements(c, &dense) != LS_OK)
        return;
    if (c->kernel == PAT_GS) {
        fprintf(out,
                "Pattern Gather Array Size: %zuPattern Scatter Array Size: %zu\tDelta: %" PRId64
                "\tCount: %" PRIu64 "\tWrap: %" PRIu64 "\tSparse Scatter Array Size: %" PRIu64
                "\tSparse Gather Array Size: %" PRIu64 "\tMax Pattern Scatter Val: %" PRId64
                "\tMax Pattern Gather Val: %" PRId64 "\n",
                c->gather.len, c->scatter.len, c->delta, c->count, c->wrap, pat_extent_elements(&to),
                pat_extent_elements(&from), spatter_max(&c->scatter), spatter_max(&c->gather));
        return;
    }
    fprintf(out,
            "Pattern Array Size: %zu\tDelta: %" PRId64 "\tCount: %" PRIu64 "\tWrap: %" PRIu64
            "\tDense Array Size: %" PRIu64 "\tSparse Array Size: %" PRIu64 "\tMax Pattern Val: %" PRId64,
            c->pattern.len, c->delta, c->count, c->wrap, dense, pat_extent_elements(&from),
            spatter_max(&c->pattern));
    if (c->kernel == PAT_MULTISCATTER)
        fprintf(out, "\tMax Pattern Scatter Val: %" PRId64, spatter_max(&c->scatter));
    if (c->kernel == PAT_MULTIGATHER)
        fprintf(out, "\tMax Pattern Gather Val: %" PRId64, spatter_max(&c->gather));
    fputc('\n', out);
}

static void spatter_begin(const struct rpl_session *s, FILE *out)
{
    for (size_t i = 0; s->settings.verbosity >= 3 && i < s->suite.len; i++)
        spatter_sizes(&s->suite.rows[i], out);
    if (s->settings.verbosity >= 1) spatter_banner(s, out);
    if (s->settings.verbosity >= 2) spatter_configs(s, out);
    if (s->settings.kernel.ranks)
        fprintf(out, "%-15s%-30s%-30s%-30s%-30s%-30s\n", "config", "average bytes per rank", "total bytes",
                "average time per rank(s)", "average bw per rank(MB/s)", "total bw(MB/s)");
    else
        fprintf(out, "%-15s%-15s%-15s%-15s\n", "config", "bytes", "time(s)", "bw(MB/s)");
}

static void spatter_row(const struct rpl_session *s, size_t i, FILE *out)
{
    const struct kn_result *r = &s->results[i];
    if (r->ranks) {
        const struct rpl_ranks_means m = rpl_ranks_means_of(r);
        fprintf(out, "%-15zu%-30g%-30" PRIu64 "%-30g%-30g%-30g\n", i, m.bytes, r->bytes, m.seconds,
                m.mb_per_s, r->mb_per_s);
        return;
    }
    fprintf(out, "%-15zu%-15" PRIu64 "%-15g%-15g\n", i, r->bytes, r->seconds.min, r->mb_per_s);
}

/* Standard output stays Spatter's: marks of rows are a message. */
static void spatter_end(const struct rpl_session *s, FILE *out)
{
    char rows[128] = "";
    size_t used = 0, len = 0;
    (void)out;
    for (size_t i = 0; i < s->done; i++) {
        if (!s->results[i].interrupted) continue;
        if (used + sizeof(", 18446744073709551615") < sizeof(rows))
            used += (size_t)snprintf(rows + used, sizeof(rows) - used, "%s%zu", len ? ", " : "", i);
        len++;
    }
    if (len)
        cli_note(
            "runs of %zu of %zu configurations were interrupted by other programs (%s%s): their rates may be "
            "too low; measure again when the machine is idle",
            len, s->done, rows, used + sizeof(", 18446744073709551615") < sizeof(rows) ? "" : " ...");
}

const struct rpl_format rpl_format_spatter = {
    .name = "spatter", .begin = spatter_begin, .row = spatter_row, .end = spatter_end};
