/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_h5/prof_merge.h"

#include "run_h5/prof_merge_parts.h"

#include <stdlib.h>
#include <sys/stat.h>

static ls_err merge_open(struct prof_merge_job *job)
{
    const struct prof_merge_options *o = job->options;
    for (size_t i = 0; i < o->paths_len; i++) {
        struct stat a, b;
        job->files[i].path = o->paths[i];
        LS_TRY(prof_open(o->paths[i], &job->files[i].profile));
        for (size_t before = 0; before < i; before++)
            if (stat(o->paths[before], &a) == 0 && stat(o->paths[i], &b) == 0 && a.st_dev == b.st_dev &&
                a.st_ino == b.st_ino)
                return ls_fail(LS_ERR_USAGE, "%s and %s are one file: its samples would count twice",
                               o->paths[before], o->paths[i]);
    }
    return LS_OK;
}

/* Merge samples last, because they need the numbers of all other rows. */
static ls_err merge_write(struct prof_merge_job *job)
{
    LS_TRY(prof_writer_new(job->options->output_path, job->options->force, &job->writer));
    LS_TRY(prof_merge_atlas(job));
    LS_TRY(prof_merge_samples(job));
    LS_TRY(prof_merge_tables(job));
    LS_TRY(prof_writer_run(job->writer, &job->run));
    return prof_writer_finish(job->writer);
}

static ls_err merge_all(struct prof_merge_job *job)
{
    LS_TRY(merge_open(job));
    LS_TRY(prof_merge_count(job));
    LS_TRY(prof_merge_run(job));
    LS_TRY(prof_merge_nodes(job));
    LS_TRY(prof_merge_phases(job));
    return merge_write(job);
}

static void merge_fini(struct prof_merge_job *job)
{
    prof_writer_free(job->writer);
    for (size_t i = 0; job->files && i < job->files_len; i++) {
        prof_close(job->files[i].profile);
        free(job->files[i].node_of);
        free(job->files[i].phase_of);
        free(job->files[i].process_node_of);
    }
    free(job->files);
    free(job->nodes.rows);
    free(job->phases.rows);
    prof_names_free(job->names);
}

ls_err prof_merge(const struct prof_merge_options *o, struct prof_merge_stats *out)
{
    struct prof_merge_job job = {.options = o,
                                 .files = calloc(o->paths_len + 1, sizeof(*job.files)),
                                 .files_len = o->paths_len,
                                 .names = prof_names_new()};
    *out = (struct prof_merge_stats){0};
    ls_err e = job.files && job.names ? merge_all(&job) : ls_nomem("the files");
    for (size_t i = 0; e == LS_OK && i < job.files_len; i++) {
        size_t processes;
        prof_processes(job.files[i].profile, &processes);
        out->samples += job.files[i].samples_len;
        out->processes += processes;
    }
    merge_fini(&job);
    return e;
}
