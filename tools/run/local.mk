# SPDX-License-Identifier: BSD-3-Clause
# loadstone run
tools_loadstone_SOURCES += tools/run/run.c
LOADSTONE_MAN += tools/loadstone-run.1
