/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone merge: several profiles become one. */
#include "common/ls_hash.h"
#include "run_h5/prof_merge.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_output.h"
#include "tools/merge/mrg_job.h"
#include "tools/merge/mrg_tree.h"
#include "tools/replay/rpl_ranks.h"

#include <stdint.h>

enum { MERGE_OUTPUT, MERGE_SUM, MERGE_EVERY, MERGE_RANK_TIMEOUT, MERGE_FORCE, MERGE_QUIET, MERGE_OPTIONS };

static const struct cli_option merge_options[MERGE_OPTIONS] = {
    [MERGE_OUTPUT] = {"output", 'o', CLI_FILE, "FILE", "merged.h5", "profile to write", "Output"},
    [MERGE_SUM] =
        {"sum", 0, CLI_FLAG, NULL, NULL,
         "sum the ranks of a job up instead of listing them side by side; this is the default if one of the "
         "files is such a sum",
         "Ranks"},
    [MERGE_EVERY] =
        {"samples-of", 0, CLI_COUNT, "COUNT", "1000",
         "sums: keep the samples of one rank in COUNT, besides those of outliers; 0: of outliers only",
         "Ranks"},
    [MERGE_RANK_TIMEOUT] = {"rank-timeout", 0, CLI_DURATION, "TIME", "1h", RPL_RANKS_TIMEOUT_HELP, "Ranks",
                            .least = 1},
    [MERGE_FORCE] = {"force", 'f', CLI_FLAG, NULL, NULL, "overwrite the output file", "Output"},
    [MERGE_QUIET] = {"quiet", 'q', CLI_FLAG, NULL, NULL, "print errors and warnings only", "Output"},
};

static void merge_warn(void *user, const char *text)
{
    (void)user;
    cli_warn("%s", text);
}

/* Print how many ranks the file has, and whether any are missing. */
static void merge_say_ranks(const struct mrg_stats *stats, const char *path)
{
    cli_note("%zu rank%s of %zu file%s, %zu with samples: %s", stats->ranks, stats->ranks == 1 ? "" : "s",
             stats->files, stats->files == 1 ? "" : "s", stats->kept, path);
    if (stats->ranks_len > stats->ranks)
        cli_note("the job has %llu ranks: %llu are in none of the files (%s)",
                 (unsigned long long)stats->ranks_len, (unsigned long long)(stats->ranks_len - stats->ranks),
                 stats->missing);
    cli_next("loadstone report --by rank %s", cli_quote(path));
}

static int merge_sum(const struct prof_merge_options *o, uint64_t every, struct kn_ranks *ranks)
{
    const struct mrg_options options = {.paths = o->paths,
                                        .paths_len = o->paths_len,
                                        .output_path = o->output_path,
                                        .force = o->force,
                                        .every = every,
                                        .warn = merge_warn};
    struct mrg_stats stats;
    const bool is_first = kn_ranks_info(ranks)->rank == 0;
    cli_message_silence(false); /* each rank reports the files that it leaves out */
    const ls_err err = ranks ? mrg_tree_sum_up(&options, ranks, &stats) : mrg_sum_up(&options, &stats);
    cli_message_silence(!is_first);
    if (err == LS_OK && is_first) merge_say_ranks(&stats, o->output_path);
    return rpl_ranks_fail(ranks, err);
}

static ls_err merge_side_by_side(const struct prof_merge_options *o)
{
    struct prof_merge_stats stats;
    if (o->paths_len < 2)
        return ls_fail(LS_ERR_USAGE, "FILE is missing: merge takes two or more files, and one with --sum");
    LS_TRY(prof_merge(o, &stats));
    cli_note("%llu samples of %llu processes: %s", (unsigned long long)stats.samples,
             (unsigned long long)stats.processes, o->output_path);
    cli_next("loadstone report --by process %s", cli_quote(o->output_path));
    return LS_OK;
}

