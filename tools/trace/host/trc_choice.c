/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/trace/host/trc_choice.h"

#include "tools/cli/cli_message.h"
#include "tools/trace/host/trc_code.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static ls_err trc_choice_record(const struct trc_choice *c, FILE *out, struct trc_hot *hot)
{
    char profile[TRC_CHOICE_BYTES];
    if (!c->target->is_native || c->target->is_static)
        return ls_fail(
            LS_ERR_UNSUPPORTED,
            "--auto: %s cannot be recorded (only dynamically linked programs of this machine can): "
            "choose by --function or --lines",
            c->program[0]);
    snprintf(profile, sizeof(profile), "%s/hot.h5", c->folder);
    cli_note("recording %s, to see what is worth tracing", c->program[0]);
    ls_err err = trc_hot_record(c->program, profile);
    if (err == LS_OK) err = trc_hot_code(profile, out, hot);
    unlink(profile);
    return err;
}

static void trc_choice_say(const struct trc_hot *h)
{
    if (!trc_hot_can_choose(h))
        cli_note("%zu bursts are too few to choose by: all of the program is traced", h->bursts);
    else if (h->functions == 0)
        cli_note("none of the code of %zu bursts is in a file that is here: all of the program is traced",
                 h->bursts);
    else
        cli_note("traced: %zu function%s with %.0f %% of the time: %s", h->functions,
                 h->functions == 1 ? "" : "s", h->share * 100, h->names);
    if (h->labels_len > 0)
        cli_note("on data with %.0f %% of their time: %s", h->labels_share * 100, h->label_names);
    else if (h->functions > 0)
        cli_note("on all data: most of it, or of what one function uses, has no name of its own");
}

static ls_err trc_choice_hot(const struct trc_choice *c, FILE *out, struct trc_hot *hot)
{
    LS_TRY(c->profile ? trc_hot_code(c->profile, out, hot) : trc_choice_record(c, out, hot));
    trc_choice_say(hot);
    return LS_OK;
}

static ls_err trc_choice_put(const struct trc_choice *c, FILE *out, struct trc_hot *hot)
{
    const bool is_hot = c->profile || c->is_auto;
    char module[PATH_MAX];
    if (c->module && !c->function && !c->lines && is_hot)
        return ls_fail(LS_ERR_USAGE, "--module chooses code, and so do --auto and --hot: give one of them");
    if (!realpath(c->module ? c->module : c->target->path, module))
        return ls_fail_errno(errno, "cannot find %s", c->module ? c->module : c->target->path);
    if (c->function) LS_TRY(trc_code_function(module, c->function, out));
    if (c->lines) LS_TRY(trc_code_lines(module, c->lines, out));
    if (is_hot) return trc_choice_hot(c, out, hot);
    return c->function || c->lines ? LS_OK : trc_code_all(module, out);
}

ls_err trc_choice_write(const struct trc_choice *c, struct trc_hot *hot, char region[TRC_CHOICE_BYTES])
{
    const bool is_hot = c->profile || c->is_auto;
    region[0] = '\0';
    if (!c->function && !c->lines && !c->module && !is_hot) return LS_OK;
    snprintf(region, TRC_CHOICE_BYTES, "%s/region", c->folder);
    FILE *out = fopen(region, "we");
    if (!out) return ls_fail_errno(errno, "cannot write %s", region);
    const ls_err err = trc_choice_put(c, out, hot);
    if (fclose(out) != 0 && err == LS_OK) return ls_fail_errno(errno, "cannot write %s", region);
    if (err == LS_OK && is_hot && hot->functions == 0) region[0] = '\0'; /* there is nothing to choose by */
    return err;
}
