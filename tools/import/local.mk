# SPDX-License-Identifier: BSD-3-Clause
# loadstone import
tools_loadstone_SOURCES += \
    tools/cmd_import.c \
    tools/import/imp_maps.c tools/import/imp_maps.h \
    tools/import/imp_memaxes.c \
    tools/import/imp_perf_data.c \
    tools/import/imp_perf_script.c \
    tools/import/imp_source.h \
    tools/import/imp_table.c tools/import/imp_table.h \
    tools/import/imp_text.c tools/import/imp_text.h
tools_loadstone_LDADD += libperffile.la libspoolwrite.la
LOADSTONE_MAN += tools/loadstone-import.1
TESTS += tests/tools/test_import.sh tests/tools/test_import_script.sh
EXTRA_DIST += tests/tools/test_import.sh tests/data/memaxes/lulesh-samples.csv
EXTRA_DIST += tests/tools/test_import_script.sh tests/data/perf-script/chains.txt tests/data/perf-script/faults.txt
