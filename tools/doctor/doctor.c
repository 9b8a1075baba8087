/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone doctor: tries each feature on this machine and prints how to enable the others. */
#include "machine/mach_capability.h"
#include "machine/mach_topology.h"
#include "perf/pe_pfm.h"
#include "common/ls_json.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_term.h"
#include "tools/doctor/doc_engines.h"
#include "tools/doctor/doc_series.h"
#include "tools/record/rec_spool.h"
#include "tools/record/rec_launch.h"

#include "config.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DOCTOR_JSON, DOCTOR_OPTIONS };
enum { DOCTOR_SCHEMA = 1 };

static const struct cli_option doctor_options[DOCTOR_OPTIONS] = {
    [DOCTOR_JSON] = {"json", 'j', CLI_FLAG, NULL, NULL, "print JSON, schema 1", "Output"},
};

struct doctor {
    struct mach_capability can;
    struct mach_machine machine;
    struct doc_engine engines[DOC_ENGINES];
    struct doc_series series[TRF_SOURCES_MAX];
    size_t series_len;
    char preload[PATH_MAX];
    bool has_preload;
    char preload_problem[512];
    struct rec_left left[REC_LEFT_MAX];
    size_t left_len;
};

/* Return the engine that record selects by default; NULL: none. */
static const struct doc_engine *doctor_engine(const struct doctor *d)
{
    for (int i = DOC_HW; i <= DOC_STEP; i++)
        if (d->engines[i].works) return &d->engines[i];
    return NULL;
}

static const char *doctor_trigger(const struct doctor *d)
{
    if (!d->engines[DOC_STEP].works) return "";
    return d->can.tries[MACH_TRY_TRIGGER_PERF].works ? "perf" : "timer";
}

static void doctor_print_engine(const struct doc_engine *e)
{
    const int out = STDOUT_FILENO;
    printf("  %s%-4s%s %-14s %s\n", cli_colour_begin(out, e->works ? CLI_GREEN : CLI_RED),
           e->works ? "yes" : "no", cli_colour_end(out), e->name, e->gives);
    if (*e->detail) printf("       %-14s %s\n", "", e->detail);
    if (*e->remedy)
        printf("       %-14s %s%s: %s%s\n", "", cli_colour_begin(out, CLI_BOLD),
               e->works ? "for more" : "to enable", e->remedy, cli_colour_end(out));
}

static void doctor_print_try(const struct mach_try *t)
{
    const int out = STDOUT_FILENO;
    printf("  %s%-4s%s %-14s %s\n", cli_colour_begin(out, t->works ? CLI_GREEN : CLI_RED),
           t->works ? "yes" : "no", cli_colour_end(out), t->name, t->purpose);
    printf("       %-14s %s\n", "", t->detail);
    if (*t->remedy)
        printf("       %-14s %sto enable: %s%s\n", "", cli_colour_begin(out, CLI_BOLD), t->remedy,
               cli_colour_end(out));
}

static void doctor_print_series(const struct doc_series *s)
{
    const int out = STDOUT_FILENO;
    printf("  %s%-4s%s %-14s %s\n", cli_colour_begin(out, s->works ? CLI_GREEN : CLI_RED),
           s->works ? "yes" : "no", cli_colour_end(out), s->source->name, s->source->gives);
    printf("       %-14s %s\n", "", s->detail);
    if (!s->works)
        printf("       %-14s %sneeds: %s%s\n", "", cli_colour_begin(out, CLI_BOLD), s->source->needs,
               cli_colour_end(out));
}

/* Print the files that killed launchers could not remove, and a command for each. */
static void doctor_print_left(const struct doctor *d)
{
    char bytes[CLI_CELL_BYTES];
    if (d->left_len) puts("\nLeft by launchers that were killed:");
    for (size_t i = 0; i < d->left_len; i++) {
        const struct rec_left *l = &d->left[i];
        printf("  %s (%s%s%s)\n", l->path, cli_format_bytes(bytes, (double)l->len_bytes),
               *l->command ? ", of " : "", l->command);
        if (l->is_recording)
            printf("       its profile: loadstone resolve -o FILE.h5 %s\n", cli_quote(l->path));
        printf("       to remove it%s: rm -r %s\n",
               l->is_recording ? "" : " (of a trace, and of no more use)", cli_quote(l->path));
    }
}

