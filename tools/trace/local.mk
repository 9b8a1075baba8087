# SPDX-License-Identifier: BSD-3-Clause
# loadstone trace, and the plugin that QEMU loads for it
tools_loadstone_SOURCES += \
    tools/trace/trace.c \
    tools/trace/host/trc_choice.c tools/trace/host/trc_choice.h \
    tools/trace/host/trc_code.c tools/trace/host/trc_code.h \
    tools/trace/host/trc_homes.c tools/trace/host/trc_homes.h tools/trace/host/trc_lives.c tools/trace/host/trc_lives.h \
    tools/trace/host/trc_hot.c tools/trace/host/trc_hot.h \
    tools/trace/host/trc_illegal.c tools/trace/host/trc_illegal.h \
    tools/trace/host/trc_labels.c tools/trace/host/trc_labels.h \
    tools/trace/host/trc_lacking.c tools/trace/host/trc_lacking.h \
    tools/trace/host/trc_only.c tools/trace/host/trc_only.h \
    tools/trace/host/trc_outcome.c tools/trace/host/trc_outcome.h \
    tools/trace/host/trc_program.c tools/trace/host/trc_program.h \
    tools/trace/host/trc_reader.c tools/trace/host/trc_reader.h \
    tools/trace/host/trc_registered.c tools/trace/host/trc_registered.h \
    tools/trace/host/trc_source.c tools/trace/host/trc_source.h
tools_loadstone_CPPFLAGS += $(DW_CFLAGS)
tools_loadstone_LDADD += $(DW_LIBS) -lelf
LOADSTONE_MAN += tools/loadstone-trace.1

# QEMU has the functions that are undefined in it.
pkglib_LTLIBRARIES += libloadstone-tracer.la
libloadstone_tracer_la_SOURCES = \
    tools/trace/plugin/trc_decode.c tools/trace/plugin/trc_decode.h tools/trace/trc_isa.h \
    tools/trace/trc_futex.h \
    tools/trace/plugin/trc_guest.c tools/trace/plugin/trc_guest.h \
    tools/trace/plugin/trc_lane.c tools/trace/plugin/trc_lane.h \
    tools/trace/plugin/trc_maps.c tools/trace/plugin/trc_maps.h \
    tools/trace/plugin/trc_plugin.c \
    tools/trace/plugin/trc_qemu.h \
    tools/trace/plugin/trc_region.c tools/trace/plugin/trc_region.h \
    tools/trace/trc_ring.h \
    tools/trace/plugin/trc_sites.c tools/trace/plugin/trc_sites.h
libloadstone_tracer_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
libloadstone_tracer_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libloadstone_tracer_la_LDFLAGS = -module -avoid-version -shared
if HAVE_ZYDIS
tools_loadstone_SOURCES += tools/trace/plugin/trc_decode.h tools/trace/plugin/trc_decode_zydis.c
libloadstone_tracer_la_SOURCES += tools/trace/plugin/trc_decode_zydis.c
libloadstone_tracer_la_LIBADD = -lZydis
else
tools_loadstone_SOURCES += tools/trace/plugin/trc_decode.h tools/trace/plugin/trc_decode_none.c
libloadstone_tracer_la_SOURCES += tools/trace/plugin/trc_decode_none.c
endif
EXTRA_DIST += tools/trace/plugin/trc_decode_none.c tools/trace/plugin/trc_decode_zydis.c
