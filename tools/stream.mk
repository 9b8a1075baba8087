# SPDX-License-Identifier: BSD-3-Clause
# loadstone stream, loadstone study
tools_loadstone_SOURCES += \
    tools/cmd_stream.c \
    tools/cmd_study.c \
    tools/knr_counts.c tools/knr_counts.h \
    tools/knr_json.c tools/knr_json.h \
    tools/std_plot.c tools/std_plot.h \
    tools/std_print.c tools/std_print.h \
    tools/stm_print.c tools/stm_print.h
tools_loadstone_LDADD += libkernels.la $(OPENMP_CFLAGS)
LOADSTONE_MAN += tools/loadstone-stream.1 tools/loadstone-study.1
