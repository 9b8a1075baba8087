/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone trace: every access of an unmodified program, through QEMU's user mode. */
#include "common/ls_env.h"
#include "patterns/pat_trace_writer.h"
#include "tools/cli_format.h"
#include "tools/cli_message.h"
#include "tools/cli_output.h"
#include "tools/rec_launch.h"
#include "tools/rec_preload.h"
#include "tools/rec_spool.h"
#include "tools/rec_target.h"
#include "tools/trc_outcome.h"
#include "tools/trc_program.h"
#include "tools/trc_source.h"

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
    [TRACE_PHASE] =
        {"phase", 0, CLI_TEXT, "NAME", NULL,
         "only in phases of this name; a thread in no phase of its own is where the main thread is",
         "What is traced"},
    [TRACE_SKIP] = {"skip", 0, CLI_COUNT, "NUMBER", NULL,
                    "leave out so many instructions of each thread, to the end of a basic block",
                    "What is traced"},
    [TRACE_COUNT] = {"count", 0, CLI_COUNT, "NUMBER", NULL,
                     "trace so many instructions of each thread, to the end of a basic block",
                     "What is traced"},
    [TRACE_ALLOC_MIN] = {"alloc-min", 0, CLI_BYTES, "SIZE", "1",
                         "smallest heap block that has a home of its own", "What is traced"},
    [TRACE_AVX2] =
        {"avx2", 0, CLI_FLAG, NULL, NULL,
         "let the program see AVX2, which is hidden because QEMU 7.2 computes some gathers wrongly; one "
         "that it would compute wrongly ends the trace",
         "The program"},
    [TRACE_SPOOL] = {"spool", 0, CLI_DIR, "DIR", NULL,
                     "directory for what the program tells of its data, made when missing; default: one in "
                     "$XDG_RUNTIME_DIR, else in the working directory",
                     "The program"},
};

struct trace {
    const struct cli_value *v;
    char **program;
    char output[PATH_MAX], preload[PATH_MAX];
    struct trc_program target;
    struct rec_spool spool;
    bool has_spool;
    trc_live *live;
    struct rec_outcome outcome;
    /* of the thread that reads */
    pat_source *source;
    ls_err err;
    char why[1024];
    uint64_t accesses, bytes;
    size_t threads;
};

static ls_err trace_setenv(enum ls_env_id id, const char *value)
{
    if (setenv(ls_env_rows[id].variable, value, 1) != 0)
        return ls_fail_errno(errno, "cannot set %s", ls_env_rows[id].variable);
    return LS_OK;
}

/* What the runtime inside of the program finds. LD_PRELOAD travels as an option of QEMU, which it would be
 * loaded into otherwise. */
static ls_err trace_environment(struct trace *t)
{
    const char *present = getenv("LD_PRELOAD");
    if (present && *present) {
        const size_t len = strlen(t->preload);
        snprintf(t->preload + len, sizeof(t->preload) - len, ":%s", present);
    }
    unsetenv("LD_PRELOAD");
    LS_TRY(trace_setenv(LS_ENV_TRACED, "1"));
    LS_TRY(trace_setenv(LS_ENV_ENGINE, "null"));
    LS_TRY(trace_setenv(LS_ENV_CHILDREN, "0"));
    LS_TRY(trace_setenv(LS_ENV_ALLOC_MIN, t->v[TRACE_ALLOC_MIN].text));
    return trace_setenv(LS_ENV_SPOOL, t->spool.path);
}

static void trace_note(void *user, const char *text)
{
    (void)user;
    cli_warn("%s", text);
}

static ls_err trace_prepare(struct trace *t)
{
    cli_output_for_rank(t->v[TRACE_OUTPUT].text, t->output);
    LS_TRY(cli_output_check(t->output, t->v[TRACE_FORCE].given));
    t->has_spool = t->target.is_native && !t->target.is_static;
    if (t->has_spool) {
        LS_TRY(rec_preload_find(t->preload));
        LS_TRY(rec_spool_make(&t->spool, t->v[TRACE_SPOOL].given ? t->v[TRACE_SPOOL].text : NULL));
        LS_TRY(trace_environment(t));
    } else {
        cli_note("%s: no runtime can be in it, so its heap blocks and registered ranges have no names",
                 t->target.is_native ? "statically linked" : t->target.machine->name);
    }
    LS_TRY(trc_live_new(t->has_spool ? t->spool.path : NULL, trace_note, NULL, &t->live));
    struct trc_ring *ring = trc_live_ring(t->live);
    ring->skip_instructions = t->v[TRACE_SKIP].given ? t->v[TRACE_SKIP].number : 0;
    ring->count_instructions = t->v[TRACE_COUNT].given ? t->v[TRACE_COUNT].number : 0;
    return LS_OK;
}

