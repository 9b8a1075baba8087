# SPDX-License-Identifier: BSD-3-Clause
# loadstone record
tools_loadstone_SOURCES += \
    tools/record/rec_hardware.c tools/record/rec_hardware.h \
    tools/record/rec_launch.c tools/record/rec_launch.h \
    tools/record/rec_left.c tools/record/rec_left.h \
    tools/record/rec_limits.c tools/record/rec_limits.h \
    tools/record/rec_preload.c tools/record/rec_preload.h \
    tools/record/rec_resolve.c tools/record/rec_resolve.h \
    tools/record/rec_spool.c tools/record/rec_spool.h \
    tools/record/rec_target.c tools/record/rec_target.h \
    tools/record/rec_watch.c tools/record/rec_watch.h \
    tools/record/record.c
LOADSTONE_MAN += tools/loadstone-record.1
