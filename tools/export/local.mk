# SPDX-License-Identifier: BSD-3-Clause
# loadstone export
tools_full_loadstone_SOURCES += tools/export/export.c
tools_full_loadstone_LDADD += libvizexport.la libndm.la
LOADSTONE_MAN += tools/loadstone-export.1
