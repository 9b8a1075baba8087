/* SPDX-License-Identifier: BSD-3-Clause */
/* One file, nothing loaded from elsewhere: each chart as inline SVG with its numbers in a table below. */
#include "viz-export/charts/vx_format.h"
#include "viz-export/vx_text.h"

#include <cairo-svg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VX_HTML_ROWS_MAX = 2000 };

static const char vx_html_style[] =
    "body{font:15px/1.5 system-ui,sans-serif;color:#222;background:#fff;"
    "max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "h1{font-size:1.5rem;margin:0 0 .3rem}p.sub{color:#555;margin:0 0 1rem}ul{padding-left:1.2rem;color:#444}"
    "figure{margin:1.5rem 0;border:1px solid #ddd;border-radius:6px;padding:.3rem}"
    "figure svg{width:100%;height:auto}"
    "details{margin:.2rem .8rem .6rem}summary{cursor:pointer;color:#0072b2}"
    "table{border-collapse:collapse;font-size:.85rem;margin-top:.5rem}"
    "th,td{padding:.15rem .7rem;border-bottom:1px solid #eee;text-align:right}"
    "th:first-child,td:first-child{text-align:left}";

static void vx_html_cell(double n, FILE *out)
{
    if (isfinite(n))
        fprintf(out, "<td>%.6g</td>", n);
    else
        fputs("<td></td>", out);
}

static void vx_html_row_name(const struct vx_chart *chart, size_t i, FILE *out)
{
    fputs("<tr><td>", out);
    if (chart->names_len)
        vx_put_xml(out, i < chart->names_len ? chart->names[i] : "");
    else
        fprintf(out, "%.10g", chart->series[0].x[i]);
    fputs("</td>", out);
}

/* Check that all series have the same x and so share a table; otherwise each series has its own table. */
static bool vx_html_is_shared(const struct vx_chart *chart)
{
    for (size_t s = 1; s < chart->series_len && !chart->names_len; s++)
        if (chart->series[s].len != chart->series[0].len ||
            memcmp(chart->series[s].x, chart->series[0].x, chart->series[0].len * sizeof(double)) != 0)
            return false;
    return true;
}

static void vx_html_table(const struct vx_chart *chart, FILE *out)
{
    const size_t len = chart->names_len ? chart->names_len : chart->series_len ? chart->series[0].len : 0;
    fputs("<table><tr><th>", out);
    vx_put_xml(out, chart->x_label ? chart->x_label : "");
    for (size_t s = 0; s < chart->series_len; s++) {
        fputs("</th><th>", out);
        vx_put_xml(out, chart->series[s].label);
    }
    fputs("</th></tr>\n", out);
    for (size_t i = 0; i < len && i < VX_HTML_ROWS_MAX; i++) {
        vx_html_row_name(chart, i, out);
        for (size_t s = 0; s < chart->series_len; s++)
            vx_html_cell(i < chart->series[s].len ? chart->series[s].y[i] : NAN, out);
        fputs("</tr>\n", out);
    }
    fputs("</table>\n", out);
    if (len > VX_HTML_ROWS_MAX) fprintf(out, "<p>The first %d of %zu rows.</p>\n", VX_HTML_ROWS_MAX, len);
}

static void vx_html_numbers(const struct vx_chart *chart, FILE *out)
{
    fputs("<details><summary>numbers (", out);
    vx_put_xml(out, chart->y_label);
    fputs(")</summary>\n", out);
    if (vx_html_is_shared(chart)) {
        vx_html_table(chart, out);
    } else {
        for (size_t s = 0; s < chart->series_len; s++) {
            struct vx_chart one = *chart;
            one.series = &chart->series[s];
            one.series_len = 1;
            vx_html_table(&one, out);
        }
    }
    fputs("</details>\n", out);
}

/* Rename the glyphs, which cairo numbers from 0 in each picture, so that names on one page differ. The XML
 * head is removed, too. */
static void vx_html_svg(const char *svg, size_t chart, FILE *out)
{
    static const char *const marks[] = {"id=\"", "href=\"#", "url(#"};
    const char *at = strstr(svg, "<svg");
    while (at && *at) {
        size_t m = 0, len = 0;
        for (; m < 3; m++) {
            len = strlen(marks[m]);
            if (strncmp(at, marks[m], len) == 0) break;
        }
        if (m == 3) {
            fputc(*at++, out);
        } else {
            fprintf(out, "%sc%zu-", marks[m], chart);
            at += len;
        }
    }
}

static ls_err vx_html_chart(const struct vx_chart *chart, size_t number, FILE *out, const char *path)
{
    char *svg = NULL;
    size_t len = 0;
    FILE *memory = open_memstream(&svg, &len);
    if (!memory) return ls_nomem("drawing %s", path);
    cairo_surface_t *surface =
        cairo_svg_surface_create_for_stream(vx_to_file, memory, VX_PAGE_WIDTH, vx_single_height(chart));
    cairo_t *c = cairo_create(surface);
    vx_single_draw(c, chart);
    cairo_status_t status = cairo_status(c);
    cairo_destroy(c);
    cairo_surface_finish(surface);
    cairo_surface_destroy(surface);
    if (fclose(memory) != 0) status = CAIRO_STATUS_NO_MEMORY;
    if (status == CAIRO_STATUS_SUCCESS) {
        fputs("<figure role=\"img\" aria-label=\"", out);
        vx_put_xml(out, chart->title);
        fputs("\">\n", out);
        vx_html_svg(svg, number, out);
        vx_html_numbers(chart, out);
        fputs("</figure>\n", out);
    }
    free(svg);
    return vx_status(status, path);
}

static ls_err vx_html_write(const struct vx_page *page, FILE *out, const char *path)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    vx_put_xml(out, page->title);
    fprintf(out, "</title>\n<style>%s</style>\n</head>\n<body>\n<h1>", vx_html_style);
    vx_put_xml(out, page->title);
    fputs("</h1>\n", out);
    if (page->subtitle) {
        fputs("<p class=\"sub\">", out);
        vx_put_xml(out, page->subtitle);
        fputs("</p>\n", out);
    }
    fputs("<ul>\n", out);
    for (size_t i = 0; i < page->facts_len; i++) {
        fputs("<li>", out);
        vx_put_xml(out, page->facts[i]);
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
    for (size_t i = 0; i < page->charts_len; i++)
        LS_TRY(vx_html_chart(&page->charts[i], i, out, path));
    fputs("</body>\n</html>\n", out);
    return LS_OK;
}

const struct vx_format vx_format_html = {.end = ".html", .write = vx_html_write};
