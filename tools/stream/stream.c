/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone stream: STREAM and RaiderSTREAM, with the extensions that RaiderSTREAM's authors proposed. */
#include "config.h"

#include "kernels/stream/kn_stream.h"
#include "tools/cli/cli_message.h"
#include "machine/mach_topology.h"
#include "common/ls_json.h"
#include "common/ls_hash.h"
#include "tools/replay/rpl_files.h"
#include "tools/replay/rpl_kernel.h"
#include "tools/replay/rpl_ranks.h"
#include "tools/cli/cli_output.h"
#include "tools/replay/rpl_session.h"
#include "tools/stream/stm_choose.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- results ---- */

/* Results of stream, in STREAM's format, as CSV and as JSON. */

enum stm_format { STM_TABLE, STM_CSV, STM_JSON };

enum { STM_JSON_SCHEMA = 1 };

struct stm_report {
    struct kn_stream_options options;
    struct kn_stream_need need;
    struct kn_result *results; /* [len] */
    size_t len;
    bool by_code; /* rates of the table count indices too */
};

static const char rule[] = "-------------------------------------------------------------\n";

static double rate(const struct stm_report *r, const struct kn_result *k)
{
    const uint64_t bytes = r->by_code ? k->bytes_with_indices : k->bytes;
    return (double)bytes / k->seconds.min / 1e6;
}

static int label_width(const struct stm_report *r)
{
    size_t width = strlen("Function") + 4;
    for (size_t i = 0; i < r->len; i++)
        if (strlen(r->results[i].kernel->title) + 2 > width) width = strlen(r->results[i].kernel->title) + 2;
    return (int)width;
}

static void print_head(const struct stm_report *r, FILE *out)
{
    const struct kn_result *first = &r->results[0];
    struct mach_machine m;
    fprintf(out, "%sLoadstone %s stream: STREAM's kernels and rules, RaiderSTREAM's indices\n%s", rule,
            PACKAGE_VERSION, rule);
    if (rpl_machine_of(&r->options.run, &m) == LS_OK) fprintf(out, "Machine: %s, %s\n", m.cpu, m.summary);
    fprintf(out, "This system uses %u bytes per array element.\n", first->element_bytes);
    fprintf(out, "Array size = %" PRIu64 " (elements); run rule: %" PRIu64 " or more%s\n", r->need.elements,
            r->need.rule_elements, r->need.elements < r->need.rule_elements ? ", NOT KEPT" : "");
    fprintf(out, "Total memory required = %.1f MiB, of it %.1f MiB in huge pages.\n",
            (double)first->memory_bytes / (1 << 20), (double)first->huge_bytes / (1 << 20));
    rpl_ranks_print(&r->options.run, out);
    fprintf(out, "Number of Threads = %u%s, backend %s, pinned: %s\n", first->threads,
            first->ranks ? " on each rank" : "", first->backend, kn_pin_name(first->pin));
    fprintf(out, "Rates count %s.\n",
            r->by_code ? "elements and indices (RaiderSTREAM's program)"
                       : "elements (STREAM; RaiderSTREAM's paper)");
}

static const char *kernel_title(void *user, size_t i)
{
    const struct stm_report *r = user;
    return r->results[i].kernel->title;
}

