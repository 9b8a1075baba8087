# SPDX-License-Identifier: BSD-3-Clause
# perf: opening events, their rings and records, decoders. Signal-safe throughout: the preloaded runtime links it.
noinst_LTLIBRARIES += libperfring.la
perfring_sources = \
    perf/pe_aux.c perf/pe_aux.h \
    perf/pe_data_src.c perf/pe_data_src.h \
    perf/pe_drain.c perf/pe_drain.h \
    perf/pe_ibs.c perf/pe_ibs.h \
    perf/pe_kernel.c perf/pe_kernel.h \
    perf/pe_open.c perf/pe_open.h \
    perf/pe_record.c perf/pe_record.h \
    perf/pe_ring.c perf/pe_ring.h \
    perf/pe_sample.h \
    perf/pe_spe.c perf/pe_spe.h \
    perf/pe_ticks.c perf/pe_ticks.h
if HOST_AARCH64
perfring_sources += perf/pe_ticks_aarch64.c
else
perfring_sources += perf/pe_ticks_clock.c
endif
EXTRA_DIST += perf/pe_ticks_aarch64.c perf/pe_ticks_clock.c
libperfring_la_SOURCES = $(perfring_sources)
libperfring_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
libperfring_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libperfring_la_LIBADD = libcommon.la
