/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone trace: every access of an unmodified program, through QEMU's user mode. */
#include "analyse/an_cost.h"
#include "common/ls_clock.h"
#include "common/ls_env.h"
#include "common/ls_outputs.h"
#include "patterns/source/pat_trace_writer.h"
#include "patterns/write/pat_write.h"
#include "run_h5/prof_reader.h"
#include "tools/cli/cli_child.h"
#include "tools/cli/cli_term.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_output.h"
#include "tools/patterns/ptn_read.h"
#include "tools/record/rec_launch.h"
#include "tools/record/rec_spool.h"
#include "tools/record/rec_target.h"
#include "tools/trace/host/trc_host.h"
#include "tools/trace/plugin/trc_decode.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    TRACE_OUTPUT,
    TRACE_FORCE,
    TRACE_QUIET,
    TRACE_PATTERNS,
    TRACE_MODE,
    TRACE_TOP,
    TRACE_MEMORY,
    TRACE_FUNCTION,
    TRACE_LINES,
    TRACE_MODULE,
    TRACE_NODE,
    TRACE_AUTO,
    TRACE_HOT,
    TRACE_PHASE,
    TRACE_SKIP,
    TRACE_COUNT,
    TRACE_ALLOC_MIN,
    TRACE_AVX2,
    TRACE_SPOOL,
    TRACE_OPTIONS
};

static const struct cli_option trace_options[TRACE_OPTIONS] = {
    [TRACE_OUTPUT] = {"output", 'o', CLI_FILE, "FILE", "loadstone.trace", "trace to write", "Output"},
    [TRACE_FORCE] = {"force", 'f', CLI_FLAG, NULL, NULL, "overwrite the output file", "Output"},
    [TRACE_QUIET] = {"quiet", 'q', CLI_FLAG, NULL, NULL, "print errors and warnings only", "Output"},
    [TRACE_PATTERNS] =
        {"patterns", 'p', CLI_FILE, "FILE.json", NULL,
         "find the patterns while the program runs and write them; without -o no trace is written", "Output"},
    [TRACE_MODE] =
        {"mode", 'm', CLI_CHOICE, "cost|paper|v1|v2", "cost",
         "which patterns: the costliest, or the ones that the filters of the GS Patterns paper, or "
         "of its version 1 or 2, keep",
         "Patterns"},
    [TRACE_TOP] = {"top", 't', CLI_COUNT, "COUNT", NULL,
                   "number of patterns, the costliest first; in the published modes: of each kind",
                   "Patterns", .least = 1},
    [TRACE_MEMORY] = {"memory", 0, CLI_BYTES, "BYTES", "1G", "memory that finding patterns may use",
                      "Patterns", .least = 1 << 20},
    [TRACE_FUNCTION] = {"function", 0, CLI_TEXT, "NAME", NULL,
                        "only this function's own code, with the copies that were inlined into others",
                        "What to trace"},
    [TRACE_LINES] = {"lines", 0, CLI_TEXT, "FILE:FIRST-LAST", NULL, "only the code of these source lines",
                     "What to trace"},
    [TRACE_MODULE] = {"module", 0, CLI_FILE, "FILE", NULL,
                      "the library, or PROGRAM, that --function and --lines are in (default: PROGRAM); "
                      "without these two options, all code of this file, and no other code",
                      "What to trace"},
    [TRACE_NODE] = {"node", 0, CLI_TEXTS, "LABEL", NULL,
                    "only accesses to this data: a variable, an allocation, "
                    "a registered range; may be given several times",
                    "What to trace"},
    [TRACE_AUTO] =
        {"auto", 0, CLI_FLAG, NULL, NULL,
         "record the program first, without input and output, and trace only the functions with 90 "
         "% of its time, on the data on which they spend it; everything if the run is too short to "
         "decide. --node names other data",
         "What to trace"},
    [TRACE_HOT] = {"hot", 0, CLI_FILE, "RUN.h5", NULL, "like --auto, but with the existing recording RUN.h5",
                   "What to trace"},
    [TRACE_PHASE] =
        {"phase", 0, CLI_TEXT, "NAME", NULL,
         "only in phases of this name; a thread that is in no phase counts as in the main thread's",
         "What to trace"},
    [TRACE_SKIP] = {"skip", 0, CLI_COUNT, "NUMBER", NULL,
                    "leave out this number of instructions of each thread, to the end of a basic block",
                    "What to trace"},
    [TRACE_COUNT] = {"count", 0, CLI_COUNT, "NUMBER", NULL,
                     "trace this number of instructions of each thread, to the end of a basic block",
                     "What to trace", .least = 1},
    [TRACE_ALLOC_MIN] = {"alloc-min", 0, CLI_BYTES, "SIZE", "1",
                         "smallest heap block that is recorded on its own", "What to trace"},
    [TRACE_AVX2] =
        {"avx2", 0, CLI_FLAG, NULL, NULL,
         "let the program see AVX2, which is hidden because QEMU 7.2 computes some gathers wrongly; one "
         "that it would compute wrongly ends the trace",
         "The program"},
    [TRACE_SPOOL] = {"spool", 0, CLI_DIR, "DIR", NULL,
                     "create the directory for the program's records of its data in DIR, which is created if "
                     "missing; default: in $XDG_RUNTIME_DIR, $TMPDIR, /tmp or /dev/shm",
                     "The program"},
};

