# SPDX-License-Identifier: BSD-3-Clause
# loadstone patterns diff and groups
tools_loadstone_SOURCES += \
    tools/patterns/ptd_actions.c \
    tools/patterns/ptd_diff.c tools/patterns/ptd_diff.h \
    tools/patterns/ptd_groups.c tools/patterns/ptd_groups.h \
    tools/patterns/ptd_input.c tools/patterns/ptd_input.h \
    tools/patterns/ptd_json.c \
    tools/patterns/ptd_print.c
