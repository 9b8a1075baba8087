# SPDX-License-Identifier: BSD-3-Clause
# loadstone traffic
tools_full_loadstone_SOURCES += tools/traffic/traffic.c tools/traffic/traffic.h tools/traffic/traffic_blas.c \
    tools/traffic/traffic_measure.c tools/traffic/traffic_plot.c tools/traffic/traffic_print.c
tools_full_loadstone_LDADD += libtraffic.la libvizexport.la
LOADSTONE_MAN += tools/loadstone-traffic.1