struct trace {
    const struct cli_value *v;
    char **program;
    char output[PATH_MAX + 16];    /* path of the trace, "" none */
    ls_outputs *files;             /* the trace, which gets its name when it is whole */
    const char *draft;             /* where it is written */
    char patterns[PATH_MAX];       /* "" none */
    char whole[PATH_MAX + 16];     /* the trace of all data, before --node selects a part; "" none */
    char region[TRC_CHOICE_BYTES]; /* the stretches of code that are traced, "" all */
    char preload[PATH_MAX];
    struct trc_hot hot; /* choice of --auto or --hot */
    struct trc_program target;
    struct rec_spool spool;
    bool has_runtime; /* in the program */
    trc_live *live;
    struct rec_outcome outcome;
    /* used by the reader thread */
    pat_source *source;
    ls_err err;
    char why[1024];
    uint64_t accesses;
    size_t threads;
    struct ptn_settings settings;
    struct ptn_found found;
};

extern char **environ;
enum { TRACE_PAGE_BYTES = 4096 };

static ls_err trace_setenv(enum ls_env_id id, const char *value)
{
    if (setenv(ls_env_rows[id].variable, value, 1) != 0)
        return ls_fail_errno(errno, "cannot set %s", ls_env_rows[id].variable);
    return LS_OK;
}

/* Set the environment of the runtime in the program. LD_PRELOAD is passed by an option of QEMU, because QEMU
 * would load it into itself otherwise. */
static ls_err trace_environment(struct trace *t)
{
    const char *present = getenv("LD_PRELOAD");
    char start[32];
    if (present && *present) {
        const size_t len = strlen(t->preload);
        snprintf(t->preload + len, sizeof(t->preload) - len, ":%s", present);
    }
    unsetenv("LD_PRELOAD");
    /* the runtime would set it itself, by a copy of the environment in the program's heap */
    snprintf(start, sizeof(start), "%llu", (unsigned long long)ls_clock_mono_ns());
    LS_TRY(trace_setenv(LS_ENV_START, start));
    LS_TRY(trace_setenv(LS_ENV_TRACED, "1"));
    LS_TRY(trace_setenv(LS_ENV_ENGINE, "null"));
    LS_TRY(trace_setenv(LS_ENV_CHILDREN, "0"));
    LS_TRY(trace_setenv(LS_ENV_ALLOC_MIN, t->v[TRACE_ALLOC_MIN].text));
    return trace_setenv(LS_ENV_SPOOL, t->spool.path);
}

/* Bring the environment to a number of whole pages, so that the arguments of the program, which lie below it, are at
 * one place of a page: string functions take other paths where a string is near the end of a page. */
static ls_err trace_pad_environment(void)
{
    static char padding[TRACE_PAGE_BYTES + 1];
    size_t used = strlen(ls_env_rows[LS_ENV_PADDING].variable) + sizeof("=");
    unsetenv(ls_env_rows[LS_ENV_PADDING].variable);
    for (char **e = environ; e && *e; e++)
        used += strlen(*e) + 1;
    memset(padding, 'x', TRACE_PAGE_BYTES);
    padding[TRACE_PAGE_BYTES - used % TRACE_PAGE_BYTES] = '\0';
    return trace_setenv(LS_ENV_PADDING, padding);
}

static void trace_note(void *user, const char *text)
{
    (void)user;
    cli_warn("%s", text);
}

