# SPDX-License-Identifier: BSD-3-Clause
# loadstone patterns diff and groups
tools_loadstone_SOURCES += \
    tools/ptd_actions.c \
    tools/ptd_diff.c tools/ptd_diff.h \
    tools/ptd_groups.c tools/ptd_groups.h \
    tools/ptd_input.c tools/ptd_input.h \
    tools/ptd_json.c \
    tools/ptd_print.c
