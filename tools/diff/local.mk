# SPDX-License-Identifier: BSD-3-Clause
# loadstone diff
tools_full_loadstone_SOURCES += \
    tools/diff/diff.c \
    tools/diff/diff_print.c \
    tools/diff/diff_view.c tools/diff/diff_view.h
LOADSTONE_MAN += tools/loadstone-diff.1
