# SPDX-License-Identifier: BSD-3-Clause
# loadstone view
tools_full_loadstone_SOURCES += tools/view/view.c
LOADSTONE_MAN += tools/loadstone-view.1
