# SPDX-License-Identifier: BSD-3-Clause
# viz-export/charts: pictures and pages, one file a format and one table; kept results of replays
libvizexport_la_SOURCES += \
    viz-export/charts/vx_chart.h \
    viz-export/charts/vx_page.c \
    viz-export/charts/vx_results.c viz-export/charts/vx_results.h
if HAVE_CAIRO
libvizexport_la_SOURCES += \
    viz-export/charts/vx_bars.c \
    viz-export/charts/vx_draw.c viz-export/charts/vx_draw.h \
    viz-export/charts/vx_format.h \
    viz-export/charts/vx_html.c \
    viz-export/charts/vx_radar.c \
    viz-export/charts/vx_xy.c
endif
