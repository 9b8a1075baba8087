# SPDX-License-Identifier: BSD-3-Clause
# perf: counting without samples, and perf.data, for the tools.
noinst_LTLIBRARIES += libperfcount.la
libperfcount_la_SOURCES = \
    perf/pe_count.c perf/pe_count.h \
    perf/pe_traffic.c perf/pe_traffic.h
libperfcount_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
libperfcount_la_LIBADD = libperfenc.la libperfring.la libcommon.la

# perf.data
noinst_LTLIBRARIES += libperffile.la
libperffile_la_SOURCES = \
    perf/pe_file.c perf/pe_file.h \
    perf/pe_file_spe.c perf/pe_file_spe.h \
    perf/pe_file_trace.c perf/pe_file_trace.h
libperffile_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
libperffile_la_LIBADD = libperfring.la libcommon.la
if HAVE_ZSTD
libperffile_la_SOURCES += perf/pe_unpack_zstd.c
libperffile_la_LIBADD += $(ZSTD_LIBS)
else
libperffile_la_SOURCES += perf/pe_unpack_none.c
endif
EXTRA_DIST += perf/pe_unpack_zstd.c perf/pe_unpack_none.c
