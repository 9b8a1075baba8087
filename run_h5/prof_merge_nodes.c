/* SPDX-License-Identifier: BSD-3-Clause */
/* The trees of all files as one tree, and their phases as one list. */
#include "run_h5/prof_merge_parts.h"

#include <stdlib.h>
#include <string.h>

/* --- nodes --- */

static bool merge_is_registered(const struct prof_node *n)
{
    return n->parent == 0 &&
           (n->kind == PROF_NODE_GROUP || n->kind == PROF_NODE_RANGE || n->kind == PROF_NODE_PROCESS);
}

static size_t merge_files_with_ranges(const struct prof_merge_job *job)
{
    size_t with = 0;
    for (size_t i = 0; i < job->files_len; i++) {
        size_t len, n = 0;
        const struct prof_node *nodes = prof_nodes(job->files[i].profile, &len);
        while (n < len && !merge_is_registered(&nodes[n]))
            n++;
        with += n < len;
    }
    return with;
}

static ls_err merge_add_node(struct prof_merge_job *job, struct prof_node node, uint32_t *out)
{
    LS_TRY(LS_VECTOR_ROOM(&job->nodes));
    node.id = *out = (uint32_t)job->nodes.len;
    job->nodes.rows[job->nodes.len++] = node;
    return LS_OK;
}

/* Nodes that no process owns (the root, "unregistered" and its nodes for all processes) are the same in every
 * file. There are few of them. */
static uint32_t merge_twin_of(const struct prof_merge_job *job, const struct prof_node *n)
{
    for (uint32_t i = 0; i < job->nodes.len; i++) {
        const struct prof_node *m = &job->nodes.rows[i];
        if (m->process == PROF_NO_PROCESS && m->kind == n->kind && m->parent == n->parent &&
            m->base == n->base && strcmp(m->label, n->label) == 0)
            return i;
    }
    return UINT32_MAX;
}

/* Above the ranges of a process, as where several processes of one recording registered some. */
static ls_err merge_process_node(struct prof_merge_job *job, struct prof_merge_file *f, uint32_t process,
                                 uint32_t *out)
{
    size_t len;
    const struct prof_process *p = prof_processes(f->profile, &len);
    *out = f->process_node_of[process];
    if (*out != UINT32_MAX) return LS_OK;
    const struct prof_run *run = prof_run_of(f->profile);
    const struct prof_node node = {
        .kind = PROF_NODE_PROCESS,
        .process = (uint32_t)prof_merge_row(f, PROF_TABLE_processes, process),
        .label = strcmp(run->host, job->run.host) == 0
                     ? prof_name_printf(job->names, "process %u", p[process].pid)
                     : prof_name_printf(job->names, "process %u on %s", p[process].pid, run->host),
        .born_ns = prof_merge_time(f, p[process].begin_ns),
        .died_ns = UINT64_MAX};
    LS_TRY(merge_add_node(job, node, out));
    f->process_node_of[process] = *out;
    return LS_OK;
}

static ls_err merge_node(struct prof_merge_job *job, struct prof_merge_file *f, const struct prof_node *from,
                         bool several)
{
    struct prof_node n = *from;
    uint32_t *to = &f->node_of[from->id];
    if (several && merge_is_registered(from) && from->kind != PROF_NODE_PROCESS &&
        from->process != PROF_NO_PROCESS)
        LS_TRY(merge_process_node(job, f, from->process, &n.parent));
    else if (n.parent != UINT32_MAX)
        n.parent = f->node_of[from->parent];
    n.process = (uint32_t)prof_merge_row(f, PROF_TABLE_processes, from->process);
    n.born_ns = prof_merge_time(f, from->born_ns);
    n.died_ns = prof_merge_time(f, from->died_ns);
    *to = n.process == PROF_NO_PROCESS ? merge_twin_of(job, &n) : UINT32_MAX;
    if (from->id == 0 && job->nodes.len > 0) *to = 0;
    return *to == UINT32_MAX ? merge_add_node(job, n, to) : LS_OK;
}

static ls_err merge_nodes_of(struct prof_merge_job *job, struct prof_merge_file *f, bool several)
{
    size_t len, processes_len;
    const struct prof_node *nodes = prof_nodes(f->profile, &len);
    prof_processes(f->profile, &processes_len);
    f->node_of = malloc((len + 1) * sizeof(*f->node_of));
    f->process_node_of = malloc((processes_len + 1) * sizeof(*f->process_node_of));
    if (!f->node_of || !f->process_node_of) return ls_nomem("the nodes of %s", f->path);
    for (size_t p = 0; p < processes_len; p++)
        f->process_node_of[p] = UINT32_MAX;
    for (size_t n = 0; n < len; n++) {
        LS_TRY(merge_node(job, f, &nodes[n], several));
        if (nodes[n].kind == PROF_NODE_PROCESS && nodes[n].process != PROF_NO_PROCESS)
            f->process_node_of[nodes[n].process] = f->node_of[n];
    }
    return LS_OK;
}

ls_err prof_merge_nodes(struct prof_merge_job *job)
{
    const bool several = merge_files_with_ranges(job) > 1;
    for (size_t i = 0; i < job->files_len; i++)
        LS_TRY(merge_nodes_of(job, &job->files[i], several));
    return LS_OK;
}

/* --- phases --- */

static ls_err merge_phase(struct prof_merge_job *job, struct prof_phase phase, uint32_t *out)
{
    for (*out = 0; *out < job->phases.len; ++*out)
        if (job->phases.rows[*out].parent == phase.parent &&
            strcmp(job->phases.rows[*out].name, phase.name) == 0)
            return LS_OK;
    LS_TRY(LS_VECTOR_ROOM(&job->phases));
    phase.id = *out;
    job->phases.rows[job->phases.len++] = phase;
    return LS_OK;
}

ls_err prof_merge_phases(struct prof_merge_job *job)
{
    for (size_t i = 0; i < job->files_len; i++) {
        struct prof_merge_file *f = &job->files[i];
        size_t len;
        const struct prof_phase *phases = prof_phases(f->profile, &len);
        f->phase_of = malloc((len + 1) * sizeof(*f->phase_of));
        if (!f->phase_of) return ls_nomem("the phases of %s", f->path);
        for (size_t p = 0; p < len; p++) {
            struct prof_phase phase = phases[p];
            if (phase.parent != UINT32_MAX) phase.parent = f->phase_of[phase.parent];
            LS_TRY(merge_phase(job, phase, &f->phase_of[p]));
        }
    }
    return LS_OK;
}
