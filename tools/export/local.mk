# SPDX-License-Identifier: BSD-3-Clause
# loadstone export
tools_loadstone_SOURCES += tools/export/export.c
tools_loadstone_LDADD += libvizexport.la libndm.la
LOADSTONE_MAN += tools/loadstone-export.1
