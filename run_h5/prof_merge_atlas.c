/* SPDX-License-Identifier: BSD-3-Clause */
/* Natural domains of several files, one after the other. Grids of equal names may be different parts of the
 * problem (one per rank), so they are not summed. */
#include "config.h"

#include "run_h5/prof_atlas.h"
#include "run_h5/prof_merge_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct merge_atlas {
    struct ndm_atlas *of; /* one a file */
    LS_VECTOR(const char *) domain_names, field_names;
};

static bool merge_is_taken(const char *const *names, size_t len, const char *name)
{
    for (size_t i = 0; i < len; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

/* Append a number to a name that is taken, as for domains of one name in two processes of one recording.
 * *name belongs to the atlas. */
static ls_err merge_rename(char **name, const char *const *names, size_t len)
{
    char *numbered = NULL;
    for (unsigned n = 2; merge_is_taken(names, len, numbered ? numbered : *name); n++) {
        free(numbered);
        if (asprintf(&numbered, "%s #%u", *name, n) < 0) return ls_nomem("a name");
    }
    if (!numbered) return LS_OK;
    free(*name);
    *name = numbered;
    return LS_OK;
}

static ls_err merge_domains(struct prof_merge_job *job, struct merge_atlas *m, struct ndm_atlas *a)
{
    for (uint32_t d = 0; d < a->domains_len; d++) {
        char **label = &a->domains[d].label;
        LS_TRY(merge_rename(label, m->domain_names.rows, m->domain_names.len));
        LS_TRY(LS_VECTOR_ADD(&m->domain_names, *label));
        LS_TRY(prof_atlas_write_domain(job->writer, a, d));
    }
    return LS_OK;
}

static ls_err merge_field(struct prof_merge_job *job, struct merge_atlas *m, struct prof_merge_file *file,
                          uint32_t number)
{
    struct ndm_atlas *a = &m->of[file - job->files];
    struct ndm_field *f = &a->fields[number];
    const struct prof_atlas_want want = {number, PROF_ATLAS_ALL, f->steps_len > 0};
    LS_TRY(prof_atlas_load(file->profile, a, &want));
    f->node = (uint32_t)prof_merge_row(file, PROF_TABLE_nodes, f->node);
    for (uint32_t s = 0; s < f->steps_len; s++)
        f->step_begin_s[s] += (double)file->shift_ns / 1e9;
    LS_TRY(merge_rename(&f->name, m->field_names.rows, m->field_names.len));
    LS_TRY(LS_VECTOR_ROOM(&m->field_names));
    LS_TRY(prof_atlas_write_field(job->writer, a, number));
    for (int i = 0; i < NDM_METRICS_LEN; i++) {
        free(f->values[i]);
        free(f->step_values[i]);
        f->values[i] = f->step_values[i] = NULL;
    }
    m->field_names.rows[m->field_names.len++] = f->name;
    return LS_OK;
}

static ls_err merge_all(struct prof_merge_job *job, struct merge_atlas *m)
{
    uint32_t fields = 0;
    for (size_t i = 0; i < job->files_len; i++) {
        LS_TRY(prof_atlas_list(job->files[i].profile, &m->of[i]));
        LS_TRY(merge_domains(job, m, &m->of[i]));
        job->files[i].first_field = fields;
        fields += m->of[i].fields_len;
    }
    for (size_t i = 0; i < job->files_len; i++)
        for (uint32_t f = 0; f < m->of[i].fields_len; f++)
            LS_TRY(merge_field(job, m, &job->files[i], f));
    return LS_OK;
}

ls_err prof_merge_atlas(struct prof_merge_job *job)
{
    struct merge_atlas m = {.of = calloc(job->files_len, sizeof(*m.of))};
    ls_err e = m.of ? merge_all(job, &m) : ls_nomem("the natural domains");
    for (size_t i = 0; m.of && i < job->files_len; i++)
        ndm_atlas_fini(&m.of[i]);
    free(m.of);
    free(m.domain_names.rows);
    free(m.field_names.rows);
    return e;
}
