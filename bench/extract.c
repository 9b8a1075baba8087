/* SPDX-License-Identifier: BSD-3-Clause */
/* Measure extraction: CPU time of an access, without that of generating it, by mix and length, with the growth
 * from one length to the next and the peak memory. Goal: 30 million accesses a second on a core.
 * usage: extract [LONGEST [MIX [print]]]    10^6, 10^7 ... accesses; without LONGEST up to 10^9, as far as
 * one length takes less than two minutes of CPU; with MIX the cost of random accesses is not measured; print: also print a
 * fingerprint of the sequences, which must not change */
#include "common/ls_compat.h"
#include "patterns/extract/pat_extract.h"
#include "smrtree/smr_array.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BENCH_BATCH = 4096, BENCH_LIST_NODES = 1000000, BENCH_ROUND = 100000 };
#define BENCH_LONGEST UINT64_C(1000000000)
#define BENCH_LAST_S 120.0 /* a length that would take longer than this is left out */
#define BENCH_BASE UINT64_C(0x7f0000000000)
#define BENCH_HOME_BYTES (UINT64_C(1) << 30)

struct bench_source;
struct bench_mix {
    const char *name, *text;
    uint32_t sites, threads, homes, nodes;
    uint64_t (*addr)(struct bench_source *s, uint32_t site, uint64_t turn);
};

struct bench_source {
    const struct bench_mix *mix;
    struct pat_tables tables;
    struct pat_event *events;
    struct pat_access accesses[BENCH_BATCH];
    uint64_t len, at, turn, random;
    uint32_t site;
    bool has_begun;
};

static uint64_t bench_random(struct bench_source *s)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return s->random;
}

static uint64_t bench_home(const struct bench_source *s, uint32_t site)
{
    return BENCH_BASE + site % s->mix->homes * BENCH_HOME_BYTES;
}

static uint64_t bench_stream(struct bench_source *s, uint32_t site, uint64_t turn)
{
    return bench_home(s, site) + turn * 8 % BENCH_HOME_BYTES;
}

static uint64_t bench_anywhere(struct bench_source *s, uint32_t site, uint64_t turn)
{
    (void)turn;
    return bench_home(s, site) + bench_random(s) % BENCH_HOME_BYTES / 8 * 8;
}

/* Rows of a sparse matrix: one site of five has irregular accesses. */
static uint64_t bench_spmv(struct bench_source *s, uint32_t site, uint64_t turn)
{
    return site % 5 == 4 ? bench_home(s, site) + bench_random(s) % (BENCH_HOME_BYTES / 16) / 8 * 8
                         : bench_stream(s, site, turn);
}

/* Short loops over places that change: every sixteenth access jumps. */
static uint64_t bench_loops(struct bench_source *s, uint32_t site, uint64_t turn)
{
    const uint64_t row = turn / 16 * UINT64_C(0x9e3779b97f4a7c15) % (BENCH_HOME_BYTES - 128);
    return bench_home(s, site) + row / 8 * 8 + turn % 16 * 8;
}

static uint64_t bench_list(struct bench_source *s, uint32_t site, uint64_t turn)
{
    (void)turn;
    return BENCH_BASE + bench_random(s) % BENCH_LIST_NODES * 48 + site % 4 * 8;
}

/* Alternate between two homes. */
static uint64_t bench_two(struct bench_source *s, uint32_t site, uint64_t turn)
{
    return bench_home(s, site + (uint32_t)(turn & 1)) + turn * 8 % BENCH_HOME_BYTES;
}

