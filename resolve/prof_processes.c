/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of /processes: link each image to its parent, to the image that it replaced by exec, and to its
 * end. */
#include "resolve/prof_replay.h"

#include <stdlib.h>
#include <sys/wait.h>

static ls_err prof_process_add(struct prof_run_state *run, const struct spool_image *image,
                               const struct prof_survey *s)
{
    const bool is_empty = s->records_len == 0;
    const bool has_rank = s->origin.rank_from && s->origin.rank <= INT32_MAX;
    LS_TRY(LS_VECTOR_ROOM(&run->processes));
    LS_TRY(LS_VECTOR_ADD(&run->cpus, PROF_CPU_UNKNOWN));
    run->processes.rows[run->processes.len++] = (struct prof_process){
        .pid = image->pid,
        .image = image->image,
        .parent = PROF_NO_PROCESS,
        .origin = PROF_ORIGIN_START,
        .ended = PROF_ENDED_UNKNOWN,
        .exit_code = UINT32_MAX,
        .exit_signal = UINT32_MAX,
        .peak_bytes = s->origin.peak_bytes ? s->origin.peak_bytes : UINT64_MAX,
        .rank = has_rank ? (int32_t)s->origin.rank : -1,
        .ranks_len = has_rank ? s->origin.ranks_len : 0,
        .rank_from = has_rank ? s->origin.rank_from : "",
        .begin_ns = is_empty ? 0 : s->begin_ns - run->start_ns,
        .end_ns = is_empty ? 0 : s->end_ns - run->start_ns,
        PROF_PROCESS_CPU_UNKNOWN,
    };
    return LS_OK;
}

ls_err prof_processes_add(struct prof_run_state *run, const struct spool_image *images,
                          const struct prof_survey *surveys, size_t images_len)
{
    for (size_t i = 0; i < images_len; i++)
        LS_TRY(prof_process_add(run, &images[i], &surveys[i]));
    return LS_OK;
}

/* The image that came before or after this one in the same process; PROF_NO_PROCESS: none. */
static uint32_t prof_image_beside(const struct prof_forks *f, uint32_t row, int step)
{
    const struct spool_image *at = &f->images[row];
    for (size_t i = prof_forks_first_of_pid(f, at->pid); i < f->images_len; i++) {
        if (f->images[f->by_pid[i]].pid != at->pid) break;
        if (f->images[f->by_pid[i]].image == at->image + (uint32_t)step) return f->by_pid[i];
    }
    return PROF_NO_PROCESS;
}

/* An image that ended in an orderly way did not exec: the next image of its pid is another process. */
static bool prof_went_on(const struct prof_run_state *run, uint32_t row)
{
    return run->processes.rows[row].ended == PROF_ENDED_UNKNOWN;
}

/* The image of pid that was there at time_ns. */
static uint32_t prof_image_at(const struct prof_run_state *run, const struct prof_forks *f, uint32_t pid,
                              uint64_t time_ns)
{
    uint32_t found = PROF_NO_PROCESS;
    for (size_t i = prof_forks_first_of_pid(f, pid); i < f->images_len; i++) {
        const struct prof_process *p = &run->processes.rows[f->by_pid[i]];
        if (p->pid != pid || p->begin_ns > time_ns) break;
        found = f->by_pid[i];
    }
    return found;
}

static void prof_link_parent(struct prof_run_state *run, const struct prof_forks *forks, uint32_t i,
                             const struct prof_survey_origin *o)
{
    struct prof_process *p = &run->processes.rows[i];
    const struct prof_fork *fork = prof_forks_of_child(forks, i);
    if (fork) {
        p->parent = fork->parent;
        p->origin = PROF_ORIGIN_FORK;
        return;
    }
    const uint32_t before = prof_image_beside(forks, i, -1);
    if (before != PROF_NO_PROCESS && prof_went_on(run, before))
        p->parent = before;
    else
        p->parent = prof_image_at(run, forks, p->parent_pid, p->begin_ns);
    if (p->parent == PROF_NO_PROCESS && o->has_ancestor)
        p->parent = prof_image_at(run, forks, o->ancestor_pid, p->begin_ns);
    if (p->parent == i) p->parent = PROF_NO_PROCESS;
    if (p->parent != PROF_NO_PROCESS) p->origin = PROF_ORIGIN_EXEC;
}

static void prof_set_end(struct prof_process *p, uint32_t status)
{
    if (status == SPOOL_STATUS_UNKNOWN) return;
    p->exit_code = status;
    p->ended = PROF_ENDED_EXIT;
}

/* Pids are reused: the end belongs to the image that existed when its parent learned of the end. */
static void prof_set_child_end(struct prof_run_state *run, const struct prof_forks *forks,
                               const struct prof_child_end *end)
{
    const int status = (int)end->status;
    const uint32_t row = prof_image_at(run, forks, end->pid, end->time_ns);
    if (row == PROF_NO_PROCESS) return;
    struct prof_process *p = &run->processes.rows[row];
    if (p->ended != PROF_ENDED_UNKNOWN) return;
    if (WIFSIGNALED(status)) {
        p->ended = PROF_ENDED_SIGNAL;
        p->exit_signal = (uint32_t)WTERMSIG(status);
    } else if (WIFEXITED(status)) {
        prof_set_end(p, (uint32_t)WEXITSTATUS(status));
    }
}

/* The launcher waited for its last image. */
static void prof_set_launched(struct prof_run_state *run, const struct prof_forks *forks,
                              const struct prof_launched *l)
{
    const uint32_t row = l->pid ? prof_image_at(run, forks, l->pid, UINT64_MAX) : PROF_NO_PROCESS;
    if (row == PROF_NO_PROCESS) return;
    struct prof_process *p = &run->processes.rows[row];
    p->ended = l->exit_signal ? PROF_ENDED_SIGNAL : PROF_ENDED_EXIT;
    p->exit_code = l->exit_signal ? UINT32_MAX : (uint32_t)l->exit_code;
    p->exit_signal = l->exit_signal ? (uint32_t)l->exit_signal : UINT32_MAX;
}

void prof_processes_link(struct prof_run_state *run, const struct prof_forks *forks,
                         const struct prof_survey_origin *origins, const struct prof_launched *launched)
{
    struct prof_process *p = run->processes.rows;
    const size_t len = run->processes.len;
    for (size_t i = 0; i < len; i++)
        prof_set_end(&p[i], origins[i].status);
    for (size_t i = 0; i < run->child_ends.len; i++)
        prof_set_child_end(run, forks, &run->child_ends.rows[i]);
    for (size_t i = 0; i < len; i++)
        prof_link_parent(run, forks, (uint32_t)i, &origins[i]);
    for (size_t i = 0; i < len; i++)
        if (prof_went_on(run, (uint32_t)i) && prof_image_beside(forks, (uint32_t)i, 1) != PROF_NO_PROCESS)
            p[i].ended = PROF_ENDED_EXEC;
    prof_set_launched(run, forks, launched);
}

const char *prof_process_cmdline(prof_names *names, const char *arguments, size_t len)
{
    while (len > 0 && arguments[len - 1] == '\0')
        len--;
    char *text = malloc(len + 1);
    if (!text) return "";
    for (size_t i = 0; i < len; i++)
        text[i] = arguments[i] ? arguments[i] : ' ';
    const char *name = prof_name(names, text, len);
    free(text);
    return name;
}
