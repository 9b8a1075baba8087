/* SPDX-License-Identifier: BSD-3-Clause */
/* Energy of processors and memory: /sys/class/powercap (Documentation/power/powercap/powercap.rst of Linux),
 * which has RAPL of Intel and AMD. */
#include "traffic/trf_source.h"

#include "common/ls_file.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

enum { POWERCAP_PATH_BYTES = 512, POWERCAP_NAME_BYTES = 40 };
#define POWERCAP_JOULES 1e-6

static void powercap_name(const char *zone, char out[POWERCAP_NAME_BYTES])
{
    char file[POWERCAP_PATH_BYTES];
    snprintf(file, sizeof(file), "%.*s/name", POWERCAP_PATH_BYTES - 8, zone);
    ls_file_read(file, out, POWERCAP_NAME_BYTES);
    out[strcspn(out, "\n")] = '\0';
    if (!*out) snprintf(out, POWERCAP_NAME_BYTES, "%.39s", strrchr(zone, '/') + 1);
}

/* "package-0", and "package-0 dram" for the zone inside it: intel-rapl:0:1 is in intel-rapl:0. */
static void powercap_full_name(const char *zone, char out[TRF_SCOPE_BYTES])
{
    char own[POWERCAP_NAME_BYTES], of[POWERCAP_NAME_BYTES], parent[POWERCAP_PATH_BYTES];
    powercap_name(zone, own);
    snprintf(parent, sizeof(parent), "%.*s", POWERCAP_PATH_BYTES - 1, zone);
    char *last = strrchr(parent, ':');
    *last = '\0';
    if (!strchr(strrchr(parent, '/'), ':')) {
        snprintf(out, TRF_SCOPE_BYTES, "%s", own);
        return;
    }
    powercap_name(parent, of);
    snprintf(out, TRF_SCOPE_BYTES, "%.23s %.23s", of, own);
}

static ls_err powercap_add(struct trf_opened *o, const char *zone)
{
    struct trf_counter c = {.unit = "J", .kind = LS_COUNTER_ENERGY, .scale = POWERCAP_JOULES};
    char file[POWERCAP_PATH_BYTES + 32];
    int64_t range = 0;
    snprintf(file, sizeof(file), "%.*s/max_energy_range_uj", POWERCAP_PATH_BYTES, zone);
    if (ls_file_number(file, &range) && range > 0) c.range = (uint64_t)range;
    powercap_full_name(zone, c.scope);
    for (size_t i = 0; i < o->counters.len; i++)
        if (strcmp(o->counters.rows[i].scope, c.scope) == 0) return LS_OK;
    LS_TRY(trf_files_counter(o, &c, c.scope));
    snprintf(file, sizeof(file), "%.*s/energy_uj", POWERCAP_PATH_BYTES, zone);
    return trf_files_path(o, file);
}

static ls_err powercap_open(const struct trf_machine *m, const char *const *metrics, struct trf_opened *out)
{
    char pattern[POWERCAP_PATH_BYTES];
    glob_t found;
    ls_err err = LS_OK;
    (void)metrics;
    LS_TRY(trf_files_new(out));
    snprintf(pattern, sizeof(pattern), "%s/class/powercap/*:*/energy_uj", trf_sys_root(m));
    if (glob(pattern, 0, NULL, &found) != 0)
        return ls_fail(LS_ERR_NOT_FOUND,
                       "%s: no energy counters (virtual machine, or load the module intel_rapl_msr)",
                       pattern);
    for (size_t i = 0; i < found.gl_pathc; i++)
        *strrchr(found.gl_pathv[i], '/') = '\0';
    for (int by_mmio = 0; by_mmio < 2; by_mmio++) /* the same zones again, read in another way */
        for (size_t i = 0; i < found.gl_pathc && err == LS_OK; i++)
            if ((strstr(found.gl_pathv[i], "-mmio:") != NULL) == by_mmio)
                err = powercap_add(out, found.gl_pathv[i]);
    globfree(&found);
    if (err == LS_OK) err = trf_files_try(out, "run as root, or chmod a+r the file energy_uj of each zone");
    snprintf(out->detail, sizeof(out->detail), "%zu zones", out->counters.len);
    return err;
}

const struct trf_source trf_source_powercap = {
    .name = "powercap",
    .group = "power",
    .gives = "energy of each package and of its cores and memory (RAPL)",
    .needs = "root, or read permission for energy_uj; bare metal",
    .open = powercap_open,
    .read = trf_files_read,
    .close = trf_files_close,
};