static void print_table(const struct stm_report *r, FILE *out)
{
    const int width = label_width(r);
    bool valid = true;
    double worst = 0;
    print_head(r, out);
    fprintf(out, "%s%-*sBest Rate MB/s  Avg time     Min time     Max time\n", rule, width, "Function");
    for (size_t i = 0; i < r->len; i++) {
        const struct kn_result *k = &r->results[i];
        char label[64];
        snprintf(label, sizeof(label), "%s:", k->kernel->title);
        fprintf(out, "%-*s%12.1f  %11.6f  %11.6f  %11.6f\n", width, label, rate(r, k), k->seconds.mean,
                k->seconds.min, k->seconds.max);
        valid = valid && k->valid;
        worst = fmax(worst, k->worst_error);
    }
    fputs(rule, out);
    for (size_t i = 0; i < r->len; i++) {
        const struct kn_result *k = &r->results[i];
        char label[64];
        snprintf(label, sizeof(label), "%s:", k->kernel->title);
        fprintf(out, "%-*s%s", width, label, k->variant);
        if (k->kernel->family == KN_FAMILY_CHASE)
            fprintf(out, "; %.1f ns a load",
                    k->seconds.min * 1e9 * k->threads * (k->ranks ? k->ranks : 1) * 8 / (double)k->bytes);
        fprintf(out, "; %u warm-ups%s\n", k->warmups, k->steady ? "" : ", not steady");
        if (k->ranks) fprintf(out, "%-*s", width, "");
        rpl_ranks_print_spread(k, out);
    }
    fputs(rule, out);
    rpl_counts_print(r->results, r->len, kernel_title, (void *)r, out);
    fputs(rule, out);
    if (valid)
        fprintf(out, "Solution Validates: largest relative error %.1e on all arrays\n", worst);
    else
        fprintf(out, "Solution Does Not Validate\n");
    fputs(rule, out);
}

static void print_csv(const struct stm_report *r, FILE *out)
{
    rpl_csv_header(out);
    for (size_t i = 0; i < r->len; i++)
        rpl_csv_row(&r->results[i], r->results[i].kernel->name, out);
}

static void print_json(const struct stm_report *r, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", STM_JSON_SCHEMA);
    ls_json_text(&j, "command", "stream");
    ls_json_text(&j, "version", PACKAGE_VERSION);
    rpl_json_machine(&j, "machine", &r->options.run);
    ls_json_u64(&j, "elements", r->need.elements);
    ls_json_u64(&j, "rule_elements", r->need.rule_elements);
    ls_json_bool(&j, "keeps_run_rule", r->need.elements >= r->need.rule_elements);
    ls_json_open(&j, "results", '[');
    for (size_t i = 0; i < r->len; i++)
        rpl_json_result(&j, &r->results[i], r->results[i].kernel->name);
    ls_json_close(&j, ']');
    ls_json_close(&j, '}');
}

static void stm_print(const struct stm_report *r, enum stm_format format, FILE *out)
{
    static void (*const printers[])(const struct stm_report *, FILE *) = {print_table, print_csv, print_json};
    printers[format](r, out);
}

/* Every kernel that stream runs, a line each. */
static void stm_print_kernels(FILE *out)
{
    fprintf(out, "%-16s %-11s %-36s %7s %7s %6s\n", "kernel", "group", "operation", "paper", "code", "FLOPs");
    for (unsigned i = 0; i < kn_kernels_len; i++) {
        const struct kn_kernel *k = &kn_kernels[i];
        if (k->family == KN_FAMILY_REPLAY) continue;
        fprintf(out, "%-16s %-11s %-36s %7" PRIu64 " %7" PRIu64 " %6u\n", k->name, kn_group_name(k->group),
                k->operation, kn_count_bytes(&k->paper, 8, 8), kn_count_bytes(&k->code, 8, 8),
                k->paper.flops);
    }
    fprintf(out, "paper, code: bytes an iteration of 8-byte elements and "
                 "indices, as RaiderSTREAM's paper and program count\n");
}

/* ---- the command ---- */

enum {
    STREAM_KERNEL,
    STREAM_SIZE,
    STREAM_TYPE,
    STREAM_STRIDE,
    STREAM_HOT_SHARE,
    STREAM_HOT_SIZE,
    STREAM_SEED,
    STREAM_NTIMES,
    STREAM_WARMUPS,
    STREAM_INDICES,
    STREAM_BACKEND,
    STREAM_RANK_TIMEOUT,
    STREAM_THREADS,
    STREAM_DEVICE,
    STREAM_GROUP,
    STREAM_DEVICE_TIMEOUT,
    STREAM_PIN,
    STREAM_METHOD,
    STREAM_STORES,
    STREAM_INDEX,
    STREAM_PAGES,
    STREAM_MEMORY,
    STREAM_FORMAT,
    STREAM_BYTES_BY,
    STREAM_OUTPUT,
    STREAM_FORCE,
    STREAM_LIST,
    STREAM_OPTIONS
};