/* The same round of random places again and again. */
static uint64_t bench_again(struct bench_source *s, uint32_t site, uint64_t turn)
{
    const uint64_t place = (turn % BENCH_ROUND + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return bench_home(s, site) + (place ^ place >> 29) % BENCH_HOME_BYTES / 8 * 8;
}

static const struct bench_mix mixes[] = {
    {"stream", "10 sites, stride 1", 10, 1, 4, 0, bench_stream},
    {"spmv", "10 sites, one in five random in 64 MiB", 10, 1, 5, 0, bench_spmv},
    {"loops", "10 sites, loops of 16 at changing places", 10, 1, 4, 0, bench_loops},
    {"two", "10 sites, two homes in turn", 10, 1, 4, 0, bench_two},
    {"random", "10 sites, random in 1 GiB", 10, 1, 4, 0, bench_anywhere},
    {"again", "10 sites, rounds of 10^5 random places in 1 GiB", 10, 1, 4, 0, bench_again},
    {"list", "10 sites, random nodes of a list", 10, 1, 1, BENCH_LIST_NODES, bench_list},
    {"sites-1000", "1,000 sites, of 5 one random", 1000, 1, 5, 0, bench_spmv},
    {"sites-100000", "100,000 sites, of 5 one random", 100000, 1, 5, 0, bench_spmv},
    {"threads", "1,000 sites, 16 threads in turn", 1000, 16, 5, 0, bench_spmv},
};

static void *bench_rows(size_t len, size_t row_bytes)
{
    void *rows = calloc(len, row_bytes);
    if (!rows) abort();
    return rows;
}

static void bench_tables(struct bench_source *s)
{
    const struct bench_mix *mix = s->mix;
    const uint32_t ranges = mix->nodes ? mix->nodes : mix->homes;
    s->tables = (struct pat_tables){.sites = bench_rows(mix->sites, sizeof(struct pat_site)),
                                    .sites_len = mix->sites,
                                    .homes = bench_rows(mix->homes, sizeof(struct pat_home)),
                                    .homes_len = mix->homes,
                                    .ranges = bench_rows(ranges, sizeof(struct pat_range)),
                                    .ranges_len = ranges,
                                    .threads = bench_rows(mix->threads, sizeof(struct pat_thread)),
                                    .threads_len = mix->threads};
    s->events = bench_rows(ranges, sizeof(*s->events));
    for (uint32_t i = 0; i < mix->sites; i++)
        s->tables.sites[i] = (struct pat_site){0x401000 + 4u * i, PAT_NONE, 8, 0, PAT_OP_LOAD};
    for (uint32_t i = 0; i < mix->homes; i++)
        s->tables.homes[i] = (struct pat_home){NULL, 8, PAT_HOME_HEAP};
    for (uint32_t i = 0; i < ranges; i++) {
        const uint64_t start = BENCH_BASE + (mix->nodes ? i * UINT64_C(48) : i * BENCH_HOME_BYTES);
        s->tables.ranges[i] =
            (struct pat_range){start, start + (mix->nodes ? 32 : BENCH_HOME_BYTES), mix->nodes ? 0 : i};
        s->events[i] = (struct pat_event){PAT_EVENT_RANGE_BORN, PAT_NONE, i};
    }
}

static ls_err bench_next(void *self, struct pat_batch *b)
{
    struct bench_source *s = self;
    const struct bench_mix *mix = s->mix;
    if (!s->has_begun) {
        b->events = s->events;
        b->events_len = s->tables.ranges_len;
        s->has_begun = true;
    }
    size_t n = 0;
    for (; n < BENCH_BATCH && s->at < s->len; n++, s->at++) {
        s->accesses[n] = (struct pat_access){mix->addr(s, s->site, s->turn), s->site,
                                             (uint32_t)(s->at >> 8) % mix->threads};
        if (++s->site == mix->sites) {
            s->site = 0;
            s->turn++;
        }
    }
    b->accesses = s->accesses;
    b->accesses_len = n;
    return LS_OK;
}

static const struct pat_tables *bench_get_tables(const void *self)
{
    return &((const struct bench_source *)self)->tables;
}

static void bench_close(void *self)
{
    struct bench_source *s = self;
    free(s->tables.sites);
    free(s->tables.homes);
    free(s->tables.ranges);
    free(s->tables.threads);
    free(s->events);
    free(s);
}

static pat_source *bench_open(const struct bench_mix *mix, uint64_t len)
{
    static const struct pat_source_format row = {
        .name = "bench", .text = "", .next = bench_next, .tables = bench_get_tables, .close = bench_close};
    struct bench_source *s = bench_rows(1, sizeof(*s));
    pat_source *out = NULL;
    *s = (struct bench_source){.mix = mix, .len = len, .random = 88172645463325252u};
    bench_tables(s);
    if (pat_source_adopt(&row, s, &out) != LS_OK) abort();
    return out;
}

static double bench_cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The part of it in the kernel, which is mainly allocation of memory. */
static double bench_kernel_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6;
}

