# SPDX-License-Identifier: BSD-3-Clause
# loadstone import
tools_full_loadstone_SOURCES += \
    tools/import/imp_maps.c \
    tools/import/imp_memaxes.c \
    tools/import/imp_perf.h \
    tools/import/imp_perf_aux.c \
    tools/import/imp_perf_data.c \
    tools/import/imp_perf_script.c \
    tools/import/imp_source.h \
    tools/import/imp_table.c tools/import/imp_table.h \
    tools/import/imp_text.c tools/import/imp_text.h \
    tools/import/import.c
tools_full_loadstone_LDADD += libperffile.la libspoolwrite.la
LOADSTONE_MAN += tools/loadstone-import.1