static const struct cli_option stream_options[STREAM_OPTIONS] = {
    [STREAM_KERNEL] = {"kernel", 'k', CLI_TEXT, "LIST", "sequential",
                       "kernels or groups, separated by commas: sequential, gather, scatter, sg, central, "
                       "hotspot, stride, chase, all; "
                       "--list names the kernels",
                       "What to run"},
    [STREAM_SIZE] = {"size", 'n', CLI_COUNT, "ELEMENTS", NULL,
                     "elements of each array; default: four times all "
                     "last-level caches, and at least 1,000,000 (STREAM's run rule)",
                     "What to run", .least = 1, .most = INT64_MAX / 64},
    [STREAM_TYPE] = {"type", 0, CLI_CHOICE, "double|float", "double", "type of the elements", "What to run"},
    [STREAM_STRIDE] = {"stride", 0, CLI_COUNT, "ELEMENTS", "8",
                       "distance between successive elements of the stride kernels", "What to run",
                       .least = 1, .most = INT64_MAX / 64},
    [STREAM_HOT_SHARE] = {"hot-share", 0, CLI_PERCENT, "PERCENT", "90%",
                          "share of the hotspot kernels' loads that go to the hot elements", "What to run"},
    [STREAM_HOT_SIZE] = {"hot-size", 0, CLI_COUNT, "ELEMENTS", NULL,
                         "hot elements; default: one in 1024 elements", "What to run", .least = 1,
                         .most = INT64_MAX / 64},
    [STREAM_SEED] = {"seed", 's', CLI_COUNT, "NUMBER", "0", "seed of the random indices", "What to run"},
    [STREAM_NTIMES] = {"ntimes", 'r', CLI_COUNT, "RUNS", "10", "timed runs of each kernel", "Measurement",
                       .least = 1, .most = UINT32_MAX},
    [STREAM_WARMUPS] =
        {"warmups", 0, CLI_COUNT, "RUNS", NULL,
         "largest number of untimed runs before them, which end after three runs of equal time (default: 10, for short runs 100)",
         "Measurement", .least = 1, .most = UINT32_MAX},
    [STREAM_INDICES] =
        {"indices", 0, CLI_CHOICE, "own|all", "own",
         "elements that the indices of a rank reach: its own, or those of all ranks, by one-sided "
         "communication inside of the kernels",
         "How to run"},
    [STREAM_BACKEND] =
        {"backend", 'b', CLI_TEXT, "NAME", NULL,
         "openmp, serial, or scalar: threads without vectorisation; opencl, cuda or hip: a device "
         "(a GPU); mpi or shmem: ranks of a parallel job with OpenMP threads, which a launcher of MPI selects by itself",
         "How to run"},
    [STREAM_RANK_TIMEOUT] = {"rank-timeout", 0, CLI_DURATION, "TIME", RPL_RANKS_TIMEOUT_DEFAULT,
                             RPL_RANKS_TIMEOUT_HELP, "How to run", .least = 1},
    [STREAM_THREADS] = {"threads", 't', CLI_COUNT, "N", NULL, "threads; default: all, or OMP_NUM_THREADS",
                        "How to run", .least = 1, .most = UINT32_MAX},
    [STREAM_DEVICE] = {"device", 0, CLI_TEXT, "NAME", NULL, RPL_DEVICE_HELP, "How to run"},
    [STREAM_GROUP] = {"local-work-size", 'z', CLI_COUNT, "COUNT", NULL,
                      "work items of a group on a device; default: by a short trial", "How to run",
                      .least = 1, .most = 65536},
    [STREAM_DEVICE_TIMEOUT] = {"device-timeout", 0, CLI_DURATION, "TIME", RPL_DEVICE_TIMEOUT_DEFAULT,
                               RPL_DEVICE_TIMEOUT_HELP, "How to run", .least = 1},
    [STREAM_PIN] = {"pin", 0, CLI_CHOICE, "auto|none|close|spread", "auto",
                    "bind each thread to a processor; auto: close with a thread for every processor",
                    "How to run"},
    [STREAM_METHOD] = {"method", 'm', CLI_TEXT, "NAME", "auto",
                       "auto tries all: scalar, unrolled, avx2, avx512", "How to run"},
    [STREAM_STORES] = {"stores", 0, CLI_TEXT, "KIND", "auto",
                       "auto tries all: regular, nontemporal (bypass the caches)", "How to run"},
    [STREAM_INDEX] = {"index-bits", 0, CLI_CHOICE, "64|32", "64", "width of the indices", "How to run"},
    [STREAM_PAGES] = {"pages", 0, CLI_CHOICE, "default|huge|small", "default",
                      "pages to request; the output prints the result", "How to run"},
    [STREAM_MEMORY] = {"memory", 0, CLI_BYTES, "BYTES", NULL, "memory limit; default: available memory",
                       "How to run", .least = 1},
    [STREAM_FORMAT] = {"format", 'f', CLI_CHOICE, "table|csv|json", "table", "format of the output",
                       "Output"},
    [STREAM_BYTES_BY] = {"bytes", 0, CLI_CHOICE, "paper|code", "paper",
                         "bytes that the table's rates count: elements only, as STREAM and RaiderSTREAM's "
                         "paper do, or indices too, as its "
                         "program does; csv and json have both",
                         "Output"},
    [STREAM_OUTPUT] = {"output", 'o', CLI_FILE, "FILE.h5", NULL,
                       "keep the results with the machine's description in an HDF5 file", "Output"},
    [STREAM_FORCE] = {"force", 0, CLI_FLAG, NULL, NULL, "overwrite the output file", "Output"},
    [STREAM_LIST] = {"list", 0, CLI_FLAG, NULL, NULL,
                     "print the kernels with their formulas and bytes, and stop", "Output"},
};

