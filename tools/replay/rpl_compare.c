/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/replay/rpl_compare.h"
#include "common/ls_vector.h"
#include "kernels/kn_stats.h"
#include "tools/cli/cli_term.h"
#include "tools/replay/rpl_results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ls_err rpl_compare_read(const char *files, struct vx_results **machines, size_t *len)
{
    size_t room = *len;
    while (*files) {
        const size_t name = strcspn(files, ",");
        char path[4096];
        LS_TRY(LS_GROW(*machines, room, *len + 1));
        snprintf(path, sizeof(path), "%.*s", (int)name, files);
        LS_TRY(vx_results_read(path, &(*machines)[*len]));
        ++*len;
        files += name + (files[name] == ',');
    }
    return LS_OK;
}

static const char *compare_rate(double rate, char out[CLI_CELL_BYTES])
{
    return isfinite(rate) ? cli_format_grouped(out, (uint64_t)rate) : strcpy(out, "-");
}

void rpl_compare_print(const struct vx_results *machines, size_t len, FILE *out)
{
    double *means = calloc(len, sizeof(double)), *streams = calloc(len, sizeof(double));
    fprintf(out, "\n%-28s %-20s %14s %14s\n", "machine", "host", "H-mean MB/s", "STREAM MB/s");
    for (size_t m = 0; means && streams && m < len; m++) {
        char mean[CLI_CELL_BYTES], stream[CLI_CELL_BYTES];
        means[m] = rpl_results_hmean(&machines[m]);
        streams[m] = machines[m].stream_mb_per_s;
        fprintf(out, "%-28.28s %-20.20s %14s %14s\n", machines[m].cpu, machines[m].host,
                compare_rate(means[m], mean), compare_rate(streams[m], stream));
    }
    if (means && streams && len > 2) {
        const double r = kn_pearson_r(means, streams, len);
        if (isfinite(r)) fprintf(out, "R of harmonic mean and STREAM over %zu machines: %.2f\n", len, r);
    }
    free(means);
    free(streams);
}
