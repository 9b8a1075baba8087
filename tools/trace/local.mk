# SPDX-License-Identifier: BSD-3-Clause
# loadstone trace, and the plugin that QEMU loads for it
tools_loadstone_SOURCES += \
    tools/cmd_trace.c \
    tools/trace/trc_choice.c tools/trace/trc_choice.h \
    tools/trace/trc_code.c tools/trace/trc_code.h \
    tools/trace/trc_homes.c tools/trace/trc_homes.h tools/trace/trc_lives.c tools/trace/trc_lives.h \
    tools/trace/trc_hot.c tools/trace/trc_hot.h \
    tools/trace/trc_illegal.c tools/trace/trc_illegal.h \
    tools/trace/trc_labels.c tools/trace/trc_labels.h \
    tools/trace/trc_lacking.c tools/trace/trc_lacking.h \
    tools/trace/trc_only.c tools/trace/trc_only.h \
    tools/trace/trc_outcome.c tools/trace/trc_outcome.h \
    tools/trace/trc_program.c tools/trace/trc_program.h \
    tools/trace/trc_reader.c tools/trace/trc_reader.h \
    tools/trace/trc_registered.c tools/trace/trc_registered.h \
    tools/trace/trc_source.c tools/trace/trc_source.h
tools_loadstone_CPPFLAGS += $(DW_CFLAGS)
tools_loadstone_LDADD += $(DW_LIBS) -lelf
LOADSTONE_MAN += tools/loadstone-trace.1

# QEMU has the functions that are undefined in it.
pkglib_LTLIBRARIES += libloadstone-tracer.la
libloadstone_tracer_la_SOURCES = \
    tools/tracer/trc_decode.c tools/tracer/trc_decode.h tools/tracer/trc_isa.h \
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
tools_loadstone_SOURCES += tools/tracer/trc_decode.h tools/tracer/trc_decode_zydis.c
libloadstone_tracer_la_SOURCES += tools/tracer/trc_decode_zydis.c
libloadstone_tracer_la_LIBADD = -lZydis
else
tools_loadstone_SOURCES += tools/tracer/trc_decode.h tools/tracer/trc_decode_none.c
libloadstone_tracer_la_SOURCES += tools/tracer/trc_decode_none.c
endif
EXTRA_DIST += tools/tracer/trc_decode_none.c tools/tracer/trc_decode_zydis.c
