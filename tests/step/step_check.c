/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the accesses in a spool with the expectations that step_victim printed. Status 0: they agree.
 *
 *   step_check EXPECTATIONS SPOOL     an access meets every expectation, and none contradicts one
 *   step_check -n SPOOL               there is at least one access
 *   step_check -t RANGES SPOOL        each range, a line "name base length", has at least one access
 *   step_check -b SPOOL               every burst has its end, every thread with bursts has one
 *   step_check -l PERCENT SPOOL       PERCENT of the loads are timed, past the first instructions of bursts
 *   step_check -i MNEMONIC SPOOL      nearly all instructions stepped in place are these; no load is timed
 *   step_check -p SPOOL               a burst ended because another thread had the processor
 *   step_check -x SPOOL               a burst was translated
 *   step_check -w EXPECTATIONS SPOOL  no access contradicts an expectation */
#include "spool/spool_dir.h"
#include "spool/spool_format.h"
#include "spool/spool_reader.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct expectation {
    char name[32];
    uint64_t ip, base, len_bytes;
    unsigned op, elem_bytes, lanes;
    unsigned long met;
};
enum { EXPECTATIONS_MAX = 32 };
static struct expectation wanted[EXPECTATIONS_MAX];
static unsigned wanted_len;
static unsigned long wrong, measured, accesses, open_bursts, open_threads, preempted, loads, timed, in_place,
    translated;
static struct spool_in_place_row in_place_rows[64];
static unsigned in_place_len;

static bool read_expectations(const char *path)
{
    FILE *f = fopen(path, "r");
    struct expectation *e = wanted;
    if (!f) return false;
    while (wanted_len < EXPECTATIONS_MAX &&
           fscanf(f, "%31s %" SCNx64 " %u %" SCNx64 " %" SCNu64 " %u %x", e->name, &e->ip, &e->op, &e->base,
                  &e->len_bytes, &e->elem_bytes, &e->lanes) == 7)
        e = &wanted[++wanted_len];
    fclose(f);
    return wanted_len > 0;
}

static bool read_ranges(const char *path)
{
    char line[256];
    FILE *f = fopen(path, "r");
    if (!f) return false;
    while (wanted_len < EXPECTATIONS_MAX && fgets(line, sizeof line, f)) {
        struct expectation *e = &wanted[wanted_len];
        wanted_len += sscanf(line, "%31s %" SCNx64 " %" SCNu64, e->name, &e->base, &e->len_bytes) == 3;
    }
    fclose(f);
    return wanted_len > 0;
}

static void judge_range(const struct spool_access *a)
{
    accesses++;
    for (unsigned i = 0; i < wanted_len; i++)
        wanted[i].met += a->addr - wanted[i].base < wanted[i].len_bytes;
}

static void judge_load(const struct spool_access *a)
{
    enum { RUN_AHEAD = 600 }; /* as in rt_step_burst_sigsafe.c */
    accesses++;
    if ((a->rec.flags & SPOOL_ACCESS_OP_MASK) != SPOOL_OP_LOAD || a->position < RUN_AHEAD) return;
    loads++;
    timed += (a->rec.flags & SPOOL_ACCESS_LATENCY_VALID) != 0;
}

/* Prints "enough", and the number, in its last line. */
static bool enough_are_timed(const char *least_percent)
{
    enum { LOADS_LEAST = 500 };
    const bool few = loads < LOADS_LEAST;
    const bool enough = !few && timed * 100 >= loads * strtoul(least_percent, NULL, 10);
    printf("%lu accesses\n%s: %lu of %lu loads are timed\n", accesses,
           enough ? "enough"
           : few  ? "too few loads"
                  : "not enough",
           timed, loads);
    return enough;
}

static void count_in_place(const struct spool_in_place *rec)
{
    const struct spool_in_place_row *rows = (const void *)(rec + 1);
    for (unsigned i = 0; i < rec->rows_len && in_place_len < 64; i++)
        in_place_rows[in_place_len++] = rows[i];
}

/* Bursts and processes count alike. */
static bool is_in_place(const char *mnemonic)
{
    unsigned long all = 0, these = 0;
    for (unsigned i = 0; i < in_place_len; i++) {
        all += in_place_rows[i].count;
        if (strcmp(in_place_rows[i].instruction, mnemonic) == 0) these += in_place_rows[i].count;
    }
    printf("%lu accesses\n"
           "%lu of %lu instructions in place are %s, bursts have %lu, %lu of %lu loads are timed\n",
           accesses, these, all, mnemonic, in_place, timed, loads);
    return these > 100 && these * 10 > all * 9 && all == in_place && timed == 0;
}

/* Bursts still open at the end of a stream. */
struct lifes {
    bool burst, has_bursts, thread;
};