static void doctor_print(const struct doctor *d)
{
    const struct mach_capability *c = &d->can;
    printf("Loadstone %s on %s\n\n", PACKAGE_VERSION, *d->machine.host ? d->machine.host : "this machine");
    printf("  CPU                  %s\n", *d->machine.cpu ? d->machine.cpu : "unknown");
    printf("  topology             %s\n", *d->machine.summary ? d->machine.summary : "unknown");
    printf("  kernel               Linux %s, %s\n", c->kernel, c->arch);
    printf("  container            %s\n", *c->container ? c->container : "none seen");
    printf("  virtual machine      %s\n", *c->hypervisor ? c->hypervisor : "no");
    if (c->perf_event_paranoid == MACH_PARANOID_UNKNOWN)
        printf("  perf_event_paranoid  none: this kernel has no perf events\n");
    else
        printf("  perf_event_paranoid  %d\n", c->perf_event_paranoid);
    printf("  privilege            %s%s%s%s\n", c->is_root ? "root" : "user",
           c->cap_sys_admin ? ", CAP_SYS_ADMIN" : "", c->cap_perfmon ? ", CAP_PERFMON" : "",
           c->seccomp ? ", system calls filtered (seccomp)" : "");
    printf("  PMUs                 %s\n", *c->pmus ? c->pmus : "none");
    printf("  event names          sysfs%s\n",
           pe_pfm_is_there() ? " and libpfm4" : " (built without libpfm4)");
    printf("  runtime              %s\n\nWhat was tried:\n",
           d->has_preload ? d->preload : d->preload_problem);
    for (int i = 0; i < MACH_TRY_COUNT; i++)
        doctor_print_try(&c->tries[i]);
    printf("\nEngines, best first, and requirements of record --watch:\n");
    for (int i = 0; i < DOC_ENGINES; i++)
        doctor_print_engine(&d->engines[i]);
    printf("\nSeries that record --series can sample:\n");
    for (size_t i = 0; i < d->series_len; i++)
        doctor_print_series(&d->series[i]);
    const struct doc_engine *taken = doctor_engine(d);
    if (taken)
        printf("\nLoads can be sampled here: record takes engine %s.\n", taken->name);
    else
        printf("\nLoads cannot be sampled here. See the failures above.\n");
    doctor_print_left(d);
}

static void doctor_json_try(struct ls_json *j, const struct mach_try *t)
{
    ls_json_open(j, NULL, '{');
    ls_json_text(j, "name", t->name);
    ls_json_text(j, "purpose", t->purpose);
    ls_json_bool(j, "works", t->works);
    ls_json_i64(j, "errno", t->error);
    ls_json_text(j, "detail", t->detail);
    ls_json_text(j, "remedy", t->remedy);
    ls_json_close(j, '}');
}

static void doctor_json_engine(struct ls_json *j, const struct doc_engine *e)
{
    ls_json_open(j, NULL, '{');
    ls_json_text(j, "name", e->name);
    ls_json_text(j, "gives", e->gives);
    ls_json_bool(j, "works", e->works);
    ls_json_i64(j, "errno", e->error);
    ls_json_text(j, "detail", e->detail);
    ls_json_text(j, "remedy", e->remedy);
    ls_json_close(j, '}');
}

static void doctor_json_series(struct ls_json *j, const struct doc_series *s)
{
    ls_json_open(j, NULL, '{');
    ls_json_text(j, "name", s->source->name);
    ls_json_text(j, "group", s->source->group);
    ls_json_text(j, "gives", s->source->gives);
    ls_json_text(j, "needs", s->source->needs);
    ls_json_bool(j, "works", s->works);
    ls_json_text(j, "detail", s->detail);
    ls_json_close(j, '}');
}

/* Convert an engine to a try: schema 1 lists hw among its tries as `pmu-loads`. */
static struct mach_try doctor_try_of(const struct doc_engine *e, const char *name)
{
    struct mach_try t = {.name = name, .purpose = e->gives, .works = e->error == 0, .error = e->error};
    snprintf(t.detail, sizeof(t.detail), "%.*s", (int)sizeof(t.detail) - 1, e->detail);
    snprintf(t.remedy, sizeof(t.remedy), "%s", e->remedy);
    return t;
}

