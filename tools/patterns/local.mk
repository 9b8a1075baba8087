# SPDX-License-Identifier: BSD-3-Clause
# loadstone patterns
tools_full_loadstone_SOURCES += \
    tools/patterns/patterns.c \
    tools/patterns/ptn_actions.h \
    tools/patterns/ptn_compare.c tools/patterns/ptn_compare.h \
    tools/patterns/ptn_compare_print.c \
    tools/patterns/ptn_extract.c \
    tools/patterns/ptn_plot.c \
    tools/patterns/ptn_print.c tools/patterns/ptn_print.h \
    tools/patterns/ptn_read.c tools/patterns/ptn_read.h \
    tools/patterns/ptn_sectors.c \
    tools/patterns/ptn_show.c
LOADSTONE_MAN += tools/loadstone-patterns.1
