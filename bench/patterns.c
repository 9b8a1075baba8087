/* SPDX-License-Identifier: BSD-3-Clause */
/* Measure the reading of a large pattern file: time, rate, and peak memory relative to its indices. Goals: a file of
 * 260 MB in less than 3 s and less than 2.5 times its indices. usage: patterns [MEGABYTES [FILE]]; the file
 * is created and removed. */
#include "common/ls_clock.h"
#include "patterns/pat_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BENCH_MEGABYTES = 260, BENCH_INDEX_MAX = 10000000, BENCH_REPEATS = 3, BENCH_CONFIGS = 4 };

static uint64_t bench_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* A few long patterns, as extraction writes them. */
static int bench_make(const char *path, uint64_t bytes)
{
    FILE *file = fopen(path, "wbe");
    uint64_t state = 88172645463325252u, written = 0;
    if (!file) return -1;
    for (int c = 0; c < BENCH_CONFIGS; c++) {
        fputs(c ? ",\n{\"kernel\":\"Gather\",\"pattern\":[0" : "[{\"kernel\":\"Gather\",\"pattern\":[0",
              file);
        while (written < bytes / BENCH_CONFIGS * (uint64_t)(c + 1))
            written += (uint64_t)fprintf(file, ",%llu",
                                         (unsigned long long)(bench_random(&state) % BENCH_INDEX_MAX));
        fputs("],\"count\":1}", file);
    }
    fputs("]\n", file);
    return fclose(file);
}

static size_t bench_indices(const struct pat_suite *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->len; i++)
        n += s->rows[i].pattern.len;
    return n;
}

/* Run in a child process, so that the peak is that of one reading. */
static int bench_read(const char *path, double megabytes)
{
    const struct pat_json_options o = {0};
    struct pat_suite s = {0};
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    const uint64_t begin_ns = ls_clock_mono_ns();
    const ls_err err = pat_json_read_file(path, &o, &s);
    const double seconds = (double)(ls_clock_mono_ns() - begin_ns) / 1e9;
    getrusage(RUSAGE_SELF, &after);
    if (err != LS_OK) {
        fprintf(stderr, "%s\n", ls_last_error());
        return 1;
    }
    const double cpu = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
                       (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) / 1e6;
    const double indices_mib = (double)bench_indices(&s) * sizeof(int64_t) / 0x1p20;
    const double peak_mib = (double)after.ru_maxrss / 1024;
    printf("%6.0f MB  %9zu indices  %5.2f s (%.2f s of CPU)  %5.0f "
           "MB/s  indices %5.0f MiB  peak %5.0f MiB, %.2f times\n",
           megabytes, bench_indices(&s), seconds, cpu, megabytes / seconds, indices_mib, peak_mib,
           peak_mib / indices_mib);
    pat_suite_fini(&s);
    return 0;
}

int main(int argc, char **argv)
{
    const double megabytes = argc > 1 ? atof(argv[1]) : BENCH_MEGABYTES;
    char made[] = "/tmp/bench-patterns-XXXXXX";
    const char *path = argc > 2 ? argv[2] : made;
    if (argc <= 2) close(mkstemp(made));
    int status = bench_make(path, (uint64_t)(megabytes * 1e6));
    if (status != 0) perror(path);
    for (int i = 0; i < BENCH_REPEATS && status == 0; i++) {
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) exit(bench_read(path, megabytes));
        if (child < 0 || waitpid(child, &status, 0) < 0) status = 1;
    }
    unlink(path);
    return status != 0;
}
