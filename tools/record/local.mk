# SPDX-License-Identifier: BSD-3-Clause
# loadstone record
libtools_la_SOURCES += \
    tools/record/rec_launch.c tools/record/rec_launch.h \
    tools/record/rec_target.c tools/record/rec_target.h
tools_full_loadstone_SOURCES += \
    tools/record/rec_attach.c tools/record/rec_attach.h \
    tools/record/rec_hardware.c \
    tools/record/rec_inject.h \
    tools/record/rec_live.c tools/record/rec_live.h \
    tools/record/rec_node.c tools/record/rec_node.h \
    tools/record/rec_process.c tools/record/rec_process.h \
    tools/record/rec_series.c tools/record/rec_series.h \
    tools/record/rec_spool.c tools/record/rec_spool.h \
    tools/record/record.c
if HAVE_STEP
if HAVE_UNWIND
tools_full_loadstone_SOURCES += tools/record/rec_inject.c
tools_full_loadstone_CPPFLAGS += -DHAVE_INJECT=1
endif
endif
LOADSTONE_MAN += tools/loadstone-record.1
