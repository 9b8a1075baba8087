# SPDX-License-Identifier: BSD-3-Clause
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
viz_heat = \
    viz-export/vx_heat.c viz-export/vx_heat.h \
    viz-export/vx_heat_grid.c \
    viz-export/vx_heat_marks.c \
    viz-export/vx_heat_mesh.c \
    viz-export/vx_heat_png.c
if HAVE_CAIRO
libvizexport_la_SOURCES += $(viz_heat)
else
libvizexport_la_SOURCES += viz-export/vx_heat_none.c
endif
EXTRA_DIST += $(viz_heat) viz-export/vx_heat_none.c
libvizexport_la_CPPFLAGS += $(ZLIB_CFLAGS)
libvizexport_la_LIBADD += libanalyse.la libndm.la $(ZLIB_LIBS)
