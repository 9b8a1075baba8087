# SPDX-License-Identifier: BSD-3-Clause
# loadstone record
tools_loadstone_SOURCES += \
    tools/record/rec_attach.c tools/record/rec_attach.h \
    tools/record/rec_hardware.c \
    tools/record/rec_launch.c tools/record/rec_launch.h \
    tools/record/rec_live.c tools/record/rec_live.h \
    tools/record/rec_node.c tools/record/rec_node.h \
    tools/record/rec_series.c tools/record/rec_series.h \
    tools/record/rec_spool.c tools/record/rec_spool.h \
    tools/record/rec_target.c tools/record/rec_target.h \
    tools/record/record.c
LOADSTONE_MAN += tools/loadstone-record.1
