# SPDX-License-Identifier: BSD-3-Clause
# loadstone traffic
tools_loadstone_SOURCES += tools/traffic/traffic.c
tools_loadstone_LDADD += libtraffic.la
LOADSTONE_MAN += tools/loadstone-traffic.1
