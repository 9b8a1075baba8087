# SPDX-License-Identifier: BSD-3-Clause
# loadstone replay and patterns
tools_loadstone_SOURCES += \
    tools/patterns/patterns.c \
    tools/patterns/ptn_actions.h \
    tools/patterns/ptn_extract.c \
    tools/patterns/ptn_json.c \
    tools/patterns/ptn_print.c tools/patterns/ptn_print.h \
    tools/patterns/ptn_read.c tools/patterns/ptn_read.h \
    tools/patterns/ptn_show.c \
    tools/replay/replay.c \
    tools/patterns/psh_plot.c \
    tools/patterns/psh_print.c tools/patterns/psh_print.h \
    tools/replay/rpl_compare.c tools/replay/rpl_compare.h \
    tools/replay/rpl_csv.c \
    tools/replay/rpl_json.c \
    tools/replay/rpl_list.c tools/replay/rpl_list.h \
    tools/replay/rpl_plot.c tools/replay/rpl_plot.h \
    tools/replay/rpl_results.c tools/replay/rpl_results.h \
    tools/replay/rpl_row.c tools/replay/rpl_row.h \
    tools/replay/rpl_session.c tools/replay/rpl_session.h \
    tools/replay/rpl_settings.c tools/replay/rpl_settings.h \
    tools/replay/rpl_spatter.c \
    tools/replay/rpl_table.c
tools_loadstone_LDADD += libvizexport.la libkernels.la libpatcompact.la libpatterns.la libsymbols.la libcommon.la -lm
LOADSTONE_MAN += tools/loadstone-patterns.1 tools/loadstone-replay.1
