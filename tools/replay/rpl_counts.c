/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/replay/rpl_counts.h"

#include "tools/cli/cli_term.h"

#include <math.h>

enum { COUNTS_NAME = 28 };

void rpl_counts_json(struct ls_json *j, const struct kn_result *r)
{
    ls_json_open(j, "counts", '{');
    for (int i = 0; i < PE_COUNTS_LEN; i++)
        ls_json_double(j, pe_count_rows[i].name, r->counts.values[i]);
    ls_json_close(j, '}');
}

void rpl_counts_csv_header(FILE *out)
{
    for (int i = 0; i < PE_COUNTS_LEN; i++)
        fprintf(out, ",%s", pe_count_rows[i].name);
}

void rpl_counts_csv_row(const struct kn_result *r, FILE *out)
{
    for (int i = 0; i < PE_COUNTS_LEN; i++) {
        fputc(',', out);
        if (isfinite(r->counts.values[i])) fprintf(out, "%.9g", r->counts.values[i]);
    }
}

/* Counters of hardware that one of the results has. */
static bool is_shown(const struct kn_result *results, size_t len, int count)
{
    if (pe_count_rows[count].kind == PE_COUNT_SOFTWARE) return false;
    for (size_t i = 0; i < len; i++)
        if (isfinite(results[i].counts.values[count])) return true;
    return false;
}

static void counts_row(const struct kn_result *r, const bool shown[PE_COUNTS_LEN], const char *name,
                       FILE *out)
{
    char cell[CLI_CELL_BYTES];
    fprintf(out, "%-*.*s", COUNTS_NAME, COUNTS_NAME, name);
    for (int i = 0; i < PE_COUNTS_LEN; i++)
        if (shown[i])
            fprintf(out, " %17s",
                    isfinite(r->counts.values[i]) ? cli_format_count(cell, r->counts.values[i]) : "-");
    fputc('\n', out);
}

void rpl_counts_print(const struct kn_result *results, size_t len, const char *(*name)(void *user, size_t i),
                      void *user, FILE *out)
{
    bool shown[PE_COUNTS_LEN], any = false;
    for (int i = 0; i < PE_COUNTS_LEN; i++)
        any |= shown[i] = is_shown(results, len, i);
    if (any) {
        fprintf(out, "%-*s", COUNTS_NAME, "counted, of one run");
        for (int i = 0; i < PE_COUNTS_LEN; i++)
            if (shown[i]) fprintf(out, " %17s", pe_count_rows[i].name);
        fputc('\n', out);
        for (size_t i = 0; i < len; i++)
            counts_row(&results[i], shown, name(user, i), out);
    }
    if (len && *results[0].no_counts) fprintf(out, "counters   %s\n", results[0].no_counts);
}