static const char *trace_given(const struct trace *t, int option)
{
    return t->v[option].given ? t->v[option].text : NULL;
}

/* Patterns are written as loadstone patterns -o does. */
static const struct pat_writer *trace_writer(void)
{
    return pat_writer_at(0);
}

/* Set the options of extraction to the defaults of loadstone patterns. */
static ls_err trace_settings(struct trace *t)
{
    static const int options[] = {TRACE_MODE, TRACE_TOP, TRACE_MEMORY};
    const uint64_t top = t->v[TRACE_TOP].number;
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        if (t->v[options[i]].given && !t->v[TRACE_PATTERNS].given)
            return ls_fail(LS_ERR_USAGE, "--%s is for patterns: name a file for them with --patterns",
                           trace_options[options[i]].name);
    ptn_settings_default((enum pat_mode)t->v[TRACE_MODE].number, trace_writer(), t->v[TRACE_MEMORY].number,
                         &t->settings);
    t->settings.extract.top = top < UINT32_MAX ? (uint32_t)top : UINT32_MAX;
    t->settings.with_rows = trace_writer()->has_rows;
    return LS_OK;
}

/* Check all outputs before anything is run. */
static ls_err trace_check_outputs(struct trace *t)
{
    const bool force = t->v[TRACE_FORCE].given;
    if (t->v[TRACE_PATTERNS].given) {
        cli_output_for_rank(t->v[TRACE_PATTERNS].text, t->patterns);
        LS_TRY(cli_output_check_named(t->patterns, force)); /* standard output belongs to the program */
        if (t->v[TRACE_OUTPUT].given && strcmp(t->v[TRACE_OUTPUT].text, t->v[TRACE_PATTERNS].text) == 0)
            return ls_fail(LS_ERR_USAGE, "%s cannot be the trace and its patterns: name another file",
                           t->v[TRACE_OUTPUT].text);
        LS_TRY(cli_ending_check(t->patterns, CLI_ENDS_JSON, true));
        if (!t->v[TRACE_OUTPUT].given) return LS_OK;
    }
    cli_output_for_rank(t->v[TRACE_OUTPUT].text, t->output);
    LS_TRY(cli_ending_check(t->output, CLI_ENDS_TRACE, false));
    LS_TRY(cli_output_check(t->output, force));
    LS_TRY(ls_outputs_new(force, &t->files));
    return ls_outputs_add(t->files, t->output, &t->draft);
}

static ls_err trace_try_profile(const char *path)
{
    prof_profile *p;
    struct prof_samples samples;
    LS_TRY(prof_open(path, &p));
    const ls_err err = prof_load_samples(p, AN_COST_COLUMNS | PROF_MASK(ip), &samples);
    prof_close(p);
    return err;
}

/* Write the selected code to a file that the plugin reads. */
static ls_err trace_region(struct trace *t)
{
    const struct trc_choice c = {.program = t->program,
                                 .target = &t->target,
                                 .folder = t->spool.path,
                                 .function = trace_given(t, TRACE_FUNCTION),
                                 .lines = trace_given(t, TRACE_LINES),
                                 .module = trace_given(t, TRACE_MODULE),
                                 .profile = trace_given(t, TRACE_HOT),
                                 .is_auto = t->v[TRACE_AUTO].given};
    if (c.profile) LS_TRY(cli_try_in_child(trace_try_profile, c.profile));
    return trc_choice_write(&c, &t->hot, t->region);
}

/* Refuse --avx2 without the decoder that detects gathers which QEMU computes wrongly. */
static ls_err trace_check_avx2(const struct trace *t)
{
    if (!t->v[TRACE_AVX2].given || trc_decode_sees_gathers) return LS_OK;
    return ls_fail(
        LS_ERR_UNSUPPORTED,
        "--avx2: this Loadstone was built without Zydis, so it cannot recognise the gathers that QEMU 7.2 "
        "computes wrongly; build it with libzydis-dev, or leave --avx2 out");
}

/* Return the data to keep: the choice of --node, otherwise of the recording. */
static struct trc_only_wanted trace_wanted(const struct trace *t)
{
    const struct cli_value *v = &t->v[TRACE_NODE];
    const struct trc_only_wanted given = {.labels = v->all, .labels_len = v->all_len};
    const struct trc_only_wanted chosen = {
        .labels = (const char *const *)t->hot.labels, .labels_len = t->hot.labels_len, .are_guesses = true};
    return v->given ? given : chosen;
}

