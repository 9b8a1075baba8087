/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/replay/rpl_kernel.h"

#include "common/ls_put.h"
#include "kernels/kn_kernel.h"
#include "machine/mach_topology.h"
#include "tools/replay/rpl_counts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void rpl_json_machine(struct ls_json *j, const char *key)
{
    struct mach_machine m;
    if (mach_describe(&m) != LS_OK) memset(&m, 0, sizeof(m));
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
enum { CELLS = 34 };

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
