/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone patterns diff and groups. */
#include "tools/cli/cli_message.h"
#include "tools/patterns/ptd_diff.h"
#include "tools/patterns/ptd_groups.h"
#include "tools/patterns/ptn_actions.h"

#define PTD_MATCH_WITHIN 0.10
#define PTD_GROUP_WITHIN 0.05
enum { PTD_GROUP_FILES_MAX = 64 };

static double ptd_within(const struct cli_value *v, double otherwise)
{
    return v[PTN_WITHIN].given ? v[PTN_WITHIN].share : otherwise;
}

static int ptd_diff_run(const struct cli_value *v, char **operands, size_t operands_len)
{
    (void)operands_len;
    struct ptd_options o = {
        .match = {.within = ptd_within(v, PTD_MATCH_WITHIN), .ignore_keys = v[PTN_BY_DISTANCE].given}};
    struct ptd_diff d;
    ptn_settings_of(v, &o.settings);
    o.settings.compact.no_join = true; /* names of single instructions go together */
    const ls_err err = ptd_diff_make(operands, &o, &d);
    if (err == LS_OK) {
        (v[PTN_JSON].given ? ptd_json_diff : ptd_print_diff)(&d, stdout);
        fflush(stdout);
        cli_next("loadstone patterns groups %s %s", cli_quote(operands[0]), cli_quote(operands[1]));
    }
    ptd_diff_fini(&d);
    return err == LS_OK ? CLI_OK : cli_fail(err);
}

static int ptd_groups_run(const struct cli_value *v, char **operands, size_t operands_len)
{
    struct ptd_group_options o = {.within = ptd_within(v, PTD_GROUP_WITHIN)};
    struct ptd_groups g;
    ptn_settings_of(v, &o.settings);
    o.settings.compact.no_join = true;        /* names of single instructions go together */
    o.settings.extract.merge_threads = false; /* which threads are alike is the question */
    const ls_err err = ptd_groups_make(operands, operands_len, &o, &g);
    g.with_members = v[PTN_MEMBERS].given;
    if (err == LS_OK) (v[PTN_JSON].given ? ptd_json_groups : ptd_print_groups)(&g, stdout);
    ptd_groups_fini(&g);
    return err == LS_OK ? CLI_OK : cli_fail(err);
}

const struct ptn_action ptn_action_diff = {
    .name = "diff",
    .operands = "A B",
    .operands_min = 2,
    .operands_max = 2,
    .options = PTN_BITS_FIND | PTN_BIT(PTN_WITHIN) | PTN_BIT(PTN_BY_DISTANCE) | PTN_BIT(PTN_JSON),
    .run = ptd_diff_run,
};

const struct ptn_action ptn_action_groups = {
    .name = "groups",
    .operands = "FILE...",
    .operands_min = 1,
    .operands_max = PTD_GROUP_FILES_MAX,
    .options = PTN_BITS_FIND | PTN_BIT(PTN_WITHIN) | PTN_BIT(PTN_MEMBERS) | PTN_BIT(PTN_JSON),
    .run = ptd_groups_run,
};
