# SPDX-License-Identifier: BSD-3-Clause
# perf: counting without samples, for the tools.
noinst_LTLIBRARIES += libperfcount.la
libperfcount_la_SOURCES = \
    perf/pe_count.c perf/pe_count.h \
    perf/pe_traffic.c perf/pe_traffic.h
libperfcount_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
libperfcount_la_LIBADD = libperfenc.la libperfring.la libcommon.la
