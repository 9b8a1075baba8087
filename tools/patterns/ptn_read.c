/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/patterns/ptn_read.h"
#include "common/ls_text.h"
#include "patterns/compact/pat_row_lengths.h"
#include "patterns/compact/pat_found.h"
#include "patterns/source/pat_source.h"
#include "tools/cli/cli_message.h"
#include "tools/patterns/ptn_actions.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void ptn_read_note(void *user, const char *text)
{
    (void)user;
    cli_warn("%s", text);
}

static uint32_t ptn_u32(const struct cli_value *v)
{
    return v->number < UINT32_MAX ? (uint32_t)v->number : UINT32_MAX;
}

uint64_t ptn_longest(const struct cli_value *v)
{
    return v[PTN_LONGEST].given ? v[PTN_LONGEST].number : v[PTN_MEMORY].number / PTN_BYTES_AN_INDEX;
}

void ptn_write_note(void *user, const char *text)
{
    (void)user;
    cli_note("%s", text);
}

/* Instructions stay apart in published modes, which rank single ones, and in formats that cannot join them; gathers come
 * before scatters as in GS Patterns. */
void ptn_settings_default(enum pat_mode mode, const struct pat_writer *to, uint64_t memory_bytes,
                          struct ptn_settings *out)
{
    const bool is_published = mode != PAT_MODE_COST;
    const bool keeps_apart = is_published || (to && !to->joins);
    *out = (struct ptn_settings){
        .extract = {.mode = mode,
                    .memory_bytes = memory_bytes,
                    .with_companions = !keeps_apart,
                    .merge_threads = true,
                    .fold_min = PAT_FOLD_MIN,
                    .lines = pat_names_known},
        .compact = {.pattern_max = memory_bytes / PTN_BYTES_AN_INDEX,
                    .no_join = keeps_apart,
                    .by_kind = is_published || (to && to->by_kind)},
    };
}

static void ptn_filters_of(const struct cli_value *v, struct pat_extract_options *out)
{
    out->top = ptn_u32(&v[PTN_TOP]);
    out->accesses_min = v[PTN_MIN_ACCESSES].number;
    out->unique_min = ptn_u32(&v[PTN_MIN_DISTANCES]);
    out->far_share_min = v[PTN_MIN_FAR].share;
    out->far_elements = v[PTN_FAR].number;
    out->window_rows = ptn_u32(&v[PTN_WINDOW_ROWS]);
    out->window_bytes = ptn_u32(&v[PTN_WINDOW_BYTES]);
    out->merge_threads = !v[PTN_BY_THREAD].given;
    out->keep_loader = v[PTN_LOADER].given;
    out->keep_trivial = v[PTN_TRIVIAL].given;
    if (v[PTN_NO_JOIN].given) out->with_companions = false;
    if (v[PTN_NO_SYMBOLS].given) out->lines = NULL;
}

void ptn_settings_of(const struct cli_value *v, struct ptn_settings *out)
{
    ptn_settings_default((enum pat_mode)v[PTN_MODE].number, pat_writer_at(v[PTN_TO].number),
                         v[PTN_MEMORY].number, out);
    ptn_filters_of(v, &out->extract);
    out->format = v[PTN_FORMAT].given ? pat_source_format_at(v[PTN_FORMAT].number)->name : NULL;
    out->binaries = v[PTN_BINARY].all;
    out->binaries_len = v[PTN_BINARY].all_len;
    out->arrays = v[PTN_ARRAYS].given ? v[PTN_ARRAYS].text : NULL;
    out->compact.pattern_max = ptn_longest(v);
    out->compact.no_symbols = v[PTN_NO_SYMBOLS].given;
    out->compact.seed = v[PTN_SEED].number;
    if (v[PTN_NO_JOIN].given) out->compact.no_join = true;
    out->no_index_loads = v[PTN_NO_INDEX_LOADS].given;
}

static double ptn_cost_share(const struct pat_findings *f)
{
    double sum = 0;
    for (size_t i = 0; i < f->len; i++)
        sum += f->rows[i].cost_share;
    return sum;
}

ls_err ptn_cut(const struct ptn_settings *s, struct ptn_found *f)
{
    struct pat_left_out_row *cut = &f->sequences.left_out[PAT_LEFT_OUT_CHEAP];
    const uint64_t accesses = f->sequences.accesses_filtered;
    const double cost = ptn_cost_share(&f->findings);
    const size_t len = f->findings.len;
    if (s->extract.mode != PAT_MODE_COST) return LS_OK; /* top counts instructions in this mode */
    LS_TRY(pat_findings_cut(&f->findings, pat_extract_top(&s->extract), &f->sequences.accesses_filtered));
    cut->len += len - f->findings.len;
    cut->accesses += f->sequences.accesses_filtered - accesses;
    cut->cost += (cost - ptn_cost_share(&f->findings)) * f->sequences.cost;
    return LS_OK;
}

