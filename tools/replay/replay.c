/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone replay: run gather/scatter patterns and measure the memory system with them. */
#include "kernels/gpu/kn_gpu.h"
#include "kernels/kn_backend.h"
#include "kernels/kn_memory.h"
#include "kernels/stream/kn_stream.h"
#include "kernels/together/kn_together.h"
#include "tools/cli/cli_message.h"
#include "tools/replay/rpl_files.h"
#include "tools/replay/rpl_kernel.h"
#include "tools/replay/rpl_ranks.h"
#include "tools/replay/rpl_session.h"
#include "common/ls_hash.h"
#include "common/ls_vector.h"
#include "kernels/kn_result.h"
#include "tools/cli/cli_term.h"
#include "kernels/kn_kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the list ---- */

/* List the kernels and settings that replay can use on this machine. */

struct rpl_word {
    const char *name, *text;
};

#define RPL_WORD(id, name, text) {name, text},

static const struct rpl_word rpl_methods[] = {KN_METHOD_LIST(RPL_WORD)};

static const struct rpl_word rpl_stores[] = {KN_STORES_LIST(RPL_WORD)};

static void rpl_words(const char *title, const struct rpl_word *words, size_t len, FILE *out)
{
    fprintf(out, "\n%s\n", title);
    for (size_t i = 0; i < len; i++)
        fprintf(out, "  %-14s %s\n", words[i].name, words[i].text);
}

static void rpl_list_devices(const struct kn_gpu_driver *driver, FILE *out)
{
    struct kn_gpu g = {.driver = driver};
    fputc('\n', out);
    if (driver->open(&g, NULL, out) != LS_OK) fprintf(out, "%19s not here: %s\n", "", ls_last_error());
}

/* Kernels, backends, methods and kinds of stores, from their tables. */
static void rpl_list(FILE *out)
{
    fputs("Kernels\n", out);
    for (unsigned i = 0; i < kn_kernels_len; i++)
        if (kn_kernels[i].family == KN_FAMILY_REPLAY)
            fprintf(out, "  %-14s %s\n", kn_kernels[i].name, kn_kernels[i].operation);
    fputs("\nBackends (--backend)\n", out);
    for (const struct kn_backend *const *b = kn_backends; *b; b++) {
        fprintf(out, "  %-14s %s", (*b)->name, (*b)->summary);
        if ((*b)->device)
            rpl_list_devices((*b)->device, out);
        else if ((*b)->built())
            fprintf(out, "; %u %s\n", (*b)->threads_max(), (*b)->threads_max() == 1 ? "thread" : "threads");
        else
            fputs("; not built\n", out);
    }
    rpl_words("Methods (--method); one that this processor lacks is refused", rpl_methods,
              sizeof(rpl_methods) / sizeof(rpl_methods[0]), out);
    rpl_words("Stores (--stores)", rpl_stores, sizeof(rpl_stores) / sizeof(rpl_stores[0]), out);
}

/* ---- the command ---- */

static ls_err replay_check_config(const struct rpl_session *s, size_t i)
{
    char label[128];
    const struct pat_config *c = &s->suite.rows[i];
    snprintf(label, sizeof(label), *c->name ? "configuration %zu (%s)" : "configuration %zu%s", i, c->name);
    const struct pat_indices *outer = c->kernel == PAT_MULTIGATHER ? &c->gather : &c->scatter;
    if (c->kernel >= PAT_MULTIGATHER && outer->len > c->pattern.len)
        cli_warn(
            "%s: Spatter writes beyond its dense buffer here (%zu outer indices, %zu inner ones); replay "
            "allocates a sufficient buffer",
            label, outer->len, c->pattern.len);
    const struct kn_options o = rpl_options_of(s, i);
    struct kn_split part;
    ls_err err = kn_split_init(&part, c, s->settings.scaling, kn_ranks_info(o.ranks));
    if (err == LS_OK) err = kn_replay_check(&part.config, &o, label);
    kn_split_fini(&part);
    return err;
}

static ls_err replay_check_together(const struct rpl_session *s)
{
    struct kn_replay_need need;
    if (s->settings.kernel.ranks)
        return ls_fail(LS_ERR_UNSUPPORTED, "--together runs in one process: start it without a launcher");
    LS_TRY(kn_together_need(s->suite.rows, s->suite.len, &s->settings.kernel, &need));
    return kn_memory_check("all patterns together", need.memory_bytes, s->settings.kernel.memory_bytes);
}

/* STREAM, and patterns in turn, run with the largest number of threads that all configurations have. */
static void replay_follow_threads(struct rpl_session *s)
{
    unsigned most = 0;
    s->settings.own_most = s->threads;
    for (size_t i = 0; s->settings.own_threads && i < s->suite.len; i++) {
        if (!s->suite.rows[i].threads) return;
        const unsigned threads = rpl_options_of(s, i).threads;
        if (threads > most) most = threads;
    }
    s->settings.kernel.threads = most;
}

