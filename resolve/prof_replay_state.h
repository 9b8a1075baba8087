/* SPDX-License-Identifier: BSD-3-Clause */
/* State of the replay of one process image: for prof_replay.c, which dispatches records, and the files that
 * handle some kinds of them. */
#ifndef PROF_REPLAY_STATE_H
#define PROF_REPLAY_STATE_H

#include "resolve/prof_calls.h"
#include "resolve/prof_forks.h"
#include "resolve/prof_kernel.h"
#include "resolve/prof_latency.h"
#include "resolve/prof_phases.h"
#include "resolve/prof_replay.h"
#include "resolve/prof_snapshot.h"
#include "resolve/prof_space.h"

#define PROF_NO_BURST UINT32_MAX

/* One thread file. */
struct prof_lane {
    uint32_t thread; /* row */
    uint32_t burst;  /* row of the open burst, or PROF_NO_BURST */
    uint32_t cpu;
    bool sampled_is_behind; /* the ip of that SAMPLE is after the access */
    uint32_t sampled;       /* row of the burst of its last SAMPLE, or PROF_NO_BURST */
    uint64_t stack_base, stack_end;
    struct prof_calls_thread calls;
    struct prof_phase_stack phases;
    struct prof_kernel_announced announced;
    struct prof_snapshot maps;
    LS_VECTOR(struct prof_sample)
    samples; /* samples of the open burst, written together so that bursts are contiguous */
};

struct prof_replay {
    struct prof_run_state *run;
    struct prof_survey *survey;
    struct prof_modules modules;
    struct prof_statics statics;
    struct prof_tls tls;
    sym_session *session; /* for call stacks */
    prof_jit *jit;
    prof_space *space;
    prof_calls *calls;
    struct prof_ip_set ips;
    struct prof_latency latency;
    struct prof_kernel_cells kernel;
    struct prof_lane *lanes;
    struct prof_lane *main_lane;             /* lane of the process's first thread; NULL: it has no file */
    struct prof_fork *next_fork, *forks_end; /* still to come */
    uint64_t phases_unmatched, phases_left_open, forks_left_out;
    uint64_t threshold_cycles; /* that the program set for its dumps */
    uint32_t process, threads_begun;
    uint32_t lanes_len;
    uint32_t sampled_tid, sampled_thread; /* thread of the last SAMPLE; tid 0: none */
    size_t first_frame;                   /* first frame of this process in run->frames */
};

static inline struct prof_process *prof_process_of(struct prof_replay *r)
{
    return &r->run->processes.rows[r->process];
}

/* A thread without an open phase is in the main thread's. */
static inline uint32_t prof_phase_of_lane(const struct prof_replay *r, const struct prof_lane *lane)
{
    const uint32_t own = prof_phase_now(&lane->phases);
    return own != PROF_NO_PHASE || !r->main_lane ? own : prof_phase_now(&r->main_lane->phases);
}

static inline void prof_count_coverage(struct prof_run_state *run, uint32_t node)
{
    const uint32_t kind = prof_tree_node(run->tree, node)->kind;
    run->samples_precise += prof_kind_is_precise(kind);
    run->samples_unmapped += kind == PROF_NODE_UNMAPPED;
}

#endif
