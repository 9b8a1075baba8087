# SPDX-License-Identifier: BSD-3-Clause
# loadstone replay
libtools_la_SOURCES += \
    tools/replay/replay.c \
    tools/replay/rpl_csv.c \
    tools/replay/rpl_files.h \
    tools/replay/rpl_json.c \
    tools/replay/rpl_kernel.c tools/replay/rpl_kernel.h \
    tools/replay/rpl_ranks.c tools/replay/rpl_ranks.h \
    tools/replay/rpl_results.c \
    tools/replay/rpl_session.h \
    tools/replay/rpl_settings.c \
    tools/replay/rpl_spatter.c \
    tools/replay/rpl_table.c
tools_full_loadstone_SOURCES += \
    tools/replay/rpl_compare.c \
    tools/replay/rpl_files.c \
    tools/replay/rpl_plot.c
tools_full_loadstone_LDADD += libvizexport.la libkernels.la libpatcompact.la libpatterns.la libsymbols.la libcommon.la -lm $(OPENMP_CFLAGS)
LOADSTONE_MAN += tools/loadstone-replay.1
