/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/patterns/ptn_read.h"
#include "common/ls_text.h"
#include "patterns/compact/pat_row_lengths.h"
#include "patterns/compact/pat_found.h"
#include "patterns/source/pat_source.h"
#include "patterns/write/pat_write.h"
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

/* Return whether instructions stay apart: published modes rank single instructions, some output formats
 * cannot join them, and --no-join asks for it. */
static bool ptn_keeps_apart(const struct cli_value *v)
{
    const struct pat_writer *to = pat_writer_at(v[PTN_TO].number);
    return v[PTN_NO_JOIN].given || v[PTN_MODE].number != PAT_MODE_COST || (to && !to->joins);
}

/* Return whether gathers come before scatters, as in GS Patterns. */
static bool ptn_is_by_kind(const struct cli_value *v)
{
    const struct pat_writer *to = pat_writer_at(v[PTN_TO].number);
    return v[PTN_MODE].number != PAT_MODE_COST || (to && to->by_kind);
}

uint64_t ptn_longest(const struct cli_value *v)
{
    return v[PTN_LONGEST].given ? v[PTN_LONGEST].number : v[PTN_MEMORY].number / PTN_BYTES_AN_INDEX;
}

void ptn_settings_of(const struct cli_value *v, struct ptn_settings *out)
{
    *out = (struct ptn_settings){
        .format = v[PTN_FORMAT].given ? pat_source_format_at(v[PTN_FORMAT].number)->name : NULL,
        .binaries = v[PTN_BINARY].all,
        .binaries_len = v[PTN_BINARY].all_len,
        .arrays = v[PTN_ARRAYS].given ? v[PTN_ARRAYS].text : NULL,
        .extract = {.mode = (enum pat_mode)v[PTN_MODE].number,
                    .memory_bytes = v[PTN_MEMORY].number,
                    .top = ptn_u32(&v[PTN_TOP]),
                    .accesses_min = v[PTN_MIN_ACCESSES].number,
                    .unique_min = ptn_u32(&v[PTN_MIN_DISTANCES]),
                    .far_share_min = v[PTN_MIN_FAR].share,
                    .far_elements = v[PTN_FAR].number,
                    .window_rows = ptn_u32(&v[PTN_WINDOW_ROWS]),
                    .window_bytes = ptn_u32(&v[PTN_WINDOW_BYTES]),
                    .with_companions = !ptn_keeps_apart(v),
                    .merge_threads = !v[PTN_BY_THREAD].given,
                    .fold_min = PAT_FOLD_MIN,
                    .keep_loader = v[PTN_LOADER].given,
                    .lines = v[PTN_NO_SYMBOLS].given ? NULL : pat_names_known,
                    .keep_trivial = v[PTN_TRIVIAL].given},
        .compact = {.pattern_max = ptn_longest(v),
                    .no_symbols = v[PTN_NO_SYMBOLS].given,
                    .no_join = ptn_keeps_apart(v),
                    .by_kind = ptn_is_by_kind(v),
                    .seed = v[PTN_SEED].number},
        .no_index_loads = v[PTN_NO_INDEX_LOADS].given,
    };
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
