/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/replay/rpl_kernel.h"

#include "common/ls_put.h"
#include "kernels/gpu/kn_gpu.h"
#include "kernels/kn_kernel.h"
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_term.h"
#include "tools/replay/rpl_ranks.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void rpl_warn_of_threads(const struct kn_options *o)
{
    const struct kn_backend *b;
    unsigned threads;
    if (kn_backend_choose(o, &b, &threads) != LS_OK || kn_backend_threads_asked(o, b) <= threads) return;
    cli_warn("%u threads asked for%s, %u run: backend %s has %u processor%s here",
             kn_backend_threads_asked(o, b), o->threads ? "" : " by OMP_NUM_THREADS", threads, b->name,
             threads, threads == 1 ? "" : "s");
}

/* ---- as JSON and CSV ---- */

ls_err rpl_machine_of(const struct kn_options *o, struct mach_machine *out)
{
    const struct kn_backend *b;
    struct kn_gpu *g;
    unsigned threads;
    LS_TRY(mach_describe(out));
    LS_TRY(kn_backend_choose(o, &b, &threads));
    if (!b->device) return LS_OK;
    LS_TRY(kn_gpu_open(b->device, o, &g));
    snprintf(out->cpu, sizeof(out->cpu), "%s", g->info.name);
    snprintf(out->summary, sizeof(out->summary),
             "%u compute units, cache %.1f MiB, memory %.1f GiB; backend %s, %s", g->info.units,
             (double)g->info.cache_bytes / (1 << 20), (double)g->info.memory_bytes / (1 << 30), b->name,
             g->info.driver);
    return LS_OK;
}

void rpl_json_machine(struct ls_json *j, const char *key, const struct kn_options *o)
{
    struct mach_machine m;
    if (rpl_machine_of(o, &m) != LS_OK) memset(&m, 0, sizeof(m));
    ls_json_open(j, key, '{');
    ls_json_text(j, "host", m.host);
    ls_json_text(j, "cpu", m.cpu);
    ls_json_text(j, "topology", m.summary);
    ls_json_close(j, '}');
}

/* A column: its name, and its value as a number or, where text is set, as text. */
struct cell {
    const char *name;
    const char *text;
    double number;
    uint64_t integer;
    enum { CELL_TEXT, CELL_NUMBER, CELL_INTEGER, CELL_BOOL } kind;
};
enum { CELLS = 37 };

#define TEXT(name, v)            \
    {                            \
        name, v, 0, 0, CELL_TEXT \
    }
#define NUMBER(name, v)               \
    {                                 \
        name, NULL, v, 0, CELL_NUMBER \
    }
#define INTEGER(name, v)               \
    {                                  \
        name, NULL, 0, v, CELL_INTEGER \
    }
#define BOOL(name, v)               \
    {                               \
        name, NULL, 0, v, CELL_BOOL \
    }

