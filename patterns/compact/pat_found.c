/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compact/pat_found.h"

#include <stdlib.h>
#include <string.h>

#define PAT_CLASS_NAME(id, name) name,
static const char *const pat_class_names[] = {PAT_CLASS_LIST(PAT_CLASS_NAME)};
#undef PAT_CLASS_NAME
_Static_assert(sizeof(pat_class_names) / sizeof(pat_class_names[0]) == PAT_CLASS_COUNT,
               "every class has a name");

#define PAT_FORM_ROW(id, name, text) {name, text},
static const struct {
    const char *name, *text;
} pat_forms[] = {PAT_FORM_LIST(PAT_FORM_ROW)};
#undef PAT_FORM_ROW
_Static_assert(sizeof(pat_forms) / sizeof(pat_forms[0]) == PAT_FORM_COUNT, "every form has a name");

const char *pat_class_name(enum pat_class c)
{
    return (unsigned)c < PAT_CLASS_COUNT ? pat_class_names[c] : "?";
}

const char *pat_form_name(enum pat_form f)
{
    return (unsigned)f < PAT_FORM_COUNT ? pat_forms[f].name : "?";
}

const char *pat_form_text(enum pat_form f)
{
    return (unsigned)f < PAT_FORM_COUNT ? pat_forms[f].text : "?";
}

void pat_found_fini(struct pat_found *f)
{
    char *const texts[] = {f->module, f->function, f->file, f->home, f->index_home, f->thread};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        free(texts[i]);
    free(f->members);
    pat_config_fini(&f->config);
}

void pat_findings_fini(struct pat_findings *f)
{
    for (size_t i = 0; i < f->len; i++)
        pat_found_fini(&f->rows[i]);
    free(f->rows);
    memset(f, 0, sizeof(*f));
}
