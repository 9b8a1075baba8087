/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/gate/gate.h"

#include "common/ls_text.h"
#include "tools/cli/cli_message.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define GATE_MAGIC "# loadstone gate 1"
#define GATE_CACHE "# caches "

enum { GATE_NAME_MAX = 4096 };

static const char *const kind_names[GATE_KINDS] = {
    [GATE_TOTAL] = "total", [GATE_DATA] = "data", [GATE_FUNCTION] = "function", [GATE_LINE] = "line"};

static const char *const metric_names[GATE_METRICS] = {
    [GATE_ACCESSES] = "accesses",   [GATE_LINES] = "lines",        [GATE_BYTES] = "bytes used",
    [GATE_L1_MISSES] = "L1 misses", [GATE_MISSES] = "last misses", [GATE_WRITTEN] = "lines written"};

const char *gate_kind_name(enum gate_kind kind)
{
    return kind_names[kind];
}

const char *gate_metric_name(enum gate_metric metric)
{
    return metric_names[metric];
}

void gate_rows_fini(struct gate_rows *r)
{
    for (size_t i = 0; i < r->list.len; i++) {
        free(r->list.rows[i].name);
        free(r->list.rows[i].file);
    }
    free(r->list.rows);
    *r = (struct gate_rows){{0}};
}

static int compare_rows(const void *a, const void *b)
{
    const struct gate_row *x = a, *y = b;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    return strcmp(x->name, y->name);
}

void gate_rows_sort(struct gate_rows *r)
{
    if (r->list.len) qsort(r->list.rows, r->list.len, sizeof(*r->list.rows), compare_rows);
}

/* ---- written ---- */

void gate_baseline_write(const struct gate_cache *cache, char *const *command, const struct gate_rows *r,
                         FILE *out)
{
    fprintf(out, GATE_MAGIC "\n" GATE_CACHE "%s %s\n# command", cache->name, cache->geometry);
    for (; *command; command++) {
        fputc(' ', out);
        for (const char *c = cli_quote(*command); *c; c++)
            fputc((unsigned char)*c < ' ' ? '?' : *c, out);
    }
    fputs("\nkind", out);
    for (int m = 0; m < GATE_METRICS; m++)
        fprintf(out, "\t%s", metric_names[m]);
    fputs("\tname\n", out);
    for (size_t i = 0; i < r->list.len; i++) {
        const struct gate_row *row = &r->list.rows[i];
        fputs(kind_names[row->kind], out);
        for (int m = 0; m < GATE_METRICS; m++)
            fprintf(out, "\t%" PRIu64, row->values[m]);
        fprintf(out, "\t%s\n", row->name);
    }
}

/* ---- read ---- */

/* "data\t12\t...\tname" */
static bool parse_row(char *text, struct gate_row *out)
{
    char *at = strchr(text, '\t');
    int kind = 0;
    if (!at) return false;
    *at++ = '\0';
    while (kind < GATE_KINDS && strcmp(kind_names[kind], text) != 0)
        kind++;
    if (kind == GATE_KINDS) return false;
    out->kind = (enum gate_kind)kind;
    for (int m = 0; m < GATE_METRICS; m++) {
        char *end;
        errno = 0;
        if (*at < '0' || *at > '9') return false;
        out->values[m] = strtoull(at, &end, 10);
        if (errno || *end != '\t') return false;
        at = end + 1;
    }
    if (!*at || strlen(at) > GATE_NAME_MAX) return false;
    ls_text_clean(at, strlen(at), "");
    out->name = strdup(at);
    return true;
}

/* Read the lines of a baseline after the first one, which is the magic. */
static ls_err read_line(const char *path, unsigned number, char *text, const struct gate_cache *cache,
                        struct gate_rows *out)
{
    struct gate_row row = {.name = NULL};
    char caches[128];
    if (number == 2) {
        snprintf(caches, sizeof(caches), GATE_CACHE "%s %s", cache->name, cache->geometry);
        if (strcmp(text, caches) == 0) return LS_OK;
        if (strncmp(text, GATE_CACHE, strlen(GATE_CACHE)) == 0)
            return ls_fail(
                LS_ERR_USAGE,
                "%s was made with the caches %s, not %s %s: give the same --cache, or make it again "
                "with --update",
                path, text + strlen(GATE_CACHE), cache->name, cache->geometry);
    }
    if (number > 2 && (text[0] == '#' || strncmp(text, "kind\t", 5) == 0)) return LS_OK;
    if (number == 2 || !parse_row(text, &row))
        return ls_fail(LS_ERR_FORMAT, "%s:%u: not a row of a baseline; make it again with --update", path,
                       number);
    if (!row.name) return ls_nomem("a baseline");
    const ls_err err = LS_VECTOR_ADD(&out->list, row);
    if (err != LS_OK) free(row.name);
    return err;
}

static ls_err read_lines(const char *path, FILE *in, const struct gate_cache *cache, struct gate_rows *out)
{
    char *text = NULL;
    size_t room = 0;
    unsigned number = 0;
    ls_err err = LS_OK;
    for (ssize_t len; err == LS_OK && (len = getline(&text, &room, in)) > 0;) {
        if (text[len - 1] == '\n') text[len - 1] = '\0';
        number++;
        if (number > 1)
            err = read_line(path, number, text, cache, out);
        else if (strcmp(text, GATE_MAGIC) != 0)
            err = ls_fail(LS_ERR_FORMAT, "%s is no baseline of loadstone gate; make one with --update", path);
    }
    free(text);
    if (err == LS_OK && ferror(in)) err = ls_fail_errno(errno, "cannot read %s", path);
    if (err == LS_OK && out->list.len == 0)
        err = ls_fail(LS_ERR_FORMAT, "%s holds no rows; make it again with --update", path);
    return err;
}

ls_err gate_baseline_read(const char *path, const struct gate_cache *cache, struct gate_rows *out)
{
    FILE *in = fopen(path, "re");
    if (!in && errno == ENOENT)
        return ls_fail(LS_ERR_NOT_FOUND, "there is no baseline %s yet; make it with --update", path);
    if (!in) return ls_fail_errno(errno, "cannot open %s", path);
    const ls_err err = read_lines(path, in, cache, out);
    fclose(in);
    if (err == LS_OK) gate_rows_sort(out);
    return err;
}