/* Refuse everything that can be refused before the first line is printed. */
static ls_err replay_check(struct rpl_session *s)
{
    const struct kn_backend *backend;
    const bool is_asked = s->settings.kernel.threads;
    LS_TRY(kn_backend_choose(&s->settings.kernel, &backend, &s->threads));
    rpl_warn_of_threads(&s->settings.kernel);
    s->on_device = backend->device;
    if (s->on_device) s->settings.own_threads = false;
    if (!is_asked) replay_follow_threads(s);
    LS_TRY(kn_backend_choose(&s->settings.kernel, &backend, &s->threads));
    for (size_t i = 0; i < s->suite.len; i++)
        LS_TRY(replay_check_config(s, i));
    if (s->settings.together) LS_TRY(replay_check_together(s));
    s->results = calloc(s->suite.len + 1, sizeof(*s->results));
    return s->results ? LS_OK : ls_nomem("%zu results", s->suite.len);
}

static ls_err replay_measure_one(struct rpl_session *s, size_t i)
{
    struct kn_ranks *ranks = s->settings.kernel.ranks;
    struct kn_split part;
    if (s->settings.together)
        return kn_together_run(s->suite.rows, s->suite.len, &s->settings.kernel, &s->results[i]);
    ls_err err = kn_ranks_agree(
        ranks, kn_split_init(&part, &s->suite.rows[i], s->settings.scaling, kn_ranks_info(ranks)));
    const struct kn_options o = rpl_options_of(s, i);
    if (err == LS_OK) err = kn_replay_run(&part.config, &o, &s->results[i]);
    kn_split_fini(&part);
    return err;
}

static ls_err replay_measure(struct rpl_session *s)
{
    const size_t len = s->settings.together ? 1 : s->suite.len;
    for (size_t i = 0; i < len; i++) {
        cli_progress("measuring", (double)i / (double)len);
        LS_TRY(replay_measure_one(s, i));
        s->results[i].stream_share = s->results[i].mb_per_s / s->stream_mb_per_s;
        s->done = i + 1;
        cli_progress("", 1);
        s->settings.format->row(s, i, stdout);
    }
    return LS_OK;
}

/* Without memory for STREAM's arrays the replay goes on, without the share, and a note reports it. */
static void replay_measure_stream(struct rpl_session *s)
{
    if (!s->settings.measure_stream) return;
    cli_progress("measuring STREAM", 0);
    if (kn_stream_reference(&s->settings.kernel, KN_STORES_AUTO, &s->stream_mb_per_s) != LS_OK ||
        kn_stream_reference(&s->settings.kernel, KN_STORES_REGULAR, &s->stream_regular_mb_per_s) != LS_OK) {
        s->stream_mb_per_s = s->stream_regular_mb_per_s = NAN;
        cli_warn("STREAM could not be measured, so shares of it are not printed: %s", ls_last_error());
    }
    cli_progress("", 1);
}

static ls_err replay_run_suite(struct rpl_session *s)
{
    LS_TRY(kn_ranks_agree(s->settings.kernel.ranks, replay_check(s)));
    if (s->settings.kernel.times_only || rpl_machine_of(&s->settings.kernel, &s->machine) != LS_OK)
        memset(&s->machine, 0, sizeof(s->machine));
    replay_measure_stream(s);
    s->settings.format->begin(s, stdout);
    const ls_err err = replay_measure(s);
    cli_progress("", 1);
    if (err != LS_OK) return err;
    s->summary = rpl_summarise(s);
    s->settings.format->end(s, stdout);
    return LS_OK;
}

static bool replay_uses_files(const struct rpl_settings *t)
{
    return t->output || t->plot || t->with;
}

static ls_err replay_session(struct rpl_session *s, struct rpl_machines *machines)
{
    const bool uses_files = replay_uses_files(&s->settings);
    LS_TRY(kn_ranks_agree(s->settings.kernel.ranks, uses_files ? rpl_files->begin(s, machines) : LS_OK));
    if (s->suite.len) LS_TRY(replay_run_suite(s));
    if (uses_files) return rpl_files->publish(s, machines);
    fflush(stdout);
    if (s->settings.format->is_text) cli_next(RPL_NEXT);
    return LS_OK;
}

static void replay_fini(struct rpl_session *s)
{
    for (size_t i = 0; s->results && i < s->suite.len; i++)
        kn_result_fini(&s->results[i]);
    free(s->results);
    pat_suite_fini(&s->suite);
}

static uint64_t replay_hash_indices(uint64_t hash, const struct pat_indices *p)
{
    return ls_hash_bytes(ls_hash_bytes(hash, &p->len, sizeof(p->len)), p->data, p->len * sizeof(*p->data));
}

