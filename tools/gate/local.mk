# SPDX-License-Identifier: BSD-3-Clause
# loadstone gate
tools_full_loadstone_SOURCES += \
    tools/gate/gate.c tools/gate/gate.h \
    tools/gate/gate_baseline.c \
    tools/gate/gate_measure.c
LOADSTONE_MAN += tools/loadstone-gate.1
