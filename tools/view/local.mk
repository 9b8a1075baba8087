# SPDX-License-Identifier: BSD-3-Clause
# loadstone view
tools_loadstone_SOURCES += \
    tools/view/view.c \
    tools/view/view_facts.c tools/view/view_facts.h
LOADSTONE_MAN += tools/loadstone-view.1
