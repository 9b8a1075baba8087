# SPDX-License-Identifier: BSD-3-Clause
# loadstone patterns
tools_loadstone_SOURCES += \
    tools/patterns/patterns.c \
    tools/patterns/psh_plot.c \
    tools/patterns/psh_print.c tools/patterns/psh_print.h \
    tools/patterns/ptd_actions.c \
    tools/patterns/ptd_diff.c tools/patterns/ptd_diff.h \
    tools/patterns/ptd_groups.c tools/patterns/ptd_groups.h \
    tools/patterns/ptd_input.c tools/patterns/ptd_input.h \
    tools/patterns/ptd_json.c \
    tools/patterns/ptd_print.c \
    tools/patterns/ptn_actions.h \
    tools/patterns/ptn_extract.c \
    tools/patterns/ptn_json.c \
    tools/patterns/ptn_print.c tools/patterns/ptn_print.h \
    tools/patterns/ptn_read.c tools/patterns/ptn_read.h \
    tools/patterns/ptn_show.c
LOADSTONE_MAN += tools/loadstone-patterns.1
