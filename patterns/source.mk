# SPDX-License-Identifier: BSD-3-Clause
# patterns: sources of accesses, and Loadstone's trace files
libpatterns_la_SOURCES += \
    patterns/pat_codec.c patterns/pat_codec.h \
    patterns/pat_collect.c patterns/pat_collect.h \
    patterns/pat_intern.c patterns/pat_intern.h \
    patterns/pat_lines.c patterns/pat_lines.h \
    patterns/pat_records.c patterns/pat_records.h \
    patterns/pat_run_ranges.c patterns/pat_run_ranges.h \
    patterns/pat_run_scale.c patterns/pat_run_scale.h \
    patterns/pat_script_line.c patterns/pat_script_line.h \
    patterns/pat_source.c patterns/pat_sources.h \
    patterns/pat_src_drmemtrace.c \
    patterns/pat_src_gem5.c \
    patterns/pat_src_lackey.c \
    patterns/pat_src_memtrace.c \
    patterns/pat_src_nvbit.c \
    patterns/pat_src_perf_script.c \
    patterns/pat_src_run_h5.c \
    patterns/pat_src_trace.c \
    patterns/pat_text.c patterns/pat_text.h \
    patterns/pat_tables.c patterns/pat_tables.h \
    patterns/pat_trace_format.h \
    patterns/pat_trace_guess.c patterns/pat_trace_guess.h \
    patterns/pat_trace_rows.c patterns/pat_trace_rows.h \
    patterns/pat_trace_writer.c patterns/pat_trace_writer.h \
    patterns/pat_unpack.c patterns/pat_unpack.h \
    patterns/pat_unpack_gzip.c patterns/pat_unpack_zip.c
libpatterns_la_LIBADD += libprofread.la libprofcost.la
if HAVE_ZSTD
libpatterns_la_SOURCES += patterns/pat_codec_zstd.c patterns/pat_unpack_zstd.c
libpatterns_la_LIBADD += $(ZSTD_LIBS)
else
libpatterns_la_SOURCES += patterns/pat_codec_none.c patterns/pat_unpack_zstd_none.c
endif
if HAVE_LZ4
libpatterns_la_SOURCES += patterns/pat_unpack_lz4.c
libpatterns_la_LIBADD += $(LZ4_LIBS)
else
libpatterns_la_SOURCES += patterns/pat_unpack_lz4_none.c
endif
EXTRA_DIST += patterns/pat_codec_zstd.c patterns/pat_codec_none.c \
    patterns/pat_unpack_lz4.c patterns/pat_unpack_lz4_none.c patterns/pat_unpack_zstd.c patterns/pat_unpack_zstd_none.c
