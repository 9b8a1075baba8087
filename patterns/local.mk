# SPDX-License-Identifier: BSD-3-Clause
# patterns: gather/scatter configurations, their generators and file formats
noinst_LTLIBRARIES += libpatterns.la
libpatterns_la_SOURCES = \
    patterns/pat_access.h patterns/extract/pat_extract.h patterns/source/pat_source.h \
    patterns/pat_builder.c patterns/pat_builder.h \
    patterns/pat_config.c patterns/pat_config.h \
    patterns/pat_describe.c patterns/pat_describe.h \
    patterns/pat_distances.c patterns/pat_distances.h \
    patterns/pat_extent.c patterns/pat_extent.h \
    patterns/compact/pat_found.c patterns/compact/pat_found.h \
    patterns/pat_generate.c patterns/pat_generate.h \
    patterns/source/pat_input.c patterns/source/pat_input.h \
    patterns/pat_integer.c patterns/pat_integer.h \
    patterns/pat_json.h \
    patterns/pat_list.c patterns/pat_list.h \
    patterns/source/pat_raw.c patterns/source/pat_raw.h \
    patterns/pat_transform.c patterns/pat_transform.h
include patterns/write/local.mk
if HAVE_YAJL
libpatterns_la_SOURCES += patterns/pat_json.c
else
libpatterns_la_SOURCES += patterns/pat_json_none.c
EXTRA_DIST += patterns/pat_json.c
endif
EXTRA_DIST += patterns/pat_json_none.c
libpatterns_la_CPPFLAGS = $(AM_CPPFLAGS) $(YAJL_CFLAGS) $(ZLIB_CFLAGS)
libpatterns_la_LIBADD = libcommon.la $(YAJL_LIBS) $(ZLIB_LIBS)
