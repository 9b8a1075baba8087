/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone record: runs a program with the sampling runtime and resolves its spool to a profile. */
#include "common/ls_clock.h"
#include "common/ls_env.h"
#include "common/ls_quantity.h"
#include "machine/mach_calibration.h"
#include "machine/mach_capability.h"
#include "resolve/prof_resolve.h"
#include "run_h5/prof_reader.h"
#include "tools/cli/cli_child.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_output.h"
#include "tools/doctor/doc_engines.h"
#include "tools/record/rec_attach.h"
#include "tools/record/rec_launch.h"
#include "tools/record/rec_live.h"
#include "tools/record/rec_node.h"
#include "tools/record/rec_series.h"
#include "tools/record/rec_spool.h"
#include "tools/record/rec_target.h"
#include "common/ls_error.h"
#include "symbols/sym_files.h"

#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- record --watch ---- */

/* record --watch NAME[INDEX] where NAME is a global or static variable of the program: found in its file
 * before it starts, handed to the runtime as a place in the file. */

struct watch_request {
    char name[256];
    uint64_t index;
};

static ls_err watch_read(const char *text, struct watch_request *out)
{
    const char *open = strrchr(text, '[');
    char *end = NULL;
    errno = 0;
    if (open) out->index = strtoull(open + 1, &end, 0);
    if (!open || open == text || end == open + 1 || strcmp(end, "]") != 0 || errno ||
        (size_t)(open - text) >= sizeof(out->name))
        return ls_fail(
            LS_ERR_USAGE,
            "--watch %s: name an element as NAME[INDEX], such as 'A[17]': a registered range, or a "
            "global or static variable of the program",
            text);
    snprintf(out->name, sizeof(out->name), "%.*s", (int)(open - text), text);
    return LS_OK;
}

/* A variable of one value is its only element. */
static uint64_t watch_elem_bytes(const struct sym_thing *t)
{
    return t->elem_size_bytes ? t->elem_size_bytes : t->end - t->base;
}

static bool watch_has_index(const struct sym_thing *t, uint64_t index)
{
    const uint64_t each = watch_elem_bytes(t);
    return each && index < (t->end - t->base) / each;
}

/* Find the first variable of that name that has the element, otherwise the first of that name. Thread-local
 * variables are left out, because they have no single address. */
static bool watch_find(sym_files *files, sym_file *f, const struct watch_request *w, struct sym_thing *out)
{
    const size_t len = sym_file_variables_len(files, f);
    bool found = false;
    for (uint32_t row = 0; row < len; row++) {
        const struct sym_thing t = sym_file_variable(f, row);
        if (strcmp(t.name, w->name) != 0 || sym_file_find_variable(files, f, t.base).row == SYM_NONE)
            continue;
        if (!found || (watch_has_index(&t, w->index) && !watch_has_index(out, w->index))) *out = t;
        found = true;
    }
    return found;
}

static void watch_pass_to_runtime(const sym_file *f, const char *path, const struct sym_thing *t)
{
    char text[PATH_MAX + 80];
    snprintf(text, sizeof(text), "%" PRIx64 " %" PRIu64 " %d %s", t->base, watch_elem_bytes(t),
             sym_file_is_fixed(f), path);
    setenv(ls_env_rows[LS_ENV_WATCH_AT].variable, text, 1);
}

/* Set LOADSTONE_WATCH_AT if watch ("NAME[INDEX]") is an element of a variable of program. Otherwise the
 * runtime waits for a range of that name; this is no error, and a note names the reason.
 * Errors: LS_ERR_USAGE: watch has another form (the text shows the form). */
static ls_err rec_watch_prepare(const char *watch, const char *program)
{
    struct watch_request w;
    struct sym_thing t = {.row = SYM_NONE};
    char path[PATH_MAX];
    sym_files *files;
    sym_file *f;
    LS_TRY(watch_read(watch, &w));
    unsetenv(ls_env_rows[LS_ENV_WATCH_AT].variable);
    if (!realpath(program, path) || sym_files_new((struct sym_limits){0}, &files) != LS_OK) return LS_OK;
    if (sym_files_get(files, path, &f) == LS_OK && watch_find(files, f, &w, &t)) {
        if (watch_has_index(&t, w.index))
            watch_pass_to_runtime(f, path, &t);
        else
            cli_note("--watch %s: the variable %s of %s has %" PRIu64 " bytes in elements of %" PRIu64
                     ": not that one; a range of this name is waited for",
                     watch, t.name, path, t.end - t.base, watch_elem_bytes(&t));
    }
    sym_files_free(files);
    return LS_OK;
}

