/* SPDX-License-Identifier: BSD-3-Clause */
/* make_jobs FILE.h5 SCALING RANKS [KEY=VALUE...]: write the results of a made-up job of RANKS ranks, as loadstone stream -o
 * does. Memory has a roof: rates are min(RANKS * one, roof), in MB/s, and each further kernel is faster by a tenth.
 * SCALING: weak (each rank moves 8e8 bytes) or strong (all of them).
 * Keys: one=1e4, roof=5e4, host=n0, cpu=C, version=V, threads=1, bytes=8e8, kernels=copy,triad, nodes=1, shared=0,
 * study=, valid=1. */
#include "viz-export/charts/vx_results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS_MAX = 8 };

static int args_len;
static char **args;

static const char *text_of(const char *key, const char *fallback)
{
    const size_t len = strlen(key);
    for (int i = 4; i < args_len; i++)
        if (strncmp(args[i], key, len) == 0 && args[i][len] == '=') return args[i] + len + 1;
    return fallback;
}

static double number_of(const char *key, const char *fallback)
{
    return strtod(text_of(key, fallback), NULL);
}

/* Kernel k has (1 + k / 10) of the rate of the first. */
static void fill_row(struct vx_result *row, const char *name, unsigned k, unsigned ranks, int is_strong)
{
    const double rate =
        fmin(ranks * number_of("one", "1e4"), number_of("roof", "5e4") * number_of("nodes", "1")) *
        (1 + k / 10.0);
    const double bytes = number_of("bytes", "8e8") * (is_strong ? 1 : ranks), seconds = bytes / rate / 1e6;
    *row = (struct vx_result){.name = strdup(name),
                              .kernel = strdup(name),
                              .backend = strdup("openmp"),
                              .variant = strdup("scalar"),
                              .count = 1000,
                              .threads = (uint64_t)number_of("threads", "1"),
                              .element_bytes = 8,
                              .bytes = (uint64_t)bytes,
                              .runs = 10,
                              .seconds_min = seconds,
                              .seconds_quartile1 = seconds,
                              .seconds_median = seconds * 1.01,
                              .seconds_quartile3 = seconds * 1.02,
                              .seconds_max = seconds * 1.1,
                              .seconds_mean = seconds * 1.01,
                              .mb_per_s = rate,
                              .valid = (uint64_t)number_of("valid", "1"),
                              .ranks = ranks,
                              .nodes = (uint64_t)number_of("nodes", "1"),
                              .x = NAN};
}

/* Rank r needs r % 3 percent more time than the fastest. */
static void fill_rank(struct vx_rank *rank, const struct vx_result *row, uint64_t result, unsigned r)
{
    char processors[16];
    snprintf(processors, sizeof(processors), "%u", r);
    *rank = (struct vx_rank){.result = result,
                             .rank = r,
                             .host = strdup(text_of("host", "n0")),
                             .processors = strdup(number_of("shared", "0") > 0 ? "" : processors),
                             .variant = strdup("scalar"),
                             .threads = row->threads,
                             .bytes = row->bytes / row->ranks,
                             .seconds_min = row->seconds_min * (1 + r % 3 / 100.0),
                             .seconds_mean = row->seconds_mean,
                             .valid = 1};
}

int main(int argc, char **argv)
{
    if (argc < 4) return 2;
    args_len = argc;
    args = argv;
    const unsigned ranks = (unsigned)strtoul(argv[3], NULL, 10);
    char kernels[256];
    snprintf(kernels, sizeof(kernels), "%s", text_of("kernels", "copy,triad"));
    struct vx_results r = {.host = strdup(text_of("host", "n0")),
                           .cpu = strdup(text_of("cpu", "C")),
                           .topology = strdup("1 package, 16 cores"),
                           .command = strdup("loadstone stream"),
                           .version = strdup(text_of("version", "V")),
                           .study = strdup(text_of("study", "")),
                           .stream_mb_per_s = NAN,
                           .stream_regular_mb_per_s = NAN,
                           .rows = calloc(KERNELS_MAX, sizeof(*r.rows)),
                           .ranks = calloc((size_t)KERNELS_MAX * ranks + 1, sizeof(*r.ranks))};
    if (!r.rows || !r.ranks) return 1;
    for (char *rest = kernels, *name; (name = strsep(&rest, ",")) && r.len < KERNELS_MAX; r.len++) {
        fill_row(&r.rows[r.len], name, (unsigned)r.len, ranks, strcmp(argv[2], "strong") == 0);
        for (unsigned k = 0; k < ranks; k++)
            fill_rank(&r.ranks[r.ranks_len++], &r.rows[r.len], r.len, k);
    }
    const ls_err err = vx_results_write(&r, argv[1]);
    if (err != LS_OK) fprintf(stderr, "%s\n", ls_last_error());
    vx_results_fini(&r);
    return err == LS_OK ? 0 : 1;
}