static ls_err trace_prepare(struct trace *t)
{
    LS_TRY(trace_check_avx2(t));
    LS_TRY(trace_settings(t));
    t->draft = t->output;
    LS_TRY(trace_check_outputs(t));
    LS_TRY(rec_spool_make(&t->spool, trace_given(t, TRACE_SPOOL)));
    LS_TRY(trace_region(t));
    if (t->v[TRACE_NODE].given || t->hot.labels_len > 0)
        snprintf(t->whole, sizeof(t->whole), "%s/whole.trace", t->spool.path);
    if (t->v[TRACE_NODE].given && t->target.is_static) {
        const struct trc_only_wanted wanted = trace_wanted(t);
        LS_TRY(trc_only_check_static(t->target.path, &wanted));
    }
    t->has_runtime = t->target.is_native && !t->target.is_static;
    if (t->has_runtime) {
        LS_TRY(rec_preload_find(t->preload));
        LS_TRY(trace_environment(t));
    } else {
        cli_note("%s: no runtime can be in it, so its heap blocks and registered ranges have no names",
                 t->target.is_native ? "statically linked" : t->target.machine->name);
    }
    LS_TRY(trace_pad_environment());
    LS_TRY(trc_live_new(t->has_runtime ? t->spool.path : NULL, trace_note, NULL, &t->live));
    struct trc_ring *ring = trc_live_ring(t->live);
    ring->skip_instructions = t->v[TRACE_SKIP].given ? t->v[TRACE_SKIP].number : 0;
    ring->count_instructions = t->v[TRACE_COUNT].given ? t->v[TRACE_COUNT].number : 0;
    return LS_OK;
}

/* --- the reading thread --- */

static ls_err trace_copy(struct trace *t, pat_trace_writer *w)
{
    struct pat_batch b;
    do {
        LS_TRY(pat_source_next(t->source, &b));
        LS_TRY(pat_trace_writer_put(w, &b, pat_source_tables(t->source)));
    } while (b.accesses_len > 0 || b.events_len > 0);
    return LS_OK;
}

static ls_err trace_write(struct trace *t, const char *path)
{
    const struct pat_trace_about about = {.scale = 1};
    pat_trace_writer *w = NULL;
    LS_TRY(pat_trace_writer_new(path, &about, &w));
    const ls_err err = trace_copy(t, w);
    if (err == LS_OK) return pat_trace_writer_finish(w, pat_source_tables(t->source), 0, 0);
    pat_trace_writer_free(w);
    return err;
}

/* Find patterns while the program runs if no trace is written, otherwise in the trace afterwards. */
static ls_err trace_consume(struct trace *t)
{
    if (t->whole[0]) return trace_write(t, t->whole);
    if (t->output[0]) return trace_write(t, t->draft);
    return pat_extract(t->source, &t->settings.extract, &t->found.sequences);
}

static void *trace_read(void *user)
{
    struct trace *t = user;
    t->err = trace_consume(t);
    if (t->err != LS_OK) {
        snprintf(t->why, sizeof(t->why), "%s", ls_last_error());
        trc_live_close_ring(t->live); /* the program goes on */
    }
    t->accesses = pat_source_counts(t->source).accesses;
    t->threads = pat_source_tables(t->source)->threads_len;
    return NULL;
}

static ls_err trace_begin_reading(struct trace *t, pthread_t *thread)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(thread, NULL, trace_read, t);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed ? ls_fail_errno(failed, "cannot start a thread") : LS_OK;
}

/* Prevent a core dump of QEMU. */
static void trace_no_core(void)
{
    struct rlimit l;
    if (getrlimit(RLIMIT_CORE, &l) != 0) return;
    l.rlim_cur = 0;
    setrlimit(RLIMIT_CORE, &l);
}

static ls_err trace_execute(struct trace *t)
{
    const struct trc_run run = {.ring = trc_live_ring_path(t->live),
                                .region = t->region[0] ? t->region : NULL,
                                .phase = trace_given(t, TRACE_PHASE),
                                .preload = t->has_runtime ? t->preload : NULL,
                                .avx2 = t->v[TRACE_AVX2].given};
    char **words = NULL;
    pthread_t thread;
    trc_live *const live = t->live;
    LS_TRY(trc_program_words(&t->target, &run, t->program, &words));
    ls_err err = pat_source_adopt(&trc_source_format, live, &t->source);
    if (err == LS_OK) err = trace_begin_reading(t, &thread);
    if (err == LS_OK) {
        trace_no_core();
        err = rec_launch(t->target.qemu, words, &t->outcome);
        trc_live_set_ended(live);
        pthread_join(thread, NULL);
    }
    trc_words_free(words);
    return err;
}

