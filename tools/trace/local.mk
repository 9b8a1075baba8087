# SPDX-License-Identifier: BSD-3-Clause
# loadstone trace, and the plugin that QEMU loads for it
tools_full_loadstone_SOURCES += \
    tools/trace/host/trc_choice.c \
    tools/trace/host/trc_code.c \
    tools/trace/host/trc_homes.c \
    tools/trace/host/trc_host.h \
    tools/trace/host/trc_lives.c tools/trace/host/trc_lives.h \
    tools/trace/host/trc_only.c \
    tools/trace/host/trc_outcome.c \
    tools/trace/host/trc_program.c \
    tools/trace/host/trc_reader.c tools/trace/host/trc_reader.h \
    tools/trace/host/trc_source.c \
    tools/trace/plugin/trc_decode.c tools/trace/plugin/trc_decode.h \
    tools/trace/trace.c
tools_full_loadstone_CPPFLAGS += $(DW_CFLAGS)
tools_full_loadstone_LDADD += $(DW_LIBS) -lelf
LOADSTONE_MAN += tools/loadstone-trace.1

# QEMU has the functions that are undefined in it.
pkglib_LTLIBRARIES += libloadstone-tracer.la
libloadstone_tracer_la_SOURCES = \
    tools/trace/plugin/trc_decode.c tools/trace/plugin/trc_decode.h \
    tools/trace/plugin/trc_guest.c \
    tools/trace/plugin/trc_slot.c tools/trace/plugin/trc_slot.h \
    tools/trace/plugin/trc_maps.c \
    tools/trace/plugin/trc_plugin.c tools/trace/plugin/trc_plugin.h \
    tools/trace/plugin/trc_qemu.h \
    tools/trace/plugin/trc_sites.c \
    tools/trace/trc_ring.h
libloadstone_tracer_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
libloadstone_tracer_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libloadstone_tracer_la_LDFLAGS = -module -avoid-version -shared
if HAVE_ZYDIS
libloadstone_tracer_la_LIBADD = -lZydis
endif
