# SPDX-License-Identifier: BSD-3-Clause
# patterns: sources of accesses, and Loadstone's trace files
libpatterns_la_SOURCES += \
    patterns/source/pat_binaries.c \
    patterns/source/pat_codec.c patterns/source/pat_codec.h \
    patterns/source/pat_collect.c patterns/source/pat_collect.h \
    patterns/source/pat_input.c patterns/source/pat_input.h \
    patterns/source/pat_intern.c patterns/source/pat_intern.h \
    patterns/source/pat_lines.c patterns/source/pat_lines.h \
    patterns/source/pat_many.c \
    patterns/source/pat_run_ranges.c patterns/source/pat_run_ranges.h \
    patterns/source/pat_script_line.c patterns/source/pat_script_line.h \
    patterns/source/pat_source.c patterns/source/pat_source.h patterns/source/pat_sources.h \
    patterns/source/pat_src_drmemtrace.c \
    patterns/source/pat_src_gem5.c \
    patterns/source/pat_src_lackey.c \
    patterns/source/pat_src_memtrace.c \
    patterns/source/pat_src_nvbit.c \
    patterns/source/pat_src_perf_script.c \
    patterns/source/pat_src_run_h5.c \
    patterns/source/pat_src_trace.c \
    patterns/source/pat_sectors.c patterns/source/pat_sectors.h patterns/source/pat_sectors_omniprobe.c \
    patterns/source/pat_arrays.c patterns/source/pat_arrays.h \
    patterns/source/pat_text.c patterns/source/pat_text.h \
    patterns/source/pat_tables.c patterns/source/pat_tables.h \
    patterns/source/pat_trace_format.h \
    patterns/source/pat_trace_guess.c patterns/source/pat_trace_guess.h \
    patterns/source/pat_trace_rows.c patterns/source/pat_trace_rows.h \
    patterns/source/pat_trace_writer.c patterns/source/pat_trace_writer.h \
    patterns/source/pat_unpack.c patterns/source/pat_unpack.h \
    patterns/source/pat_warps.c patterns/source/pat_warps.h
libpatterns_la_LIBADD += librunh5.la
if HAVE_ZSTD
libpatterns_la_SOURCES += patterns/source/pat_codec_zstd.c
libpatterns_la_LIBADD += $(ZSTD_LIBS)
endif
if HAVE_LIBARCHIVE
libpatterns_la_SOURCES += patterns/source/pat_unpack_archive.c
libpatterns_la_CPPFLAGS += $(ARCHIVE_CFLAGS)
libpatterns_la_LIBADD += $(ARCHIVE_LIBS)
endif
