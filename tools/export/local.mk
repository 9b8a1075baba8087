# SPDX-License-Identifier: BSD-3-Clause
# loadstone export
tools_loadstone_SOURCES += \
    tools/export/export.c \
    tools/export/exp_list.c tools/export/exp_list.h \
    tools/export/exp_source.c tools/export/exp_source.h
tools_loadstone_LDADD += libvizexport.la libndm.la
LOADSTONE_MAN += tools/loadstone-export.1
