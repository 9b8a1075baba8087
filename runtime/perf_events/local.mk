# SPDX-License-Identifier: BSD-3-Clause
# Engines that sample through perf_event. The used part of perf/ is compiled in: libtool would bring the objects of libcommon twice.
noinst_LTLIBRARIES += librtperf.la
librtperf_la_SOURCES = \
    runtime/perf_events/rt_perf.c runtime/perf_events/rt_perf.h \
    runtime/perf_events/rt_perf_open.c \
    runtime/perf_events/rt_perf_pace.c runtime/perf_events/rt_perf_pace.h \
    runtime/perf_events/rt_perf_reader.c \
    runtime/perf_events/rt_perf_records.c \
    runtime/perf_events/rt_sampler_faults.c \
    runtime/perf_events/rt_sampler_hw.c \
    runtime/perf_events/rt_sampler_watch.c \
    $(perfring_sources) $(perfenc_sources) machine/mach_privilege.c machine/mach_privilege.h
librtperf_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
librtperf_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