/* Making up the accesses, and nothing else. */
static double bench_source_seconds(const struct bench_mix *mix, uint64_t len)
{
    pat_source *s = bench_open(mix, len);
    const double begin = bench_cpu_seconds();
    struct pat_batch b;
    uint64_t sum = 0;
    do {
        if (pat_source_next(s, &b) != LS_OK) abort();
        for (size_t i = 0; i < b.accesses_len; i++)
            sum += b.accesses[i].addr;
    } while (b.accesses_len || b.events_len);
    const double seconds = bench_cpu_seconds() - begin;
    if (sum == 1) abort(); /* so that it is used */
    pat_source_close(s);
    return seconds;
}

static uint64_t bench_mixed(uint64_t print, uint64_t value)
{
    return (print ^ value) * UINT64_C(0x9e3779b97f4a7c15) ^ print >> 29;
}

/* Print all fields of a sequence. */
static uint64_t bench_print(const struct pat_sequences *s)
{
    uint64_t print = s->len ^ s->accesses ^ s->sites << 32;
    for (size_t i = 0; i < s->len; i++) {
        const struct pat_sequence *r = &s->rows[i];
        const uint64_t fields[] = {
            r->site,          r->home,           r->thread,        r->elem_size_bytes,
            r->accesses,      r->indices.len,    r->breaks_len,    r->is_whole,
            r->is_pool,       r->range_elements, r->distances_len, r->distances_unique,
            r->distances_far, r->lines,          r->pages,         (uint64_t)(r->cost * 64),
            r->index_site,    r->base,           r->ranges_print,  r->order,
            r->ahead,         r->first,          r->turns};
        for (size_t k = 0; k < sizeof(fields) / sizeof(fields[0]); k++)
            print = bench_mixed(print, fields[k]);
        for (size_t k = 0; k < r->indices.len; k++)
            print = bench_mixed(print, (uint64_t)r->indices.data[k]);
        for (size_t k = 0; k < r->breaks_len; k++)
            print = bench_mixed(print, r->breaks[k]);
        for (size_t k = 0; k < r->distances_len; k++)
            print = bench_mixed(print ^ r->distances[k].count, (uint64_t)r->distances[k].distance);
    }
    return print;
}

struct bench_took {
    double ns;  /* CPU time per access */
    double all; /* seconds, with making up the accesses */
};

/* Run in a child process, so that the peak is that of one extraction. */
static void bench_one(const struct bench_mix *mix, uint64_t len, double before_ns, bool prints, int to)
{
    const double source = bench_source_seconds(mix, len);
    pat_source *s = bench_open(mix, len);
    struct pat_sequences out;
    const struct pat_extract_options o = {.fold_min = PAT_FOLD_MIN};
    const double begin = bench_cpu_seconds(), kernel_begin = bench_kernel_seconds();
    if (pat_extract(s, &o, &out) != LS_OK) {
        fprintf(stderr, "%s\n", ls_last_error());
        exit(1);
    }
    const double seconds = bench_cpu_seconds() - begin - source;
    const double kernel = bench_kernel_seconds() - kernel_begin;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    const double ns = seconds * 1e9 / (double)len;
    printf("| %-12s | %10.0e | %6.1f | %7.1f | %6.1f |", mix->name, (double)len, ns, 1e3 / ns,
           kernel * 1e9 / (double)len);
    if (before_ns > 0)
        printf(" x %4.2f |", ns / before_ns);
    else
        printf("        |");
    printf(" %5ld |", usage.ru_maxrss / 1024);
    if (prints) printf(" %016" PRIx64 " |", bench_print(&out));
    putchar('\n');
    fflush(stdout);
    const struct bench_took took = {ns, bench_cpu_seconds()};
    if (write(to, &took, sizeof(took)) != (ssize_t)sizeof(took)) exit(1);
    pat_sequences_fini(&out);
    pat_source_close(s);
}