static size_t cells_of(const struct kn_result *r, const char *name, struct cell out[CELLS])
{
    const struct kn_stats *s = &r->seconds;
    const struct cell cells[] = {
        TEXT("name", name),
        TEXT("kernel", r->kernel ? r->kernel->name : ""),
        TEXT("operation", r->kernel ? r->kernel->operation : ""),
        TEXT("backend", r->backend),
        TEXT("variant", r->variant),
        TEXT("method", kn_method_name(r->method)),
        TEXT("stores", kn_stores_name(r->stores)),
        INTEGER("index_bits", r->index_bits),
        INTEGER("element_bytes", r->element_bytes),
        INTEGER("ranks", r->ranks ? r->ranks : 1),
        INTEGER("nodes", r->ranks ? r->nodes : 1),
        INTEGER("threads", r->threads),
        TEXT("pin", kn_pin_name(r->pin)),
        INTEGER("bytes", r->bytes),
        INTEGER("bytes_with_indices", r->bytes_with_indices),
        INTEGER("flops", r->flops),
        INTEGER("memory_bytes", r->memory_bytes),
        INTEGER("huge_bytes", r->huge_bytes),
        NUMBER("mb_per_s", r->mb_per_s),
        NUMBER("mb_per_s_with_indices", (double)r->bytes_with_indices / s->min / 1e6),
        NUMBER("mb_per_s_hmean", r->mb_per_s_hmean),
        NUMBER("mb_per_s_hstderr", r->mb_per_s_hstderr),
        NUMBER("stream_share", r->stream_share),
        INTEGER("runs", s->len),
        NUMBER("min_s", s->min),
        NUMBER("quartile1_s", s->quartile1),
        NUMBER("median_s", s->median),
        NUMBER("quartile3_s", s->quartile3),
        NUMBER("max_s", s->max),
        NUMBER("mean_s", s->mean),
        NUMBER("deviation_s", s->deviation),
        INTEGER("warmups", r->warmups),
        INTEGER("interrupted", r->interrupted),
        BOOL("steady", r->steady),
        BOOL("valid", r->valid),
        NUMBER("worst_error", r->worst_error),
        TEXT("advice", r->advice),
    };
    _Static_assert(sizeof(cells) / sizeof(cells[0]) == CELLS, "as many as there is room for");
    memcpy(out, cells, sizeof(cells));
    return CELLS;
}

static void json_cell(struct ls_json *j, const struct cell *c)
{
    switch (c->kind) {
    case CELL_TEXT:
        ls_json_text(j, c->name, c->text);
        break;
    case CELL_NUMBER:
        ls_json_double(j, c->name, c->number);
        break;
    case CELL_INTEGER:
        ls_json_u64(j, c->name, c->integer);
        break;
    case CELL_BOOL:
        ls_json_bool(j, c->name, c->integer != 0);
        break;
    }
}

void rpl_json_result(struct ls_json *j, const struct kn_result *r, const char *name)
{
    struct cell cells[CELLS];
    cells_of(r, name, cells);
    ls_json_open(j, NULL, '{');
    for (size_t i = 0; i < CELLS; i++)
        json_cell(j, &cells[i]);
    rpl_counts_json(j, r);
    rpl_ranks_json(j, r);
    ls_json_open(j, "run_s", '[');
    for (size_t i = 0; i < r->seconds.len && r->run_seconds; i++)
        ls_json_double(j, NULL, r->run_seconds[i]);
    ls_json_close(j, ']');
    ls_json_open(j, "trials", '[');
    for (unsigned i = 0; i < r->trials_len; i++) {
        ls_json_open(j, NULL, '{');
        ls_json_text(j, "variant", r->trials[i].variant);
        ls_json_double(j, "mb_per_s", r->trials[i].mb_per_s);
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
    ls_json_close(j, '}');
}

void rpl_csv_header(FILE *out)
{
    static const struct kn_result nothing;
    struct cell cells[CELLS];
    cells_of(&nothing, "", cells);
    for (size_t i = 0; i < CELLS; i++)
        fprintf(out, "%s%s", i ? "," : "", cells[i].name);
    rpl_counts_csv_header(out);
    fputc('\n', out);
}

void rpl_csv_row(const struct kn_result *r, const char *name, FILE *out)
{
    struct cell cells[CELLS];
    cells_of(r, name, cells);
    for (size_t i = 0; i < CELLS; i++) {
        if (i) fputc(',', out);
        if (cells[i].kind == CELL_TEXT)
            ls_put_csv(out, cells[i].text);
        else if (cells[i].kind == CELL_NUMBER && isfinite(cells[i].number))
            fprintf(out, "%.9g", cells[i].number);
        else if (cells[i].kind != CELL_NUMBER)
            fprintf(out, "%" PRIu64, cells[i].integer);
    }
    rpl_counts_csv_row(r, out);
    fputc('\n', out);
}

/* ---- hardware counters ---- */

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
