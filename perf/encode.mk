# SPDX-License-Identifier: BSD-3-Clause
# perf: what to open (encodings), what its errors mean. The runtime links libperfenc; libpfm4 stays in the tools.
noinst_LTLIBRARIES += libperfenc.la libperfpfm.la
perfenc_sources = \
    perf/hw_amd.c perf/hw_arm.c perf/hw_intel.c perf/hw_power.c \
    perf/pe_advice.c perf/pe_advice.h \
    perf/pe_encode.c perf/pe_encode.h \
    perf/pe_event.c perf/pe_event.h \
    perf/pe_format.c perf/pe_format.h \
    perf/pe_open_plan.c perf/pe_open_plan.h \
    perf/pe_settings.c perf/pe_settings.h \
    perf/pe_sysfs.c perf/pe_sysfs.h \
    perf/pe_try.c perf/pe_try.h \
    perf/pe_vendor.h
libperfenc_la_SOURCES = $(perfenc_sources)
libperfenc_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
libperfenc_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libperfenc_la_LIBADD = libmachpriv.la libperfring.la libcommon.la
libperfpfm_la_SOURCES = perf/pe_pfm.h
libperfpfm_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
libperfpfm_la_LIBADD = libperfenc.la
if HAVE_PFM
libperfpfm_la_SOURCES += perf/pe_pfm_libpfm4.c
libperfpfm_la_LIBADD += $(PFM_LIBS)
else
libperfpfm_la_SOURCES += perf/pe_pfm_none.c
endif
EXTRA_DIST += perf/pe_pfm_libpfm4.c perf/pe_pfm_none.c