static void doctor_json_left(struct ls_json *j, const struct doctor *d)
{
    ls_json_open(j, "left_spools", '[');
    for (size_t i = 0; i < d->left_len; i++) {
        ls_json_open(j, NULL, '{');
        ls_json_text(j, "path", d->left[i].path);
        ls_json_text(j, "command", d->left[i].command);
        ls_json_u64(j, "bytes", d->left[i].len_bytes);
        ls_json_bool(j, "is_recording", d->left[i].is_recording);
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
}

static void doctor_print_json(const struct doctor *d)
{
    const struct mach_capability *c = &d->can;
    struct ls_json j = {.out = stdout, .indent = LS_JSON_INDENT};
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", DOCTOR_SCHEMA);
    ls_json_text(&j, "version", PACKAGE_VERSION);
    ls_json_text(&j, "host", d->machine.host);
    ls_json_text(&j, "cpu", d->machine.cpu);
    ls_json_text(&j, "topology", d->machine.summary);
    ls_json_text(&j, "kernel", c->kernel);
    ls_json_text(&j, "arch", c->arch);
    ls_json_text(&j, "container", c->container);
    ls_json_text(&j, "virtual_machine", c->hypervisor);
    ls_json_double(&j, "perf_event_paranoid",
                   c->perf_event_paranoid == MACH_PARANOID_UNKNOWN ? 0.0 / 0.0 : c->perf_event_paranoid);
    ls_json_bool(&j, "root", c->is_root);
    ls_json_bool(&j, "cap_perfmon", c->cap_perfmon);
    ls_json_bool(&j, "cap_sys_admin", c->cap_sys_admin);
    ls_json_bool(&j, "seccomp", c->seccomp);
    ls_json_text(&j, "pmus", c->pmus);
    ls_json_text(&j, "runtime", d->has_preload ? d->preload : "");
    ls_json_open(&j, "tries", '[');
    for (int i = 0; i < MACH_TRY_COUNT; i++)
        doctor_json_try(&j, &c->tries[i]);
    const struct mach_try loads = doctor_try_of(&d->engines[DOC_HW], "pmu-loads");
    doctor_json_try(&j, &loads);
    ls_json_close(&j, ']');
    ls_json_open(&j, "engines", '[');
    for (int i = 0; i < DOC_ENGINES; i++)
        doctor_json_engine(&j, &d->engines[i]);
    ls_json_close(&j, ']');
    ls_json_open(&j, "series", '[');
    for (size_t i = 0; i < d->series_len; i++)
        doctor_json_series(&j, &d->series[i]);
    ls_json_close(&j, ']');
    const struct doc_engine *taken = doctor_engine(d);
    ls_json_text(&j, "engine", taken ? taken->name : "null");
    ls_json_text(&j, "trigger", doctor_trigger(d));
    ls_json_bool(&j, "libpfm4", pe_pfm_is_there());
    doctor_json_left(&j, d);
    ls_json_close(&j, '}');
}

static int doctor_run(const struct cli_command *c, const struct cli_value *v, char **operands)
{
    (void)c;
    (void)operands;
    static struct doctor d;                /* large */
    const ls_err err = rec_limits_check(); /* print this first, because some tries may end this process */
    if (err != LS_OK) return cli_fail(err);
    mach_capability_get(&d.can);
    if (mach_describe(&d.machine) != LS_OK) memset(&d.machine, 0, sizeof(d.machine));
    d.has_preload = rec_preload_find(d.preload) == LS_OK;
    if (!d.has_preload) snprintf(d.preload_problem, sizeof(d.preload_problem), "%s", ls_last_error());
    d.left_len = rec_left_find(d.left);
    doc_engines_try(&d.can, d.has_preload, d.engines);
    d.series_len = doc_series_try(d.series);
    if (v[DOCTOR_JSON].given)
        doctor_print_json(&d);
    else
        doctor_print(&d);
    if (!doctor_engine(&d)) return CLI_FAILURE;
    cli_next("loadstone record -- ./program");
    return CLI_OK;
}

const struct cli_command cli_cmd_doctor = {
    .name = "doctor",
    .summary = "report which engines and counters work here and how to enable the others",
    .operands = "",
    .description =
        "Prints the machine, the kernel and what they allow, then tries each engine and each source "
        "of time series. Failures are printed with the error and, if there is one, the command that "
        "enables the engine or source.",
    .examples = "loadstone doctor            a readable list\nloadstone doctor --json     for scripts\n",
    .exit_status = "0 loads can be sampled here; 1 they cannot; 2 wrong usage.",
    .options = doctor_options,
    .options_len = DOCTOR_OPTIONS,
    .run = doctor_run,
};
