/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_jit.h"

#include "common/ls_clock.h"
#include "spool/spool_reader.h"
#include "symbols/sym_perfmap.h"

#include <inttypes.h>
#include <stdlib.h>

struct prof_jit {
    const struct spool_image *image;
    const struct prof_survey *survey;
    prof_names *names;
    const char *path;
    sym_perfmap *map; /* NULL: none */
    bool is_looked_for;
};

ls_err prof_jit_new(const struct spool_image *image, const struct prof_survey *survey, prof_names *names,
                    prof_jit **out)
{
    prof_jit *j = calloc(1, sizeof(*j));
    if (!j) return ls_nomem("generated code");
    *j = (prof_jit){.image = image, .survey = survey, .names = names};
    j->path = prof_name_printf(names, "/tmp/perf-%u.map", image->pid);
    *out = j;
    return LS_OK;
}

void prof_jit_free(prof_jit *j)
{
    if (!j) return;
    sym_perfmap_free(j->map);
    free(j);
}

/* Wall clock when the process began, in seconds; a map from before belongs to another with its id. */
static int64_t prof_jit_begin_s(const prof_jit *j)
{
    for (size_t i = 0; i < j->image->streams.len; i++) {
        spool_reader *r;
        if (spool_reader_open(&j->image->streams.rows[i], &r) != LS_OK) continue;
        const int64_t begin_s = (int64_t)(spool_reader_header(r)->realtime_ns / LS_NS_PER_S);
        spool_reader_free(r);
        return begin_s;
    }
    return INT64_MAX;
}

static const sym_perfmap *prof_jit_map(prof_jit *j)
{
    if (!j->is_looked_for && sym_perfmap_open(j->path, prof_jit_begin_s(j), &j->map) != LS_OK) j->map = NULL;
    j->is_looked_for = true;
    return j->map;
}

const char *prof_jit_named(prof_jit *j, uint64_t ip)
{
    const sym_perfmap *map = prof_jit_map(j);
    return prof_name_of(j->names, map ? sym_perfmap_find(map, ip) : NULL);
}

const char *prof_jit_function(prof_jit *j, uint64_t ip, uint64_t *out_base)
{
    uint32_t row;
    if (!smr_live_find_range(j->survey->seen_live, ip, out_base, NULL, &row) ||
        j->survey->seen.rows[row].kind != PROF_NODE_JIT)
        return NULL;
    return prof_jit_named(j, ip);
}

static void prof_jit_name_line(prof_jit *j, struct prof_line *row, struct prof_jit_counts *counts)
{
    uint64_t base;
    const char *function = prof_jit_function(j, row->ip, &base);
    if (!function) return;
    counts->named += function[0] != '\0';
    counts->nameless += function[0] == '\0';
    if (function[0] == '\0') function = prof_name_printf(j->names, "[jit] anon+0x%" PRIx64, row->ip - base);
    row->module = prof_name_of(j->names, "[jit]");
    row->function = row->symbol = function;
}

struct prof_jit_counts prof_jit_name_lines(prof_jit *j, struct prof_line *rows, size_t len)
{
    struct prof_jit_counts counts = {.map_path = ""};
    for (size_t i = 0; i < len; i++) {
        if (rows[i].module[0] == '\0') prof_jit_name_line(j, &rows[i], &counts);
        if (rows[i].function[0] != '\0') continue;
        const char *function = prof_jit_named(j, rows[i].ip);
        if (function[0] == '\0') continue;
        rows[i].function = rows[i].symbol = function;
        counts.named++;
    }
    if (counts.named > 0) counts.map_path = j->path;
    return counts;
}