static ls_err stream_read_options(const struct cli_value *v, struct kn_stream_options *o)
{
    static const unsigned bits[] = {64, 32}, bytes[] = {8, 4};
    *o = (struct kn_stream_options){.elements = v[STREAM_SIZE].number,
                                    .stride = v[STREAM_STRIDE].number,
                                    .hot_share = v[STREAM_HOT_SHARE].share,
                                    .hot_len = v[STREAM_HOT_SIZE].number,
                                    .reaches_all = v[STREAM_INDICES].number == 1};
    o->run = (struct kn_options){.backend = v[STREAM_BACKEND].text,
                                 .pages = (enum kn_pages)v[STREAM_PAGES].number,
                                 .pin = (enum kn_pin)v[STREAM_PIN].number,
                                 .index_bits = bits[v[STREAM_INDEX].number],
                                 .element_bytes = bytes[v[STREAM_TYPE].number],
                                 .threads = (unsigned)v[STREAM_THREADS].number,
                                 .runs = (unsigned)v[STREAM_NTIMES].number,
                                 .warmups_max = (unsigned)v[STREAM_WARMUPS].number,
                                 .memory_bytes = v[STREAM_MEMORY].number,
                                 .device = v[STREAM_DEVICE].text,
                                 .group_items = (unsigned)v[STREAM_GROUP].number,
                                 .device_timeout_ns = v[STREAM_DEVICE_TIMEOUT].number,
                                 .clamp_threads = true,
                                 .seed = v[STREAM_SEED].number};
    LS_TRY(kn_method_parse(v[STREAM_METHOD].text, &o->run.method));
    return kn_stores_parse(v[STREAM_STORES].text, &o->run.stores);
}