/* Ranks with different files would leave some out. */
static uint64_t merge_hash(const struct prof_merge_options *o, uint64_t every)
{
    uint64_t hash = ls_hash_text(ls_hash_bytes(LS_HASH_BEGIN, &every, sizeof(every)), o->output_path);
    for (size_t i = 0; i < o->paths_len; i++)
        hash = ls_hash_text(hash, o->paths[i]);
    return hash;
}

/* Merge as one rank of a parallel job, or alone: only sums are made by all ranks together. */
static int merge_as_rank(const struct prof_merge_options *o, const struct cli_value *v,
                         struct kn_ranks *ranks)
{
    const bool is_first = kn_ranks_info(ranks)->rank == 0;
    ls_err err = is_first ? cli_output_check_profile(o->output_path, o->force) : LS_OK;
    err = rpl_ranks_same(ranks, merge_hash(o, v[MERGE_EVERY].number), err);
    if (err != LS_OK) {
        rpl_ranks_fail(ranks, err);
        return CLI_FAILURE;
    }
    bool is_sum = v[MERGE_SUM].given;
    for (size_t i = 0; !is_sum && i < o->paths_len; i++)
        is_sum = mrg_is_sum(o->paths[i]);
    if (is_sum) return merge_sum(o, v[MERGE_EVERY].number, ranks);
    return rpl_ranks_fail(ranks, kn_ranks_agree(ranks, is_first ? merge_side_by_side(o) : LS_OK));
}

static int merge_run(const struct cli_command *c, const struct cli_value *v, char **operands)
{
    (void)c;
    struct kn_options job = {.pin = KN_PIN_NONE};
    struct prof_merge_options options = {.paths = (const char *const *)operands,
                                         .output_path = v[MERGE_OUTPUT].text,
                                         .force = v[MERGE_FORCE].given,
                                         .warn = merge_warn};
    while (operands[options.paths_len])
        options.paths_len++;
    cli_message_quiet(v[MERGE_QUIET].given);
    const ls_err err = rpl_ranks_begin(&job, v[MERGE_RANK_TIMEOUT].number);
    const int status = err == LS_OK ? merge_as_rank(&options, v, job.ranks) : rpl_ranks_fail(job.ranks, err);
    rpl_ranks_end(&job);
    return status;
}

const struct cli_command cli_cmd_merge = {
    .name = "merge",
    .summary = "make one profile of several",
    .operands = "FILE...",
    .description =
        "Joins profiles of the ranks of a job that ran on several machines, or of runs that belong together. "
        "Processes, threads, data, call paths and samples are listed side by side, phases of one name become "
        "one, and times count from the earliest start, by the wall clocks of the machines. Natural domains "
        "with equal names get numbers.\n\n"
        "All of them must have been sampled by one engine, of one kind of event, on processors whose cycles "
        "have the same length. If the calibrated latencies of the levels differ, a message reports it, and "
        "the first file's are used.\n\n"
        "Sums: with --sum, files are profiles of the ranks of one job, or sums of them. "
        "The result has the time of each piece of data, line, level, field and phase over all ranks, and the rank "
        "that spends the most; the time of each rank by data; and the samples of outliers and of one rank in --samples-of. Sums "
        "can be merged in any order and in steps. A rank counts once; files that do not belong to the job, and "
        "those that cannot be read, are reported and left out. Under a launcher of MPI, each rank sums a part of "
        "the files up, and pairs of ranks their results, which lie beside the output until then.",
    .examples =
        "loadstone merge node1.h5 node2.h5 -o job.h5\n"
        "loadstone report --by process job.h5\n"
        "loadstone merge --sum loadstone.*.h5 -o job.h5      one profile of all ranks\n"
        "mpirun -n 16 loadstone merge --sum loadstone.*.h5 -o job.h5      the same, by 16 processes\n",
    .options = merge_options,
    .options_len = MERGE_OPTIONS,
    .operands_min = 1,
    .operands_max = SIZE_MAX,
    .reads_profiles = true,
    .run = merge_run,
};
