# SPDX-License-Identifier: BSD-3-Clause
# Engines that sample through perf_event. What they use of perf/ is compiled in: libtool would bring the objects of libcommon twice.
noinst_LTLIBRARIES += librtperf.la
librtperf_la_SOURCES = \
    runtime/perf_events/rt_perf.c runtime/perf_events/rt_perf.h \
    runtime/perf_events/rt_watch_place.c runtime/perf_events/rt_watch_place.h \
    runtime/perf_events/rt_perf_cost.c runtime/perf_events/rt_perf_cost.h \
    runtime/perf_events/rt_perf_lanes.c runtime/perf_events/rt_perf_lanes.h \
    runtime/perf_events/rt_perf_duty.c runtime/perf_events/rt_perf_duty.h \
    runtime/perf_events/rt_perf_numa.c runtime/perf_events/rt_perf_numa.h \
    runtime/perf_events/rt_perf_pace.c runtime/perf_events/rt_perf_pace.h \
    runtime/perf_events/rt_perf_probe.c runtime/perf_events/rt_perf_probe.h \
    runtime/perf_events/rt_perf_reader.c runtime/perf_events/rt_perf_reader.h \
    runtime/perf_events/rt_perf_sample.c runtime/perf_events/rt_perf_sample.h \
    runtime/perf_events/rt_perf_tell.c runtime/perf_events/rt_perf_tell.h \
    runtime/perf_events/rt_sampler_faults.c \
    runtime/perf_events/rt_sampler_watch.c \
    runtime/perf_events/rt_sampler_hw.c \
    $(perfring_sources) $(perfenc_sources) machine/mach_privilege.c machine/mach_privilege.h
librtperf_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
librtperf_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
if HOST_X86_64
librtperf_la_SOURCES += runtime/perf_events/rt_perf_regs_x86_64.c
else
librtperf_la_SOURCES += runtime/perf_events/rt_perf_regs_none.c
endif
EXTRA_DIST += runtime/perf_events/rt_perf_regs_x86_64.c runtime/perf_events/rt_perf_regs_none.c