/* Hash of everything on which ranks must agree. */
static uint64_t replay_hash(const struct rpl_session *s)
{
    const struct rpl_settings *t = &s->settings;
    const struct kn_options *o = &t->kernel;
    const uint64_t run[] = {o->element_bytes, o->warmups_max, o->times_only,  t->measure_stream,
                            t->scaling,       t->together,    o->seed,        o->method,
                            o->stores,        o->index_bits,  o->memory_bytes};
    uint64_t hash = ls_hash_bytes(LS_HASH_BEGIN, run, sizeof(run));
    for (size_t i = 0; i < s->suite.len; i++) {
        const struct pat_config *c = &s->suite.rows[i];
        const int64_t numbers[] = {(int64_t)c->kernel,       (int64_t)c->operation, c->delta,
                                   c->delta_gather,          c->delta_scatter,      (int64_t)c->count,
                                   (int64_t)c->wrap,         (int64_t)c->runs,      (int64_t)c->threads,
                                   (int64_t)c->element_bytes};
        const struct pat_indices *lists[] = {&c->pattern, &c->gather,        &c->scatter,
                                             &c->deltas,  &c->deltas_gather, &c->deltas_scatter};
        hash = ls_hash_bytes(hash, numbers, sizeof(numbers));
        for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++)
            hash = replay_hash_indices(hash, lists[k]);
    }
    return hash;
}

/* Read the settings, on all ranks of a job. Only rank 0 writes files. */
static ls_err replay_begin(const struct cli_value *v, char **operands, struct rpl_session *s)
{
    struct kn_options start = {.backend = v[RPL_BACKEND].text, .pin = (enum kn_pin)v[RPL_PIN].number};
    ls_err err = rpl_ranks_begin(&start, v[RPL_RANK_TIMEOUT].number);
    s->settings.kernel.ranks = start.ranks;
    LS_TRY(err);
    err = rpl_settings_read(v, operands, s);
    s->settings.kernel.ranks = start.ranks;
    s->settings.kernel.backend = start.backend;
    if (kn_ranks_info(start.ranks)->rank) s->settings.output = s->settings.plot = s->settings.with = NULL;
    return rpl_ranks_same(start.ranks, replay_hash(s), err);
}

/* A malformed option of one configuration is an error of usage, a malformed pattern one of input; a missing
 * feature of the machine is neither. */
static int replay_run(const struct cli_command *c, const struct cli_value *v, char **operands)
{
    (void)c;
    cli_message_quiet(v[RPL_QUIET].given);
    if (v[RPL_LIST].given) {
        rpl_list(stdout);
        return CLI_OK;
    }
    struct rpl_session s = {0};
    ls_err err = replay_begin(v, operands, &s);
    struct rpl_machines machines = {0};
    s.stream_mb_per_s = s.stream_regular_mb_per_s = NAN;
    if (err == LS_OK) err = replay_session(&s, &machines);
    int status = rpl_ranks_fail(s.settings.kernel.ranks, err);
    if (err == LS_OK && s.summary.invalid) {
        fflush(stdout);
        cli_error("%zu of %zu results are wrong: do not trust their rates", s.summary.invalid, s.summary.len);
        status = CLI_FAILURE;
    }
    if (machines.rows) rpl_files->end(&machines);
    replay_fini(&s);
    rpl_ranks_end(&s.settings.kernel);
    return status;
}

const struct cli_command cli_cmd_replay = {
    .name = "replay",
    .summary = "run gather/scatter patterns and measure the memory system",
    .operands = "[FILE.json...]",
    .description =
        "Runs each configuration (a kernel, a list of indices, a distance from iteration to "
        "iteration) for its number of iterations, with the fastest variant on this machine, and "
        "prints its bandwidth. Options and files are Spatter's, version 2, with version 1's lists "
        "of deltas. Where Spatter has a defect, replay does what the option promises and prints a message: no "
        "index is changed without request, a pattern that needs more memory than "
        "available is refused with its size, results are validated.\n\n"
        "The bandwidth counts the published bytes: indices times iterations times the size of an "
        "element, for gs twice that; the indices themselves are not counted. It is computed from the "
        "shortest of the timed runs. STREAM's triad, measured in the same run, is printed for "
        "comparison.\n\n"
        "Under a launcher of MPI the processes run together: all ranks begin each timed run after a barrier, "
        "and its time is that of the slowest one. Each rank runs every configuration (weak scaling) or a part of it "
        "(--strong-scaling). Rank 0 prints the results; ranks of a node get separate processors.",
    .examples = "loadstone replay -p UNIFORM:8:1:NR -l 4194304           stride 1, all of it new\n"
                "loadstone replay -k gs -g UNIFORM:8:1 -u 0,24,48,72,96,120,144,168\n"
                "loadstone replay -f lulesh.json --format spatter         Spatter's own columns\n"
                "mpirun -n 4 loadstone replay --strong-scaling lulesh.json\n"
                "loadstone replay suite.json -o here.h5 --plot suite.svg  keep and draw the results\n",
    .options = rpl_options,
    .options_len = RPL_OPTIONS,
    .operands_max = SIZE_MAX,
    .is_benchmark = true,
    .needs_full = rpl_needs_full,
    .run = replay_run,
};
