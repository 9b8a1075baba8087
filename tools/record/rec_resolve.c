/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/record/rec_resolve.h"

#include "profile/prof_steps.h"
#include "tools/cli/cli_message.h"

_Static_assert(PROF_STEPS_MAX == 200, "the help of --steps says so");

static void rec_warn(void *user, const char *text)
{
    (void)user;
    cli_progress("", 1);
    cli_warn("%s", text);
}

static void rec_progress(void *user, double done)
{
    (void)user;
    cli_progress("resolving", done);
}

uint32_t rec_resolve_steps(const struct cli_value *steps)
{
    if (!steps->given) return 0;
    return steps->number < PROF_STEPS_MAX ? (uint32_t)steps->number : PROF_STEPS_MAX;
}

ls_err rec_resolve(struct prof_resolve_options *o, struct prof_resolve_stats *out)
{
    o->progress = rec_progress;
    o->warn = rec_warn;
    const ls_err err = prof_resolve(o, out);
    cli_progress("", 1);
    return err;
}

void rec_resolve_say_missing(const struct prof_resolve_stats *s)
{
    if (s->threads == 0)
        cli_warn(
            "no thread could write anything: the spool's file system is full, or --spool-max is too small");
    if (s->dropped_bytes)
        cli_warn("%llu KiB of records found no room: the spool reached its limit or its file system is full. "
                 "What came later is missing: raise --spool-max or give --spool another place",
                 (unsigned long long)(s->dropped_bytes / 1024 + 1));
    if (s->dumps_failed)
        cli_warn("%llu files that the program asked for could not be written: %s",
                 (unsigned long long)s->dumps_failed, ls_last_error());
    if (s->damaged_files)
        cli_warn("%llu thread files are damaged and were read up to the damage",
                 (unsigned long long)s->damaged_files);
}
