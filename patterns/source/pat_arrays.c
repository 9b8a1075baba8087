/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_arrays.h"

#include "config.h"

#include "common/ls_device.h"
#include "common/ls_hash.h"
#include "common/ls_sorted.h"
#include "common/ls_text.h"
#include "common/ls_vector.h"
#include "patterns/source/pat_intern.h"
#include "patterns/source/pat_lines.h"
#include "patterns/source/pat_sources.h"
#include "run_h5/prof_reader.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_OF_ONE_MAX = 4, NAME_BYTES = 400 };

struct edge {
    uint64_t at;
    uint32_t name;
    bool is_end;
};

struct work {
    struct pat_arrays *out;
    struct pat_intern known;
    size_t names_room, rows_room;
    LS_VECTOR(struct edge) edges;
    LS_VECTOR(uint32_t) now; /* names of the blocks at the current place, a name for each */
};

/* ---- names and blocks ---- */

static ls_err name_of(struct work *k, const char *text, uint32_t *out)
{
    uint32_t *row;
    LS_TRY(pat_intern(&k->known, ls_hash_text(LS_HASH_BEGIN, text), strlen(text), &row));
    if (*row == PAT_NONE) {
        LS_TRY(LS_GROW(k->out->names, k->names_room, k->out->names_len + 1));
        char *copy = strdup(text);
        if (!copy) return ls_nomem("names of arrays");
        ls_text_clean(copy, strlen(copy), ""); /* it is printed on terminals */
        *row = (uint32_t)k->out->names_len;
        k->out->names[k->out->names_len++] = copy;
    }
    *out = *row;
    return LS_OK;
}

static ls_err add_block(struct work *k, uint64_t start, uint64_t len_bytes, const char *name)
{
    uint64_t end;
    uint32_t row;
    if (len_bytes == 0 || __builtin_add_overflow(start, len_bytes, &end)) return LS_OK;
    LS_TRY(name_of(k, name, &row));
    LS_TRY(LS_VECTOR_ADD(&k->edges, (struct edge){start, row, false}));
    return LS_VECTOR_ADD(&k->edges, (struct edge){end, row, true});
}

/* ---- a text ---- */

static bool scan_number(const char **p, uint64_t *out)
{
    return (*p)[0] == '0' && ((*p)[1] == 'x' || (*p)[1] == 'X') ? pat_scan_hex(p, out)
                                                                : pat_scan_decimal(p, out);
}

static void scan_gap(const char **p)
{
    pat_scan_blanks(p);
    if (pat_scan_char(p, ',')) pat_scan_blanks(p);
}

static ls_err read_line(struct work *k, const char *path, const struct pat_lines *l, char *line)
{
    const char *p = line;
    uint64_t start, len_bytes;
    size_t len = strlen(line);
    while (len > 0 && strchr(" \t\r", line[len - 1]))
        line[--len] = '\0';
    pat_scan_blanks(&p);
    if (*p == '#' || *p == '\0') return LS_OK;
    bool is_sound = scan_number(&p, &start);
    scan_gap(&p);
    is_sound = is_sound && scan_number(&p, &len_bytes);
    scan_gap(&p);
    if (!is_sound || *p == '\0')
        return ls_fail(LS_ERR_FORMAT,
                       "%s:%llu: expected START LENGTH NAME, for example 0x7f0000000000 4096 grid", path,
                       (unsigned long long)l->number);
    return add_block(k, start, len_bytes, p);
}

static ls_err read_text(struct work *k, const char *path)
{
    struct pat_lines l = {.input = NULL};
    char *line = NULL;
    ls_err err = pat_lines_init(&l, path);
    l.last_may_lack_end = true;
    while (err == LS_OK && (err = pat_lines_next(&l, &line)) == LS_OK && line)
        err = read_line(k, path, &l, line);
    pat_lines_fini(&l);
    if (err == LS_OK && k->edges.len == 0)
        return ls_fail(LS_ERR_USAGE, "%s names no array: expected lines START LENGTH NAME, or a profile",
                       path);
    return err;
}

/* ---- a profile ---- */

/* Handles of OpenCL are no addresses. */
static bool has_address(const struct prof_device_block *b)
{
    return b->api != LS_DEVICE_API_OPENCL || b->memory == LS_DEVICE_MEMORY_MANAGED;
}