/* --- afterwards --- */

static ls_err trace_patterns(struct trace *t)
{
    const struct pat_write_options options = {
        .source = t->program[0], .accesses_max = t->settings.compact.pattern_max, .note = ptn_write_note};
    const struct pat_findings *f = &t->found.findings;
    if (t->output[0]) {
        LS_TRY(ptn_read(t->output, &t->settings, &t->found));
    } else {
        LS_TRY(pat_compact(&t->found.sequences, pat_source_tables(t->source), &t->settings.compact,
                           &t->found.findings));
        LS_TRY(ptn_cut(&t->settings, &t->found));
    }
    if (f->len == 0)
        return ls_fail(LS_ERR_ARG,
                       "no pattern passed the filters, so %s was not written; trace to a file and see "
                       "loadstone patterns --trivial --min-accesses 1",
                       t->patterns);
    LS_TRY(pat_write(trace_writer(), f, &options, t->patterns));
    cli_note("%zu pattern%s: %s", f->len, f->len == 1 ? "" : "s", t->patterns);
    return LS_OK;
}

/* Remove the complete trace together with the spool. */
static ls_err trace_cut(struct trace *t)
{
    const struct trc_only_wanted wanted = trace_wanted(t);
    uint64_t kept = 0;
    if (!t->whole[0]) return LS_OK;
    if (!t->output[0]) snprintf(t->output, sizeof(t->output), "%s/node.trace", t->spool.path);
    const ls_err err = trc_only(t->whole, &wanted, t->draft, &kept);
    unlink(t->whole);
    if (err == LS_OK) cli_note("%llu of them to this data", (unsigned long long)kept);
    return err;
}

/* Report that nothing was recorded, with the options that may be the reason. */
static ls_err trace_say_nothing(const struct trace *t)
{
    const struct trc_nothing why = {.program = t->program[0],
                                    .phase = trace_given(t, TRACE_PHASE),
                                    .skip_instructions = t->v[TRACE_SKIP].given ? t->v[TRACE_SKIP].number : 0,
                                    .is_code_chosen = t->region[0],
                                    .tables = pat_source_tables(t->source)};
    trc_outcome_nothing(&why);
    if (!t->whole[0] && !t->patterns[0]) return LS_OK;
    return ls_fail(LS_ERR_NOT_FOUND, "%s was not written: there are no accesses",
                   t->patterns[0] ? t->patterns : t->output);
}

static ls_err trace_results(struct trace *t)
{
    struct stat st;
    char size[CLI_CELL_BYTES];
    const bool is_kept = t->v[TRACE_OUTPUT].given || !t->patterns[0];
    LS_TRY(t->err != LS_OK ? ls_fail(t->err, "%s", t->why) : LS_OK);
    if (t->accesses > 0)
        cli_note("%llu accesses of %zu thread%s", (unsigned long long)t->accesses, t->threads,
                 t->threads == 1 ? "" : "s");
    else
        LS_TRY(trace_say_nothing(t));
    LS_TRY(trace_cut(t));
    if (t->files) LS_TRY(ls_outputs_commit(t->files));
    if (is_kept && stat(t->output, &st) == 0)
        cli_note("trace: %s (%s)", t->output, cli_format_bytes(size, (double)st.st_size));
    if (t->accesses == 0) return LS_OK; /* no output for the next command */
    if (t->patterns[0]) LS_TRY(trace_patterns(t));
    const char *const result = t->patterns[0] ? t->patterns : t->output;
    if (!cli_output_is_kept(result)) return LS_OK; /* /dev/null: no output for the next command */
    if (t->patterns[0])
        cli_next("loadstone replay %s", cli_quote(t->patterns));
    else
        cli_next("loadstone patterns %s -o patterns.json", cli_quote(t->output));
    return LS_OK;
}