/* ---- the command ---- */

enum {
    RECORD_OUTPUT,
    RECORD_PER_NODE,
    RECORD_SAMPLES_OF,
    RECORD_FORCE,
    RECORD_QUIET,
    RECORD_LIVE,
    RECORD_ENGINE,
    RECORD_WATCH,
    RECORD_TRIGGER,
    RECORD_OVERHEAD,
    RECORD_PERIOD,
    RECORD_BURST,
    RECORD_ACCESSES,
    RECORD_EVENT,
    RECORD_FREQ,
    RECORD_LDLAT,
    RECORD_STORES,
    RECORD_CALLSTACK,
    RECORD_SERIES,
    RECORD_SERIES_INTERVAL,
    RECORD_SEED,
    RECORD_DELAY,
    RECORD_DURATION,
    RECORD_CONTROL,
    RECORD_PAUSED,
    RECORD_NO_CHILDREN,
    RECORD_PID,
    RECORD_NO_TAGS,
    RECORD_ALLOC_MIN,
    RECORD_SPOOL,
    RECORD_SPOOL_MAX,
    RECORD_KEEP_SPOOL,
    RECORD_STEPS,
    RECORD_OPTIONS
};

static const struct cli_option record_options[RECORD_OPTIONS] = {
    [RECORD_OUTPUT] = {"output", 'o', CLI_FILE, "FILE", "loadstone.h5",
                       "profile to write; ranks of an MPI job get a file each, name.RANK.h5", "Output"},
    [RECORD_PER_NODE] =
        {"per-node", 0, CLI_FLAG, NULL, NULL,
         "the ranks of an MPI job write one profile for each machine, name.HOST.h5, which the last "
         "rank that ends sums up",
         "Output"},
    [RECORD_SAMPLES_OF] =
        {"samples-of", 0, CLI_COUNT, "COUNT", "1000",
         "with --per-node: keep the samples of one rank in COUNT, besides those of outliers; 0: of outliers only",
         "Output"},
    [RECORD_FORCE] = {"force", 'f', CLI_FLAG, NULL, NULL, "overwrite the output file", "Output"},
    [RECORD_QUIET] = {"quiet", 'q', CLI_FLAG, NULL, NULL, "print errors and warnings only", "Output"},
    [RECORD_LIVE] = {"live", 0, CLI_FLAG, NULL, NULL,
                     "print the report so far on standard error, once a second while the program runs",
                     "Output"},
    [RECORD_ENGINE] = {"engine", 'e', CLI_CHOICE, "auto|hw|translate|step|faults|watch|null", "auto",
                       "method of sampling: loads and stores by the processor (hw: PEBS, IBS, SPE), or by "
                       "short bursts of instructions, which need no privilege and run translated "
                       "(translate) or single-stepped (step); page faults, for report --first-touch "
                       "(faults); none (null)",
                       "Sampling"},
    [RECORD_WATCH] =
        {"watch", 0, CLI_TEXT, "NAME[INDEX]", NULL,
         "record accesses to this element of a variable or registered range by hardware breakpoints, for the "
         "part of the time that the budget allows; report --watch shows them",
         "Sampling"},
    [RECORD_TRIGGER] = {"trigger", 't', CLI_CHOICE, "auto|perf|timer", "auto",
                        "event that starts a burst: a perf event, or a timer where perf events are "
                        "forbidden",
                        CLI_ADVANCED},
    [RECORD_OVERHEAD] = {"overhead", 0, CLI_PERCENT, "PERCENT", "3%",
                         "share of the CPU time that recording may use; more gives narrower intervals",
                         "Sampling"},
    [RECORD_PERIOD] =
        {"period", 'p', CLI_TEXT, "TIME|COUNT", NULL,
         "translate and step engines: shortest CPU time between two bursts of a thread, such as 20ms; hw "
         "engine: events between two "
         "samples, such as 100003; the overhead budget may stretch both",
         CLI_ADVANCED},
    [RECORD_BURST] = {"burst", 'b', CLI_COUNT, "COUNT", "1200", "instructions in a stepped burst",
                      CLI_ADVANCED, .least = 1},
    [RECORD_ACCESSES] = {"accesses", 0, CLI_COUNT, "COUNT", "64",
                         "consecutive accesses of a translated burst that are recorded, at most 256",
                         CLI_ADVANCED},
    [RECORD_EVENT] =
        {"event", 0, CLI_TEXT, "EVENT", NULL,
         "hw engine: event to sample, in perf's syntax (cpu/mem-loads,ldlat=30/P, r1cd) or by a name of "
         "libpfm4; default: the processor's loads",
         CLI_ADVANCED},
    [RECORD_FREQ] = {"freq", 0, CLI_COUNT, "HZ", NULL,
                     "hw engine: samples a second and thread instead of a period", CLI_ADVANCED, .least = 1},
    [RECORD_LDLAT] = {"ldlat", 0, CLI_COUNT, "CYCLES", NULL,
                      "hw engine: leave out loads that took fewer cycles", CLI_ADVANCED},
    [RECORD_STORES] = {"stores", 0, CLI_CHOICE, "no|also|only", "no",
                       "hw engine: sample stores; without a value: also", CLI_ADVANCED, .alone = "also"},
    [RECORD_CALLSTACK] =
        {"callstack", 0, CLI_CHOICE, "off|auto|fp|unwind", "auto",
         "call stacks, for report --by calls and view's flame graph: auto, of each burst, by the "
         "unwind tables of the loaded objects; fp, by frame pointers; unwind, by a copied piece of "
         "the stack that is unwound afterwards, also for page faults and hardware samples; without "
         "a value: unwind",
         "Sampling", .alone = "unwind"},
    [RECORD_SERIES] = {"series", 0, CLI_TEXT, "NAME[,NAME...]", NULL,
                       "sample counters of the machine as time series: groups (traffic, net, power), sources "
                       "(perf, resctrl, infiniband, powercap, nvml) and metrics of a pmcd (pcp:METRIC); "
                       "loadstone doctor lists them, report --series shows them",
                       "Series"},
    [RECORD_SERIES_INTERVAL] = {"series-interval", 0, CLI_DURATION, "TIME", "10ms",
                                "time between two readings", "Series", .least = 1000000, .most = 100000000},
    [RECORD_SEED] = {"seed", 0, CLI_COUNT, "NUMBER", NULL,
                     "seed of the random times between bursts, for reproducible runs", CLI_ADVANCED},
    [RECORD_DELAY] = {"delay", 0, CLI_DURATION, "TIME", NULL,
                      "begin sampling this time after the start, such as 2s", "Time and scope"},
    [RECORD_DURATION] = {"duration", 0, CLI_DURATION, "TIME", NULL,
                         "end sampling after this time; the program goes on", "Time and scope", .least = 1},
    [RECORD_CONTROL] = {"control", 0, CLI_SIGNAL, "SIGNAL", NULL,
                        "signal that switches sampling on and off, such as USR2", CLI_ADVANCED},
    [RECORD_PAUSED] = {"paused", 0, CLI_FLAG, NULL, NULL,
                       "sampling waits for loadstone_start() or the control signal", "Time and scope"},
    [RECORD_NO_CHILDREN] = {"no-children", 0, CLI_FLAG, NULL, NULL,
                            "programs started by the program are not recorded", "Time and scope"},
    [RECORD_PID] = {"pid", 0, CLI_COUNT, "PID", NULL,
                    "record a process that runs already, until it ends, Ctrl-C, or the end of --duration; it "
                    "goes on afterwards",
                    "Time and scope", .least = 1, .most = INT_MAX},
    [RECORD_NO_TAGS] =
        {"no-tags", 0, CLI_FLAG, NULL, NULL,
         "leave small heap blocks without site tags: allocations cost less, and only a sample of "
         "these blocks is named",
         CLI_ADVANCED},
    [RECORD_ALLOC_MIN] = {"alloc-min", 0, CLI_BYTES, "SIZE", "4096",
                          "smallest heap block that is recorded on its own", "Time and scope"},
    [RECORD_SPOOL] = {"spool", 0, CLI_DIR, "DIR", NULL,
                      "make the directory of the raw data in DIR, which is created if missing; default: in "
                      "$XDG_RUNTIME_DIR, $TMPDIR, /tmp or /dev/shm",
                      CLI_ADVANCED},
    [RECORD_SPOOL_MAX] = {"spool-max", 0, CLI_BYTES, "SIZE", "1G",
                          "raw data that a process may write; bursts become fewer from half of it on",
                          CLI_ADVANCED, .least = 1},
    [RECORD_STEPS] = REC_STEPS_OPTION,
    [RECORD_KEEP_SPOOL] = {"keep-spool", 0, CLI_FLAG, NULL, NULL,
                           "keep the raw data after the profile is made", CLI_ADVANCED},
};

