/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "viz-export/charts/vx_chart.h"

#ifdef HAVE_CAIRO
#include "common/ls_outputs.h"
#include "viz-export/charts/vx_draw.h"
#include "viz-export/charts/vx_format.h"

#include <cairo-svg.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* ---- a page ---- */

static const double vx_title_height = 62;

static void vx_chart_draw(cairo_t *c, struct vx_box box, const struct vx_chart *chart)
{
    static void (*const draw[VX_KINDS])(cairo_t *, struct vx_box,
                                        const struct vx_chart *) = {[VX_BARS] = vx_draw_bars,
                                                                    [VX_LINES] = vx_draw_xy,
                                                                    [VX_DOTS] = vx_draw_xy,
                                                                    [VX_STEMS] = vx_draw_xy,
                                                                    [VX_RADAR] = vx_draw_radar};
    cairo_save(c);
    draw[chart->kind](c, box, chart);
    cairo_restore(c);
}

/* Draw the title and all charts, one below the other.
 * Errors: none; drawing errors stay in c's status. */
static double vx_page_height(const struct vx_page *page)
{
    double height = vx_title_height;
    for (size_t i = 0; i < page->charts_len; i++)
        height += vx_chart_height(&page->charts[i]) + VX_MARGIN;
    return height + VX_MARGIN;
}

static void vx_paper(cairo_t *c)
{
    cairo_set_source_rgb(c, 1, 1, 1);
    cairo_paint(c);
}

static void vx_page_draw(cairo_t *c, const struct vx_page *page)
{
    struct vx_box box = {VX_MARGIN, vx_title_height, VX_PAGE_WIDTH - 2 * VX_MARGIN, 0};
    vx_paper(c);
    vx_use_ink(c, VX_INK_TEXT);
    vx_text_cut(c, VX_MARGIN, 30, 19, VX_LEFT, box.width, page->title);
    if (page->subtitle) {
        vx_use_ink(c, VX_INK_MUTED);
        vx_text_cut(c, VX_MARGIN, 48, VX_FONT_TEXT, VX_LEFT, box.width, page->subtitle);
    }
    for (size_t i = 0; i < page->charts_len; i++) {
        box.height = vx_chart_height(&page->charts[i]);
        vx_chart_draw(c, box, &page->charts[i]);
        box.y += box.height + VX_MARGIN;
    }
}

double vx_single_height(const struct vx_chart *chart)
{
    return vx_chart_height(chart) + VX_MARGIN;
}

void vx_single_draw(cairo_t *c, const struct vx_chart *chart)
{
    const struct vx_box box = {VX_MARGIN, VX_MARGIN / 2.0, VX_PAGE_WIDTH - 2 * VX_MARGIN,
                               vx_chart_height(chart)};
    vx_paper(c);
    vx_chart_draw(c, box, chart);
}

cairo_status_t vx_to_file(void *closure, const unsigned char *data, unsigned len)
{
    return fwrite(data, 1, len, closure) == len ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

ls_err vx_status(cairo_status_t status, const char *path)
{
    if (status == CAIRO_STATUS_SUCCESS) return LS_OK;
    if (status == CAIRO_STATUS_NO_MEMORY) return ls_nomem("drawing %s", path);
    return ls_fail(LS_ERR_IO, "%s cannot be drawn: %s", path, cairo_status_to_string(status));
}

/* ---- SVG ---- */

static ls_err vx_svg_write(const struct vx_page *page, FILE *out, const char *path)
{
    cairo_surface_t *surface =
        cairo_svg_surface_create_for_stream(vx_to_file, out, VX_PAGE_WIDTH, vx_page_height(page));
    cairo_t *c = cairo_create(surface);
    vx_page_draw(c, page);
    cairo_status_t status = cairo_status(c);
    cairo_destroy(c);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return vx_status(status, path);
}

static const struct vx_format vx_format_svg = {.end = ".svg", .write = vx_svg_write};

/* ---- PNG ---- */

/* Two pixels a unit: sharp on dense screens and in print. Cairo's images end at 32767 pixels. */
enum { VX_PNG_SCALE = 2, VX_PNG_PIXELS_MAX = 32767 };

ls_err vx_picture_write(double height, ls_err (*draw)(cairo_t *c, const void *user), const void *user,
                        const char *path, FILE *out)
{
    const double scale = fmin(VX_PNG_SCALE, VX_PNG_PIXELS_MAX / height);
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(VX_PAGE_WIDTH * scale),
                                                          (int)floor(height * scale));
    cairo_t *c = cairo_create(surface);
    cairo_scale(c, scale, scale);
    vx_paper(c);
    const ls_err err = draw(c, user);
    cairo_status_t status = cairo_status(c);
    cairo_destroy(c);
    if (err == LS_OK && status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_write_to_png_stream(surface, vx_to_file, out);
    cairo_surface_destroy(surface);
    return err != LS_OK ? err : vx_status(status, path);
}

static ls_err vx_png_draw(cairo_t *c, const void *page)
{
    vx_page_draw(c, page);
    return LS_OK;
}

static ls_err vx_png_write(const struct vx_page *page, FILE *out, const char *path)
{
    const double height = vx_page_height(page);
    if (height * 0.5 > VX_PNG_PIXELS_MAX)
        return ls_fail(LS_ERR_RANGE,
                       "%s: %zu charts with this many rows do not fit one image; write .svg or .html", path,
                       page->charts_len);
    return vx_picture_write(height, vx_png_draw, page, path, out);
}

static const struct vx_format vx_format_png = {.end = ".png", .write = vx_png_write};

/* ---- written ---- */

static const struct vx_format *const vx_formats[] = {&vx_format_svg, &vx_format_png, &vx_format_html};

static const struct vx_format *vx_format_of(const char *path)
{
    const size_t len = strlen(path);
    for (size_t i = 0; i < sizeof(vx_formats) / sizeof(vx_formats[0]); i++) {
        const size_t end = strlen(vx_formats[i]->end);
        if (len > end && strcasecmp(path + len - end, vx_formats[i]->end) == 0) return vx_formats[i];
    }
    return NULL;
}

ls_err vx_page_check(const char *path)
{
    if (vx_format_of(path)) return LS_OK;
    return ls_fail(LS_ERR_USAGE, "%s: pictures end in .svg, .png or .html", path);
}

ls_err vx_page_write(const struct vx_page *page, const char *path)
{
    const struct vx_format *format = vx_format_of(path);
    ls_outputs *files;
    FILE *out;
    LS_TRY(vx_page_check(path));
    LS_TRY(ls_outputs_new(true, &files));
    ls_err err = ls_outputs_open(files, path, &out);
    if (err == LS_OK) err = format->write(page, out, path);
    if (err == LS_OK) err = ls_outputs_commit(files); /* remove a partial file */
    ls_outputs_free(files);
    return err;
}

#else
/* Without cairo there are no pictures. */
ls_err vx_page_check(const char *path)
{
    return ls_fail(LS_ERR_UNSUPPORTED,
                   "%s cannot be drawn: this loadstone was built without cairo (libcairo2-dev)", path);
}

ls_err vx_page_write(const struct vx_page *page, const char *path)
{
    (void)page;
    return vx_page_check(path);
}
#endif
