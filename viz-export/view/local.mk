# SPDX-License-Identifier: BSD-3-Clause
# viz-export/view: the data of the page of loadstone view, and its program
libvizexport_la_SOURCES += \
    viz-export/view/vx_pack.c viz-export/view/vx_pack.h \
    viz-export/view/vx_places.c viz-export/view/vx_places.h \
    viz-export/view/vx_view.c viz-export/view/vx_view.h \
    viz-export/view/vx_view_fields.c \
    viz-export/view/vx_view_parts.h \
    viz-export/view/vx_view_patterns.c \
    viz-export/view/vx_view_places.c \
    viz-export/view/vx_view_ranks.c \
    viz-export/view/vx_view_series.c \
    viz-export/view/vx_view_tables.c \
    viz-export/view/vx_view_tiles.c
nodist_libvizexport_la_SOURCES = viz-export/view/vx_view_bundle.c
include viz-export/view/web/local.mk