static void stream_warn_of_size(const struct kn_stream_need *need)
{
    if (need->elements >= need->rule_elements) return;
    cli_warn("an array of %llu elements is smaller than STREAM's run rule asks for (%llu: four times the "
             "%llu KiB of last-level cache): "
             "these may be rates of caches, not of memory",
             (unsigned long long)need->elements, (unsigned long long)need->rule_elements,
             (unsigned long long)need->last_level_bytes / 1024);
}

/* Hash of everything on which ranks must agree. */
static uint64_t stream_hash(const struct stm_chosen *chosen, const struct kn_stream_options *o)
{
    const uint64_t run[] = {o->elements,          o->stride,           o->hot_len,
                            o->run.index_bits,    o->run.runs,         o->run.warmups_max,
                            o->run.seed,          o->run.method,       o->run.stores,
                            o->run.element_bytes, o->run.memory_bytes, o->reaches_all};
    uint64_t hash = ls_hash_bytes(LS_HASH_BEGIN, run, sizeof(run));
    for (size_t k = 0; k < chosen->len; k++)
        hash = ls_hash_text(hash, chosen->rows[k]->name);
    return ls_hash_bytes(hash, &o->hot_share, sizeof(o->hot_share));
}

/* Rank 0 writes the file. */
static ls_err stream_check_output(const struct cli_value *v, const struct kn_ranks *ranks)
{
    const char *output = v[STREAM_OUTPUT].text;
    if (!output || kn_ranks_info(ranks)->rank) return LS_OK;
    return cli_output_check_profile(output, v[STREAM_FORCE].given);
}

/* Choose backend, size and method, the same on all ranks of a job. */
static ls_err stream_begin(const struct cli_value *v, struct stm_report *r, struct stm_chosen *chosen)
{
    struct kn_options start = {.backend = v[STREAM_BACKEND].text, .pin = (enum kn_pin)v[STREAM_PIN].number};
    ls_err err = rpl_ranks_begin(&start, v[STREAM_RANK_TIMEOUT].number);
    r->options.run.ranks = start.ranks;
    LS_TRY(err);
    err = stm_choose(v[STREAM_KERNEL].text, chosen);
    if (err == LS_OK) err = stream_read_options(v, &r->options);
    if (err == LS_OK) err = stream_check_output(v, start.ranks);
    r->options.run.ranks = start.ranks;
    r->options.run.backend = start.backend;
    if (err == LS_OK) err = kn_stream_need(chosen->rows, chosen->len, &r->options, &r->need);
    if (err == LS_OK && !(r->results = calloc(chosen->len, sizeof(*r->results))))
        err = ls_nomem("%zu results", chosen->len);
    return rpl_ranks_same(start.ranks, stream_hash(chosen, &r->options), err);
}

static ls_err stream_measure(const struct cli_value *v, struct stm_report *r)
{
    struct stm_chosen chosen = {.len = 0};
    LS_TRY(stream_begin(v, r, &chosen));
    rpl_warn_of_threads(&r->options.run);
    stream_warn_of_size(&r->need);
    r->len = chosen.len;
    return kn_stream_run(chosen.rows, chosen.len, &r->options, r->results);
}

static ls_err stream_rows(const struct stm_report *r, struct vx_results *out)
{
    struct mach_machine machine;
    if (rpl_machine_of(&r->options.run, &machine) != LS_OK) memset(&machine, 0, sizeof(machine));
    LS_TRY(rpl_results_head(&machine, "", out));
    out->rows = calloc(r->len + 1, sizeof(*out->rows));
    if (!out->rows) return ls_nomem("the results");
    for (size_t i = 0; i < r->len; i++) {
        const struct kn_result *k = &r->results[i];
        out->len = i + 1;
        out->rows[i].x = NAN;
        out->rows[i].count = r->need.elements;
        LS_TRY(rpl_row_of_result(k, k->kernel->name, &out->rows[i]));
        out->rows[i].kernel = strdup(k->kernel->name);
        if (!out->rows[i].kernel) return ls_nomem("the results");
        LS_TRY(rpl_results_add_ranks(out, i, k));
    }
    return LS_OK;
}