static bool bench_mix_run(const struct bench_mix *mix, uint64_t longest, double last_s, bool prints)
{
    struct bench_took took = {0, 0};
    for (uint64_t len = 1000000; len <= longest && 10 * took.all <= last_s; len *= 10) {
        int ends[2], status = 1;
        if (pipe(ends) != 0) return false;
        const pid_t child = fork();
        if (child == 0) {
            bench_one(mix, len, took.ns, prints, ends[1]);
            exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) return false;
        if (read(ends[0], &took, sizeof(took)) != (ssize_t)sizeof(took)) return false;
        close(ends[0]);
        close(ends[1]);
    }
    return true;
}

/* Measure the cost of random accesses on this machine: lines of an area (a power of two of them) are read and
 * written in random order, either dependent on each other or prefetched. An access of the random mixes needs
 * two such lines, of counts and of pages. */
static double bench_jump_ns(uint64_t *words, uint64_t lines, bool is_fetched)
{
    enum { JUMPS = 4000000, AHEAD = 16 };
    uint64_t at = 1, ahead = 1;
    for (int i = 0; i < AHEAD; i++)
        ahead = ahead * UINT64_C(6364136223846793005) + 1442695040888963407u;
    const double begin = bench_cpu_seconds();
    for (int i = 0; i < JUMPS; i++) {
        at = at * UINT64_C(6364136223846793005) + 1442695040888963407u;
        ahead = ahead * UINT64_C(6364136223846793005) + 1442695040888963407u;
        if (is_fetched) ls_prefetch(&words[((ahead >> 24) & (lines - 1)) * 8]);
        at += words[((at >> 24) & (lines - 1)) * 8]++ >> 60; /* always 0; the next address depends on it */
    }
    return (bench_cpu_seconds() - begin) * 1e9 / JUMPS;
}

static void bench_jumps(void)
{
    for (uint64_t mib = 1; mib <= 256; mib *= 16) {
        const uint64_t bytes = mib << 20;
        uint64_t *words = smr_array_alloc(bytes);
        if (!words) return;
        memset(words, 0, bytes);
        const double waited = bench_jump_ns(words, bytes / 64, false);
        const double fetched = bench_jump_ns(words, bytes / 64, true);
        printf("A line anywhere in %" PRIu64 " MiB: %.1f ns, %.1f ns when it is fetched ahead\n", mib, waited,
               fetched);
        free(words);
    }
}

int main(int argc, char **argv)
{
    const uint64_t longest = argc > 1 ? (uint64_t)atof(argv[1]) : BENCH_LONGEST;
    const double last_s = argc > 1 ? HUGE_VAL : BENCH_LAST_S;
    for (size_t i = 0; i < sizeof(mixes) / sizeof(mixes[0]); i++)
        printf("%s%-12s %s\n", i ? "" : "Mixes:\n", mixes[i].name, mixes[i].text);
    if (argc <= 2) bench_jumps();
    printf("\n| mix          |   accesses | ns each | million/s | kernel, ns | growth | peak, MiB "
           "|\n|---|---|---|---|---|---|---|\n");
    fflush(stdout);
    for (size_t i = 0; i < sizeof(mixes) / sizeof(mixes[0]); i++)
        if (argc <= 2 || strcmp(argv[2], mixes[i].name) == 0)
            if (!bench_mix_run(&mixes[i], longest, last_s, argc > 3)) return 1;
    return 0;
}
