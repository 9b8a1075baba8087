# SPDX-License-Identifier: BSD-3-Clause
# patterns: gather/scatter configurations, their generators and file formats
noinst_LTLIBRARIES += libpatterns.la
libpatterns_la_SOURCES = \
    patterns/pat_access.h \
    patterns/pat_builder.c patterns/pat_builder.h \
    patterns/pat_config.c patterns/pat_config.h \
    patterns/pat_describe.c patterns/pat_describe.h \
    patterns/pat_extent.c patterns/pat_extent.h \
    patterns/pat_generate.c \
    patterns/pat_json.c patterns/pat_json.h \
    patterns/pat_list.c patterns/pat_list.h \
    patterns/pat_transform.c
libpatterns_la_CPPFLAGS = $(AM_CPPFLAGS) $(YAJL_CFLAGS) $(ZLIB_CFLAGS)
libpatterns_la_LIBADD = libcommon.la $(YAJL_LIBS) $(ZLIB_LIBS)
include patterns/source/local.mk
include patterns/extract/local.mk
include patterns/compact/local.mk
include patterns/compare/local.mk
include patterns/write/local.mk
