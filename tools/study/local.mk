# SPDX-License-Identifier: BSD-3-Clause
# loadstone study
tools_loadstone_SOURCES += \
    tools/study/std_plot.c \
    tools/study/std_print.c tools/study/std_print.h \
    tools/study/std_study.c tools/study/std_study.h \
    tools/study/study.c
LOADSTONE_MAN += tools/loadstone-study.1