/* --- the thread that reads --- */

static ls_err trace_copy(struct trace *t, pat_trace_writer *w)
{
    struct pat_batch b;
    do {
        LS_TRY(pat_source_next(t->source, &b));
        LS_TRY(pat_trace_writer_put(w, &b, pat_source_tables(t->source)));
    } while (b.accesses_len > 0 || b.events_len > 0);
    return LS_OK;
}

static ls_err trace_write(struct trace *t)
{
    const struct pat_trace_about about = {.scale = 1};
    pat_trace_writer *w = NULL;
    struct stat st;
    LS_TRY(pat_trace_writer_new(t->output, &about, &w));
    const ls_err err = trace_copy(t, w);
    if (err != LS_OK) {
        pat_trace_writer_free(w);
        return err;
    }
    LS_TRY(pat_trace_writer_finish(w, pat_source_tables(t->source), 0, 0));
    if (stat(t->output, &st) == 0) t->bytes = (uint64_t)st.st_size;
    return LS_OK;
}

static void *trace_read(void *user)
{
    struct trace *t = user;
    t->err = trace_write(t);
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

/* QEMU would leave a core of itself. */
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
                                .phase = t->v[TRACE_PHASE].given ? t->v[TRACE_PHASE].text : NULL,
                                .preload = t->has_spool ? t->preload : NULL,
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

static void trace_say(const struct trace *t)
{
    char size[CLI_CELL_BYTES];
    cli_format_bytes(size, (double)t->bytes);
    cli_note("%llu accesses of %zu thread%s: %s (%s)", (unsigned long long)t->accesses, t->threads,
             t->threads == 1 ? "" : "s", t->output, size);
    cli_next("loadstone patterns %s -o patterns.json", cli_quote(t->output));
}

static int trace_finish(struct trace *t)
{
    const struct trc_ring *ring = trc_live_ring(t->live);
    if (t->outcome.exec_errno) {
        cli_error("cannot start %s: %s", t->target.qemu, strerror(t->outcome.exec_errno));
        return CLI_LAUNCHER;
    }
    const int refused = trc_outcome_refused(ring, &t->outcome, t->program[0]);
    if (refused) {
        unlink(t->output); /* a part would pass for the whole */
        return refused;
    }
    trc_outcome_warn(ring);
    if (t->err != LS_OK) {
        cli_error("%s", t->why);
        return t->outcome.exit_code || t->outcome.exit_signal ? rec_end_like(&t->outcome) : CLI_LAUNCHER;
    }
    trace_say(t);
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
    if (t.source) pat_source_close(t.source);
    if (t.spool.path[0]) rec_spool_remove(&t.spool);
    return status;
}

const struct cli_command cli_cmd_trace = {
    .name = "trace",
    .summary = "run a program and trace every access to memory",
    .operands = "[--] PROGRAM [ARGUMENT...]",
    .description =
        "Runs PROGRAM, unmodified, under QEMU's user mode and records each load and store of all its threads "
        "in order, with the data it is to: variables, allocations by the place in the source that made them, "
        "registered ranges. It takes some 10 to 50 times as long as PROGRAM does by itself.\n\n"
        "What runs is what QEMU shows as the processor: no AVX-512, and AVX2 only with --avx2. Accesses of "
        "the C library and of the dynamic loader are the program's, too. Processes that it starts are run "
        "but "
        "not traced.\n\n"
        "PROGRAM may also be an aarch64 program, or statically linked; then its allocations have no names.",
    .examples = "loadstone trace -o spmv.trace -- ./spmv small.mtx    trace a program\n"
                "loadstone trace --phase solve -- ./solver             only what it does in a phase\n"
                "loadstone patterns spmv.trace -o spmv.json            the patterns of a trace\n",
    .exit_status =
        "The program's own, or it dies by the program's signal; 125 when tracing itself fails, 126 when "
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