/* Return the number of patterns to extract. A dropped index load belongs to a pattern that stays, so at least
 * half of 2 * top stay. */
static uint32_t ptn_top(const struct ptn_settings *s)
{
    const uint32_t top = pat_extract_top(&s->extract);
    return !s->no_index_loads ? top : top <= UINT32_MAX / 2 ? 2 * top : UINT32_MAX;
}

/* A binary whose name was cleaned cannot be opened by this name. */
static void ptn_warn_cleaned(const struct pat_findings *f, const struct pat_tables *t)
{
    for (size_t i = 0; i < f->len; i++) {
        const uint32_t module = f->rows[i].module_row;
        const char *path = module < t->modules_len ? t->modules[module].path : NULL;
        if (!path || !*ls_text_cleaned_remedy(path) || access(path, F_OK) == 0) continue;
        cli_warn("%s is not there: functions have no names, and loads of indices are not found%s", path,
                 ls_text_cleaned_remedy(path));
        return;
    }
}

static bool ptn_is_pipe(const char *path)
{
    struct stat info;
    return strcmp(path, "-") == 0 || stat(path, &info) != 0 ||
           !(S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
}

/* Read the files again for the rows of loops. Pipes can be read only once: their patterns have none. */
static ls_err ptn_find_rows(const char *const *paths, size_t len, const struct pat_source_options *o,
                            struct ptn_found *f)
{
    struct pat_source_options again = *o;
    pat_source *source;
    again.note = NULL;
    for (size_t i = 0; i < len; i++)
        if (ptn_is_pipe(paths[i])) return LS_OK;
    if (f->counts.is_sampled || !pat_row_lengths_possible(&f->findings, &f->sequences)) return LS_OK;
    LS_TRY(pat_many_open(paths, len, &again, &source));
    const ls_err err = pat_row_lengths(source, &f->sequences, &f->findings);
    pat_source_close(source);
    return err;
}

ls_err ptn_read_files(const char *const *paths, size_t len, const struct ptn_settings *s,
                      struct ptn_found *out)
{
    const bool as_published = s->extract.mode != PAT_MODE_COST;
    const struct pat_source_options source = {.format = s->format,
                                              .warps_as_published = as_published,
                                              .binaries = &out->binaries,
                                              .arrays = s->arrays ? &out->arrays : NULL,
                                              .note = ptn_read_note};
    struct pat_extract_options extract = s->extract;
    struct pat_compact_options compact = s->compact;
    memset(out, 0, sizeof(*out));
    if (!as_published) extract.top = ptn_top(s);
    for (size_t i = 0; i < s->binaries_len; i++)
        LS_TRY(pat_binaries_add(&out->binaries, s->binaries[i]));
    if (s->arrays) LS_TRY(pat_arrays_read(s->arrays, &out->arrays));
    LS_TRY(pat_many_open(paths, len, &source, &out->source));
    if (as_published && !extract.window_bytes)
        extract.window_bytes = pat_source_row(out->source)->window_bytes;
    LS_TRY(pat_extract(out->source, &extract, &out->sequences));
    out->counts = pat_source_counts(out->source);
    compact.is_sampled = out->counts.is_sampled;
    LS_TRY(pat_compact(&out->sequences, pat_source_tables(out->source), &compact, &out->findings));
    ptn_warn_cleaned(&out->findings, pat_source_tables(out->source));
    if (s->no_index_loads) LS_TRY(pat_feeds_drop(&out->findings, &out->sequences, &out->index_loads));
    LS_TRY(ptn_cut(s, out));
    return s->with_rows ? ptn_find_rows(paths, len, &source, out) : LS_OK;
}

ls_err ptn_read(const char *path, const struct ptn_settings *s, struct ptn_found *out)
{
    return ptn_read_files(&path, 1, s, out);
}

void ptn_found_fini(struct ptn_found *f)
{
    pat_findings_fini(&f->findings);
    pat_sequences_fini(&f->sequences);
    pat_source_close(f->source);
    pat_binaries_fini(&f->binaries);
    pat_arrays_fini(&f->arrays);
    f->source = NULL;
}
