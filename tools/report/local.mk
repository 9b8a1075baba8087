# SPDX-License-Identifier: BSD-3-Clause
# loadstone report
tools_full_loadstone_SOURCES += \
    tools/report/rep_advice.c \
    tools/report/rep_allocations.c \
    tools/report/rep_annotate.c \
    tools/report/rep_csv.c \
    tools/report/rep_devices.c \
    tools/report/rep_disassemble.c tools/report/rep_disassemble.h \
    tools/report/rep_first_touch.c \
    tools/report/rep_header.c \
    tools/report/rep_heatmap.c \
    tools/report/rep_how.c \
    tools/report/rep_json.c \
    tools/report/rep_kernel.c \
    tools/report/rep_layout.c \
    tools/report/rep_print.h \
    tools/report/rep_processes.c \
    tools/report/rep_ranks.c \
    tools/report/rep_raster.c tools/report/rep_raster.h \
    tools/report/rep_rows.c \
    tools/report/rep_series.c \
    tools/report/rep_sharing.c \
    tools/report/rep_spinning.c \
    tools/report/rep_table.c \
    tools/report/rep_text.c \
    tools/report/rep_tree.c \
    tools/report/rep_types.c \
    tools/report/rep_view.c tools/report/rep_view.h \
    tools/report/rep_watch.c \
    tools/report/report.c
LOADSTONE_MAN += tools/loadstone-report.1
