# SPDX-License-Identifier: BSD-3-Clause
# viz-export: parts shared by export, charts and the page of view
noinst_LTLIBRARIES += libvizexport.la
libvizexport_la_SOURCES = \
    viz-export/vx_axis.c viz-export/vx_axis.h \
    viz-export/vx_text.c viz-export/vx_text.h
libvizexport_la_CPPFLAGS = $(AM_CPPFLAGS) $(CAIRO_CFLAGS) $(HDF5_CFLAGS) $(ZLIB_CFLAGS)
libvizexport_la_LIBADD = libanalyse.la libndm.la librunh5.la libcommon.la $(CAIRO_LIBS) $(HDF5_LIBS) $(ZLIB_LIBS) -lm
include viz-export/charts/local.mk
include viz-export/export/local.mk
include viz-export/view/local.mk
