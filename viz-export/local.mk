# SPDX-License-Identifier: BSD-3-Clause
# viz-export: pictures and pages, one file a format behind one table
noinst_LTLIBRARIES += libvizexport.la
libvizexport_la_SOURCES = \
    viz-export/vx_axis.c viz-export/vx_axis.h \
    viz-export/vx_chart.h \
    viz-export/vx_results.c viz-export/vx_results.h viz-export/vx_results_h5.h \
    viz-export/vx_results_read.c \
    viz-export/vx_results_write.c
libvizexport_la_CPPFLAGS = $(AM_CPPFLAGS) $(CAIRO_CFLAGS) $(HDF5_CFLAGS) $(ZLIB_CFLAGS)
libvizexport_la_LIBADD = libanalyse.la libndm.la libprofread.la libcommon.la $(CAIRO_LIBS) $(HDF5_LIBS) $(ZLIB_LIBS) -lm
if HAVE_CAIRO
libvizexport_la_SOURCES += \
    viz-export/vx_bars.c \
    viz-export/vx_draw.c viz-export/vx_draw.h \
    viz-export/vx_format.h \
    viz-export/vx_heat.c viz-export/vx_heat.h \
    viz-export/vx_heat_grid.c \
    viz-export/vx_heat_marks.c \
    viz-export/vx_heat_mesh.c \
    viz-export/vx_heat_png.c \
    viz-export/vx_html.c \
    viz-export/vx_page.c \
    viz-export/vx_png.c \
    viz-export/vx_radar.c \
    viz-export/vx_svg.c \
    viz-export/vx_xy.c
else
libvizexport_la_SOURCES += viz-export/vx_heat_none.c viz-export/vx_page_none.c
endif

# loadstone export: one file a format
libvizexport_la_SOURCES += \
    viz-export/vx_cells.c viz-export/vx_cells.h \
    viz-export/vx_colour.c viz-export/vx_colour.h \
    viz-export/vx_csv.c \
    viz-export/vx_csv_fields.c \
    viz-export/vx_csv_samples.c \
    viz-export/vx_dot.c \
    viz-export/vx_export.c viz-export/vx_export.h viz-export/vx_exporters.h \
    viz-export/vx_h5.c viz-export/vx_h5.h \
    viz-export/vx_memaxes.c viz-export/vx_memaxes.h \
    viz-export/vx_memaxes_hardware.c \
    viz-export/vx_nodes.c viz-export/vx_nodes.h \
    viz-export/vx_pvd.c \
    viz-export/vx_select.c viz-export/vx_select.h \
    viz-export/vx_squares.c viz-export/vx_squares.h \
    viz-export/vx_tables.h \
    viz-export/vx_text.c viz-export/vx_text.h \
    viz-export/vx_trace.c \
    viz-export/vx_tree.h \
    viz-export/vx_vtk.c viz-export/vx_vtk.h \
    viz-export/vx_vtk_grid.c \
    viz-export/vx_vtk_mesh.c \
    viz-export/vx_vtkhdf.c \
    viz-export/vx_xdmf.c

# loadstone view: the page's data
libvizexport_la_SOURCES += \
    viz-export/vx_base64.c viz-export/vx_base64.h \
    viz-export/vx_pack.c viz-export/vx_pack.h \
    viz-export/vx_places.c viz-export/vx_places.h \
    viz-export/vx_view.c viz-export/vx_view.h viz-export/vx_view_parts.h \
    viz-export/vx_view_fields.c \
    viz-export/vx_view_patterns.c \
    viz-export/vx_view_places.c viz-export/vx_view_places.h \
    viz-export/vx_view_tables.c \
    viz-export/vx_view_tiles.c
nodist_libvizexport_la_SOURCES = viz-export/vx_view_bundle.c
include viz-export/web/local.mk