/* Options that are passed as environment variables; an option that is not given keeps the user's variable. */
static const struct record_env {
    int option;
    enum ls_env_id variable;
} record_envs[] = {
    {RECORD_ENGINE, LS_ENV_ENGINE},       {RECORD_WATCH, LS_ENV_WATCH},
    {RECORD_TRIGGER, LS_ENV_TRIGGER},     {RECORD_OVERHEAD, LS_ENV_OVERHEAD},
    {RECORD_BURST, LS_ENV_BURST},         {RECORD_ACCESSES, LS_ENV_ACCESSES},
    {RECORD_SEED, LS_ENV_SEED},           {RECORD_CALLSTACK, LS_ENV_CALLSTACK},
    {RECORD_DELAY, LS_ENV_DELAY},         {RECORD_DURATION, LS_ENV_DURATION},
    {RECORD_ALLOC_MIN, LS_ENV_ALLOC_MIN}, {RECORD_SPOOL_MAX, LS_ENV_SPOOL_MAX},
};

struct record {
    const struct cli_value *v;
    char **program;
    struct rec_attach attach; /* --pid */
    struct rec_node node;     /* --per-node */
    char output[PATH_MAX], path[PATH_MAX], preload[PATH_MAX];
    char command[8192];
    struct rec_spool spool;
    struct rec_series series;
    struct rec_live live;
    struct mach_calibration calibration;
    bool calibrated;
    struct rec_outcome outcome;
    sigset_t signals; /* mask of this process while the program ran */
};

