# SPDX-License-Identifier: BSD-3-Clause
# loadstone replay and patterns
tools_loadstone_SOURCES += \
    tools/cmd_patterns.c \
    tools/ptn_actions.h \
    tools/ptn_extract.c \
    tools/ptn_json.c \
    tools/ptn_print.c tools/ptn_print.h \
    tools/ptn_read.c tools/ptn_read.h \
    tools/ptn_show.c \
    tools/cmd_replay.c \
    tools/psh_plot.c \
    tools/psh_print.c tools/psh_print.h \
    tools/rpl_compare.c tools/rpl_compare.h \
    tools/rpl_csv.c \
    tools/rpl_json.c \
    tools/rpl_list.c tools/rpl_list.h \
    tools/rpl_plot.c tools/rpl_plot.h \
    tools/rpl_results.c tools/rpl_results.h \
    tools/rpl_session.c tools/rpl_session.h \
    tools/rpl_settings.c tools/rpl_settings.h \
    tools/rpl_spatter.c \
    tools/rpl_table.c
tools_loadstone_LDADD += libvizexport.la libkernels.la libpatcompact.la libpatterns.la libsymbols.la libcommon.la -lm
LOADSTONE_MAN += tools/loadstone-patterns.1 tools/loadstone-replay.1
