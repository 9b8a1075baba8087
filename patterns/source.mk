# SPDX-License-Identifier: BSD-3-Clause
# patterns: sources of accesses, and Loadstone's trace files
libpatterns_la_SOURCES += \
    patterns/pat_codec.c patterns/pat_codec.h \
    patterns/pat_source.c patterns/pat_sources.h \
    patterns/pat_src_trace.c \
    patterns/pat_tables.c patterns/pat_tables.h \
    patterns/pat_trace_format.h \
    patterns/pat_trace_guess.c patterns/pat_trace_guess.h \
    patterns/pat_trace_rows.c patterns/pat_trace_rows.h \
    patterns/pat_trace_writer.c patterns/pat_trace_writer.h
if HAVE_ZSTD
libpatterns_la_SOURCES += patterns/pat_codec_zstd.c
libpatterns_la_LIBADD += $(ZSTD_LIBS)
else
libpatterns_la_SOURCES += patterns/pat_codec_none.c
endif
EXTRA_DIST += patterns/pat_codec_zstd.c patterns/pat_codec_none.c