static ls_err record_setenv(enum ls_env_id id, const char *value)
{
    if (setenv(ls_env_rows[id].variable, value, 1) != 0)
        return ls_fail_errno(errno, "cannot set %s", ls_env_rows[id].variable);
    return LS_OK;
}

static ls_err record_environment(const struct record *r)
{
    char number[32];
    for (size_t i = 0; i < sizeof(record_envs) / sizeof(record_envs[0]); i++)
        if (r->v[record_envs[i].option].given && !(r->attach.pid && record_envs[i].option == RECORD_DURATION))
            LS_TRY(record_setenv(record_envs[i].variable, r->v[record_envs[i].option].text));
    if (r->v[RECORD_CONTROL].given) {
        snprintf(number, sizeof(number), "%llu", (unsigned long long)r->v[RECORD_CONTROL].number);
        LS_TRY(record_setenv(LS_ENV_CONTROL, number));
    }
    if (r->v[RECORD_WATCH].given) {
        LS_TRY(rec_watch_prepare(r->v[RECORD_WATCH].text, r->path));
        LS_TRY(record_setenv(LS_ENV_ENGINE, "watch"));
    }
    if (r->v[RECORD_PAUSED].given) LS_TRY(record_setenv(LS_ENV_PAUSED, "1"));
    if (r->v[RECORD_NO_CHILDREN].given) LS_TRY(record_setenv(LS_ENV_CHILDREN, "0"));
    if (r->v[RECORD_NO_TAGS].given) LS_TRY(record_setenv(LS_ENV_TAGS, "0"));
    snprintf(number, sizeof(number), "%llu", (unsigned long long)ls_clock_mono_ns());
    LS_TRY(record_setenv(LS_ENV_START, number));
    LS_TRY(record_setenv(LS_ENV_SPOOL, r->spool.path));
    if (r->attach.pid) return LS_OK;
    LS_TRY(record_setenv(LS_ENV_PRELOAD, r->preload));
    return rec_preload_set(r->preload);
}

static void record_command_line(struct record *r)
{
    size_t len = 0;
    for (char **a = r->program; *a && len + 1 < sizeof(r->command); a++) {
        const int n = snprintf(r->command + len, sizeof(r->command) - len, len ? " %s" : "%s", cli_quote(*a));
        len += n > 0 ? (size_t)n : 0;
    }
}

static ls_err record_describe(const struct record *r)
{
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    LS_TRY(rec_spool_describe(&r->spool, "command", r->command));
    LS_TRY(rec_spool_describe(&r->spool, "version", PACKAGE_VERSION));
    LS_TRY(rec_spool_describe(&r->spool, "host", host));
    for (int i = 0; i < RECORD_OPTIONS; i++)
        if (r->v[i].given)
            LS_TRY(
                rec_spool_describe(&r->spool, record_options[i].name, r->v[i].text ? r->v[i].text : "yes"));
    return LS_OK;
}

static const char *record_given(const struct record *r, int option)
{
    return r->v[option].given ? r->v[option].text : NULL;
}

