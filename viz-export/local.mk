# SPDX-License-Identifier: BSD-3-Clause
# viz-export: pictures and pages, one file a format behind one table
noinst_LTLIBRARIES += libvizexport.la
libvizexport_la_SOURCES = \
    viz-export/vx_axis.c viz-export/vx_axis.h \
    viz-export/vx_chart.h \
    viz-export/vx_results.c viz-export/vx_results.h viz-export/vx_results_h5.h \
    viz-export/vx_results_read.c \
    viz-export/vx_results_write.c
viz_drawing = \
    viz-export/vx_bars.c \
    viz-export/vx_draw.c viz-export/vx_draw.h \
    viz-export/vx_format.h \
    viz-export/vx_html.c \
    viz-export/vx_page.c \
    viz-export/vx_png.c \
    viz-export/vx_radar.c \
    viz-export/vx_svg.c \
    viz-export/vx_xy.c
if HAVE_CAIRO
libvizexport_la_SOURCES += $(viz_drawing)
else
libvizexport_la_SOURCES += viz-export/vx_page_none.c
endif
EXTRA_DIST += $(viz_drawing) viz-export/vx_page_none.c
libvizexport_la_CPPFLAGS = $(AM_CPPFLAGS) $(CAIRO_CFLAGS) $(HDF5_CFLAGS)
libvizexport_la_LIBADD = libprofread.la libcommon.la $(CAIRO_LIBS) $(HDF5_LIBS) -lm
include viz-export/export.mk