static void follow(struct lifes *l, const struct spool_rec_header *rec)
{
    const uint16_t type = rec->type;
    preempted += type == SPOOL_REC_BURST_END && rec->flags == SPOOL_BURST_PREEMPTED;
    if (type == SPOOL_REC_BURST_BEGIN) {
        open_bursts += l->burst;
        l->burst = l->has_bursts = true;
    }
    if (type == SPOOL_REC_BURST_END) {
        l->burst = false;
        const struct spool_burst_end *end = (const void *)rec;
        in_place += end->in_place;
        translated += end->method == SPOOL_METHOD_TRANSLATE && end->instructions > 0;
    }
    if (type == SPOOL_REC_IN_PLACE) count_in_place((const void *)rec);
    if (type == SPOOL_REC_THREAD_END) l->thread = false;
}

static bool meets(const struct expectation *e, const struct spool_access *a)
{
    if (a->addr < e->base || a->addr + a->size_bytes > e->base + e->len_bytes) return false;
    /* a repeated string instruction: an element of the stepped one, a line of the translated one */
    const bool is_line = strncmp(e->name, "movs", 4) == 0 && a->size_bytes <= 64;
    if ((a->addr - e->base) % e->elem_bytes || (a->size_bytes != e->elem_bytes && !is_line)) return false;
    return !e->lanes || e->lanes >> a->lane & 1;
}

static void judge(const struct spool_access *a)
{
    const unsigned op = a->rec.flags & SPOOL_ACCESS_OP_MASK;
    accesses++;
    measured += (a->rec.flags & SPOOL_ACCESS_LATENCY_VALID) != 0;
    for (unsigned i = 0; i < wanted_len; i++) {
        struct expectation *e = &wanted[i];
        if (e->ip != a->ip || e->op != op) continue;
        if (meets(e, a)) {
            e->met++;
            continue;
        }
        wrong++;
        printf("%s: %#" PRIx64 " of %u bytes, lane %u, is not what it touches\n", e->name, a->addr,
               a->size_bytes, a->lane);
    }
}

static bool check_stream(const struct spool_stream *stream,
                         void (*judge_access)(const struct spool_access *a))
{
    struct lifes l = {.thread = true};
    spool_reader *r;
    const struct spool_rec_header *rec;
    if (spool_reader_open(stream, &r) != LS_OK) return false;
    while (spool_reader_next(r, &rec) == LS_OK && rec) {
        follow(&l, rec);
        if (rec->type == SPOOL_REC_ACCESS) judge_access((const struct spool_access *)(const void *)rec);
    }
    open_bursts += l.burst;
    open_threads += l.has_bursts && l.thread;
    spool_reader_free(r);
    return true;
}

static bool check_spool(const char *path, void (*judge_access)(const struct spool_access *a))
{
    spool_dir *dir;
    size_t images_len;
    bool good = true;
    if (spool_dir_open(path, &dir) != LS_OK) return false;
    const struct spool_image *images = spool_dir_images(dir, &images_len);
    for (size_t i = 0; i < images_len; i++)
        for (size_t s = 0; s < images[i].streams.len; s++)
            good &= check_stream(&images[i].streams.rows[s], judge_access);
    spool_dir_free(dir);
    return good;
}

int main(int argc, char **argv)
{
    const char *const option = argc > 2 && argv[1][0] == '-' ? argv[1] : "";
    if (argc > 3 && (strcmp(argv[1], "-l") == 0 || strcmp(argv[1], "-i") == 0)) {
        if (!check_spool(argv[3], judge_load)) printf("%s\n", ls_last_error());
        return (argv[1][1] == 'l' ? enough_are_timed : is_in_place)(argv[2]) ? 0 : 1;
    }
    const bool by_range = strcmp(option, "-t") == 0, only_wrong = strcmp(option, "-w") == 0;
    const bool only_count = !by_range && !only_wrong && *option;
    const char *const expectations = argv[by_range || only_wrong ? 2 : 1];
    if (argc < (by_range || only_wrong ? 4 : 3) ||
        (!only_count && !(by_range ? read_ranges : read_expectations)(expectations))) {
        fprintf(stderr,
                "usage: step_check [-n|-b|-p|-t|-w|-x|-l PERCENT|-i MNEMONIC] [EXPECTATIONS] SPOOL\n");
        return 2;
    }
    if (!check_spool(argv[by_range || only_wrong ? 3 : 2], by_range ? judge_range : judge))
        printf("%s\n", ls_last_error());
    printf("%lu accesses\n", accesses);
    bool all = wrong == 0 && accesses > 0;
    if (strcmp(option, "-b") == 0) {
        printf("%lu bursts and %lu threads have no end\n", open_bursts, open_threads);
        all = wrong == 0 && open_bursts + open_threads == 0; /* bursts near system calls have no access */
    }
    if (strcmp(option, "-x") == 0) {
        printf("%lu bursts were translated\n", translated);
        return translated == 0;
    }
    if (strcmp(option, "-p") == 0) {
        printf("%lu bursts ended by preemption\n", preempted);
        all &= preempted > 0;
    }
    for (unsigned i = 0; i < wanted_len; i++) {
        printf("%s: %lu accesses as expected\n", wanted[i].name, wanted[i].met);
        all &= only_wrong || wanted[i].met > 0;
    }
    printf("%lu latencies measured, %lu accesses wrong\n", measured, wrong);
    return all ? 0 : 1;
}
