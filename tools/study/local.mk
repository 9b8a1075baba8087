# SPDX-License-Identifier: BSD-3-Clause
# loadstone study
libtools_la_SOURCES += \
    tools/study/std_files.h \
    tools/study/std_fit.h \
    tools/study/std_print.c tools/study/std_print.h \
    tools/study/std_scale.h \
    tools/study/std_study.c tools/study/std_study.h \
    tools/study/study.c
tools_full_loadstone_SOURCES += \
    tools/study/std_collect.c \
    tools/study/std_fit.c \
    tools/study/std_jobs.c \
    tools/study/std_plot.c \
    tools/study/std_scale.c \
    tools/study/std_scale_plot.c \
    tools/study/std_scale_print.c
LOADSTONE_MAN += tools/loadstone-study.1