static void trace_remove_files(struct trace *t)
{
    static const char *const names[] = {"region", "whole.trace", "node.trace", "hot.h5"};
    char path[PATH_MAX + 16];
    ls_outputs_free(t->files);
    t->files = NULL;
    if (!t->spool.path[0]) return;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", t->spool.path, names[i]);
        unlink(path);
    }
    rec_spool_remove(&t->spool);
    t->spool.path[0] = '\0';
}

/* A signal handler that ours replaces. */
static void trace_say_status(const struct trace *t)
{
    if (t->outcome.exit_signal)
        cli_warn("%s itself was ended by signal %d", t->program[0], t->outcome.exit_signal);
    else if (t->outcome.exit_code)
        cli_warn("%s itself ended with status %d", t->program[0], t->outcome.exit_code);
}

static int trace_finish(struct trace *t)
{
    const struct trc_ring *ring = trc_live_ring(t->live);
    if (t->outcome.exec_errno) {
        cli_error("cannot start %s: %s", t->target.qemu, strerror(t->outcome.exec_errno));
        return CLI_LAUNCHER;
    }
    const int refused = trc_outcome_refused(ring, &t->outcome, t->program[0]);
    if (refused) return refused; /* a part must not look like a complete trace, so it gets no name */
    trc_outcome_warn(ring);
    const ls_err err = trace_results(t);
    trc_outcome_lacking(ring, t->target.machine->elf_machine, &t->outcome, t->program[0]);
    trc_outcome_illegal(ring, pat_source_tables(t->source), &t->outcome, t->program[0]);
    if (err != LS_OK) {
        cli_fail(err);
        trace_say_status(t);
        return CLI_LAUNCHER;
    }
    trace_remove_files(t); /* printed first, because the next call may end this process by a signal */
    return rec_end_like(&t->outcome);
}

static int trace_run(const struct cli_command *c, const struct cli_value *v, char **operands)
{
    (void)c;
    static struct trace t; /* large */
    int status = CLI_LAUNCHER;
    t.v = v;
    t.program = operands;
    cli_message_quiet(v[TRACE_QUIET].given);
    ls_err err = trc_program_find(operands, &t.target);
    if (err != LS_OK) {
        cli_fail(err);
        return rec_target_status(err);
    }
    err = trace_prepare(&t);
    if (err == LS_OK) err = trace_execute(&t);
    if (err != LS_OK)
        cli_fail(err);
    else
        status = trace_finish(&t);
    ptn_found_fini(&t.found);
    trc_hot_fini(&t.hot);
    if (t.source) pat_source_close(t.source);
    trace_remove_files(&t);
    return t.hot.is_interrupted ? rec_end_like(&t.hot.recording) : status;
}

const struct cli_command cli_cmd_trace = {
    .name = "trace",
    .summary = "run a program and trace every access to memory",
    .operands = "[--] PROGRAM [ARGUMENT...]",
    .description =
        "Runs PROGRAM, unmodified, under QEMU's user mode and records each load and store of all its threads "
        "in order, with the data that it accesses: variables, allocations by the source line that made them, "
        "registered ranges. It takes some 10 to 50 times as long as PROGRAM alone.\n\n"
        "The program sees the processor that QEMU emulates: no AVX-512, and AVX2 only with --avx2. Accesses "
        "of the C library and of the dynamic loader are the program's, too. Processes that it starts are run "
        "but not traced.\n\n"
        "PROGRAM may also be an aarch64 program, or statically linked; then its allocations have no names.",
    .examples = "loadstone trace -o spmv.trace -- ./spmv small.mtx    trace a program\n"
                "loadstone trace --phase solve -- ./solver             only what it does in a phase\n"
                "loadstone trace --patterns p.json -- ./spmv small.mtx  its patterns, without a trace\n"
                "loadstone trace --auto --patterns p.json -- ./spmv     patterns of the costliest code\n"
                "loadstone trace --function multiply --node x -- ./spmv  one function on one array\n"
                "loadstone patterns spmv.trace -o spmv.json            the patterns of a trace\n",
    .exit_status =
        "The program's own, or it dies by the program's signal; 125 when tracing itself fails, whatever the "
        "program's is, 126 when "
        "the program cannot be run or traced, 127 when it is not found.",
    .options = trace_options,
    .options_len = TRACE_OPTIONS,
    .operands_min = 1,
    .operands_max = (size_t)-1,
    .stops_at_operand = true,
    .completes_programs = true,
    .usage_status = CLI_LAUNCHER,
    .run = trace_run,
};