static ls_err record_hardware(const struct record *r)
{
    const struct rec_hardware_options o = {.engine = record_given(r, RECORD_ENGINE),
                                           .event = record_given(r, RECORD_EVENT),
                                           .period = record_given(r, RECORD_PERIOD),
                                           .freq = record_given(r, RECORD_FREQ),
                                           .ldlat = record_given(r, RECORD_LDLAT),
                                           .stores = record_given(r, RECORD_STORES)};
    return rec_hardware_prepare(&o);
}

/* The engine was requested by name, so there is no fallback: report that it does not work before the program
 * runs. rec_hardware_prepare does this for hw. */
static ls_err record_try_engine(const struct record *r)
{
    const char *asked = r->v[RECORD_WATCH].given ? "watch" : record_given(r, RECORD_ENGINE);
    const bool is_watch = asked && strcmp(asked, "watch") == 0;
    struct doc_engine e;
    if (is_watch && !r->v[RECORD_WATCH].given)
        return ls_fail(LS_ERR_USAGE, "--engine watch needs an element: record --watch NAME[INDEX]");
    if (!is_watch && !(asked && strcmp(asked, "faults") == 0)) return LS_OK;
    doc_engine_try_event(is_watch ? DOC_WATCH : DOC_FAULTS, &e);
    if (e.works) return LS_OK;
    return ls_fail(LS_ERR_UNSUPPORTED, "%s does not work here: %s%s%s",
                   r->v[RECORD_WATCH].given ? "--watch"
                   : is_watch               ? "--engine watch"
                                            : "--engine faults",
                   e.detail, *e.remedy ? "; " : "", e.remedy);
}

/* The directory to make the spool in, NULL for the default. In a recorded program LOADSTONE_SPOOL names the
 * spool of the recording around us. */
static const char *record_spool_asked(const struct record *r)
{
    if (r->v[RECORD_SPOOL].given) return r->v[RECORD_SPOOL].text;
    if (getenv(ls_env_rows[LS_ENV_START].variable)) return NULL;
    const char *named = getenv(ls_env_rows[LS_ENV_SPOOL].variable);
    return named && *named ? named : NULL;
}

static ls_err record_start_series(struct record *r)
{
    const char *max = r->v[RECORD_SPOOL_MAX].given ? NULL : getenv(ls_env_rows[LS_ENV_SPOOL_MAX].variable);
    struct rec_series_options o = {.names = r->v[RECORD_SERIES].text,
                                   .interval_ns = r->v[RECORD_SERIES_INTERVAL].number,
                                   .bytes_max = r->v[RECORD_SPOOL_MAX].number};
    if (max && *max) LS_TRY(ls_parse_bytes(max, &o.bytes_max));
    return r->v[RECORD_SERIES].given ? rec_series_start(&o, &r->spool, &r->series) : LS_OK;
}

static ls_err record_name_output(struct record *r)
{
    cli_output_for_rank(r->v[RECORD_OUTPUT].text, r->output);
    if (!r->v[RECORD_PER_NODE].given)
        return r->v[RECORD_SAMPLES_OF].given
                   ? ls_fail(LS_ERR_USAGE,
                             "--samples-of needs --per-node, which sums the ranks of a machine up")
                   : LS_OK;
    LS_TRY(rec_node_name(r->v[RECORD_OUTPUT].text, r->v[RECORD_FORCE].given, &r->node));
    r->node.every = r->v[RECORD_SAMPLES_OF].number;
    snprintf(r->output, sizeof(r->output), "%s", r->node.part);
    return LS_OK;
}

/* Options that are for programs that record starts. */
static ls_err record_check_pid(const struct record *r)
{
    static const int others[] = {RECORD_CONTROL, RECORD_PER_NODE, RECORD_DELAY};
    if (r->program[0])
        return ls_fail(LS_ERR_USAGE, "--pid records a process that runs already: it takes no program ('%s')",
                       r->program[0]);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (r->v[others[i]].given)
            return ls_fail(LS_ERR_USAGE, "--%s has no effect with --pid", record_options[others[i]].name);
    return LS_OK;
}

/* Find the program. Returns an exit status. */
static int record_find_target(struct record *r)
{
    ls_err err = LS_OK;
    if (r->v[RECORD_PID].given) {
        err = record_check_pid(r);
        if (err == LS_OK) err = rec_attach_find((pid_t)r->v[RECORD_PID].number, &r->attach);
        if (err == LS_OK) r->program = r->attach.argv;
        if (err == LS_OK) snprintf(r->path, sizeof(r->path), "%s", r->attach.program);
    } else if (!r->program[0]) {
        err = ls_fail(LS_ERR_USAGE,
                      "record needs a program, or --pid and a process that runs: loadstone record -- "
                      "PROGRAM [ARGUMENT...]");
    } else {
        err = rec_target_find(r->program[0], r->path);
        if (err == LS_OK) err = rec_target_check(r->path);
    }
    if (err == LS_OK) return CLI_OK;
    cli_fail(err);
    return err == LS_ERR_USAGE ? CLI_LAUNCHER : rec_target_status(err);
}

