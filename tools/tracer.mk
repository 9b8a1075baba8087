# SPDX-License-Identifier: BSD-3-Clause
# loadstone trace, and the plugin that QEMU loads for it
tools_loadstone_SOURCES += \
    tools/cmd_trace.c \
    tools/trc_code.c tools/trc_code.h \
    tools/trc_homes.c tools/trc_homes.h \
    tools/trc_hot.c tools/trc_hot.h \
    tools/trc_labels.c tools/trc_labels.h \
    tools/trc_only.c tools/trc_only.h \
    tools/trc_outcome.c tools/trc_outcome.h \
    tools/trc_program.c tools/trc_program.h \
    tools/trc_reader.c tools/trc_reader.h \
    tools/trc_source.c tools/trc_source.h
tools_loadstone_CPPFLAGS += $(DW_CFLAGS)
tools_loadstone_LDADD += $(DW_LIBS) -lelf
LOADSTONE_MAN += tools/loadstone-trace.1

# QEMU has the functions that are undefined in it.
pkglib_LTLIBRARIES += libloadstone-tracer.la
libloadstone_tracer_la_SOURCES = \
    tools/tracer/trc_decode.c tools/tracer/trc_decode.h \
    tools/tracer/trc_futex.h \
    tools/tracer/trc_guest.c tools/tracer/trc_guest.h \
    tools/tracer/trc_lane.c tools/tracer/trc_lane.h \
    tools/tracer/trc_maps.c tools/tracer/trc_maps.h \
    tools/tracer/trc_plugin.c \
    tools/tracer/trc_qemu.h \
    tools/tracer/trc_region.c tools/tracer/trc_region.h \
    tools/tracer/trc_ring.h \
    tools/tracer/trc_sites.c tools/tracer/trc_sites.h
libloadstone_tracer_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
libloadstone_tracer_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libloadstone_tracer_la_LDFLAGS = -module -avoid-version -shared
if HAVE_ZYDIS
libloadstone_tracer_la_SOURCES += tools/tracer/trc_decode_zydis.c
libloadstone_tracer_la_LIBADD = -lZydis
else
libloadstone_tracer_la_SOURCES += tools/tracer/trc_decode_none.c
endif
EXTRA_DIST += tools/tracer/trc_decode_none.c tools/tracer/trc_decode_zydis.c
