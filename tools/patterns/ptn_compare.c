/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone patterns diff and groups. */
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_output.h"
#include "tools/patterns/ptn_compare.h"
#include "tools/patterns/ptn_groups.h"
#include "tools/patterns/ptn_actions.h"

#define PTN_MATCH_WITHIN 0.10
#define PTN_GROUP_WITHIN 0.05
enum { PTN_GROUP_FILES_MAX = 64 };

static double ptn_within(const struct cli_value *v, double otherwise)
{
    return v[PTN_WITHIN].given ? v[PTN_WITHIN].share : otherwise;
}

static int ptn_diff_run(const struct cli_value *v, char **operands, size_t operands_len)
{
    (void)operands_len;
    struct ptn_options o = {
        .match = {.within = ptn_within(v, PTN_MATCH_WITHIN), .ignore_keys = v[PTN_BY_DISTANCE].given}};
    struct ptn_diff d;
    ptn_settings_of(v, &o.settings);
    const ls_err err = ptn_diff_make(operands, &o, &d);
    if (err == LS_OK) {
        (v[PTN_JSON].given ? ptn_json_diff : ptn_print_diff)(&d, stdout);
        fflush(stdout);
        if (cli_output_is_kept(operands[0]) && cli_output_is_kept(operands[1]))
            cli_next("loadstone patterns groups %s %s", cli_quote(operands[0]), cli_quote(operands[1]));
    }
    ptn_diff_fini(&d);
    return err == LS_OK ? CLI_OK : cli_fail(err);
}

static int ptn_groups_run(const struct cli_value *v, char **operands, size_t operands_len)
{
    struct ptn_group_options o = {.within = ptn_within(v, PTN_GROUP_WITHIN)};
    struct ptn_groups g;
    ptn_settings_of(v, &o.settings);
    o.settings.compact.no_join = true;        /* names of single instructions go together */
    o.settings.extract.merge_threads = false; /* which threads are alike is the question */
    const ls_err err = ptn_groups_make(operands, operands_len, &o, &g);
    g.with_members = v[PTN_MEMBERS].given;
    if (err == LS_OK) (v[PTN_JSON].given ? ptn_json_groups : ptn_print_groups)(&g, stdout);
    ptn_groups_fini(&g);
    return err == LS_OK ? CLI_OK : cli_fail(err);
}

const struct ptn_action ptn_action_diff = {
    .about = {.name = "diff",
              .operands = "A B",
              .description =
                  "diff says how far apart the patterns of A and B are, from 0 to 1: what the distances from "
                  "access to access, the reuse of cache lines, footprint, utilisation and spread differ by. "
                  "A and B are pattern files, profiles or traces. Patterns go together by name, the others "
                  "by distance. The interval is from a bootstrap over blocks of accesses; halves is what two "
                  "halves of one pattern differ by. Where the accesses lie in memory and how the pattern is "
                  "written does not matter.",
              .examples = "loadstone patterns diff before.json after.json\n",
              .options = PTN_BITS_FIND | PTN_BIT(PTN_WITHIN) | PTN_BIT(PTN_BY_DISTANCE) | PTN_BIT(PTN_JSON)},
    .operands_min = 2,
    .operands_max = 2,
    .run = ptn_diff_run,
};

const struct ptn_action ptn_action_groups = {
    .about = {.name = "groups",
              .operands = "FILE...",
              .description = "groups puts the patterns of threads, ranks and inputs that are alike together "
                             "and names one that stands for the others.",
              .examples = "loadstone patterns groups --members rank0.json rank1.json rank2.json\n",
              .options = PTN_BITS_FIND | PTN_BIT(PTN_WITHIN) | PTN_BIT(PTN_MEMBERS) | PTN_BIT(PTN_JSON)},
    .operands_min = 1,
    .operands_max = PTN_GROUP_FILES_MAX,
    .run = ptn_groups_run,
};