/* Check everything that can fail before the start, not after an hour of computing. */
static int record_prepare(struct record *r)
{
    ls_err err = rec_limits_check();
    if (err != LS_OK) {
        cli_fail(err);
        return CLI_LAUNCHER;
    }
    const int status = record_find_target(r);
    if (status != CLI_OK) return status;
    record_command_line(r);
    if ((err = record_name_output(r)) != LS_OK) {
        cli_fail(err);
        return CLI_LAUNCHER;
    }
    if (r->v[RECORD_SERIES].given && (err = rec_series_check(r->v[RECORD_SERIES].text)) != LS_OK) {
        cli_fail(err);
        return CLI_LAUNCHER;
    }
    const bool per_node = r->v[RECORD_PER_NODE].given;
    const char *const output = per_node ? r->node.output : r->output;
    if ((err = cli_output_check_profile(output, r->v[RECORD_FORCE].given)) != LS_OK ||
        (per_node && (err = rec_node_begin(&r->node)) != LS_OK) ||
        (err = rec_preload_find(r->preload)) != LS_OK || (err = record_hardware(r)) != LS_OK ||
        (err = record_try_engine(r)) != LS_OK) {
        cli_fail(err);
        return CLI_LAUNCHER;
    }
    cli_progress("measuring this machine's latencies, once", 0);
    r->calibrated = mach_calibration_get(&r->calibration) == LS_OK;
    cli_progress("", 1);
    if (!r->calibrated)
        cli_warn("latencies cannot be calibrated here, so levels will be missing: %s", ls_last_error());
    if ((err = rec_spool_make(&r->spool, record_spool_asked(r))) != LS_OK ||
        (err = record_describe(r)) != LS_OK || (err = record_start_series(r)) != LS_OK ||
        (r->v[RECORD_LIVE].given && (err = rec_live_start(&r->spool, &r->live)) != LS_OK) ||
        (err = record_environment(r)) != LS_OK) {
        cli_fail(err);
        return CLI_LAUNCHER;
    }
    return CLI_OK;
}

/* Return whether an engine was requested by name and could not sample in the program. */
static bool record_engine_failed(const struct record *r, const struct prof_run *run)
{
    const char *asked = record_given(r, RECORD_ENGINE);
    if (!asked || strcmp(asked, "auto") == 0 || strcmp(asked, "null") == 0 ||
        strcmp(run->engine, "null") != 0)
        return false;
    cli_error("--engine %s did not work: %s; --engine auto takes another engine then", asked,
              *run->why ? run->why : "the reason is not known");
    return true;
}

struct record_result {
    const struct record *record;
    bool engine_failed;
};

static ls_err record_say_result_here(void *context)
{
    struct record_result *result = context;
    const struct record *r = result->record;
    prof_profile *p = NULL;
    LS_TRY(prof_open(r->output, &p));
    const struct prof_run *run = prof_run_of(p);
    size_t bursts = 0;
    prof_bursts(p, &bursts);
    const char *samples = *run->events_sampled ? "sample" : "burst"; /* of page faults, for example */
    char achieved[64] = "";
    if (isfinite(run->overhead_achieved))
        snprintf(achieved, sizeof(achieved), ", overhead %.1f %%", run->overhead_achieved * 100);
    if (!r->v[RECORD_PER_NODE].given) /* one line for each of many ranks */
        cli_note("engine %s%s%s%s%s%s", *run->engine ? run->engine : "none",
                 *run->trigger ? ", trigger " : "", run->trigger, *run->why ? " (" : "", run->why,
                 *run->why ? ")" : "");
    if (!r->v[RECORD_PER_NODE].given)
        cli_note("%zu %s%s in %.1f s%s: %s", bursts, samples, bursts == 1 ? "" : "s",
                 (double)r->outcome.duration_ns * 1e-9, achieved, r->output);
    result->engine_failed = record_engine_failed(r, run);
    prof_close(p);
    if (!result->engine_failed && !r->v[RECORD_PER_NODE].given)
        cli_next("loadstone report %s", cli_quote(r->output));
    return LS_OK;
}

