/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/ls_env.h"

#include "common/ls_quantity.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define LS_ENV_ROW(id, variable, value, help) [LS_ENV_##id] = {variable, value, help},
const struct ls_env_row ls_env_rows[LS_ENV_COUNT] = {LS_ENV_LIST(LS_ENV_ROW)};

/* --- ranks --- */

/* Launchers, the most reliable first: the variable of an MPI library takes precedence over that of the batch
 * system, which is also set for the script that starts the job. A row with a witness applies only if that
 * variable is set, too. */
static const struct ls_rank_row {
    const char *rank, *ranks_len, *witness, *local_len;
} ls_rank_rows[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL, "OMPI_COMM_WORLD_LOCAL_SIZE"}, /* Open MPI */
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", NULL, "MV2_COMM_WORLD_LOCAL_SIZE"},    /* MVAPICH2 */
    {"MP_CHILD", "MP_PROCS", NULL, NULL},                                                 /* IBM POE */
    {"PMI_RANK", "PMI_SIZE", NULL, "MPI_LOCALNRANKS"},     /* MPICH, Intel MPI, Cray */
    {"PMIX_RANK", "PMIX_SIZE", NULL, NULL},                /* any PMIx launcher */
    {"PALS_RANKID", "PALS_SIZE", NULL, "PALS_LOCAL_SIZE"}, /* HPE PALS */
    {"ALPS_APP_PE", NULL, NULL, NULL},                     /* Cray ALPS */
    {"FLUX_TASK_RANK", "FLUX_JOB_SIZE", NULL, NULL},       /* Flux */
    {"JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", NULL, "JSM_NAMESPACE_LOCAL_SIZE"}, /* IBM jsrun */
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_STEP_ID", NULL}, /* srun; not set in a batch script */
};

static bool ls_rank_read(const char *text, uint32_t *out)
{
    uint64_t number = 0;
    if (!text || !*text || ls_parse_u64(text, &number) != LS_OK || number >= INT32_MAX) return false;
    *out = (uint32_t)number;
    return true;
}

/* Return the ranks on this machine from the list of all machines, "4(x2),3", if srun started this rank (srun(1)); 0: not
 * known. */
static uint32_t ls_rank_local_of_slurm(char *(*get)(const char *name), uint32_t rank)
{
    const char *list = get("SLURM_STEP_TASKS_PER_NODE"), *at = get("SLURM_NODEID");
    uint32_t number;
    if (!list || !at || !ls_rank_read(get("SLURM_PROCID"), &number) || number != rank) return 0;
    unsigned long left = strtoul(at, NULL, 10);
    for (char *end; *list; list = *end == ',' ? end + 1 : end) {
        const unsigned long tasks = strtoul(list, &end, 10);
        unsigned long machines = 1;
        if (end == list) return 0;
        if (strncmp(end, "(x", 2) == 0) {
            machines = strtoul(end + 2, &end, 10);
            if (*end++ != ')') return 0;
        }
        if (left < machines) return tasks < INT32_MAX ? (uint32_t)tasks : 0;
        left -= machines;
        if (*end && *end != ',') return 0;
    }
    return 0;
}

bool ls_rank_find(char *(*get)(const char *name), struct ls_rank *out)
{
    *out = (struct ls_rank){0};
    for (size_t i = 0; i < sizeof(ls_rank_rows) / sizeof(ls_rank_rows[0]); i++) {
        const struct ls_rank_row *row = &ls_rank_rows[i];
        if (row->witness && !get(row->witness)) continue;
        if (!ls_rank_read(get(row->rank), &out->rank)) continue;
        out->variable = row->rank;
        if (!row->ranks_len || !ls_rank_read(get(row->ranks_len), &out->ranks_len)) out->ranks_len = 0;
        if (!row->local_len || !ls_rank_read(get(row->local_len), &out->local_len))
            out->local_len = ls_rank_local_of_slurm(get, out->rank);
        return true;
    }
    return false;
}
