# SPDX-License-Identifier: BSD-3-Clause
# perf: libperfenc: the events to open (encodings), causes of errors; the runtime links it, libpfm4 stays in the tools (libperfpfm).
# libperfring: opening events, their rings and records, decoders; signal-safe throughout: the preloaded runtime links it.
# libperfcount: counting without samples. libperffile: perf.data.
noinst_LTLIBRARIES += libperfenc.la libperfpfm.la libperfring.la libperfcount.la libperffile.la
perfenc_sources = \
    perf/hw_amd.c perf/hw_arm.c perf/hw_intel.c perf/hw_power.c \
    perf/pe_advice.c perf/pe_advice.h \
    perf/pe_encode.c perf/pe_encode.h \
    perf/pe_event.c perf/pe_event.h \
    perf/pe_format.c \
    perf/pe_open_plan.c perf/pe_open_plan.h \
    perf/pe_settings.c perf/pe_settings.h \
    perf/pe_sysfs.c perf/pe_sysfs.h \
    perf/pe_try.c perf/pe_try.h \
    perf/pe_vendor.h
libperfenc_la_SOURCES = $(perfenc_sources)
libperfenc_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
libperfenc_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libperfenc_la_LIBADD = libmachpriv.la libperfring.la libcommon.la

libperfpfm_la_SOURCES = perf/pe_pfm.c perf/pe_pfm.h
libperfpfm_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
libperfpfm_la_LIBADD = libperfenc.la $(PFM_LIBS)

perfring_sources = \
    perf/pe_aux.c perf/pe_aux.h \
    perf/pe_data_src.c \
    perf/pe_drain.c \
    perf/pe_ibs.c \
    perf/pe_kernel.c perf/pe_kernel.h \
    perf/pe_open.c perf/pe_open.h \
    perf/pe_record.c perf/pe_record.h \
    perf/pe_ring.c perf/pe_ring.h \
    perf/pe_sample.h \
    perf/pe_spe.c perf/pe_spe.h

libperfring_la_SOURCES = $(perfring_sources)
libperfring_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
libperfring_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libperfring_la_LIBADD = libcommon.la

libperfcount_la_SOURCES = \
    perf/pe_count.c perf/pe_count.h \
    perf/pe_traffic.c
libperfcount_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
libperfcount_la_LIBADD = libperfenc.la libperfring.la libcommon.la

libperffile_la_SOURCES = \
    perf/pe_file.c perf/pe_file.h \
    perf/pe_file_spe.c \
    perf/pe_file_trace.c
libperffile_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
libperffile_la_LIBADD = libperfring.la libcommon.la
if HAVE_ZSTD
libperffile_la_SOURCES += perf/pe_unpack_zstd.c
libperffile_la_LIBADD += $(ZSTD_LIBS)
endif