/* Print what was recorded; return whether the requested engine worked. */
static bool record_say_result(const struct record *r)
{
    struct record_result result = {r, false};
    const ls_err err = cli_work_in_child(record_say_result_here, &result, &result.engine_failed,
                                         sizeof(result.engine_failed), "reading the profile");
    if (err != LS_OK) cli_fail(err);
    return !result.engine_failed;
}

/* The rank has ended, with a profile or without one. False: the profile of the machine could not be written. Signals that
 * came since the program's end, and later ones, end this process now, like a rank that is killed. */
static bool record_end_node(struct record *r)
{
    cli_signals_release(&r->signals);
    return !r->v[RECORD_PER_NODE].given || rec_node_end(&r->node);
}

/* Keep the spool and print how to resolve it; if the program failed, return its status. */
static int record_keep(struct record *r, const char *why)
{
    cli_error("%s", why);
    cli_error("the raw data is kept; loadstone resolve %s -o %s tries again", cli_quote(r->spool.path),
              cli_quote(r->output));
    record_end_node(r);
    return r->outcome.exit_code || r->outcome.exit_signal ? rec_end_like(&r->outcome) : CLI_LAUNCHER;
}

/* The runtime did not start in the program: there is nothing to keep. */
static int record_nothing(struct record *r)
{
    rec_spool_remove(&r->spool);
    if (r->attach.pid) {
        cli_error("process %d ended before anything was recorded", (int)r->attach.pid);
        record_end_node(r);
        return CLI_LAUNCHER;
    }
    cli_error("%s recorded nothing: it ended before the runtime started, or something removed LD_PRELOAD",
              r->program[0]);
    record_end_node(r);
    return r->outcome.exit_code || r->outcome.exit_signal ? rec_end_like(&r->outcome) : CLI_LAUNCHER;
}

/* Return why no hardware engine is used, if the engine was chosen automatically; otherwise NULL. */
static const char *record_why_no_hw(const struct record *r)
{
    const char *engine = record_given(r, RECORD_ENGINE);
    return engine && strcmp(engine, "auto") != 0 ? NULL : mach_capability_why_no_hw();
}

static int record_finish(struct record *r)
{
    struct prof_resolve_options options = {.spool_dir = r->spool.path,
                                           .output_path = r->output,
                                           .force = r->v[RECORD_FORCE].given,
                                           .slices = rec_resolve_steps(&r->v[RECORD_STEPS]),
                                           .why_no_hw = record_why_no_hw(r),
                                           .command = r->command,
                                           .duration_ns = r->outcome.duration_ns,
                                           .exit_code = r->outcome.exit_code,
                                           .pid = r->attach.pid ? 0 : r->outcome.pid,
                                           .attached_pid = (uint32_t)r->attach.pid,
                                           .exit_signal = r->outcome.exit_signal,
                                           .calibration = r->calibrated ? &r->calibration : NULL};
    struct prof_resolve_stats stats = {0};
    const bool goes_on = rec_spool_in_use(r->spool.path);
    rec_spool_end(&r->spool);
    if (r->v[RECORD_PER_NODE].given) options.force = true; /* the part of an earlier job */
    const ls_err err = rec_resolve(&options, &stats);
    if (err == LS_ERR_NOT_FOUND) return record_nothing(r);
    if (err != LS_OK) return record_keep(r, *ls_last_error() ? ls_last_error() : ls_err_text(err));
    rec_resolve_say_missing(&stats);
    bool worked = record_say_result(r);
    if (r->attach.pid && !rec_attach_has_ended(&r->attach))
        cli_note("process %d goes on, and can be recorded again", (int)r->attach.pid);
    else if (goes_on)
        cli_note("processes started by the program still run; they are recorded no longer");
    if (r->v[RECORD_KEEP_SPOOL].given)
        cli_note("raw data: %s", r->spool.path);
    else if (rec_spool_remove(&r->spool) != LS_OK)
        cli_warn("%s", ls_last_error());
    if (!record_end_node(r)) worked = false;
    if (!worked && !r->outcome.exit_code && !r->outcome.exit_signal) return CLI_LAUNCHER;
    return rec_end_like(&r->outcome);
}

static int record_start_failed(struct record *r)
{
    rec_spool_remove(&r->spool);
    record_end_node(r);
    cli_error("cannot start %s: %s", r->path, strerror(r->outcome.exec_errno));
    return r->outcome.exec_errno == ENOENT ? CLI_NO_PROGRAM : CLI_CANNOT_RUN;
}

