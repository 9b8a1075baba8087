/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory bandwidth monitoring of resctrl (Documentation/filesystems/resctrl.rst of Linux): bytes that the
 * cores of each L3 move, of each group. Traffic of devices is not in it. */
#include "traffic/trf_source.h"

#include "common/ls_file.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

enum { RESCTRL_PATH_BYTES = 512, RESCTRL_MODE_BYTES = 64 };

/* Folders with mon_data: the root group, control groups, monitoring groups, those in control groups. */
static const char *const resctrl_groups[] = {"", "mon_groups/*/", "*/", "*/mon_groups/*/"};

/* "default" for the root group, "NAME" otherwise. */
static void resctrl_scope(const char *mon_data, size_t root_len, char out[TRF_SCOPE_BYTES])
{
    const char *begin = mon_data + root_len, *end = strstr(begin, "mon_data");
    const int len = end > begin ? (int)(end - begin - 1) : 0;
    snprintf(out, TRF_SCOPE_BYTES, "%.*s", len ? len : 7, len ? begin : "default");
}

/* The sum over the L3 domains of a group. */
static ls_err resctrl_add(struct trf_opened *o, const char *mon_data, const char *event,
                          const struct trf_counter *c)
{
    char pattern[RESCTRL_PATH_BYTES + 64], name[TRF_NAME_BYTES];
    glob_t found;
    ls_err err = LS_OK;
    snprintf(pattern, sizeof(pattern), "%.*s/mon_L3_*/%s", RESCTRL_PATH_BYTES, mon_data, event);
    if (glob(pattern, 0, NULL, &found) != 0) return LS_OK;
    snprintf(name, sizeof(name), "%s %s", c->scope, c->kind == LS_COUNTER_MOVED ? "moved" : "moved, local");
    err = trf_files_counter(o, c, name);
    for (size_t i = 0; i < found.gl_pathc && err == LS_OK; i++)
        err = trf_files_path(o, found.gl_pathv[i]);
    globfree(&found);
    return err;
}

static ls_err resctrl_add_group(struct trf_opened *o, const char *mon_data, size_t root_len)
{
    struct trf_counter c = {.unit = "B", .kind = LS_COUNTER_MOVED, .scale = 1};
    resctrl_scope(mon_data, root_len, c.scope);
    LS_TRY(resctrl_add(o, mon_data, "mbm_total_bytes", &c));
    c.kind = LS_COUNTER_OTHER; /* a part of the total */
    return resctrl_add(o, mon_data, "mbm_local_bytes", &c);
}

static void resctrl_describe(const char *root, struct trf_opened *out)
{
    char file[RESCTRL_PATH_BYTES], mode[RESCTRL_MODE_BYTES];
    snprintf(file, sizeof(file), "%s/info/L3_MON/mbm_assign_mode", root);
    ls_file_read(file, mode, sizeof(mode));
    snprintf(out->detail, sizeof(out->detail), "%zu counters%s", out->counters.len,
             strstr(mode, "[mbm_event]")
                 ? "; the hardware has few, which mbm_L3_assignments assigns to groups"
                 : "");
}

static ls_err resctrl_open(const struct trf_machine *m, const char *const *metrics, struct trf_opened *out)
{
    char root[RESCTRL_PATH_BYTES], pattern[RESCTRL_PATH_BYTES + 64];
    ls_err err = LS_OK;
    (void)metrics;
    LS_TRY(trf_files_new(out));
    snprintf(root, sizeof(root), "%s/fs/resctrl", trf_sys_root(m));
    for (size_t g = 0; g < sizeof(resctrl_groups) / sizeof(resctrl_groups[0]); g++) {
        glob_t found;
        snprintf(pattern, sizeof(pattern), "%s/%smon_data", root, resctrl_groups[g]);
        if (glob(pattern, 0, NULL, &found) != 0) continue;
        for (size_t i = 0; i < found.gl_pathc && err == LS_OK; i++)
            err = resctrl_add_group(out, found.gl_pathv[i], strlen(root) + 1);
        globfree(&found);
    }
    if (err == LS_OK) err = trf_files_try(out, "run as root");
    if (err == LS_OK && out->counters.len == 0)
        err = ls_fail(LS_ERR_NOT_FOUND,
                      "%s has no mbm_total_bytes: mount -t resctrl resctrl /sys/fs/resctrl as root, on a "
                      "processor with memory bandwidth monitoring",
                      root);
    resctrl_describe(root, out);
    return err;
}

const struct trf_source trf_source_resctrl = {
    .name = "resctrl",
    .group = "traffic",
    .gives = "bytes that the cores read and wrote in memory, together, of each resctrl group",
    .needs = "resctrl mounted, root, memory bandwidth monitoring (Intel RDT, AMD QoS, Arm MPAM)",
    .check = TRF_CHECK_STREAM,
    .open = resctrl_open,
    .read = trf_files_read,
    .close = trf_files_close,
};
