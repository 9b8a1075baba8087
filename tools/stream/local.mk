# SPDX-License-Identifier: BSD-3-Clause
# loadstone stream
libtools_la_SOURCES += \
    tools/stream/stm_choose.c tools/stream/stm_choose.h \
    tools/stream/stream.c
LOADSTONE_MAN += tools/loadstone-stream.1