static ls_err record_attach(struct record *r)
{
    LS_TRY(rec_attach_begin(&r->attach, r->preload, &r->spool));
    cli_note("recording process %d: %s; Ctrl-C ends it", (int)r->attach.pid, r->command);
    rec_attach_finish(&r->attach, &r->spool, r->v[RECORD_DURATION].given ? r->v[RECORD_DURATION].number : 0,
                      &r->outcome);
    return LS_OK;
}

static int record_run(const struct cli_command *c, const struct cli_value *v, char **operands)
{
    (void)c;
    static struct record r; /* large */
    r.v = v;
    r.program = operands;
    cli_message_quiet(v[RECORD_QUIET].given);
    sigprocmask(SIG_SETMASK, NULL, &r.signals);
    const int status = record_prepare(&r);
    if (status != CLI_OK) {
        rec_live_stop(&r.live, &r.spool);
        rec_series_stop(&r.series);
        if (r.spool.path[0]) rec_spool_remove(&r.spool);
        record_end_node(&r);
        return status;
    }
    const ls_err err = r.attach.pid ? record_attach(&r) : rec_launch(r.path, r.program, &r.outcome);
    cli_signals_hold(&r.signals); /* until there is a profile, or a hint how to make it */
    rec_live_stop(&r.live, &r.spool);
    rec_series_stop(&r.series);
    if (err != LS_OK) {
        rec_spool_remove(&r.spool);
        record_end_node(&r);
        cli_fail(err);
        return CLI_LAUNCHER;
    }
    const int result = r.outcome.exec_errno ? record_start_failed(&r) : record_finish(&r);
    rec_attach_fini(&r.attach);
    return result;
}

const struct cli_command cli_cmd_record = {
    .name = "record",
    .summary = "run a program and sample the data it waits for",
    .operands = "[--] PROGRAM [ARGUMENT...] | --pid PID",
    .description =
        "Runs PROGRAM, follows its threads and children, and writes a profile when it has ended. The program "
        "is not changed; it must be dynamically linked. Recording keeps to the overhead budget (--overhead).\n\n"
        "Under an MPI launcher (mpirun loadstone record PROGRAM) each rank writes a separate profile; with "
        "the launcher as PROGRAM (loadstone record mpirun PROGRAM) all local ranks are in one profile, and "
        "report --by rank separates them. With --per-node, the ranks of each machine are summed up in one "
        "profile, whose size hardly grows with their number: the time of each piece of data, line and phase over all "
        "ranks, of each rank by data, and the samples of outliers. loadstone merge does the same with the files "
        "of all machines. A rank that is killed does not block the others.\n\n"
        "With --pid, a process that runs already is recorded from now on, and goes on unchanged when the recording ends. "
        "If loadstone run started it, the runtime is there; otherwise it is loaded into the process, where the system "
        "permits it (doc/attach.md).\n\n"
        "Recording ends when PROGRAM ends. Processes that it started and that continue (daemons) are in the "
        "profile with their records up to then; afterwards neither they nor programs that they start record "
        "anything.\n\n"
        "Recording needs 32 open files (ulimit -n), 64 KiB of stack (ulimit -s), and a session whose filter "
        "of system calls (seccomp), if it has one, does not kill programs for perf_event_open, fallocate, "
        "flock, sigaltstack, prctl, mkdirat, timer_create and madvise; if it does, record prints an error and "
        "starts nothing. A program that installs such a filter itself is recorded up to that point.\n\n"
        "The exit status is that of PROGRAM; a signal that kills PROGRAM also ends loadstone record. Signals "
        "sent to loadstone record are passed on; after PROGRAM has ended, SIGINT, SIGTERM and SIGHUP end loadstone "
        "record, which keeps the raw data for loadstone resolve if the profile was not complete.",
    .examples = "loadstone record -- ./stencil 1024           record a program\n"
                "loadstone record -o a.h5 --overhead 10% -- ./short   more samples of a short program\n"
                "loadstone record --pid 1234 --duration 10s    ten seconds of a process\n"
                "mpirun -n 4 loadstone record -- ./solver      one profile a rank\n"
                "mpirun -n 64 loadstone record --per-node -- ./solver   one profile a machine\n"
                "loadstone record -- mpirun -n 4 ./solver      one profile of all ranks of this machine\n",
    .exit_status = "The program's own, or it dies by the program's signal; 125 when recording itself fails, "
                   "126 when the program cannot be run or recorded, 127 when it is not found.",
    .options = record_options,
    .options_len = RECORD_OPTIONS,
    .operands_min = 0,
    .operands_max = (size_t)-1,
    .stops_at_operand = true,
    .completes_programs = true,
    .usage_status = CLI_LAUNCHER,
    .run = record_run,
};
