/* SPDX-License-Identifier: BSD-3-Clause */
/* Time in libraries in which threads wait for others: it looks like accesses to the library's data. */
#include "common/ls_text.h"
#include "tools/cli/cli_term.h"
#include "tools/report/rep_print.h"

#include <string.h>

#define REP_SPINNING_SHARE 0.1 /* least share of the time */

bool rep_is_thread_library(const char *module)
{
    static const char *const names[] = {"libgomp.so", "libomp.so", "libiomp5.so"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strncmp(ls_base_name(module), names[i], strlen(names[i])) == 0) return true;
    return false;
}

/* The file in which the burst began; "": not known. */
static const char *rep_module_of(const struct rep_view *v, const struct prof_burst *b)
{
    const uint32_t row = an_tables_line(&v->tables, an_tables_process(&v->tables, b->thread), b->ip);
    return row < v->tables.lines_len ? v->tables.lines[row].module : "";
}

void rep_print_spinning(const struct rep_view *v, FILE *out)
{
    const char *library = "";
    double there_ns = 0, all_ns = 0;
    char text[256], percent[CLI_CELL_BYTES];
    for (size_t i = 0; i < v->in.bursts_len; i++) {
        const struct prof_burst *b = &v->in.bursts[i];
        const double weight_ns = an_weight_ns(&v->costs, b);
        const char *module = rep_module_of(v, b);
        all_ns += weight_ns;
        if (!rep_is_thread_library(module)) continue;
        there_ns += weight_ns;
        library = ls_base_name(module);
    }
    if (!rep_is_by_node(v) || v->options.node || v->options.where_len || all_ns <= 0 ||
        there_ns < REP_SPINNING_SHARE * all_ns)
        return;
    snprintf(
        text, sizeof(text),
        "threads    %s %% of the time is in %.64s, where threads mostly wait for others: balance their work, or "
        "let them sleep meanwhile (OMP_WAIT_POLICY=passive)",
        cli_format_percent(percent, there_ns / all_ns), library);
    cli_print_folded(text, REP_KEY_WIDTH, cli_term_width(), out);
}
