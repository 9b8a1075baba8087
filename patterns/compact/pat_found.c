/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compact/pat_found.h"

#include <stdio.h>
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

static const char *pat_text_or(const char *text, const char *other)
{
    return text && *text ? text : other;
}

const char *pat_found_label(const struct pat_found *f, char out[PAT_FOUND_KEY_BYTES])
{
    const char *const home = pat_text_or(f->home, ""), *const index = pat_text_or(f->index_home, "");
    snprintf(out, PAT_FOUND_KEY_BYTES, "%s%s%s%s%s%s in %s", f->op == PAT_OP_LOAD ? "load" : "store",
             *home ? " " : "", home, *index ? "[" : "", index, *index ? "]" : "",
             pat_text_or(f->function, pat_text_or(f->module, "code without a name")));
    return out;
}

const char *pat_found_key(const struct pat_found *f, char out[PAT_FOUND_KEY_BYTES])
{
    out[0] = '\0';
    return *pat_text_or(f->home, "") || *pat_text_or(f->function, "") ? pat_found_label(f, out) : out;
}

void pat_found_fini(struct pat_found *f)
{
    char *const texts[] = {f->module, f->function, f->file, f->home, f->index_home, f->thread};
    free(f->threads_apart.data);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        free(texts[i]);
    free(f->head.data);
    free(f->tail.data);
    free(f->members);
    pat_config_fini(&f->config);
}

static int pat_cost_order(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Find the least cost of the `top` costliest rows, and how many rows with exactly this cost are among
 * them. */
static ls_err pat_cost_limit(const struct pat_findings *f, size_t top, double *out_limit, size_t *out_equal)
{
    double *costs = malloc(f->len * sizeof(*costs));
    if (!costs) return ls_nomem("ranking %zu patterns", f->len);
    for (size_t i = 0; i < f->len; i++)
        costs[i] = f->rows[i].cost_share;
    qsort(costs, f->len, sizeof(*costs), pat_cost_order);
    *out_limit = costs[top - 1];
    *out_equal = 0;
    for (size_t i = top; i-- > 0 && costs[i] == *out_limit;)
        ++*out_equal;
    free(costs);
    return LS_OK;
}

ls_err pat_findings_cut(struct pat_findings *f, size_t top, uint64_t *accesses)
{
    double limit = 0;
    size_t equal = 0, kept = 0;
    if (f->len <= top) return LS_OK;
    if (top) LS_TRY(pat_cost_limit(f, top, &limit, &equal));
    for (size_t i = 0; i < f->len; i++) {
        struct pat_found *r = &f->rows[i];
        const bool is_equal = r->cost_share == limit;
        if (top && (r->cost_share > limit || (is_equal && equal))) {
            equal -= is_equal;
            f->rows[kept++] = *r;
        } else {
            *accesses += r->accesses;
            pat_found_fini(r);
        }
    }
    f->len = kept;
    return LS_OK;
}

void pat_findings_fini(struct pat_findings *f)
{
    for (size_t i = 0; i < f->len; i++)
        pat_found_fini(&f->rows[i]);
    free(f->rows);
    memset(f, 0, sizeof(*f));
}

/* ---- loads of indices ---- */

/* True for loads that read elements in order, as a replay reads its index list; it does not replace other
 * loads. */
static bool feeds_in_order(const struct pat_found *f)
{
    return f->op == PAT_OP_LOAD && f->members_len == 0 && f->class == PAT_CLASS_UNIFORM && f->stride == 1;
}

static bool feeds(const struct pat_sequence *index, const struct pat_sequence *of)
{
    return index != of && of->index_site == index->site && of->index_home == index->home &&
           of->thread == index->thread && index->accesses <= of->accesses;
}

static bool feeds_any(const struct pat_findings *f, const struct pat_sequences *s, size_t row)
{
    for (size_t i = 0; i < f->len; i++)
        if (feeds(&s->rows[f->rows[row].sequence], &s->rows[f->rows[i].sequence])) return true;
    return false;
}

ls_err pat_feeds_drop(struct pat_findings *f, const struct pat_sequences *s, size_t *out_dropped)
{
    size_t kept = 0;
    bool *goes = calloc(f->len + 1, sizeof(*goes));
    if (!goes) return ls_nomem("%zu patterns", f->len);
    for (size_t i = 0; i < f->len; i++)
        goes[i] = feeds_in_order(&f->rows[i]) && feeds_any(f, s, i);
    for (size_t i = 0; i < f->len; i++) {
        if (goes[i])
            pat_found_fini(&f->rows[i]);
        else
            f->rows[kept++] = f->rows[i];
    }
    *out_dropped = f->len - kept;
    f->len = kept;
    free(goes);
    return LS_OK;
}
