# SPDX-License-Identifier: BSD-3-Clause
# loadstone stream, loadstone study
tools_loadstone_SOURCES += \
    tools/stream/stream.c \
    tools/study/study.c \
    tools/replay/knr_counts.c tools/replay/knr_counts.h \
    tools/replay/knr_json.c tools/replay/knr_json.h \
    tools/study/std_plot.c tools/study/std_plot.h \
    tools/study/std_print.c tools/study/std_print.h \
    tools/stream/stm_print.c tools/stream/stm_print.h
tools_loadstone_LDADD += libkernels.la $(OPENMP_CFLAGS)
LOADSTONE_MAN += tools/loadstone-stream.1 tools/loadstone-study.1
