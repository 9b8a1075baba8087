# SPDX-License-Identifier: BSD-3-Clause
# loadstone run
libtools_la_SOURCES += tools/run/run.c
LOADSTONE_MAN += tools/loadstone-run.1
