/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/trace/trc_hot.h"

#include "profile/prof_reader.h"
#include "profile/prof_vector.h"
#include "tools/trace/trc_code.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRC_HOT_BURSTS_MIN = 50 }; /* a share of 10 % is then known to +-8 points */
#define TRC_HOT_SHARE 0.9

struct trc_function {
    const char *module, *symbol;
    double weight;
};
struct trc_functions {
    PROF_VECTOR(struct trc_function) list;
    double weight;
};

static int trc_compare_weights(const void *a, const void *b)
{
    const struct trc_function *x = a, *y = b;
    return (x->weight < y->weight) - (x->weight > y->weight);
}

static const struct prof_line *trc_line_of(const struct prof_line *lines, size_t len, uint32_t process,
                                           uint64_t ip)
{
    size_t from = 0, to = len;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const struct prof_line *l = &lines[middle];
        if (l->process < process || (l->process == process && l->ip < ip))
            from = middle + 1;
        else
            to = middle;
    }
    return from < len && lines[from].process == process && lines[from].ip == ip ? &lines[from] : NULL;
}

/* Names of a profile are the same pointer when they are equal, so are those of one file. */
static ls_err trc_count_function(struct trc_functions *f, const struct prof_line *line, double weight)
{
    f->weight += weight;
    if (!line || !*line->symbol || line->module[0] != '/') return LS_OK;
    for (size_t i = 0; i < f->list.len; i++)
        if (strcmp(f->list.rows[i].symbol, line->symbol) == 0 &&
            strcmp(f->list.rows[i].module, line->module) == 0) {
            f->list.rows[i].weight += weight;
            return LS_OK;
        }
    LS_TRY(PROF_VECTOR_ROOM(&f->list));
    f->list.rows[f->list.len++] = (struct trc_function){line->module, line->symbol, weight};
    return LS_OK;
}

/* The time of a burst is split over its samples. */
static ls_err trc_count_bursts(const prof_profile *p, const struct prof_samples *s, struct trc_functions *f)
{
    size_t bursts_len, lines_len, threads_len;
    const struct prof_burst *bursts = prof_bursts(p, &bursts_len);
    const struct prof_line *lines = prof_lines(p, &lines_len);
    const struct prof_thread *threads = prof_threads(p, &threads_len);
    for (size_t i = 0; i < bursts_len; i++) {
        const struct prof_burst *b = &bursts[i];
        if (b->thread >= threads_len || b->samples_len == 0) continue;
        for (uint64_t k = b->first_sample; k < b->first_sample + b->samples_len && k < s->len; k++) {
            const struct prof_line *line =
                trc_line_of(lines, lines_len, threads[b->thread].process, s->ip[k]);
            LS_TRY(trc_count_function(f, line, (double)b->weight_ns / b->samples_len));
        }
    }
    return LS_OK;
}

static void trc_choose(struct trc_functions *f, FILE *out, struct trc_hot *found)
{
    double sum = 0;
    qsort(f->list.rows, f->list.len, sizeof(*f->list.rows), trc_compare_weights);
    for (size_t i = 0; i < f->list.len && sum < TRC_HOT_SHARE * f->weight; i++) {
        const struct trc_function *row = &f->list.rows[i];
        const size_t at = strlen(found->names);
        if (trc_code_function(row->module, row->symbol, out) != LS_OK) continue;
        sum += row->weight;
        snprintf(found->names + at, sizeof(found->names) - at, "%s%s", at ? ", " : "", row->symbol);
        found->functions++;
    }
    found->share = f->weight > 0 ? sum / f->weight : 0;
}

static ls_err trc_hot_of(prof_profile *p, FILE *out, struct trc_hot *found)
{
    struct trc_functions f = {0};
    struct prof_samples s;
    prof_bursts(p, &found->bursts);
    if (found->bursts < TRC_HOT_BURSTS_MIN) return LS_OK;
    LS_TRY(prof_load_samples(p, PROF_MASK(ip), &s));
    const ls_err err = trc_count_bursts(p, &s, &f);
    if (err == LS_OK) trc_choose(&f, out, found);
    free(f.list.rows);
    return err;
}

ls_err trc_hot_code(const char *path, FILE *out, struct trc_hot *found)
{
    prof_profile *p;
    memset(found, 0, sizeof(*found));
    LS_TRY(prof_open(path, &p));
    const ls_err err = trc_hot_of(p, out, found);
    prof_close(p);
    return err;
}

static void trc_become_recorder(char **words)
{
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd < 3; fd++)
        dup2(null, fd);
    execv("/proc/self/exe", words);
    _exit(127);
}

ls_err trc_hot_record(char **argv, const char *path)
{
    /* more than a recording usually takes: it is for a choice, not for latencies */
    char *first[] = {(char *)"loadstone",  (char *)"record",        (char *)"-q",       (char *)"-f",
                     (char *)"--overhead", (char *)"50%",           (char *)"--period", (char *)"1ms",
                     (char *)"-o",         (char *)(uintptr_t)path, (char *)"--"};
    enum { TRC_FIRST = sizeof(first) / sizeof(first[0]) };
    size_t len = 0;
    int status;
    while (argv[len])
        len++;
    char **words = calloc(TRC_FIRST + len + 1, sizeof(*words));
    if (!words) return ls_fail(LS_ERR_NOMEM, "out of memory for the command line");
    memcpy(words, first, sizeof(first));
    memcpy(words + TRC_FIRST, argv, len * sizeof(*argv));
    const pid_t child = fork();
    if (child == 0) trc_become_recorder(words);
    free(words);
    if (child < 0) return ls_fail_errno(errno, "cannot start loadstone record");
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (access(path, R_OK) == 0) return LS_OK;
    return ls_fail(LS_ERR_IO, "--auto: loadstone record -- %s made no profile", argv[0]);
}