static ls_err stream_keep(const struct stm_report *r, const char *path)
{
    struct vx_results kept = {0};
    ls_err err = stream_rows(r, &kept);
    if (err == LS_OK) err = rpl_files->keep(&kept, path);
    rpl_files->drop(&kept);
    if (err == LS_OK) cli_note("%zu result%s: %s", r->len, r->len == 1 ? "" : "s", path);
    return err;
}

static bool stream_needs_full(const struct cli_value *v, char *const *operands)
{
    (void)operands;
    return v[STREAM_OUTPUT].given;
}

static int stream_run(const struct cli_command *c, const struct cli_value *v, char **operands)
{
    (void)c;
    (void)operands;
    if (v[STREAM_LIST].given) {
        stm_print_kernels(stdout);
        return CLI_OK;
    }
    struct stm_report r = {.by_code = v[STREAM_BYTES_BY].number == 1};
    const ls_err err = stream_measure(v, &r);
    int status = rpl_ranks_fail(r.options.run.ranks, err);
    if (err == LS_OK) {
        stm_print(&r, (enum stm_format)v[STREAM_FORMAT].number, stdout);
        for (size_t i = 0; i < r.len; i++)
            if (!r.results[i].valid) {
                cli_error("%s: %s", r.results[i].kernel->name, r.results[i].invalid);
                status = CLI_FAILURE;
            }
    }
    if (err == LS_OK && v[STREAM_OUTPUT].text && kn_ranks_info(r.options.run.ranks)->rank == 0) {
        fflush(stdout);
        const ls_err kept = stream_keep(&r, v[STREAM_OUTPUT].text);
        if (kept != LS_OK) status = rpl_ranks_fail(r.options.run.ranks, kept);
    }
    for (size_t i = 0; i < r.len; i++)
        kn_result_fini(&r.results[i]);
    free(r.results);
    rpl_ranks_end(&r.options.run);
    return status;
}

const struct cli_command cli_cmd_stream = {
    .name = "stream",
    .summary = "measure memory bandwidth: STREAM, also with random indices",
    .operands = "",
    .description =
        "Runs the kernels of STREAM (copy, scale, sum, triad) and of RaiderSTREAM, whose loads, "
        "stores or both go to random addresses, and prints STREAM's table: the best rate of each "
        "kernel, and the average, least and greatest time of a run. Three groups are not in "
        "RaiderSTREAM: hotspot (most loads from a few elements), stride (every Nth element), and "
        "chase (each load waits for the one before).\n\n"
        "Threads first touch the memory that they use. Each kernel is tried with every method that "
        "this processor supports, and the fastest is measured and named. Every result is validated "
        "element by element; elements differ, so that a misplaced one is detected.\n\n"
        "Under a launcher of MPI the processes run together: ranks split the elements of the arrays, the "
        "indices of a rank stay in its part (--indices changes this), all begin each timed run after a barrier, and "
        "rates are all bytes divided by the time of the slowest rank. Rank 0 prints the results; ranks of a node get "
        "separate processors.",
    .examples = "loadstone stream                            STREAM\n"
                "loadstone stream -k all --bytes code        every kernel, indices counted\n"
                "loadstone stream -k triad -n 100000 -t 1    triad in the caches of one core\n"
                "mpirun -n 4 loadstone stream -k all         all kernels by four ranks\n"
                "loadstone stream -k triad -o triad.h5       keep the result\n"
                "loadstone stream --pages huge --format json for scripts\n",
    .exit_status = "0 measured; 1 a result is wrong, or it could not run here; 2 wrong usage.",
    .options = stream_options,
    .options_len = STREAM_OPTIONS,
    .is_benchmark = true,
    .needs_full = stream_needs_full,
    .run = stream_run,
};
