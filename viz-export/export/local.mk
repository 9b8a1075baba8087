# SPDX-License-Identifier: BSD-3-Clause
# viz-export/export: loadstone export, one file a format
libvizexport_la_SOURCES += \
    viz-export/export/vx_caliper.c \
    viz-export/export/vx_cells.c viz-export/export/vx_cells.h \
    viz-export/export/vx_csv.c \
    viz-export/export/vx_dot.c \
    viz-export/export/vx_export.c viz-export/export/vx_export.h \
    viz-export/export/vx_firefox.c \
    viz-export/export/vx_h5.c viz-export/export/vx_h5.h \
    viz-export/export/vx_heat_png.c \
    viz-export/export/vx_memaxes.c \
    viz-export/export/vx_merge.c \
    viz-export/export/vx_pprof.c \
    viz-export/export/vx_pvd.c \
    viz-export/export/vx_select.c viz-export/export/vx_select.h \
    viz-export/export/vx_speedscope.c \
    viz-export/export/vx_stacks.c viz-export/export/vx_stacks.h \
    viz-export/export/vx_trace.c \
    viz-export/export/vx_vtk.c viz-export/export/vx_vtk.h \
    viz-export/export/vx_vtk_grid.c \
    viz-export/export/vx_vtk_mesh.c \
    viz-export/export/vx_vtkhdf.c \
    viz-export/export/vx_xdmf.c
if HAVE_CAIRO
libvizexport_la_SOURCES += \
    viz-export/export/vx_heat.c viz-export/export/vx_heat.h \
    viz-export/export/vx_heat_mesh.c \
    viz-export/export/vx_series_png.c
endif