static ls_err read_blocks(struct work *k, const char *path, const prof_profile *p)
{
    size_t len, nodes_len;
    const struct prof_device_block *blocks = prof_device_blocks(p, &len);
    const struct prof_node *nodes = prof_nodes(p, &nodes_len);
    for (size_t i = 0; i < len; i++)
        if (has_address(&blocks[i]) && blocks[i].node < nodes_len)
            LS_TRY(add_block(k, blocks[i].base, blocks[i].len_bytes, nodes[blocks[i].node].label));
    if (k->edges.len > 0) return LS_OK;
    return ls_fail(LS_ERR_USAGE, "%s has no memory of devices with addresses: record the run that was traced",
                   path);
}

static ls_err read_profile(struct work *k, const char *path)
{
    prof_profile *p;
    LS_TRY(prof_open(path, &p));
    const ls_err err = read_blocks(k, path, p);
    prof_close(p);
    return err;
}

static bool is_profile(const char *path)
{
    char bytes[4096];
    FILE *in = fopen(path, "re");
    const size_t len = in ? fread(bytes, 1, sizeof(bytes), in) : 0;
    if (in) fclose(in);
    return pat_source_run_h5.recognise(bytes, len, path);
}

/* ---- pieces that do not overlap ---- */

static int by_place(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return y->is_end - x->is_end;
}

/* The name of the blocks of k->now, which is not empty. */
static ls_err name_now(struct work *k, uint32_t *out)
{
    char text[NAME_BYTES] = "";
    uint32_t seen[NAMES_OF_ONE_MAX];
    size_t seen_len = 0, len = 0;
    for (size_t i = 0; i < k->now.len; i++) {
        size_t at = 0;
        while (at < seen_len && seen[at] != k->now.rows[i])
            at++;
        if (at < seen_len) continue;
        if (seen_len == NAMES_OF_ONE_MAX) {
            snprintf(text + len, sizeof(text) - len, ", ...");
            break;
        }
        seen[seen_len++] = k->now.rows[i];
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%.90s", len ? ", " : "",
                                k->out->names[k->now.rows[i]]);
    }
    *out = seen[0];
    return seen_len == 1 ? LS_OK : name_of(k, text, out);
}

static ls_err add_row(struct work *k, uint64_t start, uint64_t end)
{
    struct pat_arrays *a = k->out;
    uint32_t name;
    LS_TRY(name_now(k, &name));
    if (a->len > 0 && a->rows[a->len - 1].end == start && a->rows[a->len - 1].name == name) {
        a->rows[a->len - 1].end = end;
        return LS_OK;
    }
    LS_TRY(LS_GROW(a->rows, k->rows_room, a->len + 1));
    a->rows[a->len++] = (struct pat_array){start, end, name};
    return LS_OK;
}

static ls_err make_rows(struct work *k)
{
    if (k->edges.len > 0) qsort(k->edges.rows, k->edges.len, sizeof(*k->edges.rows), by_place);
    for (size_t i = 0; i < k->edges.len; i++) {
        const struct edge *e = &k->edges.rows[i];
        if (i > 0 && k->now.len > 0 && e[-1].at < e->at) LS_TRY(add_row(k, e[-1].at, e->at));
        if (!e->is_end) {
            LS_TRY(LS_VECTOR_ADD(&k->now, e->name));
            continue;
        }
        size_t at = 0;
        while (k->now.rows[at] != e->name)
            at++;
        memmove(k->now.rows + at, k->now.rows + at + 1, (k->now.len - at - 1) * sizeof(*k->now.rows));
        k->now.len--;
    }
    return LS_OK;
}

ls_err pat_arrays_read(const char *path, struct pat_arrays *out)
{
    struct work k = {.out = out};
    *out = (struct pat_arrays){0};
    ls_err err = is_profile(path) ? read_profile(&k, path) : read_text(&k, path);
    if (err == LS_OK) err = make_rows(&k);
    pat_intern_fini(&k.known);
    free(k.edges.rows);
    free(k.now.rows);
    return err;
}

void pat_arrays_fini(struct pat_arrays *a)
{
    for (size_t i = 0; i < a->names_len; i++)
        free(a->names[i]);
    free(a->names);
    free(a->rows);
    *a = (struct pat_arrays){0};
}

uint32_t pat_arrays_find(const struct pat_arrays *a, uint64_t addr)
{
    size_t from;
    LS_COUNT_FIRST(from, a->len, i, a->rows[i].end <= addr);
    return from < a->len && a->rows[from].start <= addr ? a->rows[from].name : (uint32_t)a->names_len;
}
