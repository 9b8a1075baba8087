/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/view/vx_view.h"
#include "viz-export/vx_axis.h"
#include "viz-export/view/vx_view_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VX_VIEW_SCHEMA = 1 };

ls_err vx_view_check(void)
{
    if (vx_view_script_len > 0) return LS_OK;
    return ls_fail(
        LS_ERR_UNSUPPORTED,
        "this build has no program for the page: install Node.js and npm (Debian: nodejs npm), run "
        "configure again and make; release tarballs bring it along");
}

static void vx_view_facts(const char *key, const struct vx_fact *facts, size_t len, struct ls_json *j)
{
    ls_json_open(j, key, '[');
    for (size_t i = 0; i < len; i++) {
        ls_json_open(j, NULL, '[');
        ls_json_text(j, NULL, facts[i].key);
        ls_json_text(j, NULL, facts[i].text);
        ls_json_close(j, ']');
    }
    ls_json_close(j, ']');
}

static void vx_view_run(const struct vx_view *v, struct ls_json *j)
{
    ls_json_number(j, "schema", VX_VIEW_SCHEMA);
    ls_json_text(j, "title", v->title);
    ls_json_text(j, "command", v->command);
    ls_json_text(j, "file", v->path);
    ls_json_text(j, "version", v->version);
    vx_view_facts("facts", v->facts, v->facts_len, j);
    vx_view_facts("conclusion", v->conclusion, v->conclusion_len, j);
    ls_json_number(j, "durationNs", (double)v->tables->duration_ns);
    ls_json_open(j, "whole", '{');
    ls_json_number(j, "samples", (double)v->costs->accesses);
    ls_json_number(j, "bursts", (double)v->costs->bursts);
    ls_json_number(j, "timeNs", v->costs->weight_ns);
    ls_json_number(j, "stallNs", an_has_stall(v->costs) ? v->costs->stall_total_ns : NAN);
    ls_json_close(j, '}');
    ls_json_open(j, "palette", '[');
    for (int c = 0; c < VX_VIRIDIS_STOPS; c++) {
        char text[8];
        snprintf(text, sizeof(text), "#%06x", vx_viridis_stops[c] & 0xffffffu);
        ls_json_text(j, NULL, text);
    }
    ls_json_close(j, ']');
    ls_json_open(j, "levelLimits", '[');
    for (int l = 0; l < PROF_LEVEL_COUNT; l++)
        ls_json_number(j, NULL, v->level_limit_cycles[l]);
    ls_json_close(j, ']');
}

static void vx_view_columns(const struct vx_pack *p, struct ls_json *j)
{
    static const char *const types[] = {
        [VX_COLUMN_UINT] = "uint", [VX_COLUMN_INT] = "int", [VX_COLUMN_F24] = "f24"};
    ls_json_open(j, "columns", '{');
    for (size_t i = 0; i < p->columns_len; i++) {
        ls_json_open(j, p->columns[i].name, '{');
        ls_json_text(j, "type", types[p->columns[i].type]);
        ls_json_number(j, "at", (double)p->columns[i].at_bytes);
        ls_json_number(j, "len", (double)p->columns[i].values_len);
        ls_json_close(j, '}');
    }
    ls_json_close(j, '}');
}

static ls_err vx_view_data(const struct vx_view *v, FILE *text, struct vx_pack *p)
{
    struct ls_json j = {.out = text, .escaped = LS_JSON_IN_HTML};
    ls_json_open(&j, NULL, '{');
    vx_view_run(v, &j);
    vx_view_tiles(v, p, &j);
    vx_view_sample(v, p, &j);
    vx_view_tables(v, &j);
    vx_view_sources(v, &j);
    vx_view_stacks(v, p, &j);
    LS_TRY(vx_view_fields(v, p, &j));
    LS_TRY(vx_view_patterns(v, &j));
    ls_json_value(&j, "layouts", v->layouts ? v->layouts : "[]");
    LS_TRY(vx_view_series(v, &j));
    LS_TRY(vx_view_ranks(v, &j));
    vx_view_columns(p, &j);
    ls_json_close(&j, '}');
    return LS_OK;
}

static void vx_view_text(const char *text, FILE *out)
{
    for (; *text; text++)
        if (strchr("<>&\"", *text))
            fprintf(out, "&#%d;", *text);
        else
            fputc(*text, out);
}

/* The policy of the page forbids loading anything. */
static void vx_view_head(const struct vx_view *v, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
          "'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
          out);
    vx_view_text(v->title, out);
    fputs(" - Loadstone</title>\n<style>", out);
    fwrite(vx_view_style, 1, vx_view_style_len, out);
    fputs("</style>\n</head>\n<body>\n<noscript>This page draws a profile of ", out);
    vx_view_text(v->title, out);
    fputs(" and needs JavaScript for that; loadstone report prints the same numbers.</noscript>\n", out);
}

static ls_err vx_view_page(const struct vx_view *v, const char *text, size_t text_len_bytes,
                           const struct vx_pack *p, FILE *out)
{
    vx_view_head(v, out);
    fputs("<script type=\"text/plain\" id=\"data\">", out);
    LS_TRY(vx_pack_write(p, text, text_len_bytes, out));
    fputs("</script>\n<script>", out);
    fwrite(vx_view_script, 1, vx_view_script_len, out);
    fputs("</script>\n</body>\n</html>\n", out);
    return LS_OK;
}

ls_err vx_view_write(const struct vx_view *v, FILE *out, const char *path)
{
    struct vx_pack p = {0};
    char *text = NULL;
    size_t len = 0;
    LS_TRY(vx_view_check());
    FILE *memory = open_memstream(&text, &len);
    if (!memory) return ls_nomem("the data of %s", path);
    ls_err err = vx_view_data(v, memory, &p);
    if (fclose(memory) != 0 && err == LS_OK) err = ls_nomem("the data of %s", path);
    if (err == LS_OK) err = vx_view_page(v, text, len, &p, out);
    if (err == LS_OK && (fflush(out) != 0 || ferror(out)))
        err = ls_fail_errno(errno, "cannot write %s", path);
    vx_pack_fini(&p);
    free(text);
    return err;
}
