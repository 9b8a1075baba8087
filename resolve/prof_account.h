/* SPDX-License-Identifier: BSD-3-Clause */
/* Accounting: CPU time of all processes while sampling was on = user + kernel + recording, and the share of
 * the user time that the bursts represent.
 *
 * Each burst has the weight 1 / rate at its trigger. These weights estimate the user time without bias, but
 * scatter with the number of bursts; the CPU clocks are more precise. So weights are scaled to the user time
 * of their stratum: a process with at least PROF_STRATUM_BURSTS expected bursts is its own stratum, shorter
 * ones are pooled by program, and pools that are still short join the largest stratum. Scaling each short
 * process by itself would destroy the equal probabilities: a process without a burst would not count at
 * all. */
#ifndef PROF_ACCOUNT_H
#define PROF_ACCOUNT_H

#include "resolve/prof_lines.h"
#include "run_h5/prof_reader.h"
#include "spool/spool_format.h"

#include <stddef.h>

#define PROF_STRATUM_BURSTS 100

/* CPU time of a process as its last record has it; user_ns UINT64_MAX: not known. */
struct prof_cpu {
    uint64_t user_ns, kernel_ns; /* as the kernel splits it, recording included */
    uint64_t recording_ns, recording_kernel_ns;
    uint64_t tick_ns; /* between the samples of that split; 0: not known */
};
#define PROF_CPU_UNKNOWN ((struct prof_cpu){UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0})

/* Copy the values of a RESOURCES record; counts only grow, so the last record is the one that counts. */
void prof_account_take(struct prof_cpu *cpu, const struct spool_resources *rec);

/* Borrowed; cpus is parallel to processes. */
struct prof_account {
    struct prof_process *processes;
    const struct prof_cpu *cpus;
    size_t processes_len;
    const struct prof_thread *threads;
    struct prof_burst *bursts;
    size_t bursts_len;
};

/* Fill the CPU times of processes and of run (all but instructions_*), and scale the weights of bursts. The
 * text in run->unrepresented_why is in why. Errors: LS_ERR_NOMEM. */
ls_err prof_account_close(const struct prof_account *a, struct prof_run *run, char *why,
                          size_t why_len_bytes);

/* Fill data_weight_ns, once weights are scaled. A burst that lost the processor, or was ended from outside,
 * before its loads could be timed shows where the program was, but not which data it accesses. Its accesses
 * are represented by the bursts that began in the same function of the same process and continued, or, if
 * there are none, by such bursts of other processes of the same program. If there are none either, it keeps
 * its weight. lines are sorted by process and ip. Errors: LS_ERR_NOMEM. */
ls_err prof_account_accesses(const struct prof_account *a, const prof_line_list *lines);

#endif
